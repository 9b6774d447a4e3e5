"""Results as input and ratings as output, as plain values."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Final, Literal, NamedTuple

from lath.reports.ratings.numerics import Z95
from lath.reports.schema import About, Amount, Count, Positive, Share


class DecidedGame(NamedTuple):
    """One decided game: both players and the first player's score."""

    first: str
    second: str
    score: float
    """The first player's points: 1, 1/2 or 0."""

    game: str = ""
    """The id of the game type; each has its own first-move advantage and draw rate."""

    pair: Hashable = None
    """Games with an equal value were played by two bots from one opening, usually with sides
    swapped. None means a single game."""

    opening: Hashable = None
    """Games with an equal value begin from one opening, whatever the bots. None means that all
    games of this type begin alike."""

    line: Hashable = None
    """Games with an equal value are equal, ply by ply. None means unlike any other game."""


class Scored:
    """The totals of wins, draws and losses, for classes with these fields."""

    __slots__ = ()

    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> Count:
        """Return all games: won, drawn and lost."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> Amount:
        """Return a point per win and half a point per draw."""
        return self.wins + self.draws / 2

    @property
    def score_rate(self) -> Share | None:
        """Return points per game in 0..1; None without games."""
        return self.points / self.games if self.games else None

    @property
    def draw_rate(self) -> Share | None:
        """Return the share of games that were drawn, in 0..1; None without games."""
        return self.draws / self.games if self.games else None


def score_of(elo: float) -> float:
    """Return the score in 0..1 that the logistic curve expects at a difference of Elo points.

    >>> score_of(0.0), round(score_of(400.0), 4)
    (0.5, 0.9091)
    """
    return (1 + math.tanh(elo * math.log(10) / 800)) / 2


@dataclass(frozen=True, slots=True)
class Estimate:
    """A difference in Elo points with its standard error."""

    value: float
    """The Elo difference at which the logistic curve expects the score `score`."""

    error: Amount
    """Its standard error."""

    WRITTEN: ClassVar = ("value", "error", "low", "high", "score")

    @property
    def score(self) -> Share:
        """Return the expected score at a lead of `value`, with half a point per draw.

        >>> round(Estimate(70.0, 10.0).score, 3)
        0.599
        """
        return score_of(self.value)

    @property
    def low(self) -> float:
        """Return the lower end of the 95% interval."""
        return self.value - Z95 * self.error

    @property
    def high(self) -> float:
        """Return the upper end of the 95% interval."""
        return self.value + Z95 * self.error

    @property
    def told(self) -> tuple[str, str]:
        """Return the value and half the 95% interval as texts."""
        return f"{round(self.value):+d}", f"{Z95 * self.error:.0f}"


@dataclass(frozen=True, slots=True)
class Elo:
    """A bot's strength in Elo points, relative to the mean of its group or to the anchors.

    The error is relative to that mean, or to the anchors, which have no error.
    """

    value: float
    """The Elo difference at which the logistic curve expects the score `score`."""

    error: Amount
    """Its standard error."""

    unknown: Literal["", "above", "below", "both"] = ""
    """Which end of the interval is unknown: `above` if the bot won all games, `below` if it lost
    all, `both` for the difference of two bots that won all."""

    end: float = 0.0
    """The known end in that case (Clopper and Pearson)."""

    mean: float = 0.0
    """The mean of the group, which is 0 without anchors; 0 for a difference."""

    WRITTEN: ClassVar = ("value", "error", "low", "high", "score", "mean")

    @property
    def score(self) -> Share:
        """Return the expected score against the group's mean, with half a point per draw."""
        return score_of(self.value - self.mean)

    @property
    def low(self) -> float | None:
        """Return the lower end of the 95% interval; None if it is unknown."""
        if self.unknown:
            return self.end if self.unknown == "above" else None
        return self.value - Z95 * self.error

    @property
    def high(self) -> float | None:
        """Return the upper end of the 95% interval; None if it is unknown."""
        if self.unknown:
            return self.end if self.unknown == "below" else None
        return self.value + Z95 * self.error

    @property
    def told(self) -> tuple[str, str]:
        """Return the value and half the 95% interval as texts, or a bound and an empty text.

        >>> Elo(70.0, 20.0).told, Elo(400.0, 200.0, "above", 277.4).told
        (('+70', '39'), ('at least +277', ''))
        """
        if self.unknown == "both":
            return "unknown", ""
        if self.unknown:
            least = "least" if self.unknown == "above" else "most"
            return f"at {least} {self._rounded(self.end)}", ""
        return self._rounded(self.value), f"{Z95 * self.error:.0f}"

    def _rounded(self, value: float) -> str:
        """Return a whole number, with a sign if the mean is 0."""
        return f"{round(value)}" if self.mean else f"{round(value):+d}"


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's strength on TrueSkill's scale, as a normal distribution."""

    mu: float
    """The mean; 25 before any game, which is also the mean of each group."""

    sigma: Amount
    """The standard deviation; 8.33 before any game. If the two sides differ, as for a bot that
    hardly ever loses, this is the standard deviation below the mean."""

    above: Amount | None = None
    """The standard deviation above the mean, if it differs."""

    WRITTEN: ClassVar = ("mu", "sigma", "low", "high", "exposed")

    @property
    def low(self) -> float:
        """Return the lower end of the 95% interval."""
        return self.mu - Z95 * self.sigma

    @property
    def high(self) -> float:
        """Return the upper end of the 95% interval."""
        return self.mu + Z95 * (self.sigma if self.above is None else self.above)

    @property
    def exposed(self) -> float:
        """Return the conservative rating (mu - 3 sigma); 0 before any game."""
        return self.mu - 3 * self.sigma


Method = Literal["TrueSkill (all games at once)", "TrueSkill (in order of play)"]
"""The name of a rating method, as shown everywhere."""

ALL_AT_ONCE: Final[Method] = "TrueSkill (all games at once)"
IN_ORDER: Final[Method] = "TrueSkill (in order of play)"


@dataclass(frozen=True, slots=True, kw_only=True)
class InOrder:
    """The parameters of the ratings in order of play, for reproducing them."""

    games: Count
    """Rated games."""

    by: Literal["the trueskill package", "its closed form"]
    """The implementation; the closed form if there are too many games for the package."""

    draw_rate: Annotated[float, About("draw probability", gt=0, lt=1)]
    """The draw rate (equal opponents), fitted and rounded to 0.01%."""

    mu: float
    """The mean of a bot before its first game."""

    sigma: Amount
    """The standard deviation of a bot before its first game."""

    beta: Amount
    """The standard deviation of a performance around the skill."""

    tau: Amount
    """The increase of sigma before each game; 0, because bots do not learn."""

    WRITTEN: ClassVar = ("method", "by", "games", "draw_rate", "mu", "sigma", "beta", "tau")

    @property
    def method(self) -> Method:
        """Return the name of the method."""
        return IN_ORDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """A bot's strength by three methods."""

    trueskill: Rating
    """TrueSkill converged over all games; sigma is relative to the mean of the bot's group, which
    is 25."""

    sequential: Rating | None
    """TrueSkill in order of play, with the parameters of `Ratings.in_order`; None if it was not
    requested."""

    elo: Elo
    """Elo points relative to the mean of the bot's group, which is 0 without anchors, with both
    sides taken equally often. The score is that expected against a bot at that mean."""

    group: int
    """The index of the bot's group in `Ratings.groups`."""

    WRITTEN: ClassVar = (*(f"trueskill.{name}" for name in Rating.WRITTEN), "sequential", "elo")

    def by(self, method: Method) -> Rating:
        """Return the rating by a method that was requested."""
        rating = self.trueskill if method == ALL_AT_ONCE else self.sequential
        assert rating is not None
        return rating


HoldsFor = Literal["openings of that kind", "the openings played"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameConditions:
    """The first-move advantage and draw rate of a game type, by the Elo model."""

    game: str
    """The id of the game type."""

    games: Positive
    """Rated games."""

    advantage: Estimate
    """The first-move advantage in Elo points; its score is the first player's expected score (equal
    opponents)."""

    draw_rate: Share
    """The draw rate (equal opponents), by the Elo model."""

    openings: Count
    """The number of openings or setups that were played; 0 if unknown."""

    holds_for: HoldsFor
    """The openings for which the interval of the advantage is valid. With few openings, these are
    only the openings played: others can favour the first player more or less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadBetweenGames:
    """The variation of strengths between game types, each weighted by its rated games."""

    spread: Amount
    """The standard deviation of a bot's strength at one game type around its overall strength, in
    Elo points; 0 if chance alone explains the results. All intervals of strengths include it."""

    p_value: Share
    """The chance of differences at least as large if each bot were equally strong at all game
    types."""

    @property
    def heterogeneous(self) -> bool:
        """Return whether bots differ between game types by more than chance."""
        return self.spread > 0

    WRITTEN: ClassVar = ("spread", "p_value", "heterogeneous")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The fit of the Elo model to the results."""

    chi_square: Amount
    """Pearson's chi-square over (game, first, second, result)."""

    degrees: Count
    """The degrees of freedom; 0 if no test is possible."""

    p_value: Share
    """The chance of a fit as bad or worse if the model were true; 1 if degrees is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """The ratings of all bots, with the conditions and the fit of the models."""

    games: int
    """The number of rated games; games of a bot against itself do not count."""

    strengths: Mapping[str, Strength]
    """The strength of every bot, by name and sorted by it."""

    groups: tuple[tuple[str, ...], ...]
    """Groups of bots that games connect, the largest first, each sorted by name; bots of different
    groups are not comparable."""

    draw_rate: Annotated[float, About(gt=0, lt=1)]
    """The draw rate (equal opponents) on TrueSkill's scale, fitted to all games at once."""

    in_order: InOrder | None
    """The parameters of the sequential ratings; None if they were not requested."""

    conditions: tuple[GameConditions, ...]
    """The conditions of each game type, sorted by id."""

    between: SpreadBetweenGames | None
    """The variation between game types; None if no bot played two."""

    fit: Fit
    """How well the Elo model fits."""

    differences: Mapping[tuple[str, str], float]
    """The standard error of the Elo difference of two bots of one group, in both orders."""

    def superiority(self, one: str, other: str) -> float | None:
        """Return the likelihood that `one` is stronger (LOS), in 0..1; None across groups.

        The likelihood is 0.5 for a bot against itself, and certain for two anchors.
        """
        if one == other:
            return 0.5
        error = self.differences.get((one, other))
        if error is None:
            return None
        ahead = self.strengths[one].elo.value - self.strengths[other].elo.value
        if not error:
            return (1 + (ahead > 0) - (ahead < 0)) / 2
        return math.erfc(-ahead / error / math.sqrt(2)) / 2

    def difference(self, one: str, other: str) -> Elo | None:
        """Return the Elo lead of `one` over `other`, with the error of this difference.

        It is None across groups, and 0 for a bot against itself. If an end of one of the two
        intervals is unknown, an end of this one is unknown too, and the other end follows from both
        intervals.
        """
        if one == other:
            return Elo(0.0, 0.0)
        error = self.differences.get((one, other))
        if error is None:
            return None
        a, b = self.strengths[one].elo, self.strengths[other].elo
        apart = Elo(a.value - b.value, error)
        above = None in (a.high, b.low)
        below = None in (a.low, b.high)
        if above and below:
            return replace(apart, unknown="both")
        if a.low is not None and b.high is not None and above:
            return replace(apart, unknown="above", end=a.low - b.high)
        if a.high is not None and b.low is not None and below:
            return replace(apart, unknown="below", end=a.high - b.low)
        return apart


def connected(names: Iterable[str], met: Iterable[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Return the groups of `names` that `met` connects: the largest first, each sorted by name.

    Groups of equal size are ordered by their first names. A bot without opponents is its own group.
    Both bots of each meeting must be among the names.

    >>> connected("abcd", [("a", "c"), ("d", "d")])
    (('a', 'c'), ('b',), ('d',))
    """
    groups = {name: {name} for name in names}
    for one, other in met:
        small, large = sorted((groups[one], groups[other]), key=len)
        if small is not large:
            large |= small  # the smaller one moves: no bot moves more than log2 n times
            groups.update(dict.fromkeys(small, large))
    different = {id(group): tuple(sorted(group)) for group in groups.values()}
    return tuple(sorted(different.values(), key=lambda group: (-len(group), group)))
