"""Who stands where, as plain values.

Must not know how anything is counted or estimated.
"""

from __future__ import annotations

from dataclasses import dataclass

from lath.reports.ratings.values import Ratings, Strength

Counts = tuple[tuple[str, int], ...]
"""Words and how often they came, the most frequent first, then by word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one bot did."""

    rank: int
    """From 1; group by group, by exposed rating, then points, then name."""

    name: str
    wins: int
    draws: int
    losses: int
    """Of all seats taken; a game against itself counts two."""

    strength: Strength
    without_forfeits: Strength | None
    """The same without games lost by crash, time, illegal move or flood; None where the bot is
    in no other game, and the same as `strength` where there was none."""

    crashes: int
    """Games lost by a crash; likewise the next three."""

    time_losses: int
    illegal_moves: int
    floods: int

    @property
    def games(self) -> int:
        """Return the seats taken; > 0."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Return a point per win and half a point per draw."""
        return self.wins + self.draws / 2

    @property
    def score_rate(self) -> float:
        """Return points per game in 0..1."""
        return self.points / self.games

    @property
    def forfeits(self) -> int:
        """Return the games lost otherwise than on the board."""
        return self.crashes + self.time_losses + self.illegal_moves + self.floods


@dataclass(frozen=True, slots=True)
class Meeting:
    """What one bot scored against another, over both seats."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    superiority: float | None = None
    """The likelihood that the one is stronger (LOS), in 0..1; None where nothing tells."""

    @property
    def games(self) -> int:
        """Return how often they met."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Return what the one scored."""
        return self.wins + self.draws / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What came of the games of one id, or of all games."""

    game: str
    """The id; empty for all games together."""

    games: int
    """Counted games."""

    first_wins: int
    draws: int
    second_wins: int
    self_play: int
    """Those of them in which a bot met itself."""

    repeated: int
    """Those of them that repeat another move by move; they are counted, but not rated."""

    endings: Counts
    """Why they ended."""

    rows: tuple[Row, ...]
    """By rank."""

    crosstable: tuple[tuple[Meeting, ...], ...]
    """For each row its meetings with each row, in order of rank."""

    ratings: Ratings
    """Of the games that do not repeat another."""

    unbalanced: bool
    """Whether some bot had one seat clearly more often than the other
    (`lath.reports.standings.balance` says how much): TrueSkill's model knows no first-move
    advantage, so its ratings favour it."""

    @property
    def first_score(self) -> float | None:
        """Return first's points per game in 0..1; None before any game."""
        return (self.first_wins + self.draws / 2) / self.games if self.games else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Everything that the results of some records say."""

    events: tuple[str, ...]
    """The different titles, in order of appearance; empty where no record has one."""

    overall: Table
    """All games together."""

    per_game: tuple[Table, ...]
    """One a game id, sorted by it; a single one has the numbers of `overall`."""

    left_out: Counts
    """Why records were not counted: `void`, `unterminated` or `no result`."""

    unranked: tuple[str, ...]
    """Bots that are named only in records left out, sorted."""
