"""How many examples a law is tried on: as many as hypothesis's profile says, or a share of them."""

from __future__ import annotations

from hypothesis import settings

MOST = settings().max_examples
"""Examples of a law in this run: few in `make test`, many in `make soak`."""


def one_in(share: int) -> settings:
    """Return settings for a law that is dear to try: one example for so many of another's."""
    return settings(max_examples=max(1, MOST // share))
