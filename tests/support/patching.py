"""Application of a unified diff, like `patch` without fuzz."""

from __future__ import annotations

import re
from io import BytesIO

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\n")


def patched(old: bytes, diff: bytes) -> bytes:
    """Return the new text; raises AssertionError if the diff does not fit the old one."""
    lines, made = list(BytesIO(old)), list[bytes]()
    said, at, read = list(BytesIO(diff)), 2, 0
    if said:
        assert said[0].startswith(b"--- ")
        assert said[1].startswith(b"+++ ")
    while at < len(said):
        match = _HUNK.fullmatch(said[at])
        assert match, said[at]
        start, count, new_start, new_count = (int(number or 1) for number in match.groups())
        begin = start - (count > 0)
        made += lines[read:begin]
        assert len(made) == new_start - (new_count > 0)
        read, at = begin, at + 1
        ends = read + count, len(made) + new_count
        while at < len(said) and not said[at].startswith(b"@@"):
            sign, line = said[at][:1], said[at][1:]
            at += 1
            if at < len(said) and said[at].startswith(b"\\"):
                line, at = line.removesuffix(b"\n"), at + 1
            if sign != b"+":
                assert lines[read] == line
                read += 1
            if sign != b"-":
                made.append(line)
        assert (read, len(made)) == ends
    return b"".join(made + lines[read:])
