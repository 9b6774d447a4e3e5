"""Analysis of Lark grammars: trees as tuples, and terminals that conflict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import permutations

from interegular import FSM, parse_pattern
from lark import Lark, Token, Tree


def shape(tree: Tree[Token]) -> tuple[object, ...]:
    """Return a tree as plain nested tuples."""
    return (
        str(tree.data),
        *(shape(part) if isinstance(part, Tree) else str(part) for part in tree.children),
    )


def languages(parser: Lark) -> Iterator[dict[str, str]]:
    """Yield the patterns of the readable terminals, by name, for each state of a parser."""
    for lexer in parser.parser.lexer.lexers.values():
        yield {
            terminal.name: terminal.pattern.to_regexp()
            for terminal in lexer.terminals
            if terminal.name not in lexer.ignore_types
        }


def collisions(parser: Lark) -> set[tuple[str, str]]:
    """Return pairs of terminals of one state, the first of which can match a prefix of the second.

    Exact, except that the automata ignore lookahead, which can only add matches.
    """
    found = set()
    for patterns in languages(parser):
        for short, long in permutations(patterns, 2):
            if begins(_plain(patterns[short]), _plain(patterns[long])):
                found.add((short, long))
    return found


@cache
def begins(short: str, long: str) -> bool:
    """Return whether the first pattern matches a prefix of a text that the second matches."""
    return not (automaton(f"(?:{short})(?s:.)*") & automaton(long)).empty()


@cache
def automaton(pattern: str) -> FSM:
    """Return the automaton of a pattern."""
    return parse_pattern(pattern).to_fsm()


def _plain(pattern: str) -> str:
    return re.sub(r"\(\?!(?:\\.|\[(?:\\.|[^\]])*\]|[^)])*\)$", "", pattern)
