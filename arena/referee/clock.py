"""The two clocks of a game: remaining time, charges for moves, and time limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lath.games.core import Side
from lath.notation.protocol import TimeControl

HARD_LIMIT_S: Final = 60.0
"""The time limit per move if the time control does not set one, in seconds."""

MARGIN_S: Final = 0.05
"""The default accepted overrun per move, in seconds."""


STOP_S: Final = 1.0
"""The default time that a bot has to end after `quit`, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The time limits of the arena for one bot."""

    time: TimeControl
    margin_s: float = MARGIN_S
    """Overrun accepted per move, for scheduling noise, in seconds; using it sets the clock to 0."""

    startup_s: float = 10.0
    """The time limit for `ok` and for each `ready`, in seconds."""

    stop_s: float = STOP_S
    """The time limit to end after `quit` and to answer `stop`, in seconds."""

    hard_limit_s: float = HARD_LIMIT_S
    """The time limit per move without clock or fixed time, in seconds."""

    ponder: bool = False
    """True if bots that ask for it can think during the opponent's turn."""


class Clock:
    """The clocks of one game; lists contain the first player's value, then the second's."""

    def __init__(
        self,
        limits: Limits,
        times: tuple[TimeControl, TimeControl] | None = None,
        margins_s: tuple[float, float] | None = None,
    ) -> None:
        """Set up the clocks; `times` and `margins_s` are per player.

        Default: the values in `limits`.
        """
        times = times or (limits.time, limits.time)
        self._margins_s: Final = margins_s or (limits.margin_s, limits.margin_s)
        self._increments_s: Final = [time.increment_ms / 1000 for time in times]
        self.left_s: Final = [time.initial_ms / 1000 if time.has_clock else None for time in times]
        """The time left for each player in seconds, never negative; None without a clock."""
        self.left_ms: Final = [time.initial_ms for time in times]
        """The time left in milliseconds, rounded down; 0 without a clock."""

        def allowed_s(given_ms: int, margin_s: float) -> float:
            return given_ms / 1000 + margin_s if given_ms else limits.hard_limit_s

        self._then_s: Final = [
            allowed_s(time.initial_ms or time.move_ms, margin_s)
            for time, margin_s in zip(times, self._margins_s, strict=True)
        ]
        """The same as `allowed_s` for the move after the first."""
        self._is_first: Final = [time.first_ms > 0 for time in times]
        """True while the player's next move is the first and has a time of its own."""
        self.allowed_s: Final = [
            allowed_s(time.first_ms, margin_s) if time.first_ms else then_s
            for time, margin_s, then_s in zip(times, self._margins_s, self._then_s, strict=True)
        ]
        """The time limit for each player's next move, margin included, in seconds."""

    def charge(self, seat: Side, used_s: float) -> float | None:
        """Subtract the time of a move, add the increment and return the time left.

        Returns None without a clock. A first move with a time of its own does not change the clock.
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
        """Set a player's clock to `left_s` in a restarted game; the next move is the first."""
        self.left_s[seat] = left_s
        self.left_ms[seat] = int(left_s * 1000)
        self._then_s[seat] = left_s + self._margins_s[seat]
        if not self._is_first[seat]:
            self.allowed_s[seat] = self._then_s[seat]
