"""Finished games as rows of the database, with checksums and checks.

`taken_back` makes a row for a game of which only the record is left.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from hashlib import blake2b
from operator import attrgetter
from typing import Any, Final

from lath.arena.referee.record import GameResult
from lath.games.core import RESULTS, Result, Side
from lath.notation.files.bounds import read_json
from lath.notation.record.errors import RecordSyntaxError
from lath.notation.record.record import Record
from lath.notation.record.tags import Termination
from lath.notation.rules.replay import positions
from lath.notation.text.scanner import parse, parts, plain_parts

_KINDS: Final = {"int": "INTEGER", "float": "REAL"}
"""Column types by the type of the field; all others are text."""

COLUMNS: Final = {
    field.name: _KINDS.get(str(field.type), "TEXT")
    for field in sorted(fields(GameResult), key=lambda field: field.name == "record")
    if field.name != "notes"  # notes belong to a pair, not to a game
}
"""The columns of a game with their types, the record last."""

CHECKSUM: Final = "checksum"
"""The column of the checksum over all others; NULL in rows of versions that had none."""

_TYPES: Final = tuple(
    {"INTEGER": int, "REAL": float, "TEXT": str}[kind] for kind in COLUMNS.values()
)
_WORDS: Final = {int: "a whole number", float: "a number", str: "text"}
_VALUES: Final = attrgetter(*COLUMNS)
_AT: Final = {name: place for place, name in enumerate(COLUMNS)}
_REALS: Final = tuple(place for place, kind in enumerate(_TYPES) if kind is float)

RECORD: Final = -2
"""The position of the record's text in a row."""

Row = tuple[Any, ...]
"""The values of COLUMNS in order, then the checksum."""

_encoded: Final = json.JSONEncoder(separators=(",", ":")).encode


def checksum(values: Sequence[object]) -> int:
    """Return the 64-bit checksum of the values of COLUMNS, given as the database returns them."""
    # JSON is self-delimiting and has floats exactly, so different games give different texts.
    text = _encoded(values[:-1]) + str(values[-1])
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def row_of(result: GameResult) -> Row:
    """Return the row of a game."""
    values: list[Any] = list(_VALUES(result))
    values[_AT["stderr"]] = json.dumps(result.stderr, ensure_ascii=False)
    for place in _REALS:
        values[place] = as_stored(values[place])
    return (*values, checksum(values))


def as_stored(value: float) -> float:
    """Return a number as SQLite returns it: a float, and 0.0 instead of -0.0."""
    return value if value is None else float(value) + 0.0


def moves_of(tags: Sequence[str], termination: str, plies: int, record: str) -> int:
    """Return a 64-bit digest that duplicate games share; 0 for a game that cannot be a duplicate.

    `tags` are first, second, result and game. The record is one that the arena wrote, so this finds
    the same duplicates as `standings.digest_of` in a tenth of the time.
    """
    found = plain_parts(record) or parts(record)
    if not plies or termination == Termination.TIME or found is None:
        return 0
    start = (f"{name} {value}" for name, value in found.tags if name in ("Setup", "Position"))
    words = "\n".join((*tags, termination, *start, *found.played()))
    return int.from_bytes(blake2b(words.encode(), digest_size=8).digest())


def result_of(row: Row) -> GameResult:
    """Return the game of a valid row."""
    values = dict(zip(COLUMNS, row, strict=False))
    read = {"result": Result(values["result"]), "stderr": read_json(values["stderr"])}
    return GameResult(**{**values, **read})


def total_of(checksums: Iterable[int]) -> int:
    """Return the total of checksums in any order, cut to the 31 bits that `user_version` holds."""
    return sum(checksums) & 0x7FFFFFFF


def fault_of(row: Row) -> str:
    """Return what is wrong with a row; empty if it is valid.

    Without a checksum the record is parsed, because only it confirms the columns.
    """
    *values, known = row
    if tuple(map(type, values)) != _TYPES or not (known is None or type(known) is int):
        return _wrong_type(row)
    wrong = _disagreement(values, closely=known is None)
    if not wrong and known is not None and known != checksum(values):
        wrong = "its checksum does not match"
    return wrong


def _wrong_type(row: Row) -> str:
    for name, value, kind in zip((*COLUMNS, CHECKSUM), row, (*_TYPES, int), strict=True):
        if type(value) is not kind:
            return f"its {name} is not {_WORDS[kind]} but {shown(value)}"
    return ""


def shown(value: object) -> str:
    """Return a damaged value on one line, cut to 40 characters."""
    text = ascii(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


_ENDINGS: Final = frozenset(Termination)
_TAGS: Final = (("Game", "game"), ("First", "first"), ("Second", "second"), ("Number", "number"))
_ENDS: Final = (("Termination", "termination"), ("Result", "result"))
"""Tags of a record, and the columns with the same values."""


def _disagreement(values: Sequence[Any], *, closely: bool) -> str:
    """Return where the columns differ from the record or are impossible; empty if nowhere."""
    text, result, ending = values[-1], values[_AT["result"]], values[_AT["termination"]]
    if values[_AT["number"]] < 1:
        return f"its number is {values[_AT['number']]}"
    if result not in RESULTS or result == Result.UNFINISHED:
        return f"its result is {shown(result)}"
    if ending not in _ENDINGS:
        return f"its termination is {shown(ending)}"
    said = (f'[{tag} "{values[_AT[name]]}"]\n' for tag, name in (*_TAGS, *_ENDS))
    if not closely and all(map(text.__contains__, said)):
        return ""
    try:
        tags, said_result = _said_by(text)
    except (RecordSyntaxError, RecursionError) as error:
        return f"its record is damaged: {shown(str(error))}"
    for tag, name in (*_TAGS, *_ENDS):
        value, known = str(values[_AT[name]]), tags.get(tag)
        if known and value != known:
            return f"its {name} is {shown(value)}, and {shown(known)} in its record"
    if said_result != result:
        return f"its result is {shown(result)}, and {shown(said_result)} in its record"
    return ""


def _said_by(text: str) -> tuple[dict[str, str], Result]:
    """Return the tags and the result of a record text; raises RecordSyntaxError."""
    found = parts(text) or parse(text)
    return dict(found.tags), found.result


def taken_back(record: Record, text: str) -> GameResult | None:
    """Return the game of a valid record, or None if it is not a tournament's game.

    Times are sums over the moves in the record. Unknown and left out: standard error, stray lines,
    and the time of answers that were not moves, such as a resignation. Opening moves take no time.
    """
    number, ending = record.tag("Number"), record.termination
    is_number = number.isascii() and number.isdigit() and 0 < len(number) <= 15 and int(number)
    if not is_number or ending not in _ENDINGS or not record.result.is_finished:
        return None
    used: dict[Side, list[float]] = {Side.FIRST: [], Side.SECOND: []}
    for position, ply in zip(positions(record), record.plies, strict=False):
        if ply.used_s is not None:
            used[position.to_move].append(ply.used_s)
    first, second = used[Side.FIRST], used[Side.SECOND]
    round_ = record.tag("Round")
    return GameResult(
        number=int(number),
        round=int(round_) if round_.isascii() and round_.isdigit() and len(round_) <= 15 else 0,
        game=record.game,
        first=record.first,
        second=record.second,
        result=record.result,
        termination=ending,
        plies=len(record.plies),
        first_used_s=sum(first),
        second_used_s=sum(second),
        first_worst_s=max(first, default=0.0),
        second_worst_s=max(second, default=0.0),
        stray_lines=0,
        record=text,
        first_moves=len(first),
        second_moves=len(second),
    )
