"""The limits on simultaneous work, per visitor and in total; further requests get an error.

All of this runs on the server's event loop.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from math import ceil
from typing import TYPE_CHECKING, Any, Final, TypeVar

from starlette.exceptions import HTTPException

from lath.games.errors import LathError

if TYPE_CHECKING:
    from starlette.requests import Request

LONGEST_RETRY_S: Final = 60

_Made = TypeVar("_Made")


def visitor_of(request: Request) -> str:
    """Return the visitor: an address, or in IPv6 the network of 2^64 addresses that one has.

    >>> from types import SimpleNamespace as Of
    >>> visitor_of(Of(client=Of(host="2001:db8:1:2:3::4"))), visitor_of(Of(client=None))
    ('2001:db8:1:2::', '')
    """
    host = request.client.host if request.client else ""
    with suppress(ValueError):
        address = ipaddress.ip_address(host.partition("%")[0])
        if isinstance(address, ipaddress.IPv6Address):
            return str(address.ipv4_mapped or ipaddress.IPv6Address(int(address) >> 64 << 64))
    return host


class VisitorLimits:
    """Places for long work, limited per visitor and in total."""

    def __init__(self, what: str, *, each: int, most: int) -> None:
        """Set the number of places; `what` is a plural noun for messages."""
        self._what: Final = what
        self._each: Final = each
        self._most: Final = most
        self._taken: Final[Counter[str]] = Counter()
        self.retry_s = 5.0
        """The expected time until a place is free, in seconds."""

    @property
    def taken_by_all(self) -> int:
        """Return the number of taken places."""
        return self._taken.total()

    def refuse(self, visitor: str) -> None:
        """Raise HTTPException if all places are taken."""
        is_own = self._taken[visitor] >= self._each
        if is_own or self.taken_by_all >= self._most:
            whose = f"you already have {self._each}" if is_own else f"all {self._most} are taken"
            after_s = max(1, min(LONGEST_RETRY_S, ceil(self.retry_s)))
            raise HTTPException(
                429,
                f"too many {self._what} at once, {whose}; try again in {after_s} s",
                {"Retry-After": str(after_s)},
            )

    @contextmanager
    def taken(self, visitor: str) -> Iterator[None]:
        """Hold a place during a block; raises HTTPException if all are taken."""
        self.refuse(visitor)
        self._taken[visitor] += 1
        try:
            yield
        finally:
            _less(self._taken, visitor)


def _less(counts: Counter[str], visitor: str) -> None:
    counts[visitor] -= 1
    if not counts[visitor]:
        del counts[visitor]


class WaitingTurns:
    """Turns at work that only a few can do at once, in the order of requests.

    A visitor with enough turns lets others pass.
    """

    def __init__(self, *, each: int, most: int) -> None:
        """Set the number of simultaneous turns, per visitor and in total."""
        self._each: Final = each
        self._most: Final = most
        self._taken: Final[Counter[str]] = Counter()
        self._waiting: Final[list[tuple[str, asyncio.Future[None]]]] = []

    @asynccontextmanager
    async def taken(self, visitor: str) -> AsyncIterator[None]:
        """Wait for a turn, and hold it during a block."""
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((visitor, turn))
        self._give()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled():
                _less(self._taken, visitor)
            else:
                self._waiting.remove((visitor, turn))
            self._give()

    def _give(self) -> None:
        for visitor, turn in [*self._waiting]:
            has_room = self._taken.total() < self._most and self._taken[visitor] < self._each
            if has_room and not turn.done():  # False if it was given up
                self._waiting.remove((visitor, turn))
                self._taken[visitor] += 1
                turn.set_result(None)


class GoneError(LathError):
    """The visitor has left before there was an answer."""


async def unless_gone(request: Request, work: Coroutine[Any, Any, _Made]) -> _Made:
    """Return the result of some work; if the visitor leaves, cancel it and raise GoneError."""
    gone = asyncio.create_task(_gone(request))
    made = asyncio.create_task(work)
    try:
        await asyncio.wait({gone, made}, return_when=asyncio.FIRST_COMPLETED)
        if not made.done():
            raise GoneError
        return made.result()
    finally:
        gone.cancel()
        made.cancel()
        await asyncio.gather(gone, made, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
