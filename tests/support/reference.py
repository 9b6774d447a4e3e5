"""Pages of the reference that the program generates, as on the site."""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import import_module
from typing import Final, NamedTuple

from places import DOCS, page_text

sys.path.append(str(DOCS))
GENERATOR: Final = import_module("_commands")
TABLES: Final = import_module("_tables")


@cache
def commands_page() -> str:
    """Return the page as Markdown."""
    text: str = TABLES.filled(page_text("commands"))
    return text


def anchors(markdown: str) -> set[str]:
    """Return the anchors of a page: explicit ones, and those of headings."""
    fenceless = re.sub(r"(?ms)^```.*?^```$", "", markdown)
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", fenceless))
    words = (re.sub(r"[^\w\s-]", "", heading.lower()).strip() for heading in headings)
    written = re.findall(r'<a id="([^"]+)">', fenceless)
    return {*written, *(re.sub(r"[-\s]+", "-", each) for each in words)}


def section(words: tuple[str, ...]) -> str:
    """Return the section on a command."""
    heading = f"`arena {' '.join(words)}`\n"
    return re.split(r"(?m)^###* ", commands_page().partition(f"# {heading}")[2])[0]


@cache
def toml_page() -> str:
    """Return the page as Markdown."""
    text: str = TABLES.filled(page_text("tournament-toml"))
    return text


class KeyRow(NamedTuple):
    """The page's entry on a key."""

    table: str
    key: str
    meaning: str
    value: str
    default: str
    on_resume: str


def key_rows() -> list[KeyRow]:
    """Return the rows of all keys, each with an anchor from its table and its name."""
    found = []
    for section in toml_page().split("\n## ")[1:]:
        title = section.partition("\n")[0]
        table = title.strip("[]") if title.startswith("[") else ""
        for key, rest in re.findall(r"(?m)^\| <a id=.*?>`(\w+)` \| (.*) \|$", section):
            anchor = f"{table}-{key}" if table else key
            assert f'| <a id="{anchor}"></a>`{key}` |' in section
            found.append(KeyRow(table, key, *rest.split(" | ")))
    return found
