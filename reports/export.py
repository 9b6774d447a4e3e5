"""Standings as JSON and as CSV, for programs and sheets.

Must not know how standings come about.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from lath.notation.formats.tables import guarded
from lath.reports.outcome import Outcome
from lath.reports.ratings.results import Conditions, Estimate, Rating, Strength
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
    return {
        "version": 2,
        "events": list(standings.events),
        "overall": _table_to_json(standings.overall),
        "per_game": [_table_to_json(table) for table in standings.per_game],
        "left_out": dict(standings.left_out),
        "unranked": list(standings.unranked),
    }


def _table_to_json(table: Table) -> TableValues:
    return {
        "game": table.game,
        "games": table.games,
        "first_wins": table.first_wins,
        "draws": table.draws,
        "second_wins": table.second_wins,
        "first_score": _short_or_none(table.first_score),
        "self_play": table.self_play,
        "repeated": table.repeated,
        "rated": table.ratings.games,
        "unbalanced": table.unbalanced,
        "endings": dict(table.endings),
        "groups": [list(group) for group in table.ratings.groups],
        "draw_rate": _short(table.ratings.draw_rate),
        "conditions": [_conditions_to_json(line) for line in table.ratings.conditions],
        "fit": {
            "chi_square": _short(table.ratings.fit.chi_square),
            "degrees": table.ratings.fit.degrees,
            "p_value": _short(table.ratings.fit.p_value),
        },
        "rows": [_row_to_json(row) for row in table.rows],
        "crosstable": [[_meeting_to_json(m) for m in meetings] for meetings in table.crosstable],
    }


def _conditions_to_json(line: Conditions) -> ConditionValues:
    return {
        "game": line.game,
        "games": line.games,
        "advantage": _estimate_to_json(line.advantage),
        "draw_rate": _short(line.draw_rate),
    }


def _row_to_json(row: Row) -> RowValues:
    fair = row.without_forfeits
    return {
        "rank": row.rank,
        "name": row.name,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "points": row.points,
        "score_rate": _short(row.points / row.games),
        **_strength_to_json(row.strength),
        "group": row.strength.group + 1,
        "without_forfeits": None if fair is None else _strength_to_json(fair),
        "lost_by": {
            "crash": row.lost_by["crash"],
            "time": row.lost_by["time"],
            "illegal move": row.lost_by["illegal move"],
            "flood": row.lost_by["flood"],
        },
    }


def _strength_to_json(strength: Strength) -> StrengthValues:
    in_order = strength.sequential
    return {
        **_rating_to_json(strength.trueskill),
        "sequential": None if in_order is None else _rating_to_json(in_order),
        "elo": _estimate_to_json(strength.elo),
    }


def _rating_to_json(rating: Rating) -> RatingValues:
    interval = Estimate(rating.mu, rating.sigma)
    return {
        "mu": _short(rating.mu),
        "sigma": _short(rating.sigma),
        "low": _short(interval.low),
        "high": _short(interval.high),
        "exposed": _short(rating.exposed),
    }


def _estimate_to_json(estimate: Estimate) -> EstimateValues:
    return {
        "value": _short(estimate.value),
        "error": _short(estimate.error),
        "low": _short(estimate.low),
        "high": _short(estimate.high),
    }


def _meeting_to_json(meeting: Meeting) -> MeetingValues:
    return {
        "wins": meeting.wins,
        "draws": meeting.draws,
        "losses": meeting.losses,
        "points": meeting.points,
        "games": meeting.games,
        "superiority": _short_or_none(meeting.superiority),
    }


def _short(number: float) -> float:
    return round(number, _DIGITS) + 0.0  # no -0.0


def _short_or_none(number: float | None) -> float | None:
    return None if number is None else _short(number)


def to_csv(standings: Standings) -> str:
    """Return the table that `csv_of` makes."""
    return csv_of(to_json(standings))


def csv_of(standings: Mapping[str, Any]) -> str:
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
            flat = _flat(table["game"], row)
            writer.writerow([guarded(flat.get(column, "")) for column in CSV_COLUMNS])
    return text.getvalue()


def _flat(game: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands in the columns of a row; some are not there."""
    cells = dict(row)
    elo, sequential, fair = cells.pop("elo"), cells.pop("sequential"), cells.pop("without_forfeits")
    cells |= {"game": game, "elo": elo["value"], "elo_low": elo["low"], "elo_high": elo["high"]}
    if sequential is not None:
        cells |= {"sequential_mu": sequential["mu"], "sequential_sigma": sequential["sigma"]}
    if fair is not None:
        cells |= {"board_mu": fair["mu"], "board_sigma": fair["sigma"]}
        cells |= {"board_elo": fair["elo"]["value"]}
        cells |= {f"board_elo_{end}": fair["elo"][end] for end in ("low", "high")}
    cells |= cells.pop("lost_by")
    return cells
