"""The table `[[bot]]`, which declares each key and its rules once.

A key declares its values, its part after a semicolon, its field of `BotSpec`, its effect on games,
and the values that an entrant's own file can set.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)

from lath.arena.entrants.flag_text import (
    AMOUNT,
    FOLDER,
    PATHS,
    TEXT,
    TYPED,
    WORDS,
    PartKind,
    split_part,
    split_words,
    time_from,
)
from lath.arena.entrants.minimum import (
    EntrantRule,
    has_one_thread,
    is_weaker,
    never,
    starts_its_own,
    stays_inside,
)
from lath.arena.entrants.programs import bundled, missing_file, resolve
from lath.arena.entrants.sizes import MAX_JOBS, MOST, SIZES
from lath.arena.entrants.toml_text import shown
from lath.arena.errors import ConfigError
from lath.arena.referee.bots import BotSpec
from lath.arena.sandbox.kinds import SANDBOXES
from lath.notation.protocol import TimeControl

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
    """Return the words of a command; a single text is split as in a shell."""
    words = shlex.split(value) if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(w, str) and "\0" not in w for w in words):
        raise ValueError("not a command")
    if not words or not words[0]:
        raise ValueError("no program")
    return tuple(words)


def must(holds: Callable[[Any], bool]) -> AfterValidator:
    """Return a validator that refuses values for which `holds` returns False."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError("it does not hold")
        return value

    return AfterValidator(check)


def whole(low: int, high: int = MOST) -> Any:
    """Return the field of a whole number from `low` to `high`."""
    limit = "10^15" if high == MOST else high
    return Field(strict=True, ge=low, le=high, description=f"a whole number from {low} to {limit}")


def json_of(*kinds: dict[str, Any]) -> WithJsonSchema:
    """Return the JSON Schema of a value with a reader of its own."""
    return WithJsonSchema({"anyOf": list(kinds)} if len(kinds) > 1 else kinds[0])


# Types of values. Their descriptions list the allowed values, for errors and for editors.
Text = Annotated[str, Field(min_length=1), must(lambda text: text.strip() and text.isprintable())]

Name = Annotated[
    Text,
    Field(
        max_length=200,
        description="a text of 1 to 200 printable characters, without spaces at the ends",
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

DURATION: Final = "a duration such as '0.1s' or '100ms'"

Duration = Annotated[_Seconds, Field(description=DURATION)]

SOME_TIME: Final = "a duration from 1ms, such as '10s'"

SomeTime = Annotated[_Seconds, Field(ge=0.001, description=SOME_TIME)]

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
    """Return True if the protocol can send a value: one line, and a finite number."""
    if isinstance(value, int | float):
        return abs(value) <= MOST  # false for NaN
    return not re.search(r"[\n\0]", value)


class KeyTable(BaseModel):
    """A table that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BotTime(KeyTable):
    """A bot's own time control: `initial` and `increment`, or `move`, or `nodes`, and `first`."""

    initial: SomeTime = 0.0
    """Time on a bot's clock before its first move. Default: 2s if `[time]` is empty or missing."""

    increment: Duration = 0.0
    """Time added to the clock after each move. Default: 20ms if `[time]` is empty or missing."""

    move: SomeTime = 0.0
    """Time for each move, instead of a clock."""

    nodes: Count = 0
    """Nodes for each move, which the bot counts itself, instead of a clock."""

    first: SomeTime = 0.0
    """Time for a bot's first move of a game. It replaces every other limit of that move, and leaves
    the clock unchanged."""

    def control(self) -> TimeControl:
        """Return the time control of the table."""
        return TimeControl(
            initial_ms=round(self.initial * 1000),
            increment_ms=round(self.increment * 1000),
            move_ms=round(self.move * 1000),
            nodes=self.nodes,
            first_ms=round(self.first * 1000),
        )


_TIME: Final = PartKind(time_from, lambda table: str(BotTime.model_validate(table).control()))


class BotKey(NamedTuple):
    """The rules of a key of `[[bot]]`, besides the type of its value."""

    entrant: EntrantRule
    """The values that an entrant's own file can set if a sandbox was asked for."""

    part: str = ""
    """The key's name after a semicolon; with a dot at its end, each entry of a table is a part.

    Empty for the beginning of the text.
    """

    kind: PartKind = TEXT
    """The reader and the writer of that part."""

    spec: str = ""
    """The field of a `BotSpec` that it fills. Default: the field of the same name."""

    decides: bool = False
    """True if the key decides which games are played.

    A run cannot resume with another value; for other keys the arena only notes the change.
    """


_SHARED: Final = "the organiser shares out the machine"

_SHARED_TIME: Final = "the organiser decides how long the arena waits for bots"


def _waited(part: str) -> BotKey:
    """Return the rules of a key for a time limit."""
    rule = EntrantRule(_SHARED_TIME, "no time", never, part=f"{part}=TIME")
    return BotKey(rule, part, AMOUNT, spec=f"{part}_s")


class BotTable(KeyTable):
    """A bot that plays. Write one `[[bot]]` for each; at least two must play."""

    name: Annotated[
        Name, BotKey(EntrantRule("the organiser names bots", is_read=False), decides=True)
    ]
    """Name of the bot. Names must differ in more than upper and lower case."""

    command: Annotated[
        Command,
        BotKey(
            EntrantRule(
                "the bot can see every file that its command names",
                "programs and files of this folder or of the system (--run CMD replaces it)",
                starts_its_own,
            ),
            decides=True,
        ),
    ] = Field(default=(), description="a list of words such as ['python', 'mybot.py'], or one text")
    """Program and arguments. The arena looks up files of the command in `cwd`, or beside this file.
    Default: the bundled bot of this name."""

    files: Annotated[
        list[Text],
        BotKey(
            EntrantRule("the folder holds the whole bot", is_read=False),
            "files",
            PATHS,
            decides=True,
        ),
    ] = Field(default=[], description="a list of files and folders such as ['search.py', 'net/']")
    """More files and folders of the bot, by which the arena recognises its versions."""

    cwd: Annotated[
        Text,
        BotKey(
            EntrantRule(
                "a bot sees the folder in which it runs", "a folder in this one", stays_inside
            ),
            "cwd",
            FOLDER,
        ),
    ] = Field(default="", description="a folder")
    """Folder in which the bot runs. Default: an empty folder for each process."""

    env: Annotated[
        dict[Variable, Annotated[str, must(lambda text: "\0" not in text)]],
        BotKey(
            EntrantRule(
                "variables can change which programs and libraries run",
                "no variables",
                never,
                part="env.NAME=VALUE",
            ),
            "env.",
        ),
    ] = Field(default={}, description="a table of texts such as { LOG = '0' }")
    """Environment variables that the bot gets besides a few of yours."""

    options: Annotated[
        dict[str, str | int | float | bool],
        must(lambda options: all(map(_is_told, chain(options, options.values())))),
        BotKey(
            EntrantRule(
                "`threads` takes cores of the machine",
                "at most 1 for the option 'threads'",
                has_one_thread,
                part="threads=N",
            ),
            "option.",
            TYPED,
            decides=True,
        ),
    ] = Field(
        default={}, description="a table of texts, numbers or booleans such as { threads = 1 }"
    )
    """Options that the arena sends to the bot with `setoption`."""

    memory: Annotated[
        _ByteSize,
        BotKey(
            EntrantRule(
                _SHARED, "no size, because each bot has its share", never, part="memory=SIZE"
            ),
            "memory",
            spec="memory_bytes",
        ),
    ] = Field(default=0, ge=1, le=1 << 60, description="a size such as '512MiB' (KiB, MiB or GiB)")
    """Memory of all processes of the bot. A bot that needs more crashes and loses. Leave it out for
    builds with sanitizers. Default: none. With `user` or `bwrap` it is a share of the machine."""

    time: Annotated[
        BotTime | None,
        BotKey(
            EntrantRule("the match has a time for both", is_read=False), "tc", _TIME, decides=True
        ),
    ] = Field(
        default=None,
        description="a table such as { initial = '10s', increment = '0.1s' } (or move, or nodes), "
        "with first for its first move",
    )
    """Time control of this bot. It replaces all of `[time]`, also its `first`. Default: that of
    `[time]`."""

    startup: Annotated[SomeTime | None, _waited("startup")] = Field(
        default=None, description=SOME_TIME
    )
    """Time for the bot's `ok` when it starts, and for `ready` before each game. Default: that of
    `[time]`."""

    margin: Annotated[Duration | None, _waited("margin")] = Field(
        default=None, description=DURATION
    )
    """Overrun that the arena accepts for each move of this bot. Default: that of `[time]`."""

    stop: Annotated[SomeTime | None, _waited("stop")] = Field(default=None, description=SOME_TIME)
    """Time for this bot to answer `stop`, and to end after `quit`. Default: that of `[time]`."""

    threads: Annotated[
        int,
        whole(1, MAX_JOBS),
        BotKey(EntrantRule(_SHARED, "1", has_one_thread, part="threads=N"), "threads", TYPED),
    ] = 1
    """Cores that the bot needs at the same time. Default: its option `threads`, or 1."""

    build: Annotated[
        Text, BotKey(EntrantRule("it runs in the sandbox of the bot"), "build", decides=True)
    ] = Field(default="", description="a command of the shell such as 'make'")
    """Shell command that builds the bot. The arena runs it in a copy of `cwd`, in the sandbox."""

    sandbox: Annotated[
        Sandbox,
        BotKey(
            EntrantRule(
                "it is the minimum", "", lambda claim: not is_weaker(claim.value, claim.asked)
            ),
            "sandbox",
        ),
    ] = "auto"
    """Sandbox of this bot: `auto` is the best that this machine allows without setup. Default: the
    tournament's `sandbox`."""

    reads: Annotated[
        list[Text],
        BotKey(
            EntrantRule(
                "only the organiser adds paths",
                "files and folders in this folder",
                stays_inside,
                part="reads=PATH",
            ),
            "reads",
            PATHS,
        ),
    ] = Field(
        default=[], description="a list of files and folders such as ['/opt/jdk', '../tables']"
    )
    """Other files and folders that the bot can read in the sandbox `bwrap`."""

    cache: Annotated[
        _ByteSize,
        BotKey(
            EntrantRule("a cache stays on the disk", "no size", never, part="cache=SIZE"),
            "cache",
            spec="cache_bytes",
        ),
    ] = Field(default=0, ge=1, le=1 << 40, description="a size such as '64MiB' (KiB, MiB or GiB)")
    """Size of a folder that the arena keeps for the bot between games. The bot finds it by the
    variable `XDG_CACHE_HOME`."""

    protocol: Annotated[
        Literal["lath", "codingame", "botzone"],
        BotKey(
            EntrantRule("it only changes the lines that the bot reads"),
            "protocol",
            decides=True,
        ),
    ] = Field(default="lath", description="'lath', 'codingame' or 'botzone'")
    """Protocol that the bot speaks."""

    hosts: Annotated[
        dict[Variable, Command],
        BotKey(
            EntrantRule("the organiser knows the machines of a cluster", is_read=False),
            "host.",
            WORDS,
        ),
    ] = Field(
        default={},
        description="a table of commands by names of machines, such as { 'gpu-*' = '/opt/mine' }",
    )
    """Commands for machines of a cluster, by patterns of their names. The first match counts."""


KEYS: Final[Mapping[str, BotKey]] = {
    name: next(each for each in field.metadata if isinstance(each, BotKey))
    for name, field in BotTable.model_fields.items()
}
"""The rules of each key, by name."""

_PARTS: Final = {key.part: name for name, key in KEYS.items() if key.part}
"""The key that each part fills, by the part's name."""


def checked(table: Mapping[str, Any], of: str) -> BotTable:
    """Return the checked table; raises ConfigError with the messages for `[[bot]]`."""
    try:
        return BotTable.model_validate(table)
    except ValidationError as error:
        if (key := str(error.errors()[0]["loc"][0])) not in KEYS:
            known = ", ".join(KEYS)
            raise ConfigError(f"{of}unknown key {key!r}, expected one of {known}") from error
        expected = BotTable.model_fields[key].description or "another value"
        raise ConfigError(f"{of}{key} = {shown(table[key])}, expected {expected}") from error


def read_parts(parts: Iterable[str], of: str) -> dict[str, Any]:
    """Return the parts after `;` as a table `[[bot]]`; raises ConfigError."""
    table: dict[str, Any] = {}
    for text in parts:
        said, value = split_part(text.strip())
        name, dot, one = said.partition(".")
        part = f"{name}{dot}" if one else said
        if part not in _PARTS or (dot and not one):
            raise ConfigError(f"{of}{_unknown(said)}")
        key = _PARTS[part]
        kind = KEYS[key].kind
        if not kind.has_words:
            value = " ".join(split_words(value, f"{of}{said}: "))
        row = table.setdefault(key, {}) if one else table
        where = " ".join(split_words(one, of)) if one else key
        if where in row:
            raise ConfigError(f"{of}{said} is given twice")
        try:
            row[where] = kind.read(value)
        except ConfigError as error:
            raise ConfigError(f"{of}{error}") from error
    return table


def _unknown(part: str) -> str:
    forms = {name.rstrip("."): f"{name}NAME" if name.endswith(".") else name for name in _PARTS}
    alike = get_close_matches(part.partition(".")[0].lower(), forms, n=1)
    known = f"expected one of {', '.join(forms.values())}"
    return f"unknown part {part!r}; {f'did you mean {forms[alike[0]]!r}?' if alike else known}"


def parts_text(table: Mapping[str, Any]) -> list[str]:
    """Return the parts of a bot's text for a table; `read_parts` reads them."""
    parts = []
    for name, value in table.items():
        part, kind = KEYS[name].part, KEYS[name].kind
        if part.endswith("."):
            entries = [(f"{part}{_part_name(one)}", each) for one, each in value.items()]
        else:
            entries = [(part, value)] if part else []
        for said, each in entries:
            text = kind.write(each)
            parts.append(f"{said}={text if kind.has_words else shlex.quote(text)}")
    return parts


def _part_name(name: str) -> str:
    """Return an entry's name as it appears in a part: in quotes if it has special characters."""
    return name if re.fullmatch(r"""[^;='"\\\s]+( [^;='"\\\s]+)*""", name) else shlex.quote(name)


# How a bot starts

_FROM_THE_FIRST: Final = ("name", "command", "options", "time")
"""The keys that 0.1.0 kept for every bot, in order; other keys are kept only if set."""


def bot_spec(table: BotTable, folder: Path, sandbox: str = "auto") -> BotSpec:
    """Return the settings to start the bot of a checked table; `folder` is that of the file.

    `sandbox` is the default for bots that do not name one.
    """
    command = table.command or bundled()[table.name]
    home = (folder / table.cwd).resolve()
    said = table.model_fields_set
    threads: object = table.threads
    if "threads" not in said:  # otherwise the option of this name counts, as in UCI
        threads = {name.lower(): value for name, value in table.options.items()}.get("threads")
    has_threads = type(threads) is int and 1 <= threads <= MAX_JOBS
    values = {key.spec or name: getattr(table, name) for name, key in KEYS.items()}
    own: dict[str, Any] = {
        "command": resolve(command, home),
        "cwd": str(home) if table.cwd else None,
        "files": _below(home, table.files or ["."] * bool(table.build)),
        "lacks": missing_file(command, home, in_scratch=not table.cwd),
        "memory_bytes": table.memory or None,
        "time": table.time and table.time.control(),
        "threads": threads if has_threads else 1,
        "sandbox": table.sandbox if "sandbox" in said else sandbox,
        "reads": _below(folder, table.reads),
        "may_be_of_contest": "protocol" not in said and bool(table.command),
    }
    return BotSpec(**values | own)


def _below(folder: Path, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(os.path.normpath(folder.absolute() / path) for path in paths)


def located(row: Mapping[str, Any], table: BotTable, folder: Path) -> dict[str, Any]:
    """Return a row that `table` has checked, with paths that work from any folder."""
    home = (folder / table.cwd).resolve()
    found = {**row}
    if table.cwd:
        found["cwd"] = str(home)
    if table.command:
        found["command"] = list(resolve(table.command, home))
    for part, place in (("files", home), ("reads", folder)):
        if part in row:
            found[part] = list(_below(place, getattr(table, part)))
    return found


def identity_of(bot: BotSpec) -> dict[str, object]:
    """Return the settings that decide a bot's games, as JSON.

    A tournament's directory keeps them.
    """
    found: dict[str, object] = {}
    for name in sorted(KEYS, key=lambda name: name not in _FROM_THE_FIRST):
        value = getattr(bot, KEYS[name].spec or name)
        is_said = value and value != BotTable.model_fields[name].default
        if KEYS[name].decides and (is_said or name in _FROM_THE_FIRST):
            value = str(value) if isinstance(value, TimeControl) else value
            found[name] = list(value) if isinstance(value, tuple) else value
    return found
