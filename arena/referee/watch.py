"""Waiting for several children at once: one `poll` over all their descriptors.

Must not know the protocol. The move path is raw, with absolute deadlines on the monotonic clock.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterable
from typing import Final

from lath.arena.referee.process import Child
from lath.arena.referee.transcript import shortened

_LONGEST_POLL_MS: Final = 3_600_000
"""The system counts these milliseconds in 31 bits; a clock may hold more."""


class Watch:
    """Waits for several children at once."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._children: dict[int, Child] = {}
        """Whose each registered descriptor is."""
        self.yields = False
        """Whether the children share one core with this process: then `ask` lets them run before it
        sleeps, and mostly need not sleep."""
        self.alarms = 0
        """How often something came that was not plain output: an end, a flood, a closed pipe."""

    def add(self, child: Child) -> None:
        """Begin to listen to a child."""
        child.on_full = self._await_room
        if child.unsent:
            self._await_room(child)
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd):
            if descriptor >= 0:
                self._poll.register(descriptor, select.POLLIN)
                self._children[descriptor] = child

    def _await_room(self, child: Child) -> None:
        if child.in_fd not in self._children:
            self._poll.register(child.in_fd, select.POLLOUT)
            self._children[child.in_fd] = child

    def drop(self, child: Child) -> None:
        """Listen to a child no longer; call it before `Child.kill`."""
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd, child.in_fd):
            if self._children.pop(descriptor, None) is not None:
                self._poll.unregister(descriptor)

    def ask(self, child: Child, request: bytes, within_ms: float) -> bytes | None:
        """Send a request and wait for what comes next; return it where it is one line of the child.

        None: something else happened, or nothing within `within_ms`; `wait` goes on from there.
        This is `Child.send` and `wait` in one for what nearly every ply is: a write, a poll, a
        read. `child.asked_s` and `child.arrived_s` say when it was.
        """
        if child.unsent:
            child.asked_s = child.send(request)
            return None
        child.asked_s = asked_s = time.monotonic()
        child.exchange.append((asked_s, True, shortened(request)))
        child.write(request)
        if self.yields:
            os.sched_yield()
            if line := child.take_line():
                return line
            if child.lines:
                return None
        events = self._poll.poll(within_ms)
        if len(events) == 1 and events[0][0] == child.out_fd and (line := child.take_line()):
            return line
        self._handle(events)
        return None

    def wait(self, until_s: float) -> None:
        """Handle what the children do next; return at `until_s`, or before, if they do nothing."""
        left_s = until_s - time.monotonic()
        left_ms = min(left_s * 1000, _LONGEST_POLL_MS) if left_s > 0 else 0
        self._handle(self._poll.poll(left_ms))

    def _handle(self, events: Iterable[tuple[int, int]]) -> None:
        for descriptor, event in events:
            handled = self._children.get(descriptor)
            if handled is None:
                continue
            if descriptor == handled.out_fd:
                handled.take_output()
                if not (handled.out_closed or handled.flooded):
                    continue
                self._forget(descriptor)  # a flood is not read to its end
            elif self._is_done(handled, descriptor, event):
                self._forget(descriptor)

    def _is_done(self, child: Child, descriptor: int, event: int) -> bool:
        """Handle what is rarer than output; return whether the descriptor has said its last."""
        if descriptor == child.err_fd:
            return not child.take_errors()
        if descriptor == child.in_fd:
            child.send_rest()
            return not child.wants_room
        child.has_ended = bool(event)  # the pidfd
        return child.has_ended

    def _forget(self, descriptor: int) -> None:
        self.alarms += 1
        self._poll.unregister(descriptor)
        del self._children[descriptor]
