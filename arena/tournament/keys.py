"""The keys of a configuration: what each takes, in words, as a reader and as JSON Schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import ORDERS
from lath.arena.schedule.sprt import MODELS
from lath.arena.tournament.values import (
    MOST,
    read_command,
    read_elo,
    read_env,
    read_games,
    read_name,
    read_options,
    read_risk,
    read_text,
    seconds,
    size,
    some_seconds,
    whole,
)

MAX_JOBS: Final = 512
"""Games at the same time: each is three processes."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key."""

    read: Callable[[Any], Any]
    """Returns the value; raises TypeError or ValueError."""

    allowed: str
    """What it takes, in English, for errors."""

    schema: dict[str, Any]
    """The same as JSON Schema."""


def _format(value: Any) -> str:
    if value not in FORMATS:
        raise ValueError("not a format")
    return str(value)


def _jobs(value: Any) -> int | str:
    return "auto" if value == "auto" else whole(1, MAX_JOBS)(value)


_DURATION: Final[dict[str, Any]] = {
    "anyOf": [
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": r"^\d+(\.\d+)?\s*(ms|s|min|m|h)$"},
    ]
}
_NAME: Final = Key(
    read_name,
    "a text of 1 to 200 printable characters, without blanks at its ends",
    {"type": "string", "minLength": 1, "maxLength": 200},
)


def _share(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise ValueError("not in 0..1")
    return float(value)


def _choice(*words: str) -> Key:
    def read(value: Any) -> str:
        if value not in words:
            raise ValueError("not one of them")
        return str(value)

    return Key(read, " or ".join(map(repr, words)), {"enum": list(words)})


def _whole(low: int, high: int = MOST) -> Key:
    limit = "10^15" if high == MOST else str(high)
    schema = {"type": "integer", "minimum": low, "maximum": high}
    return Key(whole(low, high), f"a whole number from {low} to {limit}", schema)


_COUNT: Final = _whole(1)

TOP_KEYS: Final = {
    "event": _NAME,
    "games": Key(
        read_games,
        "a list of different games such as ['mammalath', 'manalath'] (`arena games` lists them)",
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
    ),
    "format": Key(_format, f"one of {', '.join(FORMATS)}", {"enum": list(FORMATS)}),
    "rounds": _COUNT,
    "pairs": _COUNT,
    "challengers": _COUNT,
    "seed": _whole(0),
    "jobs": Key(
        _jobs,
        f"a whole number from 1 to {MAX_JOBS}, or 'auto'",
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_JOBS}, {"const": "auto"}]},
    ),
    "pin": _choice("auto", "off"),
    "log": _choice("bad", "all"),
}

TIME_KEYS: Final = {
    "initial": Key(some_seconds, "a duration from 1ms, such as '10s'", _DURATION),
    "increment": Key(seconds, "a duration such as '0.1s' or '100ms'", _DURATION),
    "move": Key(some_seconds, "a duration from 1ms, such as '500ms'", _DURATION),
    "nodes": _COUNT,
    "margin": Key(seconds, "a duration such as '50ms'", _DURATION),
    "startup": Key(some_seconds, "a duration from 1ms, such as '10s'", _DURATION),
    "limit": Key(some_seconds, "a duration from 1ms, such as '60s'", _DURATION),
}

_SHARE: Final = Key(_share, "a number from 0 to 1", {"type": "number", "minimum": 0, "maximum": 1})

ADJUDICATION_KEYS: Final = {
    "plies": _COUNT,
    "win_eval": _SHARE,
    "win_after": _COUNT,
    "draw_eval": _SHARE,
    "draw_after": _COUNT,
}

_ELO: Final = Key(
    read_elo, "a number from -1000 to 1000", {"type": "number", "minimum": -1000, "maximum": 1000}
)
_RISK: Final = Key(
    read_risk,
    "a number over 0 and under 0.5",
    {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 0.5},
)

SPRT_KEYS: Final = {
    "elo0": _ELO,
    "elo1": _ELO,
    "alpha": _RISK,
    "beta": _RISK,
    "model": _choice(*MODELS),
}

OPENINGS_KEYS: Final = {
    "file": Key(read_text, "a file of records or positions", {"type": "string", "minLength": 1}),
    "order": _choice(*ORDERS),
    "plies": _whole(0),
    "start": _COUNT,
}

BOT_TIME: Final = ("initial", "increment", "move", "nodes")
"""Keys of a bot's own time control."""


def _bot_time(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or not value or not value.keys() <= set(BOT_TIME):
        raise ValueError("not a time control")
    return {name: TIME_KEYS[name].read(told) for name, told in value.items()}


BOT_KEYS: Final = {
    "name": _NAME,
    "command": Key(
        read_command,
        "a list of words such as ['python', 'mybot.py'], or one text",
        {
            "anyOf": [
                {"type": "array", "items": {"type": "string"}, "minItems": 1},
                {"type": "string", "minLength": 1},
            ]
        },
    ),
    "cwd": Key(read_text, "a folder", {"type": "string", "minLength": 1}),
    "env": Key(
        read_env,
        "a table of texts such as { LOG = '0' }",
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
    "options": Key(
        read_options,
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
    "time": Key(
        _bot_time,
        "a table such as { initial = '10s', increment = '0.1s' } (or move, or nodes)",
        {
            "type": "object",
            "additionalProperties": False,
            "minProperties": 1,
            "properties": {name: TIME_KEYS[name].schema for name in BOT_TIME},
        },
    ),
    "threads": _whole(1, MAX_JOBS),
}


TABLES: Final = {
    "time": TIME_KEYS,
    "adjudication": ADJUDICATION_KEYS,
    "sprt": SPRT_KEYS,
    "openings": OPENINGS_KEYS,
}
"""The tables of a configuration besides the bots'."""


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
        **table(TOP_KEYS, **{name: table(keys) for name, keys in TABLES.items()}, bot=bots),
    }
