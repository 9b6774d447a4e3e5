"""The limits on connections to the site: their number, and the time of each step.

A visitor who sends or reads slowly, or not at all, keeps a place only for a while. If all places
are taken, the connection that has waited longest without a request is closed.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

if TYPE_CHECKING:
    import asyncio

HEAD_S: Final = 10.0
"""The time limit for a request's line and headers, in seconds."""

BODY_S: Final = 20.0
"""The time limit for a request's body, in seconds."""

STALL_S: Final = 20.0
"""The time that an answer may wait without being read, in seconds."""

READ_S: Final = 600.0
"""The time limit for reading an answer, in seconds."""

MOST: Final = 1_024
"""The number of connections, or fewer if the system grants fewer open files."""

HURRY_S: Final = 0.5
"""The time limit without a request if more than half of the places are taken, in seconds."""

SPARE: Final = 128
"""The open files that the rest of the site needs."""

EVERY_S: Final = 0.5
"""The time between two checks of all connections, in seconds."""

Phase = Literal["head", "body", "answer"]


class Connections(ServerState):
    """All connections to the site, as the server state of `Connection`."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most: Final = most
        self.open: Final[dict[Connection, None]] = {}
        """The open connections, the oldest first."""
        self._next_s = 0.0

    def make_room(self, new: Connection) -> None:
        """Close connections that wait without a request or are read slowly, or else the new one."""
        now_s, is_full = time.monotonic(), len(self.open) > self.most
        is_busy = len(self.open) > self.most // 2 and now_s >= self._next_s
        if not is_full and not is_busy:
            return
        self._next_s = now_s + EVERY_S / 5  # a check of all takes time
        others = [one for one in self.open if one is not new]
        for one in others:
            one.look(now_s)
        idle = [one for one in others if one.phase == "head"]
        idle = [one for one in idle if now_s - one.since_s > HURRY_S] or (idle if is_full else [])
        if is_full and not idle:
            idle = [one for one in others if one.behind_s is not None] or [new]
        many = Counter(one.address for one in self.open)
        idle.sort(key=lambda one: (-many[one.address], one.since_s))
        # Several at once, because each check takes time; the newest may have sent a request
        # already.
        for one in idle[: max(1, min(len(idle) // 2, self.most // 8))]:
            one.drop()

    def sweep(self) -> None:
        """Close connections that take too long."""
        now_s = time.monotonic()
        for one in list(self.open):
            if one.is_late(now_s):
                one.drop()


class Connection(H11Protocol):
    """An HTTP/1.1 connection of uvicorn with time limits."""

    server_state: Connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.phase: Phase = "head"
        self.since_s = time.monotonic()
        """The start of the phase."""
        self.behind_s: float | None = None
        """The time since which output waits to be read, or None."""
        self._progress_s = 0.0
        """The last time when some of it was read."""
        self._unread = 0
        self._answered: Any = None
        self.server_state.open[self] = None
        self.server_state.make_room(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Free the place."""
        self.server_state.open.pop(self, None)
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Note that the visitor reads."""
        self._progress_s = time.monotonic()
        super().resume_writing()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.phase, self.since_s = "head", time.monotonic()
        super().on_response_complete()

    def look(self, now_s: float) -> None:
        """Note the phase of the connection."""
        phase: Phase = "head"
        if self.cycle is not None and not self.cycle.response_complete:
            phase = "body" if self.cycle.more_body else "answer"
        if (phase, self.cycle) != (self.phase, self._answered):
            if phase != self.phase or phase != "head":
                self.since_s = now_s
            self.phase, self._answered = phase, self.cycle
        if not (unread := self.transport.get_write_buffer_size()):
            self.behind_s = None
        elif self.behind_s is None:
            self.behind_s = self._progress_s = now_s
        elif unread < self._unread:
            self._progress_s = now_s
        self._unread = unread

    def is_late(self, now_s: float) -> bool:
        """Return True if the visitor takes too long."""
        self.look(now_s)
        if self.behind_s is not None:
            return now_s - self._progress_s > STALL_S or now_s - self.behind_s > READ_S
        limit_s = {"head": HEAD_S, "body": BODY_S}.get(self.phase)
        return limit_s is not None and now_s - self.since_s > limit_s

    def drop(self) -> None:
        """Close the connection now, even with unsent output."""
        self.server_state.open.pop(self, None)
        self.transport.abort()
