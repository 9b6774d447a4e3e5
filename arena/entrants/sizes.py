"""What values of a configuration are at most, and words that stand for some of them.

Apart from the models of `keys`: whoever shows the help of a command waits for none of them.
"""

from __future__ import annotations

from typing import Final

DEMO_GAMES: Final = ("mammalath", "manalath", "surikata", "yavalath")

MOST: Final = 10**15
"""The greatest whole number; no key needs more."""

MAX_JOBS: Final = 512
"""Games at the same time: each is three processes."""

MOST_AHEAD: Final = 4096
"""Pairs of a tuning that wait for no result of each other."""

SIZES: Final = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

UNGUESSABLE: Final = "secret"
"""The seed that nobody can guess: one is drawn, and kept in the tournament's directory."""
