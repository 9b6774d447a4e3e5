"""How positions end if both play their best, found by plain minimax.

Must not know any particular game, nor boards for searches.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from walks import walk

from lath.games.core import Game, Position

FEW: Final = 300
"""Positions that an exhaustive look may take."""


def value_of(position: Position, few: int = FEW) -> int:
    """Return 1 where who is to move wins, -1 where the opponent does, 0 for a draw; or IndexError.

    Plain minimax, which knows nothing of boards for searches; IndexError: it takes too long.
    """
    seen: list[Any] = []

    @cache
    def value(at: Any) -> int:
        seen.append(at)
        if len(seen) > few:
            raise IndexError
        outcome = at.outcome()
        if outcome is not None:
            return 0 if outcome.winner is None else 1 if outcome.winner == at.to_move else -1
        after = map(at.play, at.legal_moves())
        return max(value(one) if one.to_move == at.to_move else -value(one) for one in after)

    start: Any = position  # hashable, which mypy does not see of a protocol
    return value(start)


def ends_of(game: Game, seed: int) -> list[tuple[Position, int]]:
    """Return positions of the end of a random game, with their values."""
    found = []
    for position, move in reversed(list(walk(game, seed))):
        if move is None:
            continue
        try:
            found.append((position, value_of(position)))
        except IndexError:
            break
    return found
