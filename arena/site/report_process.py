"""The process that makes the site's reports: it reads requests as JSON lines and writes pages.

The site kills it if no visitor waits for the report, so it keeps no state except finished pages in
the user's cache. A page is found there by the content of the files and by the request.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import queue
import re
import resource
import signal
import stat
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from lath.arena.directory import DATABASE, OUTCOME, RECORDS
from lath.arena.errors import ArenaError
from lath.arena.machine.untrusted_files import opened
from lath.arena.site.shelf import Item
from lath.arena.tournament.outcome.notes import event_in
from lath.arena.tournament.outcome.sources import Doubt, material_of, origin_of, refuse_damage
from lath.games.errors import GameError, LathError
from lath.notation.archive.given import GivenGames
from lath.notation.files.files import write_atomically
from lath.notation.files.folders import user_folder
from lath.notation.files.parallel import MANY, beside
from lath.notation.record.errors import NotationError
from lath.notation.record.record import Record
from lath.notation.record.tags import SEASON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lath.reports.counting.standings import Refused
    from lath.reports.event.seasons import Season
    from lath.reports.page.page import ReportSite

READ: Final = (DATABASE, f"{DATABASE}-wal", RECORDS, OUTCOME)
"""The files from which the report of a tournament is made."""

FIRST: Final = 5_000
"""The number of games that this page lists at most."""

FIRST_REPLAYED: Final = 50
"""The number of games that this page replays at most."""

TOLD: Final = 250
"""The number of records between two messages about progress."""

COUNTING, RATING, WRITING = 10, 60, 95
"""The percentages at which the stages after reading begin; the counts go from 10 to 60."""

PIECE: Final = 3_000
"""The bytes of a page in one message: lines of up to 4,096 bytes are not mixed up in a pipe."""

KEPT_FILES, KEPT_BYTES = 64, 256 << 20
"""The largest number and size of all pages in the cache."""

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
    """Write the requested page after a JSON line with `size`, or with `error` and `status`.

    Lines before that tell the progress, and contain pieces of a page of the first games.
    """
    public = bool(asked["public"])
    if public:
        _bound_memory()

    def tell(**told: object) -> None:
        out.write(json.dumps(told).encode() + b"\n")
        out.flush()

    root = None if asked["root"] is None else Path(asked["root"])
    item = Item(asked["key"], asked["name"], Path(asked["path"]), asked["kind"], root=root)
    head: dict[str, Any] = {}
    name = "" if item.fault() else name_in_cache(item, asked)
    page = kept_page(name)
    try:
        if page is None:
            page = report_of(item, asked["where"], public=public, tell=tell).encode()
            if not (public and asked["where"]):  # visitors can make up any number of queries
                keep_page(name, page)
        else:
            head = {"is_kept": True}
    except _RefusedError as error:
        head = {"error": str(error), "status": 409}
    except (ArenaError, GameError, NotationError) as error:
        words = str(error).replace(str(item.path), item.name)
        head = {"error": UNREADABLE if public else words, "status": 409}
    except (MemoryError, RecursionError) as error:
        sys.stderr.write(f"error: {item.name}: {type(error).__name__}\n")
        head = {"error": "this report exceeds its memory limit", "status": 503}
    page = page or b""
    out.write(json.dumps({"size": len(page), **head}).encode() + b"\n" + page)
    out.flush()


# The cache of finished pages


def _pages() -> Path:
    folder = user_folder("cache") / "reports"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def name_in_cache(item: Item, asked: dict[str, Any]) -> str:
    """Return the file name of a report's page: a digest of the request and the files' content."""
    digest = hashlib.sha256(json.dumps([__file__, sys.version, asked]).encode())
    files = [item.path / name for name in READ] if item.kind == "tournament" else [item.path]
    try:
        for path in files:
            digest.update(b"file" if path.exists() else b"none")
            if path.exists():
                with path.open("rb") as stream:
                    digest.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError:  # reading the games reports it
        return ""
    return f"{digest.hexdigest()}.report"


def kept_page(name: str) -> bytes | None:
    """Return the page of this name in the cache; None without a valid one.

    A page counts while the code that made it is unchanged.
    """
    try:
        path = _pages() / name
        with open(opened(path), "rb") as stream:  # noqa: PTH123 - a descriptor
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_uid != os.getuid():
                return None
            head = json.loads(stream.readline())
            page = stream.read()
        if head["of"] != [name, hashlib.sha256(page).hexdigest()]:
            return None
        if any(_stamp(each) != was for each, was in head["code"].items()):
            return None
        os.utime(path)
    except (OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError):
        return None
    return page


def keep_page(name: str, page: bytes) -> None:
    """Put a page into the cache, and remove the pages that were not read for longest."""
    with suppress(OSError, RuntimeError):
        folder = _pages()
        head = {"of": [name, hashlib.sha256(page).hexdigest()], "code": _code()}
        if not name or len(page) > KEPT_BYTES // 4:
            return
        write_atomically(folder / name, [json.dumps(head).encode() + b"\n", page])
        ours = [one for one in folder.iterdir() if _OURS.fullmatch(one.name)]
        files = sorted(((one.lstat(), one) for one in ours), key=lambda one: -one[0].st_mtime_ns)
        room = KEPT_BYTES
        for at, (status, path) in enumerate(files):
            room -= status.st_size
            if at >= KEPT_FILES or room < 0:
                path.unlink(missing_ok=True)


_OURS: Final = re.compile("[0-9a-f]{64}[.]report")


def _stamp(path: str) -> list[int]:
    try:
        status = Path(path).stat()
    except OSError:  # the file of a game that has been removed since it was loaded
        return []
    return [status.st_mtime_ns, status.st_size]


def _code() -> dict[str, list[int]]:
    """Return the stamps of the files that a page depends on: modules and templates."""
    from lath.reports.page.page import TEMPLATES, names  # start-up time

    modules = (
        getattr(module, "__file__", None)
        for name, module in sys.modules.items()
        if name.partition(".")[0] not in sys.stdlib_module_names
    )
    files = {*filter(None, modules), *(str(TEMPLATES / name) for name in names())}
    return {path: _stamp(path) for path in sorted(files)}


# The page


def _bound_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    share = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 4
    most = min(MEMORY, share, *(() if hard == resource.RLIM_INFINITY else (hard,)))
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


UNREADABLE: Final = "this file could not be read"
"""The message for visitors; the organiser gets the reason, which contains file names."""


class _RefusedError(LathError):
    """The request is wrong; the message is for the visitor."""


def report_of(
    item: Item, where: str, *, public: bool, tell: Callable[..., None] = lambda **_: None
) -> str:
    """Return the report page of an item, or of the games that match a query.

    A public page is that of `arena report --public`, and a query of it sees only values on that
    page. `tell` gets messages about the progress. Raises ArenaError, GameError and NotationError.
    """
    from lath.reports.event.background import NO_BACKGROUND  # start-up time
    from lath.reports.page.document import gather
    from lath.reports.page.page import page_of

    matches = _matching(where) if where else None
    if fault := item.fault():
        raise _RefusedError(fault)
    sources = [item.path]
    doubts: list[Doubt] = []
    site = _site_of(item, where, public=public)
    records, background = material_of(sources, doubts, public=public)
    title = None
    if matches is not None:
        background, title = NO_BACKGROUND, f"{item.name}: {where}"
    places: list[int] = []
    records = _chosen(records, item, matches, background.season, places)
    followed = _followed(records, title or item.name, _number_in(item), tell)
    gathered = gather(followed, title=title, background=background, is_shared=not public)
    refuse_damage(doubts)  # Otherwise games would be missing without a message.
    if matches is not None and not gathered.document["facts"]["records"]:
        raise _RefusedError("no games found that match")
    if places != list(range(1, len(places) + 1)):
        site = replace(site, places=places)
    if not title and (event := event_in(sources, gathered.document["facts"]["events"])):
        gathered.document["title"] = event
    if fault := item.fault():  # A link may have been put there since it was read.
        raise _RefusedError(fault)
    tell(what="Writing the page", done=WRITING, all=100)
    return page_of(gathered, site=site).html


def _site_of(item: Item, where: str, *, public: bool) -> ReportSite:
    from lath.reports.page.page import ReportSite  # start-up time

    links = [("Watch", "../")]  # without the site's key, because the page is kept
    if public:
        return ReportSite(links)
    links += [(name.title(), f"../{name}") for name in ("play", "analyse", "explore", "puzzles")]
    return ReportSite(links, item.key, where)


def _chosen(
    records: Iterable[Record | Refused],
    item: Item,
    matches: Callable[[Record], bool] | None,
    season: Season | None,
    places: list[int],
) -> Iterator[Record | Refused]:
    """Yield the records of a report; note the places in the file of those that the page lists."""
    given = GivenGames()
    given.begin(item.path, origin_of(item.path))
    for place, record in enumerate(records, 1):
        if not isinstance(record, Record):
            if matches is None:
                yield record
        elif not given.is_left_out(record) and (matches is None or matches(record)):
            if season is None or record.tag(SEASON) == season.name:
                places.append(place)
            yield record


def _followed(
    records: Iterator[Record | Refused],
    title: str,
    number: int,
    tell: Callable[..., None],
) -> Iterator[Record | Refused]:
    """Yield records, and tell how many; of many, another process first makes a page of games."""

    def told(
        of: Iterable[Record | Refused], does: str, begin: int, share: int
    ) -> Iterator[Record | Refused]:
        for done, record in enumerate(of, 1):
            if done % TOLD == 0:
                what = f"{done:,} of {number:,} games" if number else f"{done:,} games"
                percent = begin + min(share, share * done // number) if number else 0
                tell(what=f"{does} {what}", done=percent, all=100)
            yield record

    first = list(islice(told(records, "Reading", 0, COUNTING), FIRST))
    games = [one for one in first if isinstance(one, Record)]
    if len(games) < MANY:
        yield from first
        return
    shown = beside(lambda: _show(games, title, tell))
    yield from told(chain(first, records), "Counting", COUNTING, RATING - COUNTING)
    tell(what="Rating the bots", done=RATING, all=100)
    shown()


def _show(games: list[Record], title: str, tell: Callable[..., None]) -> None:
    """Send a page with the list of these games and the replay of some."""
    from lath.reports.page.document import Gathered, gather  # start-up time
    from lath.reports.page.pack import Packer
    from lath.reports.page.page import page_of

    packer = Packer(replayed=FIRST_REPLAYED)
    packer.numbering.links.update(range(1, FIRST_REPLAYED + 1))
    for record in games:
        packer.add(record)
    document = gather(()).document
    document["title"] = title
    document["facts"]["records"] = len(games)
    sections = ("replay", "games")
    page = page_of(Gathered(document, packer), sections=sections).html.encode()
    for at in range(0, len(page), PIECE):
        tell(piece=base64.b64encode(page[at : at + PIECE]).decode())
    tell(is_shown=True)


def _number_in(item: Item) -> int:
    """Return the number of records in a plain file; 0 if unknown."""
    if item.kind == "tournament" or item.path.suffix != ".lath":
        return 0
    with suppress(OSError), open(opened(item.path), "rb") as stream:  # noqa: PTH123 - a descriptor
        return sum(line.startswith(b"[Game ") for line in stream)
    return 0


def _matching(where: str) -> Callable[[Record], bool]:
    from lath.notation.query.errors import QueryError  # start-up time
    from lath.notation.query.query import compile_query

    try:
        return compile_query(where)
    except (GameError, NotationError) as error:
        words = error.said if isinstance(error, QueryError) else str(error)
        raise _RefusedError(words) from error
    except RecursionError as error:
        raise _RefusedError("the query is nested too deeply") from error


if __name__ == "__main__":
    main()
