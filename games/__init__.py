"""The games: rules and nothing else. `get` and `installed` find all there are.

A game is a module that defines `GAME`. One in this folder is built in; a distribution brings
others through the entry-point group `lath_arena.games` (name: the game's id, value:
`module:GAME`); `add` takes one from any file.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from lath.games.core import Game
from lath.games.errors import GameFileError, UnknownGameError
from lath.games.files import add, added, added_ids, blamed, named, origin
from lath.games.parameters import id_with, made, read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint

__all__ = [
    "add",
    "blamed",
    "builtin_ids",
    "canonical_id",
    "get",
    "ids",
    "installed",
    "named",
    "origin",
    "plugin_ids",
]

ENTRY_POINTS: Final = "lath_arena.games"

_FOUNDATIONS: Final = {
    "__init__",
    "cards",
    "core",
    "errors",
    "board",
    "fast",
    "stones",
    "reach",
    "overlays",
    "faults",
    "files",
    "parameters",
    "trial",
}
"""Modules of this folder that games are made of."""


@cache
def _plugins() -> Iterable[EntryPoint]:
    if not any(map(_may_bring_games, sys.path)):
        return ()
    from importlib.metadata import entry_points  # costs more than all games together

    return tuple(entry_points(group=ENTRY_POINTS))


def _may_bring_games(folder: str) -> bool:
    """Return whether a distribution of a folder of `sys.path` names games: else none is asked."""
    # pathlib would cost a bot more than all games together
    try:
        names = os.listdir(folder or ".")  # noqa: PTH208
    except NotADirectoryError:
        return True  # an archive, which importlib reads
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
    """Return the ids of the games of this folder, sorted; imports none of them."""
    files = (name for folder in __path__ for name in _names_in(folder))
    modules = {name.removesuffix(".py") for name in files if name.endswith(".py")} - _FOUNDATIONS
    return tuple(sorted(name.replace("_", "-") for name in modules))


def _names_in(folder: str) -> list[str]:
    """Return the names of files in a folder, or of modules in an archive."""
    try:
        # pathlib would cost a bot more than all games together
        return os.listdir(folder)  # noqa: PTH208
    except NotADirectoryError:
        from pkgutil import iter_modules

        return [f"{one.name}.py" for one in iter_modules([folder]) if not one.ispkg]


def plugin_ids() -> tuple[str, ...]:
    """Return the ids of the games that distributions bring, sorted; imports none of them."""
    return tuple(sorted({point.name for point in _plugins()} - set(builtin_ids())))


def ids() -> tuple[str, ...]:
    """Return the ids of all games: built in, installed, added; raises GameFileError."""
    return builtin_ids() + plugin_ids() + added_ids()


def canonical_id(game_id: str) -> str:
    """Return the one way to write an id, whose parameters may stand in any order.

    What `get` refuses is returned as it stands. Raises GameFileError.

    >>> canonical_id("yavalath:win=5,size=4,lose=3"), canonical_id("chess:size=4")
    ('yavalath:size=4,win=5', 'chess:size=4')
    """
    base, colon, parameters = game_id.partition(":")
    if not colon:
        return game_id
    try:
        family = get(base)
        return id_with(family, read(family, parameters))
    except GameFileError:
        raise
    except ValueError:
        return game_id


def installed() -> tuple[Game, ...]:
    """Return all games, the built-in ones first."""
    return tuple(get(game_id) for game_id in ids())


@cache
def get(game_id: str) -> Game:
    """Return the game of this id; raises UnknownGameError.

    An id with parameters has the one way to write it; `named` takes others.

    >>> get("yavalath").title, get("yavalath:size=4").title
    ('Yavalath', 'Yavalath (size 4)')
    """
    if ":" in game_id:
        return made(get(game_id.partition(":")[0]), game_id)
    if game_id in builtin_ids():
        module = import_module(f"lath.games.{game_id.replace('-', '_')}")
        return cast("Game", module.GAME)
    if (game := added(game_id)) is not None:
        return game
    point = next((point for point in _plugins() if point.name == game_id), None)
    if point is None:
        raise UnknownGameError(f"unknown game {game_id!r}, expected one of {', '.join(ids())}")
    try:
        game = cast("Game", point.load())
    except (ImportError, AttributeError) as error:
        raise UnknownGameError(
            f"game {game_id!r} ({point.value}) cannot be loaded: {error}"
        ) from error
    if game.id != game_id:
        raise UnknownGameError(
            f"the entry point {game_id!r} ({point.value}) is the game {game.id!r}"
        )
    return game
