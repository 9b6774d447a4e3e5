"""The text of one record into a Record, by Lark and `grammar.lark`; syntax errors in English.

The reference: `scanner.py` is faster, and comes here wherever it refuses. Must not know files
(`reader.py`) nor rules (`replay.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

from lark import Lark, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.lexer import Token

from notation.errors import Fault, NotationError, Place
from notation.record import Comment, Ply, Record, Variation, comment

MAX_NESTING: Final = 100
"""Variations inside variations; far beyond what people write."""

_ENGLISH: Final = {
    "LSQB": 'a tag such as [Game "mammalath"]',
    "TAG_NAME": "the name of a tag",
    "STRING": "a value in double quotes",
    "RSQB": "]",
    "MOVE": "a move",
    "BRACES": "a comment in braces",
    "LPAR": "a variation in parentheses",
    "RPAR": ") to close the variation",
    "RESULT": "a result (1-0, 0-1, 1/2-1/2 or *)",
    "$END": "an empty line and then the next record",
}
"""What a terminal is in English, in the order in which messages list them; the others are always
possible beside one of these."""


class RecordSyntaxError(NotationError):
    """The text is not a record; `fault` says where and why."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def grammar() -> str:
    """Return the text of `grammar.lark`: the wheel's copy, or else the checkout's."""
    installed = resources.files("notation") / "grammar.lark"
    if installed.is_file():
        return installed.read_text(encoding="utf-8")
    return (Path(__file__).parent.parent / "grammar.lark").read_text(encoding="utf-8")


class Parsed(NamedTuple):
    """A record, and where its plies stand."""

    record: Record
    places: tuple[Place, ...]
    """One for each ply."""


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
        comments = tuple(part.parts for part in parts if type(part) is _Comment and part.parts)
        return Parsed(Record(tags, plies, str(result), comments), places)

    def tag(self, parts: list[Any]) -> tuple[str, str]:
        name, value = parts
        return str(name), unquoted(value)

    def ply(self, parts: list[Any]) -> _Ply:
        number = None
        if parts[0].type == "NUMBER":
            number = int(parts[0][:-1])
            parts = parts[1:]
        move, *rest = parts
        glyph = ""
        if rest and type(rest[0]) is Token:
            glyph, *rest = str(rest[0]), *rest[1:]
        comments = tuple(part.parts for part in rest if type(part) is _Comment and part.parts)
        inner = [part for part in rest if type(part) is _Variation]
        variations = tuple(part.variation for part in inner)
        place = Place(move.start_pos, number, tuple(part.places for part in inner))
        return _Ply(Ply(str(move), glyph, comments, variations), place)

    def variation(self, parts: list[Any]) -> _Variation:
        comments = tuple(part.parts for part in parts if type(part) is _Comment and part.parts)
        plies = [part for part in parts if type(part) is _Ply]
        variation = Variation(tuple(part.ply for part in plies), comments)
        return _Variation(variation, tuple(part.place for part in plies))

    def comment(self, parts: list[Any]) -> _Comment:
        (text,) = parts
        return _Comment(comment(inside(text)))


class _Comment:
    """A comment on its way up, told apart from the other parts by its type."""

    __slots__ = ("parts",)

    def __init__(self, parts: Comment) -> None:
        self.parts = parts


def unquoted(text: str) -> str:
    """Return the value that a STRING is."""
    return re.sub(r"\\(.)", r"\1", text[1:-1]) if "\\" in text else text[1:-1]


def inside(text: str) -> str:
    """Return what BRACES or a LINE say, without what makes them a comment."""
    return text[1:-1] if text[0] == "{" else text[1:]


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

    Faults that need no rules of a game (tags) are for `tag_faults`; legality is for `replay`.
    """
    if text.count("(") > MAX_NESTING:
        _refuse_nesting(text)
    try:
        parsed: Parsed = lark().parse(text)  # type: ignore[assignment]  # by the transformer
    except UnexpectedInput as error:
        raise RecordSyntaxError(_fault(text, error)) from error
    return parsed


def tag_faults(record: Record) -> Iterator[Fault]:
    """Yield what is wrong with the tags of a record whatever its game: order and repetition."""
    names = [name for name, _ in record.tags]
    if "Game" not in names:
        yield Fault("tag", "the tag Game is missing", 'a tag such as [Game "mammalath"]', at=0)
    elif names[0] != "Game":
        yield Fault("tag", f"the tag {names[0]} stands before Game", "Game first", at=0)
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield Fault("tag", f"the tag {name} stands there twice", "each tag once", tag=name)


_NESTING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|\{[^}]*+\}?|;[^\n]*|[()]')
"""Parentheses, and what hides them; an unclosed comment goes to the end, or this took n*n steps."""


def _refuse_nesting(text: str) -> None:
    depth = 0
    for match in _NESTING.finditer(text):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth > MAX_NESTING:
            message = f"variations are nested more than {MAX_NESTING} deep"
            raise RecordSyntaxError(Fault("syntax", message, at=match.start()))


def _fault(text: str, error: UnexpectedInput) -> Fault:
    at = error.pos_in_stream
    # Not `error.expected` nor `allowed`: states of the parser are shared, and those would name
    # the ) of a variation outside of any.
    wanted: set[str] = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        end = len(text.rstrip())
        return Fault("syntax", "the record ends too early", _english(wanted), at=end)
    assert at is not None
    if text[at] == "{" and "BRACES" in wanted:
        return Fault("syntax", "the comment is never closed", "}", at=at)
    if text[at] == '"' and "STRING" in wanted:
        return _string_fault(text, at)
    word = re.compile(r"\S{1,40}").match(text, at)
    found = repr(word[0]) if word else repr(text[at])
    return Fault("syntax", f"{found} does not belong here", _english(wanted), at=at)


def _string_fault(text: str, at: int) -> Fault:
    read = re.compile(r'"(?:[^"\\\n\r]|\\["\\])*').match(text, at)
    assert read is not None
    stop = read.end()
    if text[stop : stop + 1] == "\\":
        message = f"unknown escape {text[stop : stop + 2]!r} in a value"
        return Fault("syntax", message, r"\" or \\", at=stop)
    return Fault("syntax", "the value is never closed", '" on the same line', at=at)


def _english(terminals: set[str]) -> str:
    return " or ".join(words for name, words in _ENGLISH.items() if name in terminals)
