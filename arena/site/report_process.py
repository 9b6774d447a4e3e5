"""The process that makes the site's reports: it reads requests as JSON lines and writes pages.

The site kills it if no visitor waits for the report, so it keeps no state.
"""

from __future__ import annotations

import json
import os
import queue
import resource
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lath.arena.errors import ArenaError
from lath.arena.site.shelf import Item
from lath.arena.tournament.outcome.notes import event_in
from lath.arena.tournament.outcome.sources import Doubt, material_of, refuse_damage
from lath.games.errors import GameError, LathError
from lath.notation.archive.given import GivenGames
from lath.notation.record.errors import NotationError
from lath.notation.record.record import Record

if TYPE_CHECKING:
    from collections.abc import Callable

MEMORY: Final = 4 << 30
"""The memory limit of a public report in bytes; at most a quarter of the machine's."""


def main() -> None:
    """Answer requests until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the site handles Ctrl-C and ends this process
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked), daemon=True).start()
    while True:
        answer(json.loads(asked.get()), sys.stdout.buffer)


def _listen(asking: BinaryIO, asked: queue.SimpleQueue[str]) -> None:
    for line in asking:
        asked.put(line.decode())
    os._exit(0)  # the site has ended


def answer(asked: dict[str, Any], out: BinaryIO) -> None:
    """Write the requested page after a JSON line with `size`, or with `error` and `status`."""
    public = bool(asked["public"])
    if public:
        _bound_memory()
    root = None if asked["root"] is None else Path(asked["root"])
    item = Item("", asked["name"], Path(asked["path"]), asked["kind"], root=root)
    head: dict[str, Any] = {}
    page = b""
    try:
        page = report_of(item, asked["where"], public=public).encode()
    except _RefusedError as error:
        head = {"error": str(error), "status": 409}
    except (ArenaError, GameError, NotationError) as error:
        head = {"error": UNREADABLE if public else str(error), "status": 409}
    except (MemoryError, RecursionError) as error:
        sys.stderr.write(f"error: {item.name}: {type(error).__name__}\n")
        head = {"error": "this report exceeds its memory limit", "status": 503}
    out.write(json.dumps({"size": len(page), **head}).encode() + b"\n" + page)
    out.flush()


def _bound_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    share = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    most = min(MEMORY, share, *(() if hard == resource.RLIM_INFINITY else (hard,)))
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


UNREADABLE: Final = "this file could not be read"
"""The message for visitors; the organiser gets the reason, which contains file names."""


class _RefusedError(LathError):
    """The request is wrong; the message is for the visitor."""


def report_of(item: Item, where: str, *, public: bool) -> str:
    """Return the report page of an item, or of the games that match a query.

    A public page is that of `arena report --public`, and a query of it sees only values on that
    page. Raises ArenaError, GameError and NotationError.
    """
    from lath.reports.event.background import NO_BACKGROUND  # start-up time
    from lath.reports.page.document import gather
    from lath.reports.page.page import page_of

    matches = _matching(where) if where else None
    if fault := item.fault():
        raise _RefusedError(fault)
    sources = [item.path]
    doubts: list[Doubt] = []
    records, background = material_of(sources, doubts, public=public, given=GivenGames())
    title = None
    if matches is not None:
        records = (one for one in records if isinstance(one, Record) and matches(one))
        background, title = NO_BACKGROUND, f"{item.name}: {where}"
    gathered = gather(records, title=title, background=background)
    refuse_damage(doubts)  # Otherwise games would be missing without a message.
    if not title and (event := event_in(sources, gathered.document["facts"]["events"])):
        gathered.document["title"] = event
    if fault := item.fault():  # A link may have been put there since it was read.
        raise _RefusedError(fault)
    return page_of(gathered).html


def _matching(where: str) -> Callable[[Record], bool]:
    from lath.notation.query.query import compile_query  # start-up time

    try:
        return compile_query(where)
    except (GameError, NotationError) as error:
        raise _RefusedError(str(error)) from error
    except RecursionError as error:
        raise _RefusedError("the query is nested too deeply") from error


if __name__ == "__main__":
    main()
