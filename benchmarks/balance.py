"""How even random openings are: each line is played many times by alpha-beta against itself.

    python benchmarks/balance.py [--game yavalath] [--plies 8] [--lines 100] [--games 40]

Lines as `openings = "random:N"` chooses them, beside lines that are just random and that nobody has
lost at once. What is printed is how far the first seat's share of the points is off a half, the
root of the mean square over the lines, in points of a hundred. What chance alone puts there, with
so few games a line, is taken out of the square.
"""

from __future__ import annotations

import argparse
import math
from random import Random
from statistics import mean

from measure import machine

from lath import games
from lath.arena.schedule import random_openings
from lath.arena.schedule.random_openings import RandomChoice, RandomOpenings
from lath.bots.compiled.searches import CompiledAlphaBeta, CompiledUct
from lath.bots.results import SearchBudget
from lath.bots.search import AlphaBeta
from lath.bots.uct import Uct
from lath.games.core import Position, follow
from lath.games.fast import fast_board


def lines(game_id: str, plies: int, count: int, looks: int) -> list[Position]:
    """Return where so many openings lead; `looks` is from how many the most even one is taken."""
    kept, random_openings.LOOKS = random_openings.LOOKS, looks  # type: ignore[misc]
    try:
        made = RandomOpenings(RandomChoice(plies=plies), [game_id], 1, print)
        openings = [made.opening(game_id, turn) for turn in range(1, count + 1)]
    finally:
        random_openings.LOOKS = kept  # type: ignore[misc]
    ends = (follow(games.get(game_id).start(one.setup), one.moves) for one in openings)
    return [end for end in ends if end is not None]


def points(position: Position, bot: str, nodes: int, seed: int) -> float:
    """Return what the first seat makes of a position where both think alike."""
    board, chance = fast_board(position), Random(seed)
    sides: list[AlphaBeta | Uct] = [
        CompiledAlphaBeta(chance=chance, size=20_000) if bot == "alphabeta" else CompiledUct(chance)
        for _ in range(2)
    ]
    while board.winner is None:
        found = sides[board.to_move].run(board, SearchBudget(nodes=nodes))
        code = board.code(found.move)
        board.play(code)
        for side in sides:
            side.played(code)
    return (1.0, 0.0, 0.5)[board.winner]


def off_level(positions: list[Position], bot: str, nodes: int, count: int) -> tuple[float, float]:
    """Return how far the first seat is off a half, as a share, and its mean share."""
    squares, shares = [], []
    for position in positions:
        share = mean(points(position, bot, nodes, seed) for seed in range(count))
        squares.append((share - 0.5) ** 2 - share * (1 - share) / (count - 1))
        shares.append(share)
    return math.sqrt(max(0.0, mean(squares))), mean(shares)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="yavalath", choices=games.ids())
    parser.add_argument("--plies", type=int, default=8)
    parser.add_argument("--lines", type=int, default=100)
    parser.add_argument("--games", type=int, default=40, help="of each line")
    parser.add_argument("--bot", default="alphabeta", choices=["alphabeta", "mcts"])
    parser.add_argument("--nodes", type=int, default=300, help="a move")
    given = parser.parse_args()
    print(f"{machine()}; {given.game}, {given.plies} plies, {given.bot} at {given.nodes} nodes")
    for name, looks in (("just random", 1), ("chosen", random_openings.LOOKS)):
        positions = lines(given.game, given.plies, given.lines, looks)
        off, share = off_level(positions, given.bot, given.nodes, given.games)
        print(
            f"{name}: {len(positions)} lines of {given.games} games: off level by "
            f"{100 * off:.1f} points of a hundred; the first seat has {100 * share:.1f} %",
            flush=True,
        )


if __name__ == "__main__":
    main()
