"""A bot that plays random games: a tree of promising moves, with proofs of wins and losses."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from lath.bots.compiled.searches import FAST, CompiledUct, form, is_ready
from lath.bots.options import Spin
from lath.bots.sdk import run
from lath.bots.searcher import LEVEL, Searcher
from lath.bots.uct import Uct
from lath.games.core import Position

EXPLORATION: Final = Spin("exploration", 40, 0, 400)
"""The weight of rarely tried moves, in hundredths."""

TREE: Final = Spin("tree", 300_000, 1_000, 10_000_000)
"""The most moves in the tree, about 150 bytes each."""


def search_for(position: Position, chance: Random, options: Mapping[str, Any]) -> Uct:
    """Return the compiled search if it is available, or else the one in Python."""
    exploration, size = options["exploration"] / 100, options["tree"]
    if is_ready(position, options.get(FAST.name, FAST.default)):
        return CompiledUct(chance, exploration, size)
    return Uct(chance, exploration=exploration, size=size)


BOT: Final = Searcher(search_for)

if __name__ == "__main__":
    run(BOT, name="MCTS", version=form(), options=[LEVEL, EXPLORATION, TREE, FAST])
