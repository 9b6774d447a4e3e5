"""A file that no system starts as it is: each command says what to type in its place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import commands
import pytest

from lath.arena.cli import bots
from lath.arena.entrants.origins import origin_of
from lath.arena.errors import ConfigError

if TYPE_CHECKING:
    from golden import Golden

SHEBANG, ASKS, SOURCE = "#!/bin/sh\n", "#!/nowhere/sh\n", "int main() { return 0; }\n"

FILES = [
    ("mybot.py", 0o644, ""),
    ("./mybot.py", 0o644, SHEBANG),
    ("./mybot.py", 0o755, ""),
    ("./mybot.sh", 0o755, ASKS),
    ("./mybot.sh", 0o755, "#!/bin/sh\r\n"),
    ("./my", 0o755, "#!/usr/bin/env nosuch\n"),
    ("./my", 0o755, ""),
    ("./my", 0o755, "hello\n"),
    ("./my", 0o755, "echo id name x\n"),
    ("./mybot", 0o644, "\x7fELF"),
    ("my.jar", 0o755, ""),
    ("my.js", 0o755, SHEBANG),
    ("mybot", 0o755, SHEBANG),
    ("bot.cpp", 0o644, SOURCE),
    *((f"./{name}", 0o644, SOURCE) for name in ("bot.c", "bot.CPP", "bot.rs", "bot.go", "bot.kt")),
    *((f"./src/{name}", 0o755, SOURCE) for name in ("bot.cc", "Bot.java")),
]

COMMANDS = {
    "check": ("bot", "check", "--", "FILE", "-n", "1"),
    "run": ("run", "--bot", "greedy", "--bot", "mine=FILE -n 1"),
    "play": ("play", "yavalath", "--bot", "mine=FILE -n 1"),
    "match": ("match", "greedy", "FILE"),
    "tune": ("tune", "FILE", "--option", "a=1..2", "--game", "yavalath"),
    "solve": ("solve", "yavalath", "--bot", "FILE"),
    "file": ("run", "cup.toml"),
}
"""What meets a bot."""

LATER = ("check", "match", "tune", "solve")
"""Those that refuse sources alone: what else does not start they see where they start it."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_what_to_type_is_said_by_every_command_that_meets_a_bot(golden: Golden) -> None:
    told, wrong = {}, {}
    Path("src").mkdir()
    for name, mode, text in FILES:
        Path(name).write_text(text, newline="")
        Path(name).chmod(mode)
        bots = f'[[bot]]\nname = "greedy"\n\n[[bot]]\nname = "mine"\ncommand = ["{name}", "-v"]\n'
        Path("cup.toml").write_text(f'games = ["yavalath"]\n{bots}')
        for command, words in COMMANDS.items():
            if command in LATER and text != SOURCE:
                continue
            ran = commands.arena(*(word.replace("FILE", name) for word in words))
            error, *hints = ran.err.splitlines()
            is_told = error.startswith("error: ") and hints
            if (ran.status, ran.out) != (2, "") or not is_told or len(hints) > 2:
                wrong[name, text, command] = (ran.status, ran.err)
            if command in ("check", "run", "file") or name == "./bot.c":
                told[f"{name} {mode:o} {text!r} {command}"] = ran.err
        Path(name).unlink()
    assert wrong == {}
    assert sorted(path.name for path in Path().iterdir()) == ["cup.toml", "src"]
    golden(told)


@pytest.mark.parametrize("arguments", ["", " -n 1"])
def test_a_check_starts_what_a_match_starts(arguments: str) -> None:
    Path("src").mkdir()
    started = 0
    for name, mode, text in FILES:
        Path(name).write_text(text, newline="")
        Path(name).chmod(mode)
        words = f"{name}{arguments}"
        refused = ""
        try:
            by_match = origin_of(words, "cmd").words
        except ConfigError as error:
            refused = str(error).partition("\n")[0]
        if not refused:
            assert bots._spec([words], None, []).command == by_match
            started += 1
        elif "not found" not in refused:
            with pytest.raises(ConfigError, match=re.escape(refused)):
                bots._spec([words], None, [])
        Path(name).unlink()
    assert started > 3


def test_what_is_wrong_with_a_path_is_said(golden: Golden) -> None:
    Path("my bots").mkdir()
    Path("my bots/one.sh").write_text(SHEBANG)
    Path("my bots/one.c").write_text(SOURCE)
    asked = {
        "blanks": ("bot", "check", "--", "./my bots/one.c"),
        "blanks in a flag": ("play", "yavalath", "--bot", "x=my bots/one.sh"),
        "nothing": ("run", "--bot", "greedy", "--output", ""),
    }
    ran = {name: commands.arena(*words) for name, words in asked.items()}
    assert {one.status for one in ran.values()} == {2}
    golden({name: one.err for name, one in ran.items()})
    assert [path.name for path in Path().iterdir()] == ["my bots"]
