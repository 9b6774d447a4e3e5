"""What a tournament is: the configuration, read from TOML or flags, checked whole.

A model has the keys, what each takes, and what stands where it is not written; it says so to the
reader, to people whose file is wrong and to `arena schema config`. All that is wrong is told at
once, with file, line, key and what is allowed. Must not know how games are played, nor what becomes
of a configuration.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import tomllib
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import reduce
from operator import getitem, itemgetter
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple
from unicodedata import normalize

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    WithJsonSchema,
)

from lath import games
from lath.arena.errors import ConfigError, reading
from lath.arena.referee.clock import HARD_LIMIT_S, MARGIN_S, Limits
from lath.arena.referee.conversation import BotSpec
from lath.arena.referee.match import NO_ADJUDICATION, Adjudication
from lath.arena.schedule.core import Settings
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import BookChoice, digest
from lath.arena.schedule.sprt import MOST_ELO, Sprt
from lath.arena.tournament import system as cores
from lath.arena.tournament.programs import bundled, missing_script, resolve
from lath.games.errors import UnknownGameError
from lath.notation.errors import escaped
from lath.notation.protocol import TimeControl

DEMO_GAMES: Final = ("mammalath", "manalath", "surikata", "yavalath")

MOST: Final = 10**15
"""The greatest whole number; no key needs more."""

MOST_LETTERS: Final = 1 << 20
"""Letters of a configuration: thousands of bots."""

MOST_DEEP: Final = 8
"""How deep its tables and lists may lie in each other."""

MOST_MISTAKES: Final = 100
"""Mistakes that are told at once."""

MOST_SHOWN: Final = 200
"""Letters of a value that are told."""

_MANY_DOTS: Final = re.compile(r"""(?<![\w.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')\s*\.\s*){100}""")

MAX_JOBS: Final = 512
"""Games at the same time: each is three processes."""

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
SIZES: Final = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def seconds(value: Any) -> float:
    """Return the seconds of a duration such as `0.1s`, `50ms` or a number; raises ValueError."""
    if type(value) in (int, float):
        amount = float(value)
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


def _must(holds: Callable[[Any], bool]) -> AfterValidator:
    """Return what refuses a value of which something does not hold."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError("it does not hold")
        return value

    return AfterValidator(check)


def _whole(low: int, high: int = MOST) -> Any:
    limit = "10^15" if high == MOST else high
    return Field(strict=True, ge=low, le=high, description=f"a whole number from {low} to {limit}")


def _table(kind: type[BaseModel], name: str) -> Any:
    return Field(default_factory=kind, description=f"a table [{name}]")


def _json(*kinds: dict[str, Any]) -> WithJsonSchema:
    """Return what the JSON Schema says of a value that we read ourselves."""
    return WithJsonSchema({"anyOf": list(kinds)} if len(kinds) > 1 else kinds[0])


# What keys take. A description is what is allowed, in English, for errors and for editors.
Text = Annotated[str, Field(min_length=1), _must(lambda text: text.strip() and text.isprintable())]
Name = Annotated[
    Text,
    Field(
        max_length=200,
        description="a text of 1 to 200 printable characters, without blanks at its ends",
    ),
    _must(lambda text: text == text.strip()),
]
Variable = Annotated[str, _must(lambda name: name and not set("=\0") & set(name))]
Count = Annotated[int, _whole(1)]
CountFrom0 = Annotated[int, _whole(0)]
_Seconds = Annotated[
    float,
    BeforeValidator(seconds),
    _json(
        {"type": "number", "minimum": 0},
        {"type": "string", "pattern": r"^\d+(\.\d+)?\s*(ms|s|min|m|h)$"},
    ),
]
Duration = Annotated[_Seconds, Field(description="a duration such as '0.1s' or '100ms'")]
SomeTime = Annotated[_Seconds, Field(ge=0.001, description="a duration from 1ms, such as '10s'")]
Share = Annotated[float, Field(strict=True, ge=0, le=1, description="a number from 0 to 1")]
Elo = Annotated[
    float, Field(strict=True, ge=-1000, le=1000, description="a number from -1000 to 1000")
]
Risk = Annotated[
    float, Field(strict=True, gt=0, lt=0.5, description="a number over 0 and under 0.5")
]


class _Table(BaseModel):
    """Keys and what they take; others are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BotTime(_Table):
    """A bot's own time control: `initial` and `increment`, or `move`, or `nodes`."""

    initial: SomeTime = 0.0
    increment: Duration = 0.0
    move: SomeTime = 0.0
    nodes: Count = 0


class TimeTable(BotTime):
    """How long bots may think, in the games of bots without a time of their own."""

    margin: Duration = MARGIN_S
    startup: SomeTime = 10.0
    limit: SomeTime = HARD_LIMIT_S


class AdjudicationTable(_Table):
    """When games end before their rules end them."""

    plies: Count = 0
    win_eval: Share = 0.0
    win_after: Count = 0
    draw_eval: Share = 0.0
    draw_after: Count = 0


class SprtTable(_Table):
    """When a match is decided before its last round."""

    elo0: Elo
    elo1: Elo
    alpha: Risk = 0.05
    beta: Risk = 0.05
    model: Literal["logistic", "normalized"] = Field(
        default="logistic", description="'logistic' or 'normalized'"
    )


class OpeningsTable(_Table):
    """Where games begin."""

    file: Text = Field(description="a file of records or positions")
    order: Literal["sequential", "random"] = Field(
        default="sequential", description="'sequential' or 'random'"
    )
    plies: Annotated[int | None, _whole(0)] = None
    start: Count = 1


class BotTable(_Table):
    """One bot."""

    name: Name
    command: Annotated[
        tuple[str, ...],
        BeforeValidator(_words),
        _json(
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            {"type": "string", "minLength": 1},
        ),
    ] = Field(default=(), description="a list of words such as ['python', 'mybot.py'], or one text")
    cwd: Text = Field(default="", description="a folder")
    env: dict[Variable, Annotated[str, _must(lambda text: "\0" not in text)]] = Field(
        default={}, description="a table of texts such as { LOG = '0' }"
    )
    options: Annotated[
        dict[str, str | int | float | bool],
        _must(lambda options: not any("\n" in f"{name}{v}" for name, v in options.items())),
    ] = Field(
        default={}, description="a table of texts, numbers or booleans such as { threads = 1 }"
    )
    memory: Annotated[
        int, BeforeValidator(_size), _json({"type": "string", "pattern": r"^\d+\s*(KiB|MiB|GiB)$"})
    ] = Field(default=0, ge=1, le=1 << 60, description="a size such as '512MiB' (KiB, MiB or GiB)")
    time: BotTime | None = Field(
        default=None,
        description="a table such as { initial = '10s', increment = '0.1s' } (or move, or nodes)",
    )
    threads: Annotated[int, _whole(1, MAX_JOBS)] = 1


class ConfigTable(_Table):
    """The whole file."""

    event: Name = "Tournament"
    games: Annotated[list[Text], _must(lambda ids: len(set(ids)) == len(ids))] = Field(
        default=list(DEMO_GAMES),
        min_length=1,
        json_schema_extra={"uniqueItems": True},
        description="a list of different games such as ['mammalath', 'manalath'] "
        "(`arena games` lists them)",
    )
    format: Annotated[str, _must(FORMATS.__contains__)] = Field(
        default="round-robin",
        json_schema_extra={"enum": list(FORMATS)},
        description=f"one of {', '.join(FORMATS)}",
    )
    rounds: Count = 1
    pairs: Count = 1
    challengers: Count = 1
    seed: CountFrom0 = 1
    jobs: Annotated[int, _whole(1, MAX_JOBS)] | Literal["auto"] = Field(
        default=1, description=f"a whole number from 1 to {MAX_JOBS}, or 'auto'"
    )
    pin: Literal["auto", "off"] = Field(default="auto", description="'auto' or 'off'")
    log: Literal["bad", "all"] = Field(default="bad", description="'bad' or 'all'")
    time: TimeTable = _table(TimeTable, "time")
    adjudication: AdjudicationTable = _table(AdjudicationTable, "adjudication")
    sprt: SprtTable | None = Field(default=None, description="a table [sprt]")
    openings: OpeningsTable | None = Field(default=None, description="a table [openings]")
    bot: list[BotTable] = Field(
        default=[], json_schema_extra={"minItems": 2}, description="tables [[bot]]"
    )


TABLES: Final[Mapping[str, type[_Table]]] = {
    "": ConfigTable,
    "time": TimeTable,
    "adjudication": AdjudicationTable,
    "sprt": SprtTable,
    "openings": OpeningsTable,
    "bot": BotTable,
}
"""By the name of the table in the file."""


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a configuration."""
    from pydantic.json_schema import GenerateJsonSchema

    class Input(GenerateJsonSchema):
        """What TOML can say: there is no null. Titles that repeat the key are left out."""

        def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
            return False

        def nullable_schema(self, schema: Any) -> Any:
            return self.generate_inner(schema["schema"])

        def default_schema(self, schema: Any) -> Any:
            if not schema.get("default"):  # what stands for a key that was not written
                return self.generate_inner(schema["schema"])
            return super().default_schema(schema)

    made = ConfigTable.model_json_schema(schema_generator=Input)
    return {"$schema": Input.schema_dialect, **made, "title": "Configuration of a tournament"}


DEMO_TIME: Final = {"initial": "2s", "increment": "20ms"}
"""Where nothing is said of time."""


Place = tuple[Any, ...]
"""A key with the tables around it, such as `("time", "move")` or `("bot", 0, "name")`."""


class Mistake(NamedTuple):
    """What is wrong with a key."""

    place: Place
    text: str


def _placed(wrong: Mistake, name: str, lines: Mapping[Place, int]) -> tuple[int, str]:
    """Return the line of a mistake, for sorting, and what is said of it with its place.

    `name` and `lines` are those of the file; empty for a flag's. The line is that of the table
    where the key has none, and left out where nobody knows.
    """
    if not name:
        return MOST, f"the command line: {wrong.text}"
    line = lines.get(wrong.place) or lines.get(wrong.place[:-1])
    return (line, f"{name}:{line}: {wrong.text}") if line else (MOST, f"{name}: {wrong.text}")


_HEADER: Final = re.compile(r"\s*\[\[?\s*([A-Za-z_.-]+)\s*\]")
_KEY: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*[.=]""")


def _lines_of(text: str) -> dict[Place, int]:
    """Return the line on which each key first stands, and each table's header."""
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
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
    return "".join(escaped(letter).replace("\\x", "\\u00") for letter in text)


def _of_keys(toml: Mapping[str, Any]) -> tuple[ConfigTable, list[Mistake]]:
    """Return what is right, and what is wrong with each key by itself."""
    mistakes: list[Mistake] = []
    sound = deepcopy(dict(toml))
    while True:
        try:
            return ConfigTable.model_validate(sound), mistakes
        except ValidationError as error:
            kinds = {_place_of(each["loc"]): each for each in error.errors()}
            for place, each in kinds.items():
                kind = each["type"] if each["loc"] == place else "something in its value"
                if len(mistakes) < MOST_MISTAKES:
                    mistakes.append(Mistake(place, _text(kind, place, toml)))
                _leave_out(sound, place)


def _place_of(loc: Place) -> Place:
    """Return the place of the key of which pydantic speaks, or of something in its value."""
    size = 3 if loc[0] == "bot" else 2 if loc[0] in TABLES else 1
    return loc[:size] if len(loc) >= size else loc[:1]


def _leave_out(toml: Any, place: Place) -> None:
    """Take out a key that is wrong, and what cannot do without it; a bot can, for its place."""
    *table, key = place
    if place[0] not in toml:
        return  # another mistake has taken it out already
    row = reduce(getitem, table, toml)
    field = TABLES[place[0] if table else ""].model_fields.get(key)
    if field is not None and field.is_required():
        if place[0] == "bot":
            row["name"] = f"bot {place[1]}"
        else:
            toml[place[0]] = None
    elif row is not None:
        row.pop(key, None)


def _text(kind: str, place: Place, toml: Any) -> str:
    *table, key = place
    keys = TABLES[place[0] if table else ""].model_fields
    if kind == "extra_forbidden":
        where = f" in [{table[0]}]" if table else ""
        alike = get_close_matches(key.lower(), keys, n=1)
        meant = f"; did you mean {alike[0]!r}?" if alike else ""
        return f"unknown key {key!r}{where}, expected one of {', '.join(keys)}{meant}"
    if kind == "missing":
        needed = {"name": "a name", "file": "a file"}.get(key, key)
        return f"{table[0]}: expected {needed}"
    value = reduce(getitem, place, toml)
    return f"{key} = {shown(value)}, expected {keys[key].description}"


def _together(
    model: ConfigTable, wrong: Iterable[Mistake], folder: Path, played: Container[str]
) -> Iterator[Mistake]:
    """Yield what does not go together, as far as the keys that belong to it are right."""
    places = {mistake.place for mistake in wrong}
    for game_id in model.games:
        try:
            games.get(game_id)
        except UnknownGameError as error:
            yield Mistake(("games",), f"games: {error}")
    if ("format",) not in places:
        yield from _of_format(model)
    yield from _of_time(model.time, ("time",))
    yield from _of_adjudication(model.adjudication, places)
    if model.sprt is not None:
        yield from _of_sprt(model.sprt)
    if model.openings is not None:
        try:
            digest(folder / model.openings.file)
        except ConfigError as error:
            yield Mistake(("openings", "file"), f"openings: {error}")
    if ("bot",) not in places:
        yield from _of_bots(model.bot, folder, places, played)


_SETTINGS: Final = ("pairs", "challengers", "sprt")
"""What only some formats know. All take `rounds`; a knockout ends when it ends."""


def _of_format(model: ConfigTable) -> Iterator[Mistake]:
    name, bots = model.format, len(model.bot)
    for setting in _SETTINGS:
        if setting in model.model_fields_set and setting not in FORMATS[name].settings:
            fitting = [each for each, format_ in FORMATS.items() if setting in format_.settings]
            text = f"{setting} is for format {' or '.join(fitting)}, not {name}"
            yield Mistake((setting,), text)
    most = FORMATS[name].max_bots
    if most is not None and bots > most:
        yield Mistake(("format",), f"a {name} is between {most} bots, found {bots}")
    if "challengers" in FORMATS[name].settings and model.challengers >= bots >= 2:
        text = f"challengers = {model.challengers}, expected fewer than the {bots} bots"
        yield Mistake(("challengers",), text)


def _of_time(table: BotTime, place: Place, bot: str = "") -> Iterator[Mistake]:
    """Yield what is wrong with a time control; `bot` is whose own it is, if one's."""
    kinds = [kind for kind in ("initial", "move", "nodes") if getattr(table, kind)]
    where = f"bot {bot!r}: time" if bot else "time"
    if bot and not table.model_fields_set:
        allowed = BotTable.model_fields["time"].description
        yield Mistake(place, f"time = {{}}, expected {allowed}")
    if len(kinds) > 1:
        text = f"{where}: {' and '.join(kinds)}, expected one of them"
        yield Mistake(place if bot else (*place, kinds[1]), text)
    if "increment" in table.model_fields_set and "initial" not in kinds:
        yield Mistake(
            place if bot else (*place, "increment"), f"{where}: increment without initial"
        )


def _of_adjudication(table: AdjudicationTable, wrong: Iterable[Place]) -> Iterator[Mistake]:
    given = {*table.model_fields_set, *(place[-1] for place in wrong if place[0] == "adjudication")}
    for one, other in (("win_eval", "win_after"), ("draw_eval", "draw_after")):
        if (one in given) != (other in given):
            text = f"adjudication: expected both {one} and {other}, or none"
            yield Mistake(("adjudication", one if one in given else other), text)
    if "win_eval" in table.model_fields_set and table.win_eval <= table.draw_eval:
        text = "adjudication: expected win_eval over draw_eval and over 0"
        yield Mistake(("adjudication", "win_eval"), text)


def _of_sprt(table: SprtTable) -> Iterator[Mistake]:
    most = MOST_ELO[table.model]
    if max(abs(table.elo0), abs(table.elo1)) > most:
        key = "elo0" if abs(table.elo0) > most else "elo1"
        yield Mistake(("sprt", key), f"sprt: expected {table.model} Elo from -{most:g} to {most:g}")
    if table.elo0 >= table.elo1:
        text = f"sprt: elo0 = {table.elo0:g}, expected less than elo1 = {table.elo1:g}"
        yield Mistake(("sprt", "elo0"), text)


def _of_bots(
    bots: list[BotTable], folder: Path, wrong: Container[Place], played: Container[str]
) -> Iterator[Mistake]:
    if len(bots) < 2:
        yield Mistake(("bot",), f"expected at least two bots, found {len(bots)}")
    names: dict[str, str] = {}  # by their looks: case and codes of letters tell no new bots apart
    for index, bot in enumerate(bots):
        called = f"bot {bot.name!r}"
        folded = normalize("NFKC", normalize("NFKC", bot.name).casefold())
        looks = bot.name if bot.name in played else folded
        if other := names.get(looks):
            either = repr(bot.name) if bot.name == other else f"{other!r} and {bot.name!r}"
            text = f"two bots are called {either}, expected different names"
            yield Mistake(("bot", index, "name"), text)
        names[looks] = bot.name
        if bot.cwd and not (folder / bot.cwd).is_dir():
            text = f"{called}: cwd {str(folder / bot.cwd)!r} is not a folder"
            yield Mistake(("bot", index, "cwd"), text)
        if not (bot.command or bot.name in bundled() or ("bot", index, "name") in wrong):
            known = ", ".join(bundled())
            text = f"{called} has no command, and is not one of the bundled bots: {known}"
            yield Mistake(("bot", index, "name"), text)
        if bot.time is not None:
            yield from _of_time(bot.time, ("bot", index, "time"), bot.name)


_NONE: Final[Mapping[str, Any]] = {}

_NOT_NOTED: Final[Mapping[str, Any]] = {
    # What they say decides which games are played: a run that goes on with another is refused.
    **dict.fromkeys(("event", "games", "format", "pairs", "challengers", "seed"), True),
    **dict.fromkeys(("adjudication", "sprt", "openings"), True),
    "time": set(BotTime.model_fields),
    "bot": {"__all__": {"name", "command", "options", "time"}},
    # More of them may be played, not fewer.
    "rounds": True,
    # It changes no game.
    "log": True,
}
"""All other keys may be others when a run goes on, and a change of them is noted."""

Noted = Mapping[str, Mapping[str, Any]]
"""The values of what is noted: by bot, or "" for what is everybody's, and by key."""


def _noted(model: ConfigTable, jobs: int, bots: Iterable[BotSpec]) -> Noted:
    """Return them as they are used: `auto` counted, folders absolute."""
    values = model.model_dump(exclude={**_NOT_NOTED})
    times, rows = values.pop("time"), values.pop("bot")
    return {
        "": {**values, "jobs": jobs, **{f"time.{key}": value for key, value in times.items()}},
        **{
            bot.name: {**row, "cwd": bot.cwd or "", "threads": bot.threads}
            for bot, row in zip(bots, rows, strict=True)
        },
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(Settings):
    """A tournament, ready to be played."""

    event: str = "Tournament"
    format: str = "round-robin"
    openings: BookChoice | None = None
    """Where games begin; None: at setups that are drawn by the seed."""

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

    noted: Noted = field(default_factory=dict, compare=False)
    """What may be another when it is gone on with, and is noted then."""

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
        "rounds": 3,
        "seed": 1,
        "jobs": os.cpu_count() or 1,
        "time": DEMO_TIME,
        "bot": [{"name": name} for name in bundled()],
    }


def load(
    path: Path, folder: Path, flags: Mapping[str, Any] = _NONE, *, played: Collection[str] = ()
) -> Config:
    """Return the tournament that a file says, and flags over it; else as `build`.

    Raises ConfigError, of a mistake in the file also where a flag stands in the place of the key.
    """
    with reading(path):
        text = path.read_text(encoding="utf-8")
    try:
        toml = _toml(text)
    except ValueError as error:
        raise ConfigError(f"{path} {error}") from error
    return build(toml, folder, flags, name=str(path), text=text, played=played)


def _toml(text: str) -> dict[str, Any]:
    """Return what a text of TOML says; raises ValueError for what is no configuration at all."""
    if len(text) > MOST_LETTERS:
        raise ValueError(f"has {len(text)} letters, expected at most {MOST_LETTERS}")
    too_deep = f"has tables or lists in each other, expected at most {MOST_DEEP} deep"
    if _MANY_DOTS.search(text):  # to read it would take a minute
        raise ValueError(too_deep)
    try:
        toml = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"is not TOML: {error}") from error
    except RecursionError:
        raise ValueError(too_deep) from None
    except ValueError:  # Python reads no more digits than 4,300
        raise ValueError("has a number of thousands of digits") from None
    values: list[Any] = [toml]
    for _ in range(MOST_DEEP + 1):
        tables = [value.values() for value in values if isinstance(value, dict)]
        lists = [value for value in values if isinstance(value, list)]
        values = [value for each in (*tables, *lists) for value in each]
    if values:
        raise ValueError(too_deep)
    return toml


def build(
    toml: Mapping[str, Any],
    folder: Path,
    flags: Mapping[str, Any] = _NONE,
    *,
    name: str = "",
    text: str = "",
    played: Collection[str] = (),
) -> Config:
    """Return the tournament that a table says, and flags over it.

    Relative paths are taken from `folder`. `name` and `text` are those of the file that the table
    is from. Bots of names `played` have played in its directory: there 0.1.0 took such as differ in
    case alone. Raises ConfigError with all mistakes in the order of the file.
    """
    lines = _lines_of(text)
    hidden = _of_keys({key: toml[key] for key in flags if key in toml})[1]
    placed = [_placed(mistake, name, lines) for mistake in hidden]
    toml = {**toml, **flags}
    time = {"time": DEMO_TIME} if toml.get("time", {}) == {} else {}
    model, mistakes = _of_keys({**toml, **time})
    placed += [
        _placed(mistake, "" if mistake.place[0] in flags else name, lines)
        for mistake in (*mistakes, *_together(model, mistakes, folder, played))
    ]
    if placed:
        if len(mistakes) == MOST_MISTAKES:
            placed.append((MOST, f"{name}: and more mistakes than {MOST_MISTAKES}"))
        placed.sort(key=itemgetter(0))
        raise ConfigError("\n".join(dict.fromkeys(words for _, words in placed)))
    return _made(model, toml, folder)


def _made(model: ConfigTable, toml: Mapping[str, Any], folder: Path) -> Config:
    """Return the tournament of a table in which nothing is wrong."""
    bots = tuple(_bot(table, folder) for table in model.bot)
    most = max(1, len(cores.available()) // max(bot.threads for bot in bots))
    jobs = most if model.jobs == "auto" else model.jobs
    rows = zip(toml["bot"], bots, strict=True)  # as any folder can read them
    written = {
        **toml,
        "bot": [
            {**row, "command": list(bot.command)} | ({"cwd": bot.cwd} if bot.cwd else {})
            for row, bot in rows
        ],
    }
    openings = None
    if model.openings is not None:
        choice = model.openings.model_dump(exclude={"file"})
        path = (folder / model.openings.file).resolve()
        openings = BookChoice(path=path, digest=digest(path), **choice)
        written["openings"] = {**toml["openings"], "file": str(path)}
    names = ("event", "format", "rounds", "pairs", "challengers", "seed", "pin", "log")
    return Config(
        **{name: getattr(model, name) for name in names},
        games=tuple(model.games),
        jobs=jobs,
        sprt=None if model.sprt is None else Sprt(**dict(model.sprt)),
        openings=openings,
        adjudication=Adjudication(**dict(model.adjudication)),
        limits=Limits(
            time=_time(model.time),
            margin_s=model.time.margin,
            startup_s=model.time.startup,
            hard_limit_s=model.time.limit,
        ),
        bots=bots,
        as_written=written,
        noted=_noted(model, jobs, bots),
    )


def _bot(table: BotTable, folder: Path) -> BotSpec:
    command = table.command or bundled()[table.name]
    home = (folder / table.cwd).resolve()
    threads = table.threads
    if "threads" not in table.model_fields_set:  # then by its option of this name, as UCI has it
        said = {name.lower(): value for name, value in table.options.items()}.get("threads")
        threads = said if type(said) is int and 1 <= said <= MAX_JOBS else 1
    return BotSpec(
        name=table.name,
        command=resolve(command, home),
        cwd=str(home) if table.cwd else None,
        lacks=missing_script(command, home, in_scratch=not table.cwd),
        env=table.env,
        options=table.options,
        memory_bytes=table.memory or None,
        time=None if table.time is None else _time(table.time),
        threads=threads,
    )


def _time(table: BotTime) -> TimeControl:
    return TimeControl(
        initial_ms=round(table.initial * 1000),
        increment_ms=round(table.increment * 1000),
        move_ms=round(table.move * 1000),
        nodes=table.nodes,
    )


def time_table(time: TimeControl) -> dict[str, Any]:
    """Return the table `[time]` of what a `--tc` flag such as `10+0.1` says."""
    if time.has_clock:
        return {"initial": f"{time.initial_ms}ms", "increment": f"{time.increment_ms}ms"}
    if time.move_ms:
        return {"move": f"{time.move_ms}ms"}
    return {"nodes": time.nodes} if time.nodes else {"limit": f"{HARD_LIMIT_S}s"}


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
