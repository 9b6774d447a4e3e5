"""Waiting for several processes at once: their output, their ends and time limits."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable, Iterable
from typing import Final

from lath.arena.machine import signals
from lath.arena.referee.process import MOST_OF_A_PIECE, READ_OF_A_PLY, Child, shortened

Events = list[tuple[int, int]]
"""Descriptors, and the events at each."""


class Watch:
    """A wait for several children at once."""

    def __init__(self) -> None:
        self._children: dict[int, Child] = {}
        """The child of each registered descriptor."""
        self._awaited: dict[int, int] = {}
        """The awaited events of each descriptor."""
        self.suspects: Final[set[Child]] = set()
        """Children that compute beyond their own turns; another thread adds to them."""
        self._is_idle = False
        try:
            if not hasattr(select, "epoll"):
                raise OSError
            epoll = select.epoll()
        except OSError:  # no free descriptor, or none for this user
            self._poll()
        else:
            self._registry: select.epoll | select.poll = epoll
            self._happens: Callable[[float], Events] = epoll.poll
            """Wait for so many seconds, or until something happens."""

    def _poll(self) -> None:
        """Wait with `poll`, which takes nothing from the system that can run out."""
        poll = select.poll()
        for descriptor, event in self._awaited.items():
            poll.register(descriptor, event)
        self._registry = poll
        self._happens = lambda within_s: poll.poll(within_s * 1000)

    def _register(self, descriptor: int, event: int, child: Child) -> None:
        self._children[descriptor] = child
        self._awaited[descriptor] = event
        try:
            self._registry.register(descriptor, event)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.ENOMEM):
                raise
            # Another process has used up this user's limit for epoll.
            self._poll()

    def suspect(self, child: Child) -> None:
        """Have a child stopped whenever it is not its turn. Any thread may call this."""
        self.suspects.add(child)
        if self._is_idle:  # otherwise the next wait stops it
            child.stop()

    def rest(self) -> None:
        """Stop all suspects, present and new, from computing until the next wait for a child."""
        self._is_idle = True
        self.stop_all_but(None)

    def stop_all_but(self, child: Child | None) -> None:
        """Stop the suspects from computing, except for this child, whose turn it is."""
        if child is not None:
            self._is_idle = False
        for suspect in tuple(self.suspects):
            if suspect is child:
                suspect.resume()
            else:
                suspect.stop()

    def add(self, child: Child) -> None:
        """Begin to listen to a child."""
        child.on_full = self._await_room
        if child.unsent:
            self._await_room(child)
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd):
            if descriptor >= 0:
                self._register(descriptor, select.POLLIN, child)

    def _await_room(self, child: Child) -> None:
        if child.in_fd not in self._children:
            self._register(child.in_fd, select.POLLOUT, child)

    def drop(self, child: Child) -> None:
        """Stop listening to a child; call this before `Child.kill`."""
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd, child.in_fd):
            self._forget(descriptor)
        self.suspects.discard(child)

    def ask(self, child: Child, request: bytes, within_s: float) -> bytes | None:
        """Send a request; return the next line of the child if nothing else happens before it.

        Otherwise None, and the caller continues with `wait`. For speed this combines `Child.send`
        and `wait` for the usual ply: one write, one wait, one read. It sets `child.asked_s` and
        `child.arrived_s`.
        """
        if child.unsent:
            child.asked_s = child.send(request)
            return None
        note = child.exchange.append
        child.asked_s = asked_s = signals.awake_s()
        note((asked_s, True, request if len(request) <= MOST_OF_A_PIECE else shortened(request)))
        child.write(request)
        if (events := self._happens(within_s)) != child.has_spoken:
            self._handle(events)
            return None
        try:
            data = os.read(child.out_fd, READ_OF_A_PLY)
        except OSError:
            self._handle(events)  # reports it again
            return None
        child.arrived_s = at_s = signals.awake_s()
        if data.find(b"\n") == len(data) - 1 and data and not child.begun:
            note((at_s, False, data))
            return data
        child.take(data)
        if child.out_closed or child.flooded:
            self._handle(events)  # stops listening to it
        return None

    def wait(self, until_s: float) -> None:
        """Handle the children's next events; return after them, or at `until_s`."""
        left_s = until_s - signals.awake_s()
        # The system counts milliseconds in 31 bits, fewer than a long clock needs.
        self._handle(self._happens(min(left_s, 3600.0) if left_s > 0 else 0.0))

    def _handle(self, events: Iterable[tuple[int, int]]) -> None:
        for descriptor, _event in events:
            if (child := self._children.get(descriptor)) is None:
                continue
            if descriptor == child.out_fd:
                child.take_output()
                is_done = child.out_closed
            elif descriptor == child.err_fd:
                is_done = not child.take_errors()
            elif descriptor == child.in_fd:
                rest, child.unsent = child.unsent, b""
                child.write(rest)
                is_done = child.in_closed or not child.unsent
            else:  # the pidfd
                is_done = child.has_ended = True
            if is_done:
                self._forget(descriptor)
                if descriptor == child.in_fd and child.ends_input:
                    child.close_input()
            if child.flooded:  # the rest of its output is ignored
                self._forget(child.out_fd)
                self._forget(child.err_fd)

    def _forget(self, descriptor: int) -> None:
        if self._children.pop(descriptor, None) is not None:
            del self._awaited[descriptor]
            self._registry.unregister(descriptor)
