"""Game metrics of several groups of games side by side, with significant differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from lath.reports.counting.estimates import (
    RATE,
    Estimated,
    EstimateDifference,
    adjusted,
    by_normal,
    difference,
)
from lath.reports.metrics.definitions import MEASURES, Measure
from lath.reports.metrics.measures import GameGroup, MetricRow, numbers_of


@dataclass(frozen=True, slots=True)
class Compared:
    """A metric of two groups of games."""

    measure: Measure
    one: Estimated
    other: Estimated
    apart: EstimateDifference
    """The second value minus the first."""
    adjusted: float | None
    """The p-value by Benjamini and Hochberg over all metrics with a p-value; None without one."""

    @property
    def differs(self) -> bool:
        """Return whether the difference is significant (FDR 5%)."""
        return self.adjusted is not None and self.adjusted <= RATE


def compare_groups(one: GameGroup, other: GameGroup) -> list[Compared]:
    """Return the metrics that both groups have, in the order of `MEASURES`."""
    both = [
        (row, of[row.measure])
        for of in [_by_measure(other)]
        for row in one.rows()
        if row.measure in of
    ]
    apart = [_apart(row, again) for row, again in both]
    p_values = iter(adjusted([each.p_value for each in apart if each.p_value is not None]))
    return [
        Compared(
            row.measure, row.of, again.of, each, None if each.p_value is None else next(p_values)
        )
        for (row, again), each in zip(both, apart, strict=True)
    ]


def _by_measure(group: GameGroup) -> dict[Measure, MetricRow]:
    return {row.measure: row for row in group.rows()}


def _apart(one: MetricRow, other: MetricRow) -> EstimateDifference:
    """Return the difference of a metric; for two shares, it is in 0..1 like its ends."""
    found = _unbounded(one, other)
    if one.measure.unit != "share":
        return found
    ends = [None if end is None else max(-1.0, min(end, 1.0)) for end in (found.low, found.high)]
    return replace(found, low=ends[0], high=ends[1])


def _unbounded(one: MetricRow, other: MetricRow) -> EstimateDifference:
    if one.equals is None or other.equals is None:
        return difference(one.of, other.of)
    # The test uses Elo points, whose error is known; the interval is in points per game.
    error = math.sqrt(one.of.variance + other.of.variance)
    elo = other.equals.value - one.equals.value
    p_value = by_normal(elo, math.hypot(one.equals.error, other.equals.error)).p_value
    of = by_normal(other.of.value - one.of.value, error)
    return EstimateDifference(value=of.value, low=of.low, high=of.high, p_value=p_value)


def not_compared(one: GameGroup, other: GameGroup) -> list[Measure]:
    """Return the metrics that are not comparable, because the bots of a group do not allow it."""
    return [each for each in MEASURES if each in one.unmeasured or each in other.unmeasured]


def _not_compared_rows(one: GameGroup, other: GameGroup) -> list[dict[str, Any]]:
    """Return rows without values for such metrics, except the value of a group that has it."""
    both = {"one": one, "other": other}
    known = {name: _by_measure(group) for name, group in both.items()}
    whys = {
        each: {name: group.why_none(each) for name, group in both.items()}
        for each in not_compared(one, other)
    }
    return [
        {
            "measure": each.key,
            "unit": each.unit,
            **{name: numbers_of(of[each].of if each in of else None) for name, of in known.items()},
            **dict.fromkeys(("difference", "low", "high", "p_value", "adjusted")),
            "differs": False,
            "reason": "; ".join(f"{name}: {why}" for name, (why, _) in of.items() if why),
            "help": next(help_ for why, help_ in of.values() if why),
        }
        for each, of in whys.items()
    ]


def compared_to_json(
    compared: Sequence[Compared], one: GameGroup, other: GameGroup
) -> list[dict[str, Any]]:
    """Return the JSON that game-metrics.md describes, including metrics that are not comparable."""
    return [
        {
            "measure": each.measure.key,
            "unit": each.measure.unit,
            "one": numbers_of(each.one),
            "other": numbers_of(each.other),
            "difference": each.apart.value,
            "low": each.apart.low,
            "high": each.apart.high,
            "p_value": each.apart.p_value,
            "adjusted": each.adjusted,
            "differs": each.differs,
        }
        for each in compared
    ] + _not_compared_rows(one, other)


def compared_rows(
    compared: Sequence[Compared], one: GameGroup, other: GameGroup
) -> list[dict[str, Any]]:
    """Return one row per metric for CSV, including metrics that are not comparable."""
    return [
        {
            "measure": row["measure"],
            "one": row["one"]["value"],
            "other": row["other"]["value"],
            **{name: row[name] for name in ("difference", "low", "high", "p_value", "adjusted")},
            "differs": row["differs"],
            "reason": row.get("reason", ""),
        }
        for row in compared_to_json(compared, one, other)
    ]
