"""Where games are played: places that come and go, with a slot each; here they stay.

The runner knows no more of it than `Places`: whether pairs are played by worker processes here or
by other machines is the same to it.
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
    """Rung by slots that have something to collect, heard by who collects."""

    def __init__(self) -> None:
        self._rung: Final[SimpleQueue[Slot | None]] = SimpleQueue()
        self._called: Final[SimpleQueue[None]] = SimpleQueue()

    def ring(self, slot: Slot) -> None:
        """Have a slot collected from; at once where it has nothing left to do."""
        self._rung.put(slot)
        if slot.is_idle:
            self._called.put(None)

    def wake(self) -> None:
        """End all waiting at once; a signal's handler may do this."""
        self._rung.put(None)
        self._called.put(None)

    def wait(self, within_s: float) -> set[Slot]:
        """Return the slots that have rung since the last time; wait a little for the first."""
        heard: set[Slot | None] = set()
        try:
            heard.add(self._rung.get(timeout=within_s))
            while True:
                heard.add(self._rung.get_nowait())
        except Empty:
            return {slot for slot in heard if slot is not None}

    def gather(self, rung: set[Slot], within_s: float) -> set[Slot]:
        """Return those that have rung with those that ring in this time, which wake nobody.

        Nothing is waited for when a slot has nothing left to do, or somebody asks to stop.
        """
        with suppress(Empty):
            while True:
                self._called.get_nowait()  # before it is looked at who has nothing to do
        if not signals.requests() and not any(slot.is_idle for slot in rung):
            with suppress(Empty):
                self._called.get(timeout=within_s)
        return rung | self.wait(0.0)


class Places(Protocol):
    """Where games are played."""

    @property
    def bell(self) -> Bell:
        """Return what all slots ring."""

    @property
    def slots(self) -> Sequence[Slot]:
        """Return the slots that there are by now; one that is gone is there until it is empty."""

    @property
    def hosts(self) -> Sequence[Host]:
        """Return the machines that have such slots."""

    @property
    def expects_more(self) -> bool:
        """Return whether there may soon be hosts that are not there yet."""

    @property
    def start_s(self) -> float:
        """Return how long what plays in a slot takes to start, about; 0: that costs nothing."""

    @property
    def fewest(self) -> int:
        """Return how many pairs a slot should have at least: what it plays, and what is next."""

    def look(self) -> None:
        """Notice which places have come and gone; raises MachineError where none comes."""

    def send(self) -> None:
        """Let go of what was handed to slots."""

    def tidy(self) -> None:
        """Clear away what a worker has left that died."""

    @property
    def machines(self) -> tuple[bool, int, int] | None:
        """Return whether there is a cluster, how many workers and slots; None: none was named."""

    def seen(self) -> ClusterSeen | None:
        """Return how it stands with other machines; None where there are none."""

    def end(self, within_s: float, *, at_once: bool = False) -> None:
        """Ask all places to end, and wait a little; `at_once` they give up what they play."""

    def notes(self) -> Iterable[str]:
        """Yield what was odd when places ended."""


Opener = Callable[[Config, str, Callable[[str], Host], Listener], Places]
"""Opens the places for a tournament.

It is given how the marks of processes begin, what makes a host of a name, and who is told.
"""


class Elsewhere(Protocol):
    """Other machines, where bots have to get before they play."""

    def enter(self, config: Config, closed: Sequence[str], tell: Listener) -> Config:
        """Return the tournament as it is played there, its bots ready; raises ArenaError.

        `closed` are files and folders that no bot may see.
        """

    def greeted(self, names: Sequence[str]) -> Mapping[str, Greeting | BotError]:
        """Return what bots say of themselves, or why one cannot play."""

    def about(self) -> Sequence[OtherMachine]:
        """Return which machines are there."""

    @property
    def open(self) -> Opener:
        """Return what opens the places there."""

    def close(self) -> None:
        """Let go of all of them; again does nothing."""


START_S: Final = 0.1
"""How long a worker process takes to start, about: seventy games of bots that answer at once."""


class LocalSlots:
    """Slots on this machine, each with a worker process and, where it can be, cores of its own."""

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
        """Make the slots; a worker is started with the first job of each."""
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
        """Do nothing: all places stay."""

    def send(self) -> None:
        """Do nothing: each pair is on its way already."""

    def seen(self) -> None:
        """Return that there are no other machines."""

    def tidy(self) -> None:
        """End the bots of workers that died."""
        alive = [slot.worker.pid for slot in self.slots if slot.worker]
        sweep(self._tree, spare=[f"{self._tree}{pid}." for pid in alive])
        reap_orphans()

    def end(self, within_s: float, *, at_once: bool = False) -> None:
        """Ask workers to end, wait a little, and end them."""
        end(self.slots, within_s, at_once=at_once)

    def notes(self) -> Iterable[str]:
        """Yield what workers noted when they ended their bots."""
        for slot in self.slots:
            if slot.worker:
                yield from slot.worker.notes
