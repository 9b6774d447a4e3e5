"""What a tournament costs on a Dask cluster beside its games: pairs a second, CPU, memory, bytes.

    python benchmarks/cluster.py [instant] [sleeping] [overhead] [--seconds 20] [--runs 3]
                                 [--shapes 1x1,2x1,4x1,1x4,1x64] [--slots 100,400,1600]

Scheduler and workers are processes of Dask's own command line on 127.0.0.1, the runner is
`arena run --cluster` with its database, openings and events; it is stopped as by Ctrl-C.

instant   Pairs that take no time: `cluster_seat.py` answers in the place of what plays. A shape is
          Dask workers x threads.
sleeping  Games that sleep for one second, in so many slots of four Dask workers.
overhead  Games of the bundled random bot, by two Dask workers and by `--jobs 2`, by turns.

Rates and CPU are those between the first and the last time that the runner has written
`outcome.json`; memory is the most at any time. All share the cores of one machine.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measure import machine, spread

HERE = Path(__file__).parent

ROUNDS = 11_112
"""With ten bots a million games."""

GAME_S = 1.0
"""Of games that sleep, in the mean."""

DASK_WORKERS = 4
"""That the slots of sleeping games are shared by."""

START_S = 60.0

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")

_SETTINGS = {
    "DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "60s",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "10",
    # Else each worker looks at the stacks of all its threads a hundred times a second.
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
}


@dataclass(frozen=True, slots=True)
class Dask:
    """A scheduler and its workers, as processes."""

    address: str
    scheduler: int
    workers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Moment:
    """What was used up to a moment."""

    at_s: float
    games: int
    runner_s: float
    scheduler_s: float
    workers_s: float
    bytes: int
    """Through the loopback interface, whoever sent it."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run came to between two moments; CPU in milliseconds a pair."""

    pairs_s: float
    runner_ms: float
    scheduler_ms: float
    workers_ms: float
    kilobytes: float
    """Sent a pair, all ways together."""

    runner_mb: float
    scheduler_mb: float
    worker_mb: float
    """Of the largest of them."""

    stored: float
    """Bytes a game of the database."""

    records: float
    """Bytes a game of `games.lath`."""


@contextmanager
def dask(workers: int, threads: int, folder: Path, *, game_s: float | None) -> Iterator[Dask]:
    """Start Dask's processes, which end with the block; without `game_s` games are played."""
    running: list[subprocess.Popen[bytes]] = []
    own = ("--host", "127.0.0.1", "--no-dashboard")
    preload = () if game_s is None else ("--preload", str(HERE / "cluster_seat.py"))
    try:
        at = folder / "scheduler.json"
        options = (*own, "--port", "0", "--scheduler-file", str(at))
        running.append(_started("scheduler", options, folder, 0.0))
        address = _address(at)
        one = ("--nworkers", "1", "--nthreads", str(threads), "--memory-limit", "0", "--no-nanny")
        options = (address, *one, *own, "--local-directory", str(folder), *preload)
        running += [_started("worker", options, folder, game_s or 0.0) for _ in range(workers)]
        pids = [process.pid for process in running]
        yield Dask(address, pids[0], tuple(pids[1:]))
    finally:
        for process in reversed(running):
            process.terminate()
        time.sleep(1.0)
        for process in running:  # a worker waits for all its threads
            process.kill()
            process.wait()


def _started(
    what: str, options: Sequence[str], folder: Path, game_s: float
) -> subprocess.Popen[bytes]:
    with (folder / f"{what}.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", f"distributed.cli.dask_{what}", *options],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **_SETTINGS, "LATH_BENCHMARK_GAME_S": str(game_s)},
        )


def _address(at: Path) -> str:
    until_s = time.monotonic() + START_S
    while time.monotonic() < until_s:
        if at.is_file() and (text := at.read_text()).strip().endswith("}"):
            return str(json.loads(text)["address"])
        time.sleep(0.05)
    sys.exit("no scheduler has started")


def _command(out: Path, *options: str, rounds: int = ROUNDS) -> list[str]:
    bots = [word for number in range(10) for word in ("--bot", f"b{number}=random")]
    command = [sys.executable, "-m", "lath.arena", "run", *bots, "--game", "yavalath", "--quiet"]
    command += ["--rounds", str(rounds), "--sandbox", "none", "--no-report", "--out", str(out)]
    return [*command, *options]


def _cpu_s(*pids: int) -> float:
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * _TICK_S


def _peak_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))


def _loopback() -> int:
    lines = Path("/proc/net/dev").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.strip().startswith("lo:"))


def measured(there: Dask, folder: Path, seconds: float, patience_s: float) -> Cost:
    """Have a tournament played for so many seconds from its first games on; return its cost."""
    out = folder / "out"
    outcome = out / "outcome.json"
    runner = subprocess.Popen(_command(out, "--cluster", there.address, "--tc", "10+0"))
    moments: list[Moment] = []
    peaks: list[float] = []
    until_s = time.monotonic() + START_S + patience_s
    while time.monotonic() < until_s:
        if runner.poll() is not None:
            sys.exit(f"the runner has ended with status {runner.returncode}")
        games = json.loads(outcome.read_text())["done"] if outcome.is_file() else 0
        if games and (not moments or games != moments[-1].games):
            cpu_s = _cpu_s(runner.pid), _cpu_s(there.scheduler), _cpu_s(*there.workers)
            moments.append(Moment(time.monotonic(), games, *cpu_s, _loopback()))
            if len(moments) == 1:  # the first games come when others have still to begin
                until_s = time.monotonic() + patience_s + seconds
            peaks = [_peak_mb(pid) for pid in (runner.pid, there.scheduler, *there.workers)]
        time.sleep(0.02)
    runner.send_signal(signal.SIGINT)
    if runner.wait(100) != 3:
        sys.exit(f"the runner has ended with status {runner.returncode}, expected 3")
    return _cost([moment for moment in moments if moment.at_s >= until_s - seconds], peaks, out)


def _cost(moments: Sequence[Moment], peaks: Sequence[float], out: Path) -> Cost:
    if len(moments) < 2:
        sys.exit("fewer than two measurements: take more --seconds")
    first, last = moments[0], moments[-1]
    pairs = (last.games - first.games) / 2
    played = json.loads((out / "outcome.json").read_text())["done"]
    return Cost(
        pairs / (last.at_s - first.at_s),
        (last.runner_s - first.runner_s) * 1e3 / pairs,
        (last.scheduler_s - first.scheduler_s) * 1e3 / pairs,
        (last.workers_s - first.workers_s) * 1e3 / pairs,
        (last.bytes - first.bytes) / 1e3 / pairs,
        peaks[0],
        peaks[1],
        max(peaks[2:]),
        (out / "tournament.db").stat().st_size / played,
        (out / "games.lath").stat().st_size / played,
    )


def _print_cost(name: str, costs: Sequence[Cost]) -> None:
    def of(field: str, digits: int = 2) -> str:
        return spread([getattr(cost, field) for cost in costs], digits)

    print(
        f"{name}: {of('pairs_s', 0)} pairs/s; CPU ms a pair: runner {of('runner_ms')}, scheduler "
        f"{of('scheduler_ms')}, Dask workers {of('workers_ms')}; {of('kilobytes', 1)} kB a pair; "
        f"MB: runner {of('runner_mb', 0)}, scheduler {of('scheduler_mb', 0)}, a Dask worker "
        f"{of('worker_mb', 0)}; bytes a game: {of('stored', 0)} database, {of('records', 0)} "
        "records",
        flush=True,
    )


def _print_costs(
    shapes: Sequence[tuple[int, int]], game_s: float, options: argparse.Namespace
) -> None:
    for workers, threads in shapes:
        costs = []
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                with dask(workers, threads, folder, game_s=game_s) as there:
                    settle_s = 4 + 20 * game_s  # tasks on many slots take 16 s
                    costs.append(measured(there, folder, options.seconds, settle_s))
        games = f"games of {game_s:.0f} s" if game_s else "no time"
        _print_cost(f"{games}, {workers} Dask workers x {threads} threads", costs)


def _played_s(*options: str, rounds: int) -> float:
    """Return how long a tournament takes in seconds, from the first game that is stored."""
    with tempfile.TemporaryDirectory() as name:
        began_s = time.monotonic()
        subprocess.run(_command(Path(name, "out"), *options, rounds=rounds), check=True)
        return time.monotonic() - began_s


def _print_overhead(runs: int, rounds: int) -> None:
    """Compare pairs by the difference of a long run and a short one: start and end drop out."""
    ways: dict[str, list[float]] = {"cluster": [], "local": []}
    with tempfile.TemporaryDirectory() as name, dask(2, 1, Path(name), game_s=None) as there:
        of = {"cluster": ("--cluster", there.address), "local": ("--jobs", "2")}
        for turn in range(runs):
            for way in of if turn % 2 else reversed(of):
                given = (*of[way], "--tc", "nodes 1")
                long_s, short_s = (_played_s(*given, rounds=n) for n in (rounds + 2, 2))
                ways[way].append((long_s - short_s) * 1e3 / (45 * rounds))
    ratios = [one / other for one, other in zip(ways["cluster"], ways["local"], strict=True)]
    added = [one - other for one, other in zip(ways["cluster"], ways["local"], strict=True)]
    print(
        f"a pair of the random bot, two at a time: {spread(ways['cluster'], 2)} ms on the cluster, "
        f"{spread(ways['local'], 2)} ms by --jobs 2; {spread(ratios, 2)} times, "
        f"{spread(added, 2)} ms more, run by run (median {statistics.median(ratios):.2f})"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    kinds = ("instant", "sleeping", "overhead")
    parser.add_argument("what", nargs="*", choices=(*kinds, []), help="all of them by default")
    parser.add_argument("--seconds", type=float, default=20, help="of a run (%(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="of each kind (%(default)s)")
    parser.add_argument("--shapes", default="1x1,2x1,4x1,1x4,1x64", help="(%(default)s)")
    parser.add_argument("--slots", default="100,400,1600", help="that sleep (%(default)s)")
    parser.add_argument("--rounds", type=int, default=40, help="of the overhead (%(default)s)")
    chosen = parser.parse_args()
    chosen.what = chosen.what or kinds
    return chosen


def main() -> None:
    """Measure and print."""
    options = _options()
    print(f"{machine()}; {options.runs} runs; medians (minimum-maximum)", flush=True)
    if "instant" in options.what:
        shapes = [tuple(map(int, shape.split("x"))) for shape in options.shapes.split(",")]
        _print_costs([(workers, threads) for workers, threads in shapes], 0.0, options)
    if "sleeping" in options.what:
        slots = map(int, options.slots.split(","))
        _print_costs([(DASK_WORKERS, count // DASK_WORKERS) for count in slots], GAME_S, options)
    if "overhead" in options.what:
        _print_overhead(options.runs, options.rounds)


if __name__ == "__main__":
    main()
