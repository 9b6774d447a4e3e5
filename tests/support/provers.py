"""Searches that prove results, in each form, and checks of their proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING, Final

from lath.bots.compiled.searches import CompiledAlphaBeta, CompiledUct
from lath.bots.results import SearchBudget, SearchResult
from lath.bots.search import PARTS, AlphaBeta, blind, judged
from lath.bots.searcher import Search
from lath.bots.solver import Prover
from lath.bots.uct import Uct
from lath.games.core import Game, Position
from lath.games.fast import fast_board

if TYPE_CHECKING:
    from exhaustive import Minimax

Make = Callable[[int], Search]
"""Makes a search with space for the given number of states or moves."""


def _solver(size: int, *, is_compiled: bool) -> Search:
    return Prover(Random(1), is_compiled=is_compiled, size=size)


IN_PYTHON: Final[Mapping[str, Make]] = {
    "alphabeta": lambda size: AlphaBeta(chance=Random(1), size=size),
    "alphabeta, all parts": lambda size: AlphaBeta(judged, Random(1), size, PARTS),
    "alphabeta blind": lambda size: AlphaBeta(blind, Random(1), size),
    "mcts": lambda size: Uct(Random(1), size=size),
    "solver": lambda size: _solver(size, is_compiled=False),
}

COMPILED: Final[Mapping[str, Make]] = {
    "alphabeta compiled": lambda size: CompiledAlphaBeta(judged, Random(1), size),
    "alphabeta compiled, all parts": lambda size: CompiledAlphaBeta(judged, Random(1), size, PARTS),
    "alphabeta blind, compiled": lambda size: CompiledAlphaBeta(blind, Random(1), size),
    "mcts compiled": lambda size: CompiledUct(Random(1), size=size),
    "solver compiled": lambda size: _solver(size, is_compiled=True),
}

ALL_FORMS: Final = {**IN_PYTHON, **COMPILED}


def forms_of(game: Game) -> Mapping[str, Make]:
    """Return the available searches for a game."""
    has_form = fast_board(game.start()).tables() is not None and find_spec("numba") is not None
    return ALL_FORMS if has_form else IN_PYTHON


class StopAt:
    """A stop function that returns True from a given call on."""

    def __init__(self, checks: int) -> None:
        self._left = checks
        self.is_late = False

    def __call__(self) -> bool:
        self._left -= 1
        self.is_late |= self._left < 0
        return self.is_late


class Asked:
    """A position with a known result, and searches of it."""

    def __init__(self, position: Position, truth: Minimax) -> None:
        self.position = position
        self.truth = truth
        self.truth.few = 10**9  # also for the positions after it
        self.board = fast_board(position)
        self.claims = 0
        """The number of proofs."""

    def ask(self, search: Search, budget: SearchBudget) -> SearchResult:
        """Return the result of a search, and check all its proofs on the way."""
        found = search.run(self.board, budget, self._look_at)
        assert self.board.position() == self.position
        assert budget.nodes is None or found.nodes <= budget.nodes
        assert self.position.why_illegal(found.move) is None
        self._look_at(found)
        return found

    def _look_at(self, found: SearchResult) -> None:
        """Check a proof: its value, length, move and line."""
        proof = found.proof
        if proof is None:
            return
        self.claims += 1
        end = self.truth.of(self.position)
        about = (self.position.text(), found, end)
        assert proof.value == end.value, about
        assert self.truth.by(self.position, found.move).value == end.value, about
        if proof.value == 0:
            return
        assert proof.at_most is None or proof.at_most >= end.plies, about
        if proof.plies is None:
            return
        assert proof.plies == end.plies, about
        at = self.position
        for length, move in enumerate(found.line, 1):
            after = self.truth.by(at, move)
            assert after == self.truth.of(at), about
            at = at.play(move)
            assert not at.is_over or length == proof.plies, about
