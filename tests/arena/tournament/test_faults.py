"""Every case of the fault catalogue, from the command line: what it costs, and what it leaves.

`python tests/support/fault_table.py` prints them all as a table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Final

import fault_cases
import pytest
from bot_faults import BotFault, Gauntlet, Plain, measure, tournaments
from fault_cases import CASES, Case, Fault
from fault_stand import MAX_GROWTH_KIB, SPARE_S, Stand
from places import ROOT
from surrounding_faults import wall_clocks_in

TRIES = 3
"""A machine may be busy with something else for a while; a fault that lasts, lasts each time."""


def _group(fault: Fault) -> list[pytest.MarkDecorator]:
    """Let one worker of xdist have all faults of tournaments, each of which is played once."""
    return [pytest.mark.xdist_group("gauntlets")] if isinstance(fault, BotFault) else []


FAULTS = [
    pytest.param(case, fault, id=f"{case.number:02}-{fault.name}", marks=_group(fault))
    for case in CASES
    for fault in case.faults
]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Plain:
    """Play the tournament without a fault."""
    with Stand(tmp_path_factory.mktemp("plain")) as stand:
        return measure(stand)


def test_the_table_has_every_case_of_the_catalogue_once() -> None:
    assert [case.number for case in CASES] == list(range(1, 51))
    assert all(case.faults for case in CASES)
    assert fault_cases.WORDS.count("|") == 50


OF_MANY_KIB: Final = 6 << 10
"""What the standings and the page of fifty bots take more than those of two."""


class Played:
    """The tournaments in which many bad bots were tried, each played when it is first asked for."""

    def __init__(self, new_folder: Callable[[str], Path], plain: Plain) -> None:
        self._new_folder = new_folder
        self._plain = plain
        self._gauntlets: dict[Hashable, Gauntlet] = {}

    def gauntlet(self, fault: BotFault) -> Gauntlet:
        """Return the tournament of a fault, of which all is well but for its bad bots."""
        if fault.tournament not in self._gauntlets:
            (faults,) = [some for some in tournaments() if fault in some]
            with Stand(self._new_folder("gauntlet")) as stand:
                gauntlet = Gauntlet(stand, faults)
            gauntlet.check(self._plain)
            assert stand.peaks.growth(self._plain.peaks) < MAX_GROWTH_KIB + OF_MANY_KIB
            self._gauntlets[fault.tournament] = gauntlet
        return self._gauntlets[fault.tournament]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory, plain: Plain) -> Played:
    return Played(tmp_path_factory.mktemp, plain)


@pytest.mark.parametrize(("case", "fault"), FAULTS)
def test_a_fault_costs_what_it_should_in_bounded_time_and_memory_and_leaves_nothing(
    case: Case, fault: Fault, plain: Plain, played: Played, tmp_path: Path
) -> None:
    most_s = fault.limit_s + SPARE_S
    if isinstance(fault, BotFault):
        gauntlet = played.gauntlet(fault)
        fault.check(gauntlet)
        if gauntlet.seconds_of(fault, plain) <= most_s:
            return
    for number in range(TRIES):
        folder = tmp_path / str(number)
        folder.mkdir()
        with Stand(folder) as stand:  # which sees to it that no process and no folder is left
            seconds = fault.play(stand, plain)
        assert stand.peaks.growth(plain.peaks) < MAX_GROWTH_KIB, (stand.peaks, plain.peaks)
        if seconds <= most_s:
            break
    else:
        pytest.fail(f"{case.words}: {seconds:.1f} s, expected at most {most_s:.1f}")


def test_the_arena_never_asks_the_wall_clock_how_long_something_took() -> None:
    assert wall_clocks_in(ROOT / "arena") == []
