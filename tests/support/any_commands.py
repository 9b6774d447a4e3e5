"""Random command lines of `arena`, which must succeed or refuse them properly.

A valid command line is changed: a value, an option or the content of a file. It runs in this
process in a folder of its own. It must end with a documented status, and its output must not
control the terminal. Must not know what a command does.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, chdir, contextmanager
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any, Final
from unittest import mock

from commands import Ran, arena
from game_files import EXAMPLE, forget_games
from record_texts import SIGNS as NOTATION
from record_texts import mutant, written
from sample_records import random_game
from strangers import FoundError

from lath import notation
from lath.arena.cli.main import COMMANDS, commands_of

STATUSES: Final = frozenset({0, 1, 2, 3, 5, 10, 11, 12})
"""The statuses of `arena --help`, except 4, a bug."""

PATIENCE_S: Final = 4
"""The time after which a command gets Ctrl-C, in seconds; it could play for hours."""

STUCK_S: Final = 90
"""The time after Ctrl-C after which a command counts as stuck, in seconds."""

LONG: Final = "9" * 5000

HOSTILE: Final = (
    "", " ", "0", "1", "2", "-1", "0.5", LONG, "9223372036854775807", "1000000000000000",
    "4294967296", f"-{LONG}", f"0.{LONG}", "1e400", "1e-400", "nan",
    "inf", "-inf", "1_0", "0x10", "\N{ARABIC-INDIC DIGIT THREE}", "\udcff", "\x1b[2J",
    "\N{RIGHT-TO-LEFT OVERRIDE}", "\n", "\t", "=", "x=", "=x", "a=b", ",", ";", ":", "..",
    "1..", "..1", f"1..{LONG}", "[" * 3000, "(" * 3000, "{" * 300, "not " * 300, "\\", '"', "'",
    "'x", "%s", "{number:99999999999}",
    "{value}", "*", "?", "-", "--", ".", "/", "nowhere", "nowhere/x", "x" * 300, "a/" * 3000,
    "x" * 200_000, "yavalath", "yavalath:size=" + LONG, "yavalath:size=4", "chess", "greedy",
    "2026-13-45", "10+0.1", "move 0.5", f"nodes {LONG}", f"{LONG}+1", "random:4", f"random:{LONG}",
    "e5", "swap", "e5 swap d4", "1-0", "5/6/7/8/9/8/7/6/5 w", "date,round", "plies > 3",
)  # fmt: skip
"""Values of options and arguments; the system starts no program with a zero byte in one."""

IN_FILES: Final = (
    *NOTATION, LONG, f"-{LONG}", f"1.{LONG}", "1e400", "-1e400", "NaN", "Infinity", "-Infinity",
    "nan", "inf", "[" * 3000, "{" * 3000, '{"a":' * 3000, '"\\ud800"', "\\ud800", "\\u0000",
    "\xed\xa0\x80", "\xff", "\x00", "\x1b[2J", "\xe2\x80\xae", ",", ";", ":", "=", "'", '"""',
    "null", "true", "[]", "{}", "1979-05-27T07:32:00Z", "[[bot]]", "[time]", "a." * 200, "\n", "\r",
)  # fmt: skip
"""Pieces that are put into files, as Latin-1 characters."""

CUP: Final = """
event = "Cup"
games = ["surikata"]
rounds = 1
[time]
nodes = 5
[[bot]]
name = "greedy"
memory = "512MiB"
[[bot]]
name = "other"
command = ["random"]
[openings]
random = 2
"""

USUAL: Final[dict[str, list[list[str]]]] = {}
"""The usual command lines of each command, in the folder of files below."""

for _line in Path(__file__).with_name("usual_commands.txt").read_text().splitlines():
    _name, _, _words = _line.partition(":")
    USUAL.setdefault(_name, []).append(shlex.split(_words))

LEFT_OUT: Final = frozenset({"--cluster", "--watch", "--help", "-h", "--hosts-alike", "--pause"})
"""Options that wait for other programs or for ever."""


def leaves() -> dict[str, Any]:
    """Return every command by its words."""
    found: dict[str, Any] = {}
    for name, listed in COMMANDS.items():
        command = commands_of(listed.module)[name]
        children = getattr(command, "commands", None) or {"": command}
        found |= {f"{name} {child}".rstrip(): each for child, each in children.items()}
    return found


@cache
def folder_of_files() -> Path:
    """Return a folder with a file of each kind and a tournament; it is made once."""
    folder = Path(tempfile.mkdtemp(prefix="any-commands-"))
    records = [random_game("yavalath", n, annotated=n % 2 == 0, Round=str(n)) for n in range(3)]
    records += [random_game("surikata", 1), random_game("manalath-61", 1)]
    text = "\n".join(notation.format_records(records))
    (folder / "games.lath").write_text(text)
    short = '[Game "surikata"]\n[First "ann"]\n[Second "bob"]\n\n1. Mc3 2. Ma1 *\n'
    (folder / "short.lath").write_text(short)
    (folder / "puzzles.lath").write_text(
        '[Game "yavalath"]\n[Position "5/6/7/8/wwb6/8/7/6/5 w"]\n[Task "win"]\n[Plies "1"]\n'
        '[Grade "1"]\n[Tempting "2"]\n[Solver "solver"]\n\n1. e5 *\n'
    )
    (folder / "people.lath").write_text("\n\n".join(written(Random(n)) for n in range(6)))
    (folder / "players.csv").write_text("ann,anna\nbob,robert\n")
    (folder / "book.txt").write_text("surikata 5/5/5/5/5 setup\nyavalath 5/6/7/8/4w4/8/7/6/5 b\n")
    (folder / "cup.toml").write_text(CUP)
    (folder / "notes.txt").write_text("some words\n")
    (folder / "empty").touch()
    (folder / "mybot.py").write_text("import random\nprint(random.random())\n")
    shutil.copyfile(EXAMPLE, folder / "mygame.py")
    with chdir(folder):
        for name in ("games.csv", "games.jsonl", "games.json", "games.ygn", "games.parquet"):
            assert arena("convert", "games.lath", name).status in (0, 1), name
        assert arena("convert", "games.lath", "games.duckdb").status == 0
        shutil.copyfile(next(_SAMPLES.glob("*.trl")), "games.trl")
        ran = arena("run", "cup.toml", "--output", "cup", "--log", "all", "-q")
        assert ran.status == 0, ran.err
        (folder / "cup" / "report.html").write_text("<!DOCTYPE html>")
    return folder


_SAMPLES: Final = Path(__file__).parents[1] / "samples"


def case_of(name: str, chance: Random) -> tuple[list[str], dict[str, bytes]]:
    """Return the arguments of a command, and the new content of changed files."""
    words = list(chance.choice(USUAL[name]))
    changed: dict[str, bytes] = {}
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        kind = chance.random()
        if kind < 0.45 and (files := _files_in(words)):
            path = chance.choice(files)
            changed[path] = _changed(folder_of_files() / path, chance)
        elif kind < 0.65 and words:
            words[chance.randrange(len(words))] = _value(chance)
        elif kind < 0.72 and words:
            del words[chance.randrange(len(words))]
        else:
            words[len(words) if chance.random() < 0.8 else 0 :] += _option(name, chance)
    return words, changed


def _files_in(words: Sequence[str]) -> list[str]:
    """Return the files named by words, and those in a tournament that is named."""
    folder, found = folder_of_files(), list[str]()
    for word in words:
        if len(word) > 100 or ".." in word or word[:1] in ("", "/"):
            continue
        path = folder / word.partition(":")[0]
        if path.is_file():
            found.append(word.partition(":")[0])
        elif path.is_dir():
            found += [str(each.relative_to(folder)) for each in path.rglob("*") if each.is_file()]
    return found


def _changed(path: Path, chance: Random) -> bytes:
    content = path.read_bytes()
    match chance.randrange(6):
        case 0:
            return content[: chance.randrange(len(content) + 1)]
        case 1:
            at = chance.randrange(len(content) + 1)
            return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
        case 2:
            return "".join(chance.choices(IN_FILES, k=chance.randrange(12))).encode("latin-1")
        case 3:
            others = [each for each in folder_of_files().iterdir() if each.is_file()]
            return chance.choice(sorted(others)).read_bytes()
        case _:
            text = content.decode("latin-1")
            return mutant(text, text, chance, IN_FILES).encode("latin-1", "replace")


def _value(chance: Random) -> str:
    names = sorted(each.name for each in folder_of_files().iterdir())
    return chance.choice(HOSTILE) if chance.random() < 0.75 else chance.choice(names)


def _option(name: str, chance: Random) -> list[str]:
    options = [one for one in leaves()[name].params if one.param_type_name == "option"]
    if not options:
        return []
    option = chance.choice(options)
    if LEFT_OUT.intersection(option.opts):
        return []
    flag = chance.choice(option.opts)
    return [flag] if option.is_flag else [flag, _value(chance)]


def met(name: str, number: int) -> Ran:
    """Run a numbered case of a command; raises FoundError for a forbidden outcome."""
    words, changed = case_of(name, Random(f"{name} {number}"))
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = Path(folder, "here")
        shutil.copytree(folder_of_files(), place)
        stack.enter_context(chdir(place))
        for path, content in changed.items():
            (place / path).write_bytes(content)
        if name == "serve":
            stack.enter_context(mock.patch("lath.arena.site.app.Server.run", _served))
        shown = [word if len(word) < 200 else f"{word[:50]}… ({len(word)})" for word in words]
        what = f"{name}, case {number}: {shown!r} with {sorted(changed)}"
        try:
            with _asked_to_stop(PATIENCE_S):
                ran = arena(*name.split(), *words, stdin="e5\nd4\nresign\n")
        except (Exception, SystemExit) as error:
            raise FoundError(f"{what}: {error!r}") from error
        finally:
            forget_games()
        if ran.status not in STATUSES or "Traceback" in ran.err:
            raise FoundError(f"{what}: status {ran.status}\n{ran.err[-3000:]}")
        if found := re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", ran.err):
            raise FoundError(f"{what}: {found[0]!r} in what is said: {ran.err[:2000]!r}")
        is_told = ran.err or ran.out or {"-q", "--quiet"}.intersection(words)
        if ran.status in (1, 2) and not is_told:
            raise FoundError(f"{what}: status {ran.status} without a word")
        return ran


def _served(_server: object, sockets: Sequence[socket.socket]) -> None:
    """Replace the server of a site by one that ends at once."""
    for each in sockets:
        each.close()


class StuckError(BaseException):
    """A command continues although it was asked to stop."""


@contextmanager
def _asked_to_stop(seconds: float) -> Iterator[None]:
    """Send SIGINT to this process after `seconds`; raise StuckError if it has no effect."""
    asked = False

    def ask(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise StuckError
        asked = True
        signal.setitimer(signal.ITIMER_REAL, STUCK_S)
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGALRM, ask)
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.signal(signal.SIGINT, heard)
