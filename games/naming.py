"""Games as users name them: by an id, or by a file, which is loaded."""

from __future__ import annotations

import os
import re
from typing import Final

from lath.games.errors import GameFileError, UnknownGameError
from lath.games.files import add, added_hashes, hash_of, origin, try_out
from lath.games.registry import canonical_id, ids

_NAMED: Final = re.compile(r"(?P<path>[^:]*\.py|[^:]*/[^:]*)(?P<parameters>:.*)?", re.DOTALL)


def named(text: str, folder: str | os.PathLike[str] = "") -> str:
    """Return the id of the game that a user names, and load it if the name is a file.

    A name that ends in `.py` or contains `/` is a file; a relative path starts at `folder`.
    Parameters can follow an id or file after a colon, in any order. An unknown name is returned
    unchanged. Raises GameFileError if the file does not define a valid game.

    >>> named("yavalath"), named("yavalath:win=5,size=4,lose=3")
    ('yavalath', 'yavalath:size=4,win=5')
    """
    if os.path.isfile(beside := os.path.join(folder, text)) and os.pathsep in text:
        return add(beside).id  # raises an error that explains the problem
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
    file = origin(game_id)
    return game_id if file is None else file.path + game_id[len(game_id.partition(":")[0]) :]


def is_known(text: str, folder: str | os.PathLike[str] = "") -> bool:
    """Return whether `named` runs no new code; for programs that read untrusted names."""
    match = _NAMED.fullmatch(text)
    if match is None:
        return True
    try:
        return hash_of(text, os.path.join(folder, match["path"])) in added_hashes()
    except GameFileError:
        return False
