"""How sure strengths are: what games have in common makes errors of the Elo model wider.

Errors are the sandwich H⁻¹·B·H⁻¹ of the curvature H around the covariance B of the
scores, with the games of a `Result.pair` as one cluster. In B a game by itself has the variance
that the model gives it; two games of one cluster have the product of their scores that was seen.
So games without a pair give the model's own errors, and a bot that won all its games, whose scores
are all tiny, is not taken to be sure of itself. They go over to the scale by its slopes.
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
    """Return covariances of the model's parameters; of each variance the largest holds.

    The first knows which games stand together; the other is what clusters leave at least of the
    model's own, by which few of them could agree by chance.
    """
    own = model.covariance
    if not counts.clusters:
        return (own,)
    # A fitted parameter takes a share of each score with it. Where each of N games has the same
    # share in p parameters, as in a balanced tournament, the products of m games of a cluster are
    # too small by (m - 1) p / N of the variances. Measured: intervals of 8 bots after 280 games in
    # pairs were too narrow by 1.6%, and p / 2N is 1.6%.
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
"""What clusters leave at least of a variance that the model gives: half of the error. Fewer than a
handful of clusters can agree by chance, and seem to leave nothing open."""


def _slopes_of(model: Davidson, cell: Cell) -> tuple[tuple[int, float], ...]:
    """Return the slopes of the logarithm of a result's chance, by the place of the parameter."""
    first, second, points, game_id = cell
    seats = SidesOfPair(game_id, first, second)
    win, draw, loss = model.chances(seats)
    ahead, drawn = points - 0.5 - (win - loss) / 2, (points == 0.5) - draw
    one, two, game = model.places.of(seats)
    return (one, ahead), (two, -ahead), (game, ahead), (game + 1, drawn)


def _in_common(model: Davidson, counts: ResultCounts) -> Matrix:
    """Return the sum of the products of the scores of every two games of one cluster, both ways.

    What stands beside the games of one kind is added up first: there are fewer kinds than clusters.
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
    """Return the variance of an advantage over openings of the kind that were played.

    `slopes` are those of the advantage by the two parameters of `game`. Each opening, of whichever
    bots its games were, moves the advantage by the scores of its games; with few of them, what
    they move it by together is fitted away, as from any variance around a mean.
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


# From game to game, and from opening to opening


@dataclass(frozen=True, slots=True)
class VarianceBetweenGames:
    """How much bots differ from one kind of game to another, beyond chance."""

    variance: float
    """Of a bot's strength at one of them, around its strength at all."""

    shares: Vector
    """For each bot the sum of the squares of the weights of its games: 1 for a bot of one kind."""

    degrees: int
    p_value: float
    """How likely differences as large are by chance alone."""

    def of_all(self) -> Vector:
        """Return what this adds to the variance of each bot's strength at games of that kind.

        Student's t makes up for a variance that is known from few.
        """
        wider = student(Z95, self.degrees) / Z95
        return [self.variance * share * wider**2 for share in self.shares]


class _Part(NamedTuple):
    """What a bot's games of one kind came to."""

    bot: str
    beyond: float
    """Points beyond those expected."""

    information: float
    fresh: float
    """The part of all products of two games that nothing else knows: 1, or without pairs."""


class _Kind(NamedTuple):
    """Bots that games of one kind connect, and how many kinds were just so."""

    parts: Sequence[_Part]
    alike: int


_LEAST_DIFFERENT: Final = 0.05
"""The p-value from which on chance explains how bots differ. A variance that is only ever above 0
would make intervals too wide where there is none: with six ids they held in 97 to 98%."""


def between_games(model: Davidson, counts: ResultCounts) -> VarianceBetweenGames | None:
    """Return how bots differ from game id to game id; None where no two have a bot in two."""
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
    """Return how bots differ from opening to opening; None where nobody can say.

    Games of one pair are known to hang together: what is looked at is what pairs of one bot, from
    one opening, have in common.
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
    """Yield what games of one kind came to for each bot; a game that came again counts once.

    `kept` is how many of a bot's games belong together anyway.
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
    """Return the variance of the points of pairs, in that of as many games by themselves."""
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
"""Pairs may agree by chance."""


def _differing(
    model: Davidson, kinds: Sequence[_Kind], by_pairs: float
) -> VarianceBetweenGames | None:
    """Return how much bots differ from kind to kind of game.

    Bot by bot and kind by kind, the points beyond those expected have the information as their
    variance, times `by_pairs`, and the information's square times the variance sought on top
    (DerSimonian and Laird, 1986). Games weigh by what they tell, which is nearly their number.
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
        # Opponents differ as well: the one of a game of two as much as the bot itself.
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
    """Return how many of the points beyond are free.

    Those of a bot come to nothing over all kinds, and those of bots that met over one kind; of bots
    that games connect, one of these follows from the others. So games of others change nothing.
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
