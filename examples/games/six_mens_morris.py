"""Six Men's Morris; traditional.

The players place six pieces each in turn on the points of two squares. Then they move a piece along
a line to a neighbouring point. A player who makes a mill, three in line, captures a piece of the
opponent. A player with two pieces and none in hand loses, and so does a player who cannot move.
After thirty plies without a mill or a placement, the game is a draw.

A move is a point, such as `a1`, or two, such as `a1-c1`. With a mill, it names the captured piece
too: `a1xe3` or `a1-c1xe3`.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from lath.games.core import Outcome
from lath.games.points import points
from lath.games.simple import SimpleGame, State

OUTER = ["a1 c1 e1", "a5 c5 e5", "a1 a3 a5", "e1 e3 e5"]
INNER = ["b2 c2 d2", "b4 c4 d4", "b2 b3 b4", "d2 d3 d4"]
LINES = OUTER + INNER
EDGES = ["a3 b3", "d3 e3", "c1 c2", "c4 c5"]
HANDS = ("white hand", "black hand")
QUIET = 30


class SixMensMorris(SimpleGame):
    """The rules."""

    id, title, credit = "six-mens-morris", "Six Men's Morris", "traditional"
    board = points(" ".join(sorted({*" ".join(LINES).split()})), LINES, EDGES)
    facts = MappingProxyType({**dict.fromkeys(HANDS, 6), "quiet plies": 0})
    stuck = "lost"
    symmetric = "all"

    def legal(self, state: State) -> Iterator[str]:
        """Yield the placements or steps, each with every capture that its mill allows."""
        bit, board = self.board.bit, self.board
        if state.fact(HANDS[state.mover]):
            ways = [(name, state.own | bit[name]) for name in state.names(state.empty)]
        else:
            ways = [
                (f"{start}-{end}", state.own ^ bit[start] | bit[end])
                for start in state.names(state.own)
                for end in state.names(board.around(bit[start]) & state.empty)
            ]
        for way, own in ways:
            end = bit[way[-2:]]
            if any(line & end for line in board.finished(board.lines(3), own)):
                yield from (f"{way}x{taken}" for taken in state.names(state.theirs))
            else:
                yield way

    def after(self, state: State, move: str) -> State:
        """Return the position after a placement or step, and a capture."""
        way, _, taken = move.partition("x")
        start, _, end = way.partition("-")
        if end:
            after = state.step(start, end).add("quiet plies", 1)
        else:
            after = state.put(start).add(HANDS[state.mover], -1)
        return after.take(taken).set("quiet plies", 0) if taken else after

    def ending(self, state: State) -> Outcome | None:
        """Return that the player to move has too few pieces, or that nothing happens any more."""
        left = state.own.bit_count() + state.fact(HANDS[state.mover])
        if left < 3:
            return state.won("two pieces left")
        return state.drawn("thirty quiet plies") if state.fact("quiet plies") >= QUIET else None


GAME = SixMensMorris()
