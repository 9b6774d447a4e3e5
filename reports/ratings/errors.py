"""How sure strengths are: what games have in common makes errors of the Elo model wider.

Errors are the sandwich H⁻¹·B·H⁻¹ of the curvature H around the covariance B of the
scores, with the games of a `Result.pair` as one cluster. In B a game by itself has the variance
that the model gives it; two games of one cluster have the product of their scores that was seen.
So games without a pair give the model's own errors, and a bot that won all its games, whose scores
are all tiny, is not taken to be sure of itself. They go over to the scale by its slopes.

Must not know how a rating is shown.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Final, NamedTuple

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
from lath.reports.ratings.results import Cell, Counts, Seats


def covariances(model: Davidson, counts: Counts) -> tuple[Matrix, ...]:
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
    # pairs were too narrow by 1.6 %, and p / 2N is 1.6 %.
    products = sum(n * len(cluster) * (len(cluster) - 1) for cluster, n in counts.clusters.items())
    whole = 1 + products * len(model.parameters) / counts.games**2
    common = _in_common(model, counts)
    half = [[dot(row, column) for column in common] for row in own]
    result = zeros(len(own))
    for i, row in enumerate(half):
        for j in range(i + 1):
            result[i][j] = result[j][i] = whole * own[i][j] + dot(row, own[j])
    least = _LEAST_SHARE + (1 - _LEAST_SHARE) * counts.repeated_share
    return result, [[least * value for value in row] for row in own]


_LEAST_SHARE: Final = 0.25
"""What clusters leave at least of a variance that the model gives: half of the error. Fewer than a
handful of clusters can agree by chance, and seem to leave nothing open. Bots that repeat all their
games have few clusters however many games there are: theirs leave all of it."""


def _slopes_of(model: Davidson, cell: Cell) -> tuple[tuple[int, float], ...]:
    """Return the slopes of the logarithm of a result's chance, by the place of the parameter."""
    first, second, points, game_id = cell
    seats = Seats(game_id, first, second)
    win, draw, loss = model.chances(seats)
    ahead, drawn = points - 0.5 - (win - loss) / 2, (points == 0.5) - draw
    one, two, game = model.places.of(seats)
    return (one, ahead), (two, -ahead), (game, ahead), (game + 1, drawn)


def _in_common(model: Davidson, counts: Counts) -> Matrix:
    """Return the sum of the products of the scores of every two games of one cluster, both ways.

    What stands beside the games of one kind is added up first: there are fewer kinds than clusters.
    """
    clusters = counts.clusters
    kinds = dict.fromkeys(cell for games in clusters for cell in games)
    scores = {cell: _slopes_of(model, cell) for cell in kinds}
    if counts.different:
        weights = {cell: math.sqrt(counts.weight(_seats(cell))) for cell in kinds}
        scores = {
            cell: tuple((place, weights[cell] * slope) for place, slope in slopes)
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


def _seats(cell: Cell) -> Seats:
    return Seats(cell[3], cell[0], cell[1])


def by_opening(model: Davidson, counts: Counts, game: str, slopes: Vector) -> float:
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
        cell: sum(by_score[i] * slope for i, slope in _slopes_of(model, cell))
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
class Between:
    """How much bots differ from one kind of game to another, beyond chance."""

    variance: float
    """Of a bot's strength at one of them, around its strength at all."""

    shares: Vector
    """For each bot the sum of the squares of the weights of its games: 1 for a bot of one kind."""

    information: Vector
    """What the games tell of each bot."""

    degrees: int
    p_value: float
    """How likely differences as large are by chance alone."""

    def of_all(self) -> Vector:
        """Return what this adds to the variance of each bot's strength at games of that kind.

        Student's t makes up for a variance that is known from few.
        """
        wider = student(Z95, self.degrees) / Z95
        return [self.variance * share * wider**2 for share in self.shares]

    def beyond(self, model: Davidson, counts: Counts) -> Vector:
        """Return the same less what repeated games have made wider already."""
        played, counted = (dict.fromkeys(model.places.bots, 0.0) for _ in range(2))
        for seats, tally in counts.tallies.items():
            for bot in (seats.first, seats.second):
                played[bot] += tally.games
                counted[bot] += tally.games * counts.weight(seats)
        others = 1 - 1 / len(played)
        wider = [
            (played[bot] / counted[bot] - 1) / known * others if known else 0.0
            for bot, known in zip(played, self.information, strict=True)
        ]
        return [max(0.0, more - by) for more, by in zip(self.of_all(), wider, strict=True)]


class _Part(NamedTuple):
    """What a bot's games of one kind came to, and how many kinds were just so."""

    bot: int
    beyond: float
    """Points beyond those expected."""

    information: float
    fresh: float
    """The part of all products of two games that nothing else knows: 1, or without pairs."""

    players: int
    alike: int


_LEAST_DIFFERENT: Final = 0.05
"""The p-value from which on chance explains how bots differ. A variance that is only ever above 0
would make intervals too wide where there is none: with six ids they held in 97 to 98 %."""


def between_games(model: Davidson, counts: Counts) -> Between | None:
    """Return how bots differ from game id to game id; None where no two have a bot in two."""
    of_games: defaultdict[str, list[tuple[Cell, int]]] = defaultdict(list)
    for seats, tally in counts.tallies.items():
        for points, games in ((1.0, tally.wins), (0.5, tally.draws), (0.0, tally.losses)):
            of_games[seats.game].append(((seats.first, seats.second, points, seats.game), games))
    if len(of_games) < 2:
        return None
    parts = [part for games in of_games.values() for part in _parts(model, games, 1, 0)]
    found = _differing(model, parts, len(of_games), 1.0)
    if found is None or found.p_value < _LEAST_DIFFERENT:
        return found
    return replace(found, variance=0.0)


def between_openings(model: Davidson, counts: Counts) -> Between | None:
    """Return how bots differ from opening to opening; None where nobody can say.

    Games of one pair are known to hang together: what is looked at is what pairs of one bot, from
    one opening, have in common.
    """
    paired = sum(n * len(games) for games, n in counts.clusters.items())
    kept = 1 + paired / max(1, counts.games)
    parts = [
        part
        for openings in counts.openings.values()
        for games, alike in openings.items()
        for part in _parts(model, games, alike, kept)
    ]
    number = sum(counts.openings_of(game) for game in counts.openings)
    found = _differing(model, parts, number, _of_pairs(model, counts))
    if found is None:
        return None
    # Of fewer openings only bots that repeat themselves tell as little as their openings.
    trust = 1.0 if number >= LEAST_CLUSTERS else counts.repeated_share
    return replace(found, variance=found.variance * trust)


def _parts(
    model: Davidson, games: Iterable[tuple[Cell, int]], alike: int, kept: float
) -> Iterator[_Part]:
    """Yield what games of one kind came to for each bot.

    `kept` is how many of a bot's games belong together anyway.
    """
    beyond: defaultdict[int, float] = defaultdict(float)
    known: defaultdict[int, float] = defaultdict(float)
    many: defaultdict[int, int] = defaultdict(int)
    for cell, times in games:
        seats = _seats(cell)
        win, _, loss = model.chances(seats)
        lean = (win - loss) / 2
        one, other, _ = model.places.of(seats)
        for bot, sign in ((one, 1), (other, -1)):
            beyond[bot] += sign * times * (cell[2] - 0.5 - lean)
            known[bot] += times * ((win + loss) / 4 - lean * lean)
            many[bot] += times
    for bot, information in known.items():
        fresh = 1 - kept / many[bot] if many[bot] else 0.0
        if information:
            yield _Part(bot, beyond[bot], information, max(fresh, 0.0), len(known), alike)


def _of_pairs(model: Davidson, counts: Counts) -> float:
    """Return the variance of the points of pairs, in that of as many games by themselves."""
    alone = common = 0.0
    for games, times in counts.clusters.items():
        leads = []
        for cell in games:
            win, _, loss = model.chances(_seats(cell))
            lean = (win - loss) / 2
            leads.append((cell[2] - 0.5 - lean) * (1 if cell[0] < cell[1] else -1))
            alone += times * ((win + loss) / 4 - lean * lean)
        common += times * (math.fsum(leads) ** 2 - math.fsum(lead * lead for lead in leads))
    return max(1 + common / alone, _LEAST_OF_PAIRS) if alone else 1.0


_LEAST_OF_PAIRS: Final = 0.25
"""Pairs may agree by chance."""


def _differing(
    model: Davidson, parts: Sequence[_Part], kinds: int, by_pairs: float
) -> Between | None:
    """Return how much bots differ from kind to kind of game, of which there are so many.

    Bot by bot and kind by kind, the points beyond those expected have the information as their
    variance, times `by_pairs`, and the information's square times the variance sought on top
    (DerSimonian and Laird, 1986). Games weigh by what they tell, which is nearly their number.
    """
    bots = model.places.bots.values()
    of_bot, squares = dict.fromkeys(bots, 0.0), dict.fromkeys(bots, 0.0)
    used = dict.fromkeys(bots, 0)
    for part in parts:
        of_bot[part.bot] += part.alike * part.information
    for part in parts:
        share = part.information / of_bot[part.bot]
        squares[part.bot] += part.alike * share * share * part.fresh
        used[part.bot] += part.alike * (part.fresh > 0)
    shares = [squares[bot] if of_bot[bot] else 1.0 for bot in bots]
    degrees = sum(used.values()) - sum(number > 0 for number in used.values()) - kinds + 1
    if degrees < 1:
        return None
    seen = by_chance = by_variance = 0.0
    for part in parts:
        if not part.fresh:
            continue
        share = part.information / of_bot[part.bot]
        seen += part.alike * part.beyond**2 / part.information
        by_chance += part.alike * by_pairs * (1 - share)
        # Opponents differ as well: the one of a game of two as much as the bot itself.
        opponents = part.players / (part.players - 1)
        by_variance += (
            part.alike
            * part.information
            * part.fresh
            * opponents
            * (1 - 2 * share + shares[part.bot])
        )
    if by_chance <= 0 or by_variance <= 0:
        return None
    p_value = chi_square_tail(seen * degrees / by_chance, degrees)
    variance = max(seen - by_chance, 0.0) / by_variance
    return Between(variance, shares, list(of_bot.values()), degrees, p_value)
