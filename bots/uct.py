"""A search with random games for any game, over the boards of `lath.games.fast`.

`Uct` plays more random games after promising moves, and proves wins and losses that it meets.

    search = Uct(chance)
    found = search.run(fast_board(position), SearchBudget(seconds=1.0))
    return found.move
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import log, sqrt
from random import Random
from typing import Final

from lath.bots.results import OutOfBudgetError, SearchBudget, SearchProof, SearchResult, Tell
from lath.games.core import Game, Move
from lath.games.fast import DRAW, FastBoard


class _Node:
    """A move in the tree of `Uct`, with the results of random games after it."""

    __slots__ = ("children", "code", "key", "mover", "score", "visits", "winner")

    def __init__(self, code: int, mover: int) -> None:
        self.code = code
        self.mover = mover
        """The player of the move."""
        self.visits = 0
        self.score = 0.0
        """The points of `mover`."""
        self.children: list[_Node] = []
        self.key = 0
        """The key of the state after the move, if `children` are known."""
        self.winner: int | None = None
        """The winner, or `DRAW`, if the result is proven."""

    def promise(self, explored: float) -> float:
        """Return the upper confidence bound; the greatest one without visits."""
        if self.winner is not None:
            return 2.0 if self.winner == self.mover else 0.5 if self.winner == DRAW else -1.0
        if not self.visits:
            return 1e9
        return self.score / self.visits + sqrt(explored / self.visits)


Playout = Callable[[FastBoard, Random], int]
"""Plays a random game from a board's state, takes it back, and returns the winner.

It must call `FastBoard.check` before each ply, which raises an error when the time is over.
"""


def rolled_out(board: FastBoard, chance: Random) -> int:
    """Return the winner of one of the board's own random games."""
    return board.rollout(chance)


class Uct:
    """Monte-Carlo tree search: upper confidence bounds in the tree, random games from its leaves.

    After Kocsis and Szepesvari 2006, with the proofs of Winands, Bjornsson and Saito 2008. The part
    of the tree below the played moves is kept for the next search. A random game is abandoned when
    the time is up.
    """

    def __init__(
        self,
        chance: Random,
        playout: Playout = rolled_out,
        exploration: float = 0.4,
        size: int = 300_000,
    ) -> None:
        """Take the source of chance, the kind of random game and the limits.

        `exploration` is the weight of rarely tried moves. `size` is the most moves in the tree,
        about 150 bytes each.
        """
        self.chance = chance
        self.playout = playout
        self.exploration = exploration
        self.size = size
        self._root: _Node | None = None
        self._game: Game | None = None
        self._codes: Sequence[Move] = ()
        self._moves: list[int] = []
        self._held = 0

    def run(
        self, board: FastBoard, budget: SearchBudget, tell: Tell = lambda _: None
    ) -> SearchResult:
        """Return the best move; `tell` gets intermediate results. The game must not be over."""
        root = self._root_at(board)
        with suppress(OutOfBudgetError), budget.bounds(board):
            if not root.children:
                self._grow(board, root)
            while root.winner is None:
                budget.spend()
                self._play(board, root)
                if budget.is_due():
                    tell(_found(board, root, budget))
        return _found(board, root, budget)

    def _root_at(self, board: FastBoard) -> _Node:
        """Return the node of the board's state: one of the last tree, or a new one.

        A tree of another game type, or of a state that does not follow from the noted moves, is not
        used.
        """
        root, self._root = self._root, None
        for code in self._moves:
            children = root.children if root is not None else []
            root = next((child for child in children if child.code == code), None)
        self._moves = []
        is_known = self._game is board.game and self._codes == board.moves
        if root is not None and (not is_known or (root.children and root.key != board.key)):
            root = None
        if root is None or self._held > self.size // 2:
            root, self._held = _Node(-1, 1 - board.to_move), 0
        self._root, self._game, self._codes = root, board.game, board.moves
        root.winner = None
        return root

    def played(self, code: int) -> None:
        """Note a move of the game, by either side, so that the tree below it is kept."""
        self._moves.append(code)

    def forget(self) -> None:
        """Forget everything, as for another game."""
        self._root, self._moves, self._held = None, [], 0

    def _play(self, board: FastBoard, node: _Node) -> None:
        """Walk down the tree, add moves, play a random game, and update the nodes on the path.

        Raises OutOfBudgetError if the time ends meanwhile; the unfinished game does not count.
        """
        path = [node]
        try:
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
                if node.visits and self._held < self.size:
                    self._grow(board, node)
                winner = self.playout(board, self.chance)
        finally:
            for _ in path[1:]:
                board.undo()
        for place in range(len(path) - 1, -1, -1):
            node = path[place]
            node.visits += 1
            node.score += 0.5 if winner == DRAW else winner == node.mover
            if place and node.winner is not None and path[place - 1].winner is None:
                self._prove(path[place - 1])

    def _grow(self, board: FastBoard, node: _Node) -> None:
        mover = board.to_move
        node.children = [_Node(code, mover) for code in board.candidates()]
        node.key = board.key
        self.chance.shuffle(node.children)
        self._held += len(node.children)

    @staticmethod
    def _prove(node: _Node) -> None:
        """Set the winner after a move, if the moves that can follow it decide it."""
        winners = {child.winner for child in node.children}
        mover = node.children[0].mover
        if mover in winners:
            node.winner = mover
        elif None not in winners:
            node.winner = DRAW if DRAW in winners else 1 - mover


def _found(board: FastBoard, root: _Node, budget: SearchBudget) -> SearchResult:
    """Return the result of a tree; without moves in the tree, the first legal move."""
    if not root.children:
        return SearchResult(board.moves[board.legal()[0]], nodes=budget.used)
    line: list[_Node] = []
    node = root
    while node.children and len(line) < 12:
        node = max(node.children, key=_worth)
        line.append(node)
    best = line[0]
    points = root.score if root.mover == best.mover else root.visits - root.score
    mean = estimate(best.score, best.visits, points, root.visits)
    if best.winner is not None:
        mean = 0.5 if best.winner == DRAW else float(best.winner == best.mover)
    return SearchResult(
        board.moves[best.code],
        2 * mean - 1,
        proof=None if root.winner is None else proof_of(root.winner, best.mover),
        depth=len(line),
        nodes=budget.used,
        line=[board.moves[node.code] for node in line],
    )


FEW: Final = 8
"""The number of games by which the mean of all moves counts in the estimate of one."""


def estimate(score: float, visits: int, points: float, games: int) -> float:
    """Return the expected points of a move with `score` in `visits` games.

    A move with few games is estimated by the `points` of all `games`, not by a lucky win.
    """
    return (score + FEW * (points / games if games else 0.5)) / (visits + FEW)


def proof_of(winner: int, mover: int) -> SearchProof:
    """Return the proof of a tree whose moves are all known to their ends, without a length."""
    return SearchProof(0 if winner == DRAW else 1 if winner == mover else -1)


def _worth(node: _Node) -> tuple[float, int]:
    """Return the sort key for the choice of a move: proof, then visits."""
    if node.winner is None:
        return 0.0, node.visits
    return (
        1.0 if node.winner == node.mover else -0.5 if node.winner == DRAW else -1.0
    ), node.visits
