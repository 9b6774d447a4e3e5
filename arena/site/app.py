"""The pages of the site and their JSON requests, as a Starlette application.

Templates, boards and styles are those of the report. Long work runs in threads. Pages request JSON;
an error is `{"error": "…"}` with a status.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import resource
import socket
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from markupsafe import Markup
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lath.arena.errors import ArenaError
from lath.arena.site.boards import Thumbnails, board_json, size_of, titles
from lath.arena.site.connections import EVERY_S, MOST, SPARE, Connection, Connections
from lath.arena.site.exploring import Explorer
from lath.arena.site.guard import Guard, SiteKeys
from lath.arena.site.playing import choices, drawing, puzzle_of_the_day
from lath.arena.site.rendering import TEMPLATES, environment, sheet_of
from lath.arena.site.reporting import Reports
from lath.arena.site.runs import Runs
from lath.arena.site.standing import SiteStandings
from lath.arena.site.visitors import GoneError, VisitorLimits, unless_gone, visitor_of
from lath.arena.site.watching import STATUS_S, Watcher
from lath.games.errors import GameError
from lath.notation.query.errors import QueryError
from lath.notation.record.errors import NotationError
from lath.notation.record.tags import number_of
from lath.reports.page.page import parts

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from lath.arena.site.playing import Desk
    from lath.arena.site.shelf import Item, Kind, Shelf

SCRIPTS: Final = (
    *(
        "open",
        "dom",
        "geometry",
        "overlays",
        "sprites",
        "board",
        "effects",
        "opened",
        "ways",
        "words",
    ),
)
"""The scripts of the report that the site's pages use, too."""

STYLES: Final = ("base", "sections", "board", "replay", "ways", "narrow", "formats", "site")

DESK_PAGES: Final = ("play", "analyse", "explore", "puzzles")
"""The pages that are not for spectators."""

KINDS: Final = {".js": "text/javascript", ".css": "text/css"}

STREAMS: Final = 256
"""The largest number of open event streams."""

FIRST_S, LATER_S = 10.0, 0.25
"""The time that a page waits for the first list of items, and for a newer one, in seconds."""

LONGEST_QUERY: Final = 4_000
"""The longest query, in characters."""

PIECE: Final = 1 << 16
"""The bytes of a page that are sent at once."""

BACKLOG: Final = 256
"""The connections that can wait to be accepted; a new one waits for those before it."""

TICKS: Final = round(EVERY_S / 0.1)
"""The number of uvicorn's ticks between two checks of the connections."""

Lines = tuple[dict[str, Any], ...]
"""The values that a list shows of each item."""

REPORT_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-scripts allow-downloads allow-popups"
)
"""The content security policy of a report.

The policy inside the report's file allows only its own script. The site does not trust a report,
because it shows records of any origin.
"""


@dataclass(slots=True)
class Site:
    """The state that all pages share."""

    shelf: Shelf
    desk: Desk | None = None
    """The desk for playing; without one the site is public and read-only."""

    root: str = ""
    """The prefix of all page addresses."""

    runs: Runs = field(default_factory=Runs)
    watchers: dict[str, Watcher] = field(default_factory=dict)
    reports: Reports = field(init=False)
    standings: SiteStandings = field(init=False)
    thumbnails: Thumbnails = field(init=False)
    streams: VisitorLimits = field(init=False)
    _lines: Lines = field(init=False, default=())
    _made_s: float | None = field(init=False, default=None)
    """The time of the shelf's list for which these lines were made."""

    _looker: ThreadPoolExecutor = field(init=False)
    """A single thread for lists, so that a slow file system holds up nothing else."""

    _looking: Future[None] | None = field(init=False, default=None)
    _made: dict[str, tuple[Lines, Response]] = field(init=False, default_factory=dict)
    """The answers made for the current list: each page is made once per list."""

    def __post_init__(self) -> None:
        """Create the parts that depend on who may see the site."""
        self.reports = Reports(is_public=self.is_public)
        self.standings = SiteStandings(self.is_public, self.runs.is_ours)
        self.thumbnails = Thumbnails(self.standings)
        self.streams = VisitorLimits("streams", each=STREAMS // 2, most=STREAMS)
        self._looker = ThreadPoolExecutor(1, "looker")

    @property
    def is_public(self) -> bool:
        """Return True if the site is for spectators only."""
        return self.desk is None

    async def end(self) -> None:
        """End all event streams and reports."""
        for watcher in self.watchers.values():
            watcher.end()
        await self.reports.end()
        self._looker.shutdown(wait=False, cancel_futures=True)
        if self.desk is not None:
            await asyncio.to_thread(self.desk.thinkers.close)

    async def lines(self) -> Lines:
        """Return the lines of all served items, which may be some seconds old.

        One list is made at a time, for all requests. A page does not wait long for a slow one.
        """
        if not self.shelf.is_fresh or self._made_s != self.shelf.found_s:
            if self._looking is None or self._looking.done():
                self._looking = self._looker.submit(self._look)
            done, _ = await asyncio.wait(
                {asyncio.wrap_future(self._looking)}, timeout=LATER_S if self._lines else FIRST_S
            )
            for one in done:
                one.result()
        return self._lines

    def _look(self) -> None:
        items, made_s = self.shelf.items(), self.shelf.found_s
        if self.is_public:  # spectators cannot open databases
            items = tuple(item for item in items if item.kind != "database")
        self._lines, self._made_s = tuple(self.standings.lines(items)), made_s

    async def listed(self, name: str, make: Callable[[Lines], Response]) -> Response:
        """Return the answer of this name for the current list, made once for all requests."""
        lines = await self.lines()
        if name not in self._made or self._made[name][0] is not lines:
            self._made[name] = lines, make(lines)
        return self._made[name][1]

    async def item(self, request: Request, *kinds: Kind) -> Item:
        """Return the item in an address, if it is of these kinds; raises HTTPException."""
        if (item := self.shelf.known_as(request.path_params["key"])) is None:
            await self.lines()
            item = self.shelf.known_as(request.path_params["key"])
        if item is None or item.kind not in kinds:
            raise HTTPException(404, "tournament or file not found")
        return item

    def watcher(self, item: Item) -> Watcher:
        """Return the watcher of a tournament."""
        if item.key not in self.watchers:
            if self.is_public:
                made = Watcher(item, self.standings, every_s=STATUS_S)
            else:
                made = Watcher(item, self.standings, partial(self.runs.view, item))
            self.watchers[item.key] = made
        return self.watchers[item.key]


_ANY_THEME: Final = b'<meta name="color-scheme" content="light dark">'

_THEMES: Final = {theme: theme.encode().ljust(len("light dark")) for theme in ("light", "dark")}
"""The texts that replace `light dark`, of the same length."""


class LongPage(Response):
    """A long page, sent in pieces, so that a slow reader holds one piece in memory.

    It has the theme that the visitor chose on the site, whose storage its sandbox cannot read.
    """

    media_type = "text/html"

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        """Send the page."""
        headers = {"status": self.status_code, "headers": self.raw_headers}
        await send({"type": "http.response.start", **headers})
        theme = _THEMES.get(HTTPConnection(scope).cookies.get("lath-theme", ""), b"")
        for at in range(0, len(self.body), PIECE):
            piece = bytes(self.body[at : at + PIECE])
            if theme and not at:
                piece = piece.replace(_ANY_THEME, _ANY_THEME.replace(b"light dark", theme), 1)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


class Stream(StreamingResponse):
    """A stream of events that occupies one of the visitor's places while it is open."""

    media_type = "text/event-stream"

    def __init__(self, parts: AsyncIterator[str], places: VisitorLimits, visitor: str) -> None:
        """Prepare to send `parts`, with a place of `places`."""
        super().__init__(parts)
        self._places: Final = places
        self._visitor: Final = visitor

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events, or an error if all places are taken."""
        with self._places.taken(self._visitor):
            await super().__call__(scope, receive, send)


def application(site: Site, *, keys: SiteKeys | None, hosts: frozenset[str]) -> Starlette:
    """Return the site; for `keys` and `hosts` see `Guard`."""
    site.root = keys.root if keys else ""
    routes = [
        Route("/", partial(_home, site)),
        Route("/static/{name}", _static),
        Route("/rules", partial(_rules, site)),
        Route("/rules/{game:path}", partial(_rules, site)),
        Route("/api/boards/{game:path}", _board),
        Route("/api/items", partial(_items, site)),
        Route("/t/{key}/board.svg", partial(_thumbnail, site)),
        Route("/t/{key}", partial(_tournament, site)),
        Route("/t/{key}/events", partial(_events, site)),
        Route("/t/{key}/game/{number}", partial(_history, site)),
        Route("/report/{key}", partial(_report_page, site)),
        Route("/report/{key}/events", partial(_report_events, site)),
        Route("/report/{key}/first", partial(_first_games, site)),
    ]
    if site.desk is not None:
        routes += [
            Route("/t/{key}/{what}", partial(_order, site), methods=["POST"]),
            *(Route(f"/{name}", partial(_desk_page, site, name)) for name in DESK_PAGES),
            *site.desk.routes(),
            *Explorer(site.shelf).routes(),
        ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(site.runs.close)

    made = Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[
            Middleware(Guard, keys=keys, hosts=hosts),
            Middleware(ServerErrorMiddleware, handler=partial(_failed, site)),
        ],
        exception_handlers={
            HTTPException: partial(_refused, site),
            GoneError: _nobody_waits,
            **dict.fromkeys((ArenaError, GameError, NotationError), partial(_wrong, site)),
        },
    )
    made.router.redirect_slashes = False  # a redirect would go to the host in the request's `Host`
    return made


class Server(uvicorn.Server):
    """The server of the site, which ends event streams before it shuts down."""

    server_state: Connections

    def __init__(self, site: Site, *, keys: SiteKeys | None, hosts: frozenset[str]) -> None:
        """Prepare the server; for the arguments see `application`."""
        self.site: Final = site
        config = uvicorn.Config(
            application(site, keys=keys, hosts=hosts),
            http=Connection,
            ws="none",
            backlog=BACKLOG,
            log_level="error",  # otherwise anybody can fill the log with invalid requests
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        super().__init__(config)
        self.server_state = Connections(max(16, min(MOST, _open_files(MOST + SPARE) - SPARE)))

    async def on_tick(self, counter: int) -> bool:
        """Close connections that take too long."""
        if counter % TICKS == 0:
            self.server_state.sweep()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then the server."""
        await self.site.end()
        await super().shutdown(sockets)


def _open_files(wanted: int) -> int:
    """Return the limit of open files of this process, after raising it towards `wanted`."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    granted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (granted, hard))
    return granted


def page(site: Site, template: str, **values: Any) -> HTMLResponse:
    """Return a page of one of the site's templates."""
    made = environment().get_template(f"{template}.html.j2")
    return HTMLResponse(
        made.render(is_public=site.is_public, root=site.root, place=template, **values)
    )


async def _refused(site: Site, request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _said(site, request, error.detail, error.status_code, error.headers)


async def _wrong(site: Site, request: Request, error: Exception) -> Response:
    words = error.said if isinstance(error, QueryError) else str(error)
    return _said(site, request, site.shelf.without_folders(words), 409)


async def _failed(site: Site, request: Request, _: Exception) -> Response:
    """Return a page that says so; the error itself is only in the messages of the site."""
    words = "the site failed. See the messages of arena serve, then try again"
    return _said(site, request, words, 500)


async def _nobody_waits(_: Request, __: Exception) -> Response:
    return Response(status_code=499)  # the visitor has left


TO_DO: Final = {
    404: "It may have been moved or deleted. The start page lists what this site has.",
    409: "Correct this, then reload the page.",
    429: "Reload the page then.",
    503: "Reload the page in a few seconds.",
}
"""The next step for the reader of an error page, by status."""


def _said(
    site: Site,
    request: Request,
    words: str,
    status: int,
    headers: Mapping[str, str] | None = None,
) -> Response:
    if "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": words}, status, headers)
    made = environment().get_template("error.html.j2")
    values = {"status": status, "is_public": site.is_public, "place": "", "root": site.root}
    where = request.query_params.get("where", "") if status == 409 else ""  # to be corrected
    values |= {"where": where, "action": request.url.path}
    words = "page not found" if words == "Not Found" else words  # of Starlette
    sentence = f"{words[:1].upper()}{words[1:].rstrip('.')}{'' if words.endswith('?') else '.'}"
    html = made.render(words=sentence, to_do=TO_DO.get(status, ""), **values)
    return HTMLResponse(html, status, headers)


async def _static(request: Request) -> Response:
    """Return one of the site's scripts or styles."""
    if (found := _file(request.path_params["name"])) is None:
        raise HTTPException(404, "file not found")
    return Response(found[0], media_type=found[1])


@lru_cache(maxsize=64)
def _files() -> Mapping[str, Path]:
    """Return the scripts and styles of the pages, by name."""
    return {path.name: path for path in TEMPLATES.iterdir() if path.suffix in KINDS}


def _file(name: str) -> tuple[str, str] | None:
    """Return the text and type of a script or style; None if not found."""
    if name == "report.js":
        return parts(environment(), "js", SCRIPTS), KINDS[".js"]
    if name == "report.css":
        return parts(environment(), "css", STYLES), KINDS[".css"]
    if name == "theme.js":  # apart, because a page must not show another theme first
        return parts(environment(), "js", ("theme",)), KINDS[".js"]
    path = _files().get(name)
    return None if path is None else (path.read_text(encoding="utf-8"), KINDS[path.suffix])


async def _board(request: Request) -> Response:
    if (board := _board_of(request.path_params["game"])) is None:
        raise HTTPException(404, "game not found")
    return JSONResponse(board, headers={"cache-control": "private, max-age=3600"})


_board_of = lru_cache(maxsize=64)(board_json)


async def _rules(site: Site, request: Request) -> Response:
    """Return the rules of a game type, by default the first."""
    listed = titles()
    board = _board_of(request.path_params.get("game") or listed[0]["id"])
    if board is None:
        raise HTTPException(404, "game not found")
    return page(site, "rules", game=board, games=listed, size=size_of(board))


async def _items(site: Site, _: Request) -> Response:
    return await site.listed("items", JSONResponse)


async def _home(site: Site, _: Request) -> Response:
    def made(lines: Lines) -> Response:
        newest = sorted(lines, key=lambda line: str(line.get("date")), reverse=True)
        ordered = sorted(newest, key=lambda line: not line.get("is_playing"))
        puzzle = {} if site.is_public else puzzle_of_the_day(dt.datetime.now().astimezone().date())
        has_more, link = site.shelf.more, not site.is_public and site.shelf.link
        values = {"has_more": has_more, "link": link, "puzzle": puzzle, "games": titles()}
        return page(site, "home", lines=ordered, **values)

    return await site.listed("home", made)


async def _thumbnail(site: Site, request: Request) -> Response:
    item = await site.item(request, "tournament")
    return drawing(request, await asyncio.to_thread(site.thumbnails.of, item))


async def _desk_page(site: Site, name: str, request: Request) -> Response:
    assert site.desk is not None
    await site.lines()
    items = [item for item in site.shelf.known if item.kind != "unreadable"]
    offered = choices(site.desk.thinkers)
    board = _board_of(request.query_params.get("game") or offered["games"][0]["id"])
    values = {"items": items, "link": site.shelf.link, "size": board and size_of(board)}
    return page(site, name, choices=offered, **values)


async def _tournament(site: Site, request: Request) -> Response:
    item = await site.item(request, "tournament")
    line = next((one for one in await site.lines() if one["key"] == item.key), None)
    standing = await asyncio.to_thread(site.standings.of, item.path)
    sheet = Markup(sheet_of(standing, item.key))  # noqa: S704 - a template of the report
    line = line or {"key": item.key, "name": item.name}
    return page(site, "watch", line=line, sheet=sheet)


async def _events(site: Site, request: Request) -> Response:
    item = await site.item(request, "tournament")
    return Stream(site.watcher(item).stream(), site.streams, visitor_of(request))


async def _history(site: Site, request: Request) -> Response:
    """Return the moves and boards of a game that is watched; null if another took its place."""
    item = await site.item(request, "tournament")
    number = number_of(request.path_params["number"])
    return JSONResponse(await asyncio.to_thread(site.watcher(item).history, number))


async def _order(site: Site, request: Request) -> Response:
    item, what = await site.item(request, "tournament"), request.path_params["what"]
    if what not in ("start", "stop"):
        raise HTTPException(404, "expected start or stop")
    await asyncio.to_thread(site.runs.start if what == "start" else site.runs.stop, item)
    return JSONResponse(await asyncio.to_thread(site.standings.line, item))


async def _report_asked(site: Site, request: Request) -> tuple[Item, str, str]:
    """Return the item, query and visitor of a request about a report."""
    item = await site.item(request, "tournament", "records")
    where = request.query_params.get("where", "").strip()
    if len(where) > LONGEST_QUERY:
        raise HTTPException(400, f"the query is longer than {LONGEST_QUERY} characters")
    return item, where, visitor_of(request)


async def _report_page(site: Site, request: Request) -> Response:
    item, where, visitor = await _report_asked(site, request)
    site.reports.refuse(item, where, visitor)
    if request.headers.get("sec-fetch-mode") != "navigate":
        return _report(await unless_gone(request, site.reports.page(item, where, visitor)))
    made = await unless_gone(request, site.reports.soon(item, where, visitor))
    return page(site, "report", item=item, where=where) if made is None else _report(made)


def _report(made: bytes) -> Response:
    return LongPage(made, headers={"content-security-policy": REPORT_POLICY})


async def _report_events(site: Site, request: Request) -> Response:
    asked = await _report_asked(site, request)

    async def parts() -> AsyncIterator[str]:
        async for part in site.reports.news(*asked):
            yield f"data: {json.dumps([part])}\n\n"

    return Stream(parts(), site.streams, asked[2])


async def _first_games(site: Site, request: Request) -> Response:
    item, where, _ = await _report_asked(site, request)
    return _report(site.reports.first(item, where))
