"""A search to start a bot from, for any game, over the boards of `lath.games.fast`.

`AlphaBeta` looks through all lines to a depth, one deeper each time, and judges where they end by
an evaluation that is to be filled in. It returns a `SearchResult`, as the search of `lath.bots.uct`
does.

    search = AlphaBeta(evaluate=my_evaluation)
    found = search.run(fast_board(position), Budget(nodes=10_000))
    return found.move

A search that runs out of its budget raises inside, so that what was not finished has no value that
could be taken for a proof. A `SearchProof` is made in four places alone, each of which says why it
holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from random import Random
from time import monotonic
from typing import Final, Literal

from lath.games.core import Game, Move
from lath.games.errors import LathError
from lath.games.fast import DRAW, FastBoard

WON: Final = 1_000_000
"""Score of a game that is won; of one that is won in n plies, n less."""

PROVEN: Final = WON - 10_000
"""Scores from here on, either way, are no guesses."""

_EXACT, _AT_LEAST, _AT_MOST, _GUESSED = 0, 1, 2, 4
_ALL: Final = 2 * WON

DEEPEST: Final = 400
"""Plies below a position that a search looks at: each takes a frame of Python's thousand."""

Evaluate = Callable[[FastBoard], float]
"""Guesses the winner, from -1 to 1 for the side to move, of a game that goes on."""


class OutOfBudgetError(LathError):
    """A search has used up what it was given."""


@dataclass(slots=True)
class SearchBudget:
    """What a search may use: nodes, seconds, and as long as nobody says that it is late."""

    nodes: int | None = None
    """At most, if any."""

    seconds: float | None = None
    """At most from now on, if any."""

    is_late: Callable[[], bool] = lambda: False
    """Says whether to stop, whatever is left."""

    clock: Callable[[], float] = monotonic
    """Tells the time in seconds."""

    used: int = 0
    whole: SearchBudget | None = None
    """What this is a share of."""

    _ends_s: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._ends_s = inf if self.seconds is None else self.clock() + self.seconds

    def spend(self) -> None:
        """Count a node; raises OutOfBudgetError."""
        if self.used == self.nodes:
            raise OutOfBudgetError
        self.check()
        self.count(1)

    def count(self, nodes: int) -> None:
        """Count nodes that were used, here and in what this is a share of."""
        self.used += nodes
        if self.whole is not None:
            self.whole.count(nodes)

    def check(self) -> None:
        """Raise OutOfBudgetError where the time is over."""
        if self.is_over():
            raise OutOfBudgetError

    def is_over(self) -> bool:
        """Return whether the time is over, or somebody says that it is late."""
        return self.is_late() or self.clock() > self._ends_s

    def share(self, among: int) -> SearchBudget:
        """Return one of so many equal shares of what is left."""
        return SearchBudget(
            nodes=None if self.nodes is None else (self.nodes - self.used) // among,
            seconds=None if self._ends_s == inf else (self._ends_s - self.clock()) / among,
            is_late=self.is_late,
            clock=self.clock,
            whole=self,
        )

    @contextmanager
    def bounds(self, board: FastBoard) -> Iterator[None]:
        """Have the board's own loops end by OutOfBudgetError, too, when the time is over."""
        before, board.check = board.check, self.check
        try:
            yield
        finally:
            board.check = before


@dataclass(frozen=True, slots=True)
class SearchProof:
    """How a game ends if both play their best, for the side to move."""

    value: Literal[-1, 0, 1]
    """Lost, drawn, won."""

    plies: int | None = None
    """After how many plies the game is over: the loser holds out as long as possible."""

    at_most: int | None = None
    """The same where only a bound is known; None besides `plies`."""

    @property
    def is_settled(self) -> bool:
        """Return whether a search has nothing to add: a draw, or a length that is exact."""
        return self.value == 0 or self.plies is not None

    def joined(self, other: SearchProof | None, seen: int) -> SearchProof:
        """Return what both proofs say; no end comes within `seen` plies that they do not name.

        A bound of `seen` + 1 is exact then: it comes no later and no sooner.
        """
        both = [one for one in (self, other) if one is not None]
        exact = [one for one in both if one.is_settled]
        if exact:
            return exact[0]
        bounds = [one.at_most for one in both if one.at_most is not None]
        if not bounds:
            return self
        shortest = min(bounds)
        if shortest <= seen + 1:
            return SearchProof(self.value, shortest)
        return SearchProof(self.value, at_most=shortest)


@dataclass(slots=True)
class SearchResult:
    """What a search thinks of a position."""

    move: Move
    value: float = 0.0
    """Expected score of the side to move, from -1 to 1."""

    proof: SearchProof | None = None
    """How the game ends, where that is proven."""

    depth: int = 0
    nodes: int = 0
    line: list[Move] = field(default_factory=list)
    """What both would play, beginning with `move`."""


Tell = Callable[[SearchResult], object]


def judged(board: FastBoard) -> float:
    """Return what the board itself leans to."""
    return board.lean()


def blind(_: FastBoard) -> float:
    """Return nothing about a game that goes on: what is told then is proven."""
    return 0.0


@dataclass(slots=True)
class _Looked:
    """What a depth has shown of the first moves, as long as it is not finished."""

    left: list[int]
    """Moves that were not looked at yet."""

    code: int = -1
    """The best move of the others."""

    score: int = -_ALL
    """What that move comes to at this depth: at least that is what the position is worth."""


class AlphaBeta:
    """Negamax with alpha-beta, iterative deepening, a transposition table and ordered moves.

    After Knuth and Moore 1975. What was learned stays until `forget`, or until another game type is
    searched. A proven win or loss is searched on until its length is exact.
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
        self._game: Game | None = None
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
        budget: SearchBudget,
        tell: Tell = lambda _: None,
        depth: int = DEEPEST,
    ) -> SearchResult:
        """Return the best move of a game that goes on; `tell` hears of every finished depth."""
        self._settle(board)
        found = SearchResult(board.moves[board.legal()[0]])
        with suppress(OutOfBudgetError), budget.bounds(board):
            first = board.candidates()
            self.chance.shuffle(first)
            found.move = board.moves[first[0]]
            self._deepen(board, budget, first, depth, found, tell)
        found.nodes = budget.used
        return found

    def _settle(self, board: FastBoard) -> None:
        """Forget what is known of another game type."""
        if self._game not in (None, board.game):
            self.forget()
        self._game = board.game

    def _step(self, board: FastBoard, code: int) -> None:
        """Play a move on the way to where a search begins."""
        board.play(code)

    def _back(self, board: FastBoard) -> None:
        board.undo()

    def _deepen(  # noqa: PLR0917 - once a search
        self,
        board: FastBoard,
        budget: SearchBudget,
        first: list[int],
        deepest: int,
        found: SearchResult,
        tell: Tell,
    ) -> None:
        """Search one ply deeper each time, and write down what each depth has shown."""
        last: dict[int, int] = {}
        """What each first move came to, at most, when it was looked at last."""
        for depth in range(1, min(deepest, DEEPEST) + 1):
            looked = _Looked(first.copy())
            self._guessed = False
            try:
                self._look(board, budget, depth, found.proof, looked, last)
            except OutOfBudgetError:
                _take_part(board, found, looked, last)
                raise
            _take_whole(board, found, looked, depth, is_guess=self._guessed)
            if looked.code >= 0:
                first.remove(looked.code)
                first.insert(0, looked.code)
                found.line = self._line(board, budget, found)
            found.nodes = budget.used
            if found.proof is not None and found.proof.is_settled:
                self._complete(board, budget, found)
                tell(found)
                return
            tell(found)

    def _look(  # noqa: PLR0917 - once a depth
        self,
        board: FastBoard,
        budget: SearchBudget,
        depth: int,
        known: SearchProof | None,
        looked: _Looked,
        last: dict[int, int],
    ) -> None:
        """Search all first moves to a depth; raises OutOfBudgetError where that is not finished.

        What is known of the position already is not shown again: only whether it ends sooner.
        """
        bound = WON - known.at_most if known is not None and known.at_most is not None else _ALL
        alpha, beta = -_ALL, _ALL
        if known is not None and bound != _ALL:
            alpha, beta = (bound, _ALL) if known.value > 0 else (-_ALL, -bound)
        while looked.left:
            code = looked.left[0]
            score = self._after(board, budget, code, depth, alpha, beta, depth - DEEPEST)
            last[code] = score
            del looked.left[0]
            if score > alpha:
                alpha = looked.score = score
                looked.code = code
                if score >= beta:
                    break

    def _after(  # noqa: C901, PLR0917 - a ply takes one frame
        self,
        board: FastBoard,
        budget: SearchBudget,
        code: int,
        depth: int,
        alpha: int,
        beta: int,
        floor: int,
    ) -> int:
        """Return the score of a move for its player, at least within alpha and beta.

        A score of a win or a loss in n plies says of the position before the move, whatever was
        guessed: at least, that the win comes within n; at most, that the loss does. Where n is at
        most `depth`, it says the other bound, too: no end within `depth` plies is overlooked.
        At `floor` nothing is looked at any more. Raises OutOfBudgetError.
        """
        me = board.to_move
        board.play(code)
        try:
            if board.winner is not None:
                return 0 if board.winner == DRAW else WON - 1 if board.winner == me else 1 - WON
            # A win is worth less, and a loss more, the later it comes.
            alpha, beta = _a_ply_before(alpha), _a_ply_before(beta)
            sign = 1
            if board.to_move != me:
                sign, alpha, beta = -1, -beta, -alpha
            depth -= 1
            budget.spend()
            key, best_code = board.key, -1
            if (known := self._table.get(key)) is not None:
                best_code = known[3]
                if _bears(known, depth, alpha, beta):
                    self._guessed |= known[1] >= _GUESSED
                    return _a_ply_later(sign * known[2])
            codes = board.candidates()
            if depth <= 0 and (
                len(codes) > 1 or depth <= floor
            ):  # what is forced is looked through
                self._guessed = True
                guess = max(-1.0, min(self.evaluate(board), 1.0))
                return sign * int(guess * (PROVEN - 1))
            history = self._history
            codes.sort(key=lambda code: history.get(code, 0), reverse=True)
            if best_code in codes:
                codes.remove(best_code)
                codes.insert(0, best_code)
            guessed, self._guessed = self._guessed, False
            best, low = -_ALL, alpha
            for one in codes:
                score = self._after(board, budget, one, depth, low, beta, floor)
                if score > best:
                    best, best_code = score, one
                    low = max(low, score)
                    if best >= beta:
                        history[one] = history.get(one, 0) + depth * depth
                        break
            kind = _AT_LEAST if best >= beta else _AT_MOST if best <= alpha else _EXACT
            if len(self._table) >= self.size:
                self._table.clear()
            self._table[key] = depth, kind | (_GUESSED if self._guessed else 0), best, best_code
            self._guessed |= guessed
            return _a_ply_later(sign * best)
        finally:
            board.undo()

    def _line(self, board: FastBoard, budget: SearchBudget, found: SearchResult) -> list[Move]:
        """Return the move found and what the table expects after it, as long as that is no news.

        A line that ends otherwise than is proven is cut after its first move.
        """
        line, code = [found.move], board.code(found.move)
        me = board.to_move
        played = 0
        try:
            while True:
                budget.check()
                board.play(code)
                played += 1
                known = self._table.get(board.key)
                if board.winner is not None or known is None or len(line) >= found.depth:
                    break
                code = known[3]
                if code not in board.legal():
                    break
                line.append(board.moves[code])
            winner = board.winner
        finally:
            for _ in range(played):
                board.undo()
        proof = found.proof
        if winner is None or proof is None:
            return line
        value = 0 if winner == DRAW else 1 if winner == me else -1
        most = proof.at_most or proof.plies or len(line)
        is_so = proof.value == value and (len(line) <= most if proof.at_most else len(line) == most)
        return line if is_so or len(line) == 1 else line[:1]

    def _complete(self, board: FastBoard, budget: SearchBudget, found: SearchResult) -> None:
        """Write down a line to the end in which both play their best, as far as the budget goes.

        Each of its moves is shown by a search to keep the length that is proven.
        """
        proof = found.proof
        if proof is None or proof.plies is None:
            return
        found.line = line = [found.move]
        score = proof.value * (WON - proof.plies)
        """Of the move that was played last, for its player."""
        code, played = board.code(found.move), 0
        try:
            while True:
                me = board.to_move
                self._step(board, code)
                played += 1
                if board.winner is not None:
                    return
                score = _a_ply_before(score) * (1 if board.to_move == me else -1)
                code = self._keeping(board, budget, score)
                line.append(board.moves[code])
        finally:
            for _ in range(played):
                self._back(board)

    def _keeping(self, board: FastBoard, budget: SearchBudget, score: int) -> int:
        """Return the move that keeps what a position is worth; raises OutOfBudgetError."""
        codes = board.candidates()
        known = self._table.get(board.key)
        if known is not None and known[3] in codes:
            codes.remove(known[3])
            codes.insert(0, known[3])
        depth = WON - abs(score)
        for code in codes:
            if self._after(board, budget, code, depth, score - 1, score, depth - DEEPEST) >= score:
                return code
        raise OutOfBudgetError  # the table has forgotten, and forced moves end beyond the floor


def _a_ply_later(score: int) -> int:
    """Return what a score is worth one ply before."""
    return score - 1 if score >= PROVEN else score + 1 if score <= -PROVEN else score


def _a_ply_before(score: int) -> int:
    """Return the score that is worth this one ply before: the converse of `_a_ply_later`."""
    return score + 1 if score >= PROVEN else score - 1 if score <= -PROVEN else score


def _bears(known: tuple[int, int, int, int], depth: int, alpha: int, beta: int) -> bool:
    """Return whether a state of the table need not be searched to a depth, within a window.

    Of a shallower search a win still comes within its plies and a loss, too; that they come no
    sooner holds where that search has seen so far.
    """
    to, kind, score, _ = known
    bound = kind & ~_GUESSED
    is_whole = to >= depth or kind < _GUESSED or abs(score) >= WON - 1 - to
    if score >= beta and bound != _AT_MOST:
        return is_whole or score >= PROVEN
    if score <= alpha and bound != _AT_LEAST:
        return is_whole or score <= -PROVEN
    return is_whole and bound == _EXACT


def _value(score: int) -> float:
    return max(-1.0, min(score / PROVEN, 1.0))


def _take_whole(
    board: FastBoard, found: SearchResult, looked: _Looked, depth: int, *, is_guess: bool
) -> None:
    """Write down what a finished depth has shown: all first moves were searched.

    Its best score is exact as far as the depth has seen, or without a guess in all. A proof of
    before still holds; where nothing better was found it may have become exact.
    """
    found.depth = depth
    proof: SearchProof | None = None
    if looked.code >= 0:
        found.move, found.value = board.moves[looked.code], _value(looked.score)
        if abs(looked.score) >= PROVEN:
            proof = SearchProof(1 if looked.score > 0 else -1, at_most=WON - abs(looked.score))
        elif not is_guess and found.proof is None:
            proof = SearchProof(0)
    found.line = [found.move]
    if (either := proof or found.proof) is not None:
        found.proof = either.joined(found.proof, depth if is_guess else _ALL)
        found.value = float(either.value)


def _take_part(
    board: FastBoard, found: SearchResult, looked: _Looked, last: dict[int, int]
) -> None:
    """Write down what a depth has shown that was not finished: no more than a better move.

    A move that wins is a proof, for it is worth that whatever the others are.
    """
    if looked.code < 0:
        return
    if looked.score >= PROVEN:
        found.proof = SearchProof(1, at_most=WON - looked.score).joined(found.proof, found.depth)
        found.move, found.value = board.moves[looked.code], 1.0
        found.line = [found.move]
    elif found.proof is None:
        hopeful = (code for code in looked.left if last.get(code, 0) > -PROVEN)
        spared = next(hopeful, None) if looked.score <= -PROVEN else None
        if spared is None:
            found.move, found.value = board.moves[looked.code], _value(looked.score)
        else:
            found.move = board.moves[spared]
        found.line = [found.move]
