"""A bot that wins if it can, avoids losing at once, and otherwise plays at random."""

from __future__ import annotations

from lath.bots.sdk import Turn, run
from lath.games.core import Move, Position


def choose(position: Position, turn: Turn) -> Move:
    """Return a winning move, or one that does not lose at once, or any move.

    Moves that could not be examined in time are preferred to losing ones.
    """
    me = position.to_move
    safe: list[Move] = []
    drawn: list[Move] = []
    lost: list[Move] = []
    moves = position.legal_moves()
    for place, move in enumerate(moves):
        if turn.is_done(0):
            drawn.extend(moves[place:])
            break
        outcome = position.play(move).outcome()
        if outcome is None:
            safe.append(move)
        elif outcome.winner is me:
            return move
        else:
            (drawn if outcome.winner is None else lost).append(move)
    return turn.chance.choice(safe or drawn or lost)


if __name__ == "__main__":
    run(choose, name="Greedy")
