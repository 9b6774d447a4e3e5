"""A real Chromium for tests of pages, which must not cause complaints or requests.

A pytest plugin with the fixtures `browser`, `visit`, `the_page` and `address_of`. One worker of
xdist runs all tests that use them, so there is one Chromium and each page is made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:  # loaded in every test run
    from lath.reports.page.page import Page

FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

_READY = """
() => typeof lath === "undefined" || lath.data.games === 0
  || (document.getElementById("which").textContent !== "" && document.querySelector("#rows tr"))
"""
"""Games are unpacked after the page has loaded; an index has none."""

_SHOWS = "number => document.getElementById('which').textContent.startsWith(`Game ${number} of`)"

_FORGET = "onpagehide = () => sessionStorage.clear()"
"""A page stores its state when it is left; this removes it."""

_SIZE: Final[Any] = {"width": 1280, "height": 900}

_MOTION: Final[Any] = "reduce"
"""Scrolling without animation saves time; tests of motion change it."""

MEDIA: Final[Any] = {
    **dict.fromkeys(("media", "color_scheme", "forced_colors"), "null"),
    "reduced_motion": _MOTION,
}

_SIDEWAYS = """
() => new Promise((done) => {
  const measure = () => {
    const { scrollWidth, clientWidth } = document.documentElement;
    done(scrollWidth - clientWidth);
  };
  requestAnimationFrame(() => requestAnimationFrame(measure));
})
"""


@dataclass
class Visit:
    """A page in the browser, with its complaints and requests."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._listeners: dict[str, Callable[[Any], None]] = {
            "console": lambda message: self.complaints.append(message.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "request": lambda request: self.requests.append(request.url),
            "dialog": self._refuse,
        }

    def watch(self) -> None:
        for event, heard in self._listeners.items():
            self.page.on(event, heard)

    def _refuse(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def look_away(self) -> None:
        """Show an empty page in the tab."""
        for event, heard in self._listeners.items():
            self.page.remove_listener(event, heard)

    def leave(self) -> None:
        """Reset the tab: nothing shown, stored or emulated."""
        if self.page.url != "about:blank":
            self.page.evaluate(_FORGET)
        self.page.goto("about:blank")
        self.look_away()
        self.page.mouse.move(0, 0)
        if self.page.viewport_size != _SIZE:
            self.page.set_viewport_size(_SIZE)
        self.page.emulate_media(**MEDIA)

    def open(self, address: str) -> None:
        """Open a report or an index, and wait for its replay and its list."""
        self.page.goto(address)
        self.page.wait_for_function(_READY)

    def await_game(self, number: int) -> None:
        """Wait until the replay shows the game, which may have to be unpacked first."""
        self.page.wait_for_function(_SHOWS, arg=number)

    def sideways(self) -> int:
        """Return the width of the page beyond its window in pixels, once its tables fit it."""
        return int(self.page.evaluate(_SIDEWAYS))

    def documents(self) -> set[str]:
        """Return the requested addresses without fragments."""
        return {url.split("#")[0] for url in self.requests}


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a page, shared by all tests of this process."""
    from playwright.sync_api import sync_playwright
    from tools import CHROMIUM

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def window(browser: Any) -> Iterator[Any]:
    """A window for all visits, with one tab that each visit finds empty."""
    context = new_window(browser)
    yield context
    context.close()


@pytest.fixture
def visit(window: Any) -> Iterator[Visit]:
    """A visit that must end without complaints and requests."""
    # A separate tab would be a separate process.
    with visiting(window.pages[0] if window.pages else window.new_page()) as visitor:
        yield visitor
        visitor.leave()


def new_window(browser: Any, **more: Any) -> Any:
    return browser.new_context(**{"viewport": _SIZE, "reduced_motion": _MOTION, **more})


@contextmanager
def visiting(tab: Any) -> Iterator[Visit]:
    """Assert that the visit caused no complaints and no requests."""
    visitor = Visit(tab)
    visitor.watch()
    yield visitor
    assert visitor.complaints == []
    assert all(url.startswith(("file:", "blob:", "data:")) for url in visitor.requests)


@pytest.fixture(scope="session")
def the_page() -> Callable[[str], Page]:
    """Return the function that renders the page of a kind in `report_pages.PAGES`, once per run."""
    from report_pages import PAGES

    return cache(lambda kind: PAGES[kind]())


@pytest.fixture(scope="session")
def address_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Page], str]:
    """Return the function that writes a page on first use, and returns its address."""

    @cache
    def written(html: str) -> str:
        return write(html, tmp_path_factory.mktemp("page"))

    return lambda page: written(page.html)


def write(html: str, folder: Path) -> str:
    """Write a page into a folder; return its address."""
    path = folder / "report.html"
    path.write_text(html, encoding="utf-8")
    return path.as_uri()
