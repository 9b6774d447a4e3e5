"""Lines that answered nothing, comments, complaints: what a bot says in all sessions, counted.

Must not know processes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from lath.games.core import GameError, Position, read_move
from lath.notation import wire

_KEPT: Final = 3
"""Examples of each kind that are shown."""

INFOS_READ: Final = 64
"""Lines of `info` a move that are looked at: the last ones, as in a game."""


@dataclass(slots=True)
class Count:
    """How many lines were of one kind, and the first of them."""

    number: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """Count a line."""
        self.number += 1
        if len(self.examples) < _KEPT:
            self.examples.append(line)

    def words(self) -> str:
        """Return the number and the examples."""
        shown = ", ".join(repr(line[:80]) for line in self.examples)
        return f"{self.number} line{'' if self.number == 1 else 's'}, such as {shown}"


@dataclass(slots=True)
class Tally:
    """What was heard beside the answers."""

    strays: Count = field(default_factory=Count)
    """Answers to nothing and lines that are not of the protocol."""

    infos: int = 0
    """Lines of `info` for moves."""

    bad_infos: Count = field(default_factory=Count)
    complaints: Count = field(default_factory=Count)
    """Lines of `error`."""

    odd_moves: Count = field(default_factory=Count)
    """Legal moves that were not in their canonical text."""

    def hear(self, lines: Iterable[str], position: Position | None = None) -> None:
        """Sort lines that nobody waited for; `position` is the one that the bot thought about."""
        infos = []
        for line in lines:
            words = line.split()
            if words[:1] == ["info"]:
                infos.append(line)
            elif words[:1] == ["error"]:
                self.complaints.add(line)
            elif words:
                self.strays.add(line)
        if position is not None:
            self.infos += len(infos)
            for line in infos[-INFOS_READ:]:
                if why := wrong_info(line, position):
                    self.bad_infos.add(f"{line[:60]} ({why})")


def wrong_info(line: str, position: Position) -> str | None:
    """Return what is wrong with a comment of a bot that thinks about `position`; None if nothing.

    >>> from lath import games
    >>> wrong_info("info depth 3 eval 0.25 pv e5 swap", games.get("yavalath").start())
    >>> wrong_info("info eval 25", games.get("yavalath").start())
    'eval 25'
    """
    words = line.split()[1:]
    told = wire.read_info(line)
    while words:
        name = words.pop(0)
        if name == "text":
            return None
        if name == "pv":
            return _wrong_variation(words, position)
        value = words.pop(0) if words else ""
        if told.get(name) != value:
            return f"{name} {value}".strip()
    return None


def _wrong_variation(moves: list[str], position: Position) -> str | None:
    if not moves:
        return "pv without moves"
    for text in moves:
        try:
            position = position.play(read_move(position, text))
        except GameError as error:
            return f"pv: {error}"
    return None
