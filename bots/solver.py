"""A bot that proves results: it wins in the fewest plies, and delays a loss as long as possible.

Alpha-beta without guesses comes first, and finds the exact length. Proof-number search sees
further. Without a proof, the bot plays by the random games of `Uct`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from lath.bots.compiled.searches import FAST, CompiledAlphaBeta, CompiledUct, form, is_ready
from lath.bots.proof import ProofNumber
from lath.bots.results import SearchBudget, SearchProof, SearchResult, Tell
from lath.bots.sdk import run
from lath.bots.search import DEEPEST, NEAR, AlphaBeta, blind
from lath.bots.searcher import LEVEL, Searcher
from lath.bots.uct import Uct
from lath.games.core import Position
from lath.games.fast import FastBoard

_NEVER: Final = 1 << 40


class Prover:
    """A search that proves results, and plays well without a proof."""

    def __init__(self, chance: Random, *, is_compiled: bool = False, size: int = 300_000) -> None:
        """Take a source of chance; the searches are compiled if that form is available.

        `size` is the number of states or moves that each search stores.
        """
        self._exact: AlphaBeta = (
            CompiledAlphaBeta(blind, chance, size)
            if is_compiled
            else AlphaBeta(blind, chance, size)
        )
        self._proofs = ProofNumber(3 * size)
        self._play: Uct = CompiledUct(chance, size=size) if is_compiled else Uct(chance, size=size)

    def played(self, code: int) -> None:
        """Note a move of the game, by either side."""
        self._exact.played(code)
        self._play.played(code)

    def run(self, board: FastBoard, budget: SearchBudget, tell: Tell) -> SearchResult:
        """Return the best move. The game must not be over.

        The search of a proven result continues until its length is exact, within the budget.
        """
        found = self._exact.run(board, budget.share(3), tell)
        if found.proof is None and (board.plies_left() or DEEPEST) <= NEAR:
            found = self._exact.decided(board, budget.share(2)) or found
        if found.proof is None:
            found = self._proven(board, budget.share(2), found) or found
        if found.proof is None:
            found = self._play.run(board, budget, tell)
        elif not found.proof.is_settled:
            found = _joined(found, self._exact.run(board, budget, tell))
        found.nodes = budget.used
        return found

    def _proven(
        self, board: FastBoard, budget: SearchBudget, found: SearchResult
    ) -> SearchResult | None:
        """Return a forced win, or a result that the opponent has one, or None."""
        me = board.to_move
        if self._proofs.proves(board, me, budget) and self._proofs.winning is not None:
            line = self._proofs.line(board, me, budget)
            moves = [board.moves[code] for code in line or [self._proofs.winning]]
            return SearchResult(moves[0], 1.0, SearchProof(1), depth=found.depth, line=moves)
        if self._proofs.proves(
            board, 1 - me, budget
        ):  # uses the rest of the budget if the first answer was no
            return SearchResult(
                found.move, -1.0, SearchProof(-1), depth=found.depth, line=[found.move]
            )
        return None


def _joined(before: SearchResult, after: SearchResult) -> SearchResult:
    """Return the better of two results of one search, with the proofs of both combined."""
    seen = max(before.depth, after.depth)
    if before.proof is None or after.proof is None:
        best = before if after.proof is None else after
    elif after.proof.is_settled or before.proof.at_most is None:
        best = after
    else:
        is_sooner = (after.proof.at_most or _NEVER) <= before.proof.at_most
        both = before.proof.joined(after.proof, seen)
        best = after if is_sooner else before
        best.proof = both
    best.depth = seen
    return best


def search_for(position: Position, chance: Random, options: Mapping[str, Any]) -> Prover:
    """Return the compiled search if it is available, or else the one in Python."""
    return Prover(chance, is_compiled=is_ready(position, options.get(FAST.name, FAST.default)))


BOT: Final = Searcher(search_for)

if __name__ == "__main__":
    run(BOT, name="Solver", version=form(), options=[LEVEL, FAST])
