"""Every command that writes a file or folder, and a folder to run it in.

A command line has `OUT` for its output, or `OUT/` before a name in it. Must not know how files are
written.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from commands import Ran, arena
from quick_runs import play_nothing
from sample_records import random_game

from lath import notation
from lath.arena.entrants import packing
from lath.notation.files import files
from lath.notation.files.files import HALF

OUT: Final = "OUT"

RUN: Final = "--bot greedy --bot random --game yavalath --rounds 1 -q"

BOT: Final = "import random\n\nprint(random.random())  # a day's work\n"


class Writer(NamedTuple):
    """A command that writes, and the usual name of its output."""

    line: str
    name: str = "out.lath"


FILES: Final[Mapping[str, Writer]] = {
    "select": Writer("select games.lath -o OUT"),
    "select --removed": Writer("select games.lath --without-copies --count --removed OUT"),
    "convert to text": Writer("convert games.csv OUT --to lath"),
    "convert to csv": Writer("convert games.lath OUT --to csv", "out.csv"),
    "convert --positions": Writer("convert games.lath OUT --to csv --positions", "out.csv"),
    "convert to jsonlines": Writer("convert games.lath OUT --to jsonlines", "out.jsonl"),
    "convert to abstractplay": Writer("convert games.lath OUT --to abstractplay", "out.json"),
    "convert to ygn": Writer("convert games.lath OUT --to ygn", "out.ygn"),
    "convert to sgf": Writer("convert games.lath OUT --to sgf", "out.sgf"),
    "convert to parquet": Writer("convert games.lath OUT --to parquet", "out.parquet"),
    "convert --planes": Writer("convert games.lath OUT --to npz --planes", "out.npz"),
    "edit -o": Writer("edit games.lath --set Event=Cup -o OUT"),
    "show --png": Writer("show games.lath --png OUT", "out.png"),
    "show --gif": Writer("show games.lath --gif OUT --ply 1", "out.gif"),
    "stats --html": Writer("stats games.lath --measures --html OUT", "out.html"),
    "report -o": Writer("report games.lath -o OUT", "out.html"),
    "report --data": Writer("report games.lath --data OUT", "out.json"),
    "bot pack": Writer("bot pack random --game yavalath -o OUT", "out.py"),
    "run --json-events-to": Writer(f"run {RUN} --output new --json-events-to OUT", "events.jsonl"),
    "analyze": Writer("analyze short.lath --bot greedy --nodes 5 -o OUT"),
}
"""The commands by their output. `play -o` appends, and others never replace a file."""

FOLDERS: Final[Mapping[str, Writer]] = {
    "check --sound": Writer("check cup --sound OUT", "sound"),
    "select --split": Writer("select games.lath --split round -o OUT", "parts"),
    "edit several": Writer("edit games.lath short.lath --set Event=Cup -o OUT", "edited"),
    "report --copy-templates": Writer("report --copy-templates OUT", "templates"),
    "report --site": Writer("report cup --site OUT", "site"),
    "init": Writer("init OUT", "bots"),
    "init --game": Writer("init --game OUT/hexline", "mine"),
}


@cache
def home_of_all() -> Path:
    """Return a folder with records and a tournament; it is made once."""
    home = Path(tempfile.mkdtemp(prefix="writers-"))
    records = [random_game("yavalath", n, Round=str(n % 3)) for n in range(3)]
    text = "\n".join(notation.format_records(records))
    (home / "games.lath").write_text(text)
    (home / "short.lath").write_text('[Game "yavalath"]\n\n1. e5 2. d4 *\n')
    (home / "bot.py").write_text(BOT)
    with chdir(home), pytest.MonkeyPatch.context() as patch:
        play_nothing(patch)
        assert arena("convert", "games.lath", "games.csv").status == 0
        ran = arena("run", *RUN.split(), "--output", "cup", "--no-report")
        assert ran.status == 0, ran.err
    (home / "cup" / "logs" / "build-a.log").write_text("said\n")
    return home


@contextmanager
def copied_home() -> Iterator[Path]:
    """Change to a copy of that folder."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        shutil.copytree(home_of_all(), home, symlinks=True)
        with chdir(home):
            yield home


@cache
def packed() -> str:
    """Return the content of a packed bot."""
    return packing.pack("random", plays=["yavalath"])


def typed(writer: Writer, out: str, *more: str) -> Ran:
    """Run a command that writes into `out`; no game is played, and a bot is packed once."""
    words = [re.sub(rf"^{OUT}(?=/|$)", lambda _: out, word) for word in writer.line.split()]
    text = packed()
    with pytest.MonkeyPatch.context() as patch:
        play_nothing(patch)
        patch.setattr(packing, "pack", lambda *_, **__: text)
        return arena(*words, *more)


def tree_of(folder: Path) -> dict[str, bytes]:
    """Return the content of a folder: the content of files, and the targets of links."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = b"-> " + os.fsencode(path.readlink())
        elif path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[f"{name}/"] = b""
    return found


# Kills

_CHANGES: Final = frozenset(
    {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
)


def changes_in(do: Callable[[], object]) -> int:
    """Return the number of changes to files that a function makes in a process of its own."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            changes = _counting()
            do()
            os.write(writing, str(len(changes)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as found:
        return int(found.read())


def killed_at(number: int, do: Callable[[], object]) -> bool:
    """Call a function in a process that is killed before its n-th change to files.

    Returns whether there was one. The process does nothing at its end.
    """
    child = os.fork()
    if child == 0:
        try:
            _counting(number)
            do()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def _counting(last: int = 10**9) -> list[str]:
    """Note the changes of this process in its current folder; the change number `last` ends it."""
    here, changes = f"{Path.cwd()}{os.sep}", list[str]()

    def change(path: object) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            whole = str(Path(os.fsdecode(path)).absolute())
            if whole.startswith(here):
                changes.append(whole)
        if len(changes) >= last:
            os.kill(os.getpid(), signal.SIGKILL)

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        if event in _CHANGES or (event == "open" and _is_to_write(arguments)):
            change(arguments[0])

    write = files._NewFile.write

    def writing(file: Any, data: Any, /) -> int:
        change(str(file.name))
        return write(file, data)

    files._NewFile.write = writing  # type: ignore[method-assign]
    sys.addaudithook(hear)
    return changes


def _is_to_write(arguments: tuple[Any, ...]) -> bool:
    flags = arguments[2] or 0
    return bool(flags & (os.O_WRONLY | os.O_RDWR))


def is_half(name: str) -> bool:
    """Return whether a name marks a partial file or folder, or a path in one."""
    return any(part.startswith(".") and part.endswith(HALF) for part in Path(name).parts)
