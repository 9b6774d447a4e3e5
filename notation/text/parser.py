"""The exact parser of one record: from text to Record with Lark and `grammar.lark`, or an error.

This module is the reference. `scanner` is faster but refuses some texts, which are read here.
`rules.replay` then checks the record move by move. The place and cause of an error are found from
the state in which the parser stopped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any, Final, NamedTuple

from lark import Lark, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.lexer import Token

from lath.games.core import RESULTS, meant_escape
from lath.notation.record.errors import Fault, PlyPlace, RecordSyntaxError, listed, shortened
from lath.notation.record.record import (
    ANNOTATION,
    GLYPHS,
    MAX_NESTING,
    Ply,
    Record,
    Variation,
    comment,
    ply_as_read,
    record_as_read,
    variation_as_read,
)
from lath.notation.text.suggestions import RESULTS_IN_WORDS, meant_result
from lath.notation.tokens import (
    LINE,
    MOVE,
    OPEN_BRACES,
    OPEN_STRING,
    grammar,
    inside,
    plain,
    unquoted,
)

NESTING: Final = re.compile(f"{OPEN_STRING}|{OPEN_BRACES}|{LINE}|[()]")
"""Parentheses, and everything that can hide them. An unclosed comment extends to the end; without
this rule, the search would take quadratic time."""


class Parsed(NamedTuple):
    """A record, and the places of its plies in the text."""

    record: Record
    places: tuple[PlyPlace, ...]
    """One place per ply."""

    notes: tuple[int, ...] = ()
    """The places of the annotations before the first move."""


class _Placed(NamedTuple):
    """A part of the record, and its place in the text."""

    value: Ply | Variation | tuple[Any, ...]
    """A ply, a variation or the parts of a comment."""

    at: Any
    """The Place of a ply, those of a variation's plies, or the places of a comment's annotations.
    """


class _ToRecord(Transformer[Token, Parsed]):
    """Builds the record directly from the parser's reductions, without a tree."""

    def record(self, parts: list[Any]) -> Parsed:
        *parts, result = parts
        tags = tuple(part for part in parts if type(part) is tuple)
        plies, places = _of(Ply, parts)
        comments, notes = _comments(parts)
        return Parsed(record_as_read(tags, plies, RESULTS[result], comments), places, notes)

    def tag(self, parts: list[Any]) -> tuple[str, str]:
        name, value = parts
        return str(name), unquoted(value)

    def ply(self, parts: list[Any]) -> _Placed:
        tokens = {part.type: part for part in parts if type(part) is Token}
        move, number = tokens["MOVE"], tokens.get("NUMBER")
        variations, places = _of(Variation, parts)
        comments, notes = _comments(parts)
        return _Placed(
            ply_as_read(str(move), str(tokens.get("GLYPH", "")), comments, variations),
            PlyPlace(
                move.start_pos or 0,
                int(number[:-1]) if number else None,
                places,
                number.start_pos if number else None,
                notes,
            ),
        )

    def variation(self, parts: list[Any]) -> _Placed:
        comments, notes = _comments(parts)
        plies, (first, *places) = _of(Ply, parts)
        first = replace(first, notes_before=notes)
        return _Placed(variation_as_read(plies, comments), (first, *places))

    def comment(self, parts: list[Token]) -> _Placed:
        (token,) = parts
        begin = token.start_pos or 0
        return _Placed(
            comment(inside(token)), [begin + match.start() for match in ANNOTATION.finditer(token)]
        )


def _of(kind: type, parts: list[Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the parts of a rule that are of this kind, and their places."""
    found = [part for part in parts if type(part) is _Placed and type(part.value) is kind]
    return tuple(part.value for part in found), tuple(part.at for part in found)


def _comments(parts: list[Any]) -> tuple[tuple[Any, ...], tuple[int, ...]]:
    """Return the comments of a rule that are not empty, and the places of their annotations."""
    comments, notes = _of(tuple, parts)
    return tuple(filter(None, comments)), tuple(chain.from_iterable(notes))


def parse_closely(text: str) -> Parsed:
    """Return the record of a text and the places of its plies. Raises RecordSyntaxError.

    `replay` checks the tags and moves.
    """
    if text.count("(") > MAX_NESTING and len(opened := _opened(text)) > MAX_NESTING:
        raise RecordSyntaxError(
            _syntax(opened[-1], f"variations are nested more than {MAX_NESTING} deep")
        )
    try:
        parsed: Parsed = lark().parse(text)  # type: ignore[assignment]  # by the transformer
    except UnexpectedInput as error:
        raise RecordSyntaxError(syntax_fault(text, error)) from error
    return parsed


def _opened(text: str) -> list[int]:
    """Return the places of the variations still open, up to one that is nested too deep."""
    opened: list[int] = []
    for match in NESTING.finditer(text):
        if match[0] == "(":
            opened.append(match.start())
        elif match[0] == ")" and opened:
            opened.pop()
        if len(opened) > MAX_NESTING:
            break
    return opened


_ENGLISH: Final = {
    "LSQB": 'a [Tag "value"]',
    "TAG_NAME": "the name of a tag",
    "STRING": "a value in double quotes",
    "RSQB": "]",
    "MOVE": "a move",
    "BRACES": "a {comment}",
    "LPAR": "a (variation)",
    "RPAR": ") to close the variation",
    "RESULT": f"a result ({RESULTS_IN_WORDS})",
    "$END": "an empty line and then the next record",
}
"""The English words for each terminal, in the order of messages. Every other terminal is possible
only together with one of these."""

_MOVE: Final = re.compile(plain(MOVE))
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_QUOTES: Final = "\"'“”„‟«»‘’‚`´"
_NAGS: Final = {f"${number}": glyph for number, glyph in enumerate(GLYPHS, 1)}
"""The glyphs by the codes that PGN uses for them."""


def syntax_fault(text: str, error: UnexpectedInput) -> Fault:
    """Return the fault for an error of Lark."""
    # `error.expected` and `allowed` are wrong here: parser states are shared, so they would include
    # the ) of a variation outside of variations.
    wanted: set[str] = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return _ended(text, wanted)
    at = error.pos_in_stream
    assert at is not None
    looks = (_about_tags, _about_results, _about_brackets, _about_moves)
    found = _word(text, at) if text[at].isascii() else _named(text[at])
    unknown = _refused(f"{found} does not belong here", wanted, at)
    return next(chain.from_iterable(look(text, at, wanted) for look in looks), unknown)


def _refused(message: str, wanted: set[str], at: int) -> Fault:
    return _syntax(
        at, message, listed((words for name, words in _ENGLISH.items() if name in wanted), "or")
    )


def _syntax(at: int, message: str, expected: str = "", meant: str = "") -> Fault:
    return Fault("syntax", message, expected, at, meant=meant)


def _word(text: str, at: int) -> str:
    """Return the word that begins at `at`, in quotes."""
    word = re.compile(r"\S{1,41}").match(text, at)
    return shortened(word[0] if word else text[at])


def _around(text: str, at: int) -> tuple[int, str]:
    """Return the word around `at`, and the place where it begins."""
    begin = at
    while begin and at - begin < 40 and not text[begin - 1].isspace():
        begin -= 1
    word = re.compile(r"\S{0,40}").match(text, begin)
    assert word is not None
    return begin, word[0]


def _ended(text: str, wanted: set[str]) -> Fault:
    end = len(text.rstrip())
    if "RPAR" in wanted:
        return _open_variation(text, end)
    if "RSQB" in wanted:
        return _syntax(end, "the tag is never closed", "]")
    if "RESULT" not in wanted:
        return _refused("the record ends too early", wanted, end)
    begin, word = _around(text, end - 1)
    if word not in RESULTS and (meant := meant_result(word)):
        return _syntax(begin, f"{word!r} is not a result", RESULTS_IN_WORDS, meant)
    if "LSQB" in wanted:
        return _syntax(end, "the record ends after its tags", _ENGLISH["RESULT"])
    hint = " on its own line after the comment"
    expected = RESULTS_IN_WORDS + (hint if word in RESULTS else "")
    return _syntax(end, "the record ends without a result", expected)


def _open_variation(text: str, at: int) -> Fault:
    return _syntax(_opened(text[:at])[-1], "the variation is never closed", ")")


# The following functions yield possible faults at a place, the most certain one first; the first is
# reported.


def _about_tags(text: str, at: int, wanted: set[str]) -> Iterator[Fault]:
    sign, end = text[at], len(text[:at].rstrip())
    if sign == "\N{BYTE ORDER MARK}":
        yield _syntax(at, "found a byte order mark", "it only at the beginning of the file")
    if sign == "\0":
        utf_16 = ", as in UTF-16" if "\0" in text[:2] else ""
        yield _syntax(at, f"found a NUL character{utf_16}", "UTF-8 text")
    if "STRING" in wanted:
        yield from _about_value(text, at)
    if "RSQB" in wanted and (sign == "[" or "\n" in text[end:at]):
        yield _syntax(end, "the tag is never closed", "]")
    if "RSQB" in wanted and sign != "]" and '"' in text[at:].split("\n", 1)[0]:
        yield _syntax(
            at, f"{_word(text, at)} does not belong here", r"], or \" for a quote inside the value"
        )
    if "$END" in wanted:
        yield _refused(f"{_word(text, at)} comes after the result", wanted, at)
    tag = re.compile(r'\[[ \t]*([A-Za-z]\w{0,39})[ \t]*"', re.ASCII).match(text, at)
    if tag and "LSQB" not in wanted:
        yield _syntax(
            at, f"the tag {tag[1]} comes too late", "all tags before the first comment or move"
        )


def _about_value(text: str, at: int) -> Iterator[Fault]:
    if (read := re.compile(r'"(?:[^"\\\n\r]|\\["\\])*').match(text, at)) is None:
        rest = re.compile(r"([^\]\r\n]{1,60})\]").match(text, at)
        bare = rest[1].strip().strip(_QUOTES) if rest else ""
        if bare and '"' not in bare and "\\" not in bare:
            yield _syntax(at, "the value is not in double quotes", _ENGLISH["STRING"], f'"{bare}"')
        return
    stop = read.end()
    if text[stop : stop + 1] == "\\":
        escape = text[stop : stop + 2].rstrip()
        yield _syntax(stop, f"unknown escape {escape} in a value", r"\" or \\")
    hint = r", because \" is a quote inside the value" if '\\"' in read[0] else ""
    yield _syntax(at, "the value is never closed", f'" on the same line{hint}')


def _about_results(text: str, at: int, wanted: set[str]) -> Iterator[Fault]:
    begin, word = _around(text, at)
    if "MOVE" in wanted and "RPAR" in wanted:
        if word in RESULTS:
            yield _open_variation(text, at)
        if word.rstrip(")") in RESULTS:
            yield _refused("a variation contains a result", {"MOVE", "RPAR"}, at)
    if "MOVE" in wanted and word not in RESULTS and (meant := meant_result(word)):
        yield _syntax(begin, f"{word!r} is not a result", RESULTS_IN_WORDS, meant)


def _about_brackets(text: str, at: int, wanted: set[str]) -> Iterator[Fault]:
    sign, before = text[at], text[:at].rstrip()
    if sign == "(" and "RESULT" in wanted and "LPAR" not in wanted:
        yield _syntax(
            at, "a variation comes before the first move", "it after the move that it replaces"
        )
    if sign == ")" and before.endswith("("):
        yield _syntax(at, "the variation is empty", "a move")
    if sign == ")" and "RESULT" in wanted:
        yield _refused("')' does not close a variation", wanted, at)
    if sign == "}":
        opened = text.rfind("{", 0, max(text.rfind("}", 0, at), 0))
        if text.rfind("{", 0, max(opened, 0)) > text.rfind("}", 0, max(opened, 0)):
            yield _syntax(at, "'}' does not close a comment: comments do not nest")
        yield _refused("'}' does not close a comment", wanted, at)
    if sign in "{;" and "BRACES" in wanted:
        yield _syntax(at, "the comment is never closed", "}")
    if sign in "{;" and before.endswith(")"):
        yield _syntax(at, "a comment comes after a variation", "it before the variation")
    if sign in "{;" and before.endswith("."):
        yield _syntax(at, "a comment comes between a number and its move", "it after the move")


def _about_moves(text: str, at: int, wanted: set[str]) -> Iterator[Fault]:
    glyph = re.compile(r"\$[0-9]{1,9}|[!?]{1,9}").match(text, at)
    if glyph and "GLYPH" in wanted:
        if glyph[0] in GLYPHS:
            message = f"{_word(text, glyph.end())} comes right after a glyph"
            yield _syntax(glyph.end(), message, "a space between them")
        expected, meant = f"one of {' '.join(GLYPHS)}", _NAGS.get(glyph[0], "")
        yield _syntax(at, f"{glyph[0]!r} is not a glyph", expected, meant)
    if "MOVE" not in wanted:
        return
    begin, word = _around(text, at)
    if re.fullmatch(r"[0-9]{1,9}", word):
        yield _syntax(begin, f"the number {word} has no dot", f"{word}.", f"{word}.")
    if dots := re.match(r"[0-9]{1,9}(?:…|\.{2,})", word):
        expected = "one dot, because each ply has its own number"
        yield _syntax(begin, f"{dots[0]!r} has too many dots", expected)
    if "%" in word and (meant := meant_escape(word)) != word and _MOVE.fullmatch(meant):
        what = f"{shortened(word)} has an escape other than % and two digits or capitals A to F"
        yield _syntax(begin, what, "a move", meant)
    if move := _MOVE.match(text, at):
        plain = word.translate(_DASHES)
        if plain != word and _MOVE.fullmatch(plain):
            yield _syntax(begin, f"{word!r} has a dash other than -", "a move", plain)
        if sign := text[move.end() : move.end() + 1]:
            message = f"{_named(sign)} does not belong in the move {shortened(move[0])}"
            signs = "letters, digits and + - = : @ / only, or %XX for others"
            expected = "a space after the move" if sign in ",." else signs
            yield _syntax(move.end(), message, expected)


def _named(sign: str) -> str:
    """Return a character in quotes, with its name if it is not ASCII."""
    name = "" if sign.isascii() else unicodedata.name(sign, "")
    return f"{sign!r} ({name.lower()})" if name else repr(sign)


@cache
def lark() -> Lark:
    """Return the parser, which is built only once."""
    return Lark(
        grammar(),
        start="record",
        parser="lalr",
        lexer="contextual",
        maybe_placeholders=False,
        transformer=_ToRecord(),
    )
