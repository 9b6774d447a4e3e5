"""What strangers write, whatever it is: it is taken or refused, soon and in words; nothing else.

    LATH_SOAK_FUZZ_S=3600 .venv/bin/pytest -m soak -s tests/house/test_strangers.py

shares the time among the doors by which something comes in. LATH_SOAK_NUMBER draws other cases.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

import pytest
import strangers
from babblers import babbled, checked
from strangers import DOORS, FoundError, met

from lath.arena.referee.bots import Asides
from lath.arena.tournament import config
from lath.arena.tournament.worker import PairResult

CASES: Final = 30
LINES: Final = 8_000

PLANTED_CASES: Final = 3_000
"""In which a planted fault must be found; each is in some hundred."""

Hear = Callable[[int], tuple[int, list[str]]]
"""Hears bots of a number: how many lines they have said, and what it came to."""

SOAK_S: Final = float(os.environ.get("LATH_SOAK_FUZZ_S", "3600"))
SOAK_LINES: Final = int(os.environ.get("LATH_SOAK_LINES", "1000000"))
FIRST: Final = 10**9 * int(os.environ.get("LATH_SOAK_NUMBER", "1"))
"""The number of the first case of the soak."""


@pytest.mark.parametrize("door", DOORS)
def test_what_comes_in_is_taken_or_refused(door: str) -> None:
    taken = sum(met(door, number) for number in range(CASES))
    assert taken < CASES
    assert taken or "." in door, "all is refused: nothing comes in any more"


@pytest.mark.soak
@pytest.mark.parametrize("door", DOORS)
def test_very_much_that_comes_in_is_taken_or_refused(
    door: str, capsys: pytest.CaptureFixture[str]
) -> None:
    until_s = time.monotonic() + SOAK_S / len(DOORS)
    cases = taken = 0
    while time.monotonic() < until_s:
        taken += met(door, FIRST + cases)
        cases += 1
    with capsys.disabled():
        print(f"\n{door}: {cases} cases, {taken} taken", end="")
    assert 0 < taken < cases


def test_whatever_bots_say_their_games_end_with_a_verdict() -> None:
    lines, endings = babble(babbled, 0, LINES)
    assert lines >= LINES
    assert {"rules", "time", "crash", "illegal move", "void"} <= endings.keys()


def test_whatever_a_bot_says_it_can_be_checked() -> None:
    lines, verdicts = babble(checked, 0, LINES // 2)
    assert lines >= LINES // 2
    assert {"ok", "warning", "fault"} <= verdicts.keys()


@pytest.mark.soak
@pytest.mark.parametrize("hear", [babbled, checked])
def test_a_million_lines_of_bots_end_with_verdicts(
    hear: Hear, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, endings = babble(hear, FIRST, SOAK_LINES)
    with capsys.disabled():
        print(f"\n{lines} lines of bots: {dict(endings.most_common())}", end="")
    assert endings["rules"] + endings["ok"] > endings.total() / 10


def babble(hear: Hear, number: int, wanted: int) -> tuple[int, Counter[str]]:
    """Hear bots until they have said so many lines; count what they came to."""
    said, endings = 0, Counter[str]()
    while said < wanted:
        lines, ended = hear(number)
        said += lines
        endings.update(ended)
        number += 1
    return said, endings


def test_a_bot_that_nobody_foresaw_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A control: so we know that the campaigns above bite."""
    take = Asides.take
    monkeypatch.setattr(Asides, "take", lambda self, line: take(self, line.decode().encode()))
    with pytest.raises(UnicodeDecodeError):
        babble(babbled, 0, LINES)


def test_a_file_that_is_taken_for_text_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "reading", nullcontext)
    with pytest.raises(FoundError):
        meet_many("a configuration")


def test_an_answer_that_nobody_checks_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "read_result", lambda text: PairResult(**json.loads(text)))
    with pytest.raises(FoundError):
        meet_many("a worker's answer")


def meet_many(door: str) -> None:
    for number in range(PLANTED_CASES):
        met(door, number)
