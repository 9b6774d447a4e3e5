"""Running a tournament: the runner hands out jobs and stores their results."""

from __future__ import annotations

import math
import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from lath.arena.errors import Cause, MachineError, MovedError, StoreError
from lath.arena.machine import signals
from lath.arena.machine.system import ENOUGH, PATIENCE_S, Patience
from lath.arena.referee.process_trees import scratches, sweep
from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.schedule.core import Openings, Tags
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.outcome.notes import write_outcome
from lath.arena.tournament.run.events import (
    BotBenched,
    GameEnded,
    Listener,
    PairEnded,
    PairingStopped,
    RunBegan,
    Waiting,
    warner,
)
from lath.arena.tournament.run.open_games import OpenGames
from lath.arena.tournament.run.places import LocalSlots, Opener, Places
from lath.arena.tournament.run.progress import RunSummary
from lath.arena.tournament.run.slots import (
    Executors,
    Host,
    Pace,
    PlaceLostError,
    Slot,
    Worker,
    longest_wait_s,
)
from lath.arena.tournament.store.database import VERSIONS
from lath.arena.tournament.store.jobs import PairJob, PairResult, read_result
from lath.arena.tournament.store.store import BufferedWriter, Store, Stored
from lath.notation.record.tags import Termination
from lath.reports.counting.ranking import member_of, members_of
from lath.reports.notes.notes import Bench, Version, from_notes

_NONE: Final[Mapping[str, str]] = {}

WAKE_S: Final = 0.25
"""Seconds between signs of life to the listener; a signal wakes it at once."""

SHORTEST_S: Final = 0.001
"""Seconds assumed for a pair before one has been played."""

MAX_BREAKS: Final = 3
"""Times that a job may kill its worker before its pairing is stopped."""

MOST_ASIDE: Final = 1000
"""The most jobs to skip in the search of one that a host may play."""

MANY_REPEATS: Final = 3
"""Duplicate games that lead to a warning: one or two may be chance."""

PARTING_S: Final = 4.0
"""Seconds for all workers to end, besides the time for their bots to quit."""


SEEN_S: Final = 2.0
"""Seconds between reports on the machines of a cluster."""

RECORDS_S: Final = 30.0
"""The least seconds between two writes of `games.lath` during a run."""

OUTCOME_S: Final = 2.0
"""The least seconds between two writes of `outcome.json`, which readers of stored games use."""

SHARE: Final = 20
"""Large files take at most one part in this many of the runner's time."""


class Refreshed:
    """A file that is written again during a run when the games have changed."""

    def __init__(
        self, write: Callable[[], object], warn: Callable[[str], None], *, every_s: float
    ) -> None:
        """Write with `write`; after a StoreError call `warn` and wait half a minute."""
        self._write: Final = write
        self._warn: Final = warn
        self._every_s: Final = every_s
        self._due_s = time.monotonic() + every_s
        self._games = 0

    def sometimes(self, games: int) -> None:
        """Write the file if it is due and the number of games has changed."""
        began_s = time.monotonic()
        if games == self._games or began_s < self._due_s:
            return
        pause_s = self._every_s
        try:
            self._write()
        except MovedError:
            raise
        except StoreError as error:
            self._warn(str(error))
            pause_s = RECORDS_S
        now_s = time.monotonic()
        self._due_s = now_s + max(pause_s, SHARE * (now_s - began_s))
        self._games = games


_Lack = tuple[MachineError, Slot, PairJob]
"""The shortage, and the slot and job that met it."""


def _without_crashes(result: PairResult) -> PairResult:
    """Return a result without failures that the stop of the run may have caused.

    Service managers stop all processes of a service. Bots that obey must not lose by it.
    """
    games = tuple(game for game in result.games if game.termination != Termination.CRASH)
    return replace(result, games=games, void=None, void_bot="")


def _left(job: PairJob, result: PairResult) -> PairJob:
    """Return the rest of a job that a worker has done in part."""
    played = {game.number for game in result.games}
    left = tuple(game for game in job.games if game.number not in played)
    return replace(job, games=left, spent=job.spent | set(result.spent))


class Runner:
    """The runner of a tournament, which plays the games that are left."""

    def __init__(
        self,
        config: Config,
        store: Store,
        tell: Listener,
        *,
        tree: str = "",
        tags: Tags = (),
        openings: Openings | None = None,
        executors: Executors = Worker,
        places: Opener | None = None,
        patience_s: float = PATIENCE_S,
        budget: Budget = UNLIMITED,
        clock: Callable[[], float] = signals.awake_s,
        digests: Mapping[str, str] = _NONE,
    ) -> None:
        """Prepare a run; `tree` is the prefix of the marks of its processes.

        The `digests` identify the bots by name, for notes of benches.

        The `executors` make the workers of slots on this machine, and `places` opens other places.
        All records get the `tags`. Default for `openings`: setups that are drawn. If the disk is
        full or the machine lacks something else, the runner waits `patience_s` seconds. It stops at
        the `budget`, whose time is measured by `clock`. Raises StoreError.
        """
        self._open_places: Final = places or partial(LocalSlots, executors)
        self._config: Final = config
        self._store: Final = store
        self._tell: Final = tell
        self._warn: Final = warner(tell)
        self._writer: Final = BufferedWriter(store, self._warn, patience_s=patience_s)
        self._tree: Final = f"{tree}{secrets.token_hex(8)}."
        self._open: Final = OpenGames(
            config,
            store,
            tree=self._tree,
            openings=openings,
            tags=tags,
            budget=budget,
            digests=digests,
        )
        self._news: Final[set[str]] = set()
        """Bots benched in this run."""
        self._shown: Final = dict.fromkeys(config.names)
        """Bots whose benches are reported: not those that have left the configuration."""
        self._told: Final[set[str]] = set()
        """Bots whose benches were reported."""
        self._budget: Final = budget
        self._clock: Final = clock
        self._deadline_s = math.inf
        """The time on the clock after which no pair begins."""
        self._patience_s: Final = patience_s
        self._fed_s = 0.0
        """The monotonic time when the first pair was handed out; 0.0 before."""
        self._breaks: Counter[int] = Counter()
        self._pace: Final = Pace(
            config.jobs,
            has_deadline=budget.seconds is not None,
            longest_s=longest_wait_s(config, tell),
        )
        self._places: Places
        """Set while games are played."""
        self._host_of: Final[dict[int, Host]] = {}
        """Hosts of pairs that were played and are not judged yet."""
        self._avoid: Final[defaultdict[int, set[Host]]] = defaultdict(set)
        """By pair, the hosts on which it broke or could not be played."""
        self._lost = 0
        """Pairs that were in play when their place was lost; they are played again."""
        self._machines: tuple[bool, int, int] | None = None
        """The last reported state of a cluster, as in `Places.machines`."""
        self._due_s = 0.0
        """The time on the clock of the next report."""
        self._notes: Counter[str] = Counter()
        self._has_repeats = False
        """True after a warning of duplicate games."""
        self._interrupted = False
        self._files: Final = (
            Refreshed(partial(store.export, self._warn), self._warn, every_s=RECORDS_S),
            Refreshed(
                lambda: write_outcome(store.folder, self._open.outcome()),
                self._warn,
                every_s=OUTCOME_S,
            ),
        )

    def run(self) -> RunSummary:
        """Play until all is done, the budget is spent or a signal comes; then write `games.lath`.

        Raises StoreError if results cannot be kept, and MachineError if the machine lacks what bots
        need. Stored games stay.
        """
        stored = self._store.tally(), self._store.pairs()
        members = member_of(members_of(from_notes(self._store.note(VERSIONS) or (), Version)))
        total = self._open.schedule.total
        self._tell(RunBegan.of(self._config, *stored, total, self._budget, members=members))
        if self._budget.seconds is not None:
            self._deadline_s = self._clock() + self._budget.seconds
        self._look_at_repeats()
        self._look_at_crashes()
        self._tell_of_benched()
        try:
            with signals.heeded():
                self._play()
        except BaseException:
            # The first error is the one to report.
            with suppress(StoreError, KeyboardInterrupt), self._until_a_further_signal():
                self._store.export(self._warn)
            raise
        with self._until_a_further_signal():
            self._store.export(self._warn)
        return self.summary()

    @staticmethod
    def _until_a_further_signal() -> AbstractContextManager[None]:
        return signals.raising(max(2, signals.requests() + 1))

    def summary(self) -> RunSummary:
        """Return the summary so far; a complete tournament is not interrupted."""
        done, total = self._open.schedule.done, self._open.schedule.total
        return RunSummary(
            done=done,
            total=total,
            stopped={pairing: why for pairing, (why, _) in self._open.stops.items()},
            interrupted=self._interrupted and done < total,
            is_spent=(self._is_late or self._open.is_spent) and done < total,
            outcome=self._open.outcome(),
            notes=self._notes,
            benched=self.benched,
            newly_benched=frozenset(self._news),
        )

    @property
    def benched(self) -> dict[str, Bench]:
        """Return the benched bots by name."""
        known = self._open.benches.now
        return {name: known[name] for name in self._shown if name in known}

    def has_games(self, name: str) -> bool:
        """Return whether a bot has stored games."""
        return bool(self._store.last_games(name, 1))

    def may_bench(self, names: Iterable[str]) -> bool:
        """Return whether games are left to play without these bots and the benched ones."""
        return self._open.may_bench(names)

    def bench(self, name: str, why: str, kind: Literal["start", "crashes"] = "start") -> None:
        """Bench a bot and report it."""
        self._shown[name] = None
        if self._open.bench(name, why, kind):
            self._news.add(name)
        self._tell_of_benched()

    def _tell_of_benched(self) -> None:
        """Report each benched bot once."""
        for name, one in self.benched.items():
            if name not in self._told:
                self._told.add(name)
                self._tell(BotBenched(bot=name, why=one.why))

    def unbench(self, name: str) -> None:
        """Let a benched bot play again."""
        self._open.unbench(name)

    def _look(self) -> bool:
        """Return whether a signal asks the run to stop; raises KeyboardInterrupt after two.

        It is not called while bots and workers are cleaned up for some seconds: that must finish.
        """
        if signals.requests() > 1:
            raise KeyboardInterrupt
        self._interrupted = signals.requests() > 0
        return self._interrupted

    def _play(self) -> None:
        places = self._places = self._open_places(
            self._config, self._tree, self._new_host, self._tell
        )
        try:
            with signals.calling(places.bell.wake):
                while self._goes_on():
                    self._collect(WAKE_S)
            self._collect(0.0, at_once=True)  # games that are finished when a signal comes count
            if not self._look():
                stops_s = [bot.own(self._config.limits).stop_s for bot in self._config.bots]
                places.end(PARTING_S + max(stops_s))
        except (KeyboardInterrupt, MachineError):  # stop at once, but keep finished games
            for _, result in self._writer.store(at_once=True):
                self._open.report(result.games)
            self._keep_lost(at_once=True)
            raise
        finally:
            places.end(2.0, at_once=True)  # workers that are left end their bots now
            sweep(self._tree)
            for scratch in scratches(self._tree):
                self._warn(f"{scratch}: left by a bot, cannot be removed")
        self._note(places.notes())

    def _goes_on(self) -> bool:
        """Hand out jobs and report the state; return whether to wait for more."""
        places = self._places
        places.look()
        self._pace.slots = max(1, len(places.slots))
        self._keep_benches(at_once=False)
        if not self._writer.is_waiting and self._open.benches.is_kept:  # results can be stored
            self._feed()
        for slot in places.slots:
            slot.show()
        self._tell(Waiting(self._open.schedule.total, self._open.outcome))
        self._tell_of_hosts()
        return not self._look() and self._has_more()

    def _tell_of_hosts(self) -> None:
        """Report the machines of a cluster regularly, and when one comes or goes."""
        machines = self._places.machines
        if machines is None or (machines == self._machines and self._clock() < self._due_s):
            return
        self._machines, self._due_s = machines, self._clock() + SEEN_S
        if (seen := self._places.seen()) is not None:
            self._tell(replace(seen, lost=self._lost))

    def _new_host(self, name: str) -> Host:
        """Return a new host; the name of this machine is empty."""

        def warn(text: str) -> None:
            self._warn(f"{name}: {text}" if name else text)

        return Host(name, Patience(warn, self._patience_s, well=ENOUGH))

    def _has_more(self) -> bool:
        """Return whether games are in play or wait for it."""
        if self._writer.is_waiting or self._open.lost or not self._open.benches.is_kept:
            return True
        if any(slot.jobs for slot in self._places.slots):
            return True
        if self._is_late:
            return False
        hosts = [host for host in self._places.hosts if not host.is_given_up]
        if not hosts:  # only a request shows whether jobs are left
            if not self._open.again and (job := self._open.next()) is not None:
                self._open.again.append(job)
        elif not (self._places.expects_more or any(host.patience.is_waiting for host in hosts)):
            self._stop_homeless()
        return bool(self._open.again)

    def _note(self, notes: Iterable[str]) -> None:
        """Count remarks, and warn of new ones."""
        for note in notes:
            if note not in self._notes:
                self._warn(note)
            self._notes[note] += 1

    @property
    def _is_late(self) -> bool:
        """Return whether the time of this run is over."""
        return self._clock() >= self._deadline_s

    def _feed(self) -> None:
        """Fill the window of every slot, the emptiest first.

        If a machine lacks something, only try from time to time whether it has enough again.
        """
        places = self._places
        for host in places.hosts:
            if host.trial and host.patience.is_due and not self._is_late:
                trial, host.trial = host.trial, None
                self._hand(*trial)
        window = self._pace.window(places.fewest)
        hungry = [slot for slot in self._worth_feeding() if len(slot.jobs) < window]
        for depth in range(window if hungry else 0):
            for slot in hungry:
                if len(slot.jobs) > depth or not self._takes_part(slot):
                    continue
                if signals.requests() or self._is_late:
                    break
                if (job := self._next_for(slot.host)) is not None:
                    self._hand(slot, job)
                elif not self._is_choosy:
                    places.send()
                    return
        places.send()

    def _worth_feeding(self) -> Sequence[Slot]:
        """Return the slots to use: all, or the started ones if the rest is short."""
        places, schedule = self._places, self._open.schedule
        now_s = signals.awake_s()
        self._fed_s = self._fed_s or now_s
        pair_s = self._pace.pair_s or SHORTEST_S
        left_s = (schedule.total - schedule.done) / 2 * pair_s
        if left_s >= places.start_s or now_s - self._fed_s >= 2 * places.start_s:
            return places.slots
        return [slot for slot in places.slots if slot.is_started] or places.slots[:1]

    @staticmethod
    def _takes_part(slot: Slot) -> bool:
        """Return whether a slot can take more jobs."""
        host = slot.host
        return not (slot.is_gone or host.is_given_up or host.patience.is_waiting)

    @property
    def _is_choosy(self) -> bool:
        """Return whether some pairs must not be played on some hosts."""
        return bool(self._avoid) or any(host.unfit for host in self._places.hosts)

    def _next_for(self, host: Host) -> PairJob | None:
        """Return a job that a host may play, or None for now."""
        if not self._is_choosy:
            return self._open.next()
        aside: list[PairJob] = []
        while (job := self._open.next()) is not None and not self._fits(job, host):
            aside.append(job)
            if len(aside) >= MOST_ASIDE:
                job = None
                break
        self._open.again.extendleft(reversed(aside))
        return job

    def _fits(self, job: PairJob, host: Host) -> bool:
        return job.pairing.isdisjoint(host.unfit) and host not in self._avoid.get(job.pair, ())

    def _has_home(self, job: PairJob) -> bool:
        """Return whether a host may play a job."""
        return any(self._fits(job, host) for host in self._places.hosts if not host.is_given_up)

    def _hand(self, slot: Slot, job: PairJob) -> None:
        """Hand a job to a worker, or let it wait for what the machine lacks."""
        try:
            try:
                slot.submit(job)
            except BrokenExecutor as error:  # its death was not noticed; a new worker plays
                self._take_back(slot, error)
                if isinstance(error, PlaceLostError):
                    if job.games:
                        self._open.again.append(job)
                    else:  # the trial job is lost with the worker
                        slot.host.patience.granted()
                    return
                slot.submit(job)
        except MachineError as error:
            self._wait_for(error, slot, job)

    def _wait_for(self, lack: MachineError, slot: Slot, job: PairJob) -> None:
        """Let a job wait until its machine has what it lacks; raises MachineError after too long.

        The trial job goes to that machine, because others may have enough. In a cluster, a machine
        is given up after too long, and MachineError means that all are.
        """
        host = slot.host
        if job.games:
            self._open.again.append(job)
        if job.games and host.patience.is_waiting:
            return
        host.trial = slot, replace(job, games=())
        try:
            host.patience.lacks(lack)
        except MachineError as error:
            host.trial, host.is_given_up = None, True
            if all(other.is_given_up for other in self._places.hosts):
                raise
            self._warn(f"{host.name} plays no more games in this run: {error}")

    def _collect(self, within_s: float, *, at_once: bool = False) -> None:
        """Store finished results in one transaction, then count and report them.

        If the disk is full, they wait for a later call. Raises DiskError or MachineError after too
        long.
        """
        bell = self._places.bell
        rung = bell.wait(within_s) if within_s else set()
        if rung and self._pace.gather_s and not self._writer.is_waiting:
            rung = bell.gather(rung, self._pace.gather_s)
        slots = [slot for slot in self._places.slots if slot in rung or not within_s]
        results, lacks = self._finished(slots) if slots else ([], [])
        self._pace.count(len(results))
        if signals.requests():
            results = [(job, _without_crashes(result)) for job, result in results]
        self._writer.held += results
        began_s = time.monotonic()
        if stored := self._writer.store(at_once=at_once):
            self._pace.stored(time.monotonic() - began_s)
        for job, result in stored:
            self._judge(job, result)
        self._look_at_crashes()
        self._keep_lost(at_once=at_once)
        self._keep_benches(at_once=at_once)
        for lack in lacks:
            if not at_once:
                self._wait_for(*lack)
        if not self._writer.is_waiting:
            for file in self._files:
                file.sometimes(self._open.schedule.done)

    def _finished(self, slots: Iterable[Slot]) -> tuple[list[Stored], list[_Lack]]:
        """Take finished results from slots, and jobs that the machine lacked something for."""
        results: list[Stored] = []
        lacks: list[_Lack] = []
        for slot in slots:
            for future in [future for future in slot.jobs if future.done()]:
                try:
                    result = read_result(future.result())
                except BrokenExecutor as error:
                    self._take_back(slot, error, slot.jobs[future])
                    break
                except MachineError as error:
                    lacks += [(error, slot, job) for job in slot.replace()]
                    break
                job = slot.take(future)
                results.append((job, result))
                self._host_of[job.pair] = slot.host
                slot.host.games += len(result.games)
                if result.lack:
                    lacks.append((MachineError(result.lack), slot, _left(job, result)))
                elif not job.games:
                    slot.host.patience.granted()
        return results, lacks

    def _keep_lost(self, *, at_once: bool) -> None:
        """Store walkovers, which count from then on; raises DiskError as `_collect` does."""
        lost = self._open.lost
        if lost and self._writer.takes(partial(self._store.add_walkovers, lost), at_once=at_once):
            self._open.lose()

    def _keep_benches(self, *, at_once: bool) -> None:
        """Store benches, which decide the pairings from then on."""
        if not self._open.benches.is_kept:
            self._writer.takes(self._open.benches.keep, at_once=at_once)

    def _look_at_crashes(self) -> None:
        """Bench bots that have crashed in too many games in a row."""
        for name, why in list(self._open.crashers()):
            if self.may_bench([name]):  # the loop may have benched others
                self.bench(name, why, "crashes")

    def _take_back(self, slot: Slot, why: BrokenExecutor, broken: PairJob | None = None) -> None:
        """Replace a dead worker; its pair and its waiting pairs are played again.

        `broken` is the pair in play when it died; other machines play pairs in any order.
        """
        host = slot.host
        jobs = slot.replace()
        lost = [job for job in jobs if job.games]
        if len(lost) < len(jobs):  # a worker could start, so the machine has enough
            host.patience.granted()
        self._open.again.extend(lost)
        self._places.tidy()
        if not lost or signals.requests():
            return
        self._lost += len(lost)
        if isinstance(why, PlaceLostError):
            return
        broken = broken if broken in lost else lost[0]
        on = f" on {host.name}" if host.name else ""
        self._warn(f"a worker died{on} in pair {broken.pair}; the arena plays this pair again")
        if len(self._places.hosts) > 1:
            self._avoid[broken.pair].add(host)
        self._count_break(broken, Cause(f"pair {broken.pair} killed its worker {MAX_BREAKS} times"))

    def _count_break(self, job: PairJob, why: Cause) -> None:
        """Stop a pairing, without a bot at fault, if one of its pairs has failed too often."""
        self._breaks[job.pair] += 1
        if self._breaks[job.pair] >= MAX_BREAKS:
            self._stop(job, why, None)
        elif not self._has_home(job):
            self._avoid.pop(job.pair, None)

    def _judge(self, job: PairJob, result: PairResult) -> None:
        host = self._host_of.pop(job.pair, None)
        if result.voided:
            self._warn(
                f"{' - '.join(sorted(job.pairing))}: {result.voided} void, the arena plays again"
            )
        for name in sorted(set(result.spent) - self._open.spent):
            self._warn(f"{name} left a game before its first turn; next time it loses the game")
        self._open.spent.update(result.spent)
        self._note([note for game in result.games for note in game.notes])
        self._note(result.notes)
        self._open.report(result.games)
        self._look_at_repeats()
        if result.void and result.lack:
            self._count_break(job, Cause(f"{MAX_BREAKS} times while {result.lack}: {result.void}"))
        elif result.void:
            self._blame(job, result, result.void, host)
        for game in result.games:
            self._tell(GameEnded.of(result.pair, game))
        is_elsewhere = result.void and frozenset(job.pairing) not in self._open.stops
        if job.games and not result.lack and not is_elsewhere:
            self._tell(PairEnded(pair=result.pair, games=len(result.games), voided=result.voided))

    def _blame(self, job: PairJob, result: PairResult, void: Cause, host: Host | None) -> None:
        """Stop a pairing with a game that could not be played.

        On a cluster this counts against the host, until it happens on a second host.
        """
        bot = result.void_bot
        if host is None or not host.name:
            self._stop(job, void, bot or None)
            return
        is_news = bot not in host.unfit
        if bot:
            host.unfit[bot] = void
        else:
            self._avoid[job.pair].add(host)
        if len(self._unfit_for(job, bot)) > 1:
            self._stop(job, void, bot or None)
            return
        left = _left(job, result)
        self._open.again.append(left)
        if is_news and self._has_home(left):
            what = f"{bot} plays elsewhere" if bot else f"pair {job.pair} is played elsewhere"
            self._warn(f"{void} (on {host.name}); {what}")

    def _unfit_for(self, job: PairJob, bot: str) -> list[Host]:
        """Return the hosts where a bot does not start, or without a bot where the pair failed."""
        avoided = self._avoid.get(job.pair, ())
        return [
            host for host in self._places.hosts if (bot in host.unfit if bot else host in avoided)
        ]

    def _stop_homeless(self) -> None:
        """Stop pairings of waiting jobs that none of the hosts can play.

        A bot that does not start on two hosts is at fault.
        """
        for job in [job for job in self._open.again if not self._has_home(job)]:
            self._open.again.remove(job)
            unfit = {name: self._unfit_for(job, name) for name in sorted(job.pairing)}
            name, hosts = max(unfit.items(), key=lambda row: len(row[1]))
            why = hosts[0].unfit[name] if hosts else Cause(f"pair {job.pair} could not be played")
            why = replace(why, more=f"{why.more}; no other host is left to try")
            self._stop(job, why, name if len(hosts) > 1 else None)

    def _look_at_repeats(self) -> None:
        """Warn once of duplicate games; stop a match if they end it."""
        schedule, pairing = self._open.schedule, frozenset(self._config.names)
        if schedule.repeats.games >= MANY_REPEATS and not self._has_repeats:
            self._has_repeats = True
            self._warn(
                "three games have repeated others move by move. Duplicate games add nothing to "
                "ratings and tests; use openings, or bots that use their seed"
            )
        if (words := schedule.why_nothing_new) and pairing not in self._open.stops:
            self._open.stops[pairing] = why, _ = Cause(words), None
            self._tell(PairingStopped.of(pairing, why))

    def _stop(self, job: PairJob, why: Cause, loser: str | None) -> None:
        """Stop a pairing, or bench the bot at fault if the others can play on."""
        if loser is not None and (loser in self._open.benches.now or self.may_bench([loser])):
            if loser not in self._open.benches.now:
                self.bench(loser, why.reason)
            self._open.lose_pair(job.pair, loser)
        elif self._open.stop(job, why, loser):
            self._tell(PairingStopped.of(job.pairing, why))
