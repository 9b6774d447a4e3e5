"""The course of games: legal moves, the board and the lead, ply by ply.

A `CoursePoint` has the mean and the middle half over the games that still run at that ply. Counts
alone are kept: memory grows with plies and different values, not with games.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from lath.reports.counting.figures import quantile

STEPS: Final = 20
"""Into so many parts a game is divided, so that games of other lengths can be laid over it."""

HUNDREDTHS: Final = 100
"""An evaluation is kept as so many parts of a point."""


class GameCourse(NamedTuple):
    """How one game went; what it does not have is empty."""

    plies: int
    cells: int
    legal: Sequence[int] = ()
    """How many legal moves there were before each ply."""
    changed: Sequence[int] = ()
    """On how many cells something had changed after each ply."""
    leads: Sequence[tuple[int, float]] = ()
    """Plies, from 0, and what the winner could expect there, in -1..1."""


class CoursePoint(NamedTuple):
    """The values of some games at one point of their course."""

    at: int
    """A ply, from 1, or how many hundredths of the game are over."""
    mean: float
    low: float
    """Below it is a quarter of the games."""
    high: float
    """Above it is a quarter of the games."""
    games: int
    """How many have anything there."""
    below: float
    """The part of them that is below 0."""


class Courses:
    """Counts how games went."""

    def __init__(self) -> None:
        self.lengths: Final = Counter[int]()
        """Courses of complete games, in plies."""
        self._legal: Final = defaultdict[int, Counter[int]](Counter)
        self._changed: Final = defaultdict[int, Counter[int]](Counter)
        self._leads: Final = defaultdict[int, Counter[int]](Counter)
        self._led = self._cells = 0

    def add(self, course: GameCourse) -> None:
        """Count a game; all are played on boards of one size."""
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
        """Return how many legal moves there are, by plies that one in ten games has."""
        return _points(self._legal, 0.1 * self.lengths.total())

    def changed(self) -> list[CoursePoint]:
        """Return on which part of the cells something has changed, by plies as there."""
        return _points(self._changed, 0.1 * self.lengths.total(), self._cells)

    def leads(self) -> list[CoursePoint]:
        """Return the winners' expected score by parts that at least half of the games cover."""
        return _points(self._leads, 0.5 * self._led, HUNDREDTHS)


def _points(counted: Mapping[int, Counter[int]], least: float, unit: int = 1) -> list[CoursePoint]:
    """Return a point for each place at which there are so many games; values are parts of `unit`.

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
