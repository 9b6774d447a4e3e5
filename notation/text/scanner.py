"""The reader of a record's text: into its parts, and into a Record, without Lark.

It reads as deep as is asked. `head_of` finds tags and result, `plain_parts` finds the moves of a
text in the usual form, and `parts` reads every text of `grammar.lark` without variations. It
refuses the others, and `parser` reads those. `rules.quick_check` checks the parts by the rules.
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
"""The numbers before plies, as far as they are worth a quick look."""

_FIRST: Final = [NUMBERS[:count] for count in range(256)]
"""Those of so many plies."""

# The rules of `grammar.lark` but for variations; a test compares them.

_TAGS: Final = rf"(?:\[{BLANKS}{TAG_NAME}{BLANKS}{STRING}{BLANKS}\]{BLANKS})++"
_COMMENTS: Final = rf"(?:{COMMENT}{BLANKS})*+"
_PLIES: Final = rf"(?:(?:{NUMBER}{BLANKS})?+{MOVE}{BLANKS}(?:{GLYPH}{BLANKS})?+{_COMMENTS})*+"

_RECORD: Final = re.compile(rf"{BLANKS}({_TAGS})({_COMMENTS})({_PLIES})({RESULT}){BLANKS}")
"""Groups: the tags, the comments before the moves, the moves, the result."""

_TAG: Final = re.compile(TAG)

_PLY: Final = re.compile(
    rf"(?:({NUMBER}){BLANKS})?+({MOVE}){BLANKS}(?:({GLYPH}){BLANKS})?+({_COMMENTS})"
)
"""Groups: number, move, glyph, comments."""

_COMMENT: Final = re.compile(COMMENT)


class Parts(NamedTuple):
    """What stands in the text of a record."""

    tags: Sequence[tuple[str, str]]
    """Names and values, in order; a name may come twice."""

    before: str
    """The comments before the first move."""

    moves: str
    """Numbers, moves, glyphs and comments."""

    result: Result

    line: Sequence[str] | None = None
    """The moves alone, of a text in its usual form: then nothing is wrong with its comments, but a
    word may be no move."""

    @property
    def is_bare(self) -> bool:
        """Return whether there are neither comments nor glyphs."""
        return not (self.before or is_told(self.moves))

    def played(self) -> Sequence[str]:
        """Return the moves alone; none where a number is wrong."""
        return [ply.move for ply in plies(self.moves) or ()] if self.line is None else self.line

    def record(self) -> Record | None:
        """Return the record; None where a number is wrong, which `parser` tells of."""
        if (played := plies(self.moves)) is None:
            return None
        before = _comments(self.before) if self.before else ()
        return record_as_read(tuple(self.tags), played, self.result, before)


def is_told(moves: str) -> bool:
    """Return whether there are comments or glyphs among moves."""
    return "{" in moves or "!" in moves or "?" in moves or ";" in moves


# Tags


def _tag_of_line(line: str) -> tuple[str, str]:
    if (match := _TAG.fullmatch(line)) is None:
        raise KeyError(line)
    return match[1], unquoted(match[2])


_TAG_OF_LINE: Final = Remembered(_tag_of_line, 50_000).__getitem__
"""Returns name and value of a line that is a tag; of others KeyError is raised."""


def head_of(data: bytes) -> tuple[tuple[tuple[str, str], ...], Result] | None:
    """Return the tags and the result of a record that stands as the arena writes it; else None.

    That is a line a tag, an empty line, the result as the last word. The moves are not looked at.
    """
    end, last = data.find(b"\n\n"), data[-_LAST:].split()
    # a word alone may be the end of a longer one
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
"""Bytes at the end of a record in which its result is looked for."""

_BEGINNING: Final = BEGINNING.encode()
_RESULTS: Final = {result.encode(): result for result in Result}


# Parts


def parts(text: str) -> Parts | None:
    """Return the parts of the record that `text` is; None where Lark has to look."""
    if (match := _RECORD.fullmatch(text)) is None:
        return None
    head, comments, moves, result = match.groups()
    try:
        tags = list(map(_TAG_OF_LINE, head.rstrip().split("\n")))
    except KeyError:  # not one tag a line
        tags = [(name, unquoted(value)) for name, value in _TAG.findall(head)]
    return Parts(tags, comments, moves, RESULTS[result])


def plain_parts(text: str) -> Parts | None:
    """Return the same of a text in its usual form, with its line; None of every other.

    That is a line a tag, an empty line, and numbered moves with comments in braces with which
    nothing can be wrong. No expression looks at the whole, so that this is quick.
    """
    head, _, tail = text.partition("\n\n")
    if len(head) > MOST_TAGS or len(text) >= _MOST or ";" in tail:
        return None
    moves = tail = tail.rstrip(" \n")
    if "{" in tail:
        moves = _SOUND_COMMENT.sub("{}", tail)
        if moves[-1] == "}" or moves[0] == "{" or ". {}" in moves:
            return None  # it is no record, or something stands before a move
        moves = moves.replace("\n", " ").replace(" {} ", " ")
    else:
        moves = moves.replace("\n", " ")
    words = moves.split(" ")  # an empty one, which nothing is, where two blanks stand
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
"""Letters of tags, whose values are remembered."""

_SOUND_BRACES: Final = r"""
    \{ [^{}\[]*+
        (?: \[% (?: (?:emt|clk)\s [0-9]{1,9} (?:\.[0-9]*+)?+
                 | eval\s -?+ (?: 0(?:\.[0-9]*+)?+ | 1(?:\.0*+)?+ )
                 | (?:depth|nodes)\s [0-9]{1,18}
                 | pv\s [^\[\]{}]*+ ) \] [^{}\[]*+ )*+ \}
"""
_SOUND_COMMENT: Final = re.compile(_SOUND_BRACES, re.VERBOSE)

SOUND: Final = re.compile(rf"{_SOUND_BRACES} | ;[^\n\[;]*+(?=\n) | [!?]", re.VERBOSE)
"""Comments with which nothing can be wrong, and glyphs."""


# Plies and comments


def plies(moves: str) -> tuple[Ply, ...] | None:
    """Return the plies of a text of nothing else; None where a number is wrong."""
    if not is_told(moves):
        words = moves.split()
        if words[::2] == NUMBERS[: len(words) // 2]:
            return bare_plies(words[1::2])
    if ";" not in moves:  # no comment ends with its line: where lines end says nothing
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
    """Return the comments of a text of nothing else."""
    return tuple(filter(None, map(comment, map(inside, _COMMENT.findall(text)))))


_comments: Final = Remembered(_read_comments, 4096).__getitem__
"""Returns the same; bots say the same again and again."""


# Whole records


def scan(text: str) -> Record | None:
    """Return the record that `text` is; None where Lark has to look.

    The numbers of its plies are right; `replay` would say so of wrong ones, but not where they are.
    """
    found = parts(text)
    return None if found is None else found.record()


def parse(text: str) -> Record:
    """Return the record that `text` is; raises RecordSyntaxError."""
    if fault := size_fault(text):
        raise RecordSyntaxError(fault)
    if (record := scan(text)) is None:
        from lath.notation.text.parser import parse_closely  # start-up time

        return parse_closely(text).record
    return record


_PART: Final = re.compile(
    rf"(?:\[\s*+{TAG_NAME}\s*+)?+{OPEN_STRING}|{OPEN_BRACES}|{LINE}|\(|[A-Za-z][^\s(){{}};]*+"
)
"""A tag or another value in quotes, a comment, the beginning of a variation, a move."""


def least_excess() -> int:
    """Return how many letters a text has at least that holds more than a record may."""
    return 2 * min(MAX_PARTS, MAX_WORDS)  # no part is shorter, with what is between two


_MOST: Final = least_excess()
"""The same, which is not asked for each record."""


def size_fault(text: str) -> Fault | None:
    """Return why a text holds more than a record may; None where it does not.

    Nothing is read for that, and it takes no memory: a small compressed file can hold millions.
    """
    if len(text) < least_excess():
        return None
    parts = 0
    for match in _PART.finditer(text):
        parts += 1 + (match[0].count("[%") if text[match.start()] in "{;" else 0)
        if parts > MAX_PARTS:
            what = "tags, moves, variations, comments and annotations"
            return Fault("size", f"a record of more than {MAX_PARTS} {what}", at=0)
    if next(islice(re.finditer(r"\S++", text), MAX_WORDS, None), None):
        return Fault("size", f"a record of more than {MAX_WORDS} words", at=0)
    return None
