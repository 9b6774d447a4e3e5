"""Proofs that a side can force a win, whatever the opponent plays.

`ProofNumber` searches where the fewest positions remain to be proven, which follows threats deeply.
It needs no evaluation, and does not find how soon the win comes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lath.bots.results import OutOfBudgetError, SearchBudget
from lath.games.core import Game
from lath.games.fast import FastBoard

_NEVER: Final = 1 << 40
"""The proof number of an impossible proof."""

_Numbers = tuple[int, int]
"""The least number of positions needed to prove the win, and to refute it."""

MOST_OF_A_LINE: Final = 500
"""The most plies of a returned line."""

_PROVED: Final[_Numbers] = 0, _NEVER
_REFUTED: Final[_Numbers] = _NEVER, 0


@dataclass(slots=True)
class _Ply:
    """A state on the path from the start of a search to its current position."""

    most_proof: int
    most_refute: int
    """The state is left when its disproof number reaches this value."""

    codes: list[int] | None = None
    """The moves of the state, once they are known."""


class ProofNumber:
    """Depth-first proof-number search: df-pn (Nagai 2002). Turns need not alternate.

    It does not use recursion: a line can be as long as the budget allows.
    """

    def __init__(self, size: int = 1_000_000) -> None:
        """Take the number of states in the table, about 200 bytes each; a full table is cleared."""
        self.size = size
        self._game: Game | None = None
        self._known: dict[int, dict[int, _Numbers]] = {0: {}, 1: {}}
        """The known numbers of states, by the side that is to win."""
        self.winning: int | None = None
        """The winning move, if the last search has proved a win of the side to move."""

    def proves(self, board: FastBoard, attacker: int, budget: SearchBudget) -> bool | None:
        """Return whether a side can force a win from here; None if the budget is too small.

        Known numbers are kept for another attempt or another position of the game.
        """
        self.winning = None
        if board.winner is not None:
            return board.winner == attacker
        if board.game is not self._game:
            self._game, self._known = board.game, {0: {}, 1: {}}
        try:
            with budget.bounds(board):
                proof, _ = self._search(board, attacker, budget)
        except OutOfBudgetError:
            return None
        return proof == 0

    def line(
        self, board: FastBoard, attacker: int, budget: SearchBudget | None = None
    ) -> list[int]:
        """Return the proved line, up to the first state that is no longer in the table.

        It ends early if the budget is used up, or if a state would be repeated.
        """
        codes: list[int] = []
        met: set[int] = set()
        try:
            with (budget or SearchBudget()).bounds(board):
                while board.winner is None and board.key not in met:
                    met.add(board.key)
                    numbers = self._after_each(board, attacker, board.candidates())
                    place = 0 if board.to_move == attacker else 1
                    best = min(numbers, key=lambda pair: pair[1][place])
                    if 0 not in best[1] or len(codes) == MOST_OF_A_LINE:
                        break
                    board.play(best[0])
                    codes.append(best[0])
        except OutOfBudgetError:
            pass
        finally:
            for _ in codes:
                board.undo()
        return codes

    def _after_each(
        self, board: FastBoard, attacker: int, codes: list[int]
    ) -> list[tuple[int, _Numbers]]:
        known = self._known[attacker]
        numbers = []
        for code in codes:
            board.check()
            board.play(code)
            if board.winner is None:
                numbers.append((code, known.get(board.key, (1, 1))))
            else:
                numbers.append((code, _PROVED if board.winner == attacker else _REFUTED))
            board.undo()
        return numbers

    def _search(self, board: FastBoard, attacker: int, budget: SearchBudget) -> _Numbers:
        """Return the numbers of the board's state, one of which is 0."""
        known = self._known[attacker]
        budget.spend()
        path = [_Ply(_NEVER, _NEVER)]
        try:
            while True:
                ply = path[-1]
                if ply.codes is None:
                    ply.codes = board.candidates()
                attacks = board.to_move == attacker
                numbers = self._after_each(board, attacker, ply.codes)
                proofs = [pair[1][0] for pair in numbers]
                refutes = [pair[1][1] for pair in numbers]
                # For the attacker one move is enough; all moves of the opponent must be proven.
                proof = min(proofs) if attacks else min(sum(proofs), _NEVER)
                refute = min(sum(refutes), _NEVER) if attacks else min(refutes)
                if proof >= ply.most_proof or refute >= ply.most_refute or 0 in (proof, refute):
                    if len(known) >= self.size:
                        known.clear()
                    known[board.key] = proof, refute
                    if len(path) == 1:
                        if attacks and proof == 0:
                            self.winning = ply.codes[proofs.index(0)]
                        return proof, refute
                    path.pop()
                    board.undo()
                    continue
                ones, others = (proofs, refutes) if attacks else (refutes, proofs)
                most = (ply.most_proof, ply.most_refute)
                one_most, other_most = most if attacks else most[::-1]
                place = min(range(len(ones)), key=ones.__getitem__)
                second = min(ones[:place] + ones[place + 1 :], default=_NEVER)
                one_most = min(one_most, second + 1)
                other_most = min(other_most - sum(others) + others[place], _NEVER)
                budget.spend()
                board.play(ply.codes[place])
                pair = (one_most, other_most) if attacks else (other_most, one_most)
                path.append(_Ply(*pair))
        finally:
            for _ in path[1:]:
                board.undo()
