"""What the scanner reads itself, and that all fast paths say what Lark and the rules say."""

from __future__ import annotations

import pickle
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading_campaign import (
    SOURCES,
    DifferenceError,
    by_lark,
    campaign,
    content_of,
    rule_made,
    together,
    totals,
)
from record_strategies import ANNOTATIONS, RECORDS
from sample_records import BUILT_IN, cut, random_game

from lath import games
from lath.games.core import RESULTS
from lath.notation import Record, RecordSyntaxError, format_record, parse
from lath.notation.record.record import (
    GLYPHS,
    Annotation,
    Ply,
    Variation,
    ply_to_read,
    record_as_read,
)
from lath.notation.rules import quick_check, reading, validation
from lath.notation.rules.quick_check import valid_plies
from lath.notation.rules.reading import entry_of
from lath.notation.rules.validation import validate
from lath.notation.text import scanner, splitting
from lath.notation.text.parser import parse_closely
from lath.notation.text.scanner import NUMBERS, Parts, parts, plain_parts, scan
from lath.notation.text.splitting import RecordText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lath.notation.record.errors import Fault


HEAD = '[Game "yavalath"]\n\n'

SCANNED = (
    *(f"{HEAD}{result}" for result in RESULTS),
    *(f"{HEAD}e5{glyph} d4 {glyph} *" for glyph in GLYPHS),
    f"{HEAD}1. e5 2. swap 3. d4 *\n",
    f"{HEAD}1.e5 2.swap d4 4. c3 *",
    f"{HEAD}e5 swap d4 *",
    f"\r\n {HEAD}1. e5\r\n\t2. swap\r\n*\r\n",
    f"{HEAD}{{one}} ;two\n 1. e5!{{three}}{{}} ;\r\n; [%emt 1] four\n 2. swap *",
    f"{HEAD}1. e5 {{(1. d4)}} ;(2. d4)\n *",
    f"{HEAD}1. e5 {{[%emt 0.5] [%eval 2] }} {{[%}} *",
    '[ Game\n"x" ][Event "\\"a\\\\"][Site "{;}()"]\n;only comments\n{and more}\n0-1',
    '[Mood_2 "no game"] a+b=c:d@e/f-g *',
    f"{HEAD}{{é☃ \u2028 \u00a0 \x00}} e5 *",
)

LEFT_TO_LARK = (
    *("", "e5 *", HEAD, '[Game "a\n"] *', '[Game "\\n"] *'),
    *(
        f"{HEAD}{moves}"
        for moves in (
            *("e5", "1. e5 (1. d4) *", "1. e5 2. swap 4. d4 *", "0. e5 *", "01. e5 *"),
            *("2. e5 {a} *", "1. e5 2 swap *", "e5!!! *", "e5* ", "e5\u00a0*"),
            *("e5 {never closed *", "e5 ;to the end *", "e5 * *"),
        )
    ),
)


def outcome(read: Callable[[str], Record], text: str) -> Record | Fault:
    """Return the record that is read, or why there is none."""
    try:
        return read(text)
    except RecordSyntaxError as refusal:
        return refusal.fault


def test_the_scanner_reads_what_lark_reads_or_leaves_it_to_lark() -> None:
    for text in SCANNED:
        assert scan(text) == parse_closely(text).record, text
    for text in LEFT_TO_LARK:
        assert scan(text) is None, text
        assert outcome(parse, text) == outcome(lambda text: parse_closely(text).record, text)


def test_the_parts_of_a_record_are_texts_of_it() -> None:
    text = '[Game "a\\\\"] [Event "b"] {one} ;two\n1. e5! {three} 2. d4\n 1-0 '
    tags = [("Game", "a\\"), ("Event", "b")]
    assert parts(text) == (tags, "{one} ;two\n", "1. e5! {three} 2. d4\n ", "1-0", None)
    assert parts('[Game "a"]*') == ([("Game", "a")], "", "", "*", None)
    plain = plain_parts('[Game "a"]\n\n1. e5 {three} 2. d4 1-0\n')
    assert plain == ([("Game", "a")], "", "1. e5 {three} 2. d4 ", "1-0", ["e5", "d4"])
    assert plain_parts(text) is None


def test_more_plies_than_there_are_ready_numbers_are_read() -> None:
    count = len(NUMBERS) + 10
    text = format_record(Record((("Game", "x"),), (Ply("e5"), Ply("d4")) * count))
    assert scan(text) == parse_closely(text).record
    assert scan(text.replace(f"{2 * count}.", "1.")) is None


def played() -> Iterator[Record]:
    """Yield games of all kinds, finished and not, with comments and without."""
    for game_id in games.ids():
        for seed in range(6):
            record = random_game(game_id, seed, annotated=seed % 2 == 1)
            yield record
            yield cut(record, 5, "unterminated", "*")
            yield cut(record, 3, "resignation", "1-0")
            glyphs = [*GLYPHS, ""] * len(record.plies)
            marked = [replace(p, glyph=g) for p, g in zip(record.plies, glyphs, strict=False)]
            yield replace(record, plies=tuple(marked), comments=(("a } word",),))


def test_every_game_that_was_played_is_read_and_valid_without_lark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records = {format_record(record): record for record in played()}
    monkeypatch.setattr("lath.notation.text.parser.parse_closely", None)  # nobody reads it closely
    for text, record in records.items():
        assert parse(text) == record
        assert entry_of(RecordText(1, text), "f", 1).problems == ()
        assert valid_plies(text) == len(record.plies)


@given(RECORDS)
def test_the_canonical_text_of_a_record_goes_to_lark_only_for_its_variations(
    record: Record,
) -> None:
    has_variations = any(ply.variations for ply in record.plies)
    assert scan(format_record(record)) == (None if has_variations else record)


@given(st.lists(st.lists(ANNOTATIONS, min_size=1, max_size=3), min_size=1, max_size=6))
def test_what_bots_say_is_read_when_somebody_asks(said: list[list[Annotation]]) -> None:
    moves = [move for move in games.get("yavalath").board.names if move != "e5"]
    plies = [Ply(move, "", (tuple(notes),)) for move, notes in zip(moves, said, strict=False)]
    record = Record((("Game", "yavalath"),), tuple(plies))
    text = format_record(record)
    read = scan(text)
    assert read is not None
    for ply, notes in zip(read.plies, said, strict=True):
        assert ply.said in ("", f"{{{' '.join(map(str, notes))}}}")
    assert format_record(read) == text
    assert [ply.annotations for ply in read.plies] == [
        [(note.name, note.value) for note in notes] for notes in said
    ]
    assert [ply.said for ply in pickle.loads(pickle.dumps(read)).plies] == [""] * len(said)
    assert (read, pickle.loads(pickle.dumps(read))) == (record, record)
    assert hash(scan(text)) == hash(record)
    assert repr(scan(text)) == repr(record)


def test_only_what_stands_as_it_is_written_is_read_later() -> None:
    for said, is_read_later in (
        ("{[%emt 0.500] [%eval -0.12]} {[%pv e5 d4]}", True),
        ("{[%emt 0.5]}", False),  # it is written with three decimals
        ("{[%emt 00.500]}", False),
        ("{[%eval  0.5]}", False),
        ("{[%depth]}", False),
        ("{why [%emt 0.500]}", False),
        (";[%emt 0.500]\n", False),
    ):
        text = f"{HEAD}1. e5 {said} *"
        record = scan(text)
        assert record is not None
        assert record.plies[0].said == said * is_read_later
        assert record == parse_closely(text).record


def test_a_ply_has_no_other_names_and_its_move_is_a_plain_text() -> None:
    for ply in (Ply("e5"), ply_to_read("e5", "", "{[%emt 0.500]}")):
        with pytest.raises(AttributeError, match="'Ply' object has no attribute 'coments'"):
            getattr(ply, "coments")  # noqa: B009
    for text in (f"{HEAD}e5 *", f"{HEAD}e5! *", f"{HEAD}1. e5 *"):
        assert type(parse(text).plies[0].move) is str


def test_one_variation_sends_a_whole_record_to_lark() -> None:
    record = random_game(BUILT_IN[0], 1)
    first = replace(record.plies[0], variations=(Variation(record.plies[:1]),))
    text = format_record(replace(record, plies=(first, *record.plies[1:])))
    assert (scan(text), valid_plies(text)) == (None, None)
    assert parse(text).plies[0] == first


CASES: Final = 450


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_the_fast_paths_say_what_the_slow_ones_do(source: str) -> None:
    counts = campaign(source, CASES)
    assert 0 < counts.refused < counts.texts
    assert 0 < counts.told <= min(counts.sound, counts.scanned)
    assert counts.in_files > 0


@pytest.mark.slow
def test_several_processes_find_what_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games.lath"
    content = content_of(rule_made(30, 3), Random(3))
    file.write_bytes(content)
    monkeypatch.setattr(splitting, "_BLOCK", 1_500)  # as if it were a file of megabytes
    parts = list(validate(file, jobs=2))
    expected = by_lark(content, str(file))
    assert list(reading.entries(file, jobs=2)) == expected
    assert len(parts) > 3
    assert together(parts) == totals(expected)


@pytest.mark.slow
def test_a_plain_record_ends_in_a_result(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    for word, bad in (("1-0", 0), ("1/2", 1), ("2.", 1), ("d4", 1)):
        file.write_text(f'[Game "yavalath"]\n[Termination "time"]\n\n1. e5 {word}\n')
        (found,) = validate(file)
        assert found.bad == bad
    assert valid_plies(file.read_text().replace("d4", "1-0")) == 1


@pytest.mark.slow
def test_several_processes_read_the_lines_of_windows(tmp_path: Path) -> None:
    file = tmp_path / "games.lath"
    text = '[Game "yavalath"]\n[Termination "agreement"]\n\n1. e5 2. d4\n3. e4 1/2-1/2\n\n'
    for end in ("\r\n", "\t\n"):
        head, _, moves = text.partition("\n\n")
        file.write_bytes(f"{head}\n\n{moves.replace(chr(10), end, 1)}".encode() * 9)
        found = list(reading.entries(file, jobs=2))
        assert found == list(reading.entries(file))
        assert {entry.record and entry.record.moves for entry in found} == {("e5", "d4", "e4")}


READ: Final = Parts.record


def record_without_its_last_ply(found: Parts) -> Record | None:
    record = READ(found)
    return record and record_as_read(record.tags, record.plies[:-1], record.result, record.comments)


KIND: Final[Any] = type(games.get("yavalath").start())
AFTER: Final = KIND.after
SOUND_PLIES: Final = quick_check.plies_of
FAULTS: Final[dict[str, tuple[object, str, object]]] = {
    "escapes are not read": (scanner, "unquoted", lambda text: text[1:-1]),
    "the reader forgets a ply": (Parts, "record", record_without_its_last_ply),
    "a ply too many is counted": (
        *(validation, "plies_of"),
        lambda texts: [count and count + 1 for count in SOUND_PLIES(texts)],
    ),
    "a game forgets taken cells": (
        *(KIND, "after"),
        lambda position, moves: AFTER(position, list(dict.fromkeys(moves))),
    ),
    "a game does not look at the last move": (
        *(KIND, "after"),
        lambda position, moves: AFTER(position, moves) or AFTER(position, moves[:-1]),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, value = FAULTS[fault]
    monkeypatch.setattr(module, name, value)
    with pytest.raises(DifferenceError):
        campaign("mutants", 20 * CASES)
