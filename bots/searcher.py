"""What bots that search have in common: a board that follows the game, budget, levels, reports.

A bot is a `Searcher` with the search of `lath.bots.search` or `lath.bots.uct`, or another like it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, Protocol

from lath.bots.options import Spin
from lath.bots.sdk import Start, Turn
from lath.bots.search import SearchBudget, SearchProof, SearchResult, Tell
from lath.games.core import Move, Position
from lath.games.fast import FastBoard, fast_board

LEVEL: Final = Spin("level", 8, 1, 8)
"""The option by which a bot plays worse than it can; 8 is all it can."""

NODES: Final = {1: 3, 2: 12, 3: 40, 4: 120, 5: 400, 6: 1000, 7: 3000}
"""At most so many nodes a move, by level."""

CARELESS: Final = {1: 0.6, 2: 0.3, 3: 0.15, 4: 0.05}
"""How likely a move is any legal one, by level."""

_GUESS: Final = 0.999
"""No guess is told as more than this."""

SILENT_S: Final = 0.1
"""Before a search has gone on for so long it tells of its result alone."""


class Search(Protocol):
    """What finds a move: `AlphaBeta`, `Uct` and what is like them."""

    def run(self, board: FastBoard, budget: SearchBudget, tell: Tell) -> SearchResult:
        """Return the best move of a game that goes on."""

    def played(self, code: int) -> None:
        """Hear of a move, whoever played it."""


class Searcher:
    """A bot that searches: `new_game`, `choose` and `ponder` of the SDK."""

    def __init__(self, make: Callable[[Position, Random, Mapping[str, Any]], Search]) -> None:
        """`make` returns a search for a game that begins, by its chance and the options."""
        self._make = make
        self._search: Search | None = None
        self._board: FastBoard | None = None
        self._known = 0
        """How many moves of the game the board has."""

    def new_game(self, start: Start) -> None:
        """Begin anew."""
        self._search = self._make(start.position, start.chance, start.options)
        self._board, self._known = fast_board(start.position), 0

    def choose(self, position: Position, turn: Turn) -> Move:
        """Return the best move that is found; where the level says so, any or a hasty one."""
        level: int = turn.options.get(LEVEL.name, LEVEL.default)
        if turn.chance.random() < CARELESS.get(level, 0.0):
            return turn.chance.choice(position.legal_moves())
        found = self._run(position, turn, NODES.get(level))
        _say(turn, found)
        return found.move

    def ponder(self, position: Position, turn: Turn) -> None:
        """Think while the other side does."""
        if turn.options.get(LEVEL.name, LEVEL.default) == LEVEL.default:
            self._run(position, turn, None)

    def _run(self, position: Position, turn: Turn, most: int | None) -> SearchResult:
        search, board = self._followed(position, turn)
        nodes = min((n for n in (most, turn.nodes) if n is not None), default=None)
        seconds = None if turn.nodes is not None and turn.move_s is None else turn.budget_s
        budget = SearchBudget(nodes, seconds, is_late=lambda: turn.is_done(0), clock=turn.clock)
        return search.run(board, budget, lambda found: _say_soon(turn, found))

    def _followed(self, position: Position, turn: Turn) -> tuple[Search, FastBoard]:
        """Return search and board of the game so far; new ones where nobody has told of it."""
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
        eval=f"{value:.3f}",
        nodes=found.nodes,
        nps=round(found.nodes / took_s),
        pv=found.line or [found.move],
        **({"text": _words(proof)} if proof else {}),
    )


def _words(proof: SearchProof) -> str:
    """Return in the protocol's words what is proven."""
    what = ("draw", "win", "loss")[proof.value]
    if proof.plies is not None:
        return f"proven {what} in {proof.plies}"
    return f"proven {what}" + (f" in at most {proof.at_most}" if proof.at_most is not None else "")
