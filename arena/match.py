"""One game between two bots: who is asked, who answers in time, what it costs not to.

Must not know tournaments, nor where results are kept. The prices of mishaps are those of
docs/protocol.md, decided here and nowhere else.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import games
from arena.bot import Bot
from arena.clock import Clock, Limits
from arena.errors import GameVoidError
from arena.scorebook import Answer, GamePlan, Played, Scorebook
from arena.watch import Watch
from games.core import (
    SEATS,
    GameError,
    IllegalMoveError,
    Move,
    Outcome,
    Position,
    Seat,
    read_move,
)
from notation import wire
from notation.record import Termination

_INFO_KEPT: Final = 64
"""Lines of `info` a move that are looked at: the last ones."""

_COMPLAINTS_KEPT: Final = 20
"""Lines of `error` a game that are kept: the first ones."""

_DETAIL: Final = 300
"""Characters of a mishap's story, in which a bot may have had its say."""


_ENDS_THE_BOT: Final = (Termination.CRASH, Termination.TIME, Termination.FLOOD)
"""After these the bot's process is killed, and started again for its next game."""


@dataclass(frozen=True, slots=True)
class _Mishap:
    """A game that ends before its rules end it, and by whom."""

    seat: Seat
    why: Termination
    detail: str


def play_game(plan: GamePlan, bots: tuple[Bot, Bot], limits: Limits, watch: Watch) -> Played:
    """Play one game to its end; raises GameVoidError when it could not take place.

    Bots that do not run are started, and those that crashed, hung or flooded are killed.
    """
    return _Match(plan, bots, limits, watch).play()


class _Match:
    def __init__(self, plan: GamePlan, bots: tuple[Bot, Bot], limits: Limits, watch: Watch) -> None:
        self._plan = plan
        self._bots = bots
        self._limits = limits
        self._watch = watch
        self._clock = Clock(limits)
        self._book = Scorebook(plan, limits.time)
        self._news: tuple[list[str], list[str]] = ([], [])
        """What each side has not been told yet."""
        self._asked = [0, 0]
        """How often each side was."""
        self._thinks: Seat | None = None
        """Who was asked and has not answered yet."""
        self._complaints: tuple[list[str], list[str]] = ([], [])
        """What each side has said with `error`: the first lines of it."""

    def play(self) -> Played:
        position = self._begin()
        mishap = None
        while mishap is None and not position.is_over:
            answer = self._ask(position)
            if isinstance(answer, _Mishap):
                mishap = answer
            else:
                position, mishap = self._apply(position, answer)
        return self._finish(position.outcome(), mishap)

    def _begin(self) -> Position:
        plan = self._plan
        position = games.get(plan.game).start(plan.setup)
        self._watch.wait(0.0)  # a bot may have left since its last game
        for bot in self._bots:
            if not bot.is_running:
                bot.start(self._limits)
        for seat in SEATS:
            new = wire.NewGame(
                number=plan.number,
                game=plan.game,
                side=seat.word,
                time=self._limits.time,
                seed=plan.seeds[seat],
                setup=plan.setup,
            )
            self._bots[seat].begin(new, self._limits)
        return position

    def _ask(self, position: Position) -> Answer | _Mishap:
        seat = position.to_move
        bot = self._bots[seat]
        if not self._asked[seat]:
            self._watch.wait(0.0)  # it may have left since it was ready
            if bot.child.is_gone:
                return self._crash(seat)
        ply = self._book.next_ply
        lines = self._news[seat]
        if bot.wants:
            if "position" in bot.wants:
                lines.append(wire.position_line(position.text()))
            if "legal" in bot.wants:
                lines.append(wire.legal_line(position.legal_moves()))
        clock = self._clock
        lines.append(
            wire.go_line(
                ply, self._limits.time, clock.left_ms(Seat.FIRST), clock.left_ms(Seat.SECOND)
            )
        )
        for child_of in self._bots:
            child_of.child.expect()
        self._drop_early(seat)
        began_s = time.monotonic()
        bot.say(*lines)
        lines.clear()
        self._asked[seat] += not bot.child.in_closed
        self._thinks = seat
        return self._await(seat, ply, began_s)

    def _drop_early(self, seat: Seat) -> None:
        """What a bot says before it is asked answers nothing, whatever its number is."""
        lines = self._bots[seat].child.lines
        while lines:
            if self._answered(lines.popleft(), 0, [], seat) is not None:
                self._book.stray_lines += 1

    def _await(self, seat: Seat, ply: int, began_s: float) -> Answer | _Mishap:
        """Wait for the answer of the side to move, or for a mishap of either side."""
        child = self._bots[seat].child
        other = self._bots[1 - seat].child
        until_s = began_s + self._clock.allowed_s(seat)
        infos: list[bytes] = []
        while True:
            while child.lines:
                line = child.lines.popleft()
                move = self._answered(line, ply, infos, seat)
                if move is not None:
                    return self._in_time(seat, move, child.arrived_s - began_s, infos)
            if child.flooded or other.flooded:
                return self._flood(seat if child.flooded else seat.other)
            if child.is_gone:
                if not child.out_closed:
                    child.take_output()  # what it said before it went
                    if child.lines:
                        continue
                return self._crash(seat)
            if other.is_gone:
                return self._crash(seat.other)
            if time.monotonic() >= until_s:
                return self._late(seat)
            self._watch.wait(until_s)

    def _in_time(
        self, seat: Seat, move: str, used_s: float, infos: list[bytes]
    ) -> Answer | _Mishap:
        """An answer that lay there before the limit counts, however late it was looked at."""
        if used_s > self._clock.allowed_s(seat):
            return self._late(seat)
        self._thinks = None
        return Answer(move, used_s, infos[-_INFO_KEPT:])

    def _answered(self, line: bytes, ply: int, infos: list[bytes], seat: Seat) -> str | None:
        """Return the move if `line` answers `go` for `ply`; keep or count what else it is."""
        words = line.split()
        if not words:
            return None
        head = words[0]
        if head == b"bestmove":
            if len(words) >= 2 and words[1] == b"%d" % ply:
                return b" ".join(words[2:]).decode("utf-8", "replace")
            self._book.stray_lines += 1
        elif head == b"info":
            infos.append(line)
            if len(infos) > 2 * _INFO_KEPT:
                del infos[:_INFO_KEPT]
        elif head == b"error":
            if len(self._complaints[seat]) < _COMPLAINTS_KEPT:
                self._complaints[seat].append(line.decode("utf-8", "replace")[:500])
        else:
            self._book.stray_lines += 1
        return None

    def _crash(self, seat: Seat) -> _Mishap:
        bot = self._bots[seat]
        detail = bot.child.end_words()
        if not self._asked[seat] or self._left_unasked(seat):
            raise GameVoidError(bot.name, bot.describe(f"{detail} before its first turn"))
        return _Mishap(seat, Termination.CRASH, detail)

    def _left_unasked(self, seat: Seat) -> bool:
        """Return whether the first `go` came too late to be read by a bot that had left."""
        is_first_turn = self._asked[seat] == 1 and self._thinks is seat
        return is_first_turn and self._bots[seat].child.has_unread_input

    def _late(self, seat: Seat) -> _Mishap:
        allowed_s = self._clock.allowed_s(seat)
        detail = f"no answer within {allowed_s:.3f} s at ply {self._book.next_ply}"
        return _Mishap(seat, Termination.TIME, detail)

    def _flood(self, seat: Seat) -> _Mishap:
        detail = "wrote a line over 64 KiB or more than 8 MiB for a move"
        return _Mishap(seat, Termination.FLOOD, detail)

    def _apply(self, position: Position, answer: Answer) -> tuple[Position, _Mishap | None]:
        seat = position.to_move
        self._book.charge(seat, answer.used_s)
        self._clock.charge(seat, answer.used_s)
        ply = self._book.next_ply
        if answer.move == wire.RESIGN:
            return position, _Mishap(seat, Termination.RESIGNATION, f"resigned at ply {ply}")
        try:
            move, after = _played(position, answer.move)
        except GameError as error:
            return position, _Mishap(seat, Termination.ILLEGAL_MOVE, f"{error} at ply {ply}")
        self._book.add(move, answer, self._clock.left_s(seat))
        self._news[1 - seat].append(wire.play_line(ply, move))
        return after, None

    def _finish(self, outcome: Outcome | None, mishap: _Mishap | None) -> Played:
        if mishap is None:
            assert outcome is not None
            result, why = outcome.result, Termination.RULES
        else:
            result, why = ("0-1", "1-0")[mishap.seat], mishap.why
        words = self._story(mishap) if mishap else ""
        return self._book.close(result, why, words, self._part(result, why, mishap))

    def _story(self, mishap: _Mishap) -> str:
        bot = self._bots[mishap.seat]
        words = f"{bot.name} ({mishap.seat.word}): {mishap.detail[:_DETAIL]}"
        return bot.describe(words) if mishap.why in _ENDS_THE_BOT else words

    def _part(self, result: str, why: Termination, mishap: _Mishap | None) -> dict[str, str]:
        """Tell both bots how it ended, kill one that cannot go on; return their last words."""
        ended_badly = mishap is not None and why is not Termination.RESIGNATION
        said = {}
        for bot, complaints in zip(self._bots, self._complaints, strict=True):
            text = bot.child.stderr_text() if ended_badly else ""
            if words := "\n".join([*complaints, *([text] if text else [])]):
                said[bot.name] = words
        if mishap is not None and why in _ENDS_THE_BOT:
            self._bots[mishap.seat].kill()
        for seat, bot in zip(SEATS, self._bots, strict=True):
            if bot.is_running:
                stop = [wire.STOP] if self._thinks is seat else []
                bot.say(*stop, wire.result_line(self._plan.number, result, why))
        return said


def _played(position: Position, text: str) -> tuple[Move, Position]:
    """Return the canonical move and the position after it.

    Raises MoveSyntaxError and IllegalMoveError. The canonical text is tried first: nearly every
    answer is one.
    """
    try:
        move = Move(text)
        return move, position.play(move)
    except IllegalMoveError:
        move = read_move(position, text)
        return move, position.play(move)
