"""A thread that checks the memory, CPU time and turns of bots from time to time.

It ends a bot that exceeds its limits, if the system does not do so itself with a control group. It
notices a bot that computes while it is not its turn.
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
"""The time between two checks, in seconds."""

BURST_S: Final = 5.0
"""The CPU time per core that a bot may use before its limit applies, to warm up, in seconds."""

CACHE_S: Final = 5.0
"""The time between two checks of a cache, in seconds."""

CACHE_FILES: Final = 20_000
"""The number of files and folders that a cache may have."""

MAPPINGS: Final = 50_000
"""The mappings that all processes of a bot may have together, if each must be checked."""

_FILES_A_TICK: Final = 1000
"""The number of cache files per check, which take a few milliseconds."""

_MOST_SHARE: Final = 0.05
"""The share of a core that checks of one bot may take; the bot decides what they cost."""

LONGEST_S: Final = 1.0
"""The longest time between two checks, however costly they are: a bot may try to hide."""

SLACK: Final = 0.04
"""The share of a core that a bot may use at any time, because languages tidy up after an answer."""

ODD_CPU_S: Final = 0.5
"""The CPU time beyond its own turns and the slack that marks a bot, in seconds."""

ENOUGH_LOOKS: Final = 3
"""The number of looks in a row that hardly ever meet a bot running by chance."""

_ODD_SHARE: Final = 0.05
"""The additional allowance as a share of its own turns: compilers of languages work late."""


class CpuBudget:
    """A limit on CPU time: a rate per second, and a burst at first or after a rest."""

    def __init__(self, cores: float, now_s: float) -> None:
        """Start the budget; `now_s` is read from `signals.awake_s`, in all methods."""
        self._cores: Final = cores
        self._most_s: Final = BURST_S * cores
        self._left_s = self._most_s
        self._seen_s, self._now_s = 0.0, now_s
        """The CPU time seen at the last check, and the time of that check."""
        self._since_s, self._used_s = now_s, 0.0
        """The last time when the full burst was available, and the CPU time used since."""

    def take(self, seen_s: float, now_s: float) -> str:
        """Return a message if too much was used, `seen_s` in total; otherwise an empty string.

        The total can fall when an orphan ends.
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
    """The CPU time that a bot uses beyond its own turns."""

    def __init__(self) -> None:
        self.own_time: Callable[[], float] = signals.awake_s
        """A function that gives the total time the bot was allowed to compute. Default: always."""
        self.threads = 1
        """The number of threads that it may use in that time."""
        self.alarm: Callable[[], object] = bool
        """A function that the watchdog's thread calls once if the bot computes on other turns."""
        self.is_stopped = False
        """True if the bot is stopped from computing."""
        self.changes = 0
        """The number of times that `is_stopped` has changed."""
        self._changes = 0
        """The number of changes at the last check."""
        self.excess_s = 0.0
        """The CPU time beyond its turns that was seen, in seconds."""
        self._defied_s = 0.0
        """The part of it that was used while the bot was stopped, in seconds."""
        self._is_odd = False
        self._hidden = 0
        """The looks in a row that met it running outside its turn without using CPU time."""
        self._seen_s, self._own_s, self._at_s = 0.0, 0.0, signals.awake_s()

    def take(self, seen_s: float, now_s: float, running: int = 0) -> str:
        """Add the bot's total CPU time; return a message if it ignores that it was stopped.

        `running` of its processes run or are ready to run: short-lived children that no process
        waits for use CPU time that the system does not report.
        """
        passed_s = now_s - self._at_s
        # The two are read at different moments: the allowance cannot exceed the time that passes.
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
        if was_stopped:  # it was stopped all the time
            self._defied_s += more_s
            if self._defied_s > ODD_CPU_S:
                return "it computes on the other's turn, though the arena has stopped it"
        if not self._is_odd and self.excess_s > ODD_CPU_S + _ODD_SHARE * own_s:
            self._is_odd = True
            self.alarm()
        return ""


class Watched:
    """A watched bot, with its state at the last check."""

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
        """The number of its processes that belong to bubblewrap."""
        self._again_s = 0.0
        """The time of the next check."""
        self._budget: Final = CpuBudget(self._cores, signals.awake_s())
        self.turns: Final = ForeignTurns()
        self._cache: Final = wall.view.cache if wall.cache_bytes else ""
        self._cache_bytes: Final = wall.cache_bytes
        self._look: Iterator[str] | None = None
        self._cache_from_s = 0.0

    @property
    def over(self) -> str:
        """Return a description of the limit that the bot exceeded and was ended for, or empty."""
        if not self._over and self._group is not None and self._group.was_over_memory:
            self._over = f"its processes want more than the {size(self._most_bytes)} allowed"
        return self._over

    def look(self) -> None:
        """Check the bot, and kill it if it exceeds a limit; its parent must wait for it."""
        if self._over or signals.awake_s() < self._again_s:
            return
        began_s = time.thread_time()
        members = self._members()
        is_counted = self._group is not None and self._group.path
        used_s = self._group.cpu_s if self._group and is_counted else process_trees.used_s(members)
        now_s = signals.awake_s()
        running = 0 if is_counted else sum(map(process_trees.is_running, members))
        self._over = (
            self.over  # control groups of version 1 end only one of its processes
            # Time comes first, because reading the memory may take long.
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
        """Return a message if it holds too much memory; the cheap upper bounds come first."""
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
        # The system does not show if an open memory file is also mapped.
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
    """A check of all watched bots, in a thread of its own that runs only while there are any."""

    def __init__(self, may_start: threading.Lock) -> None:
        """Prepare the watchdog; `may_start` keeps forks and checks apart."""
        self._may_start: Final = may_start
        self._watched: Final[set[Watched]] = set()
        self._lock: Final = threading.Lock()
        self._is_awake = False

    def wake(self) -> None:
        """Start the thread if it does not run; raises MachineError.

        The caller holds `may_start`.
        """
        with self._lock:
            if not self._is_awake:
                try:
                    threading.Thread(target=self._run, daemon=True).start()
                except RuntimeError as error:  # a thread counts like a process
                    raise process_trees.lacking("nobody can watch bots", errno.EAGAIN) from error
                self._is_awake = True

    def add(self, watched: Watched) -> None:
        """Begin to watch a bot; the thread must run."""
        with self._lock:
            self._watched.add(watched)

    def drop(self, watched: Watched) -> None:
        """Stop watching a bot; call this before waiting for its process."""
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
                    with suppress(OSError):  # such as too few descriptors
                        watched.look()


def trim_cache(folder: str, most_bytes: int) -> None:
    """Empty a cache that exceeds its limit; raises OSError if it cannot be opened."""
    if any(looks(folder, most_bytes)):
        process_trees.empty(folder)


def looks(folder: str, most_bytes: int, most_files: int | None = None) -> Iterator[str]:
    """Yield a message if a cache is too large; yields empty strings in between, to allow pauses."""
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
    except OSError as error:  # too deep, or not readable
        yield f"its cache cannot be looked through: {os.strerror(error.errno or errno.EIO)}"
