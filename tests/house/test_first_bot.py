"""A reader follows docs/tutorials/your-first-bot.md, command by command."""

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
from places import page_text
from processes import PATIENCE_S
from tools import needs

PAGE = page_text("your-first-bot")

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

QUICK = {
    # Whole checks and matches are what others test.
    "arena bot check": " --only first",
    "arena match ./mybot.py": " --budget 2",
    'arena match "old=': " --budget 8",
}


def typed_at(here: Path, line: str) -> str:
    """Type a command of the page, in a form that takes less time; return what it prints."""
    line, _, allowed = line.partition(" || test $? = ")
    name, *words = shlex.split(line + "".join(QUICK[one] for one in QUICK if line.startswith(one)))
    assert name in {"arena", "cat"}
    if name == "cat":
        return (here / words[0]).read_text(encoding="utf-8")
    with contextlib.chdir(here):
        ran = commands.arena(*words, stdin="e5\nquit\n")
    undecided = {1, 12} if words[0] == "match" else set()
    assert ran.status in {0, int(allowed or 0), *undecided}, (line, ran.out, ran.err)
    return ran.out + ran.err


def test_who_follows_the_page_has_a_bot_that_wins_a_cup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)  # of which the page says `python`
    here, said, typed = tmp_path, "", 0
    for language, text in FENCE.findall(PAGE[: PAGE.index("## From here")]):
        if language in ("py", "toml"):
            name = re.match(r"# (\S+)\n", text)
            assert name
            (here / name[1]).write_text(text, encoding="utf-8")
        for line in re.findall(r"^\$ (.*)$", text, re.MULTILINE) if language == "console" else ():
            typed += 1
            if line.startswith("cd "):
                here /= line.removeprefix("cd ")
            else:
                said += typed_at(here, line)
    assert typed >= 8
    assert "games; endings: rules" in said
    assert (tmp_path / "my-bots" / "first" / "report.html").is_file()
    table = said[said.rindex("Ratings: My cup") :]
    assert re.search(r"^1  (mine|club) ", table, re.MULTILINE)


def test_the_table_of_a_bot_with_its_own_packages_is_one() -> None:
    text = FENCE.findall(PAGE[PAGE.index("## A bot with its own") :])[1][1]
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
