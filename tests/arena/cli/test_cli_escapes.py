"""Names, records and words that would command a terminal: none gets there."""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Final
from unittest import mock

import pytest
from arena_runs import PATIENCE_S, command, environment
from results import a_result

from lath.arena.__main__ import run
from lath.arena.cli import selection
from lath.arena.referee import process_trees
from lath.arena.tournament.store.store import Store

EVIL = "\x1b[31mred\x1b]0;t\x07\x9b2J\x7f\x08\r\u202eback"
COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Terminal(io.TextIOWrapper):
    """What people look at."""

    def isatty(self) -> bool:
        """Return that it is one."""
        return True


def shown(*words: object, **variables: str) -> str:
    """Return all that a command writes to a terminal."""
    streams = [Terminal(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2)]
    # Rich keeps what a style is on the first terminal that it sees: all tests have the same.
    kind = {"COLUMNS": "200", "TERM": "xterm-256color", "COLORTERM": "truecolor"}
    with (
        mock.patch.multiple(sys, stdout=streams[0], stderr=streams[1]),
        mock.patch.dict(os.environ, {**kind, **variables}),
        mock.patch.object(process_trees, "adopt_orphans"),  # this process has other children
    ):
        assert run([str(word) for word in words]) < 4
    for stream in streams:
        stream.flush()
    raw = [stream.buffer for stream in streams]
    return "".join(one.getvalue().decode() for one in raw if isinstance(one, io.BytesIO))


def commands_in(text: str) -> list[str]:
    """Return what in a text would command a terminal."""
    return [letter for letter in text if not (letter.isprintable() or letter in "\n\t")]


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Stand in a folder in which everything has an evil name; return what of it is sound."""
    monkeypatch.chdir(tmp_path)
    name = f"{EVIL}.lath"
    tags = f'[Game "yavalath"]\n[Event "{EVIL}"]\n[First "{EVIL}"]\n[Second "{EVIL}b"]'
    record = f"{tags}\n\n{{{EVIL}}} 1. e5 {{{EVIL}}} *\n"
    Path(name).write_text(record.replace("\r", ""), newline="")
    Path(f"other {name}").write_text(record.replace("\r", "").replace("e5", "e4"), newline="")
    Path(f"bad {name}").write_text(f'{tags}\n[Result "{EVIL}"]\n\n1. zz{EVIL} *\n', newline="")
    for cup in ("cup", "damaged"):
        folder = Path(EVIL) / f"{cup}{EVIL}"
        folder.mkdir(parents=True)
        with closing(Store(folder)) as store:
            store.add([a_result(1)])
    (folder / "tournament.db").write_bytes(b"no database" * 500)
    Path("evil.toml").write_text(f"event = {EVIL!r}\n")
    words = {"event": EVIL, "bot": [{"name": EVIL, "command": [EVIL]}]}
    Path(f"{name}.toml").write_text(str(words))
    return name


COMMANDS: Final = (
    *("check {}", "check 'bad {}'", "check 'bad {}' --json", "check 'no {}'", "show {}"),
    *("show {} --json", "show 'bad {}'", "show {} --svg", "select {}", "select {} --sort event"),
    *("select 'bad {}'", "select {} --where 'plies = {}'", "select {} --sort {}", "stats {}"),
    *(f"convert {{}} - --to {to}" for to in ("lath", "jsonlines", "csv", "sgf", "ygn")),
    *("convert 'bad {}' - --to lath", "convert {} {}.nothing", "edit {} --check"),
    *("diff {} 'other {}'", "diff {} {} --key {}", "stats 'bad {}'", "explore {}", "rate {}"),
    *("rate {} --json", "rate {} --csv", "rate 'bad {}'", "rate EVIL", "report EVIL"),
    *("report {} -o {}.html", "report {} --templates {}", "run evil.toml", "run {}.toml"),
    *("run {}", "run --bot {}=x", "run --game {}", "run --rounds {}", "run --tc {}"),
    *("bot check {}", "bot {}", "bot log {} 1", "{}", "rate --{}", "games moves {}"),
    *("games moves yavalath {}", "play {}"),
)


def words_of(command: str, evil: str) -> list[str]:
    """Return the words of a command in which evil names stand for themselves."""
    return [word.replace("{}", evil).replace("EVIL", EVIL) for word in shlex.split(command)]


def test_nothing_from_outside_commands_the_terminal(evil: str) -> None:
    found = {}
    for line in COMMANDS:
        plain = shown(*words_of(line, evil), NO_COLOR="1")
        if not plain or commands_in(plain):
            found[line] = plain
    assert found == {}


def test_only_our_colours_get_there(evil: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for line in ("stats {}", "show {}", "rate EVIL/cupEVIL"):
        coloured = shown(*words_of(line, evil))
        assert commands_in(COLOUR.sub("", coloured)) == []
        assert "\x1b" in coloured
        assert "\x1b[31mred" not in coloured


def test_what_goes_to_a_file_or_a_pipe_stays_as_it_is(evil: str) -> None:
    made = subprocess.run(
        command("select", evil), env=environment(), capture_output=True, check=True
    )
    assert made.stdout == Path(evil).read_bytes()


def test_nor_does_anything_on_a_real_terminal(evil: str) -> None:
    leader, follower = pty.openpty()
    words = command("select", "--", evil, f"no {evil}")
    process = subprocess.Popen(words, env=environment(), stdout=follower, stderr=follower)
    os.close(follower)
    said = b""
    with suppress(OSError):  # that is its end
        while block := os.read(leader, 1 << 16):
            said += block
    os.close(leader)
    process.wait(PATIENCE_S)
    text = said.decode().replace("\r\n", "\n")
    assert "not found" in text
    assert "[31mred" in text
    assert commands_in(text) == []


def test_what_is_counted_stands_over_what_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one command to a terminal is ours: back to the beginning of the line."""
    monkeypatch.setattr(selection, "EVERY_S", -1)
    (tmp_path / "games.lath").write_text('[Game "yavalath"]\n\ne5 *\n\n[Game "yavalath"]\n\na1 *\n')
    said = shown("convert", tmp_path / "games.lath", tmp_path / "games.duckdb")
    counted, cleared, last = said.split("\r")
    assert (counted, cleared) == ("2 records", " " * len(counted))
    assert last.startswith("2 of 2 records taken into ")
