"""The fast reader of a record's text, without Lark: into its parts, or into a Record.

There are three levels. `head_of` finds tags and result, `plain_parts` finds the moves of a text in
the usual form, and `parts` reads every text of `grammar.lark` without variations. All refuse other
texts, which `parser` reads. `rules.quick_check` checks the parts by the rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Final, NamedTuple

from lath.games.core import RESULTS, Result
from lath.notation.record.errors import Fault, RecordSyntaxError
from lath.notation.record.record import (
    AS_WRITTEN,
    MAX_PARTS,
    MAX_WORDS,
    Comment,
    Ply,
    Record,
    Remembered,
    bare_plies,
    comment,
    ply_as_read,
    ply_to_read,
    record_as_read,
)
from lath.notation.tokens import (
    BEGINNING,
    BLANKS,
    COMMENT,
    GLYPH,
    LINE,
    MOVE,
    NUMBER,
    OPEN_BRACES,
    OPEN_STRING,
    RESULT,
    STRING,
    TAG,
    TAG_NAME,
    inside,
    unquoted,
)

NUMBERS: Final = [f"{number}." for number in range(1, 2001)]
"""The numbers before plies, up to a length where a quick comparison is useful."""

_FIRST: Final = [NUMBERS[:count] for count in range(256)]
"""The first N of these numbers, by N."""

# The rules of `grammar.lark` without variations; a test compares them.

_TAGS: Final = rf"(?:\[{BLANKS}{TAG_NAME}{BLANKS}{STRING}{BLANKS}\]{BLANKS})++"
_COMMENTS: Final = rf"(?:{COMMENT}{BLANKS})*+"
_USUAL: Final = re.sub(r"\(\?:%.*?\)\*|\|%[^)]*", "", MOVE)
_MOVE: Final = rf"(?>{_USUAL}|{MOVE})"  # moves without escapes first: a tenth less time
_PLIES: Final = rf"(?:(?:{NUMBER}{BLANKS})?+{_MOVE}{BLANKS}(?:{GLYPH}{BLANKS})?+{_COMMENTS})*+"

_RECORD: Final = re.compile(rf"{BLANKS}({_TAGS})({_COMMENTS})({_PLIES})({RESULT}){BLANKS}")
"""Groups: the tags, the comments before the moves, the moves, the result."""

_TAG: Final = re.compile(TAG)

_PLY: Final = re.compile(
    rf"(?:({NUMBER}){BLANKS})?+({_MOVE}){BLANKS}(?:({GLYPH}){BLANKS})?+({_COMMENTS})"
)
"""Groups: number, move, glyph, comments."""

_COMMENT: Final = re.compile(COMMENT)


class Parts(NamedTuple):
    """The parts of the text of a record."""

    tags: Sequence[tuple[str, str]]
    """Names and values, in order; a name may appear twice."""

    before: str
    """The comments before the first move."""

    moves: str
    """Numbers, moves, glyphs and comments."""

    result: Result

    line: Sequence[str] | None = None
    """The moves alone, if the text has the usual form. Its comments are then valid, but a word may
    not be a move."""

    @property
    def is_bare(self) -> bool:
        """Return whether the text has neither comments nor glyphs."""
        return not (self.before or is_told(self.moves))

    def played(self) -> Sequence[str]:
        """Return the moves alone; empty if a number is wrong."""
        return [ply.move for ply in plies(self.moves) or ()] if self.line is None else self.line

    def record(self) -> Record | None:
        """Return the record; None if a number is wrong, which `parser` reports."""
        if (played := plies(self.moves)) is None:
            return None
        before = _comments(self.before) if self.before else ()
        return record_as_read(tuple(self.tags), played, self.result, before)


def is_told(moves: str) -> bool:
    """Return whether moves have comments or glyphs."""
    return "{" in moves or "!" in moves or "?" in moves or ";" in moves


# Tags


def _tag_of_line(line: str) -> tuple[str, str]:
    if (match := _TAG.fullmatch(line)) is None:
        raise KeyError(line)
    return match[1], unquoted(match[2])


_TAG_OF_LINE: Final = Remembered(_tag_of_line, 50_000).__getitem__
"""The function that returns the name and value of a line with a tag; KeyError for other lines."""


def head_of(data: bytes) -> tuple[tuple[tuple[str, str], ...], Result] | None:
    """Return the tags and the result of a record in the arena's own form; None for other texts.

    That form is one tag per line, an empty line, and the result as the last word. The moves are not
    read.
    """
    end, last = data.find(b"\n\n"), data[-_LAST:].split()
    # a single word may be the end of a longer one
    result = _RESULTS.get(last[-1]) if len(last) > 1 else None
    if end < 0 or result is None or data.find(_BEGINNING, 1) >= 0:
        return None
    try:
        tags = tuple(map(_TAG_OF_LINE, data[:end].decode().split("\n")))
    except (KeyError, UnicodeDecodeError):
        return None
    is_valid = tags[0][0] == "Game" and len(dict(tags)) == len(tags)
    return (tags, result) if is_valid else None


_LAST: Final = 32
"""The number of bytes at the end of a record in which its result is searched."""

_BEGINNING: Final = BEGINNING.encode()
_RESULTS: Final = {result.encode(): result for result in Result}


# Parts


def parts(text: str) -> Parts | None:
    """Return the parts of the record of a text; None if Lark must read it."""
    if (match := _RECORD.fullmatch(text)) is None:
        return None
    head, comments, moves, result = match.groups()
    try:
        tags = list(map(_TAG_OF_LINE, head.rstrip().split("\n")))
    except KeyError:  # not one tag per line
        tags = [(name, unquoted(value)) for name, value in _TAG.findall(head)]
    return Parts(tags, comments, moves, RESULTS[result])


def plain_parts(text: str) -> Parts | None:
    """Return the parts of a text in the usual form, with its line; None for every other text.

    That form is one tag per line, an empty line, and numbered moves with certainly valid comments
    in braces. For speed, no regular expression is applied to the whole text.
    """
    head, _, tail = text.partition("\n\n")
    if len(head) > MOST_TAGS or len(text) >= _MOST or ";" in tail:
        return None
    moves = tail = tail.rstrip(" \n")
    if "{" in tail:
        moves = _SOUND_COMMENT.sub("{}", tail)
        if moves[-1] == "}" or moves[0] == "{" or ". {}" in moves:
            return None  # not a record, or a comment before a move
        moves = moves.replace("\n", " ").replace(" {} ", " ")
    else:
        moves = moves.replace("\n", " ")
    words = moves.split(" ")  # two spaces give an empty word, which is not a move
    line, result = words[1:-1:2], RESULTS.get(words[-1])
    numbers = _FIRST[len(line)] if len(line) < len(_FIRST) else NUMBERS[: len(line)]
    if result is None or words[:-1:2] != numbers or not moves.isascii():
        return None
    try:
        tags = list(map(_TAG_OF_LINE, head.split("\n")))
    except KeyError:
        return None
    return Parts(tags, "", tail.removesuffix(result), result, line)


MOST_TAGS: Final = 2000
"""The most characters of tags in a quickly read text, because their values are cached."""

_SOUND_BRACES: Final = r"""
    \{ [^{}\[]*+
        (?: \[% (?: (?:emt|clk)\s [0-9]{1,9} (?:\.[0-9]*+)?+
                 | eval\s -?+ (?: 0(?:\.[0-9]*+)?+ | 1(?:\.0*+)?+ )
                 | (?:depth|nodes)\s [0-9]{1,18}
                 | pv\s [^\[\]{}]*+ ) \] [^{}\[]*+ )*+ \}
"""
_SOUND_COMMENT: Final = re.compile(_SOUND_BRACES, re.VERBOSE)

SOUND: Final = re.compile(rf"{_SOUND_BRACES} | ;[^\n\[;]*+(?=\n) | [!?]", re.VERBOSE)
"""Certainly valid comments, and glyphs."""


# Plies and comments


def plies(moves: str) -> tuple[Ply, ...] | None:
    """Return the plies of a text that has only plies; None if a number is wrong."""
    if not is_told(moves):
        words = moves.split()
        if words[::2] == NUMBERS[: len(words) // 2]:
            return bare_plies(words[1::2])
    if ";" not in moves:  # no comment ends with its line, so line ends have no meaning
        moves = moves.replace("\n", " ")
    found = _PLY.findall(moves)
    if any(word and word != f"{number}." for number, (word, *_) in enumerate(found, 1)):
        return None
    return tuple([_ply(move, glyph, said.rstrip()) for _, move, glyph, said in found])


def _ply(move: str, glyph: str, said: str) -> Ply:
    if not said:
        return ply_as_read(move, glyph)
    if AS_WRITTEN.fullmatch(said):
        return ply_to_read(move, glyph, said)
    return ply_as_read(move, glyph, _comments(said))


def _read_comments(text: str) -> tuple[Comment, ...]:
    """Return the comments of a text that has only comments."""
    return tuple(filter(None, map(comment, map(inside, _COMMENT.findall(text)))))


_comments: Final = Remembered(_read_comments, 4096).__getitem__
"""The cached `_read_comments`, because bots repeat comments often."""


# Whole records


def scan(text: str) -> Record | None:
    """Return the record of a text; None if Lark must read it.

    The numbers of its plies are correct. `replay` would report wrong ones, but without their
    places.
    """
    found = parts(text)
    return None if found is None else found.record()


def parse(text: str) -> Record:
    """Return the record of a text. Raises RecordSyntaxError if it is invalid."""
    if fault := size_fault(text):
        raise RecordSyntaxError(fault)
    if (record := scan(text)) is None:
        from lath.notation.text.parser import parse_closely  # start-up time

        return parse_closely(text).record
    return record


_PART: Final = re.compile(
    rf"(?:\[\s*+{TAG_NAME}\s*+)?+{OPEN_STRING}|{OPEN_BRACES}|{LINE}|\(|[A-Za-z%][^\s(){{}};]*+"
)
"""A tag or another value in quotes, a comment, the start of a variation, or a move."""


def least_excess() -> int:
    """Return the least number of characters of a text that has more than a record may have."""
    return 2 * min(
        MAX_PARTS, MAX_WORDS
    )  # the shortest part, with the space after it, has two characters


_MOST: Final = least_excess()
"""`least_excess()` for the usual limits, computed once."""


def size_fault(text: str) -> Fault | None:
    """Return the fault of a text that has more than a record may have, or None.

    The text is counted without being read, which takes no memory: a small compressed file can
    contain millions of moves.
    """
    if len(text) < least_excess():
        return None
    parts = 0
    for match in _PART.finditer(text):
        parts += 1 + (match[0].count("[%") if text[match.start()] in "{;" else 0)
        if parts > MAX_PARTS:
            what = "tags, moves, variations, comments and annotations"
            return Fault("size", f"the record has more than {MAX_PARTS} {what}", at=0)
    if next(islice(re.finditer(r"\S++", text), MAX_WORDS, None), None):
        return Fault("size", f"the record has more than {MAX_WORDS} words", at=0)
    return None
