"""How often a test is wrong where bots repeat themselves: by what each pair is worth.

    python benchmarks/repeats.py [--matches 300]

Two bots are equal over all openings, or over all lines of play, but of those only few come, again
and again: what is drawn once for each decides it for good. A test that should accept H1 in 5 % of
cases takes each pair for a new one, or for what it is worth (`arena.schedule.evidence`). The last
lines are of bots without that trouble: one is better, and moves at random now and then; of how many
matches are decided, and how.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator

from lath.arena.schedule.core import Duplicates, Opening
from lath.arena.schedule.evidence import Worth
from lath.arena.schedule.fixed import IDLE_PAIRS
from lath.arena.schedule.sprt import Sprt, state

_SPRT = Sprt(elo0=0, elo1=50)
_MOST_PAIRS = 400

Drawn = tuple[int, tuple[int, int], int]
"""The opening, what tells the two games from others, and half points of the first bot."""


def openings(count: int, chance: random.Random) -> Iterator[Drawn]:
    """Yield pairs of bots without chance, from one of so many openings that is drawn by lot."""
    known = [sum(_results(2, chance)) for _ in range(count)]
    while True:
        opening = chance.randrange(count)
        yield opening, (2 * opening + 1, 2 * opening + 2), known[opening]


def lines(count: int, chance: random.Random) -> Iterator[Drawn]:
    """Yield pairs of bots that know so many lines of play with each seat, from one opening."""
    known = _results(2 * count, chance)
    while True:
        pair = chance.randrange(count), count + chance.randrange(count)
        yield 0, (pair[0] + 1, pair[1] + 1), sum(known[line] for line in pair)


def _results(count: int, chance: random.Random) -> list[int]:
    return chance.choices((0, 1, 2), (35, 30, 35), k=count)


def stronger(trap: int, chance: random.Random) -> Iterator[Drawn]:
    """Yield pairs in which the first bot scores 60 %, mostly by one game that both like.

    `trap` is how much of a hundred games that one is; the first bot wins it.
    """
    others = max(0.0, (60 - trap) / (100 - trap))
    number = 2
    while True:
        games, halves = [], 0
        for seat in (0, 1):
            is_trap = 100 * chance.random() < trap
            number += 1
            games.append(seat + 1 if is_trap else number)
            halves += 2 * (is_trap or chance.random() < others)
        yield 0, (games[0], games[1]), halves


def verdict(pairs: Iterator[Drawn], *, by_worth: bool) -> str | None:
    """Return what a match accepts in the end."""
    worth, idle, new, (few, more) = Worth(Duplicates()), 0, 0, IDLE_PAIRS
    for _ in range(_MOST_PAIRS):
        opening, games, halves = next(pairs)
        is_new = worth.add(("", Opening(name=f"{opening}")), halves, games)
        idle, new = (0, new + 1) if is_new else (idle + 1, new)
        found = state(_SPRT, worth.counts, worth.each if by_worth else 1.0).verdict
        if found or (by_worth and idle >= few + more * new):
            return found
    return None


def main() -> None:
    """Simulate and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--matches", type=int, default=300, help="of each kind (default 300)")
    matches = parser.parse_args().matches
    print(f"{matches} matches each: H0 and H1 accepted, each pair as a new one; by its worth")
    kinds = ((openings, (3, 10, 30, 100)), (lines, (3, 10, 30, 100)), (stronger, (0, 20, 40, 60)))
    for kind, counts in kinds:
        for count in counts:
            words = []
            for by_worth in (False, True):
                found = [
                    verdict(kind(count, random.Random(seed)), by_worth=by_worth)
                    for seed in range(matches)
                ]
                words += [f"{found.count(name) / matches:6.1%}" for name in ("H0", "H1")]
            print(f"{count:4} {kind.__name__:9} {'  '.join(words)}", flush=True)


if __name__ == "__main__":
    main()
