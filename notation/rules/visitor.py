"""A visitor of records, which can skip parts that need not be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Final, Literal

from lath.games.core import Result
from lath.notation.files.files import open_bytes
from lath.notation.record.errors import Problem, RecordError
from lath.notation.record.record import Annotation, Comment, Ply, Record
from lath.notation.rules.header import Header, unread
from lath.notation.rules.reading import entry_of
from lath.notation.text.splitting import Chunk, Entry, texts_of


class Skip(Enum):
    """The type of SKIP."""

    SKIP = "SKIP"


SKIP: Final = Skip.SKIP
"""The value that a visitor returns to skip the part that has just begun."""

Answer = Literal[Skip.SKIP] | None
"""The return type of the `begin_…` methods of a visitor."""


class Visitor:
    """A base class with one method for each part of a record, called in the order of the text.

    The calls for a record are: `begin_record`, `tag` for each tag, `begin_moves`, the comments
    before the moves, the plies, `end_record`. After a ply come its comments and annotations, then
    its variations. Each variation is `begin_variation`, its plies, `end_variation`. By default the
    methods do nothing.

    A `begin_…` method can return SKIP. `begin_record` then skips everything before `end_record`,
    `begin_moves` skips all moves, and `begin_variation` skips to `end_variation`. The `end_…`
    methods are always called.
    """

    def begin_record(self) -> Answer:
        """Handle the start of a record."""

    def tag(self, name: str, value: str) -> None:
        """Handle a tag."""

    def begin_moves(self) -> Answer:
        """Handle the end of the tags; if this returns SKIP, moves in a file are not read."""

    def ply(self, ply: Ply, number: int) -> None:
        """Handle a ply of the main line or of a variation; numbers begin at 1."""

    def comment(self, text: str) -> None:
        """Handle a comment on the last ply, or before the moves."""

    def annotation(self, annotation: Annotation) -> None:
        """Handle an annotation of the last ply, or before the moves."""

    def begin_variation(self) -> Answer:
        """Handle the start of a variation: moves that could replace the last ply."""

    def end_variation(self) -> None:
        """Handle the end of a variation."""

    def end_record(self, result: Result) -> None:
        """Handle the end of a record and its result."""


def walk(
    source: Record | str | Path,
    visitor: Visitor,
    *,
    on_problem: Callable[[Problem], object] | None = None,
) -> None:
    """Call a visitor for each part of a record, or of all records of a file; `-` is standard input.

    For a file, memory use does not grow beyond a few parts of a megabyte. Skipped moves are not
    read, so their problems are not found. Raises OSError if the file cannot be read, and
    RecordError at the first text that is not a record. With `on_problem`, the walk continues
    instead, as in `read`. If only the moves of a record are invalid, `begin_record` and
    `end_record` are still called.

    >>> from lath import notation
    >>> class Times(notation.Visitor):
    ...     def begin_variation(self):
    ...         return notation.SKIP
    ...     def annotation(self, annotation):
    ...         print(annotation)
    >>> record = notation.parse('[Game "yavalath"] 1. e5 {[%emt 1]} (1. a1 {[%emt 2]}) *')
    >>> notation.walk(record, Times())
    [%emt 1.000]
    """
    if isinstance(source, Record):
        _visit(visitor, source.tags, source.result, lambda: source)
        return
    with open_bytes(source) as stream:
        for header, part in unread(stream, str(source)):
            if not (problems := list(header.problems)):
                rest = partial(_read, header, part, str(source), problems)
                _visit(visitor, header.tags, header.result, rest)
            for problem in problems:
                if on_problem is None:
                    raise RecordError(problem)
                on_problem(problem)


def _read(header: Header, part: bytes | Entry, name: str, problems: list[Problem]) -> Record | None:
    """Return the record of a header; None if its moves are invalid, which adds to `problems`."""
    if isinstance(part, bytes):
        (text,) = texts_of(Chunk(header.line, part, header.offset))
        part = entry_of(text, name, header.number, rules=False)
    problems += part.problems
    return None if part.problems else part.record


def _visit(
    visitor: Visitor,
    tags: Iterable[tuple[str, str]],
    result: Result,
    read: Callable[[], Record | None],
) -> None:
    if visitor.begin_record() is not SKIP:
        for name, value in tags:
            visitor.tag(name, value)
        record = None if visitor.begin_moves() is SKIP else read()
        if record is not None:
            _visit_comments(visitor, record.comments)
            _visit_line(visitor, record.plies, 1)
    visitor.end_record(result)


def _visit_line(visitor: Visitor, plies: Iterable[Ply], first_number: int) -> None:
    for number, ply in enumerate(plies, first_number):
        visitor.ply(ply, number)
        if ply.comments:
            _visit_comments(visitor, ply.comments)
        for variation in ply.variations:
            if visitor.begin_variation() is not SKIP:
                _visit_comments(visitor, variation.comments)
                _visit_line(visitor, variation.plies, number)
            visitor.end_variation()


def _visit_comments(visitor: Visitor, comments: Iterable[Comment]) -> None:
    for part in chain.from_iterable(comments):
        if isinstance(part, Annotation):
            visitor.annotation(part)
        else:
            visitor.comment(part)
