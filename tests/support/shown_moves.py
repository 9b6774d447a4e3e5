"""Legal moves as the page's script gives them to a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lath.games.core import Position


def legal_of(position: Position) -> list[dict[str, Any]]:
    """Return text and changes of every legal move, as JSON values."""
    before = position.contents()
    return [
        {
            "text": move,
            "changes": changes(before, position.play(move).contents()),
        }
        for move in position.legal_moves()
    ]


def changes(before: Sequence[str], after: Sequence[str]) -> list[list[Any]]:
    """Return what changes from one `Position.contents` to another: each cell, and what happens.

    `+w` puts pieces on top, `-1` takes so many from the top, `=Aw` is what lies there now where
    neither tells it.
    """
    pairs = enumerate(zip(before, after, strict=True))
    return [[cell, _change(old, new)] for cell, (old, new) in pairs if old != new]


def _change(old: str, new: str) -> str:
    if new.startswith(old):
        return f"+{new.removeprefix(old)}"
    return f"-{len(old) - len(new)}" if old.startswith(new) else f"={new}"
