"""The functions that a Dask worker runs for a runner: describe itself, install bots and play pairs.

Worker processes play the games, as on the runner's machine. There is one for each thread of the
Dask worker, which only waits for them, so the bots lose no time to Dask. The processes end when no
run needs them, and also when the Dask worker ends in any way. Dask calls the functions here by
their names; each takes a JSON text and returns one.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import BrokenExecutor, Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Final

import lath
from lath import games
from lath.arena.cluster import bundles
from lath.arena.cluster.messages import (
    BotSaid,
    Entered,
    GreetingOf,
    Hello,
    PairTask,
    Task,
    TaskAnswer,
    WorkerEntry,
    read,
    write,
)
from lath.arena.cluster.preparation import Prepared, prepare
from lath.arena.doctor.doctor import clock_numbers
from lath.arena.entrants.confinement import kept
from lath.arena.entrants.programs import bundled, is_there
from lath.arena.errors import ArenaError, MachineError
from lath.arena.machine import system
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.sandbox import bubblewrap, users
from lath.arena.sandbox.limits import close_to_others
from lath.arena.tournament.run.slots import Worker
from lath.arena.tournament.run.worker import GreetJob, greet_bot, play_pair
from lath.arena.tournament.store.jobs import PairJob
from lath.games.core import version_of
from lath.games.files import VARIABLE as GAMES
from lath.games.plugins import origins
from lath.games.sources import digest as digest_of_rules

IDLE_S: Final = 10.0
"""Seconds for which an unused worker process and its bots are kept."""

MOST_TERMS: Final = 8
"""Number of runs whose bots stay ready; beyond that, the least recently used run is removed."""

PREPARE_S: Final = 1800.0
"""Time limit in seconds for all builds and other work before the first game."""

DASKS: Final = "dask-scratch-space"
"""Part of the name of the folder in which a Dask worker keeps its files."""

_STEPS: Final = 100_000
_TRIES: Final = 9


# Description of the worker


def hello(_text: str) -> str:
    """Return the description of this worker, a `Hello`."""
    own = {one: version_of(games.get(one)) for one in games.builtin_ids()}
    clock = clock_numbers()
    return write(
        Hello(
            node=platform.node() or "nameless",
            versions=versions(),
            games=own,
            packages={name: origin.tag for name, origin in origins().items()},
            cpu=system.machine()["cpu"],
            cores=len(system.available()),
            speed=round(speed(), 1),
            resolution_ns=clock["resolution_ns"],
            reading_ns=clock["reading_ns"],
            no_bwrap=str(bubblewrap.why_not(has_own_user=users.can_be_given())),
            is_root=users.can_be_given(),
            bots=tuple(bundled()),
            free_bytes=_free_bytes(),
        )
    )


def _free_bytes() -> int:
    try:
        place = kept("bundles")
        return shutil.disk_usage(next(p for p in (place, *place.parents) if p.exists())).free
    except (ArenaError, OSError):
        return 0


@cache
def versions() -> dict[str, str]:
    """Return the versions that must be the same on all machines, by name."""
    return {
        "lath-arena": f"{metadata.version('lath-arena')}, files {_digest_of_ours()[:12]}",
        "distributed": metadata.version("distributed"),
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


def _digest_of_ours() -> str:
    """Return the SHA-256 of all installed modules that may affect games."""
    total = hashlib.sha256()
    for place in lath.__path__:
        for folder in ("games", "notation", "arena", "bots"):
            for path in sorted(Path(place, folder).rglob("*.py")):
                name = path.relative_to(place)
                if name.is_relative_to("arena/starters"):  # in a wheel, but not in a checkout
                    continue
                total.update(f"{name}\0".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def speed() -> float:
    """Return this machine's speed: thousands of fixed steps per second of CPU time.

    It is the best of several tries, since other work on the machine slows some of them.
    """
    return max(map(_steps_a_ms, range(_TRIES)))


def _steps_a_ms(seed: int) -> float:
    began_ns = time.thread_time_ns()
    state, seen = seed, {}
    for step in range(_STEPS):
        state = (state * 1_103_515_245 + 12_345) & 0x7FFF_FFFF
        seen[state & 1023] = step
    return _STEPS / max(1, time.thread_time_ns() - began_ns) * 1e6


# Installation of bots


@dataclass(slots=True)
class _Stay:
    """A run whose bots are ready on this machine."""

    entry: WorkerEntry
    bots: dict[str, BotSpec]
    env: Mapping[str, str]
    """Environment variables of the processes that play."""

    in_use: ExitStack = field(default_factory=ExitStack)

    def job(self, pair: PairTask) -> PairJob:
        """Return a pair as a job of a worker process; its records name this machine."""
        terms, host = self.entry.terms, ("Host", self.entry.host)
        one, other = (
            replace(self.bots[name], options={**self.bots[name].options, **options})
            for name, options in zip(pair.bots, pair.options, strict=True)
        )
        return PairJob(
            pair=pair.pair,
            games=tuple(replace(plan, tags=(*plan.tags, host)) for plan in pair.games),
            bots=(one, other),
            limits=terms.limits,
            tree=terms.tree,
            adjudication=terms.adjudication,
            keeps_logs=terms.keeps_logs,
            spent=pair.spent,
            started=pair.started,
        )


_stays: Final[OrderedDict[str, _Stay]] = OrderedDict()
"""Runs by the digest of their terms; the most recently used is the last."""

_entering: Final = threading.Lock()


def enter(text: str) -> str:
    """Prepare the bots of a `WorkerEntry`; return an `Entered`."""
    entry = read(WorkerEntry, text)
    with _entering:
        if (known := _stays.get(entry.digest)) and known.entry == entry:
            _needed(entry.digest)
            return write(Entered())
        close_to_others()
        stack = ExitStack()
        try:
            done = _enter(entry, text, stack)
        except (ArenaError, OSError) as error:
            done = Entered(refused=str(error))
        if done.missing or done.refused:
            stack.close()
        return write(done)


def _needed(digest: str) -> None:
    """Note that a run is still in use."""
    with suppress(KeyError):
        _stays.move_to_end(digest)


def _enter(entry: WorkerEntry, text: str, stack: ExitStack) -> Entered:
    for path in sys.path:  # Dask adds its folder to the path
        if DASKS in path and (other := bundles.changed_by_others(Path(path))):
            return Entered(
                refused=f"Dask imports from {path}, and other users can change {other}: "
                "`--local-directory` of `dask worker` names another folder"
            )
    digests = [bot.bundle for bot in entry.terms.bots if bot.bundle]
    if missing := stack.enter_context(bundles.used(digests)):
        return Entered(missing=missing)
    env = _environment(entry)
    worker = Worker(entry.terms.tree, env=env)
    try:
        answer = worker.submit(prepare, (text, secrets_here())).result(PREPARE_S)
        worker.shutdown(wait=False)
        worker.join(time.monotonic() + IDLE_S)
    except (TimeoutError, BrokenExecutor) as error:
        worker.end()
        process_trees.sweep(f"{entry.terms.tree}{worker.pid}.")
        late = f"bots are not ready after {PREPARE_S / 60:.0f} minutes"
        raise ArenaError(late if isinstance(error, TimeoutError) else f"{error}") from error
    finally:
        worker.end()
    found = read(Prepared, answer)
    if found.refused:
        return Entered(refused=found.refused)
    if changed := tuple(digest for digest in digests if not bundles.is_valid(digest)):
        return Entered(missing=changed)  # another process changed them during preparation
    _stays[entry.digest] = _Stay(entry, {bot.name: bot for bot in found.bots}, env, stack)
    while len(_stays) > MOST_TERMS:
        _stays.popitem(last=False)[1].in_use.close()
    return Entered(warnings=found.warnings)


def _environment(entry: WorkerEntry) -> dict[str, str]:
    """Return the environment variables for a run, after writing the files of its game types."""
    paths = []
    for file in entry.terms.game_files:
        folder = kept("games") / file.sha256
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        path = folder / file.name
        modules = {name: text.encode() for name, text in file.modules.items()}
        if digest_of_rules(file.source.encode(), modules) != file.sha256:
            raise ArenaError(f"{file.name}: this game file does not match its digest")
        for name, source in {file.name: file.source.encode(), **modules}.items():
            _keep(folder / name, source)
        paths.append(f"{path}#sha256={file.sha256}")
    return {**os.environ, GAMES: os.pathsep.join(paths)}


def _keep(path: Path, source: bytes) -> None:
    """Write a file, and the folders above it, unless it is there."""
    if path.is_file() and path.read_bytes() == source:
        return
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}")
    part.write_bytes(source)
    part.chmod(0o644)
    part.replace(path)


def secrets_here() -> tuple[str, ...]:
    """Return the files of Dask's configuration that bots must not see, such as its keys.

    A trial has its own keys in memory, so the configured ones are still the organiser's.
    """
    import dask.config  # of an extra

    texts = []
    for config in (dask.config.config, dask.config.collect()):
        table = dask.config.get("distributed.comm.tls", {}, config=config) or {}
        rows = (table, *(row for row in table.values() if isinstance(row, dict)))
        texts += [value for row in rows for value in row.values() if isinstance(value, str)]
    paths = [Path(text) for text in dict.fromkeys(texts) if "/" in text]
    real = (path.resolve() for path in paths if is_there(path, Path.is_file))
    named = (str(path) for path in real if path.is_file())  # the key of a trial has no file name
    return (*named, *filter(os.path.exists, dask.config.paths))


def take(digest: str, sender: str, number: int, chunk: bytes) -> str:
    """Take a piece of a bundle, as `bundles.take` does; return an `Entered`."""
    try:
        bundles.take(digest, sender, number, chunk)
    except (ArenaError, OSError) as error:
        return write(Entered(refused=str(error)))
    return write(Entered())


# Games


class _Pool:
    """Worker processes of this Dask worker: one per thread, with separate cores if possible."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._taken: Final[set[int]] = set()
        self._idle: Final[dict[tuple[str, int], tuple[Worker, float]]] = {}
        """Idle processes by terms and place, each with the time at which it became idle."""
        self._busy: Final[dict[Worker, str]] = {}
        self._timer: threading.Timer | None = None

    @contextmanager
    def borrowed(self, stay: _Stay) -> Iterator[Worker]:
        """Give a worker process for a run; a dead one is ended. Raises OSError, MachineError."""
        digest = stay.entry.digest
        with self._lock:
            number = next(n for n in range(len(self._taken) + 1) if n not in self._taken)
            self._taken.add(number)
            worker, _ = self._idle.pop((digest, number), (None, 0.0))
        try:
            if worker is None:
                worker = Worker(stay.entry.terms.tree, _cores(stay.entry, number), env=stay.env)
            with self._lock:
                self._busy[worker] = digest
            yield worker
            with self._lock:
                if self._busy.pop(worker, ""):  # otherwise `leave` has taken it
                    self._idle[digest, number] = worker, time.monotonic()
        finally:
            with self._lock:
                self._taken.discard(number)
                if worker is not None and self._busy.pop(worker, ""):
                    worker.end()
            self._look_again()

    def _look_again(self) -> None:
        with self._lock:
            if self._timer is None and self._idle:
                self._timer = threading.Timer(IDLE_S / 2, self._end_idle)
                self._timer.daemon = True
                self._timer.start()

    def _end_idle(self) -> None:
        before_s = time.monotonic() - IDLE_S
        with self._lock:
            self._timer = None
            old = [key for key, (_, since_s) in self._idle.items() if since_s < before_s]
            ended = [self._idle.pop(key)[0] for key in old]
        for worker in ended:
            worker.shutdown(wait=False)
        until_s = time.monotonic() + IDLE_S
        for worker in ended:
            if not worker.join(until_s):
                worker.end()
        self._look_again()

    def leave(self, digest: str) -> None:
        """End all processes of a run at once, even those that are playing."""
        with self._lock:
            keys = [key for key in self._idle if key[0] == digest]
            ended = [self._idle.pop(key)[0] for key in keys]
            busy = [worker for worker, whose in self._busy.items() if whose == digest]
            for worker in busy:
                del self._busy[worker]
        for worker in (*ended, *busy):
            worker.shutdown(wait=False, cancel_futures=True)
        timer = threading.Timer(IDLE_S / 5, _end, [(*ended, *busy)])
        timer.daemon = True
        timer.start()


def _end(workers: Iterable[Worker]) -> None:
    """Kill processes that were asked to end some time ago."""
    for worker in workers:
        worker.end()


_pool: Final = _Pool()


def _cores(entry: WorkerEntry, number: int) -> system.Cores:
    """Return the cores for one place, or none if the machine has too few to separate all places."""
    threads = max(bot.spec.threads for bot in entry.terms.bots)
    shares = system.shares(entry.slots, threads, system.available())
    at = entry.first + number
    return shares[at] if entry.terms.pins and shares and at < len(shares) else ()


def play(text: str) -> str:
    """Play the pairs of a `Task` in order; return a `TaskAnswer`."""
    task = read(Task, text)
    if (stay := _stays.get(task.terms)) is None:
        return write(TaskAnswer(is_unknown=True))
    _needed(task.terms)
    results: list[str] = []
    began_s = time.monotonic()
    try:
        with _pool.borrowed(stay) as worker:
            futures: list[Future[str]] = [
                worker.submit(play_pair, stay.job(pair)) for pair in task.pairs
            ]
            try:
                results.extend(future.result() for future in futures)
            except BrokenExecutor:
                process_trees.sweep(f"{stay.entry.terms.tree}{worker.pid}.")
                raise
    except BrokenExecutor:
        return write(TaskAnswer(results=tuple(results), died=True))
    except (MachineError, OSError) as error:
        return write(TaskAnswer(results=tuple(results), lack=str(error)))
    return write(TaskAnswer(results=tuple(results), seconds=time.monotonic() - began_s))


def greet(text: str) -> str:
    """Start a bot once for a `GreetingOf`; return a `BotSaid`."""
    asked = read(GreetingOf, text)
    if (stay := _stays.get(asked.terms)) is None:
        return write(BotSaid(void="the worker does not know the bots: it was started anew"))
    terms = stay.entry.terms
    job = GreetJob(
        bot=stay.bots[asked.bot], limits=terms.limits, games=terms.games, tree=terms.tree
    )
    try:
        with _pool.borrowed(stay) as worker:
            said = json.loads(worker.submit(greet_bot, job).result())
    except (BrokenExecutor, MachineError, OSError) as error:
        said = {"void": str(error)}
    if lack := said.pop("lack", ""):
        said |= {"void": lack, "bot": "", "hint": ""}
    return write(BotSaid(**said))


def leave(digest: str) -> str:
    """End all processes of the run with this digest of its terms; return an empty text."""
    _pool.leave(digest)
    with _entering, suppress(KeyError):
        _stays.pop(digest).in_use.close()
    return ""
