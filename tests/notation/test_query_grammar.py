"""The grammar of queries says one thing about each text, as that of records does."""

from __future__ import annotations

from functools import cache

import pytest
from exploring import one_in
from grammars import collisions, shape
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import UnexpectedInput
from query_strategies import TREES, Tree, printed

from lath.notation.query import grammar
from lath.notation.query_mistakes import NAMES, ORDERED, WORDS

SAMPLES = (
    "game = yavalath",
    "game=mammalath-plus and plies>20",
    'not (first = \'a b\' or second != "c\\"d") and player ~ gre*',
    "not not game = x and not (plies in (1,2, 3)) or plies not in (4)",
    "plain position '5/5/5/5/5 - o' or not position in ('a', \"b\") and setup = -",
    "after 'e5 swap' and not plain reached \"e5 swap d4\"",
    "contains move xb2-b4 and move 3 = d4 and move 4 not in (xF, swap)",
    "date >= 2026-11 and Annotator < m and tag.round > 3 and round <= 1.5",
    "plies in 20..30 and not round not in -1..2.5 or date in 2026-01..2026-02-03",
    "comments or variations and comments",
    "first = game and second in (in, contains, move, plies) and winner = or1",
    "first=* and second=?",
    "contains move swap then within 3 plies plain pattern 'w[.b]' on c3 in either colour at ply 4",
    "not position in ('a', 'b') at the last ply then (reached 'e5' or move 3 = d4) then after 'a'",
    "eval of loser > 0.8 at any ply and time of 'ann' in -1..1 or clock = +3 at every ply",
    "depth<=4 then within 1 ply nodes of first=5 then pattern '#'",
    "result = 1/2-1/2 or result in (*, 1-0)",
)


@cache
def strict(text: str) -> Lark:
    return Lark(text, start="query", parser="lalr", lexer="contextual", strict=True)


@cache
def explicit(text: str) -> Lark:
    return Lark(text, start="query", parser="earley", lexer="dynamic", ambiguity="explicit")


def test_lark_builds_the_grammar_in_strict_mode() -> None:
    assert strict(grammar()).parse(SAMPLES[0]).data == "query"


def test_no_terminal_reads_the_beginning_of_another_in_the_same_state() -> None:
    assert collisions(strict(grammar())) == set()


@pytest.mark.parametrize(
    ("old", "new", "pair"),
    [
        ("|setup)", "|setup|com)", ("NAME", "FLAG")),
        ("ORDER: /[<>]=?/", "ORDER: /[<>!]=?/", ("ORDER", "EQUALITY")),
    ],
)
def test_a_planted_collision_is_found(old: str, new: str, pair: tuple[str, str]) -> None:
    planted = grammar().replace(old, new)
    assert planted != grammar()
    assert pair in collisions(Lark(planted, start="query", parser="lalr", lexer="contextual"))


@pytest.mark.parametrize("text", SAMPLES)
def test_there_is_one_way_to_read_a_sample(text: str) -> None:
    tree = explicit(grammar()).parse(text)
    assert not list(tree.find_data("_ambig"))
    assert shape(tree) == shape(strict(grammar()).parse(text))


@given(TREES, st.data())
@one_in(2)
def test_there_is_one_way_to_read_any_query(tree: Tree, chance: st.DataObject) -> None:
    read = explicit(grammar()).parse(printed(tree, chance))
    assert not list(read.find_data("_ambig"))


def test_ambiguity_would_be_found() -> None:
    planted = grammar().replace("test (_AND test)*", "test (_AND test)* | all_of _AND all_of")
    assert planted != grammar()
    assert list(explicit(planted).parse(SAMPLES[1]).find_data("_ambig"))


@pytest.mark.parametrize("name", [*NAMES, *ORDERED])
def test_every_name_that_messages_list_is_one(name: str) -> None:
    strict(grammar()).parse(f"{name} = x")


def test_messages_list_every_name() -> None:
    listed = set(WORDS)
    for terminal in strict(grammar()).terminals:
        if terminal.name in (
            *("NAME", "FLAG", "PLIES", "SAID"),
            *("POSITION", "PATTERN", "PLAIN", "AFTER", "REACHED"),
        ):
            words = terminal.pattern.to_regexp().split("(?![")[0].strip("(?:)")
            assert set(words.split("|")) <= listed


@pytest.mark.parametrize(
    "text",
    ["game = x and", "and game = x", "game x", "notgame = x", "game = x ory = z", "plies > 1.5",
     "plies > 20and a = b", "plies > 1e3", "plies = ''", "move = d4", "move d4 = 3", "contains d4",
     "in (a)", "game in ()", "game in (a,)", "game not = x", "comments = 1", "position ~ 'x'",
     "position < 'x'", "position = 'x'", "position not in ('x')", "plies in 1..",
     "plies in (1..2)", "plies in 1...2", "plies in 1..2..3", "plies = 1..2", "move 1 in 1..2",
     "position x", "plain move 1 = x",
     "plain plain after 'x'", "after x", "after in ('x')", "plain not after 'x'", "reached = 'x'",
     "Game first", "game = 'a' 'b'", "game = 'a", "tag. = x", "tag.1 = x", "1 = 1",
     "game = (a)", "()", "player-x = a", "game = a,b", "first < b", "first=*and second=?"],
)  # fmt: skip
def test_what_is_no_query_is_refused(text: str) -> None:
    with pytest.raises(UnexpectedInput):
        strict(grammar()).parse(text)
    with pytest.raises(UnexpectedInput):
        explicit(grammar()).parse(text)
