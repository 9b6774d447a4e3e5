"""A full disk makes a run wait, not lose: what is held is kept when there is room again."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from arena_runs import exported, sequence
from quick_runs import QuickRun
from recorded_disk import Disk, Failure, Step, failing, full
from results import a_config, a_result, finished

from lath.arena.errors import DiskError, StoreError
from lath.arena.tournament import store as keeper
from lath.arena.tournament import system
from lath.arena.tournament.database import DATABASE
from lath.arena.tournament.events import warner
from lath.arena.tournament.open_games import OpenGames
from lath.arena.tournament.slots import Pace
from lath.arena.tournament.store import Store
from lath.arena.tournament.worker import PairResult

if TYPE_CHECKING:
    import apsw

ROUNDS = 20
GAMES = 6 * ROUNDS

WINDOW = 2
"""Pairs that a worker has at a time; in runs as quick as these there would be many more."""


class Place:
    """A store on a disk of which the test says when it is full."""

    def __init__(self, folder: Path) -> None:
        self.trouble: Failure | None = None
        self.disk = Disk(self.fault)
        self.store = Store(folder, connect=self.disk.connect)
        self.quick = QuickRun(self.store)
        self.watcher = self.quick.watcher

    def fault(self, step: Step) -> apsw.Error | None:
        return self.trouble(step) if self.trouble and step.kind == "write" else None

    def breaks_after(self, games: int, how: Failure = full) -> None:
        """Let the disk be full, or broken, when so many games are stored."""

        def check() -> None:
            if len(self.watcher.stored) >= games and not self.watcher.warnings:
                self.trouble = how

        self.watcher.on_wait = check

    def goes_on_when_mended(self) -> None:
        """Check that the next run completes the tournament, each game being stored once."""
        self.trouble = None
        stored = finished(self.store)
        assert set(self.watcher.stored) <= stored
        self.watcher.on_wait = self.watcher.on_warning = lambda: None
        self.quick.played.clear()
        assert self.quick.run(rounds=ROUNDS).is_complete
        assert sorted(self.quick.played) == sorted(set(sequence(GAMES)) - stored)
        assert sorted(finished(self.store)) == exported(self.store.folder) == sequence(GAMES)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Give a new store."""
    monkeypatch.setattr(system, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(Pace, "window", lambda *_: WINDOW)
    place = Place(tmp_path)
    yield place
    place.store.close()
    place.disk.unregister()


def test_a_run_waits_for_room_and_then_goes_on(place: Place) -> None:
    waits = 0

    def mend_after_a_while() -> None:
        nonlocal waits
        if len(place.watcher.stored) >= 30 and not place.watcher.warnings:
            place.trouble = full
        waits += bool(place.watcher.warnings and place.trouble)
        if waits == 3:
            assert len(place.quick.played) - len(place.watcher.stored) <= 2 * 2 * WINDOW
            assert finished(place.store) == set(place.watcher.stored)
            place.trouble = None

    place.watcher.on_wait = mend_after_a_while
    assert place.quick.run(rounds=ROUNDS).is_complete
    assert waits == 3
    assert sorted(place.quick.played) == sequence(GAMES), "a game was played twice"
    assert sorted(place.watcher.stored) == sequence(GAMES)
    first, second = place.watcher.warnings
    where = place.store.folder / DATABASE
    assert first == (
        f"{where}: database or disk is full; no game begins until results can be kept, "
        "waiting for room"
    )
    assert re.fullmatch(r"after \d s the disk takes results again; the run goes on", second)


def test_a_run_ends_when_there_is_no_room_for_too_long(place: Place) -> None:
    place.breaks_after(30)
    with pytest.raises(DiskError, match="is full; 8 finished games could not be kept") as caught:
        place.quick.run(rounds=ROUNDS, patience_s=0.05)
    assert caught.value.is_full
    assert len(place.watcher.warnings) == 1
    assert 30 <= len(place.watcher.stored) < GAMES
    place.goes_on_when_mended()


def test_a_disk_that_fails_is_tried_a_few_times_only(place: Place) -> None:
    tries: list[Step] = []

    def break_down(step: Step) -> apsw.Error:
        tries.append(step)
        return failing(step)

    place.breaks_after(30, break_down)
    with pytest.raises(DiskError, match="disk I/O error; 8 finished games could not") as caught:
        place.quick.run(rounds=ROUNDS, patience_s=5.0)
    assert not caught.value.is_full
    assert len(tries) == 1 + system.RETRIES
    place.goes_on_when_mended()


@pytest.mark.parametrize("signals", [1, 2])
def test_a_signal_ends_the_wait_at_once_and_tells_what_is_lost(signals: int, place: Place) -> None:
    place.breaks_after(30)

    def interrupt() -> None:
        for _ in range(signals):
            os.kill(os.getpid(), signal.SIGINT)

    place.watcher.on_warning = interrupt
    with pytest.raises(DiskError, match="8 finished games could not be kept and will be played"):
        place.quick.run(rounds=ROUNDS)
    place.goes_on_when_mended()


def test_a_second_signal_does_not_lose_what_is_held_if_the_disk_takes_it(place: Place) -> None:
    place.breaks_after(30)

    def mend_and_interrupt() -> None:
        place.trouble = None
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)

    place.watcher.on_warning = mend_and_interrupt
    with pytest.raises(KeyboardInterrupt):
        place.quick.run(rounds=ROUNDS)
    assert finished(place.store) == set(place.quick.played)


def test_waits_grow_from_half_a_second_to_ten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Place
) -> None:
    monkeypatch.undo()
    now_s = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    tries: list[float] = []

    def refuse(*_: object) -> None:
        tries.append(now_s)
        raise DiskError("the disk is full", is_full=True)

    monkeypatch.setattr(place.store, "add", refuse)
    held = keeper.BufferedWriter(place.store, warner(place.watcher), patience_s=60.0)
    job = OpenGames(a_config(), place.store, tree="").next()
    assert job is not None
    held.held.append((job, PairResult(pair=1, games=(a_result(1),))))
    for _ in range(4 * 60):
        assert held.store() == []
        now_s += 0.25
    with pytest.raises(DiskError, match="full; 1 finished game could not be kept"):
        held.store()
    waits = [later - before for before, later in pairwise(tries)]
    assert waits == [0.5, 1, 2, 4, 8, 10, 10, 10, 10, 4.5]
    assert len(place.watcher.warnings) == 1


def test_an_error_that_is_not_the_disks_ends_the_run_at_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise StoreError("attempt to write a readonly database")

    monkeypatch.setattr(place.store, "add", refuse)
    with pytest.raises(StoreError, match="readonly"):
        place.quick.run(rounds=ROUNDS)
    assert place.watcher.warnings == []


def test_a_thousand_results_at_once_are_one_transaction(place: Place) -> None:
    syncs: list[int] = []
    place.watcher.on_wait = lambda: syncs.append(place.disk.count("sync"))
    before = place.disk.count("sync")
    place.quick.run(rounds=250, jobs=250)
    assert len(place.watcher.stored) == 1500
    # The log's own sync, and that of its header, and those of the checkpoint afterwards.
    assert syncs[0] - before <= 5
