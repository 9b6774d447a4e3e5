"""Legal moves as the page's script gives them to a board."""

from __future__ import annotations

from typing import Any

from lath.games.core import Position
from lath.reports.boards.board import changes


def legal_of(position: Position) -> list[dict[str, Any]]:
    """Return text and changes of every legal move, as JSON values."""
    before = position.contents()
    return [
        {
            "text": move,
            "changes": [list(one) for one in changes(before, position.play(move).contents())],
        }
        for move in position.legal_moves()
    ]
