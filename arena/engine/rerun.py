"""A recorded game replayed with one of its bots, which gets the same input and new thinking time.

The bot gets the same setup, seed, side, moves and clocks as in the record. If it plays another
move, the arena starts the game again for it, with the move of the record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from lath import games
from lath.arena.errors import GameVoidError
from lath.arena.machine import signals
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot, NoAnswerError, play_line
from lath.arena.referee.match import MishapError, priced, read_answer
from lath.games.core import Move, Result, Side, version_of
from lath.games.errors import RulesVersionError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.record import Ply, Record
from lath.notation.record.tags import Termination
from lath.notation.rules.replay import positions

PATIENCE_S: Final = 0.5
"""Seconds to wait for a bot that crashed on its opponent's turn in the record."""


@dataclass(frozen=True, slots=True)
class RerunResult:
    """The end of the replayed game."""

    words: str
    is_wrong: bool
    """True if the bot broke the game off, in the same way as before or in another."""


def new_game_of(record: Record, seat: Side, seed: int) -> wire.NewGame:
    """Return the message with which the game began for the bot on this side, with this `seed`."""
    return wire.NewGame(
        number=record.number or 1,
        game=record.game,
        side=seat.word,
        time=times_of(record)[seat],
        seed=seed,
        setup=record.tag("Setup") or None,
        position=record.tag("Position") or None,
    )


def times_of(record: Record) -> tuple[TimeControl, TimeControl]:
    """Return the time controls of both sides; no limit if the record has none."""
    both = record.tag("TimeControl")
    first, second = (record.tag(f"{side}TimeControl") or both for side in ("First", "Second"))
    return _time(first), _time(second)


def _time(text: str) -> TimeControl:
    try:
        return TimeControl.read(text)
    except ValueError:
        return TimeControl()


class Rerun:
    """One game for one bot, on the side that it had."""

    def __init__(
        self,
        record: Record,
        new: wire.NewGame,
        bot: Bot,
        limits: Limits,
        tell: Callable[[str], None],
    ) -> None:
        """Prepare the game, which begins with the message `new`; `limits` are the deadlines.

        `tell` gets each difference from the record. Raises GameError if the record is not valid, or
        is of an earlier version of the rules, since the protocol has no versions of rules.
        """
        self._record: Final = record
        self._new: Final = new
        self._bot: Final = bot
        self._limits: Final = limits
        self._tell: Final = tell
        self._seat: Final = Side.FIRST if new.side == "first" else Side.SECOND
        self._positions: Final = list(positions(record))
        if (game := self._positions[0].game) is not games.get(record.game):
            raise RulesVersionError(
                f"played by version {version_of(game)} of the rules of {record.game}; expected the "
                "current version, which bots play"
            )
        self._clock: Final = Clock(Limits(time=new.time), times_of(record))
        """The clocks of the record, which the bot is shown."""
        is_timed = any(made.used_s is not None for made in record.plies)
        self._has_times: Final = is_timed or bool(record.tag("Opening"))
        """True if moves without a time are those of an opening."""
        self.ply = 1
        """Last ply at which the bot was asked."""
        self._others = 0
        """Number of answers that differ from the record."""

    def play(
        self, *, since: int = 1, before_last: Callable[[], None] = lambda: None
    ) -> RerunResult:
        """Play the game to the end of the record, and one ply more if the bot broke it off there.

        The bot must have been started. It is asked only from ply `since` on. The function calls
        `before_last` before it asks for that additional ply. Raises GameVoidError if the bot is not
        ready.
        """
        self._begin(since)
        try:
            found = self._played(since, before_last)
        except (MishapError, NoAnswerError) as error:
            found = self._broken(error)
        if self._bot.is_running and not self._bot.is_thinking:
            result, why = self._record.result, self._record.termination
            self._bot.say(wire.result_line(self._new.number, result, why))
        return found

    def _played(self, since: int, before_last: Callable[[], None]) -> RerunResult:
        """Play the game; raises MishapError and NoAnswerError."""
        for ply, made in enumerate(self._record.plies, 1):
            seat = self._positions[ply - 1].to_move
            if seat is self._seat and ply >= since and not self._is_of_opening(made):
                self._compare(ply, Move(made.move))
            else:
                self._bot.news += play_line(ply, Move(made.move))
            if made.used_s is not None:
                self._clock.charge(seat, made.used_s)
        before_last()
        return self._last(len(self._record.plies) + 1)

    def _begin(self, ply: int) -> None:
        """Announce the game to the bot, which is asked at this ply or a later one.

        The time limit of a first move applies only if the bot has not moved yet.
        """
        has_moved = any(
            position.to_move is self._seat and not self._is_of_opening(made)
            for position, made in zip(self._positions, self._record.plies[: ply - 1], strict=False)
        )
        limits = replace(self._new.time, first_ms=0) if has_moved else self._new.time
        self._bot.begin(replace(self._new, time=limits), self._limits)

    def _is_of_opening(self, made: Ply) -> bool:
        return self._has_times and made.used_s is None

    def _broken(self, error: MishapError | NoAnswerError) -> RerunResult:
        """Return the result of a failure at any ply."""
        ply = self.ply
        mishap: MishapError | GameVoidError = (
            priced(error, self._seat, ply) if isinstance(error, NoAnswerError) else error
        )
        why, reason = mishap.why, getattr(mishap, "reason", str(mishap))
        lost = self._record.forfeit
        is_again = lost is not None and (lost.ply, lost.ending) == (ply, why)
        return RerunResult(
            f"{why}{' again' if is_again else ''} at ply {ply}: {reason}", is_wrong=True
        )

    def _compare(self, ply: int, made: Move) -> None:
        """Ask for a ply that the bot has played; raises MishapError, except for illegal moves."""
        text, _ = self._ask(ply)
        try:
            move, _ = read_answer(self._positions[ply - 1], self._seat, text, ply)
        except MishapError as mishap:
            if mishap.why is Termination.ILLEGAL_MOVE:
                self._differs(ply, made, str(mishap))
                return
            move = Move(wire.RESIGN)
        if move != made:
            self._differs(ply, made, f"it plays {move}")

    def _differs(self, ply: int, made: Move, words: str) -> None:
        """Report a different answer, and give the bot the game again up to this ply."""
        self._others += 1
        self._tell(
            f"ply {ply}: {words}, and {made} in the record; the game continues with that move"
        )
        self._bot.say(
            wire.result_line(self._new.number, Result.UNFINISHED, Termination.UNTERMINATED)
        )
        self._begin(ply + 1)
        self._bot.news = b"".join(
            play_line(n, Move(one.move)) for n, one in enumerate(self._record.plies[:ply], 1)
        )

    def _ask(self, ply: int) -> tuple[str, float]:
        self.ply, position = ply, self._positions[ply - 1]
        return self._bot.ask(position, ply, self._clock.left_ms, self._limits.hard_limit_s)

    def _last(self, ply: int) -> RerunResult:
        """Return the end of the game after the last ply of the record."""
        position, lost = self._positions[-1], self._record.forfeit
        if lost is None or lost.side != self._seat.word:
            return self._fine(f"the game is over after ply {ply - 1}")
        if position.is_over or position.to_move is not self._seat:
            until_s = signals.awake_s() + PATIENCE_S
            self.ply = ply
            if self._bot.ends_by(until_s):
                raise NoAnswerError(self._bot, Termination.CRASH, f"bestmove {ply}", PATIENCE_S)
            return self._fine(f"nothing happens at ply {ply}, on the other's turn")
        text, used_s = self._ask(ply)
        move, _ = read_answer(position, self._seat, text, ply)
        had_s = self._clock.allowed_s[self._seat]
        took = f"after {used_s:.3f} s"
        if lost.ending == Termination.TIME and used_s > had_s:
            return RerunResult(
                f"time again at ply {ply}: {move} {took}, it had {had_s:.3f} s", is_wrong=True
            )
        return self._fine(f"ply {ply}: it plays {move} this time, {took}")

    def _fine(self, words: str) -> RerunResult:
        """Return a result without a failure."""
        others = f"; {self._others} answers were others than in the record" if self._others else ""
        return RerunResult(f"{words}{others}", is_wrong=False)
