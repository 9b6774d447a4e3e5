"""The folders for caches and state of a user, by the XDG specification or as on macOS."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final, Literal

Kind = Literal["cache", "state"]

_AT_HOME: Final = (
    {"cache": "Library/Caches", "state": "Library/Application Support"}
    if sys.platform == "darwin"
    else {"cache": ".cache", "state": ".local/state"}
)


def user_folder(kind: Kind) -> Path:
    """Return the arena's folder for the caches or the state of this user; it may not exist yet.

    `XDG_CACHE_HOME` and `XDG_STATE_HOME` select other folders. Raises RuntimeError if the user has
    no home folder.

    >>> user_folder("cache").name
    'lath-arena'
    """
    named = os.environ.get(f"XDG_{kind.upper()}_HOME")
    return (Path(named) if named else Path.home() / _AT_HOME[kind]) / "lath-arena"
