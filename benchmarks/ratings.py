"""How fast games are rated, beside openskill, the `trueskill` package, choix, evalica and Ordo.

    python benchmarks/ratings.py [--games 1000000] [--bots 100] [--runs 3]

The games are made from a seed, under Davidson's model: two for each pair, with the seats swapped.
Ours is measured whole, from the list of results to all ratings, intervals and likelihoods of
superiority; the time to make the list is not in it. Peers are taken along where they are
installed (`pip install openskill choix evalica`, `ordo` on PATH). Each gets what it needs
ready-made, and no more games than it can rate in some seconds: what counts is games a second.
Times are CPU seconds of all threads and processes: other work on the machine does less to them.

A rating in sequence takes a step a game; those that count games first are as much faster as there
are more games, so that theirs holds only for that number of games. Draws are half a win to each
where a peer knows none. What they give beside the rating is in the last column.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

from measure import machine, spread

from lath.reports.ratings.elo import ELO, chances
from lath.reports.ratings.rating import rate
from lath.reports.ratings.results import DecidedGame
from lath.reports.ratings.skill import BETA, MU, SIGMA, rated_by_form, rated_by_package

_DRAW_RATE = 0.3
_PGN_RESULTS = {1.0: "1-0", 0.5: "1/2-1/2", 0.0: "0-1"}


@dataclass(frozen=True, slots=True)
class Job:
    """One way to rate games."""

    name: str
    games: int
    work: Callable[[], object]
    gives: str
    """Beside a number for each bot."""


def corpus(
    games: int, bots: int, *, draws: float = _DRAW_RATE, seed: str = "ratings"
) -> list[DecidedGame]:
    """Return a tournament in which each two bots meet in turn, once in each seat.

    `draws` is the share of them between equals.
    """
    chance = random.Random(seed)
    names = [f"bot {number:03}" for number in range(bots)]
    truth = {name: chance.gauss(0, 150) for name in names}
    meetings = list(combinations(names, 2))
    drawish = math.log(2 * draws / (1 - draws)) if draws else -50.0
    results = []
    for number in range(games):
        first, second = meetings[number // 2 % len(meetings)][:: 1 - 2 * (number % 2)]
        win, draw, _ = chances((truth[first] - truth[second] + 40) / ELO, drawish)
        drawn = chance.random()
        score = 1.0 if drawn < win else 0.5 if drawn < win + draw else 0.0
        results.append(DecidedGame(first, second, score, "yavalath", number // 2))
    return results


def jobs(results: Sequence[DecidedGame], folder: Path) -> Iterator[Job]:
    """Yield ours first, then the peers that are there."""
    games = len(results)
    everything = "both scales, 95 % by pair, LOS, advantage, draw rates, fit"
    yield Job("rate", games, lambda: rate(results, in_order=False), everything)
    lone = [result._replace(pair=None) for result in results]
    yield Job("rate, games without pairs", games, lambda: rate(lone, in_order=False), everything)
    sequential = everything + ", sequential"
    yield Job("rate with sequential", games, lambda: rate(results), sequential)
    in_order = lambda: next(rated_by_form([results], _DRAW_RATE))  # noqa: E731
    yield Job("closed form, in order", games, in_order, "sigma")
    few = results[:20_000]
    by_package = lambda: next(rated_by_package([few], _DRAW_RATE))  # noqa: E731
    yield Job("by the package, in order", len(few), by_package, "sigma")
    peers = {
        "trueskill": _trueskill,
        "openskill": _openskill,
        "choix": _choix,
        "evalica": _evalica,
    }
    for module, make in peers.items():
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed")
        else:
            yield make(results)
    if (ordo := shutil.which("ordo")) is None:
        print("ordo is not on PATH")
    else:
        yield _ordo(ordo, results[: min(games, 100_000)], folder / "games.pgn")


def _trueskill(results: Sequence[DecidedGame]) -> Job:
    import trueskill

    few = results[:20_000]
    model = trueskill.TrueSkill(MU, SIGMA, BETA, tau=0.0, draw_probability=_DRAW_RATE)

    def work() -> None:
        ratings = {name: model.create_rating() for result in few for name in result[:2]}
        for first, second, score, *_ in few:
            winner, loser = (second, first) if score < 0.5 else (first, second)
            ratings[winner], ratings[loser] = trueskill.rate_1vs1(
                ratings[winner], ratings[loser], drawn=score == 0.5, env=model
            )

    return Job("trueskill 1vs1, in order", len(few), work, "sigma")


def _openskill(results: Sequence[DecidedGame]) -> Job:
    from openskill.models import PlackettLuce

    few = results[:20_000]

    def work() -> None:
        model = PlackettLuce()
        ratings = {name: model.rating() for result in few for name in result[:2]}
        for first, second, score, *_ in few:
            teams = [[ratings[first]], [ratings[second]]]
            ranks = [0.0, 0.0] if score == 0.5 else [1 - score, score]
            ((ratings[first],), (ratings[second],)) = model.rate(teams, ranks=ranks)

    return Job("openskill, in order", len(few), work, "sigma")


def _numbered(results: Sequence[DecidedGame]) -> dict[str, int]:
    return {name: i for i, name in enumerate(sorted({n for r in results for n in r[:2]}))}


def _choix(results: Sequence[DecidedGame]) -> Job:
    import choix

    few = results[:20_000]
    places = _numbered(few)
    won = [(places[r.first], places[r.second])[:: 1 if r.score else -1] for r in few]
    work = lambda: choix.ep_pairwise(len(places), won, 1.0, model="probit")  # noqa: E731
    return Job("choix.ep_pairwise", len(few), work, "covariance; a draw is a win")


def _evalica(results: Sequence[DecidedGame]) -> Job:
    import evalica

    firsts, seconds = [r.first for r in results], [r.second for r in results]
    by_score = {1.0: evalica.Winner.X, 0.5: evalica.Winner.Draw, 0.0: evalica.Winner.Y}
    winners = [by_score[r.score] for r in results]
    work = lambda: evalica.bradley_terry(firsts, seconds, winners)  # noqa: E731
    return Job("evalica.bradley_terry", len(results), work, "nothing")


def write_pgn(results: Sequence[DecidedGame], path: Path) -> None:
    """Write games without moves, as peers read them."""
    with path.open("w", encoding="ascii") as file:
        for first, second, score, *_ in results:
            said = _PGN_RESULTS[score]
            file.write(f'[White "{first}"]\n[Black "{second}"]\n[Result "{said}"]\n\n{said}\n\n')


def _ordo(ordo: str, results: Sequence[DecidedGame], pgn: Path) -> Job:
    write_pgn(results, pgn)
    command: list[str | Path] = [
        ordo,
        "-q",
        "-W",
        "-D",
        "-s",
        "100",
        "-p",
        pgn,
        "-o",
        pgn.with_suffix(".txt"),
    ]
    work = lambda: subprocess.run(command, check=True, capture_output=True)  # noqa: E731
    return Job("ordo -W -D -s 100", len(results), work, "errors, LOS, advantage, draw rate")


def _timed(work: Callable[[], object]) -> float:
    """Return CPU time in seconds, of all threads and of processes that were waited for."""
    began = _used()
    work()
    return _used() - began


def _used() -> float:
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--games", type=int, default=1_000_000, help="results (default 1000000)")
    parser.add_argument("--bots", type=int, default=100, help="bots (default 100)")
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default 3)")
    options = parser.parse_args()
    print(f"{machine()}; {options.bots} bots; medians of {options.runs} runs (min-max)")
    print(f"{'':28}{'games':>11}{'CPU seconds':>24}{'games/s':>12}  gives")
    results = corpus(options.games, options.bots)
    with tempfile.TemporaryDirectory() as folder:
        for job in jobs(results, Path(folder)):
            times = [_timed(job.work) for _ in range(options.runs)]
            rate_s = job.games / median(times)
            print(
                f"{job.name:28}{job.games:>11,}{spread(times, 3):>24}{rate_s:>12,.0f}  {job.gives}"
            )


if __name__ == "__main__":
    main()
