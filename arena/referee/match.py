"""One game between two bots: requests, moves, penalties for failures and the ending.

docs/reference/protocol.md defines the penalties; only this module decides them. The cost of each
turn was measured (benchmarks/runner.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, Protocol

from lath import games
from lath.arena.errors import GameVoidError, HeldUpError, MachineError, RulesVoidError
from lath.arena.machine import signals
from lath.arena.referee.bots import Asides
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot, NoAnswerError, play_line
from lath.arena.referee.log import log_of
from lath.arena.referee.record import GamePlan, GameResult, Scorebook
from lath.arena.referee.watch import Watch
from lath.games import faults
from lath.games.core import SIDES, Move, Position, Result, Side, read_move
from lath.games.errors import GameError, IllegalMoveError, LathError, RulesError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination

ENDS_THE_BOT: Final = (Termination.CRASH, Termination.TIME, Termination.FLOOD)
"""The endings after which the bot's process is killed, and restarted for its next game."""

FAULTS: Final = (*ENDS_THE_BOT, Termination.ILLEGAL_MOVE, Termination.VOID)
"""The endings that are a bot's fault; resigning is not a fault."""

MAY_BE_THE_RULES: Final = (Termination.CRASH, Termination.ILLEGAL_MOVE)
"""The endings that failing rules can cause in a bot that uses the game's own rules."""

LOOKED_S: Final = 1.0
"""The time to play random games to see if the rules fail, in seconds."""


@dataclass(frozen=True, slots=True)
class GameEnding:
    """The ending of a game; the result is `*` if the game was abandoned."""

    result: Result
    why: Termination
    words: str = ""
    """A comment for the record about a failure, a resignation or an adjudication; else empty."""

    @property
    def is_bots_fault(self) -> bool:
        """Return True if a failure of a bot ended the game."""
        return self.why in FAULTS


# Penalties


class MishapError(LathError):
    """A bot loses the game: it resigns, fails, or answers too late or wrongly."""

    def __init__(self, seat: Side, why: Termination, detail: str) -> None:
        super().__init__(detail)
        self.seat = seat
        self.why = why

    def ending(self, bot: Bot) -> GameEnding:
        """Return the loss of `bot`, which plays this side."""
        return GameEnding(
            Result.won_by(self.seat.other), self.why, f"{bot.name} ({self.seat.word}): {self}"
        )


def priced(error: NoAnswerError, seat: Side, ply: int) -> MishapError | GameVoidError:
    """Return the penalty for a bot that did not answer at a ply.

    The result is a GameVoidError if the bot ended before its first turn.
    """
    bot = error.bot
    if error.why is Termination.TIME:
        detail = f"no answer within {error.within_s:.3f} s at ply {ply}{bot.lateness(error)}"
    elif error.why is Termination.FLOOD:
        detail = (
            "wrote too much: a line over 64 KiB, over 8 MiB per move or over 64 MiB per game "
            "(with standard error, and 80 bytes more per line)"
        )
    else:
        detail = bot.end_words()
        if bot.left_unasked:
            return GameVoidError(bot.cause(f"{detail} before its first turn"), error.why)
    return MishapError(seat, error.why, bot.cause(detail).reason)


def read_answer(position: Position, seat: Side, text: str, ply: int) -> tuple[Move, Position]:
    """Return the canonical move and the position after it.

    Raises MishapError for a resignation and for text that is not a legal move in `position`.
    """
    if (plain := " ".join(text.split())) == wire.RESIGN:
        raise MishapError(seat, Termination.RESIGNATION, f"resigned at ply {ply}")
    try:
        move = read_move(position, plain)
        return move, position.play(move)
    except GameError as error:
        detail = f"{error} at ply {ply}"[:300]  # the error quotes the bot
        raise MishapError(seat, Termination.ILLEGAL_MOVE, detail) from error


# Adjudication


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """Rules that end a game early; they do nothing if all values are 0."""

    plies: int = 0
    """The ply limit, opening included, at which the game is a draw; 0 for no limit."""

    win_eval: float = 0.0
    """The expected score in 0..1 (above 0) that both bots must report for the same side."""

    draw_eval: float = 0.0
    """The expected score, 0 or more, that both bots must not exceed for either side."""

    win_after: int = 0
    """The number of plies in a row, both sides together, that win the game; 0 for never."""

    draw_after: int = 0
    """The number of plies in a row that make the game a draw; 0 for never."""


NO_ADJUDICATION: Final = Adjudication()


class Arbiter:
    """The referee's decision, ply by ply, to adjudicate a game by the bots' evaluations."""

    def __init__(self, rules: Adjudication) -> None:
        self._plies: Final = rules.plies
        win, draw = rules.win_eval, rules.draw_eval
        claims: tuple[tuple[Result, int, Callable[[float], bool], str], ...] = (
            (
                Result.FIRST_WON,
                rules.win_after,
                lambda first: first >= win,
                f"at least {win:g} for first",
            ),
            (
                Result.SECOND_WON,
                rules.win_after,
                lambda first: -first >= win,
                f"at least {win:g} for second",
            ),
            (
                Result.DRAWN,
                rules.draw_after,
                lambda first: abs(first) <= draw,
                f"at most {draw:g} for either side",
            ),
        )
        self._claims: Final = [claim for claim in claims if claim[1]]
        """The result, its number of plies, the test of the score, and its description."""
        self._rows: Final[list[list[Side]]] = [[] for _ in self._claims]
        """For each claim, the sides that played the plies in a row in which it was seen."""

    def judge(self, ply: int, seat: Side, evaluation: float | None) -> GameEnding | None:
        """Return the adjudicated ending after a ply; None if the game continues.

        `ply` counts from 1. `evaluation` is the expected score of `seat`, who played the ply, in
        -1..1; None if the bot did not report one.
        """
        first = math.nan if evaluation is None else evaluation * (1, -1)[seat]
        for row, (result, needed, holds, seen) in zip(self._rows, self._claims, strict=True):
            if not holds(first):
                row.clear()
                continue
            row.append(seat)
            if len(row) >= needed and len(set(row)) == 2:
                return GameEnding(
                    result, Termination.ADJUDICATION, f"both bots saw {seen} for {needed} plies"
                )
        return self.limit(ply)

    def limit(self, plies: int) -> GameEnding | None:
        """Return a draw if the ply limit is reached; otherwise None."""
        if self._plies and plies >= self._plies:
            return GameEnding(Result.DRAWN, Termination.PLY_LIMIT, f"no end by ply {plies}")
        return None


# The game


def start_of(plan: GamePlan) -> Position:
    """Return the starting position of the game, before its opening; raises GameError."""
    game = games.get(plan.game)
    return game.start(plan.setup) if plan.position is None else game.position(plan.position)


def new_game(plan: GamePlan, seat: Side, time: TimeControl) -> wire.NewGame:
    """Return the `new` message of a game for this side."""
    return wire.NewGame(
        number=plan.number,
        game=plan.game,
        side=seat.word,
        time=time,
        seed=plan.seeds[seat],
        setup=plan.setup,
        position=plan.position,
    )


class Show(Protocol):
    """A callback that shows a game while it is played."""

    due_s: float
    """The time from which it wants to see the next ply, by `signals.awake_s`."""

    is_blank: bool
    """True before it has shown anything: it then wants to see a game before its first answer."""

    def __call__(self, book: Scorebook) -> None:
        """Show the game after a ply."""


def play_game(
    plan: GamePlan,
    bots: tuple[Bot, Bot],
    limits: Limits,
    watch: Watch,
    *,
    adjudication: Adjudication = NO_ADJUDICATION,
    keep_log: bool = False,
    spent: Collection[str] = (),
    show: Show | None = None,
) -> GameResult:
    """Play one game to its end and return it.

    Starts the bots that do not run, and kills those that crash, lose on time or exceed the output
    limit. The log is kept for games that end by a failure, or always with `keep_log`. A bot in
    `spent` has already caused a void game, so it loses instead of voiding another. `show` is called
    after plies.

    Raises GameVoidError if the game could not take place, and HeldUpError if a stall of the machine
    would decide it.
    """
    if any(bot.is_running for bot in bots):
        watch.wait(0.0)  # it may have ended since its last game
    return _Match(plan, bots, limits, spent, show).play(adjudication, keep_log=keep_log)


class _Match:
    def __init__(
        self,
        plan: GamePlan,
        bots: tuple[Bot, Bot],
        limits: Limits,
        spent: Collection[str],
        show: Show | None,
    ) -> None:
        self._plan = plan
        self._show = show
        self._spent = spent
        self._seated: list[tuple[Side, Bot]] = []
        """The bots that have received `new`, with their sides."""
        self._bots = bots
        self._other_way_round = (bots[1], bots[0])
        self._limits = limits
        self._times = bots[0].spec.time or limits.time, bots[1].spec.time or limits.time
        margins_s = bots[0].spec.own(limits).margin_s, bots[1].spec.own(limits).margin_s
        self._clock = Clock(limits, self._times, margins_s)
        self._book = Scorebook(plan, self._times)
        self._playing = ""
        """The bot's answer that is being played and is not recorded yet."""

    def play(self, adjudication: Adjudication, *, keep_log: bool) -> GameResult:
        try:
            return self._played(adjudication, keep_log=keep_log)
        except (GameVoidError, HeldUpError, MachineError):
            raise
        except Exception as error:  # the rules in a user's file may raise anything
            raise RulesVoidError(str(self._at_fault(error))) from error

    def _at_fault(self, error: Exception) -> RulesError:
        """Return the RulesError for this exception; raises it again if the plan is wrong."""
        if isinstance(error, GameError) and not self._moves:
            raise error  # the plan is wrong, such as its setup or position
        return faults.raised(error, self._plan.game, self._moves, self._plan.position or "")

    @property
    def _moves(self) -> list[str]:
        """Return the moves so far, with the one that is being played."""
        return [*self._book.moves, *([self._playing] if self._playing else [])]

    def _played(self, adjudication: Adjudication, *, keep_log: bool) -> GameResult:
        position, broken = start_of(self._plan), None
        for text in self._plan.opening:
            self._playing = text
            move = Move(text)
            position = position.play(move)
            self._playing = ""
            self._book.add(move, None)
        if self._show is not None and self._show.is_blank:
            self._show(self._book)
        try:
            self._seat()
            ending = self._rally(position, adjudication)
        except (MishapError, NoAnswerError, GameVoidError) as error:
            mishap = self._mishap(error)
            self._refuse_bad_rules(mishap)
            bot = self._bots[mishap.seat]
            ending = mishap.ending(bot)
            broken = bot if mishap.why in ENDS_THE_BOT else None
        played = self._close(ending, keep_log=keep_log)
        if broken is not None:
            broken.kill()
        return played

    def _seat(self) -> None:
        """Start the bots that do not run, and announce the game to both; raises GameVoidError."""
        kept = [bot for bot in self._bots if bot.is_running]
        for bot in self._bots:
            bot.asides = Asides()
        for bot in self._bots:
            if bot not in kept:
                bot.start(self._limits)
        for seat, bot in zip(SIDES, self._bots, strict=True):
            new = new_game(self._plan, seat, self._times[seat])
            self._seated.append((seat, bot))
            try:
                bot.begin(new, self._limits)
            except GameVoidError as error:
                if bot not in kept or error.why is not Termination.CRASH:
                    raise
                bot.start(self._limits)  # the previous process ended after its last game
                bot.begin(new, self._limits)
        for ply, text in enumerate(self._plan.opening, 1):
            for bot in self._bots:
                bot.news += play_line(ply, Move(text))

    def _mishap(self, error: MishapError | NoAnswerError | GameVoidError) -> MishapError:
        """Return the failure that loses the game; raises GameVoidError if the game is void."""
        if isinstance(error, NoAnswerError):
            seat = Side(self._bots.index(error.bot))
            error = priced(error, seat, self._book.plies + 1)
        if isinstance(error, MishapError):
            return error
        if error.why is None or error.bot not in self._spent:
            raise error
        seat = Side(self._plan.names.index(error.bot))
        return MishapError(seat, error.why, f"again {error.reason}")

    def _refuse_bad_rules(self, mishap: MishapError) -> None:
        """Raise RulesError if the game's rules fail in the position where a bot failed.

        The bot's own explanation is ignored: a losing bot could write anything.
        """
        plan = self._plan
        if mishap.why not in MAY_BE_THE_RULES or plan.game.partition(":")[0] in games.builtin_ids():
            return
        position, moves = start_of(plan), self._book.moves
        for move in moves:
            position = position.play(Move(move))
        faults.look_behind(position, moves, plan.position or "", seconds=LOOKED_S)

    def _rally(self, position: Position, adjudication: Adjudication) -> GameEnding:
        """Return the ending of the game, by its rules or by adjudication.

        Raises MishapError and NoAnswerError.
        """
        arbiter = None if adjudication == NO_ADJUDICATION else Arbiter(adjudication)
        if arbiter is not None and (ending := arbiter.limit(self._book.plies)):
            return ending
        clock, book, ponders, show = self._clock, self._book, self._limits.ponder, self._show
        while not position.is_over:
            seat, ply = position.to_move, book.plies + 1
            bot, other = self._bots if seat is Side.FIRST else self._other_way_round
            if ponders:
                other.let_ponder(ply)
            text, used_s = bot.ask(position, ply, clock.left_ms, clock.allowed_s[seat], other)
            left_s = clock.charge(seat, used_s)
            move: Move = text  # type: ignore[assignment] # `Move()` is a call, and this is every ply
            self._playing = text
            try:  # unchanged: nearly every answer is canonical
                position = position.play(move)
            except IllegalMoveError:
                try:
                    move, position = read_answer(position, seat, text, ply)
                except MishapError as mishap:
                    book.refuse(seat, used_s)
                    raise MishapError(
                        seat, mishap.why, f"{mishap}{book.played_before(text, seat)}"
                    ) from None
            asides = bot.asides
            self._playing = ""
            book.add(move, seat, used_s, left_s, asides.comments() if asides.infos else None)
            other.news += b"play %d %b\n" % (ply, move.encode())
            if show is not None and signals.awake_s() >= show.due_s:
                show(book)
            if arbiter is None or position.is_over:
                continue
            if ending := arbiter.judge(ply, seat, book.last_eval):
                return ending
        if (outcome := position.outcome()) is None:
            words = f"{faults.whose(position.game.id)}: ", ": is_over, but no outcome()"
            raise RulesError(*words, book.moves, self._plan.position or "")
        return GameEnding(outcome.result, Termination.RULES)

    def _has_resigned_at_once(self, seat: Side, ending: GameEnding) -> bool:
        """Return True if a bot resigned before it played a move.

        False for games that begin in a given position, which may be lost.
        """
        has_resigned = ending.why is Termination.RESIGNATION and ending.result.winner is not seat
        return has_resigned and self._plan.position is None and len(self._book.answers_s(seat)) == 1

    def _close(self, ending: GameEnding, *, keep_log: bool) -> GameResult:
        """Report the result to both bots, forget the exchange and return the game."""
        notes = []
        for seat, bot in self._seated:
            own_turns_s = sum(self._book.answers_s(seat))
            if bot.is_thinking:
                own_turns_s += signals.awake_s() - bot.child.asked_s
            may_think = self._limits.ponder and wire.PONDER in bot.greeting.wants
            if not may_think and (note := bot.odd_cpu(own_turns_s)):
                notes.append(note)
            if self._has_resigned_at_once(seat, ending):
                notes.append(f"{bot.name} resigned at its first turn, before it played a move")
            if bot.is_running:
                stop = [wire.STOP] if bot.is_thinking else []
                bot.say(*stop, wire.result_line(self._plan.number, ending.result, ending.why))
        errors, log = {}, ""
        started = [bot for bot in self._bots if bot.has_process]
        if ending.is_bots_fault or keep_log:
            errors = {bot.name: text for bot in started if (text := bot.child.stderr_text())}
            log = log_of({bot.name: bot.child.exchange for bot in started}, errors)
        said = {}
        for bot in started:
            last = errors.get(bot.name, "") if ending.is_bots_fault else ""
            more = [text for text in (bot.take_excess(), last) if text]
            if words := [*bot.asides.complaints.first, *more]:
                said[bot.name] = "\n".join(words)
            bot.child.exchange.clear()
        return self._book.close(
            ending.result,
            ending.why,
            ending.words,
            stray_lines=sum(bot.asides.strays.number for bot in self._bots),
            stderr=said,
            log=log,
            notes=tuple(notes),
        )
