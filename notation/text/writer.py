"""The writer of records: a Record as its canonical text. It never fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from lath.games.core import Position
from lath.games.drawing.rim import rim
from lath.notation.record.record import Annotation, Comment, Ply, Record, Variation, require_record
from lath.notation.tokens import BEGINNING

if TYPE_CHECKING:
    from lath.games.board import Board


def diagram(position: Position) -> str:
    """Return the board as text, the top row first, with the names of rows and columns.

    Rows have their number or letter at the left. Columns have their letters below, or above if they
    lean, as on a rhombus. Without such letters, the cells of a row of hexagons are numbered from 1,
    and each free point without a piece shows its name. Lines join neighbouring points.
    """
    board = position.game.board
    labels, are_points = rim(board), board.shape == "point"
    names = board.names if are_points and not labels.is_complete else "." * len(board.names)
    contents = [content or name for content, name in zip(position.contents(), names, strict=True)]
    unit = max(map(len, contents)) + (3 if are_points else 1)
    unit += unit % 2 if board.shape != "square" else 0
    heights = sorted({round(y, 3) for _, y in board.centres})
    step = 2 if are_points else 1
    at = [(step * heights.index(round(y, 3)), round(x * unit)) for x, y in board.centres]
    drawn = joined(board, at) if are_points else {}
    for (line, column), content in zip(at, contents, strict=True):
        drawn |= {(line, column + place): sign for place, sign in enumerate(content)}
    below = step * (len(heights) - 1) + 1
    for word, cell in labels.columns:
        line = -1 if labels.is_above else below
        drawn |= {(line, at[cell][1] + place): sign for place, sign in enumerate(word)}
    words = {at[cell][0]: word for word, cell in labels.rows}
    width = max(map(len, words.values()), default=0)
    lines = []
    for line in range(min(line for line, _ in drawn), max(line for line, _ in drawn) + 1):
        last = max((column for row, column in drawn if row == line), default=-1)
        signs = "".join(drawn.get((line, column), " ") for column in range(last + 1))
        lines.append(f"{words.get(line, ''):>{width}}  {signs}".rstrip())
    return "\n".join(lines)


def joined(board: Board, at: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    """Return the characters between neighbouring points, by line and column."""
    drawn: dict[tuple[int, int], str] = {}
    for cell, begin in enumerate(at):
        for end in (at[other] for other in board.neighbours(cell) if begin < at[other]):
            down, right = end[0] - begin[0], end[1] - begin[1]
            sign = "|" if abs(right) < down else "\\" if right > 0 else "/"
            if not down:
                drawn |= {(end[0], column): "-" for column in range(begin[1] + 1, end[1])}
            for line in range(1, down):
                drawn[begin[0] + line, begin[1] + round(right * line / down)] = sign
    return drawn


WIDTH: Final = 100
"""The width of a line of movetext; a longer word is put on its own line."""

TIE: Final = "\x1f"
"""A space inside a word while words are joined. Readers split words there, so no word contains it.
"""

_BREAK: Final = "\n"
"""A word that ends the line, after a `;comment`."""


def format_record(record: Record) -> str:
    """Return the canonical text of one record, with a line end after its result."""
    require_record(record)
    comments = (wrapped(comment_words(comment)) for comment in record.comments)
    before = "".join(f"{comment}\n" for comment in comments if comment)
    moves = wrapped([*_line_words(record.plies, 1), record.result])
    return f"{tag_lines(record.tags)}\n{before}{moves}\n"


def tag_lines(tags: Iterable[tuple[str, str]]) -> str:
    """Return the lines of tags, each with its line end."""
    lines = []
    for name, value in tags:
        plain = " ".join(value.splitlines()) if "\n" in value or "\r" in value else value
        escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
        lines.append(f'[{name} "{escaped}"]\n')
    return "".join(lines)


def format_records(records: Iterable[Record]) -> Iterator[str]:
    """Yield the text of a file in pieces: the records with an empty line between them."""
    return (
        ("\n" if number else "") + format_record(record) for number, record in enumerate(records)
    )


def _line_words(plies: Sequence[Ply], first_number: int) -> list[str]:
    words: list[str] = []
    for number, ply in enumerate(plies, first_number):
        words += (f"{number}.", ply.move + ply.glyph)
        if ply.said and "[%pv " not in ply.said:
            words += ply.said.replace("] [", "]\n[").replace("} {", "}\n{").split("\n")
        else:
            for comment in ply.comments:
                words += comment_words(comment)
        for variation in ply.variations:
            words += variation_words(variation, number)
    return words


def variation_words(variation: Variation, number: int) -> Iterator[str]:
    """Yield the words of a variation on the ply with this number; none if it has no moves."""
    if not variation.plies:
        return
    words = [word for comment in variation.comments for word in comment_words(comment)]
    words += _line_words(variation.plies, number)
    yield from _enclosed("(", words, ")")


def _enclosed(left: str, words: list[str], right: str) -> Iterator[str]:
    words[0] = left + words[0]
    if words[-1] == _BREAK:
        words.append(right)
    else:
        words[-1] += right
    yield from words


def comment_words(comment: Comment) -> Iterator[str]:
    """Yield the words of a comment, with its braces on the first and last word."""
    words = []
    for part in comment:  # a short annotation is one word, so that no line ends inside it
        is_one = isinstance(part, Annotation) and part.name != "pv"
        words += [str(part)] if is_one else str(part).split()
    if not words:
        return
    if any("}" in word for word in words):
        yield ";" + " ".join(words)
        yield _BREAK
    else:
        yield from _enclosed("{", words, "}")


def wrapped(words: Iterable[str]) -> str:
    """Return words in lines of at most `WIDTH` columns, without a line end after the last."""
    words = list(words)
    text = " ".join(words)
    if text.count(" ") >= len(words):  # some words contain spaces
        text = " ".join([word.replace(" ", TIE) for word in words])
    return filled(text)


def filled(text: str) -> str:
    """Return words separated by single spaces in lines, as `wrapped` does.

    `TIE` is a space inside a word. A line end is a word of its own.
    """
    if _BREAK in text:
        parts = [part.strip(" ") for part in text.split(_BREAK)]
        lines = [line for part in parts if part for line in _lines(part)]
    else:
        lines = _lines(text)
    return "\n".join(lines).replace(TIE, " ")


def _lines(text: str) -> list[str]:
    lines = []
    start, end = 0, len(text)
    while end - start > WIDTH:
        cut = text.rfind(" ", start, start + WIDTH + 1)
        if cut < 0:  # one long word
            cut = text.find(" ", start)
        # readers would take such a word of a comment for the start of the next record
        while cut >= 0 and text.startswith(BEGINNING, cut + 1):
            after = cut + 1 + len(BEGINNING)
            if after < end and text[after] != " ":
                break  # only the word itself is one
            cut = text.find(" ", after)
        if cut < 0:
            break
        lines.append(text[start:cut])
        start = cut + 1
    lines.append(text[start:])
    return lines
