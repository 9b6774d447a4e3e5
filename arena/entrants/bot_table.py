"""The table of one bot in `tournament.toml`: its keys, and what each takes, in words for people."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from itertools import chain
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from lath.arena.entrants.sizes import MAX_JOBS, MOST, SIZES
from lath.arena.sandbox.kinds import SANDBOXES

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def seconds(value: Any) -> float:
    """Return the seconds of a duration such as `0.1s`, `50ms` or a number; raises ValueError."""
    if type(value) in (int, float):
        amount = float(value) if abs(value) <= MOST else MOST
    elif match := re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)", str(value), re.ASCII):
        amount = float(match[1]) * _UNITS[match[2]]
    else:
        raise ValueError("not a duration")
    if not 0 <= amount <= 10**8:
        raise ValueError("out of range")
    return amount


def _size(value: Any) -> int:
    """Return the bytes of a size such as `512MiB`."""
    if match := re.fullmatch(r"(\d+)\s*(KiB|MiB|GiB)", str(value), re.ASCII):
        return int(match[1]) * SIZES[match[2]]
    raise ValueError("not a size")


def _words(value: Any) -> tuple[str, ...]:
    """Return the words of a command, which may be one text as a shell reads it."""
    words = shlex.split(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(w, str) and "\0" not in w for w in words):
        raise ValueError("not a command")
    if not words or not words[0]:
        raise ValueError("no program")
    return tuple(words)


def must(holds: Callable[[Any], bool]) -> AfterValidator:
    """Return what refuses a value of which something does not hold."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError("it does not hold")
        return value

    return AfterValidator(check)


def whole(low: int, high: int = MOST) -> Any:
    """Return the field of a whole number between two bounds, which are allowed."""
    limit = "10^15" if high == MOST else high
    return Field(strict=True, ge=low, le=high, description=f"a whole number from {low} to {limit}")


def json_of(*kinds: dict[str, Any]) -> WithJsonSchema:
    """Return what the JSON Schema says of a value that we read ourselves."""
    return WithJsonSchema({"anyOf": list(kinds)} if len(kinds) > 1 else kinds[0])


# What keys take. A description is what is allowed, in English, for errors and for editors.
Text = Annotated[str, Field(min_length=1), must(lambda text: text.strip() and text.isprintable())]

Name = Annotated[
    Text,
    Field(
        max_length=200,
        description="a text of 1 to 200 printable characters, without blanks at its ends",
    ),
    must(lambda text: text == text.strip()),
]

Variable = Annotated[str, must(lambda name: name and not set("=\0") & set(name))]

Count = Annotated[int, whole(1)]

CountFrom0 = Annotated[int, whole(0)]

_Seconds = Annotated[
    float,
    BeforeValidator(seconds),
    json_of(
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": r"^\d+(\.\d+)?\s*(ms|s|min|m|h)$"},
    ),
]

Duration = Annotated[_Seconds, Field(description="a duration such as '0.1s' or '100ms'")]

SomeTime = Annotated[_Seconds, Field(ge=0.001, description="a duration from 1ms, such as '10s'")]

_ByteSize = Annotated[
    int, BeforeValidator(_size), json_of({"type": "string", "pattern": r"^\d+\s*(KiB|MiB|GiB)$"})
]

Command = Annotated[
    tuple[str, ...],
    BeforeValidator(_words),
    json_of(
        {"type": "array", "items": {"type": "string"}, "minItems": 1},
        {"type": "string", "minLength": 1},
    ),
]

Sandbox = Annotated[
    str,
    must(SANDBOXES.__contains__),
    Field(
        json_schema_extra={"enum": list(SANDBOXES)},
        description="'auto', 'none', 'user' or 'bwrap'",
    ),
]


def _is_told(value: str | float) -> bool:
    """Return whether a bot can be told a value: on one line, and a number that is finite."""
    if isinstance(value, int | float):
        return abs(value) <= MOST  # which NaN is not
    return not re.search(r"[\n\0]", value)


class KeyTable(BaseModel):
    """Keys and what they take; others are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BotTime(KeyTable):
    """A bot's own time control: `initial` and `increment`, or `move`, or `nodes`.

    With each of them, or alone, `first` is the time for a bot's first move of a game.
    """

    initial: SomeTime = 0.0
    increment: Duration = 0.0
    move: SomeTime = 0.0
    nodes: Count = 0
    first: SomeTime = 0.0


class BotTable(KeyTable):
    """One bot."""

    name: Name
    command: Command = Field(
        default=(), description="a list of words such as ['python', 'mybot.py'], or one text"
    )
    files: list[Text] = Field(
        default=[], description="a list of files and folders such as ['search.py', 'net/']"
    )
    cwd: Text = Field(default="", description="a folder")
    env: dict[Variable, Annotated[str, must(lambda text: "\0" not in text)]] = Field(
        default={}, description="a table of texts such as { LOG = '0' }"
    )
    options: Annotated[
        dict[str, str | int | float | bool],
        must(lambda options: all(map(_is_told, chain(options, options.values())))),
    ] = Field(
        default={}, description="a table of texts, numbers or booleans such as { threads = 1 }"
    )
    memory: _ByteSize = Field(
        default=0, ge=1, le=1 << 60, description="a size such as '512MiB' (KiB, MiB or GiB)"
    )
    time: BotTime | None = Field(
        default=None,
        description="a table such as { initial = '10s', increment = '0.1s' } (or move, or nodes), "
        "with first for its first move",
    )
    startup: SomeTime | None = None
    margin: Duration | None = None
    stop: SomeTime | None = None
    threads: Annotated[int, whole(1, MAX_JOBS)] = 1
    build: Text = Field(default="", description="a command of the shell such as 'make'")
    sandbox: Sandbox = "auto"
    reads: list[Text] = Field(
        default=[], description="a list of files and folders such as ['/opt/jdk', '../tables']"
    )
    cache: _ByteSize = Field(
        default=0, ge=1, le=1 << 40, description="a size such as '64MiB' (KiB, MiB or GiB)"
    )
    protocol: Literal["lath", "codingame", "botzone"] = Field(
        default="lath", description="'lath', 'codingame' or 'botzone'"
    )
    hosts: dict[Variable, Command] = Field(
        default={},
        description="a table of commands by names of machines, such as { 'gpu-*' = '/opt/mine' }",
    )
