"""A pool with a budget plays where games tell most, starves nobody, and knows no timing."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from budgets import BotPool, by_rule, games_until, in_turn

from lath.arena.schedule.budget import Design, Seen, WhereGamesTell
from lath.arena.schedule.core import Dealer, PlayedGame, Settings
from lath.arena.schedule.pool import Pairing, PoolSchedule
from lath.arena.tournament.outcome.strengths import strengths_of
from lath.games.core import Result

DRAWN = 0.2, 1.34
"""The share of games between equals that is drawn, and what 1500 points of score are in the points
of the model then, of which there are more where more is drawn, over 1500."""

MANY_DRAWN = 0.6, 2.30


def with_a_new_version(seed: int, drawn: tuple[float, float] = DRAWN) -> BotPool:
    """Return a pool of eleven versions that know each other, and a twelfth somewhere among them."""
    draws, wider = drawn
    elo = [*(-750.0 + 150 * number for number in range(11)), random.Random(seed).uniform(-750, 750)]
    log_draws = math.log(2 * draws / (1 - draws))
    pool = BotPool(seed, [wider * each for each in elo], log_draws=log_draws)
    for names in combinations(pool.names[:-1], 2):
        for _ in range(40):
            pool.play(names)
    return pool


def games_of_the_rule(seed: int, rounds: int, drawn: tuple[float, float]) -> int:
    """Return how many games the rule needs for what a gauntlet of the new version comes to."""
    pool, other = with_a_new_version(seed, drawn), with_a_new_version(seed, drawn)
    new = pool.names[-1]
    play = in_turn(pool, [(old, new) for old in pool.names[:-1]])
    for _ in range(11 * rounds):
        next(play)
    aim = pool.half_width(new)
    other.chance.seed(-seed)
    return games_until(by_rule(other), lambda: other.half_width(new) <= aim, every=4)


def share_of_uniform(
    seeds: Sequence[int], rounds: int = 10, drawn: tuple[float, float] = DRAWN
) -> float:
    """Return the games that the rule needs, over those of gauntlets of so many rounds."""
    return sum(games_of_the_rule(seed, rounds, drawn) for seed in seeds) / (
        22 * rounds * len(seeds)
    )


@pytest.mark.slow
def test_a_new_version_needs_fewer_games_than_in_a_gauntlet() -> None:
    assert share_of_uniform(range(2), 5) < 0.7
    for drawn in (DRAWN, MANY_DRAWN):
        pool = with_a_new_version(1, drawn)
        for old in pool.names[:-1]:
            pool.play((old, pool.names[-1]))
        assert 1400 < pool.range() < 1600, "the simulated versions spread over 1500 points"


class Obstinate:
    """Estimates that no game changes: of the first bot least is known, and so it stays."""

    def __init__(
        self, names: Sequence[str], _seen: Mapping[Seen, int], information: float = 1e-9
    ) -> None:
        bots = range(len(names))
        self.strengths = [0.0] * len(names)
        self.covariance = [[float(i == j) / (1 + 999 * i) for j in bots] for i in bots]
        self._information = information

    def information(self, _apart: float) -> float:
        return self._information


def obstinate(pairs: int) -> list[Pairing]:
    """Return who plays, whatever comes of it, if so nobody but the first should."""
    rule = WhereGamesTell("abcdef", Obstinate)
    played = []
    for pair in range(1, pairs + 1):
        names = rule.next([*combinations("abcdef", 2)], pair)
        assert names is not None
        played.append(names)
        for number in (2 * pair - 1, 2 * pair):
            rule.report(PlayedGame(number, *names, Result("1-0"), "g"))
    return played


def test_who_has_no_games_comes_first_and_nobody_starves() -> None:
    assert {name for names in obstinate(5) for name in names} == {*"abcdef"}
    games = Counter(name for names in obstinate(120) for name in names)
    assert games["a"] > 80, "the rule would play nobody else"
    assert min(games.values()) >= 120 / 4 / 5


def test_no_groups_of_bots_stay_apart() -> None:
    rule = WhereGamesTell("abcdef", Obstinate)
    for pair, names in enumerate(("ab", "bc", "ac", "de", "ef", "df") * 2, 1):
        for number in (2 * pair - 1, 2 * pair):
            rule.report(PlayedGame(number, names[0], names[1], Result("1-0"), "g"))
    assert rule.next([*combinations("abcdef", 2)], 13) == ("a", "d")


def test_a_hopeless_bot_does_not_take_the_games_of_all() -> None:
    pool = BotPool(1, [-2000.0, *[0.0] * 5])
    pairings = [names for names, _ in zip(by_rule(pool), range(90), strict=False)]
    assert 8 < sum("00" in names for names in pairings) < 40, "30 are its share"


def test_an_opponent_who_is_well_known_tells_more() -> None:
    estimates = Obstinate("abcde", {}, information=1.0)
    estimates.covariance = [
        [float(i == j) * (10.0 if i < 2 else 0.01) for j in range(5)] for i in range(5)
    ]
    everybody = [*combinations(range(5), 2)]
    assert Design(estimates, everybody, {}).best(0, everybody) == (0, 2)


def test_pairings_that_were_stopped_are_passed_over_and_not_waited_for() -> None:
    rule = WhereGamesTell(("a", "b", "c"), strengths_of)
    pairings = [("a", "b"), ("a", "c"), ("b", "c")]
    begun: list[Pairing] = []
    while (names := rule.next(pairings, len(begun) + 1)) is not None:
        begun.append(names)
    assert {*begun} == {*pairings}, "two batches are handed out though nothing is reported"
    for pair, names in enumerate(begun, 1):
        if names == ("a", "b"):
            for number in (2 * pair - 1, 2 * pair):
                rule.report(PlayedGame(number, *names, Result("1-0"), "g"))
    assert rule.next(pairings, 99) is None
    assert rule.next([("a", "b")], 99) == ("a", "b")
    assert rule.next([], 100) is None


def schedule_of(pool: BotPool, at_once: int, seed: int) -> list[Pairing]:
    """Return who plays pair after pair, if so many are played at a time and end in any order."""
    rule = WhereGamesTell(pool.names, strengths_of)
    pairings = list(combinations(pool.names, 2))
    order = random.Random(seed)
    planned: list[Pairing] = []
    running: dict[int, list[PlayedGame]] = {}
    while len(planned) < 60 or running:
        may_begin = len(running) < at_once and len(planned) < 60
        names = rule.next(pairings, len(planned) + 1) if may_begin else None
        if names is not None:
            planned.append(names)
            number = len(planned)
            pool.chance.seed(number)  # what comes of a pair follows from its number
            running[number] = [
                game._replace(number=2 * number - 1 + seat)
                for seat, game in enumerate(pool.play(names))
            ]
        else:
            for game in running.pop(order.choice([*running])):
                rule.report(game)
    return planned


def test_who_plays_next_does_not_depend_on_what_ends_first() -> None:
    elo = [300.0 * number for number in range(5)]
    one, *others = [schedule_of(BotPool(1, elo), n, n) for n in (1, 2, 3, 50)]
    assert all(other == one for other in others)


def test_bots_that_only_repeat_their_games_tell_nothing_more() -> None:
    def pairs_of_both(*, repeat: bool) -> int:
        pool = BotPool(1, [0.0] * 3)
        rule = WhereGamesTell(pool.names, strengths_of)
        both = 0
        for pair in range(1, 61):
            names = rule.next([*combinations(pool.names, 2)], pair)
            assert names is not None
            both += names == ("00", "01")
            for game in pool.play(names):
                rule.report(game._replace(moves=7 if repeat and names == ("00", "01") else 0))
        return both

    assert pairs_of_both(repeat=True) < 10
    assert pairs_of_both(repeat=False) > 15


def test_games_are_balanced_within_each_pairing() -> None:
    names = ("ann", "bob", "cat")
    rule = WhereGamesTell(names, strengths_of)
    pool = PoolSchedule(names, Dealer(Settings(games=("yavalath", "manalath"))), rule)
    met: Counter[tuple[frozenset[str], str]] = Counter()
    for _ in range(30):
        pair = pool.next()
        assert pair is not None
        met[frozenset(pair.names), pair.games[0].game] += 1
        for game in pair.games:
            pool.report(game.number, *game.names, Result("1/2-1/2"))
    for pairing in {pairing for pairing, _ in met}:
        assert abs(met[pairing, "yavalath"] - met[pairing, "manalath"]) <= 1
