"""A tournament's directory: how a run begins there, what it refuses, what it leaves.

Also of a game of a file: it goes on by the rules that it has begun with, or asks.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import bad_bots
import jsonschema
import pytest
from arena_runs import arena, exported, numbers, sequence
from bad_bots import Good, command
from desks import Watcher
from game_files import EXAMPLE, forget_games, write_game
from processes import alive_of, gone, new_tree
from quick_runs import play_here, play_nothing
from scripted import scripted
from workers import a_job

from lath import games
from lath.arena.errors import ConfigError, StoreError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.process import Child
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.run import beginning
from lath.arena.tournament.run import folder as tournament
from lath.arena.tournament.run.progress import RunSummary
from lath.arena.tournament.run.worker import play_pair
from lath.arena.tournament.store.jobs import read_result
from lath.games import files
from lath.notation.protocol import TimeControl
from lath.notation.rules.reading import entries
from lath.reports.event import export

if TYPE_CHECKING:
    from golden import Golden


class Place:
    """A directory and a tournament of two bots that play well, unless told otherwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a" / "tournament"
        self.watcher = Watcher()

    def config(self, kind: type[Good] = Good, **more: Any) -> Config:
        ann = BotSpec(name="ann", command=command(Good))
        bob = BotSpec(name="bob", command=command(kind))
        values = {
            "event": "Autumn",
            "games": ("yavalath",),
            "rounds": 2,
            "limits": Limits(time=TimeControl(move_ms=5000), startup_s=5.0),
            "bots": (ann, bob),
            "as_written": {"event": "Autumn"},
            **more,
        }
        return Config(**values)

    def run(self, config: Config | None = None, *, with_report: bool = False) -> RunSummary:
        config = config or self.config()
        return tournament.run(config, self.folder, self.watcher, with_report=with_report)

    def refused(self, config: Config) -> str:
        """Return why a configuration is refused, which changes nothing."""
        written = self.folder / "tournament.toml"
        before = written.read_bytes() if written.exists() else b""
        played = numbers(self.folder)
        with pytest.raises(ConfigError) as error:
            self.run(config)
        assert numbers(self.folder) == played
        assert (written.read_bytes() if before else b"") == before
        return str(error.value)

    @property
    def tree(self) -> str:
        """Return the mark of the processes of its runs, which nothing public tells."""
        return beginning.tree_of(self.folder)

    def has_ended(self) -> bool:
        """Return whether all processes of its runs have ended."""
        return not self.folder.is_dir() or gone(lambda: alive_of(self.tree))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Give a directory, whose games are played in this process by scripts; no bot may be left."""
    play_here(monkeypatch)
    place = Place(tmp_path)
    with scripted():
        yield place
    assert place.has_ended()


@pytest.fixture(scope="module")
def over(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a tournament of two rounds that is over, only to be looked at."""
    over = Place(tmp_path_factory.mktemp("over"))
    assert over.run(with_report=True).is_complete
    assert over.has_ended()
    return over


@pytest.fixture
def finished(over: Place, place: Place) -> Place:
    """Return a directory to run in, with a copy of that tournament."""
    shutil.copytree(over.folder, place.folder)
    return place


def test_a_run_leaves_everything_in_its_directory(over: Place) -> None:
    assert {path.name for path in over.folder.iterdir()} == {
        *("games.lath", "logs", "outcome.json", "tournament.lock", "report.html"),
        *("standings.csv", "standings.json", "tournament.db", "tournament.toml"),
    }
    assert numbers(over.folder) == exported(over.folder) == sequence(4)
    assert not list((over.folder / "logs").iterdir())
    assert tomllib.loads((over.folder / "tournament.toml").read_text()) == {"event": "Autumn"}
    found = list(entries(over.folder / "games.lath"))
    assert [entry.problems for entry in found] == [()] * 4
    for entry in found:
        assert entry.record
        assert entry.record.tag("Event") == "Autumn"
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry.record.tag("Date"))
    told = json.loads((over.folder / "standings.json").read_text())
    jsonschema.validate(told, export.schema())
    assert told["overall"]["games"] == 4
    assert (over.folder / "standings.csv").read_text().count("\n") == 1 + 2 * 2
    assert "ann" in (over.folder / "report.html").read_text()


def test_another_configuration_is_refused_and_the_keys_are_named(
    finished: Place, golden: Golden
) -> None:
    ann, bob = finished.config().bots
    changes: dict[str, dict[str, Any]] = {
        "event": {"event": "Winter"},
        "seed": {"seed": 2},
        "games": {"games": ("surikata",)},
        "time": {"limits": Limits(time=TimeControl(move_ms=4000))},
        "games, seed": {"games": ("surikata",), "seed": 2},
        "bots": {"bots": (ann, replace(bob, options={"depth": 2}))},
    }
    for keys, change in changes.items():
        said = finished.refused(finished.config(**change, as_written={"event": "changed"}))
        assert f"another configuration ({keys})\n" in said
    fewer = finished.refused(finished.config(rounds=1, as_written={"rounds": 1}))
    golden({"another": said, "fewer rounds": fewer}, out=finished.folder)


def test_what_decides_no_game_may_change_and_more_rounds_go_on(finished: Place) -> None:
    before = (finished.folder / "games.lath").read_bytes()
    limits = Limits(time=TimeControl(move_ms=5000), startup_s=9.0, margin_s=0.2)
    assert finished.run(finished.config(jobs=2, limits=limits)).is_complete
    assert (finished.folder / "games.lath").read_bytes() == before
    assert finished.run(finished.config(rounds=3, as_written={"rounds": 3})).is_complete
    assert finished.watcher.starts == [(4, 4), (4, 6)]
    assert (finished.folder / "tournament.toml").read_text() == "rounds = 3\n"
    assert finished.run(finished.config(rounds=1)).is_complete, "who asks for no number"


def test_bots_that_cannot_play_are_refused_before_game_one(place: Place, golden: Golden) -> None:
    ann, bob = place.config().bots
    said = {
        "another game": place.refused(place.config(bad_bots.PlaysAnotherGame)),
        "an option": place.refused(place.config(bots=(ann, replace(bob, options={"depth": 3})))),
    }
    golden(said, out=place.folder)
    assert numbers(place.folder) == []
    assert not (place.folder / "games.lath").exists()
    # Any configuration may follow one with which no game was played.
    assert place.run(place.config(rounds=1, as_written={"event": "mended"})).is_complete
    assert "mended" in (place.folder / "tournament.toml").read_text()
    assert "another configuration" in place.refused(place.config(seed=2))


def test_a_configuration_that_no_run_wrote_is_not_overwritten(place: Place) -> None:
    place.folder.mkdir(parents=True)
    (place.folder / "tournament.toml").write_text("# mine, with comments\n")
    assert "was not written by a run and would be lost" in place.refused(place.config())


def test_a_bot_that_does_not_start_is_benched_and_the_others_play(place: Place) -> None:
    ann, bob = place.config().bots
    ghost = BotSpec(name="ghost", command=("/nowhere/ghost",))
    summary = place.run(place.config(bots=(ann, ghost, bob), rounds=1), with_report=True)
    why = "ghost is benched: cannot be started: No such file or directory: '/nowhere/ghost'"
    assert (summary.stopped, {*summary.benched}) == ({}, {"ghost"})
    assert summary.benched["ghost"].words == why
    assert not summary.is_complete
    assert numbers(place.folder) == [3, 4]
    assert place.watcher.warnings[0] == why
    assert (place.folder / "report.html").exists()


def test_a_game_that_ended_badly_has_a_log(place: Place) -> None:
    assert place.run(place.config(bad_bots.DiesInItsMove)).is_complete
    logs = sorted((place.folder / "logs").iterdir())
    assert [path.name for path in logs] == [f"game-{number}.log" for number in sequence(4)]
    text = logs[0].read_text()
    assert " ann > arena 1\n" in text
    assert text.endswith("-- bob, standard error --\nsegmentation fault, sort of\n")
    found = [entry.record for entry in entries(place.folder / "games.lath")]
    assert [record.termination for record in found if record] == ["crash"] * 4
    assert [record.result for record in found if record] == ["1-0", "0-1"] * 2


def test_files_and_processes_of_a_killed_run_are_removed(place: Place) -> None:
    (place.folder / "logs").mkdir(parents=True)
    half = [
        place.folder / ".games.lath.123.tmp.lath",
        place.folder / "logs" / ".game-1.log.9.tmp.log",
    ]
    mine = [place.folder / ".notes", place.folder / "logs" / "notes.tmp"]
    for path in half + mine:
        path.write_text("half")
    stray = Child.start(["sleep", "600"], tree=f"{place.tree}dead.")
    place.run(place.config(rounds=1))
    assert [path.exists() for path in half + mine] == [False, False, True, True]
    assert gone(lambda: stray.pid in alive_of(place.tree))
    stray.kill()


@pytest.mark.parametrize("obstacle", ["file", "file in between"])
def test_a_directory_that_cannot_be_made_is_told_of(obstacle: str, place: Place) -> None:
    blocked = place.folder if obstacle == "file" else place.folder.parent
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("in the way")
    with pytest.raises(StoreError, match="cannot be made"):
        place.run()


# Of a game of a file

WORDS: Final = (
    *("run", "--bot", "random", "--bot", "b=random", "--tc", "nodes 1", "--jobs", "1", "-q"),
    *("--openings", "random:0", "--no-report", "--output", "out", "--game", "./mygame.py"),
)


@pytest.fixture
def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a game's file and a tournament, in which every game was won at once."""
    play_nothing(monkeypatch)
    write_game(tmp_path)
    done = arena(*WORDS, "--rounds", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    return tmp_path


def test_bots_and_workers_find_the_game_and_the_records_name_its_file(tmp_path: Path) -> None:
    path = write_game(tmp_path)
    done = arena(*WORDS, "--rounds", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = (tmp_path / "out" / "games.lath").read_text().splitlines()
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert lines.count(f'[GameFile "mygame.py sha256:{digest}"]') == 2
    assert lines.count('[Termination "rules"]') == 2
    assert 'games = ["' + str(path) in (tmp_path / "out" / "tournament.toml").read_text()
    forget_games()
    told = arena("check", "out", cwd=tmp_path).stdout.splitlines()
    once = "add --game ./mygame.py (and 1 more game)"
    assert [line.rpartition(": ")[2] for line in told[:-1]] == [once] * 2
    assert len(arena("check", "out", "--json", cwd=tmp_path).stdout.splitlines()) == 5


def test_a_game_goes_on_by_the_same_rules_or_asks(begun: Path, golden: Golden) -> None:
    said = {}
    forget_games()
    (begun / "new").mkdir()
    path = (begun / "mygame.py").rename(begun / "new" / "mygame.py")
    lost = arena("run", "out", "--rounds", "2", cwd=begun)
    said["no file"] = lost.stderr
    words = [*WORDS[:-1], "./new/mygame.py", "--rounds"]
    found = arena(*words, 2, cwd=begun)
    assert (lost.returncode, found.returncode, found.stderr) == (2, 0, "")
    forget_games()
    path.write_text(f"{path.read_text()}# other rules\n")
    refused = arena(*words, 3, cwd=begun)
    said["other rules"] = refused.stderr
    assert refused.returncode == 2
    assert numbers(begun / "out") == [1, 2, 3, 4]
    forced = arena(*words, 3, "--force", cwd=begun)
    said["other rules, with --force"] = forced.stderr
    assert forced.returncode == 0
    golden(said)
    rated = arena("rate", "out", "--json", "--unchecked", cwd=begun)
    told = json.loads(rated.stdout)
    jsonschema.Draft202012Validator(export.schema()).validate(told)
    (change,) = told["changes"]
    assert (change["bot"], change["setting"], change["games"]) == ("", "file of order-and-chaos", 4)
    shas = [played["game_files"]["mygame.py"] for played in told["provenance"]]
    assert shas[-1] not in shas[:-1]
    assert len({*shas}) == 2
    # Who only looks at a tournament runs no file that it names.
    forget_games()
    path.write_text(f"open({str(begun / 'ran')!r}, 'w')")
    for looks in (["check", "out"], ["check", "out", "--sound", "new.lath"], ["rate", "out"]):
        looked = arena(*looks, cwd=begun)
        assert looked.returncode == 1, looked.stderr
        assert not (begun / "ran").exists()


@pytest.mark.parametrize("is_changed", [True, False])
def test_a_worker_with_wrong_rules_stops_the_pairing_in_words(
    is_changed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slip = "self.canonical_setup(setup)"
    path = write_game(tmp_path, EXAMPLE.read_text(encoding="utf-8").replace(slip, "1 // 0"))
    if is_changed:
        monkeypatch.setenv(files.VARIABLE, f"{path}#sha256={'1f3a' * 16}")
        why = f"LATH_GAMES: {path} has changed since it was loaded; start the program again"
    else:
        monkeypatch.setattr(files, "try_out", lambda *_: None)  # which would find it
        games.add(path)
        error = "ZeroDivisionError: integer division or modulo by zero"
        why = f"{path}:51: {error}, at ply 0; no move was played yet"
    ann, bob = (BotSpec(name=name, command=command(Good)) for name in ("ann", "bob"))
    job = a_job(ann, bob, Limits(time=TimeControl(nodes=1)), tree=new_tree())
    plans = tuple(replace(plan, game="order-and-chaos", setup="x") for plan in job.games)
    result = read_result(play_pair(replace(job, games=plans)))
    assert (str(result.void), result.void_bot, result.games) == (why, "", ())
