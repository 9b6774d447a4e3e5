"""What the text of one record means, and the canonical text in which it is written."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from typing import Final

import pytest
from exploring import one_in
from hypothesis import example, given
from hypothesis import strategies as st
from record_strategies import RECORDS

from lath.games.core import RESULTS, Result
from lath.notation import (
    Annotation,
    Ply,
    Record,
    RecordSyntaxError,
    Variation,
    format_record,
    format_records,
    parse,
)
from lath.notation.record.record import (
    GLYPHS,
    MAX_NESTING,
    annotation,
    comment,
    ply_as_read,
    record_as_read,
    variation_as_read,
)
from lath.notation.rules.reading import entries_of
from lath.notation.text.parser import parse_closely
from lath.notation.text.writer import WIDTH

HEAD = '[Game "yavalath"]\n\n'


def plies_of(movetext: str) -> tuple[Ply, ...]:
    """Return the plies of a record with this movetext and an open result."""
    return parse(f"{HEAD}{movetext} *").plies


def test_the_record_of_the_notation_page_is_read_whole() -> None:
    record = parse(
        '[Game "mammalath"]\n[First "greedy"]\n[Result "0-1"]\n\n'
        "{Both bots at 2 threads.}\n"
        "1. c3 {[%emt 0.012] [%eval 0.1]} 2. swap 3. d4! 4. xF 5. xb2-b4\n"
        "6. e5 (6. xA 7. a1) 7. c1 0-1\n"
    )
    note = (Annotation("emt", "0.012"), Annotation("eval", "0.1"))
    assert record == Record(
        tags=(("Game", "mammalath"), ("First", "greedy"), ("Result", "0-1")),
        comments=(("Both bots at 2 threads.",),),
        plies=(
            *(Ply("c3", comments=(note,)), Ply("swap"), Ply("d4", "!"), Ply("xF"), Ply("xb2-b4")),
            Ply("e5", variations=(Variation((Ply("xA"), Ply("a1"))),)),
            Ply("c1"),
        ),
        result=Result("0-1"),
    )


def test_a_record_knows_its_players_and_its_moves_by_name() -> None:
    record = parse('[Game "yavalath"][First "Ann"][Termination "rules"]1.e5 2.swap *')
    assert (record.game, record.first, record.second) == ("yavalath", "Ann", "?")
    assert (record.termination, record.moves) == ("rules", ("e5", "swap"))
    assert record.tag("Event", "none") == "none"
    for result in RESULTS:
        assert parse(f"{HEAD}1. e5 {result}").result == result
        assert parse(f"{HEAD}{result}\n").plies == ()


TAGS: Final = (
    (r'[Event "\"a\\b\" \\\" ]["]', ("Event", r'"a\b" \" ][')),
    ('[Event ""]', ("Event", "")),
    ('[Site "Zürich {;} (1-0) ☃"]', ("Site", "Zürich {;} (1-0) ☃")),
    ('[Zeta "1"] [alpha_2 "2"] [Mood "fine"]', ("Zeta", "1"), ("alpha_2", "2"), ("Mood", "fine")),
)


def test_tags_are_kept_in_their_order_with_any_letters_in_their_values() -> None:
    for text, *tags in TAGS:
        assert parse(f'[Game "yavalath"]\n{text}\n\n*').tags == (("Game", "yavalath"), *tags)


D4: Final = Variation((Ply("d4"),))
PLIES: Final[dict[str, tuple[Ply, ...]]] = {
    **{f"e5{blank}{glyph}": (Ply("e5", glyph),) for glyph in GLYPHS for blank in ("", " ")},
    **{move: (Ply(move),) for move in ("c3", "xF", "xb2-b4", "Oe5", "swap", "a+b=c:d@e/f-g")},
    **{
        text: (Ply("e5"), Ply("swap"), Ply("d4"))
        for text in ("1. e5 2. swap 3. d4", "e5 swap d4", "e5 2. swap d4", "1.e5 2.swap 3.d4")
    },
    "e5!?{why}(d4?)": (Ply("e5", "!?", (("why",),), (Variation((Ply("d4", "?"),)),)),),
    "e5 {in braces} ; to } the end\n": (Ply("e5", "", (("in braces",), ("to } the end",))),),
    "e5 {one\n\n  two\tthree }": (Ply("e5", "", (("one two three",),)),),
    "e5 {} { \n } ;\n": (Ply("e5"),),
    "e5 ({why} d4)": (Ply("e5", "", (), (Variation((Ply("d4"),), (("why",),)),)),),
    "e5 (1. d4 (1. c3) 2. a1) (1. d4)": (
        Ply(
            "e5",
            variations=(
                Variation((Ply("d4", variations=(Variation((Ply("c3"),)),)), Ply("a1"))),
                D4,
            ),
        ),
    ),
    "e5 {book [%emt 0.5] move[%eval -0.25][%mood] end}": (
        Ply(
            "e5",
            comments=(
                ("book", Annotation("emt", "0.500"), "move", Annotation("eval", "-0.25"),
                 Annotation("mood", ""), "end"),
            ),
        ),
    ),
    "e5 {[%emt 1] [%clk 2.00049] [%emt soon] [%pv  e5   swap ]}": (
        Ply(
            "e5",
            comments=(
                (Annotation("emt", "1.000"), Annotation("clk", "2.000"), Annotation("emt", "soon"),
                 Annotation("pv", "e5 swap")),
            ),
        ),
    ),
}  # fmt: skip


def test_plies_have_glyphs_comments_annotations_and_variations() -> None:
    for text, plies in PLIES.items():
        assert plies_of(text) == plies, text


def test_comments_before_the_first_move_belong_to_the_record() -> None:
    record = parse(f"{HEAD}{{one}} ;two\n 1. e5 *")
    assert record.comments == (("one",), ("two",))
    assert record.plies == (Ply("e5"),)


def test_a_ply_knows_its_number_and_where_its_move_stands() -> None:
    text = f"{HEAD}1. e5 {{a comment}} swap! 7.d4 *"
    places = parse_closely(text).places
    assert [text[place.at :].split(maxsplit=1)[0] for place in places] == ["e5", "swap!", "d4"]
    assert [place.number for place in places] == [1, None, 7]


def test_variations_nest_as_deep_as_is_allowed_and_no_deeper() -> None:
    (ply,) = plies_of(f"e5 {'(e5 ' * MAX_NESTING}{')' * MAX_NESTING}")
    depth = 0
    while ply.variations:
        depth += 1
        ply = ply.variations[0].plies[0]
    assert depth == MAX_NESTING
    with pytest.raises(RecordSyntaxError, match="nested") as refusal:
        plies_of(f"e5 {'(e5 ' * (MAX_NESTING + 1)}{')' * (MAX_NESTING + 1)}")
    assert refusal.value.fault.at == len(HEAD) + len("e5 ") + MAX_NESTING * len("(e5 ")
    many = "(" * (MAX_NESTING + 1)  # in comments and values they are not nested
    assert plies_of(f"e5 {{{many}}} ;{many}\n")[0].comments == ((many,), (many,))
    assert parse(f'[Game "{many}"] *').game == many


def test_times_and_evals_are_numbers_or_none() -> None:
    for text, numbers in (
        ("e5 {[%emt 0.5] [%eval -0.25]}", (0.5, -0.25)),
        ("e5 {fine}", (None, None)),
        ("e5 {[%emt soon]}", (None, None)),
    ):
        (ply,) = plies_of(text)
        assert (ply.used_s, ply.eval, ply.annotation("pv")) == (*numbers, None)


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
        result=Result("0-1"),
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
