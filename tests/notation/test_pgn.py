"""PGN of headers: whatever is written is read back, and files of other programs as they come."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_records import random_game

from lath.notation.formats import entries, pgn
from lath.notation.reader import Entry
from lath.notation.record import MOVES, RESULTS, Record
from lath.notation.replay import faults_of
from lath.notation.scanner import parse
from lath.notation.writer import format_record


def read(text: str | bytes) -> list[Entry]:
    data = text.encode() if isinstance(text, str) else text
    return list(entries(io.BytesIO(data), "pgn", "f.pgn", rules=True))


def results(text: str | bytes) -> list[tuple[str, str, str]]:
    found = [entry.record for entry in read(text)]
    return [(one.first, one.second, one.result) for one in found if one]


def written(*records: Record) -> tuple[str, list[str]]:
    lost: list[str] = []
    pieces = pgn.write(records, lambda _, field: lost.append(field))
    return b"".join(pieces).decode(), lost


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


@pytest.mark.parametrize("how", ALONE)
def test_headers_of_any_program_are_a_game_each(how: str) -> None:
    assert results(ALONE[how] * 3) == [("a", "b", "1-0")] * 3
    assert results("\ufeff" + ALONE[how]) == [("a", "b", "1-0")]


def test_a_game_of_any_kind_counts_and_says_why_it_has_no_moves() -> None:
    with_moves, without = read(
        f'{HEAD.format("1-0")}[Variant "shogi"]\n\n1. P-7f 1-0\n\n{HEAD.format("*")}'
    )
    assert with_moves.record
    assert without.record
    assert [(r.game, r.tag(MOVES)) for r in (with_moves.record, without.record)] == [
        ("shogi", "not read"),
        ("?", "not recorded"),
    ]
    assert not with_moves.problems + without.problems
    assert with_moves.record.is_result_only


def test_a_result_alone_is_sound_in_our_text_too_and_moves_are_judged_as_ever() -> None:
    record = read(HEAD.format("1/2-1/2"))[0].record
    assert record
    assert parse(format_record(record)) == record
    assert not faults_of(record)
    shown = parse('[Game "yavalath"] [Moves "not read"] e5 1-0')
    assert [fault.code for fault in faults_of(shown)] == ["result"]
    assert [fault.code for fault in faults_of(parse('[Game "chess"] 1-0'))] == ["unknown-game"]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (HEAD.format("2-0"), 3, "'2-0' is no result; expected 1-0, 0-1, 1/2-1/2 or *"),
        (HEAD.format("draw"), 3, "'draw' is no result; did you mean '1/2-1/2'?"),
        (
            '\n[White "ann"]\n[Result "1-0"]\n',
            2,
            'the tag Black is missing; expected [Black "NAME"]',
        ),
        (
            '[White ""]\n[Black "b"]\n[Result "*"]\n',
            1,
            'the tag White is empty; expected [White "NAME"]',
        ),
        (
            '[White "ann"]\n[Black "bob"]\n\n1. e4',
            1,
            "the tag Result is missing; expected it with 1-0,",
        ),
        ('[White "ann"]\n[Black bob]\n', 2, "'[Black bob]' is no tag; expected a tag such as"),
        ("1. e4 1-0\n", 1, "moves without tags; expected a tag such as"),
        (f"{HEAD.format('1-0')}\n0-1\n", 3, "the tag says 1-0, but the moves end in 0-1; expected"),
    ],
)
def test_what_is_wrong_is_told_of_with_its_line_and_the_next_game_is_read(
    text: str, line: int, message: str
) -> None:
    first, second = read(f"{text}\n\n{HEAD.format('0-1')}")
    (problem,) = first.problems
    assert (problem.line, str(problem).startswith("f.pgn:")) == (line, True)
    assert message in str(problem)
    assert second.record
    assert second.record.result == "0-1"


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=9)
TAGS = st.dictionaries(
    st.sampled_from(["Event", "Site", "Round", "Opening", "Number", "Mood", "TimeControl", "Date"]),
    st.sampled_from(['so "quoted\\"', "2026-11-20", "10+0.1", "3.1", "-", "[x]", "{", ";"]),
)


@given(NAMES, NAMES, st.sampled_from(RESULTS), TAGS, st.sampled_from(["?", "yavalath", "shogi"]))
def test_whatever_is_written_is_read_back(
    first: str, second: str, result: str, tags: dict[str, str], game: str
) -> None:
    known = {"First": first, "Second": second, **tags, MOVES: "not recorded", "Result": result}
    if "?" in (first, second):
        return
    record = Record((("Game", game), *known.items()), (), result)
    text, lost = written(record, record)
    again, other = read(text)
    if faults_of(record):  # such as a date that is none: it is kept beside
        return
    assert not lost
    assert again.record == other.record
    assert again.record
    assert dict(again.record.tags) == dict(record.tags)


def test_moves_are_named_as_lost() -> None:
    text, lost = written(random_game("yavalath", 1))
    assert lost == ["moves"]
    assert text.startswith('[Event "Sample"]\n[Site "?"]\n[Date "')
    assert '[Game "yavalath"]' in text


@pytest.mark.parametrize("name", ["Date", "TimeControl", "Termination"])
def test_a_value_that_means_nothing_here_is_kept_and_written_back(name: str) -> None:
    value = {"Date": "Nov-2026 1.", "TimeControl": "40/7200:3600", "Termination": "normal"}[name]
    record = read(f'{HEAD.format("1-0")}[{name} "{value}"]')[0].record
    assert record
    assert record.tag(name) == ""
    assert f'[{name} "{value}"]' in written(record)[0]


def test_words_of_pgn_for_endings_are_ours() -> None:
    record = read(f'{HEAD.format("1-0")}[Termination "time forfeit"]')[0].record
    assert record
    assert (record.termination, record.forfeit) == ("time", None)
