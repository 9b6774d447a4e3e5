"""Games as people name them: by an id, or by a file, which is added. And the file of a game."""

from __future__ import annotations

import os
import re
from typing import Final

from lath.games.errors import GameFileError, UnknownGameError
from lath.games.files import add, added_hashes, hash_of, origin, try_out
from lath.games.registry import canonical_id, ids

_NAMED: Final = re.compile(r"(?P<path>[^:]*\.py|[^:]*/[^:]*)(?P<parameters>:.*)?", re.DOTALL)


def named(text: str, folder: str | os.PathLike[str] = "") -> str:
    """Return the id of a game that somebody names: by its id, or by a file, which is added.

    A file is what ends in `.py` or has a `/`, taken from `folder` unless it is absolute; parameters
    may follow both, after a colon, in any order. What is neither is returned as it stands. Raises
    GameFileError.

    >>> named("yavalath"), named("yavalath:win=5,size=4,lose=3")
    ('yavalath', 'yavalath:size=4,win=5')
    """
    if os.path.isfile(beside := os.path.join(folder, text)) and os.pathsep in text:
        return add(beside).id  # refused: it says so
    match = _NAMED.fullmatch(text)
    if match is None:
        _refuse_names_of_files(text, folder)
    else:
        path = os.path.normpath(os.path.join(folder, match["path"])) if folder else match["path"]
        text = add(path).id + (match["parameters"] or "")
    game_id = canonical_id(text)
    if match is not None and ":" in game_id:
        try_out(game_id, match["path"] + match["parameters"])
    return game_id


def _refuse_names_of_files(text: str, folder: str | os.PathLike[str]) -> None:
    """Raise UnknownGameError for what is no game, but nearly a file of the folder."""
    base, colon, parameters = text.partition(":")
    may_be_python = os.path.splitext(base)[1] in ("", ".py")  # such as no file of records
    for name in (base, f"{base}.py"):
        if may_be_python and os.path.isfile(os.path.join(folder, name)) and base not in ids():
            meant = f"./{name}{colon}{parameters}"
            raise UnknownGameError(f"unknown game {text!r}; did you mean {meant}?")


def lasting(text: str, folder: str | os.PathLike[str] = "") -> str:
    """Return how a game is named from any folder: one of a file by its absolute path.

    Else as `named`, parameters included.
    """
    game_id = named(text, folder)
    file = origin(game_id)
    return game_id if file is None else file.path + game_id[len(game_id.partition(":")[0]) :]


def is_known(text: str, folder: str | os.PathLike[str] = "") -> bool:
    """Return whether `named` would run nothing: for who reads what others have written."""
    match = _NAMED.fullmatch(text)
    if match is None:
        return True
    try:
        return hash_of(text, os.path.join(folder, match["path"])) in added_hashes()
    except GameFileError:
        return False
