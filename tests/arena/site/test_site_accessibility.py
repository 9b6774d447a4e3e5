"""Everybody can read and use the site, at every width, in light and dark; its markup is valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from axe import axe_core, violations
from markup import problems_in
from sites import Served, served
from tools import needs

from lath.arena.tournament.live import LIVE
from lath.arena.tournament.worker import line_of_a_board

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sites import Guest

pytestmark = pytest.mark.slow

WIDTHS: Final = (320, 390, 1280, 1920)

BOARD: Final = (
    '{"number": 7, "round": 1, "game": "surikata", "names": ["ann", "' + "long " * 12 + 'bob"], '
    '"moves": ["Ma1", "Mb2", "Mc3", "Md4", "Me5", "a3"], "evals": ["0.25", null], '
    '"left_s": [9.5, 61.0]}'
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "cup" / LIVE).mkdir(parents=True)
    (folder / "cup" / "games.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    for worker in ("1", "2"):
        (folder / "cup" / LIVE / f"{worker}.json").write_bytes(line_of_a_board(BOARD.encode()))
    (folder / "old.lath").write_text('[Game "yavalath"]\n\n1. e5 *\n')
    with served(folder) as running:
        yield running


PAGES: Final = {
    "/": "h1",
    "/t/cup": ".live-board svg.board",
    "/nowhere": "h1",
    "/play?game=manalath": "#card p",
    "/analyse?game=manalath": "#board.mine",
    "/explore?game=yavalath&moves=e5": "#ways",
    "/puzzles?game=mammalath": "#board.mine",
}
"""Pages by address, and what is waited for there."""


@needs("npm")
@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_nothing_at_any_width(site: Served, guest: Guest, path: str) -> None:
    axe = axe_core()
    address = path.replace("cup", site.key("cup")) if "cup" in path else path
    page = (visit := guest(site, address)).page
    page.wait_for_selector(PAGES[path])
    page.evaluate(axe)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme="light")
        assert violations(page) == [], width
        page.emulate_media(color_scheme="dark")
        assert violations(page, "cat.color") == [], (width, "a scheme changes colours alone")
        assert visit.sideways() == 0, width
    visit.complaints[:] = [words for words in visit.complaints if "404" not in words]


@needs("node", "npm")
def test_every_page_is_valid_html(site: Served, tmp_path: Path) -> None:
    for number, path in enumerate(PAGES):
        address = path.replace("cup", site.key("cup")) if "cup" in path else path
        html = site.ask(address, Accept="text/html", **site.cookie).text
        assert "</html>" in html
        (tmp_path / f"{number}.html").write_text(html, encoding="utf-8")
    assert problems_in(tmp_path) == []
