"""How far our Elo ratings are from Ordo's, at several shares of draws.

    python benchmarks/ordo.py [--tournaments 30] [--games 560]

Needs `ordo` on PATH (github.com/michiguel/Ordo, `make`). Tournaments of eight bots, two games for
each pair with the seats swapped, are made from a seed under Davidson's model; both programs rate
the same games. Ordo gets the scale of the logistic curve (76 % are 200.24 points; its own is 202)
and finds what the first seat is worth itself. What counts is how far two ratings of one bot are
apart beside how far each may be from the truth.
"""

from __future__ import annotations

import argparse
import csv
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from ratings import corpus, write_pgn

from lath.reports.ratings.numerics import Z95
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame

_BOTS = 8


def ordo_of(command: str, results: Sequence[DecidedGame], folder: Path) -> dict[str, float]:
    """Return the rating of each bot, the mean being 0."""
    games, table = folder / "games.pgn", folder / "ratings.csv"
    write_pgn(results, games)
    scale = ["-q", "-W", "-a", "0", "-z", "200.24", "-N", "2"]
    subprocess.run([command, *scale, "-p", games, "-c", table], check=True, capture_output=True)
    with table.open(encoding="utf-8") as file:
        return {row["PLAYER"]: float(row["RATING"]) for row in csv.DictReader(file)}


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--tournaments", type=int, default=30, help="of each kind (default 30)")
    parser.add_argument("--games", type=int, default=560, help="in each (default 560)")
    options = parser.parse_args()
    if (ordo := shutil.which("ordo")) is None:
        print("ordo is not on PATH")
        return
    print(f"{options.tournaments} tournaments of {_BOTS} bots, {options.games} games each")
    print("draws of equals  apart on average  at most  half of our 95 %")
    with tempfile.TemporaryDirectory() as folder:
        for draws in (0.0, 0.3, 0.6):
            apart, halves = [], []
            for seed in range(options.tournaments):
                results = corpus(options.games, _BOTS, draws=draws, seed=f"ordo {seed}")
                theirs = ordo_of(ordo, results, Path(folder))
                for name, strength in rate(results, in_order=False).strengths.items():
                    apart.append(abs(strength.elo.value - theirs[name]))
                    halves.append(Z95 * strength.elo.error)
            middle, most = fmean(apart), max(apart)
            print(f"{draws:15.0%}  {middle:16.2f}  {most:7.2f}  {fmean(halves):16.1f}")


if __name__ == "__main__":
    main()
