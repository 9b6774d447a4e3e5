"""A bot that proves what it can: it wins in as few plies as it sees and holds out the longest.

Alpha-beta that guesses nothing comes first and knows how soon the end comes; proof-number search
sees further; where nothing is proven the bot plays by the random games of `Uct`.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from lath.bots.compiled import FAST, CompiledAlphaBeta, CompiledUct, is_ready
from lath.bots.proof import ProofNumber
from lath.bots.sdk import run
from lath.bots.search import AlphaBeta, Budget, Found, Tell, Uct, blind
from lath.bots.searcher import LEVEL, Searcher
from lath.games.core import Position
from lath.games.fast import FastBoard


class Prover:
    """A search that proves, and plays where it cannot."""

    def __init__(self, chance: Random, *, is_compiled: bool = False) -> None:
        """Take a source of chance; the searches are compiled where that form is there."""
        self._exact: AlphaBeta = (
            CompiledAlphaBeta(chance, is_blind=True)
            if is_compiled
            else AlphaBeta(evaluate=blind, chance=chance)
        )
        self._proofs = ProofNumber()
        self._play: Uct = CompiledUct(chance) if is_compiled else Uct(chance)

    def played(self, code: int) -> None:
        """Hear of a move, whoever played it."""
        self._exact.played(code)
        self._play.played(code)

    def run(self, board: FastBoard, budget: Budget, tell: Tell) -> Found:
        """Return the best move of a game that goes on."""
        found = self._exact.run(board, budget.share(3), tell)
        if not found.is_proven:
            found = self._proven(board, budget.share(2), found) or found
        if not found.is_proven:
            found = self._play.run(board, budget, tell)
        found.nodes = budget.used
        return found

    def _proven(self, board: FastBoard, budget: Budget, found: Found) -> Found | None:
        """Return a win that is forced, or the news that the opponent has one."""
        me = board.to_move
        if self._proofs.proves(board, me, budget):
            line = [board.moves[code] for code in self._proofs.line(board, me)]
            return Found(line[0], 1.0, is_proven=True, depth=len(line), line=line)
        if self._proofs.proves(board, 1 - me, budget):  # what is left, if the answer was no
            return Found(found.move, -1.0, is_proven=True, depth=found.depth, line=found.line)
        return None


def search_for(position: Position, chance: Random, options: Mapping[str, Any]) -> Prover:
    """Return the search in the form that is there."""
    return Prover(chance, is_compiled=is_ready(position, options.get(FAST.name, FAST.default)))


BOT: Final = Searcher(search_for)

if __name__ == "__main__":
    run(BOT, name="Solver", options=[LEVEL, FAST])
