"""A game of a record given to one of its bots again: the same lines, in a time of its own.

The bot hears what it heard then: setup, seed, side, moves, and clocks as the record has them. Where
it answers something else, it is told the game anew with the move of the record.
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
"""How long a bot is listened to that has broken a game off on the other's turn."""


@dataclass(frozen=True, slots=True)
class RerunResult:
    """How the game ended this time."""

    words: str
    is_wrong: bool
    """Whether the bot has broken it off, then as before or in another way."""


def new_game_of(record: Record, seat: Side, seed: int) -> wire.NewGame:
    """Return what the bot in this seat was told of the game, but for its seed, by the record."""
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
    """Return the time controls of both seats; no limit where the record does not say."""
    both = record.tag("TimeControl")
    first, second = (record.tag(f"{side}TimeControl") or both for side in ("First", "Second"))
    return _time(first), _time(second)


def _time(text: str) -> TimeControl:
    try:
        return TimeControl.read(text)
    except ValueError:
        return TimeControl()


class Rerun:
    """One game for one bot, in the seat that it had."""

    def __init__(
        self,
        record: Record,
        new: wire.NewGame,
        bot: Bot,
        limits: Limits,
        tell: Callable[[str], None],
    ) -> None:
        """`new` is what the bot is told of the game, `limits` how long is waited for it.

        `tell` hears what is other than in the record. Raises GameError for a record that is none,
        or of an earlier version of the rules: bots are told nothing of versions.
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
        """As it was then: what the bot is told, and what it had."""
        is_timed = any(made.used_s is not None for made in record.plies)
        self._has_times: Final = is_timed or bool(record.tag("Opening"))
        """Whether moves of an opening are those without a time."""
        self.ply = 1
        """The last ply that it was asked for."""
        self._others = 0
        """How many answers were others than in the record."""

    def play(
        self, *, since: int = 1, before_last: Callable[[], None] = lambda: None
    ) -> RerunResult:
        """Play the game to where the record ends, and one ply more where the bot broke it off.

        The bot, which was started, is only asked from ply `since` on; `before_last` is called
        before it is asked for that ply. Raises GameVoidError where it is not ready.
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
        """Tell the bot of the game, in which it is asked for this ply or a later one.

        Its time for a first move is gone with that move.
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
        """Return what a mishap comes to, at whatever ply."""
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
        """Ask for a ply that the bot has played; raises MishapError but for an illegal move."""
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
        """Tell of an answer that is another one, and tell the bot the game anew up to here."""
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
        """Return how it ends after the last ply of the record."""
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
        """Return that nothing went wrong."""
        others = f"; {self._others} answers were others than in the record" if self._others else ""
        return RerunResult(f"{words}{others}", is_wrong=False)
