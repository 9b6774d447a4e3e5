"""Archives in order, divided and joined: laws of the library below the commands."""

from __future__ import annotations

import io
import resource
import string
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from exploring import one_in
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS, TAG_VALUES
from sample_records import bare, tournament

from lath.notation import format_record
from lath.notation.archive import (
    COMPRESSIONS,
    LONGEST,
    Key,
    KeyNameError,
    Names,
    Parts,
    in_order,
    key,
    keys,
    order_by,
    safe_name,
    verbatim,
)
from lath.notation.files import HALF
from lath.notation.index import open_records
from lath.notation.reader import entries, entries_of
from lath.notation.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def texts_of(data: bytes) -> list[str]:
    return [entry.text for entry in entries_of(io.BytesIO(data), "archive", rules=False)]


# Verbatim


@one_in(2)
@given(st.lists(RECORDS, max_size=5))
def test_what_is_written_verbatim_is_read_back_as_it_was(records: list[Record]) -> None:
    texts = [format_record(record).rstrip("\n") for record in records]
    assert texts_of(b"".join(verbatim(texts))) == texts


def test_line_ends_comments_and_indentation_are_carried_over() -> None:
    text = '  [Game "yavalath"]\r\n[Event "x"]\r\n\r\n1. e5 {a\r\n  b} ;c\r\n   *'
    data = b"".join(verbatim([text, text]))
    assert texts_of(data) == [text, text]


# Keys


def sorted_values(name: str, values: Iterable[str]) -> list[str]:
    one = key(name)
    records = [Record((("Game", "yavalath"), (one.name, value))) for value in values]
    return [record.tag(one.name) for record in sorted(records, key=one.order)]


def test_numbers_part_by_part_come_before_words_by_the_alphabet() -> None:
    long = "9" * 5000
    for name, values, ordered in (
        (
            "round",
            ["final", "10", "2", "1.10", "1.2", "1", "01", "", "?", "Semi", "final B"],
            ["1", "01", "1.2", "1.10", "2", "10", "final", "final B", "Semi", "", "?"],
        ),
        ("Round", [long, "a", "3"], ["3", long, "a"]),  # a number of a thousand digits is a word
        ("first", ["bob", "Ann", "ann", "Bob"], ["Ann", "ann", "Bob", "bob"]),
        (
            "X",
            ["x", "-x", "10", "+3", "2", "1.2", "0", "-1", "-20"],
            ["-20", "-1", "0", "1.2", "2", "+3", "10", "-x", "x"],
        ),
    ):
        assert sorted_values(name, values) == ordered


def test_results_and_plies_are_keys_of_their_own() -> None:
    records = [bare("a", "b", result) for result in ("*", "1/2-1/2", "0-1", "1-0")]
    ordered = sorted(records, key=key("result").order)
    assert [record.result for record in ordered] == ["1-0", "0-1", "1/2-1/2", "*"]
    games = tournament(["ann", "bob"], 1)
    lengths = [len(record.plies) for record in sorted(games, key=key("plies").order)]
    assert lengths == sorted(lengths)


def test_what_can_be_no_tag_is_no_key() -> None:
    for name in ("", "a b", "1st", "date;", "date,"):
        with pytest.raises(KeyNameError, match="nothing that records have"):
            keys(name)


VALUES = st.one_of(TAG_VALUES, st.text("0123456789.aA\0\x01\xff", max_size=6))


@given(st.lists(st.tuples(VALUES, VALUES), max_size=8))
def test_several_keys_order_as_their_tuples_do(pairs: list[tuple[str, str]]) -> None:
    chosen = (Key("Round"), Key("X"))
    records = [Record((("Game", "g"), ("Round", a), ("X", b))) for a, b in pairs]
    by_tuples = sorted(records, key=lambda record: tuple(one.order(record) for one in chosen))
    assert sorted(records, key=lambda record: order_by(chosen, record)) == by_tuples


@given(VALUES, VALUES)
def test_no_order_is_the_beginning_of_another(one: str, other: str) -> None:
    a, b = (Key("X").order(Record((("Game", "g"), ("X", value)))) for value in (one, other))
    assert a == b or not (a.startswith(b) or b.startswith(a))


# Ordering

ITEMS = st.lists(st.tuples(st.binary(max_size=2), st.binary(max_size=5)), max_size=60)


@given(ITEMS, st.booleans(), st.integers(1, 3000))
def test_sorting_in_any_memory_is_a_stable_permutation(
    items: list[tuple[bytes, bytes]], reverse: bool, memory: int
) -> None:
    ordered = sorted(items, key=lambda item: item[0], reverse=reverse)
    found = list(in_order(iter(items), reverse=reverse, memory=memory))
    assert found == [value for _, value in ordered]


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_no_file_stays_open_when_nobody_reads_to_the_end() -> None:
    before = open_files()
    sorting = in_order([(b"a", b"b" * 1000)] * 1000, memory=1)
    next(sorting)
    assert open_files() > before
    sorting.close()  # type: ignore[attr-defined]  # it is a generator
    assert open_files() == before


# File names


SAFE: Final = {
    "mammalath": "mammalath",
    "Autumn bots": "Autumn-bots",
    "../../etc/passwd": "etc-passwd",
    "..": "_",
    "": "_",
    ".hidden": "hidden",
    "-rf": "rf",
    "C:\\temp\\x": "C-temp-x",
    "nul": "_nul",
    "COM1.txt": "_COM1.txt",
    "com¹": "_com1",
    "ends.": "ends",
    "a\0b\nc\x1b[31m": "a-b-c-31m",
    "größer 中文": "größer-中文",
    "x" * 500: "x" * LONGEST,
    "中" * 500: "中" * (LONGEST // 3),
}


def test_a_name_is_safe_on_every_system_and_another_in_other_capitals() -> None:
    assert {text: safe_name(text) for text in SAFE} == SAFE
    names = Names()
    given_names = [names.of(text) for text in ("bots", "Bots", "BOTS", "bots")]
    assert given_names == ["bots", "Bots-2", "BOTS-3", "bots"]


@given(st.lists(st.one_of(TAG_VALUES, st.text("aA.-/ ", max_size=4)), max_size=12))
def test_names_are_safe_short_and_different_without_regard_to_capitals(texts: list[str]) -> None:
    names = Names()
    given_names = {text: names.of(text) for text in texts}
    assert {text: names.of(text) for text in texts} == given_names
    folded = {name.casefold() for name in given_names.values()}
    assert len(folded) == len(given_names) == len(names)
    for name in given_names.values():
        assert 0 < len(name.encode()) <= LONGEST
        assert not set(name) & set('/\\:*?"<>|' + string.whitespace + "\0")
        assert name[0] not in ".-"
        assert name[-1] != "."


# Parts


@pytest.mark.parametrize("compression", ["", *COMPRESSIONS])
def test_parts_hold_what_was_added_in_its_order(tmp_path: Path, compression: str) -> None:
    texts = [format_record(record).rstrip("\n") for record in tournament(["ann", "bob"], 2)]
    for memory in (1, 1 << 20):
        folder = tmp_path / str(memory)
        with Parts(folder, compression=compression, memory=memory) as parts:
            for number, text in enumerate(texts):
                parts.add(f"part{number % 3}", text)
        suffix = f".{compression}" if compression else ""
        assert names_in(folder) == [f"part{number}.lath{suffix}" for number in range(3)]
        for number, part in enumerate(parts.parts):
            assert [entry.text for entry in entries(part.path)] == texts[number::3]
            assert part.records == len(texts[number::3])
            with open_records(part.path) as records:
                assert records.has_index == (compression == "zst")
                assert records.entry(-1).text == texts[number::3][-1]


RECORD_TEXTS = st.lists(
    RECORDS.map(lambda record: format_record(record).rstrip("\n")), min_size=1, max_size=6
)


@one_in(2)
@given(RECORD_TEXTS, st.integers(1, 4), st.integers(1, 2000))
def test_joining_the_parts_gives_what_was_divided(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], every: int, memory: int
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    with Parts(folder, memory=memory) as parts:
        for number, text in enumerate(texts):
            parts.add(f"part-{number // every:04}", text)
    joined = [
        entry.text for path in sorted(folder.iterdir()) for entry in entries(path, rules=False)
    ]
    assert joined == texts


def names_in(folder: Path) -> Sequence[str]:
    return sorted(path.name for path in folder.iterdir())


def divide(folder: Path, *names: str | Callable[[], str], replace: bool = False) -> None:
    """Add a text to each part; what happens meanwhile is among them."""
    with Parts(folder, replace=replace, memory=1) as parts:
        for name in names:
            parts.add(name if isinstance(name, str) else name(), "text")


def test_a_failure_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> str:
        assert names_in(tmp_path)[0].endswith(HALF)
        raise RuntimeError

    def full(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    with pytest.raises(RuntimeError):
        divide(tmp_path / "new", "a", fail)
    assert names_in(tmp_path) == []
    monkeypatch.setattr("lath.notation.archive.compressed", full)
    with pytest.raises(OSError, match="No space"):
        divide(tmp_path, "a")
    assert names_in(tmp_path) == []


def test_a_file_that_is_there_is_not_replaced_unless_it_may_be(tmp_path: Path) -> None:
    (tmp_path / "a.lath").write_text("mine")
    with pytest.raises(FileExistsError):
        divide(tmp_path, "b", "a")
    assert names_in(tmp_path) == ["a.lath"]
    assert (tmp_path / "a.lath").read_text() == "mine"
    divide(tmp_path, "a", replace=True)
    assert (tmp_path / "a.lath").read_text() == "text\n"


def test_a_file_that_comes_meanwhile_is_not_replaced_either(tmp_path: Path) -> None:
    def come() -> str:
        (tmp_path / "a.lath").write_text("mine")
        return "c"

    with pytest.raises(FileExistsError):
        divide(tmp_path, "b", "a", come)
    assert names_in(tmp_path) == ["a.lath"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_many_parts_take_few_open_files(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (open_files() + 40, hard))
    try:
        with Parts(tmp_path, memory=1000) as parts:
            for number in range(900):
                parts.add(str(number % 300), f"text {number}")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(names_in(tmp_path)) == len(parts) == 300
