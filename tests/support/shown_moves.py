"""Legal moves as the page's script passes them to a board."""

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
    """Return the changes from one `Position.contents` to another: each cell and its change.

    `+w` puts pieces on top, `-1` takes that many from the top, and `=Aw` replaces the content if
    neither describes the change.
    """
    pairs = enumerate(zip(before, after, strict=True))
    return [[cell, _change(old, new)] for cell, (old, new) in pairs if old != new]


def _change(old: str, new: str) -> str:
    if new.startswith(old):
        return f"+{new.removeprefix(old)}"
    return f"-{len(old) - len(new)}" if old.startswith(new) else f"={new}"
