"""Replaces `lath.games.files`, because a packed bot has no games from files."""

from __future__ import annotations

from typing import NoReturn

from lath.games.errors import GameFileError


def added(_game_id: str) -> None:
    """Return None, because no file can be added."""


def added_ids() -> tuple[str, ...]:
    """Return no ids, because no file can be added."""
    return ()


def add(*_path: object) -> NoReturn:
    """Raise GameFileError."""
    raise GameFileError("a packed bot cannot use games from files")


blamed = origin = add
