"""The tables of a tournament's file, and a finished game as a row of them.

Must not know how they are kept safe.
"""

from __future__ import annotations

import json
from typing import Final

from lath.arena.tournament.jobs import GameResult

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS game (
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
CREATE TABLE IF NOT EXISTS walkover (pair INTEGER PRIMARY KEY, loser TEXT);
"""

COLUMNS: Final = (
    *("number", "round", "game", "first", "second", "result", "termination", "plies"),
    *("first_used_s", "second_used_s", "first_worst_s", "second_worst_s"),
    *("stray_lines", "stderr", "record", "first_moves", "second_moves", "log"),
)
"""Of a game, in the order of `row_of`."""


def row_of(result: GameResult) -> tuple[object, ...]:
    """Return what the columns of a game have."""
    return (
        result.number,
        result.round,
        result.game,
        result.first,
        result.second,
        result.result,
        result.termination,
        result.plies,
        *result.used_s,
        *result.worst_s,
        result.stray_lines,
        json.dumps(dict(result.stderr), ensure_ascii=False),
        result.record,
        *result.moves,
        result.log,
    )
