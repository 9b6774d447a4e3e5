"""Files of any size that try to slow down a reader or to fill its memory.

Must not know how text is read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple


class Hostile(NamedTuple):
    """One kind of hostile file."""

    content: Callable[[int], bytes]
    """A function that returns a file of about the given size in bytes."""
    problem: str
    """The code of the first problem of the first record; empty for a valid one."""
    is_slow: bool = False
    """True if a megabyte takes a reader seconds, though in linear time."""


HEAD: Final = b'[Game "yavalath"]\n\n'


def around(before: bytes, unit: bytes, after: bytes) -> Callable[[int], bytes]:
    """Return a function that makes a file of repeated units between a beginning and an end."""
    return lambda size: before + unit * ((size - len(before) - len(after)) // len(unit)) + after


def movetext(unit: bytes, after: bytes = b" *", *, before: bytes = b"") -> Callable[[int], bytes]:
    """Return a function that makes a record of a move and repeated units."""
    return around(HEAD + b"e5 " + before, unit, after)


def tag(name: bytes, unit: bytes, after: bytes = b"") -> Callable[[int], bytes]:
    """Return a function that makes a record with a long value."""
    return around(b'[Game "yavalath"]\n[' + name + b' "', unit, after + b'"]\n\n*')


def numbered(line: str, after: str) -> Callable[[int], bytes]:
    """Return a function that makes a record of many tags, each with a number in its name."""

    def content(size: int) -> bytes:
        length = len(line.format(1_000_000))
        lines = (line.format(1_000_000 + number) for number in range(size // length))
        return f'[Game "yavalath"]\n{"".join(lines)}{after}'.encode()

    return content


def nested(size: int) -> bytes:
    """Return a record with nested variations."""
    depth = size // 6
    return HEAD + b"e5 " + b"(e5 " * depth + b") " * depth + b"*"


HOSTILE: Final[dict[str, Hostile]] = {
    "variations in variations": Hostile(nested, "syntax"),
    "opening parentheses": Hostile(movetext(b"(", b""), "syntax"),
    "closing parentheses": Hostile(movetext(b")", b""), "syntax"),
    "variations side by side": Hostile(movetext(b"(e5)"), "", is_slow=True),
    "parentheses in comments": Hostile(movetext(b"{(}"), ""),
    "a comment never closed": Hostile(movetext(b"x ", b"", before=b"{"), "syntax"),
    "comments opened": Hostile(movetext(b"{", b""), "syntax"),
    "comments opened after parentheses": Hostile(movetext(b"{", b"", before=b"()" * 200), "syntax"),
    "values opened after parentheses": Hostile(movetext(b'\\"', b"", before=b"()" * 200), "syntax"),
    "empty comments": Hostile(movetext(b"{}"), ""),
    "comments": Hostile(movetext(b"{a}\n"), ""),
    "a comment": Hostile(movetext(b"x ", b"} *", before=b"{"), ""),
    "a line comment without end": Hostile(movetext(b"x ", b"", before=b";"), "syntax"),
    "line comments": Hostile(movetext(b";a\n"), ""),
    "semicolons before a bracket": Hostile(movetext(b";", b"[\n *"), ""),
    "semicolons in a comment": Hostile(movetext(b";", b"[} *", before=b"{"), ""),
    "glyphs": Hostile(movetext(b"!", b" *"), "syntax"),
    "annotations never closed": Hostile(movetext(b"[%a ", b"} *", before=b"{"), ""),
    "beginnings of annotations": Hostile(movetext(b"[%", b"} *", before=b"{"), ""),
    "a name of an annotation": Hostile(movetext(b"a", b"} *", before=b"{[%"), ""),
    "an annotation of blanks never closed": Hostile(movetext(b" ", b"} *", before=b"{[%a"), ""),
    "an annotation of blanks": Hostile(movetext(b" ", b"]} *", before=b"{[%a"), ""),
    "a line of moves never closed": Hostile(movetext(b"e5 ", b"} *", before=b"{[%pv "), ""),
    "braces in lines of moves": Hostile(movetext(b"[%pv {] ", b"[%x]} *", before=b"{"), ""),
    "good annotations, then another": Hostile(movetext(b"[%emt 1]", b"[%x]} *", before=b"{"), ""),
    "annotations": Hostile(movetext(b"{[%emt 1]} "), ""),
    "wrong annotations": Hostile(movetext(b"{[%eval 2]} "), "annotation", is_slow=True),
    "a time of many digits": Hostile(movetext(b"1", b"]} *", before=b"{[%emt "), "annotation"),
    "an eval of many digits": Hostile(movetext(b"0", b"]} *", before=b"{[%eval 0."), ""),
    "a depth of many digits": Hostile(movetext(b"1", b"]} *", before=b"{[%depth "), ""),
    "a word": Hostile(around(HEAD, b"x", b""), "syntax"),
    "a move": Hostile(around(HEAD, b"x", b" *"), "move"),
    "digits": Hostile(around(HEAD, b"1", b""), "syntax"),
    "numbers": Hostile(around(HEAD, b"1. ", b""), "syntax"),
    "moves": Hostile(movetext(b"d4 "), "illegal-move", is_slow=True),
    "moves with wrong numbers": Hostile(movetext(b"9. d4 "), "ply-number", is_slow=True),
    "moves with wrong numbers on lines": Hostile(movetext(b"9. d4\n"), "ply-number", is_slow=True),
    "results": Hostile(movetext(b"1-0 "), "syntax"),
    "blanks": Hostile(around(HEAD, b" ", b"*"), ""),
    "empty lines": Hostile(around(HEAD, b"\n", b"*"), ""),
    "lines of blanks": Hostile(around(HEAD, b" \t\n", b"*"), ""),
    "returns": Hostile(around(HEAD, b"\r", b"*"), ""),
    "NUL characters": Hostile(around(HEAD, b"\0", b"*"), "syntax"),
    "snowmen": Hostile(around(HEAD, "☃".encode(), b"*"), "syntax"),
    "bytes that are not UTF-8": Hostile(around(HEAD, b"\xff", b"*"), "encoding"),
    "tags without a result": Hostile(numbered('[A{} "b"]\n', ""), "syntax", is_slow=True),
    "tags": Hostile(numbered('[A{} "b"]\n', "\n*"), ""),
    "tags that come twice": Hostile(
        numbered('[A{0} "b"]\n[A{0} "b"]\n', "\n*"), "tag", is_slow=True
    ),
    "the same tag": Hostile(around(b"", b'[Game "yavalath"]', b" *"), "tag", is_slow=True),
    "a tag's name": Hostile(around(HEAD[:-1] + b"[", b"A", b' "b"] *'), ""),
    "a game's name": Hostile(around(b'[Game "', b"x", b'"] *'), "unknown-game"),
    "a value": Hostile(tag(b"Event", b"x"), ""),
    "a value never closed": Hostile(around(b'[Game "', b"x", b""), "syntax"),
    "backslashes": Hostile(around(b'[Game "', b"\\", b""), "syntax"),
    "a value of backslashes": Hostile(tag(b"Event", b"\\\\"), ""),
    "a value of quotes": Hostile(tag(b"Event", b'\\"'), ""),
    "a setup": Hostile(tag(b"Setup", b"a1 "), "setup"),
    "a position": Hostile(tag(b"Position", b"1/"), "position"),
    "a position of digits": Hostile(tag(b"Position", b"1", b" w"), "position"),
    "a date": Hostile(tag(b"Date", b"1"), "tag"),
    "a time control": Hostile(tag(b"TimeControl", b"1"), "tag"),
    "a termination": Hostile(tag(b"Termination", b"rules"), "termination"),
    "a result": Hostile(tag(b"Result", b"1-0"), "result"),
    "brackets": Hostile(around(HEAD, b"[", b""), "syntax"),
    "lines with brackets": Hostile(around(HEAD, b"[\n", b""), "syntax"),
    "beginnings of tags": Hostile(around(HEAD, b"\n[A", b""), "syntax"),
    "beginnings of tags on lines of their own": Hostile(
        around(HEAD, b"\n\n[A", b""), "syntax", is_slow=True
    ),
    "records without empty lines": Hostile(
        around(b"", b'[Game "yavalath"] *\n', b""), "syntax", is_slow=True
    ),
    "tags Game without empty lines": Hostile(
        around(b"", b'[Game "yavalath"]\n', b""), "syntax", is_slow=True
    ),
    "records of no known game": Hostile(
        around(b"", b'[Game "chess"] *\n\n', b""), "unknown-game", is_slow=True
    ),
    "records": Hostile(around(b"", b'[Game "yavalath"] *\n\n', b""), ""),
}
