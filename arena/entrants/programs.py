"""The program of a bot: a bundled one, or a command that starts from any folder."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from lath.arena.referee.originals import files_below
from lath.notation.files.bounds import read_json

ENTRY_POINTS: Final = "lath_arena.bots"

RUN_BY: Final = {
    ".py": ("python",),
    ".js": ("node",),
    ".mjs": ("node",),
    ".cjs": ("node",),
    ".jar": ("java", "-jar"),
    ".sh": ("sh",),
    ".rb": ("ruby",),
    ".lua": ("lua",),
    ".pl": ("perl",),
}
"""The suffixes of scripts, with the program that runs each."""


@cache
def bundled() -> dict[str, tuple[str, ...]]:
    """Return the commands of the bundled bots, by name."""
    from importlib.metadata import entry_points  # start-up time

    return {
        point.name: (sys.executable, "-P", "-m", point.value)
        for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
    }


def is_there(path: Path, kind: Callable[[Path], bool]) -> bool:
    """Return True if a path exists and is of a kind; False for a word too long for a path."""
    try:
        return kind(path)
    except OSError:
        return False


def first_bytes(path: Path) -> bytes:
    """Return the beginning of a file; empty if it is not a regular file, such as a pipe."""
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return os.read(descriptor, 256)
        finally:
            os.close(descriptor)
    return b""


def files_in(path: Path) -> list[Path]:
    """Return a file, or the files of a folder and those below, sorted.

    Skips hidden files, Python's caches and tournament directories, which change when a bot plays.
    """
    from lath.arena.directory import DATABASE  # start-up time

    if path.is_file():
        return [path]
    return sorted(each for each in map(Path, files_below(str(path), DATABASE)) if each.is_file())


def main_of_package(folder: Path) -> set[Path]:
    """Return the main script in a folder's `package.json`; an empty set without one.

    As in Node.js, the default is `index.js`. The script must be inside the folder.
    """
    try:
        package = read_json((folder / "package.json").read_bytes())
    except (OSError, ValueError):
        return set()
    name = package.get("main") if isinstance(package, dict) else None
    if not isinstance(name, str):
        name = "index.js"
    path = Path(os.path.normpath(folder / name))
    is_inside = Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    return {path} if is_inside and path.suffix in RUN_BY and is_there(path, Path.is_file) else set()


def resolve(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the command with paths that work from any folder.

    A program with a `/` and every argument that names a file are taken from `folder`. Links stay,
    because a virtual environment is one. The name `python` means the arena's interpreter if that is
    a virtual environment or PATH has no other. A single word can name a bundled bot.
    """
    program, *arguments = command
    if not arguments and program in bundled():
        return bundled()[program]
    if "/" in program:
        program = os.path.normpath(folder / program)
    elif program in ("python", "python3"):
        is_ours = sys.prefix != sys.base_prefix  # a virtual environment
        program = sys.executable if is_ours or shutil.which(program) is None else program
    paths = {
        word: os.path.normpath(folder / word)
        for word in arguments
        if not word.startswith("-") and is_there(folder / word, Path.is_file)
    }
    return (program, *(paths.get(word, word) for word in arguments))


_BEFORE: Final = re.compile(r"-[A-Za-z]+|/*")
"""The text that may come before a path in a word: an option such as `-I`, or a URL's `//`."""

_BEGINS: Final = re.compile(r"[\s'\"`=:;,|&<>({@]")
"""The characters that may come before a word, or before a path in one."""

_REST: Final = re.compile(r"[^\s'\"`=:;,|&<>(){}$*?]*")
"""The pattern of the rest of a path."""

_ENDS: Final = r"(?=[/\s'\"`=:;,|&<>(){}$*?]|\\\n|\Z)"
"""The pattern of the end of a file or folder name."""

_LONGEST: Final = 256
"""The characters examined before a path, and the folders examined in a path."""


def split_at(places: Sequence[str], text: str) -> list[str]:
    """Return a text split at paths that are in `places` or below, existing or not.

    Every second part is the place, as in `places`: an absolute path. Paths count as people write
    them in shell commands: in quotes, by links, or after `--opt=` and `-I`. Paths that leave the
    place by `..` do not count.
    >>> split_at(["/home/ada"], "cc -I/home/ada/include '/home/ada/a.c' /home/ada2/b.c")
    ['cc -I', '/home/ada', "/include '", '/home/ada', "/a.c' /home/ada2/b.c"]
    """
    parts, at = [], 0
    names = {name: place for place in places for name in (place, *_links_to(place, text))}
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "|".join(f"({_spelled(name)})" for name in longest_first)
    for found in re.finditer(f"(?:{pattern}){_ENDS}", text) if names else ():
        before = _BEGINS.split(text[max(0, found.start() - _LONGEST) : found.start()])[-1]
        inner = os.path.normpath(f"./{rest_of(text[found.end() :])}")
        if _BEFORE.fullmatch(before) and inner.split("/")[0] != "..":
            parts += [text[at : found.start()], names[longest_first[(found.lastindex or 1) - 1]]]
            at = found.end()
    return [*parts, text[at:]]


def rest_of(text: str) -> str:
    """Return the rest of a path at the beginning of the text that follows a folder's name."""
    found = _REST.match(text)
    return found[0] if found else ""


def _spelled(place: str) -> str:
    r"""Return the pattern of ways to write a path: with `//`, `/./` and a shell's `\`."""
    escaped = map(re.escape, place.split("/")[1:])
    return "/" + "/+(?:[.]/+)*".join(re.sub(r"(\\.|[^\w.-])", r"\\\\?\1", name) for name in escaped)


def _links_to(place: str, text: str) -> Iterator[str]:
    """Yield paths in a text that lead to a place by links, or by `..`."""
    real = os.path.realpath(place)
    for found in re.finditer(rf"/(?!/){_REST.pattern}", text):
        names = found[0].split("/")
        for count in range(2, min(len(names), _LONGEST) + 1):
            path = "/".join(names[:count])
            if not os.path.lexists(path):
                break
            if names[count - 1] and path != place and os.path.realpath(path) == real:
                yield path


class Advice(NamedTuple):
    """The reason why a command with an existing file does not start, and a command that does."""

    why: str
    words: tuple[str, ...]
    """The command to use instead; empty if unknown."""

    before: str = ""
    """The shell command to type first, or empty."""

    instead: str = ""
    """The shell command after which the file starts as typed, or empty."""

    def hint(self, typed: str) -> str:
        """Return what to type, a line each; `typed` is `words` as this place takes them."""
        if not self.words:
            return "name the program that runs this file, or build it first"
        lines = (self.before, typed, self.instead and f"or {self.instead}")
        return "\n".join(filter(None, lines))


_OF_WINDOWS: Final = "has Windows line ends, so the program in its first line is not found"


def advice_on(command: tuple[str, ...], folder: Path) -> Advice | None:
    """Return advice if a program that is a file in `folder` cannot start; otherwise None."""
    program, *arguments = command
    path = folder / program
    is_path = "/" in program
    if (not is_path and shutil.which(program)) or not is_there(path, Path.is_file):
        return None
    runner = RUN_BY.get(path.suffix.lower())
    if runner is None and not _is_program(path):
        return _on_source(program, path, arguments)
    if not is_path:
        why = f"{program} is a file, but not a program on PATH"
    elif not may_be_run(path):
        why = f"{program} is not executable"
    elif wrong := _wrong_first_line(path, is_script=runner is not None):
        why = f"{program} {wrong}"
        if wrong == _OF_WINDOWS:
            return Advice(why, command, rf"sed -i 's/\r$//' {shlex.quote(program)}")
    else:
        return None
    named = program if is_path else f"./{program}"
    allow = "" if may_be_run(path) else f"chmod +x {shlex.quote(named)}"
    if runner is not None:
        is_startable = is_path and not _wrong_first_line(path, is_script=True)
        instead = allow if is_startable else ""
        return Advice(why, (*runner, program, *arguments), instead=instead)
    return Advice(why, (named, *arguments), allow)


BUILDS: Final[Mapping[str, tuple[str, str]]] = {
    ".c": ("C", "cc -O2 -o {out} {source}"),
    **dict.fromkeys((".cpp", ".cc", ".cxx"), ("C++", "c++ -std=c++17 -O2 -o {out} {source}")),
    ".rs": ("Rust", "rustc -O -o {out} {source}"),
    ".go": ("Go", "go build -o {out} {source}"),
    ".java": ("Java", "javac -d {folder} {source}"),
    ".hs": ("Haskell", "ghc -O2 -o {out} {source}"),
    ".swift": ("Swift", "swiftc -O -o {out} {source}"),
    ".zig": ("Zig", "zig build-exe -O ReleaseFast -femit-bin={out} {source}"),
    ".nim": ("Nim", "nim c -d:release -o:{out} {source}"),
    ".kt": ("Kotlin", "kotlinc -include-runtime -d {out}.jar {source}"),
}
"""The suffix of each source language, its name and its build command."""


def build_command(source: str) -> str:
    """Return the command that builds a source, whose suffix gives the language.

    >>> build_command("mybot.c"), build_command("./my bots/a.rs")
    ('cc -O2 -o mybot mybot.c', "rustc -O -o './my bots/a' './my bots/a.rs'")
    """
    suffix, (folder, _, _) = Path(source).suffix, source.rpartition("/")
    _, command = BUILDS[suffix.lower()]
    return command.format(
        out=shlex.quote(source.removesuffix(suffix)),
        source=shlex.quote(source),
        folder=shlex.quote(folder or "."),
    )


def _on_source(program: str, path: Path, arguments: Sequence[str]) -> Advice:
    """Return advice for a file that is not a program, but perhaps the source of one."""
    if (suffix := path.suffix.lower()) not in BUILDS:
        why = f"{program} is not a program: it begins neither with `#!` nor as a binary"
        return Advice(why, ())
    out = (program if "/" in program else f"./{program}").removesuffix(path.suffix)
    folder, _, name = out.rpartition("/")
    ways = {".java": ("java", "-cp", folder, name), ".kt": ("java", "-jar", f"{out}.jar")}
    why = f"{program} is {BUILDS[suffix][0]} source, not a program"
    return Advice(why, (*ways.get(suffix, (out,)), *arguments), build_command(program))


_TEXT: Final = 512
"""The bytes at the beginning of a file that show if it is text."""


def _is_program(path: Path) -> bool:
    """Return True if a file may be a program: a script with `#!`, or a binary file.

    An unreadable file may be one, too.
    """
    try:
        with path.open("rb") as file:
            begins = file.read(_TEXT)
    except OSError:
        return True
    return begins.startswith((b"#!", b"\x7fELF")) or b"\0" in begins


def may_be_run(path: Path) -> bool:
    """Return True if this process has the rights to execute a file."""
    return os.access(path, os.X_OK, effective_ids=os.access in os.supports_effective_ids)


def _wrong_first_line(path: Path, *, is_script: bool) -> str:
    """Return why the first line of a file prevents it from running; empty if it does not."""
    if not path.is_file():
        return "is not a file"
    line, ends, _ = first_bytes(path).partition(b"\n")
    line += ends
    if not line.startswith(b"#!"):
        return "has no first line #!… that names the program to run it" if is_script else ""
    if line.endswith(b"\r\n"):
        return _OF_WINDOWS
    runner, *more = os.fsdecode(line[2:]).split() or [""]
    if Path(runner).name == "env" and more and not more[0].startswith("-"):
        return "" if shutil.which(more[0]) else f"asks for {more[0]}, which is not on PATH"
    return (
        "" if is_there(Path(runner), Path.exists) else f"asks for {runner!r}, which does not exist"
    )


def missing_file(command: tuple[str, ...], folder: Path, *, in_scratch: bool) -> str:
    """Return a message about a missing file of a command, or an empty string.

    Paths are relative to `folder`. `in_scratch`: the bot does not run in `folder` itself.

    >>> missing_file(("python", "nosuch.py"), Path("/proc"), in_scratch=True)
    'nosuch.py is not in /proc (the bot runs in a scratch folder)'
    """
    program = command[0]
    if "/" not in program:
        is_known = program in ("python", "python3") or (len(command) == 1 and program in bundled())
        if not (is_known or shutil.which(program)):
            return f"{program} is not on PATH"
    elif not is_there(folder / program, Path.exists):
        return f"{os.path.normpath(folder / program)} does not exist"
    for word in command[1:]:
        is_text = word.startswith("-") or len(word.split()) != 1  # an option or a program text
        is_path = not is_text and (word.endswith(tuple(RUN_BY)) or "/" in word)
        if is_path and not is_there(folder / word, Path.exists):
            why = " (the bot runs in a scratch folder)" if in_scratch else ""
            return (
                f"{word} is not a file"
                if word.startswith("/")
                else f"{word} is not in {folder}{why}"
            )
    return ""


FORMER: Final = ("bots.greedy", "bots.monte_carlo", "bots.random_mover")
"""The modules of the bundled bots in version 0.1.0, as in directories of that version."""


def todays(command: Sequence[str]) -> tuple[str, ...]:
    """Return an old command as this installation has it.

    Covers bundled bots of version 0.1.0, and of an installation that no longer exists.

    >>> todays(["/old/python", "-P", "-m", "bots.greedy"])[1:]
    ('-P', '-m', 'lath.bots.greedy')
    >>> todays(["/gone/python", "-P", "-m", "lath.bots.mcts"]) == bundled()["mcts"]
    True
    """
    match tuple(command):
        case (_, "-P", "-m", module) if module in FORMER:
            return (sys.executable, "-P", "-m", f"lath.{module}")
        case (python, "-P", "-m", _) as words if not Path(python).exists():
            ours = (sys.executable, *words[1:])
            return ours if ours in bundled().values() else words
        case words:
            return words
