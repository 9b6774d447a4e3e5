"""What the text of one record means, feature by feature, and what it refuses."""

from __future__ import annotations

import pytest

from lath.notation import Annotation, Ply, Record, RecordSyntaxError, Variation, parse
from lath.notation.errors import Fault
from lath.notation.parser import parse_closely
from lath.notation.record import GLYPHS, MAX_NESTING, RESULTS, comment, tag_faults

HEAD = '[Game "yavalath"]\n\n'


def plies_of(movetext: str) -> tuple[Ply, ...]:
    """Return the plies of a record with this movetext and an open result."""
    return parse(f"{HEAD}{movetext} *").plies


def only_ply(movetext: str) -> Ply:
    """Return the one ply of a movetext."""
    (ply,) = plies_of(movetext)
    return ply


def fault_of(text: str) -> Fault:
    """Return why a text is no record."""
    with pytest.raises(RecordSyntaxError) as refusal:
        parse(text)
    assert str(refusal.value) == refusal.value.fault.message
    return refusal.value.fault


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
            Ply("c3", comments=(note,)),
            Ply("swap"),
            Ply("d4", "!"),
            Ply("xF"),
            Ply("xb2-b4"),
            Ply("e5", variations=(Variation((Ply("xA"), Ply("a1"))),)),
            Ply("c1"),
        ),
        result="0-1",
    )


def test_a_record_knows_its_players_and_its_moves_by_name() -> None:
    record = parse('[Game "yavalath"][First "Ann"][Termination "rules"] 1. e5 2. swap *')
    assert (record.game, record.first, record.second) == ("yavalath", "Ann", "?")
    assert (record.termination, record.moves) == ("rules", ("e5", "swap"))
    assert record.tag("Event", "none") == "none"


def test_values_of_tags_escape_quotes_and_backslashes() -> None:
    record = parse(r'[Game "yavalath"] [Event "\"a\\b\" \\\" ]["] *')
    assert record.tag("Event") == r'"a\b" \" ]['


def test_a_value_may_be_empty_and_may_hold_any_letters() -> None:
    record = parse('[Game "yavalath"]\n[Event ""]\n[Site "Zürich {;} (1-0) ☃"]\n\n*')
    assert (record.tag("Event", "missing"), record.tag("Site")) == ("", "Zürich {;} (1-0) ☃")


def test_unknown_tags_are_kept_in_their_order() -> None:
    record = parse('[Game "yavalath"] [Zeta "1"] [alpha_2 "2"] [Mood "fine"] *')
    assert [name for name, _ in record.tags] == ["Game", "Zeta", "alpha_2", "Mood"]


def test_tags_may_stand_on_one_line_and_movetext_directly_after() -> None:
    assert parse('[Game "yavalath"][Round "1"]1.e5 2.swap *').moves == ("e5", "swap")


@pytest.mark.parametrize("result", RESULTS)
def test_each_result_ends_a_record(result: str) -> None:
    assert parse(f"{HEAD}1. e5 {result}").result == result
    assert parse(f"{HEAD}{result}\n").plies == ()


def test_numbers_may_be_left_out() -> None:
    assert plies_of("1. e5 2. swap 3. d4") == plies_of("e5 swap d4") == plies_of("e5 2. swap d4")


def test_a_number_that_is_there_is_kept_for_the_check() -> None:
    places = parse_closely(f"{HEAD}1. e5 swap 7. d4 *").places
    assert [place.number for place in places] == [1, None, 7]


def test_a_number_may_touch_its_move() -> None:
    assert plies_of("1.e5 2.swap") == plies_of("1. e5 2. swap")


def test_a_ply_knows_where_its_move_stands() -> None:
    text = f"{HEAD}1. e5 {{a comment}} 2.swap! *"
    places = parse_closely(text).places
    assert [text[place.at :].split(maxsplit=1)[0] for place in places] == ["e5", "swap!"]


@pytest.mark.parametrize("glyph", GLYPHS)
def test_each_glyph_may_touch_its_move_or_not(glyph: str) -> None:
    assert only_ply(f"e5{glyph}") == only_ply(f"e5 {glyph}") == Ply("e5", glyph)


def test_a_glyph_may_touch_what_follows() -> None:
    ply = only_ply("e5!?{why}(d4?)")
    assert ply == Ply("e5", "!?", (("why",),), (Variation((Ply("d4", "?"),)),))


@pytest.mark.parametrize("move", ["c3", "xF", "xb2-b4", "Oe5", "Mc3", "swap", "a+b=c:d@e/f-g"])
def test_a_move_is_a_word_of_letters_digits_and_a_few_signs(move: str) -> None:
    assert only_ply(move) == Ply(move)


def test_comments_stand_in_braces_or_after_a_semicolon() -> None:
    ply = only_ply("e5 {in braces} ; to the end } of the line\n")
    assert ply.comments == (("in braces",), ("to the end } of the line",))


def test_a_comment_may_span_lines_and_its_blanks_run_together() -> None:
    assert only_ply("e5 {one\n\n  two\tthree }").comments == (("one two three",),)


def test_an_empty_comment_is_not_kept() -> None:
    assert only_ply("e5 {} { \n } ;\n") == Ply("e5")


def test_comments_before_the_first_move_belong_to_the_record() -> None:
    record = parse(f"{HEAD}{{one}} ;two\n 1. e5 *")
    assert record.comments == (("one",), ("two",))
    assert record.plies == (Ply("e5"),)


def test_comments_before_the_first_move_of_a_variation_belong_to_it() -> None:
    assert only_ply("e5 ({why} d4)").variations == (Variation((Ply("d4"),), (("why",),)),)


def test_a_move_may_have_several_variations_and_they_may_nest() -> None:
    inner = Variation((Ply("c3"),))
    assert only_ply("e5 (1. d4 (1. c3) 2. a1) (1. b2)").variations == (
        Variation((Ply("d4", variations=(inner,)), Ply("a1"))),
        Variation((Ply("b2"),)),
    )


def test_variations_nest_as_deep_as_is_allowed_and_no_deeper() -> None:
    deep = f"e5 {'(e5 ' * MAX_NESTING}{')' * MAX_NESTING}"
    depth = 0
    ply = only_ply(deep)
    while ply.variations:
        depth += 1
        ply = ply.variations[0].plies[0]
    assert depth == MAX_NESTING
    fault = fault_of(f"{HEAD}e5 {'(e5 ' * (MAX_NESTING + 1)}{')' * (MAX_NESTING + 1)} *")
    assert fault.message == "variations are nested more than 100 deep"
    assert fault.at == len(HEAD) + len("e5 ") + MAX_NESTING * len("(e5 ")


def test_parentheses_in_comments_and_values_are_not_nested() -> None:
    many = "(" * (MAX_NESTING + 1)
    assert only_ply(f"e5 {{{many}}} ;{many}\n").comments == ((many,), (many,))
    assert parse(f'[Game "{many}"] *').game == many


def test_annotations_are_told_apart_from_the_words_round_them() -> None:
    ply = only_ply("e5 {book [%emt 0.5] move[%eval -0.25][%mood] end}")
    assert ply.comments == (
        ("book", Annotation("emt", "0.500"), "move", Annotation("eval", "-0.25"),
         Annotation("mood", ""), "end"),
    )  # fmt: skip
    assert (ply.used_s, ply.eval) == (0.5, -0.25)


def test_times_have_three_decimals_and_other_values_stay_as_they_are() -> None:
    assert comment("[%emt 1] [%clk 2.00049] [%eval 0.1] [%emt soon] [%pv  e5   swap ]") == (
        Annotation("emt", "1.000"),
        Annotation("clk", "2.000"),
        Annotation("eval", "0.1"),
        Annotation("emt", "soon"),
        Annotation("pv", "e5 swap"),
    )


def test_a_ply_without_annotations_has_no_time_and_no_eval() -> None:
    ply = only_ply("e5 {fine}")
    assert (ply.used_s, ply.eval, ply.annotation("pv")) == (None, None, None)


def test_an_annotation_that_is_no_number_has_none() -> None:
    assert only_ply("e5 {[%emt soon]}").used_s is None


@pytest.mark.parametrize(
    ("text", "found", "expected", "at"),
    [
        ("", "the record ends too early", 'a tag such as [Game "mammalath"]', 0),
        ("hello", "'hello' does not belong here", 'a tag such as [Game "mammalath"]', 0),
        ("[Game 3] *", "the value is not in double quotes", "a value in double quotes", 6),
        ('[Game "a" *', "'*' does not belong here", "]", 10),
        ('[3 "a"] *', "'3' does not belong here", "the name of a tag", 1),
        ('[Game "a\n"] *', "the value is never closed", '" on the same line', 6),
        (r'[Game "a\n"] *', r"unknown escape \n in a value", r"\" or \\", 8),
        (f"{HEAD}1. e5 {{a", "the comment is never closed", "}", 25),
    ],
)
def test_what_is_wrong_is_said_in_english_with_its_place(
    text: str, found: str, expected: str, at: int
) -> None:
    fault = fault_of(text)
    assert (fault.message, fault.expected, fault.at) == (found, expected, at)
    assert fault.code == "syntax"


def tags_wrong_with(tags: str) -> list[tuple[str, str]]:
    """Return message and expectation of what is wrong with the tags of a record."""
    return [(fault.message, fault.expected) for fault in tag_faults(parse(f"{tags} *"))]


def test_game_must_be_there_and_come_first() -> None:
    assert tags_wrong_with('[Event "a"]') == [
        ("the tag Game is missing", 'a tag such as [Game "mammalath"]')
    ]
    assert tags_wrong_with('[Event "a"] [Game "b"]') == [
        ("the tag Event stands before Game", "Game first")
    ]


def test_no_tag_may_come_twice() -> None:
    assert tags_wrong_with('[Game "a"] [Event "b"] [Event "b"] [Game "c"]') == [
        ("the tag Event stands there twice", "each tag once"),
        ("the tag Game stands there twice", "each tag once"),
    ]
    assert tags_wrong_with('[Game "a"] [Event "b"] [event "b"]') == []
