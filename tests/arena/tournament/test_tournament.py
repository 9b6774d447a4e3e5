"""A tournament's directory: how a run begins there, what it refuses, what it leaves."""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import bad_bots
import jsonschema
import pytest
from arena_runs import exported, numbers, sequence
from bad_bots import Good
from processes import alive_of, gone

from lath.arena.errors import ConfigError, StoreError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.tournament import folder as tournament
from lath.arena.tournament.config import Config
from lath.arena.tournament.events import (
    BotBenched,
    Event,
    PairingStopped,
    RunBegan,
    Waiting,
    Warned,
)
from lath.arena.tournament.progress import Summary
from lath.notation.protocol import TimeControl
from lath.notation.reader import entries
from lath.reports import export


class Watcher:
    """Remembers warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []
        self.starts: list[tuple[int, int]] = []

    def __call__(self, event: Event | Waiting) -> None:
        match event:
            case RunBegan():
                self.starts.append((event.done, event.total))
            case BotBenched():
                self.warnings.append(event.words)
            case Warned():
                self.warnings.append(event.text)
            case PairingStopped():
                self.warnings.append(f"{' - '.join(event.bots)}: {event.why}")


class Place:
    """A directory and a tournament of two bots that play well, unless told otherwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a" / "tournament"
        self.watcher = Watcher()

    def config(self, kind: type[Good] = Good, **more: Any) -> Config:
        ann = BotSpec(name="ann", command=bad_bots.command(Good))
        bob = BotSpec(name="bob", command=bad_bots.command(kind))
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

    def run(self, config: Config | None = None, *, with_report: bool = False) -> Summary:
        config = config or self.config()
        return tournament.run(config, self.folder, self.watcher, with_report=with_report)

    def played(self) -> list[object]:
        return numbers(self.folder)

    def has_ended(self) -> bool:
        """Return whether all processes of its runs have ended."""
        return not self.folder.is_dir() or gone(lambda: alive_of(tournament._tree(self.folder)))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Give a directory; no bot of it may be left."""
    place = Place(tmp_path)
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
    place.watcher.starts += over.watcher.starts
    return place


def test_a_run_leaves_everything_in_its_directory(over: Place) -> None:
    assert {path.name for path in over.folder.iterdir()} == {
        "games.lath",
        "logs",
        "outcome.json",
        "tournament.lock",
        "report.html",
        "standings.csv",
        "standings.json",
        "tournament.db",
        "tournament.toml",
    }
    assert over.played() == exported(over.folder) == sequence(4)
    assert not list((over.folder / "logs").iterdir())
    assert tomllib.loads((over.folder / "tournament.toml").read_text()) == {"event": "Autumn"}


def test_the_records_are_sound_and_say_where_and_when(over: Place) -> None:
    found = list(entries(over.folder / "games.lath"))
    assert [entry.problems for entry in found] == [()] * 4
    for entry in found:
        assert entry.record
        assert entry.record.tag("Event") == "Autumn"
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", entry.record.tag("Date"))


def test_the_standings_keep_their_schema(over: Place) -> None:
    told = json.loads((over.folder / "standings.json").read_text())
    jsonschema.validate(told, export.schema())
    assert told["overall"]["games"] == 4
    assert (over.folder / "standings.csv").read_text().count("\n") == 1 + 2 * 2
    assert "ann" in (over.folder / "report.html").read_text()


def test_a_finished_tournament_is_not_played_again(finished: Place) -> None:
    before = (finished.folder / "games.lath").read_bytes()
    finished.run()
    assert finished.watcher.starts == [(0, 4), (4, 4)]
    assert (finished.folder / "games.lath").read_bytes() == before


CHANGES: list[tuple[str, dict[str, object]]] = [
    ("event", {"event": "Winter"}),
    ("seed", {"seed": 2}),
    ("games", {"games": ("surikata",)}),
    ("time", {"limits": Limits(time=TimeControl(move_ms=4000))}),
    ("games, seed", {"games": ("surikata",), "seed": 2}),
    ("bots", {"bots": ()}),
]


@pytest.mark.parametrize(("keys", "change"), CHANGES, ids=[keys for keys, _ in CHANGES])
def test_another_configuration_is_refused_and_the_keys_are_named(
    keys: str, change: dict[str, object], finished: Place
) -> None:
    config = finished.config()
    if keys == "bots":
        ann, bob = config.bots
        change = {"bots": (ann, replace(bob, options={"depth": 2}))}
    before = (finished.folder / "tournament.toml").read_bytes()
    with pytest.raises(ConfigError, match=re.escape(f"another configuration ({keys});")):
        finished.run(replace(config, as_written={"event": "changed"}, **change))  # type: ignore[arg-type]
    assert finished.played() == sequence(4)
    assert (finished.folder / "tournament.toml").read_bytes() == before


def test_any_configuration_may_follow_one_with_which_no_game_was_played(place: Place) -> None:
    with pytest.raises(ConfigError, match="does not play"):
        place.run(place.config(bad_bots.PlaysAnotherGame))
    assert place.run(place.config(rounds=1, as_written={"event": "mended"})).is_complete
    assert "mended" in (place.folder / "tournament.toml").read_text()
    with pytest.raises(ConfigError, match="another configuration"):
        place.run(place.config(seed=2))


def test_a_configuration_that_no_run_wrote_is_not_overwritten(place: Place) -> None:
    place.folder.mkdir(parents=True)
    (place.folder / "tournament.toml").write_text("# mine, with comments\n")
    with pytest.raises(ConfigError, match="was not written by a run, and would be lost"):
        place.run()
    assert (place.folder / "tournament.toml").read_text() == "# mine, with comments\n"


def test_more_rounds_go_on_where_the_others_ended(finished: Place) -> None:
    assert finished.run(finished.config(rounds=3, as_written={"rounds": 3})).is_complete
    assert finished.watcher.starts == [(0, 4), (4, 6)]
    assert (finished.folder / "tournament.toml").read_text() == "rounds = 3\n"
    assert finished.run(finished.config(rounds=1)).is_complete


def test_fewer_rounds_are_refused_where_games_are_stored(finished: Place) -> None:
    before = (finished.folder / "tournament.toml").read_bytes()
    with pytest.raises(ConfigError, match="with rounds = 2, and rounds = 1 are fewer; choose"):
        finished.run(finished.config(rounds=1, as_written={"rounds": 1}))
    assert (finished.folder / "tournament.toml").read_bytes() == before
    assert finished.played() == sequence(4)


def test_what_decides_no_game_may_change_on_resuming(finished: Place) -> None:
    time = TimeControl(move_ms=5000)
    other = finished.config(jobs=2, limits=Limits(time=time, startup_s=9.0, margin_s=0.2))
    assert finished.run(other).is_complete


def test_a_bot_without_the_game_is_refused_before_game_one(place: Place) -> None:
    with pytest.raises(ConfigError, match="'bob' does not play yavalath: it says that it plays ch"):
        place.run(place.config(bad_bots.PlaysAnotherGame))
    assert place.played() == []
    assert not (place.folder / "games.lath").exists()


def test_options_that_a_bot_does_not_have_are_refused_before_game_one(place: Place) -> None:
    ann, bob = place.config().bots
    config = place.config(bots=(ann, replace(bob, options={"depth": 3})))
    with pytest.raises(ConfigError, match=r"bot 'bob': unknown option 'depth' \(it has none\)"):
        place.run(config)
    assert place.played() == []


def test_a_bot_that_does_not_start_is_benched_and_the_others_play(place: Place) -> None:
    ann, bob = place.config().bots
    ghost = BotSpec(name="ghost", command=("/nowhere/ghost",))
    summary = place.run(place.config(bots=(ann, ghost, bob)), with_report=True)
    why = "ghost is benched: cannot be started: No such file or directory: '/nowhere/ghost'"
    assert (summary.stopped, {*summary.benched}) == ({}, {"ghost"})
    assert summary.benched["ghost"].words == why
    assert not summary.is_complete
    assert place.played() == [3, 4, 9, 10]
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


def test_files_half_written_by_a_killed_run_are_removed(place: Place) -> None:
    (place.folder / "logs").mkdir(parents=True)
    half = [
        place.folder / ".games.lath.123.tmp.lath",
        place.folder / "logs" / ".game-1.log.9.tmp.log",
    ]
    mine = [place.folder / ".notes", place.folder / "logs" / "notes.tmp"]
    for path in half + mine:
        path.write_text("half")
    place.run(place.config(rounds=1))
    assert [path.exists() for path in half + mine] == [False, False, True, True]


def test_processes_left_by_a_killed_run_are_ended(place: Place) -> None:
    from lath.arena.referee.process import Child

    place.folder.mkdir(parents=True)
    stray = Child.start(["sleep", "600"], tree=f"{tournament._tree(place.folder)}dead.")
    place.run(place.config(rounds=1))
    assert gone(lambda: stray.pid in alive_of(tournament._tree(place.folder)))
    stray.kill()


@pytest.mark.parametrize("obstacle", ["file", "file in between"])
def test_a_directory_that_cannot_be_made_is_told_of(obstacle: str, place: Place) -> None:
    blocked = place.folder if obstacle == "file" else place.folder.parent
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("in the way")
    with pytest.raises(StoreError, match="cannot be made"):
        place.run()
