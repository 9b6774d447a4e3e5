"""Whatever stands in a file: reading ends, soon, and raises nothing; problems have true places."""

from __future__ import annotations

import random
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from record_texts import mutant
from sample_records import BUILT_IN, random_game
from strangers import read_and_check

from lath.notation import format_records

MUTANTS: Final = 40

SEED_FILE: Final = (
    "".join(format_records(random_game(game_id, 1, annotated=True) for game_id in BUILT_IN))
    + '\n[Game "yavalath"]\n[Event "\\"a\\\\"]\n\n{one [%eval 0.1]} 1. e5!? (1. d4 ;two }\n) *\n'
)

PIECES: Final = (
    b"{", b"}", b"(", b")", b";", b'"', b"\\", b"[", b"]", b"\n", b"\n\n", b"\r", b"\x00", b"\xff",
    b"\xc3", b"\xe2\x80\xae", b"1.", b"e5", b"*", b"1-0", b"[%", b"[%emt x]",
    b'[Game "yavalath"]\n', b"\n\n[Game", b"!", b"99999999999.", b" " * 120, b"\xef\xbb\xbf",
)  # fmt: skip


def test_of_a_file_with_a_few_bytes_changed_most_records_survive() -> None:
    """How much more is changed is met in tests/house/test_strangers.py."""
    whole = len(read_and_check(SEED_FILE.encode()))
    survived = 0
    for seed in range(MUTANTS):
        found = read_and_check(mutant(SEED_FILE, SEED_FILE, random.Random(seed)).encode())
        survived += sum(not entry.problems for entry in found)
    assert survived > MUTANTS * whole * 0.2


@given(st.binary(max_size=200))
def test_any_bytes_are_read_to_their_end(content: bytes) -> None:
    read_and_check(content)


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join))
def test_any_order_of_the_signs_of_the_notation_is_read_to_its_end(content: bytes) -> None:
    read_and_check(content)
    read_and_check(b'[Game "yavalath"]\n\n' + content + b' *\n\n[Game "surikata"]\n\n*\n')
