"""TrueSkill's scale and its draw margin, as the `trueskill` package defines them.

Must not know results.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Final

MU: Final = 25.0
SIGMA: Final = MU / 3
BETA: Final = SIGMA / 2
"""A skill is 25 ± 8.33 before the first game; a performance in one game is ± 4.17 around it."""

NOISE: Final = math.sqrt(2) * BETA
"""The standard deviation of the difference of two performances of equals."""

PRIOR_DRAWS: Final = 1
PRIOR_GAMES: Final = 20
"""One draw in twenty imagined games between equals keeps a draw rate off 0 and 1 and fades as real
games come. TrueSkill and the Elo scale share it."""

_NORMAL: Final = NormalDist()


def margin_of(draw_rate: float) -> float:
    """Return by how much one must outperform the other for a win; `draw_rate` in 0..1, not ends."""
    return _NORMAL.inv_cdf((draw_rate + 1) / 2) * NOISE


def draw_rate_of(margin: float) -> float:
    """Return how often equals draw: the inverse of `margin_of`."""
    return math.erf(margin / NOISE / math.sqrt(2))
