"""A bot that tries every move in random games, the promising moves more often.

This is flat Monte-Carlo with the bandit rule UCB1 (Auer, Cesa-Bianchi and Fischer 2002). A move
that wins at once is played at once, and one that loses at once is not tried. A random game is
abandoned when the time is up.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import Final

from lath.bots.greedy import choose as play_greedily
from lath.bots.sdk import Turn, run
from lath.games.core import Move, Outcome, Position

PLAYOUTS: Final = 400
"""The number of random games per move if the arena limits neither time nor nodes."""

EXPLORATION: Final = 1.0

TELL_S: Final = 0.1
"""The seconds between two reports of the best move so far."""


@dataclass(slots=True)
class _Arm:
    """One move, with the results of its random games for the player."""

    move: Move
    position: Position
    games: int = 0
    score: float = 0.0

    def promise(self, total: int) -> float:
        """Return the mean score plus a bonus for few games."""
        if not self.games:
            return float("inf")
        return self.score / self.games + EXPLORATION * sqrt(log(total) / self.games)


def choose(position: Position, turn: Turn) -> Move:
    """Return the move that was tried most often."""
    me = position.to_move
    arms: list[_Arm] = []
    moves = position.legal_moves()
    for move in moves:
        if turn.is_done(0):
            if not arms:
                return move
            break
        after = position.play(move)
        outcome = after.outcome()
        if outcome is None:
            arms.append(_Arm(move, after))
        elif outcome.winner is me:
            return move
    if not arms:
        return play_greedily(position, turn)
    limit = turn.nodes or (PLAYOUTS if turn.move_s is turn.remaining_s is None else 10**9)
    total, told_s = 0, turn.began_s
    while total < limit and not turn.is_done(total):
        total += 1
        arm = max(arms, key=lambda arm: arm.promise(total))
        end = _played_out(arm.position, turn)
        if end is None:
            break
        arm.games += 1
        arm.score += 0.5 if end.winner is None else float(end.winner is me)
        if (now_s := turn.clock()) - told_s >= TELL_S:
            told_s = now_s
            _best(arms, total, turn)
    return _best(arms, total, turn)


def _best(arms: list[_Arm], total: int, turn: Turn) -> Move:
    """Return the move that was tried most often, and report it."""
    best = max(arms, key=lambda arm: arm.games)
    mean = best.score / best.games if best.games else 0.5
    turn.info(eval=f"{2 * mean - 1:.3f}", nodes=total, pv=best.move)
    return best.move


def _played_out(position: Position, turn: Turn) -> Outcome | None:
    """Return the outcome of a random game; None if the time is up before its end."""
    while (outcome := position.outcome()) is None:
        if turn.is_done(0):
            return None
        position = position.play(turn.chance.choice(position.legal_moves()))
    return outcome


if __name__ == "__main__":
    run(choose, name="Monte Carlo")
