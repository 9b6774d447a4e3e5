"""A reader follows each page of docs/start and docs/tutorials, command by command."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

import commands
import pytest
from places import FOLLOWED, page_text
from processes import PATIENCE_S
from tools import needs

FENCE = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

QUICK = {
    # Whole checks, matches and tournaments are what others test.
    "arena bot check": "--only first",
    "arena match ./mybot.py": "--budget 2",
    'arena match "old=': "--budget 8",
    "arena run --output demo": "--bot greedy --bot random --rounds 1",
    "arena run league": "--tc 'nodes 5'",
    "arena run cup.toml": "--openings random:0",
    "arena run --bot alphabeta": "--rounds 4 --tc 'nodes 20'",
    "arena run --bot greedy": "--rounds 1 --tc 'nodes 20' --openings random:0",
    "arena run --game yavalath": "--rounds 2 --tc 'nodes 20' --openings random:0",
    "arena run --game ./hexline.py": "--rounds 1 --tc 'nodes 2'",
    "arena run --game ./mygame.py --bot random": "--rounds 20",
    "arena analyze": "--nodes 5",
}
"""What makes a command quicker, by how it begins."""

SHOWN = {
    "first-tournament": ("first.html", "demo/report.html"),
    "your-first-bot": ("my-bots/first/report.html", "my-bots/cup/report.html"),
    "run-a-club-league": ("public/index.html", "public/bots/ada.html"),
    "study-records": ("plies.csv", "game.gif", "yavalath.html"),
    "design-a-variant": ("longer.html", "avoid.html"),
    "add-a-game": ("tournament/report.html", "public/index.html"),
}
"""What the reader of each page has to show in the end."""


def typed_at(here: Path, line: str) -> str:
    """Type a command of the page, in a form that takes less time; return what it prints."""
    line, _, allowed = line.partition(" || test $? = ")
    changes = [QUICK[one] for one in QUICK if line.startswith(one) and "--void" not in line]
    name, *words = shlex.split(" ".join([line, *changes]))
    assert name in {"arena", "cat"}
    if name == "cat":
        return (here / words[0]).read_text(encoding="utf-8")
    with contextlib.chdir(here):
        ran = commands.arena(*words, stdin="e5\nquit\n")
    undecided = {1, 12} if words[0] == "match" else set()
    assert ran.status in {0, int(allowed or 0), *undecided}, (line, ran.out, ran.err)
    return ran.out + ran.err


def follow(page: str, here: Path) -> str:
    """Do what a page says, in an empty folder; return what was printed."""
    said, typed = "", 0
    for language, name, text in FENCE.findall(page_text(page)):
        if name:
            (here / name).write_text(text, encoding="utf-8")
        for line in re.findall(r"^\$ (.*)$", text, re.MULTILINE) if language == "console" else ():
            typed += 1
            if line.startswith("cd "):
                here /= line.removeprefix("cd ")
            else:
                said += typed_at(here, line)
    assert typed >= 5
    return said


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder, in which `python` is the one that has the arena."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def test_each_tutorial_has_something_to_show() -> None:
    assert set(FOLLOWED) == set(SHOWN)


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(FOLLOWED))
def test_who_follows_a_page_has_something_to_show(page: str, empty: Path) -> None:
    said = follow(page, empty)
    assert [name for name in SHOWN[page] if not (empty / name).is_file()] == []
    if page == "your-first-bot":
        assert "endings: rules" in said
        table = said[said.rindex("Ratings: My cup") :]
        assert re.search(r"^1  (mine|club) ", table, re.MULTILINE)


def test_the_table_of_a_bot_with_its_own_packages_is_one() -> None:
    page = page_text("your-first-bot")
    text = FENCE.findall(page[page.index("## A bot with its own") :])[1][2]
    assert tomllib.loads(text)["bot"][0]["cwd"] == "numpybot"


@pytest.mark.parametrize("wall", ["none", pytest.param("bwrap", marks=needs("bwrap"))])
def test_a_bot_has_packages_of_its_own_behind_a_sandbox_too(wall: str, tmp_path: Path) -> None:
    home = tmp_path / "numpybot"
    venv.create(home / ".venv", with_pip=False, symlinks=True)
    (packages,) = home.glob(".venv/lib/python*/site-packages")
    (packages / "onlyhere.py").write_text("NAME = 'Own packages'\n")
    (home / "bot.py").write_text(OWN)
    greeted = Path(sys.executable).with_name("arena")
    words = [str(greeted), "bot", "check", "--only", "first", "--sandbox", wall, "--"]
    ran = subprocess.run(
        [*words, ".venv/bin/python", "bot.py"],
        cwd=home,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


OWN = """
import sys

import onlyhere

legal = []
for line in sys.stdin:
    match line.split():
        case ["arena", *_]:
            games = "mammalath mammalath-plus manalath manalath-61 surikata yavalath".split()
            print("id name", onlyhere.NAME)
            print("game", *(f"{game}:*" for game in games))
            print("want legal", "ok", sep="\\n", flush=True)
        case ["new", number, *_]:
            print("ready", number, flush=True)
        case ["legal", *legal]:
            pass
        case ["go", ply, *_]:
            print("bestmove", ply, legal[0], flush=True)
        case ["ping", number]:
            print("pong", number, flush=True)
        case ["quit"]:
            break
"""
