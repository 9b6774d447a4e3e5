"""A bot that plays random games: a tree of the promising ones, with proofs of wins and losses."""

from __future__ import annotations

from typing import Final

from lath.bots.options import Spin
from lath.bots.sdk import run
from lath.bots.search import Uct
from lath.bots.searcher import LEVEL, Searcher

EXPLORATION: Final = Spin("exploration", 40, 0, 400)
"""The weight of moves that are little known, in hundredths."""

TREE: Final = Spin("tree", 300_000, 1_000, 10_000_000)
"""Moves that it may hold, some 150 bytes each."""

BOT: Final = Searcher(
    lambda _, chance, options: Uct(
        chance, exploration=options["exploration"] / 100, size=options["tree"]
    )
)

if __name__ == "__main__":
    run(BOT, name="MCTS", options=[LEVEL, EXPLORATION, TREE])
