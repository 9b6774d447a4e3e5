"""The site's pages and what they ask for: a Starlette application.

Templates, boards and styles are those of the report. What takes long is done in a thread; what a
page asks for is JSON, and an error is `{"error": "…"}` with a status. Must not know
how games are seen, nor how runs are started: `watching` and `runs` do.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections import OrderedDict
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from lath.arena.errors import ArenaError
from lath.arena.site.boards import board_json
from lath.arena.site.exploring import Explorer
from lath.arena.site.guard import Guard
from lath.arena.site.playing import choices
from lath.arena.site.runs import Runs
from lath.arena.site.watching import STATUS_S, Watcher, standing_in
from lath.arena.tournament.database import DATABASE, is_being_played, stamp_of
from lath.arena.tournament.sources import Doubt, background_of, records_of
from lath.games.errors import GameError
from lath.notation.errors import NotationError
from lath.notation.record import Record
from lath.reports.page.page import TEMPLATES, environment_of, parts, render

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from starlette.requests import Request

    from lath.arena.site.playing import Desk
    from lath.arena.site.shelf import Item, Kind, Shelf

SCRIPTS: Final = (
    *("open", "dom", "geometry", "overlays", "sprites", "board", "effects", "opened", "ways"),
)
"""Those of the report that our pages have, too."""

STYLES: Final = ("base", "sections", "board", "replay", "ways", "narrow")

DESK_PAGES: Final = ("play", "analyse", "explore", "puzzles")
"""Those that are not for spectators."""

SERVE: Final = TEMPLATES / "serve"

KINDS: Final = {".js": "text/javascript", ".css": "text/css"}

KEPT_PAGES: Final = 8
"""Reports that are kept, as long as their sources stay as they are."""

REPORT_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; "
    "sandbox allow-scripts allow-downloads allow-popups"
)
"""Of a report, whose own policy in the file lets only its own script run. It is a stranger to the
site: records of anybody are shown in it."""


@dataclass(slots=True)
class Site:
    """What the pages know."""

    shelf: Shelf
    desk: Desk | None = None
    """Where one plays; without one anybody may look, and nobody do anything."""

    runs: Runs = field(default_factory=Runs)
    watchers: dict[str, Watcher] = field(default_factory=dict)
    reports: OrderedDict[object, str] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    """Of reports: one is made at a time."""

    @property
    def is_public(self) -> bool:
        """Return whether this is for spectators only."""
        return self.desk is None

    async def end(self) -> None:
        """Let those go who are being told something."""
        for watcher in self.watchers.values():
            watcher.end()
        if self.desk is not None:
            await asyncio.to_thread(self.desk.thinkers.close)

    def item(self, request: Request, *kinds: Kind) -> Item:
        """Return what an address names, of one of these kinds; raises HTTPException."""
        item = self.shelf.get(request.path_params["key"])
        if item is None or item.kind not in kinds:
            raise HTTPException(404, "there is no such tournament or file here")
        return item

    def watcher(self, item: Item) -> Watcher:
        """Return what looks at a tournament."""
        if item.key not in self.watchers:
            log = (list) if self.is_public else (lambda: self.runs.log(item.path))
            every = {"every_s": STATUS_S} if self.is_public else {}
            self.watchers[item.key] = Watcher(item.path, log, **every)
        return self.watchers[item.key]

    def report(self, item: Item, where: str) -> str:
        """Return the report page on a tournament or file, or on what matches a query of it.

        Raises ArenaError and NotationError.
        """
        files = [item.path / DATABASE, item.path] if item.kind == "tournament" else [item.path]
        key = (item.key, where, *map(stamp_of, files))
        with self.lock:
            if key not in self.reports:
                self.reports[key] = _report(item.path, where)
                while len(self.reports) > KEPT_PAGES:
                    self.reports.popitem(last=False)
            self.reports.move_to_end(key)
            return self.reports[key]


def _report(path: Path, where: str) -> str:
    matches: Callable[[Record], bool] = bool
    if where:
        from lath.notation.query import compile_query

        matches = compile_query(where)
    found: list[Doubt] = []
    records = records_of([path], found)
    if not where:
        return render(records, background=background_of([path])).html
    chosen = (record for record in records if isinstance(record, Record) and matches(record))
    return render(chosen, title=f"{path.name}: {where}").html


def application(site: Site, *, token: str, hosts: frozenset[str]) -> Starlette:
    """Return the site; `token` and `hosts` are as `Guard` has them."""
    routes = [
        Route("/", _home(site)),
        Route("/static/{name}", _static),
        Route("/api/boards/{game:path}", _board),
        Route("/api/items", _items(site)),
        Route("/t/{key}", _tournament(site)),
        Route("/t/{key}/events", _events(site)),
        Route("/report/{key}", _report_page(site)),
    ]
    if site.desk is not None:
        routes += [
            Route("/t/{key}/{what}", _order(site), methods=["POST"]),
            *(Route(f"/{name}", _desk_page(site, name)) for name in DESK_PAGES),
            *site.desk.routes(),
            *Explorer(site.shelf).routes(),
        ]

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await asyncio.to_thread(site.runs.close)

    return Starlette(
        routes=routes,
        lifespan=lifespan,
        middleware=[Middleware(Guard, token=token, hosts=hosts)],
        exception_handlers={
            HTTPException: _refused,
            **dict.fromkeys((ArenaError, GameError, NotationError), _wrong),
        },
    )


class Server(uvicorn.Server):
    """What hears the site's visitors; who is being told something when it ends is let go first."""

    def __init__(self, site: Site, *, token: str, hosts: frozenset[str]) -> None:
        """Take what `application` takes."""
        self.site: Final = site
        config = uvicorn.Config(
            application(site, token=token, hosts=hosts),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        super().__init__(config)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End."""
        await self.site.end()
        await super().shutdown(sockets)


def page(site: Site, template: str, **values: Any) -> HTMLResponse:
    """Return a page of ours, of a template of the folder `serve`."""
    made = environment_of(None).get_template(f"serve/{template}.html.j2")
    return HTMLResponse(made.render(is_public=site.is_public, place=template, **values))


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _said(request, error.detail, error.status_code)


async def _wrong(request: Request, error: Exception) -> Response:
    return _said(request, str(error), 409)


def _said(request: Request, words: str, status: int) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        made = environment_of(None).get_template("serve/error.html.j2")
        html = made.render(words=words, status=status, is_public=True, place="")
        return HTMLResponse(html, status)
    return JSONResponse({"error": words}, status)


def _static(request: Request) -> Response:
    """Return a script or a style of ours."""
    name = request.path_params["name"]
    environment = environment_of(None)
    if name == "report.js":
        text = parts(environment, "js", SCRIPTS)
    elif name == "report.css":
        text = parts(environment, "css", STYLES)
    elif Path(name).suffix in KINDS and name in {path.name for path in SERVE.iterdir()}:
        text = (SERVE / name).read_text(encoding="utf-8")
    else:
        raise HTTPException(404, "there is no such file here")
    return Response(text, media_type=KINDS[Path(name).suffix])


def _board(request: Request) -> Response:
    board = board_json(request.path_params["game"])
    if board is None:
        raise HTTPException(404, "there is no such game here")
    return JSONResponse(board, headers={"cache-control": "private, max-age=3600"})


def _state(site: Site, item: Item) -> dict[str, Any]:
    """Return a line about what is served."""
    line: dict[str, Any] = {"key": item.key, "name": item.name, "kind": item.kind}
    if item.kind == "tournament":
        is_playing = is_being_played(item.path)
        standing = standing_in(item.path, is_playing=is_playing)
        rows = standing.get("standings") or []
        line |= {name: standing.get(name) for name in ("event", "tournament", "done", "total")}
        line |= {"is_playing": is_playing, "is_ours": site.runs.is_ours(item.path)}
        line["leader"] = rows[0]["name"] if rows else ""
    return line


def _items(site: Site) -> Callable[[Request], Response]:
    def items(_: Request) -> Response:
        return JSONResponse([_state(site, item) for item in site.shelf.items()])

    return items


def _home(site: Site) -> Callable[[Request], Response]:
    def home(_: Request) -> Response:
        return page(site, "home", lines=[_state(site, item) for item in site.shelf.items()])

    return home


def _desk_page(site: Site, name: str) -> Callable[[Request], Response]:
    assert site.desk is not None
    thinkers = site.desk.thinkers

    def desk_page(_: Request) -> Response:
        return page(site, name, choices=choices(thinkers), items=site.shelf.items())

    return desk_page


def _tournament(site: Site) -> Callable[[Request], Response]:
    def tournament(request: Request) -> Response:
        item = site.item(request, "tournament")
        return page(site, "watch", line=_state(site, item))

    return tournament


def _events(site: Site) -> Callable[[Request], Any]:
    async def events(request: Request) -> Response:
        item = site.item(request, "tournament")
        return StreamingResponse(site.watcher(item).stream(), media_type="text/event-stream")

    return events


def _order(site: Site) -> Callable[[Request], Response]:
    def order(request: Request) -> Response:
        item, what = site.item(request, "tournament"), request.path_params["what"]
        if what == "start":
            site.runs.start(item)
        elif what == "stop":
            site.runs.stop(item.path)
        else:
            raise HTTPException(404, "expected start or stop")
        return JSONResponse(_state(site, item))

    return order


def _report_page(site: Site) -> Callable[[Request], Response]:
    def report(request: Request) -> Response:
        item = site.item(request, "tournament", "records")
        html = site.report(item, request.query_params.get("where", "").strip())
        return HTMLResponse(html, headers={"content-security-policy": REPORT_POLICY})

    return report
