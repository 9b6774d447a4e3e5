"""A tool that does not work is missing: its tests are skipped and counted, or none is begun."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tools
from places import ROOT, SUPPORT

PROJECT = """
from tools import needs

@needs("rustc")
def test_rust():
    raise AssertionError("nothing is compiled here")

@needs("rustc", "openssl")
def test_both():
    raise AssertionError("nothing is compiled here")

def test_neither():
    pass
"""

RUSTUP = """#!/bin/sh
echo "error: rustup could not choose a version of rustc to run" >&2
exit 1
"""
"""What rustup puts on the path, without a toolchain."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return tests of a machine on which rustc is there and does not work."""
    path = tmp_path / "test_project.py"
    path.write_text(PROJECT)
    compiler = tmp_path / "bin" / "rustc"
    compiler.parent.mkdir()
    compiler.write_text(RUSTUP)
    compiler.chmod(0o755)
    return path


def tried(project: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LATH_")}
    path = os.pathsep.join([str(project.parent / "bin"), os.environ["PATH"]])
    words = ["-q", "-p", "tools", "-p", "no:cacheprovider", "-p", "no:xdist", str(project)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=project.parent,
        env={**kept, "PATH": path, "PYTHONPATH": str(SUPPORT), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_tool_that_does_not_work_is_missing_and_the_last_line_counts_its_tests(
    project: Path,
) -> None:
    ended = tried(project)
    assert ended.returncode == 0, ended.stdout
    *_, summary, last = ended.stdout.splitlines()
    assert summary.startswith("1 passed, 2 skipped")
    assert last == "skipped without a tool that works: rustc 2"


def test_where_nothing_may_be_skipped_a_missing_tool_ends_the_run_in_one_line(
    project: Path,
) -> None:
    ended = tried(project, LATH_NO_SKIPS="1")
    assert ended.returncode == pytest.ExitCode.USAGE_ERROR
    (line,) = ended.stderr.split("\n\n")[0].splitlines()
    assert line.startswith("ERROR: LATH_NO_SKIPS is set, but ")
    assert "rustc does not work: error: rustup" in line  # beside what the machine itself lacks
    assert line.endswith("; run .ci/packages")
    assert "passed" not in ended.stdout


def test_what_is_probed_is_installed_by_a_script() -> None:
    script = (ROOT / ".ci" / "packages").read_text(encoding="utf-8")
    assert all(tool in script for tool in tools.PROBES)
