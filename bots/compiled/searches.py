"""The searches of `lath.bots.search` compiled by numba, if the extra `fast` is installed.

    python -m lath.bots.compiled            # compiles in advance, and reports the time
    python -m lath.bots.compiled --check    # reports whether that is needed; see the exit status

Compiled code is stored next to this module, or in the user's cache folder if that cannot be
written. Each file has a digest, so changed code is never run. A bot uses complete compiled code.
Without it, the bot plays the same search in Python and says so once. A bot never compiles, because
that takes longer than a move may. Only games whose board has `tables` have a compiled form.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from functools import cache
from random import Random
from shutil import rmtree
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any, Final

from lath.bots.compiled import arrays
from lath.bots.compiled.code_folder import (
    COMMAND,
    MODULES,
    WHOLE,
    ColdError,
    digests_in,
    is_whole,
    is_writable,
    loaded,
    possible_folders,
    whole_folder,
)
from lath.bots.options import Combo
from lath.bots.search import DEEPEST, AlphaBeta, OutOfBudgetError, SearchBudget, SearchResult, Tell
from lath.bots.uct import Uct, estimate, proof_of
from lath.games.fast import DRAW, FastBoard, fast_board
from lath.notation.protocol import COMPILED, IN_PYTHON

if TYPE_CHECKING:
    from types import ModuleType

    from lath.games.core import Game, Position

FAST: Final = Combo("fast", "auto", ("auto", "on", "off"))
"""The form that plays: `auto` is the compiled one if available, `on` requires it, `off` is Python.
"""


_MS: Final = 0.005
"""The interval in seconds at which a search is checked from another thread for its time limit."""

_HUGE: Final = 1 << 60

_ANEW: Final = "--anew"

COLD: Final = 3
"""The exit status of `--check` if compiling is needed."""


def _compiled(*, is_anew: bool = False) -> tuple[ModuleType, ModuleType]:
    """Return the modules after compiling them. Raises ColdError if that fails.

    The code is compiled in a new folder, which replaces the old one when it is complete. With
    `is_anew`, a complete folder is replaced too.
    """
    folders = possible_folders()
    chosen = next((one for one in folders if is_writable(one.parent)), None)
    if chosen is None:
        places = " or in ".join(str(one.parent) for one in folders)
        raise ColdError(f"compiled code cannot be stored in {places}")
    for left in chosen.parent.glob(f"{chosen.name}.*"):
        if not _is_running(left.suffix[1:]):
            rmtree(left, ignore_errors=True)
    new = chosen.with_name(f"{chosen.name}.{os.getpid()}")
    try:
        new.mkdir()
        modules = loaded(new)
        _warm()
        (new / WHOLE).write_bytes(digests_in(new))
        if is_anew or not is_whole(chosen):  # another process may have been faster
            rmtree(chosen, ignore_errors=True)
            new.rename(chosen)
    except OSError as error:
        raise ColdError(f"compiled code cannot be stored: {error}") from error
    finally:
        rmtree(new, ignore_errors=True)
    return modules


def _is_running(number: str) -> bool:
    with suppress(OSError, ValueError):
        os.kill(int(number), 0)
        return True
    return False


def _warm() -> None:
    """Call every function that Python calls once, so that it is compiled."""
    from lath import games  # start-up time

    board = fast_board(games.get("yavalath").start())
    for search in (CompiledAlphaBeta(Random(1)), CompiledUct(Random(1))):
        search.run(board, SearchBudget(nodes=100))
        search.played(0)
    board.play(0)
    search.run(board, SearchBudget(nodes=1))
    kernels, chance = sys.modules["lath.bots.compiled.kernels"], seed_of(Random(1))
    t, s = numbers_of(board)
    moves = room_for_moves(t)
    for write in (kernels.legal, kernels.candidates):
        write(t, s, moves, 0)
    kernels.play(t, s, int(moves[0]))
    kernels.undo(t, s)
    kernels.lean(t, s)
    kernels.playout(t, s, chance, True, moves, 0)
    kernels.playouts(t, s, chance, True, moves, 1)


def numbers_of(board: FastBoard) -> tuple[Any, Any]:
    """Return the arrays of the game and of the board's state.

    Raises ColdError without a compiled form.
    """
    kernels = sys.modules["lath.bots.compiled.kernels"]
    tables = board.tables()
    if tables is None:
        raise ColdError(f"{board.game.id} has no compiled form")
    t = arrays.laid_out(tables, len(board.moves))
    return t, kernels.stood(tables, t, board.to_move, board.winner, board.key)


def room_for_moves(t: Any) -> Any:
    """Return an array for the moves of all plies of a search."""
    import numpy as np  # from an extra

    codes = int(t[arrays.CODES])
    return np.zeros((codes + 2) * (codes + 2), dtype=np.int64)


def seed_of(chance: Random) -> Any:
    """Return a state for the kernels' random numbers, seeded from a source of chance."""
    import numpy as np  # from an extra

    return np.array([chance.getrandbits(64) | 1], dtype=np.uint64)


class _Followed:
    """Arrays that follow a game from search to search."""

    def __init__(self) -> None:
        self.t: Any = None
        self.s: Any = None
        self._game: Game | None = None
        self._told: list[int] = []

    def played(self, code: int) -> None:
        """Note a move of the game."""
        self._told.append(code)

    def stand(self, board: FastBoard) -> None:
        """Set the arrays to the state of a board. Raises ColdError without a compiled form."""
        kernels = sys.modules["lath.bots.compiled.kernels"]
        if self.s is not None:
            for code in self._told:
                if self.s[arrays.WINNER] == arrays.OPEN and 0 <= code < self.t[arrays.CODES]:
                    kernels.play(self.t, self.s, code)
        self._told = []
        if self._game is not board.game or self.s[arrays.KEY] != arrays.signed(board.key):
            self.t, self.s = numbers_of(board)
            self.moves = room_for_moves(self.t)
            self._game = board.game


class CompiledAlphaBeta(AlphaBeta):
    """An `AlphaBeta` with `FastBoard.lean`, compiled below the first move.

    It finds the same moves with the same nodes, except when its table replaces other entries.
    """

    def __init__(
        self, chance: Random | None = None, size: int = 300_000, *, is_blind: bool = False
    ) -> None:
        """Take the same arguments as `AlphaBeta`. Raises ColdError without compiled code.

        With `is_blind`, the search makes no guesses: the value is 0 if it does not see the end.
        """
        _, self._compiled = load(is_patient=True)
        self._is_blind: Final = is_blind
        super().__init__(chance=chance, size=size)

    def forget(self) -> None:
        """Forget everything, as for another game."""
        import numpy as np  # from an extra

        super().forget()
        rows = 1 << (4 * self.size).bit_length() - 1
        self._rows: Any = np.zeros((rows, 5), dtype=np.int64)
        self._table = _Rows(self._rows)  # type: ignore[assignment]  # read only by key
        self._ranks: Any = None
        self._told: Any = np.zeros(8, dtype=np.int64)
        self._told[self._compiled.IS_BLIND] = self._is_blind
        self._arrays = _Followed()

    @property
    def is_blind(self) -> bool:
        """Return True if the search makes no guesses."""
        return self._is_blind

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
        import numpy as np  # from an extra

        self._settle(board)
        self._arrays.stand(board)
        if self._ranks is None:
            self._ranks = np.zeros(len(board.moves), dtype=np.int64)
        with _Watch(budget, self._told):
            return super().run(board, budget, tell, depth)

    def _step(self, board: FastBoard, code: int) -> None:
        super()._step(board, code)
        sys.modules["lath.bots.compiled.kernels"].play(self._arrays.t, self._arrays.s, code)

    def _back(self, board: FastBoard) -> None:
        super()._back(board)
        sys.modules["lath.bots.compiled.kernels"].undo(self._arrays.t, self._arrays.s)

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
        told, arrays, names = self._told, self._arrays, self._compiled
        told[names.LEFT] = _HUGE if budget.nodes is None else budget.nodes - budget.used
        told[names.USED] = told[names.IS_GUESSED] = 0
        score = int(
            names.after(
                arrays.t,
                arrays.s,
                code,
                depth,
                alpha,
                beta,
                floor,
                self._rows,
                self._ranks,
                arrays.moves,
                0,
                told,
            )
        )
        budget.count(int(told[names.USED]))
        self._guessed |= int(told[names.IS_GUESSED])
        if score == names.UNFINISHED:
            raise OutOfBudgetError
        return score


class _Rows:
    """The table of a search with the interface of `AlphaBeta`'s dict."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def get(self, key: int) -> tuple[int, int, int, int] | None:
        """Return depth, kind, score and best move of a state, if it is known."""
        row = self._rows[key & len(self._rows) - 1]
        if not row[2] or int(row[0]) % (1 << 64) != key:
            return None
        return int(row[1]), int(row[2]) - 1, int(row[3]), int(row[4])


class _Watch:
    """Stops a search from another thread when its budget is used up."""

    def __init__(self, budget: SearchBudget, told: Any) -> None:
        self._budget, self._told = budget, told
        self._is_over = threading.Event()

    def __enter__(self) -> None:
        self._told[0] = self._budget.is_over()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
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
        _, self._compiled = load(is_patient=True)
        super().__init__(chance, exploration=exploration, size=size)
        self.forget()

    def forget(self) -> None:
        """Forget everything, as for another game."""
        import numpy as np  # from an extra

        super().forget()
        rows = 4 * self.size
        self._tree = np.empty((rows, self._compiled.COLUMNS), dtype=np.int32)
        self._scores = np.empty(rows)
        self._keys: Any = np.empty(rows, dtype=np.int64)
        self._told: Any = np.zeros(8, dtype=np.int64)
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
        import numpy as np  # from an extra

        names, told, arrays = self._compiled, self._told, self._arrays
        arrays.stand(board)
        root = self._row(board)
        path: Any = np.zeros(len(board.moves) + 3, dtype=np.int64)
        random = seed_of(self.chance)
        is_careful = type(board).rollout is FastBoard.rollout
        tree = (self._tree, self._scores, self._keys)
        batch = 16
        if not self._tree[root, names.MANY]:
            names.grow(arrays.t, arrays.s, random, *tree, root, arrays.moves, told)
        with _Watch(budget, told):
            while self._tree[root, names.PROOF] < 0 and not budget.is_over():
                left = _HUGE if budget.nodes is None else budget.nodes - budget.used
                if left <= 0:
                    break
                told[names.LEFT], told[names.USED] = min(batch, left), 0
                began_s = monotonic()
                names.games(
                    arrays.t,
                    arrays.s,
                    random,
                    *tree,
                    root,
                    self.exploration,
                    is_careful,
                    arrays.moves,
                    path,
                    told,
                )
                budget.count(int(told[names.USED]))
                if monotonic() - began_s < _MS:
                    batch *= 2
                if budget.is_due():
                    tell(self._told_of(board, root, budget))
        return self._told_of(board, root, budget)

    def _row(self, board: FastBoard) -> int:
        """Return the row of the board's state: one of the last tree, or the first row."""
        names, tree, at = self._compiled, self._tree, self._at
        for code in self._moves:
            if at >= 0:
                children = range(tree[at, names.BEGINS], sum(tree[at, [names.BEGINS, names.MANY]]))
                at = next((row for row in children if tree[row, names.CODE] == code), -1)
        self._moves = []
        is_known = self._game is board.game
        if at >= 0 and tree[at, names.MANY]:
            is_known &= int(self._keys[at]) % (1 << 64) == board.key
        if at < 0 or not is_known or self._told[names.HELD] > len(tree) // 2:
            at = 0
            tree[0] = -1, 1 - board.to_move, 0, 0, 0, -1
            self._scores[0] = 0
            self._told[names.HELD] = 1
        tree[at, names.PROOF] = -1
        self._at, self._game = at, board.game
        return at

    def _told_of(self, board: FastBoard, root: int, budget: SearchBudget) -> SearchResult:
        names, tree = self._compiled, self._tree
        line: list[int] = []
        node = root
        while tree[node, names.MANY] and len(line) < 12:
            begins = int(tree[node, names.BEGINS])
            node = max(range(begins, begins + int(tree[node, names.MANY])), key=self._worth)
            line.append(node)
        if not line:  # the tree has no room for the first moves
            return SearchResult(board.moves[board.legal()[0]], nodes=budget.used)
        best = line[0]
        visits, proof = int(tree[best, names.VISITS]), int(tree[best, names.PROOF])
        games, points = int(tree[root, names.VISITS]), float(self._scores[root])
        if tree[root, names.MOVER] != tree[best, names.MOVER]:
            points = games - points
        mean = estimate(float(self._scores[best]), visits, points, games)
        if proof >= 0:
            mean = 0.5 if proof == DRAW else float(proof == tree[best, names.MOVER])
        winner, mover = int(tree[root, names.PROOF]), int(tree[best, names.MOVER])
        return SearchResult(
            board.moves[tree[best, names.CODE]],
            2 * mean - 1,
            proof=None if winner < 0 else proof_of(winner, mover),
            depth=len(line),
            nodes=budget.used,
            line=[board.moves[tree[row, names.CODE]] for row in line],
        )

    def _worth(self, row: int) -> tuple[float, int]:
        """Return the sort key for the choice of a move: proof, then visits."""
        _, mover, visits, _, _, proof = map(int, self._tree[row])
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
        whole_folder()
    except ColdError as error:
        return f"{IN_PYTHON} ({error.why})"
    return COMPILED


def main(words: list[str]) -> int:
    """Compile what is missing and print the time, or check whether that is needed."""
    began_s = perf_counter()
    try:
        if words == ["--check"]:
            print(f"compiled, in {whole_folder()}")  # noqa: T201 - a command
            return 0
        if words == [_ANEW]:
            _compiled(is_anew=True)
        load(is_patient=True)
    except ColdError as error:
        if words or not error.can_compile:
            print(error, file=sys.stderr)  # noqa: T201 - a command
            return COLD if error.can_compile else 1
        # The code is complete but cannot be loaded: a new process compiles it again.
        again = [sys.executable, "-P", "-m", "lath.bots.compiled", _ANEW]
        os.execv(again[0], again)  # noqa: S606 - Python itself
    print(f"ready after {perf_counter() - began_s:.1f} s")  # noqa: T201 - a command
    return 0


def load(*, is_patient: bool = False) -> tuple[ModuleType, ModuleType]:
    """Return `lath.bots.compiled.kernels` and `lath.bots.compiled.search`. Raises ColdError.

    With `is_patient`, they are compiled if necessary, which takes about a minute.
    """
    if MODULES:
        return MODULES[0]
    try:
        folder = whole_folder()
    except ColdError as error:
        if not (is_patient and error.can_compile):
            raise
        return _compiled()
    try:
        modules = loaded(folder)
        _warm()  # load from the cache now, not while a clock runs
    except Exception as error:  # numba can raise anything for complete files
        MODULES.clear()
        remedy = f" ({type(error).__name__}: {error}); run {COMMAND} to compile it again"
        words = "the compiled code cannot be loaded"
        raise ColdError(words, remedy, can_compile=True) from error
    for module in modules:
        for one in vars(module).values():
            if getattr(
                one, "signatures", None
            ):  # called from Python, always with values of these types
                one.disable_compile()
    return modules
