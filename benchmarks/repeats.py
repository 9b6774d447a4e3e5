"""What is evidence where bots repeat themselves: how often a test is wrong by what it counts.

    python benchmarks/repeats.py [--matches 300]

Two bots are equal over all openings, or over all lines of play, but of those only few come, again
and again: what is drawn once for each decides it for good. A test that should accept H1 in 5 % of
cases counts each pair, or those that are new as pairs, or those of two new games.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator

from lath.arena.schedule.fixed import IDLE_PAIRS
from lath.arena.schedule.sprt import Sprt, state

_SPRT = Sprt(elo0=0, elo1=50)
_MOST_PAIRS = 400
_UNITS: dict[str, Callable[[bool, bool], bool]] = {
    "each pair": lambda _pair, _games: True,
    "new as pairs": lambda pair, _games: pair,
    "of two new games": lambda _pair, games: games,
}
"""Whether a pair counts that is new as such or not, and whose games are new or not."""

Drawn = tuple[tuple[int, int], int]
"""What tells the two games from others, and half points of the first bot."""


def openings(count: int, chance: random.Random) -> Iterator[Drawn]:
    """Yield pairs of bots without chance, from one of so many openings that is drawn by lot."""
    known = [sum(_results(2, chance)) for _ in range(count)]
    while True:
        opening = chance.randrange(count)
        yield (2 * opening, 2 * opening + 1), known[opening]


def lines(count: int, chance: random.Random) -> Iterator[Drawn]:
    """Yield pairs of bots that know so many lines of play with each seat."""
    known = _results(2 * count, chance)
    while True:
        pair = chance.randrange(count), count + chance.randrange(count)
        yield pair, sum(known[line] for line in pair)


def _results(count: int, chance: random.Random) -> list[int]:
    return chance.choices((0, 1, 2), (35, 30, 35), k=count)


def accepts(pairs: Iterator[Drawn], counts_as: Callable[[bool, bool], bool]) -> bool:
    """Return whether a match accepts that the first is better."""
    seen: set[object] = set()
    counts, idle, (few, more) = [0] * 5, 0, IDLE_PAIRS
    for _ in range(_MOST_PAIRS):
        games, halves = next(pairs)
        is_new, are_new = games not in seen, not seen.intersection(games)
        seen.update((games, *games))
        idle = 0 if counts_as(is_new, are_new) else idle + 1
        if not idle:
            counts[halves] += 1
            if verdict := state(_SPRT, counts).verdict:
                return verdict == "H1"
        elif idle >= few + more * sum(counts):
            return False
    return False


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--matches", type=int, default=300, help="of each kind (default 300)")
    matches = parser.parse_args().matches
    print(f"H1 accepted of equal bots, {matches} matches each: {', '.join(_UNITS)}")
    for kind in (openings, lines):
        for count in (3, 10, 30, 100):
            shares = [
                sum(accepts(kind(count, random.Random(seed)), unit) for seed in range(matches))
                for unit in _UNITS.values()
            ]
            words = "  ".join(f"{share / matches:6.1%}" for share in shares)
            print(f"{count:4} {kind.__name__:9} {words}", flush=True)


if __name__ == "__main__":
    main()
