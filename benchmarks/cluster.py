"""What a tournament costs on a Dask cluster beside its games: pairs a second, CPU, memory, bytes.

    python benchmarks/cluster.py [instant] [sleeping] [overhead] [growth] [--seconds 20] [--runs 3]
                                 [--shapes 1x1,2x1,4x1,1x4,1x64] [--slots 100,400,1600]

Scheduler and workers are processes of Dask's own command line on 127.0.0.1, the runner is
`arena run --cluster` with its database, openings and events; it is stopped as by Ctrl-C.

instant   Pairs that take no time: `cluster_seat.py` answers in the place of what plays. A shape is
          Dask workers x threads.
sleeping  Games that sleep for a second (`--game`), in so many slots of four Dask workers.
overhead  Games of the bundled random bot, by two Dask workers and by `--jobs 2`, by turns.
growth    Without Dask: what openings at random cost, and `games.lath` and to begin again, by size.

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
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

from cluster_seat import made_up
from measure import machine, spread

from lath import games
from lath.arena.cluster.link import INSIST
from lath.arena.cluster.opening import SETTINGS
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.record import GameResult
from lath.arena.schedule.core import Schedule
from lath.arena.schedule.random_openings import RandomChoice, RandomOpenings
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.run.open_games import schedule_of
from lath.arena.tournament.store.store import Store
from lath.notation.protocol import TimeControl

HERE = Path(__file__).parent

ROUNDS = 11_112
"""With ten bots a million games."""

START_S = 60.0

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


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
    name, value = INSIST.split("=")
    os.environ[name] = value  # the runner's, too
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
            env={**os.environ, **SETTINGS, "LATH_BENCHMARK_GAME_S": str(game_s)},
        )


def _address(at: Path) -> str:
    until_s = time.monotonic() + START_S
    while time.monotonic() < until_s:
        if at.is_file() and (text := at.read_text()).strip().endswith("}"):
            return str(json.loads(text)["address"])
        time.sleep(0.05)
    sys.exit("no scheduler has started")


def _command(out: Path, *options: str, rounds: int = ROUNDS, count: int = 10) -> list[str]:
    bots = [word for number in range(count) for word in ("--bot", f"b{number}=random")]
    command = [sys.executable, "-m", "lath.arena", "run", *bots, "--game", "yavalath", "--quiet"]
    command += ["--rounds", str(rounds), "--sandbox", "none", "--no-report", "--output", str(out)]
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


def measured(there: Dask, folder: Path, options: argparse.Namespace, settle_s: float) -> Cost:
    """Have a tournament played for `settle_s`, and then measured; return its cost."""
    seconds = options.seconds
    out = folder / "out"
    outcome = out / "outcome.json"
    given = ("--cluster", there.address, "--tc", "10+0", "--openings", options.openings)
    runner = subprocess.Popen(_command(out, *given))
    moments: list[Moment] = []
    peaks: list[float] = []
    until_s = time.monotonic() + START_S + settle_s
    while time.monotonic() < until_s:
        if runner.poll() is not None:
            sys.exit(f"the runner has ended with status {runner.returncode}")
        games = json.loads(outcome.read_text())["done"] if outcome.is_file() else 0
        if games and (not moments or games != moments[-1].games):
            cpu_s = _cpu_s(runner.pid), _cpu_s(there.scheduler), _cpu_s(*there.workers)
            moments.append(Moment(time.monotonic(), games, *cpu_s, _loopback()))
            if len(moments) == 1:  # the first games come when others have still to begin
                until_s = time.monotonic() + settle_s + seconds
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
                    settle_s = 20.0 if game_s else 4.0
                    costs.append(measured(there, folder, options, settle_s))
        games = f"games of {game_s:.0f} s" if game_s else "no time"
        _print_cost(f"{games}, {workers} Dask workers x {threads} threads", costs)


def _played_s(*options: str, rounds: int) -> float:
    """Return how long a tournament of two bots takes in seconds."""
    with tempfile.TemporaryDirectory() as name:
        began_s = time.monotonic()
        command = _command(Path(name, "out"), *options, rounds=rounds, count=2)
        subprocess.run(command, check=True)
        return time.monotonic() - began_s


def _print_overhead(runs: int, rounds: int) -> None:
    """Compare pairs by the difference of a long run and a short one: start and end drop out."""
    ways: dict[str, list[float]] = {"cluster": [], "local": []}
    with tempfile.TemporaryDirectory() as name, dask(2, 1, Path(name), game_s=None) as there:
        of = {"cluster": ("--cluster", there.address), "local": ("--jobs", "2")}
        for turn in range(runs):
            for way in of if turn % 2 else reversed(of):
                given = (*of[way], "--tc", "nodes 1", "--openings", "random:0")
                long_s, short_s = (_played_s(*given, rounds=n) for n in (rounds + 100, 100))
                ways[way].append((long_s - short_s) * 1e3 / rounds)
    ratios = [one / other for one, other in zip(ways["cluster"], ways["local"], strict=True)]
    added = [one - other for one, other in zip(ways["cluster"], ways["local"], strict=True)]
    print(
        f"a pair of the random bot, two at a time: {spread(ways['cluster'], 2)} ms on the cluster, "
        f"{spread(ways['local'], 2)} ms by --jobs 2; {spread(ratios, 2)} times, "
        f"{spread(added, 2)} ms more, run by run (median {statistics.median(ratios):.2f})"
    )


def _print_growth(sizes: Sequence[int]) -> None:
    for game in map(games.get, games.builtin_ids()):
        openings = RandomOpenings(RandomChoice(), [game.id], 1, print)
        began_s = time.monotonic()
        for turn in range(2, 102):
            openings.opening(game.id, turn)
        each_ms = (time.monotonic() - began_s) * 10
        print(f"{game.id}: {each_ms:.1f} ms for an opening random:4", flush=True)
    bots = tuple(BotSpec(name=f"b{number}", command=("true",)) for number in range(10))
    limits = Limits(time=TimeControl(initial_ms=10_000))
    for size in sizes:
        config = Config(games=("yavalath",), rounds=size // 90, jobs=1, limits=limits, bots=bots)
        with tempfile.TemporaryDirectory() as name, closing(Store(Path(name))) as store:
            schedule, stored_s, count = schedule_of(config), 0.0, 0
            results = _made_up(schedule)
            while batch := [*islice(results, 64)]:
                stored_s += _timed_s(partial(store.add, batch))
                count += len(batch)
            written_s = _timed_s(store.export)
            taken_s = _timed_s(partial(schedule_of(config).take_in, store.results()))
            mb = Path(name, "tournament.db").stat().st_size / 1e6
        print(
            f"{count:,} games, {mb:,.0f} MB: 64 are stored in {stored_s / count * 64e3:.1f} ms, "
            f"games.lath is written in {written_s:.1f} s, a run that goes on knows them in "
            f"{taken_s:.1f} s",
            flush=True,
        )


def _made_up(schedule: Schedule) -> Iterator[GameResult]:
    while pair := schedule.next():
        for plan in pair.games:
            yield GameResult(**made_up(plan, "stand-in"))


def _timed_s(what: Callable[[], object]) -> float:
    began_s = time.monotonic()
    what()
    return time.monotonic() - began_s


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    kinds = ("instant", "sleeping", "overhead", "growth")
    parser.add_argument("what", nargs="*", choices=(*kinds, []), help="all of them by default")
    parser.add_argument("--seconds", type=float, default=20, help="of a run (%(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="of each kind (%(default)s)")
    parser.add_argument("--shapes", default="1x1,2x1,4x1,1x4,1x64", help="(%(default)s)")
    parser.add_argument("--slots", default="100,400,1600", help="that sleep (%(default)s)")
    parser.add_argument("--workers", type=int, default=4, help="of those slots (%(default)s)")
    parser.add_argument("--game", type=float, default=1, help="seconds of sleep (%(default)s)")
    parser.add_argument("--rounds", type=int, default=2000, help="of the overhead (%(default)s)")
    parser.add_argument("--openings", default="random:4", help="of tournaments (%(default)s)")
    parser.add_argument("--sizes", default="50000,200000", help="of growth (%(default)s)")
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
        workers = options.workers
        _print_costs([(workers, count // workers) for count in slots], options.game, options)
    if "overhead" in options.what:
        _print_overhead(options.runs, options.rounds)
    if "growth" in options.what:
        _print_growth([int(size) for size in options.sizes.split(",")])


if __name__ == "__main__":
    main()
