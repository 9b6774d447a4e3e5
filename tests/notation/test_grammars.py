"""The grammars of records and of queries, and the words and rules that the scanner takes from one.

There is no ambiguity, and no terminal stands in another's way.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest
from exploring import one_in
from grammars import collisions, shape
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import UnexpectedInput
from query_strategies import TREES, Tree, printed
from record_strategies import RECORDS
from sample_records import BUILT_IN, cut, random_game

from lath.notation import format_record, tokens
from lath.notation.query import query
from lath.notation.query.operators import OPERATORS, WORDS, OfText
from lath.notation.text.parser import lark
from lath.notation.tokens import grammar

if TYPE_CHECKING:
    from lath.notation.record.record import Record


class Case(NamedTuple):
    """A grammar, and texts that it reads and refuses."""

    text: str
    start: str
    samples: tuple[str, ...]
    collisions: dict[tuple[str, str], tuple[str, str]]
    """Terminals that collide where a part of the text is another."""
    ambiguity: tuple[str, str, str]
    """A part of the text, what makes it ambiguous, and a sample that shows it."""
    refused: tuple[str, ...]


RECORD: Final = Case(
    tokens.grammar(),
    "record",
    (
        '[Game "yavalath"] *',
        '[Game "x"] {a} ;b\n {c} 1. e5! {d} {e} (f1 (g1) ( {h}h1 {i}) ) 1/2-1/2',
        '[Game "x"]1.e5{a}(1.d4)(;b\n1.c4)2.swap!?{}1-0',
        '[ Game\n"x" ]\n;only comments\n{and more}\n0-1',
        '[A "\\"\\\\"][B ""] aaa aa a 3. a+b=c:d@e/f-g ?! *',
        '[A "x"] 1. %31%2C2! a%C3%A9+%21 %25 *',
        '[A "x"] e5!! (e4?? (e3!? (e2?! (e1! (d1?))))) *',
    ),
    {
        ("NUMBER", "RESULT"): (r"/[0-9]{1,9}\./", "/[0-9]{1,9}/"),
        ("LINE", "BRACES"): (r"/\{[^}]*\}/", r"/[\{;][^}\n]*\}/"),
    },
    ("ply: NUMBER?", "ply: comment* NUMBER?", '[Game "x"] {a} e5 *'),
    tuple(
        f'[Game "yavalath"]\n\n{movetext} *'
        for words in (
            *("c4,e6", "c4e6.", "e5!!!", "e5!d4", "1.5", "12", "1-0x", "1/2", "*e5", "{a}}", "()"),
            *("(e5", "e5)", "9999999999. e5", "e5 1-00", "é5", "5e", "(e5 *)", "1.1.e5"),
            *("%2c", "a%", "a%4", "%", "a%4G", "%2C%"),
            "(1. e5 1-0)",
        )
        for movetext in (words, f"e5 {words}", f"{words} e5")
    ),
)
QUERY: Final = Case(
    query.grammar(),
    "query",
    (
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
        "contains move swap then within 3 plies plain pattern 'w[.b]' on c3 at ply 4",
        "pattern 'w' on c3 in either colour",
        "not position in ('a', 'b') at the last ply then (reached 'e5' or move 3 = d4)",
        "position 'a' then reached 'e5' then after 'a'",
        "eval of loser > 0.8 at any ply and time of 'ann' in -1..1 or clock = +3 at every ply",
        "depth<=4 then within 1 ply nodes of first=5 then pattern '#'",
        "result = 1/2-1/2 or result in (*, 1-0)",
    ),
    {
        ("NAME", "FLAG"): ("|setup)", "|setup|com)"),
        ("ORDER", "EQUALITY"): ("ORDER: /[<>]=?/", "ORDER: /[<>!]=?/"),
    },
    (
        *("test (_AND test)*", "test (_AND test)* | all_of _AND all_of"),
        "game=mammalath-plus and plies>20",
    ),
    (
        *("game = x and", "and game = x", "game x", "notgame = x", "game = x ory = z"),
        *("plies > 1.5", "plies > 20and a = b", "plies > 1e3", "plies = ''", "move = d4"),
        *("move d4 = 3", "contains d4", "in (a)", "game in ()", "game in (a,)", "game not = x"),
        *("comments = 1", "position ~ 'x'", "position < 'x'", "position = 'x'"),
        *("position not in ('x')", "plies in 1..", "plies in (1..2)", "plies in 1...2"),
        *("plies in 1..2..3", "plies = 1..2", "move 1 in 1..2", "position x", "plain move 1 = x"),
        *("plain plain after 'x'", "after x", "after in ('x')", "plain not after 'x'"),
        *("reached = 'x'", "Game first", "game = 'a' 'b'", "game = 'a", "tag. = x", "tag.1 = x"),
        *("1 = 1", "game = (a)", "()", "player-x = a", "game = a,b", "first < b"),
        "first=*and second=?",
    ),
)
EACH: Final = pytest.mark.parametrize("case", [RECORD, QUERY], ids=["record", "query"])


@cache
def strict(text: str, start: str) -> Lark:
    """Return an LALR parser that refuses what Lark can find wrong with a grammar."""
    return Lark(text, start=start, parser="lalr", lexer="contextual", strict=True)


@cache
def explicit(text: str, start: str) -> Lark:
    """Return a parser that finds every way to read a text, and to cut it into words."""
    return Lark(text, start=start, parser="earley", lexer="dynamic", ambiguity="explicit")


def is_ambiguous(case: Case, text: str) -> bool:
    return bool(list(explicit(case.text, case.start).parse(text).find_data("_ambig")))


def planted(case: Case, old: str, new: str) -> str:
    text = case.text.replace(old, new)
    assert text != case.text
    return text


@EACH
def test_no_terminal_reads_the_beginning_of_another_in_the_same_state(case: Case) -> None:
    assert collisions(strict(case.text, case.start)) == set()
    for pair, change in case.collisions.items():
        text = planted(case, *change)
        assert pair in collisions(Lark(text, start=case.start, parser="lalr", lexer="contextual"))


@EACH
def test_there_is_one_way_to_read_a_sample(case: Case) -> None:
    for text in case.samples:
        tree = explicit(case.text, case.start).parse(text)
        assert not list(tree.find_data("_ambig")), text
        assert shape(tree) == shape(strict(case.text, case.start).parse(text))
    old, new, sample = case.ambiguity
    assert is_ambiguous(case._replace(text=planted(case, old, new)), sample)


@given(RECORDS)
@one_in(4)
def test_there_is_one_way_to_read_any_record(record: Record) -> None:
    assert not is_ambiguous(RECORD, format_record(record))


def test_there_is_one_way_to_read_a_played_game() -> None:
    for game_id in BUILT_IN:
        record = cut(random_game(game_id, 1, annotated=True), 8, "unterminated", "*")
        assert not is_ambiguous(RECORD, format_record(record))


@given(TREES, st.data())
@one_in(2)
def test_there_is_one_way_to_read_any_query(tree: Tree, chance: st.DataObject) -> None:
    assert not is_ambiguous(QUERY, printed(tree, chance))


def reads(parser: Lark, text: str) -> bool:
    try:
        parser.parse(text)
    except UnexpectedInput:
        return False
    return True


def test_what_is_no_movetext_and_no_query_is_refused_as_a_whole() -> None:
    parsers = [(lark(), RECORD), (strict(QUERY.text, "query"), QUERY)]
    parsers.append((explicit(QUERY.text, "query"), QUERY))
    for parser, case in parsers:
        assert [text for text in case.refused if reads(parser, text)] == []


def test_messages_list_every_word_of_an_operator_and_no_other() -> None:
    parser = strict(QUERY.text, "query")
    named = [word for word in OPERATORS[OfText].words if not reads(parser, f"{word} = x")]
    assert named == []
    of_words = {"NAME", "FLAG", "PLIES", "SAID", "_MOVE", "PLAIN", "POSITION", "PATTERN"}
    of_words |= {"AFTER", "REACHED", "ORDERED"}
    found = set[str]()
    for terminal in parser.terminals:
        if terminal.name in of_words:
            found |= set(re.findall(r"\b[a-z]+(?=[|)(]|$)", terminal.pattern.to_regexp()))
    assert found == set(WORDS)


def test_the_words_of_the_scanner_are_those_that_lark_reads() -> None:
    patterns = {term.name: term.pattern for term in lark().terminals}
    words = {
        name: one.to_regexp().replace("\n", r"\n").replace("\r", r"\r").replace("\t", r"\t")
        for name, one in patterns.items()
        if one.type == "re"
    }
    (blanks,) = (words.pop(name) for name in lark().ignore_tokens)
    assert {name: f"(?>{pattern})" for name, pattern in words.items()} == {
        name: getattr(tokens, name) for name in words
    }
    assert (len(words), f"{blanks.strip('(?:)+')}*+") == (8, tokens.BLANKS)


def test_the_rules_of_the_scanner_are_those_of_the_grammar() -> None:
    """Who changes one here changes it in `text.scanner` too, and finds texts for the campaigns."""
    assert re.findall("^[a-z]+: .*", grammar(), re.MULTILINE) == [
        "record: tag+ comment* ply* RESULT",
        'tag: "[" TAG_NAME STRING "]"',
        "ply: NUMBER? MOVE GLYPH? comment* variation*",
        'variation: "(" comment* ply+ ")"',
        "comment: BRACES | LINE",
    ]
