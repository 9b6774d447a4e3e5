"""Each command with anything for its values and in its files, and the site with any request.

    LATH_SOAK_COMMAND_S=600 .venv/bin/pytest -s tests/soak/test_any_commands_at_length.py

gives each so many seconds. LATH_SOAK_NUMBER draws other cases.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from any_commands import USUAL, met
from strange_requests import Asking

SECONDS: Final = float(os.environ.get("LATH_SOAK_COMMAND_S", "600"))
FIRST: Final = 10**9 * int(os.environ.get("LATH_SOAK_NUMBER", "1"))
"""The number of the first case."""


@pytest.mark.parametrize("name", USUAL)
def test_each_command_takes_or_refuses_anything(name: str) -> None:
    statuses, until_s, number = Counter[int](), time.monotonic() + SECONDS, FIRST
    while time.monotonic() < until_s:
        statuses[met(name, number).status] += 1
        number += 1
    print(f"{name}: {number - FIRST} cases, {dict(statuses.most_common())}")


def test_the_site_answers_anything(tmp_path: Path) -> None:
    statuses, until_s, number = Counter[int](), time.monotonic() + SECONDS, FIRST
    while time.monotonic() < until_s:
        folder = tmp_path / str(number)  # a site does not outlive its loop of events
        folder.mkdir()
        statuses += Asking(folder).many(number, 400)
        number += 400
    print(f"requests: {number - FIRST} cases, {dict(statuses.most_common())}")
