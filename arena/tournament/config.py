"""What a tournament is: the configuration, read from TOML or flags, checked whole.

Must not know the keys.

Every reader returns the value or raises TypeError or ValueError; what is allowed, in words, stands
with the keys.

Must not know what the values mean: the keys do.

Must not know how a schedule is made.

Must not import `bots`: the entry points of distributions say which modules are bots.

Must not know how games are played. An unknown key or a wrong value names file, line, key and what
is allowed.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final

from lath import games
from lath.arena.errors import ConfigError
from lath.arena.referee.clock import HARD_LIMIT_S, MARGIN_S, Limits
from lath.arena.referee.conversation import BotSpec
from lath.arena.referee.match import NO_ADJUDICATION, Adjudication
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import ORDERS, BookChoice, digest
from lath.arena.schedule.sprt import MODELS, MOST_ELO, Sprt
from lath.arena.tournament import system as cores
from lath.games.errors import UnknownGameError
from lath.notation.protocol import TimeControl

COMMAND_LINE = "the command line"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a configuration comes from: a file, flags, or a file with flags over it."""

    name: str = COMMAND_LINE
    text: str = ""
    """The file, as it is written; empty where there is none."""

    flags: frozenset[str] = frozenset()
    """Keys and tables that flags said, in place of the file."""

    def place(self, name: str, table: str = "") -> str:
        """Return where a key of a table (`time`, `bot 0`, ``) stands, as `file:line`.

        The line is that of the table where the key has none, and left out where nobody knows.
        """
        if (table.partition(" ")[0] or name) in self.flags:
            return COMMAND_LINE
        line = _line_of(self.text, name, table) or (table and _line_of(self.text, table, ""))
        return f"{self.name}:{line}" if line else self.name


def _line_of(text: str, name: str, table: str) -> int | None:
    """Return the line on which a key stands, else that of its table's header; None if unknown."""
    current = ""
    seen = -1
    header = None
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r"\s*\[\[?\s*([A-Za-z_.-]+)\s*\]", line):
            current = match[1]
            if current == "bot":
                seen += 1
                current = f"bot {seen}"
            elif current.startswith("bot."):
                current = f"bot {seen} {current[4:]}"
            if current == table:
                header = number
            if current == (f"{table} {name}" if table else name):
                return number
        elif current == table and re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[.=]", line):
            return number
    return header


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


def json_schema(kind: Any, title: str, *, is_output: bool = False) -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a type; in output every field is there."""
    from pydantic import TypeAdapter
    from pydantic.json_schema import GenerateJsonSchema

    class Plain(GenerateJsonSchema):
        def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
            return False

        def field_is_required(self, field: Any, total: bool) -> bool:
            return is_output or super().field_is_required(field, total)

    mode: Any = "serialization" if is_output else "validation"
    schema = TypeAdapter(kind).json_schema(mode=mode, schema_generator=Plain)
    return {"$schema": Plain.schema_dialect, **schema, "title": title}


@dataclass(frozen=True)
class Check:
    """Finds unknown keys and wrong values, and where they stand."""

    source: Source

    def all(self, told: Mapping[str, Any]) -> None:
        """Raise ConfigError at the first thing that is wrong."""
        self._table(told, {**TOP_KEYS, **dict.fromkeys((*TABLES, "bot"))}, "")
        for name, keys in TABLES.items():
            table = told.get(name, {})
            if not isinstance(table, dict):
                self._fail(name, "", table, f"a table [{name}]")
            self._table(table, keys, name)
        bots = told.get("bot", [])
        if not isinstance(bots, list) or not all(isinstance(row, dict) for row in bots):
            self._fail("bot", "", bots, "tables [[bot]]")
        for index, row in enumerate(bots):
            self._table(row, BOT_KEYS, f"bot {index}")
            if "name" not in row:
                place = self.source.place("name", f"bot {index}")
                raise ConfigError(f"{place}: bot: expected a name")

    def _table(self, told: Mapping[str, Any], keys: Mapping[str, Key | None], table: str) -> None:
        for name, value in told.items():
            if name not in keys:
                raise self._unknown(name, keys, table)
            key = keys[name]
            if key is None:
                continue
            try:
                key.read(value)
            except (TypeError, ValueError) as error:
                self._fail(name, table, value, key.allowed, error)

    def _unknown(self, name: str, keys: Mapping[str, Key | None], table: str) -> ConfigError:
        where = f" in [{table.partition(' ')[0]}]" if table else ""
        alike = get_close_matches(name.lower(), keys, n=1)
        meant = f"; did you mean {alike[0]!r}?" if alike else ""
        return ConfigError(
            f"{self.source.place(name, table)}: unknown key {name!r}{where}, expected one of "
            f"{', '.join(keys)}{meant}"
        )

    def _fail(
        self, name: str, table: str, value: Any, allowed: str, error: Exception | None = None
    ) -> None:
        raise ConfigError(
            f"{self.source.place(name, table)}: {name} = {shown(value)}, expected {allowed}"
        ) from error


SETTINGS = ("pairs", "challengers", "sprt")
"""What only some formats know. All take `rounds`; a knockout ends when it ends."""


def refuse_misfits(name: str, told: Collection[str], source: Source) -> None:
    """Raise ConfigError where a format is told what means nothing to it."""
    for setting in SETTINGS:
        if setting in told and setting not in FORMATS[name].settings:
            fitting = [each for each, format_ in FORMATS.items() if setting in format_.settings]
            raise ConfigError(
                f"{source.place(setting)}: {setting} is for format {' or '.join(fitting)}, "
                f"not {name}"
            )


def refuse_numbers(name: str, bots: int, challengers: int, source: Source) -> None:
    """Raise ConfigError where a format cannot be played by so many bots."""
    most = FORMATS[name].max_bots
    if most is not None and bots > most:
        place = source.place("format")
        raise ConfigError(f"{place}: a {name} is between {most} bots, found {bots}")
    if challengers >= bots:
        raise ConfigError(
            f"{source.place('challengers')}: challengers = {challengers}, expected fewer than the "
            f"{bots} bots"
        )


def sprt_of(told: Mapping[str, Any] | None, source: Source) -> Sprt | None:
    """Return the test of the table `[sprt]`; None without one. Raises ConfigError."""
    if told is None:
        return None
    values = _read(told, SPRT_KEYS)
    for name in ("elo0", "elo1"):
        if name not in values:
            raise ConfigError(f"{source.place(name, 'sprt')}: sprt: expected {name}")
    sprt = Sprt(**values)
    most = MOST_ELO[sprt.model]
    if max(abs(sprt.elo0), abs(sprt.elo1)) > most:
        place = source.place("elo0" if abs(sprt.elo0) > most else "elo1", "sprt")
        raise ConfigError(f"{place}: sprt: expected {sprt.model} Elo from -{most:g} to {most:g}")
    if sprt.elo0 >= sprt.elo1:
        raise ConfigError(
            f"{source.place('elo0', 'sprt')}: sprt: elo0 = {sprt.elo0:g}, expected less than elo1 "
            f"= {sprt.elo1:g}"
        )
    return sprt


def sprt_table(text: str) -> dict[str, Any]:
    """Return the table `[sprt]` of a `--sprt` flag such as `0,10` or `0,10,0.05,0.1`.

    Raises ConfigError.
    """
    words = text.split(",")
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise ConfigError(f"--sprt {text!r}, expected elo0,elo1 or elo0,elo1,alpha,beta")
    return dict(zip(("elo0", "elo1", "alpha", "beta"), numbers, strict=False))


def openings_of(told: Mapping[str, Any] | None, folder: Path, source: Source) -> BookChoice | None:
    """Return which book the table `[openings]` names; None without one. Raises ConfigError."""
    if told is None:
        return None
    values = _read(told, OPENINGS_KEYS)
    if "file" not in values:
        raise ConfigError(f"{source.place('file', 'openings')}: openings: expected a file")
    path = (folder / values.pop("file")).resolve()
    return BookChoice(path=path, digest=digest(path), **values)


def _read(told: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, Any]:
    return {name: key.read(told[name]) for name, key in keys.items() if name in told}


ENTRY_POINTS: Final = "lath_arena.bots"

_SCRIPTS: Final = (".py", ".js", ".sh", ".rb", ".jar", ".lua", ".pl")
"""How the name of a program ends that another program runs."""


@cache
def bundled() -> dict[str, tuple[str, ...]]:
    """Return the command of each bot that this installation brings, by name."""
    from importlib.metadata import entry_points

    return {
        point.name: (sys.executable, "-P", "-m", point.value)
        for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
    }


def resolve(command: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the command as it can be started from any folder.

    A program with a `/` and every argument that names a file are taken from `folder`; `python` is
    the interpreter that runs the arena where PATH has no other.
    """
    program, *arguments = command
    if "/" in program:
        program = _absolute(program, folder)
    elif program in ("python", "python3"):
        program = _python(program)
    return (program, *(_file(word, folder) for word in arguments))


def _python(program: str) -> str:
    """Return the arena's interpreter in a virtual environment, or where PATH has none."""
    if sys.prefix != sys.base_prefix or shutil.which(program) is None:
        return sys.executable
    return program


def _file(word: str, folder: Path) -> str:
    is_file = not word.startswith("-") and (folder / word).is_file()
    return _absolute(word, folder) if is_file else word


def missing_script(command: tuple[str, ...], folder: Path, *, in_scratch: bool) -> str:
    """Return that an argument looks like a script and is not in `folder`; empty if none is.

    `in_scratch`: the bot does not run in `folder` itself.

    >>> missing_script(("python", "nosuch.py"), Path("/proc"), in_scratch=True)
    'nosuch.py is not in /proc (the bot runs in a scratch folder)'
    """
    for word in command[1:]:
        if _is_like_a_script(word) and not (folder / word).exists():
            why = " (the bot runs in a scratch folder)" if in_scratch else ""
            return (
                f"{word} is no file" if word.startswith("/") else f"{word} is not in {folder}{why}"
            )
    return ""


def _is_like_a_script(word: str) -> bool:
    if word.startswith("-") or len(word.split()) != 1:
        return False  # a flag, or a program's own text
    return word.endswith(_SCRIPTS) or "/" in word


def _absolute(word: str, folder: Path) -> str:
    """Return a path from `folder` without resolving links: a virtual environment is one."""
    return os.path.normpath(folder / word)


DEMO_GAMES: Final = ("mammalath", "manalath", "surikata", "yavalath")
DEMO_ROUNDS: Final = 3
DEMO_TIME: Final = TimeControl(initial_ms=2000, increment_ms=20)

_FLAGS: Final = Source()
_NONE: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A tournament, ready to be played."""

    event: str = "Tournament"
    games: tuple[str, ...]
    format: str = "round-robin"
    rounds: int = 1
    """Each round: every pairing, both seats of every setup."""

    pairs: int = 1
    """Setups per game that two bots play when they meet, in swiss and knockout."""

    challengers: int = 1
    """Bots of a gauntlet that play all the others: the first ones."""

    sprt: Sprt | None = None
    """When a match is decided before its last round."""

    openings: BookChoice | None = None
    """Where games begin; None: at setups that are drawn by the seed."""

    seed: int = 1
    jobs: int = 1
    pin: str = "auto"
    """`auto`: each game has cores of its own where there are enough; `off`: the system decides."""

    log: str = "bad"
    """Of which games the exchange of lines is kept: of those that ended badly, or of `all`."""

    adjudication: Adjudication = NO_ADJUDICATION
    limits: Limits
    bots: tuple[BotSpec, ...]
    as_written: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The same as TOML would say it, for `tournament.toml`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the bots' names."""
        return tuple(bot.name for bot in self.bots)

    def identity(self) -> dict[str, object]:
        """Return what may not change between a run and its resumption.

        The number of rounds may: the games of the first rounds stay the same.
        """
        return {
            "event": self.event,
            "games": list(self.games),
            "format": self.format,
            "pairs": self.pairs,
            "challengers": self.challengers,
            "sprt": self.sprt and dataclasses.asdict(self.sprt),
            "openings": self.openings and self.openings.identity(),
            "seed": self.seed,
            "time": str(self.limits.time),
            "adjudication": dataclasses.asdict(self.adjudication),
            "bots": [
                {
                    "name": bot.name,
                    "command": list(bot.command),
                    "options": dict(bot.options),
                    "time": None if bot.time is None else str(bot.time),
                }
                for bot in self.bots
            ],
        }


def demo() -> dict[str, Any]:
    """Return the built-in tournament: the bundled bots over four games."""
    return {
        "event": "Demo of the bundled bots",
        "games": list(DEMO_GAMES),
        "format": "round-robin",
        "rounds": DEMO_ROUNDS,
        "seed": 1,
        "jobs": os.cpu_count() or 1,
        "time": {
            "initial": f"{DEMO_TIME.initial_ms / 1000:g}s",
            "increment": f"{DEMO_TIME.increment_ms}ms",
        },
        "bot": [{"name": name} for name in bundled()],
    }


def load(path: Path, folder: Path, flags: Mapping[str, Any] = _NONE) -> Config:
    """Return the tournament that a file says, and flags over it; raises ConfigError.

    Relative paths are taken from `folder`.
    """
    text = _text_of(path)
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error
    Check(Source(str(path), text)).all(told)
    return build({**told, **flags}, folder, source=Source(str(path), text, frozenset(flags)))


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8: byte {error.start}") from error


def build(told: Mapping[str, Any], folder: Path, *, source: Source = _FLAGS) -> Config:
    """Return the tournament that a table says; raises ConfigError.

    Relative paths are taken from `folder`. `source` is where the table comes from.
    """
    Check(source).all(told)
    values = {name: key.read(told[name]) for name, key in TOP_KEYS.items() if name in told}
    bots = tuple(_bot(row, folder, n, source) for n, row in enumerate(told.get("bot", [])))
    _refuse_few(bots, source)
    chosen = values.get("format", "round-robin")
    refuse_misfits(chosen, told, source)
    refuse_numbers(chosen, len(bots), values.get("challengers", 1), source)
    values.setdefault("games", DEMO_GAMES)
    for game_id in values["games"]:
        try:
            games.get(game_id)
        except UnknownGameError as error:
            raise ConfigError(f"{source.place('games')}: games: {error}") from error
    if values.get("jobs") == "auto":
        values["jobs"] = max(1, len(cores.available()) // max(bot.threads for bot in bots))
    openings = openings_of(told.get("openings"), folder, source)
    written = {
        **told,
        **({"openings": {**told["openings"], "file": str(openings.path)}} if openings else {}),
        "bot": [_absolute_config(row, bot) for row, bot in zip(told["bot"], bots, strict=True)],
    }
    return Config(
        **values,
        sprt=sprt_of(told.get("sprt"), source),
        openings=openings,
        adjudication=_adjudication(told.get("adjudication", {}), source),
        limits=_limits(told.get("time", {}), source),
        bots=bots,
        as_written=written,
    )


def _absolute_config(row: Mapping[str, Any], bot: BotSpec) -> dict[str, Any]:
    """Return a bot's table as any folder can read it."""
    written = {**row, "command": list(bot.command)}
    return {**written, "cwd": bot.cwd} if bot.cwd else written


def _refuse_few(bots: Sequence[BotSpec], source: Source) -> None:
    if len(bots) < 2:
        place = source.place("bot")
        raise ConfigError(f"{place}: expected at least two bots, found {len(bots)}")
    names = [bot.name for bot in bots]
    for index, name in enumerate(names):
        if name in names[:index]:
            place = source.place("name", f"bot {index}")
            raise ConfigError(f"{place}: two bots are called {name!r}, expected different names")


def _bot(row: Mapping[str, Any], folder: Path, index: int, source: Source) -> BotSpec:
    values = {name: key.read(row[name]) for name, key in BOT_KEYS.items() if name in row}
    table, called = f"bot {index}", f"bot {values['name']!r}"
    cwd = folder / values["cwd"] if "cwd" in values else None
    if cwd and not cwd.is_dir():
        place = source.place("cwd", table)
        raise ConfigError(f"{place}: {called}: cwd {str(cwd)!r} is not a folder")
    command = values.get("command") or bundled().get(values["name"])
    if command is None:
        raise ConfigError(
            f"{source.place('name', table)}: {called} has no command, and is not one of the "
            f"bundled bots: {', '.join(bundled())}"
        )
    home = (cwd or folder).resolve()
    return BotSpec(
        name=values["name"],
        command=resolve(command, home),
        cwd=str(home) if cwd else None,
        lacks=missing_script(command, home, in_scratch=cwd is None),
        env=values.get("env", {}),
        options=values.get("options", {}),
        memory_bytes=values.get("memory"),
        time=_time(values["time"], source, table, called) if "time" in values else None,
        threads=values.get("threads", _threads(values.get("options", {}))),
    )


def _threads(options: Mapping[str, object]) -> int:
    """Return how many threads a bot is told to use by the option of this name, as UCI has it."""
    told = {name.lower(): value for name, value in options.items()}.get("threads")
    return told if type(told) is int and 1 <= told <= MAX_JOBS else 1


def _adjudication(told: Mapping[str, Any], source: Source) -> Adjudication:
    """Return what ends games early; raises ConfigError for one half of what belongs together."""
    values = {name: key.read(told[name]) for name, key in ADJUDICATION_KEYS.items() if name in told}
    for one, other in (("win_eval", "win_after"), ("draw_eval", "draw_after")):
        if (one in values) != (other in values):
            place = source.place(one if one in values else other, "adjudication")
            raise ConfigError(f"{place}: adjudication: expected both {one} and {other}, or none")
    if values.get("win_eval", 1) <= values.get("draw_eval", 0):
        place = source.place("win_eval", "adjudication")
        raise ConfigError(f"{place}: adjudication: expected win_eval over draw_eval and over 0")
    return Adjudication(**values)


def _limits(told: Mapping[str, Any], source: Source) -> Limits:
    values = {name: key.read(told[name]) for name, key in TIME_KEYS.items() if name in told}
    return Limits(
        time=_time(values, source, "time") if told else DEMO_TIME,
        margin_s=values.get("margin", MARGIN_S),
        startup_s=values.get("startup", 10.0),
        hard_limit_s=values.get("limit", HARD_LIMIT_S),
    )


def _time(values: Mapping[str, Any], source: Source, table: str, called: str = "") -> TimeControl:
    """Return the time control of a table that was read; raises ConfigError for two in one.

    `called` is the bot whose own it is.
    """
    kinds = [kind for kind in ("initial", "move", "nodes") if kind in values]
    where = f"{called}: time" if called else "time"
    if len(kinds) > 1:
        place = source.place("time" if called else kinds[1], table)
        raise ConfigError(f"{place}: {where}: {' and '.join(kinds)}, expected one of them")
    if "increment" in values and "initial" not in values:
        place = source.place("time" if called else "increment", table)
        raise ConfigError(f"{place}: {where}: increment without initial")
    return TimeControl(
        initial_ms=round(values.get("initial", 0) * 1000),
        increment_ms=round(values.get("increment", 0) * 1000),
        move_ms=round(values.get("move", 0) * 1000),
        nodes=values.get("nodes", 0),
    )


def time_table(text: str) -> dict[str, Any]:
    """Return the `[time]` table of a `--tc` flag such as `10+0.1`; raises ConfigError."""
    try:
        time = TimeControl.read(text)
    except ValueError as error:
        raise ConfigError(f"--tc: {error}") from error
    if time.has_clock:
        return {"initial": f"{time.initial_ms}ms", "increment": f"{time.increment_ms}ms"}
    if time.move_ms:
        return {"move": f"{time.move_ms}ms"}
    return {"nodes": time.nodes} if time.nodes else {"limit": f"{HARD_LIMIT_S}s"}
