"""Expressions made from small grammars say what Lark says, or refuse; and what they rely on."""

from __future__ import annotations

import json
import re
from itertools import product
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import GrammarError, UnexpectedInput

from lath.notation import scanner
from lath.notation.expressions import Expressions, NotRegular
from lath.notation.scanner import grammar

if TYPE_CHECKING:
    from collections.abc import Iterator


def lark_of(text: str, start: str = "s") -> Lark:
    """Return a parser that refuses a grammar in which one terminal does not tell what to do."""
    return Lark(text, start=start, parser="lalr", lexer="contextual", strict=True)


def pattern_of(text: str, *, groups: bool = False) -> re.Pattern[str]:
    """Return the expression of the rule s of a grammar."""
    of = Expressions(lark_of(text))
    return re.compile(of.blanks + of.rule("s", groups=groups))


def accepts(parser: Lark, text: str) -> bool:
    """Return whether Lark reads the text."""
    try:
        parser.parse(text)
    except UnexpectedInput:
        return False
    return True


def texts_of(letters: str, length: int) -> Iterator[str]:
    """Yield every text of the letters up to a length."""
    for count in range(length + 1):
        yield from map("".join, product(letters, repeat=count))


RULES: Final = (
    *('s: "a"', 's: "a" "b" "c"', 's: "a"? "b"', 's: "a"? "b"? "c"', 's: "a" "b"? "c"?', 's: "a"+'),
    *('s: "a"* "b"', 's: ("a" "b")+ "c"', 's: ("a" | "b")* "c"', 's: "a" | "b" "c"'),
    *('s: t+ "c"\nt: "a" "b"?', 's: t* u? "c"\nt: "a" | "b" "a"\nu: "d"+'),
    *('s: "a"? t "c"?\nt: "b" "b"?', 's: _t "c"\n_t: "a" | "b"'),
    *('s: t -> one\n | "b" -> two\nt: "a"~2..3', 's: "a" ~ 1..3 "b"'),
)


def test_an_expression_reads_what_lark_reads() -> None:
    blanks = 's: A "b"+\nA: "a" "a"\n%ignore /[ \\n]+/\n%ignore "_"'
    for rules in (*RULES, blanks):
        parser, pattern = lark_of(rules), pattern_of(rules)
        texts = list(texts_of("ab _", 5) if rules == blanks else texts_of("abcd", 4))
        read = [text for text in texts if accepts(parser, text)]
        assert read
        assert [text for text in texts if pattern.fullmatch(text)] == read, rules


def test_parts_that_lark_keeps_are_groups_without_the_blanks_after_them() -> None:
    pattern = pattern_of('s: "(" A t* ")" B?\nt: A "-"\nA: "a"\nB: "b"\n%ignore " "', groups=True)
    for text, groups in (("( a  a - a- ) b ", ("a", "a - a- ", "b")), ("(a)", ("a", "", ""))):
        match = pattern.fullmatch(text)
        assert match is not None
        assert match.groups("") == groups


def test_what_recurs_is_refused_and_all_else_is_read() -> None:
    for rules in ('s: "a" s "b"', 's: "a" t\nt: "(" s ")"', 's: t "a"\nt: u "b"\nu: t "c"'):
        with pytest.raises(NotRegular):
            pattern_of(rules)
    rules = 's: t+\nt: "a" u? "b"?\nu: "(" t+ ")"'
    parser, pattern = lark_of(rules), pattern_of(rules)
    for text in texts_of("ab()", 5):
        assert bool(pattern.fullmatch(text)) == (accepts(parser, text) and "(" not in text)
    pattern = pattern_of('s: "a" | "b" "c" | "(" s ")"')
    assert {text for text in texts_of("abc()", 3) if pattern.fullmatch(text)} == {"a", "bc"}


def test_expressions_take_linear_time_for_they_never_go_back() -> None:
    pattern = pattern_of("s: A+ B\nA: /a+/\nB: /b/")
    assert not pattern.fullmatch("a" * 1000)  # (a+)+b would try 2**999 ways


LETTERS = "abcd"


def _rule(deeper: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    sequences = st.lists(deeper, min_size=1, max_size=3).map(" ".join)
    alternatives = st.lists(sequences, min_size=2, max_size=3).map(" | ".join)
    return st.one_of(
        sequences.map("({})".format),
        alternatives.map("({})".format),
        st.tuples(deeper, st.sampled_from("?*+")).map(lambda of: f"({of[0]}){of[1]}"),
    )


PARTS = st.recursive(st.sampled_from([*(f'"{a}"' for a in LETTERS), "t", "u"]), _rule, max_leaves=6)
GRAMMARS = st.tuples(PARTS, PARTS, PARTS).map(
    lambda rules: 's: {} "d"\nt: {} "c" | "a"\nu: "b" {}'.format(*rules)
)
"""Small grammars, with rules that refer to each other and to themselves."""


@given(GRAMMARS)
def test_an_expression_reads_nothing_that_lark_refuses(rules: str) -> None:
    try:
        parser, pattern = lark_of(rules), pattern_of(rules)
    except GrammarError:
        reject()  # one terminal does not tell what comes next
    except NotRegular:
        return
    for text in texts_of(LETTERS, 4):
        assert not pattern.fullmatch(text) or accepts(parser, text)


def test_terminals_in_each_others_way_make_an_expression_read_more() -> None:
    # That is why `test_grammars.py` shows that no terminal reads the beginning of another.
    rules = 's: "a" "b" "c" | "ab"'
    assert pattern_of(rules).fullmatch("abc")
    assert not accepts(lark_of(rules), "abc")


def test_the_stored_expressions_are_those_of_the_grammar() -> None:
    assert scanner.stored() == json.loads(scanner.to_store()), "`make expressions` stores them anew"
    assert scanner.digest(grammar()) != scanner.digest(grammar().replace("*", "+"))


@pytest.mark.parametrize("stored", [None, {"grammar": "of yesterday", "record": "(?!)"}])
def test_without_expressions_of_this_grammar_they_are_made(
    stored: dict[str, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = scanner.patterns()
    monkeypatch.setattr(scanner, "stored", lambda: stored)  # a file in the package, else
    assert scanner.patterns.__wrapped__() == expected
