"""The course of games: legal moves, the board and the lead, ply by ply.

A `CoursePoint` has the mean and the middle half of the games that are still running at that ply.
Only counts are kept, so memory grows with plies and distinct values, not with games.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from lath.reports.counting.figures import quantile

STEPS: Final = 20
"""The number of parts of a game, so that games of different lengths can be compared."""

HUNDREDTHS: Final = 100
"""Evaluations are kept in hundredths of a point."""


class GameCourse(NamedTuple):
    """The course of one game; unknown parts are empty."""

    plies: int
    cells: int
    legal: Sequence[int] = ()
    """The number of legal moves before each ply."""
    changed: Sequence[int] = ()
    """The number of cells changed so far, after each ply."""
    leads: Sequence[tuple[int, float]] = ()
    """Plies, from 0, with the winner's expected score there, in -1..1."""


class CoursePoint(NamedTuple):
    """The values of some games at one point of their course."""

    at: int
    """A ply, from 1, or the percentage of the game that is over."""
    mean: float
    low: float
    """A quarter of the games is below this value."""
    high: float
    """A quarter of the games is above this value."""
    games: int
    """The number of games with a value there."""
    below: float
    """The share of these games with a value below 0."""


class Courses:
    """Counts the courses of games."""

    def __init__(self) -> None:
        self.lengths: Final = Counter[int]()
        """The lengths of complete games, in plies."""
        self._legal: Final = defaultdict[int, Counter[int]](Counter)
        self._changed: Final = defaultdict[int, Counter[int]](Counter)
        self._leads: Final = defaultdict[int, Counter[int]](Counter)
        self._led = self._cells = 0

    def add(self, course: GameCourse) -> None:
        """Count a game; all games must have boards of one size."""
        self._cells = course.cells
        if course.legal:
            self.lengths[course.plies] += 1
        for counted, values in ((self._legal, course.legal), (self._changed, course.changed)):
            for ply, value in enumerate(values, 1):
                counted[ply][value] += 1
        if not course.leads:
            return
        self._led += 1
        said, values_at = 0, course.leads
        for step in range(1, STEPS + 1):
            while said < len(values_at) and (values_at[said][0] + 1) * STEPS <= step * course.plies:
                said += 1
            if said:
                lead = values_at[said - 1][1]
                self._leads[step * 100 // STEPS][round(lead * HUNDREDTHS)] += 1

    def legal(self) -> list[CoursePoint]:
        """Return the numbers of legal moves, for plies that at least one game in ten reaches."""
        return _points(self._legal, 0.1 * self.lengths.total())

    def changed(self) -> list[CoursePoint]:
        """Return the changed share of cells, for plies that at least one game in ten reaches."""
        return _points(self._changed, 0.1 * self.lengths.total(), self._cells)

    def leads(self) -> list[CoursePoint]:
        """Return the winners' expected scores, for parts that at least half of the games cover."""
        return _points(self._leads, 0.5 * self._led, HUNDREDTHS)


def _points(counted: Mapping[int, Counter[int]], least: float, unit: int = 1) -> list[CoursePoint]:
    """Return a point for each place with at least `least` games; values are divided by `unit`.

    >>> _points({1: Counter({4: 3, 6: 1})}, 2)[0]
    CoursePoint(at=1, mean=4.5, low=4.0, high=4.0, games=4, below=0.0)
    """
    return [
        CoursePoint(
            at,
            sum(value * games for value, games in values.items()) / values.total() / unit,
            quantile(values, 0.25) / unit,
            quantile(values, 0.75) / unit,
            values.total(),
            sum(games for value, games in values.items() if value < 0) / values.total(),
        )
        for at, values in sorted(counted.items())
        if values.total() >= max(1, least)
    ]
