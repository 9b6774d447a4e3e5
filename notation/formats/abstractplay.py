"""AbstractPlay's game records: JSON by the schema `gamerecord.json` of its RecRanks repository.

A file is one record, an array of them (as the site's `ALL.json`), or a record a line. Its games are
Manalath (our `manalath-61`) and Yavalath of two players; others are refused, and when writing told
of as lost, the record being left out. What stands where:

- `players` are in the seats of the game's end. If the pie was taken (`pied`, or `pie-invoked` as
  its game library writes), the moves do not say so: `swap` is the second ply here, and the names
  change places.
- The higher `result` won, equal ones are a draw. After `abandoned` nobody has one: `*`.
- `resign`, `timeout`, `draw` and `abandoned` stand after the last move and are the Termination.
  Other ends outside the rules are written as the nearest of these. Manalath's `pass` (a player has
  no move) is no ply here: the game is over.
- The text `result` of a move is its comment; nothing else of the format holds one.
- Fields without a known tag have one of their own, such as `GameId` or `FirstUserId`. What a
  record has beyond the schema, or otherwise than the writer would write it, is kept as JSON in
  `RecordExtra`, `HeaderExtra`, `FirstExtra`, `SecondExtra` and `AbstractPlayMoves`, so that it
  comes back whole.
- A setup with blockers is written as the starting position. A record without a date is written
  with that of the year 1, for the schema wants one.

Must not know how a file is split into objects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, BinaryIO, Final

from lath.notation.errors import Fault
from lath.notation.formats import WHOLE, Format, Lost
from lath.notation.formats.abstractplay_header import (
    Json,
    checked,
    header_of,
    is_pied,
    result_of,
    seats_of,
    tags_of,
    take_extra,
)
from lath.notation.formats.abstractplay_moves import (
    DIALECTS,
    ENDINGS,
    SWAP,
    Dialect,
    Line,
    UnheldError,
    format_moves,
    read_moves,
)
from lath.notation.formats.json_fields import offset
from lath.notation.formats.json_pieces import objects, read_json
from lath.notation.formats.piece import RefusedError
from lath.notation.reader import Entry
from lath.notation.record import Record, Termination

_BEGINS: Final = re.compile(r'\{\s*"(?:header|moves)"\s*:')
"""How a record begins."""

_WORDS: Final = {reason: word for word, reason in ENDINGS.items()}

_NEAREST: Final = {"1-0": "resign", "0-1": "resign", "1/2-1/2": "draw", "*": "abandoned"}
"""What is written for an end outside the rules that AbstractPlay has no word for."""


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the records of a stream, lazily; the moves are read, but not played."""
    for piece, told in objects(stream, name, _BEGINS):
        if isinstance(told, Fault):
            yield piece.refused(told)
            continue
        try:
            yield piece.holding(from_json(told))
        except RefusedError as error:
            at = offset(piece.text, error.steps)
            yield piece.refused(replace(error.fault, at=at))


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield an array of the records, a line each; a record of another game is left out."""
    before = b"[\n"
    for number, record in enumerate(records, 1):
        try:
            told, unheld = to_json(record)
        except UnheldError as error:
            lost(number, error.field)
            lost(number, WHOLE)
            continue
        for field in unheld:
            lost(number, field)
        yield before + _line(told)
        before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def _line(told: Json) -> bytes:
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    # halves of surrogate pairs, which other programs cut names into, are no UTF-8
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text).encode()


def from_json(told: Any) -> Record:
    """Return the record that AbstractPlay told of; raises RefusedError."""
    header, dialect, seats = checked(told)
    line = read_moves(told.get("moves"), dialect, pied=is_pied(header))
    result = result_of(seats, line.ending)
    tags = tags_of(header, dialect, seats, result)
    tags |= {"Termination": ENDINGS.get(line.ending, Termination.RULES).value, "Result": result}
    return _with_rest(Record(tuple(tags.items()), line.plies, result), told)


def _with_rest(record: Record, told: Json) -> Record:
    """Return the record with tags for whatever would not come back from the others."""
    written, _ = to_json(record)
    header, kept = told["header"], written["header"]
    rest = {
        "RecordExtra": _rest(told, {"header": header, "moves": told["moves"]}),
        "HeaderExtra": _rest(header, {**kept, "players": header["players"]}),
    }
    for seat, player, same in zip(
        seats_of(record), header["players"], kept["players"], strict=True
    ):
        rest[f"{seat}Extra"] = _rest(player, same)
    if told["moves"] != written["moves"]:
        rest["AbstractPlayMoves"] = told["moves"]
    more = ((tag, json.dumps(value)) for tag, value in rest.items() if value)
    *others, termination, result = record.tags
    return replace(record, tags=(*others, *more, termination, result))


def _rest(told: Json, written: Json) -> Json:
    missing = object()
    return {key: value for key, value in told.items() if written.get(key, missing) != value}


def to_json(record: Record) -> tuple[Json, list[str]]:
    """Return the record as AbstractPlay would tell it, and the names of what it cannot hold.

    Raises UnheldError where it cannot hold the record at all.
    """
    dialect = next((each for each in DIALECTS if each.game_id == record.game), None)
    if dialect is None:
        raise UnheldError(f"game {record.game}")
    left = {name: value for name, value in record.tags if name not in {"Game", "Result"}}
    ending = _take_ending(left, record.result)
    moves = _take_moves(left, record, dialect, ending)
    header = header_of(left, record, dialect)
    line = read_moves(moves, dialect, pied=SWAP in record.moves)
    told = {**take_extra(left, "RecordExtra"), "header": header, "moves": moves}
    unheld = [f"tag {name}" for name in left]
    if record.result == "*" and not record.termination:
        unheld.append("result *")  # the format has no game that goes on
    return told, unheld + _unheld_words(record, line)


def _take_ending(left: dict[str, str], result: str) -> str:
    """Return the word after the last move; Termination stays in `left` where it is another."""
    termination = left.pop("Termination", "")
    word = _WORDS.get(termination)  # type: ignore[call-overload]  # a StrEnum is a str
    holds = result != "1/2-1/2" if word == "abandoned" else result != "*"
    if word and holds:
        return str(word)
    if termination in {"", "rules"} and result != "*":
        return ""
    if termination:
        left["Termination"] = termination
    return _NEAREST[result]


def _take_moves(
    left: dict[str, str], record: Record, dialect: Dialect, ending: str
) -> list[list[Any]]:
    """Return the rounds: as they were read, unless the record is another now."""
    rounds = format_moves(record, dialect, ending)
    if "AbstractPlayMoves" in left:
        pied = SWAP in record.moves
        try:
            kept = read_json(left["AbstractPlayMoves"])
            same = read_moves(kept, dialect, pied=pied) == read_moves(rounds, dialect, pied=pied)
        except RefusedError:
            return rounds
        if same:
            del left["AbstractPlayMoves"]
            return list(kept)
    return rounds


def _unheld_words(record: Record, line: Line) -> list[str]:
    kept = [ply.comments for ply in line.plies]
    lost = {
        "comments": record.comments or kept != [ply.comments for ply in record.plies],
        "glyphs": any(ply.glyph for ply in record.plies),
        "variations": any(ply.variations for ply in record.plies),
    }
    return [name for name, is_lost in lost.items() if is_lost]


FORMAT: Final = Format(
    "abstractplay", "AbstractPlay's game records (JSON)", (".json",), read, write
)
