"""How a tournament stands follows from what is reported, before anybody asks for the next pair."""

from __future__ import annotations

from typing import Final

import pytest
from schedules import make

from lath.arena.schedule.core import Schedule
from lath.arena.schedule.sprt import Sprt
from lath.games.core import Result

NAMES: Final = ("A", "B", "C", "D", "E")


def a_schedule(form: str) -> Schedule:
    names = NAMES[:2] if form == "match" else NAMES
    sprt = Sprt(elo0=0, elo1=300) if form == "match" else None
    return make(form, names=names, games=("yavalath",), rounds=3, sprt=sprt)


def stands_alike(form: str, left: int) -> bool:
    """Return whether one that played so many games stands as one that is only told of them."""
    played, resumed = a_schedule(form), a_schedule(form)
    results: list[tuple[int, str, str, Result]] = []
    while len(results) < left and (pair := played.next()) is not None:
        for game in pair.games:
            first, second = game.names
            ended = Result.FIRST_WON if first < second else Result.DRAWN
            results.append((game.number, first, second, ended))
            played.report(*results[-1])
    for result in results:
        resumed.report(*result)
    told = resumed.standing(), resumed.done
    played.next()  # what it waits for, such as a round that is over, it has noticed then
    return told == (played.standing(), played.done)


@pytest.mark.parametrize("form", ["swiss", "knockout", "match", "round-robin", "gauntlet"])
def test_a_schedule_that_is_only_told_results_stands_as_the_one_that_played_them(
    form: str,
) -> None:
    assert [left for left in range(0, 25, 3) if not stands_alike(form, left)] == []
