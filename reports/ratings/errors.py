"""Errors of the Elo model, including the dependence of games that share a pair or an opening.

The errors are the sandwich H⁻¹·B·H⁻¹. H is the curvature, B the covariance of the likelihood's
scores, with the games of one `DecidedGame.pair` as a cluster. In B, each single game has the
variance of the model, and two games of a cluster have the observed product of their scores. So
games without a pair give the model's own errors. A bot that won all its games, whose scores are all
tiny, still gets a realistic error. The slopes of the scale convert the errors to ratings.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, permutations
from typing import Final, NamedTuple

from lath.reports.ratings.counts import Cell, ResultCounts, SidesOfPair
from lath.reports.ratings.elo import Davidson
from lath.reports.ratings.numerics import (
    LEAST_CLUSTERS,
    Z95,
    Matrix,
    Vector,
    chi_square_tail,
    dot,
    student,
    zeros,
)
from lath.reports.ratings.results import connected


def covariances(model: Davidson, counts: ResultCounts) -> tuple[Matrix, ...]:
    """Return covariances of the parameters; for each variance, the largest one counts.

    The first takes clusters into account. The second is a lower limit from the model, because a few
    clusters can agree by chance.
    """
    own = model.covariance
    if not counts.clusters:
        return (own,)
    # A fitted parameter absorbs a share of each score. If each of N games has the same share in p
    # parameters, as in a balanced tournament, the products of m games of a cluster are too small by
    # (m - 1) p / N of the variances. Measured: intervals of 8 bots after 280 paired games were too
    # narrow by 1.6%, which is p / 2N.
    products = math.fsum(
        n * counts.weight_of(cluster) * len(cluster) * (len(cluster) - 1)
        for cluster, n in counts.clusters.items()
    )
    whole = 1 + products * len(model.parameters) / counts.worth**2
    common = _in_common(model, counts)
    half = [[dot(row, column) for column in common] for row in own]
    result = zeros(len(own))
    for i, row in enumerate(half):
        for j in range(i + 1):
            result[i][j] = result[j][i] = whole * own[i][j] + dot(row, own[j])
    return result, [[_LEAST_SHARE * value for value in row] for row in own]


_LEAST_SHARE: Final = 0.25
"""The least share of the model's variance that clusters can leave: half of the error. Fewer than
about five clusters can agree by chance and then suggest no error at all."""


def _slopes_of(model: Davidson, cell: Cell) -> tuple[tuple[int, float], ...]:
    """Return the derivatives of a result's log-probability, by the index of the parameter."""
    first, second, points, game_id = cell
    seats = SidesOfPair(game_id, first, second)
    win, draw, loss = model.chances(seats)
    ahead, drawn = points - 0.5 - (win - loss) / 2, (points == 0.5) - draw
    one, two, game = model.places.of(seats)
    return (one, ahead), (two, -ahead), (game, ahead), (game + 1, drawn)


def _in_common(model: Davidson, counts: ResultCounts) -> Matrix:
    """Return the sum of score products over all ordered pairs of games of one cluster.

    The scores beside each kind of game are added first, because there are fewer kinds than
    clusters.
    """
    clusters = counts.clusters
    kinds = dict.fromkeys(cell for games in clusters for cell in games)
    scores = {cell: _slopes_of(model, cell) for cell in kinds}
    if counts.different:
        scores = {
            cell: tuple(
                (place, math.sqrt(counts.weight(_seats(cell))) * slope) for place, slope in slopes
            )
            for cell, slopes in scores.items()
        }
    beside: dict[Cell, defaultdict[int, float]] = {cell: defaultdict(float) for cell in scores}
    for cluster, repeats in clusters.items():
        for cell, other in permutations(cluster, 2):  # nearly always two games
            sums = beside[cell]
            for place, slope in scores[other]:
                sums[place] += repeats * slope
    result = zeros(len(model.parameters))
    for cell, sums in beside.items():
        for i, slope in scores[cell]:
            row = result[i]
            for j, together in sums.items():
                row[j] += slope * together
    return result


def _seats(cell: Cell) -> SidesOfPair:
    return SidesOfPair(cell[3], cell[0], cell[1])


def by_opening(model: Davidson, counts: ResultCounts, game: str, slopes: Vector) -> float:
    """Return the variance of an advantage over similar openings.

    `slopes` are the derivatives of the advantage by the two parameters of `game`. The scores of an
    opening's games, of all bots, shift the advantage. As in any sample variance, the fitted mean
    takes one degree of freedom.
    """
    at = model.places.games[game]
    rows = model.covariance[at : at + 2]
    by_score = [dot(column, slopes) for column in zip(*rows, strict=True)]
    openings = counts.openings[game]
    moved = {
        cell: counts.weight(_seats(cell))
        * sum(by_score[i] * slope for i, slope in _slopes_of(model, cell))
        for cell in {cell for games in openings for cell, _ in games}
    }
    number = counts.openings_of(game)
    shifts = (
        (math.fsum(times * moved[cell] for cell, times in games), alike)
        for games, alike in openings.items()
    )
    return math.fsum(alike * shift**2 for shift, alike in shifts) * number / (number - 1)


# Variation between game types and between openings


@dataclass(frozen=True, slots=True)
class VarianceBetweenGames:
    """The variation of strengths between kinds of games, beyond chance."""

    variance: float
    """The variance of a bot's strength at one kind of game around its overall strength."""

    shares: Vector
    """For each bot, the sum of its squared weights; 1 for a bot with one kind of game."""

    degrees: int
    p_value: float
    """The probability of differences at least as large by chance alone."""

    def of_all(self) -> Vector:
        """Return the additional variance of each bot's strength at games of that kind.

        Student's t accounts for a variance that is estimated from few kinds.
        """
        wider = student(Z95, self.degrees) / Z95
        return [self.variance * share * wider**2 for share in self.shares]


class _Part(NamedTuple):
    """The results of a bot in games of one kind."""

    bot: str
    beyond: float
    """The points beyond expectation."""

    information: float
    fresh: float
    """The share of game pairs that no known pairing explains; 1 without pairs."""


class _Kind(NamedTuple):
    """Bots connected by games of one kind, and the number of kinds with equal results."""

    parts: Sequence[_Part]
    alike: int


_LEAST_DIFFERENT: Final = 0.05
"""From this p-value on, chance explains the differences. Without a test, a variance estimate that
cannot be negative makes intervals too wide: with six ids, they covered 97 to 98%."""


def between_games(model: Davidson, counts: ResultCounts) -> VarianceBetweenGames | None:
    """Return the variation between game ids; None if no two bots share two ids."""
    of_games: defaultdict[str, list[tuple[Cell, int]]] = defaultdict(list)
    for seats, tally in counts.tallies.items():
        for points, games in ((1.0, tally.wins), (0.5, tally.draws), (0.0, tally.losses)):
            of_games[seats.game].append(((seats.first, seats.second, points, seats.game), games))
    if len(of_games) < 2:
        return None
    kinds = [kind for games in of_games.values() for kind in _kinds(model, counts, games, 1, 0)]
    found = _differing(model, kinds, 1.0)
    if found is None or found.p_value < _LEAST_DIFFERENT:
        return found
    return replace(found, variance=0.0)


def between_openings(model: Davidson, counts: ResultCounts) -> VarianceBetweenGames | None:
    """Return the variation between openings; None if there are too few.

    Games of one pair are known to be dependent, so the estimate uses only what different pairs of a
    bot from one opening have in common.
    """
    paired = sum(n * len(games) for games, n in counts.clusters.items())
    kept = 1 + paired / max(1, counts.games)
    if sum(counts.openings_of(game) for game in counts.openings) < LEAST_CLUSTERS:
        return None
    kinds = [
        kind
        for openings in counts.openings.values()
        for games, alike in openings.items()
        for kind in _kinds(model, counts, games, alike, kept)
    ]
    return _differing(model, kinds, _of_pairs(model, counts))


def _kinds(
    model: Davidson,
    counts: ResultCounts,
    games: Iterable[tuple[Cell, int]],
    alike: int,
    kept: float,
) -> Iterator[_Kind]:
    """Yield the results of each bot in games of one kind, with duplicate games counted once.

    `kept` is the number of a bot's games that are dependent anyway.
    """
    beyond: defaultdict[str, float] = defaultdict(float)
    known: defaultdict[str, float] = defaultdict(float)
    many: defaultdict[str, float] = defaultdict(float)
    met = []
    for cell, number in games:
        if not number:
            continue
        seats = _seats(cell)
        times = number * counts.weight(seats)
        win, _, loss = model.chances(seats)
        lean = (win - loss) / 2
        met.append((seats.first, seats.second))
        for bot, sign in ((seats.first, 1), (seats.second, -1)):
            beyond[bot] += sign * times * (cell[2] - 0.5 - lean)
            known[bot] += times * ((win + loss) / 4 - lean * lean)
            many[bot] += times
    for group in connected(known, met):
        parts = [
            _Part(bot, beyond[bot], known[bot], max(1 - kept / many[bot], 0.0))
            for bot in group
            if known[bot]
        ]
        if len(parts) > 1:
            yield _Kind(parts, alike)


def _of_pairs(model: Davidson, counts: ResultCounts) -> float:
    """Return the variance of points in pairs, relative to that of as many independent games."""
    alone = common = 0.0
    for games, times in counts.clusters.items():
        leads = []
        for cell in games:
            win, _, loss = model.chances(_seats(cell))
            lean = (win - loss) / 2
            weight = counts.weight(_seats(cell))
            lead = math.sqrt(weight) * (cell[2] - 0.5 - lean)
            leads.append(lead if cell[0] < cell[1] else -lead)
            alone += times * weight * ((win + loss) / 4 - lean * lean)
        common += times * (math.fsum(leads) ** 2 - math.fsum(lead * lead for lead in leads))
    return max(1 + common / alone, _LEAST_OF_PAIRS) if alone else 1.0


_LEAST_OF_PAIRS: Final = 0.25
"""The lower limit of this ratio, because pairs can agree by chance."""


def _differing(
    model: Davidson, kinds: Sequence[_Kind], by_pairs: float
) -> VarianceBetweenGames | None:
    """Return the variation of strengths between kinds of games.

    For each bot and kind, the points beyond expectation have the variance `by_pairs` times the
    information, plus the information's square times the sought variance (DerSimonian and Laird,
    1986). Games are weighted by their information, which is nearly their number.
    """
    bots = model.places.bots
    of_bot, squares = dict.fromkeys(bots, 0.0), dict.fromkeys(bots, 0.0)
    for kind in kinds:
        for part in kind.parts:
            of_bot[part.bot] += kind.alike * part.information
    for kind in kinds:
        for part in kind.parts:
            share = part.information / of_bot[part.bot]
            squares[part.bot] += kind.alike * share * share * part.fresh
    shares = {bot: squares[bot] if of_bot[bot] else 1.0 for bot in bots}
    degrees = _degrees(kinds)
    if degrees < 1:
        return None
    seen = by_chance = by_variance = 0.0
    for kind in kinds:
        # Opponents vary too: in games of two, the opponent as much as the bot itself.
        opponents = len(kind.parts) / (len(kind.parts) - 1)
        for part in kind.parts:
            if not part.fresh:
                continue
            share = part.information / of_bot[part.bot]
            seen += kind.alike * part.beyond**2 / part.information
            by_chance += kind.alike * by_pairs * (1 - share)
            by_variance += (
                kind.alike
                * part.information
                * part.fresh
                * opponents
                * (1 - 2 * share + shares[part.bot])
            )
    if by_chance <= 0 or by_variance <= 0:
        return None
    p_value = chi_square_tail(seen * degrees / by_chance, degrees)
    variance = max(seen - by_chance, 0.0) / by_variance
    return VarianceBetweenGames(variance, list(shares.values()), degrees, p_value)


def _degrees(kinds: Iterable[_Kind]) -> int:
    """Return the degrees of freedom of the points beyond expectation.

    The points of each bot sum to zero over all kinds, and those of each kind sum to zero over its
    connected bots. One constraint per connected group is redundant. So games of unrelated bots do
    not change the result.
    """
    used: set[str] = set()
    met: list[tuple[str, str]] = []
    free = 0
    for kind in kinds:
        if own := [part.bot for part in kind.parts if part.fresh]:
            free += kind.alike * (len(own) - 1)
            used.update(own)
            met += pairwise(own)
    return free - len(used) + len(connected(used, met))
