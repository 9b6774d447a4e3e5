"""What `make soak` runs, and what it prints: a line for each campaign, as soon as it is over.

A campaign is a test function of this folder with all its cases, or the laws of one everyday module:
its tests by hypothesis, with as many examples as the profile has.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

HERE = Path(__file__).parent

LAW = "hypothesis"
"""The mark of tests that hypothesis gives examples to."""


@dataclass
class Campaign:
    """What is known of a campaign so far."""

    cases: int = 0
    ended: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)


CAMPAIGNS: defaultdict[str, Campaign] = defaultdict(Campaign)


def campaign_of(nodeid: str) -> str:
    """Return the name of the campaign that a test is a case of."""
    path, _, name = nodeid.partition("::")
    topic = Path(path).stem.removeprefix("test_").removesuffix("_at_length").replace("_", " ")
    if Path(path).parent.name != HERE.name:
        return f"{topic}: its laws ({path})"
    return f"{topic}: {name.partition('[')[0].removeprefix('test_').replace('_', ' ')}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep of everyday tests the laws alone."""
    kept = [one for one in items if HERE in one.path.parents or one.get_closest_marker(LAW)]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def pytest_collection_finish(session: pytest.Session) -> None:
    for item in session.items:
        CAMPAIGNS[campaign_of(item.nodeid)].cases += 1


def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Print nothing for a single case; the words are those of pytest's summary in the end."""
    is_told = report.when == "call" or not report.passed
    return (report.outcome if is_told else "", "", "" if report.passed else report.outcome.upper())


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    name = campaign_of(report.nodeid)
    campaign = CAMPAIGNS[name]
    campaign.seconds += report.duration
    if report.when == "call" or not report.passed:
        campaign.outcomes[report.outcome] += 1
    campaign.ended += report.when == "teardown"
    if report.when == "teardown" and campaign.ended == campaign.cases:
        counts = ", ".join(f"{number} {word}" for word, number in sorted(campaign.outcomes.items()))
        print(f"{campaign.seconds:8.1f} s  {counts:12}  {name}", flush=True)
