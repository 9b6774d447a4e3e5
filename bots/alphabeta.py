"""A bot that searches with alpha-beta over the game's fast board.

It plays every game, and follows threats beyond the depth. It estimates positions by learned
patterns if the game has weights, or else by the board's `lean`. In a game without its own fast
board, it sees only wins and losses. It plays the moves of a book if the game has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

from lath.bots.compiled.searches import FAST, CompiledAlphaBeta, form, is_ready
from lath.bots.learned.book import booked
from lath.bots.learned.patterns import learned
from lath.bots.options import Check, Spin
from lath.bots.sdk import run
from lath.bots.search import FINISH, PARTS, THREATS, AlphaBeta, Evaluate, blind, judged
from lath.bots.searcher import LEVEL, Search, Searcher
from lath.games.core import Position

HASH: Final = Spin("hash", 300_000, 1_000, 10_000_000)
"""The number of states in the table, about 200 bytes each."""

BLIND: Final = Check("blind", False)
"""True to search only for wins and losses, depth by depth, without guesses."""

LEARNED: Final = Check("learned", True)
"""False to search without a book, learned weights, and the parts of `lath.bots.search.PARTS`."""


def search_for(position: Position, chance: Random, options: Mapping[str, Any]) -> Search:
    """Return the compiled search if it is available, or else the one in Python."""
    evaluate: Evaluate = judged
    parts = 0
    if options.get(BLIND.name, BLIND.default):
        evaluate = blind
    elif options.get(LEARNED.name, LEARNED.default):
        own = learned(position.game)
        evaluate, parts = (judged, THREATS | FINISH) if own is None else (own, PARTS)
    is_compiled = is_ready(position, options.get(FAST.name, FAST.default))
    kind = CompiledAlphaBeta if is_compiled else AlphaBeta
    search = kind(evaluate, chance, options["hash"], parts)
    return booked(search, position.game) if parts else search


BOT: Final = Searcher(search_for)

if __name__ == "__main__":
    run(BOT, name="Alpha-Beta", version=form(), options=[LEVEL, HASH, BLIND, LEARNED, FAST])
