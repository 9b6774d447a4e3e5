"""The largest values of a configuration, and words for special values.

Separate from the models of `keys`, so that a command's help does not load them.
"""

from __future__ import annotations

from typing import Final

DEMO_GAMES: Final = ("mammalath", "manalath", "surikata", "yavalath")

MOST: Final = 10**15
"""The largest whole number of any key."""

MAX_JOBS: Final = 512
"""The largest number of simultaneous games; each has three processes."""

MOST_AHEAD: Final = 4096
"""The largest number of pairs that a tuning starts before the first result is used."""

SIZES: Final = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}

UNGUESSABLE: Final = "secret"
"""The word for an unguessable seed, which the arena draws and keeps in the directory."""
