"""The common parts of bots that search: a board that follows the game, budgets, levels, reports.

A bot is a `Searcher` with the search of `lath.bots.search` or `lath.bots.uct`, or a similar one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final, Protocol

from lath.bots.compiled.searches import FAST, CompiledAlphaBeta, CompiledUct, is_ready
from lath.bots.options import Spin
from lath.bots.results import Oversight, SearchBudget, SearchProof, SearchResult, Tell
from lath.bots.sdk import Start, Turn
from lath.bots.search import AlphaBeta, judged
from lath.bots.uct import Uct
from lath.games.core import Move, Position
from lath.games.fast import FastBoard, fast_board

LEVEL: Final = Spin("level", 12, 1, 12)
"""The option for weaker play; 12 is full strength."""

_PLAYERS: Final = {
    "mammalath": (
        (0.838, 0.577, 0.43, 0.175, 0.061, 0.021, 0.001),
        (21, 42, 57, 109, 220, 393, 929),
    ),
    "mammalath-plus": (
        (0.872, 0.764, 0.629, 0.503, 0.373, 0.267, 0.171, 0.064, 0.008),
        (18, 27, 37, 50, 65, 86, 111, 214, 655),
    ),
    "manalath": (
        (0.808, 0.554, 0.187, 0.095, 0.022, 0.001, 0.0),
        (24, 44, 105, 158, 383, 914, 2114),
    ),
    "manalath-61": (
        (0.815, 0.526, 0.185, 0.076, 0.007, 0.0),
        (23, 47, 106, 189, 668, 1385),
    ),
    "surikata": (
        (0.4, 0.254, 0.148, 0.088, 0.042, 0.0175, 0.0),
        (60, 89, 122, 168, 268, 443, 1950),
    ),
    "yavalath": (
        (0.85, 0.57, 0.4, 0.21, 0.066, 0.028, 0.005),
        (20, 43, 60, 98, 205, 313, 740),
    ),
}

LEVELS: Final[Mapping[str, Sequence[tuple[float, int]]]] = {
    game: tuple(zip(oversights, nodes, strict=True))
    for game, (oversights, nodes) in _PLAYERS.items()
}
"""The levels below full strength by game type, from level 1 on.

Each has its oversight, from 0 to 1, and its most nodes per move. `benchmarks/levels.py` finds them,
and `benchmarks/strength.py --ladder` measures them. At Surikata and Yavalath, they begin lower than
it says, so that a child beats level 1.
"""

BY_RANDOM_GAMES: Final = ("manalath", "manalath-61")
"""The game types whose levels without oversight search as `mcts` does."""


def levels_of(game: str) -> Sequence[tuple[float, int]]:
    """Return the levels below full strength of a game type, or usual ones for an unknown type."""
    return LEVELS.get(_family(game), LEVELS["yavalath"])


def _family(game: str) -> str:
    return game.partition(":")[0]


_ROOM: Final = 32
"""The states in the table of a weaker player by node: both forms then keep nearly all of them."""

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
        """Return the best move found, or that of a weaker player."""
        level: int = turn.options.get(LEVEL.name, LEVEL.default)
        levels = levels_of(position.game.id)
        if level > len(levels):
            found = self._run(position, turn)
        else:
            oversight, nodes = levels[level - 1]
            fast = turn.options.get(FAST.name, FAST.default)
            search = weaker(position, turn.chance, oversight, nodes, fast)
            found = search.run(
                fast_board(position), budget_of(turn, nodes), lambda part: _say_soon(turn, part)
            )
        _say(turn, found)
        return found.move

    def ponder(self, position: Position, turn: Turn) -> None:
        """Search while the opponent is to move."""
        if turn.options.get(LEVEL.name, LEVEL.default) > len(levels_of(position.game.id)):
            self._run(position, turn)

    def _run(self, position: Position, turn: Turn) -> SearchResult:
        search, board = self._followed(position, turn)
        return search.run(board, budget_of(turn), lambda found: _say_soon(turn, found))

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


def weaker(
    position: Position, chance: Random, oversight: float, nodes: int, fast: str = FAST.default
) -> Search:
    """Return a search for one move of a player below full strength.

    It is the same for every bot. The player looks ahead less far, judges worse, and does not see
    that some moves end the game. Chance decides which ones. `LEVELS` explains the two numbers.
    """
    is_compiled = is_ready(position, fast)
    if not oversight and _family(position.game.id) in BY_RANDOM_GAMES:
        return (CompiledUct if is_compiled else Uct)(chance, size=_ROOM * nodes)
    search = (CompiledAlphaBeta if is_compiled else AlphaBeta)(judged, chance, _ROOM * nodes)
    if oversight:
        codes = range(len(fast_board(position).moves))
        unseen = frozenset(code for code in codes if chance.random() < oversight)
        search.oversight = Oversight(unseen, oversight, chance.getrandbits(64))
    return search


def budget_of(turn: Turn, most: int | None = None) -> SearchBudget:
    """Return the budget of a turn, with at most so many nodes."""
    nodes = min((n for n in (most, turn.nodes) if n is not None), default=None)
    seconds = None if turn.nodes is not None and turn.move_s is None else turn.budget_s
    return SearchBudget(nodes, seconds, is_late=lambda: turn.is_done(0), clock=turn.clock)


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
