"""A compiled board with the interface of the game's own board, for tests."""

from __future__ import annotations

from random import Random

from lath.bots.compiled import arrays
from lath.bots.compiled.searches import load, numbers_of, room_for_moves, seed_of
from lath.games.fast import FastBoard


class CompiledBoard:
    """The interface of a `FastBoard` on the compiled arrays."""

    def __init__(self, board: FastBoard) -> None:
        """Copy the state of a board; raises ColdError."""
        self._kernels = load(is_patient=True)
        self.t, self.s = numbers_of(board)
        self._moves = room_for_moves(self.t)

    @property
    def to_move(self) -> int:
        """Return the side to move."""
        return int(self.s[arrays.TO_MOVE])

    @property
    def winner(self) -> int | None:
        """Return 0, 1 or `DRAW`; None during the game."""
        winner = int(self.s[arrays.WINNER])
        return None if winner == arrays.OPEN else winner

    @property
    def key(self) -> int:
        """Return the key of the equal `FastBoard`."""
        return int(self.s[arrays.KEY]) % (1 << 64)

    def legal(self) -> list[int]:
        """Return the codes of all legal moves."""
        return self._written(self._kernels.legal(self.t, self.s, self._moves, 0))

    def candidates(self) -> list[int]:
        """Return the codes of promising moves."""
        return self._written(self._kernels.candidates(self.t, self.s, self._moves, 0))

    def _written(self, many: int) -> list[int]:
        return list(self._moves[:many])

    def play(self, code: int) -> None:
        """Play a legal move."""
        self._kernels.play(self.t, self.s, code)

    def undo(self) -> None:
        """Take the last move back; raises IndexError without one."""
        if not self.s[arrays.PLIES]:
            raise IndexError("no move to take back")
        self._kernels.undo(self.t, self.s)

    def lean(self) -> float:
        """Return the estimated advantage."""
        return float(self._kernels.lean(self.t, self.s))

    def playout(self, chance: Random, *, is_careful: bool) -> tuple[int, int]:
        """Play a random game and take it back; return the winner and the number of plies."""
        both = int(
            self._kernels.playout(self.t, self.s, seed_of(chance), is_careful, self._moves, 0)
        )
        return both & 3, both >> 2
