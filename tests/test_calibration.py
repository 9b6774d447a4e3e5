"""Ratings are calibrated: on tournaments with known strengths, intervals hold what they promise.

The six figures are those of the research page. Each has a control: a method that is known to be
wrong, and is seen to be. Chances are drawn from fixed seeds, so that nothing here flickers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from sample_records import bare
from simulated import (
    BOTS,
    Event,
    Told,
    alone,
    davidson_event,
    elo_told,
    share,
    trueskill_event,
    trueskill_told,
)

from notation.record import Ply
from reports.ratings import davidson
from reports.ratings.rating import rate
from reports.ratings.values import Estimate, Result
from reports.standings.tally import Tally

SIZES = (280, 1120)
EVENTS = 300

# Held over so many tournaments a true 95 % is seen as 94 to 96 %: the bands are wider than chance.
GOOD = pytest.approx(0.95, abs=0.015)


@cache
def trueskill_at(games: int) -> Told:
    return trueskill_told(trueskill_event(seed, games) for seed in range(EVENTS))


@cache
def elo_at(games: int) -> Told:
    return elo_told(davidson_event(seed, games) for seed in range(EVENTS))


def unbalanced_events() -> list[Event]:
    """Return tournaments in which bots early in the alphabet move first nine times in ten."""
    return [davidson_event(seed, 280, first_share=0.9, advantage=100.0) for seed in range(EVENTS)]


@pytest.mark.parametrize("games", SIZES)
def test_intervals_of_trueskill_hold_the_centred_truth(games: int) -> None:
    assert share(trueskill_at(games).strengths) == GOOD


@pytest.mark.parametrize("games", SIZES)
def test_intervals_of_trueskill_hold_true_differences(games: int) -> None:
    assert share(trueskill_at(games).differences) == GOOD


@pytest.mark.parametrize("games", SIZES)
def test_intervals_of_elo_hold_the_centred_truth(games: int) -> None:
    assert share(elo_at(games).strengths) == GOOD


@pytest.mark.parametrize("games", SIZES)
def test_intervals_of_elo_hold_true_differences(games: int) -> None:
    assert share(elo_at(games).differences) == GOOD


def test_trueskills_intervals_are_as_narrow_as_those_of_the_research_page() -> None:
    # 1.71 for 8 bots and 280 games; the page does not say which draw rate and which field.
    widths = trueskill_at(280).half_widths
    assert math.fsum(widths) / len(widths) == pytest.approx(1.71, abs=0.15)


def test_the_likelihood_of_superiority_is_how_often_it_is_true() -> None:
    told = elo_told(davidson_event(seed, 560) for seed in range(1200))
    for low in (0.5, 0.6, 0.7, 0.8, 0.9):
        bin_ = [said for said in told.superiorities if low <= said[0] < low + 0.1]
        assert len(bin_) > 1400
        mean = math.fsum(likely for likely, _ in bin_) / len(bin_)
        assert share(true for _, true in bin_) == pytest.approx(mean, abs=0.03), low


@pytest.mark.parametrize("games", SIZES)
def test_the_advantage_of_the_first_seat_is_held_by_its_interval(games: int) -> None:
    assert 0.93 <= share(elo_at(games).advantages) <= 0.97


def test_unbalanced_seats_do_no_harm() -> None:
    told = elo_told(unbalanced_events())
    assert share(told.strengths) >= 0.935
    assert share(told.differences) >= 0.935


def test_unbalanced_seats_do_harm_without_an_advantage_in_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(davidson, "PRIOR_ADVANTAGE_ELO", 0.01)
    told = elo_told(unbalanced_events()[:100])
    assert share(told.strengths) < 0.85


def played_five_times(event: Event) -> list[Result]:
    """Return what is rated of deterministic bots that play each game five times."""
    words = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
    tally = Tally()
    for number, (first, second, score, game, pair) in list(enumerate(event.results)) * 5:
        record = bare(first, second, words[score], game_id=game, Opening=f"{pair}")
        tally.add(replace(record, plies=(Ply(f"move {number}"),)))
    return tally.results()


def test_repeated_games_do_no_harm_once_dropped() -> None:
    events = [davidson_event(seed, 280) for seed in range(EVENTS, EVENTS + 100)]
    told = elo_told(events, played_five_times)
    assert share(told.strengths) >= 0.935
    assert share(told.differences) >= 0.935


def test_repeated_games_make_intervals_lie() -> None:
    events = [davidson_event(seed, 280) for seed in range(100)]
    told = elo_told(events, lambda event: alone(event.results) * 5)
    assert share(told.strengths) < 0.7


def test_repeated_games_do_little_harm_where_they_are_one_cluster() -> None:
    events = [davidson_event(seed, 280) for seed in range(EVENTS)]
    told = elo_told(events, lambda event: event.results * 5)
    assert share(told.strengths) >= 0.93


def test_openings_that_two_games_share_do_no_harm() -> None:
    told = elo_told(davidson_event(seed, 280, opening=100.0) for seed in range(EVENTS))
    assert share(told.strengths) >= 0.935
    assert share(told.differences) >= 0.935
    assert share(told.advantages) >= 0.935


def test_pairs_that_have_nothing_in_common_leave_the_intervals_as_wide() -> None:
    """What two games of a pair seem to share is about what the fit took from each: no more."""
    events = [davidson_event(seed, 280) for seed in range(EVENTS)]
    lone = elo_told(events, lambda event: alone(event.results)).half_widths
    paired = elo_at(280).half_widths
    assert math.fsum(paired) / math.fsum(lone) == pytest.approx(1, abs=0.008)


def few_openings() -> list[Event]:
    """Return tournaments in which pairs of all bots share 35 openings, eight games each."""
    return [davidson_event(seed, 280, opening=150.0, openings=35) for seed in range(EVENTS)]


def test_openings_that_games_of_all_bots_share_do_no_harm() -> None:
    told = elo_told(few_openings())
    assert share(told.advantages) >= 0.93


def test_openings_make_the_advantage_lie_where_ratings_are_not_told_of_them() -> None:
    told = elo_told(few_openings(), lambda event: alone(event.results))
    assert share(told.advantages) < 0.9


def test_a_wrong_draw_model_makes_intervals_lie() -> None:
    """Without its draws a field looks wider than it is."""
    events = [trueskill_event(seed, 1120, draw_rate=0.5) for seed in range(60)]
    assert share(trueskill_told(events).strengths) == GOOD
    told = trueskill_told(events, lambda event: [r for r in event.results if r.score != 0.5])
    assert share(told.strengths) < 0.85


def test_the_fit_of_a_true_model_is_seldom_called_bad() -> None:
    for games in SIZES:
        said = elo_at(games).p_values
        assert share(p < 0.05 for p in said) <= 0.09
        assert share(p < 0.5 for p in said) == pytest.approx(0.5, abs=0.1)


def test_the_fit_of_a_false_model_is_called_bad() -> None:
    # A circle: each beats the next, and no order of strengths can say so.
    circle = [("a", "b"), ("b", "c"), ("c", "a")]
    results = [Result(*seats, 1.0, "game") for seats in circle] * 30
    results += [Result(*seats, 0.0, "game") for seats in circle] * 5
    results += [Result(second, first, 0.0, "game") for first, second in circle] * 30
    assert rate(results).fit.p_value < 1e-6


def numbers(estimates: Sequence[Estimate]) -> list[float]:
    return [number for estimate in estimates for number in (estimate.value, estimate.error)]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_games_changes_nothing(seed: int) -> None:
    results = davidson_event(seed, 280).results
    one = rate(results, in_order=False)
    random.Random(seed).shuffle(results)
    other = rate(results, in_order=False)
    for bot in BOTS:
        a, b = one.strengths[bot], other.strengths[bot]
        assert a.trueskill.mu == pytest.approx(b.trueskill.mu, abs=1e-9)
        assert a.trueskill.sigma == pytest.approx(b.trueskill.sigma, abs=1e-9)
        assert numbers([a.elo]) == pytest.approx(numbers([b.elo]), abs=1e-9)
    assert one.fit.p_value == pytest.approx(other.fit.p_value, abs=1e-9)
    assert dict(one.differences) == pytest.approx(dict(other.differences), abs=1e-9)
