"""Proofs: whether somebody can force a win, however the opponent plays.

`ProofNumber` goes where fewest positions are still to be shown, which follows threats deep. It
needs no evaluation, and says nothing of how soon the win comes.
"""

from __future__ import annotations

from typing import Final

from lath.bots.search import Budget, OutOfBudgetError
from lath.games.fast import FastBoard

_NEVER: Final = 1 << 40
"""Proof number of what cannot be."""

_Numbers = tuple[int, int]
"""How many positions must be shown, at least, to prove the win, and to prove that there is none."""

_PROVED: Final[_Numbers] = 0, _NEVER
_REFUTED: Final[_Numbers] = _NEVER, 0


class ProofNumber:
    """Depth-first proof-number search: df-pn of Nagai 2002. Turns need not alternate."""

    def __init__(self, size: int = 1_000_000) -> None:
        """Take how many states are remembered, some 200 bytes each; then all are forgotten."""
        self.size = size
        self._known: dict[int, dict[int, _Numbers]] = {0: {}, 1: {}}
        """By who is to win, by state."""

    def proves(self, board: FastBoard, attacker: int, budget: Budget) -> bool | None:
        """Return whether a seat can force a win from here; None where the budget is too small.

        What was found out is kept, for another try or another position of the game.
        """
        if board.winner is not None:
            return board.winner == attacker
        try:
            proof, _ = self._look(board, attacker, budget, _NEVER, _NEVER)
        except OutOfBudgetError:
            return None
        return proof == 0

    def line(self, board: FastBoard, attacker: int) -> list[int]:
        """Return how the game goes by what was proved, as far as that is remembered."""
        codes: list[int] = []
        while board.winner is None:
            numbers = self._after_each(board, attacker, board.candidates())
            place = 0 if board.to_move == attacker else 1
            best = min(numbers, key=lambda pair: pair[1][place])
            if 0 not in best[1]:
                break
            codes.append(best[0])
            board.play(best[0])
        for _ in codes:
            board.undo()
        return codes

    def _after_each(
        self, board: FastBoard, attacker: int, codes: list[int]
    ) -> list[tuple[int, _Numbers]]:
        known = self._known[attacker]
        numbers = []
        for code in codes:
            board.play(code)
            if board.winner is None:
                numbers.append((code, known.get(board.key, (1, 1))))
            else:
                numbers.append((code, _PROVED if board.winner == attacker else _REFUTED))
            board.undo()
        return numbers

    def _look(
        self, board: FastBoard, attacker: int, budget: Budget, most_proof: int, most_refute: int
    ) -> _Numbers:
        """Search below a state until one of its numbers is as large as said, or one is 0."""
        budget.spend()
        codes = board.candidates()
        attacks = board.to_move == attacker
        known = self._known[attacker]
        key = board.key
        while True:
            numbers = self._after_each(board, attacker, codes)
            proofs = [pair[1][0] for pair in numbers]
            refutes = [pair[1][1] for pair in numbers]
            # Of who attacks one move is enough; what the other does must all be shown.
            proof = min(proofs) if attacks else min(sum(proofs), _NEVER)
            refute = min(sum(refutes), _NEVER) if attacks else min(refutes)
            if proof >= most_proof or refute >= most_refute or 0 in (proof, refute):
                if len(known) >= self.size:
                    known.clear()
                known[key] = proof, refute
                return proof, refute
            ones, others = (proofs, refutes) if attacks else (refutes, proofs)
            place = min(range(len(ones)), key=ones.__getitem__)
            second = min(ones[:place] + ones[place + 1 :], default=_NEVER)
            one_most = min(most_proof if attacks else most_refute, second + 1)
            other_most = (most_refute if attacks else most_proof) - sum(others) + others[place]
            other_most = min(other_most, _NEVER)
            board.play(codes[place])
            try:
                if attacks:
                    self._look(board, attacker, budget, one_most, other_most)
                else:
                    self._look(board, attacker, budget, other_most, one_most)
            finally:
                board.undo()
