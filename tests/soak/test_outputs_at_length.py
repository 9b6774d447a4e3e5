"""Every command that writes, over everything that may be there, and killed before every change."""

from __future__ import annotations

import pytest
from tests.arena.cli import test_outputs as outputs
from writers import FILES, FOLDERS


@outputs.every_file
def test_nothing_of_another_kind_is_replaced_by_any_command(name: str) -> None:
    outputs.foreign(name, outputs.FOREIGN)
    outputs.of_a_tournament(name, outputs.OF_THE_TOURNAMENT)


@pytest.mark.parametrize("name", [*FILES, *FOLDERS])
def test_a_command_that_is_killed_before_any_of_its_changes_leaves_no_half(name: str) -> None:
    if name in ("analyze", "run --json-events-to"):
        pytest.skip("this Python's own process: bots and databases outlive a fork of the tests")
    outputs.kill({**FILES, **FOLDERS}[name])
