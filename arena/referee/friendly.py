"""A game outside of tournaments: what was played, what was taken back, its record in the end.

Must not know who plays, nor how moves are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lath import games
from lath.arena.referee.scorebook import GamePlan, Scorebook
from lath.games.core import Move, Position, Seat
from lath.notation.record import Termination
from lath.notation.timecontrol import TimeControl


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A ply: who played what, in what time."""

    move: Move
    seat: Seat
    used_s: float
    left_s: float | None = None
    """What the clock shows after it, in seconds; None without a clock."""

    told: Mapping[str, str] = field(default_factory=dict)
    """What a bot said of it with `info`."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended; `*` is the result of one that was left."""

    result: str
    why: Termination
    words: str = ""
    """The story of a mishap or a resignation; empty without one."""

    is_bots_fault: bool = False
    """Whether a bot broke the game off; to resign is no fault."""

    @property
    def is_decided(self) -> bool:
        """Return whether there is a result."""
        return self.result != "*"


class Friendly:
    """A game of two, from its start to its record."""

    def __init__(self, plan: GamePlan, times: tuple[TimeControl, TimeControl]) -> None:
        """Set up the board; `times` are first's and second's. Raises GameError."""
        self.plan: Final = plan
        self._times: Final = times
        game = games.get(plan.game)
        start = game.start(plan.setup) if plan.position is None else game.position(plan.position)
        self._line: list[Position] = [start]
        self._plies: list[Played] = []

    @property
    def position(self) -> Position:
        """Return the position now."""
        return self._line[-1]

    @property
    def before(self) -> Position | None:
        """Return the position before the last ply; None where there was none."""
        return self._line[-2] if self._plies else None

    @property
    def plies(self) -> Sequence[Played]:
        """Return what was played and not taken back."""
        return self._plies

    def play(self, ply: Played) -> None:
        """Play a ply; raises IllegalMoveError."""
        self._line.append(self.position.play(ply.move))
        self._plies.append(ply)

    def take_back(self, seat: Seat | None) -> int:
        """Take back a seat's last ply and all after it; None: the last ply, whosever it is.

        Returns how many plies were taken back; 0 where there is none of that seat.
        """
        count = len(self._plies)
        own = [at for at, ply in enumerate(self._plies) if seat is None or ply.seat is seat]
        if own:
            del self._plies[own[-1] :]
            del self._line[own[-1] + 1 :]
        return count - len(self._plies)

    def record(self, ending: Ending) -> str:
        """Return the record in canonical text."""
        book = Scorebook(self.plan, self._times)
        for ply in self._plies:
            book.add(ply.move, ply.seat, ply.used_s, ply.left_s, ply.told)
        return book.close(ending.result, ending.why, ending.words).text
