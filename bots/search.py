"""An alpha-beta search for any game, over the boards of `lath.games.fast`, to build bots on.

`AlphaBeta` searches all lines to a depth, one ply deeper each time, and evaluates the last
positions with an evaluation that you can supply. It returns a `SearchResult`, as the search of
`lath.bots.uct` does.

    search = AlphaBeta(evaluate=my_evaluation)
    found = search.run(fast_board(position), SearchBudget(nodes=10_000))
    return found.move

A search whose budget is used up raises an exception inside, so that unfinished results cannot be
mistaken for proofs. Only five functions, here and in `lath.bots.results`, make a `SearchProof`, and
each explains why it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Final, Literal

from lath.bots.results import (
    ALL,
    OPEN,
    PROVEN,
    WON,
    ExaminedMoves,
    OutOfBudgetError,
    Oversight,
    SearchBudget,
    SearchProof,
    SearchResult,
    Tell,
    take_part,
    take_whole,
)
from lath.games.core import Game, Move
from lath.games.fast import DRAW, FastBoard

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2

_GUESSED = 4
"""Marks a score with a guess in its search: an earlier end of the game may have been missed."""

_BOUND = 3
"""The bits of the kind of bound."""

DEEPEST: Final = 400
"""The most plies of a line in a search: each needs a call frame, and Python allows a thousand."""

WINDOWS, ORDER, REDUCTIONS, THREATS, FINISH = 1, 2, 4, 8, 16
"""The parts that a search can do without, one bit each.

They are null windows after the first move (Marsland and Campbell 1982), and an order that also
learns from moves tried in vain. Late moves are searched less deeply (Heinz 1999), and threats are
searched beyond the depth (Allis 1994). Near the end of the game, most of the search is for a
proven win.
"""

PARTS: Final = WINDOWS | ORDER | REDUCTIONS | THREATS | FINISH
"""All parts."""

QUIET: Final = 8
"""The plies beyond the depth in which moves that threaten to win are searched."""

NEAR: Final = 20
"""The plies until the end of the game from which on `FINISH` searches for a win."""

_SHARE: Final = 3
"""The most nodes of these searches for a win, by node of the others."""

MOST_BITS: Final = 40
"""The number of bits of the largest bonus in the order of moves."""

Evaluate = Callable[[FastBoard], float]
"""A function that estimates the winner, from -1 to 1 for the side to move; the game is not over."""


def judged(board: FastBoard) -> float:
    """Return the board's own estimate."""
    return board.lean()


def blind(_: FastBoard) -> float:
    """Return 0, so that the search only reports proven results."""
    return 0.0


class AlphaBeta:
    """Negamax with alpha-beta, iterative deepening, a transposition table and ordered moves.

    After Knuth and Moore 1975. The table is kept until `forget`, or until another game type is
    searched. The search of a proven win or loss continues until its length is exact. Then it
    reduces no move, because a reduced search can miss an earlier end.
    """

    def __init__(
        self,
        evaluate: Evaluate = judged,
        chance: Random | None = None,
        size: int = 300_000,
        parts: int = 0,
    ) -> None:
        """Take the evaluation, the limits and the parts.

        `chance` decides which of equal moves is tried first. `size` is the number of states in the
        table, about 200 bytes each. `parts` has one bit for each of `PARTS`.
        """
        self.evaluate = evaluate
        self.chance = chance or Random(0)
        self.size = size
        self.parts = parts
        self._active = parts
        """The parts of the present search."""
        self.oversight: Oversight | None = None
        """The oversights of a weaker player; a search with them proves nothing.

        After a change, the table must be forgotten.
        """
        self._game: Game | None = None
        self.forget()

    def forget(self) -> None:
        """Forget everything, as for another game."""
        self._table: dict[int, tuple[int, int, int, int]] = {}  # depth, kind, score, best move
        self._history: dict[int, int] = {}  # how often a move was too good
        self._guessed = 0
        """The marks of the present search."""
        self._tried, self._is_no_win = 0, False
        """The nodes that the present search used to look for a win near the end, and its answer."""

    @property
    def is_blind(self) -> bool:
        """Return True if the search makes no guesses."""
        return self.evaluate is blind

    def played(self, code: int) -> None:
        """Note a move of the game, by either side; the table stays valid."""

    def run(
        self,
        board: FastBoard,
        budget: SearchBudget,
        tell: Tell = lambda _: None,
        depth: int = DEEPEST,
    ) -> SearchResult:
        """Return the best move; `tell` gets intermediate results. The game must not be over."""
        self._settle(board)
        self._active = self.parts
        self._tried, self._is_no_win = 0, False
        found = SearchResult(board.moves[board.legal()[0]], is_judged=not self.is_blind)
        with suppress(OutOfBudgetError), budget.bounds(board):
            first = self._candidates(board)
            self.chance.shuffle(first)
            found.move = board.moves[first[0]]
            self._deepen(board, budget, first, depth, found, lambda part: tell(self._honest(part)))
        found.nodes = budget.used
        return self._honest(found)

    def _honest(self, found: SearchResult) -> SearchResult:
        """Return a result without its proof if ends of the game may go unnoticed."""
        return replace(found, proof=None) if self.oversight else found

    def _candidates(self, board: FastBoard) -> list[int]:
        """Return the moves worth searching, as far as the ends of the game are noticed."""
        codes = board.candidates()
        if self.oversight is None:
            return codes
        legal, unseen = board.legal(), self.oversight.unseen
        if unseen.issuperset(codes):
            return legal
        return codes + [code for code in legal if code in unseen and code not in codes]

    def _settle(self, board: FastBoard) -> None:
        """Forget the table of another game type."""
        if self._game not in (None, board.game):
            self.forget()
        self._game = board.game

    def _step(self, board: FastBoard, code: int) -> None:
        """Play a move on the way to the start of a search."""
        board.play(code)

    def _back(self, board: FastBoard) -> None:
        board.undo()

    def _deepen(  # noqa: PLR0917 - called once per search
        self,
        board: FastBoard,
        budget: SearchBudget,
        first: list[int],
        deepest: int,
        found: SearchResult,
        tell: Tell,
    ) -> None:
        """Search one ply deeper each time, and store the result of each depth."""
        last: dict[int, int] = {}
        """The last score of each first move, an upper bound."""
        depth = seen = 0
        """The plies within which no end of the game was missed: none while moves are reduced."""
        while depth < min(deepest, DEEPEST):
            depth += 1
            looked = ExaminedMoves(first.copy())
            self._guessed = 0
            try:
                for _ in self._look(board, budget, depth, found.proof, looked, last):
                    if budget.is_due():
                        part = replace(found, nodes=budget.used)
                        take_part(board, part, looked, last, seen)
                        tell(part)
            except OutOfBudgetError:
                take_part(board, found, looked, last, seen)
                raise
            seen = 0 if self._active & REDUCTIONS else depth
            take_whole(board, found, looked, depth, self._guessed, seen)
            if looked.code >= 0:
                first.remove(looked.code)
                first.insert(0, looked.code)
                found.line = self._line(board, budget, found)
            found.nodes = budget.used
            if found.proof is not None:
                if found.proof.is_settled:
                    self._complete(board, budget, found)
                    tell(found)
                    return
                if self._active & REDUCTIONS:
                    self._active ^= REDUCTIONS
                    self._table.clear()
                    depth = 0
            tell(found)
            if self._try_to_win(board, budget, first, found):
                tell(found)

    def _try_to_win(
        self, board: FastBoard, budget: SearchBudget, first: list[int], found: SearchResult
    ) -> bool:
        """Search for a proven win near the end of the game, and store it; return whether it is new.

        A search without estimates needs fewer nodes for a proof. These are at most `_SHARE` times
        the other nodes. A loss is not looked for: the opponent may not see it, and estimates then
        find better moves.
        """
        left = board.plies_left() if self.parts & FINISH and found.proof is None else None
        most = _SHARE * (budget.used - self._tried) - self._tried
        if left is None or left > NEAR or most <= 0 or self._is_no_win:
            return False
        if budget.nodes is not None:
            most = min(most, budget.nodes - budget.used)
        part = SearchBudget(most, is_late=budget.is_over, clock=budget.clock, whole=budget)
        try:
            is_won = self._finish(board, part, first, left, found, 1)
        except OutOfBudgetError:
            is_won = False
        else:
            self._is_no_win = not is_won
        self._tried += part.used
        return is_won

    def decided(self, board: FastBoard, budget: SearchBudget) -> SearchResult | None:
        """Return the proven result of a game that ends within a known number of plies, or None.

        Nothing is estimated, and the length of the game is neither minimised nor maximised, so a
        proof needs fewer nodes than in `run`. The result is None if the budget is used up.
        """
        self._settle(board)
        first, left = board.candidates(), board.plies_left()
        found = SearchResult(board.moves[first[0]], is_judged=False)
        if left is not None:
            with suppress(OutOfBudgetError), budget.bounds(board):
                if not self._finish(board, budget, first, left, found, 1):
                    self._finish(board, budget, first, left, found, 0)
        found.nodes = budget.used
        return found if found.proof is not None else None

    def _finish(  # noqa: PLR0917 - called once per search
        self,
        board: FastBoard,
        budget: SearchBudget,
        first: list[int],
        left: int,
        found: SearchResult,
        least: Literal[0, 1],
    ) -> bool:
        """Search the last `left` plies for a win, or at least a draw if `least` is 0.

        Return whether there is one. No line is longer, so no score is an estimate; a score is a
        bound on its side of the window. With `least` = 0, the result is stored in any case,
        because a win was ruled out before. Raises OutOfBudgetError.
        """
        active, self._active = self._active, 0
        best = -ALL
        try:
            for code in first:
                score = self._after(board, budget, code, left, least - 1, least, left - DEEPEST)
                best = max(best, score)
                if score >= least:
                    found.move = board.moves[code]
                    found.line = [found.move]
                    break
        finally:
            self._active = active
        if best >= least or least == 0:
            value: Literal[-1, 0, 1] = 1 if best > 0 else -1 if best < 0 else 0
            found.proof = SearchProof(value, at_most=WON - abs(best) if best else None)
            found.value = float(value)
        return best >= least

    def _look(  # noqa: PLR0917 - called once per depth
        self,
        board: FastBoard,
        budget: SearchBudget,
        depth: int,
        known: SearchProof | None,
        looked: ExaminedMoves,
        last: dict[int, int],
    ) -> Iterator[int]:
        """Search all first moves to a depth, and yield each. Raises OutOfBudgetError.

        A known proof of the position is not repeated; only an earlier end is searched for.
        """
        bound = WON - known.at_most if known is not None and known.at_most is not None else ALL
        alpha, beta = -ALL, ALL
        if known is not None and bound != ALL:
            alpha, beta = (bound, ALL) if known.value > 0 else (-ALL, -bound)
        while looked.left:
            code = looked.left[0]
            # The first moves are never reduced, so they take the place of the second move.
            for to, high in self._attempts(looked.code >= 0, depth, alpha, beta):
                score = self._after(board, budget, code, to, alpha, high, depth - DEEPEST)
                if score <= alpha:
                    break
            last[code] = score
            del looked.left[0]
            if score > alpha:
                alpha = looked.score = score
                looked.code = code
                if score >= beta:
                    break
            yield code

    def _attempts(self, place: int, depth: int, low: int, beta: int) -> list[tuple[int, int]]:
        """Return the depths and upper ends of the windows for the move at a place in the order.

        The next one is needed only if a move seems better than `low`.
        """
        attempts = [(depth, beta)]
        if place and self._active & WINDOWS and beta > low + 1:
            attempts.insert(0, (depth, low + 1))
        if self._active & REDUCTIONS and (less := reduction(place, depth)):
            attempts.insert(0, (depth - less, low + 1))
        return attempts

    def _after(  # noqa: C901, PLR0912, PLR0917 - each ply uses one frame
        self,
        board: FastBoard,
        budget: SearchBudget,
        code: int,
        depth: int,
        alpha: int,
        beta: int,
        floor: int,
    ) -> int:
        """Return the score of a move for its player, exact only between alpha and beta.

        A score of a win in n plies is a lower bound for the position before the move, and that of a
        loss an upper bound, whatever was guessed. If n is at most `depth`, the other bound holds
        too, because no end within `depth` plies is missed. Below `floor` nothing is searched.
        Raises OutOfBudgetError.
        """
        me = board.to_move
        board.play(code)
        try:
            if board.winner is not None:
                if self.oversight is not None and code in self.oversight.unseen:
                    self._guessed = _GUESSED | OPEN
                    return self._scored(0.0, board)
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
                    self._guessed |= _marks(known[1] & ~_BOUND, known[2])
                    return _a_ply_later(sign * known[2])
            codes = self._candidates(board)
            if depth <= 0 and (
                len(codes) > 1 or depth <= floor
            ):  # forced moves are searched deeper
                best = self._estimated(board, budget, codes, depth, alpha, beta, floor)
                return _a_ply_later(sign * best)
            history = self._history
            codes.sort(key=lambda code: history.get(code, 0), reverse=True)
            if best_code in codes:
                codes.remove(best_code)
                codes.insert(0, best_code)
            guessed, self._guessed = self._guessed, 0
            best, low = -ALL, alpha
            for place, one in enumerate(codes):
                for to, high in self._attempts(place, depth, low, beta):
                    score = self._after(board, budget, one, to, low, high, floor)
                    if score <= low or (score >= beta and to == depth):
                        break
                if score > best:
                    best, best_code = score, one
                    low = max(low, score)
                    if best >= beta:
                        bonus = 1 << min(2 * max(depth, 0), MOST_BITS)
                        history[one] = history.get(one, 0) + bonus
                        if self._active & ORDER:
                            for vain in codes[:place]:
                                history[vain] = history.get(vain, 0) - bonus
                        break
            kind = _AT_LEAST if best >= beta else _AT_MOST if best <= alpha else _EXACT
            if len(self._table) >= self.size:
                self._table.clear()
            marks = _marks(self._guessed, best)
            self._table[key] = depth, kind | marks, best, best_code
            self._guessed = guessed | marks
            return _a_ply_later(sign * best)
        finally:
            board.undo()

    def _estimated(  # noqa: PLR0917 - called once for each estimate
        self,
        board: FastBoard,
        budget: SearchBudget,
        codes: list[int],
        depth: int,
        alpha: int,
        beta: int,
        floor: int,
    ) -> int:
        """Return the estimate for the side to move, or more if threats lead to more.

        If a side can win at once, all of `codes` are searched instead. Otherwise, the player need
        not threaten, so the estimate is a lower bound.
        """
        best = self._scored(self.evaluate(board), board)
        if self._active & THREATS and depth > max(floor, -QUIET):
            pressing = board.pressing()
            if pressing is None:
                best = -ALL
            for one in codes if pressing is None else pressing:
                if best >= beta:
                    break
                low = max(alpha, best)
                best = max(best, self._after(board, budget, one, depth, low, beta, floor))
        self._guessed = _GUESSED | OPEN
        return best

    def _scored(self, guess: float, board: FastBoard) -> int:
        """Return an estimate as a score, with the misjudgement of a weaker player."""
        if self.oversight is not None:
            guess = self.oversight.misjudged(guess, board.key)
        return int(max(-1.0, min(guess, 1.0)) * (PROVEN - 1))

    def _line(self, board: FastBoard, budget: SearchBudget, found: SearchResult) -> list[Move]:
        """Return the found move and the moves after it in the table, as far as they agree.

        A line that ends differently from the proof is cut after its first move.
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
        """Store a line to the end in which both sides play their best, within the budget.

        A search shows that each of its moves keeps the proven length.
        """
        proof = found.proof
        if proof is None or proof.plies is None:
            return
        found.line = line = [found.move]
        score = proof.value * (WON - proof.plies)
        """The score of the last played move, for its player."""
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
        """Return the move that keeps the value of a position. Raises OutOfBudgetError."""
        codes = board.candidates()
        known = self._table.get(board.key)
        if known is not None and known[3] in codes:
            codes.remove(known[3])
            codes.insert(0, known[3])
        depth = WON - abs(score)
        for code in codes:
            if self._after(board, budget, code, depth, score - 1, score, depth - DEEPEST) >= score:
                return code
        raise OutOfBudgetError  # the table has lost the move, and forced moves end below the floor


def reduction(place: int, depth: int) -> int:
    """Return by how many plies a move at a place in the order is searched less deeply.

    >>> reduction(3, 9), reduction(4, 3), reduction(12, 5)
    (0, 1, 2)
    """
    if place < 4 or depth < 3:
        return 0
    return 2 if place >= 12 and depth >= 5 else 1


def _a_ply_later(score: int) -> int:
    """Return the value of a score one ply earlier."""
    return score - 1 if score >= PROVEN else score + 1 if score <= -PROVEN else score


def _a_ply_before(score: int) -> int:
    """Return the score that becomes this one a ply earlier: the inverse of `_a_ply_later`."""
    return score + 1 if score >= PROVEN else score - 1 if score <= -PROVEN else score


def _marks(marks: int, score: int) -> int:
    """Return the marks of a score: that of a proven end is not open, whatever was guessed."""
    return marks & _GUESSED if abs(score) >= PROVEN else marks


def _bears(known: tuple[int, int, int, int], depth: int, alpha: int, beta: int) -> bool:
    """Return whether a state of the table need not be searched to a depth, within a window.

    After a shallower search, a win or loss still comes within its plies. That it does not come
    earlier is only known as far as that search has seen.
    """
    to, kind, score, _ = known
    bound = kind & _BOUND
    mark = OPEN if abs(score) < PROVEN else _GUESSED
    is_whole = to >= depth or not kind & mark or abs(score) >= WON - 1 - to
    if score >= beta and bound != _AT_MOST:
        return is_whole or score >= PROVEN
    if score <= alpha and bound != _AT_LEAST:
        return is_whole or score <= -PROVEN
    return is_whole and bound == _EXACT
