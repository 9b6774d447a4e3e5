"""An alpha-beta search for any game, over the boards of `lath.games.fast`, to build bots on.

`AlphaBeta` searches all lines to a depth, one ply deeper each time, and evaluates the last
positions with an evaluation that you can supply. It returns a `SearchResult`, as the search of
`lath.bots.uct` does.

    search = AlphaBeta(evaluate=my_evaluation)
    found = search.run(fast_board(position), SearchBudget(nodes=10_000))
    return found.move

A search whose budget is used up raises an exception inside, so that unfinished results cannot be
mistaken for proofs. A `SearchProof` is made in only four places, and each explains why it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Final, Literal

from lath.bots.results import OutOfBudgetError, SearchBudget, SearchProof, SearchResult, Tell
from lath.games.core import Game, Move
from lath.games.fast import DRAW, FastBoard

WON: Final = 1_000_000
"""The score of a won game. A win in n plies has n less."""

PROVEN: Final = WON - 10_000
"""Scores of at least this size, of either sign, are not guesses."""

_EXACT, _AT_LEAST, _AT_MOST = 0, 1, 2

_GUESSED = 4
"""Marks a score with a guess in its search: an earlier end of the game may have been missed."""

_OPEN = 8
"""Marks a guessed score, which is not that of a proven end; always with `_GUESSED`."""

_BOUND = 3
"""The bits of the kind of bound."""
_ALL: Final = 2 * WON

DEEPEST: Final = 400
"""The most plies of a line in a search: each needs a call frame, and Python allows a thousand."""

WINDOWS, ORDER, REDUCTIONS, THREATS, FINISH = 1, 2, 4, 8, 16
"""The parts that a search can do without, one bit each.

They are null windows after the first move (Marsland and Campbell 1982), and an order that also
learns from moves tried in vain. Late moves are searched less deeply (Heinz 1999), and threats are
searched beyond the depth (Allis 1994). Near the end of the game, half of the search is for a proof.
"""

PARTS: Final = WINDOWS | ORDER | REDUCTIONS | THREATS | FINISH
"""All parts."""

QUIET: Final = 8
"""The plies beyond the depth in which moves that threaten to win are searched."""

NEAR: Final = 20
"""The plies until the end of the game from which on `FINISH` searches for a proof."""

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


@dataclass(frozen=True, slots=True)
class Oversight:
    """The oversights of a weaker player, and the noise in its estimates."""

    unseen: frozenset[int]
    """The codes of moves that may end the game without being noticed."""

    noise: float
    """The part of an estimate that is random, from 0 to 1."""

    salt: int
    """64 bits that decide about the random parts."""

    def misjudged(self, guess: float, key: int) -> float:
        """Return an estimate with its random part, which the key of the state decides."""
        mixed = (key ^ self.salt) * MIXER & _BITS
        mixed = (mixed ^ mixed >> 32) * MIXER & _BITS
        return guess * (1 - self.noise) + self.noise * ((mixed >> 33) / (1 << 30) - 1)


MIXER: Final = 0x9E3779B97F4A7C15
_BITS: Final = (1 << 64) - 1


@dataclass(slots=True)
class _Looked:
    """The first moves examined so far at an unfinished depth."""

    left: list[int]
    """The moves that were not examined yet."""

    code: int = -1
    """The best of the examined moves."""

    score: int = -_ALL
    """The score of that move at this depth, a lower bound for the position."""


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
        depth = seen = finishing = 0
        """The plies within which no end of the game was missed: none while moves are reduced."""
        while depth < min(deepest, DEEPEST):
            depth += 1
            looked = _Looked(first.copy())
            self._guessed = 0
            try:
                for _ in self._look(board, budget, depth, found.proof, looked, last):
                    if budget.is_due():
                        part = replace(found, nodes=budget.used)
                        _take_part(board, part, looked, last, seen)
                        tell(part)
            except OutOfBudgetError:
                _take_part(board, found, looked, last, seen)
                raise
            seen = 0 if self._active & REDUCTIONS else depth
            _take_whole(board, found, looked, depth, self._guessed, seen)
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
            left = board.plies_left() if self.parts & FINISH and found.proof is None else None
            if left is not None and left <= NEAR:
                finishing += self._finish(board, budget, first, left, found, finishing)

    def _finish(  # noqa: PLR0917 - called once per depth
        self,
        board: FastBoard,
        budget: SearchBudget,
        first: list[int],
        left: int,
        found: SearchResult,
        used: int,
    ) -> int:
        """Search the last `left` plies for a proof, and store it; return the number of nodes.

        With the `used` nodes of earlier attempts, these are at most half of all. Nothing is
        estimated, and the length is not minimised, so a proof needs fewer nodes. Raises
        OutOfBudgetError if the whole budget is used up.
        """
        most = budget.used - 2 * used
        if budget.nodes is not None:
            most = min(most, budget.nodes - budget.used)
        part = SearchBudget(most, is_late=budget.is_over, clock=budget.clock, whole=budget)
        active, self._active = self._active, 0
        try:
            for beta in (1, 0):  # is it a win, or at least a draw?
                best = -_ALL
                for code in first:
                    score = self._after(board, part, code, left, beta - 1, beta, left - DEEPEST)
                    best = max(best, score)
                    if score >= beta:
                        found.move = board.moves[code]
                        found.line = [found.move]
                        break
                if best >= beta:
                    break
            value: Literal[-1, 0, 1] = 1 if best > 0 else -1 if best < 0 else 0
            found.proof = SearchProof(value, at_most=WON - abs(best) if best else None)
            found.value = float(value)
        except OutOfBudgetError:
            if part.used < most or part.used == 0:
                raise
        finally:
            self._active = active
        return part.used

    def _look(  # noqa: PLR0917 - called once per depth
        self,
        board: FastBoard,
        budget: SearchBudget,
        depth: int,
        known: SearchProof | None,
        looked: _Looked,
        last: dict[int, int],
    ) -> Iterator[int]:
        """Search all first moves to a depth, and yield each. Raises OutOfBudgetError.

        A known proof of the position is not repeated; only an earlier end is searched for.
        """
        bound = WON - known.at_most if known is not None and known.at_most is not None else _ALL
        alpha, beta = -_ALL, _ALL
        if known is not None and bound != _ALL:
            alpha, beta = (bound, _ALL) if known.value > 0 else (-_ALL, -bound)
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
                    self._guessed = _GUESSED | _OPEN
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
            best, low = -_ALL, alpha
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
                best = -_ALL
            for one in codes if pressing is None else pressing:
                if best >= beta:
                    break
                low = max(alpha, best)
                best = max(best, self._after(board, budget, one, depth, low, beta, floor))
        self._guessed = _GUESSED | _OPEN
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
    mark = _OPEN if abs(score) < PROVEN else _GUESSED
    is_whole = to >= depth or not kind & mark or abs(score) >= WON - 1 - to
    if score >= beta and bound != _AT_MOST:
        return is_whole or score >= PROVEN
    if score <= alpha and bound != _AT_LEAST:
        return is_whole or score <= -PROVEN
    return is_whole and bound == _EXACT


def _value(score: int) -> float:
    return max(-1.0, min(score / PROVEN, 1.0))


def _take_whole(  # noqa: PLR0917 - called once per depth
    board: FastBoard, found: SearchResult, looked: _Looked, depth: int, marks: int, seen: int
) -> None:
    """Store the result of a completed depth, in which all first moves were searched.

    The best score is exact for ends within `seen` plies, or completely if no guess was used. An
    earlier proof still holds, and may have become exact if nothing better was found.
    """
    found.depth = max(found.depth, depth)
    proof: SearchProof | None = None
    if looked.code >= 0:
        found.move, found.value = board.moves[looked.code], _value(looked.score)
        if abs(looked.score) >= PROVEN:
            proof = SearchProof(1 if looked.score > 0 else -1, at_most=WON - abs(looked.score))
        elif not marks & _OPEN and found.proof is None:
            proof = SearchProof(0)
    found.line = [found.move]
    if (either := proof or found.proof) is not None:
        found.proof = either.joined(found.proof, seen if marks else _ALL)
        found.value = float(either.value)


def _take_part(
    board: FastBoard, found: SearchResult, looked: _Looked, last: dict[int, int], seen: int
) -> None:
    """Store the result of an incomplete depth, which can only be a better move.

    A winning move is a proof, because the other moves do not matter.
    """
    if looked.code < 0:
        return
    if looked.score >= PROVEN:
        found.proof = SearchProof(1, at_most=WON - looked.score).joined(found.proof, seen)
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
