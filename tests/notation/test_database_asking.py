"""A database and the records it is made of say the same, whatever is asked, of any game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import TypeAlias, get_args

import pytest
from asked_games import Questions, database_of, explored_alike, found_alike, meeting
from families import FAMILIES, INSTALLED
from game_files import forget_games
from places import SUPPORT
from sample_records import random_game

from lath import games, notation
from lath.games import parameters
from lath.games.core import Game, Move, symmetries
from lath.games.errors import UnknownGameError
from lath.notation import parse
from lath.notation.database import asking, building, pattern_search, reading
from lath.notation.query import operators, questions
from lath.notation.query.questions import FLAGS
from lath.notation.record.record import Ply, Record

pytestmark = pytest.mark.slow

EXTRA = r"""
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
[First "bob"]

1. e5 2. swap (2. d4) 3. e6 *

[Game "yavalath"]
[First ""]
[Annotator "Result"]

1. e5! {[%eval 0.5]} 2. d4?! *

[Game "yavalath"]
[Result "*"]
[Mood "grim"]

1. e5? 2. d3!? 3. a1 *

[Game "yavalath"]
[First "say \"hi\""]
[Second "it's \\ it"]
[Mood "😀 \",\""]
[Round "99999999999999999999"]
[Id "3"]
[Termination "resignation"]
[Result "1-0"]

1. e5 {[%clk 9]} 2. swap {[%clk 1.25] [%eval 0]} 3. b1 {[%clk 0.5]} 1-0

[Game "yavalath:size=4"]
[Event "1e5"]
[Round "NaN"]
[First "é"]
[Second "and"]
[Mood "-1"]
[Tags "Result"]
[Movetext ""]
[Termination "time"]
[Result "0-1"]

1. a1 {[%clk 4]} 2. b1 ({other} 2. c1 {words}) 0-1
"""


VARIANTS = ("yavalath:size=4", "mammalath:size=4", "manalath:size=4", "yavalath:size=4,win=5")
"""Games of other parameters, of which some can have the same position as another."""


def records() -> Iterator[Record]:
    """Yield games of all kinds, some twice: turned, cut short, annotated."""
    chance = Random(11)
    for name in (*games.builtin_ids(), *VARIANTS):
        for seed in range(6 if name not in VARIANTS else 2):
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
    few = pytest.MonkeyPatch()  # so that all is done in several parts
    few.setattr(building, "SEGMENT", 500)
    few.setattr(reading, "_AT_ONCE", 10)
    few.setattr(pattern_search, "_AT_ONCE", 11)
    few.setattr(pattern_search, "_IN_STEP", 4)
    of = [*records(), *map(parse, re.split(r"\n\n(?=\[)", EXTRA.strip()))]
    with database_of(of, tmp_path_factory.mktemp("asked") / "games.duckdb") as database:
        yield of, database
    few.undo()


def test_the_operators_of_queries_and_of_databases_are_the_same() -> None:
    assert set(asking.ASKED) == set(operators.OPERATORS) == set(get_args(operators.Plan))
    assert set(asking.TEXTS) == set(questions.TEXTS)
    assert {*Questions([], 0).tests, "plain"} == {*operators.WORDS, "tag"}


@pytest.mark.parametrize("word", [*Questions([], 0).tests])
def test_a_database_answers_every_operator_as_its_records_do(asked: Asked, word: str) -> None:
    of, database = asked
    ask = Questions(of, 0).tests[word]
    found = [len(found_alike(database, of, ask())) for _ in range(8 if word in FLAGS else 12)]
    assert any(0 < count < len(of) for count in found)


def test_a_database_answers_operators_together_as_its_records_do(asked: Asked) -> None:
    compare(asked, seed=0, count=50)


def compare(asked: Asked, seed: int, count: int) -> None:
    """Ask a database and its records the same."""
    of, database = asked
    questions = Questions(of, seed)
    found = [len(found_alike(database, of, questions.one())) for _ in range(count)]
    told_apart = sum(0 < each < len(of) for each in found)
    print(f"{count} queries of {len(of)} records, {told_apart} told some apart: no differences")
    assert told_apart > count / 4


def test_animals_go_by_other_names_in_another_image(tmp_path: Path) -> None:
    game = games.get("mammalath")
    start = game.start(game.draw_setup(3))
    first = start.legal_moves()[0]
    seconds = [move for move in start.play(first).legal_moves() if len(move) == len("xA")]
    lines = [(first, second) for second in seconds]
    tags = (("Game", game.id), ("Setup", game.draw_setup(3) or ""))
    of = [Record(tags, tuple(map(Ply, line))) for line in lines]
    with database_of(of, tmp_path / "games.duckdb") as database:
        for way in symmetries(start):
            found_alike(database, of, f'after "{" ".join(map(way.move, lines[0]))}"')
    assert way.move(lines[0][1]) not in (lines[0][1], "swap")


def test_a_start_and_a_position_after_moves_are_not_taken_for_one(tmp_path: Path) -> None:
    """Lines are told apart whatever their lengths: each is replayed by itself."""
    ends = "5/6/7/8/9/8/7/6/w4 b", "w4/6/7/8/9/8/7/6/5 b"
    of = [parse('[Game "yavalath"] 1. a1 *'), parse(f'[Game "yavalath"] [Position "{ends[1]}"] *')]
    with database_of(of, tmp_path / "games.duckdb") as database:
        for number, end in enumerate(ends, 1):
            assert found_alike(database, of, f'plain position "{end}"') == [number]


# Games of any parameters

AS_LONG_AS_THE_BOARD = ("mammalath:size=4,line=4", "mammalath:size=5,line=5")
"""One line may hold every animal of a type."""


def corners(game: Game) -> Iterator[str]:
    """Yield the games whose parameters are all the least, or all the most, that goes together."""
    names = [each.name for each in parameters.of(game)]
    ends = ([each.values[at] for each in parameters.of(game)] for at in (0, -1))
    for values in ends:
        game_id = parameters.id_with(game, dict(zip(names, values, strict=True)))
        with suppress(UnknownGameError):
            yield games.get(game_id).id


EXTREME = sorted({*AS_LONG_AS_THE_BOARD, *(one for game in FAMILIES for one in corners(game))})


def all_games() -> list[str]:
    """Return the games of all parameters."""
    return sorted(game.id for installed in INSTALLED for game in parameters.family(installed))


@pytest.mark.parametrize("game_id", EXTREME)
def test_a_database_says_of_any_game_what_its_records_do(game_id: str, tmp_path: Path) -> None:
    is_large = len(games.get(game_id).board.names) > 61
    say_the_same(game_id, 1, tmp_path, count=4 if is_large else 8)


@pytest.mark.parametrize("board", ["morris", "star", "rhombus", "triangle", "rectangle"])
def test_a_database_of_a_game_on_any_board_says_what_its_records_do(
    board: str, tmp_path: Path
) -> None:
    game = games.add(SUPPORT / "board_games.py")
    say_the_same(parameters.id_with(game, {"board": board}), 1, tmp_path, count=12)
    forget_games()


def say_the_same(game_id: str, seed: int, folder: Path, count: int = 24) -> None:
    """Explore and query games of a type, and their database."""
    chance = Random(f"{game_id} {seed}")
    of = meeting(games.get(game_id), chance, count)
    questions = Questions(of, seed)
    with database_of(of, folder / "games.duckdb") as database:
        explored_alike(database, of, chance, count // 2)
        for _ in range(count // 2):
            found_alike(database, of, questions.one())
        for _ in range(4):
            position = chance.choice(list(notation.positions(chance.choice(of))))
            found_alike(database, of, questions.pattern(position))


def test_a_line_that_takes_all_of_a_type_is_not_the_release_of_that_type(tmp_path: Path) -> None:
    for setup, lines in (
        ("ABCD/BCDA/CDAB/DABC", ("b2 xc3-d4 xD", "b2 xc3-d4 xa4-d1")),
        ("BCAB/DCCD/BBAD/AADC", ("d4 b3 d3 xA a1",)),
    ):
        tags = (("Game", "mammalath-plus:size=4"), ("Setup", setup))
        of = [Record(tags, tuple(map(Ply, line.split()))) for line in lines]
        with database_of(of, tmp_path / f"{len(lines)}.duckdb") as database:
            explored_alike(database, of, Random(1), 20)
