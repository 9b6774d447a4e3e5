"""In the place of `lath.games.files`: a packed bot knows no games of files."""

from __future__ import annotations

from typing import NoReturn

from lath.games.errors import GameFileError


def added(_game_id: str) -> None:
    """Return no file: none was added."""


def added_ids() -> tuple[str, ...]:
    """Return no ids: none was added."""
    return ()


def add(*_path: object) -> NoReturn:
    """Raise GameFileError."""
    raise GameFileError("a packed bot cannot use games from files")


blamed = origin = add
