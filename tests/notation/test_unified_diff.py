"""Unified diffs of streams: what `patch` makes of the old text is the new one."""

from __future__ import annotations

import difflib
from random import Random

from patching import patched

from lath.notation.unified_diff import unified_diff

Changes = list[tuple[bytes, bytes]]


def some_changes(chance: Random) -> Changes:
    """Return parts of a text, most of which stay, cut anywhere."""
    signs = [b"a", b"b", b"\n", b"\n", b"\r\n", b"\x85", b"\xff"]

    def text(most: int) -> bytes:
        return b"".join(chance.choices(signs, k=chance.randrange(most)))

    changes = []
    for _ in range(chance.randrange(8)):
        old = text(30)
        changes.append((old, old if chance.random() < 0.7 else text(8)))
    return changes


def test_a_diff_makes_the_new_text_of_the_old_one_wherever_it_is_cut() -> None:
    long = [(b"a\n" * 2000 + b"b\n", b"a\n" * 1999 + b"c\n")]
    for changes in (long, *(some_changes(Random(seed)) for seed in range(150))):
        old, new = (
            (b"".join(side) for side in zip(*changes, strict=True)) if changes else (b"", b"")
        )
        diff = b"".join(unified_diff(changes, "f"))
        assert patched(old, diff) == new
        assert bool(diff) == (old != new)


def test_hunks_have_the_context_that_difflib_gives_them() -> None:
    old = [f"{number}\n" for number in range(60)]
    new = [line if int(line) % 13 else f"changed {line}" for line in old]
    changes = [(a.encode(), b.encode()) for a, b in zip(old, new, strict=True)]
    expected = "".join(difflib.unified_diff(old, new, "f", "f"))
    assert b"".join(unified_diff(changes, "f")).decode() == expected


def test_a_file_is_named_as_patch_reads_names() -> None:
    for name, named in (
        ("games.lath", b"games.lath"),
        ("my games.lath", b"my games.lath\t"),  # else `patch` takes its first word
        (" games.lath", b'"\\040games.lath"'),
        ("a\nb", b'"a\\012b"'),
        ('a"b', b'"a\\042b"'),
        ("\udcff.lath", b"\xff.lath"),
    ):
        lines = b"".join(unified_diff([(b"a\n", b"b\n")], name)).splitlines()
        assert lines[:2] == [b"--- " + named, b"+++ " + named]
