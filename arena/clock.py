"""A game's two clocks: what is left, what a move cost, when an answer comes too late.

Must not know processes; the times it is given are readings of the monotonic clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from games.core import Seat
from notation.timecontrol import TimeControl

HARD_LIMIT_S: Final = 60.0
"""Time for a move where the time control sets none."""

MARGIN_S: Final = 0.05
"""Overrun that is accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the arena waits."""

    time: TimeControl
    margin_s: float = MARGIN_S
    """Overrun accepted per move, for scheduling noise; an answer in it sets the clock to 0."""

    startup_s: float = 10.0
    """For a bot's `ok` and each of its `ready`."""

    hard_limit_s: float = HARD_LIMIT_S
    """For a move without clock or fixed time."""


class Clock:
    """The clocks of one game."""

    def __init__(self, limits: Limits) -> None:
        self._limits: Final = limits
        self._left_s: Final = [limits.time.initial_ms / 1000] * 2

    def left_ms(self, seat: Seat) -> int:
        """Return what a seat has left in milliseconds, rounded down; never negative."""
        return int(self._left_s[seat] * 1000)

    def left_s(self, seat: Seat) -> float | None:
        """Return what a seat has left in seconds; None without clocks."""
        return self._left_s[seat] if self._limits.time.has_clock else None

    def allowed_s(self, seat: Seat) -> float:
        """Return how long the next move may take before it is too late, margin included."""
        time = self._limits.time
        if time.has_clock:
            return self._left_s[seat] + self._limits.margin_s
        if time.move_ms:
            return time.move_ms / 1000 + self._limits.margin_s
        return self._limits.hard_limit_s

    def charge(self, seat: Seat, used_s: float) -> None:
        """Take the time of a move that came in time, then add the increment."""
        if self._limits.time.has_clock:
            left = max(0.0, self._left_s[seat] - used_s)
            self._left_s[seat] = left + self._limits.time.increment_ms / 1000
