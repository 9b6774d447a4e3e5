"""How pages open at five widths: bytes, time to interactive and layout shift; and their pictures.

    python benchmarks/pages.py [--folder FOLDER] [--pictures FOLDER] [--games 5000] [--runs 3]

Plays the demo and a small swiss tournament, and opens each page of the site and the report's file
in Chromium. Then it starts a tournament there: time to the first board, layout shift in the first
half minute. At last it opens the report of a file of games: time to its list and to its end.
Nothing is cached between visits. `--folder` keeps what was played. `--pictures` keeps a picture of
each page at each width.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from database import make_part
from measure import machine, spread
from pictures import LIVE, site
from playwright.sync_api import Error
from visits import chromium

WIDTHS: Final = (360, 390, 768, 1280, 1920)
HEIGHTS: Final = {360: 740, 390: 844, 768: 1024, 1280: 800, 1920: 1080}

WATCHED_S: Final = 30

SEEN: Final = """
window.shift = 0;
new PerformanceObserver(list => {
  for (const one of list.getEntries()) if (!one.hadRecentInput) window.shift += one.value;
}).observe({ type: "layout-shift", buffered: true });
window.busy_ms = 0;
new PerformanceObserver(list => {
  for (const one of list.getEntries()) window.busy_ms = one.startTime + one.duration;
}).observe({ type: "longtask", buffered: true });
"""

TIMES: Final = """
() => {
  const [opened] = performance.getEntriesByType("navigation");
  return Math.max(opened.domContentLoadedEventEnd, window.busy_ms);
}
"""

PLACES: Final = {
    "home": "/",
    "play": "/play",
    "analyse": "/analyse",
    "explore": "/explore",
    "puzzles": "/puzzles",
}


def arena(*words: object, cwd: Path | None = None) -> None:
    """Run an `arena` command to its end."""
    command = [sys.executable, "-m", "lath.arena", *map(str, words)]
    subprocess.run(command, check=True, cwd=cwd, stdout=subprocess.DEVNULL)


def prepare(folder: Path, games: int) -> None:
    """Play what the pages show, unless it is there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "demo" / "report.html").is_file():
        arena("run", "--output", folder / "demo", "-q")
    if not (folder / "swiss").is_dir():
        bots = [f"b{number}={bot}" for number, bot in enumerate(("greedy", "random") * 3, 1)]
        given = [word for bot in bots for word in ("--bot", bot)]
        words = ["--format", "swiss", "--game", "yavalath", "--rounds", 3, "--no-report"]
        arena("run", "--output", folder / "swiss", *words, *given, "-q")
    (folder / "night.toml").write_text(LIVE)
    many = folder / "many.lath"
    if not many.is_file():
        made = make_part(folder, ["mammalath", "manalath", "surikata", "yavalath"], 0, games)
        made.rename(many)


@contextmanager
def visited(browser: Any, width: int, received: list[int]) -> Iterator[Any]:
    """Open a tab of a width that keeps nothing of the others; note the bytes of each answer."""
    size = {"width": width, "height": HEIGHTS[width]}
    context = browser.new_context(viewport=size, reduced_motion="reduce")
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on(
        "Network.loadingFinished", lambda one: received.append(round(one["encodedDataLength"]))
    )
    page.add_init_script(SEEN)
    yield page
    context.close()


def report_row(name: str, width: int, sizes: list[int], ready: list[float], shift: float) -> None:
    """Print a row of the table of pages."""
    kb = statistics.median(sizes) / 1000
    print(f"| {name} | {width} | {kb:,.0f} | {spread(ready)} | {shift:.3f} |", flush=True)


def open_pages(address: str, folder: Path, pictures: Path | None, runs: int) -> None:
    """Open every page at every width and print what it cost."""
    root, _, _ = address.partition("/?")
    print("| page | width | kB | interactive, ms | layout shift |\n| --- | --- | --- | --- | --- |")
    with chromium() as browser:
        keys = keys_of(browser, address)
        places = {name: root + path for name, path in PLACES.items()}
        for name in ("demo", "swiss"):
            places[f"watch {name}"] = f"{root}/t/{keys[name]}"
            places[f"report {name}"] = f"{root}/report/{keys[name]}"
        places["report file"] = (folder / "demo" / "report.html").resolve().as_uri()
        for name, place in places.items():
            for width in WIDTHS:
                sizes, ready, shift = [], [], 0.0
                for run in range(runs):
                    received: list[int] = []
                    with visited(browser, width, received) as page:
                        if not place.startswith("file:"):
                            page.goto(address)  # takes the token
                            page.wait_for_load_state("networkidle")
                            received.clear()
                        page.goto(place)
                        page.wait_for_load_state("load")
                        page.wait_for_timeout(1500)
                        size = sum(received) or Path(folder / "demo" / "report.html").stat().st_size
                        sizes.append(size)
                        ready.append(page.evaluate(TIMES))
                        shift = max(shift, page.evaluate("window.shift"))
                        if pictures and run == 0:
                            shot = pictures / f"{name.replace(' ', '-')}-{width}.png"
                            page.screenshot(path=shot)
                report_row(name, width, sizes, ready, shift)


def keys_of(browser: Any, address: str) -> dict[str, str]:
    """Return what the site calls each item, by its name."""
    page = browser.new_page()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    items = page.evaluate("async () => (await fetch(location.pathname + 'api/items')).json()")
    page.close()
    return {Path(item["name"]).stem: item["key"] for item in items}


def watch(address: str, pictures: Path | None) -> None:
    """Start a tournament and watch how it begins."""
    root, _, _ = address.partition("/?")
    with chromium() as browser:
        keys = keys_of(browser, address)
        with visited(browser, 1280, []) as page:
            page.goto(address)
            page.wait_for_load_state("networkidle")
            page.goto(f"{root}/t/{keys['night']}")
            page.wait_for_selector("#start:visible")
            began = time.perf_counter()
            page.evaluate("document.getElementById('start').click()")
            page.wait_for_selector(".live-board .player.turn")  # of a game
            print(f"\nStart to the first board: {time.perf_counter() - began:.1f} s")
            page.wait_for_timeout(1000 * WATCHED_S)
            print(f"layout shift in {WATCHED_S} s: {page.evaluate('window.shift'):.3f}")
            if pictures:
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
                    page.wait_for_timeout(600)
                    page.screenshot(path=pictures / f"watch-running-{width}.png")
            page.evaluate("document.getElementById('stop').click()")
            page.wait_for_selector("#start:visible", timeout=60_000)


def open_many(address: str, games: int) -> None:
    """Open the report of a file of games, twice."""
    root, _, _ = address.partition("/?")
    with chromium() as browser:
        keys = keys_of(browser, address)
        for visit in ("first", "second"):
            with visited(browser, 1280, []) as page:
                page.set_default_timeout(300_000)
                page.goto(address)
                page.wait_for_load_state("networkidle")
                began = time.perf_counter()
                page.goto(f"{root}/report/{keys['many']}", wait_until="commit")
                until_seen(page, "#rows tr")
                some_s = time.perf_counter() - began
                until_seen(page, "#standings tbody tr")
                all_s = time.perf_counter() - began
                print(f"{games:,} games, {visit} visit: list {some_s:.1f} s, all {all_s:.1f} s")


def until_seen(page: Any, selector: str) -> None:
    """Wait until the page, or a frame of it, has such an element."""
    while True:
        with suppress(Error):  # the frame has been replaced
            if any(frame.locator(selector).count() for frame in page.frames):
                return
        page.wait_for_timeout(50)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--games", type=int, default=5000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    if given.pictures:
        given.pictures.mkdir(parents=True, exist_ok=True)
    print(machine())
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.folder or Path(scratch)).resolve()
        prepare(folder, given.games)
        with site(folder) as address:
            open_pages(address, folder, given.pictures, given.runs)
            watch(address, given.pictures)
            open_many(address, given.games)


if __name__ == "__main__":
    main()
