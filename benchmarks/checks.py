"""How long the checks take: `make test` and `make quick`, as a ratio to a fixed computation.

    python benchmarks/checks.py [TREE...] [--runs 1] [--only quick]

The trees take turns; each needs its environment installed (`make test` once). Before each command
every core does the same work, which no change of the project alters: it counts in Python and
starts Pythons. The ratio says the same of any machine, seconds say it of this one.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from measure import machine

ROOT: Final = Path(__file__).resolve().parents[1]

COMMANDS: Final = ("test", "quick")

COUNTING: Final = """
number = 1
for _ in range(20_000_000):
    number = (number * 1103515245 + 12345) % 2147483648
print(number)
"""
STARTS: Final = 60


class Time(NamedTuple):
    """What a command took: seconds as a whole and of pytest, and the fixed computation's."""

    whole_s: float
    pytest_s: float
    fixed_s: float
    tests: int


def fixed_s() -> float:
    """Return the seconds of the fixed computation, done once on every core at the same time."""
    began_s = time.perf_counter()
    cores = len(os.sched_getaffinity(0))
    with ThreadPoolExecutor(cores) as pool:
        for ended in [pool.submit(_compute) for _ in range(cores)]:
            ended.result()
    return time.perf_counter() - began_s


def _compute() -> None:
    subprocess.run([sys.executable, "-c", COUNTING], check=True, stdout=subprocess.DEVNULL)
    for _ in range(STARTS):
        subprocess.run([sys.executable, "-c", "import json"], check=True)


def timed(tree: Path, command: str) -> Time:
    """Run a command of the Makefile in a tree; raises CalledProcessError if it fails."""
    fixed = fixed_s()
    with tempfile.NamedTemporaryFile(mode="r+", encoding="utf-8") as steps:
        began_s = time.perf_counter()
        ran = subprocess.run(
            ["make", "--no-print-directory", command],
            cwd=tree,
            env={**os.environ, "LATH_STEPS": steps.name},
            capture_output=True,
            text=True,
            check=False,
        )
        whole_s = time.perf_counter() - began_s
    last = re.findall(r"^.*\b(\d+) passed.* in ([\d.]+)s", ran.stdout, re.MULTILINE)
    if ran.returncode or not last:
        print(ran.stdout[-3000:], ran.stderr[-3000:], sep="\n", file=sys.stderr)
        raise subprocess.CalledProcessError(ran.returncode, f"make {command}")
    return Time(whole_s, float(last[-1][1]), fixed, int(last[-1][0]))


def lines_of_tests(tree: Path) -> int:
    """Return how many lines the Python of a tree's tests has."""
    words = ["git", "-C", str(tree), "ls-files", "tests/*.py"]
    listed = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return sum((tree / name).read_bytes().count(b"\n") for name in listed)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("trees", nargs="*", type=Path, default=[ROOT], metavar="TREE")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--only", choices=COMMANDS)
    options = parser.parse_args()
    commands = [options.only] if options.only else COMMANDS
    found: dict[tuple[Path, str], list[Time]] = {}
    for _ in range(options.runs):
        for command in commands:
            for tree in options.trees:
                found.setdefault((tree, command), []).append(timed(tree, command))
    print(f"{machine()}; medians of {options.runs}; the fixed computation is 1")
    print("| tree | lines of tests | make | tests | s | of these pytest | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for (tree, command), times in found.items():
        whole_s = statistics.median(one.whole_s for one in times)
        pytest_s = statistics.median(one.pytest_s for one in times)
        ratio = statistics.median(one.whole_s / one.fixed_s for one in times)
        row = (lines_of_tests(tree), command, times[-1].tests, f"{whole_s:.0f}", f"{pytest_s:.0f}")
        print(f"| {tree.resolve().name} | {' | '.join(map(str, row))} | {ratio:.1f} |")


if __name__ == "__main__":
    main()
