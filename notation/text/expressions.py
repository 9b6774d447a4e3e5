"""Regular expressions made from what Lark compiled of a grammar: its rules and terminals.

Everything is possessive, so that matching takes linear time. That needs a grammar in which no
terminal reads the beginning of what another one reads where both may stand: of another one the
expressions may accept less, or more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from lath.games.errors import LathError

if TYPE_CHECKING:
    from lark import Lark


class SymbolPart(NamedTuple):
    """One symbol of an alternative of a rule."""

    name: str
    is_terminal: bool
    is_kept: bool
    """Whether it is in the tree; punctuation is not."""


Alternative = tuple[SymbolPart, ...]


class NotRegularError(LathError):
    """The rule refers to itself, or may be empty: here no expression is made of it."""


class Expressions:
    """The expressions of one grammar."""

    def __init__(self, lark: Lark) -> None:
        self._terminals = {term.name: f"(?>{term.pattern.to_regexp()})" for term in lark.terminals}
        self._alternatives: dict[str, list[Alternative]] = {}
        for rule in lark.rules:
            parts = (
                SymbolPart(symbol.name, symbol.is_term, not getattr(symbol, "filter_out", False))
                for symbol in rule.expansion
            )
            self._alternatives.setdefault(str(rule.origin.name), []).append(tuple(parts))
        ignored = (term for term in lark.terminals if term.name in lark.ignore_tokens)
        blanks = "|".join(f"(?:{term.pattern.to_regexp()})" for term in ignored)
        # a class of characters without a group is faster
        one_class = re.fullmatch(r"\(\?:(\[[^\[\]\\]+\])\+\)", blanks)
        self.blanks = f"{one_class[1]}*+" if one_class else f"(?:{blanks})*+"
        """What stands between any two terminals."""

    def rule(self, name: str, *, groups: bool = False, inside: frozenset[str] = frozenset()) -> str:
        """Return the expression of a rule, blanks after each terminal included.

        With `groups`, each part that Lark keeps is a group, terminals without the blanks after
        them. Raises NotRegularError.
        """
        if name in inside:
            raise NotRegularError(name)
        inside |= {name}
        alternatives = self._alternatives[name]
        if not all(alternatives):
            raise NotRegularError(f"{name} may be empty")
        loop = [parts[1:] for parts in alternatives if parts[0].name == name]
        once = [parts for parts in alternatives if parts[0].name != name]
        if not once:
            raise NotRegularError(f"{name} never ends")
        expression = self._one_of(once, groups, inside)
        if not loop:
            return expression
        again = self._one_of(loop, groups, inside)
        return f"(?:{again})++" if again == expression else f"{expression}(?:{again})*+"

    def _one_of(self, alternatives: list[Alternative], groups: bool, inside: frozenset[str]) -> str:
        # Lark compiles `a? b` into `a b | b`: then some parts of the longest may be missing, in any
        # combination
        longest = max(alternatives, key=len)
        optional = [part for part in longest if not all(part in parts for parts in alternatives)]
        spelled = {
            tuple(part for part in longest if part not in missing)
            for count in range(len(optional) + 1)
            for missing in combinations(optional, count)
        }
        if spelled == set(alternatives) and len(set(longest)) == len(longest) > len(optional):
            return "".join(self._parts(longest, optional, groups, inside))
        known = []
        for each in alternatives:
            with suppress(NotRegularError):  # what needs it is refused
                known.append("".join(self._parts(each, (), groups, inside)))
        if not known:
            raise NotRegularError(str(alternatives))
        return f"(?:{'|'.join(known)})"

    def _parts(
        self,
        parts: Alternative,
        optional: Sequence[SymbolPart],
        groups: bool,
        inside: frozenset[str],
    ) -> Iterator[str]:
        for part in parts:
            name, is_terminal, is_kept = part
            try:
                known = self._terminals[name] if is_terminal else self.rule(name, inside=inside)
            except NotRegularError:
                if part not in optional:
                    raise
                continue  # without it: what has it is refused
            expression = f"({known})" if groups and is_kept else known
            expression += self.blanks if is_terminal else ""
            yield f"(?:{expression})?+" if part in optional else expression
