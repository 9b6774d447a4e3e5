"""Formats whose games are known from the start: the same pairings play every game in every round.

The n-th pair follows from n alone, so that a million games take no more memory than ten.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from lath.arena.schedule.core import Dealer, Numbers, Pair, Standing, Terms


class Fixed:
    """Each round, all pairings play every game from one opening."""

    is_exact: Final = True
    keeps_walkovers: Final = False

    def __init__(self, terms: Terms, pairings: Sequence[tuple[str, str]]) -> None:
        self._terms: Final = terms
        self._dealer: Final = Dealer(terms)
        self._pairings: Final = tuple(pairings)
        self._open: Final = set(pairings)
        """Pairings that were not stopped in this run."""
        self._next = 1
        self.finished: Final = Numbers()
        self.done = 0

    @property
    def total(self) -> int:
        """Return how many games there are."""
        return 2 * self.pairs

    @property
    def pairs(self) -> int:
        """Return how many pairs there are."""
        return self._terms.rounds * len(self._terms.game_ids) * len(self._pairings)

    def next(self) -> Pair | None:
        """Return the next pair of which a game is not finished."""
        while self._open and self._next <= self.pairs:
            number = self._next
            self._next += 1
            if self._is_left(number):
                return self._pair(number)
        return None

    def _is_left(self, number: int) -> bool:
        is_finished = 2 * number in self.finished and 2 * number - 1 in self.finished
        return not is_finished and self._pairing(number) in self._open

    def _pairing(self, number: int) -> tuple[str, str]:
        return self._pairings[(number - 1) % len(self._pairings)]

    def _pair(self, number: int) -> Pair:
        rest = (number - 1) // len(self._pairings)
        turn, game = divmod(rest, len(self._terms.game_ids))
        game_id = self._terms.game_ids[game]
        return self._dealer.deal(
            number, self._pairing(number), game_id=game_id, round_number=turn + 1, turn=turn + 1
        )

    def report(self, number: int, first: str, second: str, result: str) -> None:  # noqa: ARG002
        """Note that a game is finished; one of a run with more rounds counts for nothing."""
        if number <= self.total:
            self.finished.add(number)
            self.done += 1

    def walkover(self, pair: int, loser: str | None) -> None:  # noqa: ARG002 - tried again anyway
        """Leave the pairing out until the next run."""
        self._open.discard(self._pairing(pair))

    def standing(self) -> Standing:
        """Return nothing: the crosstable says it all."""
        return Standing()


def everybody(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return every pairing once, in the order of the configuration.

    >>> everybody(["a", "b", "c"])
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    return list(combinations(names, 2))


def against_the_rest(names: Sequence[str], challengers: int) -> list[tuple[str, str]]:
    """Return the pairings of the first bots with all that are not among them.

    >>> against_the_rest(["a", "b", "c", "d"], 2)
    [('a', 'c'), ('a', 'd'), ('b', 'c'), ('b', 'd')]
    """
    return [(one, other) for one in names[:challengers] for other in names[challengers:]]


def round_robin(terms: Terms) -> Fixed:
    """Return the schedule in which everybody meets everybody in every round."""
    return Fixed(terms, everybody(terms.names))


def gauntlet(terms: Terms) -> Fixed:
    """Return the schedule in which the challengers meet all others in every round."""
    return Fixed(terms, against_the_rest(terms.names, terms.challengers))
