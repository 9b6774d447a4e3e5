"""How many examples a law is tried on: as many as hypothesis's profile says, or a share of them."""

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
    """Return settings for a law that is dear to try: one example for so many of another's."""
    return settings(max_examples=max(1, MOST // share))


def drawn(strategy: st.SearchStrategy[T], count: int, number: int) -> Sequence[T]:
    """Return so many values of a strategy, drawn by a number."""
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
