"""Waiting for several children at once: one `poll` over all their descriptors.

Must not know the protocol. The move path is raw, with absolute deadlines on the monotonic clock.
"""

from __future__ import annotations

import select
import time
from typing import Final

from arena.process import Child

_LONGEST_POLL_MS: Final = 3_600_000
"""The system counts these milliseconds in 31 bits; a clock may hold more."""


class Watch:
    """Waits for several children at once."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._all: list[Child] = []
        self._children: dict[int, Child] = {}
        """Whose each registered descriptor is."""

    def add(self, child: Child) -> None:
        """Begin to listen to a child."""
        self._all.append(child)
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd):
            if descriptor >= 0:
                self._poll.register(descriptor, select.POLLIN)
                self._children[descriptor] = child

    def drop(self, child: Child) -> None:
        """Listen to a child no longer; call it before `Child.kill`."""
        self._all.remove(child)
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd, child.in_fd):
            if self._children.pop(descriptor, None) is not None:
                self._poll.unregister(descriptor)

    def wait(self, until_s: float) -> None:
        """Handle what the children do next; return at `until_s`, or before, if they do nothing."""
        for child in self._all:
            if child.wants_room and child.in_fd not in self._children:
                self._poll.register(child.in_fd, select.POLLOUT)
                self._children[child.in_fd] = child
        left_ms = min(max(0.0, (until_s - time.monotonic()) * 1000), _LONGEST_POLL_MS)
        for descriptor, event in self._poll.poll(left_ms):
            if descriptor in self._children:
                self._handle(self._children[descriptor], descriptor, event)

    def _handle(self, child: Child, descriptor: int, event: int) -> None:
        if descriptor == child.out_fd:
            child.take_output()
            done = child.out_closed or child.flooded  # a flood is not read to its end
        elif descriptor == child.err_fd:
            done = not child.take_errors()
        elif descriptor == child.in_fd:
            child.send_rest()
            done = not child.wants_room
        else:
            done = child.has_ended = bool(event)  # the pidfd
        if done:
            self._poll.unregister(descriptor)
            del self._children[descriptor]
