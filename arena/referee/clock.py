"""A game's two clocks: what is left, what a move cost, when an answer comes too late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lath.games.core import Side
from lath.notation.protocol import TimeControl

HARD_LIMIT_S: Final = 60.0
"""Time for a move where the time control sets none."""

MARGIN_S: Final = 0.05
"""Overrun that is accepted."""


STOP_S: Final = 1.0
"""Time for a bot's end after `quit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long the arena waits."""

    time: TimeControl
    margin_s: float = MARGIN_S
    """Overrun accepted per move, for scheduling noise; an answer in it sets the clock to 0."""

    startup_s: float = 10.0
    """For a bot's `ok` and each of its `ready`."""

    stop_s: float = STOP_S
    """For a bot's end after `quit`, and for its answer to `stop`."""

    hard_limit_s: float = HARD_LIMIT_S
    """For a move without clock or fixed time."""

    ponder: bool = False
    """Whether bots that want it may think while the other is to move."""


class Clock:
    """The clocks of one game; first's values come first in each list."""

    def __init__(
        self,
        limits: Limits,
        times: tuple[TimeControl, TimeControl] | None = None,
        margins_s: tuple[float, float] | None = None,
    ) -> None:
        """`times` and `margins_s` are those of first and of second. Default: the limits'."""
        times = times or (limits.time, limits.time)
        self._margins_s: Final = margins_s or (limits.margin_s, limits.margin_s)
        self._increments_s: Final = [time.increment_ms / 1000 for time in times]
        self.left_s: Final = [time.initial_ms / 1000 if time.has_clock else None for time in times]
        """What each has left in seconds, never negative; None without a clock."""
        self.left_ms: Final = [time.initial_ms for time in times]
        """The same in milliseconds, rounded down; 0 without a clock."""

        def allowed_s(given_ms: int, margin_s: float) -> float:
            return given_ms / 1000 + margin_s if given_ms else limits.hard_limit_s

        self._then_s: Final = [
            allowed_s(time.initial_ms or time.move_ms, margin_s)
            for time, margin_s in zip(times, self._margins_s, strict=True)
        ]
        """The same as `allowed_s` for the move after the first."""
        self._is_first: Final = [time.first_ms > 0 for time in times]
        """Whether each one's next move is its first, and has a time of its own."""
        self.allowed_s: Final = [
            allowed_s(time.first_ms, margin_s) if time.first_ms else then_s
            for time, margin_s, then_s in zip(times, self._margins_s, self._then_s, strict=True)
        ]
        """How long each one's next move may take before it is too late, margin included."""

    def charge(self, seat: Side, used_s: float) -> float | None:
        """Take the time of a move that came in time, then add the increment; return what is left.

        None without a clock. A first move with a time of its own leaves the clock as it is.
        """
        left_s = self.left_s[seat]
        if self._is_first[seat]:
            self._is_first[seat] = False
            self.allowed_s[seat] = self._then_s[seat]
            return left_s
        if left_s is None:
            return None
        left_s = (left_s - used_s if left_s > used_s else 0.0) + self._increments_s[seat]
        self.left_s[seat] = left_s
        self.left_ms[seat] = int(left_s * 1000)
        self.allowed_s[seat] = left_s + self._margins_s[seat]
        return left_s

    def resume(self, seat: Side, left_s: float) -> None:
        """Have so much left in a game that is begun again, of which the next move is the first."""
        self.left_s[seat] = left_s
        self.left_ms[seat] = int(left_s * 1000)
        self._then_s[seat] = left_s + self._margins_s[seat]
        if not self._is_first[seat]:
            self.allowed_s[seat] = self._then_s[seat]
