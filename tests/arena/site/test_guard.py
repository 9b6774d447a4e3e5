"""Nobody but who has the token asks the site anything, and no page of another site does."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import commands
import pytest
from browsing import new_window
from sites import TOKEN, Served, served

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
    for path in ("/", "/api/items", "/static/report.js", f"/report/{site.key('old.lath')}", start):
        for headers in ({}, {"Cookie": f"lath-{site.port}=wrong"}, {"Cookie": "ü=\x7f;;"}):
            answer = site.ask(path, **headers)
            assert answer.status == 403
            assert "cup" not in answer.text
    assert site.ask("/?token=wrong").status == 403


def test_the_token_becomes_a_cookie_and_leaves_the_address(site: Served) -> None:
    answer = site.ask(f"//evil.example/t?a=1&token={TOKEN}")
    assert (answer.status, answer.headers["location"]) == (303, "/evil.example/t?a=1")
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert "samesite=strict" in answer.headers["set-cookie"].lower()
    assert site.get("/api/items")[0]["name"] == "cup"


def test_a_name_that_was_made_to_lead_here_is_refused(site: Served) -> None:
    answer = site.ask("/api/items", Host=f"evil.example:{site.port}", **site.cookie)
    assert (answer.status, answer.text) == (
        421,
        f"this site is not called 'evil.example:{site.port}'",
    )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
    ],
)
def test_what_a_page_of_another_site_asks_is_refused(
    site: Served, headers: dict[str, str], status: int
) -> None:
    sent = {**headers, "Content_Type": "application/json"}
    for method, path in (("GET", "/api/items"), ("POST", f"/t/{site.key('cup')}/start")):
        assert site.ask(path, method, "{}", **sent, **site.cookie).status == status


def test_what_changes_something_must_be_json_of_a_page_of_ours(site: Served) -> None:
    path = f"/t/{site.key('cup')}/start"
    ours = {"Origin": site.address, **site.cookie}
    assert (
        site.ask(path, "POST", "{}", Content_Type="application/json", **site.cookie).status == 403
    )
    assert site.ask(path, "POST", "a=1", Content_Type="text/plain", **ours).status == 415
    long = site.ask(path, "POST", " " * 1_100_000, Content_Type="application/json", **ours)
    assert long.status == 413
    assert site.ask(path, "PUT", "{}", Content_Type="application/json", **ours).status == 405


def test_files_of_the_machine_have_no_address(site: Served) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e%2fapp.py", "/static/base.html.j2", "/etc"):
        assert site.ask(path, **site.cookie).status == 404
    page = site.ask("/", **site.cookie)
    assert str(site.site.shelf.items()[0].path) not in page.text
    assert "script-src 'self'" in page.headers["content-security-policy"]


def test_a_public_site_is_for_reading_alone(folder: Path) -> None:
    with served(folder, is_public=True) as site:
        assert site.ask("/", Host="arena.example").status == 200
        key = site.key("cup")
        assert 'id="start"' not in site.ask(f"/t/{key}").text
        headers = {"Origin": site.address, "Content_Type": "application/json"}
        answer = site.ask(f"/t/{key}/start", "POST", "{}", **headers)
        assert (answer.status, answer.text) == (403, "this site is only for reading")


def test_an_address_beyond_this_machine_needs_a_public_site(folder: Path) -> None:
    ran = commands.arena("serve", folder, "--host", "0.0.0.0")
    assert ran.status == 2
    assert "--public-read-only they can only look" in ran.err


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
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Evil</title><body>")

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_page_of_another_port_gets_nothing_though_the_cookie_is_sent_along(
    site: Served, browser: Any
) -> None:
    evil = ThreadingHTTPServer(("127.0.0.1", 0), _Evil)
    threading.Thread(target=evil.serve_forever, daemon=True).start()
    context = new_window(browser)
    page = context.new_page()
    try:
        page.goto(f"{site.address}/?token={TOKEN}")
        assert "cup" in page.inner_text("main")
        page.goto(f"http://127.0.0.1:{evil.server_port}/")
        found = page.evaluate(ATTACKS, {"site": site.address, "key": site.key("cup")})
    finally:
        context.close()
        evil.shutdown()
        evil.server_close()
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
            "url => fetch(url, {credentials: 'include'})", f"{site.address}/api/items"
        )
    visit.complaints.clear()
    visit.requests.clear()
