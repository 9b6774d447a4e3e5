"""Very many records that all differ, made fast: random games with random times and evaluations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import cache

from sample_records import BUILT_IN
from walks import playout

from lath import games
from lath.games.core import Move, Position, Result
from lath.notation.record.record import Annotation, Ply, Record


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
    number = 0
    while True:
        number += 1
        yield _record(number, chance)


def _record(number: int, chance: random.Random) -> Record:
    game_id = BUILT_IN[number % len(BUILT_IN)]
    setup, start = _start(game_id, number // 90 % 60)
    moves = playout(start, chance)
    names = [f"bot-{bot}" for bot in chance.sample(range(10), 2)]
    tags = {"Game": game_id, "Round": str(1 + number // 90), "First": names[0], "Second": names[1]}
    tags |= {} if setup is None else {"Setup": setup}
    tags |= {"Number": str(number), "Termination": "resignation", "Result": "1-0"}
    return Record(tuple(tags.items()), tuple(_plies(moves, chance)), Result("1-0"))


@cache
def _start(game_id: str, seed: int) -> tuple[str | None, Position]:
    game = games.get(game_id)
    setup = game.draw_setup(seed)
    return setup, game.start(setup)


def _plies(moves: Sequence[Move], chance: random.Random) -> Iterator[Ply]:
    for move in moves:
        used, value = f"{chance.random() / 9:.3f}", f"{chance.uniform(-1, 1):.2f}"
        yield Ply(move, comments=((Annotation("emt", used), Annotation("eval", value)),))
