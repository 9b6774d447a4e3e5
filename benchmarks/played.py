"""One run of a tournament runner: its rate, its processor time without the bots', its memory.

Must not know which runner it is. The bots are `instant.c`; what they used they write down
themselves (LATH_BOT_LOG), since the system adds it to their runner's.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

_Process: TypeAlias = subprocess.Popen[bytes]

_SAMPLE_S = 0.02
"""How often memory is looked at."""


def environment(**more: str) -> dict[str, str]:
    """Return this process's environment with this checkout's packages, and `more`."""
    return {**os.environ, **more}


@dataclass(frozen=True, slots=True)
class Log:
    """What a bot wrote down when it ended."""

    answers: int
    cpu_s: float
    first_s: float
    """When it read its first `go`, on the monotonic clock."""

    last_s: float
    """When its last answer was ready."""

    times_s: tuple[float, ...]
    """From `go` to each answer, where it was told to think."""


def read_logs(path: Path) -> list[Log]:
    """Return what the bots of a run wrote to this file, leaving out who was never asked."""
    logs = []
    for line in path.read_text().splitlines():
        answers, *times_ns = map(int, line.split())
        cpu_s, first_s, last_s, *times_s = (time_ns / 1e9 for time_ns in times_ns)
        if answers:
            logs.append(Log(answers, cpu_s, first_s, last_s, tuple(times_s)))
    return logs


@dataclass(frozen=True, slots=True)
class Played:
    """What a run came to."""

    whole: float
    """Plies/s from the start of the runner to its end."""

    steady: float
    """Plies/s from the first `go` of all to the last answer."""

    runner_us: float
    """Processor time a ply of the runner's own processes, in microseconds."""

    both_us: float
    """The same with the bots."""

    runner_s: float
    """Processor time of the runner's own processes, start and end included."""


def play(commands: Sequence[Sequence[str]], folder: Path, plies: int) -> Played:
    """Run commands at the same time, each in a directory of its own, until they have ended.

    Raises CalledProcessError where one fails, and ValueError where they do not play `plies`.
    """
    began_s = time.monotonic()
    with _running(commands, folder) as processes:
        used = [_reap(process) for process in processes]
    whole_s = time.monotonic() - began_s
    logs = read_logs(folder / "bots")
    answers = sum(log.answers for log in logs)
    if answers != plies:
        raise ValueError(f"{answers} plies were played, not {plies}: {commands}")
    cpu_s, bots_s = sum(used), sum(log.cpu_s for log in logs)
    steady_s = max(log.last_s for log in logs) - min(log.first_s for log in logs)
    return Played(
        whole=plies / whole_s,
        steady=plies / steady_s,
        runner_us=1e6 * (cpu_s - bots_s) / plies,
        both_us=1e6 * cpu_s / plies,
        runner_s=cpu_s - bots_s,
    )


@contextmanager
def _running(commands: Sequence[Sequence[str]], folder: Path) -> Iterator[list[_Process]]:
    processes: list[_Process] = []
    try:
        for number, command in enumerate(commands):
            directory = folder / str(number)
            directory.mkdir(parents=True)
            with (directory / "said").open("wb") as said:
                process = subprocess.Popen(
                    command,
                    cwd=directory,
                    env=environment(LATH_BOT_LOG=str(folder / "bots")),
                    stdout=said,
                    stderr=said,
                )
            processes.append(process)
        yield processes
    except subprocess.CalledProcessError as error:
        for output in sorted(folder.glob("*/said")):
            error.add_note(output.read_text(errors="replace")[-2000:])
        raise
    finally:
        for process in processes:
            if process.returncode is None:
                process.kill()
                process.wait()


def _reap(process: _Process) -> float:
    """Return the processor time of a process and of those that it waited for, when it has ended."""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return used.ru_utime + used.ru_stime


@dataclass(frozen=True, slots=True)
class Memory:
    """What a runner's own processes held, the bots left out."""

    peaks_mb: tuple[float, ...]
    """The most that each of them had resident, the largest first."""

    together_mb: float
    """The most that all had at one time, a page shared by n of them counted as 1/n to each."""


def memory(commands: Sequence[Sequence[str]], folder: Path, bot: Path) -> Memory:
    """Run commands as `play` does, and look at their processes all the time."""
    peaks: dict[int, list[float]] = defaultdict(list)
    together = 0.0
    with _running(commands, folder) as processes:
        while any(process.poll() is None for process in processes):
            shares = 0.0
            for pid in _family([process.pid for process in processes], bot):
                shares += _read(pid, "smaps_rollup", "Pss")
                peaks[pid].append(_read(pid, "status", "VmHWM"))
            together = max(together, shares)
            time.sleep(_SAMPLE_S)
    # What was seen once is a copy of the runner that was about to become a bot.
    lasting = [max(seen) for seen in peaks.values() if len(seen) > 1]
    return Memory(tuple(sorted(lasting, reverse=True)), together)


def _family(pids: Sequence[int], bot: Path) -> Iterator[int]:
    """Yield the processes and their descendants, the bots and what they were before left out."""
    for pid in pids:
        try:
            if (Path("/proc") / str(pid) / "exe").resolve() == bot:
                continue
            tasks = list((Path("/proc") / str(pid) / "task").iterdir())
            children = [
                int(word) for task in tasks for word in (task / "children").read_text().split()
            ]
        except OSError:  # it has just ended
            continue
        yield pid
        yield from _family(children, bot)


def _read(pid: int, name: str, field: str) -> float:
    """Return a field of a file in /proc in MB; 0.0 for a process that has ended."""
    try:
        lines = (Path("/proc") / str(pid) / name).read_text().splitlines()
    except OSError:
        return 0.0
    return next(
        (int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{field}:")), 0.0
    )
