"""Waiting for several processes at once: their output, their ends, and their time."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Callable, Iterable
from typing import Final

from lath.arena.machine import signals
from lath.arena.referee.process import MOST_OF_A_PIECE, READ_OF_A_PLY, Child, shortened

Events = list[tuple[int, int]]
"""Descriptors, and what has happened at them."""


class Watch:
    """Waits for several children at once."""

    def __init__(self) -> None:
        self._children: dict[int, Child] = {}
        """Whose each registered descriptor is."""
        self._awaited: dict[int, int] = {}
        """What is awaited at each of them."""
        self.suspects: Final[set[Child]] = set()
        """Children that compute beyond their own turns; another thread adds to them."""
        self._is_idle = False
        try:
            if not hasattr(select, "epoll"):
                raise OSError
            epoll = select.epoll()
        except OSError:  # no descriptor, or none for this user
            self._poll()
        else:
            self._registry: select.epoll | select.poll = epoll
            self._happens: Callable[[float], Events] = epoll.poll
            """Wait for so many seconds, or until something happens."""

    def _poll(self) -> None:
        """Wait as takes nothing from the system that others may have used up."""
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
            # Another process of this user has taken all that it may have for epoll.
            self._poll()

    def suspect(self, child: Child) -> None:
        """Have a child kept from computing whenever it is not its turn. Any thread may call it."""
        self.suspects.add(child)
        if self._is_idle:  # nobody waits for a child who would see to it
            child.stop()

    def rest(self) -> None:
        """Keep all suspects from computing, and who becomes one, until somebody is waited for."""
        self._is_idle = True
        self.stop_all_but(None)

    def stop_all_but(self, child: Child | None) -> None:
        """Keep the suspects from computing, but not this child, whose turn it is."""
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
        """Listen to a child no longer; call it before `Child.kill`."""
        for descriptor in (child.out_fd, child.err_fd, child.pid_fd, child.in_fd):
            self._forget(descriptor)
        self.suspects.discard(child)

    def ask(self, child: Child, request: bytes, within_s: float) -> bytes | None:
        """Send a request and wait for what comes next; return it where it is one line of the child.

        None: something else happened, or nothing in that time; `wait` goes on from there. This is
        `Child.send` and `wait` in one for what nearly every ply is: a write, a wait, a read.
        `child.asked_s` and `child.arrived_s` say when it was.
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
            self._handle(events)  # which meets it again
            return None
        child.arrived_s = at_s = signals.awake_s()
        if data.find(b"\n") == len(data) - 1 and data and not child.begun:
            note((at_s, False, data))
            return data
        child.take(data)
        if child.out_closed or child.flooded:
            self._handle(events)  # which hears it no more
        return None

    def wait(self, until_s: float) -> None:
        """Handle what the children do next; return at `until_s`, or before, if they do nothing."""
        left_s = until_s - signals.awake_s()
        # The system counts milliseconds in 31 bits; a clock may hold more.
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
            if child.flooded:  # what it says besides is heard no more
                self._forget(child.out_fd)
                self._forget(child.err_fd)

    def _forget(self, descriptor: int) -> None:
        if self._children.pop(descriptor, None) is not None:
            del self._awaited[descriptor]
            self._registry.unregister(descriptor)
