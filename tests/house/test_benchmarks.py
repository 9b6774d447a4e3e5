"""The benchmarks run; how fast they say things are is no test's business."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from browsing import CHROMIUM
from places import ROOT

FOLDER = ROOT / "benchmarks"


def measured(name: str, *arguments: str) -> str:
    command = [sys.executable, str(FOLDER / name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=600).stdout


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_runners_benchmark_measures_games() -> None:
    words = ["--games", "8", "--runs", "1", "--slots", "1"]
    told = measured(
        "runner.py", *words, "--no-warm-up", "--no-peers", "--no-thinking", "--no-charged"
    )
    assert "1 at a time: " in told
    assert " plies/s, " in told


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_runners_benchmark_measures_bots_that_think_and_what_a_move_is_charged() -> None:
    told = measured("runner.py", "--games", "4", "--runs", "1")
    assert "bots that think 50 ms" in told
    assert "charged" in told


def test_the_benchmark_of_records_checks_its_corpus() -> None:
    told = measured("records.py", "--games", "12", "--runs", "1")
    assert "; 12 records; " in told
    assert "arena check -j 2 " in told
    assert " 1.00 x" in told


def test_the_benchmark_of_commands_measures_what_is_asked_for() -> None:
    told = measured("throughput.py", "--records", "12", "--only", "check")
    assert "| command | 12: records/s | CPU s | s | MB |" in told
    assert told.count("| `check ") == 2


@pytest.mark.soak
def test_the_benchmark_of_commands_knows_what_comes_back_from_each_format() -> None:
    told = measured("throughput.py", "--round-trips", "24")
    assert "jsonlines: 24 equal, byte for byte" in told
    assert "sgf: only written" in told


@pytest.mark.soak
def test_the_benchmark_of_databases_finds_what_the_rules_find() -> None:
    told = measured("database.py", "--games", "100", "--game", "yavalath", "--questions", "10")
    assert "one process: 100 games, " in told
    assert "10 positions are in " in told
    assert "explore yavalath, 101 games: opened in " in told
    assert "the same in SQLite: " in told


def test_the_benchmark_of_questions_asks_bots() -> None:
    told = measured("questions.py", "--questions", "40", "--runs", "1")
    assert "random, alone: " in told
    assert "random, going on: " in told


def test_the_benchmark_of_ratings_rates_its_games() -> None:
    told = measured("ratings.py", "--games", "400", "--bots", "5", "--runs", "1")
    assert "; 5 bots; " in told
    assert "rate with sequential" in told
    assert "trueskill 1vs1, in order" in told


@pytest.mark.soak
@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on the PATH")
def test_the_reports_benchmark_sees_the_page_answer(tmp_path: Path) -> None:
    told = measured("report.py", "--games", "60", "--runs", "1", "--folder", str(tmp_path))
    assert "60 games, bare" in told
    for figure in ("bytes", "made in, s", "interactive, ms", "filter, ms", "sort, ms", "step, ms"):
        assert told.count(f"  {figure} ") == 2


@pytest.mark.soak
def test_the_benchmark_of_strength_has_a_table_for_each_question(tmp_path: Path) -> None:
    few = ("--game", "yavalath", "--rounds", "1", "--tc", "nodes 5")
    told = measured("strength.py", *few, "--out", str(tmp_path / "all"))
    assert "30 games, " in told
    assert told.count("\n| mcts |") == 1
    levels = measured("strength.py", *few, "--levels", "mcts", "--out", str(tmp_path / "levels"))
    (row,) = [line for line in levels.splitlines() if line.startswith("| `mcts`, yavalath |")]
    assert row.count("±") == 8


@pytest.mark.soak
def test_the_benchmark_of_balance_says_how_uneven_openings_are() -> None:
    few = ("--plies", "2", "--lines", "2", "--games", "2", "--nodes", "5")
    told = measured("balance.py", "--game", "yavalath", *few)
    assert "just random: 2 lines of 2 games" in told
    assert "chosen: 2 lines of 2 games" in told
