"""Tournaments and matches from Python: what they are given, what they return, what is told."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from threading import Thread
from typing import Any

import commands
import pytest
from quick_runs import play_nothing, won_by

from lath import arena
from lath.arena.errors import ConfigError
from lath.arena.tournament.outcome.notes import begun_in
from lath.arena.tournament.run.events import Event, GameEnded, RunEnded, RunFailed


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that programs run in; every game is won at once."""
    play_nothing(monkeypatch)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    return tmp_path / "home"


def test_a_tournament_returns_who_stands_where_and_its_games(home: Path) -> None:
    told: list[Event] = []
    result = arena.tournament(
        bots=["greedy", {"name": "random"}], games=["yavalath"], rounds=2, on_event=told.append
    )
    assert (result.folder, result.summary.is_complete) == (Path("tournament"), True)
    assert [(row.name, row.points, row.games) for row in result.standings.overall.rows] == [
        ("greedy", 4, 4),
        ("random", 0, 4),
    ]
    games = list(result.games)
    assert [game.number for game in games] == [1, 2, 3, 4]
    assert {game.game for game in games} == {"yavalath"}
    rating = result.elo("greedy")
    assert (rating.low is not None, rating.high) == (True, None), "it won all its games"
    assert (result.decision, result.warnings) == (None, ())
    assert result.report == Path("tournament/report.html")
    assert [one.number for one in told if isinstance(one, GameEnded)] == [1, 2, 3, 4]
    end = told[-1]
    assert isinstance(end, RunEnded)
    assert (end.status, Path(end.files["games.lath"])) == (0, home / "tournament" / "games.lath")
    more = arena.tournament(rounds=3, report=False)
    assert more.summary.done == 6, "the same directory goes on"


def test_a_call_is_the_same_tournament_as_the_command(home: Path) -> None:
    (home / "mine.sh").write_text("#!/bin/sh\n")
    (home / "mine.sh").chmod(0o755)
    given = {"seed": 7, "rounds": 2, "tc": "10+0.1", "openings": "random:4"}
    flags = [f"--{name}={value}" for name, value in given.items()]
    bots = ["--bot=greedy; option.depth=2", "--bot=mine=./mine.sh x"]
    words = ["--game", "yavalath", "--game", "surikata", *bots, *flags, "-q", "--no-report"]
    assert commands.arena("run", *words, "--output", "typed").status == 0
    arena.tournament(
        bots=[{"name": "greedy", "options": {"depth": 2}}, "mine=./mine.sh x"],
        games=["yavalath", "surikata"],
        out="called",
        report=False,
        seed=7,
        rounds=2,
        tc="10+0.1",
        openings="random:4",
    )
    assert begun_in(home / "called") == begun_in(home / "typed")
    table = {
        "event": "Tournament",
        "games": ["yavalath", "surikata"],
        "rounds": 2,
        "seed": 7,
        "openings": "random:4",
        "time": {"initial": "10s", "increment": 0.1},
        "bot": [
            {"name": "greedy", "options": {"depth": 2}},
            {"name": "mine", "command": "./mine.sh x"},
        ],
    }
    arena.tournament(table, out="of a table", report=False)
    assert begun_in(home / "of a table") == begun_in(home / "typed")


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({"bots": ["greedy", "nosuch"]}, "bot 'nosuch' has no command"),
    ({"bots": ["greedy", {"name": "x", "comand": "y"}]}, "bot x: unknown key 'comand'"),
    ({"games": ["chess"]}, "chess"),
    ({"tc": "fast"}, "unknown time control 'fast'"),
    ({"budget": "soon"}, "is neither a number of games, such as 200"),
    ({"config": "nosuch.toml"}, "nosuch.toml: not found"),
    ({"rounds": 0}, "rounds = 0, expected a whole number"),
)


def test_what_is_wrong_is_told_as_of_the_command(home: Path) -> None:
    for given, says in WRONG:
        with pytest.raises(ConfigError, match=says):
            arena.tournament(**given)
    with pytest.raises(ConfigError, match="NEW: 'nosuch' not found"):
        arena.match("greedy", "nosuch")
    assert not (home / "tournament").exists()


def test_an_interrupt_is_one_when_all_is_kept(home: Path) -> None:
    told: list[Event] = []

    def interrupt(event: Event) -> None:
        told.append(event)
        if isinstance(event, GameEnded) and event.number == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        arena.tournament(
            bots=["greedy", "random"],
            games=["yavalath"],
            rounds=20,
            report=False,
            on_event=interrupt,
        )
    end = told[-1]
    assert isinstance(end, RunEnded)
    assert (end.interrupted, end.status) == (True, 3)
    assert 0 < end.done < end.total
    assert (home / "tournament" / "standings.json").is_file()
    assert arena.tournament(report=False).summary.is_complete


def test_a_run_that_cannot_go_on_is_an_event_and_an_error(home: Path) -> None:
    arena.tournament(bots=["greedy", "random"], rounds=1, report=False)
    told: list[Event] = []
    with pytest.raises(ConfigError, match="seed"):
        arena.tournament(seed=99, on_event=told.append)
    (failed,) = told
    assert isinstance(failed, RunFailed)
    assert (failed.status, "seed" in failed.error) == (2, True)
    assert (home / "tournament" / "games.lath").is_file()


def test_a_tournament_can_be_played_in_another_thread(home: Path) -> None:
    done: list[int] = []

    def play() -> None:
        result = arena.tournament(bots=["greedy", "random"], rounds=1, report=False)
        done.append(result.summary.done)

    thread = Thread(target=play)
    thread.start()
    thread.join()
    assert done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert home.is_dir()


def test_a_match_returns_a_verdict_and_the_difference_in_elo(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    won_by(monkeypatch, "first")
    result = arena.match("greedy", "new=random", budget=2000)
    assert (result.old, result.new) == ("greedy", "new")
    assert (result.verdict, result.is_better) == ("not better", False)
    decision = result.decision
    assert decision.verdict == "H0"
    assert decision.elo_low is not None
    assert decision.elo_high is not None
    assert decision.elo_low < (decision.elo or 0.0) < decision.elo_high
    assert decision.score == pytest.approx(0.5, abs=0.01)
    assert sum(decision.counts) * 2 == result.summary.done <= len(list(result.games))
    typed = commands.arena("match", "greedy", "new=random", "--json", "--budget", "2000")
    assert f'"folder": "{result.folder}"' in typed.out, "it is the same match"
    assert not list(home.iterdir())


def test_a_match_is_of_paths_and_words_too(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    won_by(monkeypatch, "first")
    (home / "my bot.py").write_text("")
    result = arena.match(Path("my bot.py"), ["python3", "my bot.py"], budget=2)
    assert (result.old, result.new) == ("my bot", "python3")
    assert result.verdict == "undecided"
