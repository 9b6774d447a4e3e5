"""Connections to the site: how many there are, and how long each may take over what it does.

A visitor who sends or reads slowly, or nothing, has a place for a while only; where all places are
taken, whoever has waited longest without a request makes room.
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
"""How long a request may take to arrive, up to the end of its headers."""

BODY_S: Final = 20.0
"""How long its body may take."""

STALL_S: Final = 20.0
"""How long an answer may wait for who does not read it."""

READ_S: Final = 600.0
"""How long an answer may take to be read."""

MOST: Final = 1_024
"""Connections at once; fewer if the system grants fewer open files."""

HURRY_S: Final = 0.5
"""How long one may wait without a request if more than half of them are taken."""

SPARE: Final = 128
"""Open files that the rest of the site needs."""

EVERY_S: Final = 0.5
"""How often all are looked at."""

Phase = Literal["head", "body", "answer"]


class Connections(ServerState):
    """All connections to the site; the state of a server that `Connection` belongs to."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most: Final = most
        self.open: Final[dict[Connection, None]] = {}
        """Those that are open, the oldest first."""
        self._next_s = 0.0

    def make_room(self, new: Connection) -> None:
        """Close some that wait without a request, or are read slowly, or the new one."""
        now_s, is_full = time.monotonic(), len(self.open) > self.most
        is_busy = len(self.open) > self.most // 2 and now_s >= self._next_s
        if not is_full and not is_busy:
            return
        self._next_s = now_s + EVERY_S / 5  # to look at all takes a while
        others = [one for one in self.open if one is not new]
        for one in others:
            one.look(now_s)
        idle = [one for one in others if one.phase == "head"]
        idle = [one for one in idle if now_s - one.since_s > HURRY_S] or (idle if is_full else [])
        if is_full and not idle:
            idle = [one for one in others if one.behind_s is not None] or [new]
        many = Counter(one.address for one in self.open)
        idle.sort(key=lambda one: (-many[one.address], one.since_s))
        # One by one would cost as much each; the latest may have sent their request already.
        for one in idle[: max(1, min(len(idle) // 2, self.most // 8))]:
            one.drop()

    def sweep(self) -> None:
        """Close those that take too long."""
        now_s = time.monotonic()
        for one in list(self.open):
            if one.is_late(now_s):
                one.drop()


class Connection(H11Protocol):
    """A connection by HTTP/1.1, as uvicorn has it."""

    server_state: Connections

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a place."""
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self.phase: Phase = "head"
        self.since_s = time.monotonic()
        """When the phase began."""
        self.behind_s: float | None = None
        """Since when something waits to be read; None if nothing does."""
        self._progress_s = 0.0
        """When some of it was read last."""
        self._unread = 0
        self._answered: Any = None
        self.server_state.open[self] = None
        self.server_state.make_room(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
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
        """Note what the visitor does."""
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
        """Return whether the visitor takes too long."""
        self.look(now_s)
        if self.behind_s is not None:
            return now_s - self._progress_s > STALL_S or now_s - self.behind_s > READ_S
        limit_s = {"head": HEAD_S, "body": BODY_S}.get(self.phase)
        return limit_s is not None and now_s - self.since_s > limit_s

    def drop(self) -> None:
        """Close the connection now, whatever waits to be sent."""
        self.server_state.open.pop(self, None)
        self.transport.abort()
