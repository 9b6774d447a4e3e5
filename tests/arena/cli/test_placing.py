"""How good is it? `arena match BOT` plays one bot against the ladder, and says where it stands."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
from collections import Counter
from concurrent.futures import Future
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final

import commands
import pytest
from commands import Ran
from places import ROOT
from quick_runs import AtOnce, play_nothing
from results import a_result

from lath import games
from lath.arena import ladder, placing
from lath.arena.schedule.sprt import score_of
from lath.arena.tournament import folder as directory
from lath.arena.tournament.runner import Runner
from lath.arena.tournament.worker import PairJob, PairResult
from lath.reports.ratings.results import Elo

sys.path.append(str(ROOT / "benchmarks"))
from strength import LADDERS, play_of

GAMES: Final = sorted(ladder.measured())


class Strong(AtOnce):
    """Has every game decided by chance, as strengths in Elo have it.

    `ending`: by what "mine" loses its games, where not by the rules.
    """

    def __init__(self, strengths: dict[str, float], ending: str = "") -> None:
        super().__init__([])
        self._strengths = strengths
        self._ending = ending
        self._chance = Random(5)

    def submit(self, _play: Any, /, *given: Any, **_: Any) -> Future[Any]:
        (job,) = given
        assert isinstance(job, PairJob)
        played = []
        for plan in job.games:
            first, second = (self._strengths[name] for name in plan.names)
            result = "1-0" if self._chance.random() < score_of(first - second) else "0-1"
            is_lost = plan.names[result == "1-0"] == "mine"
            more = {"termination": self._ending} if is_lost and self._ending else {}
            game = a_result(plan.number, names=plan.names, game=plan.game, result=result, **more)
            played.append(game)
        future: Future[Any] = Future()
        future.set_result(PairResult(pair=job.pair, games=tuple(played)).as_text())
        return future


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which commands are typed; matches are kept in `state` beside it."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return home


def placed(
    patch: pytest.MonkeyPatch, elo: float, game: str, *words: object, ending: str = ""
) -> Ran:
    """Place a bot of this strength, by games that chance decides; no bot is started."""
    play_nothing(patch)
    strengths = {one.name: one.elo or 0.0 for one in ladder.levels_of(game)} | {"mine": elo}
    patch.setattr(
        directory, "Runner", partial(Runner, executors=lambda *_: Strong(strengths, ending))
    )
    patch.setattr(placing, "both_play", lambda *_, **__: [game])
    return commands.arena("match", "mine=greedy", "--game", game, *words)


def opponents(tmp_path: Path) -> Counter[str]:
    (path,) = (tmp_path / "state").rglob("tournament.db")
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT first, second FROM game").fetchall()
    assert all("mine" in row for row in rows), "levels do not play each other"
    return Counter(one for row in rows for one in row if one != "mine")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("level", [1, 3, 5])
def test_a_bot_as_strong_as_a_level_is_told_so(
    level: int, game: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels = ladder.levels_of(game)
    elo = levels[level].elo
    assert elo is not None
    patched = partial(placed, monkeypatch, elo, game, "--budget", 300, "--json")
    (said,) = json.loads(patched().out)
    assert said["elo_low"] < elo < said["elo_high"]
    assert abs(levels[said["level"]].elo - elo) < 100
    words = said["says"][0]
    pattern = rf"mine is about level {said['level']} at {game}: (beats|equals|loses to) level \d"
    assert re.match(pattern, words), words
    met = opponents(tmp_path)
    near = [one.name for one in levels if abs((one.elo or 0.0) - elo) < 420]
    assert sum(met[name] for name in near) > 0.8 * met.total(), "games are where they tell most"
    assert list(home.iterdir()) == [home / f"mine-{game}.html"]


def test_who_wins_or_loses_all_has_a_bound(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.is_dir()
    top = ladder.levels_of("yavalath")[-1]
    strong = placed(monkeypatch, 9000.0, "yavalath", "--budget", 40)
    first, second = strong.out.splitlines()[:2]
    assert first.startswith(f"mine is above level {top.number}, the highest at yavalath: beats ")
    assert re.match(r"at least \+\d+ Elo: it has lost to no level, where random = 0", second)
    assert strong.err.splitlines()[-1] == "report: mine-yavalath.html"
    assert "arena explain mine " in strong.err
    weak = placed(monkeypatch, -9000.0, "yavalath", "--budget", 40, "--seed", 2)
    assert weak.out.startswith("mine is below level 0 (random) at yavalath: loses to ")
    assert re.search(r"^at most [+-]\d+ Elo: it has beaten no level", weak.out, re.MULTILINE)
    again = placed(monkeypatch, -9000.0, "yavalath", "--budget", 40, "--seed", 2)
    assert "of 80 games" in again.out, "the same command goes on"


@pytest.mark.parametrize("ending", ["crash", "time"])
def test_a_bot_that_loses_by_mishaps_is_placed_and_told_of_them(
    ending: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    told = placed(monkeypatch, 300.0, "yavalath", "--budget", 60, ending=ending)
    assert re.match(r"mine is about level \d at yavalath", told.out), told.out
    assert ending in told.out, "nothing says why it lost"


def test_one_bot_has_no_test(home: Path) -> None:
    assert home.is_dir()
    ended = commands.arena("match", "greedy", "--sprt", "0,5")
    assert ended.status == 2
    assert "--sprt is for OLD and NEW" in ended.err


def test_a_game_that_nobody_has_measured_has_a_scale_of_its_own(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    monkeypatch.setattr(ladder, "measured", dict)
    ended = commands.arena(
        "match", "mine=greedy", "--game", "yavalath", "--budget", "24", "--tc", "nodes 1"
    )
    assert ended.status == 0, ended.err
    assert "nobody has measured the levels at yavalath" in ended.err
    assert "random = 0, levels as of these games alone" in ended.out


# The ladder


def test_each_game_type_has_levels_that_rise_and_are_those_that_are_measured() -> None:
    assert GAMES == sorted(LADDERS) == sorted(games.ids())
    for game, bots in LADDERS.items():
        levels = ladder.levels_of(game)
        assert [one.bot for one in levels] == list(bots)
        assert levels[0].elo == 0
        for below, above in pairwise(levels):
            assert (above.elo or 0) - (below.elo or 0) > 35, (game, above)


@pytest.mark.parametrize("game", GAMES)
def test_levels_play_as_they_did_when_they_were_measured(game: str) -> None:
    rows = ladder.measured()[game]["levels"]
    others = [row["bot"] for row in rows if play_of(row["bot"], game) != row["play"]]
    assert not others, "measure again: python benchmarks/strength.py --ladder"


@pytest.mark.parametrize("end", [0.0, 1.0, -300.0])
def test_an_end_of_the_interval_has_the_error_of_the_ladder_wherever_it_is(end: float) -> None:
    levels = (ladder.Level(0, "random", 0.0, 40.0),)
    above = ladder.Place("mine", "yavalath", levels, Elo(0.0, 50.0, "above", end), (), True)
    below = ladder.Place("mine", "yavalath", levels, Elo(0.0, 50.0, "below", end), (), True)
    assert above.interval == (end - 40.0, None)
    assert below.interval == (None, end + 40.0)
