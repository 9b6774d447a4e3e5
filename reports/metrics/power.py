"""How many games show a difference between two games: what a plan says before they are played.

Of a mean whose values have the variance v in either game, a difference d is found at 5%
(two-sided) in 80 of 100 comparisons with n = 2 v (1.960 + 0.842)^2 / d^2 games of each: the usual
formula of two independent means (Fleiss, Levin and Paik, Statistical Methods for Rates and
Proportions, 3rd edition, 2003, chapter 4; without the correction for continuity, as the test here
has none). It is never less than `LEAST_GAMES`: of fewer the test knows too little of their spread.
The test is that of `lath.reports.counting.estimates`, of one measure by itself: where many are
compared at once, each takes more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from lath.reports.metrics.definitions import MEASURES
from lath.reports.metrics.measures import GameGroup
from lath.reports.ratings.numerics import Z95

FIRST_SCORE: Final = next(each for each in MEASURES if each.key == "first_score")

POWER: Final = 0.8
"""In how many comparisons a difference is found that is there."""

Z80: Final = 0.8416212335729143
"""Below it are so many of normal values."""

APART: Final = 0.1
"""The difference that is to be found: ten points of a share, a tenth of a length."""

LEAST_GAMES: Final = 20
"""From so many games on their own spread is used, and no plan has fewer."""

WORST: Final = 0.25
"""The variance of a score without draws between equals: no score has more."""


def games_to_tell(variance: float, apart: float) -> int:
    """Return how many games of each of two games find a difference of `apart`; > 0.

    >>> games_to_tell(WORST, 0.1)
    393
    """
    return max(LEAST_GAMES, math.ceil(2 * variance * ((Z95 + Z80) / apart) ** 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """The games that reveal a difference between two game types in one metric."""

    game: str
    """The game type."""

    measure: Literal["first_score", "plies", "drama"]
    """The metric: the first player's score, the length or the drama."""

    apart: float | None
    """The difference to reveal: a share from 0 to 1, or plies; None if it is not known yet."""

    games: int | None
    """Games of each of the two game types; None if the number is not known yet."""

    assumed: bool
    """Whether `games` assumes the greatest possible spread, because no spread was measured."""

    played: int
    """Games behind the measured spread."""

    why: str
    """Reason why `games` is null; empty otherwise."""


def needed(group: GameGroup) -> tuple[Needed, ...]:
    """Return how many games it takes for first-move advantage, length and drama.

    `group` has the games played so far, which may be none.
    """
    rows = {row.measure.key: row.of for row in group.rows()}
    found = []
    keys: tuple[Literal["first_score", "plies", "drama"], ...] = "first_score", "plies", "drama"
    for key in keys:
        of = rows.get(key)
        known = of if of is not None and of.games >= LEAST_GAMES and of.variance > 0 else None
        apart = APART * known.value if known and key == "plies" else APART
        games = None if known is None else games_to_tell(known.variance * known.games, apart)
        why = ""
        if key == "first_score" and group.one_sided:
            games, why = None, "; ".join(group.why_none(FIRST_SCORE))
        elif games is None and key == "first_score":
            games = games_to_tell(WORST, apart)
        elif games is None:
            why = f"known after {LEAST_GAMES} games of similar bots"
            if group.games >= LEAST_GAMES:
                lack = group.reason if key == "drama" else ""
                why = (
                    lack
                    or f"{of.games if of else 0} of {group.games} have it (needed: {LEAST_GAMES})"
                )
        found.append(
            Needed(
                game=group.game,
                measure=key,
                apart=None if known is None and key == "plies" else apart,
                games=games,
                assumed=known is None and games is not None,
                played=known.games if known else 0,
                why=why,
            )
        )
    return tuple(found)
