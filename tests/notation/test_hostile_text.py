"""Whatever a file was made to do to its reader: it is read in linear time, and told of rightly."""

from __future__ import annotations

import gc
import io
import random
import tracemalloc
from typing import TYPE_CHECKING, Final

import pytest
from hostile_texts import HOSTILE, Hostile
from hypothesis import given
from hypothesis import strategies as st
from reading_campaign import together, totals
from record_texts import PIECES, SEED_FILE, mutant
from strangers import read_and_check

from lath.notation import reader
from lath.notation.reader import Entry, entries_of
from lath.notation.validation import Findings, validate_stream

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

MEGABYTE: Final = 1 << 20

END: Final = b'\n\n[Game "surikata"]\n\n1. Mc3 *\n'
"""A sound record: it must be read whatever stands before it."""


def entries_in(content: bytes) -> list[Entry]:
    return list(entries_of(io.BytesIO(content), "f"))


def findings_in(content: bytes) -> Findings:
    return together(validate_stream(io.BytesIO(content), "f"))


@pytest.mark.parametrize("is_slow", [False, True])
def test_hostile_text_is_told_of_and_the_record_after_it_is_read(
    is_slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "_BLOCK", MEGABYTE // 2000)  # as if each text were a long file
    for name, hostile in HOSTILE.items():
        if hostile.is_slow is is_slow:
            try:
                check_what_is_told(hostile, MEGABYTE // (400 if is_slow else 100))
            except AssertionError as error:
                raise AssertionError(name) from error


def check_what_is_told(hostile: Hostile, size: int) -> None:
    """Read so many bytes of it, and a sound record after them."""
    content = hostile.content(size) + END
    entries = entries_in(content)
    codes = [problem.code for problem in entries[0].problems]
    assert codes[:1] == ([hostile.problem] if hostile.problem else [])
    last = entries[-1].record
    assert last is not None
    assert (last.moves, entries[-1].problems) == (("Mc3",), ())
    assert findings_in(content) == totals(entries)


READERS: Final[dict[str, Callable[[bytes], object]]] = {
    "reading": entries_in,
    "checking": findings_in,
}


LONG: Final = 30_000
"""Letters of what is long in a record; a sound one has no such thing."""

LONG_PARTS: Final = {
    "a comment": '[Game "yavalath"]\n\n1. e5 {{{}}} *\n\n',
    "a comment before the moves": '[Game "yavalath"]\n\n;{}\n*\n\n',
    "a move": '[Game "yavalath"]\n\n1. x{} *\n\n',
    **{
        f"the tag {name}": f'[Game "yavalath"]\n[{name} "{{}}"]\n\n*\n\n'
        for name in ("Event", "Setup", "Position", "Date", "TimeControl", "Termination", "Result")
    },
    "the tag Game": '[Game "{}"]\n\n*\n\n',
}


@pytest.mark.parametrize("reader", READERS)
def test_nothing_long_is_kept_of_records_that_were_read(reader: str) -> None:
    read, much = READERS[reader], {}
    for part, record in LONG_PARTS.items():
        read(record.format("a").encode())
        texts = (record.format(f"{reader}{number}{'x' * LONG}") for number in range(10))
        content = "".join(texts).encode()
        tracemalloc.start()
        read(content)
        gc.collect()  # errors of Lark hold what they are about in circles
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        if kept >= 3 * LONG:
            much[part] = kept
    assert much == {}


# Any bytes; how much more is changed is met in tests/house/test_strangers.py.


def test_of_a_file_with_a_few_bytes_changed_most_records_survive() -> None:
    whole, mutants, survived = len(read_and_check(SEED_FILE.encode())), 40, 0
    for seed in range(mutants):
        found = read_and_check(mutant(SEED_FILE, SEED_FILE, random.Random(seed)).encode())
        survived += sum(not entry.problems for entry in found)
    assert survived > mutants * whole * 0.2


@given(st.binary(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=40).map(b"".join))
def test_any_bytes_and_signs_are_read_to_their_end(content: bytes) -> None:
    read_and_check(content)
    read_and_check(b'[Game "yavalath"]\n\n' + content + b' *\n\n[Game "surikata"]\n\n*\n')
