"""What a plan says of games, time and intervals is what comes of it."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Final

import commands
import jsonschema
import pytest
from results import a_config, a_result
from schedules import a_schedule

from lath.arena.errors import ConfigError, DamagedError
from lath.arena.referee.clock import Limits
from lath.arena.schedule.budget import Budget
from lath.arena.schedule.sprt import Sprt, lengths, score_of, state
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.outcome.strengths import half_widths
from lath.arena.tournament.run import plan as plans
from lath.arena.tournament.run.open_games import OpenGames
from lath.arena.tournament.run.plan import planned
from lath.arena.tournament.store.store import Store
from lath.games.core import Result
from lath.notation.protocol import TimeControl
from lath.reports.ratings.elo import ELO, chances
from lath.reports.ratings.numerics import Z95
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame


def play(config: Config, store: Store, apart: float = 100.0, drawn: float = 0.0) -> None:
    """Store what is left of a tournament; who is a letter earlier is so much stronger."""
    schedule = OpenGames(config, store, tree="").schedule
    log_draws = math.log(2 * drawn / (1 - drawn)) if drawn else -50.0
    games = []
    while (pair := schedule.next()) is not None:
        for plan in pair.left(schedule.finished):
            ahead = apart * (ord(plan.names[1][0]) - ord(plan.names[0][0]))
            likely = chances(ahead / ELO, log_draws)
            (result,) = random.Random(plan.number).choices(("1-0", "1/2-1/2", "0-1"), likely)
            games.append(a_result(plan.number, names=plan.names, result=result))
            schedule.report(plan.number, *plan.names, Result(result))
    store.add(games)


FIVE: Final = ("ann", "bob", "cat", "dan", "eve")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("apart", "drawn", "known"), [(0.0, 0.1, 0), (0.0, 0.6, 10), (0.0, 0.0, 10), (300.0, 0.2, 10)]
)
def test_planned_intervals_are_those_that_come(
    apart: float, drawn: float, known: int, tmp_path: Path
) -> None:
    with closing(Store(tmp_path)) as store:
        if known:
            play(a_config(names=FIVE, rounds=known), store, apart, drawn)
        config = a_config(names=FIVE, rounds=known + 20)
        plan = planned(config, tmp_path)
        play(config, store, apart, drawn)
        real = half_widths(FIVE, Counter((row.game, *row[1:4]) for row in store.results()))
    ratios = [(bot.then or math.nan) / real[bot.name] for bot in plan.bots]
    assert 0.9 < fmean(ratios) < 1.1
    assert all(0.8 < ratio < 1.2 for ratio in ratios)


@pytest.mark.slow
def test_a_plan_goes_on_from_what_is_stored_and_leaves_that_alone(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        play(a_config(rounds=70), store)
        before = {path: path.read_bytes() for path in tmp_path.iterdir()}
        config = a_config(rounds=140)
        plan = planned(config, tmp_path)  # while a run has the directory
        assert (plan.played, plan.games) == (420, (420, 420))
        assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
        assert plan.noise == pytest.approx(1.0, abs=0.1), "games are independent"
        play(config, store)
        stored = store.results()
        real = rate([DecidedGame(*row[1:3], float(row.result == "1-0"), "g") for row in stored])
    for bot in plan.bots:
        assert (bot.played, bot.games, bot.opponents) == (280, 560, 2)
        assert bot.now is not None
        assert bot.then == pytest.approx(bot.now / math.sqrt(2), rel=0.02)
        assert bot.then == pytest.approx(Z95 * real.strengths[bot.name].elo.error, rel=0.1)


def test_a_newcomer_makes_those_who_have_played_no_less_known(tmp_path: Path) -> None:
    with closing(Store(tmp_path)) as store:
        play(a_config(rounds=30), store)
        store.begin(a_config(rounds=30).identity(), {})
    alone = planned(a_config(format="pool", rounds=30), tmp_path)
    names = ("ann", "bob", "cat", "dan")
    plan = planned(a_config(names=names, format="pool", rounds=30), tmp_path)
    assert (alone.games, plan.games) == ((0, 0), (180, 180))
    assert plan.noise == pytest.approx(alone.noise, rel=1e-6)
    for before, bot in zip(alone.bots, plan.bots, strict=False):
        assert bot.now == pytest.approx(before.now, rel=1e-6)
        assert bot.games == 180
    assert (plan.bots[-1].now, plan.bots[-1].games) == (None, 180)


def test_games_that_repeat_each_other_tell_less_when_more_are_played(tmp_path: Path) -> None:
    games = []
    for number in range(1, 401):
        line = a_result(1 + number % 8, names=(("ann", "bob"), ("bob", "ann"))[number % 2])
        record = re.sub(r'\[Number "\d+"\]', f'[Number "{number}"]', line.record)
        games.append(replace(line, number=number, record=record))
    with closing(Store(tmp_path)) as store:
        store.add(games)
    plan = planned(a_config(names=("ann", "bob"), rounds=300), tmp_path)
    assert plan.played == 400
    assert plan.noise is not None
    assert plan.noise > 3, "of eight lines of play"


def test_damage_is_told_of_the_directory(tmp_path: Path) -> None:
    (tmp_path / "tournament.db").write_bytes(b"no database" * 100)
    with pytest.raises(DamagedError, match=re.escape(str(tmp_path))):
        planned(a_config(), tmp_path)


def test_a_plus_minus_of_20_between_two_equals_takes_a_thousand_games(tmp_path: Path) -> None:
    plan = planned(a_config(names=("ann", "bob"), format="match", rounds=2000), tmp_path / "none")
    for bot in plan.bots:
        assert bot.games_for_aim == pytest.approx(
            0.9 * (Z95 * 800 / 20 / math.log(10)) ** 2, rel=0.02
        )
    assert not (tmp_path / "none").exists()


def test_games_of_a_format_are_counted(tmp_path: Path) -> None:
    for form, more, least, most in (
        ("round-robin", {"rounds": 3}, 60, 60),
        ("gauntlet", {"rounds": 3}, 24, 24),
        ("swiss", {"rounds": 3}, 12, 12),
        ("knockout", {"pairs": 2}, 16, 56),
        ("pool", {"rounds": 3}, 60, 60),
    ):
        games = planned(a_config(names=FIVE, format=form, **more), tmp_path).games
        assert least <= games[0] <= games[1] <= most, form
    budget = Budget(games=50)
    assert planned(a_config(names=FIVE, format="pool"), tmp_path, budget).games == (50, 50)


def test_a_million_games_are_planned_from_their_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plans, "MOST_PAIRS", 1000)
    plan = planned(a_config(rounds=170_000), tmp_path)
    assert plan.games == (1_020_000, 1_020_000)
    assert [bot.games for bot in plan.bots] == [pytest.approx(680_000, rel=0.01)] * 3


def test_a_budget_of_a_pool_is_planned_where_games_tell_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = a_config(names=FIVE, format="pool", limits=Limits(time=TimeControl(move_ms=100)))
    monkeypatch.setattr(plans, "MOST_IN_BUDGET", 100)
    assert planned(pool, tmp_path, Budget(games=1000)).games == (1000, 1000)
    plan = planned(pool, tmp_path, Budget(seconds=600))
    assert plan.seconds is not None
    assert plan.seconds[0] < 600 < plan.seconds[1]
    with pytest.raises(ConfigError, match="needs a number of games"):
        planned(a_config(format="pool"), tmp_path, Budget(seconds=600))


def test_time_follows_from_the_clock_and_from_random_games(tmp_path: Path) -> None:
    per_move = Limits(time=TimeControl(move_ms=1000))
    plan = planned(a_config(rounds=10, jobs=2, limits=per_move), tmp_path)
    assert plan.plies is not None
    assert plan.seconds is not None
    assert 10 < plan.plies[0] < 21 < plan.plies[1] < 35, "a random game of Yavalath has 21"
    assert plan.seconds[0] == pytest.approx(plan.plies[0] * 0.5 * 30, rel=0.01)
    assert plan.seconds[1] == pytest.approx(plan.plies[1] * 1.0 * 30, rel=0.01)
    clock = Limits(time=TimeControl(initial_ms=10_000, increment_ms=100))
    plan = planned(a_config(rounds=10, limits=clock), tmp_path)
    assert plan.seconds is not None
    assert 60 * 5 < plan.seconds[0] < 60 * 10 < 60 * 20 < plan.seconds[1] < 60 * 25
    assert planned(a_config(), tmp_path).seconds is None, "nodes limit no time"


def test_an_sprt_is_as_long_as_expected() -> None:
    sprt = Sprt(elo0=-20, elo1=60, alpha=0.1, beta=0.1)
    planned_ = lengths(sprt, 0.125)  # of games without draws
    chance = random.Random(1)
    for elo, plan in zip((-20, 20, 60), planned_, strict=True):
        seen = []
        for _ in range(60):
            counts = [0] * 5
            while state(sprt, counts).verdict is None:
                counts[2 * sum(chance.random() < score_of(elo) for _ in "12")] += 1
            seen.append(sum(counts))
        assert fmean(seen) == pytest.approx(plan.expected, rel=0.25), "sixty scatter by a tenth"
        for share in (0.3, 0.7):
            within = sum(pairs <= plan.quantile(share) for pairs in seen) / len(seen)
            assert within == pytest.approx(share, abs=0.18), "three standard errors of sixty"
            assert plan.within(plan.quantile(share)) == pytest.approx(share, abs=0.01)
    normalized = lengths(replace(sprt, model="normalized"), 0.125)
    for one, other in zip(normalized, planned_, strict=True):
        assert one.expected == pytest.approx(other.expected, rel=0.03), "both scales are one"
    half_way = lengths(sprt, 0.125, llr=1.5)[2]
    assert half_way.expected < planned_[2].expected, "it is nearer to H1 already"
    assert lengths(sprt, 0.125, worth=0.5)[1].expected > 1.9 * planned_[1].expected


def test_arena_run_plan_plays_nothing_and_says_what_would_be(tmp_path: Path) -> None:
    words = "run --bot random --bot greedy --game yavalath --rounds 50 --tc 10+0.1 --jobs 1 --plan"
    out = tmp_path / "out"
    told = commands.arena(*words.split(), "--output", out)
    assert told.status == 0, told.err
    assert not out.exists()
    assert "round-robin: 100 games to play" in told.out
    assert "time: 10:32 to 38:40, one game at a time" in told.out
    assert "Expected 95% intervals of the difference between the two bots" in told.out
    plan = json.loads(commands.arena(*words.split(), "--output", out, "--json").out)
    jsonschema.validate(plan, plans.schema())
    assert plan["games"] == [100, 100]
    assert plan["bots"][0]["games_for_aim"] > 900
    assert f"±{plan['bots'][0]['then']:.0f} " in told.out
    assert re.search(r"^yavalath +393 +- +-$", told.out, re.MULTILINE)
    assert "length and drama: known after 20 games of similar bots" in told.out
    assert [each["games"] for each in plan["differences"]] == [393, None, None]
    assert not out.exists()


def test_a_match_with_a_test_says_how_long_it_takes_on_average(tmp_path: Path) -> None:
    words = "run --bot random --bot greedy --game yavalath --format match --rounds 9000 --tc none"
    told = commands.arena(*words.split(), "--sprt", "0,20", "--plan", "--output", tmp_path / "out")
    assert told.status == 0, told.err
    assert re.search(r"average length of the test: \d+ games at \+0 Elo", told.out)
    assert re.search(r"a decision within 18000 games: >?\d+% at \+0 Elo", told.out)
    assert "unknown without a time limit" in told.out


@pytest.mark.parametrize(("elo0", "elo1", "rounds"), [(0, 5, 50), (0, 5, 500), (-20, 60, 10_000)])
def test_what_a_test_needs_does_not_depend_on_its_rounds(
    elo0: int, elo1: int, rounds: int, tmp_path: Path
) -> None:
    sprt = Sprt(elo0=elo0, elo1=elo1)
    config = a_config(names=("ann", "bob"), format="match", rounds=rounds, sprt=sprt)
    plan = planned(config, tmp_path / "none")
    assert plan.sprt is not None
    found = lengths(sprt, 0.225 / 2)  # a tenth of draws
    for games, within, one in zip(plan.sprt.games, plan.sprt.within, found, strict=True):
        assert games == pytest.approx(2 * one.expected, abs=40)
        assert within == pytest.approx(one.within(rounds), abs=0.01)
    assert plan.sprt.most == 2 * rounds
    assert plan.games[0] <= plan.games[1] <= 2 * rounds
    if elo1 == 5:
        assert plan.games == (2 * rounds, 2 * rounds), "hardly any test is decided so soon"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "pairs", "model"),
    [(4, 1, (0.0, 150.0, 0.0)), (7, 2, (300.0, 0.0, 0.4))],
)
def test_the_planned_range_of_a_knockout_contains_95_of_100_runs(
    bots: int, pairs: int, model: tuple[float, float, float], tmp_path: Path
) -> None:
    """The model: how strengths scatter and what the first seat is worth, in Elo; draws."""
    spread, seat, drawn = model
    names = tuple(f"bot-{number}" for number in range(bots))
    least, most = planned(
        a_config(names=names, format="knockout", pairs=pairs), tmp_path / "none"
    ).games
    log_draws = math.log(2 * drawn / (1 - drawn)) if drawn else -50.0
    inside = 0
    for seed in range(60):
        chance = random.Random(seed)
        elo = {name: chance.gauss(0, spread) for name in names}
        schedule, games = a_schedule("knockout", names=names, pairs=pairs), 0
        while (pair := schedule.next()) is not None:
            for each in pair.games:
                first, second = each.names
                likely = chances((elo[first] - elo[second] + seat) / ELO, log_draws)
                (result,) = chance.choices(("1-0", "1/2-1/2", "0-1"), likely)
                schedule.report(each.number, first, second, Result(result))
                games += 1
        inside += least <= games <= most
    assert inside >= 57
    assert least >= 2 * pairs * (bots - 1)


def test_a_match_that_is_decided_is_over(tmp_path: Path) -> None:
    sprt = Sprt(elo0=0, elo1=60)
    config = a_config(names=("ann", "bob"), format="match", rounds=300, sprt=sprt)
    with closing(Store(tmp_path)) as store:
        assert planned(config, tmp_path).games[1] > 100
        play(config, store)
    plan = planned(config, tmp_path)
    assert plan.games == (0, 0)
    assert plan.played < 600
