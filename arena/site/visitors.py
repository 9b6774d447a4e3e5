"""How much the site does at once, for one visitor and for all: who asks for more is told to wait.

Everything here happens on the loop of the server.
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
    """Return who asks: an address, or the network of 2^64 addresses that a visitor has in IPv6.

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
    """Places for what takes long, of which a visitor may have some, and all together a few more."""

    def __init__(self, what: str, *, each: int, most: int) -> None:
        """Take what the places are for, as a plural, and how many there are."""
        self._what: Final = what
        self._each: Final = each
        self._most: Final = most
        self._taken: Final[Counter[str]] = Counter()
        self.retry_s = 5.0
        """After how long a place may be free."""

    @property
    def taken_by_all(self) -> int:
        """Return how many places are taken."""
        return self._taken.total()

    def refuse(self, visitor: str) -> None:
        """Raise HTTPException if there is no place."""
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
        """Take a place while something is done; raises HTTPException if there is none."""
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
    """Turns at what only a few may do at once, in the order of asking.

    A visitor who has enough turns already lets the others go first.
    """

    def __init__(self, *, each: int, most: int) -> None:
        """Take how many turns a visitor has at once, and all together."""
        self._each: Final = each
        self._most: Final = most
        self._taken: Final[Counter[str]] = Counter()
        self._waiting: Final[list[tuple[str, asyncio.Future[None]]]] = []

    @asynccontextmanager
    async def taken(self, visitor: str) -> AsyncIterator[None]:
        """Wait for a turn, and have it while something is done."""
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
            if has_room and not turn.done():  # it was given up a moment ago
                self._waiting.remove((visitor, turn))
                self._taken[visitor] += 1
                turn.set_result(None)


class GoneError(LathError):
    """The visitor has gone before there was an answer."""


async def unless_gone(request: Request, work: Coroutine[Any, Any, _Made]) -> _Made:
    """Return what some work makes; cancel it if the visitor goes before; raises GoneError."""
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
