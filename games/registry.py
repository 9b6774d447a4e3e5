"""The registry of all games by id: built in, installed and added."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

from lath.games.builtin import builtin_ids
from lath.games.core import found_with
from lath.games.errors import GameFileError, UnknownGameError
from lath.games.files import added, added_ids, ids_in_use, origin, tell_id
from lath.games.parameters import id_with, made, read
from lath.games.plugins import is_of_pack, origin_of, packs, plugin, plugin_ids

if TYPE_CHECKING:
    from lath.games.core import Game
    from lath.games.files import GameFileOrigin
    from lath.games.plugins import PluginOrigin


def ids() -> tuple[str, ...]:
    """Return the ids of all games: built in, installed, added. Raises GameFileError.

    Games of packs are among them if they are in use; no pack is imported, see `plugins.pack_ids`.
    """
    return builtin_ids() + plugin_ids() + added_ids() + ids_in_use()


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
    """Return the games with the ids `ids()`, the built-in ones first.

    A game of a file is not tried for this. A game of a distribution that cannot be loaded is left
    out; see `plugins.faults`. Raises GameFileError.
    """
    return tuple(filter(None, map(_listed, ids())))


def _listed(game_id: str) -> Game | None:
    if (game := added(game_id, is_used=False)) is not None:
        return game
    try:
        return get(game_id)
    except GameFileError:
        raise
    except UnknownGameError:
        return None


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
    game = added(game_id)
    if game is None and (game := plugin(game_id)) is not None and is_of_pack(game_id):
        tell_id(game_id)
    if game is None:
        known = ", ".join((*ids(), *(f"{prefix}-…" for prefix in packs())))
        raise UnknownGameError(f"unknown game {game_id!r}", f"one of {known}")
    return game


def rules_origin(game_id: str) -> GameFileOrigin | PluginOrigin | None:
    """Return the file or distribution that brings a game; None if it is built in or unknown.

    Parameters in the id are ignored.
    """
    return origin(game_id) or origin_of(game_id.partition(":")[0])


found_with(get)


@cache
def _builtin(game_id: str) -> Game:
    return cast("Game", import_module(f"lath.games.{game_id.replace('-', '_')}").GAME)
