"""`lath.open`: a database asked by SQL, with functions for positions and their keys."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from sample_records import random_game

import lath
from lath import games, notation
from lath.notation.database.building import building
from lath.notation.database.opening import OpenDatabase
from lath.notation.database.reading import DatabaseError
from lath.notation.database.sources import Mark, bundles, pieces

NAMES = ("yavalath", "mammalath", "surikata", "yavalath:win=5,lose=4")
START = "5/6/7/8/9/8/7/6/5 w"


def made(folder: Path, *names: str) -> Path:
    """Return a database of a game of each of these kinds."""
    text, out = folder / "games.lath", folder / "games.duckdb"
    text.write_text("".join(notation.format_records(random_game(name, 1) for name in names)))
    with building(out) as writing:
        for bundle, _ in bundles(pieces(text, "lath", Mark(), lambda _: False), Mark(), 1):
            writing.add(bundle)
    return out


@pytest.fixture
def database(tmp_path: Path) -> Iterator[OpenDatabase]:
    with lath.open(made(tmp_path, *NAMES)) as opened:
        yield opened


def test_positions_are_those_of_the_games_and_have_the_keys_of_the_table(
    database: OpenDatabase,
) -> None:
    found = database.query(
        "SELECT lath_position(id, ply), lath_key(game, lath_position(id, ply)) = key"
        " FROM positions JOIN games USING (id) ORDER BY id, ply"
    ).fetchall()
    records = [random_game(name, 1) for name in NAMES]
    every = [position.text() for record in records for position in notation.positions(record)]
    assert found == [(text, True) for text in every]
    last = "SELECT lath_position(id, plies) = lath_position(id, plies::INT) FROM games"
    assert set(database.query(last).fetchall()) == {(True,)}
    nowhere = "SELECT lath_position(1, 999), lath_position(99, 0), lath_position(1, -1)"
    assert database.query(nowhere).fetchall() == [(None, None, None)]
    assert database.query("SELECT lath_position(NULL, 1), lath_key(NULL)").fetchall() == [
        (None,) * 2
    ]


def test_a_position_of_one_kind_of_game_needs_no_name(
    database: OpenDatabase, tmp_path: Path
) -> None:
    words = r"may be a position of yavalath or yavalath:\S+; expected lath_key\('yavalath', …\)"
    with pytest.raises(duckdb.Error, match=words):
        database.query(f"SELECT lath_key('{START}')").fetchall()
    with lath.open(made(tmp_path, "yavalath", "surikata")) as alone:
        named = alone.query(f"SELECT lath_key('yavalath', '{START}')").fetchall()
        assert alone.query("SELECT lath_key(?)", [START]).fetchall() == named
        assert alone.query("SELECT lath_key($at)", {"at": START}).fetchall() == named
        with pytest.raises(
            duckdb.Error, match="'e5' is not a position of any game in this database"
        ):
            alone.query("SELECT lath_key('e5')").fetchall()
        with pytest.raises(duckdb.Error, match="lath_key: unknown game 'chess'"):
            alone.query("SELECT lath_key('chess', 'e5')").fetchall()


def test_a_relation_goes_on_as_arrow_or_as_a_part_of_another(database: OpenDatabase) -> None:
    relation = database.query("SELECT game, plies FROM games ORDER BY id")
    assert relation.to_arrow_table()["game"].to_pylist() == list(NAMES)
    assert relation.aggregate("count(*)").fetchall() == [(len(NAMES),)]
    with duckdb.connect(str(database.path), read_only=True) as other:  # as it likes meanwhile
        assert other.execute("SELECT count(*) FROM games").fetchall() == [(len(NAMES),)]
    with pytest.raises(duckdb.Error, match="read-only"):
        database.query("DELETE FROM games")


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "games.duckdb").write_text("no")
    with pytest.raises(DatabaseError, match="is not a game database"):
        lath.open(tmp_path / "games.duckdb")
    with pytest.raises(FileNotFoundError):
        lath.open(tmp_path / "nothing.duckdb")


def test_who_imports_games_loads_nothing_of_databases() -> None:
    code = "import sys, lath.games; print(sorted(n for n in sys.modules if n.startswith('lath')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(name == "lath" or name.startswith("lath.games") for name in eval(ran.stdout))
    with pytest.raises(AttributeError, match="module 'lath' has no attribute 'shut'"):
        lath.shut  # type: ignore[attr-defined] # noqa: B018 - mypy says if it were none
    assert games.builtin_ids()
