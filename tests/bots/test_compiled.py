"""The compiled form plays as the boards for searches do, and searches as the Python form does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from types import SimpleNamespace

import pytest
from compiled_boards import CompiledBoard
from exhaustive import ends_of
from families import ALL, INSTALLED
from places import ROOT
from walks import drawn_start, some_position

from lath import games
from lath.bots.compiled import code_folder, searches
from lath.bots.compiled.code_folder import ColdError
from lath.bots.compiled.searches import CompiledAlphaBeta, CompiledUct
from lath.bots.learned.patterns import Learned, patterns_of
from lath.bots.results import Oversight, SearchBudget
from lath.bots.search import FINISH, PARTS, AlphaBeta, Evaluate, blind, judged
from lath.games.core import Game
from lath.games.fast import FastBoard, fast_board

pytestmark = pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")

SMALL = ("surikata", "yavalath:size=3", "manalath:size=3", "mammalath:size=4")
PLAYOUTS = 250
STRANGE = str(ROOT / "examples" / "games" / "order_and_chaos.py")


def ids_of(game: Game) -> str:
    return game.id


def has_form(game: Game) -> bool:
    return fast_board(game.start()).tables() is not None


ALL_COMPILED = [game for game in ALL if has_form(game)]
OURS = [game for game in INSTALLED if has_form(game)]


def assert_same(ours: CompiledBoard, board: FastBoard) -> None:
    assert (ours.to_move, ours.winner, ours.key) == (board.to_move, board.winner, board.key)
    assert ours.legal() == board.legal()
    assert ours.candidates() == board.candidates()
    if board.winner is None:
        assert ours.lean() == pytest.approx(board.lean())


@pytest.mark.parametrize("game", ALL_COMPILED, ids=ids_of)
def test_a_compiled_board_is_what_the_board_is_there_and_back(game: Game) -> None:
    for seed in range(2):
        chance = Random(seed)
        board = fast_board(drawn_start(game, seed))
        ours, plies = CompiledBoard(board), 0
        while board.winner is None:
            assert_same(ours, board)
            assert_same(CompiledBoard(board), board)
            code = chance.choice(board.candidates() if seed else board.legal())
            board.play(code)
            ours.play(code)
            plies += 1
        for _ in range(plies):
            assert_same(ours, board)
            board.undo()
            ours.undo()
        assert_same(ours, board)
        with pytest.raises(IndexError):
            ours.undo()


@pytest.mark.parametrize("game", OURS, ids=ids_of)
def test_compiled_playouts_are_random_games(game: Game) -> None:
    board = fast_board(some_position(game, 2, 2))
    for is_careful in (False, True):
        ours, chance = CompiledBoard(board), Random(1)
        plain = board.careful_playout if is_careful else board.playout
        samples = [
            [ours.playout(chance, is_careful=is_careful) for _ in range(PLAYOUTS)],
            [plain(chance) for _ in range(PLAYOUTS)],
        ]
        assert_same(ours, board)
        for of in (lambda one: float(one[1]), lambda one: float(one[0] == 0)):
            mine, theirs = [list(map(of, sample)) for sample in samples]
            error = (stdev(mine) ** 2 / PLAYOUTS + stdev(theirs) ** 2 / PLAYOUTS) ** 0.5
            assert abs(fmean(mine) - fmean(theirs)) < 4 * error


@pytest.mark.parametrize("game", OURS, ids=ids_of)
def test_searches_find_the_same_in_both_forms_and_by_seed_and_stop_when_late(game: Game) -> None:
    boards = [fast_board(some_position(game, 1, plies)) for plies in (0, 6, 14)]
    estimates: list[Evaluate] = [judged, blind]
    patterns, chance = patterns_of(boards[0], 3), Random(1)
    weights = [chance.randint(-900, 900) for _ in range(patterns.weights)]
    estimates.append(Learned(patterns, weights))
    unseen = frozenset(code for code in range(len(boards[0].moves)) if chance.random() < 0.4)
    oversight = Oversight(unseen, 0.3, chance.getrandbits(64))
    ways = [*((parts, None) for parts in (*range(FINISH + 1), PARTS)), (0, oversight)]
    for board, evaluate, (parts, own) in product(boards, estimates, ways):
        if board.winner is None:
            kinds: tuple[type[AlphaBeta], ...] = (AlphaBeta, CompiledAlphaBeta)
            both = [kind(evaluate, Random(3), 4000, parts) for kind in kinds]
            for each in both:
                each.oversight = own
            plain, ours = (each.run(board, SearchBudget(nodes=400)) for each in both)
            assert ours == plain, (parts, own)
    board = fast_board(drawn_start(game, 1))
    one, other = (
        CompiledUct(Random(3), size=5000).run(board, SearchBudget(nodes=90)) for _ in range(2)
    )
    assert one == other
    assert one.nodes == 90
    for search in (CompiledAlphaBeta(size=2000), CompiledUct(Random(1), size=5000)):
        found = search.run(board, SearchBudget(is_late=lambda: True))
        assert found.nodes == 0
        assert found.move in board.position().legal_moves()


@pytest.mark.parametrize("game_id", SMALL)
def test_the_compiled_prove_what_exhaustive_search_finds(game_id: str) -> None:
    looked_at = 0
    game = games.get(games.named(game_id))
    for position, value in ends_of(game, 0) + ends_of(game, 1) + ends_of(game, 2):
        board = fast_board(position)
        for search in (CompiledAlphaBeta(size=2000), CompiledUct(Random(1), size=5000)):
            found = search.run(board, SearchBudget(nodes=20_000))
            assert found.proof is not None, position.text()
            assert (found.value > 0) - (found.value < 0) == value
        looked_at += 1
    assert looked_at >= 2


def test_a_compiled_search_ends_when_somebody_says_so_meanwhile() -> None:
    board = fast_board(games.get("yavalath").start())
    for search in (CompiledAlphaBeta(), CompiledUct(Random(1))):
        # On a busy machine the first questions come before there is a node.
        for times in (2, 20, 200, 2000):
            questions = iter(range(times))
            found = search.run(board, SearchBudget(is_late=lambda: next(questions, None) is None))  # noqa: B023
            if found.nodes:
                break
        assert found.nodes > 0


def test_a_game_without_tables_is_searched_in_python() -> None:
    position = games.get(games.named(STRANGE)).start()
    assert not searches.is_ready(position, "auto")
    with pytest.raises(ColdError, match="no compiled form"):
        CompiledBoard(fast_board(position))


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the file where compiled code would be; nothing is loaded, and nothing there.

    By private names: to compile takes half a minute, and no program is started for each case.
    """
    monkeypatch.setattr(searches, "_LOADED", [])
    files = [tmp_path / "a" / "fast", tmp_path / "b" / "fast"]
    monkeypatch.setattr(code_folder, "possible_files", lambda: files)
    searches._say_once.cache_clear()
    return files[0]


def kept(file: Path) -> Path:
    """Return a file as the command that compiles leaves it, but for the code."""
    file.parent.mkdir()
    code_folder.store(file, b"code")
    return file


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "it is cut": lambda held: held[:-1],
    "it is empty": lambda _: b"",
    "it has only a digest": lambda held: held[:32],
    "a bit of the code is another": lambda held: held[:-1] + b"f",
    "a bit of the digest is another": lambda held: bytes([held[0] ^ 1]) + held[1:],
    "it is longer": lambda held: held + b"s",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_code_that_is_damaged_is_not_loaded_and_that_is_said_once(
    damage: str, cold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    position = games.get("yavalath").start()
    kept(cold)
    assert searches.form() == "compiled"
    cold.write_bytes(DAMAGE[damage](cold.read_bytes()))
    for _ in range(2):
        assert not searches.is_ready(position, "auto")
    said = capsys.readouterr().err
    assert said.count("plays in Python: the compiled code is damaged") == 1
    assert searches.form() == "Python (the compiled code is damaged)"
    assert searches.main(["--check"]) == searches.COLD
    with pytest.raises(ColdError, match=r"-m lath\.bots\.compiled to compile it"):
        searches.is_ready(position, "on")  # rather than to compile while a game waits


def test_code_that_cannot_be_loaded_is_not_used_either(
    cold: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept(cold)

    def fails(_: bytes) -> None:
        raise RuntimeError("no object code")

    monkeypatch.setattr(searches, "loaded", fails)
    assert not searches.is_ready(games.get("yavalath").start(), "auto")
    assert "cannot be loaded (RuntimeError: no object code); " in capsys.readouterr().err


def test_who_is_told_not_to_or_has_nothing_compiled_plays_in_python(
    cold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    position = games.get("yavalath").start()
    assert not searches.is_ready(position, "off")
    assert not searches.is_ready(position, "auto")
    assert not searches.is_ready(position, "auto")
    assert capsys.readouterr().err.count("the code is not compiled yet") == 1
    assert searches.form() == "Python (the code is not compiled yet)"
    with pytest.raises(ColdError, match="the code is not compiled yet"):
        searches.is_ready(position, "on")
    assert not cold.exists()


@pytest.mark.parametrize("is_read_only", [False, True])
def test_what_is_compiled_takes_the_place_of_what_was_damaged(
    is_read_only: bool, cold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(cold).write_bytes(b"")
    where = cold
    if is_read_only:
        monkeypatch.setattr("os.access", lambda path, _: path != cold.parent)
        where = cold.parents[1] / "b" / "fast"
    functions = SimpleNamespace()
    monkeypatch.setattr(searches, "object_code", lambda: b"new")
    monkeypatch.setattr(searches, "loaded", lambda _: functions)
    assert searches.load(is_patient=True) is functions
    assert code_folder.whole_file() == (where, b"new")
    assert [path.name for path in where.parent.iterdir()] == [where.name]


QUICK = """
import sys
from random import Random
from lath import games
from lath.bots import alphabeta, mcts, solver
from lath.bots.results import SearchBudget
from lath.games.fast import fast_board

options = {"hash": 1000, "tree": 1000, "exploration": 40, "fast": "on"}
for game in ("surikata", "manalath"):
    for bot in (alphabeta, mcts, solver):
        board = fast_board(games.get(game).start())
        search = bot.search_for(board.position(), Random(1), options)
        search.run(board, SearchBudget(nodes=50), lambda _: None)
print([name for name in ("numba", "numpy") if name in sys.modules])
"""


def test_a_bot_with_compiled_code_never_imports_numba() -> None:
    searches.load(is_patient=True)
    ran = subprocess.run(
        [sys.executable, "-P", "-c", QUICK], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == ("[]\n", "")
