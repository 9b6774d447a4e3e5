"""Ratings are calibrated: on tournaments with known strengths, intervals hold what they promise.

The six figures are those of the research page. Each has a control: a method that is known to be
wrong, and is seen to be. Chances are drawn from fixed seeds, so that nothing here flickers.
Twenty tournaments are played for each, hundreds in `tests/soak/test_ratings_at_length.py`.
"""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from places import ROOT
from sample_records import bare
from simulated import (
    BOTS,
    Event,
    Told,
    alone,
    davidson_event,
    elo_told,
    several_games,
    share,
    trueskill_event,
    trueskill_told,
)

from lath.notation.record import Ply
from lath.reports.ratings import elo as davidson
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import Elo, Result
from lath.reports.standings import Tally

sys.path.append(str(ROOT / "benchmarks"))
import intervals

pytestmark = pytest.mark.slow

SIZES = (280, 1120)

SPREAD = 0.08
"""Standard deviation of one tournament's share of intervals that hold, as measured; of eight that
do so at 95 %, each on its own, it would be 0.077."""

WIDE = 0.14
"""The same in a field with gaps, each of which is in the intervals of all."""

ALONE = math.sqrt(0.95 * 0.05)
"""The same where a tournament has one such interval."""


@pytest.fixture
def events() -> int:
    """How many tournaments are played."""
    return 20


@pytest.fixture
def many_events() -> int:
    """How many tournaments are played where each gives one interval."""
    return 20


@pytest.fixture
def few_events() -> int:
    """How many tournaments are played of each setting of a kind."""
    return 3


def chance_of(events: int, spread: float = SPREAD) -> float:
    """Return how far from the truth chance may lead a mean: three standard errors."""
    return 3 * spread / math.sqrt(events)


def is_good(hits: Sequence[bool], events: int) -> bool:
    """Return whether intervals of 95 % held as often as they should."""
    return abs(share(hits) - 0.95) <= chance_of(events)


def is_good_enough(hits: Sequence[bool], events: int, spread: float = SPREAD) -> bool:
    """Return whether intervals of 95 % did not hold more seldom than they should."""
    return share(hits) >= 0.95 - chance_of(events, spread)


@cache
def trueskill_at(games: int, events: int) -> Told:
    return trueskill_told(trueskill_event(seed, games) for seed in range(events))


@cache
def elo_at(games: int, events: int) -> Told:
    return elo_told(davidson_event(seed, games) for seed in range(events))


def unbalanced_events(events: int) -> list[Event]:
    """Return tournaments in which bots early in the alphabet move first nine times in ten."""
    return [davidson_event(seed, 280, first_share=0.9, advantage=100.0) for seed in range(events)]


@pytest.mark.parametrize("games", SIZES)
def test_intervals_of_trueskill_hold_the_centred_truth(games: int, events: int) -> None:
    assert is_good(trueskill_at(games, events).strengths, events)


@pytest.mark.parametrize("games", SIZES)
def test_intervals_of_trueskill_hold_true_differences(games: int, events: int) -> None:
    assert is_good(trueskill_at(games, events).differences, events)


@pytest.mark.parametrize("games", SIZES)
def test_intervals_of_elo_hold_the_centred_truth(games: int, events: int) -> None:
    assert is_good(elo_at(games, events).strengths, events)


SETTINGS: dict[str, dict[str, Any]] = {
    "no draws": {"games": 280, "draw_rate": 0.0},
    "half drawn, a round": {"games": 56, "draw_rate": 0.5},
    "half drawn, two rounds": {"games": 112, "draw_rate": 0.5},
    "60 % drawn": {"games": 280, "draw_rate": 0.6},
    "80 % drawn, a round": {"games": 56, "draw_rate": 0.8},
    "80 % drawn": {"games": 280, "draw_rate": 0.8},
    "strengths of 600": {"games": 280, "spread": 600.0},
    "a ladder of 1500": {"games": 280, "ladder": 1500.0},
    "a ladder of 1500, many games": {"games": 1120, "ladder": 1500.0},
}
"""Where priors or scales could mislead."""


@cache
def elo_in(setting: str, events: int) -> Told:
    return elo_told(davidson_event(40 + seed, **SETTINGS[setting]) for seed in range(events))


@pytest.mark.parametrize("setting", SETTINGS)
def test_intervals_of_elo_hold_with_draws_and_in_wide_fields(setting: str, events: int) -> None:
    told = elo_in(setting, events)
    assert is_good_enough(told.strengths, events)
    assert is_good_enough(told.differences, events)
    assert is_good_enough(told.advantages, events, ALONE)


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_true_model_fits_with_draws_and_in_wide_fields(setting: str, events: int) -> None:
    said = elo_in(setting, events).p_values
    assert share(p < 0.05 for p in said) <= 0.05 + chance_of(events, ALONE)


@pytest.mark.parametrize("games", SIZES)
def test_intervals_of_elo_hold_true_differences(games: int, events: int) -> None:
    assert is_good(elo_at(games, events).differences, events)


@pytest.mark.parametrize("first_scores", [0.69, 0.75])
def test_trueskill_is_not_misled_by_the_seats(first_scores: float, events: int) -> None:
    told = trueskill_told(
        trueskill_event(seed, 280, first_scores=first_scores) for seed in range(events)
    )
    assert is_good(told.strengths, events)
    assert is_good(told.differences, events)


@pytest.mark.parametrize("games", [280])
def test_trueskill_holds_in_wide_fields(games: int, events: int) -> None:
    told = trueskill_told(trueskill_event(seed, games, spread=15.0) for seed in range(events))
    assert is_good_enough(told.strengths, events, WIDE)
    assert is_good_enough(told.differences, events, WIDE)


def test_trueskills_intervals_are_as_narrow_as_those_of_the_research_page(events: int) -> None:
    # 1.71 for 8 bots and 280 games; the page does not say which draw rate and which field.
    widths = trueskill_at(280, events).half_widths
    assert math.fsum(widths) / len(widths) == pytest.approx(1.71, abs=0.15)


def test_the_likelihood_of_superiority_is_how_often_it_is_true(events: int) -> None:
    told = elo_told(davidson_event(seed, 560) for seed in range(2 * events))
    for low in (0.5, 0.6, 0.7, 0.8, 0.9):
        bin_ = [said for said in told.superiorities if low <= said[0] < low + 0.1]
        assert len(bin_) > 2.3 * events
        mean = math.fsum(likely for likely, _ in bin_) / len(bin_)
        spread = math.sqrt(mean * (1 - mean))
        assert abs(share(true for _, true in bin_) - mean) <= chance_of(len(bin_), spread), low


@pytest.mark.parametrize("games", SIZES)
def test_the_advantage_of_the_first_seat_is_held_by_its_interval(
    games: int, many_events: int
) -> None:
    held = share(elo_at(games, many_events).advantages)
    assert abs(held - 0.95) <= chance_of(many_events, ALONE)


def test_unbalanced_seats_do_no_harm(events: int) -> None:
    told = elo_told(unbalanced_events(events))
    assert is_good_enough(told.strengths, events)
    assert is_good_enough(told.differences, events)


def test_unbalanced_seats_do_harm_without_an_advantage_in_the_model(
    monkeypatch: pytest.MonkeyPatch, events: int
) -> None:
    monkeypatch.setattr(davidson, "PRIOR_ADVANTAGE_ELO", 0.01)
    told = elo_told(unbalanced_events(events // 3))
    assert share(told.strengths) < 0.85


def played_five_times(event: Event) -> list[Result]:
    """Return what is rated of deterministic bots that play each game five times."""
    words = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
    tally = Tally()
    for number, (first, second, score, game, pair, *_) in list(enumerate(event.results)) * 5:
        record = bare(first, second, words[score], game_id=game, Opening=f"{pair}")
        tally.add(replace(record, plies=(Ply(f"move{number}"),)))
    return tally.results()


def test_repeated_games_do_no_harm(events: int) -> None:
    few = events // 3
    told = elo_told((davidson_event(300 + seed, 280) for seed in range(few)), played_five_times)
    assert is_good_enough(told.strengths, few)
    assert is_good_enough(told.differences, few)


def test_repeated_games_make_intervals_lie(events: int) -> None:
    repeated = [davidson_event(seed, 280) for seed in range(events // 3)]
    told = elo_told(repeated, lambda event: alone(event.results) * 5)
    assert share(told.strengths) < 0.75


def test_repeated_games_do_little_harm_where_they_are_one_cluster(events: int) -> None:
    repeated = [davidson_event(seed, 280) for seed in range(events)]
    told = elo_told(repeated, lambda event: event.results * 5)
    assert share(told.strengths) >= 0.945 - chance_of(events)


def test_openings_that_two_games_share_do_no_harm(events: int) -> None:
    told = elo_told(davidson_event(seed, 280, opening=100.0) for seed in range(events))
    assert is_good_enough(told.strengths, events)
    assert is_good_enough(told.differences, events)
    assert is_good_enough(told.advantages, events, ALONE)


def test_pairs_that_have_nothing_in_common_leave_the_intervals_as_wide(events: int) -> None:
    """What two games of a pair seem to share is about what the fit took from each: no more."""
    played = [davidson_event(seed, 280) for seed in range(events)]
    lone = elo_told(played, lambda event: alone(event.results)).half_widths
    paired = elo_at(280, events).half_widths
    # Measured: of one tournament the ratio has a standard deviation of 0.039.
    within = chance_of(events, 0.039)
    assert math.fsum(paired) / math.fsum(lone) == pytest.approx(1, abs=within)


def opening_events(events: int, opening: float, openings: int | None) -> list[Event]:
    """Return tournaments in which pairs of all bots share so many openings."""
    return [davidson_event(seed, 280, opening=opening, openings=openings) for seed in range(events)]


@pytest.mark.parametrize("opening", [0.0, 75.0, 150.0])
@pytest.mark.parametrize("openings", [6, 10, 35, None])
def test_the_advantage_holds_for_openings_that_games_of_all_bots_share(
    opening: float, openings: int | None, many_events: int
) -> None:
    told = elo_told(opening_events(many_events, opening, openings))
    assert abs(share(told.advantages) - 0.95) <= chance_of(many_events, ALONE)


def test_strengths_hold_where_games_of_all_bots_share_openings(events: int) -> None:
    told = elo_told(opening_events(events, 150.0, 35))
    assert is_good_enough(told.strengths, events)
    assert is_good_enough(told.differences, events)


def test_openings_make_the_advantage_lie_where_ratings_are_not_told_of_them() -> None:
    told = elo_told(opening_events(60, 150.0, 10), lambda event: alone(event.results))
    assert share(told.advantages) < 0.8


@pytest.mark.parametrize("kinds", [2, 4, 8])
def test_strengths_at_several_games_hold_for_games_of_that_kind(kinds: int, events: int) -> None:
    """Also where a bot's strength at one game is ±250 points from that at all."""
    told = elo_told(several_games(seed, 448, kinds=kinds, differ=250.0) for seed in range(events))
    assert is_good_enough(told.strengths, events, WIDE)
    assert is_good_enough(told.differences, events, WIDE)


def test_bots_that_are_as_strong_at_each_game_are_seldom_called_heterogeneous(events: int) -> None:
    said = [
        rate(several_games(seed, 448, kinds=4, differ=0.0).results, in_order=False).between
        for seed in range(events)
    ]
    found = [between.p_value for between in said if between]
    assert share(p < 0.05 for p in found) <= 0.05 + chance_of(events, ALONE)
    assert abs(share(p < 0.5 for p in found) - 0.5) <= chance_of(events, 0.5)


def test_a_wrong_draw_model_makes_intervals_lie(events: int) -> None:
    """Without its draws a field looks wider than it is."""
    drawish = [trueskill_event(seed, 1120, draw_rate=0.5) for seed in range(events)]
    assert is_good(trueskill_told(drawish).strengths, len(drawish))
    told = trueskill_told(drawish, lambda event: [r for r in event.results if r.score != 0.5])
    assert share(told.strengths) < 0.85


def test_the_fit_of_a_true_model_is_seldom_called_bad(events: int) -> None:
    for games in SIZES:
        said = elo_at(games, events).p_values
        assert share(p < 0.05 for p in said) <= 0.05 + chance_of(events, ALONE)
        assert abs(share(p < 0.5 for p in said) - 0.5) <= chance_of(events, 0.5)


def test_the_fit_of_a_false_model_is_called_bad() -> None:
    # A circle: each beats the next, and no order of strengths can say so.
    circle = [("a", "b"), ("b", "c"), ("c", "a")]
    results = [Result(*seats, 1.0, "game") for seats in circle] * 30
    results += [Result(*seats, 0.0, "game") for seats in circle] * 5
    results += [Result(second, first, 0.0, "game") for first, second in circle] * 30
    assert rate(results).fit.p_value < 1e-6


def numbers(estimates: Sequence[Elo]) -> list[float]:
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


KINDS = ("round robin", "swiss", "knockout", "TrueSkill", "shared openings", "match")


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_of_every_kind_of_event_hold_what_they_should(kind: str, few_events: int) -> None:
    """The settings of `benchmarks/intervals.py`, of which 1,000 events each are in the docs."""
    held, events = intervals.Held(), 0
    for name, setting in ALL_SETTINGS.items():
        if kind in name and (kind == "TrueSkill" or "TrueSkill" not in name):
            held.add(intervals.told(setting, range(few_events)))
            events += few_events
    for hits, spread in ((held.strengths, 0.12), (held.differences, 0.12), (held.winners, ALONE)):
        assert not hits or share(hits) >= 0.94 - chance_of(events, spread)
    if kind != "TrueSkill":
        sure = [(said, true) for said, true in zip(held.said, held.true, strict=True) if said > 0.9]
        said, true = (math.fsum(each) / len(sure) for each in zip(*sure, strict=True))
        assert true >= said - chance_of(events, 0.12)


ALL_SETTINGS = {setting.name: setting for setting in intervals.settings()}
