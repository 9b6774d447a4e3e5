"""Unified diffs for `patch` and for people, of texts of any size.

The two texts are given side by side, part by part, so that few lines are in memory at once.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from io import BytesIO
from typing import Final

CONTEXT: Final = 3
"""The number of unchanged lines before and after a change."""

_MOST: Final = (
    1 << 18
)  # pairs of lines that are compared; larger parts are shown as completely different

Line = tuple[bytes, bytes]
"""b" ", b"-" or b"+", and a line with its end."""


def unified_diff(changes: Iterable[tuple[bytes, bytes]], name: str) -> Iterator[bytes]:
    r"""Yield the diff of a text in parts, each an old and a new one; nothing if they are equal.

    `name` is the name of both files.

    >>> changes = [(b"one\ntw", b"one\ntw"), (b"o\n", b"ist\n"), (b"three", b"three")]
    >>> print(b"".join(unified_diff(changes, "rhyme")).decode(), end="")
    --- rhyme
    +++ rhyme
    @@ -1,3 +1,3 @@
     one
    -two
    +twist
     three
    \ No newline at end of file
    """
    named = _named(name.encode("utf-8", "surrogateescape"))
    title = b"--- " + named + b"\n+++ " + named + b"\n"
    for hunk in _hunks(_lines(changes)):
        yield title + hunk
        title = b""


def _named(name: bytes) -> bytes:
    """Return a name as `patch` reads it: in quotes, or followed by a tab, if necessary."""
    if _ODD.search(name):
        return b'"' + _ODD.sub(lambda sign: b"\\%03o" % ord(sign[0]), name) + b'"'
    return name + b"\t" if b" " in name else name


_ODD: Final = re.compile(rb'[\x00-\x1f\x7f"\\]|\A ')


def _lines(changes: Iterable[tuple[bytes, bytes]]) -> Iterator[Line]:
    """Yield the lines of both texts, marked if they are only in one of them."""
    olds, news = b"", b""
    for old, new in changes:
        rest = b""
        if old == new:
            end = (old.rfind if olds == news else old.find)(b"\n") + 1
            old, new, rest = old[:end], new[:end], old[end:]  # noqa: PLW2901 - the part up to the last line end
        olds, news = olds + old, news + new
        if olds.endswith(b"\n") and news.endswith(b"\n"):
            yield from _compared(olds, news)
            olds = news = b""
        if b"\n" in rest:
            yield from _compared(same := rest[: rest.rfind(b"\n") + 1], same)
            rest = rest[len(same) :]
        olds, news = olds + rest, news + rest
    yield from _compared(olds, news)


def _compared(old: bytes, new: bytes) -> Iterator[Line]:
    """Yield the lines of two texts that begin and end at the same place."""
    if old == new:
        yield from ((b" ", line) for line in BytesIO(old))
        return
    a, b = list(BytesIO(old)), list(BytesIO(new))
    codes: Sequence[tuple[str, int, int, int, int]] = [("replace", 0, len(a), 0, len(b))]
    if len(a) * len(b) <= _MOST:
        codes = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    for code, *(a_start, a_end, b_start, b_end) in codes:
        if code == "equal":
            yield from ((b" ", line) for line in a[a_start:a_end])
        else:
            yield from ((b"-", line) for line in a[a_start:a_end])
            yield from ((b"+", line) for line in b[b_start:b_end])


def _hunks(lines: Iterable[Line]) -> Iterator[bytes]:
    """Yield the places where lines change, with the unchanged lines around them."""
    before = deque[Line](maxlen=CONTEXT)
    hunk: list[Line] | None = None
    begun = read = (0, 0)  # lines of the old and of the new text: before the hunk, and so far
    calm = 0  # unchanged lines at the end of the hunk
    for line in lines:
        if line[0] != b" ":
            if hunk is None:
                hunk = list(before)
                begun = read[0] - len(hunk), read[1] - len(hunk)
            calm = -1
        before.append(line)
        read = read[0] + (line[0] != b"+"), read[1] + (line[0] != b"-")
        if hunk is not None:
            hunk.append(line)
            calm += 1
            if calm > 2 * CONTEXT:
                yield _hunk(hunk[: CONTEXT - calm], *begun)
                hunk = None
    if hunk is not None:
        yield _hunk(hunk[: len(hunk) - max(0, calm - CONTEXT)], *begun)


def _hunk(lines: Sequence[Line], *begun: int) -> bytes:
    counts = [sum(sign != other for sign, _ in lines) for other in (b"+", b"-")]
    old, new = (
        f"{start + (count > 0)},{count}" for start, count in zip(begun, counts, strict=True)
    )
    parts = [f"@@ -{old} +{new} @@\n".encode()]
    for sign, line in lines:
        parts.append(sign + line)
        if not line.endswith(b"\n"):
            parts.append(b"\n\\ No newline at end of file\n")
    return b"".join(parts)
