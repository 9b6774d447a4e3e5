"""Formats whose games are known from the start: round robin, gauntlet, match with or without SPRT.

The n-th pair follows from n alone, so that a million games take no more memory than ten.

The test judges pairs in the order of their numbers, so that the verdict does not depend on how
many were played at the same time; those that ran beyond the deciding one are kept, not counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations
from typing import Final

from lath.arena.schedule.core import HALVES, Dealer, Numbers, Pair, Standing, Terms, pair_of
from lath.arena.schedule.sprt import Sprt, SprtState, state
from lath.reports.outcome import Column, Sheet


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


class Match:
    """All games between the first and the second bot of the configuration."""

    keeps_walkovers: Final = False

    def __init__(self, terms: Terms) -> None:
        self._games: Final = Fixed(terms, everybody(terms.names))
        self._test: Final = _Test(terms.sprt, terms.names[0]) if terms.sprt else None
        self._names: Final = terms.names

    @property
    def finished(self) -> Numbers:
        """Return the numbers of the games reported."""
        return self._games.finished

    @property
    def is_exact(self) -> bool:
        """Return whether the number of games is settled."""
        return self._test is None or self._test.state.verdict is not None

    @property
    def total(self) -> int:
        """Return how many games there are at most; once it is decided, how many decided it."""
        decided = self._test is not None and self._test.state.verdict is not None
        return 2 * self._test.judged if self._test and decided else self._games.total

    @property
    def done(self) -> int:
        """Return how many of them are reported."""
        return min(self._games.done, self.total)

    def next(self) -> Pair | None:
        """Return the next pair; none once the test is decided."""
        is_decided = self._test is not None and self._test.state.verdict is not None
        return None if is_decided else self._games.next()

    def report(self, number: int, first: str, second: str, result: str) -> None:
        """Count a game."""
        self._games.report(number, first, second, result)
        if self._test is not None and number <= self._games.total:
            self._test.report(number, first, result)

    def walkover(self, pair: int, loser: str | None) -> None:
        """Leave the rest to the next run: there are no other pairings."""
        self._games.walkover(pair, loser)

    def standing(self) -> Standing:
        """Return how the test stands; nothing without one."""
        if self._test is None:
            return Standing()
        return Standing(
            _words(self._test.sprt, self._test.state, self._names),
            {"sprt": {**asdict(self._test.sprt), **asdict(self._test.state)}},
            _sheets(self._test.sprt, self._test.state, self._names[0]),
            f"SPRT {' - '.join(self._names)}: {_verdict(self._test.state)}",
        )


class _Test:
    """Takes games in any order, judges pairs in theirs."""

    def __init__(self, sprt: Sprt, name: str) -> None:
        self.sprt: Final = sprt
        self._name: Final = name
        self._waiting: Final[dict[int, list[int]]] = {}
        """Half points of the games of pairs that are not judged yet."""
        self._counts: Final = [0] * 5
        self.judged = 0
        self.state = state(sprt, self._counts)

    def report(self, number: int, first: str, result: str) -> None:
        halves = HALVES.get(result, (0, 0))[first != self._name]
        self._waiting.setdefault(pair_of(number), []).append(halves)
        while self.state.verdict is None and len(self._waiting.get(self.judged + 1, [])) == 2:
            self.judged += 1
            self._counts[sum(self._waiting.pop(self.judged))] += 1
            self.state = state(self.sprt, self._counts)


def _words(sprt: Sprt, now: SprtState, names: tuple[str, ...]) -> tuple[str, ...]:
    low, high = now.bounds
    hypotheses = f"H0: {sprt.elo0:g}, H1: {sprt.elo1:g} Elo, {sprt.model}"
    test = f"SPRT {names[0]} - {names[1]} ({hypotheses}): {_verdict(now)}"
    counts = ", ".join(map(str, now.counts))
    interval = f"95 %: {_interval(now)}"
    return (
        f"{test}, LLR {now.llr:.2f} ({low:.2f}, {high:.2f})",
        f"pairs of 0, ½, 1, 1½, 2 points: {counts}; Elo {_elo(now.elo)} ({interval})",
    )


def _verdict(now: SprtState) -> str:
    verdict = f"{now.verdict} accepted" if now.verdict else "not decided"
    return f"{verdict} after {now.pairs} pairs"


def _sheets(sprt: Sprt, now: SprtState, name: str) -> tuple[Sheet, ...]:
    """Return the numbers of the test, and how many pairs gave how many points."""
    low, high = now.bounds
    rows = (
        ("LLR", f"{now.llr:.2f} ({low:.2f}, {high:.2f})"),
        ("H0", f"{sprt.elo0:g} Elo, {sprt.model}"),
        ("H1", f"{sprt.elo1:g} Elo, {sprt.model}"),
        ("Elo", _elo(now.elo)),
        ("95 %", _interval(now)),
    )
    points = ("0", "½", "1", "1½", "2")
    return (
        Sheet((Column("SPRT", "text"), Column("value", "text")), rows),
        Sheet(
            (Column("points", "text"), *map(Column, points)),
            (("pairs", *map(str, now.counts)),),
            f"Pairs by the points of {name}",
        ),
    )


def _interval(now: SprtState) -> str:
    return f"{_elo(now.elo_low)} to {_elo(now.elo_high)}"


def _elo(elo: float | None) -> str:
    return "unbounded" if elo is None else f"{elo:+.1f}"
