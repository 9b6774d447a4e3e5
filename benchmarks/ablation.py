"""What each part of the search of `alphabeta` is worth: the whole search against one without it.

    python benchmarks/ablation.py [--game yavalath] [--games 200] [--seconds 0.1] [--without PART]

The searches play in this process, one after the other, with the same time per move. Every random
opening is played twice, with both sides. A score above 50% is that of the whole search. Wilson's
95% interval takes games as independent.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from math import log10
from random import Random
from typing import Final

from measure import machine

from lath import games
from lath.bots.compiled.searches import CompiledAlphaBeta
from lath.bots.learned.patterns import learned
from lath.bots.results import SearchBudget
from lath.bots.search import ORDER, PARTS, REDUCTIONS, THREATS, WINDOWS, AlphaBeta, judged
from lath.games.core import Game, Position
from lath.games.fast import DRAW, FastBoard, fast_board
from lath.reports.counting.estimates import wilson

PLIES: Final = 4
"""The random moves of an opening."""


_BITS: Final = {
    "windows": WINDOWS,
    "order": ORDER,
    "reductions": REDUCTIONS,
    "threats": THREATS,
}


def without(game: Game, part: str) -> Callable[[Random], AlphaBeta]:
    """Return what makes the search of a game without a part; the whole one without `""`."""
    own = learned(game)
    evaluate = judged if own is None or part == "patterns" else own
    left_out = _BITS.get(part, 0)
    size = 1 if part == "table" else 300_000
    kind = AlphaBeta if part == "compiled" else CompiledAlphaBeta
    return lambda chance: kind(evaluate, chance, size, PARTS & ~left_out)


LEFT_OUT: Final[Mapping[str, str]] = {
    "patterns": "estimates from learned patterns; instead the board's own estimate",
    "windows": "null windows",
    "order": "moves tried in vain go back in the order",
    "reductions": "late moves searched less deeply",
    "threats": "threats beyond the depth",
    "table": "the table of known positions",
    "compiled": "the compiled form; instead Python",
}


def opened(start: Position, chance: Random) -> list[int]:
    """Return random moves after which nobody wins at once."""
    while True:
        board = fast_board(start)
        codes: list[int] = []
        while board.winner is None and len(codes) < PLIES:
            codes.append(chance.choice(board.candidates()))
            board.play(codes[-1])
        if board.winner is None and len(board.candidates()) > 1:
            return codes


def points(board: FastBoard, sides: Sequence[AlphaBeta], seconds: float) -> float:
    """Return the points of the first of two searches, which plays first in the rest of a game."""
    first = board.to_move
    while board.winner is None:
        search = sides[0] if board.to_move == first else sides[1]
        code = board.code(search.run(board, SearchBudget(seconds=seconds)).move)
        board.play(code)
        for each in sides:
            each.played(code)
    return 0.5 if board.winner == DRAW else float(board.winner == first)


def score(game: Game, part: str, count: int, seconds: float) -> float:
    """Return the share of the points of the whole search against one without a part."""
    total = 0.0
    for number in range(count):
        board = fast_board(game.start())
        for code in opened(game.start(), Random(f"ablation {number // 2}")):
            board.play(code)
        whole, other = (without(game, left_out)(Random(number)) for left_out in ("", part))
        is_first = number % 2 == 0
        result = points(board, (whole, other) if is_first else (other, whole), seconds)
        total += result if is_first else 1 - result
    return total / count


def elo(share: float) -> str:
    """Return the difference of Elo that a share of points stands for."""
    return "unbounded" if share in {0.0, 1.0} else f"{400 * log10(share / (1 - share)):+.0f}"


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="yavalath", choices=games.ids())
    parser.add_argument("--games", type=int, default=200, help="games for each part, even")
    parser.add_argument("--seconds", type=float, default=0.1, help="per move")
    parser.add_argument("--without", action="append", choices=LEFT_OUT, help="else each part")
    given = parser.parse_args()
    print(f"{machine()}; {given.game}, {given.seconds} s per move, {given.games} games each\n")
    print("| left out | score of the whole search | Elo |\n| --- | --- | --- |")
    for part in given.without or LEFT_OUT:
        share = score(games.get(given.game), part, given.games, given.seconds)
        low, high = wilson(share, given.games)
        told = f"{100 * share:.1f}% ({100 * low:.0f}-{100 * high:.0f})"
        print(
            f"| {LEFT_OUT[part]} | {told} | {elo(share)} ({elo(low)} to {elo(high)}) |", flush=True
        )


if __name__ == "__main__":
    main()
