"""The keys of `tournament.toml`: what each takes, in words for people and as a JSON Schema.

A model has the keys and what stands where one is not written.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from lath.arena.entrants.bot_table import (
    BotTable,
    BotTime,
    Count,
    CountFrom0,
    Duration,
    KeyTable,
    Name,
    Sandbox,
    SomeTime,
    Text,
    Variable,
    must,
    whole,
)
from lath.arena.entrants.sizes import (
    DEMO_GAMES,
    MAX_JOBS,
    MOST_AHEAD,
)
from lath.arena.referee.clock import HARD_LIMIT_S, MARGIN_S, STOP_S
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.tuning.ranges import read_ranges
from lath.arena.schedule.tuning.spsa import AHEAD
from lath.reports.counting.scale import MOST_APART, MOST_ELO, refuse_far_apart

MOST_SEED: Final = 2**63 - 1
"""TOML has no greater number."""


def _table(kind: type[BaseModel], name: str) -> Any:
    return Field(default_factory=kind, description=f"a table [{name}]")


def _or_text(schema: dict[str, Any]) -> None:
    """Let the JSON Schema of a table allow a text in its place."""
    schema["anyOf"] = [{"$ref": schema.pop("$ref")}, {"type": "string", "minLength": 1}]


def _are_of_one_scale(anchors: Mapping[str, float]) -> bool:
    refuse_far_apart(anchors)
    return True


Share = Annotated[float, Field(strict=True, ge=0, le=1, description="a number from 0 to 1")]
Elo = Annotated[
    float, Field(strict=True, ge=-1000, le=1000, description="a number from -1000 to 1000")
]
Risk = Annotated[
    float, Field(strict=True, gt=0, lt=0.5, description="a number over 0 and under 0.5")
]


class TimeTable(BotTime):
    """How long bots may think, in the games of bots without a time of their own."""

    margin: Duration = MARGIN_S
    startup: SomeTime = 10.0
    stop: SomeTime = STOP_S
    limit: SomeTime = HARD_LIMIT_S
    ponder: bool = Field(default=False, strict=True, description="true or false")


class AdjudicationTable(KeyTable):
    """When games end before their rules end them."""

    plies: Count = 0
    win_eval: Share = 0.0
    win_after: Count = 0
    draw_eval: Share = 0.0
    draw_after: Count = 0


class SprtTable(KeyTable):
    """When a match is decided before its last round."""

    elo0: Elo
    elo1: Elo
    alpha: Risk = 0.05
    beta: Risk = 0.05
    model: Literal["logistic", "normalized"] = Field(
        default="logistic", description="'logistic' or 'normalized'"
    )


class TuneTable(KeyTable):
    """What is tuned, and how."""

    pairs: Count
    options: Annotated[dict[Variable, str], must(lambda ranges: ranges and read_ranges(ranges))] = (
        Field(
            description="a table of ranges such as { exploration = '5..200 from 40 step 10' }",
            min_length=1,
        )
    )
    rate: Annotated[
        float, Field(strict=True, ge=0, le=100, description="a number from 0 to 100")
    ] = 0.0
    ahead: Annotated[int, whole(1, MOST_AHEAD)] = AHEAD


class OpeningsTable(KeyTable):
    """Where games begin: `file`, or `random`."""

    file: Text = Field(default="", description="a file of records or positions")
    random: Annotated[int | None, whole(0, 1000)] = None
    order: Literal["sequential", "random"] = Field(
        default="sequential", description="'sequential' or 'random'"
    )
    plies: Annotated[int | None, whole(0)] = None
    start: Count = 1


def _are_dates(days: list[str]) -> bool:
    return days == sorted({*days}) and all(
        dt.date.fromisoformat(day).isoformat() == day for day in days
    )


class SeasonTable(KeyTable):
    """A season of a league: its table starts at zero."""

    name: Name
    legs: Annotated[int, whole(1, 1000)] = 1
    match_days: Annotated[list[str], must(_are_dates)] = Field(
        default=[],
        json_schema_extra={"items": {"type": "string", "format": "date"}},
        description="a list of dates in their order such as ['2026-12-05', '2026-12-12']",
    )


class LeagueTable(KeyTable):
    """What is shown on a league's pages besides games."""

    about: Text = Field(default="", description="a file of Markdown such as 'about.md'")


Anchor = Annotated[float, Field(strict=True, ge=-MOST_ELO, le=MOST_ELO)]


class ConfigTable(KeyTable):
    """The whole file."""

    event: Name = "Tournament"
    games: Annotated[list[Text], must(lambda ids: len(set(ids)) == len(ids))] = Field(
        default=list(DEMO_GAMES),
        min_length=1,
        json_schema_extra={"uniqueItems": True},
        description="a list of different games such as ['mammalath', 'manalath'] "
        "(`arena games` lists them), or files such as './mygame.py'",
    )
    format: Annotated[str, must(FORMATS.__contains__)] = Field(
        default="round-robin",
        json_schema_extra={"enum": list(FORMATS)},
        description=f"one of {', '.join(FORMATS)}",
    )
    rounds: Count = 1
    pairs: Count = 1
    challengers: Count = 1
    seed: Annotated[int, whole(0, MOST_SEED)] | Literal["secret"] = Field(
        default=1, description="a whole number from 0 to 2^63 - 1, or 'secret'"
    )
    jobs: Annotated[int, whole(1, MAX_JOBS)] | Literal["auto"] = Field(
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
    anchors: Annotated[dict[Name, Anchor], must(_are_of_one_scale)] = Field(
        default={},
        description="a table of bots and their Elo, at most "
        f"{MOST_APART:.0f} apart, such as {{ mine = 1500 }}",
    )
    season: SeasonTable | None = Field(default=None, description="a table [season]")
    league: LeagueTable = _table(LeagueTable, "league")
    bot: list[BotTable] = Field(
        default=[], json_schema_extra={"minItems": 2}, description="tables [[bot]]"
    )


TABLES: Final[Mapping[str, type[KeyTable]]] = {
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
    from pydantic.json_schema import GenerateJsonSchema  # start-up time

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

    return {
        "$schema": Input.schema_dialect,
        **ConfigTable.model_json_schema(schema_generator=Input),
        "title": "Configuration of a tournament",
    }
