"""Reports of other programs, as large as ours, where these programs are installed.

pytest-html is looked for in a virtual environment `venv` of a folder, Playwright's test runner in
the folder's `node_modules`; both keep out of the project's own environment.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PYTEST: Final = """
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_game(number):
    assert number % 50
"""

_PLAYWRIGHT: Final = """
const {{ test, expect }} = require("@playwright/test");
for (let number = 0; number < {count}; number++) {{
  test(`game ${{number}}`, () => {{ expect(number % 50).not.toBe(0); }});
}}
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """A report of another program, made."""

    name: str
    path: Path
    rows: str
    """Selector of what stands for its tests once it is there."""


def peers(folder: Path, made: Path) -> Iterator[Peer]:
    """Yield the reports of the programs that `folder` has, made in the empty folder `made`."""
    python = folder / "venv" / "bin" / "python"
    if (
        python.is_file()
        and not subprocess.run(
            [python, "-c", "import pytest_html"], capture_output=True, check=False
        ).returncode
    ):
        yield _pytest_html(python, made, 10_000)
    if (folder / "node_modules" / "@playwright" / "test").is_dir():
        yield _playwright(folder, made, 1_000)


def _pytest_html(python: Path, made: Path, count: int) -> Peer:
    (made / "test_games.py").write_text(_PYTEST.format(count=count))
    path = made / "pytest.html"
    options = ["--quiet", "--tb=line", "-p", "no:cacheprovider", "--self-contained-html"]
    command: list[str | Path] = [
        python,
        "-m",
        "pytest",
        *options,
        f"--html={path}",
        "--rootdir=.",
        "test_games.py",
    ]
    subprocess.run(command, cwd=made, capture_output=True, check=False)
    return Peer(f"pytest-html, {count:,} tests", path, ".results-table-row")


def _playwright(folder: Path, made: Path, count: int) -> Peer:
    tests = folder / "games"
    tests.mkdir(exist_ok=True)
    (tests / "games.spec.js").write_text(_PLAYWRIGHT.format(count=count))
    program = folder / "node_modules" / "@playwright" / "test" / "cli.js"
    path = made / "playwright" / "index.html"
    environment = {**os.environ, "PLAYWRIGHT_HTML_OPEN": "never"}
    environment["PLAYWRIGHT_HTML_REPORT"] = str(path.parent)
    command: list[str | Path] = ["node", program, "test", "--reporter=html", "games"]
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return Peer(f"Playwright, {count:,} tests", path, ".chip-header")
