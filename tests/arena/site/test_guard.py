"""Nobody but who has the token asks the site anything, and no page of another site does."""

from __future__ import annotations

import socket
import threading
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Final

import commands
import pytest
from browsing import new_window
from sites import KEYS, PATIENCE_S, TOKEN, Served, ends, served

from lath.arena.cli import serve
from lath.arena.site.guard import COOKIE, SECRET

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sites import Guest


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tournament that has not begun, and a file of records."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "cup").mkdir()
    (folder / "cup" / "games.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    (folder / "old.lath").write_text(
        '[Game "yavalath"]\n[First "<script>alert(1)</script>"]\n[Second "bob"]\n\n1. e5 2. d4 *\n'
    )
    return folder


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[Served]:
    with served(folder) as running:
        yield running


def test_without_the_token_nothing_is_told(site: Served) -> None:
    start = f"/t/{site.key('cup')}/start"
    paths = ("/", "/api/items", "/static/report.js", f"/report/{site.key('old.lath')}", start)
    wrong = [{}, {"Cookie": f"{COOKIE}=wrong"}, {"Cookie": "ü=\x7f;;"}, {"Accept": "text/html"}]
    for path in paths:
        answers = [site.ask(path, **headers) for headers in wrong]
        answers += [site.ask_outside(path, **headers) for headers in (*wrong, site.cookie)]
        for answer in answers:
            assert answer.status == 403
            assert "cup" not in answer.text
            assert KEYS.root not in answer.text
    assert site.ask("/?token=wrong").status == 403


def test_the_token_gives_a_cookie_for_an_address_that_nobody_can_guess(site: Served) -> None:
    answer = site.ask_outside(f"//evil.example/t?a=1&token={TOKEN}")
    assert (answer.status, 'data-to="/evil.example/t?a=1"' in answer.text) == (200, True)
    cookie = answer.headers["set-cookie"].lower()
    assert f"path={KEYS.root.lower()}/;" in cookie
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert len({KEYS.token, KEYS.root, KEYS.cookie, KEYS.secret}) == 4
    assert len(KEYS.root) > 22
    assert site.get("/api/items")[0]["name"] == "cup"


def test_a_cookie_of_the_same_name_from_another_port_is_no_matter(site: Served) -> None:
    for cookies in (f"{COOKIE}=evil; %s", f"%s; {COOKIE}=evil", f'x="; %s; {COOKIE}=', "@[]=; %s"):
        sent = cookies % site.cookie["Cookie"]
        assert site.ask("/api/items", Cookie=sent).status == 200


def test_whatever_changes_something_needs_the_secret_and_not_the_cookie_alone(
    site: Served,
) -> None:
    routes = list(site.addresses(key=site.key("cup")))
    assert all(route.methods in ({"GET", "HEAD"}, {"POST"}) for route, _ in routes)
    paths = [path for route, path in routes if "POST" in (route.methods or ())]
    assert len(paths) > 6
    for path in paths:
        ours = {"Origin": site.address, "Content_Type": "application/json", **site.cookie}
        for secret in ({}, {SECRET: ""}, {SECRET: "wrong"}, {SECRET: KEYS.cookie}):
            answer = site.ask(path, "POST", "{}", **ours, **secret)
            assert (answer.status, "lost its key" in answer.text) == (403, True), path
        assert site.ask(path, "POST", "{}", **(ours | site.keys | {"Cookie": ""})).status == 403
        passed = site.ask(path, "POST", '{"no": 1}', Content_Type="application/json", **site.keys)
        assert passed.status in (200, 400, 409), path


HOST: Final = "Host", "{host}"
CHUNKED: Final = "Transfer-Encoding", "chunked"
LENGTH: Final = "Content-Length", "3"

READ_TWICE: Final[tuple[tuple[list[tuple[str, str]], int], ...]] = (
    ([HOST, ("Host", "evil.example")], 400),
    ([HOST, ("Origin", "http://{host}"), ("Origin", "http://evil.example")], 400),
    ([HOST, CHUNKED], 411),
    ([HOST, CHUNKED, LENGTH], 411),
    ([HOST, ("Content-Length", "44")], 400),
    ([HOST, LENGTH, ("Content-Length", "4")], 400),
    ([HOST, ("Content-Length", "+3")], 400),
    ([HOST, ("Transfer-Encoding ", "chunked")], 400),
    ([("Host", "evil.example"), ("X-Forwarded-Host", "{host}")], 421),
    ([], 400),
)


def test_nobody_else_reads_two_requests_where_the_site_reads_one(site: Served) -> None:
    """As a proxy might that goes by another header: after such a request the connection ends."""
    for headers, status in READ_TWICE:
        cookie = ("Cookie", site.cookie["Cookie"])
        lines = [f"{name}: {value.format(host=site.host)}" for name, value in [*headers, cookie]]
        head = "\r\n".join([f"GET {KEYS.root}/api/items HTTP/1.1", *lines, "", ""])
        hidden = f"0\r\n\r\nGET {KEYS.root}/ HTTP/1.1\r\nHost: {site.host}\r\n{': '.join(cookie)}"
        with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S) as line:
            line.sendall(f"{head}{hidden}\r\n\r\n".encode())
            line.shutdown(socket.SHUT_WR)
            told = ends(line)
        assert told.startswith(f"HTTP/1.1 {status} ".encode()), headers
        assert b"cup" not in told
        assert status == 421 or told.count(b"HTTP/1.1") == 1, headers


def test_what_a_page_of_another_site_or_name_asks_is_refused(site: Served) -> None:
    sent = {**site.keys, "Content_Type": "application/json"}
    for headers in (
        *({"Origin": "http://evil.example"}, {"Origin": "null"}),
        *({"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}),
    ):
        start = site.ask(f"/t/{site.key('cup')}/start", "POST", "{}", **{**sent, **headers})
        answers = site.ask("/api/items", **{**sent, **headers}), start
        assert [answer.status for answer in answers] == [403, 403], headers
    named = f"evil.example:{site.port}"  # a name that was made to lead here
    answer = site.ask("/api/items", Host=named, **site.cookie)
    assert (answer.status, answer.text) == (421, f"this site is not called {named!r}")


def test_what_changes_something_must_be_json_of_a_page_of_ours(site: Served) -> None:
    path, ours = f"/t/{site.key('cup')}/start", site.keys
    anybody = {name: value for name, value in ours.items() if name != "Origin"}
    assert site.ask(path, "POST", "{}", Content_Type="application/json", **anybody).status == 403
    assert site.ask(path, "POST", "a=1", Content_Type="text/plain", **ours).status == 415
    long = site.ask(path, "POST", " " * 1_100_000, Content_Type="application/json", **ours)
    assert long.status == 413
    assert site.ask(path, "PUT", "{}", Content_Type="application/json", **ours).status == 405


def test_a_public_site_is_for_reading_alone(folder: Path) -> None:
    with served(folder, is_public=True) as site:
        assert site.ask("/", Host="arena.example").status == 200
        key = site.key("cup")
        assert 'id="start"' not in site.ask(f"/t/{key}").text
        headers = {"Origin": site.address, "Content_Type": "application/json"}
        answer = site.ask(f"/t/{key}/start", "POST", "{}", **headers)
        assert (answer.status, answer.text) == (403, "this site is read-only")


def test_an_address_beyond_this_machine_needs_a_public_site(folder: Path) -> None:
    ran = commands.arena("serve", folder, "--host", "0.0.0.0")
    assert ran.status == 2
    assert "hint: --public-read-only lets them only look" in ran.err


def test_the_token_stands_in_no_command_that_other_users_can_see(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Any, site: Served
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(serve, "SHOWN_S", 600.0)
    shown: list[str] = []
    monkeypatch.setattr(webbrowser, "open", shown.append)
    serve.show(f"{site.address}/?token={TOKEN}")
    (file,) = tmp_path.iterdir()
    assert (shown, TOKEN in shown[0]) == ([file.as_uri()], False)
    assert file.stat().st_mode & 0o077 == 0
    context = new_window(browser)
    page = context.new_page()
    page.goto(shown[0])
    page.wait_for_url(f"{site.address}{KEYS.root}/")
    context.close()


ATTACKS = """
async ({ site, key }) => {
  const tried = async (todo) => {
    try { await todo(); return "done"; } catch (error) { return "refused"; }
  };
  const made = (name, values, place = document.body) => new Promise((done) => {
    const element = Object.assign(document.createElement(name), values);
    element.onload = () => done("loaded");
    element.onerror = () => done("refused");
    place.append(element);
  });
  const headers = { "content-type": "application/json" };
  const json = { method: "POST", credentials: "include", headers, body: "{}" };
  const plain = { ...json, mode: "no-cors", headers: {} };
  const heard = () => new Promise((done, failed) => {
    const source = new EventSource(`${site}/t/${key}/events`, { withCredentials: true });
    source.onmessage = done;
    source.onerror = () => { source.close(); failed(); };
  });
  return {
    read: await tried(() => fetch(`${site}/api/items`, { credentials: "include" })),
    blind: await tried(() => fetch(`${site}/t/${key}/start`, plain)),
    start: await tried(() => fetch(`${site}/t/${key}/start`, json)),
    heard: await tried(heard),
    script: await made("script", { src: `${site}/api/items` }),
    image: await made("img", { src: `${site}/api/items` }),
  };
}
"""


class _Evil(BaseHTTPRequestHandler):
    cookies: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.cookies.append(self.headers.get("Cookie", ""))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Evil</title><body>")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_page_of_another_port_gets_nothing_not_even_the_cookie(
    site: Served, browser: Any
) -> None:
    evil = ThreadingHTTPServer(("127.0.0.1", 0), _Evil)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    context = new_window(browser)
    page = context.new_page()
    try:
        page.goto(f"{site.address}/?token={TOKEN}")
        page.wait_for_url(f"{site.address}{KEYS.root}/")
        assert "cup" in page.inner_text("main")
        page.goto(f"http://127.0.0.1:{evil.server_port}/")
        page.goto(f"http://127.0.0.1:{evil.server_port}{KEYS.root[:-1]}x/")
        assert page.evaluate("[document.cookie, localStorage.length]") == ["", 0]
        where = {"site": f"{site.address}{KEYS.root}", "key": site.key("cup")}
        found = page.evaluate(ATTACKS, where)
    finally:
        context.close()
        evil.shutdown()
        evil.server_close()
    assert set(_Evil.cookies) == {""}
    assert found == dict.fromkeys(("read", "blind", "start", "heard", "script", "image"), "refused")
    assert site.site.runs.log(site.site.shelf.items()[0].path) == []


def test_a_report_of_strangers_records_is_a_stranger_to_the_site(
    site: Served, guest: Guest
) -> None:
    visit = guest(site, f"/report/{site.key('old.lath')}")
    visit.page.wait_for_selector("#rows tr")
    assert "<script>alert(1)</script>" in visit.page.inner_text("#rows")
    with pytest.raises(Exception, match="Failed to fetch"):
        visit.page.evaluate(
            "url => fetch(url, {credentials: 'include'})", f"{site.address}{KEYS.root}/api/items"
        )
    visit.complaints.clear()
    visit.requests.clear()
