"""Commands with real processes, debuggers and games, and the puzzles that they ask."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from exploring import one_in
from hypothesis import given
from hypothesis import strategies as st
from tests.arena import test_puzzles as puzzles
from tests.arena.cli import test_bot_replay as replay
from tests.arena.cli import test_cli_check as check
from tests.arena.cli import test_cli_run as run
from tests.arena.cli import test_init as init
from tools import works

from lath.arena import Limit
from lath.arena.engine.puzzle_book import all_built_in, read_puzzles
from lath.arena.engine.puzzle_making import Bots, wrong_with

prover = puzzles.prover
small_blocks = check.small_blocks

# `arena check`, by two processes


@pytest.mark.parametrize("arguments", check.WAYS_TO_TELL, ids=str)
def test_two_cores_print_what_one_does_byte_by_byte(
    arguments: Sequence[object], tmp_path: Path
) -> None:
    check.test_two_cores_print_what_one_does_byte_by_byte(tmp_path, arguments)


@given(
    st.lists(st.sampled_from(check.PARTS), min_size=8, max_size=20),
    st.binary(max_size=20),
    st.integers(0, 5000),
)
@one_in(20)
def test_two_cores_print_of_any_file_what_one_does(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str | bytes], noise: bytes, at: int
) -> None:
    content = check.joined(parts)
    path = tmp_path_factory.mktemp("any") / "games.lath"
    path.write_bytes(content[:at] + noise + content[at:])
    for arguments in check.WAYS_TO_TELL:
        check.two_cores_print_what_one_does(path, *arguments)


@pytest.mark.parametrize("jobs", [1, 2])
def test_places_are_right_in_files_of_many_blocks(
    jobs: int, tmp_path: Path, small_blocks: None
) -> None:
    check.test_places_are_right_in_files_of_many_blocks(tmp_path, jobs, small_blocks)


@pytest.mark.parametrize("jobs", [1, 2])
def test_of_a_damaged_file_the_counts_so_far_are_told(
    jobs: int, tmp_path: Path, small_blocks: None
) -> None:
    check.test_of_a_damaged_file_the_counts_so_far_are_told(jobs, tmp_path, small_blocks)


# `arena run`, `init` and `bot replay`


def test_a_run_without_configuration_and_bots_says_that_it_plays_the_demo(tmp_path: Path) -> None:
    run.says_that_it_plays_the_demo(tmp_path)


@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=mark) for name, (_, mark) in init.LANGUAGES.items()]
)
def test_what_init_writes_plays_every_game_at_once(language: str, tmp_path: Path) -> None:
    init.test_what_init_writes_plays_at_once(language, (), tmp_path)


def test_gdb_has_the_terminal_and_the_bot_its_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not works("gdb", "--version"):
        pytest.skip("this system grants no tracing: it has no gdb")
    monkeypatch.chdir(tmp_path)
    replay.broken("crash", "a story")
    command = replay.bot("{2: 'a1', 4: lambda: os.kill(os.getpid(), 11)}")
    told = replay.debug("run\nbt 1\nkill\n", "gdb", "-q", "--args", *command)
    assert "received signal SIGSEGV" in told
    assert "crash again at ply 4: " in told


# Puzzles


@pytest.mark.xdist_group("puzzles")
@pytest.mark.parametrize("file", all_built_in(), ids=lambda file: file.stem)
def test_each_puzzle_of_the_project_holds(file: Path, prover: Bots) -> None:
    for puzzle in read_puzzles(file):
        assert wrong_with(puzzle, prover, Limit(nodes=1_000_000)) == "", puzzle.position.text()
