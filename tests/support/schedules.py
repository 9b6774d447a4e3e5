"""Schedules without games: each result follows from the game's number and names."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lath.arena.referee.record import GamePlan
from lath.arena.schedule.core import Dealer, Openings, Pair, PlayedGame, Schedule, Settings, Tags
from lath.arena.schedule.formats import FORMATS
from lath.arena.tournament.outcome.outcomes import outcome_of
from lath.games.core import Result
from lath.reports.notes.outcome import EventOutcome

NAMES = ("ann", "bob", "cat", "dan", "eve")

Results = Callable[[GamePlan], str]


def a_schedule(form: str, **terms: Any) -> Schedule:
    """Return a schedule of Yavalath, whose single setup leaves nothing to chance."""
    return make(form, **{"names": NAMES, "games": ("yavalath",), "rounds": 3, **terms})


def make(
    form: str,
    *,
    names: tuple[str, ...],
    openings: Openings | None = None,
    tags: Tags = (),
    **settings: Any,
) -> Schedule:
    return FORMATS[form].make(names, Dealer(Settings(**settings), openings, tags))


def outcome(schedule: Schedule, form: str = "") -> EventOutcome:
    """Return the outcome of a schedule, with text and tables."""
    return outcome_of(schedule.standing(), form)


def by_chance(game: GamePlan) -> str:
    """Return a result that follows from the game's number; a third are draws."""
    return random.Random(game.number).choice(("1-0", "0-1", "1/2-1/2"))


def by_strength(game: GamePlan) -> str:
    """Return a win of the bot whose name is first in the alphabet."""
    return "1-0" if game.names[0] < game.names[1] else "0-1"


def all_drawn(game: GamePlan) -> str:
    return "1/2-1/2"


def report(schedule: Schedule, game: GamePlan, results: Results = by_chance) -> None:
    schedule.report(game.number, *game.names, Result(results(game)))


def take_in(schedule: Schedule, games: Iterable[GamePlan], results: Results = by_chance) -> None:
    """Report stored games to a schedule."""
    stored = sorted(games, key=lambda game: game.number)
    schedule.take_in(
        PlayedGame(game.number, *game.names, Result(results(game)), game.game, game.round)
        for game in stored
    )


def played(schedule: Schedule, results: Results = by_chance) -> Iterator[Pair]:
    """Play to the end, one pair after another, and yield the pairs."""
    while (pair := schedule.next()) is not None:
        for game in pair.left(schedule.finished):
            report(schedule, game, results)
        yield pair


def played_at_once(
    schedule: Schedule, seed: int, results: Results = by_chance, *, most: int = 10**9
) -> Iterator[GamePlan]:
    """Play several pairs at once that end in random order; yield each game when it is reported.

    After `most` games it stops like a killed run.
    """
    chance = random.Random(seed)
    running: list[GamePlan] = []
    while most > 0:
        while len(running) < 6 and (pair := schedule.next()) is not None:
            running += pair.left(schedule.finished)
        if not running:
            return
        game = running.pop(chance.randrange(len(running)))
        report(schedule, game, results)
        yield game
        most -= 1
