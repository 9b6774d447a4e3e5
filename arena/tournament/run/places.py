"""Places where games are played, each with a slot; local places are permanent.

The runner uses `Places` only, so worker processes and other machines are the same to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final, Protocol

from lath.arena.errors import BotError
from lath.arena.machine import signals
from lath.arena.referee.bots import Greeting
from lath.arena.referee.process_trees import reap_orphans, sweep
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.run.events import ClusterSeen, Listener, warner
from lath.arena.tournament.run.slots import FEWEST, Executors, Host, Slot, Worker, end
from lath.reports.notes.notes import OtherMachine


class Bell:
    """A bell that slots ring when they have something to collect."""

    def __init__(self) -> None:
        self._rung: Final[SimpleQueue[Slot | None]] = SimpleQueue()
        self._called: Final[SimpleQueue[None]] = SimpleQueue()

    def ring(self, slot: Slot) -> None:
        """Announce that a slot has results; an idle slot is collected from at once."""
        self._rung.put(slot)
        if slot.is_idle:
            self._called.put(None)

    def wake(self) -> None:
        """End all waiting at once; signal handlers can call this."""
        self._rung.put(None)
        self._called.put(None)

    def wait(self, within_s: float) -> set[Slot]:
        """Return the slots that have rung since the last call; wait a little for the first."""
        heard: set[Slot | None] = set()
        try:
            heard.add(self._rung.get(timeout=within_s))
            while True:
                heard.add(self._rung.get_nowait())
        except Empty:
            return {slot for slot in heard if slot is not None}

    def gather(self, rung: set[Slot], within_s: float) -> set[Slot]:
        """Return the slots in `rung`, with those that ring within `within_s`.

        It returns earlier when a slot is idle or a signal asks the run to stop.
        """
        with suppress(Empty):
            while True:
                self._called.get_nowait()  # clear old calls before checking for idle slots
        if not signals.requests() and not any(slot.is_idle for slot in rung):
            with suppress(Empty):
                self._called.get(timeout=within_s)
        return rung | self.wait(0.0)


class Places(Protocol):
    """The places where games are played."""

    @property
    def bell(self) -> Bell:
        """Return the bell of all slots."""

    @property
    def slots(self) -> Sequence[Slot]:
        """Return the slots; a lost one stays until it is empty."""

    @property
    def hosts(self) -> Sequence[Host]:
        """Return the machines of the slots."""

    @property
    def expects_more(self) -> bool:
        """Return whether more hosts may soon come."""

    @property
    def start_s(self) -> float:
        """Return the approximate seconds to start a slot's worker; 0 for none."""

    @property
    def fewest(self) -> int:
        """Return the fewest pairs that a slot should have: the one in play, and the next."""

    def look(self) -> None:
        """Update the places that have come or gone; raises MachineError if none comes."""

    def send(self) -> None:
        """Send the jobs that were handed to slots."""

    def tidy(self) -> None:
        """Remove what a dead worker has left."""

    @property
    def machines(self) -> tuple[bool, int, int] | None:
        """Return whether a cluster answers, its workers and its slots; None without a cluster."""

    def seen(self) -> ClusterSeen | None:
        """Return the state of other machines, or None without any."""

    def end(self, within_s: float, *, at_once: bool = False) -> None:
        """Ask all places to end, and wait a little; with `at_once` they drop their games."""

    def notes(self) -> Iterable[str]:
        """Yield remarks from the end of places."""


Opener = Callable[[Config, str, Callable[[str], Host], Listener], Places]
"""Opens the places of a tournament.

Arguments: the configuration, the prefix of process marks, a function that makes a host from a name,
and the listener.
"""


class Elsewhere(Protocol):
    """Other machines, which get the bots before they play."""

    def enter(self, config: Config, closed: Sequence[str], tell: Listener) -> Config:
        """Return the tournament as played there, with its bots ready; raises ArenaError.

        `closed` are files and folders that no bot may see.
        """

    def greeted(self, names: Sequence[str]) -> Mapping[str, Greeting | BotError]:
        """Return the handshakes by bot, or errors for bots that cannot play."""

    def about(self) -> Sequence[OtherMachine]:
        """Return the machines."""

    @property
    def open(self) -> Opener:
        """Return the function that opens the places there."""

    def close(self) -> None:
        """Release all machines; repeated calls do nothing."""


START_S: Final = 0.1
"""Approximate seconds to start a worker process; instant bots play seventy games in that time."""


class LocalSlots:
    """Slots on this machine, each with a worker process and, if possible, cores of its own."""

    expects_more = False
    fewest = FEWEST
    machines = None

    def __init__(
        self,
        executors: Executors,
        config: Config,
        tree: str,
        new_host: Callable[[str], Host],
        tell: Listener,
    ) -> None:
        """Make the slots; each starts a worker with its first job."""
        self.bell: Final = Bell()
        self.start_s: Final = START_S if executors is Worker else 0.0
        self._tree: Final = tree
        host = new_host("")
        self.hosts: Final = (host,)
        count = config.jobs
        shares = config.shares
        if config.pin == "auto" and shares is None:
            needed = count * config.cores_of_a_game
            games = "1 game needs" if count == 1 else f"{count} games at a time need"
            warner(tell)(f"{games} {needed} cores: nothing is pinned")
        self.slots: Final = tuple(
            Slot(partial(executors, tree, share), tell, host, number, bell=self.bell.ring)
            for number, share in enumerate(shares or [()] * count)
        )

    def look(self) -> None:
        """Do nothing: local places are permanent."""

    def send(self) -> None:
        """Do nothing: jobs were sent when they were handed over."""

    def seen(self) -> None:
        """Return None, because this machine plays alone."""

    def tidy(self) -> None:
        """End the bots of workers that died."""
        alive = [slot.worker.pid for slot in self.slots if slot.worker]
        sweep(self._tree, spare=[f"{self._tree}{pid}." for pid in alive])
        reap_orphans()

    def end(self, within_s: float, *, at_once: bool = False) -> None:
        """Ask workers to end, wait up to `within_s`, and kill the rest."""
        end(self.slots, within_s, at_once=at_once)

    def notes(self) -> Iterable[str]:
        """Yield remarks of workers from the end of their bots."""
        for slot in self.slots:
            if slot.worker:
                yield from slot.worker.notes
