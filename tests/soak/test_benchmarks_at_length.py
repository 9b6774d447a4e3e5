"""Benchmarks that take long, also on a few games: they run and say what they should."""

from __future__ import annotations

from pathlib import Path

from tests.house import test_benchmarks as benchmarks
from tools import needs


@needs("cc")
def test_the_runners_benchmark_measures_bots_that_think_and_what_a_move_is_charged() -> None:
    told = benchmarks.measured("runner.py", "--games", "4", "--runs", "1")
    assert "bots that think 50 ms" in told
    assert "charged" in told


def test_the_benchmark_of_commands_knows_what_comes_back_from_each_format() -> None:
    told = benchmarks.measured("throughput.py", "--round-trips", "24")
    assert "jsonlines: 24 equal, byte for byte" in told
    assert "sgf: only written" in told


def test_the_benchmark_of_databases_finds_what_the_rules_find() -> None:
    told = benchmarks.measured(
        "database.py", "--games", "100", "--game", "yavalath", "--questions", "10"
    )
    assert "one process: 100 games, " in told
    assert "10 positions are in " in told
    assert "explore yavalath, 101 games: opened in " in told
    assert "the same in SQLite: " in told


@needs("chromium")
def test_the_reports_benchmark_sees_the_page_answer(tmp_path: Path) -> None:
    told = benchmarks.measured(
        "report.py", "--games", "60", "--runs", "1", "--folder", str(tmp_path)
    )
    assert "60 games, bare" in told
    for figure in ("bytes", "made in, s", "interactive, ms", "filter, ms", "sort, ms", "step, ms"):
        assert told.count(f"  {figure} ") == 2


def test_the_benchmark_of_strength_has_a_table_for_each_question(tmp_path: Path) -> None:
    few = ("--game", "yavalath", "--rounds", "1", "--tc", "nodes 5")
    told = benchmarks.measured("strength.py", *few, "--output", str(tmp_path / "all"))
    assert "30 games, " in told
    assert told.count("\n| mcts |") == 1
    levels = benchmarks.measured(
        "strength.py", *few, "--levels", "mcts", "--output", str(tmp_path / "levels")
    )
    (row,) = [line for line in levels.splitlines() if line.startswith("| `mcts`, yavalath |")]
    assert row.count("±") == 8


def test_the_benchmark_of_balance_says_how_uneven_openings_are() -> None:
    few = ("--plies", "2", "--lines", "2", "--games", "2", "--nodes", "5")
    told = benchmarks.measured("balance.py", "--game", "yavalath", *few)
    assert "just random: 2 lines of 2 games" in told
    assert "chosen: 2 lines of 2 games" in told
