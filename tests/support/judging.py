"""A second program that checks proofs and puzzles, compiled if there is a compiler."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from places import ROOT

SOURCE = ROOT / "tests" / "support" / "second_opinion.cc"


def compiled_in(folder: Path) -> Path:
    """Compile the program in a folder and return it; skips the test without a working compiler."""
    program = folder / "opinion"
    for compiler in filter(None, map(shutil.which, ("g++", "clang++", "c++"))):
        command: list[str | Path] = [compiler, "-O1", "-std=c++17", "-o", program, SOURCE]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return program
    pytest.skip("no C++ compiler")


def judged(program: Path, files: Iterable[Path]) -> str:
    """Return the program's output on puzzles, none of which may be wrong or too hard."""
    ran = subprocess.run([program, *files], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    return ran.stdout
