"""The games: rules and nothing else. `get` and `installed` find built-in games and plugins.

A game is a module that defines `GAME`. One in this folder is built in; a distribution brings
others through the entry-point group `lath_arena.games` (name: the game's id, value:
`module:GAME`).
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from lath.games.core import Game
from lath.games.errors import UnknownGameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

ENTRY_POINTS: Final = "lath_arena.games"

_FOUNDATIONS: Final = frozenset({"core", "errors", "board", "stones", "overlays"})
"""Modules of this folder that games are made of."""


_LONGEST: Final = 60
"""Letters of a module's name."""


def _module_of(game_id: str) -> str:
    return game_id.replace("-", "_")


@cache
def _plugins() -> EntryPoints:
    from importlib.metadata import entry_points  # costs more than all games together

    return entry_points(group=ENTRY_POINTS)


@cache
def builtin_ids() -> tuple[str, ...]:
    """Return the ids of the games of this folder, sorted; imports none of them."""
    import pkgutil  # a worker, which knows its games, does without

    modules = {module.name for module in pkgutil.iter_modules(__path__)} - _FOUNDATIONS
    return tuple(sorted(name.replace("_", "-") for name in modules))


def plugin_ids() -> tuple[str, ...]:
    """Return the ids of the games that other distributions bring, sorted."""
    names = {point.name for point in _plugins()}
    return tuple(sorted(names - set(builtin_ids())))


def ids() -> tuple[str, ...]:
    """Return the ids of all games, the built-in ones first."""
    return builtin_ids() + plugin_ids()


def installed() -> tuple[Game, ...]:
    """Return all games, the built-in ones first."""
    return tuple(get(game_id) for game_id in ids())


def _loaded(game_id: str, point: EntryPoint) -> Game:
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


def _builtin(game_id: str) -> Game | None:
    """Return the game of this folder; None if there is none of this id."""
    module = _module_of(game_id)
    if "_" in game_id or not module.isidentifier() or module in _FOUNDATIONS:
        return None
    if len(module) > _LONGEST:  # imports remember what they did not find
        return None
    try:
        return cast("Game", import_module(f"lath.games.{module}").GAME)
    except ModuleNotFoundError as error:
        if error.name != f"lath.games.{module}":
            raise
        return None


@cache
def get(game_id: str) -> Game:
    """Return the game of this id; raises UnknownGameError.

    >>> get("yavalath").title
    'Yavalath'
    """
    if (game := _builtin(game_id)) is not None:
        return game
    for point in _plugins():
        if point.name == game_id:
            return _loaded(game_id, point)
    raise UnknownGameError(f"unknown game {game_id!r}, expected one of {', '.join(ids())}")
