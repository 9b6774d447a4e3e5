"""Standings as JSON and as CSV, for programs and sheets.

Must not know how standings come about.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from lath.notation.formats.tables import guarded
from lath.reports.outcome import Outcome
from lath.reports.ratings.results import Conditions, Estimate, Fit, Rating, Ratings, Strength
from lath.reports.schema import About, Amount, Count, Positive, Schema, Share, schema_of
from lath.reports.standings import Meeting, Row, Standings, Table

_DIGITS: Final = 6
"""Decimals of ratings and rates: more than anybody reads, fewer than machines differ in."""

CSV_COLUMNS: Final = (
    *("game", "rank", "name", "games", "wins", "draws", "losses", "points", "score_rate"),
    *("exposed", "mu", "sigma", "low", "high", "sequential_mu", "sequential_sigma"),
    *("elo", "elo_low", "elo_high", "group"),
    *("board_mu", "board_sigma", "board_elo", "board_elo_low", "board_elo_high"),
    *("crash", "time", "illegal move", "flood"),
)
"""`board_…` are the ratings without games lost by a forfeit; empty where there are none."""


class RatingValues(TypedDict):
    """A TrueSkill rating."""

    mu: float
    """mean of the TrueSkill rating; that of its group is 25"""
    sigma: Amount
    """its standard deviation"""
    low: float
    """lower end of its 95 % interval"""
    high: float
    """upper end"""
    exposed: float
    """mu - 3 sigma"""


class EstimateValues(TypedDict):
    """A number on the Elo scale."""

    value: float
    """in Elo points"""
    error: Amount
    """its standard error"""
    low: float
    """lower end of its 95 % interval"""
    high: float
    """upper end"""


class StrengthValues(RatingValues):
    """Ratings of a bot on both scales."""

    sequential: RatingValues | None
    """the same as the package has it game after game, as a cross-check; null where it was not
    made"""
    elo: EstimateValues
    """by Davidson's model; the mean of its group is 0"""


LostBy = TypedDict("LostBy", {"crash": Count, "time": Count, "illegal move": Count, "flood": Count})


class RowValues(StrengthValues):
    """What one bot did."""

    rank: Positive
    """group by group; by exposed rating, then points, then name"""
    name: str
    """as the tags First and Second give it"""
    games: Positive
    """seats taken; a game against itself counts two"""
    wins: Count
    draws: Count
    losses: Count
    points: Amount
    """a win 1, a draw 1/2"""
    score_rate: Share
    """points per game"""
    group: Positive
    """the number of its group, from 1"""
    without_forfeits: StrengthValues | None
    """ratings without games lost by crash, time, illegal move or flood; null where the bot is in no
    other game"""
    lost_by: LostBy
    """games lost in this way"""


class ConditionValues(TypedDict):
    """What the Elo model makes of one game."""

    game: str
    """the game's id"""
    games: Positive
    """rated games"""
    advantage: EstimateValues
    """of the first seat"""
    draw_rate: Share
    """between equals, on the Elo scale"""


class FitValues(TypedDict):
    """How well the Elo model fits."""

    chi_square: Amount
    """Pearson's, of what the Elo model expects and what came"""
    degrees: Count
    """of freedom; 0 where nothing can be said"""
    p_value: Share
    """chance of a fit as bad or worse if the model were true"""


class MeetingValues(TypedDict):
    """What the row's bot scored against the column's."""

    wins: Count
    draws: Count
    losses: Count
    points: Amount
    """of the row's bot"""
    games: Count
    superiority: Share | None
    """the likelihood that the row's bot is the stronger one (LOS); null across groups and for a bot
    and itself"""


class TableValues(TypedDict):
    """What came of some games."""

    game: str
    """the game's id; empty for all games together"""
    games: Count
    """counted games"""
    first_wins: Count
    draws: Count
    second_wins: Count
    first_score: Share | None
    """first's points per game; null before any game"""
    self_play: Count
    """counted games in which a bot met itself"""
    repeated: Count
    """counted games that repeat another move by move, and are not rated"""
    rated: Count
    """games that the ratings are made of"""
    unbalanced: bool
    """whether some bot had one seat clearly more often than the other"""
    endings: dict[str, Positive]
    """how many games ended for each reason"""
    groups: list[list[str]]
    """bots that games connect, each by name, the largest group first; between groups nothing
    compares"""
    draw_rate: Annotated[float, About(gt=0, lt=1)]
    """between equals on TrueSkill's scale, fitted"""
    conditions: list[ConditionValues]
    """what the Elo model makes of each game, by its id"""
    fit: FitValues
    rows: list[RowValues]
    """the bots by rank"""
    crosstable: list[list[MeetingValues]]
    """for each row its meetings with each row, both in order of rank"""


class StandingsValues(TypedDict):
    """Standings as `standings.json` has them."""

    version: Literal[2]
    """of this format"""
    events: list[str]
    """the different event titles"""
    overall: TableValues
    """all games together"""
    per_game: list[TableValues]
    """each game alone, by its id"""
    left_out: dict[str, Positive]
    """records that count for nothing, by reason"""
    unranked: list[str]
    """bots that are named only in records left out"""
    outcome: NotRequired[Annotated[dict[str, Any], About(shape=Outcome)]]
    """in what `arena rate --json` prints of one tournament: its outcome.json"""


def schema() -> Schema:
    """Return the JSON Schema of `standings.json`."""
    return schema_of(StandingsValues, "Standings of a Lath Arena tournament")


def to_json(standings: Standings) -> StandingsValues:
    """Return the standings as `schema` describes them, ready for `json.dumps`.

    Ratings and rates have six decimals. Without games lists are empty and `first_score` is None.
    """
    written: StandingsValues = _written(standings)
    return written


_SHAPES: Final[Mapping[type, Any]] = {
    Standings: StandingsValues,
    Table: TableValues,
    Row: RowValues,
    Meeting: MeetingValues,
    Strength: StrengthValues,
    Rating: RatingValues,
    Estimate: EstimateValues,
    Conditions: ConditionValues,
    Fit: FitValues,
}
"""Whose fields each of the values is written by."""

_ELSEWHERE: Final[Mapping[tuple[type, str], Callable[[Any], Any]]] = {
    (Standings, "version"): lambda _: 2,
    (Table, "rated"): lambda table: table.ratings.games,
    (Row, "group"): lambda row: row.strength.group + 1,
}
"""Fields that are called or counted in another way."""

_WITHIN: Final = {
    Table: ("ratings", Ratings),
    Row: ("strength", Strength),
    Strength: ("trueskill", Rating),
}
"""Whose fields are written as if they were the value's own."""


def _written(value: Any) -> Any:
    """Return a value as JSON: what has a shape by the names of its fields."""
    kind: Any = type(value)
    if kind is float:
        return round(value, _DIGITS) + 0.0  # no -0.0
    if kind in _SHAPES:
        return {name: _written(field(value)) for name, field in _fields(kind).items()}
    if kind is dict:
        return {name: _written(inner) for name, inner in value.items()}
    return [_written(inner) for inner in value] if kind is tuple else value


@cache
def _fields(kind: type) -> dict[str, Callable[[Any], Any]]:
    """Return by its name what gives each field; a crosstable of 100 bots has 60,000 of them."""
    found: dict[str, Callable[[Any], Any]] = {}
    for name in _SHAPES[kind].__annotations__:
        path, owner = "", kind
        while not (hasattr(owner, name) or (kind, name) in _ELSEWHERE or name == "outcome"):
            within, owner = _WITHIN[owner]
            path += f"{within}."
        if name != "outcome":
            found[name] = _ELSEWHERE.get((kind, name)) or attrgetter(path + name)
    return found


def to_csv(standings: Mapping[str, Any]) -> str:
    """Return standings, given as `to_json` does, as a table.

    A header line and a line a bot and table, CRLF after each, as RFC 4180 has it.

    The table of all games comes first, its `game` is empty; then that of each game. A text that a
    spreadsheet would read as a formula has an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    for table in (standings["overall"], *standings["per_game"]):
        for row in table["rows"]:
            elo, sequential, fair = row["elo"], row["sequential"], row["without_forfeits"]
            cells = {**row, **row["lost_by"], "game": table["game"]}
            cells |= {"elo": elo["value"], "elo_low": elo["low"], "elo_high": elo["high"]}
            if sequential is not None:
                cells |= {
                    "sequential_mu": sequential["mu"],
                    "sequential_sigma": sequential["sigma"],
                }
            if fair is not None:
                cells |= {f"board_{name}": fair[name] for name in ("mu", "sigma")}
                cells["board_elo"] = fair["elo"]["value"]
                cells |= {f"board_elo_{end}": fair["elo"][end] for end in ("low", "high")}
            writer.writerow([guarded(cells.get(column, "")) for column in CSV_COLUMNS])
    return text.getvalue()
