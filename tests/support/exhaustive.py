"""Results of positions with best play, by plain minimax over all legal moves.

Must not know any particular game, nor boards for searches.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from walks import walk

from lath.games.core import Game, Position

FEW: Final = 300
"""The default limit of positions for an exhaustive search."""


class Ending(NamedTuple):
    """The end of a game with best play, for the side to move."""

    value: int
    """1, 0 or -1."""

    plies: int
    """Plies to the end, the fewest for the winner, the most for the loser; unused for draws."""

    @property
    def rank(self) -> tuple[int, int]:
        """Return a key that is larger for a better end."""
        return self.value, -self.plies if self.value > 0 else self.plies


class Minimax:
    """A complete solver without boards for searches, which tries every move."""

    def __init__(self, few: int = FEW) -> None:
        self.few = few
        self.known: dict[Any, Ending] = {}

    def of(self, at: Any) -> Ending:
        """Return the end from a position; raises IndexError if that needs too many positions."""
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
        """Return the end after a move, for its player."""
        after = at.play(move)
        value, plies = self.of(after)
        return Ending(value if after.to_move == at.to_move else -value, plies + 1)


def _rank(ending: Ending) -> tuple[int, int]:
    return ending.rank


def value_of(position: Position, few: int = FEW) -> int:
    """Return 1 if the side to move wins, -1 if the opponent does, 0 for a draw.

    Raises IndexError if that needs too many positions.
    """
    return Minimax(few).of(position).value


def ends_of(game: Game, seed: int) -> list[tuple[Position, int]]:
    """Return positions near the end of a random game, with their values."""
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
    """Return the earliest position of a random game that `few` positions solve, with its solver.

    If a game ends too early for that, the next seed is used.
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
