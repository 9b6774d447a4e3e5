"""Standings as plain values: rows of bots, meetings of two bots, tables of game types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, ClassVar, Final, Literal

from typing_extensions import TypedDict

from lath.reports.counting.ranking import SAYS, Role, Rule
from lath.reports.counting.scale import Moved
from lath.reports.ratings.counts import SideScore
from lath.reports.ratings.results import ALL_AT_ONCE, Elo, Method, Ratings, Scored, Strength
from lath.reports.schema import About, Count, Positive, Share

UNSTATED: Final = "not stated"
"""The ending of a record without a `Termination`."""


def counts(counter: Mapping[str, int]) -> dict[str, int]:
    """Return words with their counts, the most frequent first, then by word.

    >>> counts({"time": 1, "rules": 4, "crash": 1})
    {'rules': 4, 'crash': 1, 'time': 1}
    """
    return dict(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason for invalid records."""

    reason: str
    """The problem, such as `illegal move`; the first one if a record has several."""

    records: Positive
    """Number of such records."""
    first: tuple[str, ...]
    """The first of them, each with its place and its problem."""


LostBy = TypedDict("LostBy", {"crash": Count, "time": Count, "illegal move": Count, "flood": Count})


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Scored):
    """The results of one bot, or of all versions of a member together."""

    rank: Positive
    """The rank by the rule of the table; equal bots share a rank. Unconnected groups and the two
    roles of a gauntlet are ranked separately."""

    number: float
    """The number that decides the rank, such as points."""

    name: str
    """The name in the tags First and Second, or the name of the member."""

    plays_as: str
    """The name whose rating the bot has: the current version of a member, or the bot's own name."""

    role: Role = ""
    """The role in a gauntlet; empty elsewhere."""

    swiss_points: float | None = None
    """The points by the rules of a Swiss tournament, if these decide; byes and walkovers count."""

    rounds: Count | None = None
    """The rounds of a knockout in which the bot advanced, if these decide."""

    wins: Count
    """Games won."""
    draws: Count
    """Games drawn."""
    losses: Count
    """Games lost; a game against itself counts twice."""

    strength: Strength
    """The strength of `plays_as`, as for all values that follow from it."""

    without_forfeits: Strength | None
    """The strength without games lost by crash, time, illegal move or flood. None if the bot has no
    other games; equal to the strength of all games without such losses."""

    lost_by: Annotated[Mapping[str, int], About(shape=LostBy)]
    """Games lost in each of these ways, FORFEITS."""

    rank_low: Positive = 1
    """The best possible rank, by the 95% intervals of the Elo differences."""

    rank_high: Positive = 1
    """The worst possible rank."""

    better_than_next: Share | None = None
    """The likelihood that the bot is stronger (LOS) than the bot on the next rank; None for the
    last bot of a group."""

    average_opponent: float | None = None
    """The mean Elo of the opponents, weighted by games; None without opponents."""

    performance: float | None = None
    """The Elo whose expected points against these opponents equal the bot's points; None if it won
    or lost all games."""

    relative: Elo | None = None
    """The Elo lead over `relative_to`, with the interval of this difference; None across groups or
    if it was not requested."""

    moved: Moved | None = None
    """The changes since the last event; None without an earlier event or for a new bot."""

    WRITTEN: ClassVar = (
        *(f"strength.{path}" for path in Strength.WRITTEN),
        *("rank", "name", "games", "wins", "draws", "losses", "points", "score_rate", "group"),
        *("number", "plays_as", "role", "swiss_points", "rounds"),
        *("without_forfeits", "lost_by", "rank_low", "rank_high", "better_than_next"),
        *("average_opponent", "performance", "draw_rate", "relative", "moved"),
    )

    @property
    def group(self) -> Positive:
        """Return the number of the bot's group."""
        return self.strength.group + 1

    @property
    def forfeits(self) -> int:
        """Return the number of games lost by a forfeit."""
        return sum(self.lost_by.values())


@dataclass(frozen=True, slots=True)
class Meeting(Scored):
    """The results of one bot against another, on both sides."""

    wins: Count = 0
    """Games won by the first of the two bots."""
    draws: Count = 0
    """Games drawn."""
    losses: Count = 0
    """Games lost by the first of the two bots."""
    superiority: Share | None = None
    """The likelihood that the first bot is stronger (LOS); None across groups and for a bot against
    itself."""

    head_to_head: Share | None = None
    """The likelihood that the first bot wins more often than it loses, by the rated games of these
    two bots only. None without such games and for a bot against itself."""

    apart: Elo | None = None
    """The Elo lead of the first bot, with the error of this difference; None across groups and for
    a bot against itself."""

    WRITTEN: ClassVar = (
        *("wins", "draws", "losses", "points", "games", "superiority"),
        *("head_to_head", "draw_rate", "difference", "difference_error"),
        *("difference_low", "difference_high"),
    )

    @property
    def difference(self) -> float | None:
        """Return the Elo lead of the first bot; None across groups and for a bot against itself."""
        return self.apart.value if self.apart else None

    @property
    def difference_error(self) -> float | None:
        """Return the standard error of this difference; None without a difference."""
        return self.apart.error if self.apart else None

    @property
    def difference_low(self) -> float | None:
        """Return the lower end of its 95% interval; None if it is unknown."""
        return self.apart.low if self.apart else None

    @property
    def difference_high(self) -> float | None:
        """Return the upper end of its 95% interval; None if it is unknown."""
        return self.apart.high if self.apart else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The results of the games of one type, or of all games."""

    game: str
    """The id of the game type; empty for all games together."""

    games: Count
    """Counted games."""

    first_wins: Count
    """Games won by the first player."""
    draws: Count
    """Games drawn."""
    second_wins: Count
    """Games won by the second player."""
    self_play: Count
    """Counted games of a bot against itself."""

    repeated: Count
    """Duplicate games. Their points count, but they are not new evidence."""

    without_moves: Count
    """Games with a result but without moves, for example from a PGN with headers only. They count,
    and none is a duplicate."""

    endings: Mapping[str, Positive]
    """The numbers of games by ending, the most frequent first."""

    rows: tuple[Row, ...]
    """The rows by rank, then by name; groups and gauntlet roles come one after another."""

    crosstable: tuple[tuple[Meeting, ...], ...]
    """The meetings of each row with each row, in the order of rows."""

    ratings: Ratings
    """The ratings, for which duplicate games count once."""

    scores: Mapping[str, SideScore]
    """The results of each name in the records, such as a version of a member."""

    ranked_by: Method
    """The rating that is shown, and that decides ranks if the rule is a rating."""

    rule: Rule
    """The rule of ranks."""

    unbalanced: bool
    """True if a bot played one side clearly more often than the other (see `is_unbalanced`). Then
    ratings depend on the estimated first-move advantage, and ratings in order of play favour bots
    with the better side."""

    WRITTEN: ClassVar = (
        *("game", "games", "first_wins", "draws", "second_wins", "first_score", "self_play"),
        *("repeated", "without_moves", "rated", "unbalanced", "endings", "ratings.groups"),
        *("ranked_by", "rule", "says", "method", "ratings.draw_rate", "ratings.in_order"),
        *("ratings.conditions", "ratings.between", "ratings.fit", "rows", "crosstable"),
        "crossed",
    )

    @property
    def says(self) -> str:
        """Return the rule of ranks in a sentence."""
        return SAYS[self.rule]

    @property
    def method(self) -> Method:
        """Return the name of the rating with `mu`, `sigma` and `exposed`."""
        return ALL_AT_ONCE

    @property
    def first_score(self) -> Share | None:
        """Return the first player's points per game; None before any game."""
        return (self.first_wins + self.draws / 2) / self.games if self.games else None

    @property
    def crossed(self) -> tuple[tuple[str, str], ...]:
        """Return neighbouring ranks whose order by Elo is reversed."""
        return tuple(
            (one.name, other.name)
            for one, other in pairwise(self.rows)
            if (one.group, one.role) == (other.group, other.role)
            and one.rank != other.rank
            # Rounded as shown, so that rounding errors do not reverse equal bots.
            and round(one.strength.elo.value, 2) < round(other.strength.elo.value, 2)
        )

    @property
    def rated(self) -> Count:
        """Return the number of games behind the ratings."""
        return self.ratings.games


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """The standings of some records."""

    version: Literal[3] = 3
    """The version of this format. In version 2 (arena 0.1.0), Elo points came from a model with a
    separate parameter for draws."""

    events: tuple[str, ...]
    """The different event titles, in order of appearance; empty if a record has none."""

    overall: Table
    """The table of all games together."""

    per_game: tuple[Table, ...]
    """One table per game type, sorted by id; a single one has the numbers of `overall`."""

    left_out: Mapping[str, Positive]
    """Reasons why records were not counted: `void`, `unterminated`, `no result`, `tuning` or a
    ruling."""

    unranked: tuple[str, ...]
    """Bots that occur only in records left out, sorted."""

    unsound: tuple[Reason, ...] = ()
    """Reasons why invalid records were left out, as `arena check` reports them, the most frequent
    first. No other field counts these records."""

    anchors: Mapping[str, float] = field(default_factory=dict)
    """Bots with a fixed Elo, to which all others are relative; without anchors, the mean of a group
    is 0."""

    relative_to: str = ""
    """The bot of `relative`; empty if none was requested."""

    games_before: Count = 0
    """Games counted before the last event, to which `moved` refers; 0 without an earlier event."""
