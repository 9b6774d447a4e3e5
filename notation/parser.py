"""The text of one record into a Record, by Lark and `grammar.lark`.

The reference: `scanner.py` is faster, and comes here wherever it refuses. Must not know files
(`reader.py`), rules (`replay.py`), nor how a refusal is told (`syntax.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple

from lark import Lark, Transformer
from lark.exceptions import UnexpectedInput
from lark.lexer import Token

from lath.notation.errors import Fault, Place, RecordSyntaxError
from lath.notation.grammar import grammar, inside, unquoted
from lath.notation.record import Annotation, Comment, Ply, Record, Variation, comment
from lath.notation.syntax import NESTING, syntax_fault

MAX_NESTING: Final = 100
"""Variations inside variations; far beyond what people write."""


class Parsed(NamedTuple):
    """A record, and where its plies stand."""

    record: Record
    places: tuple[Place, ...]
    """One for each ply."""

    notes: tuple[int, ...] = ()
    """Where the annotations before the first move begin."""


class _Ply(NamedTuple):
    ply: Ply
    place: Place


class _Variation(NamedTuple):
    variation: Variation
    places: tuple[Place, ...]


class _ToRecord(Transformer[Token, Parsed]):
    """Builds the record while the parser reduces; no tree stands in between."""

    def record(self, parts: list[Any]) -> Parsed:
        *parts, result = parts
        tags = tuple(part for part in parts if type(part) is tuple)
        plies = tuple(part.ply for part in parts if type(part) is _Ply)
        places = tuple(part.place for part in parts if type(part) is _Ply)
        said = [part for part in parts if type(part) is _Comment]
        record = Record(tags, plies, str(result), _parts(said))
        return Parsed(record, places, _notes(said))

    def tag(self, parts: list[Any]) -> tuple[str, str]:
        name, value = parts
        return str(name), unquoted(value)

    def ply(self, parts: list[Any]) -> _Ply:
        number, number_at = None, None
        if parts[0].type == "NUMBER":
            number, number_at = int(parts[0][:-1]), parts[0].start_pos
            parts = parts[1:]
        move, *rest = parts
        glyph = ""
        if rest and type(rest[0]) is Token:
            glyph, *rest = str(rest[0]), *rest[1:]
        said = [part for part in rest if type(part) is _Comment]
        inner = [part for part in rest if type(part) is _Variation]
        variations = tuple(part.variation for part in inner)
        places = tuple(part.places for part in inner)
        place = Place(move.start_pos, number, places, number_at, _notes(said))
        return _Ply(Ply(str(move), glyph, _parts(said), variations), place)

    def variation(self, parts: list[Any]) -> _Variation:
        said = [part for part in parts if type(part) is _Comment]
        plies = [part for part in parts if type(part) is _Ply]
        variation = Variation(tuple(part.ply for part in plies), _parts(said))
        first, *places = [part.place for part in plies]
        return _Variation(variation, (replace(first, notes_before=_notes(said)), *places))

    def comment(self, parts: list[Any]) -> _Comment:
        (text,) = parts
        return _Comment(comment(inside(text)), text)


class _Comment:
    """A comment on its way up, told apart from the other parts by its type."""

    __slots__ = ("parts", "token")

    def __init__(self, parts: Comment, token: Token) -> None:
        self.parts = parts
        self.token = token

    @property
    def notes(self) -> Iterator[int]:
        """Where its annotations begin in the text of the record."""
        begin, at = self.token.start_pos or 0, 0
        for part in self.parts:
            if isinstance(part, Annotation):
                at = self.token.index(f"[%{part.name}", at)
                yield begin + at
                at += 1


def _parts(comments: list[_Comment]) -> tuple[Comment, ...]:
    return tuple(said.parts for said in comments if said.parts)


def _notes(comments: list[_Comment]) -> tuple[int, ...]:
    return tuple(at for said in comments for at in said.notes)


@cache
def lark() -> Lark:
    """Return the parser, built once."""
    return Lark(
        grammar(),
        start="record",
        parser="lalr",
        lexer="contextual",
        keep_all_tokens=False,
        maybe_placeholders=False,
        transformer=_ToRecord(),
    )


def parse_closely(text: str) -> Parsed:
    """Return the record that `text` is and where its plies stand; raises RecordSyntaxError.

    What is wrong with its tags is for `remarks`, legality for `replay`.
    """
    if text.count("(") > MAX_NESTING:
        _refuse_nesting(text)
    try:
        parsed: Parsed = lark().parse(text)  # type: ignore[assignment]  # by the transformer
    except UnexpectedInput as error:
        raise RecordSyntaxError(syntax_fault(text, error)) from error
    return parsed


def _refuse_nesting(text: str) -> None:
    depth = 0
    for match in NESTING.finditer(text):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth > MAX_NESTING:
            message = f"variations are nested more than {MAX_NESTING} deep"
            raise RecordSyntaxError(Fault("syntax", message, at=match.start()))
