"""The files of what people are told: `make messages` writes them, and tests hold them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from golden import NAME, Golden, Texts, is_of_a_test
from places import ROOT

FILES = sorted((ROOT / "tests").glob(f"*/{NAME}"))


@pytest.fixture
def hold(tmp_path: Path) -> Callable[..., Texts]:
    """Hold texts against a file in a folder of its own, or write it."""
    (tmp_path / "test_a.py").write_text("def test_b(): ...\n\ndef test_c(): ...\n")

    def hold(test: str, said: str | dict[str, str], case: str = "", *, is_write: bool) -> Texts:
        texts = Texts(tmp_path / NAME)
        here = {str(tmp_path): "<here>"}
        Golden(texts, test, here, is_write=is_write)(said, case, port=4711)
        return texts

    return hold


def test_what_was_written_holds_and_another_word_does_not(hold: Callable[..., Texts]) -> None:
    said = {"one": "error: no file\n=== here\n", "two": ""}
    texts = hold("test_a.py::test_b", said, is_write=True)
    texts.store()
    hold("test_a.py::test_b", said, is_write=False)
    with pytest.raises(AssertionError, match="no file at all"):
        hold("test_a.py::test_b", said | {"one": "error: no file at all"}, is_write=False)
    with pytest.raises(AssertionError, match="make messages"):
        hold("test_a.py::test_c", said, is_write=False)


def test_places_and_numbers_of_this_run_are_stored_by_their_names(
    hold: Callable[..., Texts], tmp_path: Path
) -> None:
    hold("test_a.py::test_b", f"{tmp_path}/a:4711", "x", is_write=True).store()
    assert (tmp_path / NAME).read_text() == "=== test_a.py::test_b x\n<here>/a:<port>\n"


def test_what_no_test_says_any_more_is_dropped(hold: Callable[..., Texts], tmp_path: Path) -> None:
    for test in ("test_a.py::test_b old", "test_a.py::test_c", "test_a.py::test_gone"):
        texts = Texts(tmp_path / NAME)
        texts.sections[test] = "told\n"
        texts.store()
    hold("test_a.py::test_b new", "told", is_write=True).store()
    assert set(Texts(tmp_path / NAME).sections) == {"test_a.py::test_b new", "test_a.py::test_c"}


def test_each_section_of_each_file_is_of_a_test() -> None:
    stray = [
        name for path in FILES for name in Texts(path).sections if not is_of_a_test(name, path)
    ]
    assert stray == []
