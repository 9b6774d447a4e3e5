"""The keys of `tournament.toml`: what each takes, in words for people and as a JSON Schema.

A model has the keys and what stands where one is not written. Must not know files, nor what becomes
of a configuration.
"""

from __future__ import annotations

import datetime as dt
import re
import shlex
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from lath.arena.referee.clock import HARD_LIMIT_S, MARGIN_S, STOP_S
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.ranges import read_ranges
from lath.arena.schedule.spsa import AHEAD
from lath.arena.tournament.sizes import (
    DEMO_GAMES,
    MAX_JOBS,
    MOST,
    MOST_AHEAD,
    SIZES,
)
from lath.arena.walls.wall import SANDBOXES
from lath.reports.comparisons import MOST_APART, MOST_ELO, refuse_far_apart

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


def _must(holds: Callable[[Any], bool]) -> AfterValidator:
    """Return what refuses a value of which something does not hold."""

    def check(value: Any) -> Any:
        if not holds(value):
            raise ValueError("it does not hold")
        return value

    return AfterValidator(check)


MOST_SEED: Final = 2**63 - 1
"""TOML has no greater number."""


def _whole(low: int, high: int = MOST) -> Any:
    limit = "10^15" if high == MOST else high
    return Field(strict=True, ge=low, le=high, description=f"a whole number from {low} to {limit}")


def _table(kind: type[BaseModel], name: str) -> Any:
    return Field(default_factory=kind, description=f"a table [{name}]")


def _or_text(schema: dict[str, Any]) -> None:
    """Let the JSON Schema of a table allow a text in its place."""
    schema["anyOf"] = [{"$ref": schema.pop("$ref")}, {"type": "string", "minLength": 1}]


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


def _are_of_one_scale(anchors: Mapping[str, float]) -> bool:
    refuse_far_apart(anchors)
    return True


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


_ByteSize = Annotated[
    int, BeforeValidator(_size), _json({"type": "string", "pattern": r"^\d+\s*(KiB|MiB|GiB)$"})
]
Command = Annotated[
    tuple[str, ...],
    BeforeValidator(_words),
    _json(
        {"type": "array", "items": {"type": "string"}, "minItems": 1},
        {"type": "string", "minLength": 1},
    ),
]
Sandbox = Annotated[
    str,
    _must(SANDBOXES.__contains__),
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


class Table(BaseModel):
    """Keys and what they take; others are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BotTime(Table):
    """A bot's own time control: `initial` and `increment`, or `move`, or `nodes`.

    With each of them, or alone, `first` is the time for a bot's first move of a game.
    """

    initial: SomeTime = 0.0
    increment: Duration = 0.0
    move: SomeTime = 0.0
    nodes: Count = 0
    first: SomeTime = 0.0


class TimeTable(BotTime):
    """How long bots may think, in the games of bots without a time of their own."""

    margin: Duration = MARGIN_S
    startup: SomeTime = 10.0
    stop: SomeTime = STOP_S
    limit: SomeTime = HARD_LIMIT_S
    ponder: bool = Field(default=False, strict=True, description="true or false")


class AdjudicationTable(Table):
    """When games end before their rules end them."""

    plies: Count = 0
    win_eval: Share = 0.0
    win_after: Count = 0
    draw_eval: Share = 0.0
    draw_after: Count = 0


class SprtTable(Table):
    """When a match is decided before its last round."""

    elo0: Elo
    elo1: Elo
    alpha: Risk = 0.05
    beta: Risk = 0.05
    model: Literal["logistic", "normalized"] = Field(
        default="logistic", description="'logistic' or 'normalized'"
    )


class TuneTable(Table):
    """What is tuned, and how."""

    pairs: Count
    options: Annotated[
        dict[Variable, str], _must(lambda ranges: ranges and read_ranges(ranges))
    ] = Field(
        description="a table of ranges such as { exploration = '5..200 from 40 step 10' }",
        min_length=1,
    )
    rate: Annotated[
        float, Field(strict=True, ge=0, le=100, description="a number from 0 to 100")
    ] = 0.0
    ahead: Annotated[int, _whole(1, MOST_AHEAD)] = AHEAD


class OpeningsTable(Table):
    """Where games begin: `file`, or `random`."""

    file: Text = Field(default="", description="a file of records or positions")
    random: Annotated[int | None, _whole(0, 1000)] = None
    order: Literal["sequential", "random"] = Field(
        default="sequential", description="'sequential' or 'random'"
    )
    plies: Annotated[int | None, _whole(0)] = None
    start: Count = 1


def _are_dates(days: list[str]) -> bool:
    return days == sorted({*days}) and all(
        dt.date.fromisoformat(day).isoformat() == day for day in days
    )


class SeasonTable(Table):
    """A season of a league: its table starts at zero."""

    name: Name
    legs: Annotated[int, _whole(1, 1000)] = 1
    match_days: Annotated[list[str], _must(_are_dates)] = Field(
        default=[],
        json_schema_extra={"items": {"type": "string", "format": "date"}},
        description="a list of dates in their order such as ['2026-12-05', '2026-12-12']",
    )


class LeagueTable(Table):
    """What is shown on a league's pages besides games."""

    about: Text = Field(default="", description="a file of Markdown such as 'about.md'")


class BotTable(Table):
    """One bot."""

    name: Name
    command: Command = Field(
        default=(), description="a list of words such as ['python', 'mybot.py'], or one text"
    )
    files: list[Text] = Field(
        default=[], description="a list of files and folders such as ['search.py', 'net/']"
    )
    cwd: Text = Field(default="", description="a folder")
    env: dict[Variable, Annotated[str, _must(lambda text: "\0" not in text)]] = Field(
        default={}, description="a table of texts such as { LOG = '0' }"
    )
    options: Annotated[
        dict[str, str | int | float | bool],
        _must(lambda options: all(map(_is_told, chain(options, options.values())))),
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
    threads: Annotated[int, _whole(1, MAX_JOBS)] = 1
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


Anchor = Annotated[float, Field(strict=True, ge=-MOST_ELO, le=MOST_ELO)]


class ConfigTable(Table):
    """The whole file."""

    event: Name = "Tournament"
    games: Annotated[list[Text], _must(lambda ids: len(set(ids)) == len(ids))] = Field(
        default=list(DEMO_GAMES),
        min_length=1,
        json_schema_extra={"uniqueItems": True},
        description="a list of different games such as ['mammalath', 'manalath'] "
        "(`arena games` lists them), or files such as './mygame.py'",
    )
    format: Annotated[str, _must(FORMATS.__contains__)] = Field(
        default="round-robin",
        json_schema_extra={"enum": list(FORMATS)},
        description=f"one of {', '.join(FORMATS)}",
    )
    rounds: Count = 1
    pairs: Count = 1
    challengers: Count = 1
    seed: Annotated[int, _whole(0, MOST_SEED)] | Literal["secret"] = Field(
        default=1, description="a whole number from 0 to 2^63 - 1, or 'secret'"
    )
    jobs: Annotated[int, _whole(1, MAX_JOBS)] | Literal["auto"] = Field(
        default=1, description=f"a whole number from 1 to {MAX_JOBS}, or 'auto'"
    )
    pin: Literal["auto", "off"] = Field(default="auto", description="'auto' or 'off'")
    log: Literal["bad", "all"] = Field(default="bad", description="'bad' or 'all'")
    bench_after: CountFrom0 = 5
    sandbox: Sandbox = "auto"
    time: TimeTable = _table(TimeTable, "time")
    adjudication: AdjudicationTable = _table(AdjudicationTable, "adjudication")
    sprt: SprtTable | None = Field(default=None, description="a table [sprt]")
    tune: TuneTable | None = Field(default=None, description="a table [tune]")
    openings: OpeningsTable | None = Field(
        default=None,
        json_schema_extra=_or_text,
        description="a table [openings], or a text such as 'random:4' or 'book.lath:6'",
    )
    anchors: Annotated[dict[Name, Anchor], _must(_are_of_one_scale)] = Field(
        default={},
        description="a table of bots and their Elo, at most "
        f"{MOST_APART:.0f} apart, such as {{ mine = 1500 }}",
    )
    season: SeasonTable | None = Field(default=None, description="a table [season]")
    league: LeagueTable = _table(LeagueTable, "league")
    bot: list[BotTable] = Field(
        default=[], json_schema_extra={"minItems": 2}, description="tables [[bot]]"
    )


TABLES: Final[Mapping[str, type[Table]]] = {
    "": ConfigTable,
    "time": TimeTable,
    "adjudication": AdjudicationTable,
    "sprt": SprtTable,
    "tune": TuneTable,
    "openings": OpeningsTable,
    "season": SeasonTable,
    "league": LeagueTable,
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
