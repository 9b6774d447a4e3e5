"""A bot that looks ahead: alpha-beta over the game's board for searches, judged by its `lean`.

It plays every game. Of a game that has no board of its own it sees wins and losses alone.
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
"""States that are remembered, some 200 bytes each."""

BLIND: Final = Check("blind", False)
"""Whether it guesses nothing: it looks for wins and losses alone, depth by depth."""


def search_for(position: Position, chance: Random, options: Mapping[str, Any]) -> AlphaBeta:
    """Return the search in the form that is there."""
    is_blind = options.get(BLIND.name, BLIND.default)
    if is_ready(position, options.get(FAST.name, FAST.default)):
        return CompiledAlphaBeta(chance, options["hash"], is_blind=is_blind)
    return AlphaBeta(blind if is_blind else judged, chance, options["hash"])


BOT: Final = Searcher(search_for)

if __name__ == "__main__":
    run(BOT, name="Alpha-Beta", version=form(), options=[LEVEL, HASH, BLIND, FAST])
