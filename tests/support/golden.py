"""Texts for people, compared word for word: one file per package, `tests/<package>/messages.txt`.

A pytest plugin: its fixture `golden` compares a text with the file. `make messages` writes the
files from the present texts, and the change is reviewed as a diff.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest
from places import ROOT

NAME: Final = "messages.txt"
MARK: Final = "=== "
"""The beginning of a section's name; a text line that begins so gets a space before it."""

WRITE: Final = "--write-messages"


class Texts:
    """The sections of a file, each with the texts of one test."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sections = dict(_read(path)) if path.exists() else {}
        self.said: dict[str, str] = {}

    def store(self) -> None:
        """Write the present texts, and remove texts that no longer exist."""
        asked = {test_of(name) for name in self.said}
        kept = {
            name: text
            for name, text in self.sections.items()
            if test_of(name) not in asked and is_of_a_test(name, self.path)
        }
        kept |= self.said
        text = "\n".join(f"{MARK}{name}\n{kept[name]}" for name in sorted(kept))
        self.path.write_text(text, encoding="utf-8")


def _read(path: Path) -> Iterator[tuple[str, str]]:
    whole = path.read_text(encoding="utf-8").removeprefix(MARK)
    for section in whole.split(f"\n{MARK}"):
        name, _, text = section.partition("\n")
        yield name, text


def test_of(name: str) -> str:
    """Return the test of a section, such as `cli/test_x.py::test_y`, without a case after it."""
    return name.partition(" ")[0]


def is_of_a_test(name: str, path: Path) -> bool:
    """Return whether the test of a section exists."""
    file, _, test = test_of(name).partition("::")
    found = path.parent / file
    function = re.escape(test.rpartition("::")[2])
    text = found.read_text(encoding="utf-8") if found.is_file() else ""
    return re.search(rf"^\s*def {function}\(", text, re.MULTILINE) is not None


class Golden:
    """The texts of one test."""

    def __init__(
        self, texts: Texts, test: str, places: Mapping[str, str], *, is_write: bool
    ) -> None:
        self._texts = texts
        self._test = test
        self._places = dict(places)
        self._is_write = is_write

    def __call__(self, said: str | Mapping[str, str], case: str = "", **places: object) -> None:
        """Compare a text, or texts by name, with those stored for the test.

        `case` separates several texts of one test. Each value of `places` is stored as its name in
        angle brackets, and so is the test's own folder: `<here>`.
        """
        shown = {str(value): f"<{name}>" for name, value in places.items()} | self._places
        text = self._form(said, shown)
        name = f"{self._test} {case}".rstrip()
        if self._is_write:
            self._texts.said[name] = text
            return
        stored = self._texts.sections.get(name)
        assert stored is not None, f"{self._texts.path.name} has no {name}\nhint: make messages"
        assert text.splitlines() == stored.splitlines(), "\nhint: make messages, and read the diff"

    def _form(self, said: str | Mapping[str, str], shown: Mapping[str, str]) -> str:
        if not isinstance(said, str):
            return "".join(f"--- {name}\n{self._form(one, shown)}" for name, one in said.items())
        for value in sorted(shown, key=len, reverse=True):
            said = said.replace(value, shown[value])
        lines = [line.rstrip() for line in said.splitlines()]
        return "".join(f" {line}\n" if line.startswith(MARK) else f"{line}\n" for line in lines)


def folder_of(path: Path) -> Path:
    """Return the folder of the package that a test module tests."""
    return ROOT / "tests" / path.relative_to(ROOT / "tests").parts[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        WRITE, action="store_true", help=f"write each {NAME} anew, and hold no test to it"
    )


_FILES: dict[Path, Texts] = {}
"""The texts by folder; each file is read once."""


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares the texts of a test with the file of its package."""
    folder = folder_of(request.path)
    if folder not in _FILES:
        _FILES[folder] = Texts(folder / NAME)
    test = request.node.nodeid.removeprefix(folder.relative_to(ROOT).as_posix() + "/")
    test, _, case = re.sub(r"@[^\]@]*$", "", test).partition("[")
    places = {}
    if "tmp_path" in request.fixturenames:
        places[str(request.getfixturevalue("tmp_path"))] = "<here>"
    name = f"{test} {case.removesuffix(']')}".rstrip()
    return Golden(_FILES[folder], name, places, is_write=bool(request.config.getoption(WRITE)))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption(WRITE):
        kept = [item for item in items if "golden" in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
        items[:] = kept


def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.config.getoption(WRITE) and "PYTEST_XDIST_WORKER" not in os.environ:
        for texts in _FILES.values():
            if texts.said:
                texts.store()
