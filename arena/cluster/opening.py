"""What `--cluster` names: a scheduler that is there, or one that is started here for a trial.

A trial has Dask's own command line start a scheduler and workers, which end with this process.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Final

from lath.arena import signals
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.referee import trees
from lath.arena.tournament.places import Elsewhere
from lath.arena.tournament.system import PATIENCE_S
from lath.arena.walls.limits import die_with

LOCAL: Final = "local:"

MOST_LOCAL: Final = 64
"""Workers of a trial; each is two processes and 90 MB."""

START_S: Final = 60.0
"""How long a scheduler may take to say where it is: on a busy machine it takes seconds."""

END_S: Final = 5.0

_FOLDER: Final = "lath-cluster-"
"""How folders of trials begin; the number of the process that made it follows."""

SETTINGS: Final = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "60s",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
    # Else a worker looks at the stacks of all its threads a hundred times a second.
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
}
"""What a scheduler and its workers should be started with."""

WORKER: Final = ("--nworkers", "1", "--nthreads", "1", "--memory-limit", "0", "--no-nanny")


def refuse_without_dask() -> None:
    """Raise ConfigError where the extra is not installed."""
    if find_spec("distributed") is None:
        raise ConfigError(
            "--cluster needs Dask.distributed, which is not installed: pip install "
            "'lath-arena[dask]'"
        )


@contextmanager
def cluster_at(
    named: str, *, hosts_alike: bool = False, patience_s: float = PATIENCE_S
) -> Iterator[Elsewhere]:
    """Give the cluster that is named: an address, or `local:N` for N workers on this machine.

    Raises ConfigError, and ArenaError where a trial cannot be started.
    """
    with address_of(named) as (address, workers):
        from lath.arena.cluster.cluster import Cluster

        yield Cluster(address, hosts_alike=hosts_alike, patience_s=patience_s, workers=workers)


@contextmanager
def address_of(named: str) -> Iterator[tuple[str, int]]:
    """Give the address of a scheduler, and how many workers there will be at least.

    Raises as `cluster_at` does.
    """
    refuse_without_dask()
    _hush()
    if not named.startswith(LOCAL):
        yield named, 1
        return
    workers = _count(named)
    with trial(workers) as address:
        yield address, workers


def _hush() -> None:
    """Have Dask write nothing to the terminal: what is lost people are told by us."""
    from distributed.versions import VersionMismatchWarning  # it sets up what is taken away here

    warnings.filterwarnings("ignore", category=VersionMismatchWarning)
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _count(named: str) -> int:
    text = named.removeprefix(LOCAL)
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= MOST_LOCAL):
        raise ConfigError(f"--cluster {named!r}, expected local:N with N from 1 to {MOST_LOCAL}")
    return int(text)


@contextmanager
def trial(workers: int) -> Iterator[str]:
    """Start a scheduler and workers of one thread on this machine; give the scheduler's address.

    They end with the block, and with this process however that ends. Raises ArenaError.
    """
    _remove_left()
    folder = Path(mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))
    processes: list[subprocess.Popen[bytes]] = []
    try:
        at = folder / "scheduler.json"
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        scheduler = _dask("scheduler", (*options, "--scheduler-file", str(at)), folder)
        processes.append(scheduler)
        address = _address(at, scheduler)
        for _ in range(workers):
            own = ("--host", "127.0.0.1", "--no-dashboard", "--local-directory", str(folder))
            processes.append(_dask("worker", (address, *WORKER, *own), folder))
        yield address
    finally:
        _end(processes)
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left() -> None:
    """Remove folders of trials whose process was killed."""
    for folder in Path(gettempdir()).glob(f"{_FOLDER}*"):
        pid = folder.name.removeprefix(_FOLDER).partition("-")[0]
        if pid.isdigit() and not _is_alive(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _dask(what: str, options: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    """Start Dask's own program with our modules; what it says goes into a file."""
    with (folder / f"{what}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", f"distributed.cli.dask_{what}", *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **SETTINGS},
            start_new_session=True,  # a Ctrl-C is the runner's
            preexec_fn=partial(die_with, os.getpid()),  # noqa: PLW1509 - there is no other thread
        )
    trees.own.add(process.pid)
    return process


def _address(at: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """Return where a scheduler is, as soon as it says so; raises ArenaError."""
    until_s = time.monotonic() + START_S
    while time.monotonic() < until_s and scheduler.poll() is None:
        with suppress(OSError, ValueError, KeyError):
            return str(json.loads(at.read_text())["address"])
        with signals.interruptible():
            time.sleep(0.05)
    said = (at.parent / "scheduler.log").read_text(errors="replace").strip().splitlines()
    raise ArenaError(f"no scheduler could be started here: {said[-1] if said else 'it is silent'}")


def _end(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in reversed(processes):
        process.terminate()
    until_s = time.monotonic() + END_S
    for process in reversed(processes):
        try:
            process.wait(max(0.0, until_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        trees.own.discard(process.pid)
