"""The keys of `tournament.toml`: what each means and takes, for reader, schema and documents.

A model has the keys and their defaults; the docstring of a key says what it means. Its last
sentence may be a default that depends on other keys.
"""

from __future__ import annotations

import ast
import datetime as dt
from collections.abc import Mapping
from inspect import getsource
from itertools import pairwise
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, Field

from lath.arena.entrants.bot_table import (
    KEYS,
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
    """The time control of all bots without a `time` of their own, and how long the arena waits."""

    margin: Duration = MARGIN_S
    """Overrun that the arena accepts for each move."""

    startup: SomeTime = 10.0
    """Time for a bot's `ok` when it starts, and for `ready` before each game."""

    stop: SomeTime = STOP_S
    """Time for a bot to answer `stop`, and to end after `quit`."""

    limit: SomeTime = HARD_LIMIT_S
    """Time for a move if the time control has neither a clock nor a time per move."""

    ponder: bool = Field(default=False, strict=True, description="true or false")
    """`true` lets bots that want it think on the opponent's turn. Each game then uses the cores of
    both bots."""


class AdjudicationTable(KeyTable):
    """Rules that end games early, which the record names in `Termination`.

    `win_eval` and `draw_eval` need bots that send evaluations.
    """

    plies: Count = 0
    """Plies after which a game is a draw."""

    win_eval: Share = 0.0
    """Evaluation at which a side wins, if both bots send at least this for it during `win_after`
    plies."""

    win_after: Count = 0
    """Plies in a row, of both sides together, that `win_eval` needs."""

    draw_eval: Share = 0.0
    """Evaluation at which a game is a draw, if neither bot sends more for either side during
    `draw_after` plies."""

    draw_after: Count = 0
    """Plies in a row, of both sides together, that `draw_eval` needs."""


class SprtTable(KeyTable):
    """A sequential probability ratio test, which ends a match as soon as the result is clear."""

    elo0: Elo
    """Lead of the first bot under H0, in Elo: at most this."""

    elo1: Elo
    """Lead of the first bot under H1, in Elo: at least this. More than `elo0`."""

    alpha: Risk = 0.05
    """Error rate of the verdict H1."""

    beta: Risk = 0.05
    """Error rate of the verdict H0."""

    model: Literal["logistic", "normalized"] = Field(
        default="logistic", description="'logistic' or 'normalized'"
    )
    """Scale of `elo0` and `elo1`: the Elo of the tables, or Elo divided by the spread of the
    results, from -200 to 200."""


class TuneTable(KeyTable):
    """Options to tune. The first bot plays with tuned values, the second with start values."""

    pairs: Count
    """Pairs of trial games."""

    options: Annotated[dict[Variable, str], must(lambda ranges: ranges and read_ranges(ranges))] = (
        Field(
            description="a table of ranges such as { exploration = '5..200 from 40 step 10' }",
            min_length=1,
        )
    )
    """Range, start value and final step of each option to tune."""

    rate: Annotated[
        float, Field(strict=True, ge=0, le=100, description="a number from 0 to 100")
    ] = 0.0
    """Move of the values for a won game in the last pair, in steps. Default: 1/√pairs."""

    ahead: Annotated[int, whole(1, MOST_AHEAD)] = AHEAD
    """Pairs started before the first result is used."""


class OpeningsTable(KeyTable):
    """Where games begin: `file` names a book, `random` is a number of random moves.

    Default: `random = 4`, but a setup chosen at random for game types that have setups.
    """

    file: Text = Field(default="", description="a file of records or positions")
    """Opening book. Round N uses the book's entry N for each game type. You can move the file, but
    not change its contents."""

    random: Annotated[int | None, whole(0, 1000)] = None
    """Random moves before the bots play; 0 is the start of the rules, or a random setup."""

    order: Literal["sequential", "random"] = Field(
        default="sequential", description="'sequential' or 'random'"
    )
    """Order of the book's entries: as in the file, or shuffled by `seed`."""

    plies: Annotated[int | None, whole(0)] = None
    """Moves to play of each entry; 0 is only its setup or position. Default: all."""

    start: Count = 1
    """Number of the entry that the first round uses."""


def _are_dates(days: list[str]) -> bool:
    return days == sorted({*days}) and all(
        dt.date.fromisoformat(day).isoformat() == day for day in days
    )


class SeasonTable(KeyTable):
    """A season of a pool, whose table starts at zero."""

    name: Name
    """Name of the season. A new name begins a new season."""

    legs: Annotated[int, whole(1, 1000)] = 1
    """Match days on which any two bots meet; at most `rounds`."""

    match_days: Annotated[list[str], must(_are_dates)] = Field(
        default=[],
        json_schema_extra={"items": {"type": "string", "format": "date"}},
        description="a list of dates in their order such as ['2026-12-05', '2026-12-12']",
    )
    """Dates of the first match days, shown on the pages."""


class LeagueTable(KeyTable):
    """Your own text on the pages of a league."""

    about: Text = Field(default="", description="a file of Markdown such as 'about.md'")
    """File with the text for the first page: UTF-8, at most 64 KiB."""


Anchor = Annotated[float, Field(strict=True, ge=-MOST_ELO, le=MOST_ELO)]


class ConfigTable(KeyTable):
    """The tournament."""

    event: Name = "Tournament"
    """Title of the tournament in records and reports."""

    games: Annotated[list[Text], must(lambda ids: len(set(ids)) == len(ids))] = Field(
        default=list(DEMO_GAMES),
        min_length=1,
        json_schema_extra={"uniqueItems": True},
        description="a list of different games such as ['mammalath', 'manalath'] "
        "(`arena games` lists them), or files such as './mygame.py'",
    )
    """Game types that every pairing plays."""

    format: Annotated[str, must(FORMATS.__contains__)] = Field(
        default="round-robin",
        json_schema_extra={"enum": list(FORMATS)},
        description=f"one of {', '.join(FORMATS)}",
    )
    """Rule that decides which bots meet, and when the result is final."""

    rounds: Count = 1
    """Rounds to play. In a round, each pairing plays one opening of each game type, twice with
    sides swapped. With `[sprt]` it is the maximum."""

    pairs: Count = 1
    """Openings of each game type when two bots meet. Each is played twice with sides swapped."""

    challengers: Count = 1
    """Number of bots, from the top of the file, that play all the others but not each other."""

    seed: Annotated[int, whole(0, MOST_SEED)] | Literal["secret"] = Field(
        default=1, description="a whole number from 0 to 2^63 - 1, or 'secret'"
    )
    """Random seed of setups, openings and bots. The arena replaces `secret` with an unguessable
    number."""

    jobs: Annotated[int, whole(1, MAX_JOBS)] | Literal["auto"] = Field(
        default=1, description=f"a whole number from 1 to {MAX_JOBS}, or 'auto'"
    )
    """Games to play at the same time. With `auto`, as many as the cores allow."""

    pin: Literal["auto", "off"] = Field(default="auto", description="'auto' or 'off'")
    """`auto` gives each game its own cores, if there are enough for `jobs`; `off` does not."""

    log: Literal["bad", "all"] = Field(default="bad", description="'bad' or 'all'")
    """Games whose exchange of lines the arena keeps: those that ended badly, or all."""

    bench_after: CountFrom0 = 5
    """Crashes in a row after which the arena benches a bot; 0 is never."""

    sandbox: Sandbox = "auto"
    """Sandbox of all bots without a `sandbox` of their own."""

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
    """Bots whose Elo is fixed, so that ratings of different tournaments compare."""

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

REFUSED: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("event", "games", "format", "pairs", "challengers", "seed"), True),
    **dict.fromkeys(("adjudication", "sprt", "tune", "openings"), True),
    "time": {*BotTime.model_fields},
}
"""Keys that decide which games are played: a run that resumes with another value is refused."""

FREE: Final[Mapping[str, Any]] = dict.fromkeys(
    ("rounds", "log", "bench_after", "anchors", "season", "league"), True
)
"""Keys that change no game that was played. More rounds may be played, not fewer."""


def on_change(table: str, key: str) -> Literal["refused", "accepted", "recorded"]:
    """Return what the arena does with another value of a key when a tournament resumes."""
    if table == "bot":
        return "refused" if KEYS[key].decides else "recorded"
    refused = REFUSED.get(table or key, ())
    if refused is True or key in refused:
        return "refused"
    return "accepted" if (table or key) in FREE else "recorded"


def meanings(table: type[KeyTable]) -> dict[str, str]:
    """Return what each key of a table means, by its name, and which formats use it."""
    found: dict[str, str] = {}
    for kind in reversed(table.__mro__[: table.__mro__.index(KeyTable)]):
        (parsed,) = ast.parse(getsource(kind)).body
        for nodes in pairwise(ast.iter_child_nodes(parsed)):
            match nodes:
                case ast.AnnAssign(ast.Name(key)), ast.Expr(ast.Constant(str(text))):
                    found[key] = text
    if table is ConfigTable:
        found |= {name: kind.__doc__ or "" for name, kind in TABLES.items() if name}
        for key in found:
            if used := [name for name, each in FORMATS.items() if key in each.settings]:
                found[key] += f" Formats: {', '.join(used)}."
    return {key: " ".join(text.split()) for key, text in found.items()}


def schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a configuration."""
    from pydantic.json_schema import GenerateJsonSchema  # start-up time

    class Input(GenerateJsonSchema):
        """Schemas without null, which TOML lacks, and without titles that repeat the key."""

        def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
            return False

        def nullable_schema(self, schema: Any) -> Any:
            return self.generate_inner(schema["schema"])

        def default_schema(self, schema: Any) -> Any:
            if not schema.get("default"):  # the default of an absent table
                return self.generate_inner(schema["schema"])
            return super().default_schema(schema)

    made = ConfigTable.model_json_schema(schema_generator=Input)
    tables: tuple[type[KeyTable], ...] = (*TABLES.values(), BotTime)
    for table in tables:
        shape = made if table is ConfigTable else made["$defs"][table.__name__]
        for key, meaning in meanings(table).items():
            takes = table.model_fields[key].description
            shape["properties"][key]["description"] = f"{meaning} Value: {takes}."
    return {
        "$schema": Input.schema_dialect,
        **made,
        "title": "Configuration of a tournament",
    }
