"""How much time a bot has: the text of records (seconds) and of the protocol (milliseconds)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self

_FORMS: Final = "10+0.1 (seconds and increment), move 0.5, nodes 1000 or none"

_CLOCK: Final = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)(?:\+(\d{1,9}(?:\.\d{1,3})?))?", re.ASCII)
_MOVE: Final = re.compile(r"move (\d{1,9}(?:\.\d{1,3})?)", re.ASCII)
_NODES: Final = re.compile(r"nodes (\d{1,15})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """One of four kinds: a clock with increment, a time for each move, nodes for each move, none.

    All zero: no limit.
    """

    initial_ms: int = 0
    """Time on the clock before the first move, in milliseconds; 0: no clock."""

    increment_ms: int = 0
    """Added after each move."""

    move_ms: int = 0
    """Fixed time for each move, in milliseconds; 0: not this kind."""

    nodes: int = 0
    """Nodes for each move, which the bot counts itself; 0: not this kind."""

    @property
    def has_clock(self) -> bool:
        """Return whether time runs down from move to move."""
        return self.initial_ms > 0

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the time control of a record's tag, of a flag or of a configuration.

        Raises ValueError.

        >>> TimeControl.read("10+0.1").increment_ms
        100
        """
        found = None
        if match := _CLOCK.fullmatch(text):
            found = cls(initial_ms=_ms(match[1]), increment_ms=_ms(match[2] or "0"))
        elif match := _MOVE.fullmatch(text):
            found = cls(move_ms=_ms(match[1]))
        elif match := _NODES.fullmatch(text):
            found = cls(nodes=int(match[1]))
        if text != "none" and (found is None or found == cls()):
            raise ValueError(f"unknown time control {text!r}, expected {_FORMS}")
        if found and found.increment_ms and not found.initial_ms:
            raise ValueError(f"time control {text!r} begins with an empty clock, expected {_FORMS}")
        return found or cls()

    def __str__(self) -> str:
        """Return the text of a record's tag, such as `10+0.1`."""
        if self.initial_ms:
            return f"{_seconds(self.initial_ms)}+{_seconds(self.increment_ms)}"
        if self.move_ms:
            return f"move {_seconds(self.move_ms)}"
        return f"nodes {self.nodes}" if self.nodes else "none"

    def words(self) -> str:
        """Return the text of the protocol's `tc`, in milliseconds, such as `60000+600`."""
        if self.initial_ms:
            return f"{self.initial_ms}+{self.increment_ms}"
        if self.move_ms:
            return f"move {self.move_ms}"
        return f"nodes {self.nodes}" if self.nodes else "none"


def _ms(seconds: str) -> int:
    return round(float(seconds) * 1000)


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}".rstrip("0").rstrip(".")
