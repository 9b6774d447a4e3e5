"""All exceptions of the project have one root and one suffix."""

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Final

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
