"""A game at one table, with takebacks: its plies, and the bot that plays one seat of it.

Must not know the keyboard, nor who the other player is. Mishaps cost what docs/protocol.md says,
but a machine that stood still costs nobody anything here, and the game goes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from lath.arena.errors import GameVoidError
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot, NoAnswer, play_line
from lath.arena.referee.match import Ending, new_game, priced, read_answer, start_of
from lath.arena.referee.process import Watch
from lath.arena.referee.record import GamePlan, Scorebook
from lath.games.core import Move, Position, Seat
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record import Termination


@dataclass(frozen=True, slots=True, kw_only=True)
class Ply:
    """Who played what, in what time."""

    move: Move
    seat: Seat
    used_s: float
    left_s: float | None = None
    """What the clock shows after it, in seconds; None without a clock."""

    comments: Mapping[str, str] = field(default_factory=dict)
    """What a bot said of it with `info`."""


class Friendly:
    """A game of two, from its start to its record."""

    def __init__(self, plan: GamePlan, times: tuple[TimeControl, TimeControl]) -> None:
        """Set up the board; `times` are first's and second's. Raises GameError."""
        self.plan: Final = plan
        self.positions: Final[list[Position]] = [start_of(plan)]
        """The start, and the position after each ply."""
        self.plies: Final[list[Ply]] = []
        """What was played and not taken back."""
        self._times: Final = times

    @property
    def position(self) -> Position:
        """Return the position now."""
        return self.positions[-1]

    def play(self, ply: Ply) -> None:
        """Play a ply; raises IllegalMoveError."""
        self.positions.append(self.position.play(ply.move))
        self.plies.append(ply)

    def take_back(self, seat: Seat | None) -> int:
        """Take back a seat's last ply and all after it; None: the last ply, whosever it is.

        Returns how many plies were taken back; 0 where there is none of that seat.
        """
        count = len(self.plies)
        own = [at for at, ply in enumerate(self.plies) if seat is None or ply.seat is seat]
        if own:
            del self.plies[own[-1] :]
            del self.positions[own[-1] + 1 :]
        return count - len(self.plies)

    def record(self, ending: Ending) -> str:
        """Return the record in canonical text."""
        book = Scorebook(self.plan, self._times)
        for ply in self.plies:
            book.add(ply.move, ply.seat, ply.used_s, ply.left_s, ply.comments)
        return book.close(ending.result, ending.why, ending.words).record


class Partner:
    """A bot in one seat of one game, which may be begun again from any of its plies."""

    def __init__(self, bot: Bot, seat: Seat, limits: Limits, watch: Watch) -> None:
        self.bot: Final = bot
        self.seat: Final = seat
        self._limits: Final = limits
        self._watch: Final = watch
        self._clock = Clock(limits, self.times)
        self._number = 0
        """How often a game was begun."""

    @property
    def times(self) -> tuple[TimeControl, TimeControl]:
        """Return first's and second's time control; nothing limits the other."""
        own, other = self._limits.time, TimeControl()
        return (own, other) if self.seat is Seat.FIRST else (other, own)

    def start(self, game_id: str) -> None:
        """Start the process; raises GameVoidError, or ConfigError if it does not play the game."""
        self.bot.start(self._limits)
        self.bot.refuse_unless_it_plays([game_id])

    def begin(self, plan: GamePlan) -> None:
        """Begin the game with a bot that was started; raises GameVoidError."""
        self._number += 1
        new = new_game(plan, self.seat, self._limits.time)
        self.bot.begin(replace(new, number=self._number), self._limits)
        self._clock = Clock(self._limits, self.times)

    def begin_again(self, plan: GamePlan, plies: Sequence[Ply]) -> None:
        """Begin the game after these plies, with the time that was left; raises GameVoidError.

        A bot that has gone, or goes now, is started afresh.
        """
        self._watch.wait(0.0)  # it may have left
        self.end(Ending("*", Termination.UNTERMINATED))
        try:
            if not self.bot.is_running:
                self.bot.start(self._limits)
            self.begin(plan)
        except GameVoidError:
            self.bot.start(self._limits)
            self.begin(plan)
        for number, ply in enumerate(plies, 1):
            self.bot.news += play_line(number, ply.move)
            if ply.seat is self.seat:
                self._clock.charge(ply.seat, ply.used_s)

    def answer(self, position: Position, ply: int) -> Ply:
        """Return what the bot plays in `position`; raises Mishap.

        Raises GameVoidError where it left before it was asked for the first time.
        """
        self._watch.wait(0.0)  # what it said, and whether it left, while the other thought
        allowed_s = self._clock.allowed_s[self.seat]
        try:
            text, used_s = self.bot.ask(position, ply, self._clock.left_ms, allowed_s)
        except NoAnswer as error:
            raise priced(error, self.seat, ply) from error
        move, _ = read_answer(position, self.seat, text, ply)
        left_s = self._clock.charge(self.seat, used_s)
        comments = self.bot.asides.comments()
        return Ply(move=move, seat=self.seat, used_s=used_s, left_s=left_s, comments=comments)

    def end(self, ending: Ending) -> None:
        """Tell the bot how the game ended, if it has begun and the bot can hear."""
        if self._number and self.bot.is_running:
            self.bot.say(wire.result_line(self._number, ending.result, ending.why))
