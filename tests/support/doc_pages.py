"""A page of the documentation whose sessions are run: its files, commands and output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

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
