"""The machines of a cluster as places where pairs are played.

A worker is asked what it is, gets the bots that it has not, and becomes a slot a thread; one that
is gone, or silent for too long, is taken out, and what it had is played elsewhere.
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
from lath.reports.notes.notes import OtherMachine
from lath.reports.notes.outcome import EventOutcome

TASKS_A_S: Final = 125
"""Tasks that a scheduler is given in a second at most; it can do four times as many, alone."""

SHORTEST_S: Final = 0.3
"""How long a task should take at least: of shorter pairs, several go into one."""

ALIKE: Final = 0.1
"""Part by which hosts may differ in speed and be alike."""

SETTLE_S: Final = 15.0
"""How long the first game waits for the others of the machines that are there from the start."""

PLIES: Final = 400
"""More than a game has: for the longest time that one may take."""

GRACE_S: Final = 600.0
"""How much longer than ever before a pair may take, and fifty times as long, before its worker
counts as stuck."""

ENTER_AGAIN_S: Final = 5.0
"""After what time a worker that was lost while it was made ready is tried again."""

GREETINGS: Final = 5
"""How often bots are asked what they are, where the machines are lost that were to start them."""

COMES_BACK_S: Final = 60.0
"""How long what only a lost machine could play waits for it: what starts workers starts it again,
and a link that was cut is mended."""


class Cluster:
    """Workers of a Dask cluster; the runner's `Places` as soon as it has asked for them."""

    def __init__(
        self,
        address: str,
        *,
        hosts_alike: bool = False,
        patience_s: float = PATIENCE_S,
        workers: int = 1,
        is_trial: bool = False,
    ) -> None:
        """Name a scheduler; raises ConfigError where it may not be talked to.

        With `hosts_alike` machines are refused that are faster or slower than most. `patience_s`
        is how long to wait where there is no worker, or no scheduler. The first game waits a little
        for so many `workers`. Those of a trial are processes of this machine, where bots without a
        wall may do what they may do in any run.
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
        """By address, those that play or are being made ready."""
        self._refused: Final[dict[str, float]] = {}
        """Addresses that are not tried, until when on the monotonic clock."""
        self._told: Final[set[str]] = set()
        """Those of them that people know of."""
        self._distrust: Final[dict[str, int]] = {}
        self._news: Final[SimpleQueue[tuple[WorkerSlot, str, Sequence[str], bool]]] = SimpleQueue()
        """Which workers are ready: why one is refused, warnings, and whether it is tried again."""
        self._speeds: Final[dict[str, float]] = {}
        """By host."""
        self._rates: Final[dict[str, tuple[Rate, int]]] = {}
        self._games: Final[dict[str, int]] = {}
        """Played by hosts, some of which may have gone, and come back with nothing held against."""
        self._tell: Listener = lambda _: None
        self._new_host: Callable[[str], Host] | None = None
        self._is_over = False
        self._task_s = SHORTEST_S
        """How long a task should take."""
        self._lost_s = -math.inf
        """When a worker that played was lost last, on the monotonic clock."""
        self._longest_game_s = 0.0
        """How long a game may take by its time."""
        self._longest_s = 0.0
        """Of a pair, from when it was sent."""
        self._patience: Patience
        self._times_matter = True
        self._are_compared = False
        """Whether a machine that comes is compared with those that are there."""

    # Before the first game

    def enter(self, config: Config, closed: Sequence[str], tell: Listener) -> Config:
        """Connect, and make workers ready; return the tournament with as many games at a time.

        `closed` are files of the tournament, which stay here. Raises ConfigError, ArenaError where
        no scheduler answers or every worker is refused, and MachineError where none comes.
        """
        self._tell, warn = tell, warner(tell)
        self._patience = Patience(warn, self._patience_s, well="there are workers")
        is_walled = self._security is not None and not self._is_trial  # a tunnel ends here, too
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
        """The link, which is there from `enter` until `close`."""
        assert self._link
        return self._link

    def _wait_for_workers(self) -> None:
        """Wait until a worker is ready, and a little for the others that are there by then."""
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
        where = f"on {machines} machine{'s' * (machines > 1)}"
        page = self._connection.dashboard
        dashboard = f"; Dask shows its work at {page} if bokeh is installed" if page else ""
        games_ = f"{count} game{'s' * (count > 1)} at a time"
        self._say(f"cluster {self._address}: {games_} {where}{dashboard}")

    def _say(self, words: str) -> None:
        self._tell(Waiting(0, partial(EventOutcome, format=""), words))

    def _threads(self) -> int:
        return sum(place.seen.threads for place in self._places.values() if place.hello)

    def _compare(self) -> None:
        """Tell of machines that are faster or slower than most; take them out if that is asked."""
        self._are_compared = True
        usual = self._usual_speed()
        for host in sorted(self._speeds):
            self._judge_speed(host, usual)

    def _usual_speed(self) -> float:
        """Return the speed of most slots, as machines are alike; of the faster where it is even."""
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
        """Return the machines that are there, by name."""
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
        """Return what bots say of themselves, each started on one machine, else on another.

        Of one that starts on none of two, why that is, and of one that cannot play. Raises
        MachineError where no machine is left.
        """
        said: dict[str, BotSaid] = {}
        with signals.interruptible():
            for number in range(GREETINGS):
                if number:  # who was asked is lost
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
        """Return what bots say of themselves; those are missing whose machines were lost."""
        first_of: dict[str, WorkerSlot] = {}
        for place in self._places.values():
            if place.hello:
                first_of.setdefault(place.host, place)
        places = list(first_of.values())
        asked = {
            # Each on another pair of machines: there may be many bots.
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
        """Return what a bot says on the first place where it starts; raises PlaceLostError."""
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
        """Return itself as the runner's places; the mark of processes is its own."""
        del config, tree
        self._new_host, self._tell = new_host, tell
        for place in [place for place in self._places.values() if place.hello]:
            self._add_slots(place)
        return self

    def _add_slots(self, place: WorkerSlot) -> None:
        assert self._new_host
        if place.slots:  # it was ready before it was said
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
        """Notice which workers have come and gone; raises MachineError where none comes."""
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
        """Wait where there is nobody to play; raises MachineError for too long."""
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
        """See who has come and gone."""
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
        """Take places out; what they had is played elsewhere."""
        had, played = 0, [place for place in places if place.slots]
        for place in places:
            self._places.pop(place.seen.address, None)
            place.is_gone = True
            if place.making is not None:  # others of its machine wait until it is ready
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
        """Note that a worker has answered what is no answer; after three times it is refused."""
        address = place.seen.address
        self._distrust[address] = self._distrust.get(address, 0) + 1
        if self._distrust[address] >= 3:
            self._news.put((place, why, (), False))

    async def _make_ready(self, place: WorkerSlot) -> tuple[str, Sequence[str]]:
        """Make a worker ready; return why it is refused, empty if it is not, and warnings."""
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
        """Hand on how a worker was made ready; a thread of the link does it."""
        is_lost = False
        try:
            why, warnings = done.result()
        except (PlaceLostError, asyncio.CancelledError) as error:
            why, warnings, is_lost = f"{error}", (), True
        except BaseException as error:  # noqa: BLE001 - the runner must hear of it
            why, warnings = f"{error}" or type(error).__name__, ()
        self._news.put((place, why, warnings, is_lost))

    def _take_news(self) -> None:
        """Take in which workers are ready, and which are refused."""
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
            self._speeds[place.host] = max(known, place.hello.speed)  # busy cores look slower
            if is_new and self._are_compared:
                self._judge_speed(place.host, self._usual_speed())
            if self._new_host is not None and not place.is_gone:
                self._add_slots(place)

    def _refuse(self, place: WorkerSlot, why: str, *, is_lost: bool) -> None:
        """Play nothing at a place: for a while where it only was not reached, else at all."""
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
        """Send pairs to a worker; the future is what `seat.play` answers."""
        text = write(Task(terms=self._entrance.digest, pairs=tuple(map(pair_of, jobs))))
        return self._connection.do(self._play(place, text, ahead))

    async def _play(self, place: WorkerSlot, text: str, ahead: int) -> str:
        began_s = time.monotonic()
        address = place.seen.address
        within_s = ahead * self._longest_pair_s()
        try:
            answer = await self._connection.call(address, entry_point.play, text, within_s=within_s)
        except PlaceLostError:
            if time.monotonic() - began_s >= within_s:  # what it plays is stuck
                await self._connection.tell(address, entry_point.leave, self._entrance.digest)
            raise
        self._longest_s = max(self._longest_s, (time.monotonic() - began_s) / ahead)
        return answer

    def _longest_pair_s(self) -> float:
        """Return how long a pair may take before something must be wrong."""
        by_rules_s = 2 * self._longest_game_s
        return min(by_rules_s, GRACE_S + 50 * self._longest_s) if self._longest_s else by_rules_s

    @property
    def expects_more(self) -> bool:
        """Return whether a worker is being made ready, or one was lost that may come back."""
        is_lost = time.monotonic() < self._lost_s + COMES_BACK_S
        return is_lost or any(not place.slots for place in self._places.values())

    @property
    def fewest(self) -> int:
        """Return how many pairs a slot should have at least: of two tasks, more of short ones."""
        places = [place for place in self._places.values() if place.slots]
        return max((place.fewest(self._task_s) for place in places), default=FEWEST)

    def send(self) -> None:
        """Send what was handed to slots, so many pairs in a task that it takes long enough."""
        for place in list(self._places.values()):
            pairs = place.pairs(self._task_s)
            for one in list(place.tasks):
                one.send(pairs)

    def tidy(self) -> None:
        """Do nothing: a worker clears away what it has left."""

    @property
    def machines(self) -> tuple[bool, int, int]:
        """Return whether there is a scheduler, and how many workers and slots."""
        workers = sum(bool(place.slots) for place in self._places.values())
        return self._connection.is_connected, workers, len(self.slots)

    def seen(self) -> ClusterSeen:
        """Return how it stands with the machines."""
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
        """Have bots ended on all machines, and let go of the scheduler."""
        del within_s, at_once  # what was not collected is given up
        self.close()

    def close(self) -> None:
        """Let go of all workers and of the scheduler."""
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
        """Yield nothing: what was odd stands in results."""
        return ()


def _longest_game_s(limits: Limits) -> float:
    """Return how long a game may take by its time, if it has no more plies than any."""
    time_ = limits.time
    each_s = limits.margin_s + time_.increment_ms / 1000 + time_.move_ms / 1000
    if not (time_.has_clock or time_.move_ms):
        each_s = limits.hard_limit_s
    start_s = 4 * limits.startup_s + 2 * (time_.initial_ms + time_.first_ms) / 1000
    return start_s + PLIES * each_s
