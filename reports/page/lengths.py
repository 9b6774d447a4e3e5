"""How long games are: plies counted game by game, with median, mean and a histogram.

Must not know how a histogram is drawn.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from lath.reports.archive import median
from lath.reports.page.entries import Entry, game_title

MOST_BINS: Final = 24
"""Bars of a histogram."""

_WIDTHS: Final = (1, 2, 5)


class Lengths:
    """Counts while the records go by: memory grows with the different lengths alone."""

    def __init__(self) -> None:
        self._games: dict[str, Counter[int]] = {}

    def add(self, entry: Entry) -> None:
        """Count one game; one that counts for nothing has no length."""
        if entry.points is not None:
            lengths = self._games.setdefault(entry.record.game, Counter())
            lengths[len(entry.record.plies)] += 1

    def to_json(self) -> list[dict[str, Any]]:
        """Return a line a game id, sorted, as `schema.LENGTHS` describes them."""
        return [_line(game_id, self._games[game_id]) for game_id in sorted(self._games)]


def _line(game_id: str, lengths: Counter[int]) -> dict[str, Any]:
    games = lengths.total()
    return {
        "game": game_id,
        "title": game_title(game_id),
        "games": games,
        "shortest": min(lengths),
        "median": median(lengths),
        "mean": round(sum(length * n for length, n in lengths.items()) / games, 2),
        "longest": max(lengths),
        "bins": bins(lengths),
    }


def bins(lengths: Counter[int]) -> list[dict[str, int]]:
    """Return at most MOST_BINS bins of one width, from the shortest to the longest game.

    The width is 1, 2, 5, 10 … plies, and every bin begins at a multiple of it.

    >>> bins(Counter({3: 1, 5: 2}))[1:]
    [{'from': 4, 'to': 4, 'games': 0}, {'from': 5, 'to': 5, 'games': 2}]
    """
    width = bin_width(min(lengths), max(lengths))
    first, last = min(lengths) // width, max(lengths) // width
    found = Counter[int]()
    for length, n in lengths.items():
        found[length // width] += n
    return [
        {"from": at * width, "to": (at + 1) * width - 1, "games": found[at]}
        for at in range(first, last + 1)
    ]


def bin_width(shortest: int, longest: int) -> int:
    """Return the least of 1, 2, 5, 10, 20 … plies that makes no more than MOST_BINS bins.

    >>> bin_width(7, 30), bin_width(7, 31), bin_width(1, 150)
    (1, 2, 10)
    """
    unit = 1
    while True:
        for factor in _WIDTHS:
            width = unit * factor
            if longest // width - shortest // width < MOST_BINS:
                return width
        unit *= 10
