"""The query language: what each word means, and how what is no query is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from places import DOCS
from query_strategies import TREES, Tree, answer, is_like, printed, quoted, records

from lath.games.errors import IllegalMoveError, UnknownGameError
from lath.notation import Record, parse
from lath.notation.archive import key
from lath.notation.query import QueryError, compile_query, doubts
from lath.notation.query_mistakes import TAGS
from lath.notation.questions import like

PAGE = DOCS / "queries.md"

RECORD = parse("""\
[Game "mammalath"]
[Event "Autumn bots"]
[Date "2026-11-20"]
[Round "03"]
[First "greedy"]
[Second "monte-carlo"]
[Setup "ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE"]
[Termination "illegal move"]
[Mood "calm"]
[Result "0-1"]

1. c3 2. swap {[%emt 0.5]} 3. d4 4. xb4-b2 0-1
""")
BARE = parse('[Game "yavalath"] *')


ORDERS = "'<', '<=', '>', '>='"
PLIES = "range of plies; expected one such as 20..30"
LISTS = "a list such as (a, b) or a range such as 20..30"
POSITIONS = 'position "…", or plain position "…" without images'
SHOWN = "a text as `arena show --json` prints it"


PLAINLY = "'position', 'after', 'reached' or 'pattern'"
CODES = "a piece's letter, . + - or ]"
LETTERS = "letters of one game's pieces, which fit onto its board"
ASKED = "a piece's letter, or . + -"
WHOSE = "mover, first, second, winner or loser, or a name in quotes"
A_NUMBER = "a number such as -0.5, of at most 15 digits"
WHEN = "'any ply', 'every ply', 'the last ply' or 'ply'"
NO_PLY = "what stands {} 'then' is of no single ply"
MOMENT = "a move, position, pattern or number, or several with 'or' in parentheses"


def matches(query: str) -> bool:
    return compile_query(query)(RECORD)


@pytest.mark.parametrize(
    "query",
    [
        "game = mammalath",
        "game=mammalath",
        "first = greedy and second = monte-carlo",
        "player = greedy and player = monte-carlo",
        "winner = monte-carlo and loser = greedy",
        "winner != greedy",
        "result = 0-1 and result != 1/2-1/2",
        'termination = "illegal move"',
        "event = 'Autumn bots'",
        "plies = 4 and plies > 3 and plies <= 4 and plies in (1, 4)",
        "move 1 = c3 and move 2 in (swap, d4) and move 9 != c3",
        "contains move xb2-b4 and contains move xb4-b2 and not contains move xF",
        "Mood = calm and tag.Mood = calm and tag.Mood != wild",
        "TimeControl != 10+0.1",
        "not comments and not variations",
        'Termination = "illegal move" and Result = 0-1',
    ],
)
def test_a_test_that_holds(query: str) -> None:
    assert matches(query)
    assert not matches(f"not ({query})")


def test_and_binds_closer_than_or_and_not_closest() -> None:
    assert matches("plies = 4 or plies = 5 and plies = 6")
    assert not matches("(plies = 4 or plies = 5) and plies = 6")
    assert matches("not plies = 5 and plies = 4")


def test_names_are_equal_letter_for_letter_but_alike_in_any_case() -> None:
    assert not matches("first = Greedy")
    assert matches("first ~ GREE*")
    assert matches("player ~ *-carlo")
    assert not matches("first ~ reed")


def test_rounds_and_tags_are_compared_as_numbers_where_both_are_some() -> None:
    assert matches("round = 3 and round < 10 and round >= 3.0")
    assert not matches("round > final"), "by letters, for final is no number"
    assert not matches("Mood < 10"), "calm is no number"
    assert matches("Mood > bad")


def test_numbers_are_exact() -> None:
    big = parse('[Game "yavalath"] [Seed "9007199254740993"] *')
    assert not compile_query("Seed = 9007199254740992")(big)
    assert compile_query("Seed > 9007199254740992")(big)


@pytest.mark.parametrize("low", range(6))
@pytest.mark.parametrize("high", range(6))
def test_a_range_is_what_lies_between_its_ends_and_these(low: int, high: int) -> None:
    if low <= high:
        assert matches(f"plies in {low}..{high}") is (low <= 4 <= high)
        assert matches(f"plies not in {low}..{high}") is not (low <= 4 <= high)
        assert matches(f"round in {low}..{high}.0") is (low <= 3 <= high)
        dates = f"2026-{low + 7:02}..2026-{high + 7:02}"
        assert matches(f"date in {dates} and Date in 2026-11-20..2026-12") is (low <= 4 <= high)
        assert not compile_query(f"date in {dates} or round in {low}..{high}")(BARE)
    else:
        with pytest.raises(QueryError, match="the range ends before it begins"):
            compile_query(f"plies in {low}..{high}")


def test_a_date_is_compared_as_far_as_the_query_says_it() -> None:
    assert matches("date = 2026 and date = 2026-11 and date = 2026-11-20")
    assert matches("date >= 2026-11 and date <= 2026-11 and not date > 2026-11")
    assert matches("date > 2026-11-19 and date < 2026-12 and date in (2025, 2026-11)")


@pytest.mark.parametrize(
    "name", ["first", "winner", "round", "date", "Annotator", "setup", "event"]
)
def test_what_is_missing_passes_no_test_but_not_equal(name: str) -> None:
    value = "2026" if name == "date" else "x"
    assert not compile_query(f"{name} = {value} or {name} ~ * or {name} in ({value})")(BARE)
    assert compile_query(f"{name} != {value} and {name} not in ({value})")(BARE)
    if name in ("round", "date", "Annotator"):
        assert not compile_query(f"{name} < {value} or {name} >= {value}")(BARE)


def test_an_unknown_date_is_missing() -> None:
    unknown = parse('[Game "yavalath"] [Date "?"] *')
    assert not compile_query("date < 9999 or date > 0000")(unknown)
    assert compile_query('Date = "?"')(unknown)


def test_a_setup_is_compared_as_its_game_reads_it() -> None:
    manalath = parse('[Game "manalath"] [Setup "c4 a1"] *')
    assert compile_query('setup = "a1 c4"')(manalath)
    assert not compile_query('setup in ("a1", "c4")')(manalath)
    assert matches("setup = ABCDEF/BCDEFA/CDEFAB/DEFABC/EFABCD/FABCDE and setup ~ ABC*")


def test_comments_are_words_and_not_annotations_wherever_they_stand() -> None:
    ask = compile_query("comments")
    assert not ask(RECORD)
    for text in ("{a} e5", "e5 {a}", "e5 ({a} d4)", "e5 (d4 (c3 {a}))"):
        assert ask(parse(f'[Game "yavalath"] {text} *'))
    assert compile_query("variations")(parse('[Game "yavalath"] e5 (d4) *'))


def test_a_position_is_one_that_the_main_line_comes_to() -> None:
    record = parse('[Game "yavalath"] 1. e5 (1. a1) 2. swap 3. d4 *')
    start, after = "5/6/7/8/9/8/7/6/5 w", "5/6/7/8/4b4/3w4/7/6/5 b"
    assert compile_query(f'plain position "{start}" and plain position "{after}"')(record)
    assert compile_query(f'plain position in ("5/6/7/8/9/8/7/6/w4 b", "{after}")')(record)
    assert not compile_query('plain position "5/6/7/8/9/8/7/6/w4 b"')(record)
    assert not compile_query(f'plain position "{start}"')(RECORD), "no position of mammalath"


def test_a_position_is_looked_for_only_up_to_where_it_is() -> None:
    illegal = parse('[Game "yavalath"] 1. e5 2. e5 *')
    assert compile_query('plain position "5/6/7/8/4w4/8/7/6/5 b"')(illegal)
    with pytest.raises(IllegalMoveError):
        compile_query('plain position "5/6/7/8/9/8/7/6/w4 b"')(illegal)
    with pytest.raises(UnknownGameError):
        compile_query('plain position "5/6/7/8/9/8/7/6/w4 b"')(parse('[Game "chess"] e4 *'))


@pytest.mark.parametrize("query", ["{0} and plies > 5", "not ({0} and plies > 5) or plies < 0"])
def test_what_is_cheap_is_asked_first(query: str) -> None:
    illegal = parse('[Game "yavalath"] 1. e5 2. e5 *')
    compile_query(query.format('plain position "5/6/7/8/9/8/7/6/w4 b"'))(illegal)


def test_moves_of_a_game_that_is_not_installed_are_compared_as_they_stand() -> None:
    chess = parse('[Game "chess"] 1. e4 2. O-O *')
    assert compile_query("contains move O-O and move 1 = e4 and not contains move o-o")(chess)


@given(TREES, records(), st.data())
def test_compiling_what_is_printed_answers_as_the_tree_does(
    tree: Tree, record: Record, chance: st.DataObject
) -> None:
    assert compile_query(printed(tree, chance))(record) is answer(tree, record)


@given(st.text(min_size=1), st.data())
def test_any_text_can_be_asked_for_in_quotes(text: str, chance: st.DataObject) -> None:
    record = Record((("Game", "yavalath"), ("First", text)))
    assert compile_query(f"first = {quoted(text, chance)}")(record)


@given(st.text("ab*?", max_size=8), st.text("ab", min_size=1, max_size=10))
def test_a_pattern_finds_what_trying_everything_finds(pattern: str, text: str) -> None:
    assert like(pattern)(text) is is_like(pattern, text)


def test_no_pattern_is_slow() -> None:
    assert not like("*a" * 40 + "*b")("a" * 4000)


@pytest.mark.parametrize(
    ("query", "message", "caret"),
    [
        ("", "the query is empty; expected a test such as plies > 20", 0),
        ("gmae = x", "nothing is called 'gmae': did you mean 'game'?", 0),
        ("game", "the query ends too early; expected '=', '!=', '~', 'in' or 'not in'", 4),
        ("game = ", "the query ends too early; expected a word or a text in quotes", 6),
        ("game = and x", "'and' is no value; expected a value before it, or it in quotes", 7),
        ("game = x plies > 3", "'plies' does not belong here; expected 'and', 'or' or the end", 9),
        ("game = yavalath:size=4", "the value has a '='; expected it in quotes", 7),
        ("game = a and event=c=d", "the value has a '='; expected it in quotes", 19),
        ("game == x", "'==': did you mean '='?", 5),
        ("game = x && plies = 3", "'&&': did you mean 'and'?", 9),
        ("game = x || plies = 3", "'||': did you mean 'or'?", 9),
        ("game = x OR plies = 3", "'OR': did you mean 'or'?", 9),
        ("game = x and NOT comments", "'NOT': did you mean 'not'?", 13),
        ("NOT (game = x)", "'NOT': did you mean 'not'?", 0),
        ("plies NOT in (3, 4)", "'NOT': did you mean 'not'?", 6),
        ("game IN (x, y)", "'IN': did you mean 'in'?", 5),
        ("CONTAINS move e5", "'CONTAINS': did you mean 'contains'?", 0),
        ("game <> x", "'<>': did you mean '!='?", 5),
        ("plies => 3", "'=>': did you mean '>='?", 6),
        ("plies ≥ 3", "'≥': did you mean '>='?", 6),
        ("first =~ x", "'=~': did you mean '~'?", 6),
        ("game is x", "'is': did you mean '='?", 5),
        ("!comments", "'!': did you mean 'not'?", 0),
        ("first < a", "'<' does not belong here; expected '=', '!=', '~', 'in' or 'not in'", 6),
        ("plies > x", "'x' does not belong here; expected a whole number of at most 9 digits", 8),
        ("plies~", f"'~' does not belong here; expected '=', '!=', {ORDERS}, 'in' or 'not in'", 5),
        ("plies not 3", "'3' does not belong here; expected 'in'", 10),
        ("game in x", "'x' does not belong here; expected a list such as (a, b)", 8),
        ("game in (a b)", "'b' does not belong here; expected ',' or ')'", 11),
        ("game = and", "'and' is no value; expected a value before it, or it in quotes", 7),
        ("(game = x", "the query ends too early; expected ')'", 9),
        ("game = x)", "')' does not belong here; expected the end", 8),
        ("contains xF", "'xF' does not belong here; expected 'move' and a move", 9),
        ("move 0 = d4", "there is no ply 0; expected 1 or more", 5),
        ("result = draw", "'draw' is no result; expected 1-0, 0-1, 1/2-1/2 or *", 9),
        ("date > today", "'today' is no date; expected the form 2026-11-20, 2026-11 or 2026", 7),
        ("Move = x", "there is no tag Move; expected move, or tag.Move for a tag of your own", 0),
        ('first = "abc', 'the text is never closed; expected " at its end', 8),
        ("first = 'a\\b'", r"unknown escape '\\b'; expected \" or \' or \\", 10),
        ("game = x AND y", "'AND': did you mean 'and'?", 9),
        ("date < 2026-13", "there is no month 13; expected 01 to 12", 7),
        ("date = 2026-00-01", "there is no month 00; expected 01 to 12", 7),
        ("date in (2024-02-29, 2026-02-29)", "2026-02 has no day 29; expected 01 to 28", 21),
        ("date = 2026-11-31", "2026-11 has no day 31; expected 01 to 30", 7),
        ("plies > 3 and or", "'or' does not belong here; expected a test such as plies > 20", 14),
        ("plies in 1.5..2", f"'1.5..2' is no {PLIES}", 9),
        ("plies in 1..1234567890", f"'1..1234567890' is no {PLIES}", 9),
        ("plies in 3", f"'3' does not belong here; expected {LISTS}", 9),
        ("date in 2026..2025-12", "the range ends before it begins; expected 2025-12..2026", 8),
        ("date in 2026-13..2027", "there is no month 13; expected 01 to 12", 8),
        ("date in 1..2", "'1' is no date; expected the form 2026-11-20, 2026-11 or 2026", 8),
        ("round in 2..2026-01", "'2..2026-01' has one number alone; expected two, or none", 9),
        ("round in -1..-2", "the range ends before it begins; expected -2..-1", 9),
        ("game in 1..2", "'1..2' does not belong here; expected a list such as (a, b)", 8),
        ("position '5/5'", f"'5/5' is a position of no installed game; expected {SHOWN}", 9),
        ("position in ('5/5')", f"'5/5' is a position of no installed game; expected {SHOWN}", 13),
        ("position = '5/5'", f"a position has no '='; expected {POSITIONS}", 9),
        ("plain position != '5/5'", f"a position has no '!'; expected {POSITIONS}", 15),
        ("position 5/5", "'5/5' does not belong here; expected 'in' or a text in quotes", 9),
        ("after e5", "'e5' does not belong here; expected a text in quotes", 6),
        ("after ' '", "there is no move; expected moves such as 'e5 swap d4'", 6),
        ("reached 'e5", "the text is never closed; expected ' at its end", 8),
        ("plain", f"the query ends too early; expected {PLAINLY}", 5),
        ("pattern ww", "'ww' does not belong here; expected a text in quotes", 8),
        ("pattern 'w3'", "'3' does not belong into a pattern; expected . for each empty cell", 10),
        ("not pattern 'w['", f"the pattern ends too early; expected {CODES}", 15),
        ("pattern 'wz'", f"no installed game can have this pattern; expected {LETTERS}", 8),
        ("pattern 'w' on z9", "'z9' is a cell of no installed game; expected one such as c3", 15),
        ("pattern '#' on c3", f"the pattern asks for nothing; expected {ASKED}", 9),
        ("pattern 'w' at c3", "'at' is for plies: did you mean 'on c3'?", 12),
        ("pattern 'w' in any colour", "'any' does not belong here; expected 'either colour'", 15),
        ("patern 'w'", "nothing is called 'patern': did you mean 'pattern'?", 0),
        ("eval > x", f"'x' does not belong here; expected {A_NUMBER}", 7),
        ("eval < 1" + 15 * "0", f"'1{15 * '0'}' does not belong here; expected {A_NUMBER}", 7),
        ("eval of losr > 0", "'losr' is nobody: did you mean 'loser'?", 8),
        ("eval of ann > 0", f"'ann' is nobody; expected {WHOSE}", 8),
        ("eval in 1..0", "the range ends before it begins; expected 0..1", 8),
        ("eval in 1-2..3", "'1-2..3' is no range of numbers; expected one such as 0.5..1", 8),
        ("depth = 4 at ply 0", "there is no ply 0; expected 1 or more", 17),
        ("depth = 4 at", f"the query ends too early; expected {WHEN}", 12),
        ("move 2 = d4 at ply 2", "'at' does not belong here; expected 'and', 'or' or the end", 12),
        ("comments then move 2 = d4", f"{NO_PLY.format('before')}; expected {MOMENT}", 9),
        ("move 2 = d4 then plies > 4", f"{NO_PLY.format('after')}; expected {MOMENT}", 12),
        ("move 2 = d4 then not eval = 0", f"'not' does not belong here; expected {MOMENT}", 17),
        ("move 2 != d4 then eval = 0", f"{NO_PLY.format('before')}; expected {MOMENT}", 13),
        ("move 2 = d4 THEN eval = 0", "'THEN': did you mean 'then'?", 12),
        ("(eval = 0 then eval = 1) then eval = 2",
         f"{NO_PLY.format('before')}; expected {MOMENT}", 25),
        ("eval = 0 then within 0 plies eval = 1",
         "nothing is later within 0 plies; expected 1 or more", 21),
        ("not " * 101 + "comments", "the query is nested more than 100 deep", 0),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place_and_what_was_expected(
    query: str, message: str, caret: int
) -> None:
    with pytest.raises(QueryError) as caught:
        compile_query(query)
    assert str(caught.value) == f"{message}\n  {query}\n  {' ' * caret}^"
    assert caught.value.at == caret


def test_a_mistake_in_a_query_of_several_lines_shows_its_line() -> None:
    with pytest.raises(QueryError) as caught:
        compile_query("game = yavalath\nand plies > 3\n\tor first < b")
    assert str(caught.value).endswith("\n   or first < b\n            ^")


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("game = yavalath and move 2 = swap and winner = anybody", ""),
        ("game = yavalat", "no game 'yavalat' is installed; did you mean 'yavalath'?"),
        ("not Game in (chess, surikata)", "no game 'chess' is installed"),
        ("game ~ yav*", ""),
        ("move 2 = swp", "no installed game has a move 'swp'; did you mean 'swap'?"),
        ("contains move E5 and game = yavalath", "'E5' is no move of yavalath; did you mean 'e5'?"),
        ("game = surikata and contains move zz", "'zz' is no move of surikata"),
        ("after 'e5 swp'", "no installed game has a move 'swp'; did you mean 'swap'?"),
        (
            "game = yavalath and move 1 = a9",
            "'a9' is no move of yavalath; expected a cell from a1 to a5",
        ),
        ("game = yavalath or move 1 = Mc3", "'Mc3' is a move of surikata, not of yavalath"),
        (
            "game in (yavalath, manalath) and move 1 = Mc3",
            "none of yavalath, manalath has a move 'Mc3'",
        ),
    ],
)
def test_what_may_be_a_slip_is_known_though_it_is_no_mistake(query: str, told: str) -> None:
    assert doubts(query) == ([told] if told else [])


def test_a_name_without_its_like_lists_all_there_are() -> None:
    with pytest.raises(QueryError, match=r"expected one of game, event, .*such as Annotator"):
        compile_query("zzzzz = 3")


@pytest.mark.parametrize("query", ["termination = lost", "termination in (rules, lost)"])
def test_a_termination_that_there_is_not_is_refused_with_those_that_there_are(query: str) -> None:
    with pytest.raises(QueryError, match=r"'lost' is no termination; expected rules, .* or unterm"):
        compile_query(query)


def test_parentheses_alone_nest_as_deep_as_they_like() -> None:
    assert matches("(" * 5000 + "plies = 4" + ")" * 5000)


def test_a_query_may_have_any_number_of_parts() -> None:
    assert matches(" or ".join(f"plies = {number}" for number in range(5000)))


def queries_of_the_page() -> Iterator[str]:
    for block in re.findall(r"^```query\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        yield from block.strip().splitlines()


@pytest.mark.parametrize("query", list(queries_of_the_page()))
def test_a_query_of_the_page_is_one(query: str) -> None:
    compile_query(query)


def test_a_position_of_a_game_with_parameters_is_found() -> None:
    matches = compile_query("plain position '4/5/6/7/6/5/w3 b'")
    assert matches(parse('[Game "yavalath:size=4,win=5"]\n\na1 b1 *'))
    assert not matches(parse('[Game "yavalath:size=4"]\n\nb1 a1 *'))
    assert not matches(parse('[Game "yavalath"]\n\na1 b1 *'))


@pytest.mark.parametrize("tag", TAGS.values())
def test_a_tag_in_wrong_case_is_told_of_the_right_one(tag: str) -> None:
    compile_query(f"{tag} = x")
    for wrong in {tag.lower(), tag.upper(), tag.capitalize()} - {tag}:
        for text in (f"{wrong} = x", f"plies > 3 and not {wrong} in (6, 7)"):
            with pytest.raises(QueryError) as error:
                compile_query(text)
            assert tag in str(error.value).partition("\n")[0]
        assert key(wrong).name == tag
    compile_query(f"tag.{tag.lower()} = x")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("White = Ann", "First in the place of White"),
        ("plies > 3 and not Black ~ 'Bo*'", "Second in the place of Black"),
        ("WhiteElo > 1500 or BlackElo > 1500", "SecondElo in the place of BlackElo"),
        ("winner = second", "result = 0-1?"),
        ("winner in (Ann, White)", "result = 1-0?"),
        ("loser = second", "result = 1-0?"),
    ],
)
def test_what_others_call_it_is_hinted_at_where_nothing_is_found(text: str, meant: str) -> None:
    assert meant in " ".join(doubts(text))


@pytest.mark.parametrize("text", ["First = Ann", "winner = Ann", "player = second", "plies > 10"])
def test_what_is_called_so_is_no_doubt(text: str) -> None:
    assert doubts(text) == []


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("ply > 10", "did you mean 'plies'?"),
        ("length > 10", "did you mean 'plies'?"),
        ("plies > 3 and white = Ann", "did you mean 'first'?"),
        ("first = Lee, Ann", 'expected it in quotes: "Lee, Ann"'),
        ("first = Lee, Ann and plies > 3", 'expected it in quotes: "Lee, Ann"'),
    ],
)
def test_what_others_write_is_told_with_ours(text: str, meant: str) -> None:
    with pytest.raises(QueryError) as caught:
        compile_query(text)
    assert meant in str(caught.value)
