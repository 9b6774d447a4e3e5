"""The connection to a Dask scheduler: its workers, and calls to them that always end.

Adds to Dask a time limit for every call and the detection of silent workers. It does not use
`Client.get_executor`, whose futures never end if a result cannot be fetched.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import re
import socket
import stat
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from lath import DOCUMENTATION
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.tournament.run.slots import PlaceLostError
from lath.notation.extras import EXTRAS

if TYPE_CHECKING:
    from distributed import Client
    from distributed.security import Security

GUIDE: Final = f"{DOCUMENTATION}how-to/run-on-several-machines/"

INSIST: Final = "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION=false"
"""The variable with which an organiser allows connections without certificates on this machine."""

CONNECT_S: Final = 10.0
"""The time limit for a scheduler's answer, in seconds."""

AGAIN_S: Final = 2.0
"""The time between two attempts to reach a lost scheduler, in seconds."""

POLL_S: Final = 1.0
"""The shortest time between two queries for the workers, in seconds."""

EACH_S: Final = 0.02
"""The additional time between queries for each worker, in seconds."""

SILENCE_S: Final = 30.0
"""The time after which a silent worker counts as lost, in seconds.

Dask's workers report every half second in a small cluster, and every nine seconds among 1,600.
"""

CLOSE_S: Final = 2.0
"""The time limit for Dask to close a connection, in seconds."""

SHORT_S: Final = 60.0
"""The time limit of a call that plays no games, in seconds."""

_FOREIGN: Final = re.compile(r"\bTLS certificate\b|SSL[A-Z]*Error")
"""The pattern of Dask's errors if one side does not trust the other."""

_NOT_READ: Final = "Error during deserialization"
"""The beginning of Dask's error if its scheduler lacks the arena's modules."""


class RemoteError(ArenaError):
    """A function called on a worker raised an error, described by the text."""


@dataclass(frozen=True, slots=True)
class SeenWorker:
    """A worker that the scheduler knows."""

    address: str
    threads: int
    ip: str
    """The address of its machine, as the scheduler reaches it."""


def is_loopback(address: str) -> bool:
    """Return True if an address such as `tcp://127.0.0.1:8786` is only on this machine."""
    host = urlsplit(address).hostname or ""
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return all(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in found)


def security_of(address: str) -> Security | None:
    """Return the certificates for an address; None if the organiser allows none on this machine.

    Raises ConfigError for an invalid address, a missing certificate, or a key that others can read.
    """
    parts = urlsplit(address)
    try:
        is_whole = bool(parts.hostname and parts.port)
    except ValueError:
        is_whole = False
    if parts.scheme not in ("tcp", "tls") or not is_whole:
        raise ConfigError(
            f"--cluster: {address!r} is not tls://HOST:PORT, local:N or tcp://127.0.0.1:PORT"
        )
    if parts.scheme == "tcp":
        _refuse_in_the_clear(address)
        return None
    from distributed.security import Security  # of an extra

    found = Security(require_encryption=True)
    names = {
        "ca-file": found.tls_ca_file,
        "client.cert": found.tls_client_cert,
        "client.key": found.tls_client_key,
    }
    if missing := [f"distributed.comm.tls.{name}" for name, value in names.items() if not value]:
        raise ConfigError(
            f"--cluster {address}: Dask's configuration lacks {', '.join(missing)}",
            hint=f"{GUIDE} shows how to make the certificates",
        )
    for name, path in names.items():
        _refuse_unreadable(name, str(path))
    return found


def _refuse_in_the_clear(address: str) -> None:
    """Raise ConfigError for a scheduler without authentication, unless the organiser allows it."""
    import dask.config  # of an extra

    tls = f"use tls:// with certificates ({GUIDE})"
    if not is_loopback(address):
        raise ConfigError(
            f"--cluster {address}: tcp:// works only on this machine (127.0.0.1), because a user "
            "who can reach the scheduler can run any program on its machines",
            hint=tls,
        )
    if dask.config.get("distributed.comm.require-encryption", None) is not False:
        raise ConfigError(
            f"--cluster {address}: tcp:// needs no certificate, so each user of this machine and "
            "each bot with a network can run any program as you",
            hint=f"{tls}, or local:N, which makes its own; {INSIST} allows tcp:// on this machine",
        )


def _refuse_unreadable(name: str, path: str) -> None:
    if "-----BEGIN" in path:  # Dask takes the text itself, too
        return
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a path of Dask's
        with open(path, "rb"):  # noqa: PTH123 - a path of Dask's
            pass
    except OSError as error:
        raise ConfigError(f"distributed.comm.tls.{name}: {path}: {error.strerror}") from error
    if name.endswith("key") and mode & (stat.S_IROTH | stat.S_IWOTH):
        raise ConfigError(
            f"distributed.comm.tls.{name}: {path} can be read by every user of this machine",
            hint=f"chmod 600 {path}",
        )


class SchedulerLink:
    """A connection to a scheduler, restored after a loss, with its workers and calls to them.

    Runs in its own thread; all methods are for other threads.
    """

    def __init__(self, address: str, security: Security | None) -> None:
        """Connect to a scheduler; raises ArenaError if it does not answer."""
        self.address: Final = address
        self.dashboard = ""
        self.workers: Mapping[str, SeenWorker] = {}
        """The responsive workers by address; replaced at each update."""
        self.is_connected = False
        self.why = ""
        """The reason for a lost connection."""
        self._security: Final = security
        self._client: Client | None = None
        self._calls: Final[set[asyncio.Task[Any]]] = set()
        self._since: dict[str, tuple[float, float]] = {}
        """The last time that each worker reported, and when that was received."""
        self._asked_s = time.monotonic()
        """The time of the last query for the workers."""
        self._loop: asyncio.AbstractEventLoop
        self._is_closing = False
        begun: Future[None] = Future()
        self._thread: Final = threading.Thread(
            target=asyncio.run, args=(self._keep(begun),), daemon=True
        )
        self._thread.start()
        begun.result()

    async def _keep(self, begun: Future[None]) -> None:
        """Keep the connection until it is closed; `begun` reports the first attempt."""
        self._loop = asyncio.get_running_loop()
        while not self._is_closing:
            try:
                await self._stay(begun)
            # Dask may raise anything, and only Dask cancels this task.
            except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001
                self.why = " ".join(f"{error}".split()) or type(error).__name__
            if not begun.done():
                begun.set_exception(ArenaError(self._unanswered()))
                return
            for _ in range(round(AGAIN_S / 0.1)):
                if not self._is_closing:
                    await asyncio.sleep(0.1)

    def _unanswered(self) -> str:
        if _FOREIGN.search(self.why):
            return (
                f"cluster {self.address}: the scheduler and this machine do not accept each "
                f"other's certificates: {self.why} ({GUIDE})"
            )
        return f"cluster {self.address}: no scheduler answers: {self.why}"

    async def _stay(self, begun: Future[None]) -> None:
        """Connect, and watch the workers while the connection lasts."""
        from distributed import Client  # of an extra

        client = Client(
            self.address,
            asynchronous=True,
            set_as_default=False,
            security=self._security,
            timeout=CONNECT_S,
        )
        try:
            await asyncio.wait_for(client, 2 * CONNECT_S)
            self._client, self._asked_s = client, time.monotonic()
            while client.status == "running" and not self._is_closing:
                found = await asyncio.wait_for(client.scheduler.identity(n_workers=-1), SHORT_S)
                self._note(found["workers"])
                if "dashboard" in found.get("services", {}):
                    self.dashboard = str(client.dashboard_link or "")
                self.is_connected, self.why = True, ""
                if not begun.done():
                    begun.set_result(None)
                until_s = time.monotonic() + max(POLL_S, EACH_S * len(self.workers))
                while time.monotonic() < until_s and not self._is_closing:
                    if client.status != "running":
                        return
                    await asyncio.sleep(0.05)
        finally:
            self.is_connected, self.workers, self._client = False, {}, None
            self.why = self.why or "the connection was lost"
            for call in list(self._calls):
                call.cancel()
            with suppress(Exception):
                await asyncio.wait_for(client.close(), CLOSE_S)

    def _note(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        """Update the workers; leave out those that have been silent for too long."""
        now_s = time.monotonic()
        # If this process itself was stopped for a while, the workers were not silent.
        late_s = now_s - self._asked_s - max(POLL_S, EACH_S * len(self._since))
        held_s = late_s if late_s > SILENCE_S / 2 else 0.0
        self._asked_s = now_s
        before, self._since = self._since, {}
        there = {}
        for address, row in workers.items():
            said_s, heard_s = before.get(address, (0.0, now_s))
            heard_s = now_s if row["last_seen"] != said_s else heard_s + held_s
            self._since[address] = row["last_seen"], heard_s
            if now_s - heard_s < SILENCE_S:
                there[address] = SeenWorker(address, row["nthreads"], row["host"])
        self.workers = there

    def do(self, what: Coroutine[Any, Any, Any]) -> Future[Any]:
        """Run a coroutine that awaits `call`; its future ends if the connection is lost."""
        told: Future[Any] = Future()
        self._loop.call_soon_threadsafe(self._begin, what, told)
        return told

    def _begin(self, what: Coroutine[Any, Any, Any], told: Future[Any]) -> None:
        if told.cancelled() or not self.is_connected:
            what.close()
            if not told.done():
                told.set_exception(PlaceLostError(self.why or "the scheduler has stopped"))
            return
        task = self._loop.create_task(what)
        self._calls.add(task)
        task.add_done_callback(partial(self._end, told))
        told.add_done_callback(partial(self._cancel, task))

    def _end(self, told: Future[Any], task: asyncio.Task[Any]) -> None:
        """Pass on the result of a coroutine, unless the caller has given it up."""
        self._calls.discard(task)
        lost = PlaceLostError(self.why or "the scheduler has stopped")
        error = lost if task.cancelled() else task.exception()
        with suppress(InvalidStateError):
            if error is not None:
                told.set_exception(error)
            else:
                told.set_result(task.result())

    def _cancel(self, task: asyncio.Task[Any], told: Future[Any]) -> None:
        if told.cancelled():
            with suppress(RuntimeError):  # the link is closed
                self._loop.call_soon_threadsafe(task.cancel)

    async def call(
        self,
        address: str,
        function: Callable[..., str],
        *arguments: object,
        within_s: float = SHORT_S,
        priority: int = 0,
    ) -> str:
        """Return the text answer of a function on a worker.

        Raises RemoteError, and PlaceLostError if the worker is lost or does not answer in time.
        """
        from distributed import CancelledError, KilledWorker  # of an extra
        from distributed.comm import CommClosedError

        if (client := self._client) is None:
            raise PlaceLostError("the scheduler has stopped")
        future = client.submit(
            function,
            *arguments,
            workers=[address],
            allow_other_workers=False,
            pure=False,
            priority=priority,
        )
        try:
            return str(await asyncio.wait_for(future.result(), within_s))
        except TimeoutError as error:
            raise PlaceLostError(f"no answer in {within_s:.0f} s") from error
        except asyncio.CancelledError:
            raise
        except CancelledError as error:
            raise PlaceLostError("the scheduler has stopped") from error
        except KilledWorker as error:
            raise PlaceLostError("its process died at every task") from error
        except (CommClosedError, OSError) as error:
            raise PlaceLostError(f"{error}") from error
        except ModuleNotFoundError as error:
            raise RemoteError(f"{error}: {EXTRAS['dask'].install} there") from error
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            if _NOT_READ in words:
                words = f"the scheduler cannot read its messages: {EXTRAS['dask'].install} there"
            raise RemoteError(words) from error
        finally:
            future.release()

    async def tell(self, address: str, function: Callable[[str], str], text: str) -> None:
        """Have a short function called on a worker at once, even while it is busy."""
        if (client := self._client) is not None:
            running = client.run(function, text, workers=[address])
            with suppress(Exception):
                await asyncio.wait_for(running, CONNECT_S / 2)

    def close(self) -> None:
        """Disconnect from the scheduler, and cancel unanswered calls."""
        self._is_closing = True
        self._thread.join(CONNECT_S)
