"""One game between two bots: who is asked, what its moves and mishaps come to, how it ends.

Must not know processes, tournaments, nor where results are kept. The prices of mishaps are those of
docs/protocol.md, decided here and nowhere else. What a turn does besides asking was measured
(benchmarks/runner.py).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

from lath import games
from lath.arena.errors import GameVoidError
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import Bot, NoAnswer, log_of, play_line
from lath.arena.referee.process import Watch, out_of_memory
from lath.arena.referee.record import GamePlan, GameResult, Scorebook
from lath.games.core import SEATS, Move, Position, Seat, read_move
from lath.games.errors import GameError, IllegalMoveError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record import Termination

ENDS_THE_BOT: Final = (Termination.CRASH, Termination.TIME, Termination.FLOOD)
"""After these the bot's process is killed, and started again for its next game."""

FAULTS: Final = (*ENDS_THE_BOT, Termination.ILLEGAL_MOVE, Termination.VOID)
"""What a bot breaks a game off by; to resign is no fault."""

WON_BY: Final = ("1-0", "0-1")
"""The result that a seat wins by."""

_STORY: Final = 300
"""Letters of a mishap's story, in which a bot may have had its say."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a game ended; `*` is the result of one that was left."""

    result: str
    why: Termination
    words: str = ""
    """For the record: the story of a mishap, a resignation or a verdict; empty without one."""

    @property
    def is_decided(self) -> bool:
        """Return whether there is a result."""
        return self.result != "*"

    @property
    def is_bots_fault(self) -> bool:
        """Return whether a bot broke the game off."""
        return self.why in FAULTS


# What mishaps cost


class Mishap(Exception):  # noqa: N818 - it ends a game, and is no error of the arena
    """A bot gives the game away: it resigns, breaks, or answers too late or wrongly."""

    def __init__(self, seat: Seat, why: Termination, detail: str) -> None:
        super().__init__(detail)
        self.seat = seat
        self.why = why
        self.detail = detail

    def story(self, bot: Bot) -> str:
        """Return what happened, with what the bot wrote to standard error where it broke."""
        detail = self.detail[:_STORY]
        return bot.describe(detail) if self.why in ENDS_THE_BOT else detail

    def ending(self, bot: Bot) -> Ending:
        """Return the loss of the bot that sits there."""
        words = f"{bot.name} ({self.seat.word}): {self.story(bot)}"
        return Ending(WON_BY[self.seat.other], self.why, words)


def priced(error: NoAnswer, seat: Seat, ply: int) -> Mishap:
    """Return what it costs a bot in this seat that no answer came at a ply.

    Raises GameVoidError for a bot that left before its first turn.
    """
    bot = error.bot
    if error.why is Termination.TIME:
        detail = f"no answer within {error.within_s:.3f} s at ply {ply}"
    elif error.why is Termination.FLOOD:
        detail = "wrote a line over 64 KiB, or over 8 MiB for a move (a line counts 80 bytes more)"
    else:
        detail = bot.child.end_words()
        detail += out_of_memory(bot.spec.memory_bytes, bot.child.stderr_text())
        if bot.left_unasked:
            raise GameVoidError(bot.name, bot.describe(f"{detail} before its first turn"))
    return Mishap(seat, error.why, detail)


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


# What ends a game before its rules do


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
    """Follows one game, ply by ply, as the bots see it."""

    def __init__(self, rules: Adjudication) -> None:
        self._rules: Final = rules
        self._wins: Final = tuple(_Row(rules.win_after) for _ in SEATS)
        self._level: Final = _Row(rules.draw_after)

    def judge(self, ply: int, seat: Seat, evaluation: float | None) -> Ending | None:
        """Return how the game ends after a ply that did not end it by the rules; else None.

        `ply` counts from 1; `evaluation` is the expected score of `seat`, who played it, in -1..1,
        None where the bot said none.
        """
        if self._rules.reads_evals and (ending := self._agreed(seat, evaluation)):
            return ending
        return self.limit(ply)

    def limit(self, plies: int) -> Ending | None:
        """Return how a game ends of which so many plies are played, whatever they were."""
        if self._rules.plies and plies >= self._rules.plies:
            return Ending("1/2-1/2", Termination.PLY_LIMIT, f"no end by ply {plies}")
        return None

    def _agreed(self, seat: Seat, evaluation: float | None) -> Ending | None:
        rules = self._rules
        known = evaluation is not None
        first = (evaluation or 0.0) * (1, -1)[seat]
        for winner, sign in zip(SEATS, (1, -1), strict=True):
            holds = known and sign * first >= rules.win_eval
            if self._wins[winner].note(seat, holds=holds):
                words = f"both bots saw at least {rules.win_eval:g} for {winner.word}"
                return _adjudicated(WON_BY[winner], words, rules.win_after)
        if self._level.note(seat, holds=known and abs(first) <= rules.draw_eval):
            words = f"both bots saw at most {rules.draw_eval:g} for either side"
            return _adjudicated("1/2-1/2", words, rules.draw_after)
        return None


def _adjudicated(result: str, words: str, plies: int) -> Ending:
    return Ending(result, Termination.ADJUDICATION, f"{words} for {plies} plies")


# The game


def start_of(plan: GamePlan) -> Position:
    """Return the position that a game begins with, before its opening; raises GameError."""
    game = games.get(plan.game)
    return game.start(plan.setup) if plan.position is None else game.position(plan.position)


def new_game(plan: GamePlan, seat: Seat, time: TimeControl) -> wire.NewGame:
    """Return what a bot in this seat is told of a game."""
    return wire.NewGame(
        number=plan.number,
        game=plan.game,
        side=seat.word,
        time=time,
        seed=plan.seeds[seat],
        setup=plan.setup,
        position=plan.position,
    )


def play_game(
    plan: GamePlan,
    bots: tuple[Bot, Bot],
    limits: Limits,
    watch: Watch,
    *,
    adjudication: Adjudication = NO_ADJUDICATION,
    keep_log: bool = False,
) -> GameResult:
    """Play one game to its end; raises GameVoidError when it could not take place.

    Raises HeldUpError when the arena did not get to run for a while. Bots that do not run are
    started, and those that crashed, hung or flooded are killed. The log of what was said is kept of
    games that end badly, else only with `keep_log`.
    """
    if any(bot.is_running for bot in bots):
        watch.wait(0.0)  # it may have left since its last game
    for bot in bots:
        if not bot.is_running:
            bot.start(limits)
    return _Match(plan, bots, limits).play(adjudication, keep_log=keep_log)


class _Match:
    def __init__(self, plan: GamePlan, bots: tuple[Bot, Bot], limits: Limits) -> None:
        self._plan = plan
        self._bots = bots
        self._other_way_round = (bots[1], bots[0])
        self._limits = limits
        self._times = bots[0].spec.time or limits.time, bots[1].spec.time or limits.time
        self._clock = Clock(limits, self._times)
        self._book = Scorebook(plan, self._times)

    def play(self, adjudication: Adjudication, *, keep_log: bool) -> GameResult:
        position = self._begin()
        try:
            ending = self._rally(position, adjudication)
        except NoAnswer as error:
            seat = Seat(self._bots.index(error.bot))
            mishap = priced(error, seat, self._book.plies + 1)
        except Mishap as caught:
            mishap = caught
        else:
            return self._close(ending, keep_log=keep_log)
        bot = self._bots[mishap.seat]
        played = self._close(mishap.ending(bot), keep_log=keep_log)
        if mishap.why in ENDS_THE_BOT:
            bot.kill()
        return played

    def _begin(self) -> Position:
        position = start_of(self._plan)
        for seat in SEATS:
            new = new_game(self._plan, seat, self._times[seat])
            self._bots[seat].begin(new, self._limits)
        for text in self._plan.opening:
            move = Move(text)
            position = position.play(move)
            self._book.add_opening(move)
            for bot in self._bots:
                bot.news += play_line(self._book.plies, move)
        return position

    def _rally(self, position: Position, adjudication: Adjudication) -> Ending:
        """Return how the game ends, by its rules or by a verdict; raises Mishap, NoAnswer."""
        arbiter = None if adjudication == NO_ADJUDICATION else Arbiter(adjudication)
        if arbiter is not None and (ending := arbiter.limit(self._book.plies)):
            return ending
        while not position.is_over:
            seat = position.to_move
            position = self._turn(position, seat)
            if arbiter is None or position.is_over:
                continue
            if ending := arbiter.judge(self._book.plies, seat, self._book.last_eval):
                return ending
        outcome = position.outcome()
        assert outcome is not None
        return Ending(outcome.result, Termination.RULES)

    def _turn(self, position: Position, seat: Seat) -> Position:
        """Return the position after the move of the side to move; raises as `_rally`."""
        clock, book = self._clock, self._book
        bot, other = self._bots if seat is Seat.FIRST else self._other_way_round
        ply = book.plies + 1
        text, used_s = bot.ask(position, ply, clock.left_ms, clock.allowed_s[seat], other)
        left_s = clock.charge(seat, used_s)
        move: Move = text  # type: ignore[assignment] # `Move()` is a call, and this is every ply
        try:  # the text as it is: nearly every answer is canonical
            after = position.play(move)
        except IllegalMoveError:
            try:
                move, after = read_answer(position, seat, text, ply)
            except Mishap:
                book.refuse(seat, used_s)
                raise
        asides = bot.asides
        book.add(move, seat, used_s, left_s, asides.comments() if asides.infos else None)
        other.news += b"play %d %b\n" % (ply, move.encode())
        return after

    def _own_turns_s(self, seat: Seat) -> float:
        """Return the time of a seat's own turns, that which has not ended included."""
        ended_s = sum(self._book.answers_s(seat))
        bot = self._bots[seat]
        return ended_s + (time.monotonic() - bot.child.asked_s if bot.is_thinking else 0.0)

    def _close(self, ending: Ending, *, keep_log: bool) -> GameResult:
        """Tell both bots how it ended; return the game."""
        odd = [self._bots[seat].odd_cpu(self._own_turns_s(seat)) for seat in SEATS]
        for bot in self._bots:
            if bot.is_running:
                stop = [wire.STOP] if bot.is_thinking else []
                bot.say(*stop, wire.result_line(self._plan.number, ending.result, ending.why))
        said, log = self._last_words(is_bad=ending.is_bots_fault, keep_log=keep_log)
        self._book.stray_lines = sum(bot.asides.strays.number for bot in self._bots)
        notes = tuple(note for note in odd if note)
        return self._book.close(ending.result, ending.why, ending.words, said, log, notes)

    def _last_words(self, *, is_bad: bool, keep_log: bool) -> tuple[dict[str, str], str]:
        """Return what each bot complained of or wrote to standard error at last, and the log.

        Standard error only where the game ended badly; the log is empty where it is not kept. What
        passed is forgotten after this.
        """
        errors, log = {}, ""
        if is_bad or keep_log:
            errors = {bot.name: text for bot in self._bots if (text := bot.child.stderr_text())}
            log = log_of({bot.name: bot.child.exchange for bot in self._bots}, errors)
        said = {}
        for bot in self._bots:
            last = [errors[bot.name]] if is_bad and bot.name in errors else []
            if words := "\n".join([*bot.asides.complaints.first, *last]):
                said[bot.name] = words
            bot.child.exchange.clear()
        return said, log
