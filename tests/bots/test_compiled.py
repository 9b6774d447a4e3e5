"""The compiled form plays as the boards for searches do, and searches as the Python form does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from types import ModuleType

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
from lath.bots.search import AlphaBeta, SearchBudget, blind
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
    boards = (fast_board(some_position(game, 1, plies)) for plies in (0, 6, 14))
    for board in (board for board in boards if board.winner is None):
        plain = AlphaBeta(chance=Random(3)).run(board, SearchBudget(nodes=400))
        assert CompiledAlphaBeta(Random(3)).run(board, SearchBudget(nodes=400)) == plain
        unseeing = AlphaBeta(evaluate=blind, chance=Random(3)).run(board, SearchBudget(nodes=400))
        ours = CompiledAlphaBeta(Random(3), is_blind=True)
        assert ours.run(board, SearchBudget(nodes=400)) == unseeing
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
    """Return the folder where compiled code would be; nothing is loaded, and nothing there.

    By private names: to compile takes a minute, and no program is started for each case.
    """
    monkeypatch.setattr(searches, "MODULES", [])
    for module in (searches, code_folder):
        monkeypatch.setattr(module, "possible_folders", lambda: [tmp_path / "a", tmp_path / "b"])
    searches._say_once.cache_clear()
    return tmp_path / "a"


def kept(folder: Path) -> Path:
    """Return a folder as the command that compiles leaves it, but for what is in its files."""
    (folder / "bots").mkdir(parents=True)
    (folder / "bots" / "after.nbi").write_bytes(b"index")
    (folder / "bots" / "after.nbc").write_bytes(b"code")
    (folder / code_folder.WHOLE).write_bytes(code_folder.digests_in(folder))
    return folder


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a file is cut": lambda folder: (folder / "bots" / "after.nbc").write_bytes(b"co"),
    "a file is empty": lambda folder: (folder / "bots" / "after.nbi").write_bytes(b""),
    "a bit is another": lambda folder: (folder / "bots" / "after.nbc").write_bytes(b"cnde"),
    "a file is gone": lambda folder: (folder / "bots" / "after.nbc").unlink(),
    "a file is new": lambda folder: (folder / "bots" / "play.nbc").write_bytes(b"code"),
    "the list is empty": lambda folder: (folder / code_folder.WHOLE).write_bytes(b""),
    "the list is no list": lambda folder: (folder / code_folder.WHOLE).write_bytes(b"\xff\n"),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_code_that_is_damaged_is_not_loaded_and_that_is_said_once(
    damage: str, cold: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    position = games.get("yavalath").start()
    kept(cold)
    assert searches.form() == "compiled"
    DAMAGE[damage](cold)
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

    def fails(_: Path) -> None:
        raise EOFError("Ran out of input")

    monkeypatch.setattr(searches, "loaded", fails)
    assert not searches.is_ready(games.get("yavalath").start(), "auto")
    assert "cannot be loaded (EOFError: Ran out of input); " in capsys.readouterr().err


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


def test_what_is_compiled_takes_the_place_of_what_was_damaged_as_a_whole(
    cold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a process that is killed meanwhile nor one that is quicker leaves half a folder."""
    (kept(cold) / "bots" / "after.nbc").write_bytes(b"")
    left = cold.with_name(f"{cold.name}.999999999")
    left.mkdir()
    modules = (searches, searches)

    def compiles(folder: Path) -> tuple[ModuleType, ModuleType]:
        assert folder.parent == cold.parent
        assert folder != cold
        (folder / "bots").mkdir()
        (folder / "bots" / "after.nbc").write_bytes(b"new")
        return modules

    monkeypatch.setattr(searches, "loaded", compiles)
    monkeypatch.setattr(searches, "_warm", lambda: None)
    assert searches.load(is_patient=True) == modules
    assert (cold / "bots" / "after.nbc").read_bytes() == b"new"
    assert code_folder.is_whole(cold)
    assert [path.name for path in cold.parent.iterdir()] == [cold.name]


FIRST_USE = """
from random import Random
from lath import games
from lath.bots.compiled.searches import CompiledAlphaBeta, CompiledUct, load
from lath.bots.search import SearchBudget as Budget
from lath.games.fast import fast_board

def read():
    return {(m.__name__, n): len(f.overloads) for m in modules for n, f in vars(m).items()
            if hasattr(f, "overloads")}

modules = load()
before = read()
for game in ("surikata", "manalath"):
    board = fast_board(games.get(game).start())
    for search in (CompiledAlphaBeta(Random(1)), CompiledUct(Random(1))):
        search.run(board, Budget(nodes=50))
print(sum(before.values()) > 0 and read() == before)
"""


def test_all_is_read_from_the_cache_before_a_clock_runs() -> None:
    searches.load(is_patient=True)
    ran = subprocess.run(
        [sys.executable, "-P", "-c", FIRST_USE], capture_output=True, text=True, check=False
    )
    assert (ran.stdout, ran.stderr) == ("True\n", "")
