"""Results counted for ratings: who met whom, from which side, in which groups of games."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol, runtime_checkable

from lath.reports.ratings.results import DecidedGame, Scored


class SidesOfPair(NamedTuple):
    """The players and sides of a game of one type; the bots are different."""

    game: str
    first: str
    second: str


Cell = tuple[str, str, float, str]
"""One kind of result: first, second, what first scored, and the game's id. A plain tuple, for one
is made of every game."""

Together = Mapping[tuple[Cell, ...], int]
"""Games that hang together, sorted, and how often just these came."""

Begun = Mapping[tuple[tuple[Cell, int], ...], int]
"""The results of games of one opening, sorted, each kind with its number and multiplicity."""


@runtime_checkable
class Counted(Protocol):
    """Results of which it is known how many there are of each kind: no step a game is needed."""

    def __iter__(self) -> Iterator[DecidedGame]:
        """Yield them in their order."""

    def cells(self) -> Mapping[Cell, int]:
        """Return how many there are of each kind."""

    def pairs(self) -> Together:
        """Return the pairs between different bots, as in `ResultCounts.clusters`, unsorted."""

    def begun(self) -> Mapping[str, Begun]:
        """Return games between different bots as `ResultCounts.openings` has them, unsorted."""

    def different(self) -> Mapping[SidesOfPair, int]:
        """Return how many games are different, as `ResultCounts.different` has it, unsorted."""


@dataclass(slots=True)
class SideScore(Scored):
    """How often first won, drew and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, points: float, games: int) -> None:
        """Count so many games in which first scored so many points."""
        if points == 0.5:
            self.draws += games
        elif points:
            self.wins += games
        else:
            self.losses += games


class Weighed(NamedTuple):
    """The first player's results by sides; duplicate games count as one."""

    wins: float
    draws: float
    losses: float

    @property
    def games(self) -> float:
        """Return as how many games they count."""
        return self.wins + self.draws + self.losses

    def height(self, win: float, draw: float, loss: float) -> float:
        """Return the logarithm of how likely such results are."""
        height = self.wins * math.log(win) if self.wins else 0.0
        height += self.draws * math.log(draw) if self.draws else 0.0
        return height + (self.losses * math.log(loss) if self.losses else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultCounts:
    """All that ratings need of some results."""

    names: tuple[str, ...]
    """Every bot, sorted; also one that met only itself."""

    tallies: Mapping[SidesOfPair, SideScore]
    """The counts of games between different bots, sorted."""

    clusters: Together
    """Two or more games of one `DecidedGame.pair`, and how often just these came; sorted."""

    openings: Mapping[str, Begun]
    """For each game id the games of each `DecidedGame.opening`, and how often just so; sorted."""

    different: Mapping[SidesOfPair, int] = field(default_factory=dict)
    """How many different games there were, of seats of which one came again."""

    @property
    def games(self) -> int:
        """Return how many games there were between different bots."""
        return sum(tally.games for tally in self.tallies.values())

    def weight(self, seats: SidesOfPair) -> float:
        """Return how many of the games of some seats were different, of 1: what each counts."""
        return self.different.get(seats, games := self.tallies[seats].games) / games

    def weighed(self) -> dict[SidesOfPair, Weighed]:
        """Return the counts behind ratings: all points, but only unique games as evidence.

        A game that bots without chance play again and again tells less than as many new ones. How
        much less nobody knows; one new game is the least. All games of some seats weigh alike, so
        that no result counts for more than it came.
        """
        return {
            seats: Weighed(*(weight * n for n in (tally.wins, tally.draws, tally.losses)))
            for seats, tally in self.tallies.items()
            for weight in (self.weight(seats),)
        }

    @property
    def worth(self) -> float:
        """Return how many of the games between different bots were different."""
        return math.fsum(tally.games for tally in self.weighed().values())

    def weight_of(self, cluster: tuple[Cell, ...]) -> float:
        """Return the weight of one of this many dependent games."""
        weights = (
            self.weight(SidesOfPair(game, first, second)) for first, second, _, game in cluster
        )
        return math.fsum(weights) / len(cluster)

    def openings_of(self, game: str) -> int:
        """Return from how many openings games of an id began."""
        return sum(self.openings.get(game, {}).values())


class _Kinds:
    """Numbers of sequences of cells, 0 being the empty one: few, and one a pair is all to keep."""

    def __init__(self) -> None:
        self._next: Final[dict[tuple[int, Cell], int]] = {}
        self._last: Final[list[tuple[int, Cell]]] = []

    def with_next(self, kind: int, cell: Cell) -> int:
        """Return the number of a sequence with one more cell."""
        found = self._next.get((kind, cell))
        if found is None:
            self._last.append((kind, cell))
            found = self._next[kind, cell] = len(self._last)
        return found

    def cells(self, kind: int) -> tuple[Cell, ...]:
        """Return the sequence of a number."""
        cells: list[Cell] = []
        while kind:
            kind, cell = self._last[kind - 1]
            cells.append(cell)
        return tuple(reversed(cells))


def count(results: Iterable[DecidedGame] | Counted) -> ResultCounts:
    """Return the counts of `results`; a bot's games against itself are passed over."""
    if isinstance(results, Counted):
        cells, clusters, begun = results.cells(), results.pairs(), results.begun()
        different = results.different()
    else:
        cells, clusters, begun, different = _counted(results)
    tallies: dict[SidesOfPair, SideScore] = {}
    for (first, second, score, game), times in cells.items():
        if first != second:
            tallies.setdefault(SidesOfPair(game, first, second), SideScore()).add(score, times)
    # Sorted, for the last bits of a sum are those of an order.
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
    """Return the results of each kind, pairs, what openings came to, and different games."""
    cells = Counter[Cell]()
    known: dict[Cell, Cell] = {}
    kinds = _Kinds()
    pairs: dict[Hashable, int] = {}
    begun: defaultdict[str, dict[Hashable, list[Cell]]] = defaultdict(dict)
    lines: defaultdict[tuple[str, str, str], set[Hashable]] = defaultdict(set)
    again = Counter[tuple[str, str, str]]()
    for result in results:  # the one loop that takes a step a game; alike ones become one object
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
    """Return how many games of some seats are different, of which so many came again."""
    games = Counter[tuple[str, str, str]]()
    for (first, second, _, game), times in cells.items():
        games[game, first, second] += times
    return {SidesOfPair(*seats): games[seats] - times for seats, times in again.items() if times}
