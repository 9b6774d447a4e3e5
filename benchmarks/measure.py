"""Repeated runs of a command, and what to quote of them: the median, minimum and maximum."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Run:
    """One finished run of a command."""

    wall_s: float
    cpu_s: float
    """User and system time of the command and all processes that it waited for."""

    peak_mb: float
    """Resident memory of the largest single one of these processes, in MB."""


def run(
    command: Sequence[str | Path], *, cwd: Path | None = None, statuses: Sequence[int] = (0,)
) -> Run:
    """Run a command to its end; raises CalledProcessError unless it exits with one of these."""
    with tempfile.TemporaryFile() as said:
        began = time.perf_counter()
        process = subprocess.Popen(command, cwd=cwd, stdout=said, stderr=said)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in statuses:
            said.seek(0)
            raise subprocess.CalledProcessError(process.returncode, command, said.read())
    return Run(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def spread(values: Sequence[float], digits: int = 0) -> str:
    """Return the median with minimum and maximum, such as `120 (110-125)`."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):,.{digits}f} ({low:,.{digits}f}-{high:,.{digits}f})"


def machine() -> str:
    """Return what the figures were measured on."""
    return f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {sys.platform}"
