"""The page of the reference that lists the keys of `tournament.toml`, as the site has it."""

from __future__ import annotations

import importlib.util
import re
from functools import cache
from typing import Any, Final, NamedTuple

from places import DOCS

_SPEC: Final = importlib.util.spec_from_file_location("_toml", DOCS / "_tournament_toml.py")
assert _SPEC
assert _SPEC.loader
_GENERATOR: Final[Any] = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(_GENERATOR)

EXAMPLE: Final[str] = _GENERATOR.EXAMPLE
"""The whole configuration that the page shows."""


@cache
def toml_page() -> str:
    """Return the page as Markdown."""
    text: str = _GENERATOR.tournament_toml()
    return text


class KeyRow(NamedTuple):
    """What the page says of a key."""

    table: str
    key: str
    meaning: str
    value: str
    default: str
    on_resume: str


def key_rows() -> list[KeyRow]:
    """Return the rows of all keys; each has the anchor that its table and its name make."""
    found = []
    for section in toml_page().split("\n## ")[1:]:
        title = section.partition("\n")[0]
        table = title.strip("[]") if title.startswith("[") else ""
        for key, rest in re.findall(r"(?m)^\| <a id=.*?>`(\w+)` \| (.*) \|$", section):
            anchor = f"{table}-{key}" if table else key
            assert f'| <a id="{anchor}"></a>`{key}` |' in section
            found.append(KeyRow(table, key, *rest.split(" | ")))
    return found
