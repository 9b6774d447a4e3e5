"""Which oversight and how many nodes make the levels of a game type equally far apart.

    python benchmarks/levels.py [--game yavalath] [--games 40]

Players that get stronger step by step, from random moves to full strength, play against the next
ones in this process. A fit of their Elo, smooth along the steps, says where the levels are. What is
printed belongs into `LEVELS` of `lath.bots.searcher`; `benchmarks/strength.py --ladder` then
measures how far apart the levels really are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from math import exp, log, log10
from random import Random
from typing import Final, NamedTuple

from ablation import opened
from measure import machine
from strength import TOPS

from lath import games
from lath.bots import alphabeta, mcts
from lath.bots.alphabeta import HASH
from lath.bots.mcts import EXPLORATION, TREE
from lath.bots.results import SearchBudget
from lath.bots.searcher import Search, weaker
from lath.games.core import Game, Move, Position
from lath.games.fast import fast_board
from lath.reports.ratings.numerics import cholesky, solve, zeros

OVERSIGHTS: Final = (0.98, 0.95, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07)
NODES: Final = (10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200)
OPTIONS: Final = (HASH, EXPLORATION, TREE)

PATH: Final = (
    *zip(OVERSIGHTS, NODES, strict=True),
    *((0.05, 250), (0.03, 300), (0.02, 400), (0.01, 600), (0.003, 800), (0.0, 1000)),
    *((0.0, 2000), (0.0, 4000)),
)
"""The oversight and the nodes of the players between random moves and full strength."""

FURTHER: Final = (1, 2, 4)
"""How much stronger the opponents of a player are, in steps."""

STEP: Final = 400 * log10(0.75 / 0.25)
"""The Elo between two levels, of which the higher one scores 75%."""

STIFFNESS: Final = 1.0
"""The weight of a bend of the Elo along the steps, against the logarithm of the likelihood."""

Player = Callable[[Position, Random], Move]


class Meeting(NamedTuple):
    """The games of two players, by their places."""

    below: int
    above: int
    score: float
    """The share of the points of the stronger one."""


def players(game: Game) -> list[Player]:
    """Return the players, the weakest first."""

    def searching(oversight: float, nodes: int) -> Player:
        return lambda position, chance: (
            weaker(position, chance, oversight, nodes)
            .run(fast_board(position), SearchBudget(nodes=nodes), lambda _: None)
            .move
        )

    def top(position: Position, chance: Random) -> Move:
        bot, nodes = TOPS[game.id]
        make: Callable[..., Search] = {"alphabeta": alphabeta, "mcts": mcts}[bot].search_for
        search = make(position, chance, {one.name: one.default for one in OPTIONS})
        budget = SearchBudget(nodes=nodes)
        return search.run(fast_board(position), budget, lambda _: None).move

    return [
        lambda position, chance: chance.choice(position.legal_moves()),
        *(searching(*step) for step in PATH),
        top,
    ]


def score(game: Game, above: Player, below: Player, count: int, seed: str) -> float:
    """Return the share of the points of the first player."""
    total = 0.0
    for number in range(count):
        chance = Random(f"levels {seed} {number // 2}")
        position = game.start(game.draw_setup(chance.getrandbits(32)))
        moves = fast_board(position).moves
        for code in opened(position, chance):
            position = position.play(moves[code])
        me = position.to_move if number % 2 else position.to_move.other
        chances = Random(f"above {seed} {number}"), Random(f"below {seed} {number}")
        while (end := position.outcome()) is None:
            mine = position.to_move is me
            move = above(position, chances[0]) if mine else below(position, chances[1])
            position = position.play(move)
        total += 0.5 if end.winner is None else float(end.winner is me)
    return total / count


def fitted(meetings: Sequence[Meeting], count: int, many: int) -> list[float]:
    """Return the Elo of each player above the first, by penalised maximum likelihood.

    `count` is the number of games of a meeting, `many` that of players. The first player and the
    last one have other searches than those between, so only bends between these cost anything.
    """
    strengths = [0.0] * many
    for _ in range(30):
        slope, bends = [0.0] * many, zeros(many)
        for below, above, share in meetings:
            chance = 1 / (1 + exp(strengths[below] - strengths[above]))
            weight = count * chance * (1 - chance)
            for one, other, sign in ((above, below, 1), (below, above, -1)):
                slope[one] += sign * count * (share - chance)
                bends[one][one] += weight
                bends[one][other] -= weight
        for middle in range(2, many - 2):
            near = ((middle - 1, 1.0), (middle, -2.0), (middle + 1, 1.0))
            bend = sum(part * strengths[place] for place, part in near)
            for place, part in near:
                slope[place] -= STIFFNESS * part * bend
                for other, factor in near:
                    bends[place][other] += STIFFNESS * part * factor
        bends[0][0] += 1.0  # the sum of all strengths is free
        change = solve(cholesky(bends), slope)
        strengths = [old + new for old, new in zip(strengths, change, strict=True)]
    return [400 / log(10) * (one - strengths[0]) for one in strengths]


def levels(elos: Sequence[float]) -> list[tuple[float, int]]:
    """Return the oversight and nodes of levels that divide the Elo of the last player evenly."""
    found, count = [], round(elos[-1] / STEP)
    for level in range(1, count):
        wanted = elos[-1] * level / count
        at = max(1, min(sum(one < wanted for one in elos[1:-1]), len(PATH) - 1))
        part = max(0.0, min((wanted - elos[at]) / (elos[at + 1] - elos[at]), 1.0))
        (high, few), (low, more) = PATH[at - 1], PATH[at]
        nodes = 10 ** (log10(few) + part * log10(more / few))
        found.append((round(high + part * (low - high), 3), round(nodes)))
    return found


def main() -> None:
    """Play and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", action="append", choices=games.ids(), help="else all")
    parser.add_argument("--games", type=int, default=40, help="games of each two players, even")
    given = parser.parse_args()
    print(machine(), flush=True)
    for name in given.game or games.ids():
        game, sides = games.get(name), players(games.get(name))
        pairs = [(at, at + d) for at in range(len(sides)) for d in FURTHER if at + d < len(sides)]
        meetings = [
            Meeting(at, to, score(game, sides[to], sides[at], given.games, f"{name} {at} {to}"))
            for at, to in pairs
        ]
        elos = fitted(meetings, given.games, len(sides))
        steps = zip(("random", *PATH, "top"), elos, strict=True)
        print(", ".join(f"{step}: {elo:.0f}" for step, elo in steps))
        print(f'    "{name}": {levels(elos)},', flush=True)


if __name__ == "__main__":
    main()
