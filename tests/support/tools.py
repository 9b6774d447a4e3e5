"""The tools that tests drive besides Python: probed once a run, whether they work.

A plugin of pytest. A test says `@needs("node")`, or asks for the fixture `browser`. Without the
tool it is skipped, and the last line of the run counts such tests by tool. With LATH_NO_SKIPS=1 a
missing tool ends the run before its first test. `.ci/packages` installs all of them.
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
"""The first of these is taken: the same browser without its windows needs half the time."""

CHROMIUM: Final = next(filter(None, map(shutil.which, CHROMIUMS)), None)

PATIENCE_S: Final = 60.0

REFUSED: Final = "this system grants no sandbox"
"""The beginning of why bwrap is of no use although it is there: no installation helps."""

_BEHIND: Final = {"browser": "chromium", "axe": "npm"}
"""Tools by the fixtures that drive them."""

_VARIABLE: Final = "LATH_MISSING_TOOLS"
"""What the process that starts the workers of xdist tells them: why by tool, as JSON."""

_SKIPPED: Final = re.compile(r"needs (\S+): ")


def _runs(*words: str, given: str = "") -> str:
    """Return why a program does not run; empty: it does."""
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
    """Return why a compiler makes no program of a text; empty: it does."""
    language = () if program == "rustc" else ("-x", {"cc": "c", "c++": "c++"}[program])
    with tempfile.TemporaryDirectory() as folder:
        return _runs(program, *language, "-", "-o", f"{folder}/program", given=text)


def _npm() -> str:
    """Return why there is nothing from npm that pages are held against; empty: there is."""
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
    """Return why each tool that does not work does not; by tool, probed once a run."""
    if _VARIABLE not in os.environ:
        with ThreadPoolExecutor() as pool:
            whys = zip(PROBES, pool.map(lambda probe: probe(), PROBES.values()), strict=True)
            os.environ[_VARIABLE] = json.dumps({tool: why for tool, why in whys if why})
    return dict(json.loads(os.environ[_VARIABLE]))


def works(*words: str) -> bool:
    """Return whether a program runs that a campaign alone drives, as these words start it."""
    return not _runs(*words)


def needs(*tools: str) -> pytest.MarkDecorator:
    """Return the mark of a test that drives these tools; of no tool, it changes nothing."""
    assert set(tools) <= PROBES.keys(), tools
    return pytest.mark.needs(*tools)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "needs(*tools): skipped where one of these does not work")
    if getattr(config.option, "numprocesses", None):
        missing()  # for all workers
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
    """Count in the last line the tests that were skipped without a tool."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    reasons = (str(report.longrepr) for report in reporter.stats.get("skipped", ()))
    without = Counter(found[1] for why in reasons if (found := _SKIPPED.search(why)))
    if without:
        counts = ", ".join(f"{tool} {number}" for tool, number in sorted(without.items()))
        reporter.write_line(f"skipped without a tool that works: {counts}")
