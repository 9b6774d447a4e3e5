"""TOML files as people write them: values, lines of keys, and values for messages."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Final

from lath.arena.errors import ConfigError, reading
from lath.notation.files import bounds
from lath.notation.record.errors import escaped


def read_toml(path: Path) -> tuple[dict[str, Any], str]:
    """Return the values of a file and its text; raises ConfigError."""
    with reading(path):
        text = path.read_bytes().decode()
    try:
        return bounds.read_toml(text), text
    except bounds.BoundsError as error:
        raise ConfigError(f"{path}: {error}") from error


MOST_SHOWN: Final = 200
"""The number of characters that messages show of a value."""

Place = tuple[Any, ...]
"""A key with the tables around it, such as `("time", "move")` or `("bot", 0, "name")`."""

_HEADER: Final = re.compile(r"\s*\[\[?\s*([A-Za-z_.-]+)\s*\]")

_KEY: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*[.=]""")


def lines_of(text: str) -> dict[Place, int]:
    """Return the first line of each key, and of each table's header."""
    lines: dict[Place, int] = {}
    current: Place = ()
    bots = -1
    for number, line in enumerate(text.splitlines(), 1):
        if match := _HEADER.match(line):
            first, *rest = match[1].split(".")
            bots += match[1] == "bot"
            current = (first, bots, *rest) if first == "bot" else (first, *rest)
            lines.setdefault(current, number)
        elif match := _KEY.match(line):
            key = match[1] or match[2] or match[3]
            lines.setdefault((*current, key), number)
    return lines


def shown(value: Any) -> str:
    """Return a value as TOML or JSON writes it, on one line.

    >>> shown(True), shown({"A": 1}), shown("a")
    ('true', '{"A": 1}', '"a"')
    """
    if isinstance(value, float):
        return repr(value)
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except ValueError:  # a number with more than 4,300 digits
        return "a number with thousands of digits"
    text = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
    return "".join(escaped(letter).replace("\\x", "\\u00") for letter in text)
