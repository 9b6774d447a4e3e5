"""The text of one record into a Record, by Lark and `grammar.lark`.

Told from the parser's state where it refused. Must not know files, nor the rules of any game.

The reference: `scanner.py` is faster, and comes here wherever it refuses. Must not know files
(`reader.py`), rules (`replay.py`), nor how a refusal is told (`syntax.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final, NamedTuple

from lark import Lark, Transformer
from lark.exceptions import UnexpectedInput, UnexpectedToken
from lark.lexer import Token

from lath.notation.errors import Fault, Place, RecordSyntaxError, shortened
from lath.notation.record import (
    GLYPHS,
    RESULTS,
    Annotation,
    Comment,
    Ply,
    Record,
    Variation,
    comment,
)
from lath.notation.scanner import grammar, inside, unquoted
from lath.notation.suggestions import RESULTS_IN_WORDS, meant_result

_ENGLISH: Final = {
    "LSQB": 'a tag such as [Game "mammalath"]',
    "TAG_NAME": "the name of a tag",
    "STRING": "a value in double quotes",
    "RSQB": "]",
    "MOVE": "a move",
    "BRACES": "a comment in braces",
    "LPAR": "a variation in parentheses",
    "RPAR": ") to close the variation",
    "RESULT": f"a result ({RESULTS_IN_WORDS})",
    "$END": "an empty line and then the next record",
}
"""What a terminal is in English, in the order in which messages list them; the others are always
possible beside one of these."""

NESTING: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|\{[^}]*+\}?|;[^\n]*|[()]')
"""Parentheses, and what hides them; an unclosed comment goes to the end, or this took n*n steps."""

_MOVE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+=:@/-]*")
_DASHES: Final = str.maketrans(dict.fromkeys("‐‑‒–—−", "-"))
_QUOTES: Final = "\"'“”„‟«»‘’‚`´"
_NAGS: Final = {f"${number}": glyph for number, glyph in enumerate(GLYPHS, 1)}
"""What PGN writes for our glyphs."""


def syntax_fault(text: str, error: UnexpectedInput) -> Fault:
    """Return why Lark refused `text`."""
    # Not `error.expected` nor `allowed`: states of the parser are shared, and those would name
    # the ) of a variation outside of any.
    wanted: set[str] = error.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        return _ended(text, wanted)
    at = error.pos_in_stream
    assert at is not None
    for look in _LOOKS:
        fault = look(text, at, wanted)
        if fault is not None:
            return fault
    return _refused(f"{_word(text, at)} does not belong here", wanted, at)


def _refused(message: str, wanted: set[str], at: int) -> Fault:
    return Fault("syntax", message, _english(wanted), at=at)


def _english(terminals: set[str]) -> str:
    *words, last = [words for name, words in _ENGLISH.items() if name in terminals]
    return f"{', '.join(words)} or {last}" if words else last


def _word(text: str, at: int) -> str:
    """Return the word that begins at `at`, in quotes."""
    word = re.compile(r"\S{1,41}").match(text, at)
    return shortened(word[0] if word else text[at])


def _around(text: str, at: int) -> tuple[int, str]:
    """Return the word that `at` is in, and where it begins."""
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
        return Fault("syntax", "the tag is never closed", "]", at=end)
    if "RESULT" not in wanted:
        return _refused("the record ends too early", wanted, end)
    begin, word = _around(text, end - 1)
    if word not in RESULTS and (meant := meant_result(word)):
        return Fault("syntax", f"{word!r} is no result", RESULTS_IN_WORDS, begin, meant=meant)
    if "LSQB" in wanted:
        return Fault("syntax", "the record ends after its tags", _ENGLISH["RESULT"], at=end)
    expected = RESULTS_IN_WORDS
    if word in RESULTS:
        expected += " on a line of its own, for the comment goes to the end of its line"
    return Fault("syntax", "the record ends without a result", expected, at=end)


def _open_variation(text: str, at: int) -> Fault:
    opened = []
    for match in NESTING.finditer(text, 0, at):
        if match[0] == "(":
            opened.append(match.start())
        elif match[0] == ")":
            opened.pop()
    return Fault("syntax", "the variation is never closed", ")", at=opened[-1])


def _foreign_sign(text: str, at: int, wanted: set[str]) -> Fault | None:  # noqa: ARG001
    if text[at] == "\N{BYTE ORDER MARK}":
        expected = "it at the beginning of the file only"
        return Fault("syntax", "a byte order mark stands here", expected, at=at)
    if text[at] == "\0":
        utf_16 = ", as in UTF-16" if "\0" in text[:2] else ""
        return Fault("syntax", f"a NUL character stands here{utf_16}", "UTF-8 text", at=at)
    return None


def _value(text: str, at: int, wanted: set[str]) -> Fault | None:
    """Look at what should be the value of a tag."""
    if "STRING" not in wanted:
        return None
    if text[at] == '"':
        return _broken_value(text, at)
    rest = re.compile(r"([^\]\r\n]{1,60})\]").match(text, at)
    bare = rest[1].strip().strip(_QUOTES) if rest else ""
    if not bare or '"' in bare or "\\" in bare:
        return None
    message = "the value is not in double quotes"
    return Fault("syntax", message, _ENGLISH["STRING"], at=at, meant=f'"{bare}"')


def _broken_value(text: str, at: int) -> Fault:
    read = re.compile(r'"(?:[^"\\\n\r]|\\["\\])*').match(text, at)
    assert read is not None
    stop = read.end()
    if text[stop : stop + 1] == "\\":
        message = f"unknown escape {text[stop : stop + 2].rstrip()} in a value"
        return Fault("syntax", message, r"\" or \\", at=stop)
    expected = '" on the same line'
    if '\\"' in read[0]:
        expected += r", for \" is a quote inside the value"
    return Fault("syntax", "the value is never closed", expected, at=at)


def _tag_end(text: str, at: int, wanted: set[str]) -> Fault | None:
    """Look at what should be the ] of a tag."""
    if "RSQB" not in wanted:
        return None
    end = len(text[:at].rstrip())
    if text[at] == "[" or "\n" in text[end:at]:
        return Fault("syntax", "the tag is never closed", "]", at=end)
    if text[at] != "]" and '"' in text[at:].split("\n", 1)[0]:
        message = f"{_word(text, at)} does not belong here"
        return Fault("syntax", message, r"], or \" for a quote inside the value", at=at)
    return None


def _late_tag(text: str, at: int, wanted: set[str]) -> Fault | None:
    tag = re.compile(r'\[[ \t]*([A-Za-z]\w{0,39})[ \t]*"', re.ASCII).match(text, at)
    if tag is None or "LSQB" in wanted or "$END" in wanted:
        return None
    expected = "all tags before the first comment or move"
    return Fault("syntax", f"the tag {tag[1]} stands too late", expected, at=at)


def _after_result(text: str, at: int, wanted: set[str]) -> Fault | None:
    if "$END" not in wanted:
        return None
    return _refused(f"{_word(text, at)} stands after the result", wanted, at)


def _result(text: str, at: int, wanted: set[str]) -> Fault | None:
    """Look for a result, as it is written elsewhere or inside a variation."""
    if "MOVE" not in wanted:
        return None
    begin, word = _around(text, at)
    if word in RESULTS and "RPAR" in wanted:
        return _open_variation(text, at)
    if word.rstrip(")") in RESULTS and "RPAR" in wanted:
        return _refused("a result stands in a variation", {"MOVE", "RPAR"}, at)
    meant = "" if word in RESULTS else meant_result(word)
    if not meant:
        return None
    return Fault("syntax", f"{word!r} is no result", RESULTS_IN_WORDS, begin, meant=meant)


def _closing(text: str, at: int, wanted: set[str]) -> Fault | None:
    if text[at] == ")" and text[:at].rstrip().endswith("("):
        return Fault("syntax", "the variation is empty", "a move", at=at)
    if text[at] == ")" and "RESULT" in wanted:
        return _refused("')' closes no variation", wanted, at)
    if text[at] == "}":
        closed = text.rfind("}", 0, at)
        opened = text.rfind("{", 0, max(closed, 0))
        is_nested = text.rfind("{", 0, max(opened, 0)) > text.rfind("}", 0, max(opened, 0))
        if is_nested:
            message = "'}' closes no comment, for comments do not nest"
            return Fault("syntax", message, at=at)
        return _refused("'}' closes no comment", wanted, at)
    return None


def _early_variation(text: str, at: int, wanted: set[str]) -> Fault | None:
    if text[at] != "(" or "RESULT" not in wanted or "LPAR" in wanted:
        return None
    expected = "it after the move that it replaces"
    return Fault("syntax", "a variation stands before the first move", expected, at=at)


def _comment(text: str, at: int, wanted: set[str]) -> Fault | None:
    if text[at] not in "{;":
        return None
    if "BRACES" in wanted:
        return Fault("syntax", "the comment is never closed", "}", at=at)
    before = text[max(0, at - 1000) : at].rstrip()
    if before.endswith(")"):
        message, expected = "a comment stands after a variation", "it before the variation"
    elif before.endswith("."):
        message, expected = "a comment stands between a number and its move", "it after the move"
    else:
        return None
    return Fault("syntax", message, expected, at=at)


def _glyph(text: str, at: int, wanted: set[str]) -> Fault | None:
    found = re.compile(r"\$[0-9]{1,9}|[!?]{1,9}").match(text, at)
    if found is None or "GLYPH" not in wanted:
        return None
    if found[0] in GLYPHS:
        message = f"{_word(text, found.end())} stands right after a glyph"
        return Fault("syntax", message, "a blank between them", at=found.end())
    message, expected = f"{found[0]!r} is no glyph", f"one of {' '.join(GLYPHS)}"
    return Fault("syntax", message, expected, at=at, meant=_NAGS.get(found[0], ""))


def _number(text: str, at: int, wanted: set[str]) -> Fault | None:
    if "MOVE" not in wanted:
        return None
    begin, word = _around(text, at)
    if re.fullmatch(r"[0-9]{1,9}", word):
        message, meant = f"the number {word} has no dot", f"{word}."
        return Fault("syntax", message, meant, at=begin, meant=meant)
    dots = re.match(r"[0-9]{1,9}(?:…|\.{2,})", word)
    if dots is None:
        return None
    expected = "one dot, for each ply has a number of its own"
    return Fault("syntax", f"{dots[0]!r} has too many dots", expected, at=begin)


def _move(text: str, at: int, wanted: set[str]) -> Fault | None:
    found = _MOVE.match(text, at)
    if found is None or "MOVE" not in wanted:
        return None
    begin, word = _around(text, at)
    plain = word.translate(_DASHES)
    if plain != word and _MOVE.fullmatch(plain):
        message = f"{word!r} has a dash that is no -"
        return Fault("syntax", message, "a move", at=begin, meant=plain)
    sign = text[found.end() : found.end() + 1]
    if not sign:
        return None
    message = f"{_named(sign)} does not belong in the move {shortened(found[0])}"
    expected = "a blank after the move" if sign in ",." else "letters, digits and + - = : @ / only"
    return Fault("syntax", message, expected, at=found.end())


def _other_letter(text: str, at: int, wanted: set[str]) -> Fault | None:
    if text[at].isascii():
        return None
    return _refused(f"{_named(text[at])} does not belong here", wanted, at)


def _named(sign: str) -> str:
    """Return a sign in quotes, with its name where it may look like another or like nothing."""
    name = "" if sign.isascii() else unicodedata.name(sign, "")
    return f"{sign!r} ({name.lower()})" if name else repr(sign)


_LOOKS: Final[tuple[Callable[[str, int, set[str]], Fault | None], ...]] = (
    *(_foreign_sign, _value, _tag_end, _late_tag, _after_result, _result),
    *(_closing, _early_variation, _comment, _glyph, _number, _move, _other_letter),
)
"""Each knows some mistakes; the first that knows what stands there tells of it."""


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
