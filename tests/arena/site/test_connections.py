"""A connection that sends or reads too slowly ends, and there are only so many at once."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from typing import TYPE_CHECKING, Final

import pytest
from sites import PATIENCE_S, Served, ends, served, until

from lath.arena.cli.serve import listening
from lath.arena.errors import MachineError
from lath.arena.site import connections
from lath.arena.site.connections import Connections

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

SOON_S: Final = 0.3
"""The limits in these tests."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "cup/live").mkdir(parents=True)
    (tmp_path / "cup/games.lath").touch()
    with served(tmp_path) as running:
        yield running


@contextmanager
def short_limits() -> Iterator[None]:
    """Nobody who asks as usual does so in here: it might take longer than that."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("HEAD_S", "BODY_S", "STALL_S"):
            patch.setattr(connections, name, SOON_S)
        yield


@contextmanager
def dialled(site: Served, address: str = "127.0.0.1") -> Iterator[socket.socket]:
    """A connection to the site from an address of this machine."""
    with socket.socket() as line:
        line.settimeout(PATIENCE_S)
        line.bind((address, 0))
        line.connect(("127.0.0.1", site.port))
        yield line


def head(site: Served, path: str = "/api/items", method: str = "GET", more: str = "") -> bytes:
    sent = "".join(f"{name}: {value}\r\n" for name, value in site.keys.items())
    return f"{method} {site.site.root}{path} HTTP/1.1\r\nHost: {site.host}\r\n{sent}{more}".encode()


BODY: Final = "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"


NO_REQUESTS: Final[tuple[Callable[[Served], bytes], ...]] = (
    lambda _: b"",
    lambda _: b"G",
    head,
    lambda site: head(site) + b"\r\n" + head(site)[:40],
    lambda site: head(site, "/api/position", "POST", BODY),
    lambda site: head(site, "/api/position", "POST", BODY) + b'{"game": ',
    lambda site: head(site, "/nowhere", "POST", BODY) + b'{"game": ',
)


def test_what_never_becomes_a_request_ends(site: Served) -> None:
    with ExitStack() as undo:
        lines = [undo.enter_context(dialled(site)) for _ in NO_REQUESTS]
        for line, sent in zip(lines, NO_REQUESTS, strict=True):
            line.sendall(sent(site))
        with short_limits():
            for line in lines:
                ends(line)  # it would wait for ever
    assert site.ask("/", **site.cookie).status == 200


def test_a_request_that_comes_byte_by_byte_ends_though_it_never_rests(site: Served) -> None:
    with dialled(site) as line:
        is_over = threading.Event()

        def send() -> None:
            with suppress(OSError):
                while not is_over.wait(0.02):
                    line.send(b"x")

        line.sendall(head(site, more="X-Long: "))
        sending = threading.Thread(target=send)
        sending.start()
        with short_limits():
            ends(line)
        is_over.set()
        sending.join()


def test_who_does_not_read_the_answers_is_left(site: Served) -> None:
    with dialled(site) as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        whole = (head(site, "/static/report.js") + b"\r\n") * 2_000

        def send() -> None:
            with suppress(OSError):
                line.sendall(whole)

        sending = threading.Thread(target=send)
        sending.start()
        (served_to,) = until(lambda: [*site.server.server_state.open])
        with short_limits():
            until(lambda: served_to not in site.server.server_state.open)
        line.close()
        sending.join()


def test_a_stream_that_is_read_lasts_beyond_all_limits(
    site: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweeps: list[float] = []
    sweep = Connections.sweep

    def counted(self: Connections) -> None:
        sweep(self)
        sweeps.append(time.monotonic())

    news = site.news(f"/t/{site.key('cup')}/events")
    assert {next(news)["part"], next(news)["part"]} == {"status", "boards"}
    monkeypatch.setattr(Connections, "sweep", counted)
    with short_limits():
        until(lambda: sweeps and sweeps[-1] - sweeps[0] > 3 * SOON_S)
    (item,) = site.site.shelf.items()
    (item.path / "outcome.json").write_text('{"format": "match", "event": "The end"}')
    assert next(news)["event"] == "The end"
    news.close()


def test_there_are_only_so_many_and_whoever_asks_gets_an_answer(tmp_path: Path) -> None:
    with served(tmp_path, is_public=True) as site, ExitStack() as undo:
        state = site.server.server_state
        vars(state)["most"] = 8
        waiting = undo.enter_context(dialled(site, "127.0.0.2"))
        for number in range(60):
            undo.enter_context(dialled(site))
            if number % 5 == 0:
                assert site.ask("/api/items").status == 200
                assert len(state.open) <= 8
        waiting.sendall(f"GET /api/items HTTP/1.1\r\nHost: {site.host}\r\n\r\n".encode())
        assert waiting.recv(15) == b"HTTP/1.1 200 OK"  # of another visitor, and the oldest of all


def test_a_site_listens_on_the_port_that_is_named_or_says_that_it_cannot() -> None:
    with closing(listening("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(MachineError, match=f"cannot listen on port {port}: "):
            listening("127.0.0.1", port)
    with closing(listening("127.0.0.1", port)) as now:
        assert now.getsockname() == ("127.0.0.1", port)
