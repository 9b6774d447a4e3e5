"""Standings as JSON and as CSV, for programs and sheets.

Must not know how standings come about. `lath.reports.schema.STANDINGS_SCHEMA` describes the JSON.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any, Final

from lath.notation.formats.tables import guarded
from lath.reports.ratings.results import Conditions, Estimate, Rating, Strength
from lath.reports.standings import Meeting, Row, Standings, Table

VERSION: Final = 2
"""Of the JSON format: 2 has tables over all games and of each game, with ratings on two scales."""

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


def to_json(standings: Standings) -> dict[str, Any]:
    """Return the standings as `STANDINGS_SCHEMA` describes them, ready for `json.dumps`.

    Ratings and rates have six decimals. Without games lists are empty and `first_score` is None.
    """
    return {
        "version": VERSION,
        "events": list(standings.events),
        "overall": _table_to_json(standings.overall),
        "per_game": [_table_to_json(table) for table in standings.per_game],
        "left_out": dict(standings.left_out),
        "unranked": list(standings.unranked),
    }


def _table_to_json(table: Table) -> dict[str, Any]:
    return {
        "game": table.game,
        "games": table.games,
        "first_wins": table.first_wins,
        "draws": table.draws,
        "second_wins": table.second_wins,
        "first_score": None if table.first_score is None else _short(table.first_score),
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


def _conditions_to_json(line: Conditions) -> dict[str, Any]:
    return {
        "game": line.game,
        "games": line.games,
        "advantage": _estimate_to_json(line.advantage),
        "draw_rate": _short(line.draw_rate),
    }


def _row_to_json(row: Row) -> dict[str, Any]:
    fair = row.without_forfeits
    return {
        "rank": row.rank,
        "name": row.name,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "points": row.points,
        "score_rate": _short(row.score_rate),
        **_strength_to_json(row.strength),
        "group": row.strength.group + 1,
        "without_forfeits": None if fair is None else _strength_to_json(fair),
        "lost_by": {
            "crash": row.crashes,
            "time": row.time_losses,
            "illegal move": row.illegal_moves,
            "flood": row.floods,
        },
    }


def _strength_to_json(strength: Strength) -> dict[str, Any]:
    in_order = strength.sequential
    return {
        **_rating_to_json(strength.trueskill),
        "sequential": None if in_order is None else _rating_to_json(in_order),
        "elo": _estimate_to_json(strength.elo),
    }


def _rating_to_json(rating: Rating) -> dict[str, float]:
    spread = Estimate(rating.mu, rating.sigma)
    return {
        "mu": _short(rating.mu),
        "sigma": _short(rating.sigma),
        "low": _short(spread.low),
        "high": _short(spread.high),
        "exposed": _short(rating.exposed),
    }


def _estimate_to_json(estimate: Estimate) -> dict[str, float]:
    return {
        "value": _short(estimate.value),
        "error": _short(estimate.error),
        "low": _short(estimate.low),
        "high": _short(estimate.high),
    }


def _meeting_to_json(meeting: Meeting) -> dict[str, Any]:
    better = meeting.superiority
    return {
        "wins": meeting.wins,
        "draws": meeting.draws,
        "losses": meeting.losses,
        "points": meeting.points,
        "games": meeting.games,
        "superiority": None if better is None else _short(better),
    }


def _short(number: float) -> float:
    return round(number, _DIGITS) + 0.0  # no -0.0


def to_csv(standings: Standings) -> str:
    """Return the table that `csv_of` makes."""
    return csv_of(to_json(standings))


def csv_of(told: Mapping[str, Any]) -> str:
    """Return standings, given as `to_json` does, as a table.

    A header line and a line a bot and table, CRLF after each, as RFC 4180 has it.

    The table of all games comes first, its `game` is empty; then that of each game. A text that a
    spreadsheet would read as a formula has an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    for table in (told["overall"], *told["per_game"]):
        for row in table["rows"]:
            flat = _flat(table["game"], row)
            writer.writerow([guarded(flat.get(column, "")) for column in CSV_COLUMNS])
    return text.getvalue()


def _flat(game: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what stands in the columns of a row; some are not there."""
    told = dict(row)
    elo, sequential, fair = told.pop("elo"), told.pop("sequential"), told.pop("without_forfeits")
    told |= {"game": game, "elo": elo["value"], "elo_low": elo["low"], "elo_high": elo["high"]}
    if sequential is not None:
        told |= {"sequential_mu": sequential["mu"], "sequential_sigma": sequential["sigma"]}
    if fair is not None:
        told |= {"board_mu": fair["mu"], "board_sigma": fair["sigma"]}
        told |= {"board_elo": fair["elo"]["value"]}
        told |= {f"board_elo_{end}": fair["elo"][end] for end in ("low", "high")}
    told |= told.pop("lost_by")
    return told
