"""The searches of `lath.bots.search` compiled by numba, if the extra `fast` is installed.

    python -m lath.bots.compiled            # compiles in advance, and reports the time
    python -m lath.bots.compiled --check    # reports whether that is needed; see the exit status

Compiled code is one file next to this module, or in the user's cache folder if that cannot be
written. The file has a digest, so changed code is never run. A bot uses complete compiled code, and
does not import numba. Without it, the bot plays the same search in Python and says so once. A bot
never compiles, because that takes longer than a move may. Only games whose board has `tables` have
a compiled form.
"""

from __future__ import annotations

import sys
import threading
from ctypes import c_int32, c_int64, memset, sizeof
from functools import cache
from random import Random
from time import monotonic, perf_counter
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

from lath.bots.compiled import arrays
from lath.bots.compiled.code_folder import COMMAND, ColdError, store, whole_file, writable_file
from lath.bots.compiled.entries import loaded, object_code
from lath.bots.learned.patterns import Learned
from lath.bots.options import Combo
from lath.bots.results import OutOfBudgetError, SearchBudget, SearchResult, Tell
from lath.bots.search import DEEPEST, AlphaBeta, Evaluate, judged
from lath.bots.uct import Uct, estimate, proof_of
from lath.games.fast import DRAW, FastBoard, fast_board
from lath.notation.protocol import COMPILED, IN_PYTHON

if TYPE_CHECKING:
    from lath.games.core import Game, Position

FAST: Final = Combo("fast", "auto", ("auto", "on", "off"))
"""The form that plays: `auto` is the compiled one if available, `on` requires it, `off` is Python.
"""


_MS: Final = 0.005
"""The interval in seconds at which a search is checked from another thread for its time limit."""

_HUGE: Final = 1 << 60

_LOADED: Final[list[SimpleNamespace]] = []
"""The compiled functions, once they are loaded."""

COLD: Final = 3
"""The exit status of `--check` if compiling is needed."""


def numbers_of(board: FastBoard, learned: Learned | None = None) -> tuple[Any, Any]:
    """Return the arrays of the game, with the weights of an estimate, and of the board's state.

    Raises ColdError without a compiled form.
    """
    tables = board.tables()
    if tables is None:
        raise ColdError(f"{board.game.id} has no compiled form")
    t = arrays.laid_out(tables, len(board.moves), learned)
    return t, arrays.stood(load(), tables, t, board.to_move, board.winner, board.key)


def room_for_moves(t: arrays.Ints) -> arrays.Ints:
    """Return an array for the moves of all plies of a search."""
    return (c_int64 * (t[arrays.CODES] + 2) ** 2)()


def seed_of(chance: Random) -> arrays.Ints:
    """Return a state for the kernels' random numbers, seeded from a source of chance."""
    return (c_int64 * 1)(arrays.signed(chance.getrandbits(64) | 1))


class _Followed:
    """Arrays that follow a game from search to search."""

    def __init__(self, learned: Learned | None = None) -> None:
        self._learned = learned
        self.t: Any = None
        self.s: Any = None
        self._game: Game | None = None
        self._told: list[int] = []

    def played(self, code: int) -> None:
        """Note a move of the game."""
        self._told.append(code)

    def stand(self, board: FastBoard) -> None:
        """Set the arrays to the state of a board. Raises ColdError without a compiled form."""
        if self.s is not None:
            for code in self._told:
                if self.s[arrays.WINNER] == arrays.OPEN and 0 <= code < self.t[arrays.CODES]:
                    load().play(self.t, self.s, code)
        self._told = []
        if self._game is not board.game or self.s[arrays.KEY] != arrays.signed(board.key):
            self.t, self.s = numbers_of(board, self._learned)
            self.moves, self.ranks = room_for_moves(self.t), room_for_moves(self.t)
            self._game = board.game


class CompiledAlphaBeta(AlphaBeta):
    """An `AlphaBeta` that is compiled below the first move.

    It finds the same moves with the same nodes, except when its table replaces other entries.
    """

    def __init__(
        self,
        evaluate: Evaluate = judged,
        chance: Random | None = None,
        size: int = 300_000,
        parts: int = 0,
    ) -> None:
        """Take the same arguments as `AlphaBeta`, with `judged`, `blind` or a `Learned` estimate.

        Raises ColdError without compiled code.
        """
        self._kernels = load(is_patient=True)
        super().__init__(evaluate, chance, size, parts)

    def forget(self) -> None:
        """Forget everything, as for another game."""
        super().forget()
        rows = 1 << (4 * self.size).bit_length() - 1
        self._rows = arrays.zeros(arrays.ROW * rows)
        self._table = _Rows(self._rows)  # type: ignore[assignment]  # read only by key
        self._history_of: Any = None
        self._told = (c_int64 * arrays.TOLD)()
        self._told[arrays.IS_BLIND], self._told[arrays.CAPACITY] = self.is_blind, rows
        self._arrays = _Followed(self.evaluate if isinstance(self.evaluate, Learned) else None)

    def played(self, code: int) -> None:
        """Note a move of the game, by either side."""
        self._arrays.played(code)

    def run(
        self,
        board: FastBoard,
        budget: SearchBudget,
        tell: Tell = lambda _: None,
        depth: int = DEEPEST,
    ) -> SearchResult:
        """Return the best move; `tell` gets intermediate results. The game must not be over."""
        self._stand(board)
        with _Watch(budget, self._told):
            return super().run(board, budget, tell, depth)

    def decided(self, board: FastBoard, budget: SearchBudget) -> SearchResult | None:
        """Return the proven result of a game that ends within a known number of plies, or None."""
        self._stand(board)
        with _Watch(budget, self._told):
            return super().decided(board, budget)

    def _stand(self, board: FastBoard) -> None:
        """Set the arrays to the state of a board."""
        self._settle(board)
        self._arrays.stand(board)
        if self._history_of is None:
            self._history_of = (c_int64 * len(board.moves))()
            self._told = (c_int64 * (arrays.TOLD + len(board.moves)))(*self._told)
        told, own = self._told, self.oversight
        told[arrays.OVERLOOKS] = own is not None
        if own is not None:
            told[arrays.NOISE], told[arrays.SALT] = round(1000 * own.noise), arrays.signed(own.salt)
            for code in range(len(board.moves)):
                told[arrays.TOLD + code] = code in own.unseen

    def _step(self, board: FastBoard, code: int) -> None:
        super()._step(board, code)
        self._kernels.play(self._arrays.t, self._arrays.s, code)

    def _back(self, board: FastBoard) -> None:
        super()._back(board)
        self._kernels.undo(self._arrays.t, self._arrays.s)

    def _after(  # noqa: PLR0917 - the signature of the base class
        self,
        board: FastBoard,  # noqa: ARG002 - the arrays have the same state
        budget: SearchBudget,
        code: int,
        depth: int,
        alpha: int,
        beta: int,
        floor: int,
    ) -> int:
        told, ours = self._told, self._arrays
        told[arrays.NODES_LEFT] = _HUGE if budget.nodes is None else budget.nodes - budget.used
        told[arrays.USED] = told[arrays.IS_GUESSED] = 0
        told[arrays.ACTIVE] = self._active
        window = depth, alpha, beta, floor
        room = self._rows, self._history_of, ours.moves, ours.ranks
        score: int = self._kernels.after(ours.t, ours.s, code, *window, *room, 0, told)
        budget.count(told[arrays.USED])
        self._guessed |= told[arrays.IS_GUESSED]
        if score == arrays.UNFINISHED:
            raise OutOfBudgetError
        return score


class _Rows:
    """The table of a search with the interface of `AlphaBeta`'s dict."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def get(self, key: int) -> tuple[int, int, int, int] | None:
        """Return depth, kind, score and best move of a state, if it is known."""
        at = arrays.ROW * (key & len(self._rows) // arrays.ROW - 1)
        known, what = self._rows[at : at + arrays.ROW]
        if not what or known != arrays.signed(key):
            return None
        depth = (what >> arrays.DEPTH_AT & 2 * arrays.DEEP - 1) - arrays.DEEP
        kind, best = what >> arrays.KIND_AT & 15, what & (1 << arrays.KIND_AT) - 1
        return depth, kind - 1, (what >> arrays.SCORE_AT) - arrays.HIGH, best - 1

    def clear(self) -> None:
        """Forget all states."""
        memset(self._rows, 0, sizeof(self._rows))


class _Watch:
    """Stops a search from another thread when its budget is used up."""

    def __init__(self, budget: SearchBudget, told: Any) -> None:
        self._budget, self._told = budget, told
        self._is_timed = budget.seconds is not None or budget.is_late is not None
        self._is_over = threading.Event()

    def __enter__(self) -> None:
        self._told[0] = self._budget.is_over()
        self._thread = threading.Thread(target=self._look, daemon=True)
        if self._is_timed:
            self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._is_timed:
            self._thread.join()

    def _look(self) -> None:
        while not self._is_over.wait(_MS):
            if self._budget.is_over():
                self._told[0] = 1
                return


class CompiledUct(Uct):
    """A compiled `Uct`; its random games use other random numbers."""

    def __init__(self, chance: Random, exploration: float = 0.4, size: int = 300_000) -> None:
        """Take the same arguments as `Uct`. Raises ColdError without compiled code."""
        self._kernels = load(is_patient=True)
        super().__init__(chance, exploration=exploration, size=size)
        self.forget()

    def forget(self) -> None:
        """Forget everything, as for another game."""
        super().forget()
        self._tree = arrays.zeros(4 * self.size * arrays.COLUMNS, c_int32)
        self._told = (c_int64 * arrays.TOLD)()
        self._told[arrays.CAPACITY] = len(self._tree)
        self._arrays = _Followed()
        self._at = -1

    def played(self, code: int) -> None:
        """Note a move of the game, by either side, so that the tree below it is kept."""
        super().played(code)
        self._arrays.played(code)

    def run(
        self,
        board: FastBoard,
        budget: SearchBudget,
        tell: Tell = lambda _: None,
    ) -> SearchResult:
        """Return the best move; `tell` gets intermediate results. The game must not be over."""
        told, ours, tree = self._told, self._arrays, self._tree
        ours.stand(board)
        root = self._node_of(board)
        path = (c_int64 * (len(board.moves) + 3))()
        random = seed_of(self.chance)
        is_careful = type(board).rollout is FastBoard.rollout
        state = ours.t, ours.s, random, tree, root
        batch = 16
        if not tree[root + arrays.ENDS]:
            self._kernels.grow(*state, ours.moves, told)
        with _Watch(budget, told):
            while tree[root + arrays.PROOF] < 0 and not budget.is_over():
                left = _HUGE if budget.nodes is None else budget.nodes - budget.used
                if left <= 0:
                    break
                told[arrays.NODES_LEFT], told[arrays.USED] = min(batch, left), 0
                began_s = monotonic()
                self._kernels.games(*state, self.exploration, is_careful, ours.moves, path, told)
                budget.count(told[arrays.USED])
                if monotonic() - began_s < _MS:
                    batch *= 2
                if budget.is_due():
                    tell(self._told_of(board, root, budget))
        return self._told_of(board, root, budget)

    def _node_of(self, board: FastBoard) -> int:
        """Return the node of the board's state: one of the last tree, or the first node."""
        tree, at = self._tree, self._at
        for code in self._moves:
            if at >= 0:
                at = next((x for x in self._children(at) if tree[x + arrays.CODE] == code), -1)
        self._moves = []
        is_known = self._game is board.game
        if at >= 0 and tree[at + arrays.ENDS]:
            is_known &= tree[at + arrays.STATE] == board.key & arrays.STATE_BITS
        if at < 0 or not is_known or self._told[arrays.HELD] > len(tree) // 2:
            at = 0
            tree[: arrays.COLUMNS] = [0] * arrays.COLUMNS
            tree[arrays.CODE], tree[arrays.MOVER] = -1, 1 - board.to_move
            self._told[arrays.HELD] = arrays.COLUMNS
        tree[at + arrays.PROOF] = arrays.OPEN
        self._at, self._game = at, board.game
        return at

    def _children(self, node: int) -> range:
        tree = self._tree
        return range(tree[node + arrays.BEGINS], tree[node + arrays.ENDS], arrays.COLUMNS)

    def _told_of(self, board: FastBoard, root: int, budget: SearchBudget) -> SearchResult:
        tree = self._tree
        line: list[int] = []
        node = root
        while tree[node + arrays.ENDS] and len(line) < 12:
            node = max(self._children(node), key=self._worth)
            line.append(node)
        if not line:  # the tree has no room for the first moves
            return SearchResult(board.moves[board.legal()[0]], nodes=budget.used)
        best = line[0]
        _, mover, visits, points, _, _, proof, _ = tree[best : best + arrays.COLUMNS]
        _, last, games, total, _, _, winner, _ = tree[root : root + arrays.COLUMNS]
        if last != mover:
            total = 2 * games - total
        mean = estimate(points / 2, visits, total / 2, games)
        if proof >= 0:
            mean = 0.5 if proof == DRAW else float(proof == mover)
        return SearchResult(
            board.moves[tree[best + arrays.CODE]],
            2 * mean - 1,
            proof=None if winner < 0 else proof_of(winner, mover),
            depth=len(line),
            nodes=budget.used,
            line=[board.moves[tree[node + arrays.CODE]] for node in line],
        )

    def _worth(self, node: int) -> tuple[float, int]:
        """Return the sort key for the choice of a move: proof, then visits."""
        _, mover, visits, _, _, _, proof, _ = self._tree[node : node + arrays.COLUMNS]
        if proof < 0:
            return 0.0, visits
        return (1.0 if proof == mover else -0.5 if proof == DRAW else -1.0), visits


@cache
def _say_once(reason: str) -> None:
    print(f"plays in Python: {reason}", file=sys.stderr)  # noqa: T201 - the bot's own message


def is_ready(position: Position, fast: str) -> bool:
    """Return whether to search a game in compiled form; prints once why not.

    `fast` is the value of the option `FAST`. Raises ColdError for `on` without compiled code.
    """
    if fast == "off" or fast_board(position).tables() is None:
        return False
    try:
        load()
    except ColdError as error:
        if fast == "on":
            raise
        if error.can_compile:
            _say_once(str(error))
        return False
    return True


def form() -> str:
    """Return the form that plays, for `id version`: `compiled`, or Python with the reason."""
    try:
        whole_file()
    except ColdError as error:
        return f"{IN_PYTHON} ({error.why})"
    return COMPILED


def main(words: list[str]) -> int:
    """Compile what is missing and print the time, or check whether that is needed."""
    began_s = perf_counter()
    try:
        if words == ["--check"]:
            print(f"compiled, in {whole_file()[0]}")  # noqa: T201 - a command
            return 0
        load(is_patient=True)
    except ColdError as error:
        print(error, file=sys.stderr)  # noqa: T201 - a command
        return COLD if error.can_compile else 1
    print(f"ready after {perf_counter() - began_s:.1f} s")  # noqa: T201 - a command
    return 0


def load(*, is_patient: bool = False) -> SimpleNamespace:
    """Return the functions of `lath.bots.compiled.entries`. Raises ColdError.

    With `is_patient`, they are compiled if necessary, which takes about half a minute.
    """
    if not _LOADED:
        try:
            _LOADED.append(_usable(whole_file()[1]))
        except ColdError as error:
            if not (is_patient and error.can_compile):
                raise
            file = writable_file()
            code = object_code()
            _LOADED.append(_usable(code))
            store(file, code)
    return _LOADED[0]


def _usable(code: bytes) -> SimpleNamespace:
    """Return the functions of compiled code. Raises ColdError."""
    try:
        return loaded(code)
    except Exception as error:  # llvmlite can raise anything for complete code
        remedy = f" ({type(error).__name__}: {error}); run {COMMAND} to compile it again"
        words = "the compiled code cannot be loaded"
        raise ColdError(words, remedy, can_compile=True) from error
