"""A thread that looks at bots now and then: at what all processes of one take together, and when.

It ends a bot that takes more than it may, where the system itself does not: a control group with
the controller for it is held to its bounds without us. It notices a bot that computes while it is
not its turn.
"""

from __future__ import annotations

import errno
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

from lath.arena.machine import signals
from lath.arena.referee import memory, process_trees
from lath.arena.referee.memory import size
from lath.arena.referee.originals import entries_below
from lath.arena.sandbox.kinds import BotSandbox, ProcessStart
from lath.arena.sandbox.limits import OWN_DESCRIPTORS, OWN_TASKS

TICK_S: Final = 0.25
"""How long nobody looks."""

BURST_S: Final = 5.0
"""CPU time that a bot may use for each of its cores before they count: to warm up takes more."""

CACHE_S: Final = 5.0
"""How long nobody looks into a cache."""

CACHE_FILES: Final = 20_000
"""Files and folders that a cache may have."""

MAPPINGS: Final = 50_000
"""Mappings of all processes of a bot together, where each of them has to be looked at."""

_FILES_A_TICK: Final = 1000
"""Files of a cache that are looked at in one go, in a few milliseconds."""

_MOST_SHARE: Final = 0.05
"""The share of a core that may go into looks at a bot, which cost as much as it makes them."""

LONGEST_S: Final = 1.0
"""How long nobody looks, however much a look costs: who makes it costly may mean to hide."""

SLACK: Final = 0.04
"""The share of a core that a bot may use at any time: languages tidy up after an answer."""

ODD_CPU_S: Final = 0.5
"""CPU time beyond its own turns, and that slack, from which on a bot is said to use the other's."""

ENOUGH_LOOKS: Final = 3
"""Looks in a row at which a bot is met running by chance hardly ever."""

_ODD_SHARE: Final = 0.05
"""Of the time of its own turns this much more: compilers of languages work late."""


class CpuBudget:
    """CPU time that may be used: so much a second, and at first, or after a rest, more at once."""

    def __init__(self, cores: float, now_s: float) -> None:
        """`now_s` is read from `signals.awake_s`, in all that follows."""
        self._cores: Final = cores
        self._most_s: Final = BURST_S * cores
        self._left_s = self._most_s
        self._seen_s, self._now_s = 0.0, now_s
        """What had been used at the last look, and when that was."""
        self._since_s, self._used_s = now_s, 0.0
        """When all was left last, and what was used since."""

    def take(self, seen_s: float, now_s: float) -> str:
        """Return in words that too much was used, all that was seen being `seen_s`; else empty.

        Less than before is seen where an orphan has ended with all that it has used.
        """
        used_s = max(0.0, seen_s - self._seen_s)
        self._left_s += self._cores * (now_s - self._now_s) - used_s
        self._used_s += used_s
        self._seen_s, self._now_s = seen_s, now_s
        if self._left_s >= self._most_s:
            self._left_s = self._most_s
            self._since_s, self._used_s = now_s, 0.0
        if self._left_s >= 0:
            return ""
        on = self._used_s / (now_s - self._since_s)
        return f"it computes on {on:.1f} cores ({self._cores:g} allowed)"


class ForeignTurns:
    """CPU time that a bot uses beyond its own turns."""

    def __init__(self) -> None:
        self.own_time: Callable[[], float] = signals.awake_s
        """How long the bot was allowed to compute, in all; until told otherwise it always is."""
        self.threads = 1
        """Threads that it may use meanwhile."""
        self.alarm: Callable[[], object] = bool
        """Called once, by the watchdog's thread, where the bot computes on other turns, too."""
        self.is_stopped = False
        """Whether the bot is kept from computing."""
        self.changes = 0
        """How often that has changed."""
        self._changes = 0
        """How often it had at the last look."""
        self.excess_s = 0.0
        """CPU time that it has used besides, as far as it was seen."""
        self._defied_s = 0.0
        """What of that it has used while it was stopped."""
        self._is_odd = False
        self._hidden = 0
        """Looks in a row that met it running when it was not its turn, though it used no time."""
        self._seen_s, self._own_s, self._at_s = 0.0, 0.0, signals.awake_s()

    def take(self, seen_s: float, now_s: float, running: int = 0) -> str:
        """Count what the bot has used in all; return in words that it will not be stopped.

        `running` of its processes are, or could be, on a core: children that live for a moment and
        that nobody waits for use time that the system tells nobody.
        """
        passed_s = now_s - self._at_s
        # The two are not read at the same moment: nobody is allowed more than passes.
        own_s = min(max(self.own_time(), self._own_s), self._own_s + passed_s)
        used_s = max(0.0, seen_s - self._seen_s)
        more_s = used_s - (own_s - self._own_s) * self.threads - SLACK * passed_s
        is_hidden = running and used_s < passed_s / 2 and own_s - self._own_s < passed_s / 5
        self._hidden = self._hidden + 1 if is_hidden else 0
        if self._hidden >= ENOUGH_LOOKS:
            more_s = max(more_s, passed_s)
        self._seen_s, self._own_s, self._at_s = seen_s, own_s, now_s
        was_stopped = self.is_stopped and self.changes == self._changes
        self._changes = self.changes
        if more_s <= 0:
            return ""
        self.excess_s += more_s
        if was_stopped:  # all the time
            self._defied_s += more_s
            if self._defied_s > ODD_CPU_S:
                return "it computes on the other's turn, though the arena has stopped it"
        if not self._is_odd and self.excess_s > ODD_CPU_S + _ODD_SHARE * own_s:
            self._is_odd = True
            self.alarm()
        return ""


class Watched:
    """A bot, and what is known of what it takes."""

    def __init__(self, pid: int, mark: str, wall: BotSandbox, start: ProcessStart) -> None:
        held = start.group.bounds if start.group else frozenset()
        self._over = ""
        self._pid: Final = pid
        self._mark: Final = mark
        self._start: Final = start
        self._group: Final = start.group
        self._user: Final = start.user
        self._most_bytes: Final = wall.tree_bytes
        self._tree_bytes: Final = 0 if "memory" in held else wall.tree_bytes
        self._cores: Final = 0.0 if "cpu" in held else wall.cores
        is_open = wall.kind == "limits" or "pids" in held
        self._tasks: Final = 0 if is_open else OWN_TASKS
        self._not_its: Final = 2 if wall.kind == "bwrap" else 0
        """How many of its processes are bubblewrap's."""
        self._again_s = 0.0
        """When it may be looked at again."""
        self._budget: Final = CpuBudget(self._cores, signals.awake_s())
        self.turns: Final = ForeignTurns()
        self._cache: Final = wall.view.cache if wall.cache_bytes else ""
        self._cache_bytes: Final = wall.cache_bytes
        self._look: Iterator[str] | None = None
        self._cache_from_s = 0.0

    @property
    def over(self) -> str:
        """Return in words what it took too much of, so that it was ended; empty: it was not."""
        if not self._over and self._group is not None and self._group.was_over_memory:
            self._over = f"its processes want more than the {size(self._most_bytes)} allowed"
        return self._over

    def look(self) -> None:
        """See what it takes, and end it where that is too much; its parent has to bury it."""
        if self._over or signals.awake_s() < self._again_s:
            return
        began_s = time.thread_time()
        members = self._members()
        is_counted = self._group is not None and self._group.path
        used_s = self._group.cpu_s if self._group and is_counted else process_trees.used_s(members)
        now_s = signals.awake_s()
        running = 0 if is_counted else sum(map(process_trees.is_running, members))
        self._over = (
            self.over  # version 1 ends one process of it
            # Time first: memory may take long to be looked at.
            or self.turns.take(used_s, now_s, running)
            or (self._budget.take(used_s, now_s) if self._cores else "")
            or self._too_many(members)
            or self._too_large(members)
            or self._too_full(members)
        )
        if self._over:
            self._end(members)
        rest_s = (time.thread_time() - began_s) / _MOST_SHARE
        self._again_s = signals.awake_s() + min(rest_s, LONGEST_S)

    def _members(self) -> list[int]:
        if self._group is not None:
            has_bounds = self._tree_bytes or self._tasks or self._cache
            is_needed = has_bounds or not self._group.path
            return self._group.processes() if is_needed else []
        return process_trees.family(self._pid, self._mark, self._user)

    def _too_many(self, members: list[int]) -> str:
        if not self._tasks:
            return ""
        if (many := len(members) - self._not_its) > self._tasks:
            return f"it has {many} processes ({self._tasks} allowed)"
        if (files := sum(map(memory.descriptors_of, members))) > OWN_DESCRIPTORS:
            return f"its processes have {files:,} files open ({OWN_DESCRIPTORS:,} allowed)"
        return ""

    def _too_large(self, members: list[int]) -> str:
        """Count in three ways: the first are quickly read, and never less than what is held."""
        if not (most := self._tree_bytes):
            return ""
        inner = self._start.inner_pid
        if sum(map(memory.reserved, members)) + memory.opened(members, inner) <= most:
            return ""
        mappings, many = {}, 0
        for pid in members:
            mappings[pid] = memory.mappings_of(pid)
            many += mappings[pid].count(b"\n")
            if self._tasks and many > MAPPINGS:
                return f"its processes have more than the {MAPPINGS:,} mappings allowed"
        files = memory.shared(mappings, inner)
        if sum(map(memory.claimed, members)) + files <= most:
            return ""
        both = [memory.held(pid) for pid in members]
        # Whether a file in memory is mapped by those who have it open nobody tells.
        held = sum(own for own, _ in both) + max(sum(shared for _, shared in both), files)
        return "" if held <= most else f"its processes hold {size(held)} ({size(most)} allowed)"

    def _too_full(self, members: list[int]) -> str:
        if not self._cache or signals.awake_s() < self._cache_from_s:
            return ""
        if self._look is None:
            with suppress(OSError):
                held = memory.unlinked(members, os.stat(self._cache).st_dev)
                if held > self._cache_bytes:
                    return f"files without a name hold {size(held)} of its cache"
            self._look = looks(self._cache, self._cache_bytes)
        if (why := next(self._look, None)) is None:
            self._look, self._cache_from_s = None, signals.awake_s() + CACHE_S
        return why or ""

    def _end(self, members: list[int]) -> None:
        if self._group is not None:
            self._group.kill()
        for pid in {self._pid, *members}:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


class Watchdog:
    """Looks at who is watched, in a thread of its own while there is anybody."""

    def __init__(self, may_start: threading.Lock) -> None:
        """Nobody who holds `may_start` is disturbed: no process is forked while it looks."""
        self._may_start: Final = may_start
        self._watched: Final[set[Watched]] = set()
        self._lock: Final = threading.Lock()
        self._is_awake = False

    def wake(self) -> None:
        """See that there is the thread, until `may_start` is let go of; raises MachineError."""
        with self._lock:
            if not self._is_awake:
                try:
                    threading.Thread(target=self._run, daemon=True).start()
                except RuntimeError as error:  # the system counts it as it does a process
                    raise process_trees.lacking("nobody can watch bots", errno.EAGAIN) from error
                self._is_awake = True

    def add(self, watched: Watched) -> None:
        """Begin to look at a bot; it has to be awake."""
        with self._lock:
            self._watched.add(watched)

    def drop(self, watched: Watched) -> None:
        """Look at a bot no longer; call it before its process is buried."""
        with self._lock:
            self._watched.discard(watched)

    def _run(self) -> None:
        while True:
            time.sleep(TICK_S)
            with self._may_start, self._lock:
                if not self._watched:
                    self._is_awake = False
                    return
                for watched in self._watched:
                    with suppress(OSError):  # such as no descriptor at the moment
                        watched.look()


def trim_cache(folder: str, most_bytes: int) -> None:
    """Empty a cache that holds more than it may; raises OSError where it cannot be opened."""
    if any(looks(folder, most_bytes)):
        process_trees.empty(folder)


def looks(folder: str, most_bytes: int, most_files: int | None = None) -> Iterator[str]:
    """Yield in words what a cache has too much of, or after every so many files nothing yet."""
    most_files = most_files or CACHE_FILES
    held = 0
    try:
        found = entries_below(folder, FileNotFoundError, NotADirectoryError)
        for files, entry in enumerate(found, 1):
            with suppress(FileNotFoundError):
                held += 512 * entry.stat(follow_symlinks=False).st_blocks
            if held > most_bytes:
                yield f"its cache holds more than the {size(most_bytes)} allowed"
                return
            if files > most_files:
                yield f"its cache has more than the {most_files:,} files allowed"
                return
            if files % _FILES_A_TICK == 0:
                yield ""
    except OSError as error:  # too deep, or closed to us
        yield f"its cache cannot be looked through: {os.strerror(error.errno or errno.EIO)}"
