"""All that the page shows of some records, as plain JSON values: the data behind the page.

One pass over the records; none is kept, and the same records give the same values.

Must not know how any of it looks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, NamedTuple

from typing_extensions import TypedDict

from lath.notation.record import Record
from lath.reports import export
from lath.reports import outcome as outcomes
from lath.reports.figures import (
    Endings,
    FactCounter,
    Facts,
    GameCounter,
    Lengths,
    OfGame,
    WaysOfGame,
    entry,
    of_game,
    score_of,
)
from lath.reports.outcome import Outcome
from lath.reports.page.bots import (
    DuelCounter,
    Duels,
    ScoreAgainst,
    ScoreBySeat,
    StartCounter,
    TimeCounter,
    Times,
    WaysOfBot,
    scores_by_seat,
)
from lath.reports.page.pack import Packer
from lath.reports.page.views import listed
from lath.reports.ratings.rating import history
from lath.reports.schema import About, Count, Positive, Schema, schema_of
from lath.reports.standings import Standings, Tally, standings_of

DEFAULT_TITLE: Final = "Bot tournament"
"""Where neither the caller nor an `Event` tag has a title."""

POINTS_OF_A_LINE: Final = 100
"""Snapshots of the ratings over time; fewer where many bots share the page."""

_POINTS_OF_ALL_LINES: Final = 400

_DIGITS: Final = 3
"""Decimals of ratings over time: a drawing has no more."""


class BotHistory(TypedDict):
    """A bot's rating over time."""

    rank: Positive
    name: str
    mu: list[float | None]
    """the sequential rating's mean at each snapshot; null before the first game"""
    sigma: list[float | None]
    """its standard deviation"""


class History(TypedDict):
    """Ratings over time."""

    games: list[Positive]
    """after how many rated games each snapshot is; at most 100"""
    bots: list[BotHistory]
    """by rank"""


class Advantage(TypedDict):
    """What a seat is worth."""

    value: float
    low: float
    high: float


class FirstMove(OfGame):
    """What the seats of one game scored."""

    first_wins: Count
    draws: Count
    second_wins: Count
    advantage: Advantage | None
    """of the first seat in Elo points with its 95 % interval; null where nothing is rated"""
    draw_rate: float | None
    """between equals by the Elo model; null where nothing is rated"""


class Bot(Duels):
    """What is said of one bot."""

    rank: Positive
    name: str
    games: list[ScoreBySeat]
    """its results by game id and seat"""
    opponents: list[ScoreAgainst]
    """its results by opponent, the strongest first"""
    openings: list[WaysOfBot]
    """its first moves, and its answers to first moves"""


class Document(TypedDict):
    """The data behind a page."""

    version: Literal[1]
    """of this format"""
    title: str
    """of the page"""
    heading: str
    """above the outcome; empty where there is none"""
    facts: Facts
    """of the event"""
    outcome: Annotated[dict[str, Any], About("as outcome.json has it", shape=Outcome)] | None
    """what it came to by the rules of the format; null where that says nothing"""
    standings: Annotated[dict[str, Any], About("as standings.json has them", shape=Standings)]
    history: History
    """the rating over time"""
    first_move: list[FirstMove]
    """by game id"""
    lengths: list[Lengths]
    """by game id"""
    endings: list[Endings]
    """by game id"""
    times: list[Times]
    """by rank; bots without timed moves are not there"""
    bots: list[Bot]
    """by rank"""
    setups: list[WaysOfGame]
    """by game id; scores are first's"""
    openings: list[WaysOfGame]
    """by game id, of two plies; scores are first's"""


def schema() -> Schema:
    """Return the JSON Schema of what `document` returns."""
    return schema_of(Document, "The data behind a Lath Arena report")


class Gathered(NamedTuple):
    """What one pass over the records leaves."""

    document: Document
    packer: Packer
    """The replays, which only the page needs."""


def document(
    records: Iterable[Record], *, title: str | None = None, outcome: Outcome | None = None
) -> Document:
    """Return the data behind the page on `records`, whose order is that of the games.

    `outcome` is what their tournament came to by the rules of its format. Without `title` it is
    the records' events, or else DEFAULT_TITLE. Without records lists are empty.
    """
    return gather(records, title=title, outcome=outcome).document


def gather(
    records: Iterable[Record], *, title: str | None = None, outcome: Outcome | None = None
) -> Gathered:
    """Return the document and the packed replays, after one pass over the records."""
    packer, tally, facts, games = Packer(), Tally(), FactCounter(), GameCounter()
    times, duels, starts = TimeCounter(), DuelCounter(), StartCounter()
    for number, record in enumerate(records, 1):
        replay = packer.add(record)
        ending, movers = (replay.ending, replay.movers) if replay else ("", ())
        game = entry(number, record, ending, movers)
        tally.add(record, game.ending)
        facts.add(record)
        if game.points is not None:
            for counter in (games, times, duels, starts):
                counter.add(game)
    standings = standings_of(tally)
    names = [row.name for row in standings.overall.rows]
    by_seat = scores_by_seat(tally.games)
    bots: list[Bot] = [
        {
            "rank": row.rank,
            "name": row.name,
            "games": by_seat[row.name],
            "opponents": [
                {"name": other, **score_of(meeting)}
                for other, meeting in zip(names, meetings, strict=True)
                if meeting.games
            ],
            **duels.duels(row.name, names),
            "openings": starts.of_bot(row.name),
        }
        for row, meetings in zip(standings.overall.rows, standings.overall.crosstable, strict=True)
    ]
    said, linked = facts.facts(), packer.numbering.linked
    shown = outcome if outcome and outcome.says_something else None
    document: Document = {
        "version": 1,
        "title": title or listed(said["events"]) or DEFAULT_TITLE,
        "facts": said,
        "outcome": outcomes.to_json(shown) if shown else None,
        "heading": shown.heading if shown else "",
        "standings": export.to_json(standings),
        "history": _history(tally, standings),
        "first_move": _first_move(standings),
        "lengths": games.lengths(),
        "endings": games.endings(),
        "times": linked(times.times(names)),
        "bots": linked(bots),
        "setups": linked(starts.setups()),
        "openings": linked(games.openings()),
    }
    return Gathered(document, packer)


def _history(tally: Tally, standings: Standings) -> History:
    """Return the rating of every bot after so many games, None before its first."""
    rows, draw_rate = standings.overall.rows, standings.overall.ratings.draw_rate
    points = min(POINTS_OF_A_LINE, max(30, _POINTS_OF_ALL_LINES // max(1, len(rows))))
    snapshots = history(tally.results(), points, draw_rate=draw_rate)
    bots: list[BotHistory] = []
    for row in rows:
        ratings = [snapshot.ratings.get(row.name) for snapshot in snapshots]
        mu = [None if one is None else round(one.mu, _DIGITS) for one in ratings]
        sigma = [None if one is None else round(one.sigma, _DIGITS) for one in ratings]
        bots.append({"rank": row.rank, "name": row.name, "mu": mu, "sigma": sigma})
    return {"games": [snapshot.games for snapshot in snapshots], "bots": bots}


def _first_move(standings: Standings) -> list[FirstMove]:
    """Return for each game id what the seats scored and what the Elo model makes of it."""
    conditions = {line.game: line for line in standings.overall.ratings.conditions}
    return [
        {
            **of_game(table.game),
            "first_wins": table.first_wins,
            "draws": table.draws,
            "second_wins": table.second_wins,
            "advantage": None
            if (line := conditions.get(table.game)) is None
            else {
                "value": round(line.advantage.value, 2),
                "low": round(line.advantage.low, 2),
                "high": round(line.advantage.high, 2),
            },
            "draw_rate": None if line is None else round(line.draw_rate, 6),
        }
        for table in standings.per_game
    ]
