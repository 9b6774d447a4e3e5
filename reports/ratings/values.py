"""Results and what is made of them, as plain values.

Must not know how anything is estimated.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

Z95: Final = 1.959963984540054
"""Standard deviations to either side that hold 95 % of a normal distribution."""


class Result(NamedTuple):
    """One decided game: who sat where, and what first scored."""

    first: str
    second: str
    score: float
    """First's points: 1, 1/2 or 0."""

    game: str = ""
    """The game's id: each has a first-move advantage and a draw rate of its own."""

    pair: Hashable = None
    """Games of one value share an opening, usually with the seats swapped; None: alone."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What the games say about one bot's strength on TrueSkill's scale: a normal distribution."""

    mu: float
    """The mean; 25 before any game."""

    sigma: float
    """The standard deviation; > 0, 8.33 before any game."""

    @property
    def exposed(self) -> float:
        """Return mu - 3 sigma: a strength that the bot has almost surely; 0 before any game."""
        return self.mu - 3 * self.sigma


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its standard error."""

    value: float
    error: float
    """>= 0."""

    @property
    def low(self) -> float:
        """Return the lower end of the 95 % interval."""
        return self.value - Z95 * self.error

    @property
    def high(self) -> float:
        """Return its upper end."""
        return self.value + Z95 * self.error


@dataclass(frozen=True, slots=True, kw_only=True)
class Strength:
    """What the games say of one bot, in three ways."""

    trueskill: Rating
    """Converged over all games; sigma is relative to the mean of the bot's group, which is 25."""

    sequential: Rating | None
    """The package's own, game after game in their order; None where it was not asked for."""

    elo: Estimate
    """Davidson's model, in Elo points around the mean of the bot's group, which is 0."""

    group: int
    """Which of `Ratings.groups` it belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """What the Elo model makes of one game: the seats, and how often equals draw."""

    game: str
    """Its id."""

    games: int
    advantage: Estimate
    """Of the first seat, in Elo points."""

    draw_rate: float
    """Between equals, in 0..1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How far results are from what the Elo model expects."""

    chi_square: float
    """Pearson's, over (game, first, second, result)."""

    degrees: int
    """Of freedom; 0 where nothing can be said."""

    p_value: float
    """The chance of a fit as bad or worse if the model were true, in 0..1; 1 where degrees is 0."""


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

    draw_rate: float
    """Between equals on TrueSkill's scale, fitted; strictly between 0 and 1."""

    conditions: tuple[Conditions, ...]
    """A line a game id, sorted."""

    fit: Fit
    differences: Mapping[tuple[str, str], float]
    """The standard error of the Elo difference of two bots of one group, both ways."""

    def superiority(self, one: str, other: str) -> float | None:
        """Return the likelihood that `one` is stronger (LOS), in 0..1; None across groups.

        A bot has 0.5 against itself.
        """
        if one == other:
            return 0.5
        error = self.differences.get((one, other))
        if error is None:
            return None
        ahead = self.strengths[one].elo.value - self.strengths[other].elo.value
        return math.erfc(-ahead / error / math.sqrt(2)) / 2
