"""Games as users name them: by an id, or by a file, which is loaded."""

from __future__ import annotations

import os
import re
from typing import Final

from lath.games import plain_board  # noqa: F401 - it makes the boards of games from files
from lath.games.errors import GameFileError, UnknownGameError
from lath.games.files import add, add_all, added_hashes, file_of, hash_of, try_out
from lath.games.registry import canonical_id, ids

_NAMED: Final = re.compile(r"(?P<path>[^:]*\.py|[^:]*/[^:]*)(?P<parameters>:.*)?", re.DOTALL)


def named(text: str, folder: str | os.PathLike[str] = "") -> str:
    """Return the id of the game that a user names, and load it if the name is a file.

    A name that ends in `.py` or contains `/` is a file; a relative path starts at `folder`. If the
    file defines several games, the id of one follows after a colon. Parameters can follow an id or
    file after a colon, in any order. An unknown name is returned unchanged. Raises GameFileError if
    the file does not define a valid game.

    >>> named("yavalath"), named("yavalath:win=5,size=4,lose=3")
    ('yavalath', 'yavalath:size=4,win=5')
    """
    if os.path.isfile(beside := os.path.join(folder, text)) and os.pathsep in text:
        return add(beside).id  # raises an error that explains the problem
    match = _NAMED.fullmatch(text)
    if match is None:
        _refuse_names_of_files(text, folder)
    else:
        name, parameters = _name_and_parameters(match)
        text = add(_path(match, folder), name=name).id + parameters
    game_id = canonical_id(text)
    if match is not None and ":" in game_id:
        try_out(game_id, match["path"] + (match["parameters"] or ""))
    return game_id


def all_named(text: str, folder: str | os.PathLike[str] = "") -> tuple[str, ...]:
    """Return the ids of all games that a user names: a file without more means all its games."""
    match = _NAMED.fullmatch(text)
    if match is None or match["parameters"] or os.path.isdir(_path(match, folder)):
        return (named(text, folder),)
    games = add_all(_path(match, folder))
    return (named(text, folder),) if len(games) == 1 else tuple(game.id for game in games)


def _path(match: re.Match[str], folder: str | os.PathLike[str]) -> str:
    return os.path.normpath(os.path.join(folder, match["path"])) if folder else match["path"]


def _name_and_parameters(match: re.Match[str]) -> tuple[str, str]:
    """Return the id of a game in a file, empty without one, and its parameters with a colon."""
    said = (match["parameters"] or "").removeprefix(":")
    name, colon, rest = said.partition(":")
    if "=" in name or not name:
        return "", match["parameters"] or ""
    return name, colon + rest


def _refuse_names_of_files(text: str, folder: str | os.PathLike[str]) -> None:
    """Raise UnknownGameError if an unknown name is almost a file in the folder."""
    base, colon, parameters = text.partition(":")
    may_be_python = os.path.splitext(base)[1] in ("", ".py")  # not, for example, a file of records
    for name in (base, f"{base}.py"):
        if may_be_python and os.path.isfile(os.path.join(folder, name)) and base not in ids():
            meant = f"./{name}{colon}{parameters}"
            raise UnknownGameError(f"unknown game {text!r}; did you mean {meant}?")


def lasting(text: str, folder: str | os.PathLike[str] = "") -> str:
    """Return a name for the game that works from any folder: a file by its absolute path, or an id.

    Parameters are included.
    """
    game_id = named(text, folder)
    if (file := file_of(game_id)) is None:
        return game_id
    base = game_id.partition(":")[0]
    name = "" if len(file.games) == 1 else f":{base}"
    return f"{file.origin.path}{name}{game_id.removeprefix(base)}"


def is_known(text: str, folder: str | os.PathLike[str] = "") -> bool:
    """Return whether `named` runs no new code; for programs that read untrusted names."""
    match = _NAMED.fullmatch(text)
    if match is None:
        return True
    try:
        return hash_of(text, os.path.join(folder, match["path"])) in added_hashes()
    except GameFileError:
        return False
