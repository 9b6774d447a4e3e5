"""All exceptions have one root and one suffix, and all commands print errors in one format."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import pytest
from any_commands import leaves
from commands import arena
from places import ROOT

import lath
from lath.games.errors import GameError, LathError
from lath.notation.record.errors import NotationError

OTHER_NAMES: Final = {
    "Stopped": "bots of other people raise it and name it; as StopIteration it is no error",
}
"""Exceptions without the suffix, and why."""


def exceptions() -> Iterator[type[Exception]]:
    """Yield each class of the package that is raised; warnings are shown, and not raised."""
    for module in pkgutil.walk_packages(lath.__path__, "lath."):
        if not module.name.endswith("__main__"):
            for one in vars(importlib.import_module(module.name)).values():
                is_ours = inspect.isclass(one) and one.__module__ == module.name
                if is_ours and issubclass(one, BaseException) and not issubclass(one, Warning):
                    yield one


def test_every_exception_has_the_one_root() -> None:
    found = {*exceptions()}
    assert len(found) > 50
    assert [one for one in found if not issubclass(one, LathError)] == []


def test_the_name_of_every_exception_says_that_it_is_an_error() -> None:
    names = {one.__name__ for one in exceptions() if one is not LathError}
    assert {name for name in names if not name.endswith("Error")} == {*OTHER_NAMES}


def test_errors_of_values_are_value_errors_too() -> None:
    assert issubclass(GameError, ValueError)
    assert issubclass(NotationError, ValueError)


ERROR: Final = re.compile(r"error: (?P<object>\S.*?): \S")
"""An error's line: what it is about, and what is wrong."""


def printed() -> Iterator[str]:
    """Yield what commands print, line by line; an empty line ends what one of them prints."""
    for file in ROOT.glob("tests/*/messages.txt"):
        for line in file.read_text("utf-8").splitlines():
            yield "" if line.startswith(("---", "===")) else line


def test_every_error_names_its_object_and_no_line_names_the_program() -> None:
    lines = [*printed()]
    errors = [line for line in lines if line.startswith("error:")]
    assert len(errors) > 300
    assert [line for line in errors if not ERROR.match(line)] == []
    strange = re.compile(r"arena: |Error: |Usage: |Try '|\s+hint: ")
    assert [line for line in lines if strange.match(line)] == []


def test_every_hint_follows_what_it_is_about() -> None:
    lone = [
        hint for before, hint in pairwise(printed()) if hint.startswith("hint: ") and not before
    ]
    assert lone == []


def refused(*words: str) -> tuple[str, str]:
    """Return the error and the hint of a command line that the parser refuses."""
    ran = arena(*words)
    lines = ran.err.splitlines()
    assert (ran.status, ran.out, len(lines)) == (2, "", 2), (words, ran)
    assert ERROR.match(lines[0]), words
    assert lines[1].startswith("hint: "), words
    return lines[0], lines[1]


VALUE_MAY_BE_LEFT_OUT: Final = {("init", "--game"), ("report", "--watch")}


def options_of(command: Any) -> Iterator[tuple[str, bool, bool]]:
    """Yield the long name of each option, whether it takes a value, and whether it refuses some."""
    for param in command.params:
        if param.param_type_name == "option":
            kind = param.type_descriptor
            checks = bool(kind.parameter_info.parser or kind.choices) and not param.multiple
            yield max(param.opts, key=len), not param.is_flag, checks


@pytest.mark.parametrize("command", leaves())
def test_what_the_parser_refuses_looks_like_every_other_error(command: str) -> None:
    words, found = command.split(), leaves()[command]
    called = " ".join(("arena", *words))
    assert refused(*words, "--zzz") == (
        f"error: --zzz: not an option of `{called}`",
        f"hint: {called} --help",
    )
    if any(one.param_type_name == "argument" and one.required for one in found.params):
        error, hint = refused(*words)
        assert (error.endswith(" is missing"), hint) == (True, f"hint: {called} --help")
    for name, takes_value, checks in options_of(found):
        if (command, name) in VALUE_MAY_BE_LEFT_OUT:
            continue
        if takes_value:
            assert refused(*words, name)[0] == f"error: {name}: needs a value"
        else:
            assert refused(*words, f"{name}=1")[0] == f"error: {name}: takes no value"
        if checks:
            error, hint = refused(*words, name, "no-such-value")
            assert error.startswith(f"error: {name}: 'no-such-value' is not ")
            assert hint == f"hint: {called} --help"
