"""Whether bots play on where any file of compiled code is damaged, and one command mends it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from random import Random
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
@pytest.mark.parametrize("suffix", [".nbi", ".nbc", "whole"])
def test_a_damaged_file_costs_speed_alone_and_one_command_mends_it(
    damage: str, suffix: str, package: Path
) -> None:
    (folder,) = (package / "lath" / "bots" / "__pycache__").glob("fast-*")
    files = [path for path in sorted(folder.rglob("*")) if path.name.endswith(suffix)]
    DAMAGE[damage](Random(f"{damage} {suffix}").choice(files))
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
