"""Records visited part by part, with SKIP for what need not even be read."""

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
"""What a visitor returns to pass by what has just begun."""

Answer = Literal[Skip.SKIP] | None
"""What the `begin_…` of a visitor return."""


class Visitor:
    """Is told of the parts of records, in the order of their text; does nothing by itself.

    Of each record: `begin_record`, `tag` for each, `begin_moves`, what is said before the moves,
    the plies, `end_record`. After a ply comes what is said of it, then its variations: of each
    `begin_variation`, its plies, `end_variation`. SKIP passes by what has begun: `begin_record`
    leaves out all up to `end_record`, `begin_moves` all moves, `begin_variation` that variation
    up to `end_variation`. The `end_…` are always called.
    """

    def begin_record(self) -> Answer:
        """Be told that a record begins."""

    def tag(self, name: str, value: str) -> None:
        """Be told of a tag."""

    def begin_moves(self) -> Answer:
        """Be told that all tags are told; of a file, moves that are skipped are not read."""

    def ply(self, ply: Ply, number: int) -> None:
        """Be told of a ply of the main line or of a variation; numbers count from 1."""

    def comment(self, text: str) -> None:
        """Be told of a comment's words, of the ply before, or before the moves that begin."""

    def annotation(self, annotation: Annotation) -> None:
        """Be told of an annotation, likewise."""

    def begin_variation(self) -> Answer:
        """Be told that moves follow which might have stood in the place of the ply before."""

    def end_variation(self) -> None:
        """Be told that they are over."""

    def end_record(self, result: Result) -> None:
        """Be told that a record is over, and its result."""


def walk(
    source: Record | str | Path,
    visitor: Visitor,
    *,
    on_problem: Callable[[Problem], object] | None = None,
) -> None:
    """Let a visitor go through a record, or through all records of a file; `-` is standard input.

    Of a file no more is in memory than a few parts of a megabyte, and moves that are skipped are
    not read: nothing is known of what is wrong with them. Raises OSError and, at the first text
    that is no record, RecordError. With `on_problem` the walk goes on after it instead, as `read`
    does. A record of which only the moves are none has begun by then, and is ended.

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
    """Return the record of a header; None, adding to `problems`, where its moves are none."""
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
