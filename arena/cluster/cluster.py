"""The machines of a cluster, as places where pairs are played.

The arena asks each worker for its versions, sends it missing bots and uses each thread as a slot. A
lost or silent worker is removed, and its pairs are played elsewhere.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final

from lath.arena.cluster import entry_point
from lath.arena.cluster.entrance import Entrance, terms_of
from lath.arena.cluster.link import SchedulerLink, is_loopback, security_of
from lath.arena.cluster.messages import (
    BotSaid,
    Hello,
    RunTerms,
    Task,
    write,
)
from lath.arena.cluster.tasks import Tasks, WorkerSlot, pair_of
from lath.arena.errors import (
    ArenaError,
    BotError,
    Cause,
    GameVoidError,
    MachineError,
    UnfitBotError,
)
from lath.arena.machine import signals
from lath.arena.machine.system import PATIENCE_S, Patience
from lath.arena.referee.bots import Greeting
from lath.arena.referee.clock import Limits
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.run.events import ClusterSeen, HostSeen, Listener, Waiting, warner
from lath.arena.tournament.run.places import Bell
from lath.arena.tournament.run.progress import Rate
from lath.arena.tournament.run.slots import FEWEST, Host, PlaceLostError, Slot
from lath.arena.tournament.store.jobs import PairJob
from lath.games.errors import count_of
from lath.reports.notes.notes import OtherMachine
from lath.reports.notes.outcome import EventOutcome

TASKS_A_S: Final = 125
"""The tasks per second for a scheduler, a quarter of its capacity."""

SHORTEST_S: Final = 0.3
"""The shortest time of a task, in seconds: several shorter pairs share one."""

ALIKE: Final = 0.1
"""The relative difference in speed up to which hosts count as alike."""

SETTLE_S: Final = 15.0
"""The time that the first game waits for further machines, in seconds."""

PLIES: Final = 400
"""A number of plies above that of any game, for the longest time of a game."""

GRACE_S: Final = 600.0
"""The extra time of a pair before its worker counts as stuck, in seconds.

The limit is this plus fifty times the longest pair so far.
"""

ENTER_AGAIN_S: Final = 5.0
"""The time after which a worker lost during preparation is tried again, in seconds."""

GREETINGS: Final = 5
"""The number of attempts at handshakes with the bots, if machines are lost meanwhile."""

COMES_BACK_S: Final = 60.0
"""The time to wait for a lost machine that only it could replace, in seconds.

A service may restart its workers, or a broken link may recover.
"""


class Cluster:
    """The workers of a Dask cluster, and the runner's `Places` after `enter`."""

    def __init__(
        self,
        address: str,
        *,
        hosts_alike: bool = False,
        patience_s: float = PATIENCE_S,
        workers: int = 1,
        is_trial: bool = False,
    ) -> None:
        """Prepare to use a scheduler; raises ConfigError if the address is not allowed.

        With `hosts_alike`, machines of unusual speed are refused. `patience_s` is the time to wait
        without a worker or a scheduler. The first game waits a little for this number of `workers`.
        The workers of a trial are processes of this machine, where bots may play without a sandbox
        as in any run.
        """
        self.bell: Final = Bell()
        self.start_s: Final = 0.0
        self.slots: list[Slot] = []
        self.hosts: list[Host] = []
        self._address: Final = address
        self._security: Final = security_of(address)
        self._hosts_alike: Final = hosts_alike
        self._workers: Final = workers
        self._is_trial: Final = is_trial
        self._patience_s: Final = patience_s
        self._link: SchedulerLink | None = None
        self._terms: RunTerms
        self._entrance: Entrance
        self._places: Final[dict[str, WorkerSlot]] = {}
        """The workers that play or are being prepared, by address."""
        self._refused: Final[dict[str, float]] = {}
        """The refused addresses, with the end of each refusal on the monotonic clock."""
        self._told: Final[set[str]] = set()
        """The refused addresses that were already reported."""
        self._distrust: Final[dict[str, int]] = {}
        self._news: Final[SimpleQueue[tuple[WorkerSlot, str, Sequence[str], bool]]] = SimpleQueue()
        """Results of preparations: the worker, the refusal, warnings, and True to try again."""
        self._speeds: Final[dict[str, float]] = {}
        """The speeds by host."""
        self._rates: Final[dict[str, tuple[Rate, int]]] = {}
        self._games: Final[dict[str, int]] = {}
        """The numbers of games by host, including hosts that have left."""
        self._tell: Listener = lambda _: None
        self._new_host: Callable[[str], Host] | None = None
        self._is_over = False
        self._task_s = SHORTEST_S
        """The intended time of a task, in seconds."""
        self._lost_s = -math.inf
        """The last time when a playing worker was lost, on the monotonic clock."""
        self._longest_game_s = 0.0
        """The longest time of a game by its time control, in seconds."""
        self._longest_s = 0.0
        """The longest time of a pair since it was sent, in seconds."""
        self._patience: Patience
        self._times_matter = True
        self._are_compared = False
        """True if new machines are compared with the present ones."""

    # Before the first game

    def enter(self, config: Config, closed: Sequence[str], tell: Listener) -> Config:
        """Connect and prepare workers; return the tournament with the number of games at a time.

        `closed` are files of the tournament, which stay here. Raises ConfigError, ArenaError if no
        scheduler answers or every worker is refused, and MachineError if no worker comes.
        """
        self._tell, warn = tell, warner(tell)
        self._patience = Patience(warn, self._patience_s, well="there are workers")
        # A loopback address may be a tunnel to other machines.
        is_walled = self._security is not None and not self._is_trial
        self._terms, bundles = terms_of(config, closed, must_be_walled=is_walled)
        times = [config.limits.time, *(bot.time for bot in config.bots if bot.time)]
        self._times_matter = any(not time.nodes for time in times)
        each = [replace(bot.own(config.limits), time=time) for bot in config.bots for time in times]
        self._longest_game_s = max(map(_longest_game_s, each))
        with signals.interruptible():
            self._link = SchedulerLink(self._address, self._security)
            self._entrance = Entrance(self._link, self._terms, bundles)
            self._wait_for_workers()
            self._say_who_is_there()
            self._compare()
        return replace(config, jobs=max(1, self._threads()))

    @property
    def _connection(self) -> SchedulerLink:
        """Return the link, which exists from `enter` until `close`."""
        assert self._link
        return self._link

    def _wait_for_workers(self) -> None:
        """Wait until a worker is ready, and a little for others."""
        began_s = time.monotonic()
        told = False
        while True:
            self._take_news()
            self._notice()
            ready = [place for place in self._places.values() if place.hello]
            pending = len(self._places) - len(ready)
            waited_s = time.monotonic() - began_s
            is_whole = len(ready) >= self._workers and not pending
            if ready and (is_whole or waited_s > SETTLE_S):
                break
            if not pending and not ready:
                if self._refused and waited_s > 1 and min(self._refused.values()) == math.inf:
                    raise ArenaError(
                        f"cluster {self._address}: none of its workers can play (see the warnings)"
                    )
                if waited_s > SETTLE_S:
                    self._wait()
            if pending and not told and waited_s > 2:
                told = True
                self._say(f"{pending} worker{'s get' if pending > 1 else ' gets'} ready")
            time.sleep(0.05)
        self._patience.granted()

    def _say_who_is_there(self) -> None:
        count, machines = self._threads(), len(self._speeds)
        where = f"on {count_of(machines, 'machine')}"
        page = self._connection.dashboard
        dashboard = f"; Dask shows its work at {page} if bokeh is installed" if page else ""
        games_ = f"{count_of(count, 'game')} at a time"
        self._say(f"cluster {self._address}: {games_} {where}{dashboard}")

    def _say(self, words: str) -> None:
        self._tell(Waiting(0, partial(EventOutcome, format=""), words))

    def _threads(self) -> int:
        return sum(place.seen.threads for place in self._places.values() if place.hello)

    def _compare(self) -> None:
        """Report machines of unusual speed; remove them if the organiser asked for that."""
        self._are_compared = True
        usual = self._usual_speed()
        for host in sorted(self._speeds):
            self._judge_speed(host, usual)

    def _usual_speed(self) -> float:
        """Return the speed of most slots; the higher speed if two are equally frequent."""
        slots = {
            host: sum(p.seen.threads for p in self._places.values() if p.host == host)
            for host in self._speeds
        }

        def weight(speed: float) -> tuple[int, float]:
            alike = (slots[h] for h, s in self._speeds.items() if abs(s / speed - 1) <= ALIKE)
            return sum(alike), speed

        return max(self._speeds.values(), key=weight)

    def _judge_speed(self, host: str, usual: float) -> None:
        part = self._speeds[host] / usual - 1
        if abs(part) <= ALIKE or not (self._times_matter or self._hosts_alike):
            return
        words = (
            f"{host} is {abs(part):.0%} {'faster' if part > 0 else 'slower'} than most "
            f"({self._speeds[host]:,.0f} steps a ms, most {usual:,.0f})"
        )
        if not self._hosts_alike:
            warner(self._tell)(
                f"{words}: bots have less or more time there; --hosts-alike refuses this host, "
                "and a limit by nodes makes it equal"
            )
            return
        warner(self._tell)(f"{words} and is refused: --hosts-alike")
        del self._speeds[host]
        unlike = [place for place in self._places.values() if place.host == host]
        self._drop(unlike, "is not used: its machine is not like the others")
        self._refused.update((place.seen.address, math.inf) for place in unlike)

    def about(self) -> list[OtherMachine]:
        """Return the present machines, by name."""
        slots = Counter[str]()
        said: dict[str, Hello] = {}
        for place in self._places.values():
            if place.hello:
                slots[place.host] += place.seen.threads
                said[place.host] = place.hello
        return [
            OtherMachine(
                name=host, cpu=said[host].cpu, cores=said[host].cores, jobs=max(1, slots[host])
            )
            for host in sorted(said)
        ]

    def greeted(self, names: Sequence[str]) -> dict[str, Greeting | BotError]:
        """Return the bots' handshakes, each started on one machine, or on another if that fails.

        Bots that do not start on two machines, or cannot play, get an error instead. Raises
        MachineError if no machine is left.
        """
        said: dict[str, BotSaid] = {}
        with signals.interruptible():
            for number in range(GREETINGS):
                if number:  # the machines that were asked are lost
                    self._wait_for_workers()
                said |= self._greeted([name for name in names if name not in said])
                if len(said) == len(names):
                    break
        found: dict[str, Greeting | BotError] = {}
        for name in names:
            one = said.get(name) or BotSaid(
                void="each worker was lost that should start it", bot=name
            )
            if one.wrong:
                found[name] = UnfitBotError(name, one.wrong, one.words)
            elif one.void:
                found[name] = GameVoidError(Cause(one.void, one.bot), is_fault=False, hint=one.hint)
            else:
                found[name] = Greeting(name=one.name, author=one.author, version=one.version)
        return found

    def _greeted(self, names: Sequence[str]) -> dict[str, BotSaid]:
        """Return the bots' handshakes, without those whose machines were lost."""
        first_of: dict[str, WorkerSlot] = {}
        for place in self._places.values():
            if place.hello:
                first_of.setdefault(place.host, place)
        places = list(first_of.values())
        asked = {
            # Each on another pair of machines, because there may be many bots.
            name: self._connection.do(self._greet(name, (places[at:] + places[:at])[:2]))
            for number, name in enumerate(names)
            for at in [number % max(1, len(places))]
        }
        said = {}
        for name, future in asked.items():
            with suppress(PlaceLostError):
                said[name] = future.result()
        return said

    async def _greet(self, name: str, places: Iterable[WorkerSlot]) -> BotSaid:
        """Return a bot's handshake on the first place where it starts; raises PlaceLostError."""
        said = BotSaid()
        lost = PlaceLostError("no worker is connected")
        is_lost = True
        for place in places:
            try:
                said = await self._entrance.greet(place.seen.address, name)
            except PlaceLostError as error:
                lost, is_lost = error, True
                break
            if not said.void:
                return said
            said, is_lost = replace(said, void=f"{said.void} (on {place.host})"), False
        if is_lost:
            raise lost
        return said

    # While games are played

    def open(
        self, config: Config, tree: str, new_host: Callable[[str], Host], tell: Listener
    ) -> Cluster:
        """Return the cluster as the runner's places; it marks processes with its own mark."""
        del config, tree
        self._new_host, self._tell = new_host, tell
        for place in [place for place in self._places.values() if place.hello]:
            self._add_slots(place)
        return self

    def _add_slots(self, place: WorkerSlot) -> None:
        assert self._new_host
        if place.slots:  # already added, since it was ready early
            return
        if (host := next((host for host in self.hosts if host.name == place.host), None)) is None:
            host = self._new_host(place.host)
            host.games = self._games.get(place.host, 0)
            self.hosts.append(host)
        used = {slot.number for slot in self.slots}
        free = (n for n in range(len(used) + place.seen.threads) if n not in used)
        for number, _ in zip(free, range(place.seen.threads), strict=False):
            make = partial(Tasks, place, self.ask, self.distrust)
            slot = Slot(make, self._tell, host, number, bell=self.bell.ring)
            place.slots.append(slot)
            self.slots.append(slot)

    def look(self) -> None:
        """Update the set of workers; raises MachineError if none comes."""
        self._take_news()
        self._notice()
        if len(self.slots) > sum(len(place.slots) for place in self._places.values()):
            self.slots = [slot for slot in self.slots if slot.jobs or not slot.is_gone]
            names = {slot.host for slot in self.slots}
            self._games.update((host.name, host.games) for host in self.hosts)
            self.hosts = [host for host in self.hosts if host in names]
        able = [place for place in self._places.values() if not place.is_given_up]
        if any(place.slots for place in able):
            self._patience.granted()
        elif not able:
            self._wait()
        self._task_s = max(SHORTEST_S, len(self.slots) / TASKS_A_S)

    def _wait(self) -> None:
        """Wait for a worker that can play; raises MachineError after too long."""
        if not self._patience.is_due:
            return
        why = "no worker is there that can play" if self._places else "no worker is connected"
        why = why if self._connection.is_connected else self._connection.why
        error = f"cluster {self._address}: {why}"
        if not self._patience.refused(f"{error}; waiting for {self._patience_s:.0f} s"):
            raise MachineError(
                f"{error}; finished games are kept",
                hint="run the same command again, on this cluster, on another or on none",
            )

    def _notice(self) -> None:
        """Notice new and lost workers."""
        workers = self._connection.workers
        gone = [place for place in self._places.values() if place.seen.address not in workers]
        is_lost = not self._connection.is_connected
        self._drop(gone, "was lost with the scheduler" if is_lost else "left or stopped answering")
        for place in [place for place in self._places.values() if place.why_lost]:
            self._drop([place], place.why_lost)
            self._refused[place.seen.address] = time.monotonic() + ENTER_AGAIN_S
        now_s = time.monotonic()
        for address in [one for one in self._refused if one not in workers]:
            del self._refused[address]
        for address, seen in workers.items():
            if address not in self._places and self._refused.get(address, 0.0) <= now_s:
                self._refused.pop(address, None)
                place = self._places[address] = WorkerSlot(seen)
                place.making = self._connection.do(self._make_ready(place))
                place.making.add_done_callback(partial(self._made_ready, place))

    def _drop(self, places: Sequence[WorkerSlot], why: str) -> None:
        """Remove places; their pairs are played elsewhere."""
        had, played = 0, [place for place in places if place.slots]
        for place in places:
            self._places.pop(place.seen.address, None)
            place.is_gone = True
            if place.making is not None:  # other workers of its machine wait for it
                place.making.cancel()
            for slot in place.slots:
                slot.is_gone = True
                had += len(slot.jobs)
            for one in list(place.tasks):
                one.lose(f"its worker {why}")
            place.slots.clear()
        if not played or self._is_over:
            return
        self._lost_s = time.monotonic()
        name = f"{played[0].host}: worker {played[0].seen.address}"
        if len(played) > 1:
            hosts = sorted({place.host for place in played})
            more = f" and {len(hosts) - 3} more" if len(hosts) > 3 else ""
            name = f"{len(played)} workers on {', '.join(hosts[:3])}{more}: each"
        again = f"; {had} pair{'s are' if had > 1 else ' is'} played again" if had else ""
        warner(self._tell)(f"{name} {why}{again}")

    def distrust(self, place: WorkerSlot, why: str) -> None:
        """Count an invalid answer of a worker; refuse the worker after the third."""
        address = place.seen.address
        self._distrust[address] = self._distrust.get(address, 0) + 1
        if self._distrust[address] >= 3:
            self._news.put((place, why, (), False))

    async def _make_ready(self, place: WorkerSlot) -> tuple[str, Sequence[str]]:
        """Prepare a worker; return a refusal, empty if it is ready, and warnings."""
        address = place.seen.address
        if self._security is not None and not address.startswith("tls://"):
            return "it is not reached by TLS", ()
        if self._security is None and not is_loopback(address):
            return "it is on another machine, and not reached by TLS", ()
        hello = await self._entrance.hello(address)
        if why := self._entrance.unlike(hello):
            return why, ()
        place.host = await self._entrance.name(hello.node, place.seen.ip)
        entered = await self._entrance.enter(place.seen, place.host)
        if not entered.refused:
            place.hello = hello
        return entered.refused, entered.warnings

    def _made_ready(self, place: WorkerSlot, done: Future[tuple[str, Sequence[str]]]) -> None:
        """Queue the result of a preparation; called by a thread of the link."""
        is_lost = False
        try:
            why, warnings = done.result()
        except (PlaceLostError, asyncio.CancelledError) as error:
            why, warnings, is_lost = f"{error}", (), True
        except BaseException as error:  # noqa: BLE001 - reported to the runner
            why, warnings = f"{error}" or type(error).__name__, ()
        self._news.put((place, why, warnings, is_lost))

    def _take_news(self) -> None:
        """Process the results of preparations."""
        while True:
            try:
                place, why, warnings, is_lost = self._news.get_nowait()
            except Empty:
                return
            warn = warner(self._tell)
            for words in warnings:
                warn(f"{place.host}: {words}")
            if place.is_gone:
                continue
            if why or is_lost:
                self._refuse(place, why, is_lost=is_lost)
                continue
            assert place.hello
            is_new = place.host not in self._speeds
            known = self._speeds.get(place.host, 0.0)
            self._speeds[place.host] = max(known, place.hello.speed)  # a busy core seems slower
            if is_new and self._are_compared:
                self._judge_speed(place.host, self._usual_speed())
            if self._new_host is not None and not place.is_gone:
                self._add_slots(place)

    def _refuse(self, place: WorkerSlot, why: str, *, is_lost: bool) -> None:
        """Stop using a place: for a while if it was only unreachable, otherwise for good."""
        address = place.seen.address
        place.hello = None
        self._drop([place], why)
        self._refused[address] = time.monotonic() + ENTER_AGAIN_S if is_lost else math.inf
        if address not in self._told:
            self._told.add(address)
            name = f"{place.host}: worker {address}" if place.host else f"worker {address}"
            how = "is tried again" if is_lost else "is refused"
            warner(self._tell)(f"{name} {how}: {why}")

    def ask(self, place: WorkerSlot, jobs: Sequence[PairJob], ahead: int) -> Future[str]:
        """Send pairs to a worker; the future gives the answer of `entry_point.play`."""
        text = write(Task(terms=self._entrance.digest, pairs=tuple(map(pair_of, jobs))))
        return self._connection.do(self._play(place, text, ahead))

    async def _play(self, place: WorkerSlot, text: str, ahead: int) -> str:
        began_s = time.monotonic()
        address = place.seen.address
        within_s = ahead * self._longest_pair_s()
        try:
            answer = await self._connection.call(address, entry_point.play, text, within_s=within_s)
        except PlaceLostError:
            if time.monotonic() - began_s >= within_s:  # the pair is stuck
                await self._connection.tell(address, entry_point.leave, self._entrance.digest)
            raise
        self._longest_s = max(self._longest_s, (time.monotonic() - began_s) / ahead)
        return answer

    def _longest_pair_s(self) -> float:
        """Return the longest time that a pair may take, in seconds."""
        by_rules_s = 2 * self._longest_game_s
        return min(by_rules_s, GRACE_S + 50 * self._longest_s) if self._longest_s else by_rules_s

    @property
    def expects_more(self) -> bool:
        """Return True if a worker is being prepared, or a lost one may come back."""
        is_lost = time.monotonic() < self._lost_s + COMES_BACK_S
        return is_lost or any(not place.slots for place in self._places.values())

    @property
    def fewest(self) -> int:
        """Return the fewest pairs that a slot should have: two tasks, or more short ones."""
        places = [place for place in self._places.values() if place.slots]
        return max((place.fewest(self._task_s) for place in places), default=FEWEST)

    def send(self) -> None:
        """Send the waiting pairs of all slots, in tasks of the intended length."""
        for place in list(self._places.values()):
            pairs = place.pairs(self._task_s)
            for one in list(place.tasks):
                one.send(pairs)

    def tidy(self) -> None:
        """Do nothing: each worker cleans up after itself."""

    @property
    def machines(self) -> tuple[bool, int, int]:
        """Return whether the scheduler is connected, and the numbers of workers and slots."""
        workers = sum(bool(place.slots) for place in self._places.values())
        return self._connection.is_connected, workers, len(self.slots)

    def seen(self) -> ClusterSeen:
        """Return the state of the cluster."""
        connected, workers, slots = self.machines
        return ClusterSeen(
            address=self._address,
            connected=connected,
            workers=workers,
            slots=slots,
            hosts=tuple(map(self._seen, self.hosts)),
            queued=sum(max(0, len(slot.jobs) - 1) for slot in self.slots),
            lost=0,
        )

    def _seen(self, host: Host) -> HostSeen:
        now_s = time.monotonic()
        rate, games_before = self._rates.get(host.name, (Rate(now_s), 0))
        rate.add(host.games - games_before, now_s)
        self._rates[host.name] = rate, host.games
        return HostSeen(
            name=host.name,
            slots=sum(slot.host is host for slot in self.slots),
            games=host.games,
            rate=round(rate.recent(now_s), 3),
            speed=self._speeds.get(host.name, 0.0),
        )

    def end(self, within_s: float, *, at_once: bool = False) -> None:
        """End the bots on all machines, and disconnect from the scheduler."""
        del within_s, at_once  # results that were not collected are lost
        self.close()

    def close(self) -> None:
        """Disconnect from all workers and the scheduler."""
        self._is_over = True
        link, self._link = self._link, None
        if link is None:
            return
        for place in self._places.values():
            for taken in list(place.tasks):
                taken.lose("the run is over")
        told = [
            link.do(link.tell(address, entry_point.leave, self._entrance.digest))
            for address in self._places
        ]
        until_s = time.monotonic() + 5.0
        for one in told:
            with suppress(Exception):
                one.result(max(0.0, until_s - time.monotonic()))
        link.close()

    def notes(self) -> Iterable[str]:
        """Yield nothing: results contain their notes."""
        return ()


def _longest_game_s(limits: Limits) -> float:
    """Return the longest time of a game by its time control, in seconds."""
    time_ = limits.time
    each_s = limits.margin_s + time_.increment_ms / 1000 + time_.move_ms / 1000
    if not (time_.has_clock or time_.move_ms):
        each_s = limits.hard_limit_s
    start_s = 4 * limits.startup_s + 2 * (time_.initial_ms + time_.first_ms) / 1000
    return start_s + PLIES * each_s
