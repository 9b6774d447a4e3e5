"""A first bot in Python: it plays a winning move, or else a random one.

Change `choose`. A position has `legal_moves()`, `play(move)`, `outcome()`, `to_move`, `text()`
and `contents()`. A turn has the remaining time and a seeded random number generator.
"""

from lath.bots.sdk import Turn, run
from lath.games.core import Position


def choose(position: Position, turn: Turn) -> str:
    """Return the move to play."""
    for move in position.legal_moves():
        outcome = position.play(move).outcome()
        if outcome is not None and outcome.winner is position.to_move:
            return move
    return turn.chance.choice(position.legal_moves())


if __name__ == "__main__":
    run(choose, name="Dice")
