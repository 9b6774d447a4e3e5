"""Results counted for ratings: by players, sides, opening pair and opening."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, runtime_checkable

from lath.reports.ratings.results import DecidedGame, Scored


class SidesOfPair(NamedTuple):
    """The first and second player of games of one type; the two are different bots."""

    game: str
    first: str
    second: str


Cell = tuple[str, str, float, str]
"""One kind of result: first player, second player, the first player's score, and the game type's
id. A plain tuple, because the arena makes one for every game."""

Together = Mapping[tuple[Cell, ...], int]
"""Clusters of dependent games, each sorted, and the number of equal clusters."""

Begun = Mapping[tuple[tuple[Cell, int], ...], int]
"""The results of the games of one opening, sorted, each with its count; and the number of openings
with equal results."""


@runtime_checkable
class Counted(Protocol):
    """Results that can report their counts, so that nothing has to visit every game."""

    def __iter__(self) -> Iterator[DecidedGame]:
        """Yield the games in their order."""

    def cells(self) -> Mapping[Cell, int]:
        """Return the number of games of each kind."""

    def pairs(self) -> Together:
        """Return the pairs between different bots, as in `ResultCounts.clusters`, unsorted."""

    def begun(self) -> Mapping[str, Begun]:
        """Return games between different bots, as in `ResultCounts.openings`, unsorted."""

    def different(self) -> Mapping[SidesOfPair, int]:
        """Return the numbers of unique games, as in `ResultCounts.different`, unsorted."""


@dataclass(slots=True)
class SideScore(Scored):
    """The first player's wins, draws and losses."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, points: float, games: int) -> None:
        """Count `games` games in which the first player scored `points` each."""
        if points == 0.5:
            self.draws += games
        elif points:
            self.wins += games
        else:
            self.losses += games


class Weighed(NamedTuple):
    """The first player's results, with duplicate games counted once."""

    wins: float
    draws: float
    losses: float

    @property
    def games(self) -> float:
        """Return the number of games as evidence, without duplicates."""
        return self.wins + self.draws + self.losses

    def height(self, win: float, draw: float, loss: float) -> float:
        """Return the log-likelihood of these results, given the chances of a win, draw and loss."""
        height = self.wins * math.log(win) if self.wins else 0.0
        height += self.draws * math.log(draw) if self.draws else 0.0
        return height + (self.losses * math.log(loss) if self.losses else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultCounts:
    """The counts of results that ratings are computed from."""

    names: tuple[str, ...]
    """The names of all bots, sorted, including bots that played only against themselves."""

    tallies: Mapping[SidesOfPair, SideScore]
    """The results of games between different bots, sorted."""

    clusters: Together
    """Clusters of two or more games with the same `DecidedGame.pair`, and the number of equal
    clusters; sorted."""

    openings: Mapping[str, Begun]
    """For each game type, the results of each `DecidedGame.opening`, and the number of openings
    with equal results; sorted."""

    different: Mapping[SidesOfPair, int] = field(default_factory=dict)
    """The number of unique games of each pairing that has duplicates."""

    @property
    def games(self) -> int:
        """Return the number of games between different bots."""
        return sum(tally.games for tally in self.tallies.values())

    def weight(self, seats: SidesOfPair) -> float:
        """Return the share of unique games in a pairing, which is the weight of each game."""
        return self.different.get(seats, games := self.tallies[seats].games) / games

    def weighed(self) -> dict[SidesOfPair, Weighed]:
        """Return the counts behind ratings: all points, but only unique games as evidence.

        A duplicate game of deterministic bots is weaker evidence than a new game. How much weaker
        is unknown; counting only unique games is the cautious choice. All games of a pairing have
        the same weight, so that each result keeps its share.
        """
        return {
            seats: Weighed(*(weight * n for n in (tally.wins, tally.draws, tally.losses)))
            for seats, tally in self.tallies.items()
            for weight in (self.weight(seats),)
        }

    @property
    def worth(self) -> float:
        """Return the number of unique games between different bots."""
        return math.fsum(tally.games for tally in self.weighed().values())

    def weight_of(self, cluster: tuple[Cell, ...]) -> float:
        """Return the average weight of the games of a cluster."""
        weights = (
            self.weight(SidesOfPair(game, first, second)) for first, second, _, game in cluster
        )
        return math.fsum(weights) / len(cluster)

    def openings_of(self, game: str) -> int:
        """Return the number of openings played in a game type."""
        return sum(self.openings.get(game, {}).values())


class _Kinds:
    """Numbers for sequences of cells, 0 for the empty one, so that a pair needs one number only."""

    def __init__(self) -> None:
        self._next: Final[dict[tuple[int, Cell], int]] = {}
        self._last: Final[list[tuple[int, Cell]]] = []

    def with_next(self, kind: int, cell: Cell) -> int:
        """Return the number of the sequence `kind` followed by `cell`."""
        found = self._next.get((kind, cell))
        if found is None:
            self._last.append((kind, cell))
            found = self._next[kind, cell] = len(self._last)
        return found

    def cells(self, kind: int) -> tuple[Cell, ...]:
        """Return the sequence with this number."""
        cells: list[Cell] = []
        while kind:
            kind, cell = self._last[kind - 1]
            cells.append(cell)
        return tuple(reversed(cells))


def count(results: Iterable[DecidedGame] | Counted) -> ResultCounts:
    """Return the counts of `results`, without games of a bot against itself."""
    if isinstance(results, Counted):
        cells, clusters, begun = results.cells(), results.pairs(), results.begun()
        different = results.different()
    else:
        cells, clusters, begun, different = _counted(results)
    tallies: dict[SidesOfPair, SideScore] = {}
    for (first, second, score, game), times in cells.items():
        if first != second:
            tallies.setdefault(SidesOfPair(game, first, second), SideScore()).add(score, times)
    # Sorted, because the last bits of a sum depend on the order.
    return ResultCounts(
        names=tuple(sorted({name for cell in cells for name in cell[:2]})),
        tallies=dict(sorted(tallies.items())),
        clusters=dict(sorted(clusters.items())),
        openings={game: dict(sorted(of_game.items())) for game, of_game in begun.items()},
        different=dict(sorted(different.items())),
    )


def _counted(
    results: Iterable[DecidedGame],
) -> tuple[Counter[Cell], Together, dict[str, Begun], dict[SidesOfPair, int]]:
    """Return the counts of cells, pairs, openings and unique games."""
    cells = Counter[Cell]()
    known: dict[Cell, Cell] = {}
    kinds = _Kinds()
    pairs: dict[Hashable, int] = {}
    begun: defaultdict[str, dict[Hashable, list[Cell]]] = defaultdict(dict)
    lines: defaultdict[tuple[str, str, str], set[Hashable]] = defaultdict(set)
    again = Counter[tuple[str, str, str]]()
    for result in results:  # The only loop over all games. Equal cells become one object.
        cell, pair, opening, line = result[:4], result[4], result[5], result[6]
        cells[cell] += 1
        if line is not None and cell[0] != cell[1]:
            seats = cell[3], cell[0], cell[1]
            again[seats] += line in (of_seats := lines[seats])
            of_seats.add(line)
        if opening is not None and cell[0] != cell[1]:
            cell = known.setdefault(cell, cell)
            if (games := (of_game := begun[cell[3]]).get(opening)) is None:
                of_game[opening] = [cell]
            else:
                games.append(cell)
        if pair is not None and cell[0] != cell[1]:
            pairs[pair] = kinds.with_next(pairs.get(pair, 0), cell)
    clusters = Counter[tuple[Cell, ...]]()
    for kind, times in Counter(pairs.values()).items():
        if len(cells_of := kinds.cells(kind)) > 1:
            clusters[tuple(sorted(cells_of))] += times
    openings: dict[str, Begun] = {
        game: Counter(tuple(sorted(Counter(games).items())) for games in of_game.values())
        for game, of_game in begun.items()
    }
    return cells, clusters, openings, _different(cells, again)


def _different(
    cells: Mapping[Cell, int], again: Mapping[tuple[str, str, str], int]
) -> dict[SidesOfPair, int]:
    """Return the number of unique games of each pairing with duplicates; `again` counts these."""
    games = Counter[tuple[str, str, str]]()
    for (first, second, _, game), times in cells.items():
        games[game, first, second] += times
    return {SidesOfPair(*seats): games[seats] - times for seats, times in again.items() if times}
