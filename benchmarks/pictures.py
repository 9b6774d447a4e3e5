"""The pictures of README and docs: report, measures, replay, notebook, terminal, site, explorer.

    python benchmarks/pictures.py [--folder FOLDER] [--output docs/images]

`--folder` keeps what was played; what is there already is not played again. Chromium draws, the
terminal's picture, too, from the segments of the live view. The GIF is what the site showed of a
tournament that was started there. The page of measures is of the tournament in
docs/design/measurements-results.md, which takes seven minutes to play.
"""

from __future__ import annotations

import argparse
import io
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from html import escape
from pathlib import Path
from typing import Any, Final

from database import make_part
from PIL import Image
from visits import chromium

from lath.arena.terminal.layout import Letters, Line
from lath.arena.terminal.live import picture
from lath.arena.tournament.configuration.config import load
from lath.arena.tournament.outcome.sources import records_of
from lath.arena.tournament.run.events import Event, Waiting
from lath.arena.tournament.run.folder import run
from lath.arena.tournament.run.progress import Progress
from lath.notation.notebook import html_of
from lath.notation.record.record import Record

EXPLORED: Final = 100_000
"""Games that are walked through."""

DICE: Final = """
from lath.bots.sdk import run

run(lambda position, turn: turn.chance.choice(position.legal_moves()), name="Dice")
"""

HASTY: Final = """
from lath.bots.sdk import run

run(lambda position, turn: 1 / 0, name="Hasty")
"""

CUP: Final = """
event = "Autumn bots"
games = ["mammalath", "manalath", "surikata", "yavalath"]
rounds = 30
jobs = 2
[time]
initial = "2s"
increment = "20ms"
[[bot]]
name = "greedy"
[[bot]]
name = "monte-carlo"
[[bot]]
name = "random"
[[bot]]
name = "dice"
command = ["python", "dice.py"]
[[bot]]
name = "hasty"
command = ["python", "hasty.py"]
"""

LIVE: Final = """
event = "Night of the bots"
games = ["mammalath", "manalath", "surikata", "yavalath"]
rounds = 40
jobs = 4
[time]
move = "250ms"
[[bot]]
name = "alphabeta"
[[bot]]
name = "mcts"
[[bot]]
name = "greedy"
[[bot]]
name = "solver"
"""

FRAMES: Final = 28
FRAME_MS: Final = 300

SHOWN_GAMES: Final = 340
"""After how many games the terminal is drawn."""

COLUMNS: Final = 82

INKS: Final = {
    "cyan": "#56c8d8",
    "green": "#8bd124",
    "yellow": "#f0a030",
    "bright_black": "#55524a",
}

TERMINAL: Final = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; background: #fff; }}
pre {{ display: inline-block; margin: 0; padding: 28px 34px; border-radius: 12px;
  background: #1b1b21; color: #e4e0d8; font: 20px/24px "DejaVu Sans Mono", monospace; }}
</style><pre>{}</pre>"""


NOTEBOOK: Final = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; font: 15px/1.45 system-ui, sans-serif; }}
main {{ display: flow-root; padding: 14px 18px; }}
table {{ font-size: 13px; }}
</style><main>{}</main>"""


class Enough(Exception):  # noqa: N818 - no error
    """There is something to draw."""


def terminal_of(folder: Path) -> list[Line]:
    """Play until there is something to see; return the lines of the screen then."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("dice.py", DICE), ("hasty.py", HASTY), ("cup.toml", CUP)):
        (folder / name).write_text(text)
    config = load(folder / "cup.toml", folder)
    progress = Progress(config)
    lines: list[Line] = []

    def draw(event: Event | Waiting) -> None:
        if (
            isinstance(event, Waiting)
            and progress.done >= SHOWN_GAMES
            and len(progress.running) > 1
        ):
            lines.extend(picture(progress, COLUMNS, 16, Letters()))
            raise Enough

    progress.listeners.append(draw)
    try:
        with chdir(folder):  # the lines name the directory as a user sees it
            run(config, Path("autumn"), progress, with_report=False)
    except Enough:
        return lines
    raise SystemExit("the tournament was over too soon")


def as_html(lines: list[Line]) -> str:
    """Return lines of the terminal as a page."""
    shown = ["$ arena run cup.toml --output autumn"]
    for line in lines:
        if any("ZeroDivision" in piece.text or "warning" in piece.text for piece in line):
            continue
        shown.append("".join(map(_as_html, line)))
    return TERMINAL.format("\n".join(shown))


def _as_html(piece: Any) -> str:
    style = piece.style
    ink = INKS.get(style.color.name, "") if style and style.color else ""
    rules = [f"color: {ink}"] if ink else []
    rules += ["font-weight: bold"] if style and style.bold else []
    rules += ["color: #77736a"] if style and style.dim else []
    text = escape(piece.text)
    return f'<span style="{"; ".join(rules)}">{text}</span>' if rules else text


def measured(folder: Path) -> Path:
    """Return the page of measures of the tournament of docs/design/measurements-results.md."""
    page, measures = folder / "measures.html", folder / "measures"
    arena = [sys.executable, "-m", "lath.arena"]
    if not (measures / "games.lath").is_file():
        text = Path("docs/design/measurements-results.md").read_text(encoding="utf-8")
        command = r"^arena (run .*? --output measures)$"
        (line,) = re.findall(command, text.replace("\\\n", ""), re.MULTILINE)
        subprocess.run([*arena, *shlex.split(line), "-q"], check=True, cwd=folder)
    words = ["stats", "measures/games.lath", "--measures", "--html", page.name]
    subprocess.run([*arena, *words], check=True, cwd=folder)
    return page


def replayed(records: list[Record]) -> Record:
    """Return the game to show: one of Surikata that is neither short nor long."""
    for record in records:
        players = record.first, record.second
        is_one = record.game == "surikata" and players == ("monte-carlo", "greedy")
        if is_one and record.termination == "rules" and 18 <= len(record.plies) <= 26:
            return record
    raise SystemExit("no game of Surikata that is worth a picture")


def main() -> None:
    """Play, and draw."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--output", type=Path, default=Path("docs/images"))
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.folder or Path(scratch)).resolve()
        demo = folder / "demo"
        if not (demo / "report.html").is_file():
            words = [sys.executable, "-m", "lath.arena", "run", "--output", str(demo), "-q"]
            subprocess.run(words, check=True)
        screen = folder / "terminal.html"
        if not screen.is_file():
            screen.write_text(as_html(terminal_of(folder / "cup")))
        record = replayed([one for one in records_of([demo]) if isinstance(one, Record)])
        draw(given.output, demo / "report.html", screen, record)
        draw_measures(given.output, measured(folder))
        draw_live(given.output, folder / "site")
        draw_explorer(given.output, explored(folder / "explore"))


@contextmanager
def site(folder: Path) -> Iterator[str]:
    """Serve a folder; yield the address, with its token."""
    words = [sys.executable, "-m", "lath.arena", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.send_signal(signal.SIGINT)


def draw_live(out: Path, folder: Path) -> None:
    """Start a tournament on the site, and keep what is seen of it as a GIF; then play a game."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "night.toml").write_text(LIVE)
    with site(folder) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1120, "height": 700})
        page.goto(address)
        page.click("text=night")
        page.click("#start:visible")
        for selector, count in (
            (".live-board svg.board", 4),
            ("#standings tr", 4),
            ("#recent li", 9),
        ):
            page.wait_for_function(
                "([selector, count]) => document.querySelectorAll(selector).length >= count",
                arg=[selector, count],
            )
        shots = []
        for _ in range(FRAMES):
            shots.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
            page.wait_for_timeout(FRAME_MS)
        page.click("#stop")
        # One palette for all: what has not changed is left out of a frame then.
        strip = Image.new("RGB", (shots[0].width, sum(shot.height for shot in shots[::4])))
        for place, shot in enumerate(shots[::4]):
            strip.paste(shot, (0, place * shot.height))
        palette = strip.quantize(128)
        frames = [shot.quantize(palette=palette, dither=Image.Dither.NONE) for shot in shots]
        frames[0].save(
            out / "live.gif", save_all=True, append_images=frames[1:], duration=FRAME_MS, loop=0
        )
        page = browser.new_page(viewport={"width": 1120, "height": 700})
        page.goto(address)
        page.goto(f"{address.partition('/?')[0]}/play?game=mammalath&bot=mcts")
        page.wait_for_selector("#level:visible")
        page.click("#begin")
        for move in ("c3", "d4", "b3"):
            page.wait_for_selector("#told:has-text('Your move')")
            page.fill("#typed-move", move)
            page.press("#typed-move", "Enter")
            page.wait_for_selector(f"#plies:has-text('{move}')")
        page.wait_for_selector("#told:has-text('Your move')")
        page.click("#threats")
        page.screenshot(path=out / "play.png")


def explored(folder: Path) -> Path:
    """Return a folder with a database of made games, of players who see what loses at once."""
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / f"{EXPLORED:,} games.duckdb"
    if not database.is_file():
        games = make_part(folder, ["yavalath"], 0, EXPLORED)
        words = ["convert", str(games), str(database), "-q"]
        subprocess.run([sys.executable, "-m", "lath.arena", *words], check=True)
    return folder


def draw_explorer(out: Path, folder: Path) -> None:
    """Walk two moves into the games of a database on the site, and draw where one is."""
    with site(folder) as address, chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 860})
        page.goto(address)
        page.click(f"text={EXPLORED:,} games.duckdb")
        for moves in range(3):
            page.wait_for_function(
                "n => document.querySelectorAll('#way button').length === n", arg=moves
            )
            page.wait_for_selector("#ways tbody tr")
            if moves < 2:
                page.click("#ways tbody tr:first-child button")
        page.mouse.move(0, 0)
        page.screenshot(path=out / "explore.png")


def draw_measures(out: Path, page_of: Path) -> None:
    """Draw what the page of measures begins with."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1060}, reduced_motion="reduce")
        page.goto(page_of.as_uri())
        page.screenshot(path=out / "measures.png")


def draw(out: Path, report: Path, screen: Path, record: Record) -> None:
    """Draw all pictures."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1180, "height": 740}, reduced_motion="reduce")
        page.goto(report.as_uri())
        page.wait_for_selector("#showpiece svg.board")
        page.screenshot(path=out / "report.png")
        page = browser.new_page(viewport={"width": 1040, "height": 1400}, color_scheme="dark")
        page.goto(f"{report.as_uri()}#game={record.number}&ply=12")
        page.locator("#legal").click()
        page.mouse.move(0, 0)
        page.locator("#replay").screenshot(path=out / "replay.png")
        page = browser.new_page(viewport={"width": 940, "height": 800})
        page.set_content(NOTEBOOK.format(html_of(record)))
        page.locator("main").screenshot(path=out / "notebook.png")
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        page.goto(screen.as_uri())
        page.locator("pre").screenshot(path=out / "terminal.png")


if __name__ == "__main__":
    main()
