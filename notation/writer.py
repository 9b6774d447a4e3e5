"""A Record into its canonical text. Never fails: what cannot be written as it is, is not kept.

Must not know how text is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from notation.record import Annotation, Comment, Ply, Record

WIDTH: Final = 100
"""Columns of a line of movetext; a longer word stands on a line of its own."""

_TAG_BEGINS: Final = "[Game"
"""A word of a comment that never begins a line: readers would see the next record there."""

_BREAK: Final = "\n"
"""A word that ends the line: what follows a `;comment`."""


def format_record(record: Record) -> str:
    """Return the canonical text of one record, with a line end after its result."""
    tags = "".join(f"[{name} {_quoted(value)}]\n" for name, value in record.tags)
    comments = (_wrapped(_comment_words(comment)) for comment in record.comments)
    before = "".join(f"{comment}\n" for comment in comments if comment)
    moves = _wrapped([*_line_words(record.plies, 1), record.result])
    return f"{tags}\n{before}{moves}\n"


def format_records(records: Iterable[Record]) -> Iterator[str]:
    """Yield the text of a file piece by piece: the records with an empty line between them."""
    for number, record in enumerate(records):
        yield ("\n" if number else "") + format_record(record)


def _quoted(value: str) -> str:
    plain = " ".join(value.splitlines()) if "\n" in value or "\r" in value else value
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _line_words(plies: Sequence[Ply], first_number: int) -> Iterator[str]:
    for number, ply in enumerate(plies, first_number):
        yield f"{number}."
        yield ply.move + ply.glyph
        for comment in ply.comments:
            yield from _comment_words(comment)
        for variation in ply.variations:
            if not variation.plies:
                continue
            words = [
                *(word for comment in variation.comments for word in _comment_words(comment)),
                *_line_words(variation.plies, number),
            ]
            yield from _enclosed("(", words, ")")


def _enclosed(left: str, words: list[str], right: str) -> Iterator[str]:
    words[0] = left + words[0]
    if words[-1] == _BREAK:
        words.append(right)
    else:
        words[-1] += right
    yield from words


def _comment_words(comment: Comment) -> Iterator[str]:
    words = [word for part in comment for word in _part_words(part)]
    if not words:
        return
    if any("}" in word for word in words):
        yield ";" + " ".join(words)
        yield _BREAK
    else:
        yield from _enclosed("{", words, "}")


def _part_words(part: str | Annotation) -> list[str]:
    """Return the words of a part; a short annotation is one, so that no line ends inside it."""
    if not isinstance(part, Annotation):
        return part.split()
    return str(part).split() if part.name == "pv" else [str(part)]


def _wrapped(words: Iterable[str]) -> str:
    lines = [""]
    for word in words:
        if word == _BREAK:
            lines.append("")
        elif not lines[-1]:
            lines[-1] = word
        elif len(lines[-1]) + 1 + len(word) <= WIDTH or word == _TAG_BEGINS:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return "\n".join(line for line in lines if line)
