"""Tournaments between bots of known strengths, to test whether ratings are right."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations

from places import ROOT

from lath.reports.ratings.counts import count
from lath.reports.ratings.elo import ELO, chances, fit
from lath.reports.ratings.numerics import Z95, cdf
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame
from lath.reports.ratings.skill import MU, NOISE, UNIT, converged, margin_of

sys.path.append(str(ROOT / "benchmarks"))
import intervals

BOTS = tuple("abcdefgh")
PAIRS = tuple(combinations(BOTS, 2))
MEETINGS = 2 * len(PAIRS)
"""Games of a round: each pairing on both sides."""

ADVANTAGE = 40.0
"""The first-move advantage in Davidson's points; TrueSkill has none."""


NO_DRAWS = -50.0
"""The logarithm of Davidson's n without draws."""


@dataclass(frozen=True)
class Event:
    """A tournament with the true strengths of its bots."""

    truth: dict[str, float]
    """True strengths as displayed: TrueSkill's points, or Elo on the scale of scores."""

    results: list[DecidedGame]
    advantage: float = 0.0
    """The first-move advantage on the scale of scores."""

    def around_mean(self, bot: str) -> float:
        return self.truth[bot] - math.fsum(self.truth.values()) / len(self.truth)


@dataclass
class Told:
    """How often intervals contained the truth, over many tournaments."""

    strengths: list[bool] = field(default_factory=list)
    differences: list[bool] = field(default_factory=list)
    advantages: list[bool] = field(default_factory=list)
    superiorities: list[tuple[float, bool]] = field(default_factory=list)
    """The stated probability that a bot is the stronger one, and whether it is."""

    half_widths: list[float] = field(default_factory=list)
    p_values: list[float] = field(default_factory=list)


def share(hits: Iterable[bool]) -> float:
    found = list(hits)
    return sum(found) / len(found)


def trueskill_event(
    seed: int, games: int, *, draw_rate: float = 0.2, spread: float = 4.0, first_scores: float = 0.5
) -> Event:
    """Return a tournament by TrueSkill's model; `spread` is in its points.

    `first_scores` is the first player's expected score between equal bots.
    """
    chance = random.Random(f"trueskill {seed}")
    truth = {bot: chance.gauss(MU, spread) for bot in BOTS}
    margin = margin_of(draw_rate)
    advantage = _advantage_of(first_scores, margin)
    results = []
    for pair in range(games // MEETINGS * len(PAIRS)):
        for first, second in _both_seats(pair):
            ahead = truth[first] - truth[second] + advantage + chance.gauss(0, NOISE)
            score = 0.5 if abs(ahead) < margin else float(ahead > 0)
            results.append(DecidedGame(first, second, score, "game", pair))
    return Event(truth, results)


def several_games(seed: int, games: int, *, kinds: int, differ: float) -> Event:
    """Return a tournament over several game types, at each of which bots differ in strength.

    Strengths are normal with a standard deviation of 150 points. Each game type adds a value with
    the standard deviation `differ`. Without draws, Davidson's points equal those of scores. The
    truth is the expected strength at such a game type.
    """
    chance = random.Random(f"several {seed}")
    strengths = {bot: chance.gauss(0, 150) for bot in BOTS}
    at_game = [
        {bot: strength + chance.gauss(0, differ) for bot, strength in strengths.items()}
        for _ in range(kinds)
    ]
    results = []
    for pair in range(games // MEETINGS * len(PAIRS)):
        kind = pair // len(PAIRS) % kinds
        for first, second in _both_seats(pair):
            ahead = at_game[kind][first] - at_game[kind][second]
            score = float(chance.random() < chances(ahead / ELO, NO_DRAWS)[0])
            results.append(DecidedGame(first, second, score, f"game {kind}", pair))
    alike = [result._replace(game="game") for result in results]
    # The difference of two varying bots equals that of a side varying by 2^0.5 as much.
    truth, _ = _on_the_scale(strengths, (0.0, differ * 2**0.5), NO_DRAWS, alike)
    return Event(truth, results)


def _advantage_of(score: float, margin: float) -> float:
    """Return the first-move advantage for a score between equal bots."""
    low, high = -10 * NOISE, 10 * NOISE
    for _ in range(60):
        middle = (low + high) / 2
        wins, losses = cdf((middle - margin) / NOISE), cdf((-middle - margin) / NOISE)
        low, high = (low, middle) if (1 + wins - losses) / 2 > score else (middle, high)
    return low


def davidson_event(
    seed: int,
    games: int,
    *,
    draw_rate: float = 0.3,
    opening: float = 0.0,
    openings: int | None = None,
    first_share: float | None = None,
    advantage: float = ADVANTAGE,
    spread: float = 150.0,
    ladder: float | None = None,
) -> Event:
    """Return a tournament by Davidson's model, in its points except for the truth.

    - `draw_rate`: the draw rate between equal bots
    - `spread`: the standard deviation of the bots' strengths
    - `ladder`: instead of `spread`, half the range of evenly spaced strengths
    - `opening`: the spread of the openings' effect on the first player
    - `openings`: the number of openings, used in turn by all pairs. Default: one per pair
    - `first_share`: the share of pairs in which the bot first in the alphabet moves first in both
      games. It moves second in all other pairs. Default: each pair swaps the sides
    """
    chance = random.Random(f"davidson {seed}")
    strengths = {bot: chance.gauss(0, spread) for bot in BOTS}
    if ladder is not None:
        rung = 2 * ladder / (len(BOTS) - 1)
        strengths = {bot: rung * i - ladder for i, bot in enumerate(BOTS)}
    drawish = math.log(2 * draw_rate / (1 - draw_rate)) if draw_rate else NO_DRAWS
    results = []
    pairs = range(games // MEETINGS * len(PAIRS))
    starts = [advantage + chance.gauss(0, opening) for _ in pairs[:openings]]
    for pair in pairs:
        start = pair % len(starts)
        seats = _both_seats(pair)
        if first_share is not None:
            seats = [seats[chance.random() >= first_share]] * 2
        for first, second in seats:
            ahead = strengths[first] - strengths[second] + starts[start]
            win, draw, _ = chances(ahead / ELO, drawish)
            drawn = chance.random()
            score = 1.0 if drawn < win else 0.5 if drawn < win + draw else 0.0
            results.append(DecidedGame(first, second, score, "game", pair, start))
    truth, worth = _on_the_scale(strengths, (advantage, opening), drawish, results)
    return Event(truth, results, worth)


def _on_the_scale(
    strengths: dict[str, float],
    seat: tuple[float, float],
    drawish: float,
    results: list[DecidedGame],
) -> tuple[dict[str, float], float]:
    """Return strengths and the first-move advantage on the scale of scores.

    `seat` is the advantage's mean and spread. The expected score is the mean over all openings,
    here over some equally likely ones.
    """
    starts = intervals.starts_of(seat[1], seat[0], 41)
    truth = intervals.on_the_scale(strengths, results, starts, drawish)
    odds = [chances(start / ELO, drawish) for start in starts.values()]
    score = 0.5 + math.fsum(win - loss for win, _, loss in odds) / 2 / len(starts)
    return truth, ELO * math.log(score / (1 - score))


def _both_seats(pair: int) -> list[tuple[str, str]]:
    one, other = PAIRS[pair % len(PAIRS)]
    return [(one, other), (other, one)]


def alone(results: Iterable[DecidedGame]) -> list[DecidedGame]:
    """Return the results without their links to each other."""
    return [result._replace(pair=None, opening=None) for result in results]


def elo_told(
    events: Iterable[Event], told_of: Callable[[Event], list[DecidedGame]] | None = None
) -> Told:
    """Return the accuracy of the Elo scale; `told_of` returns the results for each event."""
    told = Told()
    for event in events:
        ratings = rate(told_of(event) if told_of else event.results, in_order=False)
        for bot, strength in ratings.strengths.items():
            low, high = strength.elo.low, strength.elo.high
            truth = event.around_mean(bot)
            told.strengths.append((low is None or low < truth) and (high is None or truth < high))
            told.half_widths.append(Z95 * strength.elo.error)
        for one, other in PAIRS:
            told.differences.append(
                abs(
                    ratings.strengths[one].elo.value
                    - ratings.strengths[other].elo.value
                    - (event.truth[one] - event.truth[other])
                )
                < Z95 * ratings.differences[one, other]
            )
            likely = ratings.superiority(one, other)
            assert likely is not None
            one_is_ahead = event.truth[one] > event.truth[other]
            told.superiorities.append((max(likely, 1 - likely), one_is_ahead == (likely >= 0.5)))
        conditions, *_ = ratings.conditions
        told.advantages.append(
            conditions.advantage.low < event.advantage < conditions.advantage.high
        )
        told.p_values.append(ratings.fit.p_value)
    return told


def trueskill_told(
    events: Iterable[Event], told_of: Callable[[Event], list[DecidedGame]] | None = None
) -> Told:
    """Return the accuracy of the converged TrueSkill."""
    told = Told()
    for event in events:
        results = alone(told_of(event) if told_of else event.results)
        skills = {n: s.trueskill for n, s in rate(results, in_order=False).strengths.items()}
        # Only the model's own error of a difference is public.
        counts = count(results)
        posterior = converged(counts, fit(counts).variance * UNIT**2)
        means, spread = posterior.means, posterior.spread()
        for i, bot in enumerate(BOTS):
            low, high = skills[bot].low - MU, skills[bot].high - MU
            told.strengths.append(low < event.around_mean(bot) < high)
            told.half_widths.append(Z95 * skills[bot].sigma)
            for j in range(i):
                error = math.sqrt(spread[i][i] + spread[j][j] - 2 * spread[i][j])
                apart = event.truth[bot] - event.truth[BOTS[j]]
                told.differences.append(abs(means[i] - means[j] - apart) < Z95 * error)
    return told
