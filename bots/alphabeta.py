"""A bot that searches with alpha-beta over the game's fast board, evaluated by its `lean`.

It plays every game. In a game without its own fast board, it sees only wins and losses.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from lath.bots.compiled.searches import FAST, CompiledAlphaBeta, form, is_ready
from lath.bots.options import Check, Spin
from lath.bots.sdk import run
from lath.bots.search import AlphaBeta, blind, judged
from lath.bots.searcher import LEVEL, Searcher
from lath.games.core import Position

HASH: Final = Spin("hash", 300_000, 1_000, 10_000_000)
"""The number of states in the table, about 200 bytes each."""

BLIND: Final = Check("blind", False)
"""True to search only for wins and losses, depth by depth, without guesses."""


def search_for(position: Position, chance: Random, options: Mapping[str, Any]) -> AlphaBeta:
    """Return the compiled search if it is available, or else the one in Python."""
    is_blind = options.get(BLIND.name, BLIND.default)
    if is_ready(position, options.get(FAST.name, FAST.default)):
        return CompiledAlphaBeta(chance, options["hash"], is_blind=is_blind)
    return AlphaBeta(blind if is_blind else judged, chance, options["hash"])


BOT: Final = Searcher(search_for)

if __name__ == "__main__":
    run(BOT, name="Alpha-Beta", version=form(), options=[LEVEL, HASH, BLIND, FAST])
