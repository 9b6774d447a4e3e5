"""Which program a bot is: the bundled ones, and commands as any folder can start them.

Must not import `bots`: the entry points of distributions say which modules are bots. Must not know
configurations.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final

ENTRY_POINTS: Final = "lath_arena.bots"

_SCRIPTS: Final = (".py", ".js", ".sh", ".rb", ".jar", ".lua", ".pl")
"""How the name of a program ends that another program runs."""


@cache
def bundled() -> dict[str, tuple[str, ...]]:
    """Return the command of each bot that this installation brings, by name."""
    from importlib.metadata import entry_points

    return {
        point.name: (sys.executable, "-P", "-m", point.value)
        for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
    }


def is_there(path: Path, kind: Callable[[Path], bool]) -> bool:
    """Return whether a path is that of something; a word may be too long to be anything's."""
    try:
        return kind(path)
    except OSError:
        return False


def resolve(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the command as it can be started from any folder.

    A program with a `/` and every argument that names a file are taken from `folder`, without
    resolving links: a virtual environment is one. `python` is the interpreter that runs the arena,
    in a virtual environment and where PATH has no other.
    """
    program, *arguments = command
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


def missing_script(command: tuple[str, ...], folder: Path, *, in_scratch: bool) -> str:
    """Return that an argument looks like a script and is not in `folder`; empty if none is.

    `in_scratch`: the bot does not run in `folder` itself.

    >>> missing_script(("python", "nosuch.py"), Path("/proc"), in_scratch=True)
    'nosuch.py is not in /proc (the bot runs in a scratch folder)'
    """
    for word in command[1:]:
        is_text = word.startswith("-") or len(word.split()) != 1  # a flag, or a program's own
        is_path = not is_text and (word.endswith(_SCRIPTS) or "/" in word)
        if is_path and not is_there(folder / word, Path.exists):
            why = " (the bot runs in a scratch folder)" if in_scratch else ""
            return (
                f"{word} is no file" if word.startswith("/") else f"{word} is not in {folder}{why}"
            )
    return ""
