"""What bundled bots search by is compiled before the first game, once, and it is told who searches
in Python all the same."""

from __future__ import annotations

import json
import sqlite3
import sys
from pathlib import Path
from textwrap import dedent

import commands
import pytest
from quick_runs import play_here
from talking import greet, started

from lath.arena.entrants import compiling, programs
from lath.arena.entrants.compiling import compile_first, compilers, uncompiled
from lath.arena.referee.bots import BotSpec, Greeting

BOT = """
from lath.bots import greedy
from lath.bots.sdk import run
run(greedy.choose, name="Searcher", version={version!r}, options=[
    "option name fast type combo default auto var auto var on var off"])
"""

COMPILER = """
import sys, pathlib, time
log = pathlib.Path({log!r})
log.open("a").write(" ".join(sys.argv[1:]) + "|")
if "--check" in sys.argv:
    sys.exit(0 if "done" in log.read_text() else 3)
log.open("a").write("done|" if {works} else "")
sys.exit("the disk is full" if not {works} else 0)
"""


def test_the_bots_that_have_a_compiled_form_are_those_that_say_so() -> None:
    for name, command in programs.bundled().items():
        with started(list(command)) as bot:
            has_form = any(line.startswith("option name fast ") for line in greet(bot))
        assert has_form == (name in compiling.SEARCHERS)


class Stand:
    """A searching bot, and a program that compiles for it."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.log = folder / "log"
        self.log.touch()
        self.folder, self.patch = folder, patch
        patch.setattr(compiling, "find_spec", lambda _: True)

    def set(self, *, version: str = "compiled", works: bool = True) -> BotSpec:
        """Have the bot say this of itself; return how it is started."""
        bot, compiler = self.folder / "bot.py", self.folder / "compiler.py"
        bot.write_text(BOT.format(version=version))
        compiler.write_text(dedent(COMPILER.format(log=str(self.log), works=works)))
        command = (sys.executable, "-P", str(bot))
        self.patch.setattr(compiling, "bundled", lambda: {"alphabeta": command})
        self.patch.setattr(compiling, "COMMAND", (sys.executable, "-P", str(compiler)))
        return BotSpec(name="alphabeta", command=command)

    @property
    def calls(self) -> list[str]:
        """Return with which words the program was called, and when it was done."""
        return self.log.read_text().split("|")[:-1]


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    return Stand(tmp_path, monkeypatch)


def test_it_is_compiled_once_and_told_while_it_takes_long(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = stand.set()
    monkeypatch.setattr(compiling, "EVERY_S", 0.0)
    monkeypatch.setattr(compiling, "_LOOK_S", 0.001)
    told: list[str] = []
    assert compile_first([bot], told.append) == ""
    assert stand.calls == ["--check", "", "done"]
    assert told[0] == "compiling the search of alphabeta, once for all games: about half a minute"
    assert told[1].startswith("compiling the search of alphabeta, once for all games: 0 s")
    assert compile_first([bot], told.append) == ""
    assert stand.calls == ["--check", "", "done", "--check"]


def test_only_bots_that_search_by_it_have_anything_compiled_or_are_named(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = stand.set()
    off = BotSpec(name="slow", command=bot.command, options={"fast": "off"})
    other = BotSpec(name="mine", command=(sys.executable, "mine.py"))
    assert compilers([off, other, bot]) == ["alphabeta"]
    assert compile_first([off, other], print) == ""
    assert stand.calls == []
    said = {"alphabeta": Greeting(version="Python (the code is not compiled yet)")}
    assert uncompiled(said, [bot]) == (
        "alphabeta searches in Python, many times slower than compiled: "
        "the code is not compiled yet"
    )
    assert uncompiled({"alphabeta": Greeting(version="compiled")}, [bot]) == ""
    monkeypatch.setattr(compiling, "find_spec", lambda _: None)  # where numba is not installed
    assert uncompiled(said, [bot]) == ""


@pytest.mark.parametrize("works", [True, False])
def test_a_tournament_compiles_before_it_plays_and_keeps_which_form_played(
    works: bool, stand: Stand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_here(monkeypatch)
    version = "compiled" if works else "Python (the code is not compiled yet)"
    bot = stand.set(version=version, works=works)
    out = tmp_path / "out"
    words = ("--game", "surikata", "--rounds", "1", "--tc", "nodes 5", "--output", out)
    named = f"alphabeta={' '.join(bot.command)}"
    ran = commands.arena("run", "--bot", named, "--bot", "greedy", *words)
    assert ran.status == 0, ran.err
    assert stand.calls[:2] == ["--check", ""]
    before, _, after = ran.err.partition("seed: SHA-256")
    assert "compiling the search of alphabeta" in before
    assert "compiling" not in after
    is_slow = "warning: alphabeta searches in Python, many times slower" in ran.err
    assert is_slow is not works
    assert ("the disk is full" in ran.err) is not works
    with sqlite3.connect(out / "tournament.db") as database:
        notes = dict(database.execute("select * from about").fetchall())
    (played,) = json.loads(notes["provenance"])
    assert {bot["name"]: bot["version"] for bot in played["bots"]}["alphabeta"] == version
    assert version in (out / "report.html").read_text()
