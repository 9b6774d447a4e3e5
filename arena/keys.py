"""The keys of a configuration: what each takes, in words, as a reader and as JSON Schema."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

MAX_JOBS: Final = 512
"""Games at the same time: each is three processes."""

FORMATS: Final = ("round-robin",)


@dataclass(frozen=True, slots=True)
class Key:
    """One key."""

    read: Callable[[Any], Any]
    """Returns the value; raises TypeError or ValueError."""

    allowed: str
    """What it takes, in English, for errors."""

    schema: dict[str, Any]
    """The same as JSON Schema."""


_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_SIZES: Final = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable():
        raise ValueError("not a text")
    return value


def _name(value: Any) -> str:
    text = _text(value)
    if len(text) > 200 or text != text.strip():
        raise ValueError("not a name")
    return text


def _whole(low: int, high: int = 10**15) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError("not a whole number in range")
        return value

    return read


def _jobs(value: Any) -> int | str:
    return "auto" if value == "auto" else _whole(1, MAX_JOBS)(value)


def seconds(value: Any) -> float:
    """Return the seconds of a duration such as `0.1s`, `50ms` or a number; raises ValueError."""
    if type(value) in (int, float):
        amount = float(value)
    else:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)", _text(value), re.ASCII)
        if match is None:
            raise ValueError("not a duration")
        amount = float(match[1]) * _UNITS[match[2]]
    if not 0 <= amount <= 10**8:
        raise ValueError("out of range")
    return amount


def _some_seconds(value: Any) -> float:
    if (amount := seconds(value)) < 0.001:
        raise ValueError("too short")
    return amount


def size(value: Any) -> int:
    """Return the bytes of a size such as `512MiB`; raises ValueError."""
    match = re.fullmatch(r"(\d+)\s*(KiB|MiB|GiB)", _text(value), re.ASCII)
    if match is None or not int(match[1]):
        raise ValueError("not a size")
    return int(match[1]) * _SIZES[match[2]]


def _games(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or len(set(map(str, value))) != len(value):
        raise ValueError("not a list of games")
    return tuple(_text(item) for item in value)


def _format(value: Any) -> str:
    if value not in FORMATS:
        raise ValueError("not a format")
    return str(value)


def _command(value: Any) -> tuple[str, ...]:
    words = shlex.split(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise ValueError("not a command")
    if not words[0] or any("\0" in word for word in words):
        raise ValueError("not a command")
    return tuple(words)


def _env(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise ValueError("not a table of texts")
    if any("\0" in f"{name}{v}" or "=" in name or not name for name, v in value.items()):
        raise ValueError("no environment")
    return dict(value)


def _options(value: Any) -> dict[str, object]:
    kinds = (str, int, float, bool)
    if not isinstance(value, dict) or not all(isinstance(v, kinds) for v in value.values()):
        raise ValueError("not a table of values")
    if any("\n" in f"{name}{v}" for name, v in value.items()):
        raise ValueError("a line end")
    return dict(value)


_DURATION: Final[dict[str, Any]] = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": r"^\d+(\.\d+)?\s*(ms|s|min|m|h)$"},
    ]
}
_NAME: Final[dict[str, Any]] = {"type": "string", "minLength": 1, "maxLength": 200}

TOP_KEYS: Final = {
    "event": Key(_name, "a text of at most 200 characters", _NAME),
    "games": Key(
        _games,
        "a list of different games such as ['mammalath', 'manalath'] (`arena games` lists them)",
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
    ),
    "format": Key(_format, f"one of {', '.join(FORMATS)}", {"enum": list(FORMATS)}),
    "rounds": Key(_whole(1), "a whole number from 1", {"type": "integer", "minimum": 1}),
    "seed": Key(_whole(0), "a whole number from 0", {"type": "integer", "minimum": 0}),
    "jobs": Key(
        _jobs,
        f"a whole number from 1 to {MAX_JOBS}, or 'auto'",
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_JOBS}, {"const": "auto"}]},
    ),
}

TIME_KEYS: Final = {
    "initial": Key(_some_seconds, "a duration from 1ms, such as '10s'", _DURATION),
    "increment": Key(seconds, "a duration such as '0.1s' or '100ms'", _DURATION),
    "move": Key(_some_seconds, "a duration from 1ms, such as '500ms'", _DURATION),
    "nodes": Key(_whole(1), "a whole number from 1", {"type": "integer", "minimum": 1}),
    "margin": Key(seconds, "a duration such as '50ms'", _DURATION),
    "startup": Key(_some_seconds, "a duration from 1ms, such as '10s'", _DURATION),
    "limit": Key(_some_seconds, "a duration from 1ms, such as '60s'", _DURATION),
}

BOT_KEYS: Final = {
    "name": Key(_name, "a text of at most 200 characters", _NAME),
    "command": Key(
        _command,
        "a list of words such as ['python', 'mybot.py'], or one text",
        {
            "anyOf": [
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
                {"type": "string", "minLength": 1},
            ]
        },
    ),
    "cwd": Key(_text, "a folder", {"type": "string", "minLength": 1}),
    "env": Key(
        _env,
        "a table of texts such as { LOG = '0' }",
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "options": Key(
        _options,
        "a table of texts, numbers or booleans such as { threads = 1 }",
        {
            "type": "object",
            "additionalProperties": {"type": ["string", "number", "boolean"]},
        },
    ),
    "memory": Key(
        size,
        "a size such as '512MiB' (KiB, MiB or GiB)",
        {"type": "string", "pattern": r"^\d+\s*(KiB|MiB|GiB)$"},
    ),
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a configuration."""

    def table(keys: dict[str, Key], **more: Any) -> dict[str, Any]:
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {**{name: key.schema for name, key in keys.items()}, **more},
        }

    bot = {**table(BOT_KEYS), "required": ["name"]}
    bots = {"type": "array", "items": bot, "minItems": 2}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of a tournament",
        **table(TOP_KEYS, time=table(TIME_KEYS), bot=bots),
    }
