"""How good is it? `arena match BOT` plays one bot against the ladder, and says where it stands."""

from __future__ import annotations

import html
import json
import re
import shlex
import sqlite3
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache
from itertools import pairwise, product
from pathlib import Path
from random import Random
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import pytest
from commands import Ran, arena, refusals
from decided import decide_games
from places import ROOT
from results import a_result

from lath import games
from lath.arena.engine.engine import Engine
from lath.arena.entrants import compiling
from lath.arena.flows import ladder, placing
from lath.arena.flows.requests import MatchRequest
from lath.arena.referee.record import GamePlan, GameResult
from lath.arena.schedule.sprt import score_of
from lath.reports.counting.table import Meeting
from lath.reports.ratings.results import Elo

if TYPE_CHECKING:
    from golden import Golden

sys.path.append(str(ROOT / "benchmarks"))
from strength import LADDERS, answers_of

pytestmark = pytest.mark.slow

GAMES: Final = sorted(ladder.measured())


@pytest.fixture(autouse=True)
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
    *words: object,
    game: str = "yavalath",
    bot: str = "mine=greedy",
    ending: str = "",
    moves: int = 9,
) -> Ran:
    """Place a bot of this strength, by games that chance decides as strengths in Elo have it.

    `ending`: by what "mine" loses its games, where not by the rules; `moves`: after how many.
    """
    strengths = {one.name: one.elo or 0.0 for one in ladder.levels_of(game)} | {"mine": elo}
    chance = Random(5)

    def decided(plan: GamePlan, _job: object) -> GameResult:
        first, second = (strengths[name] for name in plan.names)
        result = "1-0" if chance.random() < score_of(first - second) else "0-1"
        more: dict[str, Any] = {"first_moves": moves, "second_moves": moves}
        if plan.names[result == "1-0"] == "mine" and ending:
            more["termination"] = ending
        return a_result(plan.number, names=plan.names, game=plan.game, result=result, **more)

    decide_games(patch, decided)
    patch.setattr(compiling, "COMMAND", ("true",))  # there is nothing to compile
    patch.setattr(placing, "both_play", lambda *_, **__: [game])
    return arena("match", bot, "--game", game, *words)


def opponents(database: Path) -> Counter[str]:
    with sqlite3.connect(database) as connection:
        rows = connection.execute("SELECT first, second FROM game").fetchall()
    assert all("mine" in row for row in rows), "levels do not play each other"
    return Counter(one for row in rows for one in row if one != "mine")


def test_a_bot_as_strong_as_a_level_is_told_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for game, level in ("yavalath", 1), ("manalath-61", 3), ("yavalath", 5):
        levels = ladder.levels_of(game)
        elo, out = levels[level].elo, home / f"{level}"
        assert elo is not None
        ran = placed(monkeypatch, elo, "--budget", 150, "--json", "--output", out, game=game)
        (said,) = json.loads(ran.out)
        assert said["elo_low"] < elo < said["elo_high"]
        assert abs((levels[said["level"]].elo or 0.0) - elo) < 150
        near = "level 0 (random)" if said["level"] == 0 else f"level {said['level']}"
        words = rf"about {re.escape(near)} at {game}: \d+% of \d+ against {re.escape(near)}, "
        assert re.match(f"mine is {words}", said["says"][0]), said["says"]
        met = opponents(out / "tournament.db")
        close = [one.name for one in levels if abs((one.elo or 0.0) - elo) < 420]
        assert sum(met[name] for name in close) > 0.8 * met.total(), "games are where they tell"


def test_a_place_is_told_with_its_bounds_mishaps_and_clock(
    monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    """Who wins or loses all has a bound, who made no move has nothing; the report says the same."""
    contest = "mine=greedy; protocol="
    cases: dict[str, tuple[float, int, dict[str, Any]]] = {
        "wins all": (9000.0, 20, {}),
        "loses all": (-9000.0, 20, {}),
        "loses by crash": (300.0, 30, {"ending": "crash"}),
        "loses by time": (300.0, 30, {"ending": "time"}),
        "no move, crash": (-9000.0, 8, {"ending": "crash", "moves": 0}),
        "no move, time": (-9000.0, 8, {"ending": "time", "moves": 0}),
        "codingame": (700.0, 4, {"bot": f"{contest}codingame"}),
        "botzone": (700.0, 4, {"bot": f"{contest}botzone"}),
        "an odd budget: the last pair is played whole": (700.0, 11, {}),
    }
    said, statuses = {}, {}
    for seed, (name, (elo, budget, how)) in enumerate(cases.items()):
        ran = placed(monkeypatch, elo, "--budget", budget, "--seed", seed, **how)
        statuses[name] = ran.status
        first, second = ran.out.splitlines()[:2]
        numbers, *clock = second.split(", clock ")
        heads = ("find its faults: ", "analyse its losses: ", "report: ")
        lines = [line for line in ran.err.splitlines() if line.startswith(heads)]
        told = [re.sub(r"\d+", "N", text) for text in (first, numbers)]
        said[name] = "\n".join([*told, *clock, *(line.partition(":")[0] for line in lines)])
        page = html.unescape(Path(lines[-1].removeprefix("report: ")).read_text())
        for sentence in ran.out.splitlines()[: 1 if ran.status else 2]:
            assert sentence[1:] in page, "the report says what the terminal says"
        assert "stands first" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert [name for name, status in statuses.items() if status] == list(cases)[4:6]
    golden(said)


GIVEN: Final = {
    "--tc": "move 0.2",
    "--budget": "6",
    "--openings": "random:2",
    "--seed": "7",
    "--jobs": "1",
    "--sandbox": "none",
    "--output": "my matches/one",
}


@pytest.mark.parametrize("left_out", [(), ("--output",), ("--tc", "--seed"), (*GIVEN,)[2:]])
def test_each_command_that_is_offered_has_all_that_was_said(
    left_out: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {flag: value for flag, value in GIVEN.items() if flag not in left_out}
    told = placed(monkeypatch, 300.0, *(word for pair in given.items() for word in pair))
    offers = [line.partition(": arena ")[2] for line in told.err.splitlines()]
    offers = [offer for offer in offers if offer.startswith("match ")]
    assert len(offers) == 2, told.err
    heard: list[MatchRequest] = []

    def hear(request: MatchRequest, _: object) -> Iterator[Any]:
        heard.append(request)
        return iter(())

    for held in ("lath.arena.cli.placing.held", "lath.arena.cli.match.held"):
        monkeypatch.setattr(held, hear)
    monkeypatch.setattr("lath.arena.cli.match._told", lambda *_, **__: 0)  # of a match unplayed
    for offer in offers:
        arena(*shlex.split(offer))
    surely, harder = heard
    assert (surely.old, surely.new, harder.new) == ("mine=greedy", None, "mine=greedy")
    for offered, more in ((surely, {"budget": "10m"}), (harder, {})):
        names = {flag: "out" if flag == "--output" else flag.removeprefix("--") for flag in given}
        expected = {names[flag]: value for flag, value in given.items()} | more
        if "out" in expected and not more:
            number = int(str(offered.out)[-1])
            expected["out"] += f"-level-{number}"
            assert (ladder.levels_of("yavalath")[number].elo or 0.0) > 300
        assert offered.games == ["yavalath"]
        assert {key: str(getattr(offered, key)) for key in expected} == expected


def test_reports_of_other_matches_are_not_replaced(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report(seed: int) -> str:
        ended = placed(monkeypatch, 700.0, "--budget", 4, "--seed", seed)
        return ended.err.splitlines()[-1].removeprefix("report: ")

    names = [f"mine-yavalath{number}.html" for number in ("", "-2")]
    assert [report(seed) for seed in (1, 2, 1)] == [*names, names[0]]
    assert len(list(home.iterdir())) == 2


def test_only_levels_that_were_met_are_named() -> None:
    levels = ladder.levels_of("yavalath")
    mets = ((0,), (3,), (6,), (2, 3), (0, 6), tuple(range(7)))
    scores = {"": (2, 2), "above": (4, 0), "below": (0, 4)}
    for met, elo, unknown in product(mets, (-200.0, 0.0, 700.0, 1400.0, 1700.0), scores):
        scored = Meeting(wins=scores[unknown][0], losses=scores[unknown][1])
        meetings = tuple(scored if n in met else Meeting() for n in range(len(levels)))
        strength = Elo(elo, 10.0, unknown, elo)  # type: ignore[arg-type] # one of its words
        place = ladder.LadderPlace("mine", "yavalath", levels, strength, meetings, True)
        first, second = place.sentences("move 0.1")
        judged = re.match(r"mine is (above|below) level (\d)", first)
        if judged:
            assert int(judged[2]) in met
            assert int(judged[2]) == (len(levels) - 1 if judged[1] == "above" else 0)
        named = re.findall(r"(?:against|to|beats) level (\d)", first)
        assert set(map(int, named)) <= set(met), first
        assert "clock move 0.1" in second
        if unknown:
            assert "is about" not in first
            assert judged or first.startswith("mine has "), first


def test_a_bot_of_a_contest_that_cannot_start_is_named_and_nobody_is_stronger(home: Path) -> None:
    (home / "broken.py").write_text("import there_is_no_such_module\n")
    for protocol in ("codingame", "botzone"):
        bot = f"{sys.executable} broken.py; cwd={home}; protocol={protocol}"
        light = f"light={ROOT / 'examples/bots/legal.sh'}"
        pairs = ([bot, light], [light, bot]) if protocol == "botzone" else ()
        for bots in ([bot], *pairs):
            ended = arena("match", *bots, "--game", "yavalath", "--budget", "2")
            assert (ended.status, ended.out) == (1, ""), bots
            assert "exited with status 1 before its first move" in ended.err
            assert "there_is_no_such_module" in ended.err


def test_a_game_that_nobody_has_measured_has_a_scale_of_its_own(
    monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    golden(refusals(["match greedy --sprt 0,5"]))
    known = {row["bot"] for one in ladder.measured().values() for row in one["levels"]}
    assert set(ladder.UNMEASURED) <= known, "they are played at other games"
    monkeypatch.setattr(ladder, "measured", dict)
    ended = placed(monkeypatch, 300.0, "--budget", "14")
    assert ended.status == 0, ended.err
    assert "yavalath has no measured levels" in ended.err
    assert "random = 0, levels as of these games alone" in ended.out


# The ladder


def test_each_game_type_has_levels_a_step_apart_and_they_are_those_that_are_measured() -> None:
    scores = []
    assert GAMES == sorted(LADDERS) == sorted(games.ids())
    for game, bots in LADDERS.items():
        levels = ladder.levels_of(game)
        assert [one.bot for one in levels] == list(bots)
        assert levels[0].elo == 0
        for below, above in pairwise(levels):
            assert (above.elo or 0) > (below.elo or 0), (game, above)
            scores.append(score_of((above.elo or 0) - (below.elo or 0)))
    assert 0.70 < fmean(scores) < 0.80
    assert sum(0.66 < score < 0.84 for score in scores) >= 0.7 * len(scores)


def test_levels_play_as_they_did_when_they_were_measured() -> None:
    """Two levels of each game, and each level of some: all of them take a minute."""
    again = "measure again: python benchmarks/strength.py --ladder"
    with ExitStack() as stack:
        engine = cache(lambda bot: stack.enter_context(Engine.open(bot)))
        for at, game in enumerate(GAMES):
            rows = ladder.measured()[game]["levels"]
            for row in (rows[at % len(rows)], rows[(at + 3) % len(rows)]):
                bot, *options, nodes = row["bot"].split("; ")
                asked = engine(bot)
                usual = {name: one.initial for name, one in asked.options.items()}
                own = (option.removeprefix("option.").split("=") for option in options)
                asked.configure(usual | {name: tomllib.loads(f"it={x}")["it"] for name, x in own})
                told = answers_of(asked, int(nodes.removeprefix("tc=nodes ")), game)
                assert told == row["play"], (game, row["bot"], again)


def test_an_end_of_the_interval_has_the_error_of_the_ladder_wherever_it_is() -> None:
    levels = (ladder.Level(0, "random", 0.0, 40.0),)
    for end in (0.0, 1.0, -300.0):
        above = ladder.LadderPlace(
            "mine", "yavalath", levels, Elo(0.0, 50.0, "above", end), (), True
        )
        below = ladder.LadderPlace(
            "mine", "yavalath", levels, Elo(0.0, 50.0, "below", end), (), True
        )
        assert above.interval == (end - 40.0, None)
        assert below.interval == (None, end + 40.0)
