"""How far from the summit `arena tune` ends, on hills that are known, at equal games.

    python benchmarks/tuning.py [--runs 40]

A hill says how many Elo points a bot is below its best by the values of its options. Each run has a
summit and a start of its own. Columns are Elo below the summit in the end, on average: of SPSA with
steps of a twentieth and of a tenth of each range, of what `arena tune` makes of the latter (by
the summit of a quadratic fit to its pairs), and of such a fit to as many pairs of trials that are
drawn from all of the range.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Sequence
from statistics import fmean

from lath.arena.schedule.sprt import score_of
from lath.arena.schedule.tuning.spsa import Spsa, TunedOption, Tuning
from lath.arena.schedule.tuning.summit import Summit

_WIDE = 1000
"""Values of an option."""

_DRAWS = 0.2
"""Of games between equals."""

_SHAPES: dict[str, Callable[[float], float]] = {
    "square": lambda z: z * z,
    "cusp": abs,
    "one-sided": lambda z: z * z * (3 if z > 0 else 1),
    "plateau": lambda z: max(0.0, abs(z) - 0.1) ** 2,
    "bell": lambda z: 1 - math.exp(-z * z / (2 * 0.2**2)),
}
"""How far below the summit a bot is, up to a factor, with one option so far from it in widths."""


class Hill:
    """What options are worth in Elo, with a summit and a start by lot."""

    def __init__(self, shape: str, options: int, height: float, chance: random.Random) -> None:
        self._loss = _SHAPES[shape]
        self._chance = chance
        self._summit = [chance.uniform(0.25, 0.75) for _ in range(options)]
        self.start = [round(_WIDE * self._away(at)) for at in self._summit]
        self._scale = 1.0
        self._scale = height / -self.elo(self.start)

    def _away(self, summit: float) -> float:
        """Return a value that is half to all of the way from the summit to an end of the range."""
        end = self._chance.choice((0.0, 1.0))
        return summit + (end - summit) * self._chance.uniform(0.5, 1.0)

    def elo(self, values: Sequence[float]) -> float:
        """Return how far values are from the summit: 0 or less."""
        both = zip(values, self._summit, strict=True)
        return -self._scale * sum(self._loss(value / _WIDE - at) for value, at in both)

    def won(self, plus: Sequence[float], minus: Sequence[float]) -> int:
        """Return the games of a pair that the one has won more than the other."""
        score = score_of(self.elo(plus) - self.elo(minus))
        drawn = 4 * _DRAWS * score * (1 - score)
        likely = score - drawn / 2, drawn, 1 - score - drawn / 2
        return sum(self._chance.choices((1, 0, -1), likely, k=2))


def tuned(hill: Hill, pairs: int, steps: int, seed: int) -> Spsa:
    """Return SPSA after so many pairs."""
    parameters = tuple(
        TunedOption(name=f"o{at}", low=0, high=_WIDE, start=start, step=_WIDE / steps)
        for at, start in enumerate(hill.start)
    )
    spsa = Spsa(Tuning(parameters=parameters, pairs=pairs), seed)
    for k in range(pairs):
        spsa.report(hill.won(*([value for _, value in side] for side in spsa.trial(k))))
    return spsa


def fitted(hill: Hill, pairs: int, chance: random.Random) -> list[float]:
    """Return the summit of a quadratic fit to pairs that are drawn from all of the range."""
    summit = Summit(len(hill.start))
    for _ in range(pairs):
        plus, minus = ([chance.random() for _ in hill.start] for _ in "12")
        won = hill.won(*([_WIDE * value for value in side] for side in (plus, minus)))
        summit.add(plus, minus, won)
    found = summit.near([start / _WIDE for start in hill.start])
    return [_WIDE * min(max(value, 0.0), 1.0) for value in found]


def main() -> None:
    """Print a line for each setting, and the means of all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=40)
    runs = parser.parse_args().runs
    heads = ("1/20", "1/10", "arena tune", "fit alone")
    print(f"{'hill':<10} options pairs  Elo " + "".join(f"{head:>12}" for head in heads))
    every = []
    for shape in _SHAPES:
        for options in (1, 2, 3, 5):
            for pairs in (200, 500, 2000):
                for height in (100, 250):
                    row = _row(shape, options, pairs, height, runs)
                    every.append(row)
                    told = "".join(f"{value:12.1f}" for value in row)
                    print(f"{shape:<10} {options:7} {pairs:5} {height:4} {told}", flush=True)
    print(
        f"{'mean':<28}" + "".join(f"{fmean(column):12.1f}" for column in zip(*every, strict=True))
    )
    best = [sum(row[2] <= row[at] for row in every) for at in (0, 1, 3)]
    print(f"arena tune is at least as near in {best} of {len(every)} settings as the others")


def _row(shape: str, options: int, pairs: int, height: float, runs: int) -> list[float]:
    ends: list[list[float]] = [[], [], [], []]
    for seed in range(runs):
        hills = [Hill(shape, options, height, random.Random(f"{shape} {seed}")) for _ in "123"]
        present, now = (
            tuned(hill, pairs, steps, seed) for hill, steps in zip(hills, (20, 10), strict=False)
        )
        alone = fitted(hills[2], pairs, random.Random(seed))
        values = (present.theta, now.theta, now.at, alone)
        for end, found in zip(ends, values, strict=True):
            end.append(-hills[0].elo(found))
    return [fmean(end) for end in ends]


if __name__ == "__main__":
    main()
