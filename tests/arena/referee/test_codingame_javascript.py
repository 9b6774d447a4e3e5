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

from lath.arena.referee.bots import BotSpec
from lath.arena.referee.bridges import PRELUDE, BridgedBot, Codingame, bot_of
from lath.arena.referee.clock import Limits
from lath.arena.referee.process import Watch
from lath.arena.referee.recognition import recognised
from lath.arena.tournament.confinement import confined
from lath.arena.walls import users
from lath.notation.protocol import TimeControl

NODE = shutil.which("node") or "node"

LINES = """
BEFORE;
print("ready");
const lines = [];
for (let line = readline(); line !== null; line = readline()) lines.push(line);
print(JSON.stringify(lines));
"""

INPUTS: dict[str, tuple[str, list[str]]] = {
    "lines": ("1\n0 8\n", ["1", "0 8"]),
    "no end of the last": ("1\n0 8", ["1", "0 8"]),
    "of Windows": ("1\r\n0 8\r\n", ["1", "0 8"]),
    "empty": ("\n\r\n1\n", ["", "", "1"]),
    "not ASCII": ("é…\n♟\n", ["é…", "♟"]),
    "long": (70_000 * "0" + "\n1\n", [70_000 * "0", "1"]),
    "nothing": ("", []),
}


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
@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.parametrize(
    ("way", "before"),
    [(piped, ""), (piped, "process.stdin.pause()"), (by_socket, "process.stdin.pause()")],
    ids=["untouched", "touched", "asked-again"],
)
def test_a_line_is_read_however_it_comes(
    name: str, way: Callable[[str, str], str], before: str
) -> None:
    text, lines = INPUTS[name]
    assert json.loads(way(LINES.replace("BEFORE", before), text)) == lines


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
    assert plays(spec)


def plays(spec: BotSpec) -> bool:
    """Return whether a bot of CodinGame answers its first turns."""
    bot = bot_of(spec, Watch(), tree=new_tree())
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
    assert plays(replace(spec, protocol="lath", may_be_of_contest=True))


def test_who_cannot_read_them_is_no_worse_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot in C needs none of it, and Node.js would not start without a file that it is told."""

    def closed_to(_user: int, paths: object) -> str:
        return PRELUDE if PRELUDE in paths else ""  # type: ignore[operator]

    def confined_bot(*command: str) -> BridgedBot:
        spec = BotSpec(name="ada", command=command, protocol="codingame")
        (spec,) = confined([spec]).bots
        bot = bot_of(spec, Watch(), tree="t")
        assert isinstance(bot, BridgedBot)
        return bot

    monkeypatch.setattr(users, "can_be_given", lambda: True)
    monkeypatch.setattr(users, "closed_to", closed_to)
    of_node, of_c = confined_bot("/usr/bin/node", "-e", ""), confined_bot("/bin/true")
    assert (of_node.spec.wall.kind, of_c.spec.wall.kind) == ("limits", "user")
    assert PRELUDE in of_node._variables()["NODE_OPTIONS"]
    assert of_c._variables() == {}
