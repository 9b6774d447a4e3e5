"""Who stands where, as values: rows of bots, meetings of two, tables of game types, standings."""

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
    """Return words and how often they came, the most frequent first, then by word.

    >>> counts({"time": 1, "rules": 4, "crash": 1})
    {'rules': 4, 'crash': 1, 'time': 1}
    """
    return dict(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))


@dataclass(frozen=True, slots=True)
class Reason:
    """Why records are unsound."""

    reason: str
    """Such as `illegal move`; of several problems in a record the first."""

    records: Positive
    """Number of such records."""
    first: tuple[str, ...]
    """The first of them, each with its place and its problem."""


LostBy = TypedDict("LostBy", {"crash": Count, "time": Count, "illegal move": Count, "flood": Count})


@dataclass(frozen=True, slots=True, kw_only=True)
class Row(Scored):
    """What one bot did; all versions of a member together are one."""

    rank: Positive
    """By the rule of the table; equals share one. Groups that never met have ranks of their own,
    and so have both sides of a gauntlet."""

    number: float
    """What the rank goes by, such as points."""

    name: str
    """As the tags First and Second give it; of a member with versions the member's."""

    plays_as: str
    """Whose rating it has: of a member with versions the one that plays, else the same name."""

    role: Role = ""
    """What it is in a gauntlet; empty elsewhere."""

    swiss_points: float | None = None
    """Its points by the rules of a swiss, where these decide: byes and walkovers count."""

    rounds: Count | None = None
    """The rounds of a knockout that it went through, where these decide."""

    wins: Count
    """Games won."""
    draws: Count
    """Games drawn."""
    losses: Count
    """Games lost; a game against itself counts twice."""

    strength: Strength
    """That of `plays_as`, as are the values that follow from it."""

    without_forfeits: Strength | None
    """The same without games lost by crash, time, illegal move or flood; None where the bot is
    in no other game, and the same as of all games where there was none."""

    lost_by: Annotated[Mapping[str, int], About(shape=LostBy)]
    """Games lost in each of these ways, FORFEITS."""

    rank_low: Positive = 1
    """The best rank that it may truly have, by the 95% intervals of its Elo differences."""

    rank_high: Positive = 1
    """The worst one."""

    better_than_next: Share | None = None
    """The likelihood that it is stronger (LOS) than the bot on the next rank; None of the last one,
    and where that is of another group."""

    average_opponent: float | None = None
    """The mean Elo of its opponents, each as often as it was met; None without any."""

    performance: float | None = None
    """The Elo at which just the points are expected that it scored against these opponents; None
    where it won all or lost all."""

    relative: Elo | None = None
    """By how much it is ahead of `relative_to` in Elo, with the interval of that difference; None
    across groups, and where that was not asked for."""

    moved: Moved | None = None
    """What changed since the last event; None where there was none, or it is new."""

    WRITTEN: ClassVar = (
        *(f"strength.{path}" for path in Strength.WRITTEN),
        *("rank", "name", "games", "wins", "draws", "losses", "points", "score_rate", "group"),
        *("number", "plays_as", "role", "swiss_points", "rounds"),
        *("without_forfeits", "lost_by", "rank_low", "rank_high", "better_than_next"),
        *("average_opponent", "performance", "draw_rate", "relative", "moved"),
    )

    @property
    def group(self) -> Positive:
        """Return the number of its group."""
        return self.strength.group + 1

    @property
    def forfeits(self) -> int:
        """Return the games lost otherwise than on the board."""
        return sum(self.lost_by.values())


@dataclass(frozen=True, slots=True)
class Meeting(Scored):
    """What one bot scored against another, over both seats."""

    wins: Count = 0
    """Games won by the first of the two bots."""
    draws: Count = 0
    """Games drawn."""
    losses: Count = 0
    """Games lost by the first of the two bots."""
    superiority: Share | None = None
    """The likelihood that the one is stronger (LOS); None across groups and for a bot and
    itself."""

    head_to_head: Share | None = None
    """The likelihood that the one wins more often than it loses against the other, by their own
    rated games alone; None where they have none, and for a bot and itself."""

    apart: Elo | None = None
    """By how much the one is ahead in Elo, with the error of just that; None across groups and for
    a bot and itself."""

    WRITTEN: ClassVar = (
        *("wins", "draws", "losses", "points", "games", "superiority"),
        *("head_to_head", "draw_rate", "difference", "difference_error"),
        *("difference_low", "difference_high"),
    )

    @property
    def difference(self) -> float | None:
        """Return how far the one is ahead in Elo points; None across groups, and to itself."""
        return self.apart.value if self.apart else None

    @property
    def difference_error(self) -> float | None:
        """Return the standard error of just that difference; None where there is none."""
        return self.apart.error if self.apart else None

    @property
    def difference_low(self) -> float | None:
        """Return the lower end of its 95% interval; None where there is none, or nobody knows."""
        return self.apart.low if self.apart else None

    @property
    def difference_high(self) -> float | None:
        """Return the upper end of its 95% interval; None where there is none, or nobody knows."""
        return self.apart.high if self.apart else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What came of the games of one id, or of all games."""

    game: str
    """The id; empty for all games together."""

    games: Count
    """Counted games."""

    first_wins: Count
    """Games won by the first player."""
    draws: Count
    """Games drawn."""
    second_wins: Count
    """Games won by the second player."""
    self_play: Count
    """Counted games in which a bot met itself."""

    repeated: Count
    """Games that repeat an earlier one move by move: their points count, and no other evidence."""

    without_moves: Count
    """Games of which nothing but the result is known, as of a PGN of headers: they count, and none
    repeats another."""

    endings: Mapping[str, Positive]
    """Why they ended, the most frequent first."""

    rows: tuple[Row, ...]
    """By rank, those that share one by name; groups and sides of a gauntlet one after another."""

    crosstable: tuple[tuple[Meeting, ...], ...]
    """For each row its meetings with each row, in the order of rows."""

    ratings: Ratings
    """Of the games that do not repeat another."""

    scores: Mapping[str, SideScore]
    """What each name in the records has scored: that of each version of a member."""

    ranked_by: Method
    """Which rating is shown as the rating, and decides where the rule says so."""

    rule: Rule
    """What ranks go by."""

    unbalanced: bool
    """Whether some bot had one seat clearly more often than the other (`is_unbalanced` says how
    much): then ratings rest on what the games tell of the seats, and those in the order of the
    games, which know no seats, favour who had the better one."""

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
        """Return what the rating with `mu`, `sigma` and `exposed` is called."""
        return ALL_AT_ONCE

    @property
    def first_score(self) -> Share | None:
        """Return first's points per game; None before any game."""
        return (self.first_wins + self.draws / 2) / self.games if self.games else None

    @property
    def crossed(self) -> tuple[tuple[str, str], ...]:
        """Return neighbours in the order of ranks that stand the other way around by Elo."""
        return tuple(
            (one.name, other.name)
            for one, other in pairwise(self.rows)
            if (one.group, one.role) == (other.group, other.role)
            and one.rank != other.rank
            # Rounded, as what is shown: equals are not crossed by a last bit.
            and round(one.strength.elo.value, 2) < round(other.strength.elo.value, 2)
        )

    @property
    def rated(self) -> Count:
        """Return how many games the ratings are made of."""
        return self.ratings.games


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Everything that the results of some records say."""

    version: Literal[3] = 3
    """Of this format; in 2, of 0.1.0, Elo points were those of a model that has draws apart."""

    events: tuple[str, ...]
    """The different titles, in order of appearance; empty where a record has none."""

    overall: Table
    """All games together."""

    per_game: tuple[Table, ...]
    """One a game id, sorted by it; a single one has the numbers of `overall`."""

    left_out: Mapping[str, Positive]
    """Why records were not counted: `void`, `unterminated`, `no result`, `tuning` or a
    ruling."""

    unranked: tuple[str, ...]
    """Bots that are named only in records left out, sorted."""

    unsound: tuple[Reason, ...] = ()
    """Why records were left out that are no sound games, as `arena check` finds them: nothing else
    counts them. The most frequent reason first."""

    anchors: Mapping[str, float] = field(default_factory=dict)
    """Bots whose Elo is given, to which that of all others is relative; without any, 0 is the mean
    of a group."""

    relative_to: str = ""
    """The bot of `relative`; empty where none was asked for."""

    games_before: Count = 0
    """Games counted before the last event, with which `moved` compares; 0 where there is none."""
