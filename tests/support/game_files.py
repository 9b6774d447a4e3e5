"""A game file, and versions of it with other rules."""

from __future__ import annotations

import os
from pathlib import Path

from places import ROOT

from lath.games import core, files
from lath.notation.rules import quick_check, replay

EXAMPLES = ROOT / "examples" / "games"
EXAMPLE = EXAMPLES / "order_and_chaos.py"

OTHER_RULES = EXAMPLE.read_text(encoding="utf-8").replace("board.lines(5)", "board.lines(4)")
"""The example with four in line to win."""

FIVE_IN_LINE = "xa1 oa2 xb1 oa3 xc1 oa4 xd1 xf6 xe1"


THREE_VERSIONS = """
from lath.games.yavalath import Yavalath


class Mine(Yavalath):
    id = "of-three-versions"
    title = "Mine"
    rules = "3"


class Second(Mine):
    rules = "2"

    def __init__(self, size=5, win=5, lose=3):
        super().__init__(size, win, lose)


class Third(Mine):
    earlier = {"2": Second()}


GAME = Third()
"""
"""A game with four in line since version 3 and five before; version 1 no longer exists."""


def write_game(folder: Path, text: str = EXAMPLE.read_text(encoding="utf-8")) -> Path:
    """Write a game file into a folder, as its author would, and return its path."""
    path = folder / "mygame.py"
    path.write_text(text, encoding="utf-8")
    return path


def forget_games() -> None:
    """Forget the added game types, so that this process is like a new one.

    The results of trials remain valid.
    """
    from lath.reports.counting import openings  # loaded in every test run

    os.environ.pop(files.VARIABLE, None)
    files._ADDED.clear()
    for cached in (core._ways_to_least, quick_check._start, openings._own_start):
        cached.cache_clear()
    openings._start.cache_clear()
    replay._SPELLINGS.clear()
