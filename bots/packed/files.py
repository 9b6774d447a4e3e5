"""Replaces `lath.games.files`, because a packed bot has no games from files."""

from __future__ import annotations

from typing import NoReturn

from lath.games.errors import GameFileError


def added(_game_id: str, *, is_used: bool = True) -> None:
    """Return None, because no file can be added."""


def added_ids() -> tuple[str, ...]:
    """Return no ids, because no file can be added."""
    return ()


ids_in_use = added_ids


def add(*_path: object) -> NoReturn:
    """Raise GameFileError."""
    raise GameFileError("a packed bot cannot use games from files")


blamed = origin = tell_id = add
