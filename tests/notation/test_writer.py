"""The canonical text of a record: one for each, read back as the same, in lines of 100 columns."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Final

from exploring import one_in
from hypothesis import example, given
from hypothesis import strategies as st
from record_strategies import RECORDS

from lath.notation import format_record, format_records, parse
from lath.notation.reader import entries_of
from lath.notation.record import (
    Ply,
    Record,
    Variation,
    annotation,
    comment,
    ply_as_read,
    record_as_read,
    variation_as_read,
)
from lath.notation.writer import WIDTH

LONG_WORD = re.compile(r"\[%[^\[\]]*\]|^\(*;.*")
"""What is one word although it has blanks: an annotation, and a comment to the end of the line."""

BARE = Record((("Game", "yavalath"),))


def with_comment(text: str) -> Record:
    """Return a record with one comment at its only move."""
    return replace(BARE, plies=(Ply("e5", comments=(comment(text),)),))


def movetext_of(record: Record) -> str:
    """Return the canonical text after the tags."""
    return format_record(record).split("\n\n", 1)[1]


def read_back(text: str) -> list[Record | None]:
    """Return the records of a file with this text."""
    return [entry.record for entry in entries_of(io.BytesIO(text.encode()), "f", rules=False)]


@given(RECORDS)
def test_the_text_of_a_record_reads_back_as_the_same_record(record: Record) -> None:
    text = format_record(record)
    assert parse(text) == record
    assert format_record(parse(text)) == text


@one_in(2)
@given(st.lists(RECORDS, min_size=1, max_size=4))
@example([with_comment(f"{'x' * 90} [Game of the year] {'y' * 90}")])
@example([with_comment("ends in }"), BARE])
def test_a_file_of_records_reads_back_as_the_same_records(records: list[Record]) -> None:
    assert read_back("".join(format_records(records))) == records


@given(RECORDS)
def test_lines_of_movetext_have_100_columns_and_no_blank_at_their_end(record: Record) -> None:
    lines = movetext_of(record).split("\n")
    assert lines.pop() == ""
    assert all(line and line == line.rstrip(" \t") for line in lines)
    for line in lines:
        shown = re.sub(r"( \[Game)+$", "", line)  # it never begins a line
        if len(shown) > WIDTH:
            assert " " not in LONG_WORD.sub("word", shown), "one word"


def test_the_canonical_form_is_as_the_notation_shows_it() -> None:
    record = Record(
        tags=(("Game", "mammalath"), ("Event", 'The "big" one \\ two'), ("Result", "0-1")),
        comments=(("Both bots at 2 threads.",),),
        plies=(
            Ply("c3", comments=((annotation("emt", "0.0123"), annotation("eval", "0.1")),)),
            Ply("swap"),
            Ply("d4", "!"),
            Ply(
                "xF",
                variations=(
                    Variation((Ply("xA"), Ply("a1")), comments=(("safer",),)),
                    Variation((Ply("xB", variations=(Variation((Ply("xC"),)),)),)),
                ),
            ),
        ),
        result="0-1",
    )
    assert format_record(record) == (
        '[Game "mammalath"]\n'
        '[Event "The \\"big\\" one \\\\ two"]\n'
        '[Result "0-1"]\n'
        "\n"
        "{Both bots at 2 threads.}\n"
        "1. c3 {[%emt 0.012] [%eval 0.1]} 2. swap 3. d4! 4. xF ({safer} 4. xA 5. a1) "
        "(4. xB (4. xC)) 0-1\n"
    )


def varied(*variations: Variation) -> Record:
    return replace(BARE, plies=(Ply("e5", variations=variations),))


INNER: Final = Variation((Ply("a1"), Ply("a2")))
OUTER: Final = Variation((Ply("b1"), Ply("b2", variations=(INNER,)), Ply("b3")))
NUMBERED: Final = replace(BARE, plies=(Ply("c1"), Ply("c2", variations=(OUTER,)), Ply("c3")))
MOVETEXTS: Final = (
    (BARE, "*\n"),
    (with_comment("a } in it [%emt 1]"), "1. e5 ;a } in it [%emt 1.000]\n*\n"),
    (with_comment(f"a {'x' * 120} b"), f"1. e5 {{a\n{'x' * 120}\nb}} *\n"),
    # a comment to the end of the line closes no variation
    (
        varied(Variation((Ply("d4", comments=(("}",),)),), comments=(("{}",),))),
        "1. e5 (;{}\n1. d4 ;}\n) *\n",
    ),
    (NUMBERED, "1. c1 2. c2 (2. b1 3. b2 (3. a1 4. a2) 4. b3) 3. c3 *\n"),
    *(
        (with_comment(text), f"1. e5 {{{written}}} *\n")
        for text, written in (
            *(("[%a[%b 1]", "[%a [%b 1]"), ("[%a [%b 1]]", "[%a [%b 1] ]")),
            *(("[%a x][%b", "[%a x] [%b"), ("[%[%emt 1]", "[% [%emt 1.000]")),
        )
    ),
)


def test_movetext_is_written_in_one_way_and_read_back() -> None:
    for record, text in MOVETEXTS:
        assert movetext_of(record) == text
        assert parse(format_record(record)) == record


def test_what_no_constructor_takes_is_not_written() -> None:
    """Empty comments, line ends in values, and variations without moves."""
    broken = record_as_read((("Game", "yavalath"), ("Event", "two\nlines\r\nor three")))
    assert '[Event "two lines or three"]\n' in format_record(broken)
    for empty in ((), ("",), ("", " ")):
        plies = (ply_as_read("e5", comments=(empty, ("kept",))),)
        record = record_as_read(BARE.tags, plies, comments=(empty,))
        assert movetext_of(record) == "1. e5 {kept} *\n"
    lost = varied(variation_as_read(()), variation_as_read((), (("lost",),)))
    assert movetext_of(lost) == "1. e5 *\n"
    assert "".join(format_records([])) == ""


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_reading_a_comment_and_writing_it_changes_it_only_once(text: str) -> None:
    once = comment(text)
    assert comment(" ".join(map(str, once))) == once
