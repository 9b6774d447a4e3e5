"""A tournament from start to end: what is left is handed out, what comes back is stored."""

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
"""How often who watches hears that it is still waited for; a signal wakes at once."""

SHORTEST_S: Final = 0.001
"""For how long a pair is taken before one has been played."""

MAX_BREAKS: Final = 3
"""Times that a job may take its worker with it before its pairing is stopped."""

MOST_ASIDE: Final = 1000
"""Jobs that are passed over in the search of one that a host may play."""

MANY_REPEATS: Final = 3
"""Games that repeat others: once or twice it may be chance."""

PARTING_S: Final = 4.0
"""Time that the workers have in the end, together, besides what their bots may take to quit."""


SEEN_S: Final = 2.0
"""How often people are told of the machines of a cluster."""

RECORDS_S: Final = 30.0
"""How often `games.lath` is written during a run, at most."""

OUTCOME_S: Final = 2.0
"""Likewise `outcome.json`, which those read who look at the games that are stored."""

SHARE: Final = 20
"""At most so small a part of the runner's time goes into a large file: a twentieth."""


class Refreshed:
    """A file that is written again during a run, when there are other games than before."""

    def __init__(
        self, write: Callable[[], object], warn: Callable[[str], None], *, every_s: float
    ) -> None:
        """`write` may raise StoreError, which `warn` hears; it waits half a minute then."""
        self._write: Final = write
        self._warn: Final = warn
        self._every_s: Final = every_s
        self._due_s = time.monotonic() + every_s
        self._games = 0

    def sometimes(self, games: int) -> None:
        """Write the file if it is time to, and there are other games than the last time."""
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
"""What the machine lacks, and whose job cannot be done for it."""


def _without_crashes(result: PairResult) -> PairResult:
    """Return a result without what may be the work of who has asked the run to stop.

    A service manager asks all processes of a service, and bots that heed it lose nothing by that.
    """
    games = tuple(game for game in result.games if game.termination != Termination.CRASH)
    return replace(result, games=games, void=None, void_bot="")


def _left(job: PairJob, result: PairResult) -> PairJob:
    """Return what is left of a job that a worker has not done whole."""
    played = {game.number for game in result.games}
    left = tuple(game for game in job.games if game.number not in played)
    return replace(job, games=left, spent=job.spent | set(result.spent))


class Runner:
    """Plays what is left of a tournament."""

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
        """`tree` begins the marks of all processes that the run starts.

        `digests` say by name what each bot is, where one is benched.

        `executors` makes what plays in a slot here, `places` says where else. `tags` stand in every
        record; without `openings` setups are drawn. `patience_s` is how long to wait for room on a
        full disk, or for what else the machine lacks. `budget` is of this run, its time by `clock`.
        Raises StoreError.
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
        """Bots that were benched in this run."""
        self._shown: Final = dict.fromkeys(config.names)
        """Of whom it is told that they are benched: not of those that are in no roster now."""
        self._told: Final[set[str]] = set()
        """Of whom it was."""
        self._budget: Final = budget
        self._clock: Final = clock
        self._deadline_s = math.inf
        """When no further pair begins, by the clock."""
        self._patience_s: Final = patience_s
        self._fed_s = 0.0
        """When the first pair was handed out, on the monotonic clock; 0.0 before."""
        self._breaks: Counter[int] = Counter()
        self._pace: Final = Pace(
            config.jobs,
            has_deadline=budget.seconds is not None,
            longest_s=longest_wait_s(config, tell),
        )
        self._places: Places
        """While games are played."""
        self._host_of: Final[dict[int, Host]] = {}
        """Of pairs that were played and are not judged yet."""
        self._avoid: Final[defaultdict[int, set[Host]]] = defaultdict(set)
        """By pair, hosts on which it broke, or could not be played."""
        self._lost = 0
        """Pairs that were in hand when their place was lost, and are played again."""
        self._machines: tuple[bool, int, int] | None = None
        """Whether there is a cluster, and its workers and slots, when that was told last."""
        self._due_s = 0.0
        """When to tell it again, by the clock."""
        self._notes: Counter[str] = Counter()
        self._has_repeats = False
        """Whether people were warned of repeated games."""
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

        Raises StoreError when results cannot be kept, and MachineError when the machine lacks what
        bots need; what was kept stays.
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
            # What came first is what people should hear of.
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
        """Return how it stands; what is complete was not interrupted."""
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
        """Return the bots that are benched, by name."""
        known = self._open.benches.now
        return {name: known[name] for name in self._shown if name in known}

    def has_games(self, name: str) -> bool:
        """Return whether a game of a bot is stored."""
        return bool(self._store.last_games(name, 1))

    def may_bench(self, names: Iterable[str]) -> bool:
        """Return whether there is something to play without these bots, besides those benched."""
        return self._open.may_bench(names)

    def bench(self, name: str, why: str, kind: Literal["start", "crashes"] = "start") -> None:
        """Let a bot play no more in this run, and tell of it."""
        self._shown[name] = None
        if self._open.bench(name, why, kind):
            self._news.add(name)
        self._tell_of_benched()

    def _tell_of_benched(self) -> None:
        """Tell of each bot that is benched, once."""
        for name, one in self.benched.items():
            if name not in self._told:
                self._told.add(name)
                self._tell(BotBenched(bot=name, why=one.why))

    def unbench(self, name: str) -> None:
        """Let a bot that was benched play again."""
        self._open.unbench(name)

    def _look(self) -> bool:
        """Return whether a signal has come: the wish to stop. The second is an order.

        While bots and workers are cleared away, which takes some seconds, nobody looks: what was
        left undone nobody would do.
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
            self._collect(0.0, at_once=True)  # what is finished when a signal comes counts
            if not self._look():
                stops_s = [bot.own(self._config.limits).stop_s for bot in self._config.bots]
                places.end(PARTING_S + max(stops_s))
        except (KeyboardInterrupt, MachineError):  # an order to stop, not to forget
            for _, result in self._writer.store(at_once=True):
                self._open.report(result.games)
            self._keep_lost(at_once=True)
            raise
        finally:
            places.end(2.0, at_once=True)  # whoever still works ends its bots now
            sweep(self._tree)
            for scratch in scratches(self._tree):
                self._warn(f"{scratch}: left by a bot, cannot be removed")
        self._note(places.notes())

    def _goes_on(self) -> bool:
        """Hand out what can be played, and tell of it; return whether there is more to wait for."""
        places = self._places
        places.look()
        self._pace.slots = max(1, len(places.slots))
        self._keep_benches(at_once=False)
        if (
            not self._writer.is_waiting and self._open.benches.is_kept
        ):  # else what is played could not be kept
            self._feed()
        for slot in places.slots:
            slot.show()
        self._tell(Waiting(self._open.schedule.total, self._open.outcome))
        self._tell_of_hosts()
        return not self._look() and self._has_more()

    def _tell_of_hosts(self) -> None:
        """Tell how it stands with other machines: now and then, and when one comes or goes."""
        machines = self._places.machines
        if machines is None or (machines == self._machines and self._clock() < self._due_s):
            return
        self._machines, self._due_s = machines, self._clock() + SEEN_S
        if (seen := self._places.seen()) is not None:
            self._tell(replace(seen, lost=self._lost))

    def _new_host(self, name: str) -> Host:
        """Return what is known of a machine; of this one the name is empty."""

        def warn(text: str) -> None:
            self._warn(f"{name}: {text}" if name else text)

        return Host(name, Patience(warn, self._patience_s, well=ENOUGH))

    def _has_more(self) -> bool:
        """Return whether something is played, or waits to be."""
        if self._writer.is_waiting or self._open.lost or not self._open.benches.is_kept:
            return True
        if any(slot.jobs for slot in self._places.slots):
            return True
        if self._is_late:
            return False
        hosts = [host for host in self._places.hosts if not host.is_given_up]
        if not hosts:  # it is not known whether there is more until somebody asks
            if not self._open.again and (job := self._open.next()) is not None:
                self._open.again.append(job)
        elif not (self._places.expects_more or any(host.patience.is_waiting for host in hosts)):
            self._stop_homeless()
        return bool(self._open.again)

    def _note(self, notes: Iterable[str]) -> None:
        """Count what is odd, and tell of it when it comes for the first time."""
        for note in notes:
            if note not in self._notes:
                self._warn(note)
            self._notes[note] += 1

    @property
    def _is_late(self) -> bool:
        """Return whether the time of this run is over."""
        return self._clock() >= self._deadline_s

    def _feed(self) -> None:
        """Keep every slot's window full; the emptiest first.

        Where a machine lacks something, only try now and then whether it still does.
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
        """Return the slots that play; all of them unless what is left is over before they start."""
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
        """Return whether a slot may have more jobs."""
        host = slot.host
        return not (slot.is_gone or host.is_given_up or host.patience.is_waiting)

    @property
    def _is_choosy(self) -> bool:
        """Return whether there is a pair that not every host may play."""
        return bool(self._avoid) or any(host.unfit for host in self._places.hosts)

    def _next_for(self, host: Host) -> PairJob | None:
        """Return a job that a host may play; None where there is none for now."""
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
        """Return whether there is a host that may play a job."""
        return any(self._fits(job, host) for host in self._places.hosts if not host.is_given_up)

    def _hand(self, slot: Slot, job: PairJob) -> None:
        """Hand a worker a job, now or when the machine has what it lacks."""
        try:
            try:
                slot.submit(job)
            except BrokenExecutor as error:  # it died without being noticed: its successor plays
                self._take_back(slot, error)
                if isinstance(error, PlaceLostError):
                    if job.games:
                        self._open.again.append(job)
                    else:  # nobody tries any more whether the machine has enough
                        slot.host.patience.granted()
                    return
                slot.submit(job)
        except MachineError as error:
            self._wait_for(error, slot, job)

    def _wait_for(self, lack: MachineError, slot: Slot, job: PairJob) -> None:
        """Let a job wait until the machine has what it lacks; raises MachineError for too long.

        Whether it has is tried where it was lacking: others may have all that they need. A host
        among others is given up in the end.
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
        """Store what is ready, in one transaction, and put it on the screen.

        On a full disk it waits for a later call. Raises DiskError where that never comes, and
        MachineError likewise.
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
        """Take what workers have done, and what they could not do for want of something."""
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
        """Store what was lost by walkover: it counts then. Raises DiskError as `_collect` does."""
        lost = self._open.lost
        if lost and self._writer.takes(partial(self._store.add_walkovers, lost), at_once=at_once):
            self._open.lose()

    def _keep_benches(self, *, at_once: bool) -> None:
        """Store who is benched: who meets whom from then on depends on it."""
        if not self._open.benches.is_kept:
            self._writer.takes(self._open.benches.keep, at_once=at_once)

    def _look_at_crashes(self) -> None:
        """Bench who has crashed in too many games in a row."""
        for name, why in list(self._open.crashers()):
            if self.may_bench([name]):  # with those before it, too
                self.bench(name, why, "crashes")

    def _take_back(self, slot: Slot, why: BrokenExecutor, broken: PairJob | None = None) -> None:
        """Replace a worker that died; play its pair again, and those that it had not begun.

        It died of `broken`, if that is known: another machine plays pairs in any order.
        """
        host = slot.host
        jobs = slot.replace()
        lost = [job for job in jobs if job.games]
        if len(lost) < len(jobs):  # who was to try whether it may start has started
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
        """Stop a pairing, by nobody's fault, where that has happened too often in a pair."""
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
        """Stop a pairing in which a game could not be played; not for the fault of one host.

        On a cluster that is a host's fault until it happens on a second one.
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
        """Return the hosts on which a bot does not start; without one, where the pair failed."""
        avoided = self._avoid.get(job.pair, ())
        return [
            host for host in self._places.hosts if (bot in host.unfit if bot else host in avoided)
        ]

    def _stop_homeless(self) -> None:
        """Stop what waits and can be played on none of the hosts that there are.

        A bot that does not start on two of them is at fault.
        """
        for job in [job for job in self._open.again if not self._has_home(job)]:
            self._open.again.remove(job)
            unfit = {name: self._unfit_for(job, name) for name in sorted(job.pairing)}
            name, hosts = max(unfit.items(), key=lambda row: len(row[1]))
            why = hosts[0].unfit[name] if hosts else Cause(f"pair {job.pair} could not be played")
            why = replace(why, more=f"{why.more}; no other host is left to try")
            self._stop(job, why, name if len(hosts) > 1 else None)

    def _look_at_repeats(self) -> None:
        """Warn once where games repeat others; tell where that ends a match."""
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
        """Play no more between two bots, or with the one that cannot."""
        if loser is not None and (loser in self._open.benches.now or self.may_bench([loser])):
            if loser not in self._open.benches.now:
                self.bench(loser, why.reason)
            self._open.lose_pair(job.pair, loser)
        elif self._open.stop(job, why, loser):
            self._tell(PairingStopped.of(job.pairing, why))
