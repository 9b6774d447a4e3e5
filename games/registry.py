"""The registry of all games by id: built in, installed and added."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from lath.games.builtin import builtin_ids, plugin_ids, plugins
from lath.games.core import found_with
from lath.games.errors import GameFileError, UnknownGameError
from lath.games.files import added, added_ids
from lath.games.parameters import id_with, made, read

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from lath.games.core import Game


def ids() -> tuple[str, ...]:
    """Return the ids of all games: built in, installed, added. Raises GameFileError."""
    return builtin_ids() + plugin_ids() + added_ids()


def canonical_id(game_id: str) -> str:
    """Return the canonical form of an id, with its parameters in order.

    An unknown or invalid id is returned unchanged. Raises GameFileError for a faulty file.

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


def get(game_id: str) -> Game:
    """Return the game with this id. Raises UnknownGameError if it does not exist.

    Parameters must be in canonical form; `named` accepts any order.

    >>> get("yavalath").title, get("yavalath:size=4").title
    ('Yavalath', 'Yavalath (size 4)')
    """
    base, colon, _ = game_id.partition(":")
    if colon:
        return made(get(base), game_id)
    if game_id in builtin_ids():
        return _builtin(game_id)
    if (game := added(game_id)) is not None:
        return game
    point = next((point for point in plugins() if point.name == game_id), None)
    if point is None:
        raise UnknownGameError(f"unknown game {game_id!r}", f"one of {', '.join(ids())}")
    return _loaded(point)


found_with(get)


@cache
def _builtin(game_id: str) -> Game:
    return cast("Game", import_module(f"lath.games.{game_id.replace('-', '_')}").GAME)


@cache
def _loaded(point: EntryPoint) -> Game:
    try:
        game = cast("Game", point.load())
    except (ImportError, AttributeError) as error:
        raise UnknownGameError(
            f"game {point.name!r} ({point.value}) cannot be loaded: {error}"
        ) from error
    if game.id != point.name:
        raise UnknownGameError(
            f"the entry point {point.name!r} ({point.value}) is the game {game.id!r}"
        )
    return game
