"""One game between two bots: who is asked, who answers in time, what it costs not to.

Must not know how it is found out; what each costs is decided where games are played.

Must not know processes; it is told the plies as they come, with what the bots thought of them.

Must not know tournaments, nor where results are kept. The prices of mishaps are those of
docs/protocol.md, decided here and nowhere else. A ply is one write and one read; what a turn does
besides was measured (benchmarks/runner.py).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from lath import games
from lath.arena.errors import GameVoidError, HeldUpError
from lath.arena.referee import conversation as sides
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot, Side
from lath.arena.referee.process import Watch, out_of_memory
from lath.arena.referee.record import GamePlan, Played, Scorebook
from lath.games.core import SEATS, Move, Position, Seat, read_move
from lath.games.errors import GameError, IllegalMoveError
from lath.notation import protocol as wire
from lath.notation.record import Termination

ENDS_THE_BOT: Final = (Termination.CRASH, Termination.TIME, Termination.FLOOD)
"""After these the bot's process is killed, and started again for its next game."""


class Mishap(Exception):  # noqa: N818 - it ends a game, and is no error of the arena
    """A bot gives the game away: it resigns, breaks, or answers too late or wrongly."""

    def __init__(self, seat: Seat, why: Termination, detail: str) -> None:
        super().__init__(detail)
        self.seat = seat
        self.why = why
        self.detail = detail


def late(seat: Seat, allowed_s: float, ply: int) -> Mishap:
    """Return the loss of a bot that was asked for a ply and has not answered in time."""
    return Mishap(seat, Termination.TIME, f"no answer within {allowed_s:.3f} s at ply {ply}")


def flood(seat: Seat) -> Mishap:
    """Return the loss of a bot that wrote too much."""
    detail = "wrote a line over 64 KiB, or over 8 MiB for a move (a line counts 80 bytes more)"
    return Mishap(seat, Termination.FLOOD, detail)


def read_answer(position: Position, seat: Seat, text: str, ply: int) -> tuple[Move, Position]:
    """Return the canonical move and the position after it; raises Mishap.

    For a resignation, and for what is no move or not legal in `position`.
    """
    plain = " ".join(text.split())
    if plain == wire.RESIGN:
        raise Mishap(seat, Termination.RESIGNATION, f"resigned at ply {ply}")
    try:
        move = read_move(position, plain)
        return move, position.play(move)
    except GameError as error:
        raise Mishap(seat, Termination.ILLEGAL_MOVE, f"{error} at ply {ply}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """What ends a game before its rules do; all zero: nothing."""

    plies: int = 0
    """The game is a draw when so many were played, an opening's included; 0: never."""

    win_eval: float = 0.0
    """Expected score, over 0 and up to 1, that both bots must see for the same side."""

    draw_eval: float = 0.0
    """Expected score, from 0 on, that both bots must not exceed for either side."""

    win_after: int = 0
    """Plies in a row, of both sides together, after which such a game is won; 0: never."""

    draw_after: int = 0
    """The same for a draw."""

    @property
    def reads_evals(self) -> bool:
        """Return whether it matters what the bots say of their positions."""
        return bool(self.win_after or self.draw_after)


NO_ADJUDICATION: Final = Adjudication()


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game was ended."""

    result: str
    why: Termination
    words: str
    """For the record."""


class _Row:
    """Plies in a row in which a bot has said the same."""

    def __init__(self, needed: int) -> None:
        self._needed: Final = needed
        self._seats: list[Seat] = []

    def note(self, seat: Seat, *, holds: bool) -> bool:
        """Return whether both bots have now said it for long enough."""
        if not self._needed or not holds:
            self._seats.clear()
            return False
        self._seats.append(seat)
        return len(self._seats) >= self._needed and len(set(self._seats)) == 2


class Arbiter:
    """Follows one game."""

    def __init__(self, rules: Adjudication) -> None:
        self._rules: Final = rules
        self._wins: Final = tuple(_Row(rules.win_after) for _ in SEATS)
        self._level: Final = _Row(rules.draw_after)

    def judge(self, ply: int, seat: Seat, evaluation: float | None) -> Verdict | None:
        """Return how the game ends after a ply that did not end it by the rules; else None.

        `ply` counts from 1; `evaluation` is the expected score of `seat`, who played it, in -1..1,
        None where the bot said none.
        """
        rules = self._rules
        if rules.reads_evals and (verdict := self._agreed(seat, evaluation)):
            return verdict
        return self.limit(ply)

    def limit(self, plies: int) -> Verdict | None:
        """Return how a game ends of which so many plies are played, whatever they were."""
        if self._rules.plies and plies >= self._rules.plies:
            return Verdict("1/2-1/2", Termination.PLY_LIMIT, f"no end by ply {plies}")
        return None

    def _agreed(self, seat: Seat, evaluation: float | None) -> Verdict | None:
        rules = self._rules
        known = evaluation is not None
        first = (evaluation or 0.0) * (1, -1)[seat]
        for winner, sign in zip(SEATS, (1, -1), strict=True):
            holds = known and sign * first >= rules.win_eval
            if self._wins[winner].note(seat, holds=holds):
                words = f"both bots saw at least {rules.win_eval:g} for {winner.word}"
                return _adjudicated(("1-0", "0-1")[winner], words, rules.win_after)
        if self._level.note(seat, holds=known and abs(first) <= rules.draw_eval):
            words = f"both bots saw at most {rules.draw_eval:g} for either side"
            return _adjudicated("1/2-1/2", words, rules.draw_after)
        return None


def _adjudicated(result: str, words: str, plies: int) -> Verdict:
    return Verdict(result, Termination.ADJUDICATION, f"{words} for {plies} plies")


SLICE_S: Final = 0.25
"""How long the arena sleeps at most while a bot thinks, so as to notice that it was held up."""

HELD_UP_S: Final = 0.5
"""Oversleeping that makes a game void: nobody can tell what the bot took."""

_SLICE_MS: Final = SLICE_S * 1000


def play_game(
    plan: GamePlan,
    bots: tuple[Bot, Bot],
    limits: Limits,
    watch: Watch,
    *,
    adjudication: Adjudication = NO_ADJUDICATION,
    keep_log: bool = False,
) -> Played:
    """Play one game to its end; raises GameVoidError when it could not take place.

    Raises HeldUpError when the arena did not get to run for a while. Bots that do not run are
    started, and those that crashed, hung or flooded are killed. The log of what was said is kept of
    games that end badly, else only with `keep_log`.
    """
    for bot in bots:
        if bot.is_running:
            watch.wait(0.0)  # it may have left since its last game
            break
    for bot in bots:
        if not bot.is_running:
            bot.start(limits)
    match = _Match(plan, (Side(bots[0], limits), Side(bots[1], limits)), limits, watch)
    return match.play(adjudication, keep_log=keep_log)


class _Match:
    def __init__(
        self, plan: GamePlan, both: tuple[Side, Side], limits: Limits, watch: Watch
    ) -> None:
        self._plan = plan
        self._sides = both
        self._other_way_round = (both[1], both[0])
        self._limits = limits
        self._watch = watch
        times = both[0].time, both[1].time
        self._clock = Clock(limits, times)
        self._book = Scorebook(plan, times)
        self._alarms = -1
        """How many of the watch's alarms were looked into."""
        self._thinks: Seat | None = None
        """Who was asked and has not answered yet."""

    def play(self, adjudication: Adjudication, *, keep_log: bool) -> Played:
        mishap: Mishap | None = None
        verdict: Verdict | None = None
        position = self._begin()
        try:
            position, verdict = self._rally(position, adjudication)
        except Mishap as caught:
            mishap = caught
        return self._close(position, mishap, verdict, keep_log=keep_log)

    def _begin(self) -> Position:
        plan = self._plan
        game = games.get(plan.game)
        at_start = plan.position is None
        position = game.start(plan.setup) if at_start else game.position(plan.position or "")
        for seat, side in sides.seated(self._sides):
            side.bot.begin(
                wire.NewGame(
                    number=plan.number,
                    game=plan.game,
                    side=seat.word,
                    time=side.time,
                    seed=plan.seeds[seat],
                    setup=plan.setup,
                    position=plan.position,
                ),
                self._limits,
            )
            side.cpu_before_s = side.child.cpu_s
        for text in plan.opening:
            move = Move(text)
            position = position.play(move)
            self._book.add_opening(move)
            for side in self._sides:
                side.news += f"{wire.play_line(self._book.plies, move)}\n".encode()
        return position

    def _rally(
        self, position: Position, adjudication: Adjudication
    ) -> tuple[Position, Verdict | None]:
        """Return the position in which the game ended, by its rules or by a verdict."""
        arbiter = None if adjudication == NO_ADJUDICATION else Arbiter(adjudication)
        if arbiter is not None and (verdict := arbiter.limit(self._book.plies)):
            return position, verdict
        while not position.is_over:
            seat = position.to_move
            position = self._turn(position, seat)
            if arbiter is not None and not position.is_over:
                evaluation = self._book.last_eval
                if verdict := arbiter.judge(self._book.plies, seat, evaluation):
                    return position, verdict
        return position, None

    def _turn(self, position: Position, seat: Seat) -> Position:
        """Return the position after the move of the side to move; raises Mishap, HeldUpError."""
        clock, book = self._clock, self._book
        side, other = self._sides if seat is Seat.FIRST else self._other_way_round
        child = side.child
        ply = book.plies + 1
        if child.lines or child.glance(0) or not side.is_plain:
            self._prepare(side, seat, position)
        first_ms, second_ms = clock.left_ms
        request = side.news + side.go_line(ply, first_ms, second_ms)
        side.news = b""
        child.output_bytes = other.child.output_bytes = 0
        self._thinks = seat
        allowed_s = clock.allowed_s[seat]
        slice_ms = _SLICE_MS if allowed_s > SLICE_S else allowed_s * 1000
        line = self._watch.ask(child, request, slice_ms)
        answer = b"bestmove %d " % ply
        if line is not None and line.startswith(answer):
            text = line[len(answer) :].decode("utf-8", "replace")
            used_s = child.arrived_s - child.asked_s
            if used_s > min(allowed_s, SLICE_S) + HELD_UP_S:
                raise HeldUpError(used_s)
        else:
            text = self._await(side, seat, ply, line)
            used_s = child.arrived_s - child.asked_s
        if used_s > allowed_s:
            raise late(seat, allowed_s, ply)
        self._thinks = None
        left_s = clock.charge(seat, used_s)
        move = Move(text)
        try:  # the text as it is: nearly every answer is canonical
            after = position.play(move)
        except IllegalMoveError:
            move, after = self._read(position, seat, text, used_s)
        book.add(move, seat, used_s, left_s, side.told() if side.infos else None)
        other.news += b"play %d %b\n" % (ply, move.encode())
        return after

    def _prepare(self, side: Side, seat: Seat, position: Position) -> None:
        """Get a side ready to be asked: tell it what it wants, drop what it said before."""
        if not side.was_asked or side.child.has_output():
            self._watch.wait(0.0)  # it may have left since it was ready
        if not side.was_asked and side.child.is_gone:
            self._crash(seat)
        side.drop_early()
        side.was_asked = True
        side.is_plain = not side.wants
        side.news += sides.wanted(side.wants, position)

    def _await(self, side: Side, seat: Seat, ply: int, line: bytes | None) -> str:
        """Return the answer of the side to move, which may be `line`; raises Mishap, HeldUpError.

        An answer that was read before the limit counts, however late it is looked at.
        """
        child, allowed_s = side.child, self._clock.allowed_s[seat]
        if line is not None:
            child.lines.append(line)
        until_s = child.asked_s + allowed_s
        due_s = min(until_s, child.asked_s + SLICE_S)
        while True:
            now_s = time.monotonic()
            overslept_s = now_s - due_s
            if overslept_s > HELD_UP_S:
                raise HeldUpError(overslept_s)
            while child.lines:
                move = side.answered(child.lines.popleft(), ply)
                if move is not None:
                    if child.arrived_s > until_s and overslept_s > self._limits.margin_s:
                        raise HeldUpError(overslept_s)  # nobody knows when it came
                    return move
            if self._watch.alarms != self._alarms or child.in_closed:
                self._look_for_mishaps(seat)
            if now_s >= until_s:
                raise late(seat, allowed_s, ply)
            due_s = min(until_s, now_s + SLICE_S)
            self._watch.wait(due_s)

    def _look_for_mishaps(self, seat: Seat) -> None:
        """Raise Mishap where a bot has flooded or has gone."""
        self._alarms = self._watch.alarms
        child, other = self._sides[seat].child, self._sides[1 - seat].child
        if child.flooded or other.flooded:
            raise flood(seat if child.flooded else seat.other)
        if child.is_gone:
            if not child.out_closed:
                child.take_output()  # what it said before it went
                if child.lines:
                    self._alarms = -1  # it may hold no answer: look again
                    return
            self._crash(seat)
        if other.is_gone:
            self._crash(seat.other)

    def _crash(self, seat: Seat) -> None:
        side = self._sides[seat]
        bot = side.bot
        detail = bot.child.end_words()
        detail += out_of_memory(bot.spec.memory_bytes, bot.child.stderr_text())
        if not side.was_asked or self._left_unasked(seat):
            raise GameVoidError(bot.name, bot.describe(f"{detail} before its first turn"))
        raise Mishap(seat, Termination.CRASH, detail)

    def _left_unasked(self, seat: Seat) -> bool:
        """Return whether the first `go` came too late to be read by a bot that had left."""
        child = self._sides[seat].child
        is_first_turn = not self._book.answers_s(seat) and self._thinks is seat
        return is_first_turn and (child.in_closed or child.has_unread_input)

    def _read(
        self, position: Position, seat: Seat, text: str, used_s: float
    ) -> tuple[Move, Position]:
        """Return the canonical move and the position after it; raises Mishap."""
        try:
            return read_answer(position, seat, text, self._book.plies + 1)
        except Mishap:
            self._book.refuse(seat, used_s)
            raise

    def _own_turns_s(self, seat: Seat) -> float:
        """Return the time of a seat's own turns, that which has not ended included."""
        ended_s = sum(self._book.answers_s(seat))
        if self._thinks is not seat:
            return ended_s
        return ended_s + time.monotonic() - self._sides[seat].child.asked_s

    def _close(
        self,
        position: Position,
        mishap: Mishap | None,
        verdict: Verdict | None,
        *,
        keep_log: bool,
    ) -> Played:
        """Tell both bots how it ended, kill one that cannot go on; return the game."""
        if mishap is not None:
            result, why, words = ("0-1", "1-0")[mishap.seat], mishap.why, self._story(mishap)
        elif verdict is not None:
            result, why, words = verdict.result, verdict.why, verdict.words
        else:
            outcome = position.outcome()
            assert outcome is not None
            result, why, words = outcome.result, Termination.RULES, ""
        is_bad = mishap is not None and why is not Termination.RESIGNATION
        notes = []
        for seat, side in sides.seated(self._sides):
            if note := side.odd_cpu(self._own_turns_s(seat)):
                notes.append(note)
        for seat, side in sides.seated(self._sides):
            if side.bot.is_running:
                stop = [wire.STOP] if self._thinks is seat else []
                side.bot.say(*stop, wire.result_line(self._plan.number, result, why))
        said, log = sides.last_words(self._sides, is_bad=is_bad, keep_log=keep_log)
        if mishap is not None and why in ENDS_THE_BOT:
            self._sides[mishap.seat].bot.kill()
        self._book.stray_lines = sum(side.stray_lines for side in self._sides)
        return self._book.close(result, why, words, said, log, tuple(notes))

    def _story(self, mishap: Mishap) -> str:
        bot = self._sides[mishap.seat].bot
        words = f"{bot.name} ({mishap.seat.word}): {mishap.detail[: sides.DETAIL]}"
        return bot.describe(words) if mishap.why in ENDS_THE_BOT else words
