"""The setup of tests: hypothesis without time limits, and no skips where all tools must exist."""

from __future__ import annotations

import gc
import os
import re
import signal
from collections.abc import Generator, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import pytest
from game_files import forget_games
from hypothesis import HealthCheck, settings

from lath.games import files

pytest_plugins = ("browsing", "golden", "tools")

# No test asserts a time. `make test` has the same result for everybody, and `make soak` explores.
settings.register_profile(
    "house",
    deadline=None,
    derandomize=True,
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "soak", settings.get_profile("house"), derandomize=False, max_examples=500
)
settings.register_profile("quick", settings.get_profile("house"), max_examples=10)
settings.load_profile(os.environ.get("LATH_HYPOTHESIS", "house"))

# Programs write as for people, whatever this machine's setting.
os.environ.pop("PYTHONUNBUFFERED", None)
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# The assertions of these helpers belong to tests, too.
pytest.register_assert_rewrite(
    "bot_faults", "disk_faults", "fault_stand", "runner_faults", "surrounding_faults"
)

NO_SKIPS = bool(os.environ.get("LATH_NO_SKIPS"))
"""Set by `.ci/run`, which has installed all tools: a skip would hide a missing one."""

REASONS = (
    "only root makes networks",
    "root may read everything",
    "root may write everywhere",
    "this Python's own",
    "this system grants no mount namespace",
    "this system grants no network namespace",
    "this system grants no other user",
    "this system grants no control groups",
    "this system grants no sandbox",
    "this system grants no tracing",
)
"""The beginnings of reasons to skip that no installation can remove."""


SIGNALS: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}
"""The handlers before any test, even if the starter of the tests ignores signals, as nohup does."""


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Restore the handlers of signals, because started programs inherit ignored signals.

    Also before a test: a fixture of its module may have ended a run in this process.
    """
    _restore_signals()
    yield
    _restore_signals()


def pytest_sessionstart() -> None:
    """Restore the handlers of signals before the first fixture, too."""
    _restore_signals()


def _restore_signals() -> None:
    for kind, handler in SIGNALS.items():
        if signal.getsignal(kind) is not handler:
            signal.signal(kind, handler)


@pytest.fixture(autouse=True)
def _game_files() -> Iterator[None]:
    """Forget the game files that a test has added, here and for the programs it starts."""
    before, added = os.environ.get(files.VARIABLE), dict(files._ADDED)
    yield
    if added != files._ADDED or before != os.environ.get(files.VARIABLE):
        forget_games()
        files._ADDED.update(added)
        os.environ.update({} if before is None else {files.VARIABLE: before})


STARTERS = {
    *("subprocess", "multiprocessing", "pty"),
    *("arena_runs", "bot_checks", "fault_stand", "full_disks", "processes", "steps", "talking"),
    "workers",
}
"""A test module that uses one of these usually starts processes."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick", action="store_true", help="leave out what is slow, and modules with processes"
    )


def _is_quick(item: pytest.Item) -> bool:
    used = vars(item.module).values()  # type: ignore[attr-defined]
    names = {getattr(value, "__module__", None) or getattr(value, "__name__", "") for value in used}
    fixtures = set(getattr(item, "fixturenames", ()))
    return not (names & STARTERS or "browser" in fixtures or item.get_closest_marker("slow"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Stop Python's garbage collector while thousands of tests are made, and freeze these.

    It is also rare afterwards, because a run per 700 objects takes an eighth of the computing time.
    """
    gc.set_threshold(50_000, 20, 50)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        quick = [item for item in items if _is_quick(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(quick)])
        items[:] = quick
    _share_what_is_made_once(items)


LONGEST = (
    *("pages", "site", "cluster", "gauntlets", "test_faults", "test_tutorials"),
    *(
        "puzzles",
        "test_calibration",
        "test_cli_database",
        "test_runner",
        "test_kills",
        "test_directory_model",
    ),
)
"""The groups that take longest; they begin first, so that no worker runs one alone at the end."""


def _share_what_is_made_once(items: list[pytest.Item]) -> None:
    """Let one worker of xdist run all tests of a file, which share what the file makes once.

    The same holds for files that test pages, and for those that play on a site: this avoids a
    second Chromium, and each page is made once.
    """
    used: dict[Path, set[str]] = {}
    for item in items:
        used.setdefault(item.path, set()).update(getattr(item, "fixturenames", ()))
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(_group_of(item.path, used[item.path])))
    items.sort(key=_rank)


def _group_of(path: Path, used: AbstractSet[str]) -> str:
    if "guest" in used:
        return "site"
    return "pages" if used & {"browser", "the_page"} else path.stem


def _rank(item: pytest.Item) -> int:
    """Return the index of a test's group among the longest, or one after them."""
    mark = item.get_closest_marker("xdist_group")
    group = str(mark.args[0]) if mark else ""
    return LONGEST.index(group) if group in LONGEST else len(LONGEST)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Report a test by the name for running it again, without the group that xdist adds."""
    if "PYTEST_XDIST_WORKER" not in os.environ:  # the workers and the controller need it
        report.nodeid = _GROUP.sub("", report.nodeid)


_GROUP = re.compile(r"@[^\]@]*$")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    allowed = hasattr(report, "wasxfail") or any(r in str(report.longrepr) for r in REASONS)
    if NO_SKIPS and report.skipped and not allowed:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped where nothing may be: {report.longrepr}"
    return report
