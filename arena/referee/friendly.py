"""A bot that plays with a person: asked for one move at a time, told when moves are taken back.

Must not know who plays, nor how moves are asked for.

Must not know the keyboard. Mishaps cost what docs/protocol.md says, but a machine
that stood still costs nobody anything here, and the game goes on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from lath import games
from lath.arena.errors import ConfigError, GameVoidError
from lath.arena.referee import conversation as sides
from lath.arena.referee import match as mishaps
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot, Side
from lath.arena.referee.match import HELD_UP_S, SLICE_S, Mishap
from lath.arena.referee.process import Watch
from lath.arena.referee.record import GamePlan, Scorebook
from lath.games.core import Move, Position, Seat
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record import Termination


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


class Partner:
    """A bot in one seat of one game, which may be begun again from any of its plies."""

    def __init__(self, bot: Bot, seat: Seat, limits: Limits, watch: Watch) -> None:
        self.seat: Final = seat
        self.name: Final = bot.name
        self._bot: Final = bot
        self._limits: Final = limits
        self._watch: Final = watch
        self._clock = Clock(limits, self.times)
        self._side: Side | None = None
        """The bot in the game; None before the first."""
        self._number = 0
        """How often a game was begun."""
        self._has_answered = False

    @property
    def times(self) -> tuple[TimeControl, TimeControl]:
        """Return first's and second's time control; nothing limits the other."""
        own, other = self._limits.time, TimeControl()
        return (own, other) if self.seat is Seat.FIRST else (other, own)

    def start(self, game_id: str) -> None:
        """Start the process; raises GameVoidError, or ConfigError if it does not play the game."""
        self._bot.start(self._limits)
        if game_id not in self._bot.games:
            known = ", ".join(sorted(self._bot.games)) or "no game"
            raise ConfigError(
                f"bot {self.name!r} does not play {game_id}: it says that it plays {known}"
            )

    def begin(self, plan: GamePlan) -> None:
        """Begin the game with a bot that was started; raises GameVoidError."""
        self._number += 1
        self._bot.begin(self._new(plan), self._limits)
        self._side = Side(self._bot, self._limits)
        self._clock = Clock(self._limits, self.times)
        self._has_answered = False

    def begin_again(self, plan: GamePlan, plies: Sequence[Played]) -> None:
        """Begin the game after these plies, with the time that was left; raises GameVoidError.

        A bot that has gone, or goes now, is started afresh.
        """
        self._watch.wait(0.0)  # it may have left
        self.end("*", Termination.UNTERMINATED)
        try:
            if not self._bot.is_running:
                self._bot.start(self._limits)
            self.begin(plan)
        except GameVoidError:
            self._bot.start(self._limits)
            self.begin(plan)
        for number, ply in enumerate(plies, 1):
            self.hear(number, ply.move)
            if ply.seat is self.seat:
                self._clock.charge(ply.seat, ply.used_s)

    def _new(self, plan: GamePlan) -> wire.NewGame:
        return wire.NewGame(
            number=self._number,
            game=plan.game,
            side=self.seat.word,
            time=self._limits.time,
            seed=plan.seeds[self.seat],
            setup=plan.setup,
            position=plan.position,
        )

    @property
    def _sitting(self) -> Side:
        assert self._side is not None, "no game has begun"
        return self._side

    def hear(self, ply: int, move: Move) -> None:
        """Note a move that the bot is told before it is asked next."""
        self._sitting.news += f"{wire.play_line(ply, move)}\n".encode()

    def answer(self, position: Position, ply: int) -> Played:
        """Return what the bot plays in `position`; raises Mishap.

        Raises GameVoidError where it left before it was asked for the first time.
        """
        side = self._sitting
        child = side.child
        self._watch.wait(0.0)  # what it said, and whether it left, while the other thought
        side.drop_early()
        child.expect()
        go = side.go_line(ply, *self._clock.left_ms)
        asked_s = child.send(side.news + sides.wanted(side.wants, position) + go)
        side.news = b""
        text, used_s = self._await(side, ply, asked_s)
        move, _ = mishaps.read_answer(position, self.seat, text, ply)
        self._has_answered = True
        left_s = self._clock.charge(self.seat, used_s)
        return Played(move=move, seat=self.seat, used_s=used_s, left_s=left_s, told=side.told())

    def _await(self, side: Side, ply: int, asked_s: float) -> tuple[str, float]:
        """Return the answer and its time, without that in which the machine stood still."""
        child, allowed_s, held_s = side.child, self._clock.allowed_s[self.seat], 0.0
        due_s = asked_s
        while True:
            overslept_s = time.monotonic() - due_s
            held_s += overslept_s if overslept_s > HELD_UP_S else 0.0
            while child.lines:
                text = side.answered(child.lines.popleft(), ply)
                used_s = max(0.0, child.arrived_s - asked_s - held_s)
                if text is not None and used_s <= allowed_s:
                    return text, used_s
                if text is not None:
                    raise mishaps.late(self.seat, allowed_s, ply)
            self._look_for_mishaps(side)
            now_s = time.monotonic()
            if now_s - held_s >= asked_s + allowed_s:
                raise mishaps.late(self.seat, allowed_s, ply)
            due_s = min(asked_s + allowed_s + held_s, now_s + SLICE_S)
            self._watch.wait(due_s)

    def _look_for_mishaps(self, side: Side) -> None:
        child = side.child
        if child.flooded:
            raise mishaps.flood(self.seat)
        if not child.is_gone:
            return
        if not child.out_closed:
            child.take_output()  # what it said before it went
        if child.lines:
            return
        detail = child.end_words()
        if not self._has_answered and (child.in_closed or child.has_unread_input):
            raise GameVoidError(self.name, self._bot.describe(f"{detail} before its first turn"))
        raise Mishap(self.seat, Termination.CRASH, detail)

    def story(self, mishap: Mishap) -> str:
        """Return what a mishap was, in words, with what the bot last wrote to standard error."""
        if mishap.why in mishaps.ENDS_THE_BOT:
            return self._bot.describe(mishap.detail[: sides.DETAIL])
        return mishap.detail[: sides.DETAIL]

    def end(self, result: str, why: Termination) -> None:
        """Tell the bot how the game ended, if it has begun and the bot can hear."""
        if self._side is not None and self._bot.is_running:
            self._bot.say(wire.result_line(self._number, result, why))
