"""Whatever a file was made to do to its reader: it is read in linear time, and told of rightly."""

from __future__ import annotations

import csv
import gc
import io
import json
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

from lath import notation
from lath.notation import formats
from lath.notation.formats import json_text
from lath.notation.record.errors import RecordSyntaxError
from lath.notation.rules.reading import entries_of
from lath.notation.rules.validation import Findings, validate_stream
from lath.notation.text import scanner, splitting
from lath.notation.text.scanner import size_fault
from lath.notation.text.splitting import Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from golden import Golden


MEGABYTE: Final = 1 << 20

END: Final = b'\n\n[Game "surikata"]\n\n1. Mc3 *\n'
"""A sound record: it must be read whatever stands before it."""


def entries_in(content: bytes) -> list[Entry]:
    return list(entries_of(io.BytesIO(content), "f"))


def findings_in(content: bytes) -> Findings:
    return together(validate_stream(io.BytesIO(content), "f"))


@pytest.mark.slow
@pytest.mark.parametrize("is_slow", [False, True])
def test_hostile_text_is_told_of_and_the_record_after_it_is_read(
    is_slow: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(splitting, "_BLOCK", MEGABYTE // 2000)  # as if each text were a long file
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


LONG: Final = 10_000
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


@pytest.mark.slow
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


HEAD = '[Game "yavalath"]\n\n'
SOUND = f"{HEAD}1. e5 *\n"
MAX_PARTS, MAX_WORDS, MAX_VALUES = 1000, 3000, 5000
MANY = MAX_PARTS + 2


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have limits that are reached soon."""
    monkeypatch.setattr(scanner, "MAX_PARTS", MAX_PARTS)
    monkeypatch.setattr(scanner, "MAX_WORDS", MAX_WORDS)
    monkeypatch.setattr(json_text, "MAX_VALUES", MAX_VALUES)


TOO_MANY = {
    "moves": "e5 " * MANY,
    "moves with numbers": "".join(f"{ply}.e5 " for ply in range(1, MANY)),
    "variations": "e5 " + "(d4) " * MANY,
    "deep variations": "(e5 " * MANY,
    "comments": "e5 " + "{}" * MANY,
    "lines of comments": "e5 " + ";x\n" * MANY,
    "annotations": "e5 {" + "[%a]" * MANY + "}",
}


@pytest.mark.usefixtures("small_limits")
def test_a_record_of_too_many_parts_or_words_is_told_before_it_is_read(golden: Golden) -> None:
    for name, moves in TOO_MANY.items():
        data = f"{HEAD}{moves} *\n\n{SOUND}".encode()
        (found,) = validate_stream(io.BytesIO(data), "long.lath")
        assert [(one.code, one.line) for one in found.problems] == [("size", 1)], name
        assert (found.records, found.bad, found.plies) == (2, 1, 1)
    tags = "".join(f'[A{number} ""]\n' for number in range(MAX_PARTS))
    said = []
    for text in (f"{HEAD.strip()}\n{tags}\n*\n", f"{HEAD}{{{'a ' * (MAX_WORDS + 1)}}} e5 *"):
        with pytest.raises(RecordSyntaxError) as refused:
            notation.parse(text)
        said.append(str(refused.value))
    golden("\n".join([found.problems[0].message, *said]))


def test_what_a_small_file_holds_takes_little_memory() -> None:
    data = f"{HEAD}{'e5 ' * 1_000_000}*\n".encode()
    tracemalloc.start()
    (found,) = validate_stream(io.BytesIO(data), "long.lath")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [problem.code for problem in found.problems] == ["size"]
    assert peak < 10 * len(data)  # a Ply alone takes more for each move of three letters


@pytest.mark.usefixtures("small_limits")
def test_a_long_record_within_the_limits_is_read() -> None:
    said = '{(so [it] is) "e5" [%clk 1.000]} '
    plies = MAX_PARTS // 3 - 1
    record = notation.parse(f"{HEAD}{f'e5 {said}' * plies}*")
    assert len(record.plies) == plies
    assert size_fault(notation.format_record(record)) is None


def _as_csv(moves: str) -> str:
    out = io.StringIO()
    csv.writer(out).writerows([("game", "movetext"), ("yavalath", moves), ("yavalath", "e5")])
    return out.getvalue()


EMPTY = {"tags": [["Game", "yavalath"]], "comments": [], "result": "*"}
OTHER_FORMATS = {
    "jsonlines": "".join(
        json.dumps({**EMPTY, "plies": [{"move": "e5"}] * plies}) + "\n"
        for plies in (MAX_VALUES // 2, MAX_PARTS + 1, 1)
    ),
    "ygn": f"[5/6/7/8/9/8/7/6/5 w]\n{'E5 ' * MANY}\n\n[5/6/7/8/9/8/7/6/5 w]\n1. E5\n",
    "csv": _as_csv("e5 " * MANY),
}


@pytest.mark.usefixtures("small_limits")
def test_other_formats_have_the_same_limits() -> None:
    for name, text in OTHER_FORMATS.items():
        *long, last = formats.entries(io.BytesIO(text.encode()), name, "long", rules=False)
        codes = [problem.code for entry in long for problem in entry.problems]
        assert codes == ["size"] * (2 if name == "jsonlines" else 1), name
        assert last.problems == ()
