"""Matches whose games have only a result and a mark of their moves."""

from __future__ import annotations

from collections.abc import Callable

from schedules import a_schedule

from lath.arena.schedule.core import Schedule
from lath.arena.schedule.fixed import Match
from lath.arena.schedule.sprt import Sprt
from lath.games.core import Result

Game = tuple[str, int]
"""A result, and a mark that is equal for games with equal moves."""


def a_match(sprt: Sprt | None = None, rounds: int = 1000) -> Match:
    schedule = a_schedule("match", names=("new", "old"), sprt=sprt, rounds=rounds)
    assert isinstance(schedule, Match)
    return schedule


def play(schedule: Schedule, games: Callable[[int], tuple[Game, Game]]) -> int:
    """Play a match to its end with the games that `games` returns for the n-th pair, from 0.

    Returns the number of pairs.
    """
    pairs = 0
    while (pair := schedule.next()) is not None:
        for plan, (result, moves) in zip(pair.games, games(pairs), strict=True):
            schedule.report(plan.number, *plan.names, Result(result), moves)
        pairs += 1
    return pairs
