"""What a tournament survives: kills, full disks, power cuts, rulings, versions and seasons.

Two models say it. `Story` has one store, and a disk that knows each write: a run is handed jobs,
finishes and breaks as hypothesis says, and ends, is cancelled, killed or without power at any
step. `Club` has a directory as people have it: bots come, go and are edited, seasons begin, games
are ruled void, and commands are killed or without room at any step. Both hold what was promised
against what is there: each game that was told of, once, for ever. Then come examples: one for each
step at which a command may be killed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import tempfile
import tomllib
from collections import Counter, deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar, Final
from unittest import mock

import commands
import pytest
from arena_runs import exported, stored
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)
from power_cuts import Remembered, put
from quick_runs import play_nothing
from recorded_disk import Disk, Step, failing, full
from results import a_config, a_result
from steps import in_a_copy

from lath.arena.errors import DiskError, StoreError
from lath.arena.schedule.core import InEncounters
from lath.arena.tournament import places, slots, system
from lath.arena.tournament import runner as running
from lath.arena.tournament.benches import Benches
from lath.arena.tournament.database import DATABASE, RECORDS
from lath.arena.tournament.events import BotBenched, Event, GameEnded, Waiting
from lath.arena.tournament.open_games import OpenGames
from lath.arena.tournament.runner import Runner
from lath.arena.tournament.sources import background_of, is_over, outcome_in, snapshot_in
from lath.arena.tournament.store import Store
from lath.arena.tournament.worker import PairJob, PairResult
from lath.reports.background import Version

STEPS: Final = 6
"""Runs of a tournament, at most, before the one that comes to its end."""

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
        self.promised: dict[int, Row] = {}
        """The games that were told of."""
        self._lost: set[int] = set()
        """The pairs of which the rest counted as lost, for good."""
        self._played: Final[dict[int, set[Row]]] = {}
        """What games ended with, each time that they were played."""
        self.seats: Final[list[Seat]] = []
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
            self._config, store, self._tell, executors=lambda *_: Seat(self), patience_s=1e9
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
            void="it cannot be started" if is_void else "",
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


# A directory as people have it

STEPS_OF_A_RUN: Final = 30

HOW: Final = st.one_of(
    st.just(("", 0)),
    st.tuples(st.sampled_from(["kill", "full"]), st.integers(1, STEPS_OF_A_RUN)),
)
"""Whether a command is killed or without room at first, and at which step."""

How = tuple[str, int]

Key = tuple[Any, ...]


class Club(RuleBasedStateMachine):
    """A pool that lives on, whatever comes, goes, is edited or ruled; nothing is really played."""

    def __init__(self) -> None:
        super().__init__()
        self._place: Final = Path(tempfile.mkdtemp())
        self.out: Final = self._place / "out"
        self.nets = self._place / "nets"
        self.nets.mkdir()
        self._undo: Final = ExitStack()
        self._undo.enter_context(quick())
        play_nothing(self._undo.enter_context(pytest.MonkeyPatch.context()))
        self.games: dict[int, Key] = {}
        """All that were ever stored, by number, each with what it was and under which terms."""
        self.terms: Final[dict[int, Key]] = {}
        self.versions: Final[dict[Key, str]] = {}
        """By bot and text, under which name it has played."""
        self.void: Final[set[int]] = set()
        self.snapshots: Final[dict[Path, bytes]] = {}
        self.seasons = 0
        self._count = 0

    def teardown(self) -> None:
        try:
            if self._count:
                self.go_on((), ("", 0))
        finally:
            self._undo.close()
            shutil.rmtree(self._place)

    # What people do

    @initialize(has_season=st.booleans())
    def begin(self, *, has_season: bool) -> None:
        words = [word for _ in range(2) for word in ("--add", self._new_bot())]
        season = ("--season", "S0") if has_season else ()
        self._run(*words, *season, "--game", "yavalath", "--rounds", 1, "--tc", "move 5")

    @rule(how=HOW)
    def come(self, how: How) -> None:
        self.go_on(("--add", self._new_bot()), how)
        assert f"bot {self._count}" in self.roster

    @precondition(lambda self: len(self.roster) > 2)
    @rule(which=st.integers(0, 9), how=HOW)
    def retire(self, which: int, how: How) -> None:
        name = self.roster[which % len(self.roster)]
        self.go_on(("--retire", name), how)
        assert name not in self.roster

    @rule(which=st.integers(0, 9), text=st.sampled_from(["as it began", "better"]), how=HOW)
    def edit(self, which: int, text: str, how: How) -> None:
        (self.nets / self.roster[which % len(self.roster)]).write_text(text)
        self.go_on((), how)

    @rule(number=st.integers(0, 9), how=HOW)
    def move(self, number: int, how: How) -> None:
        """Move all programs: they are the same ones."""
        before, self.nets = self.nets, self.nets.rename(self._place / f"nets{number}")
        self._edit(f"{before}/", f"{self.nets}/")
        self.go_on((), how)

    @precondition(lambda self: not self.season)
    @rule(
        words=st.sampled_from(
            [
                *(("--rounds", 1), ("--rounds", 2), ("--tc", "move 5"), ("--tc", "nodes 1")),
                *(("--game", "yavalath"), ("--game", "surikata")),
            ]
        ),
        how=HOW,
    )
    def change(self, words: tuple[object, ...], how: How) -> None:
        self.go_on(words, how)

    @precondition(lambda self: self.season)
    @rule(how=HOW, by_days=st.booleans())
    def begin_season(self, how: How, *, by_days: bool) -> None:
        self.seasons += 1
        name = f"S{self.seasons}"
        self.go_on(("--season", name, *(["--match-day"] if by_days else [])), how)
        assert self.season == name

    @precondition(lambda self: self.season)
    @rule(how=HOW)
    def play_match_day(self, how: How) -> None:
        self.go_on(("--match-day",), how)

    @precondition(lambda self: self.games)
    @rule(which=st.integers(0, 99), how=HOW)
    def rule_void(self, which: int, how: How) -> None:
        number = sorted(self.games)[which % len(self.games)]
        back = number in self.void
        self.go_on(("--reinstate" if back else "--void", number, "--reason", "power cut"), how)
        self.void.symmetric_difference_update({number})
        self._check_rulings()

    @rule(how=HOW)
    def freeze(self, how: How) -> None:
        name = f"day-{len(self.snapshots)}"
        self.go_on(("--snapshot", name), how)
        folder = self.out / "snapshots" / name
        self.snapshots.update({path: path.read_bytes() for path in folder.rglob("*.*")})
        snapshot = snapshot_in([folder])
        assert snapshot
        assert snapshot.name == name

    # How it is done

    def _new_bot(self) -> str:
        self._count += 1
        name = f"bot {self._count}"
        (self.nets / name).write_text("as it began")
        return f"{name}=/bin/cat '{self.nets / name}'"

    def _edit(self, before: str, after: str) -> None:
        config = self.out / "tournament.toml"
        config.write_text(config.read_text().replace(before, after))

    def go_on(self, words: tuple[object, ...], how: How) -> None:
        """Give a command, which may be killed or have no room at some step, until it is done."""
        trouble, step = how
        if trouble == "kill":
            ended = in_a_copy(self.out, partial(said_by, self.out, *words), kill=step)
            assert ended.status in (0, -9), ended
        elif trouble == "full":
            full = range(step, step + 3)
            ended = in_a_copy(self.out, partial(said_by, self.out, *words), full=full)
            assert ended.status in (0, 5), ended
        if trouble:
            self._check()
        self._run(*words, may_be_done=bool(trouble))

    def _run(self, *words: object, may_be_done: bool = False) -> None:
        status, said = said_by(self.out, *words)
        if status == 2 and may_be_done:  # such as to add who is there already
            words = ()
            status, said = said_by(self.out)
        assert status == 0, said
        self._check(
            is_complete=not {"--match-day", "--void", "--reinstate", "--snapshot"} & {*words}
        )

    # What must hold

    @property
    def toml(self) -> dict[str, Any]:
        return tomllib.loads((self.out / "tournament.toml").read_text())

    @property
    def roster(self) -> list[str]:
        return [row["name"] for row in self.toml["bot"]]

    @property
    def season(self) -> str:
        season = background_of([self.out]).season if self.out.exists() else None
        return season.name if season else ""

    def _check(self, *, is_complete: bool = False) -> None:
        """Compare what is stored with what was, and with what is wanted."""
        columns = "number, first, second, game, round, result, checksum"
        games: dict[int, Any] = {row[0]: list(row[1:]) for row in stored(self.out, columns)}  # type: ignore[misc]
        assert self.games.items() <= games.items(), "a game is lost, or another one"
        self.games = games
        if not (self.out / "tournament.toml").exists():
            assert not games
            return
        told = background_of([self.out])
        bots = {version.name: version.bot for version in told.versions}
        terms = (self.season, json.dumps(self.toml["time"]))
        for number in games:
            self.terms.setdefault(number, terms)
        seats = Counter(self._seat(number, bots) for number in games)
        assert set(seats.values()) <= {1}, "a seat of an opening was played twice"
        assert all(path.read_bytes() == data for path, data in self.snapshots.items())
        if is_complete:
            self._check_versions(
                told.versions, {name for row in games.values() for name in row[:2]}
            )
            self._check_all_met(bots, told.versions, {seat[:-1] for seat in seats}, terms)

    def _seat(self, number: int, bots: Mapping[str, str]) -> Key:
        """Return who sat where in what: in a season a bot is one, whatever its version."""
        first, second, game, turn, *_ = self.games[number]
        terms = self.terms[number]
        both = (bots[first], bots[second]) if terms[0] else (first, second)
        return (*both, game, terms, turn)

    def _check_versions(self, versions: Iterable[Version], played: Container[object]) -> None:
        """Check that a text has one name, and the name one text, from its first game on."""
        playing = {one.bot: one.name for one in versions if not one.retired}
        assert sorted(playing) == sorted(self.roster)
        for bot, name in playing.items():
            if name in played:
                text = (self.nets / bot).read_text()
                assert self.versions.setdefault((bot, text), name) == name
        assert len(set(self.versions.values())) == len(self.versions), "two play as one"

    def _check_all_met(
        self,
        bots: Mapping[str, str],
        versions: Iterable[Version],
        seats: Container[Key],
        terms: Key,
    ) -> None:
        playing = [one.name for one in versions if not one.retired]
        names = [bots[name] for name in playing] if terms[0] else playing
        wanted = [
            (*both, game, terms) for both in permutations(names, 2) for game in self.toml["games"]
        ]
        assert [seat for seat in wanted if seat not in seats] == []

    def _check_rulings(self) -> None:
        rated = rated_in(self.out)
        in_force = {one["game"] for one in rated["rulings"] if not one["lifted"]}
        assert in_force == self.void
        if not self.season:
            assert rated["overall"]["games"] == len(self.games) - len(self.void)


def rated_in(folder: Path) -> dict[str, Any]:
    """Return what `arena rate` says of a directory."""
    ran = commands.arena("rate", folder, "--json")
    assert ran.status == 0, ran.err
    rated: dict[str, Any] = json.loads(ran.out)
    return rated


def said_by(out: Path, *words: object) -> tuple[int, str]:
    """Go on with a directory in this process; return the status, and what is said."""
    ran = commands.arena("run", out, *words, "-q", "--no-report")
    assert "Traceback" not in ran.err, ran.err
    assert "bug in the arena" not in ran.err, ran.err
    return ran.status, ran.err


def told(machine: type[RuleBasedStateMachine], stories: int, **more: Any) -> None:
    """Tell so many stories; raises what the first bad one has raised."""
    more.setdefault("phases", [Phase.explicit, Phase.generate])
    few = settings(max_examples=stories, stateful_step_count=STEPS, **more)
    run_state_machine_as_test(machine, settings=few)


@pytest.mark.parametrize("stories", [25])
def test_whatever_happens_nothing_promised_is_lost_or_doubled(stories: int) -> None:
    told(Story, stories)


@pytest.mark.parametrize("stories", [6])
def test_a_club_keeps_its_games_its_versions_its_seasons_and_its_rulings(stories: int) -> None:
    told(Club, stories)


# One example for each step at which a command may be killed

SWISS: Final = ("run", "--format", "swiss", "--game", "yavalath", "--tc", "move 5", "-q")
THREE: Final = ("--bot", "ann=/bin/cat", "--bot", "bob=/bin/cat", "--bot", "cid=/bin/cat")

SCENES: Final[dict[str, tuple[str, tuple[object, ...]]]] = {
    "a tournament begins": ("", (*SWISS[1:-1], *THREE, "--rounds", 1)),
    "it goes on": ("swiss", ("--rounds", 3)),
    "a game is ruled void": ("swiss", ("--void", 1, "--reason", "power cut", "--no-report")),
    "a snapshot is taken": ("swiss", ("--snapshot", "Autumn", "--no-report")),
    "it becomes a pool": ("swiss", ("--format", "pool", "--no-report")),
    "a season begins": ("pool", ("--season", "S1", "--no-report")),
}
"""What is there before a command, and its words."""

NEW: Final = "make logs, make cup, write tournament.lock, commit about"
BEGUN: Final = "make logs, write tournament.lock, commit nothing, remove tournament.db-shm"
NOTED: Final = "write tournament.toml, put tournament.toml, commit about"
SHOWN: Final = "make live, write status.new, put status.json, end live"
SETTLED: Final = "write outcome.json, put outcome.json, commit about"
GAMES: Final = "commit game, write games.lath, put games.lath"
RATED: Final = "write standings.json, put standings.json, write standings.csv, put standings.csv"
PAGE: Final = "write report.html, put report.html"
PLAYED: Final = (BEGUN, NOTED, SHOWN, SETTLED, GAMES, RATED)

KILL_POINTS: Final = {
    "a tournament begins": (NEW, "remove tournament.db-shm", *PLAYED[1:], PAGE),
    "it goes on": (*PLAYED, PAGE),
    "a game is ruled void": (
        "write tournament.lock, commit nothing, commit about",
        SETTLED,
        RATED,
        PAGE,
    ),
    "a snapshot is taken": (
        "write tournament.lock, commit nothing, make snapshots, make half, make autumn, make logs",
        *(NOTED, SETTLED, GAMES.partition(", ")[2], RATED, "put autumn, end half"),
    ),
    "it becomes a pool": (*PLAYED, PAGE),
    "a season begins": PLAYED,
}
"""The steps of each command, at each of which it is killed once, at first or in the end."""

POINTS: Final = [
    (scene, point)
    for scene, parts in KILL_POINTS.items()
    for point in dict.fromkeys(", ".join(parts).split(", "))
]


class Scenes:
    """Directories in which commands are given, and what they come to where nothing happens."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._made: dict[str, Path] = {}
        self._facts: dict[str, tuple[list[str], dict[str, Any]]] = {}

    def before(self, kind: str) -> Path | None:
        """Return a directory that is never changed."""
        if kind and kind not in self._made:
            folder = self._made[kind] = self._place / kind
            assert commands.arena(*SWISS, *THREE, "--rounds", 2, "--out", folder).status == 0
            if kind == "pool":
                assert said_by(folder, "--format", "pool", "--rounds", 1)[0] == 0
        return self._made.get(kind)

    def begun(self, scene: str, folder: Path) -> Callable[[], tuple[int, str]]:
        """Make a directory as it is before; return what then gives the command."""
        kind, words = SCENES[scene]
        if before := self.before(kind):
            shutil.copytree(before, folder)
            return partial(given, folder, *words)
        return partial(given, "--out", folder, *words)

    def whole(self, scene: str) -> tuple[list[str], dict[str, Any]]:
        """Return the steps of a command, and what is there then."""
        if scene not in self._facts:
            folder = self._place / scene / "cup"
            folder.parent.mkdir()
            ended = in_a_copy(folder, self.begun(scene, folder))
            assert ended.status == 0, ended.said
            self._facts[scene] = (ended.steps, facts(folder))
        return self._facts[scene]


def given(*words: object) -> tuple[int, str]:
    ran = commands.arena("run", *words, "-q")
    assert "Traceback" not in ran.err, ran.err
    return ran.status, ran.err


def facts(folder: Path) -> dict[str, Any]:
    """Return what is in a directory, whenever it was written."""
    rated = json.loads((folder / "standings.json").read_text())
    told = background_of([folder])
    return {
        "games": stored(folder, GAME),
        "exported": exported(folder),
        "files": sorted(
            str(path.relative_to(folder)) for path in folder.rglob("*.*") if path.is_file()
        ),
        "table": rated["overall"],
        "outcome": outcome_in([folder]),
        "rulings": [(one.kind, one.game, one.reason, bool(one.lifted)) for one in told.rulings],
        "versions": [(one.name, one.bot, bool(one.retired)) for one in told.versions],
        "season": told.season and (told.season.name, len(told.season.days)),
    }


GAME: Final = "number, first, second, game, round, result, plies"


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenes]:
    with quick(), pytest.MonkeyPatch.context() as patch:
        play_nothing(patch)
        yield Scenes(tmp_path_factory.mktemp("scenes"))


def test_each_step_of_a_command_has_an_example(scenes: Scenes) -> None:
    steps = {scene: sorted(set(scenes.whole(scene)[0])) for scene in SCENES}
    assert steps == {
        scene: sorted(point for one, point in POINTS if one == scene) for scene in SCENES
    }


@pytest.mark.parametrize(("scene", "point"), POINTS)
def test_who_is_killed_there_loses_nothing_and_goes_on(
    scene: str, point: str, scenes: Scenes, tmp_path: Path
) -> None:
    steps, whole = scenes.whole(scene)
    folder = tmp_path / "cup"
    command = scenes.begun(scene, folder)
    before = stored(folder, GAME)
    kill = [number for number, step in enumerate(steps, 1) if step == point][len(point) % 2 - 1]
    assert in_a_copy(folder, command, kill=kill).status == -9
    games = stored(folder, GAME)
    assert {*before} <= {*games} <= {*whole["games"]}, "a game is lost, or another one"
    told = outcome_in([folder])
    assert told is None or told.format == "pool" or told.done == len(games), "of another time"
    if kill > steps.index("commit about") + 1:  # what is to be played is noted
        assert not is_over(folder) or len(games) == len(whole["games"])
    if games:
        rated = rated_in(folder)
        left_out = sum(rated.get("left_out", {}).values())
        assert "season" in rated or rated["overall"]["games"] + left_out == len(games)
    status, said = command()
    if status == 2:  # it is done: by a run is written what is not
        status, said = given(
            folder, *(["--no-report"] if "--no-report" in SCENES[scene][1] else [])
        )
    assert status == 0, said
    assert facts(folder) == whole


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
