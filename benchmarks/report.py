"""How large the report is, how long it takes to make, and how fast it answers in Chromium.

    python benchmarks/report.py [--games 1000,10000,100000] [--runs 3] [--peers FOLDER]
                                [--folder FOLDER]

The corpus is made from a seed, as that of `records.py`: games of all built-in games by players who
avoid a move that loses at once, shared out among ten bots, once with bare moves and once with a
time and an evaluation at each ply. It is kept in `--folder` (one of temporary files) and made once.

Making is `arena report FILE -o PAGE`, with its start and all reading and rating; memory is that of
its process. A page is interactive when, counted from the start of its navigation, it has loaded,
a click on a button of the replay has changed the ply, a word typed into the filter has changed the
number of games found, and the frame after that has been made. Filtering is a keystroke in the
filter, sorting a click on a heading, a step an arrow key in the replay: script and layout, without
painting; the median of all, and the worst.

`--peers` names a folder with pytest-html in a virtual environment `venv` or Playwright's test
runner in `node_modules`; they make reports of 10,000 and 1,000 tests in the same run.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from statistics import median
from typing import Any, Final

from measure import Run, machine, run, spread
from records import record_of
from report_peers import peers
from visits import Action, answers, chromium, opened

from lath import games
from lath.notation import Record, format_records

_BOTS: Final = 10

_PAIRS: Final = tuple(permutations([f"bot-{number}" for number in range(_BOTS)], 2))

_REPLAY_ANSWERS: Final = """() => {
  const at = document.querySelector("#at");
  const buttons = ["#back", "#forward"].map(selector => document.querySelector(selector));
  if (at === null || buttons.includes(null)) return false;
  return buttons.some(button => {
    const before = at.textContent;
    button.click();
    return at.textContent !== before;
  });
}"""

_TABLE_ANSWERS: Final = """() => {
  const [filter, found] = ["#filter", "#found"].map(word => document.querySelector(word));
  if (filter === null || found === null || found.textContent === "") return false;
  if (filter.value !== "") return found.textContent !== filter.dataset.before;
  filter.dataset.before = found.textContent;
  filter.value = "nobody";
  filter.dispatchEvent(new InputEvent("input", { bubbles: true }));
  return found.textContent !== filter.dataset.before;
}"""

_TYPED: Final = ("bot-3 yavalath", "manalath 1-0", "zz")

_STEPS: Final = 40
"""Arrow keys in a game."""


def corpus(folder: Path, count: int, *, annotated: bool) -> Path:
    """Return a file of `count` games, which is made if it is not there."""
    path = folder / f"{count}{'-annotated' * annotated}.lath"
    if not path.is_file():
        growing = path.with_suffix(".growing")
        with growing.open("w", encoding="utf-8") as file:
            file.writelines(format_records(_records(count, annotated=annotated)))
        growing.replace(path)
    return path


def _records(count: int, *, annotated: bool) -> Iterator[Record]:
    ids = games.builtin_ids()
    for number in range(count):
        record = record_of(games.get(ids[number // 2 % len(ids)]), number, annotated=annotated)
        first, second = _PAIRS[number // 2 // len(ids) % len(_PAIRS)][:: 1 - 2 * (number % 2)]
        tags = dict(record.tags) | {"First": first, "Second": second}
        yield Record(tuple(tags.items()), record.plies, record.result)


def _keystrokes() -> list[Action]:
    """Return the words typed letter by letter and each taken back letter by letter."""
    lengths = ((word, length) for word in _TYPED for length in _up_and_down(len(word)))
    return [("#filter", word[:length]) for word, length in lengths]


def _up_and_down(length: int) -> Iterator[int]:
    yield from range(1, length + 1)
    yield from range(length - 1, -1, -1)


@dataclass(frozen=True, slots=True)
class Visited:
    """A page that answers are measured of."""

    browser: Any
    address: str
    runs: int

    def print_all(self) -> None:
        """Print how it answers."""
        _print_opened(self, (_REPLAY_ANSWERS, _TABLE_ANSWERS), "interactive, ms")
        table = ("#found", "#rows")
        self.tell("filter, ms", _keystrokes(), table)
        headings = _headings(self.browser, self.address)
        self.tell("sort, ms", [(heading, None) for heading in headings for _ in range(2)], table)
        there_and_back = [("", key) for key in ("ArrowRight", "ArrowLeft") for _ in range(_STEPS)]
        Visited(self.browser, f"{self.address}#game=3&ply=0", self.runs).tell(
            "step, ms", there_and_back, ("#which", "#at")
        )

    def tell(self, name: str, actions: Sequence[Action], watched: Sequence[str]) -> None:
        """Print the median of all actions, and the median over the runs of the worst one."""
        times = [answers(self.browser, self.address, actions, watched) for _ in range(self.runs)]
        middle = [median(one) for one in times]
        worst = [max(one) for one in times]
        _print(name, f"{spread(middle, 1)}, worst {spread(worst, 1)}")


def _print_opened(visited: Visited, parts: Sequence[str], name: str) -> None:
    visits = [opened(visited.browser, visited.address, parts) for _ in range(visited.runs)]
    _print(name, spread([visit.interactive_ms for visit in visits]))
    _print("script's memory, MB", f"{median(visit.heap_mb for visit in visits):.1f}")


def _headings(browser: Any, address: str) -> Sequence[str]:
    page = browser.new_page()
    page.goto(address)
    count = page.locator("#columns button").count()
    page.close()
    return [f"#columns :nth-child({number}) button" for number in range(1, count + 1)]


def _print(name: str, told: str) -> None:
    print(f"  {name:22}{told}", flush=True)


def _ours(browser: Any, folder: Path, count: int, runs: int) -> None:
    for annotated in (False, True):
        source = corpus(folder, count, annotated=annotated)
        page = folder / "pages" / source.stem / "report.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        print(f"{count:,} games, {'a time and an evaluation at each ply' if annotated else 'bare'}")
        made = [_made(source, page) for _ in range(runs)]
        size = page.stat().st_size
        _print("bytes", f"{size:,} ({size / count:.1f} a game)")
        _print("made in, s", spread([one.wall_s for one in made], 2))
        _print("memory, MB", f"{median(one.peak_mb for one in made):.0f}")
        Visited(browser, page.as_uri(), runs).print_all()


def _made(source: Path, page: Path) -> Run:
    return run([sys.executable, "-m", "lath.arena", "report", source, "-o", page])


def _peers(browser: Any, folder: Path, runs: int) -> None:
    with tempfile.TemporaryDirectory() as made:
        for peer in peers(folder, Path(made)):
            print(peer.name)
            _print("bytes", f"{peer.path.stat().st_size:,}")
            part = f"() => document.querySelector({peer.rows!r}) !== null"
            _print_opened(Visited(browser, peer.path.as_uri(), runs), [part], "list there, ms")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--games", default="1000,10000,100000", help="sizes, with commas")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--peers", type=Path, help="the folder where peers are installed")
    kept = Path(tempfile.gettempdir()) / "lath-benchmarks-report"
    parser.add_argument("--folder", type=Path, default=kept, help=f"of games (default {kept})")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        print(f"{machine()}; Chromium {browser.version}; medians of {options.runs} runs (min-max)")
        for count in map(int, options.games.split(",")):
            _ours(browser, folder, count, options.runs)
        if options.peers:
            _peers(browser, options.peers.resolve(), options.runs)


if __name__ == "__main__":
    main()
