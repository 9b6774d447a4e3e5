"""Directories that 0.1.0 has left, stopped or killed, are taken over with all their games."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from arena_runs import Range, exported, numbers, sequence
from results import a_result

from lath.arena.tournament.sources import records_of
from lath.arena.tournament.store import DATABASE, Store

TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE game (
    number INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    game TEXT NOT NULL,
    first TEXT NOT NULL,
    second TEXT NOT NULL,
    result TEXT NOT NULL,
    termination TEXT NOT NULL,
    plies INTEGER NOT NULL,
    first_used_s REAL NOT NULL,
    second_used_s REAL NOT NULL,
    first_worst_s REAL NOT NULL,
    second_worst_s REAL NOT NULL,
    stray_lines INTEGER NOT NULL,
    stderr TEXT NOT NULL,
    record TEXT NOT NULL,
    first_moves INTEGER NOT NULL DEFAULT 0,
    second_moves INTEGER NOT NULL DEFAULT 0,
    log TEXT NOT NULL DEFAULT ''
);
CREATE TABLE walkover (pair INTEGER PRIMARY KEY, loser TEXT);
"""

NAMES = ("greedy", "random")
COMMANDS = {
    name: ["/gone/.venv/bin/python", "-P", "-m", module]
    for name, module in zip(NAMES, ("bots.greedy", "bots.random_mover"), strict=True)
}
IDENTITY = {
    "event": "Tournament",
    "games": ["yavalath"],
    "format": "round-robin",
    "pairs": 1,
    "challengers": 1,
    "sprt": None,
    "openings": None,
    "seed": 1,
    "time": "2+0.02",
    "adjudication": {
        "plies": 0,
        "win_eval": 0.0,
        "draw_eval": 0.0,
        "win_after": 0,
        "draw_after": 0,
    },
    "bots": [
        {"name": name, "command": command, "options": {}, "time": None}
        for name, command in COMMANDS.items()
    ],
}
ABOUT = {
    "format": "2",
    "tournament": json.dumps(IDENTITY),
    "rounds": "2",
    "files": '{"greedy": {}, "random": {}}',
    "outcome is current": "false",
}
CONFIGURATION = """
event = "Tournament"
games = ["yavalath"]
format = "round-robin"
rounds = 2
seed = 1
jobs = 1

[time]
initial = "2s"
increment = "20ms"
""" + "".join(
    f"[[bot]]\nname = {json.dumps(name)}\ncommand = {json.dumps(command)}\n"
    for name, command in COMMANDS.items()
)


def left_by_a_former_run(folder: Path, *, killed: bool) -> None:
    """Make the directory of a run of 0.1.0 that has stored three of four games."""
    (folder / "logs").mkdir(parents=True)
    (folder / "tournament.toml").write_text(CONFIGURATION)
    game = "INSERT INTO game VALUES (" + ", ".join("?" * 18) + ")"
    with closing(sqlite3.connect(folder / DATABASE, isolation_level=None)) as database:
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript(TABLES)
        database.executemany("INSERT INTO about VALUES (?, ?)", ABOUT.items())
        values: list[object]
        for number in (1, 2, 3):
            names = NAMES if number % 2 else NAMES[::-1]
            row = a_result(number, names)
            values = [number, 1 if number < 3 else 2, "yavalath", *names, row.result, "rules"]
            values += [row.plies, 1.0, 2.0, 0.5, 0.25, 0, "{}", row.record, 9, 8, ""]
            database.execute(game, values)
        if killed:  # what is there at this moment, the log included
            for path in (folder / DATABASE, folder / f"{DATABASE}-wal"):
                shutil.copy(path, folder / f"{path.name}.copy")
    if killed:
        for path in (folder / DATABASE, folder / f"{DATABASE}-wal"):
            (folder / f"{path.name}.copy").rename(path)


@pytest.fixture(params=[False, True], ids=["stopped", "killed"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Range]:
    with Range(tmp_path) as place:
        left_by_a_former_run(place.out, killed=request.param)
        yield place


def test_its_games_are_read(place: Range) -> None:
    assert [record.tag("Number") for record in records_of([place.out])] == ["1", "2", "3"]


def test_a_run_goes_on_there_with_the_bots_of_before(place: Range) -> None:
    ran = place.arena("run", "--out", place.out, "-q")
    assert ran.returncode == 0, ran.stderr
    assert numbers(place.out) == exported(place.out) == sequence(4)
    again = place.arena("run", "--out", place.out, "--rounds", "3", "-q", "--no-report")
    assert again.returncode == 0, again.stderr
    assert numbers(place.out) == sequence(6)


def test_the_store_has_no_write_ahead_log_afterwards(place: Range) -> None:
    with closing(Store(place.out)) as store:
        assert len(list(store.records())) == 3
        assert not (place.out / f"{DATABASE}-wal").exists()
        assert len(list(records_of([place.out]))) == 3, "it may be read"
