"""Nobody waits for the reports that others ask for, and what nobody waits for is not made."""

from __future__ import annotations

import asyncio
import base64
import http.client
import io
import json
import shlex
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final

import pytest
from sites import PATIENCE_S, Served, served, until

from lath.arena.site import app, report_process, reporting
from lath.arena.site.reporting import EACH, KEPT_QUERIES, MOST
from lath.arena.site.visitors import WaitingTurns

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

RECORD = '[Game "yavalath"]\n[Result "*"]\n\n1. e5 *\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "served"
    (folder / "cup").mkdir(parents=True)
    (folder / "cup/games.lath").write_text(RECORD)
    for name in ("a", "b"):
        (folder / f"{name}.lath").write_text(RECORD)
    return folder


@contextmanager
def held(site: Path) -> Iterator[Callable[[], None]]:
    """Hold all reports that are made until what this yields is called; each is the word `made`."""
    gate = site / "gate"
    wait = f"while test -d {shlex.quote(str(site))} && ! test -e {shlex.quote(str(gate))}; "
    wait += "do sleep 0.02; done; "
    make = """while read asked; do printf '{"size": 4}\\nmade'; done"""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reporting, "COMMAND", ("sh", "-c", wait + make))
        yield gate.touch
        gate.touch()


class Visitor:
    """Somebody who asks for a report, and waits for it or goes."""

    def __init__(self, site: Served, path: str, who: str = "192.0.2.1") -> None:
        self._line = http.client.HTTPConnection(site.host, timeout=PATIENCE_S)
        sent = {"X-Forwarded-For": who, **site.cookie}
        self._line.request("GET", site.site.root + path, headers=sent)

    def answer(self) -> tuple[int, str, str]:
        """Return the status, what is said of when to come again, and the text."""
        answer = self._line.getresponse()
        text = answer.read().decode()
        self.go()
        return answer.status, answer.headers.get("Retry-After", ""), text

    def go(self) -> None:
        self._line.close()


def report(site: Served, name: str, number: int | str = "") -> str:
    return f"/report/{site.key(name)}" + (f"?where=plies+%21%3D+10{number}" if number != "" else "")


@pytest.mark.parametrize("is_public", [True, False])
def test_while_reports_are_made_everything_else_answers(
    folder: Path, tmp_path: Path, *, is_public: bool
) -> None:
    with served(folder, is_public=is_public) as site, held(tmp_path) as let_go, ExitStack() as undo:
        visitors = [Visitor(site, report(site, "a.lath", number)) for number in range(EACH)]
        for visitor in visitors:
            undo.callback(visitor.go)
        until(lambda: site.site.reports.places.taken_by_all == EACH)
        for route, path in site.addresses(key=site.key("cup")):
            if route.path.endswith("/events"):
                assert next(site.news(path))["part"] in ("status", "progress")
            elif route.methods == {"POST"}:
                assert site.post(path, {"no": 1}).status < 500
            elif not route.path.startswith("/report"):
                assert site.ask(path, **site.cookie).status in (200, 404)
        let_go()
        assert [visitor.answer()[0] for visitor in visitors] == [200] * EACH


def test_45_requests_that_are_abandoned_at_once_are_not_served(
    folder: Path, tmp_path: Path
) -> None:
    with served(folder, is_public=True) as site, held(tmp_path) as let_go:
        for number in range(45):
            with socket.create_connection(("127.0.0.1", site.port)) as line:
                path = report(site, "a.lath", number)
                line.sendall(f"GET {path} HTTP/1.1\r\nHost: {site.host}\r\n\r\n".encode())
        assert site.ask("/api/items").status == 200
        until(lambda: not site.server.server_state.tasks)
        reports = site.site.reports
        assert reports.places.taken_by_all == 0
        until(lambda: all(maker.has_ended for maker in reports._makers))
        let_go()
        assert site.ask(report(site, "a.lath")).status == 200


def test_who_asks_for_much_is_told_to_wait_and_when_to_come_again(
    folder: Path, tmp_path: Path
) -> None:
    with served(folder, is_public=True) as site, held(tmp_path) as let_go, ExitStack() as undo:
        visitors: list[Visitor] = []
        for number in range(MOST):
            visitors.append(Visitor(site, report(site, "a.lath", number), f"192.0.2.{number % 4}"))
            undo.callback(visitors[-1].go)
        until(lambda: site.site.reports.places.taken_by_all == MOST)
        for who, words in (("192.0.2.0", f"you already have {EACH}"), ("192.0.2.9", str(MOST))):
            status, retry, text = Visitor(site, report(site, "b.lath"), who).answer()
            assert (status, words in text) == (429, True)
            assert 1 <= int(retry) <= 60
        assert site.site.reports.begun == 2  # of different visitors
        let_go()
        assert {visitor.answer()[0] for visitor in visitors} == {200}
        assert Visitor(site, report(site, "b.lath"), "192.0.2.0").answer()[0] == 200


def test_a_report_is_made_once_for_all_who_wait_and_given_up_when_the_last_has_gone(
    folder: Path, tmp_path: Path
) -> None:
    with served(folder, is_public=True) as site, held(tmp_path) as let_go:
        reports, path = site.site.reports, report(site, "a.lath")
        one, other = Visitor(site, path), Visitor(site, path, "192.0.2.2")
        until(lambda: reports.places.taken_by_all == 2)
        one.go()
        until(lambda: reports.places.taken_by_all == 1)
        assert (reports.begun, [maker.has_ended for maker in reports._makers]) == (1, [False])
        other.go()
        until(lambda: reports._makers[0].has_ended)
        last = Visitor(site, path)
        let_go()
        assert (last.answer()[0], reports.begun) == (200, 2)
        assert Visitor(site, path).answer()[0] == 200
        assert reports.begun == 2


def test_queries_do_not_drive_out_reports_nor_fill_the_memory(folder: Path) -> None:
    with served(folder, is_public=True) as site:
        whole = report(site, "a.lath")
        first = site.ask(whole).text
        for number in range(KEPT_QUERIES + 3):
            assert site.ask(report(site, "a.lath", number)).status == 200
        begun = site.site.reports.begun
        assert site.ask(whole).text == first
        assert (site.site.reports.begun, len(site.site.reports._kept)) == (begun, KEPT_QUERIES + 1)
        long = report(site, "a.lath", "1" * 5_000)
        assert site.ask(long).status == 400
        (folder / "a.lath").write_text(RECORD.replace("e5", "d4"))
        assert site.ask(whole).text != first


def test_who_waits_for_a_report_that_does_not_come_is_told(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held(tmp_path):
        with monkeypatch.context() as patch:
            patch.setattr(reporting, "LONGEST_S", 0.05)
            with served(folder, is_public=True) as site:
                status, _, text = Visitor(site, report(site, "a.lath")).answer()
                assert (status, "exceeds its time limit of" in text) == (503, True)
                until(lambda: site.site.reports._makers[0].has_ended)
        with served(folder, is_public=True) as site:
            visitor = Visitor(site, report(site, "a.lath"))
            until(lambda: site.site.reports.begun == 1)
        status, _, text = visitor.answer()
    assert (status, "the site is stopping" in text) == (503, True)
    assert all(maker.has_ended for maker in site.site.reports._makers)
    with served(folder, is_public=True) as site:
        monkeypatch.setattr(reporting, "COMMAND", ("true",))
        assert site.ask(report(site, "a.lath")).status == 500
        monkeypatch.undo()
        assert site.ask(report(site, "a.lath")).status == 200


def test_streams_have_places_which_are_free_again_when_they_are_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "STREAMS", 4)
    with served(folder, is_public=True) as site, ExitStack() as undo:
        path = f"/t/{site.key('cup')}/events"
        streams = [site.news(path) for _ in range(2)]
        for stream in streams:
            undo.callback(stream.close)
            next(stream)
        answer = site.ask(path)
        assert (answer.status, "too many streams" in answer.text) == (429, True)
        assert int(answer.headers["retry-after"]) > 0
        assert site.ask("/").status == 200
        streams[0].close()
        until(lambda: site.site.streams.taken_by_all == 1)
        next(again := site.news(path))
        again.close()


def test_turns_are_fair_and_none_is_lost_by_whoever_gives_up() -> None:
    order: list[str] = []

    async def take(turns: WaitingTurns, who: str, name: str, gate: asyncio.Event) -> None:
        async with turns.taken(who):
            order.append(name)
            await gate.wait()

    async def play() -> None:
        turns, gate = WaitingTurns(each=1, most=2), asyncio.Event()
        names = ("a1", "a2", "a3", "b1", "c1", "b2")
        tasks: dict[str, asyncio.Task[Any]] = {
            name: asyncio.create_task(take(turns, name[0], name, gate)) for name in names
        }
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert order == ["a1", "b1"]
        tasks["a2"].cancel()  # it waits
        tasks["b1"].cancel()  # it has a turn
        await asyncio.wait({tasks["a2"], tasks["b1"]})
        for _ in range(3):
            await asyncio.sleep(0)
        assert order == ["a1", "b1", "c1"]
        gate.set()
        await asyncio.gather(*tasks.values(), return_exceptions=True)
        assert sorted(order) == ["a1", "a3", "b1", "b2", "c1"]
        assert not turns._taken
        assert not turns._waiting

    with ThreadPoolExecutor(1) as thread:  # this one may have a loop of the browser's
        thread.submit(asyncio.run, play()).result()


# The cache of pages, which processes share


def made(path: Path, where: str = "") -> tuple[dict[str, Any], bytes, list[dict[str, Any]]]:
    """Return the head and page that a process answers for a file, and what it tells before."""
    out = io.BytesIO()
    asked = {"key": "k", "name": path.name, "path": str(path), "kind": "records", "where": where}
    report_process.answer({**asked, "root": None, "public": False}, out)
    lines = out.getvalue().split(b"\n")
    at = next(at for at, line in enumerate(lines) if b'"size"' in line)
    return json.loads(lines[at]), b"\n".join(lines[at + 1 :]), [*map(json.loads, lines[:at])]


DAMAGE: Final[dict[str, Callable[[Path], object]]] = {
    "empty": lambda kept: kept.write_bytes(b""),
    "cut off": lambda kept: kept.write_bytes(kept.read_bytes()[:-1]),
    "other text": lambda kept: kept.write_bytes(
        kept.read_bytes().replace(b"yavalath", b"manalath")
    ),
    "not JSON": lambda kept: kept.write_bytes(b"\xff\n" + kept.read_bytes()),
    "JSON of others": lambda kept: kept.write_bytes(b"[1]\npage"),
    "a folder": lambda kept: kept.rename(kept.with_name("x")).with_name(kept.name).mkdir(),
    "a link": lambda kept: (kept.parent / kept.name).symlink_to(kept.rename(kept.with_name("x"))),
}


def test_a_page_is_read_again_while_content_question_and_code_are_the_same(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    file, pages = folder / "a.lath", tmp_path / "lath-arena/reports"
    removed = ModuleType("lath_game_removed")
    removed.__file__ = str(tmp_path / "removed.py")
    monkeypatch.setitem(sys.modules, removed.__name__, removed)
    head, page, _ = made(file)
    assert "is_kept" not in head
    file.write_text(file.read_text())
    assert made(file)[:2] == ({**head, "is_kept": True}, page)
    assert "is_kept" not in made(file, "plies > 0")[0]
    assert "is_kept" not in made(folder / "b.lath")[0]
    with monkeypatch.context() as patch:
        patch.setattr(report_process, "_stamp", lambda _: [0, 0])
        assert made(file)[:2] == (head, page)
    assert made(file)[:2] == (head, page)
    file.write_text(RECORD.replace("e5", "d4"))
    assert made(file)[1] != page
    file.write_text(RECORD)
    assert made(file)[1] == page

    (pages / "mine.txt").write_text("of somebody else")
    for damage in DAMAGE.values():
        made(file)
        for kept in pages.glob("*.report"):
            damage(kept)
        assert made(file)[:2] == (head, page)
        for kept in pages.glob("*.report"):
            kept.rmdir() if kept.is_dir() else kept.unlink()
    for most, left in (("KEPT_FILES", 2), ("KEPT_BYTES", 5 * len(page))):
        with monkeypatch.context() as patch:
            patch.setattr(report_process, most, left)
            for number in range(5):
                assert "is_kept" not in made(file, f"plies != 10{number}{len(most)}")[0]
            sizes = [kept.stat().st_size for kept in pages.glob("*.report")]
            assert (len(sizes) if most == "KEPT_FILES" else sum(sizes)) <= left
            assert len(sizes) > 1
    assert (pages / "mine.txt").exists()
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert made(file)[:2] == (head, page)


def test_the_list_and_the_first_games_come_before_the_rest_is_counted(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("MANY", 2), ("FIRST", 3), ("FIRST_REPLAYED", 1), ("TOLD", 1)):
        monkeypatch.setattr(report_process, name, value)
    monkeypatch.setattr(report_process, "beside", lambda work: (work(), lambda: None)[1])
    (folder / "a.lath").write_text("\n".join([RECORD] * 4))
    told = made(folder / "a.lath")[2]
    words = [part.get("what", "shown" if part.get("is_shown") else "") for part in told]
    assert [word for word in words if word] == [
        *(f"Reading {number} of 4 games" for number in (1, 2, 3)),
        "shown",
        *(f"Counting {number} of 4 games" for number in (1, 2, 3, 4)),
        "Rating the bots",
        "Writing the page",
    ]
    first = b"".join(base64.b64decode(part.get("piece", "")) for part in told).decode()
    assert json.loads(first.split('id="data">')[1].split("</script>")[0])["games"] == 3
    assert 'id="replay"' in first
    assert 'id="standings"' not in first
