"""A database and the records it is made of say the same, whatever the parameters of the game."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest
from asked_games import Questions, database_of, explored_alike, found_alike, meeting
from families import FAMILIES, INSTALLED

from lath import games, notation
from lath.games.core import Game
from lath.games.errors import UnknownGameError
from lath.games.parameters import family, id_with, of
from lath.notation.record import Ply, Record

pytestmark = pytest.mark.slow

AS_LONG_AS_THE_BOARD = ("mammalath:size=4,line=4", "mammalath:size=5,line=5")
"""One line may hold every animal of a type."""


def corners(game: Game) -> list[str]:
    """Return the games whose parameters are the least or the most that goes together."""
    found = []
    names = [each.name for each in of(game)]
    for values in product(*((each.values[0], each.values[-1]) for each in of(game))):
        game_id = id_with(game, dict(zip(names, values, strict=True)))
        try:
            found.append(games.get(game_id).id)
        except UnknownGameError:
            continue
    return found


EXTREME = sorted({*AS_LONG_AS_THE_BOARD, *(one for game in FAMILIES for one in corners(game))})
ALL = sorted(game.id for installed in INSTALLED for game in family(installed))


@pytest.mark.parametrize("game_id", EXTREME)
def test_a_database_says_of_any_game_what_its_records_do(game_id: str, tmp_path: Path) -> None:
    say_the_same(game_id, 1, tmp_path)


def say_the_same(game_id: str, seed: int, folder: Path) -> None:
    """Explore and query games of a type, and their database."""
    chance = Random(f"{game_id} {seed}")
    records = meeting(games.get(game_id), chance, 24)
    questions = Questions(records, seed)
    with database_of(records, folder / "games.duckdb") as database:
        explored_alike(database, records, chance, 10)
        for _ in range(10):
            found_alike(database, records, questions.one())
        for _ in range(5):
            position = chance.choice(list(notation.positions(chance.choice(records))))
            found_alike(database, records, questions.pattern(position))


@pytest.mark.parametrize(
    ("setup", "lines"),
    [
        ("ABCD/BCDA/CDAB/DABC", ("b2 xc3-d4 xD", "b2 xc3-d4 xa4-d1")),
        ("BCAB/DCCD/BBAD/AADC", ("d4 b3 d3 xA a1",)),
    ],
)
def test_a_line_that_takes_all_of_a_type_is_not_the_release_of_that_type(
    setup: str, lines: tuple[str, ...], tmp_path: Path
) -> None:
    tags = (("Game", "mammalath-plus:size=4"), ("Setup", setup))
    records = [Record(tags, tuple(map(Ply, line.split()))) for line in lines]
    with database_of(records, tmp_path / "games.duckdb") as database:
        explored_alike(database, records, Random(1), 20)
