"""The benchmarks run; how fast they say things are is no test's business."""

from __future__ import annotations

import subprocess
import sys

from places import ROOT
from tools import needs

FOLDER = ROOT / "benchmarks"


def measured(name: str, *arguments: str) -> str:
    command = [sys.executable, str(FOLDER / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout


@needs("cc")
def test_the_runners_benchmark_measures_games() -> None:
    words = ["--games", "8", "--runs", "1", "--slots", "1"]
    told = measured(
        "runner.py", *words, "--no-warm-up", "--no-peers", "--no-thinking", "--no-charged"
    )
    assert "1 at a time: " in told
    assert " plies/s, " in told


def test_the_benchmark_of_records_checks_its_corpus() -> None:
    told = measured("records.py", "--games", "12", "--runs", "1")
    assert "; 12 records; " in told
    assert "arena check -j 2 " in told
    assert " 1.00 x" in told


def test_the_benchmark_of_commands_measures_what_is_asked_for() -> None:
    told = measured("throughput.py", "--records", "12", "--only", "check")
    assert "| command | 12: records/s | CPU s | s | MB |" in told
    assert told.count("| `check ") == 2


def test_the_benchmark_of_questions_asks_bots() -> None:
    told = measured("questions.py", "--questions", "40", "--runs", "1")
    assert "random, alone: " in told
    assert "random, going on: " in told


def test_the_benchmark_of_ratings_rates_its_games() -> None:
    told = measured("ratings.py", "--games", "400", "--bots", "5", "--runs", "1")
    assert "; 5 bots; " in told
    assert "rate with sequential" in told
    assert "trueskill 1vs1, in order" in told
