"""YGN, the files of moves that hlaspoor's Yavalath program saves (js/game.js, 2016).

A file is the position in brackets and, on the next line, the moves in numbered rounds:

    [5/6/7/8/9/8/7/6/5 w]
    1. E5 D4 2. F6

Rows are called A to I from the top; the arena's rows begin at the bottom. Numbers run along the
slanting columns of a 9x9 grid, so the rows below the middle begin at F2, G3, H4 and I5. Taking the
pie is written as the first move's cell again (`1. E5 E5`). The format has no names, results or
comments. The result is that of the last position, or `*` if the game is not over.

Unlike the program, this reader accepts several records in a file, and wrapped lines. Lines are
written with CRLF, and one record's moves on one line, because the program cannot read other forms.
Records of other games are reported as lost and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import BinaryIO, Final

from lath import games
from lath.games.core import Position, Result, result_of
from lath.games.errors import GameError, PositionError
from lath.notation.formats import Lost, UnheldError, held, remarks
from lath.notation.record.errors import Fault, RecordSyntaxError, refused
from lath.notation.record.record import Ply, Record
from lath.notation.rules.reading import entries_from
from lath.notation.rules.replay import end_of, start_of
from lath.notation.text.scanner import size_fault
from lath.notation.text.splitting import Entry, RecordText, texts_by_line

GAME: Final = "yavalath"

_SWAP: Final = "swap"

_HEAD: Final = re.compile(r"\s*\[([^\]\n]*)\]")

_WORD: Final = re.compile(r"[0-9]+\.|\S+")

_EXAMPLE: Final = "a position in brackets such as [5/6/7/8/9/8/7/6/5 w]"


@cache
def cells() -> Mapping[str, str]:
    """Return the arena's name of each cell by its name in YGN.

    >>> cells()["A1"], cells()["F2"], cells()["I9"]
    ('i1', 'd1', 'a5')
    """
    board = games.get(GAME).board
    middle = max(range(len(board.rows)), key=lambda row: len(board.rows[row]))
    return {
        f"{chr(ord('A') + row)}{number}": board.name[bit]
        for row, bits in enumerate(board.rows)
        for number, bit in enumerate(bits, 1 + max(0, row - middle))
    }


def read(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the records of a stream lazily; the moves are played up to the first illegal one."""
    return entries_from(
        texts_by_line(stream, lambda line: line.lstrip().startswith(b"[")), name, _read
    )


def _read(text: RecordText) -> tuple[Record, tuple[Fault, ...]]:
    if fault := size_fault(text.text):
        raise RecordSyntaxError(fault)
    start, end = _start(text.text)
    plies = tuple(Ply(move) for move in _moves(text.text, end, start))
    tags = {"Game": GAME}
    if start != start.game.start():
        tags["Position"] = start.text()
    result = _end_result(Record(tuple(tags.items()), plies))
    if result.is_finished:
        tags["Termination"] = "rules"
    tags["Result"] = result.value
    return Record(tuple(tags.items()), plies, result), ()


def _start(text: str) -> tuple[Position, int]:
    """Return the position in brackets, and the place where the moves begin."""
    if (head := _HEAD.match(text)) is None:
        at = len(text) - len(text.lstrip())
        if text.lstrip().startswith("["):
            raise refused(at, "the position is never closed", "]")
        raise refused(at, "moves without a position", _EXAMPLE)
    try:
        return games.get(GAME).position(head[1].strip()), head.end()
    except PositionError as error:
        raise refused(head.start(1), error.what, _EXAMPLE, "position") from error


def _moves(text: str, begin: int, start: Position) -> Iterator[str]:
    """Yield the moves in the arena's text; numbers before them must be correct."""
    taken = _taken(start)
    ply = 1
    for match in _WORD.finditer(text, begin):
        word = match[0]
        if word.endswith("."):
            if word != _number(ply):
                message = f"the number {word} is written before ply {ply}"
                raise refused(match.start(), message, _number(ply) or "a move", ply=ply)
            continue
        if (cell := cells().get(word)) is None:
            row = [name for name in cells() if name[0] == word[0]]
            expected = f"{row[0]} to {row[-1]} in this row" if row else "rows A to I, such as E5"
            raise refused(match.start(), f"{word[:40]!r} is not a cell", expected, "move", ply)
        yield _SWAP if taken == [cell] else cell
        taken.append(cell)
        ply += 1


def _taken(position: Position) -> list[str]:
    """Return the cells that are not empty."""
    contents = zip(position.game.board.names, position.contents(), strict=True)
    return [name for name, content in contents if content]


def _number(ply: int) -> str:
    """Return the possible number before a ply; empty for the second ply of a round."""
    return f"{(ply + 1) // 2}." if ply % 2 else ""


def write(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:
    """Yield the records with an empty line between them; records of other games are left out."""
    texts = enumerate(held(records, lost, _held))
    return ((("\r\n" if number else "") + text).encode("ascii") for number, text in texts)


def _held(record: Record) -> tuple[str, list[str]]:
    """Return the text of a record and the names of the fields left out. Raises UnheldError."""
    if record.game != GAME:
        raise UnheldError(f"game {record.game}")
    try:
        start = start_of(record)
    except GameError as error:
        raise UnheldError("tag Position" if record.tag("Position") else "tag Setup") from error
    names = {ours: theirs for theirs, ours in cells().items()}
    words = []
    taken = _taken(start)
    for number, move in enumerate(record.moves, 1):
        cell = taken[0] if move == _SWAP and len(taken) == 1 else move
        # a repeated cell would be read as a swap; the record may not have been checked
        name = None if move != _SWAP and taken == [cell] else names.get(cell)
        if name is None:
            raise UnheldError(f"move {move}")
        words += [_number(number), name] if number % 2 else [name]
        taken.append(cell)
    ends = _end_result(record) == record.result
    kept = {"Game", "Position", "Result"}
    if ends and record.termination == ("rules" if record.result.is_finished else ""):
        kept.add("Termination")
    unheld = [f"tag {name}" for name, _ in record.tags if name not in kept]
    if not ends:
        unheld.append(f"result {record.result}")
    return f"[{start.text()}]\r\n{' '.join(words)}\r\n", [*unheld, *remarks(record)]


def _end_result(record: Record) -> Result:
    """Return the result that follows from the moves."""
    end = end_of(record)
    return Result.UNFINISHED if end is None else result_of(end)
