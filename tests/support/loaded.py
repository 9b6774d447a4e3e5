"""The arena in a process of its own, forked from one that has already loaded it.

Starting Python and loading the arena takes longer than most runs of tests. Therefore a process that
has loaded it waits for requests and forks for each run, with the run's arguments, folder,
variables, streams and session. Python's own settings, such as the language, are those of the tests.
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

_STREAMS: Final = 3

_LONGEST: Final = 1 << 20
"""The maximum of bytes of a request: arguments and variables."""


class Run(subprocess.Popen[str]):
    """A run in a fork, with the interface of `subprocess.Popen`."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        has_output: bool = False,
        output: int | None = None,
        errors: int | None = None,
        given: int | None = None,
    ) -> None:
        """Begin the run; `given` is its standard input.

        `output` and `errors` are the descriptors to write to; they are closed here.
        """
        self.args = words
        self.returncode: Any = None
        self.stdin = self.stdout = self.stderr = None
        self._said: dict[int, bytes] = {}
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        said, says = os.pipe() if errors is None else (None, errors)
        nothing = os.open(os.devnull, os.O_RDWR)
        heard, output = os.pipe() if has_output else (None, nothing if output is None else output)
        request = json.dumps({"words": words, "cwd": str(cwd), "env": dict(env)}).encode()
        with theirs:
            read = nothing if given is None else given
            for_it = [read, output, says, theirs.fileno()]
            socket.send_fds(_loaded(), [request], for_it)
            for descriptor in {nothing, output, says}:
                os.close(descriptor)
        self._ended = ours
        self.pid = int(ours.recv(_STREAMS * 8))
        text: Any = {"encoding": "utf-8", "errors": "backslashreplace"}
        self.stderr = None if said is None else os.fdopen(said, **text)
        self.stdout = None if heard is None else os.fdopen(heard, **text)

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._ended], [], [], 0)[0]:
            self._take_status()
        return self.returncode  # type: ignore[no-any-return]

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._ended], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            self._take_status()
        return int(self.returncode)

    def _take_status(self) -> None:
        self.returncode = os.waitstatus_to_exitcode(int(self._ended.recv(_STREAMS * 8)))
        self._ended.close()

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, sig)

    def communicate(
        self,
        input: str | None = None,  # noqa: A002 - Popen's name
        timeout: float | None = None,
    ) -> tuple[Any, Any]:
        assert input is None
        until_s = None if timeout is None else time.monotonic() + timeout
        streams = [stream for stream in (self.stdout, self.stderr) if stream]
        open_ones = {stream.fileno() for stream in streams if not stream.closed}
        while open_ones:
            left_s = None if until_s is None else max(0.0, until_s - time.monotonic())
            ready = select.select(list(open_ones), [], [], left_s)[0]
            if not ready:
                raise subprocess.TimeoutExpired(self.args, timeout or 0)
            for descriptor in ready:
                read = os.read(descriptor, 1 << 16)
                self._said[descriptor] = self._said.get(descriptor, b"") + read
                if not read:
                    open_ones.remove(descriptor)
        self.wait(None if until_s is None else max(0.0, until_s - time.monotonic()))
        return self._text_of(self.stdout), self._text_of(self.stderr)

    def _text_of(self, stream: Any) -> str | None:
        if stream is None or stream.closed:
            return None if stream is None else ""
        read = self._said.pop(stream.fileno(), b"")
        stream.close()
        return read.decode("utf-8", "backslashreplace").replace("\r\n", "\n")


@cache
def _loaded() -> socket.socket:
    """Return the connection to the loaded process, which lives as long as this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-c", f"import loaded; loaded.serve({theirs.fileno()})"],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parent)},
        )
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _LONGEST)

    @atexit.register
    def _end() -> None:
        ours.close()
        process.wait()

    return ours


def serve(descriptor: int) -> None:
    """Fork for each request until the connection ends."""
    from lath.arena.__main__ import main
    from lath.arena.tournament.run import runner, slots

    _load()
    # Shorter waits for results to be stored and to be visible to readers.
    slots.GATHER_S = runner.OUTCOME_S = 0.25  # type: ignore[misc]
    gc.collect()
    gc.freeze()  # forks need no garbage collection of shared objects
    with socket.socket(fileno=descriptor) as line:
        while True:
            request, descriptors, *_ = socket.recv_fds(line, _LONGEST, _STREAMS + 1)
            _bury(os.WNOHANG)  # so that their time counts for this process
            if not request:
                _bury(0)
                return
            if not os.fork():
                break
            for received in descriptors:
                os.close(received)
    *streams, status = descriptors
    if run := os.fork():
        _wait_for(run, streams, status)
    for ours, received in enumerate(streams):
        os.dup2(received, ours)
    os.closerange(_STREAMS, max(descriptors) + 1)
    _become(**json.loads(request))
    main()


def _load() -> None:
    """Load what commands load on demand, by running one, and the games."""
    from lath import arena
    from lath.arena.__main__ import run

    with redirect_stdout(io.StringIO()):
        run(["games"])
    for module in pkgutil.walk_packages(arena.__path__, f"{arena.__name__}."):
        import_module(module.name)


def _bury(how: int) -> None:
    """Wait for the children that wait for runs, or only for the ended ones."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, how)[0]:
            pass


def _wait_for(run: int, streams: list[int], status: int) -> None:
    """Report the process of a run, and its end; then exit."""
    for received in (*streams, *range(_STREAMS)):
        os.close(received)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with socket.socket(fileno=status) as told, suppress(OSError):
        told.send(b"%d" % run)
        told.send(b"%d" % os.waitpid(run, 0)[1])
    os._exit(0)


def _become(words: list[str], cwd: str, env: dict[str, str]) -> None:
    """Act like `python -m lath.arena WORDS` at its start."""
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv[1:] = words
    for name, mode, buffering in (("stdin", "r", -1), ("stdout", "w", -1), ("stderr", "w", 1)):
        was = getattr(sys, name)
        text = {"encoding": was.encoding, "errors": was.errors}
        setattr(sys, name, os.fdopen(was.fileno(), mode, buffering, **text))
