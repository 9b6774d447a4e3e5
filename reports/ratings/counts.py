"""Results as counts: how often each two bots scored what, and which games stand together.

Must not know how strength is estimated. After this the order of the games is gone, but for the
order in which numbers are added up, and nothing that follows takes a step per game.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from lath.reports.ratings.values import Result


class Seats(NamedTuple):
    """Who sat where in a game of one id; the bots are different."""

    game: str
    first: str
    second: str


Cell = tuple[str, str, float, str]
"""One kind of result: first, second, what first scored, and the game's id. A plain tuple, for one
is made of every game."""


@dataclass(slots=True)
class Tally:
    """How often first won, drew and lost."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Return all of them."""
        return self.wins + self.draws + self.losses

    def add(self, score: float, count: int) -> None:
        """Count `count` games in which first scored `score`."""
        if score == 0.5:
            self.draws += count
        elif score:
            self.wins += count
        else:
            self.losses += count


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """All that ratings need of some results."""

    names: tuple[str, ...]
    """Every bot, sorted; also one that met only itself."""

    tallies: Mapping[Seats, Tally]
    """Of games between different bots, sorted."""

    clusters: Mapping[tuple[Cell, ...], int]
    """Two or more games of one `Result.pair`, and how often just these came."""

    @property
    def games(self) -> int:
        """Return how many games there were between different bots."""
        return sum(tally.games for tally in self.tallies.values())


class _Path(dict[Cell, "_Path"]):
    """The games of a pair so far; leads on to one longer by a game. Pairs alike share a path."""

    __slots__ = ("before", "cell", "pairs")

    def __init__(self, before: _Path | None, cell: Cell | None) -> None:
        super().__init__()
        self.before = before
        self.cell = cell
        self.pairs = 0
        """How many pairs have just these games."""

    def __missing__(self, cell: Cell) -> _Path:
        self[cell] = longer = _Path(self, cell)
        return longer

    def onward(self) -> Iterator[_Path]:
        """Yield all that begin with this one."""
        waiting = [self]
        while waiting:
            path = waiting.pop()
            yield path
            waiting.extend(path.values())

    def cells(self) -> tuple[Cell, ...]:
        """Return the games, the last first."""
        path, cells = self, []
        while path.before is not None and path.cell is not None:
            cells.append(path.cell)
            path = path.before
        return tuple(cells)


def count(results: Iterable[Result]) -> Counts:
    """Return the counts of `results`; a bot's games against itself are passed over."""
    cells, paths = _walk(results)
    pairs = [(path.cells(), path.pairs) for path in paths]
    for pair, times in pairs:
        for cell in pair:
            cells[cell] = cells.get(cell, 0) + times
    names = {name for cell in cells for name in cell[:2]}
    return Counts(names=tuple(sorted(names)), tallies=_tallies(cells), clusters=_clusters(pairs))


def _clusters(pairs: Iterable[tuple[tuple[Cell, ...], int]]) -> dict[tuple[Cell, ...], int]:
    clusters: dict[tuple[Cell, ...], int] = {}
    for pair, times in pairs:
        cluster = tuple([cell for cell in pair if cell[0] != cell[1]])
        if len(cluster) > 1:
            clusters[cluster] = clusters.get(cluster, 0) + times
    return clusters


def _walk(results: Iterable[Result]) -> tuple[dict[Cell, int], list[_Path]]:
    """Return the games that stand alone, counted, and the different paths of pairs.

    The one loop that takes a step a game. Games of a pair mostly follow each other: as long as
    they do, the pair is not looked up.
    """
    start = path = _Path(None, None)
    alone: dict[Cell, int] = {}
    ends: dict[Hashable, _Path] = {}
    so_far, path_of = alone.get, ends.get
    last: Hashable = None
    for result in results:
        cell, pair = result[:4], result[4]
        if pair is None:
            alone[cell] = so_far(cell, 0) + 1
        elif pair == last:
            path = path[cell]
        else:
            ends[last] = path
            last = pair
            path = path_of(pair, start)[cell]
    ends[last] = path
    for path in ends.values():
        path.pairs += 1
    return alone, [path for path in start.onward() if path.pairs and path is not start]


def _tallies(cells: Mapping[Cell, int]) -> dict[Seats, Tally]:
    tallies: dict[Seats, Tally] = {}
    for (first, second, score, game), times in cells.items():
        if first != second:
            tallies.setdefault(Seats(game, first, second), Tally()).add(score, times)
    return dict(sorted(tallies.items()))
