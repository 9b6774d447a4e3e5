"""The filter of system calls refuses what its rules say, with the error that they say, alone."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest

from lath.arena.sandbox import seccomp

CALLER = """
import ctypes, json, sys
from lath.arena.sandbox import seccomp
libc = ctypes.CDLL(None, use_errno=True)
calls = json.load(sys.stdin)
code = seccomp.program(tuple(sys.argv[1:]))
given = seccomp._Program(len(code) // 8, code)
assert libc.prctl(38, 1, 0, 0, 0) == libc.prctl(22, 2, ctypes.byref(given), 0, 0) == 0
errors = []
for number, arguments in calls:
    ctypes.set_errno(0)
    libc.syscall(number, *map(ctypes.c_long, arguments))
    errors.append(ctypes.get_errno())
json.dump(errors, sys.stdout)
"""

RULES = [(group, rule) for group, rules in seccomp.RULES.items() for rule in rules]


def errors_of(calls: list[tuple[int, list[int]]], *groups: str) -> list[int]:
    """Return with which error each call ends in a process with the filter; 0: with none."""
    made = subprocess.run(
        [sys.executable, "-c", CALLER, *groups],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[int] = json.loads(made.stdout)
    return found


def call(rule: seccomp.CallRule, *, spoilt: int = -1) -> tuple[int, list[int]] | None:
    """Return a call that a rule refuses, with one test not met, perhaps; None: not this machine's.

    Nothing of it is valid but what is tested, so that it does no harm where it is let through.
    """
    column = seccomp._MACHINES[machine()][0]
    number = seccomp.CALLS[rule.name][column]
    arguments = [-1] * 6
    if rule.name == "socketpair":
        arguments[:2] = [1, 1]
    for place, test in enumerate(rule.tests):
        if test.value is None:
            met, unmet = test.mask & -test.mask, 0
        elif test.is_not:
            met, unmet = test.value + 1, test.value
        else:
            met, unmet = test.value, test.value ^ test.mask
        arguments[test.argument] = unmet if place == spoilt else met
    return None if number is None else (number, arguments)


def machine() -> str:
    if not seccomp.has_filter():
        pytest.skip("no filter for this machine")
    return os.uname().machine


def test_what_a_rule_says_is_refused() -> None:
    made = [(rule, call(rule)) for _, rule in RULES]
    calls = [(rule, each) for rule, each in made if each is not None]
    errors = errors_of([each for _, each in calls], *seccomp.RULES)
    wrong = {
        rule.name: error
        for (rule, _), error in zip(calls, errors, strict=True)
        if error != rule.error
    }
    assert wrong == {}


def test_what_meets_not_all_tests_of_a_rule_is_let_through() -> None:
    calls = [
        (rule, each)
        for _, rule in RULES
        for place in range(len(rule.tests))
        if rule.name != "clone" and (each := call(rule, spoilt=place))  # it would be a fork
    ]
    errors = errors_of([each for _, each in calls], *seccomp.RULES)
    wrong = {rule for (rule, _), error in zip(calls, errors, strict=True) if error == rule.error}
    assert wrong == set()


@pytest.mark.parametrize("groups", [seccomp.UNASKED, seccomp.BUILDING])
def test_a_part_of_the_rules_is_that_part(groups: tuple[str, ...]) -> None:
    calls = [
        (group, rule, each)
        for group, rule in RULES
        if rule.name not in ("sync", "syncfs", "inotify_init") and (each := call(rule))
    ]
    errors = errors_of([each for *_, each in calls], *groups)
    for (group, rule, _), error in zip(calls, errors, strict=True):
        assert (error == rule.error) is (group in groups), (group, rule)


def test_calls_that_are_newer_than_the_table_are_not_there() -> None:
    machine()
    assert errors_of([(number, [-1] * 6) for number in (467, 470, 600)]) == [errno.ENOSYS] * 3


def test_every_call_of_the_table_has_a_rule_and_no_two_the_same_number() -> None:
    assert {rule.name for _, rule in RULES} == {*seccomp.CALLS}
    for column in (0, 1):
        numbers = [both[column] for both in seccomp.CALLS.values() if both[column] is not None]
        assert len({*numbers}) == len(numbers)
