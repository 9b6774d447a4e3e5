"""An hour of what strangers write is taken or refused, and a million lines of bots end well.

    LATH_SOAK_FUZZ_S=3600 .venv/bin/pytest -s tests/soak/test_strangers_at_length.py

shares the time among the doors by which something comes in. LATH_SOAK_NUMBER draws other cases.
"""

from __future__ import annotations

import os
import time
from typing import Final

import pytest
from babblers import babbled, checked
from strangers import DOORS, met
from tests.house import test_strangers as everyday

SECONDS: Final = float(os.environ.get("LATH_SOAK_FUZZ_S", "3600"))
LINES: Final = int(os.environ.get("LATH_SOAK_LINES", "1000000"))
FIRST: Final = 10**9 * int(os.environ.get("LATH_SOAK_NUMBER", "1"))
"""The number of the first case."""


@pytest.mark.parametrize("door", DOORS)
def test_very_much_that_comes_in_is_taken_or_refused(door: str) -> None:
    until_s = time.monotonic() + SECONDS / len(DOORS)
    cases = taken = 0
    while time.monotonic() < until_s:
        taken += met(door, FIRST + cases)
        cases += 1
    print(f"{door}: {cases} cases, {taken} taken")
    assert 0 < taken < cases


@pytest.mark.parametrize("hear", [babbled, checked])
def test_a_million_lines_of_bots_end_with_verdicts(hear: everyday.Hear) -> None:
    lines, endings = everyday.babble(hear, FIRST, LINES)
    print(f"{lines} lines of bots: {dict(endings.most_common())}")
    assert endings["rules"] + endings["ok"] > endings.total() / 10
