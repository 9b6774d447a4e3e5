"""A reader follows each page, command by command, in a folder that has what the page presumes."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Final

import commands
import pytest
from places import DOC_PAGES, FOLLOWED, ROOT
from reader import DEMO, FENCE, NOT_TYPED, Reader, typed_in

PAGES: Final = {
    str(page.relative_to(ROOT)): page.read_text("utf-8")
    for page in (ROOT / "README.md", ROOT / "SECURITY.md", *DOC_PAGES, *ROOT.glob("examples/*/*.md"))
}
WITH_COMMANDS: Final = [name for name, text in PAGES.items() if "```console\n$ " in text]

COLUMNS: Final = {"docs/how-to/explore-positions.md": "150"}
"""How wide the terminal of a page is; others have 80 columns."""

SHOWN: Final = {
    "first-tournament": ("first.html", "demo/report.html"),
    "your-first-bot": ("my-bots/first/report.html", "my-bots/cup/report.html"),
    "run-a-club-league": ("public/index.html", "public/bots/ada.html"),
    "study-records": ("plies.csv", "game.gif", "yavalath.html"),
    "design-a-variant": ("longer.html", "avoid.html"),
    "add-a-game": ("tournament/report.html", "public/index.html"),
}
"""What the reader of each page has to show in the end."""

FOUND: Final = {
    "match": {0, 1, 10, 11, 12},
    "tune": {10, 11, 12},
    "diff": {0, 1},
    "bot log": {0, 1},
    "bot replay": {0, 1},
    "solve": {0, 12},
}
"""Statuses by which commands say what they have found; all others end with 0."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of the built-in tournament, played by the quickest bots."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    ran = commands.arena("run", "--output", folder, *DEMO, "-q")
    assert ran.status == 0, ran.err
    assert (folder / "games.lath").read_text().count("[Event ") == 24
    return folder


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, in which `python` is the one that has the arena."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_COMMANDS)
def test_every_command_of_a_page_works_in_its_order(
    page: str, empty: Path, demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", COLUMNS.get(page, "80"))
    blocks = FENCE.findall(PAGES[page])
    has_records = any(name for language, name, _ in blocks if language in ("lath", "text"))
    reader, wrong = Reader(empty, demo), []
    if page.startswith("examples/"):
        shutil.copytree((ROOT / page).parent, empty, dirs_exist_ok=True)
    for _, name, text in blocks:
        if name:
            (reader.here / name).write_text(text, encoding="utf-8")
    for language, _, text in blocks:
        for typed in typed_in(text) if language == "console" else ():
            ran = reader.types(typed)
            if ran is None:
                continue
            command = " ".join(typed.words[1 : 2 + (typed.words[1] == "bot")])
            allowed = {0, 2} if typed.shown.startswith("error: ") else FOUND.get(command, {0})
            if typed.line.partition(" || test $? = ")[2]:
                allowed = {int(typed.line.partition(" || test $? = ")[2])}
            if ran.status not in allowed or "Traceback" in ran.err:
                wrong.append(f"{typed.line}: {ran.status}: {ran.err[-500:]}")
            elif has_records and typed.shown.strip() and reader.is_exact(typed):
                printed = [line.rstrip() for line in (ran.out + ran.err).splitlines()]
                wrong += [typed.line] * (printed != typed.shown.rstrip().splitlines())
    assert "\n".join(wrong) == ""
    shown = SHOWN.get(Path(page).stem, ())
    assert [name for name in shown if not (empty / name).is_file()] == []
