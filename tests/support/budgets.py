"""Pools of bots with known strengths, to count the games that a rule needs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, cycle

from lath.arena.schedule.budget import Seen, WhereGamesTell
from lath.arena.schedule.core import PlayedGame
from lath.arena.schedule.pool import Pairing
from lath.arena.tournament.outcome.strengths import counts_of, half_widths, strengths_of
from lath.games.core import Result
from lath.reports.ratings.elo import ELO, Davidson, Scores, chances, fit, scores

RESULTS = (Result.FIRST_WON, Result.DRAWN, Result.SECOND_WON)


class BotPool:
    """Bots with strengths on Davidson's scale, and all games that they have played.

    `log_draws` is the logarithm of n; by default a fifth of games between equal bots is drawn.
    """

    def __init__(self, seed: int, elo: Sequence[float], *, log_draws: float = -0.7) -> None:
        self.chance = random.Random(seed)
        self.names = tuple(f"{n:02}" for n in range(len(elo)))
        self.elo = dict(zip(self.names, elo, strict=True))
        self.log_draws = log_draws
        self.seen: Counter[Seen] = Counter()
        self.pairs = 0

    def play(self, names: Pairing) -> list[PlayedGame]:
        """Play a pair of games; the first-move advantage is 40 points."""
        self.pairs += 1
        games = []
        for seat, (first, second) in enumerate((names, names[::-1])):
            ahead = (self.elo[first] - self.elo[second] + 40) / ELO
            (result,) = self.chance.choices(RESULTS, chances(ahead, self.log_draws))
            self.seen["g", first, second, result] += 1
            games.append(PlayedGame(2 * self.pairs - 1 + seat, first, second, result, "g"))
        return games

    def half_width(self, name: str) -> float:
        """Return half the width of a bot's Elo interval against the mean, as ratings show it."""
        return half_widths(self.names, self.seen)[name]

    def _fitted(self) -> tuple[Scores, Davidson]:
        counts = counts_of(self.names, self.seen)
        model = fit(counts)
        return scores(model, counts, [self.names]), model

    def range(self) -> float:
        """Return the distance from the best to the last bot, on the displayed scale."""
        ratings = self._fitted()[0].ratings
        return ELO * (max(ratings) - min(ratings))


def by_rule(pool: BotPool) -> Iterator[Pairing]:
    """Play the pairs that the rule chooses; each is reported at once."""
    rule = WhereGamesTell(pool.names, strengths_of)
    number = 0
    for (_, first, second, result), games in pool.seen.items():
        for _ in range(games):
            number += 1
            rule.report(PlayedGame(number, first, second, result, "g"))
    pairings = list(combinations(pool.names, 2))
    while (names := rule.next(pairings, pool.pairs + 1)) is not None:
        for played in pool.play(names):
            rule.report(played)
        yield names


def in_turn(pool: BotPool, pairings: Sequence[Pairing]) -> Iterator[Pairing]:
    """Play all pairings equally often."""
    for names in cycle(pairings):
        pool.play(names)
        yield names


def games_until(
    play: Iterator[Pairing], is_enough: Callable[[], bool], *, every: int = 1, most: int = 20_000
) -> int:
    """Return the number of games until `is_enough`, tested after every `every` pairs."""
    for pairs, _ in enumerate(play, 1):
        if pairs % every == 0 and (is_enough() or pairs >= most):
            return 2 * pairs
    raise AssertionError("the rule stopped")
