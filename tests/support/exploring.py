"""The number of examples of a law: that of hypothesis's profile, or a share of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

T = TypeVar("T")

FEW = 12
"""Examples of a law in `make test`."""

MOST = settings().max_examples
"""Examples of a law in this run: few in `make test`, many in `make soak`."""


def one_in(share: int) -> settings:
    """Return settings for a slow law: one example for every `share` examples of other laws."""
    return settings(max_examples=max(1, MOST // share))


def drawn(strategy: st.SearchStrategy[T], count: int, number: int) -> Sequence[T]:
    """Return `count` values of a strategy; equal numbers give equal values."""
    values: list[T] = []

    @seed(number)
    @settings(
        max_examples=count,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def draw(value: T) -> None:
        values.append(value)

    draw()
    return values
