"""Two searches to start a bot from, for any game, over the boards of `lath.games.fast`.

`AlphaBeta` looks through all lines to a depth, one deeper each time, and judges where they end by
an evaluation that is to be filled in. `Uct` plays random games, more of them where they went well,
and proves wins and losses where it meets them. Both say what they found as `Found`.

    search = AlphaBeta(evaluate=my_evaluation)
    found = search.run(fast_board(position), Budget(nodes=10_000))
    return found.move
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, log, sqrt
from random import Random
from time import monotonic
from typing import Final

from lath.games.core import Move
from lath.games.fast import DRAW, FastBoard

WON: Final = 1_000_000
"""Score of a game that is won; of one that is won in n plies, n less."""

PROVEN: Final = WON - 10_000
"""Scores from here on, either way, are no guesses."""

_EXACT, _AT_LEAST, _AT_MOST, _GUESSED = 0, 1, 2, 4
_ALL: Final = 2 * WON
_DEEPEST: Final = 500

Evaluate = Callable[[FastBoard], float]
"""Guesses who wins, from -1 to 1 for who is to move, of a game that goes on."""


class OutOfBudgetError(Exception):
    """A search has used up what it was given."""


@dataclass(slots=True)
class Budget:
    """What a search may use: nodes, seconds, and as long as nobody says that it is late."""

    nodes: int | None = None
    """At most, if any."""

    seconds: float | None = None
    """At most from now on, if any."""

    is_late: Callable[[], bool] = lambda: False
    """Says whether to stop, whatever is left."""

    every: int = 16
    """After how many nodes time is looked at."""

    used: int = 0
    whole: Budget | None = None
    """What this is a share of."""

    _ends_s: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._ends_s = inf if self.seconds is None else monotonic() + self.seconds

    def spend(self) -> None:
        """Count a node; raises OutOfBudgetError."""
        if self.used == self.nodes:
            raise OutOfBudgetError
        if self.used % self.every == 0 and self.is_over():
            raise OutOfBudgetError
        self.used += 1
        if self.whole is not None:
            self.whole.used += 1

    def is_over(self) -> bool:
        """Return whether its time is, or somebody says that it is late."""
        return self.is_late() or monotonic() > self._ends_s

    def share(self, among: int) -> Budget:
        """Return one of so many equal shares of what is left."""
        return Budget(
            nodes=None if self.nodes is None else (self.nodes - self.used) // among,
            seconds=None if self._ends_s == inf else (self._ends_s - monotonic()) / among,
            is_late=self.is_late,
            every=self.every,
            whole=self,
        )


@dataclass(slots=True)
class Found:
    """What a search thinks of a position."""

    move: Move
    value: float = 0.0
    """Expected score of who is to move, from -1 to 1."""

    is_proven: bool = False
    """Whether that is how the game ends if both play their best."""

    depth: int = 0
    nodes: int = 0
    line: list[Move] = field(default_factory=list)
    """What both would play, beginning with `move`."""

    plies: int | None = None
    """After how many plies the game is over, where a win or a loss is proven by depth."""


Tell = Callable[[Found], object]


def judged(board: FastBoard) -> float:
    """Return what the board itself leans to."""
    return board.lean()


def blind(_: FastBoard) -> float:
    """Return nothing about a game that goes on: what is told then is proven."""
    return 0.0


class AlphaBeta:
    """Negamax with alpha-beta, iterative deepening, a transposition table and ordered moves.

    After Knuth and Moore 1975. What was learned stays until `forget`, for the same game only.
    """

    def __init__(
        self,
        evaluate: Evaluate = judged,
        chance: Random | None = None,
        size: int = 300_000,
    ) -> None:
        """Take what is to be known before the first search.

        `chance` says which of equal moves is tried first; `size` is how many states are
        remembered, some 200 bytes each.
        """
        self.evaluate = evaluate
        self.chance = chance or Random(0)
        self.size = size
        self.forget()

    def forget(self) -> None:
        """Begin anew, as for another game."""
        self._table: dict[int, tuple[int, int, int, int]] = {}  # depth, kind, score, best move
        self._history: dict[int, int] = {}  # how often a move was too good
        self._guessed = False

    def played(self, code: int) -> None:
        """Hear of a move, whoever played it; all that is known of states stays true."""

    def run(
        self,
        board: FastBoard,
        budget: Budget,
        tell: Tell = lambda _: None,
        depth: int = _DEEPEST,
    ) -> Found:
        """Return the best move of a game that goes on; `tell` hears of every finished depth."""
        first = board.candidates()
        self.chance.shuffle(first)
        best = Found(board.moves[first[0]])
        try:
            for best.depth in range(1, depth + 1):
                self._guessed = False
                self._search_first(board, budget, first, best)
                best.nodes = budget.used
                best.is_proven = best.is_proven or not self._guessed
                tell(best)
                if best.is_proven:
                    break
        except OutOfBudgetError:
            best.depth -= 1
        best.nodes = budget.used
        return best

    def _search_first(
        self, board: FastBoard, budget: Budget, first: list[int], best: Found
    ) -> None:
        """Search all first moves one deeper; the best one comes to the front, and into `best`."""
        alpha = -_ALL
        for place, code in enumerate(first.copy()):
            score = self._after(board, budget, code, best.depth, alpha, _ALL)
            if score > alpha:
                alpha = score
                first.insert(0, first.pop(place))
                best.move = board.moves[code]
                best.value = max(-1.0, min(score / PROVEN, 1.0))
                best.is_proven = abs(score) >= PROVEN
                best.plies = WON - abs(score) if best.is_proven else None
                best.line = [best.move, *self._line(board, code, best.depth)]

    def _after(  # noqa: PLR0917 - once a node
        self, board: FastBoard, budget: Budget, code: int, depth: int, alpha: int, beta: int
    ) -> int:
        """Return the score of a move for who plays it, at least within alpha and beta."""
        me = board.to_move
        # A win is worth less, and a loss more, the later it comes.
        alpha, beta = alpha + (alpha >= PROVEN), beta + (beta >= PROVEN)
        board.play(code)
        try:
            if board.winner is not None:
                return 0 if board.winner == DRAW else WON - 1 if board.winner == me else 1 - WON
            if board.to_move == me:
                score = self._score(board, budget, depth - 1, alpha, beta)
            else:
                score = -self._score(board, budget, depth - 1, -beta, -alpha)
        finally:
            board.undo()
        return score - 1 if score >= PROVEN else score + 1 if score <= -PROVEN else score

    def _score(self, board: FastBoard, budget: Budget, depth: int, alpha: int, beta: int) -> int:
        """Return the score of a game that goes on for who is to move, within alpha and beta."""
        budget.spend()
        key, best_code = board.key, -1
        if (known := self._table.get(key)) is not None:
            to, kind, score, best_code = known
            bound = kind & ~_GUESSED
            if (to >= depth or abs(score) >= PROVEN or kind < _GUESSED) and (
                bound == _EXACT
                or (bound == _AT_LEAST and score >= beta)
                or (bound == _AT_MOST and score <= alpha)
            ):
                self._guessed |= kind >= _GUESSED
                return score
        codes = board.candidates()
        if depth <= 0 and len(codes) > 1:  # what is forced is looked through
            self._guessed = True
            return int(self.evaluate(board) * (PROVEN - 1))
        history = self._history
        codes.sort(key=lambda code: history.get(code, 0), reverse=True)
        if best_code in codes:
            codes.remove(best_code)
            codes.insert(0, best_code)
        guessed, self._guessed = self._guessed, False
        best, low = -_ALL, alpha
        for code in codes:
            score = self._after(board, budget, code, depth, low, beta)
            if score > best:
                best, best_code = score, code
                low = max(low, score)
                if best >= beta:
                    history[code] = history.get(code, 0) + depth * depth
                    break
        kind = _AT_LEAST if best >= beta else _AT_MOST if best <= alpha else _EXACT
        if len(self._table) >= self.size:
            self._table.clear()
        self._table[key] = depth, kind | (_GUESSED if self._guessed else 0), best, best_code
        self._guessed |= guessed
        return best

    def _line(self, board: FastBoard, code: int, depth: int) -> list[Move]:
        """Return what the table expects after a move."""
        line: list[Move] = []
        board.play(code)
        known = self._table.get(board.key)
        if depth > 1 and known is not None and known[3] in board.legal():
            line = [board.moves[known[3]], *self._line(board, known[3], depth - 1)]
        board.undo()
        return line


class _Node:
    """A move in the tree of `Uct`, and how random games went on after it."""

    __slots__ = ("children", "code", "mover", "score", "visits", "winner")

    def __init__(self, code: int, mover: int) -> None:
        self.code = code
        self.mover = mover
        """Who plays the move."""
        self.visits = 0
        self.score = 0.0
        """Points of `mover`."""
        self.children: list[_Node] = []
        self.winner: int | None = None
        """Who wins, or `DRAW`, where that is proven."""

    def promise(self, explored: float) -> float:
        """Return the upper confidence bound; the best there is without a visit."""
        if self.winner is not None:
            return 2.0 if self.winner == self.mover else 0.5 if self.winner == DRAW else -1.0
        if not self.visits:
            return 1e9
        return self.score / self.visits + sqrt(explored / self.visits)


Playout = Callable[[FastBoard, Random], int]
"""Plays on from where a board stands to some end, takes all that back, and returns the winner."""


def rolled_out(board: FastBoard, chance: Random) -> int:
    """Return what the board's own random games come to."""
    return board.rollout(chance)


class Uct:
    """Monte-Carlo tree search: upper confidence bounds in the tree, random games from its leaves.

    After Kocsis and Szepesvari 2006, with the proofs of Winands, Bjornsson and Saito 2008. The part
    of the tree below what was played is kept for the next search.
    """

    def __init__(
        self,
        chance: Random,
        playout: Playout = rolled_out,
        exploration: float = 0.4,
        size: int = 300_000,
    ) -> None:
        """Take what is to be known before the first search.

        `exploration` is the weight of what is little known; `size` is how many moves the tree may
        hold, some 150 bytes each.
        """
        self.chance = chance
        self.playout = playout
        self.exploration = exploration
        self.size = size
        self._root: _Node | None = None
        self._moves: list[int] = []
        self._held = 0

    def run(
        self, board: FastBoard, budget: Budget, tell: Tell = lambda _: None, every: int = 5000
    ) -> Found:
        """Return the best move of a game that goes on; `tell` hears of every so many games."""
        root = self._root_at(board)
        try:
            while root.winner is None:
                budget.spend()
                self._play(board, root)
                if budget.used % every == 0:
                    tell(self._found(board, root, budget))
        except OutOfBudgetError:
            pass
        return self._found(board, root, budget)

    def _root_at(self, board: FastBoard) -> _Node:
        """Return the node of where the board stands: one of the last tree, or a new one."""
        root, self._root = self._root, None
        for code in self._moves:
            children = root.children if root is not None else []
            root = next((child for child in children if child.code == code), None)
        self._moves = []
        if root is None or self._held > self.size:
            root, self._held = _Node(-1, 1 - board.to_move), 0
        self._root = root
        root.winner = None
        return root

    def played(self, code: int) -> None:
        """Hear of a move, whoever played it, so that what is below it is kept."""
        self._moves.append(code)

    def forget(self) -> None:
        """Begin anew, as for another game."""
        self._root, self._moves, self._held = None, [], 0

    def _play(self, board: FastBoard, node: _Node) -> None:
        """Go down the tree, add the moves there, play a random game, and tell all on the way."""
        path = [node]
        while node.children and node.winner is None:
            explored = self.exploration * log(node.visits + 1)
            node = max(node.children, key=lambda child: child.promise(explored))
            board.play(node.code)
            path.append(node)
        if node.winner is not None:
            winner = node.winner
        elif board.winner is not None:
            winner = node.winner = board.winner
        else:
            if node.visits or len(path) == 1:
                self._grow(board, node)
            winner = self.playout(board, self.chance)
        for place in range(len(path) - 1, -1, -1):
            node = path[place]
            node.visits += 1
            node.score += 0.5 if winner == DRAW else winner == node.mover
            if place:
                board.undo()
                if node.winner is not None and path[place - 1].winner is None:
                    self._prove(path[place - 1])

    def _grow(self, board: FastBoard, node: _Node) -> None:
        mover = board.to_move
        node.children = [_Node(code, mover) for code in board.candidates()]
        self.chance.shuffle(node.children)
        self._held += len(node.children)

    @staticmethod
    def _prove(node: _Node) -> None:
        """Say who wins after a move, if what can follow it tells."""
        winners = {child.winner for child in node.children}
        mover = node.children[0].mover
        if mover in winners:
            node.winner = mover
        elif None not in winners:
            node.winner = DRAW if DRAW in winners else 1 - mover

    def _found(self, board: FastBoard, root: _Node, budget: Budget) -> Found:
        if not root.children:
            self._grow(board, root)
        line: list[_Node] = []
        node = root
        while node.children and len(line) < 12:
            node = max(node.children, key=_worth)
            line.append(node)
        best = line[0]
        mean = best.score / best.visits if best.visits else 0.5
        if best.winner is not None:
            mean = 0.5 if best.winner == DRAW else float(best.winner == best.mover)
        return Found(
            board.moves[best.code],
            2 * mean - 1,
            is_proven=root.winner is not None,
            depth=len(line),
            nodes=budget.used,
            line=[board.moves[node.code] for node in line],
        )


def _worth(node: _Node) -> tuple[float, int]:
    """Return by what the move to play is chosen: proof, then visits."""
    if node.winner is None:
        return 0.0, node.visits
    return (
        1.0 if node.winner == node.mover else -0.5 if node.winner == DRAW else -1.0
    ), node.visits
