"""The tools that tests use besides Python, tried once per run.

A pytest plugin. A test uses `@needs("node")` or the fixture `browser`. Without the tool it is
skipped, and the last line of the run counts such tests by tool. With LATH_NO_SKIPS=1 a missing tool
ends the run before its first test. `.ci/packages` installs all of them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import pytest
from places import WEB

CHROMIUMS: Final = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first of these is used; the one without windows takes half the time."""

CHROMIUM: Final = next(filter(None, map(shutil.which, CHROMIUMS)), None)

PATIENCE_S: Final = 60.0

REFUSED: Final = "this system grants no sandbox"
"""The beginning of the reason why an installed bwrap is useless: installing it does not help."""

_BEHIND: Final = {"browser": "chromium", "axe": "npm"}
"""The tools of fixtures."""

_VARIABLE: Final = "LATH_MISSING_TOOLS"
"""The variable that gives xdist's workers the reasons for missing tools, as JSON."""

_SKIPPED: Final = re.compile(r"needs (\S+): ")


def _runs(*words: str, given: str = "") -> str:
    """Return why a program does not run; empty if it does."""
    if shutil.which(words[0]) is None:
        return f"{words[0]} is not installed"
    try:
        ran = subprocess.run(
            words, input=given, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{words[0]} does not run: {error}"
    said = (ran.stderr or ran.stdout).strip().splitlines() or [f"status {ran.returncode}"]
    return f"{words[0]} does not work: {said[0]}" if ran.returncode else ""


def _compiles(program: str, *, text: str) -> str:
    """Return why a compiler cannot compile a text; empty if it can."""
    language = () if program == "rustc" else ("-x", {"cc": "c", "c++": "c++"}[program])
    with tempfile.TemporaryDirectory() as folder:
        return _runs(program, *language, "-", "-o", f"{folder}/program", given=text)


def _npm() -> str:
    """Return why the npm tools for pages are missing; empty if they are installed."""
    if (WEB / "node_modules" / "made").exists():
        return ""
    return _runs("npm", "--version") or "npm has installed nothing yet: make web"


def _bwrap() -> str:
    from lath.arena.sandbox.kinds import BotSandbox

    if why := _runs("bwrap", "--version"):
        return why
    obstacle = BotSandbox(kind="bwrap").why_not()
    return f"{REFUSED}: {obstacle}" if obstacle else ""


_MAIN: Final = "int main(void) { return 0; }\n"

PROBES: Final[dict[str, Callable[[], str]]] = {
    "dash": partial(_runs, "dash", "-c", "true"),
    "node": partial(_runs, "node", "--version"),
    "npm": _npm,
    "cc": partial(_compiles, "cc", text=f"#include <stdio.h>\n{_MAIN}"),
    "c++": partial(_compiles, "c++", text=f"#include <string>\n{_MAIN}"),
    "rustc": partial(_compiles, "rustc", text="fn main() {}\n"),
    "openssl": partial(_runs, "openssl", "version"),
    "bwrap": _bwrap,
    "chromium": lambda: _runs(CHROMIUM or CHROMIUMS[0], "--version"),
}


def missing() -> dict[str, str]:
    """Return the reason for each unusable tool; each is tried once per run."""
    if _VARIABLE not in os.environ:
        with ThreadPoolExecutor() as pool:
            whys = zip(PROBES, pool.map(lambda probe: probe(), PROBES.values()), strict=True)
            os.environ[_VARIABLE] = json.dumps({tool: why for tool, why in whys if why})
    return dict(json.loads(os.environ[_VARIABLE]))


def works(*words: str) -> bool:
    """Return whether a program for a campaign runs when started by these words."""
    return not _runs(*words)


def needs(*tools: str) -> pytest.MarkDecorator:
    """Return the mark of a test that uses these tools; without tools it has no effect."""
    assert set(tools) <= PROBES.keys(), tools
    return pytest.mark.needs(*tools)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*tools): skipped where one of these does not work")
    if getattr(config.option, "numprocesses", None):
        missing()  # before the workers start
    if os.environ.get("LATH_NO_SKIPS"):
        lacking = {tool: why for tool, why in missing().items() if not why.startswith(REFUSED)}
        if lacking:
            told = "; ".join(lacking.values())
            raise pytest.UsageError(f"LATH_NO_SKIPS is set, but {told}; run .ci/packages")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        tools = {tool for mark in item.iter_markers("needs") for tool in mark.args}
        tools |= {_BEHIND[one] for one in getattr(item, "fixturenames", ()) if one in _BEHIND}
        for tool in sorted(tools & missing().keys()) if tools else ():
            item.add_marker(pytest.mark.skip(f"needs {tool}: {missing()[tool]}"))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None]:
    """Count the tests that were skipped without a tool, in the last line."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    reasons = (str(report.longrepr) for report in reporter.stats.get("skipped", ()))
    without = Counter(found[1] for why in reasons if (found := _SKIPPED.search(why)))
    if without:
        counts = ", ".join(f"{tool} {number}" for tool, number in sorted(without.items()))
        reporter.write_line(f"skipped without a tool that works: {counts}")
