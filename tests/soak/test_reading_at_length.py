"""Whether a million texts are read rightly by the fast paths, and megabytes of hostile text at all.

LATH_SOAK_CASES texts are drawn from each source; each LATH_SOAK_NUMBER draws others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import astuple, fields
from typing import Final

import pytest
from hostile_texts import HOSTILE, Hostile
from reading_campaign import SOURCES, Counts, campaign
from tests.notation import test_hostile_text as hostile_text

CASES: Final = int(os.environ.get("LATH_SOAK_CASES", "1000000"))
NUMBER: Final = int(os.environ.get("LATH_SOAK_NUMBER", "1"))

LONG_S: Final = 3.0
"""Seconds of work in which a ratio of two times means something."""

MOST: Final = 3.0
"""How many times as long twice as much may take: 2 in linear time, 4 in quadratic."""


def test_the_fast_paths_say_what_the_slow_ones_do_of_a_million_texts() -> None:
    names = [field.name for field in fields(Counts)]
    rows = [["source", *names]]
    for source in SOURCES:
        counts = campaign(source, CASES, NUMBER)
        rows.append([source, *map(str, astuple(counts))])
    assert sum(int(row[1]) for row in rows[1:]) > CASES * 0.98
    print()
    for row in rows:
        print(" ".join(cell.rjust(10) for cell in row))


TOO_MUCH: Final = {
    *("variations in variations", "opening parentheses", "parentheses in comments"),
    *("empty comments", "comments", "line comments", "annotations never closed"),
    *("beginnings of annotations", "braces in lines of moves"),
    *("good annotations, then another", "annotations"),
}
"""Texts of which a megabyte has more parts than a record may hold (docs/reference/notation.md)."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_megabyte_of_hostile_text_is_told_of_and_the_record_after_it_is_read(name: str) -> None:
    hostile = HOSTILE[name]
    if name in TOO_MUCH:
        hostile = hostile._replace(problem="size")
    hostile_text.check_what_is_told(
        hostile, hostile_text.MEGABYTE // 10 if hostile.is_slow else hostile_text.MEGABYTE
    )


@pytest.mark.parametrize("reader", hostile_text.READERS)
@pytest.mark.parametrize("name", HOSTILE)
def test_twice_as_much_hostile_text_takes_about_twice_as_long(name: str, reader: str) -> None:
    # A machine may be busy with something else for once, but not five times.
    assert any(growth(HOSTILE[name], hostile_text.READERS[reader]) < MOST for _ in range(5))


def growth(hostile: Hostile, read: Callable[[bytes], object]) -> float:
    """Return how many times as long twice as much takes, up to 8 MB or what takes long enough."""
    before = 0.0
    for size in (hostile_text.MEGABYTE // 16 << doubling for doubling in range(8)):
        after = seconds(read, hostile.content(size))
        if after > LONG_S:
            break
        before = after
    return after / before if after > LONG_S / 10 and before else 0


def seconds(read: Callable[[bytes], object], content: bytes) -> float:
    """Return how long this process works on it."""
    began = time.process_time()
    read(content)
    return time.process_time() - began


def slow(content: bytes) -> None:
    """Take quadratic time, as a reader might."""
    for end in range(0, len(content), 40):
        content.count(b"x", 0, end)


def test_quadratic_time_would_be_found() -> None:
    assert growth(HOSTILE["a word"], slow) > MOST
