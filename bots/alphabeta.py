"""A bot that looks ahead: alpha-beta over the game's board for searches, judged by its `lean`.

It plays every game. Of a game that has no board of its own it sees wins and losses alone.
"""

from __future__ import annotations

from typing import Final

from lath.bots.options import Spin
from lath.bots.sdk import run
from lath.bots.search import AlphaBeta
from lath.bots.searcher import LEVEL, Searcher

HASH: Final = Spin("hash", 300_000, 1_000, 10_000_000)
"""States that are remembered, some 200 bytes each."""

BOT: Final = Searcher(lambda _, chance, options: AlphaBeta(chance=chance, size=options["hash"]))

if __name__ == "__main__":
    run(BOT, name="Alpha-Beta", options=[LEVEL, HASH])
