"""One file of a bot: what is in it, that it plays as the bot does, and what cannot be packed."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from commands import arena
from places import ROOT

from lath import games
from lath.arena.entrants.packing import MOST_LETTERS, pack
from lath.arena.errors import ConfigError
from lath.games.core import Move

GAME = """\
arena 1
new 1 yavalath side second tc nodes 30 seed 5
play 1 e5
go 2 nodes 30
play 3 i5
go 4 nodes 30
quit
"""


def said(folder: Path, *command: object, lines: str = GAME) -> list[str]:
    """Return what a program says in an empty folder, where nothing of ours can be imported."""
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    ran = subprocess.run(
        [sys.executable, *map(str, command)],
        input=lines,
        capture_output=True,
        text=True,
        cwd=empty,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


def moves_of(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("bestmove ")]


def packed(folder: Path, text: str) -> Path:
    assert len(text) < MOST_LETTERS
    path = folder / "one.py"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("module", "plays"),
    [
        ("monte_carlo", ("yavalath",)),
        ("monte_carlo", ()),
        ("mcts", ("yavalath",)),
        ("alphabeta", ("yavalath",)),
    ],
)
def test_a_packed_bundled_bot_plays_the_same_moves_by_seed_and_nodes(
    module: str, plays: tuple[str, ...], tmp_path: Path
) -> None:
    bot = ROOT / "bots" / f"{module}.py"
    one = packed(tmp_path, pack(str(bot), plays=plays))
    if module == "monte_carlo":
        assert ('unpack("""' in one.read_text()) == (not plays)
    moves = moves_of(said(tmp_path, "-IS", one))
    assert len(moves) == 2
    # What is packed plays in Python: the compiled form draws other random numbers.
    plain = GAME.replace("\nnew ", "\nsetoption name fast value off\nnew ", 1)
    assert moves == moves_of(said(tmp_path, "-P", "-m", f"lath.bots.{module}", lines=plain))


BOT = '''\
"""It finds its moves elsewhere."""

from typing import TYPE_CHECKING

import evaluation
from search.deep import find as look

try:
    import faster as fast
except ImportError:
    fast = None

if TYPE_CHECKING:
    import nothing_at_all

from lath.bots.sdk import run


def choose(position, turn):
    """Return the best."""
    # by what the others say
    assert fast is None
    return look(position.legal_moves(), evaluation.WORTH)


run(choose, name="Found", plays=["surikata"])
'''


def test_a_bot_brings_the_files_beside_it_without_their_comments(tmp_path: Path) -> None:
    (tmp_path / "search").mkdir()
    for name, text in (
        ("mybot.py", BOT),
        ("evaluation.py", "WORTH = 3  # of all\nQUOTED = \"a '''quoted''' text\"\n"),
        ("faster.py", "import numpy_of_nobody\n"),
        ("search/__init__.py", ""),
        ("search/deep.py", "from .deeper import find\n"),
        ("search/deeper.py", "def find(moves, worth):\n    return moves[worth]\n"),
    ):
        (tmp_path / name).write_text(text)
    one = packed(tmp_path, pack(str(tmp_path / "mybot.py"), plays=["surikata"]))
    text = one.read_text()
    assert "Return the best" not in text
    assert "by what the others say" not in text
    assert "SurikataPosition" in text
    assert "YavalathPosition" not in text
    lines = "new 1 surikata side first tc none seed 1\ngo 1\nquit\n"
    third = games.get("surikata").start().legal_moves()[3]
    assert said(tmp_path, "-IS", one, lines=lines) == ["ready 1", f"bestmove 1 {third}"]


LONG = Random(1).randbytes(MOST_LETTERS).hex()
"""What cannot be made much shorter."""


def test_what_cannot_be_packed_is_said(tmp_path: Path) -> None:
    for text, words in (
        ("import numpy_of_nobody\n", r"mybot.py:1: numpy_of_nobody cannot be packed"),
        ("def f(:\n", "mybot.py: cannot be packed: invalid syntax"),
        (f"TEXT = {LONG!r}\n", "are too many, the limit is 100000"),
    ):
        (tmp_path / "mybot.py").write_text(text)
        with pytest.raises(ConfigError, match=words):
            pack(str(tmp_path / "mybot.py"))
    with pytest.raises(
        ConfigError, match="only built-in games can be packed, not chess: choose mammalath"
    ):
        pack("greedy", plays=["chess"])
    with pytest.raises(ConfigError, match="not found; expected a Python file or one of"):
        pack("nobody")
    assert "need --protocol with a contest" in arena("bot", "pack", "greedy", "--tc", "move 1").err
    clock = arena("bot", "pack", "greedy", "--protocol", "botzone", "--tc", "5+0.1")
    assert "is not a time per move" in clock.err


FIRST_TURN = (
    "2\n9\n00000\n000000\n0000000\n00000000\n000020000\n00000000\n0000000\n000000\n00000\n4 4\n"
)


def test_a_bot_that_is_packed_for_codingame_plays_as_it_does_here(tmp_path: Path) -> None:
    path = tmp_path / "one.py"
    words = ("--protocol", "codingame", "--tc", "nodes 30", "--seed", "5")
    ran = arena("bot", "pack", "monte-carlo", "-o", path, *words)
    assert (ran.status, ran.out) == (0, "")
    assert ran.err == f"{path}: {len(path.read_text())} characters\n"
    ast.parse(path.read_text())
    answer = said(tmp_path, "-IS", path, lines=FIRST_TURN)
    board = games.get("yavalath").board
    (x, y) = map(int, answer[0].split())
    cell = board.name[board.rows[y][x]]
    expected = moves_of(said(tmp_path, "-P", "-m", "lath.bots.monte_carlo"))[0]
    assert expected in (f"bestmove 2 {cell}", "bestmove 2 swap" if cell == "e5" else "")


def test_a_bot_that_is_packed_for_botzone_plays_any_game_and_runs_on(tmp_path: Path) -> None:
    bot = tmp_path / "last.py"
    bot.write_text(
        "from lath.bots.sdk import run\n"
        "run(lambda position, turn: position.legal_moves()[-1], name='Last')\n"
    )
    one = packed(tmp_path, pack(str(bot), plays=["surikata"], protocol="botzone", tc="move 1"))
    first = {"game": "surikata", "side": "second", "seed": 7, "moves": ["Mc3"]}
    history = {"requests": [first], "responses": []}
    out = said(tmp_path, "-IS", one, lines=json.dumps(history))
    move = json.loads(out[0])["response"]
    assert out[1:] == [">>>BOTZONE_REQUEST_KEEP_RUNNING<<<"]
    after = games.get("surikata").start().play(Move("Mc3")).play(Move(move))
    second = {"moves": [after.legal_moves()[0]], "go": {"ply": 4, "nodes": 3}}
    again = {"requests": [first, second], "responses": [move]}
    kept = said(tmp_path, "-IS", one, lines=f"{json.dumps(history)}\n{json.dumps(second)}\n")
    assert kept[2:] == said(tmp_path, "-IS", one, lines=json.dumps(again))
