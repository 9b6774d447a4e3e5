"""Whatever stands in a file: reading ends, soon, and raises nothing; problems have true places."""

from __future__ import annotations

import random
from typing import Final

from hypothesis import given
from hypothesis import strategies as st
from record_texts import PIECES, SEED_FILE, mutant
from strangers import read_and_check

MUTANTS: Final = 40


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
