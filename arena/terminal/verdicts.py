"""A check of a bot in the terminal: its lines, the verdicts in colour where there is colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.console import Console
from rich.text import Text

from lath.arena.botcheck.points import Verdict

_STYLES: Final = {
    Verdict.OK: "green",
    Verdict.NOTE: "cyan",
    Verdict.UNTESTED: "dim",
    Verdict.WARNING: "yellow",
    Verdict.FAULT: "bold red",
}


def print_lines(lines: Iterable[str]) -> None:
    """Print lines of a report to standard output, as they are but for the colour."""
    console = Console(highlight=False, soft_wrap=True)
    for line in lines:
        console.print(_styled(line))


def _styled(line: str) -> Text:
    text = Text(line)
    if not line.startswith(" "):
        text.stylize("bold")
    elif line[2:3].isalpha() and (word := line[2:10].rstrip()) in _STYLES:
        text.stylize(_STYLES[Verdict(word)], 2, 2 + len(word))
    elif line.lstrip().startswith(("> ", "< ")):
        text.stylize("dim")
    return text
