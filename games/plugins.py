"""The games that installed distributions add: one per entry point, or a pack of many.

An entry point of the group `lath_arena.games` has a game's id as its name, and is that game. An
entry point of `lath_arena.game_packs` has a prefix as its name, and is a function that returns a
mapping. The mapping has an id such as `PREFIX-hex` for each game, with a function that makes it.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from lath.games.builtin import builtin_ids
from lath.games.capabilities import lacking
from lath.games.contract import Game
from lath.games.errors import UnknownGameError, error_words

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GAMES: Final = "lath_arena.games"
PACKS: Final = "lath_arena.game_packs"

ID: Final = re.compile(r"[a-z][a-z0-9-]{0,59}")
"""The form of the id of a game from a file or pack."""

_LISTED: Final = 12
"""The most games of a pack that a message lists."""


class PluginOrigin(NamedTuple):
    """The installed distribution that brings a game."""

    name: str
    """The name and version of the distribution, such as `lath-breakthrough-0.1.0`."""

    sha256: str
    """The SHA-256 of the modules of its package; empty if they are not files."""

    @property
    def tag(self) -> str:
        """Return the value of the tag `GameFile` in records of the game.

        >>> PluginOrigin("lath-openspiel-0.1", "1f3a").tag, PluginOrigin("zipped-1.0", "").tag
        ('lath-openspiel-0.1 sha256:1f3a', 'zipped-1.0')
        """
        return f"{self.name} sha256:{self.sha256}" if self.sha256 else self.name


def plugins() -> tuple[EntryPoint, ...]:
    """Return the entry points of the single games that distributions add."""
    return _points(GAMES)


def plugin_ids() -> tuple[str, ...]:
    """Return the sorted ids of the single games that distributions add, without importing them."""
    return tuple(sorted({point.name for point in plugins()} - set(builtin_ids())))


def packs() -> tuple[str, ...]:
    """Return the sorted prefixes of the packs of games, without importing any."""
    return tuple(sorted({point.name for point in _points(PACKS)}))


@cache
def pack_ids(prefix: str) -> tuple[str, ...]:
    """Return the sorted ids of the games of a pack, which is imported; no game is made.

    Raises UnknownGameError if it cannot be loaded.
    """
    return tuple(sorted(_pack(prefix)))


def faults() -> list[str]:
    """Return a line for each pack or game that cannot be used, such as ids that several games have.

    All packs are imported, and no game of them is made.
    """
    singles = [point.name for point in plugins()]
    packed, found = Counter[str](), []
    for prefix in packs():
        try:
            packed.update(pack_ids(prefix))
        except UnknownGameError as error:
            found.append(str(error))
    for game_id in sorted({*singles, *packed}):
        if game_id in builtin_ids():
            found.append(
                f"game {game_id!r} of a distribution is ignored: a built-in game has its id"
            )
        elif game_id in singles or packed[game_id] > 1:
            try:
                plugin(game_id)
            except UnknownGameError as error:
                found.append(str(error))
    return found


def is_of_pack(game_id: str) -> bool:
    """Return whether an id begins with the prefix of a pack, without importing any."""
    return bool(_prefixes(game_id))


def is_plugin(game_id: str) -> bool:
    """Return whether a distribution has a game with this id; its pack is imported.

    Packs that cannot be loaded have no games.
    """
    return game_id in plugin_ids() or bool(_packs_with(game_id))


def plugin(game_id: str) -> Game | None:
    """Return the game of a distribution with this id, or None.

    Only a pack with the prefix of the id is imported, and none of its other games is made. Raises
    UnknownGameError if the game cannot be loaded, or several distributions have one of this id.
    """
    points = [point for point in plugins() if point.name == game_id]
    prefixes = _packs_with(game_id)
    if len(points) + len(prefixes) > 1:
        raise UnknownGameError(
            f"game {game_id!r} is in {_several(points, prefixes)}; uninstall one of them"
        )
    if points:
        return _loaded(points[0])
    if prefixes:
        return _made(prefixes[0], game_id)
    for prefix in _prefixes(game_id):
        ids = pack_ids(prefix)  # raises an error that explains the problem
        raise UnknownGameError(f"unknown game {game_id!r}", _expected_of(prefix, game_id, ids))
    return None


def _several(points: list[EntryPoint], prefixes: list[str]) -> str:
    singles = [f"{_distribution(point)} ({point.value})" for point in points]
    found = [f"the pack {prefix!r} of {_distribution(_point_of(prefix))}" for prefix in prefixes]
    return " and in ".join(singles + found)


def _expected_of(prefix: str, game_id: str, ids: tuple[str, ...]) -> str:
    """Return which games of a pack could have been meant."""
    from difflib import get_close_matches  # start-up time

    some = get_close_matches(game_id, ids) if len(ids) > _LISTED else ids
    listed = f"one of {', '.join(some)}" if some else f"one of the {len(ids)} games of {prefix}-…"
    return listed if len(some) == len(ids) else f"{listed}; `arena games` lists all"


def origin_of(game_id: str) -> PluginOrigin | None:
    """Return the distribution of a game; None if it is built in, from a file or unknown."""
    if game_id in builtin_ids():
        return None
    point = next((point for point in plugins() if point.name == game_id), None)
    if point is None and (prefixes := _packs_with(game_id)):
        point = _point_of(prefixes[0])
    return None if point is None else _origin(point)


def origins() -> dict[str, PluginOrigin]:
    """Return the distribution of each entry point, by the id or by the prefix with a hyphen."""
    found = {point.name: _origin(point) for point in plugins()}
    return found | {f"{point.name}-": _origin(point) for point in _points(PACKS)}


# Entry points


@cache
def _points(group: str) -> tuple[EntryPoint, ...]:
    if not any(map(_may_bring_games, sys.path)):
        return ()
    from importlib.metadata import entry_points  # importing it costs more than importing all games

    return tuple(entry_points(group=group))


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
                    text = file.read()
            except OSError:
                continue
            if GAMES.encode() in text or PACKS.encode() in text:
                return True
    return False


def _distribution(point: EntryPoint) -> str:
    """Return the name and version of the distribution of an entry point."""
    return f"{point.dist.name}-{point.dist.version}" if point.dist else point.module


@cache
def _origin(point: EntryPoint) -> PluginOrigin:
    from lath.games.sources import digest_of_package  # start-up time

    return PluginOrigin(_distribution(point), digest_of_package(point.module))


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


# Packs


def _prefixes(game_id: str) -> list[str]:
    """Return the prefixes of the packs that an id may belong to."""
    return [prefix for prefix in packs() if game_id.startswith(f"{prefix}-")]


def _packs_with(game_id: str) -> list[str]:
    """Return the prefixes of the packs that have a game; packs that cannot be loaded have none."""
    found = []
    for prefix in _prefixes(game_id):
        try:
            has_game = game_id in _pack(prefix)
        except UnknownGameError:
            continue
        if has_game:
            found.append(prefix)
    return found


def _point_of(prefix: str) -> EntryPoint:
    """Return the entry point of a pack. Raises UnknownGameError if there are several."""
    points = [point for point in _points(PACKS) if point.name == prefix]
    if len(points) > 1:
        all_ = " and ".join(map(_distribution, points))
        raise UnknownGameError(
            f"game pack {prefix!r} is in {all_}; uninstall one of them: ids begin with the prefix"
        )
    return points[0]


def _pack(prefix: str) -> Mapping[str, Callable[[], object]]:
    """Return the functions of a pack by id. Raises UnknownGameError, each time the same one."""
    found = _read_pack(prefix)
    if isinstance(found, str):
        raise UnknownGameError(found)
    return found


@cache
def _read_pack(prefix: str) -> Mapping[str, Callable[[], object]] | str:
    """Return the functions of a pack by id, or the reason why it cannot be loaded."""
    try:
        point = _point_of(prefix)
    except UnknownGameError as error:
        return str(error)
    who = f"game pack {prefix!r} ({point.value})"
    try:
        games: Any = point.load()()
    except Exception as error:  # noqa: BLE001 - the code of a distribution can raise anything
        return f"{who} cannot be loaded: {error_words(error)}"
    if not isinstance(games, Mapping):
        return f"{who} returned {type(games).__name__}, expected a mapping from id to function"
    for game_id, make in games.items():
        has_form = isinstance(game_id, str) and ID.fullmatch(game_id)
        if not (has_form and game_id.startswith(f"{prefix}-")):
            return (
                f"{who} has the id {game_id!r}, expected {prefix}- and then lowercase letters, "
                "digits and hyphens"
            )
        if not callable(make):
            return f"{who}: {game_id} is {make!r}, expected a function that makes the game"
    if not games:
        return f"{who} has no games"
    return games


@cache
def _made(prefix: str, game_id: str) -> Game:
    who = f"game {game_id!r} of the pack {prefix!r}"
    try:
        game = _pack(prefix)[game_id]()
        missing = lacking(game, Game)
    except Exception as error:  # the code of a distribution can raise anything
        raise UnknownGameError(f"{who} cannot be made: {error_words(error)}") from error
    if missing:
        raise UnknownGameError(f"{who} lacks {', '.join(missing)}")
    if cast("Game", game).id != game_id:
        raise UnknownGameError(f"{who} is the game {cast('Game', game).id!r}")
    return cast("Game", game)
