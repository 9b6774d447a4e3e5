"""Numbers as places in a drawing: axes with round ticks, and the paths of lines with bands.

Must not know bots, games or HTML: templates draw, and say in words what is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

_STEPS: Final = (1, 2, 5, 10)

LABEL_GAP: Final = 15.0
"""Between the baselines of two labels at the ends of lines, in units of the drawing."""


def place(value: float) -> str:
    """Return a coordinate with one decimal at most.

    >>> place(3.04), place(-0.01), place(12.25)
    ('3', '0', '12.2')
    """
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Return at most `most` round numbers, evenly from one at or below `low` to one at or above.

    >>> ticks(3, 22), ticks(0.1, 0.4, 4)
    ((0, 5, 10, 15, 20, 25), (0.1, 0.2, 0.3, 0.4))
    """
    if not high > low:
        low, high = low - 1, high + 1
    unit: float = 10.0 ** math.floor(math.log10((high - low) / most))
    while True:
        for step in (unit * factor for factor in _STEPS):
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            if last - first < most:
                return tuple(_round(at * step) for at in range(first, last + 1))
        unit *= 10


def _round(value: float) -> float:
    """Return the number without the last bits of a multiplication."""
    rounded = round(value, 10)
    return int(rounded) if rounded == int(rounded) else rounded


@dataclass(frozen=True, slots=True)
class Axis:
    """A scale from numbers to places in a drawing."""

    low: float
    high: float
    start: float
    """Where `low` lies."""

    end: float
    """Where `high` lies; before `start` on axes that go up."""

    ticks: tuple[float, ...]

    @property
    def width(self) -> int:
        """Return the width of a drawing with as much room on the right as on the left."""
        return round(self.start + self.end)

    def of(self, value: float) -> float:
        """Return where a value lies."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def at(self, value: float) -> str:
        """Return it as a coordinate."""
        return place(self.of(value))


def axis(
    values: Iterable[float], start: float, end: float, most: int = 6, *, close: bool = False
) -> Axis:
    """Return the axis that has room for all `values`; 0..1 without values.

    It ends at ticks, or if `close` where the values end.
    """
    known = list(values) or [0, 1]
    if close and min(known) < max(known):
        return exact_axis(min(known), max(known), start, end, most)
    marks = ticks(min(known), max(known), most)
    return Axis(marks[0], marks[-1], start, end, marks)


def exact_axis(low: float, high: float, start: float, end: float, most: int = 6) -> Axis:
    """Return the axis from `low` to `high`, with the ticks that lie between."""
    inside = (tick for tick in ticks(low, high, most) if low <= tick <= high)
    return Axis(low, high, start, end, tuple(inside))


def counting_axis(most_games: int, start: float, end: float, most: int = 4) -> Axis:
    """Return an axis of numbers of games, from 0 on and without halves."""
    marks = tuple(tick for tick in ticks(0, max(1, most_games), most) if tick == int(tick))
    return Axis(0, marks[-1], start, end, marks)


@dataclass(frozen=True, slots=True)
class Curve:
    """A bot's line, the band round it, and where its label stands."""

    name: str
    rank: int
    line: str
    band: str
    end_y: str
    label_y: str
    last: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over one pair of axes."""

    x: Axis
    y: Axis
    curves: tuple[Curve, ...]


def curves(
    history: Mapping[str, Any], names: Sequence[str], box: Sequence[float], z: float
) -> Chart:
    """Return the lines of these bots in a box (left, top, right, bottom), bands of ± z sigma."""
    games = history["games"]
    lines = [line for line in history["bots"] if line["name"] in set(names)]
    left, top, right, bottom = box
    values = [
        mu + side * z * sigma
        for line in lines
        for at, (mu, sigma) in enumerate(zip(line["mu"], line["sigma"], strict=True))
        if mu is not None
        # The first bands are as wide as what was known before: the drawing is not made for them.
        for side in ((-1, 1) if at > len(games) / 10 else (0,))
    ]
    x = exact_axis(0, games[-1], left, right, 7)
    low, high = min(values), max(values)
    y = exact_axis(low - (high - low) / 25 - 0.5, high + (high - low) / 25 + 0.5, bottom, top)
    ends = [y.of(next(mu for mu in reversed(line["mu"]) if mu is not None)) for line in lines]
    labels = spread(ends, LABEL_GAP, top, bottom)
    return Chart(
        x,
        y,
        tuple(
            _curve(line, games, (x, y), z, label) for line, label in zip(lines, labels, strict=True)
        ),
    )


def _curve(
    line: Mapping[str, Any], games: Sequence[int], axes: tuple[Axis, Axis], z: float, label: float
) -> Curve:
    x, y = axes
    known = [
        (round(x.of(at)), mu, sigma)
        for at, mu, sigma in zip(games, line["mu"], line["sigma"], strict=True)
        if mu is not None
    ]
    upper = [(at, y.of(mu + z * sigma)) for at, mu, sigma in known]
    lower = [(at, y.of(mu - z * sigma)) for at, mu, sigma in reversed(known)]
    last = known[-1][1]
    return Curve(
        name=line["name"],
        rank=line["rank"],
        line=path([(at, y.of(mu)) for at, mu, _ in known]),
        band=f"{path([*upper, *lower])}z",
        end_y=y.at(last),
        label_y=place(label),
        last=last,
    )


def path(points: Iterable[tuple[float, float]]) -> str:
    """Return straight lines from point to point, in steps of a tenth and few letters.

    >>> path([(3, 4), (5, 3.5), (6, 13.5), (8, 14)])
    'M3 4l2-.5 1 10 2 .5'
    """
    tenths = [(round(10 * x), round(10 * y)) for x, y in points]
    (x0, y0), *_ = tenths
    steps = (
        _tenths(x1 - x0) + _joined(_tenths(y1 - y0)) for (x0, y0), (x1, y1) in pairwise(tenths)
    )
    told = "".join(_joined(step) for step in steps).lstrip()
    return f"M{_tenths(x0)}{_joined(_tenths(y0))}" + (f"l{told}" if told else "")


def _tenths(number: int) -> str:
    """Return tenths as a coordinate, without the 0 before a point."""
    whole, tenth = divmod(abs(number), 10)
    told = f"{whole or ('' if tenth else 0)}" + (f".{tenth}" if tenth else "")
    return f"-{told}" if number < 0 else told


def _joined(told: str) -> str:
    """Return a coordinate as it stands after another one."""
    return told if told.startswith("-") else f" {told}"


def few(values: Sequence[Any], most: int) -> list[int]:
    """Return the places of at most `most` values, evenly, the last being the last.

    >>> few("abc", 5), few("abcdefgh", 3)
    ([0, 1, 2], [2, 5, 7])
    """
    count = min(most, len(values))
    return [(len(values) * at + count - 1) // count - 1 for at in range(1, count + 1)]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return places near the wanted ones that are at least `gap` apart, in their order.

    >>> spread([10, 11, 40], 10, 0, 50)
    [10, 20, 40]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = list(wanted)
    for before, after in pairwise(order):
        places[after] = max(places[after], places[before] + gap)
    if order and places[order[-1]] > high:
        places[order[-1]] = high
        for after, before in pairwise(reversed(order)):
            places[before] = min(places[before], places[after] - gap)
    return [max(low, at) for at in places]
