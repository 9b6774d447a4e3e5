"""The site's reports, made in a few processes that end when no visitor waits for them.

A report is kept while its files are unchanged. While a long one is made, its process tells the
progress and sends a page of the first games.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from starlette.exceptions import HTTPException

from lath.arena.errors import ConfigError
from lath.arena.sandbox.limits import with_modules
from lath.arena.site.report_process import READ
from lath.arena.site.visitors import VisitorLimits, WaitingTurns
from lath.arena.tournament.store.database import Stamp, stamp_of

if TYPE_CHECKING:
    from lath.arena.site.shelf import Item

COMMAND: Final[Sequence[str]] = (sys.executable, "-P", "-m", "lath.arena.site.report_process")
"""The command of a report process; -P keeps modules of the current folder out."""

KEPT_PAGES: Final = 8
"""The number of kept reports."""

KEPT_QUERIES: Final = 4
"""The number of kept reports on queries; a visitor can make up any number of queries."""

EACH: Final = 3
"""The number of reports that a visitor of a public site can wait for at once."""

MOST: Final = 12
"""The number of reports that all visitors can wait for at once."""

AT_ONCE: Final = 2
"""The number of reports made at once; on a public site, for different visitors."""

LONGEST_S: Final = 120.0
"""The time limit of a report on a public site, in seconds."""

IDLE_S: Final = 60.0
"""The time that an idle process is kept for the next report, in seconds."""

NICE: Final = 10
"""The niceness of report processes, so that pages, streams and tournaments come first."""

SOON_S: Final = 0.5
"""The time that a visitor waits for a report before a page shows the progress, in seconds."""

LINGER_S: Final = 10.0
"""The time in which this page must ask for news, or the work ends, in seconds."""

NEWS_S: Final = 0.2
"""The time between two looks at the progress, in seconds."""

RECENT_S: Final = 5.0
"""The time for which a page that shows progress gets the report that it has waited for."""

_Key = tuple[str, str]


@dataclass(slots=True)
class _Job:
    """A report that is being made, or will be."""

    task: asyncio.Task[bytes]
    waiting: int = 0
    """The number of visitors who wait for it."""

    told: dict[str, Any] = field(default_factory=dict)
    """The last message about the progress."""

    first: bytearray = field(default_factory=bytearray)
    """The page of the first games, so far."""

    def hear(self, told: dict[str, Any]) -> None:
        """Take a message of the process."""
        if "piece" in told:
            self.first += base64.b64decode(told["piece"])
        else:
            self.told = {**self.told, **told}


class Reports:
    """A maker of reports, which keeps some of them."""

    def __init__(self, *, is_public: bool) -> None:
        """Prepare to make reports, with stricter limits if the site `is_public`."""
        self._is_public: Final = is_public
        self._limit_s: Final = LONGEST_S if is_public else None
        self.places: Final = VisitorLimits("reports", each=EACH if is_public else MOST, most=MOST)
        self._turns: Final = WaitingTurns(each=1 if is_public else AT_ONCE, most=AT_ONCE)
        self._jobs: Final[dict[_Key, _Job]] = {}
        self._kept: Final[OrderedDict[_Key, tuple[tuple[Stamp, ...], bytes]]] = OrderedDict()
        self._made_s: dict[_Key, float] = {}
        """The times when the kept reports were made, on the monotonic clock."""
        self._lingering: Final[dict[tuple[_Key, str], asyncio.Task[bytes]]] = {}
        """The requests whose pages show the progress and have not asked for news yet."""
        self._idle: Final[list[_Maker]] = []
        self._makers: list[_Maker] = []
        self.begun = 0
        """The number of reports begun so far."""

    def refuse(self, item: Item, where: str, visitor: str) -> None:
        """Raise HTTPException if the visitor has asked for too many, before any work begins."""
        if (item.key, where) not in self._kept:
            self.places.refuse(visitor)

    async def soon(self, item: Item, where: str, visitor: str) -> bytes | None:
        """Return the page as `page` does, or None if it takes longer; `news` then tells more."""
        key = (item.key, where)
        if key in self._kept and time.monotonic() - self._made_s[key] < RECENT_S:
            return self._kept[key][1]
        made = asyncio.create_task(self.page(item, where, visitor))
        made.add_done_callback(lambda done: done.cancelled() or done.exception())
        try:
            await asyncio.wait({made}, timeout=SOON_S)
        except asyncio.CancelledError:
            made.cancel()
            raise
        if made.done():
            return made.result()
        self._linger((key, visitor), made)
        return None

    def _linger(self, key: tuple[_Key, str], made: asyncio.Task[bytes]) -> None:
        def forget() -> None:
            if self._lingering.get(key) is made:
                del self._lingering[key]
                made.cancel()

        if before := self._lingering.pop(key, None):
            before.cancel()
        self._lingering[key] = made
        asyncio.get_running_loop().call_later(LINGER_S, forget)

    async def news(self, item: Item, where: str, visitor: str) -> AsyncIterator[dict[str, Any]]:
        """Yield the progress of a report until it is made or has failed; `part` is the kind."""
        key = (item.key, where)
        made = self._lingering.pop((key, visitor), None)
        made = made or asyncio.create_task(self.page(item, where, visitor))
        told: dict[str, Any] = {}
        try:
            yield {"part": "progress"}
            while not made.done():
                if (job := self._jobs.get(key)) and job.told != told:
                    told = job.told
                    yield {"part": "progress", **told}
                await asyncio.wait({made}, timeout=NEWS_S)
            try:
                made.result()
            except (ConfigError, HTTPException) as error:
                words = error.detail if isinstance(error, HTTPException) else str(error)
                yield {"part": "failed", "error": words}
            else:
                yield {"part": "ready"}
        finally:
            made.cancel()

    def first(self, item: Item, where: str) -> bytes:
        """Return the page of the first games of a report, or the report if it is complete now."""
        key = (item.key, where)
        if (job := self._jobs.get(key)) and job.told.get("is_shown"):
            return bytes(job.first)
        if key in self._kept:
            return self._kept[key][1]
        raise HTTPException(404, "this report is not being made")

    async def page(self, item: Item, where: str, visitor: str) -> bytes:
        """Return the page of an item, or of the games that match a query.

        Cancelling the last waiting request ends the work. Raises ConfigError and HTTPException.
        """
        stamps = await asyncio.to_thread(_stamps, item)
        key = (item.key, where)
        if key in self._kept and self._kept[key][0] == stamps:
            self._kept.move_to_end(key)
            return self._kept[key][1]
        with self.places.taken(visitor):
            if (job := self._jobs.get(key)) is None:
                task = asyncio.create_task(self._make(item, where, visitor, stamps))
                job = self._jobs[key] = _Job(task)
                task.add_done_callback(lambda done: done.cancelled() or done.exception())
            job.waiting += 1
            try:
                return await asyncio.shield(job.task)
            except asyncio.CancelledError:
                if (asking := asyncio.current_task()) is None or asking.cancelling():
                    raise
                raise HTTPException(503, "the site is stopping") from None
            finally:
                job.waiting -= 1
                if not job.waiting:
                    job.task.cancel()
                    if self._jobs.get(key) is job:
                        del self._jobs[key]

    async def _make(self, item: Item, where: str, visitor: str, stamps: tuple[Stamp, ...]) -> bytes:
        async with self._turns.taken(visitor):
            began_s = time.monotonic()
            self.begun += 1
            maker = self._idle.pop() if self._idle else await self._started()
            try:
                async with asyncio.timeout(self._limit_s):
                    head, page = await maker.made(
                        item, where, self._jobs[item.key, where].hear, is_public=self._is_public
                    )
            except TimeoutError as error:
                maker.end()
                raise HTTPException(
                    503, f"this report exceeds its time limit of {self._limit_s:.0f} s"
                ) from error
            except BaseException:
                maker.end()
                raise
            self._put_back(maker)
            self.places.retry_s = (time.monotonic() - began_s) * len(self._jobs)
        if "error" in head:
            if head["status"] != 409:
                raise HTTPException(head["status"], head["error"])
            raise ConfigError(head["error"])
        self._keep((item.key, where), stamps, page)
        return page

    def _keep(self, key: _Key, stamps: tuple[Stamp, ...], page: bytes) -> None:
        self._kept[key], self._made_s[key] = (stamps, page), time.monotonic()
        self._kept.move_to_end(key)
        for is_query, most in ((False, KEPT_PAGES), (True, KEPT_QUERIES)):
            alike = [one for one in self._kept if bool(one[1]) == is_query]
            for old in alike[: max(0, len(alike) - most)]:
                del self._kept[old], self._made_s[old]

    async def _started(self) -> _Maker:
        self._makers = [maker for maker in self._makers if not maker.has_ended]
        self._makers.append(maker := await _Maker.started())
        return maker

    def _put_back(self, maker: _Maker) -> None:
        self._idle.append(maker)
        asyncio.get_running_loop().call_later(IDLE_S, self._dismiss, maker, maker.reports)

    def _dismiss(self, maker: _Maker, reports: int) -> None:
        """End an idle process if it has made no report since its count was `reports`."""
        if maker in self._idle and maker.reports == reports:
            self._idle.remove(maker)
            maker.end()

    async def end(self) -> None:
        """Cancel all work, and end all processes."""
        tasks = [*(job.task for job in self._jobs.values()), *self._lingering.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(maker.gone() for maker in self._makers))


def _stamps(item: Item) -> tuple[Stamp, ...]:
    if item.kind != "tournament":
        return (stamp_of(item.path),)
    return tuple(stamp_of(item.path / name) for name in READ)


class _Maker:
    """A process that makes one report after the other."""

    def __init__(self, process: Process) -> None:
        self._process: Final = process
        self.reports = 0
        """The number of reports it has made."""

    @classmethod
    async def started(cls) -> _Maker:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            stdin=PIPE,
            stdout=PIPE,
            start_new_session=True,
            env=with_modules(os.environ),
        )
        with suppress(OSError):  # it has ended already
            os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        return cls(process)

    async def made(
        self, item: Item, where: str, hear: Callable[[dict[str, Any]], None], *, is_public: bool
    ) -> tuple[dict[str, Any], bytes]:
        """Return the JSON answer of the process, and the page; `hear` gets the other messages."""
        assert self._process.stdin
        assert self._process.stdout
        asked = {
            "key": item.key,
            "name": item.name,
            "path": str(item.path),
            "kind": item.kind,
            "where": where,
            "root": None if item.root is None else str(item.root),
            "public": is_public,
        }
        try:
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            await self._process.stdin.drain()
            while "size" not in (head := json.loads(await self._process.stdout.readline())):
                hear(head)
            page = await self._process.stdout.readexactly(head["size"])
        except (OSError, ValueError, asyncio.IncompleteReadError) as error:  # it has ended
            raise HTTPException(500, "this report could not be created") from error
        self.reports += 1
        return head, page

    @property
    def has_ended(self) -> bool:
        return self._process.returncode is not None

    async def gone(self) -> None:
        """End the process, and wait for its end."""
        self.end()
        await self._process.wait()

    def end(self) -> None:
        """Kill the process and those that share its work now."""
        if not self.has_ended:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
