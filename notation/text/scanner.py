"""The text of one record into a Record, fast: regular expressions made from Lark's own grammar.

`grammar.lark` stays the one definition: the expressions are generated from the rules and terminals
that Lark compiled from it. A refusal here is no error: such a text goes to `parser.py`, which alone
decides and says what is wrong; so does a record with variations, which no such expression can
describe.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from importlib import resources
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, cast

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
from lath.notation.text.tokens import grammar, inside, unquoted

if TYPE_CHECKING:
    from lark import Lark


NUMBERS: Final = [f"{number}." for number in range(1, 2001)]
"""The numbers before plies, as far as they are worth a quick look."""


class _Patterns(NamedTuple):
    """What the scanner matches."""

    record: re.Pattern[str]
    """Groups: the tags, the comments before the moves, the moves, the result."""
    tag: re.Pattern[str]
    """Groups: name, quoted value."""
    ply: re.Pattern[str]
    """Groups: number, move, glyph, comments."""
    comment: re.Pattern[str]
    """Groups: a comment in braces, one to the end of its line; one of them is empty."""


@cache
def patterns() -> _Patterns:
    """Return the expressions of the grammar."""
    texts = stored()
    if texts is None or texts.pop("grammar") != digest(grammar()):
        from lath.notation.text.parser import lark  # start-up time

        texts = generated(lark())
    return _Patterns(**{name: re.compile(text) for name, text in texts.items()})


def generated(lark: Lark) -> dict[str, str]:
    """Return the expressions by their names in `_Patterns`, made from what Lark compiled."""
    from lath.notation.text.expressions import Expressions  # start-up time

    of = Expressions(lark)
    texts = {name: of.rule(name, groups=True) for name in _Patterns._fields}
    return {**texts, "record": of.blanks + texts["record"]}


def stored() -> dict[str, str] | None:
    """Return the expressions that were stored, and `grammar`, the digest of what they are made of.

    They save the tenth of a second that Lark takes; of another grammar they are not used. None
    where there are none. `make expressions` stores them.
    """
    file = resources.files("lath.notation") / "expressions.json"
    if not file.is_file():
        return None
    import json  # who only writes does without it

    return cast("dict[str, str]", json.loads(file.read_text(encoding="utf-8")))


def digest(text: str) -> str:
    """Return what tells one grammar from another."""
    return blake2b(text.encode(), digest_size=16).hexdigest()


def to_store() -> str:
    """Return the text of `expressions.json`."""
    import json  # start-up time

    from lath.notation.text.parser import lark

    texts = {"grammar": digest(grammar()), **generated(lark())}
    return json.dumps(texts, indent=2, ensure_ascii=False) + "\n"


Scanned = tuple[list[tuple[str, str]], str, str, Result]
"""The parts of a record's text, sound by the grammar.

Names and values of the tags, in order and in their quotes, which `unquoted` reads; what stands
before the moves; numbers, moves, glyphs and comments; the result.
"""


def parts(text: str) -> Scanned | None:
    """Return the parts of the record that `text` is; None where Lark has to look."""
    record, tag = patterns()[:2]
    if (match := record.fullmatch(text)) is None:
        return None
    head, comments, moves, result = match.groups("")
    try:
        tags = list(map(TAGS.__getitem__, head.rstrip().split("\n")))
    except KeyError:  # not one tag a line
        tags = tag.findall(head)
    return tags, comments, moves, RESULTS[result]


def _tag_of_line(line: str) -> tuple[str, str]:
    if (match := patterns().tag.fullmatch(line)) is None:
        raise KeyError(line)
    name, value = match.groups()
    return name, value


TAGS: Final = Remembered(_tag_of_line, 50_000)
"""Name and value, in its quotes, of each line that is a tag; of others KeyError is raised."""


def scan(text: str) -> Record | None:
    """Return the record that `text` is; None where Lark has to look.

    The numbers of its plies are right; `replay` would say so of wrong ones, but not where they are.
    """
    scanned = parts(text)
    return None if scanned is None else record_of(scanned)


def record_of(scanned: Scanned) -> Record | None:
    """Return the record that has these parts; None where Lark has to look."""
    tags, before, moves, result = scanned
    if (played := plies(moves)) is None:
        return None
    values = tuple([(name, unquoted(value)) for name, value in tags])
    return record_as_read(values, played, result, _comments(before) if before else ())


def plies(moves: str) -> tuple[Ply, ...] | None:
    """Return the plies of a text of nothing else; None where a number is wrong."""
    if not any(map(moves.__contains__, "{;(!?")):  # nothing but numbers and moves
        words = moves.split()
        if words[::2] == NUMBERS[: len(words) // 2]:
            return bare_plies(words[1::2])
    if ";" not in moves:  # no comment ends with its line: where lines end says nothing
        moves = moves.replace("\n", " ")
    found = patterns().ply.findall(moves)
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
    found = patterns().comment.findall(text)
    return tuple(filter(None, (comment(inside(braces or line)) for braces, line in found)))


_comments: Final = Remembered(_read_comments, 4096).__getitem__
"""Returns the same; bots say the same again and again."""


_PART: Final = re.compile(
    r"""
    (?: \[\s*+ [A-Za-z][A-Za-z0-9_]*+ \s*+ )?+ "(?:[^"\\\n]|\\.)*+"?
    | \{[^}]*+\}? | ;[^\n]*+
    | \(
    | [A-Za-z][^\s(){};]*+
    """,
    re.VERBOSE,
)
"""A tag or another value in quotes, a comment, the beginning of a variation, a move."""


def size_fault(text: str) -> Fault | None:
    """Return why a text holds more than a record may; None where it does not.

    Nothing is read for that, and it takes no memory: a small compressed file can hold millions.
    """
    if len(text) <= 2 * min(MAX_PARTS, MAX_WORDS):  # no part is shorter, with what is between two
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


def parse(text: str) -> Record:
    """Return the record that `text` is; raises RecordSyntaxError."""
    if fault := size_fault(text):
        raise RecordSyntaxError(fault)
    if (record := scan(text)) is None:
        from lath.notation.text.parser import parse_closely  # start-up time

        return parse_closely(text).record
    return record
