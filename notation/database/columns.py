"""Texts of records as columns of a database; one process converts one part of a file.

A bundle has columns of games, plies and positions, and the refused records with their reasons.
Moves are numbers of entries in tables of the bundle.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from lath.games.core import Result, version_of
from lath.notation.archive.archive import canonical_moves
from lath.notation.database.equals import identity
from lath.notation.database.keys import KeyStep, PlayableLine, PositionKeys, keys_of
from lath.notation.database.layers import Numbers
from lath.notation.record.record import Record
from lath.notation.record.tags import RULES
from lath.notation.rules.quick_check import ValidGame, valid_game
from lath.notation.rules.reading import entry_of
from lath.notation.rules.replay import canonical, end_of, game_by, start_of
from lath.notation.tables.tables import GAMES, NOTED, NOTHING, PLIES, game_row, notes_of, row_of
from lath.notation.text.scanner import Parts
from lath.notation.text.splitting import RecordText

OF_GAMES: Final = tuple(column.name for column in GAMES if column.name != "moves")
"""The columns of games except the number; the moves are stored as plies."""

_KINDS: Final = {
    "text": pa.string(),
    "integer": pa.uint64(),
    "number": pa.float64(),
    "date": pa.date32(),
}
"""The types of values, by the kind of their column."""

_OF_KIND: Final = {column.name: _KINDS.get(column.kind) for column in (*GAMES, *PLIES)}

OF_ROWS: Final = pa.schema(
    [
        *((name, _OF_KIND[name]) for name in OF_GAMES),
        ("ending", pa.string()),
        ("to_move", pa.string()),
        ("high", pa.uint64()),
        ("low", pa.uint32()),
    ]
)
"""The columns of games in a bundle. Column `ending` has the words of the rules, and `to_move` is
the side to move after the last ply. Columns `high` and `low` are the identity of tags and moves."""

OF_NOTES: Final = pa.schema([(name, _OF_KIND[name]) for name in NOTED])
"""The columns of annotations of plies."""


class Refusal(NamedTuple):
    """A record that was not stored, and the reason."""

    file: str
    record: int
    """The number in the file, from 1."""
    line: int
    code: str
    reason: str


OTHER_GAME: Final = "other-game"
"""The code of a record of a game that is not installed, which is not a fault in a mixed collection.
"""


@dataclass(slots=True)
class GameColumns:
    """The games of one id and one rules version."""

    game: str
    steps: list[KeyStep]
    texts: list[str]
    numbers: Numbers
    """The number of each game among all games of the bundle, from 0."""

    lengths: Numbers
    """The number of plies of each game."""

    keys: Numbers
    images: Numbers
    plies: Numbers
    seats: Numbers

    notes: Any
    """A table of OF_NOTES with one row per ply; None without annotations."""


@dataclass(slots=True)
class ColumnBundle:
    """The data of some texts."""

    read: int = 0
    games: Any = None
    """A table of OF_ROWS with one row per valid record."""

    file: str = ""
    before: int = 0
    """The number of records before it in its file."""

    places: list[tuple[int, int]] = field(default_factory=list)
    """The number of each valid record in the bundle, from 1, and its line."""

    refused: list[Refusal] = field(default_factory=list)
    of_games: list[GameColumns] = field(default_factory=list)


_Notes = Sequence[Sequence[Any]]
"""For each column of NOTED, the values by ply; empty without annotations."""


class _Found(NamedTuple):
    """A valid record."""

    row: tuple[Any, ...]
    """The values of the columns of GAMES."""
    tags: Sequence[tuple[str, str]]
    line: PlayableLine
    result: Result
    notes: _Notes
    at: int
    """The line of its file on which it begins."""


def columns_of(texts: Iterable[RecordText | Refusal], file: str, first: int) -> ColumnBundle:
    """Return the data of texts, the first being the `first`-th record of a file.

    A record that was already refused is given as its Refusal.
    """
    bundle = ColumnBundle(file=file)
    rows: list[tuple[Any, ...]] = []
    ends: list[tuple[str | None, str]] = []
    identities: list[bytes] = []
    lines: dict[tuple[str, str], tuple[list[int], list[PlayableLine], dict[int, _Notes]]] = {}
    for number, text in enumerate(texts, first):
        bundle.read += 1
        found = text if isinstance(text, Refusal) else _sound(text) or _closely(text, file, number)
        if isinstance(found, Refusal):
            bundle.refused.append(found)
            continue
        line = found.line
        numbers, of_game, notes = lines.setdefault(
            (line.start.game.id, version_of(line.start.game)), ([], [], {})
        )
        if found.notes:
            notes[len(numbers)] = found.notes
        numbers.append(len(rows))
        of_game.append(line)
        rows.append(found.row)
        bundle.places.append((number, found.at))
        outcome = line.end.outcome()
        ends.append((outcome.ending if outcome else None, line.end.to_move.word))
        identities.append(identity(found.tags, line.moves, found.result))
    bundle.games = _table(rows, ends, identities)
    for (game, rules), (numbers, of_game, notes) in lines.items():
        bundle.of_games.append(_of_game(game, keys_of(game, rules), numbers, of_game, notes))
    return bundle


def _table(
    rows: Sequence[tuple[Any, ...]],
    ends: Sequence[tuple[str | None, str]],
    identities: Iterable[bytes],
) -> pa.Table:
    """Return a table of OF_ROWS."""
    values = list(zip(*rows, strict=True)) or [()] * len(GAMES)
    columns: dict[str, Any] = {
        column.name: of for column, of in zip(GAMES, values, strict=True) if column.name in OF_GAMES
    }
    high, low = np.frombuffer(b"".join(identities), np.uint64).reshape(-1, 2).T
    low = low.astype(
        np.uint32
    )  # 96 bits: among ten million games, two share them with a probability of 1e-15
    endings, movers = zip(*ends, strict=True) if ends else ((), ())
    columns |= {"ending": endings, "to_move": movers, "high": high, "low": low}
    return pa.Table.from_arrays(
        [pa.array(columns[each.name], each.type) for each in OF_ROWS], schema=OF_ROWS
    )


def _of_game(
    game: str,
    keys: PositionKeys,
    numbers: Sequence[int],
    lines: Sequence[PlayableLine],
    notes: dict[int, _Notes],
) -> GameColumns:
    played = keys.play(lines)
    lengths = [len(line.moves) for line in lines]
    return GameColumns(
        game,
        list(keys.steps),
        list(keys.texts),
        np.array(numbers, np.uint32),
        np.array(lengths, np.int64),
        played.keys,
        played.images.astype(np.int32),
        played.steps.astype(np.int32),
        played.seats,
        _table_of_notes(notes, lengths) if notes else None,
    )


def _table_of_notes(notes: dict[int, _Notes], lengths: Sequence[int]) -> pa.Table:
    """Return a table of OF_NOTES for all plies of some games."""
    columns: list[list[Any]] = [[] for _ in NOTED]
    for place, length in enumerate(lengths):
        for column, values in zip(
            columns, notes.get(place) or ((None,) * length,) * len(NOTED), strict=True
        ):
            column.extend(values)
    return pa.Table.from_arrays(
        [pa.array(column, kind) for column, kind in zip(columns, OF_NOTES.types, strict=True)],
        schema=OF_NOTES,
    )


def _sound(text: RecordText) -> _Found | None:
    """Return the data of a text that is certainly valid; None for another text."""
    found = None if text.fault else valid_game(text.text)
    if found is None or not _is_canonical(found):
        return None
    tags, result = found.parts.tags, found.parts.result
    line = PlayableLine(found.start, found.line, found.end)
    notes: _Notes = ()
    movetext = None
    if not found.parts.is_bare:
        if (read := _read_notes(found.parts)) is None:
            record = found.parts.record()  # comments in words
            return None if record is None else _found_in(canonical(record), line, text.line)
        movetext, notes = read
    row = row_of(tags, line.moves, result.value, movetext)
    return _Found(row, tags, line, result, notes, text.line)


def _is_canonical(found: ValidGame) -> bool:
    """Return whether the setup is canonical; the moves are already known to be."""
    values = dict(found.parts.tags)
    setup = values.get("Setup")
    return setup is None or _is_canonical_setup(values["Game"], values.get(RULES, ""), setup)


@lru_cache(maxsize=4096)
def _is_canonical_setup(game_id: str, rules: str, setup: str) -> bool:
    return game_by(game_id, rules).canonical_setup(setup) == setup


def _found_in(record: Record, line: PlayableLine, at: int) -> _Found:
    """Return the data of a valid, canonical record."""
    rows = list(map(notes_of, record.plies))
    notes = tuple(zip(*rows, strict=True)) if any(row != NOTHING for row in rows) else ()
    return _Found(game_row(record), record.tags, line, record.result, notes, at)


def _closely(text: RecordText, file: str, number: int) -> _Found | Refusal:
    """Return the data of any text, or why it was refused."""
    entry = entry_of(text, file, number)
    record = entry.record
    if record is None or entry.problems:
        problem = entry.problems[0]
        return Refusal(file, number, problem.line, problem.code, problem.message)
    if record.is_result_only:
        why = "only the result is known, but a database stores moves"
        return Refusal(file, number, entry.line, "no-moves", why)
    end = end_of(record)
    assert end is not None
    return _found_in(
        canonical(record), PlayableLine(start_of(record), canonical_moves(record), end), text.line
    )


_NOTE: Final = r"""
    (?: (?:emt|clk)\ (?:0|[1-9][0-9]{0,8})\.[0-9]{3}
    | eval\ -?[01](?:\.[0-9]*+)?
    | (?:depth|nodes)\ [0-9]{1,18} )
"""
"""An annotation that a column can hold, in the arena's own text form."""

_NOTED: Final = re.compile(
    rf"""
    (?: [1-9][0-9]*+\.\ [^ (){{}};!?]++ [!?]*+
        (?: \ \{{ \[%{_NOTE}\] (?:\ \[%{_NOTE}\])*+ \}} )?+
        (?: \  | $ ) )*+
    """,
    re.VERBOSE,
)
"""Numbered plies with only such annotations and single spaces."""

_NAMES: Final = re.compile(r"\[%([a-z]++)")

_READERS: Final = (("eval", float), ("depth", int), ("nodes", int), ("emt", float), ("clk", float))


@lru_cache(maxsize=256)
def _of_ply(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return the expression of a ply with these annotations, each once, in this order.

    Its groups are the glyph, the values and an empty one: with a single group, `findall` would not
    return tuples.
    """
    notes = "".join(rf"(?:\[%{name} ([^\]]*+)\] ?+)?+" for name in names)
    return re.compile(rf"\. [^ !?]++([!?]*+)(?: \{{{notes}\}})?+()")


def _read_notes(found: Parts) -> tuple[str, _Notes] | None:
    """Return the movetext and the annotations of a valid record; None if it contains more.

    They equal the result of reading the record and writing it again.
    """
    movetext = " ".join((found.before + found.moves).split())
    if _NOTED.fullmatch(movetext) is None:
        return None
    every = _NAMES.findall(movetext)
    names = tuple(dict.fromkeys(every))
    glyphs, *values, _ = zip(*_of_ply(names).findall(movetext), strict=True)
    if sum(len(column) - column.count("") for column in values) != len(every):
        return None  # some appear twice, or in another order
    said = dict(zip(names, values, strict=True))
    nothing = (None,) * len(glyphs)
    notes = [
        [read(value) if value else None for value in said[name]] if name in said else nothing
        for name, read in _READERS
    ]
    return movetext, (*notes, [glyph or None for glyph in glyphs] if any(glyphs) else nothing)
