"""Whatever stands in a file: reading ends, soon, and raises nothing; problems have true places."""

from __future__ import annotations

import io
import os
import random
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import BUILT_IN, random_game

from lath.notation import format_record, format_records, parse
from lath.notation.reader import Entry, entries_of

MUTANTS: Final = 40
SOAK_MUTANTS: Final = int(os.environ.get("LATH_SOAK_MUTANTS", "10000"))

SEED_FILE: Final = (
    "".join(format_records(random_game(game_id, 1, annotated=True) for game_id in BUILT_IN))
    + '\n[Game "yavalath"]\n[Event "\\"a\\\\"]\n\n{one [%eval 0.1]} 1. e5!? (1. d4 ;two }\n) *\n'
).encode()

PIECES: Final = (
    b"{", b"}", b"(", b")", b";", b'"', b"\\", b"[", b"]", b"\n", b"\n\n", b"\r", b"\x00", b"\xff",
    b"\xc3", b"\xe2\x80\xae", b"1.", b"e5", b"*", b"1-0", b"[%", b"[%emt x]",
    b'[Game "yavalath"]\n', b"\n\n[Game", b"!", b"99999999999.", b" " * 120, b"\xef\xbb\xbf",
)  # fmt: skip


def mutant(chance: random.Random) -> bytes:
    """Return the seed file with a few bytes cut, doubled, exchanged or put in."""
    content = bytearray(SEED_FILE)
    for _ in range(chance.randint(1, 12)):
        at, length = chance.randrange(len(content) + 1), chance.randint(1, 40)
        match chance.randrange(4):
            case 0:
                del content[at : at + length]
            case 1:
                content[at:at] = content[at : at + length]
            case 2:
                content[at : at + 1] = chance.choice(PIECES)
            case _:
                content[at:at] = chance.choice(PIECES)
    return bytes(content)


def read_and_check(content: bytes) -> list[Entry]:
    """Return what stands in a file; check numbers, places, and that sound text is kept."""
    found = list(entries_of(io.BytesIO(content), "f"))
    assert [entry.number for entry in found] == list(range(1, len(found) + 1))
    lines = content.decode("utf-8", "replace").removeprefix("\ufeff").split("\n")
    for entry in found:
        assert entry.record is not None or entry.problems
        for problem in entry.problems:
            assert entry.line <= problem.line <= len(lines)
            assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
            shown = str(problem).split("\n")
            assert len(shown) == 3
            assert all(line.replace("\t", "").isprintable() for line in shown)
        if entry.record is not None:
            assert parse(format_record(entry.record)) == entry.record
    return found


def check_mutants(seeds: range) -> None:
    """Read a mutant for each seed, and see that most of their records survive."""
    whole = len(read_and_check(SEED_FILE))
    survived = 0
    for seed in seeds:
        found = read_and_check(mutant(random.Random(seed)))
        survived += sum(not entry.problems for entry in found)
    assert survived > len(seeds) * whole * 0.2


def test_a_file_with_a_few_bytes_changed_is_read_to_its_end() -> None:
    check_mutants(range(MUTANTS))


@pytest.mark.soak
def test_many_files_with_a_few_bytes_changed_are_read_to_their_end() -> None:
    check_mutants(range(MUTANTS, MUTANTS + SOAK_MUTANTS))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_to_their_end(content: bytes) -> None:
    read_and_check(content)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join))
def test_any_order_of_the_signs_of_the_notation_is_read_to_its_end(content: bytes) -> None:
    read_and_check(content)
    read_and_check(b'[Game "yavalath"]\n\n' + content + b' *\n\n[Game "surikata"]\n\n*\n')
