"""What the text of one record means, feature by feature, and what it refuses."""

from __future__ import annotations

from typing import Final

import pytest

from lath.notation import Annotation, Ply, Record, RecordSyntaxError, Variation, parse
from lath.notation.parser import parse_closely
from lath.notation.record import GLYPHS, MAX_NESTING, RESULTS

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
        result="0-1",
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
