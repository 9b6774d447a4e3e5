"""A Dask cluster on this machine, as an organiser starts one: a scheduler and workers.

Workers at different loopback addresses are different hosts to a runner. They use no certificates,
which the runner must allow; tests of certificates have their own cluster.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import dask.config
from processes import PATIENCE_S

from lath import games
from lath.arena.cluster import entry_point
from lath.arena.cluster.cluster import Cluster
from lath.arena.cluster.messages import Hello, RunTerms
from lath.arena.cluster.opening import SETTINGS, WORKER
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import NO_ADJUDICATION
from lath.arena.sandbox.limits import die_with
from lath.arena.tournament.configuration.config import Config, build
from lath.arena.tournament.run.events import ClusterSeen, Event, GameEnded, Waiting, Warned
from lath.arena.tournament.run.folder import run
from lath.arena.tournament.run.progress import RunSummary
from lath.games.core import version_of
from lath.notation import read
from lath.notation.protocol import TimeControl
from lath.notation.record.record import Record

HOST, OTHER_HOST = "127.0.0.1", "127.0.0.2"

PLAIN: Final = {"DASK_DISTRIBUTED__ADMIN__LOG_FORMAT": "%(message)s"}

dask.config.set({"distributed.comm.require-encryption": False})

HELLO = Hello(
    node="node",
    versions=entry_point.versions(),
    games={game_id: version_of(games.get(game_id)) for game_id in games.builtin_ids()},
    cpu="a processor",
    cores=2,
    speed=1000.0,
    resolution_ns=1.0,
    reading_ns=50.0,
    no_bwrap="",
    is_root=False,
    bots=("random",),
    free_bytes=1 << 30,
)
"""The description that a machine gives of itself."""


def terms_of(**change: Any) -> RunTerms:
    """Return the terms of an ordinary run with these changes."""
    usual: dict[str, Any] = {
        "tree": "",
        "bots": (),
        "games": ("yavalath",),
        "game_files": (),
        "limits": Limits(time=TimeControl(nodes=1)),
        "adjudication": NO_ADJUDICATION,
        "keeps_logs": False,
        "pins": False,
        "wall": "auto",
        "must_be_walled": False,
    }
    return RunTerms(**{**usual, **change})


@dataclass
class Machines:
    """A scheduler and workers started by a test."""

    folder: Path
    address: str = ""
    scheduler: subprocess.Popen[bytes] | None = None
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    """The environment variables of all of them."""

    under: tuple[str, ...] = ()
    """The command that starts the next of them, such as one that changes networks."""

    @property
    def processes(self) -> list[subprocess.Popen[bytes]]:
        """Return the scheduler and the workers."""
        return [*self.workers, *([self.scheduler] if self.scheduler else [])]

    def start_scheduler(self, host: str = HOST, port: int = 0, *options: str) -> None:
        """Start a scheduler, and wait for its address."""
        at = self.folder / "scheduler.json"
        at.unlink(missing_ok=True)
        words = ["--host", host, "--port", str(port), "--no-dashboard", "--scheduler-file", str(at)]
        self.scheduler = self._start("scheduler", *words, *options)
        self.address = until(lambda: _address(at))

    def add(
        self, host: str = HOST, threads: int = 1, *options: str, **env: str
    ) -> subprocess.Popen[bytes]:
        """Start a worker without waiting for it."""
        place = self.folder / f"local-{host}-{len(self.workers)}"
        home = {"XDG_CACHE_HOME": str(self.folder / f"cache-{host}")}
        words = [self.address, *WORKER, "--no-dashboard", "--host", host]
        words += ["--local-directory", str(place), *options]
        words[words.index("--nthreads") + 1] = str(threads)
        entry_point = self._start("worker", *words, **home, **env)
        self.workers.append(entry_point)
        return entry_point

    def _start(self, what: str, *words: str, **env: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{what}.log").open("ab") as log:
            return subprocess.Popen(
                [*self.under, sys.executable, "-P", "-m", f"distributed.cli.dask_{what}", *words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **SETTINGS, **PLAIN, **self.env, **env},
                start_new_session=True,
                preexec_fn=partial(die_with, os.getpid()),  # noqa: PLW1509 - it allocates nothing
            )

    def stop(self, *processes: subprocess.Popen[bytes]) -> None:
        """End the processes and wait; without arguments, end all."""
        ended = processes or self.processes
        for process in ended:
            with suppress(ProcessLookupError):
                process.send_signal(signal.SIGCONT)
            process.kill()
        for process in ended:
            process.wait(PATIENCE_S)
            if process in self.workers:
                self.workers.remove(process)

    @property
    def said(self) -> str:
        """Return the output of all of them, to explain a failed test."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))


def until(found: Callable[[], Any]) -> Any:
    """Wait for a truthy result and return it."""
    end_s = time.monotonic() + PATIENCE_S
    while not (what := found()):
        assert time.monotonic() < end_s, "waited in vain"
        time.sleep(0.02)
    return what


def _address(at: Path) -> str:
    with suppress(OSError, ValueError, KeyError):
        return str(json.loads(at.read_text())["address"])
    return ""


@contextmanager
def machines(
    folder: Path, *hosts: str, threads: int = 1, env: Mapping[str, str] = MappingProxyType({})
) -> Iterator[Machines]:
    """Give a scheduler and a worker on each host, with these variables."""
    made = Machines(folder, env=dict(env))
    try:
        made.start_scheduler()
        for host in hosts:
            made.add(host, threads)
        yield made
    finally:
        made.stop()


class Watcher:
    """A listener that stores events and reacts to some."""

    def __init__(self, act: Callable[[Event], object] = lambda _: None) -> None:
        self.act = act
        self.warnings: list[str] = []
        self.games: list[int] = []
        self.clusters: list[ClusterSeen] = []

    def __call__(self, event: Event | Waiting) -> None:
        if isinstance(event, Waiting):
            return
        if isinstance(event, Warned):
            self.warnings.append(event.text)
        elif isinstance(event, GameEnded):
            self.games.append(event.number)
        elif isinstance(event, ClusterSeen):
            self.clusters.append(event)
        self.act(event)


def a_tournament(*bots: dict[str, Any], folder: Path = Path(), **more: Any) -> Config:
    """Return a tournament of Yavalath with node limits, by default between bundled bots."""
    table = {
        "games": ["yavalath"],
        "rounds": 3,
        "time": {"nodes": 200},
        "openings": "random:2",
        "bot": list(bots) or [{"name": "random"}, {"name": "greedy"}],
        **more,
    }
    return build(table, folder)


def play(
    config: Config,
    folder: Path,
    address: str = "",
    tell: Watcher | None = None,
    *,
    patience_s: float = 60.0,
    **more: Any,
) -> RunSummary:
    """Play a tournament on a cluster, or on this machine without an address."""
    elsewhere = Cluster(address, patience_s=patience_s, **more) if address else None
    return run(
        config,
        folder,
        tell or Watcher(),
        with_report=False,
        patience_s=patience_s,
        elsewhere=elsewhere,
    )


def games_of(folder: Path) -> dict[int, str]:
    """Return the games of a directory by number, without the values that depend on place and day.

    Each must be stored once.
    """
    found: dict[int, str] = {}
    for record in read(folder / "games.lath"):
        assert isinstance(record, Record)
        number = int(record.tag("Number"))
        assert number not in found
        tags = [tag for tag in record.tags if tag[0] not in ("Host", "Date", "Event")]
        found[number] = f"{tags} {' '.join(ply.move for ply in record.plies)} {record.result}"
    return found


def hosts_of(folder: Path) -> list[str]:
    """Return the machine of each game in a directory."""
    return re.findall(r'^\[Host "(.*)"\]$', (folder / "games.lath").read_text(), re.MULTILINE)
