"""Every case of the fault catalogue that takes processes: what it costs, and what it leaves.

`python tests/support/fault_table.py` prints all of them as a table. Bad bots are in tournaments of
many; those that are scripts play in referee/test_bad_bots.py.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import fault_cases
import pytest
from bot_checks import check_all
from bot_faults import BAD_BOTS, BotFault, Gauntlet, Plain, measure, tournaments
from fault_cases import CASES, Fault
from fault_stand import MAX_GROWTH_KIB, SPARE_S, Stand
from places import ROOT, page_text
from processes import gone, pids_with
from surrounding_faults import wall_clocks_in

TRIES: Final = 3
"""A machine may be busy with something else for a while; a fault that lasts, lasts each time."""

OF_MANY_KIB: Final = 6 << 10
"""What the standings and the page of many bots take more than those of two."""

FAULTS: Final = {
    f"{case.number:02}-{fault.name}": fault
    for case in CASES
    for fault in case.faults
    if not isinstance(fault, BotFault)
}
GAUNTLETS: Final = {f"{len(faults)} with {faults[0].name}": faults for faults in tournaments()}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    """Play the tournament without a fault."""
    with Stand(tmp_path_factory.mktemp("plain")) as stand:
        return measure(stand)


def test_the_table_has_every_case_of_the_catalogue_once() -> None:
    assert [case.number for case in CASES] == list(range(1, 51))
    assert all(case.faults for case in CASES)
    assert fault_cases.WORDS.count("|") == 50


@pytest.mark.slow
@pytest.mark.xdist_group("gauntlets")
@pytest.mark.parametrize("faults", GAUNTLETS.values(), ids=GAUNTLETS)
def test_bad_bots_cost_what_is_promised_in_bounded_time_and_memory_and_leave_nothing(
    faults: list[BotFault], plain: Plain, tmp_path: Path
) -> None:
    with Stand(tmp_path) as stand:  # which sees to it that no process and no folder is left
        gauntlet = Gauntlet(stand, faults)
    gauntlet.check()
    assert stand.peaks.growth(plain.peaks) < MAX_GROWTH_KIB + OF_MANY_KIB
    for fault in faults:
        fault.check(gauntlet)
        if gauntlet.seconds_of(fault, plain) > fault.limit_s + SPARE_S:
            in_bounded_time(fault, plain, tmp_path / fault.name)


@pytest.mark.slow
def test_a_check_of_a_bad_bot_that_is_a_process_finds_it_and_leaves_nothing(
    tmp_path: Path,
) -> None:
    real = {fault.name: fault for fault in BAD_BOTS if fault.is_real and not fault.unchecked}
    logs = tmp_path / "logs"
    found = check_all({name: fault.check_of_it for name, fault in real.items()}, logs)
    wrong = {name: fault.wrong_check(found[name]) for name, fault in real.items()}
    assert {name: what for name, what in wrong.items() if what} == {}
    assert gone(lambda: pids_with("LOG", f"{logs}/"))


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_costs_what_it_should_in_bounded_time_and_memory_and_leaves_nothing(
    fault: Fault, plain: Plain, tmp_path: Path
) -> None:
    in_bounded_time(fault, plain, tmp_path)


def in_bounded_time(fault: Fault, plain: Plain, folder: Path) -> None:
    """Try a fault out until it takes no longer than it may."""
    most_s = fault.limit_s + SPARE_S
    for number in range(TRIES):
        (folder / str(number)).mkdir(parents=True)
        with Stand(folder / str(number)) as stand:
            seconds = fault.play(stand, plain)
        assert stand.peaks.growth(plain.peaks) < MAX_GROWTH_KIB, (stand.peaks, plain.peaks)
        if seconds <= most_s:
            return
    pytest.fail(f"{fault.name}: {seconds:.1f} s, expected at most {most_s:.1f}")


def test_the_arena_never_asks_the_wall_clock_how_long_something_took() -> None:
    assert wall_clocks_in(ROOT / "arena") == []


def test_the_page_of_faults_lists_those_that_are_played() -> None:
    listed = re.findall(r"\(([0-9]+)\)", page_text("penalties"))
    assert sorted(map(int, listed)) == [case.number for case in CASES if case.faults]
