"""What the machine lacks is nobody's loss: a run waits for it, and ends undecided without it."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from concurrent.futures.process import BrokenProcessPool
from math import inf
from pathlib import Path
from typing import Any, Final

import pytest
from bad_bots import ExitsAtStart, Good, command
from desks import Desk, Inline, Watcher
from processes import new_tree
from results import a_config, a_result, finished

from lath.arena.errors import FULL, LACKS, ArenaError, Cause, DiskError, MachineError
from lath.arena.machine import system
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.tournament.run import beginning, slots
from lath.arena.tournament.run.events import Event, Waiting
from lath.arena.tournament.run.progress import RunSummary
from lath.arena.tournament.run.runner import MAX_BREAKS
from lath.arena.tournament.run.worker import NO_THREAD
from lath.arena.tournament.store.jobs import PairJob, PairResult

FOUR: Final = ("A", "B", "C", "D")

LACK: Final = (
    "A cannot be started: Resource temporarily unavailable (the machine needs more processes)"
)

FORMATS: Final = ("round-robin", "swiss", "knockout")


def result(job: PairJob, games: int = 2, **more: Any) -> str:
    """Return wins, in the first games of a job, of the bot whose name comes first."""
    played = [
        a_result(plan.number, plan.names, result="1-0" if plan.names[0] < plan.names[1] else "0-1")
        for plan in job.games[:games]
    ]
    return PairResult(pair=job.pair, games=tuple(played), **more).as_text()


class Hall(Desk):
    """A tournament on a machine that refuses to start bots when a test says so."""

    def __init__(self, folder: Path, form: str, patch: pytest.MonkeyPatch) -> None:
        folder.mkdir()
        super().__init__(folder, patch)
        self.form = form
        self.refuses: Callable[[PairJob], bool] = lambda _job: False
        self.games_before = 0
        """Of a job, those that are played before the machine refuses the next."""
        self.games: Counter[int] = Counter()
        """How often each was played."""
        self.tries = 0
        """Jobs without games."""

    def refuse(self, after: int, tries: int) -> None:
        """Refuse what comes after so many pairs, and then so many tries."""

        def refuses(_job: PairJob) -> bool:
            return after <= len(self.games) // 2 and self.tries < tries

        self.refuses = refuses

    def play(self, job: PairJob) -> str:
        self.tries += not job.games
        is_refused = self.refuses(job)
        games = min(self.games_before if is_refused else 2, len(job.games))
        self.games.update(plan.number for plan in job.games[:games])
        return result(job, games, lack=LACK if is_refused else "")

    def go(self, **more: Any) -> RunSummary:
        values = {"rounds": 3, "pairs": 2, "jobs": 2, "names": FOUR, **more}
        return self.run(self.play, format=self.form, **values)

    def assert_like(self, whole: Hall, summary: RunSummary) -> None:
        """Check that it came to what it comes to where nothing is lacking."""
        assert summary.is_complete
        assert not summary.stopped
        assert self.store.walkovers() == []
        assert list(self.store.results()) == list(whole.store.results())
        assert set(self.games.values()) == {1}, "a game was played twice"


class Halls:
    """The same tournament where nothing is lacking, which is over, and where a test says so."""

    def __init__(self, folder: Path, form: str, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(system, "FIRST_WAIT_S", 0.001)
        patch.setattr("lath.arena.tournament.run.runner.WAKE_S", 0.002)
        self.whole, self.hall = (Hall(folder / name, form, patch) for name in ("whole", "hall"))
        assert self.whole.go().is_complete


@pytest.fixture(params=["swiss"])
def halls(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Halls]:
    halls = Halls(tmp_path, str(request.param), monkeypatch)
    yield halls
    halls.whole.store.close()
    halls.hall.store.close()


@pytest.fixture
def hall(halls: Halls) -> Hall:
    return halls.hall


@pytest.fixture
def whole(halls: Halls) -> Hall:
    return halls.whole


in_each_format = pytest.mark.parametrize("halls", FORMATS, indirect=True)


@in_each_format
@pytest.mark.parametrize("games_before", [0, 1])
def test_what_is_lacking_is_waited_for_and_costs_nobody_a_game(
    games_before: int, hall: Hall, whole: Hall
) -> None:
    hall.games_before = games_before
    hall.refuse(after=1, tries=3)
    hall.assert_like(whole, hall.go())
    assert hall.watcher.warnings == [
        f"{LACK}; no new game begins until there is enough; trying again",
        "after 0 s the machine has enough again; the run resumes",
    ]
    assert hall.tries == 3, "the third was granted"
    ended = Counter(event.pair for event in hall.watcher.results)
    assert set(ended.values()) == {1}, "a pair ended twice"


def test_no_game_begins_while_it_is_lacking(hall: Hall) -> None:
    hall.refuse(after=1, tries=5)
    seen: list[int] = []
    hear = hall.watcher.__call__

    def look(event: Event | Waiting) -> None:
        hear(event)
        if isinstance(event, Waiting) and len(hall.watcher.warnings) == 1:
            seen.append(len(hall.games))

    hall.patch.setattr(type(hall.watcher), "__call__", lambda _self, event: look(event))
    assert hall.go(jobs=1).is_complete
    assert len(seen) > 4
    assert len(set(seen)) == 1


@in_each_format
def test_without_it_for_too_long_a_run_ends_undecided_and_the_next_one_goes_on(
    hall: Hall, whole: Hall
) -> None:
    hall.refuse(after=1, tries=10**9)
    with pytest.raises(MachineError, match="processes\\); no bot has lost a game by it") as ended:
        hall.go(patience_s=0.02)
    assert ended.value.status == FULL == 5
    assert hall.store.walkovers() == []
    assert finished(hall.store) == set(hall.games)
    hall.refuses = lambda _job: False
    hall.assert_like(whole, hall.go())


class Office:
    """Gives workers, but for the next ones that are `left` out."""

    def __init__(self, code: int, left: int = 0) -> None:
        self.code = code
        self.left = left

    def __call__(self) -> Executor:
        if self.left:
            self.left -= 1
            raise OSError(self.code, os.strerror(self.code))
        return Inline()


@pytest.mark.parametrize("code", LACKS)
def test_a_worker_that_cannot_be_started_is_waited_for(code: int, hall: Hall, whole: Hall) -> None:
    hall.worker = Office(code, 3)
    hall.assert_like(whole, hall.go())
    first, second = hall.watcher.warnings
    assert first == (
        f"no worker can be started: {os.strerror(code)} (the machine needs more {LACKS[code]}); "
        "no new game begins until there is enough; trying again"
    )
    assert second == "after 0 s the machine has enough again; the run resumes"


def test_and_so_is_one_in_the_place_of_one_that_died(hall: Hall, whole: Hall) -> None:
    office = hall.worker = Office(errno.ENOMEM)
    play = hall.play

    def dies_once(job: PairJob) -> str:
        if len(hall.games) == 2 and not office.left and len(hall.watcher.warnings) == 0:
            office.left = 3
            raise BrokenProcessPool
        return play(job)

    hall.play = dies_once  # type: ignore[method-assign]
    hall.assert_like(whole, hall.go(jobs=1))
    died, lacks, has = hall.watcher.warnings
    assert "a worker died in pair 2" in died
    assert "no worker can be started: Cannot allocate memory" in lacks
    assert "has enough again" in has


@pytest.mark.parametrize("is_asked_to_stop", [False, True])
def test_what_ends_the_wait_decides_nothing(
    is_asked_to_stop: bool, hall: Hall, whole: Hall
) -> None:
    hall.refuse(after=1, tries=10**9)
    play = hall.play

    def ends(job: PairJob) -> str:
        if job.games:
            return play(job)
        hall.refuses = lambda _job: False
        if is_asked_to_stop:
            os.kill(os.getpid(), signal.SIGTERM)
            return result(job, lack=LACK)
        raise BrokenProcessPool  # the worker dies, and is replaced

    hall.play = ends  # type: ignore[method-assign]
    summary = hall.go(jobs=1)
    assert summary.interrupted is is_asked_to_stop
    assert len(hall.watcher.warnings) == 1 + (not is_asked_to_stop)
    assert hall.store.walkovers() == []
    hall.assert_like(whole, hall.go() if is_asked_to_stop else summary)


@in_each_format
def test_who_breaks_off_a_game_whenever_something_is_lacking_only_stops_the_pairing(
    hall: Hall,
) -> None:
    begun = 0

    def breaks_off(job: PairJob) -> str:
        nonlocal begun
        if job.pair != 1 or not job.games:
            return hall.play(job)
        begun += 1
        return result(job, 0, void=Cause("A crashed in game 1"), lack="bots have no room")

    hall.run(breaks_off, format=hall.form, names=FOUR, rounds=2, pairs=2, jobs=1)
    assert begun == MAX_BREAKS
    assert hall.store.walkovers() == []
    summary = hall.run(result, format=hall.form, names=FOUR, rounds=2, pairs=2)
    assert summary.is_complete, "the next run plays it"


@pytest.mark.parametrize("halls", ["round-robin"], indirect=True)
def test_a_pairing_that_stops_so_says_why(hall: Hall) -> None:
    def breaks_off(job: PairJob) -> str:
        if not job.games:
            return result(job)
        games = len(job.games) - 1
        return result(job, games, void=Cause("B crashed in game 2"), lack="bots have no room")

    summary = hall.run(breaks_off, names=("A", "B"), rounds=1)
    why = f"{MAX_BREAKS} times while bots have no room: B crashed in game 2"
    assert summary.stopped == {frozenset({"A", "B"}): Cause(why)}
    assert not summary.is_complete
    assert (summary.done, finished(hall.store)) == (1, {1})
    again = hall.run(result, names=("A", "B"), rounds=1)
    assert (again.done, again.total, again.is_complete) == (2, 2, True)


class Scratches:
    """Makes scratch folders, but for the first ones that are asked for."""

    def __init__(self, patch: pytest.MonkeyPatch, left: float) -> None:
        self.left = left
        self._make = process_trees.new_scratch
        patch.setattr(process_trees, "new_scratch", self)
        patch.setattr(system, "FIRST_WAIT_S", 0.001)

    def __call__(self, mark: str) -> str:
        self.left -= 1
        if self.left >= 0:
            raise process_trees.lacking("no scratch folder can be made", errno.EDQUOT)
        return self._make(mark)


def greeted(patience_s: float = 600.0, **kinds: type[Good]) -> list[str]:
    """Greet bots; return the warnings, and why bots cannot play."""
    bots = tuple(BotSpec(name=name, command=command(kind)) for name, kind in kinds.items())
    watcher = Watcher()
    config = a_config(bots=bots)
    said = beginning.greet_bots(config, config.names, watcher, new_tree(), patience_s)
    return [*watcher.warnings, *(str(one) for one in said.values() if isinstance(one, ArenaError))]


def test_bots_are_greeted_when_there_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginning, "WAKE_S", 0.001)
    scratches = Scratches(monkeypatch, 3)
    lacks, has = greeted(ann=Good, bob=Good)
    assert lacks == (
        "no scratch folder can be made: Disk quota exceeded (the machine needs more room on the "
        "disk); no new game begins until there is enough; trying again"
    )
    assert has == "after 0 s the machine has enough again; the run resumes"
    assert scratches.left == 3 - 3 - 2
    scratches.left = inf
    with pytest.raises(MachineError, match=r"quota exceeded .*; no bot has lost a game by it"):
        greeted(ann=Good, patience_s=0.01)


def test_a_bot_that_cannot_be_greeted_for_want_of_room_is_not_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def no_room(_mark: str) -> None:
        raise process_trees.lacking("bots have no room", errno.ENOSPC)

    (why,) = greeted(ann=ExitsAtStart)
    assert why.startswith("ann: exited with status 7 before ok; ")
    monkeypatch.setattr(beginning, "refuse_if_lacking", no_room)
    with pytest.raises(MachineError, match="bots have no room"):
        greeted(ann=ExitsAtStart, patience_s=0.0)


def test_a_worker_without_a_thread_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:  # what a worker is, without its second thread
        ends = f"import sys; sys.stdin.buffer.read(1); sys.exit({NO_THREAD})"
        patch.setattr(slots, "_PROGRAM", ends)
        with slots.Worker(new_tree()) as worker, pytest.raises(MachineError, match="no worker can"):
            worker.submit(print, None).result(60)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    before = set(process_trees.own)
    with pytest.raises(MachineError, match="no worker can be started: Resource temporarily"):
        slots.Worker(new_tree())
    assert process_trees.own == before


def test_a_file_that_cannot_be_written_for_want_of_it_waits_as_on_a_full_disk() -> None:
    for code in LACKS:
        error = system.writing_error(Path("games.lath"), OSError(code, os.strerror(code)))
        assert isinstance(error, DiskError)
        assert (error.is_full, error.status) == (True, FULL)
