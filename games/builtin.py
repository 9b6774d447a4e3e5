"""The games that need no file: those built in and those that installed distributions add."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

ENTRY_POINTS: Final = "lath_arena.games"

_FOUNDATIONS: Final = {
    "__init__",
    "builtin",
    "naming",
    "registry",
    "cards",
    "capabilities",
    "contract",
    "core",
    "errors",
    "board",
    "points",
    "fast",
    "stones",
    "reach",
    "overlays",
    "faults",
    "lines",
    "simple",
    "files",
    "parameters",
    "trial",
}
"""Modules of this folder that are not games."""


@cache
def plugins() -> Iterable[EntryPoint]:
    """Return the entry points of the games that distributions add."""
    if not any(map(_may_bring_games, sys.path)):
        return ()
    from importlib.metadata import entry_points  # importing it costs more than importing all games

    return tuple(entry_points(group=ENTRY_POINTS))


def _may_bring_games(folder: str) -> bool:
    """Return whether a distribution in a folder of `sys.path` adds games, without importing any."""
    # importing pathlib costs a bot more than importing all games
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208
    except NotADirectoryError:
        return True  # an archive: importlib must look into it
    except OSError:
        return False
    for name in names:
        if name.endswith((".dist-info", ".egg-info")) or name == "EGG-INFO":
            try:
                with open(f"{folder or '.'}/{name}/entry_points.txt", "rb") as file:  # noqa: PTH123
                    if ENTRY_POINTS.encode() in file.read():
                        return True
            except OSError:
                continue
    return False


@cache
def builtin_ids() -> tuple[str, ...]:
    """Return the sorted ids of the built-in games without importing them."""
    folders = sys.modules["lath.games"].__path__
    files = (name for folder in folders for name in _names_in(folder))
    modules = {name.removesuffix(".py") for name in files if name.endswith(".py")} - _FOUNDATIONS
    return tuple(sorted(name.replace("_", "-") for name in modules))


def _names_in(folder: str) -> list[str]:
    """Return the names of the files in a folder, or of the modules in an archive."""
    try:
        # importing pathlib costs a bot more than importing all games
        return os.listdir(folder)  # noqa: PTH208
    except NotADirectoryError:
        from pkgutil import iter_modules  # start-up time

        return [f"{one.name}.py" for one in iter_modules([folder]) if not one.ispkg]


def plugin_ids() -> tuple[str, ...]:
    """Return the sorted ids of the games that distributions add, without importing them."""
    return tuple(sorted({point.name for point in plugins()} - set(builtin_ids())))
