"""The command that learns the weights of patterns from games of a search with itself.

    python -m lath.bots.compiled.learning yavalath --length 5 --games 5000 --rounds 4

Each game begins with random moves. The search plays on until it proves the winner. A logistic
regression then finds the weights that predict the winner from the positions. In the next round the
search plays with these weights, and its values count as much as the results. The weights are
written to `bots/learned/weights/` or to `--output`.
"""

from __future__ import annotations

import argparse
import json
import sys
from math import exp
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, Final

import numpy as np

import lath.bots.learned
from lath import games
from lath.bots.compiled.searches import CompiledAlphaBeta
from lath.bots.learned.patterns import UNIT, Learned, Patterns, held_on, patterns_of, swapped
from lath.bots.results import SearchBudget
from lath.bots.search import PARTS, Evaluate, judged
from lath.games.capabilities import version_of
from lath.games.core import Game
from lath.games.fast import DRAW, fast_board

STEPS: Final = 400
"""The steps of the regression."""

RATE: Final = 0.03
"""The first size of a step, in units of the logarithm of the odds; it decreases to 0."""

DECAY: Final = 3e-5
"""The weight of the squares of the weights, which keeps rare patterns near 0."""

Sample = tuple[list[int], int, float]
"""The content of each cell, the side to move, and its score from 0 to 1."""


def played(game: Game, evaluate: Evaluate, chance: Random, nodes: int, most: int) -> list[Sample]:
    """Return the positions of a game that begins with up to `most` random moves.

    Positions with a forced move are left out, because a search continues after it. A score is the
    result of the game, or with learned weights the mean of the result and of the search's value.
    """
    board = fast_board(game.start(game.draw_setup(chance.getrandbits(32))))
    for _ in range(chance.randint(1, most)):
        if board.winner is None:
            board.play(chance.choice(board.candidates()))
    search = CompiledAlphaBeta(evaluate, chance, 5_000, PARTS)
    met: list[tuple[list[int], int, float]] = []
    winner = board.winner
    while winner is None:
        found = search.run(board, SearchBudget(nodes=nodes))
        if found.proof is None and len(board.candidates()) > 1:
            met.append((held_on(board), board.to_move, found.value))
        code = board.code(found.move)
        if found.proof is not None:
            winner = DRAW if found.proof.value == 0 else board.to_move
            winner = 1 - board.to_move if found.proof.value < 0 else winner
            break
        board.play(code)
        search.played(code)
        winner = board.winner
    samples = []
    for held, side, value in met:
        score = 0.5 if winner == DRAW else float(winner == side)
        if isinstance(evaluate, Learned):
            score = (score + expected(value)) / 2
        samples.append((held, side, score))
    return samples


def expected(value: float) -> float:
    """Return the expected score for a value of `Learned`.

    >>> round(expected(0.0), 3), round(expected(-1 / 3), 3)
    (0.5, 0.269)
    """
    odds = 2 * value / (1 - min(abs(value), 0.99))
    return 1 / (1 + exp(-odds))


def regression(patterns: Patterns, samples: list[Sample], before: Any) -> Any:
    """Return the weights that predict the scores best, in units of the logarithm of the odds.

    A twentieth of the samples is set aside, and the loss there is printed. Steps are those of Adam
    (Kingma and Ba 2015).
    """
    held = np.array([held for held, _, _ in samples])
    seconds = np.array([side for _, side, _ in samples]) == 1
    held[seconds] = np.array(swapped(patterns.states, 1))[held[seconds]]
    powers: Any = patterns.states ** np.arange(patterns.length - 1, -1, -1)
    places = held[:, np.array(patterns.rows)] @ powers + np.array(patterns.starts)
    scores = np.array([score for _, _, score in samples])
    apart, twins = len(samples) // 20, np.array(patterns.twins())
    known, told = places[apart:], scores[apart:]
    weights, slope, square = before.copy(), np.zeros_like(before), np.zeros_like(before)
    for step in range(1, STEPS + 1):
        off: Any = (1 / (1 + np.exp(-weights[known].sum(axis=1))) - told) / len(known)
        spread: Any = np.repeat(off, known.shape[1])
        gradient = np.bincount(known.ravel(), spread, len(weights)) + DECAY * weights
        gradient = (gradient + gradient[twins]) / 2
        slope = 0.9 * slope + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        size = RATE * (1 - (step - 1) / STEPS)
        ahead = slope / (1 - 0.9**step)
        weights = weights - size * ahead / (np.sqrt(square / (1 - 0.99**step)) + 1e-9)
    for name, some in (("learned", slice(apart, None)), ("set aside", slice(apart))):
        guess, score = 1 / (1 + np.exp(-weights[places[some]].sum(axis=1))), scores[some]
        loss = -np.mean(score * np.log(guess) + (1 - score) * np.log(1 - guess))
        say(f"{name}: {len(score)} positions, loss {loss:.4f}")
    return weights


def whole(weights: Any) -> list[int]:
    """Return weights in 1/`UNIT`."""
    numbers: list[int] = np.round(UNIT * weights).astype(int).tolist()
    return numbers


def written(game: Game, patterns: Patterns, weights: Any) -> str:
    """Return the file of weights: only the runs of weights that are not 0."""
    runs: list[tuple[int, list[int]]] = []
    for place, weight in enumerate(whole(weights)):
        if weight == 0:
            continue
        if not runs or runs[-1][0] + len(runs[-1][1]) != place:
            runs.append((place, []))
        runs[-1][1].append(weight)
    told = {"rules": version_of(game), "length": patterns.length, "weights": runs}
    return json.dumps(told, separators=(",", ":")) + "\n"


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201 - a command


def main() -> int:
    """Learn, and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("--length", type=int, default=5, help="the cells of a row")
    parser.add_argument("--games", type=int, default=6000, help="games per round")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=600, help="nodes per move")
    parser.add_argument("--opening", type=int, default=10, help="the most random moves of a game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    game = games.get(options.game)
    board = fast_board(game.start(game.draw_setup(1)))
    patterns = patterns_of(board, options.length)
    weights = np.zeros(patterns.weights)
    evaluate: Evaluate = judged
    samples: list[Sample] = []
    for turn in range(options.rounds):
        began_s = perf_counter()
        samples = samples[len(samples) // 2 :]  # the latest games are the best ones
        for number in range(options.games):
            chance = Random(f"{options.seed} {turn} {number}")
            samples += played(game, evaluate, chance, options.nodes, options.opening)
        say(f"round {turn + 1}: {options.games} games, {perf_counter() - began_s:.0f} s")
        Random(turn).shuffle(samples)
        weights = regression(patterns, samples, weights)
        evaluate = Learned(patterns, whole(weights))
        shipped = Path(lath.bots.learned.__file__).with_name("weights")
        out = options.output or shipped / f"{game.id}.json"
        out.write_text(written(game, patterns, weights), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
