"""Texts of records as columns of a database: what one process makes of a part of a file.

A parcel holds rows of games, plies and positions, and which records were refused, why. Moves are
places in tables of the parcel's own. Must not know how a database keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import numpy as np

from lath.games.core import Position, version_of
from lath.notation.archive import SIZE, canonical_moves
from lath.notation.database.keys import Keys, Line, Step, keys_of
from lath.notation.database.layers import Numbers
from lath.notation.quick_check import sound_game
from lath.notation.reader import RecordText, entry_of
from lath.notation.record import Record, record_as_read
from lath.notation.replay import end_of, start_of
from lath.notation.scanner import scan, unquoted
from lath.notation.tables import GAMES, game_row, notes_of

OF_GAMES: Final = tuple(column.name for column in GAMES if column.name != "moves")
"""The columns of a row of games, but for its number; the moves are plies of their own."""

NOTES: Final = ("eval", "depth", "nodes", "time_s", "clock_s", "glyph")
"""The columns of a ply that annotations are read into."""


class Refusal(NamedTuple):
    """A record that is not sound, and why."""

    file: str
    record: int
    """From 1."""
    line: int
    code: str
    reason: str


@dataclass(slots=True)
class OfGame:
    """The games of one id and one version of the rules."""

    game: str
    steps: list[Step]
    texts: list[str]
    numbers: Numbers
    """Of each game its number among all of the parcel, from 0."""

    lengths: Numbers
    """How many plies each has."""

    keys: Numbers
    images: Numbers
    plies: Numbers
    seats: Numbers


@dataclass(slots=True)
class Parcel:
    """What some texts hold."""

    read: int
    rows: list[tuple[Any, ...]]
    """Of each sound record, in the columns of OF_GAMES, `ending` and `to_move`."""

    identities: list[bytes]
    """16 bytes of each, which records of the same tags and moves have in common."""

    notes: dict[int, list[tuple[Any, ...]]]
    """By the number of a game that has annotations, NOTES of each ply."""

    refused: list[Refusal]
    of_games: list[OfGame] = field(default_factory=list)


def parcel_of(texts: Iterable[RecordText], file: str, first: int) -> Parcel:
    """Return what texts hold, the first being the `first`-th record of a file."""
    parcel = Parcel(0, [], [], {}, [])
    lines: dict[tuple[str, str], tuple[list[int], list[Line]]] = {}
    for number, text in enumerate(texts, first):
        parcel.read += 1
        found = _sound(text)
        if found is None:
            entry = entry_of(text, file, number)
            if entry.record is None or entry.problems:
                problem = entry.problems[0]
                parcel.refused.append(
                    Refusal(file, number, problem.line, problem.code, problem.message)
                )
                continue
            found = _played(entry.record)
        record, line = found
        _take(parcel, record, line)
        by = line.start.game.id, version_of(line.start.game)
        numbers, of_game = lines.setdefault(by, ([], []))
        numbers.append(len(parcel.rows) - 1)
        of_game.append(line)
    for (game, rules), (numbers, of_game) in lines.items():
        parcel.of_games.append(_of_game(game, keys_of(game, rules), numbers, of_game))
    return parcel


def _of_game(game: str, keys: Keys, numbers: list[int], lines: Sequence[Line]) -> OfGame:
    played = keys.play(lines)
    return OfGame(
        game,
        list(keys.steps),
        list(keys.texts),
        np.array(numbers, np.int64),
        np.array([len(line.moves) for line in lines], np.int64),
        played.keys,
        played.images,
        played.steps,
        played.seats,
    )


_NOTHING: Final = (None,) * len(NOTES)


def _sound(text: RecordText) -> tuple[Record, Line] | None:
    """Return the record and main line of a text that is surely sound; None for another.

    Where nothing but moves is said the record has no plies: the line has them.
    """
    found = None if text.fault else sound_game(text.text)
    if found is None:
        return None
    if found.is_bare:
        tags = tuple([(name, unquoted(value)) for name, value in found.tags])
        record: Record | None = record_as_read(tags, (), found.result)
    else:
        record = scan(text.text)
    return None if record is None else (record, Line(found.start, found.line, found.end))


def _played(record: Record) -> tuple[Record, Line]:
    """Return a sound record and its main line."""
    end = end_of(record)
    assert end is not None
    return record, Line(start_of(record), canonical_moves(record), end)


def _take(parcel: Parcel, record: Record, line: Line) -> None:
    """Add a sound record to a parcel; without plies it has those of its line."""
    row = dict(zip(_NAMES, game_row(record), strict=True)) | {"plies": len(line.moves)}
    notes = list(map(notes_of, record.plies))
    if any(note != _NOTHING for note in notes):
        parcel.notes[len(parcel.rows)] = notes
    parcel.rows.append((*map(row.get, OF_GAMES), _ending(line.end), line.end.to_move.word))
    parcel.identities.append(_identity(record.tags, line.moves, record.result))


_NAMES: Final = tuple(column.name for column in GAMES)


def _ending(end: Position) -> str | None:
    """Return the rules' words for how a game ended; None where it goes on."""
    outcome = end.outcome()
    return outcome.ending if outcome else None


def _identity(tags: Iterable[tuple[str, str]], moves: Sequence[str], result: str) -> bytes:
    """Return 16 bytes that records of the same tags, main line and result have in common."""
    words = [*(f"{name} {value}" for name, value in tags), " ".join(moves), result]
    text = "\n".join(words)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()
