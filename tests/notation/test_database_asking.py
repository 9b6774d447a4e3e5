"""Queries of a database, held against the same ones asked record by record."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TypeAlias

import numpy as np
import pytest
from asked_games import Questions
from sample_records import random_game

from lath import games, notation
from lath.games.core import Move, symmetries
from lath.notation.database import building, parcels, reading, sighting
from lath.notation.database.asking import matching
from lath.notation.query import compile_query, plan_of
from lath.notation.reader import chunks, texts_of
from lath.notation.record import Ply, Record

pytestmark = pytest.mark.slow

EXTRA = """\
[Game "yavalath"]
[First "ann"]
[Annotator "eve"]
[Mood "grim"]
[Date "2026-11-03"]

1. e5 {[%eval 0.5] a word} 2. swap {[%eval -0.25] [%depth 4] [%nodes 12345]} (2. d4 e4) 3. d4
{[%eval 0.1] [%emt 1.5]} *

[Game "yavalath"]
[Date "2026-11-??"]
[First "ann"]

1. e5 2. c3 *

[Game "yavalath"]
[Date "2026-??-??"]

1. e5 2. d3 *

[Game "yavalath"]
[Second "ann"]
[Position "5/6/7/8/4w4/8/7/6/5 b"]
[Date "?"]

1. e4 2. d4 *

[Game "yavalath"]
[Round "03"]
[Rules "1"]

1. a1 2. swap 3. i5 *

[Game "yavalath"]

*

[Game "yavalath"]
[First ""]
[Annotator "Result"]

1. e5! {[%eval 0.5]} 2. d4?! *

[Game "yavalath"]
[Result "*"]
[Mood "grim"]

1. e5? 2. d3!? 3. a1 *
"""


def records() -> Iterator[Record]:
    """Yield games of all kinds, some twice: turned, cut short, annotated."""
    chance = Random(11)
    for name in games.builtin_ids():
        for seed in range(6):
            names = chance.sample(["ann", "bob", "eve"], 2)
            date = f"2026-1{seed % 3}-0{1 + seed}"
            record = random_game(
                name, seed, first=names[0], second=names[1], annotated=seed % 2 == 0, Date=date
            )
            yield record
            if seed < 3 and not record.tag("Setup"):
                yield turned(record, chance)


def turned(record: Record, chance: Random) -> Record:
    """Return an image of a game, cut short."""
    start = next(notation.positions(record))
    ways = symmetries(start)
    way = chance.choice(ways)
    most = chance.randrange(len(record.plies))
    return Record(
        (("Game", record.game), ("First", "eve")),
        tuple(Ply(way.move(Move(ply.move))) for ply in record.plies[:most]),
    )


Asked: TypeAlias = tuple[list[Record], reading.Database]


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Yield records and a database of them."""
    folder = tmp_path_factory.mktemp("asked")
    few = pytest.MonkeyPatch()  # so that all is done in several parts
    few.setattr(building, "SEGMENT", 500)
    few.setattr(reading, "_AT_ONCE", 10)
    few.setattr(sighting, "_AT_ONCE", 11)
    few.setattr(sighting, "_IN_STEP", 4)
    with written(folder, [*notation.format_records(records()), EXTRA]) as database:
        yield list(notation.read(folder / "games.lath")), database
    few.undo()


@contextmanager
def written(folder: Path, texts: list[str]) -> Iterator[reading.Database]:
    """Let a database of these records be asked."""
    source, out = folder / "games.lath", folder / "games.duckdb"
    source.write_text("\n".join(texts))
    with source.open("rb") as stream, building.building(out) as made:
        for part in chunks(stream):
            made.add(parcels.parcel_of(texts_of(part), str(source), 1))
    with reading.Database(out) as database:
        assert not made.counts.refused
        yield database


def test_a_database_answers_as_its_records_do(asked: Asked) -> None:
    compare(asked, seed=0, count=120)


def compare(asked: Asked, seed: int, count: int) -> None:
    """Ask a database and its records the same."""
    of, database = asked
    questions, answers = Questions(of, seed), set[bool]()
    for _ in range(count):
        query = questions.one()
        matches = compile_query(query)
        found = np.flatnonzero(matching(database, plan_of(query))).tolist()
        assert found == [number for number, record in enumerate(of, 1) if matches(record)], query
        answers.add(0 < len(found) < len(of))
    assert answers == {True, False}


def test_animals_go_by_other_names_in_another_image(tmp_path: Path) -> None:
    game = games.get("mammalath")
    start = game.start(game.draw_setup(3))
    first = start.legal_moves()[0]
    seconds = [move for move in start.play(first).legal_moves() if len(move) == len("xA")]
    lines = [(first, second) for second in seconds]
    tags = (("Game", game.id), ("Setup", game.draw_setup(3) or ""))
    of = [Record(tags, tuple(map(Ply, line))) for line in lines]
    with written(tmp_path, list(notation.format_records(of))) as database:
        for way in symmetries(start):
            query = f'after "{" ".join(map(way.move, lines[0]))}"'
            matches = compile_query(query)
            found = np.flatnonzero(matching(database, plan_of(query))).tolist()
            assert found == [number for number, each in enumerate(of, 1) if matches(each)]
    assert way.move(lines[0][1]) not in (lines[0][1], "swap")


def test_a_start_and_a_position_after_moves_are_not_taken_for_one(tmp_path: Path) -> None:
    """Lines are told apart whatever their lengths: each is replayed by itself."""
    ends = "5/6/7/8/9/8/7/6/w4 b", "w4/6/7/8/9/8/7/6/5 b"
    texts = ['[Game "yavalath"]\n\n1. a1 *\n', f'[Game "yavalath"]\n[Position "{ends[1]}"]\n\n*\n']
    with written(tmp_path, texts) as database:
        for number, end in enumerate(ends, 1):
            found = matching(database, plan_of(f'plain position "{end}"'))
            assert np.flatnonzero(found).tolist() == [number]
