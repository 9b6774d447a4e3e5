"""How fast the arena plays bots that answer at once, beside the peers that are installed.

    python benchmarks/runner.py [--games N] [--runs N] [--no-peers] [--no-thinking] [--no-charged]

The bot is `instant.c` (needs a C compiler), the same program behind every runner: the arena plays
Yavalath games of 61 plies, the peers (fastchess, c-chess-cli and cutechess-cli, found on PATH)
chess games of 202 plies over UCI; clocks and records on. Runs of all are interleaved. Rates are
given twice: from the first `go` to the last answer, and from the start of the program to its end.
The CPU time of a runner is that of its processes without the bots. All are measured pinned, too:
the arena and fastchess pin by themselves, for the others one process is run on each core with
taskset. Then with bots that think 1, 5 and 50 ms the processor time a ply of runners without their
start: the difference of a long run and one of a quarter. Then memory, and what the
arena charges a move of 5 ms beyond what it took.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import charged
from measure import machine, run, spread
from peers import Arena, Contestant, Setup, contestants, setups
from played import Played, memory, play

_CHARGED_GAMES = 20
"""Games of 5 ms moves in each slot and run, or fewer; a game takes a third of a second."""

_Results = dict[tuple[str, Setup], list[Played]]


def main() -> None:
    """Measure and print."""
    options = _options()
    compiler = shutil.which("cc")
    if compiler is None:
        sys.exit("benchmarks/runner.py needs a C compiler (cc) for the instant bot")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        bot = folder / "instant"
        run([compiler, "-O2", "-o", bot, Path(__file__).with_name("instant.c")])
        print(f"{machine()}; {options.runs} runs, interleaved; medians (minimum-maximum)")
        everyone = contestants(peers=options.peers)
        for one in everyone:
            games = _games(one, options.games)
            print(f"{one.name}: {games} games, {games * one.plies:,} plies a run")
        these = setups(options.slots)
        results = _rates(everyone, these, folder, bot, options)
        _print_rates(results)
        if options.thinking:
            _print_thinking(everyone, these[-1], folder, bot, options.runs)
        if Path("/proc/self/smaps_rollup").exists():
            unpinned = next(setup for setup in reversed(these) if not setup.pinned)
            _print_memory(everyone, unpinned, folder, bot, options.games)
        if options.charged:
            _print_charged(bot, these, min(options.games, _CHARGED_GAMES), options.runs)
        _print_ratios(results, these[-1])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    flag = argparse.BooleanOptionalAction
    parser.add_argument(
        "--games", type=int, default=4000, help="the arena's games a run (%(default)s)"
    )
    parser.add_argument("--runs", type=int, default=5, help="runs of each kind (%(default)s)")
    parser.add_argument("--slots", type=int, default=2, help="most games at a time (%(default)s)")
    parser.add_argument("--warm-up", action=flag, default=True, help="begin with a short run")
    parser.add_argument("--peers", action=flag, default=True, help="measure installed peers, too")
    parser.add_argument("--thinking", action=flag, default=True, help="also bots that think")
    parser.add_argument("--charged", action=flag, default=True, help="measure charged time, too")
    return parser.parse_args()


def _games(one: Contestant, games: int) -> int:
    """Return how many games make about as many plies as the arena's, or a share of them."""
    return max(1, round(games * Arena.plies / one.plies * one.share / 4)) * 4


def _rates(
    everyone: Sequence[Contestant],
    these: Sequence[Setup],
    folder: Path,
    bot: Path,
    options: argparse.Namespace,
) -> _Results:
    games = options.games
    results: _Results = defaultdict(list)
    for number in range(0 if options.warm_up else 1, options.runs + 1):
        for setup in these:
            for one in everyone:
                count = _games(one, games if number else games // 10)
                commands = one.commands(bot, count, setup)
                played = play(commands, folder / "run", count * one.plies)
                shutil.rmtree(folder / "run")
                if number:
                    results[one.name, setup].append(played)
    return results


def _print_rates(results: _Results) -> None:
    for (name, setup), runs in results.items():
        steady, whole, runner, both = (
            spread([get(one) for one in runs], digits) for get, digits in _COLUMNS
        )
        print(
            f"{name}, {setup}: {steady} plies/s, {whole} with start and end; "
            f"CPU a ply: runner {runner}, with bots {both} us"
        )


_COLUMNS: tuple[tuple[Callable[[Played], float], int], ...] = (
    (lambda played: played.steady, 0),
    (lambda played: played.whole, 0),
    (lambda played: played.runner_us, 1),
    (lambda played: played.both_us, 1),
)


def _print_thinking(
    everyone: Sequence[Contestant], setup: Setup, folder: Path, bot: Path, runs: int
) -> None:
    """Compare what a ply costs runners whose bots think, without start and end."""
    for think_ms, seconds in _THINKING.items():
        costs: dict[str, list[float]] = defaultdict(list)
        for _ in range(runs if think_ms < _SLOW_MS else 1):
            for one in everyone:
                used_s, plies = [], []
                for games in _lengths(one, think_ms, seconds, setup):
                    count = games * one.plies
                    commands = one.commands(bot, games, setup, f"{think_ms}ms")
                    used_s.append(play(commands, folder / "run", count).runner_s)
                    plies.append(count)
                    shutil.rmtree(folder / "run")
                costs[one.name].append(1e6 * (used_s[1] - used_s[0]) / (plies[1] - plies[0]))
        for name, costs_us in costs.items():
            ratios = [ours / its for ours, its in zip(costs[Arena.name], costs_us, strict=True)]
            beside = (
                "" if name == Arena.name else f"; the arena's is {spread(ratios, 2)} times that"
            )
            print(
                f"{name}, {setup}, bots that think {think_ms} ms: "
                f"{spread(costs_us, 1)} us of the runner a ply{beside}"
            )


_THINKING = {1: 6.0, 5: 20.0, 50: 60.0}
"""For how many ms bots think, and how many seconds the longer run takes, about."""

_SLOW_MS = 50
"""Bots that think so long play once, whatever the number of runs is."""


def _lengths(one: Contestant, think_ms: int, seconds: float, setup: Setup) -> tuple[int, int]:
    """Return how many games a short run and a long one have, both multiples of 4."""
    fours = max(2, round(1000 * seconds * setup.slots / think_ms / one.plies / 4))
    return max(1, fours // 4) * 4, fours * 4


def _print_memory(
    everyone: Sequence[Contestant], setup: Setup, folder: Path, bot: Path, games: int
) -> None:
    for one in everyone:
        held = memory(one.commands(bot, _games(one, games), setup), folder / "run", bot)
        shutil.rmtree(folder / "run")
        peaks = " + ".join(f"{peak:.1f}" for peak in held.peaks_mb)
        print(
            f"{one.name}, {setup}: memory of its processes at their peak {peaks} MB, "
            f"together without counting shared pages twice {held.together_mb:.1f} MB"
        )


def _print_charged(bot: Path, these: Sequence[Setup], games: int, runs: int) -> None:
    added: dict[Setup, list[float]] = defaultdict(list)
    for _ in range(runs):
        for setup in these:
            added[setup] += charged.added_s(bot, games, setup)
    for setup, times_s in added.items():
        p50, p99 = (statistics.quantiles(times_s, n=100)[at - 1] * 1e6 for at in (50, 99))
        print(
            f"arena, {setup}: a move of 5 ms is charged {p50:.0f} us more than it took in half of "
            f"{len(times_s):,} plies, p99 {p99:.0f}, at most {1e6 * max(times_s):,.0f} us"
        )


def _print_ratios(results: _Results, setup: Setup) -> None:
    """Compare rates run by run."""
    ours = results[Arena.name, setup]
    for name in ("c-chess-cli", "fastchess", "cutechess-cli"):
        theirs = results.get((name, setup))
        if theirs:
            steady = [one.steady / other.steady for one, other in zip(ours, theirs, strict=True)]
            whole = [one.whole / other.whole for one, other in zip(ours, theirs, strict=True)]
            print(
                f"arena / {name}, {setup}: {spread(steady, 2)} times, "
                f"{spread(whole, 2)} with start and end"
            )


if __name__ == "__main__":
    main()
