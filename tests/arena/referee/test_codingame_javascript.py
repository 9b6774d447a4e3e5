"""JavaScript for CodinGame has under Node.js what it has there: readline, print and the like."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from contest_bots import GLOBALS
from processes import new_tree
from tools import needs

from lath.arena.entrants.confinement import confined
from lath.arena.referee import bridges, process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.bridges import PRELUDE, Codingame, bot_of
from lath.arena.referee.clock import Limits
from lath.arena.referee.conversation import Bot
from lath.arena.referee.recognition import recognised
from lath.arena.referee.watch import Watch
from lath.arena.sandbox import users
from lath.arena.sandbox.kinds import BotSandbox
from lath.notation.protocol import TimeControl

NODE = shutil.which("node") or "node"

LINES = """
BEFORE;
print("ready");
const lines = [];
for (let line = readline(); line !== null; line = readline()) lines.push(line);
print(JSON.stringify(lines));
"""

INPUTS: dict[str, list[str]] = {
    "1\n0 8\n": ["1", "0 8"],
    "1\n0 8": ["1", "0 8"],
    "1\r\n0 8\r\n": ["1", "0 8"],
    "\n\r\n1\n": ["", "", "1"],
    "é…\n♟\n": ["é…", "♟"],
    70_000 * "0" + "\n1\n": [70_000 * "0", "1"],
    "": [],
}
"""Lines however they end, and what is read of them."""


def piped(program: str, text: str) -> str:
    words = (NODE, "--require", PRELUDE, "-e", program)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"  # nothing is there when it asks first
        process.stdin.write(text.encode())
        process.stdin.close()
        return process.stdout.read().decode()


def by_socket(program: str, text: str) -> str:
    """Return what a program prints whose input, which nothing can open again, is touched."""
    ours, its = socket.socketpair()
    words = (NODE, "--require", PRELUDE, "-e", program)
    with ours, subprocess.Popen(words, stdin=its.fileno(), stdout=subprocess.PIPE) as process:
        its.close()
        assert process.stdout
        assert process.stdout.readline() == b"ready\n"
        ours.sendall(text.encode())
        ours.shutdown(socket.SHUT_WR)
        return process.stdout.read().decode()


@needs("node")
@pytest.mark.parametrize(
    ("way", "before"),
    [(piped, ""), (piped, "process.stdin.pause()"), (by_socket, "process.stdin.pause()")],
    ids=["untouched", "touched", "asked-again"],
)
def test_a_line_is_read_however_it_comes(way: Callable[[str, str], str], before: str) -> None:
    program = LINES.replace("BEFORE", before)
    assert {text: json.loads(way(program, text)) for text in INPUTS} == INPUTS


OPTIONS = {"NODE_OPTIONS": "--no-deprecation"}
"""The bot's own, which it has besides."""

CAREFUL = f"if (!process.noDeprecation) throw Error('no options');\n{GLOBALS}"

STARTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "by node": (CAREFUL, (NODE, "FILE")),
    "by its first line": (f"#!/usr/bin/env node\n{CAREFUL}", ("FILE",)),
    "by a shell": (CAREFUL, ("/bin/sh", "-c", 'exec node "$0"', "FILE")),
}


@needs("node")
@pytest.mark.parametrize("start", STARTS)
def test_a_bot_has_them_however_node_is_started(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / """with blanks, "quotes" and \\back\\\\slashes'"""
    folder.mkdir()
    monkeypatch.setattr(Codingame, "prelude", shutil.copy(PRELUDE, folder))
    text, words = STARTS[start]
    file = folder / "my bot.js"
    file.write_text(text)
    file.chmod(0o755)
    command = tuple(word.replace("FILE", str(file)) for word in words)
    spec = BotSpec(name="ada", command=command, env=OPTIONS, may_be_of_contest=True)
    assert plays(bot_of(spec, Watch(), tree=new_tree()))


def plays(bot: Bot) -> bool:
    """Return whether a bot of CodinGame answers its first turns."""
    bot.open()
    return recognised(bot, Limits(time=TimeControl(), startup_s=20.0)) == "codingame"


WALLS = [
    "none",
    pytest.param("bwrap", marks=needs("bwrap")),
    pytest.param(
        "user",
        marks=pytest.mark.skipif(
            not users.can_be_given() or bool(users.closed_to(users.FIRST, [PRELUDE])),
            reason="this system grants no other user, or it cannot read the checkout",
        ),
    ),
]


@needs("node")
@pytest.mark.parametrize("wall", WALLS)
def test_a_bot_has_them_in_every_sandbox(wall: str) -> None:
    of_codingame = BotSpec(
        name="ada", command=(NODE, "-e", GLOBALS), sandbox=wall, protocol="codingame"
    )
    (spec,) = confined([of_codingame]).bots
    spec = replace(spec, protocol="lath", may_be_of_contest=True)
    assert plays(bot_of(spec, Watch(), tree=new_tree()))


@needs("node")
def test_who_cannot_read_the_installation_has_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridges, "_is_open", lambda _path, _wall: False)
    spec = BotSpec(name="ada", command=(NODE, "-e", GLOBALS), may_be_of_contest=True)
    bot = bot_of(spec, Watch(), tree=new_tree())
    assert plays(bot)
    assert process_trees.scratches(bot.tree) == [], "it goes with the process"
    bot = bot_of(replace(spec, protocol="codingame"), Watch(), tree=bot.tree)
    bot.open()
    copies = process_trees.scratches(bot.tree)
    assert [Path(path).stat().st_mode & 0o777 for path in copies if Path(path).is_file()] == [0o644]
    bot.kill()
    assert process_trees.scratches(bot.tree) == []


def test_a_bot_behind_bubblewrap_that_cannot_read_them_starts_without() -> None:
    """Node.js does not start at all where it is told of a file that it does not see."""
    wall = BotSandbox(kind="bwrap")
    spec = BotSpec(name="ada", command=(NODE,), protocol="codingame", wall=wall)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bridges, "_is_open", lambda _path, _wall: False)
        assert bot_of(spec, Watch(), tree="t")._variables() == {}


def test_a_file_is_open_to_a_bot_if_its_user_can_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "prelude"
    file.touch()
    monkeypatch.setattr(users, "closed_to", lambda _user, _paths: str(tmp_path))
    assert bridges._is_open(str(file), BotSandbox())
    assert not bridges._is_open(str(file), BotSandbox(kind="user"))
    assert not bridges._is_open(str(tmp_path / "archive.pyz" / "prelude"), BotSandbox())
