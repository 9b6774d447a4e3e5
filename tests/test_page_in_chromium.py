"""The report in a real browser, from a file and without network. Skipped where there is none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sample_records import HOSTILE_NAMES, bare, hostile_records, random_game, tournament

from notation.replay import positions
from reports.page import render

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the PATH")

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

RECORDS = tournament(("ann", "bob"), 3, annotated=True)


@dataclass
class Visit:
    """A page in the browser and all that it should not have done."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def watch(self) -> None:
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("dialog", self._refuse)

    def _refuse(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, report: str, number: int, ply: int = 0) -> None:
        """Go to a permalink; within one document the page learns of it a moment later."""
        self.page.goto(f"{report}#game={number}&ply={ply}")
        self.await_game(number)

    def await_game(self, number: int) -> None:
        script = "n => document.getElementById('which').textContent.startsWith(`Game ${n} of`)"
        self.page.wait_for_function(script, arg=number)

    def board(self) -> list[str]:
        """Return what each cell says it holds."""
        script = "[...document.querySelectorAll('#board svg > g > title')].map(t => t.textContent)"
        told: list[str] = self.page.evaluate(script)
        return [words for words in told if ": " in words]

    def at(self) -> str:
        return str(self.page.inner_text("#at"))

    def sideways(self) -> int:
        script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(script))


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Visit]:
    """A visitor whose visit must have been without complaint and without requests."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    visitor = Visit(context.new_page())
    visitor.watch()
    yield visitor
    context.close()
    assert visitor.complaints == []
    assert all(url.startswith("file:") for url in visitor.requests)
    assert len({url.split("#")[0] for url in visitor.requests}) == 1


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _written(render(RECORDS), tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def hostile_report(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _written(render(hostile_records()), tmp_path_factory.mktemp("hostile"))


def _written(html: str, folder: Path) -> str:
    path = folder / "report.html"
    path.write_text(html, encoding="utf-8")
    return path.as_uri()


def test_the_page_opens_at_the_end_of_the_first_game(visit: Visit, report: str) -> None:
    visit.page.goto(report)
    plies = len(RECORDS[0].plies)
    assert visit.at() == f"{plies} / {plies}"
    assert visit.page.locator("#board svg").count() == 1


def test_arrow_keys_move_through_the_game_and_change_the_board(visit: Visit, report: str) -> None:
    visit.page.goto(f"{report}#game=1&ply=0")
    start = visit.board()
    seen = [start]
    for _ in range(3):
        visit.page.keyboard.press("ArrowRight")
        seen.append(visit.board())
    assert visit.at().startswith("3 /")
    assert len({tuple(board) for board in seen}) == 4
    visit.page.keyboard.press("End")
    assert visit.at() == f"{len(RECORDS[0].plies)} / {len(RECORDS[0].plies)}"
    visit.page.keyboard.press("ArrowLeft")
    assert visit.at().startswith(f"{len(RECORDS[0].plies) - 1} /")
    visit.page.keyboard.press("Home")
    assert visit.board() == start


@pytest.mark.parametrize("number", [1, 5, 12, len(RECORDS)])
def test_a_permalink_opens_the_board_of_that_ply(visit: Visit, report: str, number: int) -> None:
    ply = 4
    visit.page.goto(f"{report}#game={number}&ply={ply}")
    position = list(positions(RECORDS[number - 1]))[ply]
    words = dict(told.split(": ") for told in visit.board())
    empty = [name for name, told in words.items() if told == "empty"]
    expected = zip(position.game.board.names, position.contents(), strict=True)
    assert empty == [name for name, content in expected if not content]
    assert visit.at() == f"{ply} / {len(RECORDS[number - 1].plies)}"


@pytest.mark.parametrize("address", ["#game=0", "#game=9999", "#game=x&ply=y", "#replay", "#%"])
def test_a_wrong_permalink_opens_the_first_game(visit: Visit, report: str, address: str) -> None:
    visit.page.goto(report + address)
    assert visit.page.inner_text("#which").startswith("Game 1 of")


def test_the_address_follows_the_ply(visit: Visit, report: str) -> None:
    visit.page.goto(f"{report}#game=2&ply=1")
    visit.page.click("#forward")
    assert visit.page.url.endswith("#game=2&ply=2")
    visit.page.click("#game-after")
    assert visit.page.url.endswith("#game=3&ply=0")


def test_a_move_of_the_list_can_be_clicked(visit: Visit, report: str) -> None:
    visit.page.goto(report)
    visit.page.click("#moves button >> nth=4")
    assert visit.at().startswith("5 /")
    assert visit.page.get_attribute("#moves [aria-current]", "data-ply") == "5"


def test_buttons_keep_the_focus_at_the_end_of_the_game(visit: Visit, report: str) -> None:
    visit.page.goto(f"{report}#game=1&ply={len(RECORDS[0].plies) - 1}")
    visit.page.click("#forward")
    assert visit.page.get_attribute("#forward", "aria-disabled") == "true"
    visit.page.keyboard.press("Home")
    assert visit.at().startswith("0 /")


def test_the_deciding_cells_are_ringed_at_the_end_only(visit: Visit, report: str) -> None:
    number = next(i for i, record in enumerate(RECORDS, 1) if record.game == "yavalath")
    outcome = list(positions(RECORDS[number - 1]))[-1].outcome()
    assert outcome
    visit.page.goto(f"{report}#game={number}&ply=999")
    rings = visit.page.locator('#board use[href="#deciding-hexagon"]')
    assert rings.count() == len(outcome.cells)
    visit.page.keyboard.press("ArrowLeft")
    assert rings.count() == 0


def test_evaluation_and_time_of_the_ply_are_shown(visit: Visit, report: str) -> None:
    visit.page.goto(f"{report}#game=1&ply=1")
    ply = RECORDS[0].plies[0]
    told = visit.page.inner_text("#told")
    assert f"{ply.used_s:.3f} s" in told
    assert f"eval {ply.eval:+.2f}" in told


def test_the_filter_finds_games_and_headings_sort(visit: Visit, report: str) -> None:
    visit.page.goto(report)
    visit.page.fill("#filter", "surikata ann")
    expected = sum(record.game == "surikata" for record in RECORDS)
    assert visit.page.inner_text("#found") == f"{expected} of {len(RECORDS)} games"
    visit.page.fill("#filter", "")
    visit.page.click("#columns button >> text=Plies")
    assert visit.page.inner_text("#rows tr:first-child td:last-child") == str(
        min(len(record.plies) for record in RECORDS)
    )
    visit.page.click("#columns button >> text=Plies")
    assert visit.page.inner_text("#rows tr:first-child td:last-child") == str(
        max(len(record.plies) for record in RECORDS)
    )


def test_arrow_keys_in_the_filter_are_the_filters(visit: Visit, report: str) -> None:
    visit.page.goto(f"{report}#game=1&ply=2")
    visit.page.click("#filter")
    visit.page.keyboard.press("ArrowRight")
    assert visit.at().startswith("2 /")


def test_a_number_of_the_list_opens_its_game(visit: Visit, report: str) -> None:
    visit.page.goto(report)
    visit.page.click("#rows a >> nth=7")
    visit.await_game(8)
    assert visit.at().startswith("0 /")


def test_hostile_words_are_inert_in_every_game(visit: Visit, hostile_report: str) -> None:
    visit.page.goto(hostile_report)
    for number in range(1, len(hostile_records()) + 1):
        visit.open(hostile_report, number, 1)
        visit.page.click("summary")
    counts = visit.page.evaluate(
        "['script', 'img', 'b', 'iframe'].map(n => document.querySelectorAll(n).length)"
    )
    assert counts == [2, 0, 0, 0]
    shown = visit.page.evaluate("[...document.querySelectorAll('bdi')].map(n => n.textContent)")
    assert set(HOSTILE_NAMES) <= set(shown)


def test_a_game_without_replay_says_why(visit: Visit, tmp_path: Path) -> None:
    records = [bare("ann", "bob", "1-0", game_id="no-such-game"), random_game("surikata", 1)]
    address = _written(render(records), tmp_path)
    visit.page.goto(address)
    assert visit.page.inner_text("#which").startswith("Game 2 of")
    visit.open(address, 1, 3)
    assert "unknown game 'no-such-game'" in visit.page.inner_text("#board")
    visit.page.keyboard.press("ArrowRight")
    assert visit.at() == "0 / 0"


def test_a_page_without_games_is_quiet(visit: Visit, tmp_path: Path) -> None:
    visit.page.goto(_written(render([]), tmp_path))
    assert not visit.page.is_visible("#replay-body")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", ["report", "hostile_report"])
def test_the_page_never_scrolls_sideways_on_a_small_phone(
    visit: Visit, request: pytest.FixtureRequest, which: str, scheme: str
) -> None:
    visit.page.set_viewport_size({"width": 320, "height": 640})
    visit.page.emulate_media(color_scheme=scheme)
    for number in (1, 2, 7, 8):
        visit.open(request.getfixturevalue(which), number, 3)
        assert visit.sideways() == 0
