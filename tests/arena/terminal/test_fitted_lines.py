"""Sentences on a terminal: lines are broken between words, never inside one."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lath.arena.terminal.streams import fitted


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.lists(st.text("ab-;/ ", min_size=1), min_size=1), st.integers(40, 120))
def test_lines_for_people_are_broken_between_words_only(lines: list[str], width: int) -> None:
    text = "\n".join(lines)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(width))
        shown = fitted(text, _Terminal())
    assert shown.split() == text.split()
    assert all(len(line) <= width or len(line.split()) == 1 for line in shown.split("\n"))
    assert fitted(text, io.StringIO()) == text
