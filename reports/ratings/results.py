"""What goes in and what comes out: results, their counts, who is connected, and ratings as values.

`count` is where the order of the games is lost, but for the order in which numbers are added up;
nothing that follows it takes a step per game.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Final, Literal, NamedTuple

from lath.reports.ratings.numerics import Z95
from lath.reports.schema import About, Amount, Count, Positive, Share


class DecidedGame(NamedTuple):
    """One decided game: who sat where, and what first scored."""

    first: str
    second: str
    score: float
    """First's points: 1, 1/2 or 0."""

    game: str = ""
    """The game's id: each has a first-move advantage and a draw rate of its own."""

    pair: Hashable = None
    """Games of one value were played by two bots from one opening, usually with the seats swapped;
    None: alone."""

    opening: Hashable = None
    """Games of one value, of whichever bots, begin alike; None: like all of their game."""

    line: Hashable = None
    """Games of one value are one game, ply by ply; None: like no other."""


class Scored:
    """What wins, draws and losses come to, for whatever has them."""

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
        """Return the part of all games that were drawn, in 0..1; None without games."""
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
    """What the logistic curve makes of an expected score: see `score`."""

    error: Amount
    """Its standard error."""

    WRITTEN: ClassVar = ("value", "error", "low", "high", "score")

    @property
    def score(self) -> Share:
        """Return the score that is expected of who is ahead by `value`, a draw being half a point.

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
        """Return in words the value, and half the interval."""
        return f"{round(self.value):+d}", f"{Z95 * self.error:.0f}"


@dataclass(frozen=True, slots=True)
class Elo:
    """One bot's strength in Elo points around its group's mean, or on the scale that anchors make.

    Its error is relative to that mean, or to the anchors, which have none.
    """

    value: float
    """What the logistic curve makes of an expected score: see `score`."""

    error: Amount
    """Its standard error."""

    unknown: Literal["", "above", "below", "both"] = ""
    """Which end of the interval nobody can say: `above` of a bot that won all its games, `below` of
    one that lost them all; `both` of the difference of two that won all."""

    end: float = 0.0
    """The other end in that case (Clopper and Pearson)."""

    mean: float = 0.0
    """That of its group, which is 0 without anchors; 0 of a difference."""

    WRITTEN: ClassVar = ("value", "error", "low", "high", "score", "mean")

    @property
    def score(self) -> Share:
        """Return the score that is expected against the group's mean, a draw being half a point."""
        return score_of(self.value - self.mean)

    @property
    def low(self) -> float | None:
        """Return the lower end of the 95% interval; None where it is unknown."""
        if self.unknown:
            return self.end if self.unknown == "above" else None
        return self.value - Z95 * self.error

    @property
    def high(self) -> float | None:
        """Return the upper end of the 95% interval; None where it is unknown."""
        if self.unknown:
            return self.end if self.unknown == "below" else None
        return self.value + Z95 * self.error

    @property
    def told(self) -> tuple[str, str]:
        """Return in words the value and half the interval, or what it is at least and nothing.

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
        """Return a whole number; around a mean of 0 it has a sign."""
        return f"{round(value)}" if self.mean else f"{round(value):+d}"


@dataclass(frozen=True, slots=True)
class Rating:
    """What the games say about one bot's strength on TrueSkill's scale: a normal distribution."""

    mu: float
    """The mean; 25 before any game, and that of the bots of a group together."""

    sigma: Amount
    """The standard deviation; 8.33 before any game. Where one side is known better than the other,
    as of a bot that hardly ever loses, it is that below the mean."""

    above: Amount | None = None
    """The standard deviation above the mean, where it is another."""

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
        """Return mu - 3 sigma: careful, for few lucky games do not raise it; 0 before any."""
        return self.mu - 3 * self.sigma


Method = Literal["TrueSkill (all games at once)", "TrueSkill (in order of play)"]
"""What a rating is called wherever it is shown."""

ALL_AT_ONCE: Final[Method] = "TrueSkill (all games at once)"
IN_ORDER: Final[Method] = "TrueSkill (in order of play)"


@dataclass(frozen=True, slots=True, kw_only=True)
class InOrder:
    """How the ratings in order of play were made: whoever does the same has the same."""

    games: Count
    """Rated games."""

    by: Literal["the trueskill package", "its closed form"]
    """What computed them; the closed form where there are too many games for the package."""

    draw_rate: Annotated[float, About("draw probability", gt=0, lt=1)]
    """Between equals, as fitted, to a hundredth of a per cent."""

    mu: float
    """Of a bot before its first game."""

    sigma: Amount
    """Likewise."""

    beta: Amount
    """The standard deviation of a performance around the skill."""

    tau: Amount
    """What is added to sigma before each game; 0, for bots do not learn."""

    WRITTEN: ClassVar = ("method", "by", "games", "draw_rate", "mu", "sigma", "beta", "tau")

    @property
    def method(self) -> Method:
        """Return the name of the method."""
        return IN_ORDER


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """What the games say of one bot, in three ways."""

    trueskill: Rating
    """Converged over all games; sigma is relative to the mean of the bot's group, which is 25."""

    sequential: Rating | None
    """TrueSkill in order of play: game after game, as `Ratings.in_order` says; None where it was
    not asked for."""

    elo: Elo
    """In Elo points around the mean of the bot's group, which is 0 without anchors, both seats
    taken equally often; its score is that expected against a bot at that mean."""

    group: int
    """Which of `Ratings.groups` it belongs to."""

    WRITTEN: ClassVar = (*(f"trueskill.{name}" for name in Rating.WRITTEN), "sequential", "elo")

    def by(self, method: Method) -> Rating:
        """Return the rating by a method, which was asked for."""
        rating = self.trueskill if method == ALL_AT_ONCE else self.sequential
        assert rating is not None
        return rating


HoldsFor = Literal["openings of that kind", "the openings played"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameConditions:
    """What the Elo model makes of one game: the seats, and how often equals draw."""

    game: str
    """Its id."""

    games: Positive
    """Rated games."""

    advantage: Estimate
    """Of the first seat, in Elo points; its score is that of the first seat between equals."""

    draw_rate: Share
    """Between equals, by the Elo model."""

    openings: Count
    """From how many openings or setups these games were played; 0 where nothing tells."""

    holds_for: HoldsFor
    """What the interval of the advantage is about. Where openings are few, it is only for these:
    others might give more to first, or less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpreadBetweenGames:
    """How much bots differ from game to game, each id counting by its rated games."""

    spread: Amount
    """The standard deviation of a bot's strength at one game around that at all, in Elo points; 0
    where chance alone explains the results. It is part of all intervals of strengths."""

    p_value: Share
    """The chance of differences as large or larger if bots were as strong at each game."""

    @property
    def heterogeneous(self) -> bool:
        """Return whether bots differ by more than chance: each game's own ratings say more."""
        return self.spread > 0

    WRITTEN: ClassVar = ("spread", "p_value", "heterogeneous")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How far results are from what the Elo model expects."""

    chi_square: Amount
    """Pearson's, over (game, first, second, result)."""

    degrees: Count
    """Of freedom; 0 where nothing can be said."""

    p_value: Share
    """The chance of a fit as bad or worse if the model were true; 1 where degrees is 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Everything that results say about strengths."""

    games: int
    """Rated games: those in which a bot met itself are not."""

    strengths: Mapping[str, Strength]
    """Every bot of the results, by name in order."""

    groups: tuple[tuple[str, ...], ...]
    """Bots that are connected by games, the largest group first, each sorted by name; bots of
    different groups cannot be compared."""

    draw_rate: Annotated[float, About(gt=0, lt=1)]
    """Between equals on TrueSkill's scale, fitted to all games at once."""

    in_order: InOrder | None
    """How the sequential ratings were made; None where they were not asked for."""

    conditions: tuple[GameConditions, ...]
    """What the Elo model makes of each game, by its id."""

    between: SpreadBetweenGames | None
    """How much bots differ from game to game; None where no bot was in two."""

    fit: Fit
    """How well the Elo model fits."""

    differences: Mapping[tuple[str, str], float]
    """The standard error of the Elo difference of two bots of one group, both ways."""

    def superiority(self, one: str, other: str) -> float | None:
        """Return the likelihood that `one` is stronger (LOS), in 0..1; None across groups.

        A bot has 0.5 against itself; of two anchors it is known.
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
        """Return by how many Elo points `one` is ahead of `other`, with the error of just that.

        None across groups, and 0 of a bot to itself. Where an end of one of their own intervals is
        unknown, an end of this one is: the other is as far away as both intervals allow.
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

    Groups of one size stand in the order of their first names. A bot that met nobody, or only
    itself, is a group of its own. Both bots of a meeting are among the names.

    >>> connected("abcd", [("a", "c"), ("d", "d")])
    (('a', 'c'), ('b',), ('d',))
    """
    groups = {name: {name} for name in names}
    for one, other in met:
        small, large = sorted((groups[one], groups[other]), key=len)
        if small is not large:
            large |= small  # the smaller moves: no bot does so more than log2 n times
            groups.update(dict.fromkeys(small, large))
    different = {id(group): tuple(sorted(group)) for group in groups.values()}
    return tuple(sorted(different.values(), key=lambda group: (-len(group), group)))
