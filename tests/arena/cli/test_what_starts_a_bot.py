"""A file that no system starts as it is: each command says what to type in its place."""

from __future__ import annotations

from pathlib import Path

import commands
import pytest

SHEBANG, ASKS = "#!/bin/sh\n", "#!/nowhere/sh\n"

FILES = [
    ("mybot.py", 0o644, "", "is a file, and no program on PATH", "python mybot.py"),
    ("./mybot.py", 0o644, SHEBANG, "may not be executed", "python ./mybot.py"),
    ("./mybot.py", 0o755, "", "has no first line #!… that says what runs it", "python ./mybot.py"),
    ("./mybot.sh", 0o755, ASKS, "asks for '/nowhere/sh', which is not there", "sh ./mybot.sh"),
    ("./my", 0o755, "#!/usr/bin/env nosuch\n", "asks for nosuch, which is not on PATH", "./my"),
    ("my.jar", 0o755, "", "is a file, and no program on PATH", "java -jar my.jar"),
    ("my.js", 0o755, SHEBANG, "is a file, and no program on PATH", "node my.js"),
    ("mybot", 0o755, SHEBANG, "is a file, and no program on PATH", "./mybot"),
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(name: str, mode: int, text: str) -> None:
    Path(name).write_text(text)
    Path(name).chmod(mode)


@pytest.mark.parametrize(("name", "mode", "text", "why", "command"), FILES)
def test_what_to_type_is_said(name: str, mode: int, text: str, why: str, command: str) -> None:
    make(name, mode, text)
    ran = commands.arena("bot", "check", name)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == f"arena: {name} {why}; type: arena bot check -- {command}\n"
    for words in (("run", "--bot", "greedy", "--bot"), ("play", "yavalath", "--bot")):
        ran = commands.arena(*words, f"mine={name} -n 1")
        said = f"{name} {why}; write: --bot 'mine={command} -n 1'"
        assert (ran.status, ran.err) == (2, f"arena: --bot mine: {said}\n")


def test_who_may_not_be_executed_is_told_how_that_is_mended() -> None:
    make("mybot", 0o644, "\x7fELF")
    ran = commands.arena("bot", "check", "--", "./mybot", "--depth", "2")
    assert ran.err == (
        "arena: ./mybot may not be executed; after `chmod +x ./mybot` type: "
        "arena bot check -- ./mybot --depth 2\n"
    )


def test_who_has_line_ends_of_windows_is_told_how_that_is_mended() -> None:
    make("mybot.sh", 0o755, "#!/bin/sh\r\n")
    ran = commands.arena("bot", "check", "./mybot.sh")
    assert ran.err == (
        "arena: ./mybot.sh has line ends of Windows, by which its first line asks for what is not "
        "there; after `sed -i 's/\\r$//' ./mybot.sh` type: arena bot check -- ./mybot.sh\n"
    )


@pytest.mark.parametrize(
    "words",
    [("bot", "check", "--", "./my bots/one.sh"), ("play", "yavalath", "--bot", "x=my bots/one.sh")],
)
def test_a_path_with_blanks_is_one_word_where_it_is_there(words: tuple[str, ...]) -> None:
    Path("my bots").mkdir()
    make("my bots/one.sh", 0o644, SHEBANG)
    ran = commands.arena(*words)
    assert ran.status == 2
    assert "my bots/one.sh may not be executed" in ran.err


def test_a_path_with_nothing_in_it_is_none() -> None:
    ran = commands.arena("run", "--bot", "greedy", "--out", "")
    assert ran.status == 2
    assert "'--out': expected a path, not nothing" in ran.err
    assert not list(Path().iterdir())


def test_a_configuration_is_told_its_own_way() -> None:
    make("mybot.py", 0o644, "")
    bots = '[[bot]]\nname = "greedy"\n\n[[bot]]\nname = "mine"\ncommand = ["mybot.py", "-v"]\n'
    Path("cup.toml").write_text(f'games = ["yavalath"]\n{bots}')
    ran = commands.arena("run", "cup.toml")
    assert ran.status == 2
    assert ran.err == (
        "arena: cup.toml:7: bot 'mine': mybot.py is a file, and no program on PATH; "
        'write: command = ["python", "mybot.py", "-v"]\n'
    )
