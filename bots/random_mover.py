"""A bot that plays any legal move, each as likely as the others."""

from __future__ import annotations

from lath.bots.sdk import Turn, run
from lath.games.core import Move, Position


def choose(position: Position, turn: Turn) -> Move:
    """Return a legal move by chance."""
    return turn.chance.choice(position.legal_moves())


if __name__ == "__main__":
    run(choose, name="Random")
