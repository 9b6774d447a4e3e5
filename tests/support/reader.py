"""A reader of the documentation: what they have in a folder, and what they type there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Final, NamedTuple

import commands

FENCE: Final = re.compile(r"^```(\S+) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""A block of a page: its language, the name of its file, its text."""

FOLDERS: Final = {
    *("demo", "results", "tournament", "cup", "league", "lab", "autumn", "autumn-cup"),
    *("tournaments/results", "tournaments"),
}
"""What pages call directories of tournaments that the reader has."""

DEMO: Final = [f"--bot={name}" for name in ("greedy", "random", "monte-carlo")] + [
    *("--tc=nodes 5", "--rounds=1", "--log=all"),
]
"""What makes the built-in tournament quick, and has it keep what its bots say."""

QUICKER: Final = {
    "run --output NEW": "--rounds 1 --tc 'nodes 5' --openings random:0",
    "run --game ./mygame.py --bot random": "--rounds 20",
    "match": "--budget 2 --tc 'nodes 5'",
    'match "old=': "--budget 8",
    "match HEAD": "--budget 2 --tc 'nodes 5'",
    "tune": "--sprt-pairs 1 --pairs 1 --tc 'nodes 5'",
    "bot check": "--only first",
    "bot check --puzzles": "--tc 'move 0.02'",
    "bot replay": "--side first",
    "solve yavalath e5": "--seconds 1",
    "solve games.lath": "--seconds 1",
    "analyze": "--nodes 1",
}
"""What makes a command quicker, by how it begins; `run --output NEW` begins a tournament."""

LITTLE: Final = {"--rounds": "--rounds 2", "--tc": "--tc 'nodes 6'", "--budget": "--budget 4"}
"""What makes little of an option of `run`, in a tournament that has begun."""

NOT_TYPED: Final = {
    "pip install": "installs",
    "serve": "runs until Ctrl-C",
    "tls://": "needs other machines",
    "-- gdb": "waits for the reader",
    "-m pdb": "waits for the reader",
    "printf ": "another test speaks with these bots",
    "make demo": "sets up and plays",
    "make test": "runs this test",
    "benchmarks/": "measures for hours",
    "bots.compiled.learning": "learns for half an hour",
}
"""Parts of commands that no reader of these tests types, with the reason."""

STAND_INS: Final = {"node": ["python", "mybot.py"]}
"""What is typed for a program that not every machine has."""

_READ: Final = re.compile(r"[\w./-]+\.(lath|jsonl|json|duckdb|csv|pgn)(\.gz|\.zst)?")
_WRITES: Final = {
    *("-o", "--site", "--output", "--html", "--removed", "--copy-templates", "--png", "--gif"),
}
_PROGRAM: Final = re.compile(r"^\./\w+$|^\w+\.py$")


class Typed(NamedTuple):
    """A command of a page, and what the page shows of its output."""

    line: str
    shown: str

    @property
    def words(self) -> list[str]:
        """What a shell reads, up to a comment, a pipe or another command."""
        read = shlex.shlex(self.line, posix=True, punctuation_chars="|&;<>")
        read.whitespace_split = True
        words = [*read]
        ends = [at for at, word in enumerate(words) if re.fullmatch("[|&;<>]+", word)]
        return words[: ends[0]] if ends else words


def typed_in(text: str) -> Iterator[Typed]:
    """Yield the commands of one block."""
    for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        line, _, shown = session.partition("\n")
        yield Typed(line, shown)


class Reader:
    """Somebody in a folder who has what a command reads."""

    def __init__(self, here: Path, demo: Path) -> None:
        self.here = here
        self._demo = demo
        self._made: set[str] = set()
        """What the reader had before; the page does not say what is in it."""

    def types(self, typed: Typed, answers: str = "") -> commands.Ran | None:
        """Type a command; returns None for one that has its reason in NOT_TYPED."""
        if any(part in typed.line for part in NOT_TYPED):
            return None
        name, *words = typed.words
        with chdir(self.here):
            if name == "cd":
                self.here /= words[0]
            elif name == "cat":
                return commands.Ran(0, Path(words[0]).read_text("utf-8"), "", b"")
            elif name == "grep":
                lines = Path(words[1]).read_text("utf-8").splitlines(keepends=True)
                return commands.Ran(0, "".join(line for line in lines if words[0] in line), "", b"")
            else:
                assert name == "arena", typed.line
                return commands.arena(*self.prepared(words), stdin=answers)
        return None

    def has_all_from_page(self, typed: Typed) -> bool:
        """Whether the page gives everything that its command reads, so that its output is known."""
        return not any(word.partition("/")[0] in self._made for word in typed.words)

    def prepared(self, words: list[str]) -> list[str]:
        """Return the words of a quicker command, once the folder has what it reads."""
        words = [new for word in words for new in STAND_INS.get(word, [word])]
        words = [re.sub(r"\bnode \w+\.js", "python mybot.py", word) for word in words]
        words = ["local:1" if word == "local:4" else word for word in words]
        self._give_revisions(words)
        self._give_settings(words)
        has_demo = self._give_records(words)
        self._give_programs(words)
        if has_demo:
            named = re.compile(r"ann|mine|mybot")
            words = [
                "greedy" if named.fullmatch(word) and not Path(word).exists() else word
                for word in words
            ]
        end = words.index("--") if "--" in words else len(words)
        return words[:end] + shlex.split(self._quicker(words)) + words[end:]

    def _quicker(self, words: list[str]) -> str:
        line = " ".join(words)
        if words[0] == "run":
            if len(words) == 3 and words[1] == "--output":
                return shlex.join(DEMO)
            if Path(words[1], "tournament.db").exists():
                return " ".join(more for option, more in LITTLE.items() if option in words)
            if {"--plan", "--seed", "secret"} & {*words}:
                return ""
            line = line.replace("run", "run --output NEW", 1)
        budget = " --budget 4" if "--budget" in words else ""
        begins = [one for one in QUICKER if line.startswith(one.replace('"', ""))]
        return (QUICKER[max(begins, key=len)] if begins else "") + budget

    def _give_records(self, words: list[str]) -> bool:
        """Make the records and tournaments that a command reads; return whether it reads any."""
        names = [
            name
            for at, name in enumerate(words)
            if at and words[at - 1] not in _WRITES and not name.startswith("-")
        ]
        is_new = words[0] == "run" and {"--add", "--match-day"} & {*words}
        for name in names[:-1] if words[0] == "convert" and len(names) > 1 else names:
            folder = name if name in FOLDERS else name.partition("/")[0]
            if (
                folder in FOLDERS
                and not Path(folder).exists()
                and not (is_new and "--format" not in words)
            ):
                shutil.copytree(self._demo, Path(folder) / ("cup" if name == "tournaments" else ""))
                self._made.add(folder)
            elif _READ.fullmatch(name) and not Path(name).exists():
                self._write_records(Path(name))
                self._made.add(name)
        return any(name.partition("/")[0] in self._made for name in names)

    def _give_revisions(self, words: list[str]) -> None:
        """Make a repository with two commits of a bot."""
        if any(word.startswith("HEAD") for word in words) and not Path(".git").exists():
            self._give_programs(["mybot.py"])
            git = ["git", "-c", "user.name=ann", "-c", "user.email=ann@example.org"]
            for more in (["init", "-q"], ["add", "mybot.py"]):
                subprocess.run([*git, *more], check=True)
            for number in "12":
                message = ["commit", "-q", "--allow-empty", "-m", number]
                subprocess.run([*git, *message], check=True)

    def _give_settings(self, words: list[str]) -> None:
        """Write a configuration that the page does not show, and folders of entrants."""
        for word in words:
            if word.endswith(".toml") and not Path(word).exists():
                Path(word).write_text(_LEAGUE, encoding="utf-8")
            for name in re.findall(r"(?<=cwd=)[\w/]+|^inbox/\w+$", word):
                Path(name).mkdir(parents=True, exist_ok=True)
                for file in ("bot", "bot.py", "mybot"):
                    Path(name, file).write_text(_BOT, encoding="utf-8")
                    Path(name, file).chmod(0o755)
                Path(name, "Makefile").write_text("bot:\n", encoding="utf-8")

    def _write_records(self, path: Path) -> None:
        if path.suffix == ".csv":
            path.write_text("first,second,result\nann,bob,1-0\n", encoding="utf-8")
            return
        some = self.here / "demo.lath"
        shutil.copy(self._demo / "games.lath", some)
        if path.suffix == ".lath":
            some.rename(path)
        else:
            assert commands.arena("convert", some, path).status == 0
            some.unlink()

    def _give_programs(self, words: list[str]) -> None:
        """Make the bots of a command, in the language and for the contest that it names."""
        read = [word for at, word in enumerate(words) if words[at - 1] not in _WRITES]
        for name in re.split(r"[\s;=]+", " ".join(read)):
            path = Path(name)
            if path.exists() or not _PROGRAM.match(name):
                continue
            if path.suffix:
                assert commands.arena("init", "first-bot").status == 0
                shutil.move("first-bot/mybot.py", path)
                shutil.rmtree("first-bot")
            elif "codingame" in " ".join(words):
                pack = ("bot", "pack", "greedy", "-o", path, "--protocol", "codingame")
                assert commands.arena(*pack, "--game", "yavalath").status == 0
                code = path.read_text("utf-8")
                path.write_text(f"#!/usr/bin/env python\n{code}", encoding="utf-8")
                path.chmod(0o755)
            else:
                path.write_text(_BOT, encoding="utf-8")
                path.chmod(0o755)


_BOT: Final = """#!/usr/bin/env python
from lath.bots.mcts import EXPLORATION, TREE, search_for
from lath.bots.options import Spin
from lath.bots.sdk import run
from lath.bots.searcher import Searcher

run(Searcher(search_for), name="Mine", options=[EXPLORATION, TREE, Spin("threads", 1, 1, 8)])
"""

_LEAGUE: Final = """format = "pool"
games = ["yavalath"]
rounds = 1

[time]
nodes = 5

[[bot]]
name = "greedy"

[[bot]]
name = "random"
"""
