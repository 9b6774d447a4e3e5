"""PGN of headers: whatever is written is read back, and files of other programs as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from format_files import entries, problem_of, records_in, whole, written
from hypothesis import given
from hypothesis import strategies as st
from sample_records import random_game

from lath.games.core import Result
from lath.notation.record.record import Record
from lath.notation.record.tags import MOVES
from lath.notation.rules.replay import faults_of
from lath.notation.text.scanner import parse
from lath.notation.text.writer import format_record

if TYPE_CHECKING:
    from golden import Golden


def read(text: str | bytes) -> list[Record]:
    return records_in("pgn", text, rules=True)


HEAD = '[White "ann"]\n[Black "bob"]\n[Result "{}"]\n'

ALONE = {
    "a result and an empty line behind each": '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n',
    "an empty line behind each": '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n',
    "nothing behind each": '[White "a"]\n[Black "b"]\n[Result "1-0"]\n',
    "a line each": '[White "a"] [Black "b"] [Result "1-0"]\n',
    "a line each with its result": '[White "a"][Black "b"][Result "1-0"] 1-0\n',
    "lines of Windows": '[White "a"]\r\n[Black "b"]\r\n[Result "1-0"]\r\n\r\n1-0\r\n\r\n',
    "the result behind the moves alone": '[White "a"]\n[Black "b"]\n\n1. e4 e5 1-0\n\n',
    "moves without an empty line": '[White "a"]\n[Black "b"]\n[Result "1-0"]\n1. e4 1-0\n',
    "a line that is escaped": '% by a program\n[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n',
    "a header in a comment": (
        '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 {so:\n[White "c"]\n} e5 ; [\n1-0\n\n'
    ),
    "a comment that is never closed": '[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1. e4 {so\n\n',
}


def test_headers_of_any_program_are_a_game_each() -> None:
    expected = [("a", "b", "1-0")] * 3
    found = {
        how: [(one.first, one.second, one.result) for one in read(text * 3)]
        for how, text in ALONE.items()
    }
    assert found == dict.fromkeys(ALONE, expected)


def test_a_game_of_any_kind_counts_and_says_why_it_has_no_moves() -> None:
    with_moves, without = read(
        f'{HEAD.format("1-0")}[Variant "shogi"]\n\n1. P-7f 1-0\n\n{HEAD.format("*")}'
    )
    assert [(r.game, r.tag(MOVES)) for r in (with_moves, without)] == [
        ("shogi", "not read"),
        ("?", "not recorded"),
    ]
    assert with_moves.is_result_only


def test_a_result_alone_is_valid_in_our_text_too_and_moves_are_judged_as_ever() -> None:
    (record,) = read(HEAD.format("1/2-1/2"))
    assert parse(format_record(record)) == record
    assert not faults_of(record)
    shown = parse('[Game "yavalath"] [Moves "not read"] e5 1-0')
    assert [fault.code for fault in faults_of(shown)] == ["result"]
    assert [fault.code for fault in faults_of(parse('[Game "chess"] 1-0'))] == ["unknown-game"]


BAD = [
    HEAD.format("2-0"),
    HEAD.format("draw"),
    '\n[White "ann"]\n[Result "1-0"]\n',
    '[White ""]\n[Black "b"]\n[Result "*"]\n',
    '[White "ann"]\n[Black "bob"]\n\n1. e4',
    '[White "ann"]\n[Black bob]\n',
    "1. e4 1-0\n",
    f"{HEAD.format('1-0')}\n0-1\n",
]


def test_what_is_wrong_is_told_of_with_its_line_and_the_next_game_is_read(golden: Golden) -> None:
    told = {}
    for text in BAD:
        first, second = entries("pgn", f"{text}\n\n{HEAD.format('0-1')}", rules=True)
        assert second.record
        assert second.record.result == "0-1"
        told[repr(text)] = problem_of(first)
    golden(told)


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=9)
TAGS = st.dictionaries(
    st.sampled_from(["Event", "Site", "Round", "Opening", "Number", "Mood", "TimeControl", "Date"]),
    st.sampled_from(['so "quoted\\"', "2026-11-20", "10+0.1", "3.1", "-", "[x]", "{", ";"]),
)


@given(NAMES, NAMES, st.sampled_from(Result), TAGS, st.sampled_from(["?", "yavalath", "shogi"]))
def test_whatever_is_written_is_read_back(
    first: str, second: str, result: str, tags: dict[str, str], game: str
) -> None:
    known = {"First": first, "Second": second, **tags, MOVES: "not recorded", "Result": result}
    record = Record((("Game", game), *known.items()), (), Result(result))
    if "?" in (first, second) or faults_of(record):  # such as a date that is none: kept beside
        return
    again, other = read(whole("pgn", [record, record]))
    assert again == other
    assert dict(again.tags) == dict(record.tags)


def test_moves_are_named_as_lost() -> None:
    content, lost = written("pgn", [random_game("yavalath", 1)])
    assert lost == [(1, "moves")]
    assert content.startswith(b'[Event "Sample"]\n[Site "?"]\n[Date "')
    assert b'[Game "yavalath"]' in content


def test_a_value_that_means_nothing_here_is_kept_and_written_back() -> None:
    odd = {"Date": "Nov-2026 1.", "TimeControl": "40/7200:3600", "Termination": "normal"}
    for name, value in odd.items():
        (record,) = read(f'{HEAD.format("1-0")}[{name} "{value}"]')
        assert record.tag(name) == ""
        assert f'[{name} "{value}"]' in written("pgn", [record])[0].decode()
    (record,) = read(f'{HEAD.format("1-0")}[Termination "time forfeit"]')
    assert (record.termination, record.forfeit) == ("time", None)
