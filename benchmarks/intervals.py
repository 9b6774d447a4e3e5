"""How often the intervals of ratings hold the truth, in simulated events of every kind.

    python benchmarks/intervals.py [--events 1000] [--only TEXT] [--jobs 2]

Strengths, openings and results are drawn anew for each event from a seed, under Davidson's model.
There are no draws unless a setting says so: the scale of expected scores is then the model's own.
A line shows the shares of intervals that hold the truth: of strengths around their mean, of
differences of two bots, and of the winner of the event. LOS is what is said of the bot that seems
stronger, and how often that is true. Half a width is the median. Lines of TrueSkill are of events
under its own model, and about its intervals.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations, product
from statistics import NormalDist, median

from lath.arena.schedule.core import Dealer, Schedule, Settings
from lath.arena.schedule.knockout import Knockout
from lath.arena.schedule.swiss import Swiss
from lath.games.core import Result
from lath.reports.ratings.counts import count
from lath.reports.ratings.elo import ELO, Davidson, ParameterPlaces, chances, scores
from lath.reports.ratings.numerics import LEAST_CLUSTERS, Z95
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame
from lath.reports.ratings.skill import MU, NOISE, UNIT

NO_DRAWS = -50.0
"""The logarithm of Davidson's n."""

ADVANTAGE = 40.0
"""Elo points that the first seat is worth."""

LEVEL = 1e-6
"""Elo points: of bots so close neither is the stronger one."""

GAME = "yavalath"


@dataclass(frozen=True)
class Event:
    """The results of a tournament, and the true strengths in Elo points."""

    truth: dict[str, float]
    results: list[DecidedGame]
    winner: str = ""
    is_trueskill: bool = False
    """Whether the intervals to be looked at are those of TrueSkill, in Elo points as well."""


@dataclass(frozen=True)
class Setting:
    """A kind of event."""

    name: str
    play: Callable[[random.Random], Event]


@dataclass
class Held:
    """What came of the intervals of many events."""

    strengths: list[bool] = field(default_factory=list)
    differences: list[bool] = field(default_factory=list)
    winners: list[bool] = field(default_factory=list)
    said: list[float] = field(default_factory=list)
    true: list[bool] = field(default_factory=list)
    half_widths: list[float] = field(default_factory=list)

    def add(self, other: Held) -> None:
        """Take in the intervals of other events."""
        for name in vars(self):
            getattr(self, name).extend(getattr(other, name))


SKILL_ELO = ELO / UNIT
"""Elo points in a point of TrueSkill."""


def score_at(
    ahead: float, chance: random.Random, log_draws: float = NO_DRAWS, *, is_trueskill: bool = False
) -> float:
    """Return first's points in a game in which it is so many Elo points ahead."""
    drawn = chance.random()
    if is_trueskill:
        return float(drawn < NormalDist().cdf(ahead / SKILL_ELO / NOISE))
    win, draw, _ = chances(ahead / ELO, log_draws)
    return 1.0 if drawn < win else 0.5 if drawn < win + draw else 0.0


def strengths(bots: int, spread: float, chance: random.Random) -> dict[str, float]:
    """Return so many bots by name, whose strengths have this standard deviation."""
    return {f"bot{number:02}": chance.gauss(0, spread) for number in range(bots)}


def round_robin(
    bots: int, rounds: int, spread: float, draws: float, chance: random.Random
) -> Event:
    """Play all pairings, both seats from one opening, so many times; `draws` between equals."""
    truth = strengths(bots, spread, chance)
    log_draws = math.log(2 * draws / (1 - draws)) if draws else NO_DRAWS
    results = []
    for number in range(rounds):
        for one, other in combinations(truth, 2):
            for first, second in ((one, other), (other, one)):
                score = score_at(truth[first] - truth[second] + ADVANTAGE, chance, log_draws)
                pair = (number, one, other)
                results.append(DecidedGame(first, second, score, GAME, pair, pair))
    return Event(on_the_scale(truth, results, starts_of(0.0), log_draws), results, leader(results))


def leader(results: Iterable[DecidedGame]) -> str:
    """Return who has most points."""
    points: dict[str, float] = {}
    for result in results:
        points[result.first] = points.get(result.first, 0.0) + result.score
        points[result.second] = points.get(result.second, 0.0) + 1 - result.score
    return max(points, key=points.__getitem__)


def scheduled(
    make: Callable[[Sequence[str], Dealer], Schedule],
    settings: Settings,
    among: tuple[int, float],
    is_trueskill: bool,
    chance: random.Random,
) -> Event:
    """Play what a schedule hands out, whose pairings depend on results.

    It is `among` so many bots, whose strengths are so far apart.
    """
    truth = strengths(*among, chance)
    schedule = make(list(truth), Dealer(settings))
    results = []
    while (pair := schedule.next()) is not None:
        for plan in pair.games:
            first, second = plan.names
            ahead = truth[first] - truth[second] + ADVANTAGE
            score = score_at(ahead, chance, is_trueskill=is_trueskill)
            text = {1.0: "1-0", 0.0: "0-1"}[score]
            results.append(DecidedGame(first, second, score, GAME, pair.number, pair.number))
            schedule.report(plan.number, first, second, Result(text), chance.getrandbits(60))
    winner = getattr(schedule.standing(), "winner", "") or leader(results)
    on_scale = truth if is_trueskill else on_the_scale(truth, results, starts_of(0.0))
    return Event(on_scale, results, winner, is_trueskill)


@dataclass(frozen=True)
class WithOpenings:
    """Round robins whose pairs share openings, taken in turn."""

    bots: int
    openings: int
    rounds: int
    suits: float
    """The standard deviation of what an opening gives a bot."""
    bias: float = 75.0
    """That of what it gives first."""

    def __call__(self, chance: random.Random) -> Event:
        """Play one."""
        truth = strengths(self.bots, 150.0, chance)
        starts = [
            (chance.gauss(0, self.bias), {bot: chance.gauss(0, self.suits) for bot in truth})
            for _ in range(self.openings)
        ]
        results = []
        for number in range(self.rounds):
            start = number % self.openings
            gives, suited = starts[start]
            for one, other in combinations(truth, 2):
                for first, second in ((one, other), (other, one)):
                    ahead = truth[first] + suited[first] - truth[second] - suited[second] + gives
                    score = score_at(ahead + ADVANTAGE, chance)
                    results.append(
                        DecidedGame(first, second, score, GAME, (number, one, other), start)
                    )
        # What suits both bots adds up, and the seats are in balance.
        truth = on_the_scale(
            truth, results, starts_of(math.hypot(self.bias, self.suits, self.suits))
        )
        return Event(truth, results, leader(results))


def starts_of(spread: float, mean: float = ADVANTAGE, number: int = 21) -> dict[str, float]:
    """Return what so many starts give first, each as likely as another."""
    number = number if spread else 1
    shares = [(place + 0.5) / number for place in range(number)]
    return {f"{share}": mean + spread * NormalDist().inv_cdf(share) for share in shares}


def on_the_scale(
    truth: Mapping[str, float],
    results: Iterable[DecidedGame],
    starts: Mapping[str, float],
    log_draws: float = NO_DRAWS,
) -> dict[str, float]:
    """Return strengths on the scale of scores: what they make of both seats of these games.

    A bot is expected to score the mean over all starts.
    """
    counts = count(alone(results))
    tallies = {
        seats._replace(game=start): tally
        for seats, tally in counts.tallies.items()
        for start in starts
    }
    counts = replace(counts, tallies=tallies)
    places = ParameterPlaces(counts)
    parameters = [truth[bot] / ELO for bot in places.bots]
    parameters += [x for start in places.games for x in (starts[start] / ELO, log_draws)]
    ratings = scores(Davidson(places, parameters, [], 1.0), counts, [tuple(truth)]).ratings
    return {bot: ELO * rating for bot, rating in zip(places.bots, ratings, strict=True)}


def alone(results: Iterable[DecidedGame]) -> list[DecidedGame]:
    """Return the results without what they have in common."""
    return [DecidedGame(*result[:4]) for result in results]


PLIES = 20
"""Of a game that is simulated move by move: so often a bot may move at random."""

MOVES = 10
"""Among which it then chooses."""


Line = tuple[tuple[int, int], ...]
"""Which plies of a game were at random, and which moves were played there."""


class Lines:
    """All games of two bots that move at random in a part of their moves, else always alike."""

    def __init__(self, starts: Sequence[float], at_random: float, apart: float, seed: int) -> None:
        """Take what each opening gives first, and by how much ann is ahead."""
        self._starts = starts
        self._at_random = at_random
        self._apart = apart
        self._seed = seed

    def played(self, chance: random.Random) -> Line:
        """Return how a game goes."""
        at_random = (ply for ply in range(PLIES) if chance.random() < self._at_random)
        return tuple((ply, chance.randrange(MOVES)) for ply in at_random)

    def _first(self, start: int, first: str) -> float:
        """Return how likely first wins from an opening, over all games that may come."""
        ahead = self._apart if first == "ann" else -self._apart
        return chances((ahead + self._starts[start] + ADVANTAGE) / ELO, NO_DRAWS)[0]

    def score(self, start: int, first: str, line: Line) -> float:
        """Return first's points in a game: the same whenever it is played."""
        drawn = random.Random(f"{self._seed} {start} {first} {line}").random()
        return float(drawn < self._first(start, first))

    def truth(self) -> float:
        """Return what ann scores from these openings, of both sides, if played for ever.

        Games with two plies at random or more are too many to be counted one by one.
        """
        none = (1 - self._at_random) ** PLIES
        one = self._at_random * (1 - self._at_random) ** (PLIES - 1) / MOVES
        total = 0.0
        for start in range(len(self._starts)):
            for first in ("ann", "bob"):
                score = none * self.score(start, first, ())
                if one > 1e-6:
                    lines = [((ply, move),) for ply in range(PLIES) for move in range(MOVES)]
                    score += one * math.fsum(self.score(start, first, line) for line in lines)
                score += (1 - none - one * PLIES * MOVES) * self._first(start, first)
                total += score if first == "ann" else 1 - score
        return total / (2 * len(self._starts))


@dataclass(frozen=True)
class Repeated:
    """Matches of two bots that come to the same games again."""

    openings: int
    times: int
    at_random: float
    apart: float = 70.0
    bias: float = 75.0

    def __call__(self, chance: random.Random) -> Event:
        """Play one. The truth is about all openings, or where they are few about them alone."""
        starts = [chance.gauss(0, self.bias) for _ in range(self.openings)]
        lines = Lines(starts, self.at_random, self.apart, chance.getrandbits(60))
        results = []
        for number in range(self.openings * self.times):
            start = number % self.openings
            for first, second in (("ann", "bob"), ("bob", "ann")):
                line = lines.played(chance)
                score = lines.score(start, first, line)
                same = (start, first, line)
                results.append(DecidedGame(first, second, score, GAME, number, start, same))
        if self.openings >= LEAST_CLUSTERS:
            strengths = {"ann": self.apart / 2, "bob": -self.apart / 2}
            truth = on_the_scale(strengths, results, starts_of(self.bias))
        else:
            score = min(max(lines.truth(), 1e-9), 1 - 1e-9)
            half = ELO * math.log(score / (1 - score)) / 2
            truth = {"ann": half, "bob": -half}
        return Event(truth, results, leader(results))


TRUESKILL = "TrueSkill: "


def settings() -> Iterator[Setting]:
    """Yield every kind of event."""
    for (bots, rounds, draws), spread in product(
        ((2, 100, 0.0), (8, 5, 0.0), (8, 20, 0.0), (8, 5, 0.3), (20, 2, 0.0)), (50, 150, 400)
    ):
        yield Setting(
            f"round robin of {bots}, {2 * rounds} games each, ±{spread}, {draws:.0%} draws",
            partial(round_robin, bots, rounds, spread, draws),
        )
    swiss = ((8, 4), (12, 5), (20, 6), (40, 5))
    for of, (bots, rounds), spread in product(("", TRUESKILL), swiss, (50, 100, 200, 400)):
        play = partial(scheduled, Swiss, Settings(games=(GAME,), rounds=rounds), (bots, spread))
        yield Setting(f"{of}swiss of {bots}, {rounds} rounds, ±{spread}", partial(play, bool(of)))
    for of, bots, spread in product(("", TRUESKILL), (8, 16), (0, 50, 100, 200, 400)):
        play = partial(scheduled, Knockout, Settings(games=(GAME,)), (bots, spread))
        yield Setting(f"{of}knockout of {bots}, ±{spread}", partial(play, bool(of)))
    shared = ((2, 10, 20), (2, 30, 60)), product((6, 12), (6, 10, 30))
    for bots, openings, rounds in (*shared[0], *((bots, n, n) for bots, n in shared[1])):
        for suits in (0, 100):
            yield Setting(
                f"{bots} bots, {openings} shared openings, {rounds} rounds, suit ±{suits}",
                WithOpenings(bots, openings, rounds, suits),
            )
    for (openings, times), at_random in product(
        ((1, 200), (3, 67), (6, 33), (10, 20), (30, 7), (100, 2)), (0.0, 0.05, 0.2, 0.5, 1.0)
    ):
        yield Setting(
            f"match, {openings} openings {times} times, {at_random:.0%} random moves",
            Repeated(openings, times, at_random),
        )


def holds(low: float | None, high: float | None, truth: float) -> bool:
    """Return whether an interval of 95 % holds what is true."""
    return (low is None or low <= truth) and (high is None or truth <= high)


def told(setting: Setting, seeds: Iterable[int]) -> Held:
    """Return how the ratings of such events did."""
    held = Held()
    for seed in seeds:
        event = setting.play(random.Random(f"{setting.name} {seed}"))
        ratings = rate(event.results, in_order=False)
        mean = math.fsum(event.truth[bot] for bot in ratings.strengths) / len(ratings.strengths)
        for bot, strength in ratings.strengths.items():
            elo, skill = strength.elo, strength.trueskill
            ends, half = (elo.low, elo.high), Z95 * elo.error
            if event.is_trueskill:
                low, high = (SKILL_ELO * (end - MU) for end in (skill.low, skill.high))
                ends, half = (low, high), (high - low) / 2
            is_held = holds(*ends, event.truth[bot] - mean)
            held.strengths.append(is_held)
            held.half_widths.append(half)
            if bot == event.winner:
                held.winners.append(is_held)
        if event.is_trueskill:
            continue
        for one, other in combinations(ratings.strengths, 2):
            apart = event.truth[one] - event.truth[other]
            ahead = ratings.difference(one, other)
            assert ahead is not None
            held.differences.append(holds(ahead.low, ahead.high, apart))
            likely = ratings.superiority(one, other)
            assert likely is not None
            if abs(apart) < LEVEL:
                continue
            held.said.append(max(likely, 1 - likely))
            held.true.append((apart > 0) == (likely > 0.5))
    return held


def share(hits: Sequence[bool]) -> str:
    """Return a share in percent."""
    return f"{sum(hits) / len(hits):7.1%}" if hits else "      –"


def row(setting: Setting, held: Held) -> str:
    """Return a line of the table."""
    sure = [true for said, true in zip(held.said, held.true, strict=True) if said >= 0.9]
    said = [said for said in held.said if said >= 0.9]
    los = f"{sum(said) / len(said):6.1%} {share(sure)}" if said else "     –       –"
    return (
        f"{setting.name:58}{share(held.strengths)}{share(held.differences)}{share(held.winners)}"
        f"{median(held.half_widths):7.0f}  {los}"
    )


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--events", type=int, default=1000, help="of each setting (default 1000)")
    parser.add_argument("--only", default="", help="settings whose names hold this text")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    options = parser.parse_args()
    print(f"{'':58}{'bots':>7}{'apart':>7}{'winner':>7}{'±':>7}  {'LOS ≥ 90 %, true':>14}")
    with ProcessPoolExecutor(options.jobs) as pool:
        for setting in settings():
            if options.only not in setting.name:
                continue
            parts = [
                pool.submit(told, setting, range(start, options.events, 4 * options.jobs))
                for start in range(4 * options.jobs)
            ]
            held = Held()
            for part in parts:
                held.add(part.result())
            print(row(setting, held), flush=True)


if __name__ == "__main__":
    main()
