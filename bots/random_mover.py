"""A bot that plays random legal moves, all equally likely."""

from __future__ import annotations

from lath.bots.sdk import Turn, run
from lath.games.core import Move, Position


def choose(position: Position, turn: Turn) -> Move:
    """Return a random legal move."""
    return turn.chance.choice(position.legal_moves())


if __name__ == "__main__":
    run(choose, name="Random")
