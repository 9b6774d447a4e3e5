"""Stories of a tournament that hypothesis makes up, without waiting."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Final
from unittest import mock

from hypothesis import Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from lath.arena.machine import system
from lath.arena.tournament.run import places, slots
from lath.arena.tournament.run import runner as running

STEPS: Final = 6
"""The maximum of runs of a tournament before the last one."""


def quick() -> ExitStack:
    """Make runs skip all waits and all searches for processes."""
    stack = ExitStack()
    for module, names in (
        (running, {"WAKE_S": 0.0, "sweep": mock.DEFAULT}),
        (places, {"sweep": mock.DEFAULT, "reap_orphans": mock.DEFAULT}),
        (slots, {"GATHER_S": 0.0}),
        (system, {"FIRST_WAIT_S": 0.0}),
    ):
        stack.enter_context(mock.patch.multiple(module, **names))
    return stack


def told(machine: type[RuleBasedStateMachine], stories: int, **more: Any) -> None:
    """Try a number of stories; raises the error of the first bad one."""
    more.setdefault("phases", [Phase.explicit, Phase.generate])
    few = settings(max_examples=stories, stateful_step_count=STEPS, **more)
    run_state_machine_as_test(machine, settings=few)
