"""The number of games that reveals a difference between two game types.

The games of each game type have a mean with the variance v. A difference d is found at 5%
(two-sided) in 80 of 100 comparisons with n = 2 v (1.960 + 0.842)^2 / d^2 games of each. This is the
usual formula for two independent means (Fleiss, Levin and Paik, Statistical Methods for Rates and
Proportions, 3rd edition, 2003, chapter 4), without a continuity correction. The result is at least
`LEAST_GAMES`, because fewer games do not show their variation.

The test is that of `lath.reports.counting.estimates` for one metric alone. If many metrics are
compared at once, each takes more games.
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
"""The share of comparisons in which a real difference is found."""

Z80: Final = 0.8416212335729143
"""The normal quantile of 80%."""

APART: Final = 0.1
"""The difference to reveal: ten points of a share, a tenth of a length."""

LEAST_GAMES: Final = 20
"""The least number of games for using the measured variance, and the least result."""

WORST: Final = 0.25
"""The greatest variance of a score without draws (equal opponents)."""


def games_to_tell(variance: float, apart: float) -> int:
    """Return the games of each of two game types that reveal a difference of `apart` > 0.

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
    """The difference to reveal: a share from 0 to 1, or plies. None if it is not known yet."""

    games: int | None
    """Games of each of the two game types; None if the number is not known yet."""

    assumed: bool
    """True if `games` assumes the greatest possible spread, because no spread was measured."""

    played: int
    """Games behind the measured spread."""

    why: str
    """Reason why `games` is null; empty otherwise."""


def needed(group: GameGroup) -> tuple[Needed, ...]:
    """Return the games needed for first-move advantage, length and drama.

    `group` has the games played so far; it can be empty.
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
