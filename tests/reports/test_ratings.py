"""Ratings: what results say about strengths, in whatever order they came."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from itertools import combinations, pairwise, permutations
from typing import Any

import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from lath.arena.schedule.sprt import elo_of
from lath.reports.ratings import skill
from lath.reports.ratings.counts import count
from lath.reports.ratings.elo import UNKNOWN_ELO, fit
from lath.reports.ratings.numerics import cdf, pdf
from lath.reports.ratings.rating import history, rate
from lath.reports.ratings.results import DecidedGame, Estimate, Rating, Ratings, connected, score_of
from lath.reports.ratings.skill import (
    LEAST_DRAWS,
    MU,
    NOISE,
    PACKAGE_GAMES,
    PRIOR_ADVANTAGE,
    SIGMA,
    UNIT,
    converged,
    in_order_of,
    margin_of,
    rated_by_form,
    rated_by_package,
)

_NAMES = st.sampled_from(("ann", "bob", "cat", "dan"))
_RESULTS = st.lists(
    st.builds(
        DecidedGame,
        _NAMES,
        _NAMES,
        st.sampled_from((0.0, 0.5, 1.0)),
        st.sampled_from(("yavalath", "manalath")),
        st.sampled_from((None, 1, 2, 3)),
        st.sampled_from((None, *range(8))),
    ),
    max_size=40,
)

CHAIN = [f"bot {i:02}" for i in range(60)]


def numbers(ratings: Ratings) -> list[float]:
    """Return all that ratings say of bots and seats, but for the sequential ones."""
    said: list[float] = []
    for strength in ratings.strengths.values():
        said += [strength.trueskill.mu, strength.trueskill.sigma]
        said += [strength.elo.value, strength.elo.error]
    for conditions in ratings.conditions:
        said += [conditions.draw_rate, conditions.advantage.value, conditions.advantage.error]
    said += [ratings.draw_rate, ratings.fit.chi_square, ratings.fit.p_value]
    return [*said, *(ratings.differences[key] for key in sorted(ratings.differences))]


def all_rated(results: list[DecidedGame]) -> Ratings:
    return rate(results, in_order=False)


def swapped(result: DecidedGame) -> DecidedGame:
    return result._replace(first=result.second, second=result.first, score=1 - result.score)


def of_two(wins: int, draws: int, losses: int, game: str = "") -> list[DecidedGame]:
    """Return games of ann against bob, half of them in either seat."""
    scores = [1.0] * wins + [0.5] * draws + [0.0] * losses
    games = [DecidedGame("ann", "bob", score, game) for score in scores]
    return [swapped(result) if i % 2 else result for i, result in enumerate(games)]


def ahead(ratings: Ratings) -> float:
    """Return by how many Elo points ann is ahead of bob."""
    return ratings.strengths["ann"].elo.value - ratings.strengths["bob"].elo.value


def rate_in_order(results: list[DecidedGame], draw_rate: float) -> dict[str, Rating]:
    (ratings,) = rated_by_form([results], draw_rate)
    return ratings


def rate_by_package(results: list[DecidedGame], draw_rate: float) -> dict[str, Rating]:
    (ratings,) = rated_by_package([results], draw_rate)
    return ratings


def are_the_same(one: Mapping[str, Rating], other: Mapping[str, Rating]) -> bool:
    """Return whether ratings are the same to 1e-9, in the same order."""
    values = [[x for r in each.values() for x in (r.mu, r.sigma)] for each in (one, other)]
    return list(one) == list(other) and values[0] == pytest.approx(values[1], abs=1e-9, rel=0)


def random_results(seed: int, games: int, names: str = "abc") -> list[DecidedGame]:
    chance = random.Random(seed)
    pairs = list(permutations(names, 2))
    return [
        DecidedGame(*chance.choice(pairs), chance.choice((0.0, 0.5, 1.0))) for _ in range(games)
    ]


# All of them together


@given(_RESULTS, st.randoms(use_true_random=False))
def test_what_holds_of_all_ratings(results: list[DecidedGame], chance: random.Random) -> None:
    one = rate(results)
    assert all(map(math.isfinite, numbers(one)))
    assert 0 < one.draw_rate < 1
    assert 0 <= one.fit.p_value <= 1
    for strength in one.strengths.values():
        assert 0 < strength.trueskill.sigma <= SIGMA
        assert strength.elo.error > 0
        assert strength.sequential is not None
        assert 0 < strength.sequential.sigma <= SIGMA
    # The order of the games changes nothing.
    other = all_rated(chance.sample(results, len(results)))
    same = [(each.groups, each.games, each.fit.degrees) for each in (one, other)]
    assert same[0] == same[1]
    assert numbers(one) == pytest.approx(numbers(other), abs=1e-9)
    # Swapping all seats turns the advantage around and nothing else.
    other = all_rated([swapped(result) for result in results])
    for name, strength in one.strengths.items():
        there = other.strengths[name]
        assert (strength.trueskill.mu, strength.trueskill.sigma) == pytest.approx(
            (there.trueskill.mu, there.trueskill.sigma), abs=1e-6
        )
        assert (strength.elo.value, strength.elo.error) == pytest.approx(
            (there.elo.value, there.elo.error), abs=1e-6
        )
    for first, second in zip(one.conditions, other.conditions, strict=True):
        assert first.advantage.value == pytest.approx(-second.advantage.value, abs=1e-6)
    # Counts have every game between two bots.
    counts = count(results)
    assert counts.games == sum(result.first != result.second for result in results)
    assert counts.names == tuple(sorted({name for r in results for name in r[:2]}))


def test_results_all_alike_and_the_upset_after_them_stay_finite() -> None:
    for score in (0.0, 0.5, 1.0):
        for games in (1, 10, 1000, 100_000):
            alike = [DecidedGame("ann", "bob", score)] * games
            for results in (alike, [*alike, DecidedGame("ann", "bob", 1 - score)]):
                assert all(map(math.isfinite, numbers(all_rated(results)))), (score, games)


def test_one_sided_and_sparse_fields_are_rated() -> None:
    names = CHAIN[:12]
    results = [
        DecidedGame(strong, weak, 1.0, "", None)
        for i, weak in enumerate(names)
        for strong in names[i + 1 :]
    ] * 500
    ratings = all_rated(results)
    means = [ratings.strengths[name].trueskill.mu for name in names]
    assert means == sorted(means)
    assert all(map(math.isfinite, numbers(ratings)))
    chance = random.Random(60)
    sparse = [
        DecidedGame(CHAIN[i], CHAIN[(i + step) % 60], chance.choice((0.0, 0.5, 1.0)))
        for i in range(60)
        for step in (1, 2)
    ]
    ratings = all_rated(sparse)
    assert len(ratings.groups) == 1
    assert all(map(math.isfinite, numbers(ratings)))


def test_without_games_and_against_itself_nothing_is_said() -> None:
    ratings = rate([])
    assert (ratings.games, ratings.strengths, ratings.groups) == (0, {}, ())
    assert (ratings.conditions, ratings.differences) == ((), {})
    assert (ratings.fit.degrees, ratings.fit.p_value) == (0, 1.0)
    ratings = rate([DecidedGame("ann", "ann", 1.0), DecidedGame("bob", "cat", 1.0)])
    ann = ratings.strengths["ann"]
    assert ratings.games == 1
    assert ann.trueskill == ann.sequential == Rating(MU, SIGMA)
    assert (ann.elo.value, round(ann.elo.error, 9)) == (0.0, UNKNOWN_ELO)
    assert ratings.groups == (("bob", "cat"), ("ann",))
    assert ratings.superiority("ann", "bob") is None
    results = [DecidedGame("ann", "bob", 1.0, "", 1), DecidedGame("bob", "ann", 0.5, "", 1)]
    with_self_play = [
        DecidedGame("bob", "bob", 1.0, "", 1),
        *results,
        DecidedGame("ann", "ann", 0.5, "", 2),
    ]
    assert numbers(rate(results)) == numbers(rate(with_self_play))


def test_groups_that_never_met_are_rated_each_for_itself() -> None:
    strong = [DecidedGame("ann", "bob", 1.0), DecidedGame("bob", "ann", 0.5)] * 10
    other = [DecidedGame("cat", "dan", 1.0), DecidedGame("dan", "cat", 0.0)] * 10
    ratings = rate(strong + other)
    assert ratings.groups == (("ann", "bob"), ("cat", "dan"))
    assert [ratings.strengths[name].group for name in ("ann", "bob", "cat", "dan")] == [0, 0, 1, 1]
    assert ratings.superiority("ann", "cat") is None
    assert ("ann", "cat") not in ratings.differences
    for group in ratings.groups:
        strengths = [ratings.strengths[name] for name in group]
        assert sum(s.trueskill.mu for s in strengths) == pytest.approx(2 * MU)
        assert sum(s.elo.value for s in strengths) == pytest.approx(0, abs=1e-9)


def test_superiority_of_both_ways_is_1() -> None:
    ratings = rate([DecidedGame("ann", "bob", 1.0)] * 3 + [DecidedGame("ann", "bob", 0.0)])
    one, other = ratings.superiority("ann", "bob"), ratings.superiority("bob", "ann")
    assert one is not None
    assert other is not None
    assert one > 0.5
    assert one + other == pytest.approx(1)
    assert ratings.superiority("ann", "ann") == 0.5


def test_each_game_has_an_advantage_and_a_draw_rate_of_its_own() -> None:
    results = []
    for n in range(100):
        results += [
            DecidedGame("ann", "bob", 1.0, "fast", n),
            DecidedGame("bob", "ann", 1.0, "fast", n),
        ]
        results += [
            DecidedGame("ann", "bob", 0.5, "slow", -n),
            DecidedGame("bob", "ann", 0.0, "slow", -n),
        ]
    fast, slow = rate(results).conditions
    assert (fast.game, fast.games, slow.game, slow.games) == ("fast", 200, "slow", 200)
    assert fast.advantage.low > 0 > slow.advantage.value
    assert fast.draw_rate < 0.05 < slow.draw_rate
    several = [one for i in range(10) for one in of_two(0, 6, 0, f"drawn {i}")]
    several += [one for i in range(10) for one in of_two(3, 0, 3, f"decided {i}")]
    ratings = all_rated(several)
    for line in ratings.conditions:
        assert (line.draw_rate > 0.8) == line.game.startswith("drawn")
        assert (line.draw_rate < 0.1) == line.game.startswith("decided")
    assert ratings.fit.p_value > 0.05


# What Elo points mean


def test_the_fit_and_the_errors_of_two_bots_are_the_textbooks() -> None:
    """Of two bots with swapped seats d = ln(wins / losses), as Bradley and Terry have it.

    Weak priors and many games: they differ by less than a tenth of an Elo point. Wins are binomial:
    the difference has 1 / (n p q) as its variance.
    """
    assert ahead(all_rated(of_two(60_000, 0, 20_000))) == pytest.approx(
        400 * math.log10(3), abs=0.1
    )
    error = all_rated(of_two(6000, 0, 6000)).differences["ann", "bob"]
    assert error == pytest.approx(400 / math.log(10) * math.sqrt(4 / 12_000), rel=0.01)
    # 60 of 100 points are 70 Elo, however many games are drawn; but for the prior of two bots.
    for games in ((240, 0, 160), (180, 120, 100), (140, 200, 60), (90, 300, 10)):
        apart = ahead(all_rated(of_two(*games)))
        assert apart == pytest.approx(elo_of(0.6), abs=2.0)
        assert Estimate(apart, 0.0).score == pytest.approx(0.6, abs=0.003)


def test_results_all_of_a_kind_are_no_poor_fit_and_equals_draw_as_often_as_they_did() -> None:
    for games in ((0, 60, 0), (60, 0, 0), (30, 0, 30), (0, 1, 0), (1, 0, 0)):
        assert all_rated(of_two(*games)).fit.p_value > 0.5
    for games, drawn in (((0, 60, 0), 1.0), ((30, 0, 30), 0.0), ((20, 20, 20), 1 / 3)):
        (line,) = all_rated(of_two(*games)).conditions
        assert line.draw_rate == pytest.approx(drawn, abs=0.02)


def test_a_bot_that_is_good_at_one_game_and_bad_at_another_is_told_of() -> None:
    good = of_two(30, 0, 10)
    told, same = (all_rated(good + of_two(*more, "other")) for more in ((10, 0, 30), (30, 0, 10)))
    assert told.between is not None
    assert told.between.heterogeneous
    assert told.between.spread > 100
    assert same.between is not None
    assert not same.between.heterogeneous
    assert told.differences["ann", "bob"] > 3 * same.differences["ann", "bob"]
    assert told.strengths["ann"].trueskill.sigma > 2 * same.strengths["ann"].trueskill.sigma
    assert all_rated(good).between is None


def test_a_game_that_only_others_play_tells_nothing_of_how_bots_differ() -> None:
    """Two who met none of these, at one game: that game has no bot to be compared at another."""
    played = [
        DecidedGame(first, second, float((n % 8 > 1) == ((first < second) == (game == "x"))), game)
        for n in range(16)
        for game in "xy"
        for first, second in permutations(("ann", "bob", "cat"), 2)
    ]
    others = [DecidedGame("yan", "zoe", score, "z") for score in (1.0, 0.0)]
    alone, among = all_rated(played), all_rated(played + others)
    assert alone.between is not None
    assert alone.between.heterogeneous
    assert among.between is not None
    assert among.between.p_value == pytest.approx(alone.between.p_value, rel=0.1)
    for name, strength in alone.strengths.items():
        again = among.strengths[name]
        assert again.elo.error == pytest.approx(strength.elo.error, rel=0.05)
        assert again.trueskill.sigma == pytest.approx(strength.trueskill.sigma, rel=0.05)


# TrueSkill over all games


def test_one_game_converges_to_the_package() -> None:
    """That nobody knows what the seat is worth is noise to a game alone, half of it each bot's."""
    posterior = converged(count([DecidedGame("ann", "bob", 1.0)]))
    noise = math.sqrt(NOISE**2 + PRIOR_ADVANTAGE**2)
    draws = 2 * cdf(posterior.margin / noise) - 1
    environment = trueskill.TrueSkill(
        MU, math.sqrt(posterior.variance), noise / math.sqrt(2), 0.0, draws
    )
    newcomers = environment.create_rating(), environment.create_rating()
    package = trueskill.rate_1vs1(*newcomers, env=environment)
    for i, rated in enumerate(package):
        assert MU + posterior.means[i] == pytest.approx(rated.mu, abs=1e-6)
        assert math.sqrt(posterior.covariance[i][i]) == pytest.approx(rated.sigma, abs=1e-6)


def test_sigma_leaves_out_what_no_game_could_tell() -> None:
    """The prior alone fixes the common level; two bots have half of its variance in common."""
    results = of_two(3, 2, 3)
    variance = UNIT**2 * fit(count(results)).variance
    spread = converged(count(results), variance).spread()
    rated = rate(results).strengths["ann"].trueskill
    assert rated.sigma**2 == pytest.approx(spread[0][0] - variance / 2)
    assert rated.sigma**2 == pytest.approx((spread[0][0] - spread[0][1]) / 2)
    assert Rating(25.0, 2.0).exposed == 19.0


def test_two_bots_converge_to_the_exact_posterior() -> None:
    """Two dimensions can be integrated by steps: the moments are within EP's known small error."""
    results = of_two(6, 4, 2)
    posterior = converged(count(results))
    margin = posterior.margin
    seats = Counter((result.first, result.score) for result in results)

    def chance(ahead: float, score: float) -> float:
        wins, losses = cdf((ahead - margin) / NOISE), cdf((-ahead - margin) / NOISE)
        return {1.0: wins, 0.5: 1 - wins - losses, 0.0: losses}[score]

    def weight(apart: float, advantage: float) -> float:
        likely = pdf(apart / SIGMA / math.sqrt(2)) * pdf(advantage / PRIOR_ADVANTAGE)
        for (first, score), games in seats.items():
            ahead = (apart if first == "ann" else -apart) + advantage
            likely *= chance(ahead, score) ** games
        return likely

    marginal = {i / 2: math.fsum(weight(i / 2, j) for j in range(-15, 16)) for i in range(-40, 41)}
    total = math.fsum(marginal.values())
    mean = math.fsum(x * w for x, w in marginal.items()) / total
    variance = math.fsum((x - mean) ** 2 * w for x, w in marginal.items()) / total
    (a, b, _), ((aa, ab, _), (_, bb, _), _) = posterior.means, posterior.covariance
    assert a - b == pytest.approx(mean, abs=0.05)
    assert math.sqrt(aa + bb - 2 * ab) == pytest.approx(math.sqrt(variance), abs=0.05)


def test_the_draw_rate_between_equals_is_found_among_unequals() -> None:
    """Unequal bots draw less: the share of draws in the data is lower than what is fitted."""
    margin, chance, results = margin_of(0.4), random.Random(4), []
    truth = {"ann": 8, "bob": 0, "cat": -8}
    for first, second in [("ann", "bob"), ("bob", "cat"), ("cat", "ann")] * 3000:
        ahead = truth[first] - truth[second] + chance.gauss(0, NOISE)
        score = 0.5 if abs(ahead) < margin else float(ahead > 0)
        results.append(DecidedGame(first, second, score))
    assert sum(result.score == 0.5 for result in results) / len(results) < 0.2
    assert all_rated(results).draw_rate == pytest.approx(0.4, abs=0.03)
    even = [DecidedGame("ann", "bob", 1.0), DecidedGame("ann", "bob", 0.0)]
    assert 0 < rate(even * 500).draw_rate < 0.001
    assert 0.999 < rate([DecidedGame("ann", "bob", 0.5)] * 1000).draw_rate < 1
    assert rate([]).draw_rate == pytest.approx(1 / 3)


# TrueSkill in the order of the games


@given(_RESULTS, st.floats(0.001, 0.95))
def test_the_closed_form_is_the_packages_rating(
    results: list[DecidedGame], draw_rate: float
) -> None:
    assert are_the_same(rate_in_order(results, draw_rate), rate_by_package(results, draw_rate))


@pytest.mark.parametrize("draw_rate", [LEAST_DRAWS, 0.1, 1 - LEAST_DRAWS])
def test_both_are_the_same_and_finite_whatever_happens_far_apart(draw_rate: float) -> None:
    chain = [DecidedGame(a, b, 1.0) for a, b in reversed(list(pairwise(CHAIN))) for _ in range(10)]
    for score in (0.0, 0.5, 1.0):
        far = [DecidedGame(CHAIN[0], CHAIN[-1], score), DecidedGame(CHAIN[-1], CHAIN[0], 0.5)]
        package = rate_by_package([*chain, *far], draw_rate)
        assert are_the_same(rate_in_order([*chain, *far], draw_rate), package)
        assert all(math.isfinite(r.mu) and 0 < r.sigma < SIGMA for r in package.values())


def test_the_package_itself_computes_up_to_a_number_of_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by = ["the trueskill package"] * 2 + ["its closed form"]
    limit = [in_order_of(games, 0.1).by for games in (0, PACKAGE_GAMES, PACKAGE_GAMES + 1)]
    assert (PACKAGE_GAMES, limit) == (20_000, by)
    results = random_results(3, 40)
    monkeypatch.setattr("lath.reports.ratings.skill.PACKAGE_GAMES", 40)
    within, beyond = rate(results), rate([*results, DecidedGame("a", "b", 0.5)])
    assert within.in_order
    assert beyond.in_order
    assert [within.in_order.by, beyond.in_order.by] == by[1:]
    how = within.in_order
    package = trueskill.TrueSkill(how.mu, how.sigma, how.beta, how.tau, how.draw_rate)
    ratings = {name: package.create_rating() for name in "abc"}
    for first, second, score, *_ in results:
        one, other = (first, second) if score else (second, first)
        ratings[one], ratings[other] = trueskill.rate_1vs1(
            ratings[one], ratings[other], drawn=score == 0.5, env=package
        )
    for name, strength in within.strengths.items():
        assert strength.sequential
        # The package's own normal distribution is right to 1e-7.
        assert strength.sequential.mu == pytest.approx(ratings[name].mu, abs=1e-5)
        assert strength.sequential.sigma == pytest.approx(ratings[name].sigma, abs=1e-5)
        assert strength.sequential.exposed == pytest.approx(package.expose(ratings[name]), abs=1e-4)


def test_a_first_win_is_worth_what_the_published_example_says() -> None:
    # trueskill.org, `rate_1vs1` of two newcomers: 29.396 and 20.604, both ± 7.171, with a draw
    # probability of 0.10 and a tau of 0.083, ours being 0.
    rated = rate_in_order([DecidedGame("ann", "bob", 1.0)], 0.1)
    found = rated["ann"].mu, rated["bob"].mu, rated["ann"].sigma
    assert found == pytest.approx((29.396, 20.604, 7.171), abs=0.001)
    results = [
        DecidedGame("zoe", "bob", 1.0),
        DecidedGame("ann", "zoe", 0.0),
        DecidedGame("ann", "ann", 0.5),
    ]
    assert list(rate_in_order(results, 0.1)) == ["zoe", "bob", "ann"], "as they appeared"


def test_sequential_ratings_are_made_where_somebody_asks_and_end_their_history() -> None:
    results = [DecidedGame("ann", "bob", 1.0), DecidedGame("bob", "cat", 0.5)]
    assert all_rated(results).strengths["ann"].sequential is None
    assert rate(iter(results)).strengths["ann"].sequential is not None
    assert history([], 0, how=in_order_of(0, 0.1)) == ()
    first, second = history(results, len(results), how=in_order_of(2, 0.1))
    assert (first.games, list(first.ratings)) == (1, ["ann", "bob"])
    assert (second.games, list(second.ratings)) == (2, ["ann", "bob", "cat"])
    many = random_results(2, 250)
    ratings = rate(many)
    assert ratings.in_order
    snapshots = history(many, len(many), how=ratings.in_order)
    assert len(snapshots) == 100
    assert [s.games for s in snapshots] == sorted({s.games for s in snapshots})
    assert snapshots[-1].games == 250
    for name, strength in ratings.strengths.items():
        assert snapshots[-1].ratings[name] == strength.sequential


def test_the_first_import_warns_of_nothing() -> None:
    # -B and an empty cache prefix: the package is compiled anew, which is when it would warn.
    code = "import sys; sys.pycache_prefix = sys.argv[1]\n"
    code += "from lath.reports.ratings.skill import environment_of\n"
    code += "assert 'trueskill' not in sys.modules\nenvironment_of(0.1)"
    command = [sys.executable, "-B", "-W", "error", "-c", code, "no-such-folder"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# What they stand on


def test_counts_tell_games_of_pairs_from_games_alone() -> None:
    won, lost = DecidedGame("ann", "bob", 1.0, "g", 7), DecidedGame("bob", "ann", 0.0, "g", 7)
    again = [result._replace(pair=8) for result in (won, lost)]
    counts = count([won, DecidedGame("ann", "cat", 0.5, "g"), lost, *again, won._replace(pair=9)])
    assert (counts.names, counts.games) == (("ann", "bob", "cat"), 6)
    ((cluster, times_seen),) = counts.clusters.items()
    assert sorted(cluster) == sorted([won[:4], lost[:4]])
    assert times_seen == 2


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_connected_bots_are_those_that_a_chain_of_games_joins(met: list[tuple[int, int]]) -> None:
    names = [str(i) for i in range(10)]
    groups = connected(names, [(str(a), str(b)) for a, b in met])
    assert sorted(name for group in groups for name in group) == names
    assert [len(group) for group in groups] == sorted(map(len, groups), reverse=True)
    number = {name: i for i, group in enumerate(groups) for name in group}
    assert all(number[str(a)] == number[str(b)] for a, b in met)
    # As many groups as bots, less the games that joined two: a forest.
    assert len(groups) >= 10 - len(met)


def test_what_explains_draws_and_wins_alike_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the margin and a gap between bots explain nearly the same, steps lead anywhere."""

    def half_drawn(games: int) -> Rating:
        drawn = of_two(2 * games, 2 * games, 0, "g")
        return rate(drawn).strengths["ann"].trueskill

    assert half_drawn(250).mu == pytest.approx(29.77, abs=0.005)
    known = [half_drawn(games) for games in (100, 1000, 10_000)]
    assert [one.mu for one in known] == sorted(one.mu for one in known)
    assert [one.sigma for one in known] == sorted((one.sigma for one in known), reverse=True)
    comes_to_rest = skill._comes_to_rest  # the other way to the same place has no other name

    def holds_the_margin(*of: Any, climbs: bool) -> bool:
        return comes_to_rest(*of, climbs=False) and not climbs

    monkeypatch.setattr(skill, "_comes_to_rest", holds_the_margin)
    again = half_drawn(100)
    assert (again.mu, again.sigma) == pytest.approx((known[0].mu, known[0].sigma), abs=1e-4)


@pytest.mark.slow
def test_who_scored_clearly_more_in_a_round_robin_stands_higher() -> None:
    """The more so who won all: how wide a field may be makes nobody's rating lower."""
    for seed in range(20):
        chance = random.Random(seed)
        bots, rounds = chance.choice((3, 6, 8)), chance.choice((1, 2, 8))
        spread = 10 ** chance.uniform(1, 3.3)
        truth = {f"bot{number}": chance.gauss(0, spread) for number in range(bots)}
        points = dict.fromkeys(truth, 0.0)
        results = []
        for number, (one, other) in enumerate([*combinations(truth, 2)] * rounds):
            for first, second in ((one, other), (other, one)):
                score = float(chance.random() < score_of(truth[first] - truth[second] + 40))
                points[first] += score
                points[second] += 1 - score
                results.append(DecidedGame(first, second, score, "g", number))
        strengths = all_rated(results).strengths
        most = 2 * rounds * (bots - 1)
        for high, low in permutations(truth, 2):
            clearly = most / 4 if points[low] > 0 and points[high] < most else 0
            if points[high] - points[low] > clearly:
                more, less = (strengths[name].trueskill.exposed for name in (high, low))
                assert more > less, (seed, high, low)
