"""A tournament whatever happens to it, against a model: what was promised is there, once, for ever.

A run is handed jobs, finishes and breaks as hypothesis says, on a disk that fills up and fails; it
ends, is cancelled, is killed or has its power cut, and is resumed. The model is a dict of what was
promised: a game that was told of counts.
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
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, Final
from unittest import mock

import pytest
from arena_runs import exported
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from power_cuts import Remembered, put
from recorded_disk import Disk, Step, failing, full
from results import a_config, a_result

from lath.arena.errors import DiskError, StoreError
from lath.arena.schedule.core import InEncounters
from lath.arena.tournament import places, slots, system
from lath.arena.tournament import runner as running
from lath.arena.tournament.benches import Benches
from lath.arena.tournament.database import DATABASE, RECORDS
from lath.arena.tournament.events import Event, GameEnded, Waiting
from lath.arena.tournament.open_games import OpenGames
from lath.arena.tournament.runner import Runner
from lath.arena.tournament.store import Store
from lath.arena.tournament.worker import PairJob, PairResult

STEPS: Final = 6
"""Runs of a tournament, at most, before the one that comes to its end."""

BOTS: Final = ("ann", "bob", "cid", "dot")

ROUNDS: Final = {"round-robin": 1, "swiss": 2, "knockout": 1}

Row = tuple[str, str, str]
"""First, second and result of a game."""

ACTIONS: Final = st.one_of(
    *[st.tuples(st.just("finish"), st.integers(0, 7))] * 5,
    st.tuples(st.just("break"), st.integers(0, 1)),
    st.tuples(st.sampled_from(["void", "machine void", "lack"]), st.integers(0, 7)),
    st.tuples(st.sampled_from(["full", "room"]), st.just(0)),
    st.tuples(st.just("fail"), st.integers(1, 2)),
)
"""What happens while a run waits, and a number: which job, which worker, or how often."""

ENDINGS: Final = st.sampled_from(["power cut", "kill", "cancel", "end"])


class Crash(BaseException):
    """The process is gone."""


class Seat(Executor):
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
        self.promised: Final[dict[int, Row]] = {}
        """The games that were told of."""
        self._lost: Final[set[int]] = set()
        """The pairs of which the rest counted as lost, for good."""
        self._played: Final[dict[int, set[Row]]] = {}
        """What games ended with, each time that they were played."""
        self.seats: Final[list[Seat]] = []
        self._plan: deque[tuple[str, int]] = deque()
        self._ending = ""
        self._is_full = False
        self._is_sound = True
        self._failures = 0
        self._chance = random.Random(0)

    def _new_folder(self, files: Mapping[str, bytes]) -> None:
        self._folders += 1
        self._folder = self._place / str(self._folders)
        put(dict(files), self._folder)

    # What happens

    @initialize(form=st.sampled_from(sorted(ROUNDS)))
    def begin(self, form: str) -> None:
        self._form, self._rounds = form, ROUNDS[form]

    @rule(plan=st.lists(ACTIONS, min_size=2, max_size=20), ending=ENDINGS, seed=st.integers(0, 99))
    def run(self, plan: list[tuple[str, int]], ending: str, seed: int) -> None:
        """Begin or resume the tournament; it ends as it is told to once the plan is through."""
        self._plan, self._ending, self._is_sound = deque(plan), ending, False
        self._chance = random.Random(seed)
        self._is_full, self._failures = False, 0
        with Disk(self._fault, instead=self.instead) as disk:
            self._know(disk)
            store = Store(self._folder, connect=disk.connect)
            try:
                self._run(store, disk)
            finally:
                store.close()
        with self._reopened() as written:
            self._check(written)
        self._is_sound = True

    def teardown(self) -> None:
        """Let a last run come to its end: the tournament is whole then."""
        try:
            if self._is_sound:
                self.run([], "end", 0)
                with self._reopened() as written:
                    schedule = OpenGames(self._config, written, tree="").schedule
                    assert schedule.done == schedule.total
        finally:
            shutil.rmtree(self._place)

    @property
    def _config(self) -> Any:
        return a_config(names=BOTS, format=self._form, rounds=self._rounds, jobs=2)

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

    def _fault(self, step: Step) -> Any:
        if self._is_full and step.kind in ("open", "write"):
            return full(step)
        if self._failures and step.kind == "sync":
            self._failures -= 1
            return failing(step)
        return None

    def _run(self, store: Store, disk: Disk) -> None:
        self._disk, files = disk, None
        runner = Runner(
            self._config, store, self._tell, executors=lambda *_: Seat(self), patience_s=1e9
        )
        self._runner = runner
        for name in Benches(store).now:  # as a run does that has seen it start
            runner.unbench(name)
        with quick():
            try:
                runner.run()
            except DiskError:
                pass  # it says what could not be kept: nothing of that was told of
            except Crash:
                files = self._left
        self._note_lost()
        if files is not None:
            self._new_folder(files)
        else:
            assert exported(self._folder) == [number for number, *_ in store.results()]

    def _tell(self, event: Event | Waiting) -> None:
        if isinstance(event, GameEnded):
            row = (event.first, event.second, event.result)
            assert event.number not in self.promised, "doubled"
            assert row in self._played[event.number]
            self.promised[event.number] = row
        elif isinstance(event, Waiting):
            self._note_lost()
            self._act()

    def _note_lost(self) -> None:
        schedule = self._runner._open.schedule
        if isinstance(schedule, InEncounters):
            self._lost.update(schedule._lost_pairs)

    def _act(self) -> None:
        if self._plan:
            what, which = self._plan.popleft()
            self._do(what, which)
            return
        self._is_full = self._is_full and self._ending != "end"
        if self._ending == "cancel":
            os.kill(os.getpid(), signal.SIGINT)
        elif self._ending != "end":
            self._left = self._after(self._ending)
            raise Crash
        self._do("finish", 0)

    def _do(self, what: str, which: int) -> None:
        seats = [seat for seat in self.seats if seat.jobs]
        if what in ("full", "room"):
            self._is_full = what == "full"
        elif what == "fail":
            self._failures += which
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
        if what != "finish":
            plans = plans[: self._chance.randint(0, max(0, len(plans) - 1))]
        games = []
        for plan in plans:
            result = self._chance.choice(("1-0", "0-1", "1/2-1/2"))
            self._played.setdefault(plan.number, set()).add((*plan.names, result))
            games.append(a_result(plan.number, plan.names, result=result))
        is_void = what in ("void", "machine void") and bool(job.games)
        return PairResult(
            pair=job.pair,
            games=tuple(games),
            void="it cannot be started" if is_void else "",
            void_bot=min(job.pairing) if is_void and what == "void" else "",
            lack="no room for temporary files" if what == "lack" else "",
        )

    def _after(self, ending: str) -> dict[str, bytes]:
        """Return what is left of the folder."""
        remembered = Remembered()
        for step in self._disk.steps:
            remembered.do(step)
        power = ending == "power cut"
        files = remembered.after_cut(self._chance) if power else remembered.as_told()
        records = self._folder / RECORDS
        return {**files, **({RECORDS: records.read_bytes()} if records.exists() else {})}

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


def quick() -> ExitStack:
    """Have a run wait for nothing, and look for no processes."""
    stack = ExitStack()
    for module, names in (
        (running, {"WAKE_S": 0.0, "sweep": mock.DEFAULT}),
        (places, {"sweep": mock.DEFAULT, "reap_orphans": mock.DEFAULT}),
        (slots, {"GATHER_S": 0.0}),
        (system, {"FIRST_WAIT_S": 0.0}),
    ):
        stack.enter_context(mock.patch.multiple(module, **names))
    return stack


def told(machine: type[Story], stories: int, **more: Any) -> None:
    """Tell so many stories; raises what the first bad one has raised."""
    few = settings(max_examples=stories, stateful_step_count=STEPS, **more)
    run_state_machine_as_test(machine, settings=few)


@pytest.mark.parametrize("stories", [25])
def test_whatever_happens_nothing_promised_is_lost_or_doubled(stories: int) -> None:
    told(Story, stories)


# Controls: this is how we know that the model bites


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
