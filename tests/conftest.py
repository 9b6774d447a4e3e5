"""How tests run: hypothesis without time limits, and no skips where everything must be there."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest
from hypothesis import HealthCheck, settings

# No test asserts a time, and `make test` fails for everybody or for nobody; `make soak` explores.
settings.register_profile(
    "house", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("soak", settings.get_profile("house"), derandomize=False)
settings.load_profile(os.environ.get("LATH_HYPOTHESIS", "house"))

NO_SKIPS = bool(os.environ.get("LATH_NO_SKIPS"))
"""Set by `.ci/run`, which has installed what tests need: a skip would hide a missing one."""

REASONS = ("root may write everywhere", "this Python's own")
"""The beginnings of reasons to skip that no installation can mend."""


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
