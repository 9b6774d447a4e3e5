"""Who stands where: results, points, ratings and endings counted from records, as values and data.

Must not know how a page shows standings, nor the rules of any game: no move is looked at.

Law: the points of all rows together are the number of games counted. A bot that plays itself
therefore fills both seats of its row; such a game says nothing to the rating.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from notation.formats.csv_table import guarded
from notation.record import Record, Termination
from reports import ratings
from reports.ratings import Rating
from reports.tally import Counts, Scores, Tally, counts, meetings_of

VERSION: Final = 1
"""Of the JSON format; `reports.schema.STANDINGS_SCHEMA` describes it."""

_DIGITS: Final = 6
"""Decimals of ratings and rates: more than anybody reads, fewer than machines differ in."""

CSV_COLUMNS: Final = (
    *("rank", "name", "games", "wins", "draws", "losses", "points", "score_rate"),
    *("mu", "sigma", "exposed", "crash", "time", "illegal move", "flood"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one bot did."""

    rank: int
    """From 1; by exposed rating, then points, then name."""

    name: str
    games: int
    """Seats taken; a game against itself counts two."""

    wins: int
    draws: int
    losses: int
    rating: Rating
    crashes: int
    """Games lost by a crash; likewise the next three."""

    time_losses: int
    illegal_moves: int
    floods: int

    @property
    def points(self) -> float:
        """Return a point per win and half a point per draw."""
        return self.wins + self.draws / 2

    @property
    def score_rate(self) -> float:
        """Return points per game in 0..1; every row has a game."""
        return self.points / self.games


@dataclass(frozen=True, slots=True)
class Meeting:
    """What one bot scored against another, over both seats."""

    points: float = 0.0
    games: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GameTotals:
    """What came of the games of one id."""

    game: str
    games: int
    """Counted games; > 0."""

    first_wins: int
    draws: int
    second_wins: int
    endings: Counts

    @property
    def first_score(self) -> float:
        """Return first's points per game in 0..1."""
        return (self.first_wins + self.draws / 2) / self.games


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Everything that the results of some records say."""

    events: tuple[str, ...]
    """The different titles, in order of appearance; empty where no record has one."""

    games: int
    """Counted games."""

    self_play: int
    """Those of them in which a bot met itself."""

    per_game: tuple[GameTotals, ...]
    """By game id, sorted."""

    rows: tuple[Row, ...]
    """By rank."""

    crosstable: tuple[tuple[Meeting, ...], ...]
    """For each row its meetings with each row, in order of rank."""

    endings: Counts
    """Why the counted games ended."""

    left_out: Counts
    """Why records were not counted: `void`, `unterminated` or `no result`."""

    unranked: tuple[str, ...]
    """Bots that are named only in records left out, sorted."""

    draw_probability: float
    """What the ratings hold for the draw rate between equals."""

    @property
    def first_score(self) -> float | None:
        """Return first's points per game in 0..1; None before any game."""
        points = sum(total.first_wins + total.draws / 2 for total in self.per_game)
        return points / self.games if self.games else None


def compute(records: Iterable[Record]) -> Standings:
    """Return the standings of `records`, whose order is the order in which games are rated.

    Records without a decided result are counted as left out, with the reason. Names are taken as
    they stand: bots of one name are one bot, and so are all that are known as `?`.
    """
    tally = Tally()
    for record in records:
        tally.add(record)
    meetings = meetings_of(tally.results)
    rows = _rows(tally, meetings)
    ranked = [row.name for row in rows]
    return Standings(
        events=tuple(tally.events),
        games=len(tally.results),
        self_play=sum(result.first == result.second for result in tally.results),
        per_game=tuple(_totals(game, tally) for game in sorted(tally.scores)),
        rows=rows,
        crosstable=tuple(
            tuple(_meeting(meetings, bot, other) for other in ranked) for bot in ranked
        ),
        endings=counts(sum(tally.endings.values(), Counter())),
        left_out=counts(tally.left_out),
        unranked=tuple(sorted(set(tally.names) - set(ranked))),
        draw_probability=ratings.draw_rate(tally.results),
    )


def _meeting(meetings: Mapping[tuple[str, str], Scores], bot: str, other: str) -> Meeting:
    scores = meetings.get((bot, other))
    if scores is None:
        return Meeting()
    return Meeting(sum(score * n for score, n in scores.items()), scores.total())


def _rows(tally: Tally, meetings: Mapping[tuple[str, str], Scores]) -> tuple[Row, ...]:
    rated = ratings.rate(tally.results)
    scores: dict[str, Scores] = {name: Counter() for name in rated}
    for (bot, _), scored in meetings.items():
        scores[bot] += scored
    points = {name: scores[name][1.0] + scores[name][0.5] / 2 for name in rated}
    order = sorted(rated, key=lambda name: (-rated[name].exposed, -points[name], name))
    return tuple(
        _row(rank, name, rated[name], scores[name], tally.forfeits)
        for rank, name in enumerate(order, 1)
    )


def _row(
    rank: int, name: str, rating: Rating, scores: Scores, forfeits: Counter[tuple[str, str]]
) -> Row:
    return Row(
        rank=rank,
        name=name,
        games=scores.total(),
        wins=scores[1.0],
        draws=scores[0.5],
        losses=scores[0.0],
        rating=rating,
        crashes=forfeits[name, Termination.CRASH],
        time_losses=forfeits[name, Termination.TIME],
        illegal_moves=forfeits[name, Termination.ILLEGAL_MOVE],
        floods=forfeits[name, Termination.FLOOD],
    )


def _totals(game: str, tally: Tally) -> GameTotals:
    scores = tally.scores[game]
    return GameTotals(
        game=game,
        games=scores.total(),
        first_wins=scores[1.0],
        draws=scores[0.5],
        second_wins=scores[0.0],
        endings=counts(tally.endings[game]),
    )


def to_json(standings: Standings) -> dict[str, Any]:
    """Return the standings as `STANDINGS_SCHEMA` describes them, ready for `json.dumps`.

    Ratings and rates have six decimals. Without games lists are empty and `first_score` is None.
    """
    first_score = standings.first_score
    return {
        "version": VERSION,
        "events": list(standings.events),
        "games": standings.games,
        "self_play": standings.self_play,
        "first_score": None if first_score is None else round(first_score, _DIGITS),
        "draw_probability": round(standings.draw_probability, _DIGITS),
        "per_game": [_game_to_json(total) for total in standings.per_game],
        "rows": [_row_to_json(row) for row in standings.rows],
        "crosstable": [
            [{"points": meeting.points, "games": meeting.games} for meeting in meetings]
            for meetings in standings.crosstable
        ],
        "endings": dict(standings.endings),
        "left_out": dict(standings.left_out),
        "unranked": list(standings.unranked),
    }


def _game_to_json(total: GameTotals) -> dict[str, Any]:
    return {
        "game": total.game,
        "games": total.games,
        "first_wins": total.first_wins,
        "draws": total.draws,
        "second_wins": total.second_wins,
        "first_score": round(total.first_score, _DIGITS),
        "endings": dict(total.endings),
    }


def _row_to_json(row: Row) -> dict[str, Any]:
    return {
        "rank": row.rank,
        "name": row.name,
        "games": row.games,
        "wins": row.wins,
        "draws": row.draws,
        "losses": row.losses,
        "points": row.points,
        "score_rate": round(row.score_rate, _DIGITS),
        "mu": round(row.rating.mu, _DIGITS),
        "sigma": round(row.rating.sigma, _DIGITS),
        "exposed": round(row.rating.exposed, _DIGITS),
        "lost_by": {
            "crash": row.crashes,
            "time": row.time_losses,
            "illegal move": row.illegal_moves,
            "flood": row.floods,
        },
    }


def to_csv(standings: Standings) -> str:
    """Return a header line and a line per bot by rank, CRLF after each, as RFC 4180 has it.

    A text that a spreadsheet would read as a formula has an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(CSV_COLUMNS)
    for row in standings.rows:
        flat = _row_to_json(row)
        flat |= flat.pop("lost_by")
        writer.writerow([guarded(flat[column]) for column in CSV_COLUMNS])
    return text.getvalue()
