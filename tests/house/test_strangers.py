"""What strangers write, whatever it is: it is taken or refused, soon and in words; nothing else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

import pytest
import strangers
from babblers import babbled, checked
from strangers import DOORS, FoundError, met

from lath.arena.entrants import toml_text
from lath.arena.referee.bots import Asides
from lath.arena.tournament.store.jobs import PairResult

CASES: Final = 30
LINES: Final = 8_000

PLANTED_CASES: Final = 3_000
"""In which a planted fault must be found; each is in some hundred."""

Hear = Callable[[int], tuple[int, list[str]]]
"""Hears bots of a number: how many lines they have said, and what it came to."""


@pytest.mark.parametrize("door", DOORS)
def test_what_comes_in_is_taken_or_refused(door: str) -> None:
    taken = sum(met(door, number) for number in range(CASES))
    assert taken < CASES
    assert taken or "." in door, "all is refused: nothing comes in any more"


def test_whatever_bots_say_their_games_end_with_a_verdict() -> None:
    lines, endings = babble(babbled, 0, LINES)
    assert lines >= LINES
    assert {"rules", "time", "crash", "illegal move", "void"} <= endings.keys()


def test_whatever_a_bot_says_it_can_be_checked() -> None:
    lines, verdicts = babble(checked, 0, LINES // 2)
    assert lines >= LINES // 2
    assert {"ok", "warning", "fault"} <= verdicts.keys()


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
    monkeypatch.setattr(toml_text, "reading", nullcontext)
    with pytest.raises(FoundError):
        meet_many("a configuration")


def test_an_answer_that_nobody_checks_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strangers, "read_result", lambda text: PairResult(**json.loads(text)))
    with pytest.raises(FoundError):
        meet_many("a worker's answer")


def meet_many(door: str) -> None:
    for number in range(PLANTED_CASES):
        met(door, number)
