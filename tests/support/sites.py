"""A site of `arena serve` in a thread of this process, on a port of its own, with its clients.

A pytest plugin: its fixture `guest` is a real Chromium with the site's token.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import pytest
from browsing import Visit, new_window
from starlette.routing import Route

from lath.arena.cli.outputs import append_record
from lath.arena.cli.serve import listening
from lath.arena.entrants.compiling import OPTION, SEARCHERS
from lath.arena.entrants.programs import bundled
from lath.arena.referee.bots import BotSpec
from lath.arena.site.app import Server, Site, application
from lath.arena.site.guard import COOKIE, SECRET, SiteKeys, names_of
from lath.arena.site.playing import Desk
from lath.arena.site.shelf import Shelf
from lath.arena.site.thinking import Thinkers

if TYPE_CHECKING:
    from pathlib import Path

LONG_CUP: Final = """
games = ["yavalath:size=3"]
rounds = 50000
openings = "random:0"
[time]
initial = "60s"
[[bot]]
name = "random"
[[bot]]
name = "patient"
command = ["python", "{folder}/patient.py"]
"""

PATIENT: Final = """
import time
from lath.bots.sdk import run


def choose(position, turn):
    time.sleep(0.02)
    return turn.chance.choice(position.legal_moves())


run(choose, name="Patient")
"""


def a_long_cup(folder: Path) -> Path:
    """Write a tournament that lasts but computes little, with its bot in another folder."""
    (folder / "bot").mkdir(parents=True)
    (folder / "bot/patient.py").write_text(PATIENT)
    (folder / "served").mkdir()
    (folder / "served/long.toml").write_text(LONG_CUP.replace("{folder}", f"{folder}/bot"))
    return folder / "served"


TOKEN: Final = "a-token-for-tests"
KEYS: Final = SiteKeys(TOKEN)
PATIENCE_S: Final = 30


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def value(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class Served:
    """A running site."""

    site: Site
    port: int
    server: Server

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        return f"http://{self.host}"

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"{COOKIE}={KEYS.cookie}"}

    @property
    def keys(self) -> dict[str, str]:
        """Return all headers that a page of the site sends."""
        return {**self.cookie, SECRET: KEYS.secret, "Origin": self.address}

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> Answer:
        """Send a request as a program does, with only these headers (_ for -).

        The path is below the root of the site's addresses.
        """
        return self.ask_outside(self.site.root + path, method, body, **headers)

    def ask_outside(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> Answer:
        """Send a request like `ask`, with the full path."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE_S)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        told = {name.lower(): value for name, value in answer.getheaders()}
        said = Answer(answer.status, told, answer.read().decode())
        connection.close()
        return said

    def get(self, path: str) -> Any:
        """Return the JSON answer to a page of the site."""
        return self.ask(path, **self.cookie).value

    def post(self, path: str, value: object) -> Answer:
        """Send a JSON value as a page of the site does."""
        sent = {"Content_Type": "application/json", **self.keys}
        return self.ask(path, "POST", json.dumps(value), **sent)

    def parts(self, path: str, value: object) -> Generator[Any]:
        """Send a JSON value like `post`; yield the lines of the answer, until the caller stops."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE_S)
        sent = {"Content-Type": "application/json", **self.keys}
        connection.request("POST", self.site.root + path, json.dumps(value), sent)
        answer = connection.getresponse()
        try:
            while line := answer.readline():
                yield json.loads(line)
        finally:
            connection.close()

    def routes(self) -> list[Route]:
        """Return all its routes."""
        made = application(self.site, keys=None if self.site.is_public else KEYS, hosts=frozenset())
        routes = [route for route in made.routes if isinstance(route, Route)]
        assert len(routes) == len(made.routes) > 6
        return routes

    def addresses(self, **values: str) -> Iterator[tuple[Route, str]]:
        """Yield each route with an address, with these values as its escaped parameters.

        Other parameters name existing items.
        """
        known = {
            "key": "x",
            "what": "start",
            "name": "greedy",
            "game": "yavalath",
            "number": "1",
            **values,
        }
        for route in self.routes():
            yield route, re.sub(r"{(\w+)(:\w+)?}", lambda found: known[found[1]], route.path)

    def key(self, name: str) -> str:
        """Return the key of a tournament or file in addresses."""
        return next(item.key for item in self.site.shelf.items() if item.name == name)

    def news(self, path: str) -> Generator[Any]:
        """Yield the parts of an event stream as they come, until the caller stops."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE_S)
        connection.request("GET", self.site.root + path, headers=self.cookie)
        answer = connection.getresponse()
        try:
            while line := answer.readline():
                if line.startswith(b"data: "):
                    yield from json.loads(line.removeprefix(b"data: "))
        finally:
            connection.close()


def _at_once(name: str, command: tuple[str, ...]) -> BotSpec:
    """Return a bot that searches in Python, which starts faster."""
    options: dict[str, Any] = {OPTION: "off"} if name in SEARCHERS else {}
    return BotSpec(name=name, command=command, options=options)


@contextmanager
def served(
    *sources: Path, is_public: bool = False, keys: SiteKeys = KEYS, port: int = 0
) -> Iterator[Served]:
    """Serve some folders and files."""
    listener = listening("127.0.0.1", port)
    port = listener.getsockname()[1]
    folder = next(path if path.is_dir() else path.parent for path in sources)
    specs = {name: _at_once(name, command) for name, command in bundled().items()}
    desk = None if is_public else Desk(folder, Thinkers(specs), append_record)
    site = Site(Shelf(sources), desk)
    hosts = frozenset[str]() if is_public else names_of(port)
    server = Server(site, keys=None if is_public else keys, hosts=hosts)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Served(site, port, server)
    finally:
        server.should_exit = True
        thread.join(PATIENCE_S)
    assert not thread.is_alive()


def ends(line: socket.socket) -> bytes:
    """Return the data until the site closes a connection."""
    told = b""
    with suppress(ConnectionError):
        while part := line.recv(1 << 16):
            told += part
    return told


_Held = TypeVar("_Held")


def until(holds: Callable[[], _Held]) -> _Held:
    """Wait until the function returns a true value, and return it."""
    until_s = time.monotonic() + 2 * PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < until_s, "it never came"
        time.sleep(0.01)
    return found


Guest = Callable[..., Visit]


@pytest.fixture
def guest(browser: Any) -> Iterator[Guest]:
    """Opens a page of a site with the token; no page may complain of anything."""
    visits: list[Visit] = []

    def visit(site: Served, path: str, **window: Any) -> Visit:
        context = new_window(browser, **window)
        visits.append(Visit(context.new_page()))
        visits[-1].watch()
        visits[-1].page.goto(f"{site.address}{path}{'&' if '?' in path else '?'}token={TOKEN}")
        visits[-1].page.wait_for_url(f"{site.address}{site.site.root}/**")
        return visits[-1]

    yield visit
    for one in visits:
        complaints, requests = list(one.complaints), list(one.requests)
        one.page.context.close()
        assert complaints == []
        assert all(url.startswith(("http://127.0.0.1:", "blob:", "data:")) for url in requests)
