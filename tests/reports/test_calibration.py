"""Ratings are calibrated: on tournaments with known strengths, intervals hold what they promise.

The six figures are those of the research page. Each has a control: a method that is known to be
wrong, and does not pass the same check. Chances are drawn from fixed seeds, so that nothing here
flickers. Four tournaments are played for each setting, twelve of those that others depart from, and
the shares of all settings together are looked at too. Hundreds of each are played in
`tests/soak/test_ratings_at_length.py`.
"""

from __future__ import annotations

import math
import random
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from statistics import fmean
from typing import Any

import pytest
from places import ROOT
from sample_records import bare
from simulated import (
    MEETINGS,
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

from lath.notation.record.record import Ply
from lath.reports.counting.standings import Tally
from lath.reports.ratings import elo as davidson
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame

sys.path.append(str(ROOT / "benchmarks"))
import intervals

pytestmark = pytest.mark.slow

SPREAD = 0.08
"""Standard deviation of one tournament's share of intervals that hold, as measured; of eight that
do so at 95%, each on its own, it would be 0.077."""

WIDE = 0.14
"""The same in a field with gaps, each of which is in the intervals of all."""

ALONE = math.sqrt(0.95 * 0.05)
"""The same where a tournament has one such interval."""

EVEN = math.sqrt(1 / 12)
"""That of one p-value where all are as likely."""


@pytest.fixture
def events() -> int:
    """How many tournaments are played of each setting."""
    return 4


@pytest.fixture
def kinds() -> Kinds:
    """The seeds of events of `benchmarks/intervals.py`, and the settings that have them.

    Seed 0 is one of bad luck: of it too many winners are outside.
    """
    return range(1, 2), {
        name: one for name, one in ALL_SETTINGS.items() if not re.search(" of (20|40), ", name)
    }


def chance_of(events: int, spread: float = SPREAD) -> float:
    """Return how far from the truth chance may lead a mean: three standard errors.

    No method is closer than a point and a half everywhere.
    """
    return max(0.015, 3 * spread / math.sqrt(events))


def played_five_times(event: Event) -> list[DecidedGame]:
    """Return what is rated of deterministic bots that play each game five times."""
    words = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}
    tally = Tally()
    for number, (first, second, score, game, pair, *_) in list(enumerate(event.results)) * 5:
        record = bare(first, second, words[score], game_id=game, Opening=f"{pair}")
        tally.add(replace(record, plies=(Ply(f"move{number}"),)))
    return tally.results()


Kinds = tuple[range, dict[str, intervals.Setting]]


@dataclass(frozen=True)
class Setting:
    """Tournaments, and which intervals of 95% must hold in them: at least, or just as often."""

    event: Callable[[int], Event]
    rated: Callable[..., Told] = elo_told
    results: Callable[[Event], list[DecidedGame]] | None = None
    exact: tuple[str, ...] = ()
    least: tuple[str, ...] = ()
    fits: bool = False
    """Whether the model is true, so that it is seldom said to fit badly."""
    spread: float = SPREAD
    least_events: int = 1
    """So many tournaments are played where others have fewer."""

    def played(self, events: int) -> int:
        """Return how many tournaments that are."""
        return max(events, self.least_events)

    def told(self, events: int) -> Told:
        """Return what comes of this setting where others play so many tournaments."""
        return self.rated(map(self.event, range(self.played(events))), self.results)

    def lies(self, told: Told, events: int) -> dict[str, float]:
        """Return the figures that are further from what they should be than chance leads them."""
        played = self.played(events)
        lies = {}
        for figure in (*self.least, *self.exact):
            off = share(getattr(told, figure)) - 0.95
            within = chance_of(played, ALONE if figure == "advantages" else self.spread)
            if off < -within or (figure in self.exact and off > within):
                lies[figure] = off
        if self.fits:
            off = share(p < 0.05 for p in told.p_values) - 0.05
            if off > chance_of(played, ALONE):
                lies["p < 0.05"] = off
            off = fmean(told.p_values) - 0.5
            # What is expected too seldom is left out: they are a little too large.
            if self.exact and abs(off) > max(0.1, chance_of(played, EVEN)):
                lies["p"] = off
        return lies


BOTH = ("strengths", "differences")
ALL = (*BOTH, "advantages")


def true_elo(**terms: Any) -> Setting:
    return Setting(lambda seed: davidson_event(40 + seed, **terms), least=ALL, fits=True)


def opened(opening: float, openings: int | None) -> Setting:
    """Return tournaments in which pairs of all bots share so many openings."""
    event = partial(davidson_event, games=280, opening=opening, openings=openings)
    if not opening:  # the few say that they differ though they do not
        return Setting(event, least=ALL[2:])
    return Setting(event, exact=ALL[2:], least=BOTH if openings == 35 else ())


SETTINGS: dict[str, Setting] = {
    **{
        f"{scale}, {games} games": Setting(
            partial(event, games=games), rated, exact=exact, fits=scale == "Elo", least_events=12
        )
        for scale, event, rated, exact in (
            ("TrueSkill", trueskill_event, trueskill_told, BOTH),
            ("Elo", davidson_event, elo_told, ALL),
        )
        for games in (280, 1120)
    },
    # Where priors or scales could mislead.
    "no draws": true_elo(games=280, draw_rate=0.0),
    "half drawn, a round": true_elo(games=56, draw_rate=0.5),
    "half drawn, two rounds": true_elo(games=112, draw_rate=0.5),
    "60% drawn": true_elo(games=280, draw_rate=0.6),
    "80% drawn, a round": true_elo(games=56, draw_rate=0.8),
    "80% drawn": true_elo(games=280, draw_rate=0.8),
    "strengths of 600": true_elo(games=280, spread=600.0),
    "a ladder of 1500": true_elo(games=280, ladder=1500.0),
    "a ladder of 1500, many games": true_elo(games=1120, ladder=1500.0),
    **{
        f"first scores {score}": Setting(
            partial(trueskill_event, games=280, first_scores=score), trueskill_told, exact=BOTH
        )
        for score in (0.69, 0.75)
    },
    "a wide field of TrueSkill": Setting(
        partial(trueskill_event, games=280, spread=15.0), trueskill_told, least=BOTH, spread=WIDE
    ),
    "many draws of TrueSkill": Setting(
        partial(trueskill_event, games=1120, draw_rate=0.5), trueskill_told, exact=BOTH[:1]
    ),
    "unbalanced seats": Setting(
        partial(davidson_event, games=280, first_share=0.9, advantage=100.0), least=BOTH
    ),
    "repeated games": Setting(
        lambda seed: davidson_event(300 + seed, 280),
        results=played_five_times,
        least=BOTH,
    ),
    "repeated games that are one cluster": Setting(
        partial(davidson_event, games=280), results=lambda event: event.results * 5, least=BOTH[:1]
    ),
    "openings of two games": Setting(partial(davidson_event, games=280, opening=100.0), least=ALL),
    **{
        f"{openings or 'all'} openings, {opening}": opened(opening, openings)
        for opening, openings in ((0.0, 6), (75.0, 6), (75.0, 10), (150.0, 35), (150.0, None))
    },
    # Also where a bot's strength at one game is ±250 points from that at all.
    **{
        f"{kinds} kinds of games": Setting(
            partial(several_games, games=448, kinds=kinds, differ=250.0), least=BOTH, spread=WIDE
        )
        for kinds in (2, 4, 8)
    },
}


@cache
def told_of(name: str, events: int) -> Told:
    """Return what comes of a setting; its tournaments are played once."""
    return SETTINGS[name].told(events)


def test_intervals_hold_and_true_models_fit(events: int) -> None:
    told = {name: told_of(name, events) for name in SETTINGS}
    lies = {name: SETTINGS[name].lies(of, events) for name, of in told.items()}
    assert {name: lie for name, lie in lies.items() if lie} == {}
    assert too_few_of_all(told, events) == {}


def too_few_of_all(told: dict[str, Told], events: int) -> dict[str, float]:
    """Return the figures of which intervals hold too seldom, over all settings together."""
    shares = {}
    for figure in ALL:
        held: list[bool] = []
        squares: list[float] = []
        for name, setting in SETTINGS.items():
            if figure in (*setting.least, *setting.exact):
                held += getattr(told[name], figure)
                spread = ALONE if figure == "advantages" else setting.spread
                squares += [spread * spread] * setting.played(events)
        within = chance_of(len(squares), math.sqrt(fmean(squares)))
        if share(held) < 0.95 - within:
            shares[figure] = share(held)
    return shares


def test_wrong_methods_make_intervals_lie(monkeypatch: pytest.MonkeyPatch, events: int) -> None:
    def lies(name: str, **other: Any) -> set[str]:
        setting = replace(SETTINGS[name], **{"least_events": 1, **other})
        return set(setting.lies(setting.told(events), events))

    # As if each game had been played four times.
    often = lies("Elo, 280 games", results=lambda event: alone(event.results) * 4)
    assert often == {*ALL, "p", "p < 0.05"}
    # As if pairs of one opening had nothing in common.
    shared = partial(davidson_event, games=280, opening=250.0, openings=6)
    assert lies("6 openings, 75.0", event=shared) == set()
    apart = lies("6 openings, 75.0", event=shared, results=lambda event: alone(event.results))
    assert apart == {"advantages"}
    # Without its draws a field looks wider than it is.
    decided = lies(
        "many draws of TrueSkill",
        results=lambda event: [one for one in event.results if one.score != 0.5],
    )
    assert decided == {"strengths"}
    monkeypatch.setattr(davidson, "PRIOR_ADVANTAGE_ELO", 0.01)  # as if no seat were better
    assert "strengths" in lies("unbalanced seats")


def test_trueskills_intervals_are_as_narrow_as_those_of_the_research_page(events: int) -> None:
    # 1.71 for 8 bots and 280 games; the page does not say which draw rate and which field.
    widths = told_of("TrueSkill, 280 games", events).half_widths
    assert fmean(widths) == pytest.approx(1.71, abs=0.15)


def test_the_likelihood_of_superiority_is_how_often_it_is_true(events: int) -> None:
    played = [davidson_event(seed, 560) for seed in range(2 * events)]

    def bins(results: Callable[[Event], list[DecidedGame]] | None = None) -> dict[float, bool]:
        """Return of each tenth that is said whether that is how often it is true."""
        told, are_true = elo_told(played, results), {}
        for low in (0.5, 0.6, 0.7, 0.8, 0.9):
            bin_ = [said for said in told.superiorities if low <= said[0] < low + 0.1]
            assert len(bin_) > 2.3 * events or results
            mean = fmean(likely for likely, _ in bin_)
            within = chance_of(len(bin_), math.sqrt(mean * (1 - mean)))
            are_true[low] = abs(share(true for _, true in bin_) - mean) <= within
        return are_true

    assert all(bins().values())
    # As if each game had been played eight times.
    assert not all(bins(lambda event: alone(event.results) * 8).values())


def test_pairs_that_have_nothing_in_common_leave_the_intervals_as_wide(events: int) -> None:
    """What two games of a pair seem to share is about what the fit took from each: no more."""
    setting = SETTINGS["Elo, 280 games"]
    lone = replace(setting, results=lambda event: alone(event.results)).told(events).half_widths
    # Measured: of one tournament the ratio has a standard deviation of 0.039.
    ratio = fmean(told_of("Elo, 280 games", events).half_widths) / fmean(lone)
    assert ratio == pytest.approx(1, abs=3 * 0.039 / math.sqrt(setting.played(events)))


def test_bots_that_are_as_strong_at_each_game_are_seldom_called_heterogeneous(events: int) -> None:
    said = [
        rate(several_games(seed, 448, kinds=4, differ=0.0).results, in_order=False).between
        for seed in range(2 * events)
    ]
    found = [between.p_value for between in said if between]
    assert share(p < 0.05 for p in found) <= 0.05 + chance_of(len(found), ALONE)
    assert abs(fmean(found) - 0.5) <= chance_of(len(found), EVEN)


# The fit


def p_values(events: int, games: int, **terms: Any) -> Sequence[float]:
    played = (davidson_event(seed, games, **terms) for seed in range(events))
    return [rate(event.results, in_order=False).fit.p_value for event in played]


def test_p_values_are_evenly_spread_with_two_games_a_cell(events: int) -> None:
    found = p_values(4 * events, 2 * MEETINGS)
    for low in (0.1, 0.5, 0.9):
        # Two and a half standard errors of a share.
        off = 2.5 * math.sqrt(low * (1 - low) / len(found))
        seen = share(p < low for p in found)
        assert seen <= low + off
        # Cells of which little is expected are left out, and with them the most unlikely sums; and
        # strengths that few games pull together expect more of what is rare.
        assert seen >= low / 4 - off


def test_one_game_a_cell_is_never_said_to_fit_badly(events: int) -> None:
    """Of bots about equal the sum is fixed by what was fitted: chance has nothing left to say."""
    for draw_rate, spread in ((0.3, 50.0), (0.3, 150.0), (0.5, 150.0)):
        found = p_values(2 * events, MEETINGS, draw_rate=draw_rate, spread=spread)
        assert share(p < 0.05 for p in found) <= 0.02, (draw_rate, spread)
        assert share(p < 0.5 for p in found) <= 0.25, (draw_rate, spread)


def test_a_false_model_fits_badly_and_wins_and_losses_alone_fit() -> None:
    # A circle: each beats the next, and no order of strengths can say so.
    circle = [("a", "b"), ("b", "c"), ("c", "a")]
    results = [DecidedGame(*seats, 1.0, "game") for seats in circle] * 30
    results += [DecidedGame(*seats, 0.0, "game") for seats in circle] * 5
    results += [DecidedGame(second, first, 0.0, "game") for first, second in circle] * 30
    assert rate(results).fit.p_value < 1e-6
    for seed in range(6):
        decided = [one for one in davidson_event(seed, 1120).results if one.score != 0.5]
        assert rate(decided, in_order=False).fit.p_value > 0.001


# All kinds of events

KINDS = ("round robin", "swiss", "knockout", "TrueSkill", "shared openings", "match")

ALL_SETTINGS = {setting.name: setting for setting in intervals.settings()}


def held_of(kind: str, kinds: Kinds, times: int = 0) -> tuple[intervals.Held, int]:
    """Return how the intervals of a kind did, and of how many events.

    `times`: as if each game had been played so often, with nothing in common.
    """

    def play(setting: intervals.Setting, chance: random.Random) -> intervals.Event:
        event = setting.play(chance)
        return replace(event, results=intervals.alone(event.results) * times) if times else event

    seeds, settings = kinds
    held, events = intervals.Held(), 0
    for name, setting in settings.items():
        if kind in name and (kind == "TrueSkill" or "TrueSkill" not in name):
            held.add(intervals.told(replace(setting, play=partial(play, setting)), seeds))
            events += len(seeds)
    return held, events


def lies_of(held: intervals.Held, events: int) -> dict[str, float]:
    """Return what holds less often than it should."""
    shares = {
        name: (share(hits), 0.94 - chance_of(events, spread))
        for name, hits, spread in (
            ("strengths", held.strengths, 0.12),
            ("differences", held.differences, 0.12),
            ("winners", held.winners, ALONE),
        )
        if hits
    }
    if sure := [both for both in zip(held.said, held.true, strict=True) if both[0] > 0.9]:
        said, true = map(fmean, zip(*sure, strict=True))
        shares["superiority"] = true, said - chance_of(events, 0.12)
    return {name: found for name, (found, least) in shares.items() if found < least}


def test_intervals_of_every_kind_of_event_hold_what_they_should(kinds: Kinds) -> None:
    """The settings of `benchmarks/intervals.py`, of which 1,000 events each are in the docs."""
    lies = {kind: lies_of(*held_of(kind, kinds)) for kind in KINDS}
    assert lies == {kind: {} for kind in KINDS}
    wrong = lies_of(*held_of("match", kinds, times=1))
    assert wrong.keys() >= {"strengths", "differences"}, "games that came again are no new ones"
    wrong = lies_of(*held_of("swiss of 8", kinds, times=8))
    assert wrong.keys() == {"strengths", "differences", "winners", "superiority"}
