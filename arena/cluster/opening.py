"""What `--cluster` names: a scheduler that is there, or one that is started here for a trial.

A trial runs Dask's own command line as a scheduler and workers, which end with this process. They
and the runner show each other a certificate that is made for the trial. Its key is in their memory
alone, and nobody else gets in.
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
"""Workers of a trial; each is two processes and 90 MB."""

START_S: Final = 60.0
"""How long a scheduler may take to say where it is: on a busy machine it takes seconds."""

END_S: Final = 5.0

CERTIFICATE_S: Final = 60.0
"""How long a certificate may take to be made: tens of milliseconds, where nobody else computes."""

_FOLDER: Final = "lath-cluster-"
"""How folders of trials begin; the number of the process that made it follows."""

SETTINGS: Final = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "60s",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
    # Else a worker looks at the stacks of all its threads a hundred times a second.
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
}
"""What a scheduler and its workers should be started with."""

_CERTIFICATE: Final = (
    *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
    *("-nodes", "-days", "365", "-subj", "/CN=lath-arena trial"),
    *("-keyout", "/dev/stdout", "-out", "/dev/stdout"),
)
"""Writes a key and the certificate that it has signed itself."""

_PEM: Final = re.compile(r"-----BEGIN ([A-Z ]+)-----\n.*?\n-----END \1-----\n", re.DOTALL)

WORKER: Final = ("--nworkers", "1", "--nthreads", "1", "--memory-limit", "0", "--no-nanny")


def refuse_without_dask() -> None:
    """Raise ConfigError where the extra is not installed."""
    if EXTRAS["dask"].missing:
        install = EXTRAS["dask"].install
        raise ConfigError("--cluster: needs Dask.distributed, which is not installed", hint=install)


@contextmanager
def cluster_at(
    named: str, *, hosts_alike: bool = False, patience_s: float = PATIENCE_S
) -> Iterator[Elsewhere]:
    """Give the cluster that is named: an address, or `local:N` for N workers on this machine.

    Raises ConfigError, and ArenaError where a trial cannot be started.
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
    """What `--cluster` names."""

    address: str
    """Of the scheduler."""

    workers: int
    """How many there will be at least."""

    is_trial: bool
    """Whether all of them are processes that were started here."""


@contextmanager
def address_of(named: str) -> Iterator[NamedCluster]:
    """Give the scheduler that is named; raises as `cluster_at` does."""
    refuse_without_dask()
    _hush()
    if not named.startswith(LOCAL):
        yield NamedCluster(named, workers=1, is_trial=False)
        return
    workers = _count(named)
    with trial(workers) as address:
        yield NamedCluster(address, workers, is_trial=True)


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
        raise ConfigError(f"--cluster: {named!r} is not local:N with N from 1 to {MOST_LOCAL}")
    return int(text)


@contextmanager
def trial(workers: int) -> Iterator[str]:
    """Start a scheduler and workers of one thread on this machine; give the scheduler's address.

    They end with the block, and with this process however that ends. Until then Dask's
    configuration has the certificates of the trial. Raises ArenaError, and ConfigError where none
    can be made.
    """
    import dask.config  # of an extra

    close_to_others()  # bots of this user, too
    _remove_left()
    key, certificate = new_certificate()
    folder = Path(mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-"))  # nobody else can go there
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
    """Return Dask's settings of a trial, over all others: each side has the trial's certificate.

    `identity` is a file with its key, or what is in that.
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
    """Give the path of a file with a text that is in the memory of this process alone.

    Where the system has none it is the text, which Dask writes to a file for a moment.
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
    """Return a new key and its certificate, as PEM: no file has them. Raises ConfigError."""
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
    """Remove folders of our own trials whose process was killed."""
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
    """Start Dask's own program with our modules; what it says goes into a file.

    What is its `own`, such as the key, goes through a pipe: others see command lines and variables.
    """
    with (folder / f"{what}.log").open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", __name__, what, *options],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**with_modules(os.environ), **SETTINGS},
            start_new_session=True,  # a Ctrl-C is the runner's
            preexec_fn=partial(die_with, os.getpid()),  # noqa: PLW1509 - there is no other thread
        )
    process_trees.own.add(process.pid)
    assert process.stdin
    with suppress(BrokenPipeError), process.stdin:  # one that died is noticed soon enough
        process.stdin.write(json.dumps(own).encode())
    return process


def _become(what: str) -> None:
    """Be Dask's `scheduler` or `worker`, with key, certificate and folder from standard input.

    It listens at the port that asks for a certificate, and nowhere else: Dask starts a web server
    besides, even without its dashboard, and on all of the machine's addresses.
    """
    import dask.config  # of an extra
    from distributed.node import ServerNode

    close_to_others()
    with sys.stdin as pipe:
        key, certificate, folder = json.load(pipe)
    ServerNode.start_http_server = lambda *_, **__: None
    with _in_memory(key + certificate) as path:
        dask.config.set(_settings(path, certificate))
        dask.config.set({"temporary-directory": folder})  # Dask imports from what is below it
        import_module(f"distributed.cli.dask_{what}").main()


def _address(at: Path, scheduler: subprocess.Popen[bytes]) -> str:
    """Return where a scheduler is, as soon as it says so; raises ArenaError."""
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
