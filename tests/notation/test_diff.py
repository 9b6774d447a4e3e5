"""What two archives have in common: what is layout, what differs, and what belongs together."""

from __future__ import annotations

import io
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hypothesis import given
from hypothesis import strategies as st
from record_strategies import RECORDS
from sample_records import tournament

from lath.notation import canonical, format_record, parse
from lath.notation.archive import comparison
from lath.notation.archive.archive import keys, temporary_database
from lath.notation.archive.comparison import (
    Comparison,
    ComparisonFinding,
    RecordDifference,
    content,
    difference,
    key_of,
)
from lath.notation.rules.reading import entries_of
from lath.notation.text.splitting import Entry

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

    import pytest

    from lath.notation.record.record import Record

GAME = '[Game "yavalath"] [First "ann"] [Round "1"] '


class Side:
    """One archive of a test, which counts how often it is read."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._data = "\n\n".join(texts).encode()
        self.read = 0

    def __iter__(self) -> Iterator[tuple[Entry, Record]]:
        self.read += 1
        for entry in entries_of(io.BytesIO(self._data), "side", rules=False):
            assert entry.record is not None
            yield entry, entry.record


def compared(
    a: Sequence[str], b: Sequence[str], *, key: str = "", moves_only: bool = False
) -> tuple[int, list[tuple[int | None, int | None]]]:
    """Return how many are equal, and the numbers of what is not, in A and in B."""
    equal, findings = found(a, b, key=key, moves_only=moves_only)
    numbers = [(f.a.number if f.a else None, f.b.number if f.b else None) for f in findings]
    return equal, numbers


def found(
    a: Sequence[str], b: Sequence[str], *, key: str = "", moves_only: bool = False
) -> tuple[int, list[ComparisonFinding]]:
    comparison = Comparison(key=keys(key) if key else (), moves_only=moves_only)
    findings = list(comparison.findings(Side(a), Side(b)))
    return comparison.equal, findings


def texts(records: Sequence[Record]) -> list[str]:
    return [format_record(record).rstrip("\n") for record in records]


# Two records


def unlike(
    ply: int | None = None,
    moves: tuple[str | None, str | None] = (None, None),
    tags: tuple[tuple[str, str | None, str | None], ...] = (),
    words: int | None = None,
) -> RecordDifference:
    return RecordDifference(ply, moves, tags, words)


SAME: Final = (
    ("1. e5 2. swap *", "e5\n\n  swap *"),
    ('[Event "x"] e5 *', '[Event "x"]\r\n\r\n1. e5\r\n*'),
    ('[Date "?"] [Event "x"] e5 *', '[Event "x"] [Date "?"] e5 *'),
    ("e5 {a   b [%emt 0.5]} *", "e5 {a b\n[%emt 0.500]} *"),
    ("e5 {} *", "e5 *"),
    ("e5 {a} *", "e5 ;a\n*"),
    ("e5 *", '[Position "5/6/7/8/9/8/7/6/5 w"] e5 *'),
    ("e5 *", '[Result "*"] e5 *'),
    ("e5 *", '[Rules "1"] e5 *'),
)
OTHER_START: Final = "5/6/7/8/9/8/7/6/wb3 w"
DIFFERENT: Final = (
    ("e5 d4 *", "e5 d3 *", unlike(2, ("d4", "d3"))),
    ("e5 *", "e5 d3 *", unlike(2, (None, "d3"))),
    ("e5 d3 *", "e5 *", unlike(2, ("d3", None))),
    ("e5 *", "e5 1-0", unlike(tags=(("Result", "*", "1-0"),))),
    (
        *('[Date "?"] e5 *', '[Site "x"] e5 *'),
        unlike(tags=(("Date", "?", None), ("Site", None, "x"))),
    ),
    ("e5 *", "e5! *", unlike(words=1)),
    ("e5! *", "e5? *", unlike(words=1)),
    ("e5 d4 *", "e5 d4 {why} *", unlike(words=2)),
    ("e5 d4 (d3) *", "e5 d4 (d3 e3) *", unlike(words=2)),
    ("e5 *", "{first words} e5 *", unlike(words=0)),
    ("e5 {a} d4 *", "e5 {b} d3 *", unlike(2, ("d4", "d3"), words=1)),
    (
        *("e5 *", f'[Position "{OTHER_START}"] e5 *'),
        unlike(tags=(("Start", "5/6/7/8/9/8/7/6/5 w", OTHER_START),)),
    ),
    # what looks like the end of the tags hides no comment
    ('[X "? \\" ]"]\n\ne5 ;"]\n d4 *', '[X "? \\" ]"]\n\ne5 \n d4 *', unlike(words=1)),
)


def test_layout_makes_no_difference_and_everything_else_does() -> None:
    same = [tuple(f'[Game "yavalath"] {text}' for text in pair) for pair in SAME]
    spelled = '[Game "mammalath"] c3 xb4-b2 (xa4-a2 {better}) *'
    same.append((spelled, spelled.replace("xb4-b2", "xb2-b4").replace("xa4-a2", "xa2-a4")))
    for one, other in same:
        a, b = parse(one), parse(other)
        assert not difference(a, b), (one, other)
        assert content(a) == content(b)
    for one, other, differs in DIFFERENT:
        a, b = (parse(f'[Game "yavalath"] {text}') for text in (one, other))
        assert difference(a, b) == differs, (one, other)
        assert content(a) != content(b)


@given(RECORDS)
def test_a_record_is_the_same_as_its_canonical_form(record: Record) -> None:
    text = format_record(record)
    for other in (parse(text), canonical(record)):
        assert not difference(record, other)
        assert content(record) == content(other)


@given(RECORDS, RECORDS)
def test_contents_are_equal_exactly_where_nothing_differs(one: Record, other: Record) -> None:
    for record in (other, replace(one, result=other.result), replace(one, plies=other.plies)):
        assert (content(one) == content(record)) == (not difference(one, record))


def test_a_record_without_names_has_no_key() -> None:
    assert key_of(parse('[Game "yavalath"] e5 *')) is None
    assert key_of(parse('[Game "yavalath"] [Round "1"] e5 *')) is not None
    assert key_of(parse('[Game "yavalath"] e5 *'), keys("game")) is not None


# Two archives

ANN_1 = GAME + "e5 d4 *"
ANN_2 = GAME.replace('"1"', '"2"') + "e5 swap *"


OF_ONE_KEY: Final = [GAME + "e5 d4 *", GAME + "e5 c3 *"], [GAME + "a1 *", GAME + "e5 c3 1-0"]
MENDED: Final = ANN_1.replace("ann", "Ann")
ARCHIVES_COMPARED: Final[tuple[tuple[list[str], list[str], str, object], ...]] = (
    ([ANN_1, ANN_2], [ANN_2.replace("e5", "1. e5"), ANN_1], "", (2, [])),
    # records of one archive alone
    ([ANN_1, ANN_2], [ANN_2], "", (1, [(1, None)])),
    ([ANN_2], [ANN_1, ANN_2], "", (1, [(None, 1)])),
    ([], [ANN_1], "", (0, [(None, 1)])),
    ([], [], "", (0, [])),
    # copies are counted one by one
    ([ANN_1] * 3, [ANN_1] * 5, "", (3, [(None, 4), (None, 5)])),
    ([ANN_1] * 2, [ANN_1], "", (1, [(2, None)])),
    # of one key those with the same moves first
    (*OF_ONE_KEY, "", (0, [(1, 1), (2, 2)])),
    (OF_ONE_KEY[0], OF_ONE_KEY[1][::-1], "", (0, [(1, 2), (2, 1)])),
    # a game whose tags were mended is known by its moves
    ([ANN_1], [MENDED], "", (0, [(1, 1)])),
    ([ANN_1], [MENDED], "First", (0, [(1, None), (None, 1)])),
    ([ANN_1], [MENDED], "Game,Round", (0, [(1, 1)])),
    # games without names do not belong together by chance
    (['[Game "yavalath"] e5 d4 *'], ['[Game "yavalath"] e5 d3 *'], "", (0, [(1, None), (None, 1)])),
)


def test_what_is_equal_and_what_belongs_together() -> None:
    for a, b, key, expected in ARCHIVES_COMPARED:
        assert compared(a, b, key=key) == expected, (a, b, key)
    a = [ANN_1, ANN_1.replace('"1"', '"2"')]
    b = [ANN_1.replace("d4", "d3"), ANN_1.replace('"1"', '"2"')]
    assert compared(a, b, moves_only=True) == (1, [(1, 1)])


def test_moves_alone_may_be_compared() -> None:
    told = ANN_1.replace("*", "1-0").replace("e5", "e5! {why}").replace("ann", "eve")
    assert compared([ANN_1], [told], moves_only=True) == (1, [])
    equal, (finding,) = found([ANN_1], [told.replace("d4", "d3")], moves_only=True, key="Round")
    assert equal == 0
    assert finding.difference == RecordDifference(2, ("d4", "d3"), (), None)


def test_by_other_rules_the_same_moves_are_another_game() -> None:
    told = ANN_1.replace("e5", '[Rules "2"] e5', 1)
    for moves_only in (True, False):
        equal, (finding,) = found([ANN_1], [told], moves_only=moves_only, key="Round")
        assert equal == 0
        assert finding.difference is not None
        assert finding.difference.tags == (("Rules", None, "2"),)


def test_a_finding_says_where_both_records_stand() -> None:
    _, (finding,) = found([ANN_2, ANN_1], [ANN_1.replace("d4", "d3"), ANN_2])
    assert finding.a
    assert finding.b
    assert (finding.a.number, finding.a.line, finding.b.number, finding.b.line) == (2, 3, 1, 1)
    assert finding.b.record.moves == ("e5", "d3")


ARCHIVES = st.lists(st.sampled_from(texts(tournament(["ann", "bob"], 1))), max_size=8)


ALIKE = st.lists(
    st.builds(
        '[Game "yavalath"] [Event "{}"] [Time "{}"] {} *'.format,
        *(st.sampled_from(values) for values in (["", "x", "y"], ["1", "2"], ["e5", "e5 d4"])),
    ),
    max_size=8,
)
"""Games of bots that repeat themselves: most are alike but for a tag."""


def paired_one_by_one(a: Sequence[str], b: Sequence[str]) -> tuple[int, list[tuple[int, int]]]:
    """Return how many are equal and which of the others belong together, each held beside all."""
    records = [list(map(parse, side)) for side in (a, b)]
    free = [list(range(len(side))) for side in records]

    def meet(alike: Callable[[Record, Record], bool]) -> Iterator[tuple[int, int]]:
        for one in list(free[0]):
            for other in free[1]:
                if alike(records[0][one], records[1][other]):
                    free[0].remove(one)
                    free[1].remove(other)
                    yield one + 1, other + 1
                    break

    def named_alike(one: Record, other: Record) -> bool:
        return one.tag("Event") == other.tag("Event") != ""

    equal = len(list(meet(lambda one, other: not difference(one, other))))
    pairs = [
        *meet(lambda one, other: named_alike(one, other) and one.moves == other.moves),
        *meet(named_alike),
        *meet(lambda one, other: one.moves == other.moves),
    ]
    return equal, sorted(pairs)


@given(ALIKE, ALIKE)
def test_pairs_are_those_that_come_of_holding_each_record_beside_all(
    a: list[str], b: list[str]
) -> None:
    equal, numbers = compared(a, b)
    pairs = [(one, other) for one, other in numbers if one and other]
    assert (equal, sorted(pairs)) == paired_one_by_one(a, b)


def test_a_comparison_takes_twice_the_steps_for_twice_the_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = 0

    def step() -> None:
        nonlocal steps
        steps += 1

    @contextmanager
    def counting(*tables: str) -> Iterator[sqlite3.Connection]:
        with temporary_database(*tables) as database:
            database.set_progress_handler(step, 1)
            yield database

    def steps_of(records: int, tag: str) -> int:
        nonlocal steps
        steps = 0
        one, other = (
            [GAME + f'[{tag} "{side}{n}"] e5 d4 *' for n in range(records)] for side in "ab"
        )
        equal, numbers = compared(one, other)
        assert (equal, len(numbers)) == (0, records)
        return steps

    monkeypatch.setattr(comparison, "temporary_database", counting)
    for tag in ("Time", "Event"):  # of one key, and of one line of moves
        assert steps_of(400, tag) < 2.2 * steps_of(200, tag)


def test_both_sides_are_read_once_side_by_side() -> None:
    a, b = Side([ANN_1]), Side([ANN_2, ANN_2.replace("swap", "d3"), ANN_1])
    assert len(list(Comparison().findings(a, b))) == 2
    assert (a.read, b.read) == (1, 1)
