"""A file that no system starts as it is: each command says what to type in its place."""

from __future__ import annotations

from pathlib import Path

import commands
import pytest

from lath.arena.tournament.programs import BUILDS

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


SOURCES = [
    ("./bot.c", "cc -O2 -o ./bot ./bot.c", "./bot"),
    ("./bot.CPP", "c++ -std=c++17 -O2 -o ./bot ./bot.CPP", "./bot"),
    ("./src/bot.cc", "c++ -std=c++17 -O2 -o ./src/bot ./src/bot.cc", "./src/bot"),
    ("./bot.rs", "rustc -O -o ./bot ./bot.rs", "./bot"),
    ("./bot.go", "go build -o ./bot ./bot.go", "./bot"),
    ("./src/Bot.java", "javac -d ./src ./src/Bot.java", "java -cp ./src Bot"),
    ("./bot.kt", "kotlinc -include-runtime -d ./bot.jar ./bot.kt", "java -jar ./bot.jar"),
]


@pytest.mark.parametrize(("name", "build", "command"), SOURCES)
@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_a_source_is_told_how_it_is_built_and_is_never_a_program(
    name: str, build: str, command: str, mode: int
) -> None:
    Path("src").mkdir()
    make(name, mode, "int main() { return 0; }\n")
    language, _ = BUILDS[Path(name).suffix.lower()]
    told = f"{name} is source in {language}, and no program; after `{build}` "
    ran = commands.arena("bot", "check", name)
    assert ran.err == f"arena: {told}type: arena bot check -- {command}\n"
    ran = commands.arena("run", "--bot", "greedy", "--bot", f"mine={name} -n")
    assert ran.err == f"arena: --bot mine: {told}write: --bot 'mine={command} -n'\n"
    for words in (
        ("run", "--bot", "greedy", "--bot"),
        ("play", "yavalath", "--bot"),
        ("match", "greedy"),
        ("tune", "--option", "a=1..2", "--game", "yavalath"),
        ("solve", "yavalath", "--bot"),
    ):
        ran = commands.arena(*words, name)
        assert ran.status == 2
        assert f": {told}name {command}\n" in ran.err
    assert not Path("tournament").exists()


def test_a_source_without_a_path_is_told_so_too() -> None:
    make("bot.cpp", 0o644, "int main() { return 0; }\n")
    ran = commands.arena("bot", "check", "bot.cpp")
    build = "c++ -std=c++17 -O2 -o bot bot.cpp"
    why = f"bot.cpp is source in C++, and no program; after `{build}`"
    assert ran.err == f"arena: {why} type: arena bot check -- ./bot\n"


@pytest.mark.parametrize("text", ["", "hello\n", "echo id name x\n"])
def test_what_is_no_program_is_told_so(text: str) -> None:
    make("mybot", 0o755, text)
    ran = commands.arena("bot", "check", "./mybot")
    assert ran.err == (
        "arena: ./mybot is no program: it does not begin with `#!`, nor as a program does; name "
        "the program that runs it, or build it first\n"
    )
    Path("cup.toml").write_text('[[bot]]\nname = "greedy"\n[[bot]]\nname="a"\ncommand="./mybot"')
    ran = commands.arena("run", "cup.toml")
    assert ran.status == 2
    assert "cup.toml:5: bot 'a': ./mybot is no program: " in ran.err


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
