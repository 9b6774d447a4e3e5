"""A disk that is full or fails while walkovers are stored: the run waits, and loses none."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from quick_runs import Watcher
from recorded_disk import Disk, Failure, Step, failing, full
from results import a_config, a_result, finished

from lath.arena.errors import DiskError
from lath.arena.tournament import system
from lath.arena.tournament.database import DATABASE
from lath.arena.tournament.progress import Summary
from lath.arena.tournament.runner import Runner
from lath.arena.tournament.slots import Pace
from lath.arena.tournament.store import Store
from lath.arena.tournament.worker import PairJob, PairResult

if TYPE_CHECKING:
    import apsw

pytestmark = pytest.mark.slow

FOUR: Final = ("A", "B", "C", "D")
MISSING: Final = "B"

FORMATS: Final = ("knockout", "swiss")


def played(job: PairJob) -> str:
    """Let the bot win whose name comes first in the alphabet; MISSING cannot be started."""
    if MISSING in job.pairing:
        void = f"{MISSING}: cannot be started"
        return PairResult(pair=job.pair, games=(), void=void, void_bot=MISSING).as_text()
    games = [
        a_result(plan.number, plan.names, result="1-0" if plan.names[0] < plan.names[1] else "0-1")
        for plan in job.games
    ]
    return PairResult(pair=job.pair, games=tuple(games)).as_text()


class Played(Executor):
    """Has the result of a job when it is handed over, and counts which pairs it was handed."""

    def __init__(self, pairs: Counter[int]) -> None:
        self._pairs = pairs

    def submit(self, _play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
        (job,) = jobs
        self._pairs[job.pair] += 1
        future: Future[Any] = Future()
        future.set_result(played(job))
        return future


class Cup:
    """A tournament in which a bot cannot be started, on a disk that fails where a test says so."""

    def __init__(self, folder: Path, form: str) -> None:
        folder.mkdir(parents=True)
        self.form = form
        self.trouble: Failure | None = None
        self.tries = 0
        self.writes = 0
        self.outcome: object = None
        """What a run without trouble came to."""

        self.fails_at = -1
        """Of `writes`, the one that fails; -1: none."""

        self.disk = Disk(self._fault)
        self.store = Store(folder, connect=self.disk.connect)
        self.writes = 0
        self.watcher = Watcher()
        self.pairs: Counter[int] = Counter()
        self._add_walkovers = self.store.add_walkovers

    def _fault(self, step: Step) -> apsw.Error | None:
        if step.kind != "write":
            return None
        fails = full if self.writes == self.fails_at else self.trouble
        self.writes += 1
        self.tries += fails is not None
        return fails(step) if fails else None

    def fail_for_walkovers(self, patch: pytest.MonkeyPatch, how: Failure) -> None:
        """Let the disk fail from when the first walkover is to be stored."""

        def add_walkovers(walkovers: Any) -> None:
            if not self.watcher.warnings:
                self.trouble = how
            self._add_walkovers(walkovers)

        patch.setattr(self.store, "add_walkovers", add_walkovers)

    def mend(self) -> None:
        self.trouble = None

    def runner(self, patience_s: float = 600.0, **config: Any) -> Runner:
        """Return a new run of what is left."""
        told = {"rounds": 3, "pairs": 2, "jobs": 2, **config}
        return Runner(
            a_config(names=FOUR, format=self.form, **told),
            self.store,
            self.watcher,
            executors=lambda *_: Played(self.pairs),
            patience_s=patience_s,
        )

    def run(self) -> Summary:
        return self.runner().run()

    def close(self) -> None:
        self.store.close()
        self.disk.unregister()


@pytest.fixture(params=FORMATS)
def cup(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Cup]:
    """Give a new tournament of each format in which walkovers decide."""
    monkeypatch.setattr(system, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr("lath.arena.tournament.runner.WAKE_S", 0.005)
    cup = Cup(tmp_path / "cup", request.param)
    yield cup
    cup.close()


@pytest.fixture
def whole(cup: Cup, tmp_path: Path) -> Iterator[Cup]:
    """Give the same tournament, played without any trouble."""
    whole = Cup(tmp_path / "whole", cup.form)
    summary = whole.run()
    assert summary.is_complete
    whole.outcome = summary.outcome
    assert whole.store.walkovers()
    yield whole
    whole.close()


def assert_alike(cup: Cup, whole: Cup, summary: Summary) -> None:
    """Check that a tournament came to what it comes to without trouble."""
    assert summary.is_complete
    assert cup.store.walkovers() == whole.store.walkovers()
    assert list(cup.store.results()) == list(whole.store.results())
    assert summary.outcome == whole.outcome


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_tie_of_more_pairs_than_workers_have_at_a_time_is_lost_whole(
    jobs: int, cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pace, "window", lambda *_: 2)
    summary = cup.runner(pairs=9, jobs=jobs).run()
    assert summary.is_complete
    assert not summary.interrupted
    lost = {pair for pair, _ in cup.store.walkovers()}
    assert len(lost) == 9, "in a swiss it is paired in no further round"
    assert len(lost & set(cup.pairs)) < len(lost), "some were lost before they were begun"
    assert max(cup.pairs.values()) == 1


@pytest.mark.parametrize("how", [full, failing])
def test_a_run_waits_until_the_disk_takes_a_walkover(
    how: Failure, cup: Cup, whole: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup.fail_for_walkovers(monkeypatch, how)

    def mend_after_a_second_try() -> None:
        if cup.tries >= 2:
            cup.mend()

    cup.watcher.on_wait = mend_after_a_second_try
    assert_alike(cup, whole, cup.run())
    first, second = cup.watcher.warnings
    assert first.startswith(f"{cup.store.folder / DATABASE}: ")
    assert "no game begins until results can be kept" in first
    assert second == "after 0 s the disk takes results again; the run goes on"
    assert cup.pairs == whole.pairs, "a pair was played twice"


def test_whichever_write_fails_the_tournament_comes_to_the_same(cup: Cup, whole: Cup) -> None:
    writes = whole.writes
    assert writes >= 6
    for number in range(writes):
        other = Cup(whole.store.folder.parent / f"{number}", cup.form)
        other.fails_at = number
        assert_alike(other, whole, other.run())
        assert other.pairs == whole.pairs
        assert len(other.watcher.warnings) in (0, 2)
        other.close()


def test_nothing_that_depends_on_a_walkover_is_played_before_it_is_stored(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup.fail_for_walkovers(monkeypatch, full)
    seen: list[int] = []

    def look() -> None:
        if cup.trouble:
            seen.append(max(cup.pairs))
            if len(seen) == 5:
                cup.mend()

    cup.watcher.on_wait = look
    assert cup.run().is_complete
    assert len(set(seen)) == 1
    assert max(cup.pairs) > seen[0], "the next round waited for it"


def test_without_room_for_too_long_the_run_ends_and_the_next_one_decides_it_again(
    cup: Cup, whole: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup.fail_for_walkovers(monkeypatch, full)
    runner = cup.runner(patience_s=0.05)
    with pytest.raises(DiskError, match="a walkover could not be kept and will be decided again"):
        runner.run()
    assert cup.store.walkovers() == []
    assert set(cup.watcher.stored) == finished(cup.store)
    told, stored = runner.summary(), cup.runner().summary()
    assert (told.total, told.outcome) == (stored.total, stored.outcome), "it is not stored"
    cup.mend()
    monkeypatch.undo()
    assert_alike(cup, whole, cup.run())


def test_a_failing_disk_is_tried_a_few_times_only(
    cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup.fail_for_walkovers(monkeypatch, failing)
    with pytest.raises(DiskError, match="disk I/O error; a walkover could not be kept"):
        cup.run()
    assert cup.tries == 1 + system.RETRIES


@pytest.mark.parametrize("signals", [1, 2])
def test_a_signal_ends_the_wait_for_a_walkover(
    signals: int, cup: Cup, whole: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup.fail_for_walkovers(monkeypatch, full)

    def interrupt() -> None:
        cup.watcher.on_warning = lambda: None
        for _ in range(signals):
            signal.raise_signal(signal.SIGINT)

    cup.watcher.on_warning = interrupt
    with pytest.raises(DiskError, match="could not be kept"):
        cup.run()
    cup.mend()
    monkeypatch.undo()
    assert_alike(cup, whole, cup.run())


@pytest.mark.parametrize("signals", [1, 2])
def test_a_signal_does_not_lose_a_walkover_that_the_disk_takes(
    signals: int, cup: Cup, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup.fail_for_walkovers(monkeypatch, full)

    def mend_and_interrupt() -> None:
        cup.mend()
        cup.watcher.on_warning = lambda: None
        for _ in range(signals):
            signal.raise_signal(signal.SIGINT)

    cup.watcher.on_warning = mend_and_interrupt
    if signals == 1:
        assert cup.run().interrupted
    else:
        with pytest.raises(KeyboardInterrupt):
            cup.run()
    assert cup.store.walkovers()
