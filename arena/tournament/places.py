"""Where in a configuration's file a key stands, so that errors can name the line.

Must not know the keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

COMMAND_LINE = "the command line"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a configuration comes from: a file, flags, or a file with flags over it."""

    name: str = COMMAND_LINE
    text: str = ""
    """The file, as it is written; empty where there is none."""

    flags: frozenset[str] = frozenset()
    """Keys and tables that flags said, in place of the file."""

    def place(self, name: str, table: str = "") -> str:
        """Return where a key of a table (`time`, `bot 0`, ``) stands, as `file:line`.

        The line is that of the table where the key has none, and left out where nobody knows.
        """
        if (table.partition(" ")[0] or name) in self.flags:
            return COMMAND_LINE
        line = _line_of(self.text, name, table) or (table and _line_of(self.text, table, ""))
        return f"{self.name}:{line}" if line else self.name


def _line_of(text: str, name: str, table: str) -> int | None:
    """Return the line on which a key stands, else that of its table's header; None if unknown."""
    current = ""
    seen = -1
    header = None
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r"\s*\[\[?\s*([A-Za-z_.-]+)\s*\]", line):
            current = match[1]
            if current == "bot":
                seen += 1
                current = f"bot {seen}"
            elif current.startswith("bot."):
                current = f"bot {seen} {current[4:]}"
            if current == table:
                header = number
            if current == (f"{table} {name}" if table else name):
                return number
        elif current == table and re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[.=]", line):
            return number
    return header
