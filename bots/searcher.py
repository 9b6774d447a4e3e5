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
        (0.93, 0.77, 0.53, 0.335, 0.17, 0.065, 0.034, 0.02, 0.01, 0.002),
        (13, 26, 45, 73, 113, 215, 310, 450, 700, 1900),
    ),
    "mammalath-plus": (
        (0.89, 0.79, 0.705, 0.645, 0.53, 0.37, 0.29, 0.22, 0.14, 0.065),
        (16, 25, 31, 36, 47, 67, 82, 99, 123, 230),
    ),
    "manalath": (
        (0.913, 0.733, 0.319, 0.037, 0.002, 0.0),
        (14, 28, 76, 281, 845, 1977),
    ),
    "manalath-61": (
        (0.89, 0.7, 0.39, 0.13, 0.018, 0.0, 0.0),
        (16, 31, 66, 140, 480, 850, 2200),
    ),
    "surikata": (
        (0.259, 0.162, 0.091, 0.048, 0.022, 0.0),
        (88, 115, 164, 255, 378, 1081),
    ),
    "yavalath": (
        (0.98, 0.931, 0.816, 0.555, 0.304, 0.133, 0.051, 0.019),
        (10, 13, 23, 44, 79, 129, 246, 422),
    ),
}

LEVELS: Final[Mapping[str, Sequence[tuple[float, int]]]] = {
    game: tuple(zip(oversights, nodes, strict=True))
    for game, (oversights, nodes) in _PLAYERS.items()
}
"""The levels below full strength by game type, from level 1 on.

Each has its oversight, from 0 to 1, and its most nodes per move. `benchmarks/levels.py` finds them,
and `benchmarks/strength.py --ladder` measures them.
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
