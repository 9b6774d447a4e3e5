"""Pages of the reference that the program generates, as on the site."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from typing import Any, Final, NamedTuple

from places import DOCS


def _loaded(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR: Final = _loaded("_commands")
_TOML: Final = _loaded("_tournament_toml")
TABLES: Final = _loaded("_tables")


@cache
def commands_page() -> str:
    """Return the page as Markdown."""
    text: str = GENERATOR.page()
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


EXAMPLE: Final[str] = _TOML.EXAMPLE
"""The example configuration on the page."""


@cache
def toml_page() -> str:
    """Return the page as Markdown."""
    text: str = _TOML.tournament_toml()
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
