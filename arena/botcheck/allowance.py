"""The bot's own clock in a game of a check: what it is told, what it may take.

Must not know processes. The other side plays at once, so its clock stands still.
"""

from __future__ import annotations

from typing import Final

from lath.arena.referee.clock import MARGIN_S
from lath.games.core import Seat
from lath.notation import wire
from lath.notation.timecontrol import TimeControl


class Allowance:
    """The time of one side; times are readings of the wall clock, in seconds."""

    def __init__(self, time: TimeControl, side: Seat, unlimited_s: float) -> None:
        """Begin a game; `unlimited_s` is for a move where the time control sets no limit."""
        self.time: Final = time
        self._side: Final = side
        self._unlimited_s: Final = unlimited_s
        self._left_ms = time.initial_ms

    @property
    def has_limit(self) -> bool:
        """Return whether a late answer loses the game."""
        return bool(self.time.has_clock or self.time.move_ms)

    @property
    def told_s(self) -> float:
        """Return how long the next move may take, as the bot is told."""
        if self.time.has_clock:
            return self._left_ms / 1000
        return self.time.move_ms / 1000 or self._unlimited_s

    @property
    def allowed_s(self) -> float:
        """Return how long the next move may take, with what is forgiven."""
        return self.told_s + (MARGIN_S if self.has_limit else 0.0)

    def go_line(self, ply: int, left_ms: int | None = None) -> str:
        """Return `go …`; with `left_ms` in place of what the clock shows."""
        clocks = [self.time.initial_ms] * 2
        clocks[self._side] = self._left_ms if left_ms is None else left_ms
        return wire.go_line(ply, self.time, *clocks)

    def charge(self, used_s: float) -> None:
        """Take the time of a move, and give the increment."""
        left_ms = self._left_ms - round(used_s * 1000)
        self._left_ms = max(0, left_ms) + self.time.increment_ms
