"""How positions end if both play their best, found by plain minimax over all legal moves.

Must not know any particular game, nor boards for searches.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from walks import walk

from lath.games.core import Game, Position

FEW: Final = 300
"""Positions that an exhaustive look may take."""


class Ending(NamedTuple):
    """How a game ends for the side to move if both play their best."""

    value: int
    """1, 0 or -1."""

    plies: int
    """Until then: the winner hurries, the loser holds out; of a draw, no matter."""

    @property
    def rank(self) -> tuple[int, int]:
        """Return what the mover wants most."""
        return self.value, -self.plies if self.value > 0 else self.plies


class Minimax:
    """A full solver, which knows nothing of boards for searches and leaves no move out."""

    def __init__(self, few: int = FEW) -> None:
        self.few = few
        self.known: dict[Any, Ending] = {}

    def of(self, at: Any) -> Ending:
        """Return how a position ends; raises IndexError where that takes too long."""
        found = self.known.get(at)
        if found is None:
            if len(self.known) > self.few:
                raise IndexError
            outcome = at.outcome()
            if outcome is not None:
                winner = outcome.winner
                found = Ending(0 if winner is None else 1 if winner == at.to_move else -1, 0)
            else:
                found = max((self.by(at, move) for move in at.legal_moves()), key=_rank)
            self.known[at] = found
        return found

    def by(self, at: Any, move: str) -> Ending:
        """Return how it ends by a move, for its player."""
        after = at.play(move)
        value, plies = self.of(after)
        return Ending(value if after.to_move == at.to_move else -value, plies + 1)


def _rank(ending: Ending) -> tuple[int, int]:
    return ending.rank


def value_of(position: Position, few: int = FEW) -> int:
    """Return 1 where the side to move wins, -1 where the opponent does, 0 for a draw.

    Raises IndexError where that takes too long.
    """
    return Minimax(few).of(position).value


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


def hardest(game: Game, seed: int, few: int = FEW) -> tuple[Position, Minimax]:
    """Return the earliest position of a random game that so few positions solve, and who does.

    Where a game ends too soon for that the next seed is taken.
    """
    while True:
        last: tuple[Position, Minimax] | None = None
        for position, move in reversed(list(walk(game, seed))):
            solver = Minimax(few)
            try:
                solver.of(position)
            except IndexError:
                break
            if move is not None:
                last = position, solver
        if last is not None:
            return last
        seed += 1
