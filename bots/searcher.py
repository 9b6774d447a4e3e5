"""The common parts of bots that search: a board that follows the game, budgets, levels, reports.

A bot is a `Searcher` with the search of `lath.bots.search` or `lath.bots.uct`, or a similar one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, Protocol

from lath.bots.options import Spin
from lath.bots.results import SearchBudget, SearchProof, SearchResult, Tell
from lath.bots.sdk import Start, Turn
from lath.games.core import Move, Position
from lath.games.fast import FastBoard, fast_board

LEVEL: Final = Spin("level", 8, 1, 8)
"""The option for weaker play; 8 is full strength."""

NODES: Final = {1: 3, 2: 12, 3: 40, 4: 120, 5: 400, 6: 1000, 7: 3000}
"""The most nodes per move, by level."""

CARELESS: Final = {1: 0.6, 2: 0.3, 3: 0.15, 4: 0.05}
"""The probability of a random legal move, by level."""

_GUESS: Final = 0.999
"""The largest reported value of a guess."""

SILENT_S: Final = 0.1
"""The seconds of searching before intermediate results are reported."""


class Search(Protocol):
    """A search that finds moves, such as `AlphaBeta` and `Uct`."""

    def run(self, board: FastBoard, budget: SearchBudget, tell: Tell) -> SearchResult:
        """Return the best move. The game must not be over."""

    def played(self, code: int) -> None:
        """Note a move of the game, by either side."""


class Searcher:
    """A bot that searches, with the SDK's `new_game`, `choose` and `ponder`."""

    def __init__(self, make: Callable[[Position, Random, Mapping[str, Any]], Search]) -> None:
        """Take a function that makes the search for a new game, from its chance and the options."""
        self._make = make
        self._search: Search | None = None
        self._board: FastBoard | None = None
        self._known = 0
        """The number of moves that the board has played."""

    def new_game(self, start: Start) -> None:
        """Start a new game."""
        self._search = self._make(start.position, start.chance, start.options)
        self._board, self._known = fast_board(start.position), 0

    def choose(self, position: Position, turn: Turn) -> Move:
        """Return the best move found; lower levels may play random or hasty moves."""
        level: int = turn.options.get(LEVEL.name, LEVEL.default)
        if turn.chance.random() < CARELESS.get(level, 0.0):
            return turn.chance.choice(position.legal_moves())
        found = self._run(position, turn, NODES.get(level))
        _say(turn, found)
        return found.move

    def ponder(self, position: Position, turn: Turn) -> None:
        """Search while the opponent is to move."""
        if turn.options.get(LEVEL.name, LEVEL.default) == LEVEL.default:
            self._run(position, turn, None)

    def _run(self, position: Position, turn: Turn, most: int | None) -> SearchResult:
        search, board = self._followed(position, turn)
        nodes = min((n for n in (most, turn.nodes) if n is not None), default=None)
        seconds = None if turn.nodes is not None and turn.move_s is None else turn.budget_s
        budget = SearchBudget(nodes, seconds, is_late=lambda: turn.is_done(0), clock=turn.clock)
        return search.run(board, budget, lambda found: _say_soon(turn, found))

    def _followed(self, position: Position, turn: Turn) -> tuple[Search, FastBoard]:
        """Return the search and the board of the game so far, or new ones for an unknown game."""
        search, board = self._search, self._board
        if search is not None and board is not None:
            for move in turn.history[self._known :]:
                code = board.code(move)
                board.play(code)
                search.played(code)
            self._known = len(turn.history)
            if board.position() == position:
                return search, board
        self._search = self._make(position, turn.chance, turn.options)
        self._board, self._known = fast_board(position), len(turn.history)
        return self._search, self._board


def _say_soon(turn: Turn, found: SearchResult) -> None:
    if turn.clock() - turn.began_s > SILENT_S:
        _say(turn, found)


def _say(turn: Turn, found: SearchResult) -> None:
    took_s = max(turn.clock() - turn.began_s, 1e-3)
    proof = found.proof
    value = found.value if proof else max(-_GUESS, min(found.value, _GUESS))
    turn.info(
        depth=found.depth,
        **({"eval": f"{value:.3f}"} if proof or found.is_judged else {}),
        nodes=found.nodes,
        nps=round(found.nodes / took_s),
        pv=found.line or [found.move],
        **({"text": _words(proof)} if proof else {}),
    )


def _words(proof: SearchProof) -> str:
    """Return a proof in words for the protocol."""
    what = ("draw", "win", "loss")[proof.value]
    if proof.plies is not None:
        return f"proven {what} in {proof.plies}"
    return f"proven {what}" + (f" in at most {proof.at_most}" if proof.at_most is not None else "")
