"""The values of a configuration: how a text, a duration, a size or a command is read.

Every reader returns the value or raises TypeError or ValueError; what is allowed, in words, stands
with the keys.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from typing import Any, Final

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_SIZES: Final = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def shown(value: Any) -> str:
    """Return a value as TOML or JSON writes it, on one line.

    >>> shown(True), shown({"A": 1}), shown("a")
    ('true', '{"A": 1}', '"a"')
    """
    if isinstance(value, float):
        return repr(value)
    text = json.dumps(value, ensure_ascii=False, default=str)
    return "".join(letter if letter.isprintable() else _escaped(letter) for letter in text)


def _escaped(letter: str) -> str:
    number = ord(letter)
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def read_text(value: Any) -> str:
    """Return a text that says something, on one line."""
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError("not a text")
    return value


def read_name(value: Any) -> str:
    """Return a text of at most 200 characters without blanks round it."""
    text = read_text(value)
    if len(text) > 200 or text != text.strip():
        raise ValueError("not a name")
    return text


MOST: Final = 10**15
"""The greatest whole number; no key needs more."""


def whole(low: int, high: int = MOST) -> Callable[[Any], int]:
    """Return a reader of whole numbers from `low` to `high`."""

    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError("not a whole number in range")
        return value

    return read


def seconds(value: Any) -> float:
    """Return the seconds of a duration such as `0.1s`, `50ms` or a number; raises ValueError."""
    if type(value) in (int, float):
        amount = float(value)
    else:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)", read_text(value), re.ASCII)
        if match is None:
            raise ValueError("not a duration")
        amount = float(match[1]) * _UNITS[match[2]]
    if not 0 <= amount <= 10**8:
        raise ValueError("out of range")
    return amount


def some_seconds(value: Any) -> float:
    """Return the seconds of a duration from 1 ms."""
    if (amount := seconds(value)) < 0.001:
        raise ValueError("too short")
    return amount


def size(value: Any) -> int:
    """Return the bytes of a size such as `512MiB`; raises ValueError."""
    match = re.fullmatch(r"(\d+)\s*(KiB|MiB|GiB)", read_text(value), re.ASCII)
    if match is None or not int(match[1]):
        raise ValueError("not a size")
    return int(match[1]) * _SIZES[match[2]]


def read_games(value: Any) -> tuple[str, ...]:
    """Return a list of different texts, at least one."""
    if not isinstance(value, list) or not value or len(set(map(str, value))) != len(value):
        raise ValueError("not a list of games")
    return tuple(read_text(item) for item in value)


def read_number(value: Any, low: float, high: float) -> float:
    """Return a number from `low` to `high`."""
    if type(value) not in (int, float) or not low <= value <= high:
        raise ValueError("not a number in range")
    return float(value)


def read_elo(value: Any) -> float:
    """Return an advantage in Elo, -1000 to 1000."""
    return read_number(value, -1000, 1000)


def read_risk(value: Any) -> float:
    """Return a probability over 0 and under 0.5."""
    return read_number(value, 1e-9, 0.5 - 1e-9)


def read_command(value: Any) -> tuple[str, ...]:
    """Return the words of a command, which may be one text as a shell reads it."""
    words = shlex.split(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise ValueError("not a command")
    if not words[0] or any("\0" in word for word in words):
        raise ValueError("not a command")
    return tuple(words)


def read_env(value: Any) -> dict[str, str]:
    """Return variables that a process can have."""
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise ValueError("not a table of texts")
    if any("\0" in f"{name}{v}" or "=" in name or not name for name, v in value.items()):
        raise ValueError("no environment")
    return dict(value)


def read_options(value: Any) -> dict[str, object]:
    """Return options for a bot: texts, numbers or booleans."""
    kinds = (str, int, float, bool)
    if not isinstance(value, dict) or not all(isinstance(v, kinds) for v in value.values()):
        raise ValueError("not a table of values")
    if any("\n" in f"{name}{v}" for name, v in value.items()):
        raise ValueError("a line end")
    return dict(value)
