"""The scheduler that `--cluster` names, or a trial cluster that is started on this machine.

A trial runs Dask's own command line as a scheduler and workers, which end with this process. They
and the runner authenticate each other with a certificate that is made for the trial. Its key is
only in their memory, so no other process can connect.
"""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Final, NamedTuple

from lath.arena.entrants.programs import is_there
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.machine import signals
from lath.arena.machine.system import PATIENCE_S
from lath.arena.referee import process_trees
from lath.arena.sandbox.limits import close_to_others, die_with, with_modules
from lath.arena.tournament.run.places import Elsewhere
from lath.notation.extras import EXTRAS

LOCAL: Final = "local:"

MOST_LOCAL: Final = 64
"""Maximum number of workers in a trial; each takes two processes and 90 MB."""

START_S: Final = 60.0
"""Seconds that a scheduler may take to report its address; a busy machine needs several."""

END_S: Final = 5.0

CERTIFICATE_S: Final = 60.0
"""Time limit in seconds for making a certificate, which takes some 10 ms on an idle machine."""

_FOLDER: Final = "lath-cluster-"
"""Prefix of the folders of trials, followed by the process that made the folder."""

SETTINGS: Final = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "60s",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
    # Without this, a worker inspects the stacks of all its threads a hundred times per second.
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
}
"""Recommended settings for a scheduler and its workers."""

_CERTIFICATE: Final = (
    *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
    *("-nodes", "-days", "365", "-subj", "/CN=lath-arena trial"),
    *("-keyout", "/dev/stdout", "-out", "/dev/stdout"),
)
"""Prints a key and a self-signed certificate."""

_PEM: Final = re.compile(r"-----BEGIN ([A-Z ]+)-----\n.*?\n-----END \1-----\n", re.DOTALL)

WORKER: Final = ("--nworkers", "1", "--nthreads", "1", "--memory-limit", "0", "--no-nanny")


def refuse_without_dask() -> None:
    """Raise ConfigError if the extra `dask` is not installed."""
    if EXTRAS["dask"].missing:
        install = EXTRAS["dask"].install
        raise ConfigError("--cluster: needs Dask.distributed, which is not installed", hint=install)


@contextmanager
def cluster_at(
    named: str, *, hosts_alike: bool = False, patience_s: float = PATIENCE_S
) -> Iterator[Elsewhere]:
    """Give the cluster at an address, or for `local:N` a trial of N workers on this machine.

    Raises ConfigError, or ArenaError if a trial cannot be started.
    """
    with address_of(named) as found:
        from lath.arena.cluster.cluster import Cluster  # start-up time

        yield Cluster(
            found.address,
            hosts_alike=hosts_alike,
            patience_s=patience_s,
            workers=found.workers,
            is_trial=found.is_trial,
        )


class NamedCluster(NamedTuple):
    """The scheduler that `--cluster` names."""

    address: str
    """Address of the scheduler."""

    workers: int
    """Minimum number of workers."""

    is_trial: bool
    """True if all workers are processes that were started here."""


@contextmanager
def address_of(named: str) -> Iterator[NamedCluster]:
    """Give the scheduler that `named` means; raises the errors of `cluster_at`."""
    refuse_without_dask()
    _hush()
    if not named.startswith(LOCAL):
        yield NamedCluster(named, workers=1, is_trial=False)
        return
    workers = _count(named)
    with trial(workers) as address:
        yield NamedCluster(address, workers, is_trial=True)


def _hush() -> None:
    """Silence Dask's messages on the terminal, since the arena reports losses itself."""
    from distributed.versions import VersionMismatchWarning  # sets up the logging

    warnings.filterwarnings("ignore", category=VersionMismatchWarning)
    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _count(named: str) -> int:
    text = named.removeprefix(LOCAL)
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= MOST_LOCAL):
        raise ConfigError(f"--cluster: {named!r} is not local:N with N from 1 to {MOST_LOCAL}")
    return int(text)


@contextmanager
def trial(workers: int) -> Iterator[str]:
    """Start a scheduler and workers of one thread on this machine; give the scheduler's address.

    They end with the block, and also when this process ends in any way. Inside the block, Dask's
    configuration contains the certificates of the trial. Raises ArenaError, or ConfigError if no
    certificate can be made.
    """
    import dask.config  # of an extra

    close_to_others()  # also for bots that run as this user
    _remove_left()
    key, certificate = new_certificate()
    folder = Path(mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))  # other users cannot open it
    own = key, certificate, str(folder)
    processes: list[subprocess.Popen[bytes]] = []
    try:
        at = folder / "scheduler.json"
        local = ("--host", "127.0.0.1", "--protocol", "tls", "--no-dashboard")
        scheduler = _dask(
            "scheduler", (*local, "--port", "0", "--scheduler-file", str(at)), folder, own
        )
        processes.append(scheduler)
        address = _address(at, scheduler)
        processes.extend(
            _dask("worker", (address, *WORKER, *local), folder, own) for _ in range(workers)
        )
        with _in_memory(key + certificate) as path, dask.config.set(_settings(path, certificate)):
            yield address
    finally:
        _end(processes)
        shutil.rmtree(folder, ignore_errors=True)


def _settings(identity: str, certificate: str) -> Mapping[str, object]:
    """Return Dask's settings for a trial, in which all sides use the trial's certificate.

    `identity` is a file with the key and the certificate, or its contents.
    """
    tls = "distributed.comm.tls"
    settings: dict[str, object] = {
        "distributed.comm.require-encryption": True,
        f"{tls}.ca-file": certificate,
    }
    for who in ("scheduler", "worker", "client"):
        settings |= {f"{tls}.{who}.cert": identity, f"{tls}.{who}.key": identity}
    return settings


@contextmanager
def _in_memory(text: str) -> Iterator[str]:
    """Give the path of a file that exists only in the memory of this process.

    On systems without such files, give the text itself, which Dask writes to a file for a moment.
    """
    if sys.platform != "linux":
        yield text
        return
    with open(os.memfd_create("certificate"), "w", encoding="ascii") as file:  # noqa: PTH123 - a descriptor
        os.fchmod(file.fileno(), 0o600)
        file.write(text)
        file.flush()
        yield f"/proc/self/fd/{file.fileno()}"


def new_certificate() -> tuple[str, str]:
    """Return a new key and its certificate as PEM, without writing a file. Raises ConfigError."""
    needs = f"--cluster {LOCAL}N: needs openssl to make a certificate, but openssl"
    other = "`--jobs N` plays here without a cluster"
    try:
        made = subprocess.run(
            _CERTIFICATE,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=CERTIFICATE_S,
            check=False,
        )
    except FileNotFoundError as error:
        raise ConfigError(f"{needs} is not installed; install it, or {other}") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ConfigError(f"{needs} failed: {error}; {other}") from error
    found = {text[1].rpartition(" ")[2]: text[0] for text in _PEM.finditer(made.stdout)}
    if made.returncode or not found.keys() >= {"KEY", "CERTIFICATE"}:
        said = made.stderr.strip().splitlines() or [f"status {made.returncode}"]
        raise ConfigError(f"{needs} failed: {said[-1]}; {other}")
    return found["KEY"], found["CERTIFICATE"]


def _remove_left() -> None:
    """Remove folders of this user's trials whose process is dead."""
    for folder in Path(gettempdir()).glob(f"{_FOLDER}*"):
        pid = folder.name.removeprefix(_FOLDER).partition("-")[0]
        is_ours = is_there(folder, lambda path: path.lstat().st_uid == os.geteuid())
        if pid.isdigit() and is_ours and not _is_alive(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _dask(
    what: str, options: Sequence[str], folder: Path, own: tuple[str, str, str]
) -> subprocess.Popen[bytes]:
    """Start Dask's scheduler or worker with the arena's modules; its output goes to a file.

    `own`, which contains the key, goes through a pipe, because other users can see command lines
    and environment variables.
    """
    with (folder / f"{what}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, what, *options],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**with_modules(os.environ), **SETTINGS},
            start_new_session=True,  # only the runner handles Ctrl-C
            preexec_fn=partial(die_with, os.getpid()),  # noqa: PLW1509 - there is no other thread
        )
    process_trees.own.add(process.pid)
    assert process.stdin
    with suppress(BrokenPipeError), process.stdin:  # a dead process is noticed later
        process.stdin.write(json.dumps(own).encode())
    return process


def _become(what: str) -> None:
    """Turn into Dask's `scheduler` or `worker`; standard input has key, certificate, folder.

    The process listens only at the port that asks for a certificate. Without this, Dask starts a
    web server on all addresses of the machine, even with its dashboard disabled.
    """
    import dask.config  # of an extra
    from distributed.node import ServerNode

    close_to_others()
    with sys.stdin as pipe:
        key, certificate, folder = json.load(pipe)
    ServerNode.start_http_server = lambda *_, **__: None
    with _in_memory(key + certificate) as path:
        dask.config.set(_settings(path, certificate))
        dask.config.set({"temporary-directory": folder})  # Dask imports modules from below it
        import_module(f"distributed.cli.dask_{what}").main()


def _address(at: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """Wait for a scheduler to report its address and return it; raises ArenaError."""
    until_s = time.monotonic() + START_S
    while time.monotonic() < until_s and scheduler.poll() is None:
        with suppress(OSError, ValueError, KeyError):
            return str(json.loads(at.read_text())["address"])
        with signals.interruptible():
            time.sleep(0.05)
    said = (at.parent / "scheduler.log").read_text(errors="replace").strip().splitlines()
    raise ArenaError(
        f"cluster: no scheduler could be started here: {said[-1] if said else 'no output'}"
    )


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
        process_trees.own.discard(process.pid)


if __name__ == "__main__":
    _become(sys.argv.pop(1))
