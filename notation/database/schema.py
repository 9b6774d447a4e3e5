"""The tables of a database of games: their columns and types."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from lath.notation.database.columns import OF_GAMES
from lath.notation.database.reading import FORM
from lath.notation.record.record import GLYPHS
from lath.notation.tables.tables import GAMES, NOTED, PLIES

_TYPES: Final = {"text": "VARCHAR", "integer": "UBIGINT", "number": "DOUBLE", "date": "DATE"}
"""The SQL types by the kind of a column."""

_BY_NAME: Final = {column.name: column for column in (*GAMES, *PLIES)}


def _declared(names: Iterable[str]) -> str:
    return ", ".join(f"{name} {_TYPES[_BY_NAME[name].kind]}" for name in names)


SCHEMA: Final = f"""
CREATE TABLE about (form UINTEGER);
INSERT INTO about VALUES ({FORM});
CREATE TABLE games (
    id UINTEGER, {_declared(OF_GAMES)}, ending VARCHAR, to_move VARCHAR,
    high UBIGINT, low UINTEGER, pair UINTEGER, elo DOUBLE, steps_before UBIGINT);
CREATE TABLE moves (code USMALLINT, game VARCHAR, move VARCHAR, effect VARCHAR);
CREATE TABLE steps (
    id UINTEGER, code USMALLINT, seat UTINYINT, {_declared(NOTED[:-1])},
    glyph ENUM {GLYPHS});
CREATE TABLE positions (key UBIGINT, id UINTEGER, ply UINTEGER, code USMALLINT);
CREATE TABLE refused (file VARCHAR, record UINTEGER, line UINTEGER, code VARCHAR, reason VARCHAR);
CREATE VIEW plies AS
    SELECT id, (steps.rowid - steps_before + 1)::UINTEGER AS ply,
        CASE seat WHEN 0 THEN 'first' ELSE 'second' END AS seat, move,
        {", ".join(NOTED[:-1])}, glyph::VARCHAR AS glyph
    FROM steps JOIN games USING (id) JOIN moves USING (code);
"""  # noqa: S608 - constant names
"""The statements that make the tables of a new database. Steps are stored in the order of games and
plies, because a column with the ply would take 26 of 30 bytes per game."""

_SHARED: Final = (
    "game",
    "coalesce(nullif(position, ''), setup)",
    "opening",
    "least(coalesce(nullif(first, ''), '?'), coalesce(nullif(second, ''), '?'))",
    "greatest(coalesce(nullif(first, ''), '?'), coalesce(nullif(second, ''), '?'))",
    "event",
    "round",
    """(coalesce(TRY_CAST(regexp_extract(tags, '\\["Number","([0-9]{1,18})"\\]', 1) AS BIGINT), 0)
        + 1) // 2""",
)
"""The values that both games of a pair share; a missing name is `?`, as in `Record.first`."""


def _number(tag: str) -> str:
    digits = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
    return f"""TRY_CAST(regexp_extract(tags, '\\["{tag}","({digits})"\\]', 1) AS DOUBLE)"""


ADDED: Final = f""",
    md5_number_lower(concat({", chr(10), ".join(_SHARED)})) & 4294967295 AS pair,
    {_number("FirstElo")} + {_number("SecondElo")} AS elo"""
"""Columns of games that are computed from others."""
