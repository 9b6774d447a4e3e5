"""The data behind a report page, as plain JSON values.

The records are read once and not kept. Equal records give equal values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, Final, Literal, NamedTuple

from typing_extensions import TypedDict

from lath.notation.record.record import Record
from lath.notation.record.tags import FORFEITS
from lath.reports.counting import facts, figures
from lath.reports.counting.accuracy import Accuracy, AccuracyCounter
from lath.reports.counting.facts import FactCounter, KnownRecord, Link, TagFacts, of_members
from lath.reports.counting.facts import entry as known
from lath.reports.counting.openings import SetupCounter, SetupsOfGame
from lath.reports.counting.ranking import member_of
from lath.reports.counting.standings import GameResults, Refused, Tally, standings_of
from lath.reports.counting.table import Row, Standings, Table
from lath.reports.counting.times import TimeCounter, Times
from lath.reports.event import export
from lath.reports.event.background import NO_BACKGROUND, Background
from lath.reports.event.seasons import SeasonCounter, SeasonView
from lath.reports.event.versions import Standing, regressions
from lath.reports.event.versions import standings_of as versions_of
from lath.reports.exploring.trees import TreeCounter, TreeOfGame
from lath.reports.metrics.showpiece import Showpiece, ShowpieceCounter
from lath.reports.notes import outcome as outcomes
from lath.reports.notes.notes import Change, Provenance, Ruling, Snapshot
from lath.reports.notes.outcome import EventOutcome
from lath.reports.page.pack import Packer
from lath.reports.page.views import listed
from lath.reports.ratings.counts import SideScore
from lath.reports.ratings.rating import history
from lath.reports.ratings.results import HoldsFor
from lath.reports.schema import About, Count, Positive, Schema, Share, schema_of

DEFAULT_TITLE: Final = "Bot tournament"
"""The title if neither the caller nor an `Event` tag has one."""

SHOWN: Final = 3
"""The number of games of a kind, and of openings per game type and side."""

# Results and selected games


class ScoreBySide(facts.GameFigures):
    """A bot's results at one game type."""

    first: figures.ScoreCount
    """Results as first player."""
    second: figures.ScoreCount
    """Results as second player."""


class Ahead(TypedDict):
    """The Elo lead of a bot over another, by all games of all bots."""

    value: float
    """The difference in Elo points."""
    low: float | None
    """The lower end of the 95% interval; null if unknown, for example if the bot won all its
    games."""
    high: float | None
    """The upper end of the 95% interval; null if unknown."""
    better: Share | None
    """How likely the bot is the stronger one."""


class ScoreAgainst(figures.ScoreCount):
    """A bot's results against one opponent."""

    name: str
    """The opponent."""
    ahead: Ahead | None
    """Elo difference to the opponent; null if no rated games connect them."""


def scores_by_side(
    games: Mapping[str, GameResults], whose: Mapping[str, str]
) -> dict[str, list[ScoreBySide]]:
    """Return each bot's results by game type and side; `whose` has the member of each version."""
    found: defaultdict[str, dict[str, tuple[SideScore, SideScore]]] = defaultdict(dict)
    for game in sorted(games):
        for (first, second, points), times in games[game].scores.items():
            for seat, name, own in ((0, first, points), (1, second, 1 - points)):
                scores = found[whose.get(name, name)].setdefault(game, (SideScore(), SideScore()))
                scores[seat].add(own, times)
    return {
        name: [
            {
                **facts.of_game(game),
                "first": figures.score_of(first),
                "second": figures.score_of(second),
            }
            for game, (first, second) in by_game.items()
        ]
        for name, by_game in found.items()
    }


class Duel(facts.GameFigures):
    """A decided game of a bot."""

    number: Link
    plies: Count
    """Length of the game."""
    opponent: str
    """The bot's opponent."""
    ending: str
    """The reason why it ended, in the rules' words."""


class Duels(TypedDict):
    """Selected games of a bot."""

    best_wins: list[Duel]
    """The shortest win against each of the highest rated opponents that the bot beat."""
    worst_losses: list[Duel]
    """The shortest loss to each of the lowest rated opponents that beat the bot."""
    shortest_losses: list[Duel]
    """The shortest losses. These three lists leave out games lost by a crash, time, illegal move or
    flood."""
    forfeits: list[Duel]
    """The first games that the bot lost by a crash, time, illegal move or flood."""


class _Decided(NamedTuple):
    """A decided game; games are ordered by length, then by number."""

    plies: int
    number: int
    winner: str
    loser: str
    game: str
    ending: str

    def against(self, opponent: str) -> Duel:
        """Return the entry of the game for a bot with this opponent."""
        return {
            "number": self.number,
            "plies": self.plies,
            "opponent": opponent,
            **facts.of_game(self.game),
            "ending": self.ending,
        }


class DuelCounter:
    """Keeps selected games; memory grows with pairs of bots, not with games."""

    def __init__(self) -> None:
        self._shortest: dict[tuple[str, str], _Decided] = {}
        """The shortest game that a bot won on the board against another."""
        self._losses: defaultdict[str, list[_Decided]] = defaultdict(list)
        self._forfeits: defaultdict[str, list[_Decided]] = defaultdict(list)

    def add(self, entry: KnownRecord) -> None:
        """Count one game, which is kept only if a bot won it."""
        record, number = entry.record, entry.number
        if entry.points not in (0, 1) or record.is_result_only:
            return
        players = record.first, record.second
        winner, loser = players if entry.points else players[::-1]
        game = _Decided(len(record.plies), number, winner, loser, record.game, entry.ending)
        if record.termination in FORFEITS:
            self._forfeits[loser] = [*self._forfeits[loser], game][:SHOWN]
            return
        pair = winner, loser
        self._shortest[pair] = min(self._shortest.get(pair, game), game)
        self._losses[loser] = sorted([*self._losses[loser], game])[:SHOWN]

    def duels(self, bot: str, ranked: Sequence[str]) -> Duels:
        """Return the selected games of a bot; `ranked` are all names, the strongest first."""
        shortest = self._shortest
        wins = [shortest[bot, other] for other in ranked if (bot, other) in shortest]
        lost = [shortest[other, bot] for other in reversed(ranked) if (other, bot) in shortest]
        return {
            "best_wins": [game.against(game.loser) for game in wins[:SHOWN]],
            "worst_losses": [game.against(game.winner) for game in lost[:SHOWN]],
            "shortest_losses": [game.against(game.winner) for game in self._losses[bot]],
            "forfeits": [game.against(game.winner) for game in self._forfeits[bot]],
        }


class Broken(facts.GameFigures):
    """A game that a bot ended by a fault."""

    number: Link
    ply: Positive
    """The ply that was not played."""
    opponent: str
    """The bot's opponent."""
    reason: str
    """The reason in the words of the record, and then the lines of standard error."""
    ruling: str
    """The ruling that cancelled the game; empty if it counts."""


class Forfeits(TypedDict):
    """Games that a bot lost by the same kind of fault."""

    bot: str
    """The bot that lost."""
    ending: str
    """`crash`, `time`, `illegal move` or `flood`."""
    games: Positive
    """Number of such games."""
    first: list[Broken]
    """The first of these games, at most three."""


class ForfeitCounter:
    """Counts the games that bots ended by faults, and keeps the first of each kind.

    Games that do not count for the standings are included, because a ruling does not fix the bot.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Forfeits] = {}

    def add(self, entry: KnownRecord) -> None:
        """Count one game, if a bot ended it by a fault."""
        if (lost := entry.record.forfeit) is None:
            return
        none: Forfeits = {"bot": lost.bot, "ending": lost.ending, "games": 0, "first": []}
        found = self._found.setdefault((lost.bot, lost.ending), none)
        found["games"] += 1
        if found["games"] <= SHOWN:
            broken: Broken = {
                **facts.of_game(lost.game),
                "number": entry.number,
                "ply": lost.ply,
                "opponent": lost.opponent,
                "reason": "\n".join(lost.lines),
                "ruling": entry.record.ruling,
            }
            found["first"].append(broken)

    def forfeits(self) -> list[Forfeits]:
        """Return the faults, in the order of their first games."""
        return list(self._found.values())


# Openings


class WaysOfBot(figures.WaysOfGame):
    """The openings or answers of a bot in games of one type."""

    seat: Literal["first", "second"]
    """The bot's side."""


class StartCounter:
    """Counts the first moves of bots."""

    def __init__(self) -> None:
        self._bots = defaultdict[tuple[str, str, int], figures.Ways](lambda: figures.Ways(1_000))

    def add(self, entry: KnownRecord) -> None:
        """Count a game for the standings: the first move of each player."""
        record, number, points = entry.record, entry.number, entry.points
        if points is None:
            return
        moves = figures.first_moves(record, 2)
        for seat, name in enumerate((record.first, record.second)):
            if len(moves) > seat:
                ways = self._bots[name, record.game, seat]
                ways.add(" ".join(moves[: seat + 1]), 1 - points if seat else points, number)

    def of_bot(self, name: str) -> list[WaysOfBot]:
        """Return the first moves of a bot by game type and side, with its own results."""
        return [
            {
                **self._bots[bot, game, seat].of_game(game, SHOWN),
                "seat": "second" if seat else "first",
            }
            for bot, game, seat in sorted(self._bots)
            if bot == name
        ]


# The whole document


class BotHistory(TypedDict):
    """A bot's rating over time."""

    rank: Positive
    """Its rank in the standings."""
    name: str
    """The bot."""
    mu: list[float | None]
    """The mean of its rating in order of play at each point; null before its first game."""
    sigma: list[float | None]
    """The standard deviation of that rating."""


class History(TypedDict):
    """Ratings over time, in order of play, with the parameters of `in_order` for all games."""

    games: list[Positive]
    """Number of rated games before each point; at most 100 points."""
    bots: list[BotHistory]
    """One entry per bot, by rank."""


class SideAdvantage(TypedDict):
    """The first-move advantage of a game type."""

    value: float
    """The first-move advantage in Elo points."""
    low: float
    """The lower end of its 95% interval."""
    high: float
    """The upper end of its 95% interval."""
    score: float
    """The expected score of the first player (equal opponents)."""
    holds_for: HoldsFor
    """The openings for which the interval is valid: openings of that kind, or only those played."""
    openings: Count
    """Number of openings or setups of the rated games."""


class FirstMove(facts.GameFigures):
    """The results by side of one game type."""

    first_wins: Count
    """Games won by the first player."""
    draws: Count
    """Games drawn."""
    second_wins: Count
    """Games won by the second player."""
    advantage: SideAdvantage | None
    """The first-move advantage; null without rated games."""
    draw_rate: float | None
    """Draw rate (equal opponents) by the Elo model; null without rated games."""


class BotFacts(Duels):
    """The facts about one bot."""

    rank: Positive
    """Its rank in the standings."""
    name: str
    """The bot."""
    games: list[ScoreBySide]
    """Results by game type and side."""
    opponents: list[ScoreAgainst]
    """Results by opponent, in the order of the standings."""
    openings: list[WaysOfBot]
    """Its first moves, and its answers to first moves."""


class ReportDocument(TypedDict):
    """The data behind a page."""

    version: Literal[1]
    """The version of this format."""
    title: str
    """The heading of the page."""
    heading: str
    """The heading of the result; may be empty."""
    progress: str
    """Progress, such as `34 of 800 games`; empty if complete or unknown."""
    facts: TagFacts
    """Facts about the records, from their tags."""
    showpiece: Showpiece | None
    """The game that the page shows first; null if no game was won on the board."""
    outcome: Annotated[dict[str, Any], About("as outcome.json has it", shape=EventOutcome)] | None
    """The result by the rules of the format, as in `outcome.json`; null without one."""
    changes: list[Annotated[dict[str, Any], About(shape=Change)]]
    """Settings that changed during the tournament."""
    versions: list[Annotated[dict[str, Any], About(shape=Standing)]]
    """The versions of a pool's bots, bot by bot."""
    members: dict[str, str]
    """For each name in the records that is a version, the bot of the tables."""
    regressions: list[str]
    """Sentences about active versions that are worse than the version before them."""
    snapshot: Annotated[dict[str, Any], About("which snapshot it is", shape=Snapshot)] | None
    """The snapshot that the page shows; null without one."""
    season: SeasonView | None
    """The season of the league that the page shows; null for all games."""
    rulings: list[Annotated[dict[str, Any], About(shape=Ruling)]]
    """The organiser's rulings, including reversed ones."""
    benched: list[str]
    """Sentences about benched bots, with the reason."""
    provenance: list[Annotated[dict[str, Any], About(shape=Provenance)]]
    """The conditions under which the games were played; empty if unknown."""
    standings: Annotated[dict[str, Any], About("as standings.json has them", shape=Standings)]
    forfeits: list[Forfeits]
    """Crashes, losses on time, illegal moves and exceeded output limits, by bot and kind."""
    history: History
    """Ratings in order of play, over time."""
    first_move: list[FirstMove]
    """One entry per game type, by id."""
    lengths: list[figures.Lengths]
    """Lengths of games: one entry per game type, by id."""
    endings: list[figures.Endings]
    """Endings: one entry per game type, by id."""
    times: list[Times]
    """Times per move: one entry per bot with timed moves, by rank."""
    accuracy: list[Accuracy]
    """Accuracy: one entry per bot with analysed moves, by rank."""
    bots: list[BotFacts]
    """One entry per bot, by rank."""
    setups: list[SetupsOfGame]
    """Setups and positions at the start: one entry per game type, with the first player's
    results."""
    trees: list[TreeOfGame]
    """Trees of moves from the normal start: one entry per game type, with the first player's
    results."""
    openings: list[figures.WaysOfGame]
    """The first two plies: one entry per game type, with the first player's results."""


def schema() -> Schema:
    """Return the JSON Schema of `document`."""
    return schema_of(ReportDocument, "The data behind a Lath Arena report")


class Gathered(NamedTuple):
    """The result of one pass over the records."""

    document: ReportDocument
    packer: Packer
    """The replays, which only the page needs."""


def document(
    records: Iterable[Record | Refused],
    *,
    title: str | None = None,
    background: Background = NO_BACKGROUND,
) -> ReportDocument:
    """Return the data behind the page on `records`, given in the order of the games.

    `background` has the other facts of their tournament. `title` defaults to the records' events,
    or to DEFAULT_TITLE. Without records, lists are empty.
    """
    return gather(records, title=title, background=background).document


def gather(
    records: Iterable[Record | Refused],
    *,
    title: str | None = None,
    background: Background = NO_BACKGROUND,
    is_shared: bool = False,
) -> Gathered:
    """Return the document and the packed replays; other processes help if the work `is_shared`."""
    scale = background.ranked
    whose = member_of(scale.members)
    packer, tally = Packer(), Tally(until=scale.until)
    facts, games = FactCounter(), figures.GameCounter()
    times, duels, starts = TimeCounter(), DuelCounter(), StartCounter()
    setups, trees = SetupCounter(), TreeCounter()
    forfeits, accuracy, showpieces = ForfeitCounter(), AccuracyCounter(), ShowpieceCounter()
    seasons = SeasonCounter(background.season)
    for number, record in enumerate(tally.sound(seasons.shown(records)), 1):
        ending = packer.add(record)
        game = known(number, record, ending or "", is_playable=ending is not None)
        tally.add(record, game.ending)
        forfeits.add(game)  # by version, because its author needs to know which one failed
        game = of_members(game, whose)
        facts.add(game.record)
        if game.points is not None:
            for counter in (games, times, accuracy, duels, starts, setups, trees, showpieces):
                counter.add(game)
    packer.begin(is_shared=is_shared)
    standings = standings_of(tally, scale, is_shared=is_shared)
    versions = versions_of(background, standings)
    said, linked = facts.facts(), packer.numbering.linked
    names = [row.name for row in standings.overall.rows]
    outcome = background.completed(standings).outcome
    known_games = standings.overall.games + sum(standings.left_out.values())
    if outcome and outcome.done < known_games <= outcome.total:  # a run has played more since
        outcome = replace(outcome, done=known_games)
    shown = outcome if outcome and outcome.says_something else None
    document: ReportDocument = {
        "version": 1,
        "title": title or listed(standings.events) or DEFAULT_TITLE,
        "facts": said,
        "showpiece": linked(showpieces.showpiece(standings.overall.rows)),
        "outcome": outcomes.to_json(shown) if shown else None,
        "heading": shown.heading if shown else "",
        "progress": outcome.progress if outcome else "",
        "changes": [asdict(change) for change in background.changes],
        "versions": [export.to_json(row) for row in versions],
        "regressions": regressions(versions),
        "members": whose,
        "snapshot": asdict(background.snapshot) if background.snapshot else None,
        "season": seasons.told(),
        "rulings": [asdict(ruling) for ruling in background.rulings],
        "benched": [one.words for one in background.benches],
        "provenance": [asdict(each) for each in background.provenance],
        "standings": export.to_json(standings),
        "forfeits": linked(forfeits.forfeits()),
        "history": _history(tally, standings),
        "first_move": _first_move(standings),
        "lengths": games.lengths(),
        "endings": games.endings(),
        "times": linked(times.times(names)),
        "accuracy": accuracy.accuracies(names),
        "bots": linked(_bots(tally, whose, standings, duels, starts)),
        "setups": linked(setups.setups()),
        "trees": linked(trees.trees()),
        "openings": linked(games.openings()),
    }
    return Gathered(document, packer)


def _bots(
    tally: Tally,
    whose: Mapping[str, str],
    standings: Standings,
    duels: DuelCounter,
    starts: StartCounter,
) -> list[BotFacts]:
    """Return the facts about each bot, in the order of the table."""
    table, by_seat = standings.overall, scores_by_side(tally.games, whose)
    names = [row.name for row in table.rows]
    strongest = [
        row.name for row in sorted(table.rows, key=lambda row: -row.strength.trueskill.exposed)
    ]
    return [
        {
            "rank": row.rank,
            "name": row.name,
            "games": by_seat[row.name],
            "opponents": [
                {
                    "name": other,
                    **figures.score_of(meeting),
                    "ahead": _ahead(table, row, table.rows[at]),
                }
                for at, (other, meeting) in enumerate(zip(names, meetings, strict=True))
                if meeting.games
            ],
            **duels.duels(row.name, strongest),
            "openings": starts.of_bot(row.name),
        }
        for row, meetings in zip(table.rows, table.crosstable, strict=True)
    ]


def _ahead(table: Table, row: Row, against: Row) -> Ahead | None:
    """Return the Elo lead of one bot over another."""
    one, other = row.plays_as, against.plays_as
    if (ahead := table.ratings.difference(one, other)) is None:
        return None
    low, high = (None if end is None else round(end, 2) for end in (ahead.low, ahead.high))
    better = table.ratings.superiority(one, other)
    return {"value": round(ahead.value, 2), "low": low, "high": high, "better": better}


def _history(tally: Tally, standings: Standings) -> History:
    """Return the ratings of every bot over time, with None before its first game."""
    rows, how = standings.overall.rows, standings.overall.ratings.in_order
    assert how is not None
    points = min(100, max(30, 400 // max(1, len(rows))))  # many bots share the page
    snapshots = history(tally.rated(), tally.games_rated, points, how=how)
    bots: list[BotHistory] = []
    for row in rows:
        ratings = [snapshot.ratings.get(row.plays_as) for snapshot in snapshots]
        mu = [None if one is None else round(one.mu, 3) for one in ratings]
        sigma = [None if one is None else round(one.sigma, 3) for one in ratings]
        bots.append({"rank": row.rank, "name": row.name, "mu": mu, "sigma": sigma})
    return {"games": [snapshot.games for snapshot in snapshots], "bots": bots}


def _first_move(standings: Standings) -> list[FirstMove]:
    """Return the results by side of each game type, with the Elo model's advantage."""
    conditions = {line.game: line for line in standings.overall.ratings.conditions}
    return [
        {
            **facts.of_game(table.game),
            "first_wins": table.first_wins,
            "draws": table.draws,
            "second_wins": table.second_wins,
            "advantage": None
            if (line := conditions.get(table.game)) is None
            else {
                "value": round(line.advantage.value, 2),
                "low": round(line.advantage.low, 2),
                "high": round(line.advantage.high, 2),
                "score": round(line.advantage.score, 6),
                "holds_for": line.holds_for,
                "openings": line.openings,
            },
            "draw_rate": None if line is None else round(line.draw_rate, 6),
        }
        for table in standings.per_game
    ]
