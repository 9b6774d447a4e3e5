"""A search that plays random games, for any game, over the boards of `lath.games.fast`.

`Uct` plays more of them where they went well, and proves wins and losses where it meets them.

    search = Uct(chance)
    found = search.run(fast_board(position), Budget(seconds=1.0))
    return found.move
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from math import log, sqrt
from random import Random

from lath.bots.search import OutOfBudgetError, SearchBudget, SearchProof, SearchResult, Tell
from lath.games.core import Game, Move
from lath.games.fast import DRAW, FastBoard


class _Node:
    """A move in the tree of `Uct`, and how random games went on after it."""

    __slots__ = ("children", "code", "key", "mover", "score", "visits", "winner")

    def __init__(self, code: int, mover: int) -> None:
        self.code = code
        self.mover = mover
        """Who plays the move."""
        self.visits = 0
        self.score = 0.0
        """Points of `mover`."""
        self.children: list[_Node] = []
        self.key = 0
        """Of the state after the move, where `children` are known."""
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
"""Plays on from where a board stands to some end, takes all that back, and returns the winner.

It calls `FastBoard.check` before each ply, which ends it by an error when the time is over.
"""


def rolled_out(board: FastBoard, chance: Random) -> int:
    """Return what the board's own random games come to."""
    return board.rollout(chance)


class Uct:
    """Monte-Carlo tree search: upper confidence bounds in the tree, random games from its leaves.

    After Kocsis and Szepesvari 2006, with the proofs of Winands, Bjornsson and Saito 2008. The part
    of the tree below what was played is kept for the next search. A random game that takes longer
    than the time that is left is given up.
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
        self._game: Game | None = None
        self._codes: Sequence[Move] = ()
        self._moves: list[int] = []
        self._held = 0

    def run(
        self, board: FastBoard, budget: SearchBudget, tell: Tell = lambda _: None, every: int = 5000
    ) -> SearchResult:
        """Return the best move of a game that goes on; `tell` hears of every so many games."""
        root = self._root_at(board)
        with suppress(OutOfBudgetError), budget.bounds(board):
            if not root.children:
                self._grow(board, root)
            while root.winner is None:
                budget.spend()
                self._play(board, root)
                if budget.used % every == 0:
                    tell(_found(board, root, budget))
        return _found(board, root, budget)

    def _root_at(self, board: FastBoard) -> _Node:
        """Return the node of where the board stands: one of the last tree, or a new one.

        A tree of another game type, or of another state than the moves told of, is not used.
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
        """Hear of a move, whoever played it, so that what is below it is kept."""
        self._moves.append(code)

    def forget(self) -> None:
        """Begin anew, as for another game."""
        self._root, self._moves, self._held = None, [], 0

    def _play(self, board: FastBoard, node: _Node) -> None:
        """Go down the tree, add the moves there, play a random game, and tell all on the way.

        Raises OutOfBudgetError where the time ends meanwhile: nothing counts of such a game.
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
        """Say who wins after a move, if what can follow it tells."""
        winners = {child.winner for child in node.children}
        mover = node.children[0].mover
        if mover in winners:
            node.winner = mover
        elif None not in winners:
            node.winner = DRAW if DRAW in winners else 1 - mover


def _found(board: FastBoard, root: _Node, budget: SearchBudget) -> SearchResult:
    """Return what a tree has shown; where it has no moves yet, the first legal one."""
    if not root.children:
        return SearchResult(board.moves[board.legal()[0]], nodes=budget.used)
    line: list[_Node] = []
    node = root
    while node.children and len(line) < 12:
        node = max(node.children, key=_worth)
        line.append(node)
    best = line[0]
    mean = best.score / best.visits if best.visits else 0.5
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


def proof_of(winner: int, mover: int) -> SearchProof:
    """Return the proof that a tree gives whose moves are all known to their ends: no length."""
    return SearchProof(0 if winner == DRAW else 1 if winner == mover else -1)


def _worth(node: _Node) -> tuple[float, int]:
    """Return by what the move to play is chosen: proof, then visits."""
    if node.winner is None:
        return 0.0, node.visits
    return (
        1.0 if node.winner == node.mover else -0.5 if node.winner == DRAW else -1.0
    ), node.visits
