"""Whether bots play on where compiled code is damaged, and one command mends it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import pytest
from places import ROOT

pytestmark = pytest.mark.skipif(find_spec("numba") is None, reason="numba is not installed")

GAME: Final = "arena 1\nnew 1 yavalath side first tc nodes 50 seed 1\ngo 1 nodes 50\n"

DAMAGE: Final[dict[str, Callable[[Path], object]]] = {
    "cut": lambda file: os.truncate(file, file.stat().st_size // 2),
    "empty": lambda file: os.truncate(file, 0),
    "another bit": lambda file: file.write_bytes(file.read_bytes()[:-1] + b"?"),
    "gone": lambda file: file.unlink(),
}


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package, compiled."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("fast-*")
    shutil.copytree(ROOT / ".links" / "lath", folder / "lath", ignore=ignored)
    assert run(folder, "lath.bots.compiled").returncode == 0
    return folder


def run(folder: Path, *words: str, told: str = "") -> subprocess.CompletedProcess[str]:
    """Run a module of the copy; what it is told it hears before its input ends."""
    return subprocess.run(
        [sys.executable, "-m", *words],
        input=told,
        env={**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_costs_speed_alone_and_one_command_mends_it(
    damage: str, package: Path
) -> None:
    (file,) = (package / "lath" / "bots" / "compiled" / "__pycache__").glob("fast-*")
    DAMAGE[damage](file)
    for name in ("alphabeta", "mcts", "solver"):
        ran = run(package, f"lath.bots.{name}", told=GAME)
        assert ran.returncode == 0
        assert "\nbestmove 1 " in ran.stdout
        assert "\nid version Python (" in ran.stdout
        assert ran.stderr.count("plays in Python") == 1
    assert run(package, "lath.bots.compiled", "--check").returncode == 3
    assert run(package, "lath.bots.compiled").returncode == 0
    assert run(package, "lath.bots.compiled", "--check").returncode == 0
    ran = run(package, "lath.bots.alphabeta", told=GAME)
    assert "\nid version compiled\n" in ran.stdout
    assert ran.stderr == ""


def test_two_processes_that_compile_at_once_leave_one_whole_file(package: Path) -> None:
    (file,) = (package / "lath" / "bots" / "compiled" / "__pycache__").glob("fast-*")
    file.unlink()
    with ThreadPoolExecutor() as threads:
        ran = [threads.submit(run, package, "lath.bots.compiled") for _ in range(2)]
    assert [one.result().returncode for one in ran] == [0, 0]
    assert run(package, "lath.bots.compiled", "--check").returncode == 0
    assert [path.name for path in file.parent.glob("*fast-*")] == [file.name]


def test_a_package_that_cannot_be_written_is_compiled_into_the_cache_of_the_user(
    package: Path,
) -> None:
    (file,) = (package / "lath" / "bots" / "compiled" / "__pycache__").glob("fast-*")
    file.unlink()
    file.parent.rename(file.parent.with_name("kept"))
    file.parent.touch()  # also for root, no folder can be made there
    try:
        assert run(package, "lath.bots.compiled").returncode == 0
        ran = run(package, "lath.bots.alphabeta", told=GAME)
    finally:
        file.parent.unlink()
        file.parent.with_name("kept").rename(file.parent)
    assert "\nid version compiled\n" in ran.stdout
    assert [path.name for path in (package / "cache" / "lath-arena").iterdir()] == [file.name]
