"""A game that another distribution brings is found by its entry point and keeps the contract.

Installs `examples/plugin-breakthrough` for real, in a place of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from places import ROOT

from lath import games

SHOW_GAMES = """
from lath import games
game = games.get("breakthrough")
print(*games.ids())
print(game.title, game.credit, game.start().text(), sep="|")
"""

REACH_THE_LAST_ROW = """
from lath import games
from lath.games.core import follow, perft
start = games.get("breakthrough").start()
moves = "a2-a3 h7-h6 a3-a4 h6-h5 a4-a5 h5-h4 a5-a6 h4-h3 a6-b7 h3-g2 b7-c8".split()
print(perft(start, 2), follow(start, moves).outcome())
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder into which pip has installed the plugin from a copy of its source."""
    source = tmp_path_factory.mktemp("source") / "plugin"
    shutil.copytree(ROOT / "examples" / "plugin-breakthrough", source)
    target = tmp_path_factory.mktemp("site")
    install = ["install", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    run(["-m", "pip", *install, "--target", str(target), str(source)], {})
    return target


def run(arguments: list[str], environment: dict[str, str]) -> str:
    """Return what this Python prints for `arguments`; fails with its output unless it succeeds."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_without_the_plugin_there_is_no_breakthrough() -> None:
    assert "breakthrough" not in games.ids()


def test_an_installed_plugin_is_listed_after_the_builtin_games(place: Path) -> None:
    ids, game = run(["-c", SHOW_GAMES], {"PYTHONPATH": str(place)}).splitlines()
    assert ids.split() == [*games.ids(), "breakthrough"]
    assert game == "Breakthrough|Dan Troyka, 2000|bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w"


def test_an_installed_plugin_is_played_like_any_game(place: Path) -> None:
    # 22 moves each: six pieces in front have three steps, the two at the edges two.
    output = run(["-c", REACH_THE_LAST_ROW], {"PYTHONPATH": str(place)})
    assert output.startswith("484 Outcome(winner=<Seat.FIRST: 0>, ending='last row reached'")


def test_an_installed_plugin_keeps_the_contract_of_games(place: Path) -> None:
    contract = "tests/games/test_games_contract.py"
    without = ["--noconftest", *(f"-pno:{name}" for name in ("cacheprovider", "hypothesispytest"))]
    options = ["-q", *without, "-k", "breakthrough"]
    output = run(["-m", "pytest", contract, *options], {"PYTHONPATH": str(place)})
    passed = re.search(r"(\d+) passed", output)
    assert passed is not None, output
    assert int(passed[1]) > 10, output
