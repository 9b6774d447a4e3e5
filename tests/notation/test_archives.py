"""Archives in order, divided, joined and sampled; and when two records hold the same game."""

from __future__ import annotations

import io
import resource
import string
from collections import Counter
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final

import pytest
from exploring import one_in
from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS, TAG_VALUES
from sample_records import BUILT_IN, bare, random_game, tournament, with_tags
from walks import drawn_start, playout

from lath import games
from lath.games.core import Position, Result, symmetries
from lath.notation import canonical, format_record, parse
from lath.notation.archive.archive import (
    COMPRESSIONS,
    LONGEST,
    SIZE,
    ArchiveParts,
    Key,
    KeyNameError,
    Names,
    canonical_moves,
    identity,
    in_order,
    key,
    keys,
    order_by,
    safe_name,
    verbatim,
)
from lath.notation.archive.index import open_records
from lath.notation.archive.sampling import SampledRecord, Shares, sample
from lath.notation.files.files import HALF
from lath.notation.record.record import Record, Remembered, bare_plies
from lath.notation.rules.reading import entries, entries_of

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
        with pytest.raises(KeyNameError, match="records do not have"):
            keys(name)


VALUES = st.one_of(TAG_VALUES, st.text("0123456789.aA\0\x01\xff", max_size=6))


@given(st.lists(st.tuples(VALUES, VALUES), max_size=8))
def test_several_keys_order_as_their_tuples_do(pairs: list[tuple[str, str]]) -> None:
    chosen = (Key("Round"), Key("X"))
    records = [Record((("Game", "g"), ("Round", a), ("X", b))) for a, b in pairs]
    by_tuples = sorted(records, key=lambda record: tuple(one.order(record) for one in chosen))
    assert sorted(records, key=lambda record: order_by(chosen, record)) == by_tuples


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
        with ArchiveParts(folder, compression=compression, memory=memory) as parts:
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


def names_in(folder: Path) -> Sequence[str]:
    return sorted(path.name for path in folder.iterdir())


def divide(folder: Path, *names: str | Callable[[], str], replace: bool = False) -> None:
    """Add a text to each part; what happens meanwhile is among them."""
    with ArchiveParts(folder, replace=replace, memory=1) as parts:
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
    monkeypatch.setattr("lath.notation.archive.archive.compressed", full)
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
        with ArchiveParts(tmp_path, memory=1000) as parts:
            for number in range(900):
                parts.add(str(number % 300), f"text {number}")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert len(names_in(tmp_path)) == len(parts) == 300


SETUP = "FABCDE/EFABCD/DEFABC/CDEFAB/BCDEFA/ABCDEF"


def test_an_identity_is_sixteen_bytes_that_are_the_same_everywhere() -> None:
    """They may stand in files: a change of this text is a change of the format."""
    told = identity(parse('[Game "yavalath"] e5 swap *'))
    assert (len(told), told.hex()) == (SIZE, "ed9e62f497e49c35cb76e1e5d82db211")


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_only_moves_and_the_start_count(game_id: str) -> None:
    record = random_game(game_id, 5)
    said = random_game(game_id, 5, first="eve", annotated=True, Round="9", Opening="x")
    assert identity(with_tags(said, Result="*")) == identity(record)
    start = games.get(game_id).start(record.tag("Setup") or None).text()
    tags = tuple(tag for tag in record.tags if tag[0] != "Setup")
    by_position = replace(record, tags=(*tags, ("Position", start)))
    assert identity(by_position) == identity(record)
    beginnings = [replace(record, plies=record.plies[:n]) for n in range(len(record.plies) + 1)]
    assert len(set(map(identity, beginnings))) == len(beginnings)


PLAIN: Final = "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"
ONE: Final = (
    ('[Game "yavalath"] e5 swap', '[Game "yavalath"] e5 (d4 {closer}) swap'),
    ('[Game "mammalath"] c3', f'[Game "mammalath"] [Setup "{PLAIN}"] c3'),
    ('[Game "mammalath"] c3 xb4-b2', '[Game "mammalath"] c3 xb2-b4'),
    # what no game reads counts as it stands
    ('[Game "no-such-game"] x y', '[Game "no-such-game"] 1. x 2. y'),
)
OTHERS: Final = (
    '[Game "yavalath"] e5 swap d4',
    '[Game "manalath"] e5 swap d4',
    '[Game "yavalath"] e5 swap',
    '[Game "yavalath"] e5 swap d3',
    '[Game "yavalath"] e5 d4 swap',
    '[Game "yavalath"] [Position "5/6/7/8/9/8/7/6/wb3 w"] e5 swap d4',
    '[Game "yavalath"] [Setup "none such"] e5 swap d4',
    '[Game "no-such-game"] e5 swap d4',
    *('[Game "yavalath"] e5 e5', '[Game "yavalath"] e5 e99'),
    *('[Game "no-such-game"] x', '[Game "no-such-game"] [Setup "a"] x'),
    *('[Game "no-such-game"] x y', '[Game "no-such-game"] y x'),
    *('[Game "mammalath"] c3', f'[Game "mammalath"] [Setup "{SETUP}"] c3'),
)


def test_records_are_one_game_or_others() -> None:
    for one, other in ONE:
        assert identity(parse(f"{one} *")) == identity(parse(f"{other} 1-0")), (one, other)
    assert len({identity(parse(f"{text} *")) for text in OTHERS}) == len(OTHERS)


@given(RECORDS)
def test_every_record_has_the_identity_of_its_canonical_form(record: Record) -> None:
    assert identity(record) == identity(canonical(record))
    assert len(identity(record)) == SIZE


def test_canonical_moves_are_those_of_the_canonical_record() -> None:
    record = parse('[Game "mammalath"] c3 xb4-b2 oops *')
    assert canonical_moves(record) == canonical(record).moves == ("c3", "xb2-b4", "oops")


def test_memory_of_spellings_stays_bounded() -> None:
    spelled = Remembered(games.get("mammalath").canonical, 3)
    moves = ("c3", "xb4-b2", "a1", "a2", "a3", "a4", "xb4-b2")
    assert [spelled[move] for move in moves][-1] == "xb2-b4"
    assert len(spelled) <= 3


def rows(texts: Sequence[str]) -> list[SampledRecord]:
    return [SampledRecord(b"", "", text) for text in texts]


def drawn(texts: Sequence[str], size: int, seed: int) -> list[str]:
    return [row.text for row in sample(rows(texts), size, seed)]


def record(start: Position, moves: Sequence[str], result: str = "*") -> Record:
    tags = (("Game", start.game.id), ("Position", start.text()))
    return Record(tags, bare_plies(moves), Result(result))


def test_every_set_of_so_many_is_as_likely_as_any_other() -> None:
    counts = Counter(tuple(drawn("abcde", 2, seed)) for seed in range(1000))
    assert set(counts) == set(combinations("abcde", 2)), "in their order, and all of them"
    chi_squared = sum((count - 100) ** 2 / 100 for count in counts.values())
    assert chi_squared < 27.9, "of 9 degrees of freedom 1 in 1000 is above"
    texts = ["same"] * 6 + ["one", "two", "three", "four"]
    copies = sum(drawn(texts, 5, seed).count("same") for seed in range(1000))
    assert abs(copies - 3000) < 6 * 27, "hypergeometric: 0.82 a draw"


def test_a_sample_is_the_same_for_any_order_and_keeps_the_order() -> None:
    texts = [f"game {Random(place).randrange(4000)}" for place in range(3000)]
    before = drawn(texts, 20, seed=7)
    shuffled = Random(1).sample(texts, len(texts))
    after = drawn(shuffled, 20, seed=7)
    assert sorted(after) == sorted(before)
    for whole, part in ((texts, before), (shuffled, after)):
        rest = iter(whole)
        assert all(text in rest for text in part), "each behind the one before it"
    assert drawn(texts, 20, seed=8) != before
    assert drawn("abca", 9, seed=1) == list("abca"), "all there are"


def test_a_game_and_its_images_have_one_part() -> None:
    shares, parts = Shares({"train": 1, "test": 1}, seed=3), set()
    for game_id, seed in product(games.ids(), range(3)):
        start = drawn_start(games.get(game_id), seed)
        moves = playout(start, Random(seed))
        of = {
            shares.part_of(record(way.position(start), list(map(way.move, moves)), result))
            for way in symmetries(start)
            for result in ("*", "1-0")
        }
        assert len(of) == 1, (game_id, seed)
        parts |= of
    assert parts == {"train", "test"}


def test_shares_are_what_was_asked_for_within_chance() -> None:
    shares = Shares({"train": 8, "validation": 1, "test": 1}, seed=1)
    start = games.get("surikata").start()
    chance = Random(1)
    lines = {tuple(playout(start, chance)[:12]) for _ in range(1000)}
    counts = Counter(shares.part_of(record(start, line)) for line in lines)
    for name, share in (("train", 0.8), ("validation", 0.1), ("test", 0.1)):
        bound = 4 * (len(lines) * share * (1 - share)) ** 0.5
        assert abs(counts[name] - share * len(lines)) < bound


def test_what_its_game_cannot_read_has_a_part_too() -> None:
    shares = Shares({"a": 1, "b": 1}, seed=1)
    for tags, move in (
        ((("Game", "chess"),), "e4"),
        ((("Game", "yavalath"),), "Qh4"),
        ((("Game", "yavalath"), ("Position", "?")), "e5"),
    ):
        odd = Record(tags, bare_plies([move]))
        assert shares.part_of(odd) == shares.part_of(odd) in {"a", "b"}
