"""Very many records that all differ, made fast: random games with random times and evaluations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache

from sample_records import BUILT_IN
from walks import playout

from lath import games
from lath.games.core import Move, Position
from lath.notation.record import Annotation, Ply, Record

Starts = dict[str, list[tuple[str | None, Position]]]


def different_games(count: int) -> list[Record]:
    """Return so many games of ten bots; the first ones are the same whatever the count."""
    known, source = _known()
    while len(known) < count:
        known.append(next(source))
    return known[:count]


@cache
def _known() -> tuple[list[Record], Iterator[Record]]:
    return [], _records()


def _records() -> Iterator[Record]:
    chance = random.Random(5)
    starts = {
        game_id: [(setup, game.start(setup)) for setup in map(game.draw_setup, range(60))]
        for game_id in BUILT_IN
        for game in [games.get(game_id)]
    }
    number = 0
    while True:
        number += 1
        yield _record(number, starts, chance)


def _record(number: int, starts: Starts, chance: random.Random) -> Record:
    game_id = BUILT_IN[number % len(BUILT_IN)]
    setup, start = starts[game_id][number // 90 % 60]
    moves = playout(start, chance)
    names = [f"bot-{bot}" for bot in chance.sample(range(10), 2)]
    tags = {"Game": game_id, "Round": str(1 + number // 90), "First": names[0], "Second": names[1]}
    tags |= {} if setup is None else {"Setup": setup}
    tags |= {"Number": str(number), "Termination": "resignation", "Result": "1-0"}
    return Record(tuple(tags.items()), tuple(_plies(moves, chance)), "1-0")


def _plies(moves: Sequence[Move], chance: random.Random) -> Iterator[Ply]:
    for move in moves:
        used, value = f"{chance.random() / 9:.3f}", f"{chance.uniform(-1, 1):.2f}"
        yield Ply(move, comments=((Annotation("emt", used), Annotation("eval", value)),))
