"""What a tournament survives, by its store: kills, full and failing disks, power cuts, benches.

A run is handed jobs, finishes and breaks as hypothesis says, on a disk that knows each write, fills
up and fails. It ends, is cancelled, is killed or has its power cut at any step, and is resumed. The
model is a dict of what was promised: a game that was told of is there, once, for ever.
`test_directory_model.py` has the same of a directory as people have it.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Final

import pytest
from arena_runs import exported
from hypothesis import Phase, seed
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
)
from power_cuts import Remembered, put
from recorded_disk import Disk, Step, failing, full
from results import a_config, a_result
from stories import quick, told

from lath.arena.directory import DATABASE, RECORDS
from lath.arena.errors import Cause, DiskError, StoreError
from lath.arena.schedule.core import InEncounters
from lath.arena.tournament.run.benches import Benches
from lath.arena.tournament.run.events import BotBenched, Event, GameEnded, Waiting
from lath.arena.tournament.run.open_games import OpenGames
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.jobs import PairJob, PairResult
from lath.arena.tournament.store.store import Store

BOTS: Final = ("ann", "bob", "cid", "dot")

ROUNDS: Final = {"round-robin": 1, "swiss": 2, "knockout": 1}

Row = tuple[str, str, str]
"""First, second and result of a game."""

ACTIONS: Final = st.one_of(
    *[st.tuples(st.just("finish"), st.integers(0, 7))] * 5,
    st.tuples(st.just("break"), st.integers(0, 1)),
    st.tuples(st.sampled_from(["void", "machine void", "lack", "crash"]), st.integers(0, 7)),
    st.tuples(st.sampled_from(["full", "room"]), st.just(0)),
    st.tuples(st.sampled_from(["fail", "fail to sync"]), st.integers(1, 4)),
)
"""What happens while a run waits, and a number: which job, which worker, or how often."""

ENDINGS: Final = st.sampled_from(["power cut", "kill", "cancel", "end"])

CHANGES: Final = ("open", "write", "truncate", "sync", "delete")


class Crash(BaseException):
    """The process is gone."""


class Side(Executor):
    """Has jobs that are finished when the story says so."""

    def __init__(self, story: Story) -> None:
        self._story: Final = story
        self.jobs: Final[dict[Future[str], PairJob]] = {}
        self.is_broken = False
        story.seats.append(self)

    def submit(self, _play: Callable[..., Any], /, *jobs: Any, **_: Any) -> Future[Any]:
        if self.is_broken:
            raise BrokenExecutor
        (job,) = jobs
        assert not self._story.promised.keys() & {plan.number for plan in job.games}, "doubled"
        future: Future[Any] = Future()
        self.jobs[future] = job
        return future

    def shutdown(self, *_: Any, **_how: Any) -> None:
        self.jobs.clear()

    def finish(self, future: Future[str], result: PairResult) -> None:
        del self.jobs[future]
        future.set_result(result.as_text())

    def break_down(self) -> None:
        self.is_broken = True
        for future in list(self.jobs):
            future.set_exception(BrokenExecutor())
        self.jobs.clear()


class Story(RuleBasedStateMachine):
    """One tournament, run again and again until it is whole."""

    instead: ClassVar[Mapping[str, str]] = {}
    """Texts of the store's SQL, and what is put in their place: a guard that is taken away."""

    def __init__(self) -> None:
        super().__init__()
        self._place: Final = Path(tempfile.mkdtemp())
        self._folders = 0
        self._new_folder({})
        self._form = "round-robin"
        self._rounds = 1
        self.promised: dict[int, Row] = {}
        """The games that were told of."""
        self._lost: set[int] = set()
        """The pairs of which the rest counted as lost, for good."""
        self._played: Final[dict[int, set[Row]]] = {}
        """What games ended with, each time that they were played."""
        self.seats: Final[list[Side]] = []
        self._plan: deque[tuple[str, int]] = deque()
        self._ending = ""
        self._is_full = False
        self._is_sound = True
        self._failures = dict.fromkeys(("fail", "fail to sync"), 0)
        self._benched: set[str] = set()
        """Those of whom this run has told that."""
        self._chance = random.Random(0)

    def _new_folder(self, files: Mapping[str, bytes]) -> None:
        self._folders += 1
        self._folder = self._place / str(self._folders)
        put(dict(files), self._folder)

    # What happens

    @initialize(form=st.sampled_from(sorted(ROUNDS)))
    def begin(self, form: str) -> None:
        self._form, self._rounds = form, ROUNDS[form]

    @rule(
        plan=st.lists(ACTIONS, min_size=2, max_size=20),
        ending=ENDINGS,
        moment=st.integers(1, 100),
        failures=st.sampled_from([0, 0, 0, 1, 4]),
        seed=st.integers(0, 99),
    )
    def run(
        self, plan: list[tuple[str, int]], ending: str, moment: int, failures: int, seed: int
    ) -> None:
        """Begin or resume the tournament; it ends as it is told to once the plan is through.

        What is left of one that is killed, or loses its power, is that of a `moment`, in per cent
        of all that its disk was told. Its store is opened in spite of so many failures.
        """
        self._plan, self._ending, self._is_sound = deque(plan), ending, False
        self._chance, self._moment = random.Random(seed), moment
        self._is_full, self._failures = False, {"fail": failures, "fail to sync": 0}
        with Disk(self._fault, instead=self.instead) as disk:
            self._know(disk)
            store = self._opened(disk)
            try:
                self._run(store, disk)
            finally:
                store.close()
        with self._reopened() as written:
            self._check(written)
        self._is_sound = True

    def _opened(self, disk: Disk) -> Store:
        while True:
            with suppress(DiskError):  # else it is wrong to say that
                return Store(self._folder, connect=disk.connect)

    def teardown(self) -> None:
        """Let a last run come to its end: the tournament is whole then."""
        try:
            if self._is_sound:
                self.run([], "end", 100, 0, 0)
                with self._reopened() as written:
                    schedule = OpenGames(self._config, written, tree="").schedule
                    assert schedule.done == schedule.total
        finally:
            shutil.rmtree(self._place)

    @property
    def _config(self) -> Any:
        return a_config(names=BOTS, format=self._form, rounds=self._rounds, jobs=2, bench_after=2)

    @contextmanager
    def _reopened(self) -> Iterator[Store]:
        with Disk() as disk, closing(Store(self._folder, connect=disk.connect)) as store:
            yield store

    def _know(self, disk: Disk) -> None:
        """Have the disk remember what stands on it already."""
        for path in self._folder.glob(f"{DATABASE}*"):
            disk.steps += [
                Step("open", path.name),
                Step("write", path.name, data=path.read_bytes()),
                Step("sync", path.name),
            ]
        disk.steps.append(Step("sync folder"))
        self._began = len(disk.steps)

    def _fault(self, step: Step) -> Any:
        if self._is_full and step.kind in ("open", "write"):
            return full(step)
        for what, kinds in (("fail", CHANGES), ("fail to sync", ("sync",))):
            if self._failures[what] and step.kind in kinds:
                self._failures[what] -= 1
                return failing(step)
        return None

    def _run(self, store: Store, disk: Disk) -> None:
        self._disk, files, before = disk, None, dict(self.promised)
        lost, records = set(self._lost), self._folder / RECORDS
        written = {RECORDS: records.read_bytes()} if records.exists() else {}
        self._benched.clear()
        runner = Runner(
            self._config, store, self._tell, executors=lambda *_: Side(self), patience_s=1e9
        )
        self._runner = runner
        for name in Benches(store).now:  # as a run does that has seen it start
            runner.unbench(name)
        is_kept = False
        with quick():
            try:
                runner.run()
                is_kept = True
            except DiskError:
                pass  # it says what could not be kept: no game of that was told of
            except Crash:
                files, kept = self._left()
                files |= written  # by a run that came to its end
                self.promised, told = before, self.promised
                self.promised |= {number: told[number] for number in kept if number > 0}
                self._lost = lost | {-number for number in kept if number < 0}
        if files is not None:
            self._new_folder(files)
            return
        self._note_lost()
        if is_kept:
            assert exported(self._folder) == [number for number, *_ in store.results()]
            assert self._benched <= Benches(store).now.keys(), "a bot that was benched plays"

    def _tell(self, event: Event | Waiting) -> None:
        if isinstance(event, GameEnded):
            row = (event.first, event.second, event.result)
            assert event.number not in self.promised, "doubled"
            assert row in self._played[event.number]
            self.promised[event.number] = row
            self._disk.keep([event.number])
        elif isinstance(event, BotBenched):
            self._benched.add(event.bot)
        elif isinstance(event, Waiting):
            self._note_lost()
            self._act()

    def _note_lost(self) -> None:
        schedule = self._runner._open.schedule  # what it plays by is told to nobody
        if isinstance(schedule, InEncounters):
            new = schedule._lost_pairs - self._lost
            self._lost |= new
            self._disk.keep(-pair for pair in new)

    def _act(self) -> None:
        if self._plan:
            what, which = self._plan.popleft()
            self._do(what, which)
            return
        self._is_full = self._is_full and self._ending != "end"
        if self._ending == "cancel":
            os.kill(os.getpid(), signal.SIGINT)
        elif self._ending != "end":
            raise Crash
        self._do("finish", 0)

    def _do(self, what: str, which: int) -> None:
        seats = [seat for seat in self.seats if seat.jobs]
        if what in ("full", "room"):
            self._is_full = what == "full"
        elif what in self._failures:
            self._failures[what] += which
        elif not seats:
            return
        elif what == "break":
            seats[which % len(seats)].break_down()
        else:
            seat = seats[which % len(seats)]
            future = next(iter(seat.jobs))  # a worker has them in their order
            seat.finish(future, self._result(seat.jobs[future], what))

    def _result(self, job: PairJob, what: str) -> PairResult:
        plans = job.games
        if what not in ("finish", "crash"):
            plans = plans[: self._chance.randint(0, max(0, len(plans) - 1))]
        games = []
        for plan in plans:
            result, more = self._chance.choice(("1-0", "0-1", "1/2-1/2")), {}
            if what == "crash":
                result = "1-0" if plan.names[1] == min(plan.names) else "0-1"
                more["termination"] = "crash"
            self._played.setdefault(plan.number, set()).add((*plan.names, result))
            games.append(a_result(plan.number, plan.names, result=result, **more))
        is_void = what in ("void", "machine void") and bool(job.games)
        return PairResult(
            pair=job.pair,
            games=tuple(games),
            void=Cause("it cannot be started") if is_void else None,
            void_bot=min(job.pairing) if is_void and what == "void" else "",
            lack="no room for temporary files" if what == "lack" else "",
        )

    def _left(self) -> tuple[dict[str, bytes], set[int]]:
        """Return what is left of the folder, and what was promised by then."""
        remembered, steps = Remembered(), self._disk.steps
        for step in steps[: self._began + (len(steps) - self._began) * self._moment // 100]:
            remembered.do(step)
        power = self._ending == "power cut"
        files = remembered.after_cut(self._chance) if power else remembered.as_told()
        return files, remembered.promised

    # What must hold

    def _check(self, store: Store) -> None:
        """Compare what is stored with what was promised."""
        rows = list(store.results())
        stored = {number: (first, second, result) for number, first, second, result, *_ in rows}
        assert len(stored) == len(rows), "doubled"
        assert self.promised.items() <= stored.items(), "lost, or another one"
        assert all(row in self._played[number] for number, row in stored.items()), "made up"
        walkovers = {pair for pair, _ in store.walkovers()}
        assert self._lost <= walkovers, "a walkover is lost"
        self.promised.update(stored)  # what is there counts from the next run on
        self._lost.update(walkovers)
        schedule = OpenGames(self._config, store, tree="").schedule
        assert schedule.done == len(stored)
        assert all(number in schedule.finished for number in stored)


@pytest.mark.parametrize("stories", [15])
def test_whatever_happens_nothing_promised_is_lost_or_doubled(stories: int) -> None:
    told(Story, stories)


# Controls: this is how we know that the model bites


@seed(3)  # which comes to such a loss soon
class WithoutSyncs(Story):
    instead: ClassVar = {"synchronous = FULL": "synchronous = OFF"}


def test_without_syncs_the_model_sees_games_lost() -> None:
    with pytest.raises((AssertionError, StoreError), match=r"lost|damaged|not a tournament"):
        told(WithoutSyncs, 100, phases=[Phase.generate])


def test_a_game_that_is_told_of_though_the_disk_refused_it_is_seen_to_be_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add = Store.add

    def hasty(store: Store, *what: Any) -> None:
        with suppress(DiskError):
            add(store, *what)

    monkeypatch.setattr(Store, "add", hasty)
    with pytest.raises(AssertionError, match="lost"):
        told(Story, 100, phases=[Phase.generate])


def test_a_walkover_that_is_not_kept_is_seen_to_be_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "add_walkovers", lambda *_: None)
    with pytest.raises(AssertionError, match="a walkover is lost"):
        told(Story, 100, phases=[Phase.generate])
