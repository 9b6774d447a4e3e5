"""What `outcome.json` says after a run was killed: nothing, until a run has written it again."""

from __future__ import annotations

import json
import os
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bad_bots
import pytest
from arena_runs import Range, numbers
from bad_bots import Good, TakesAMillisecond
from commands import Ran
from commands import arena as here
from processes import gone
from quick_runs import play_nothing
from results import a_config, finished

from lath.arena.errors import ArenaError, DiskError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.tournament import folder as directory
from lath.arena.tournament.config import Config
from lath.arena.tournament.events import Event, PairBegan, PairEnded, Waiting
from lath.arena.tournament.open_games import OpenGames
from lath.arena.tournament.progress import Progress
from lath.arena.tournament.sources import OUTCOME, is_over, outcome_in
from lath.arena.tournament.store import Store
from lath.notation.protocol import TimeControl

THREE = ("ann", "bob", "cat")


def a_swiss(*, rounds: int = 1, command: type = Good, **more: Any) -> Config:
    limits = Limits(time=TimeControl(move_ms=20_000), startup_s=20.0)
    words = bad_bots.command(command)
    return a_config(
        format="swiss",
        rounds=rounds,
        limits=limits,
        bots=tuple(BotSpec(name=name, command=words) for name in THREE),
        as_written={"event": "Autumn", "rounds": rounds},
        **more,
    )


def play(folder: Path, config: Config, *, with_report: bool = False) -> None:
    directory.run(config, folder, Progress(config), with_report=with_report)


class Killed(BaseException):
    """What stands for kill -9: nothing is written any more."""


class DiesAfter(Progress):
    """Ends its run without a word when so many pairs are stored."""

    def __init__(self, config: Config, pairs: int, patch: pytest.MonkeyPatch) -> None:
        super().__init__(config)
        self._left = pairs
        self._patch = patch

    def __call__(self, event: Event | Waiting) -> None:
        super().__call__(event)
        self._left -= isinstance(event, PairEnded)
        if not self._left:
            self._patch.setattr(directory, "write_outcome", _fail)
            self._patch.setattr(Store, "export", _fail)
            raise Killed


def _fail(*_: object) -> None:
    raise Killed


def kill_after(folder: Path, config: Config, pairs: int) -> None:
    """Run a tournament and let it die when so many pairs are stored."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        directory.run(config, folder, DiesAfter(config, pairs, patch), with_report=False)


def told(ran: Ran) -> str:
    assert ran.status == 0, ran.err
    return ran.out


GREET_BOTS = directory._greet_bots


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every game in this process be won at once."""
    play_nothing(monkeypatch)


def test_the_outcome_of_before_is_not_told_as_that_of_games_that_came_later(
    tmp_path: Path,
) -> None:
    play(tmp_path, a_swiss(rounds=1))
    assert is_over(tmp_path)
    assert "Result: swiss" in told(here("rate", tmp_path))
    kill_after(tmp_path, a_swiss(rounds=3), pairs=1)
    assert len(numbers(tmp_path)) == 4
    assert (tmp_path / OUTCOME).is_file()
    assert outcome_in([tmp_path]) is None
    assert not is_over(tmp_path)
    assert "Result" not in told(here("rate", tmp_path))
    assert "outcome" not in json.loads(told(here("rate", "--json", tmp_path)))
    page = tmp_path / "page.html"
    assert here("report", tmp_path, "-o", page).status == 0
    assert 'id="result"' not in page.read_text(encoding="utf-8")


def test_the_next_run_tells_the_outcome_again(tmp_path: Path) -> None:
    kill_after(tmp_path, a_swiss(rounds=3), pairs=1)
    assert outcome_in([tmp_path]) is None
    play(tmp_path, a_swiss(rounds=3), with_report=True)
    outcome = outcome_in([tmp_path])
    assert outcome is not None
    assert (outcome.done, outcome.total, outcome.is_complete) == (6, 6, True)
    assert "Result: swiss" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert is_over(tmp_path)


def test_more_rounds_that_were_not_begun_are_open_too(tmp_path: Path) -> None:
    play(tmp_path, a_swiss(rounds=1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directory, "write_outcome", _fail)
        with pytest.raises(Killed):
            play(tmp_path, a_swiss(rounds=2))
    assert outcome_in([tmp_path]) is None
    assert not is_over(tmp_path)


def test_a_run_begins_with_the_outcome_of_what_is_stored(tmp_path: Path) -> None:
    play(tmp_path, a_swiss(rounds=1))
    seen = []

    class Looks(Progress):
        def __call__(self, event: Event | Waiting) -> None:
            super().__call__(event)
            if isinstance(event, PairBegan):
                seen.append(outcome_in([tmp_path]))

    config = a_swiss(rounds=2)
    directory.run(config, tmp_path, Looks(config), with_report=False)
    assert seen[0] is not None
    assert seen[0].heading == "Result so far: swiss, 2 of 4 games"
    assert any(float(row[2]) for row in seen[0].sheets[0].rows), "what was played counts"


def test_a_run_that_an_error_ends_still_tells_how_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = Store.add

    def add_once(store: Store, results: Any, *more: Any) -> None:
        if finished(store):
            raise DiskError("the disk is broken", is_full=False)
        add(store, results, *more)

    monkeypatch.setattr(Store, "add", add_once)
    monkeypatch.setattr("lath.arena.tournament.system.RETRIES", 0)
    with pytest.raises(DiskError, match="the disk is broken"):
        play(tmp_path, a_swiss(rounds=3))
    outcome = outcome_in([tmp_path])
    assert outcome is not None
    assert (outcome.done, outcome.total) == (2, 6)


def test_a_refused_bot_takes_the_outcome_from_nobody(tmp_path: Path) -> None:
    play(tmp_path, a_swiss(rounds=1))
    before = outcome_in([tmp_path])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(directory, "_greet_bots", GREET_BOTS)
        patch.setattr(Bot, "refuse_unless_it_plays", _refuse)
        with pytest.raises(ArenaError, match="does not play"):
            play(tmp_path, a_swiss(rounds=1))
    assert outcome_in([tmp_path]) == before
    assert before is not None


def _refuse(*_: object) -> None:
    raise ArenaError("it does not play this")


def test_an_order_to_stop_tells_the_outcome_of_all_that_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_told: object) -> None:  # what is stored by then is not counted yet
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(OpenGames, "report", interrupt)
    kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = {kind: signal.getsignal(kind) for kind in kinds}
    try:
        config = a_swiss(rounds=3)
        summary = directory.run(config, tmp_path, Progress(config), with_report=False)
    finally:
        for kind, handler in handlers.items():
            signal.signal(kind, handler)
    assert summary.interrupted
    outcome = outcome_in([tmp_path])
    assert outcome is not None
    assert outcome.done == summary.done == len(numbers(tmp_path)) > 0


def test_a_directory_without_its_database_has_the_outcome_that_is_there(tmp_path: Path) -> None:
    play(tmp_path, a_swiss(rounds=1))
    (tmp_path / "tournament.db").unlink()
    assert outcome_in([tmp_path]) is not None


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    with Range(tmp_path) as place:
        yield place


def test_kill_9_leaves_no_outcome_to_tell(place: Range) -> None:
    bot = shlex.join(bad_bots.command(TakesAMillisecond))
    bots = [word for name in THREE for word in ("--bot", f"{name}={bot}")]
    words = ["run", *bots, "--format", "swiss", "--game", "yavalath", "--tc", "move 20", "-q"]
    first = place.arena(*words, "--rounds", "1", "--out", place.out)
    assert first.returncode == 0, first.stderr
    assert "Result: swiss" in place.arena("rate", place.out).stdout
    run = place.begin(*words, "--rounds", "1000", "--out", place.out)
    assert gone(lambda: run.poll() is None and len(numbers(place.out)) < 6, 60.0)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    assert gone(place.alive)
    assert len(numbers(place.out)) >= 2
    assert "Result" not in place.arena("rate", place.out).stdout
