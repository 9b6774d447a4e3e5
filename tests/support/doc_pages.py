"""A page of the documentation whose sessions are run: its files, commands and output."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Final

import pytest
from commands import arena
from places import page_text

_FENCE: Final = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class DocPage:
    """A page, by its name."""

    def __init__(self, name: str) -> None:
        self.text: Final = page_text(name)
        self.prose: Final = _FENCE.sub("", self.text)
        """The text outside code fences."""
        self._blocks: Final[list[tuple[str, str, str]]] = _FENCE.findall(self.text)

    def make_files(self, folder: Path) -> None:
        """Write the page's files of records."""
        for kind, name, text in self._blocks:
            if name and kind in ("lath", "text"):
                (folder / name).write_text(text, encoding="utf-8")

    def every_session(self) -> pytest.MarkDecorator:
        """Return the mark that runs a test for each `session`, a command with its output."""
        sessions = [text.removeprefix("$ ") for kind, _, text in self._blocks if kind == "console"]
        names = [text.partition("\n")[0] for text in sessions]
        return pytest.mark.parametrize("session", sessions, ids=names)


def check_session(session: str) -> None:
    """Run a command in this folder and compare its output, without spaces at the ends of lines."""
    command, _, shown = session.partition("\n")
    ran = arena(*shlex.split(command)[1:])
    assert [line.rstrip() for line in (ran.out + ran.err).splitlines()] == shown.splitlines()
