"""The grammar says one thing about each text: no ambiguity, no terminal in another's way."""

from __future__ import annotations

from functools import cache

import pytest
from exploring import one_in
from grammars import collisions, shape
from hypothesis import given
from lark import Lark
from lark.exceptions import LexError, UnexpectedInput
from record_strategies import RECORDS
from sample_records import BUILT_IN, cut, random_game

from lath.notation import format_record
from lath.notation.parser import lark, parse_closely
from lath.notation.record import Record
from lath.notation.scanner import grammar

SAMPLES = (
    '[Game "yavalath"] *',
    '[Game "x"] {a} ;b\n {c} 1. e5! {d} {e} (f1 (g1) ( {h}h1 {i}) ) 1/2-1/2',
    '[Game "x"]1.e5{a}(1.d4)(;b\n1.c4)2.swap!?{}1-0',
    '[ Game\n"x" ]\n;only comments\n{and more}\n0-1',
    '[A "\\"\\\\"][B ""] aaa aa a 3. a+b=c:d@e/f-g ?! *',
    '[A "x"] e5!! (e4?? (e3!? (e2?! (e1! (d1?))))) *',
)  # fmt: skip


@cache
def strict(text: str) -> Lark:
    """Return an LALR parser that refuses what Lark can find wrong with a grammar."""
    return Lark(text, start="record", parser="lalr", lexer="contextual", strict=True)


@cache
def explicit() -> Lark:
    """Return a parser that finds every way to read a text, and to cut it into words."""
    return Lark(grammar(), start="record", parser="earley", lexer="dynamic", ambiguity="explicit")


def test_lark_builds_the_grammar_in_strict_mode() -> None:
    assert strict(grammar()).parse(SAMPLES[0]).data == "record"


def test_strict_mode_finds_two_terminals_for_one_word() -> None:
    planted = grammar().replace("| LINE", "| LINE | WORD") + "\nWORD: /[A-Z]+/\n"
    with pytest.raises(LexError, match=r"Collision between .*WORD"):
        strict(planted)


def test_no_terminal_reads_the_beginning_of_another_in_the_same_state() -> None:
    assert collisions(strict(grammar())) == set()


@pytest.mark.parametrize(
    ("old", "new", "pair"),
    [
        (r"/[0-9]{1,9}\./", "/[0-9]{1,9}/", ("NUMBER", "RESULT")),
        (r"/\{[^}]*\}/", r"/[\{;][^}\n]*\}/", ("LINE", "BRACES")),
    ],
)
def test_a_planted_collision_is_found(old: str, new: str, pair: tuple[str, str]) -> None:
    planted = grammar().replace(old, new)
    assert planted != grammar()
    assert pair in collisions(Lark(planted, start="record", parser="lalr", lexer="contextual"))


@pytest.mark.parametrize("text", SAMPLES)
def test_there_is_one_way_to_read_a_sample(text: str) -> None:
    tree = explicit().parse(text)
    assert not list(tree.find_data("_ambig"))
    assert shape(tree) == shape(strict(grammar()).parse(text))


@given(RECORDS)
@one_in(4)
def test_there_is_one_way_to_read_any_record(record: Record) -> None:
    text = format_record(record)
    tree = explicit().parse(text)
    assert not list(tree.find_data("_ambig"))


@pytest.mark.parametrize("game_id", BUILT_IN)
def test_there_is_one_way_to_read_a_played_game(game_id: str) -> None:
    record = cut(random_game(game_id, 1, annotated=True), 8, "unterminated", "*")
    assert not list(explicit().parse(format_record(record)).find_data("_ambig"))


def test_ambiguity_would_be_found() -> None:
    planted = grammar().replace("ply: NUMBER?", "ply: comment* NUMBER?")
    parser = Lark(planted, start="record", parser="earley", ambiguity="explicit")
    assert list(parser.parse('[Game "x"] {a} e5 *').find_data("_ambig"))


@pytest.mark.parametrize(
    "words",
    ["c4,e6", "c4e6.", "e5!!!", "e5!d4", "1.5", "12", "1-0x", "1/2", "*e5", "{a}}", "()", "(e5",
     "e5)", "9999999999. e5", "e5 1-00", "é5", "5e", "(e5 *)", "1.1.e5", "(1. e5 1-0)"],
)  # fmt: skip
def test_what_is_no_movetext_is_refused_as_a_whole(words: str) -> None:
    for movetext in (words, f"e5 {words}", f"{words} e5"):
        with pytest.raises(UnexpectedInput):
            lark().parse(f'[Game "yavalath"]\n\n{movetext} *')


def test_the_parser_in_use_reads_what_the_plain_grammar_reads() -> None:
    for text in SAMPLES:
        record = parse_closely(text).record
        tree = strict(grammar()).parse(text)
        tags = [shape(tag) for tag in tree.find_data("tag")]
        assert [("tag", name, f'"{_escaped(value)}"') for name, value in record.tags] == tags


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')
