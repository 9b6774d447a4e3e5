"""The page of the reference that lists the commands, as the site has it."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from typing import Any, Final

from places import DOCS

_SPEC: Final = importlib.util.spec_from_file_location("_commands", DOCS / "_commands.py")
assert _SPEC is not None
assert _SPEC.loader is not None
GENERATOR: Final[Any] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(GENERATOR)


@cache
def commands_page() -> str:
    """Return the page as Markdown."""
    text: str = GENERATOR.page()
    return text


def anchors(markdown: str) -> set[str]:
    """Return the anchors of a page: those written out, and of each heading its words."""
    fenceless = re.sub(r"(?ms)^```.*?^```$", "", markdown)
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", fenceless))
    words = (re.sub(r"[^\w\s-]", "", heading.lower()).strip() for heading in headings)
    written = re.findall(r'<a id="([^"]+)">', fenceless)
    return {*written, *(re.sub(r"[-\s]+", "-", each) for each in words)}


def section(words: tuple[str, ...]) -> str:
    """Return what the page says about a command."""
    heading = f"`arena {' '.join(words)}`\n"
    return re.split(r"(?m)^###* ", commands_page().partition(f"# {heading}")[2])[0]
