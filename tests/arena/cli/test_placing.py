"""How good is it? `arena match BOT` plays one bot against the ladder, and says where it stands."""

from __future__ import annotations

import html
import json
import re
import shlex
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, Final, Literal

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
from lath.reports.standings import Meeting

sys.path.append(str(ROOT / "benchmarks"))
from strength import LADDERS, play_of

GAMES: Final = sorted(ladder.measured())


class Strong(AtOnce):
    """Has every game decided by chance, as strengths in Elo have it.

    `ending`: by what "mine" loses its games, where not by the rules; `moves`: after how many.
    """

    def __init__(self, strengths: dict[str, float], ending: str = "", moves: int = 9) -> None:
        super().__init__([])
        self._strengths = strengths
        self._ending = ending
        self._moves = moves
        self._chance = Random(5)

    def submit(self, _play: Any, /, *given: Any, **_: Any) -> Future[Any]:
        (job,) = given
        assert isinstance(job, PairJob)
        played = []
        for plan in job.games:
            first, second = (self._strengths[name] for name in plan.names)
            result = "1-0" if self._chance.random() < score_of(first - second) else "0-1"
            is_lost = plan.names[result == "1-0"] == "mine"
            more: dict[str, Any] = {"first_moves": self._moves, "second_moves": self._moves}
            if is_lost and self._ending:
                more["termination"] = self._ending
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
    patch: pytest.MonkeyPatch,
    elo: float,
    game: str,
    *words: object,
    ending: str = "",
    moves: int = 9,
    bot: str = "mine=greedy",
) -> Ran:
    """Place a bot of this strength, by games that chance decides; no bot is started."""
    play_nothing(patch)
    strengths = {one.name: one.elo or 0.0 for one in ladder.levels_of(game)} | {"mine": elo}
    patch.setattr(
        directory, "Runner", partial(Runner, executors=lambda *_: Strong(strengths, ending, moves))
    )
    patch.setattr(placing, "both_play", lambda *_, **__: [game])
    return commands.arena("match", bot, "--game", game, *words)


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
    near = "level 0 (random)" if said["level"] == 0 else f"level {said['level']}"
    pattern = (
        rf"mine is about {re.escape(near)} at {game}: \d+ % of \d+ against {re.escape(near)}, "
    )
    assert re.match(pattern, words), words
    met = opponents(tmp_path)
    close = [one.name for one in levels if abs((one.elo or 0.0) - elo) < 420]
    assert sum(met[name] for name in close) > 0.8 * met.total(), "games are where they tell most"
    assert list(home.iterdir()) == [home / f"mine-{game}.html"]


def test_who_wins_or_loses_all_has_a_bound(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert home.is_dir()
    top = ladder.levels_of("yavalath")[-1]
    strong = placed(monkeypatch, 9000.0, "yavalath", "--budget", 40)
    first, second = strong.out.splitlines()[:2]
    assert first.startswith(f"mine is above level {top.number}, the highest at yavalath: 100 % of ")
    assert re.match(r"at least \+\d+ Elo: it has lost to no level, where random = 0", second)
    assert strong.err.splitlines()[-1] == "report: mine-yavalath.html"
    assert "arena explain mine " in strong.err
    weak = placed(monkeypatch, -9000.0, "yavalath", "--budget", 40, "--seed", 2)
    assert weak.out.startswith("mine is below level 0 (random) at yavalath: 0 % of ")
    assert re.search(r"^at most [+-]\d+ Elo: it has beaten no level", weak.out, re.MULTILINE)
    again = placed(monkeypatch, -9000.0, "yavalath", "--budget", 40, "--seed", 2)
    assert "of 80 games" in again.out, "the same command goes on"


@pytest.mark.parametrize("ending", ["crash", "time"])
def test_a_bot_that_loses_by_mishaps_is_placed_and_told_of_them(
    ending: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    told = placed(monkeypatch, 300.0, "yavalath", "--budget", 60, ending=ending)
    verdict = rf"mine is about level \d at yavalath: .*; mine lost \d+ of \d+ games by {ending}"
    assert re.match(verdict, told.out.splitlines()[0]), told.out
    (offer,) = (line for line in told.err.splitlines() if line.startswith("what goes wrong: "))
    assert offer.startswith("what goes wrong: arena bot check --game yavalath -- ")


@pytest.mark.parametrize("ending", ["crash", "time"])
def test_who_has_made_no_move_has_no_place(
    ending: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    told = placed(monkeypatch, -9000.0, "yavalath", "--budget", 8, ending=ending, moves=0)
    assert told.status == 1
    first = told.out.splitlines()[0]
    broken = f"mine has made no move in 8 games (8 lost by {ending}), "
    assert first == f"{broken}so nothing is known of its strength"
    assert "level" not in told.out
    assert "Elo" not in told.out


GIVEN: Final = {
    "--tc": "move 0.2",
    "--budget": "6",
    "--openings": "random:2",
    "--seed": "7",
    "--jobs": "1",
    "--sandbox": "none",
    "--out": "my matches/one",
}


@pytest.mark.parametrize("left_out", [(), ("--out",), ("--tc", "--seed"), (*GIVEN,)[2:]])
def test_each_command_that_is_offered_has_all_that_was_said(
    left_out: tuple[str, ...], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    given = {flag: value for flag, value in GIVEN.items() if flag not in left_out}
    words = [word for pair in given.items() for word in pair]
    told = placed(monkeypatch, 300.0, "yavalath", *words)
    offers = [line.partition(": arena ")[2] for line in told.err.splitlines()]
    offers = [offer for offer in offers if offer.startswith("match ")]
    assert len(offers) == 2, told.err
    heard: list[tuple[tuple[str, ...], dict[str, Any]]] = []

    def hear(*bots: str, **said: Any) -> Iterator[Any]:
        heard.append((bots, said))
        return iter(())

    for held in ("lath.arena.cli.placing.held", "lath.arena.cli.match.held"):
        monkeypatch.setattr(held, hear)
    monkeypatch.setattr("lath.arena.cli.match._told", lambda *_, **__: 0)
    for offer in offers:
        commands.arena(*shlex.split(offer))
    (surely, said), (harder, said_of_next) = heard
    assert surely == ("mine=greedy",)
    assert harder[1] == "mine=greedy"
    for offered, name in ((said, "surely"), (said_of_next, "next")):
        assert tuple(offered["games"]) == ("yavalath",)
        for flag, value in given.items():
            key = flag.removeprefix("--")
            if key == "out":
                assert str(offered[key]) == (value if name == "surely" else f"{value}-level-2")
            elif key != "budget" or name == "next":
                assert str(offered[key]) == value, flag
    assert said["budget"] == "10m"


def test_the_report_says_what_the_terminal_says(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = placed(monkeypatch, 700.0, "yavalath", "--budget", 11)
    page = html.unescape((home / "mine-yavalath.html").read_text())
    first, second = told.out.splitlines()[:2]
    for sentence in (first, second[1:]):
        assert sentence in page
    assert "stands first" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "of 12 games" in second, "a pair that begins within the budget is played whole"
    assert not re.search(r"\d+ of \d+ games", page.partition("<script")[0].replace(first, ""))


def test_reports_of_other_matches_are_not_replaced(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report(*words: object) -> str:
        ended = placed(monkeypatch, 700.0, "yavalath", "--budget", 4, *words)
        return ended.err.splitlines()[-1].removeprefix("report: ")

    names = [report(), report("--seed", 2), report(), report("--seed", 2), report("--seed", 3)]
    first, *later = (f"mine-yavalath{number}.html" for number in ("", "-2", "-3"))
    assert names == [first, later[0], first, later[0], later[1]]
    assert len(list(home.iterdir())) == 3


@pytest.mark.parametrize("unknown", ["", "above", "below"])
@pytest.mark.parametrize("elo", [-200.0, 0.0, 700.0, 1400.0, 1700.0])
@pytest.mark.parametrize("met", [(0,), (3,), (6,), (2, 3), (0, 6), tuple(range(7))])
def test_only_levels_that_were_met_are_named(
    met: tuple[int, ...], elo: float, unknown: Literal["", "above", "below"]
) -> None:
    levels = ladder.levels_of("yavalath")
    won = {"above": (4, 0), "below": (0, 4)}.get(unknown, (2, 2))
    scored = Meeting(wins=won[0], losses=won[1])
    meetings = tuple(scored if number in met else Meeting() for number in range(len(levels)))
    place = ladder.Place("mine", "yavalath", levels, Elo(elo, 10.0, unknown, elo), meetings, True)
    first, second = place.sentences("move 0.1")
    judged = re.match(r"mine is (above|below) level (\d)", first)
    if judged:
        assert int(judged[2]) in met
        assert int(judged[2]) == (len(levels) - 1 if judged[1] == "above" else 0)
    assert all(
        int(number) in met for number in re.findall(r"(?:against|to|beats) level (\d)", first)
    )
    assert "clock move 0.1" in second
    if unknown:
        assert "is about" not in first
        assert judged or first.startswith("mine has "), first


CONTEST_BOTS: Final = {"codingame": "move 0.1 first 1", "botzone": "move 1"}


@pytest.mark.parametrize("protocol", CONTEST_BOTS)
@pytest.mark.parametrize("seat", ["BOT", "OLD", "NEW"])
def test_a_bot_of_a_contest_that_cannot_start_is_named_and_nobody_is_stronger(
    protocol: str, seat: str, home: Path
) -> None:
    (home / "broken.py").write_text("import there_is_no_such_module\n")
    bot = f"{sys.executable} broken.py; cwd={home}; protocol={protocol}"
    bots = {"BOT": [bot], "OLD": [bot, "greedy"], "NEW": ["greedy", bot]}[seat]
    ended = commands.arena("match", *bots, "--game", "yavalath", "--budget", "2")
    assert (ended.status, ended.out) == (1, "")
    assert "exited with status 1 before its first move" in ended.err
    assert "there_is_no_such_module" in ended.err


@pytest.mark.parametrize("protocol", CONTEST_BOTS)
def test_a_bot_of_a_contest_has_the_time_of_its_contest(
    protocol: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.is_dir()
    bot = f"mine=greedy; protocol={protocol}"
    told = placed(monkeypatch, 700.0, "yavalath", "--budget", 4, bot=bot)
    assert f"clock {CONTEST_BOTS[protocol]}" in told.out.splitlines()[1]
    assert "clock 0.5+0.01 first 1" in placed(monkeypatch, 700.0, "yavalath", "--budget", 4).out


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
