"""The built-in games by id, without importing them."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import Final

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
    "plain_board",
    "stones",
    "reach",
    "overlays",
    "faults",
    "laws",
    "lines",
    "simple",
    "state",
    "images",
    "authors",
    "files",
    "parameters",
    "plugins",
    "sources",
    "trial",
}
"""Modules of this folder that are not games."""


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
