"""The test bench of a check: the bot's processes, its test games and everything it wrote."""

from __future__ import annotations

import random
import re
import secrets
from collections import deque
from collections.abc import Sequence
from typing import Final, Self

from lath import DOCUMENTATION
from lath.arena.botcheck.points import FaultFoundError, duration, fault
from lath.arena.errors import GameVoidError
from lath.arena.machine import signals
from lath.arena.referee.bots import INFO_KEPT, BotSpec, Lines
from lath.arena.referee.bridges import Botzone, BridgedBot, Codingame, bot_of
from lath.arena.referee.clock import Clock, Limits
from lath.arena.referee.conversation import COMPUTED, Bot, NoAnswerError, play_line
from lath.arena.referee.log import lines_of
from lath.arena.referee.watch import Watch
from lath.games.core import Game, Move, Position, Result, Side, read_move
from lath.games.errors import GameError, count_of
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination

_CUT_OUT: Final = re.compile(r" \[\.\.\. (\d+) bytes \.\.\.\] ")
"""The text that replaces the middle of a very long line."""

FLUSH: Final = (
    "end the line with a newline and flush after every line "
    "(Python: print(…, flush=True); C: fflush(stdout))"
)

DEFAULT_LIMITS: Final = Limits(
    time=TimeControl(initial_ms=2000, increment_ms=20), hard_limit_s=10.0
)


class Lab:
    """The tested bot, in one process after another, with the findings of all of them."""

    game: Game
    """Game type that is tested now; unset before the bot names one."""

    def __init__(
        self,
        spec: BotSpec,
        games: tuple[str, ...] = (),
        *,
        limits: Limits = DEFAULT_LIMITS,
        asked: TimeControl | None = None,
        seed: int = 1,
    ) -> None:
        """Prepare the tests of the game types with the ids `games`.

        An empty `games` means all installed game types that the bot names. `asked` is the time
        control that the bot must be fit for, or None for any.
        """
        self.asked: Final = asked
        self.games: Final = games
        self.limits: Final = spec.own(limits)
        """Time limits of answers; the time control is for whole games."""
        self.seed: Final = seed
        self.has_been_ready = False
        """True once the bot was ready for a game."""
        self.bad_infos: Final = Lines(3, 200)
        self.odd_moves: Final = Lines(3, 80)
        """Legal moves that were not written in canonical form."""
        self.bouts = 0
        """Games from a starting position in which the bot was asked for a move."""
        self.resigned_at_once = 0
        """Games among these that the bot resigned at its first turn."""
        self.tree: Final = f"check-{secrets.token_hex(4)}."
        """Mark of the bot's processes."""
        self._watch: Final = Watch()
        self.bot: Final = bot_of(spec, self._watch, tree=self.tree, forgives_hold_ups=True)
        self.go = ""
        """Last line that asked the bot for a move."""
        self._number = 0

    @property
    def contest(self) -> type[Codingame | Botzone] | None:
        """Return the contest whose protocol the bot speaks; None for the arena's own."""
        return self.bot.contest if isinstance(self.bot, BridgedBot) else None

    # The process

    def running(self) -> Bot:
        """Return the bot after its handshake, in a fresh process if necessary.

        Raises FaultFoundError, NoAnswerError.
        """
        self._watch.wait(0.0)
        if not self.bot.is_running:
            self.open()
            self.bot.greet(self.limits.startup_s)
        return self.bot

    def open(self, *, memory_bytes: int | None = None) -> None:
        """Start a process; raises FaultFoundError."""
        self.drop()
        try:
            self.bot.open(memory_bytes)
        except GameVoidError as error:
            raise FaultFoundError(
                fault(
                    error.reason,
                    "check the path, the permission to execute the file and its first line (#!…)",
                )
            ) from error

    def drop(self) -> None:
        """End the process, so that the next test starts a fresh one."""
        if self.bot.has_process:
            self.bot.catch_up()
        self.bot.kill()

    def listen(self, seconds: float) -> None:
        """Listen for some seconds without asking anything."""
        until_s = signals.awake_s() + seconds
        while signals.awake_s() < until_s:
            self._watch.wait(until_s)

    # The bot's answers

    def fault_of(self, error: NoAnswerError) -> FaultFoundError:
        """Return the finding for a missing answer, with its remedy."""
        is_move = error.awaited.startswith("bestmove ")
        what = f"`{error.awaited} MOVE` to `{self.go}`" if is_move else f"`{error.awaited}`"
        asked = "`go N …` with `bestmove N MOVE`" if is_move else f"with {what}"
        if self.contest and is_move:
            form = self.contest.answer_form
            what, asked = f"{form} to its turn", f"each turn with {form}"
        if error.why is Termination.FLOOD:
            mend = "write lines of at most 64 KiB, and at most 8 MiB for one move in all"
            return FaultFoundError(fault(f"flooded its output before {what}", mend), is_costly=True)
        if error.why is Termination.TIME:
            instead = self.bot.instead(error)
            seen = f"no {what} within {duration(error.within_s)}{instead}"
            mend = f"answer {asked}; {FLUSH}"
            if instead.startswith(COMPUTED):
                mend = f"answer {asked} before the time is up; the bot computed and did not answer"
            if is_move and (wrong := self.bot.asides.wrong_answer):
                seen = f"no {what} within {duration(error.within_s)}, but {wrong[:60]!r}"
                mend = "answer `go N …` with the same number: `bestmove N MOVE`"
            return FaultFoundError(fault(seen, mend), is_costly=True)
        seen = f"{self.bot.end_words()} before {what}"
        mend = "keep running, reading and writing until `quit`"
        if self.bot.spec.lacks and error.awaited == "ok":
            seen = f"{seen}: {self.bot.spec.lacks}"
            mend = "put the file there, or correct its path"
        written = [line.rstrip()[:300] for line in self.bot.child.stderr_text().splitlines()]
        lines = [line for line in written if line]
        more = ["…"] if len(lines) > 12 else []  # the last lines have the cause in a traceback
        return FaultFoundError(fault(seen, mend, (*more, *lines[-12:])))

    @property
    def exchange(self) -> tuple[str, ...]:
        """Return the last lines of both sides, including lines of the bot that were not read."""
        if not self.bot.has_process:
            return ()
        self._watch.wait(0.0)
        return tuple(_shown(line) for _, line in deque(lines_of(self.bot.child.exchange), 10))

    def judge_infos(self, position: Position) -> None:
        """Check the bot's `info` lines from its search of `position`."""
        infos = self.bot.asides.infos
        for line in infos[-INFO_KEPT:]:
            text = line.decode("utf-8", "replace").rstrip("\r")
            if why := wrong_info(text, position):
                self.bad_infos.add(f"{text[:60]} ({why})")
        infos.clear()

    # The bot's games

    def new_game(
        self,
        side: Side = Side.FIRST,
        *,
        time: TimeControl | None = None,
        seed: int | None = None,
        setup: str | None = None,
        position: str | None = None,
    ) -> wire.NewGame:
        """Return the announcement of a new game, with a new number."""
        self._number += 1
        return wire.NewGame(
            number=self._number,
            game=self.game.id,
            side=side.word,
            time=time or self.limits.time,
            seed=self.seed if seed is None else seed,
            setup=setup,
            position=position,
        )

    def enter(self, new: wire.NewGame) -> float:
        """Return the seconds until the bot is ready for a game; raises NoAnswerError."""
        after_s = self.bot.enter(new, self.limits)
        self.has_been_ready = True
        return after_s

    def ready_s(self, side: Side = Side.FIRST) -> float:
        """Return the seconds until the bot is ready for a game that is not played."""
        setup = self.game.draw_setup(self.seed)
        return self.enter(self.new_game(side, time=TimeControl(move_ms=1000), setup=setup))


def _shown(line: str) -> str:
    """Return a line as the report shows it, cut off if it is long."""
    width = 2 + (30 if line.startswith("> legal ") else 90)  # the first moves are enough
    if len(line) <= width:
        return line
    letters = len(line) - 2
    if cut := _CUT_OUT.search(line):
        letters += int(cut[1]) - len(cut[0])
    return f"{line[:width].rstrip()} … ({letters} letters)"


def wrong_info(line: str, position: Position) -> str | None:
    """Return the error in a bot's comment about `position`, or None.

    >>> from lath import games
    >>> wrong_info("info depth 3 eval 0.25 pv e5 swap", games.get("yavalath").start())
    >>> wrong_info("info eval 25", games.get("yavalath").start())
    'eval 25'
    """
    words = line.split()[1:]
    understood = wire.read_info(line)
    while words:
        name = words.pop(0)
        if name == "text":
            return None
        if name == "pv":
            try:
                for text in words:
                    position = position.play(read_move(position, text))
            except GameError as error:
                return f"pv: {error}"
            return None if words else "pv without moves"
        value = words.pop(0) if words else ""
        if understood.get(name) != value:
            return f"{name} {value}".strip()
    return None


class Bout:
    """A game between the bot and an opponent that plays random moves at once."""

    def __init__(
        self,
        lab: Lab,
        side: Side = Side.FIRST,
        *,
        time: TimeControl | None = None,
        seed: int | None = None,
        position: str | None = None,
        is_plain: bool = False,
        is_next: bool = False,
    ) -> None:
        """Announce a new game and wait until the bot is ready; raises the errors of `Lab.running`.

        With `is_next`, the process of the last game must play it, even if that game has ended the
        process. Without a `position`, `seed` decides the setup, which `is_plain` leaves out. It
        also decides the bot's random numbers and the opponent's.
        """
        seed = lab.seed if seed is None else seed
        is_drawn = position is None and not is_plain
        self.setup: Final = lab.game.draw_setup(seed) if is_drawn else None
        self.side: Final = side
        self.position = (
            lab.game.start(self.setup) if position is None else lab.game.position(position)
        )
        self.ply = 1
        """Number of the next ply."""
        self.moves: Final[list[str]] = []
        """The bot's answers: its moves and `resign`."""
        self.resigned = False
        self.slowest_s = 0.0
        self._lab: Final = lab
        self._bot: Final = lab.bot if is_next else lab.running()
        self._chance: Final = random.Random(f"{lab.game.id} {side} {seed}")
        self._new: Final = lab.new_game(
            side, time=time, seed=seed, setup=self.setup, position=position
        )
        self._clock: Final = Clock(lab.limits, (self._new.time, self._new.time))
        lab.enter(self._new)

    @property
    def is_over(self) -> bool:
        """Return whether the game is over or was resigned."""
        return self.resigned or self.position.is_over

    @property
    def _time(self) -> TimeControl:
        """Return the time control in the next `go`."""
        return self._new.time if self.moves else self._new.time.of_first_go

    @property
    def _is_limited(self) -> bool:
        """Return whether the bot's next move has a time limit."""
        time = self._time
        return bool(time.has_clock or time.move_ms or (time.first_ms and not self.moves))

    def play(self, move: Move) -> None:
        """Play a ply of the opponent or of a book; the bot gets it before its next `go`."""
        self._bot.news += play_line(self.ply, move)
        self.position = self.position.play(move)
        self.ply += 1

    def reply(self) -> None:
        """Play a random move."""
        self.play(self._chance.choice(self.position.legal_moves()))

    def play_out(
        self,
        *,
        seconds: float = 4.0,
        turns: int = 10_000,
        left_ms: int | None = None,
        before_go: Sequence[str] = (),
    ) -> Self:
        """Play until the game is over, the bot has had its turns, or the time is up; then end it.

        A longer game ends as by adjudication. `left_ms` replaces the time on the bot's clock. The
        bot gets the lines `before_go` before each `go`.
        """
        until_s = signals.awake_s() + seconds
        while not self.is_over and len(self.moves) < turns and signals.awake_s() < until_s:
            if self.position.to_move is self.side:
                if before_go:
                    self._bot.say(*before_go)
                self.ask(left_ms=left_ms)
            else:
                self.reply()
        self.finish()
        return self

    def ask(self, *, left_ms: int | None = None) -> str:
        """Return the bot's move, or `resign`; `left_ms` replaces the time on its clock.

        Raises NoAnswerError, or FaultFoundError for a late, missing or illegal move.
        """
        clocks = [*self._clock.left_ms]
        if left_ms is not None:
            clocks[self.side] = left_ms
        self._lab.go = go = wire.go_line(self.ply, self._time, *clocks)
        allowed_s, margin_s = self._clock.allowed_s[self.side], self._lab.limits.margin_s
        grace_s = 0.5  # wait longer to measure how late the answer is
        if not self._is_limited:
            margin_s = grace_s = 0.0  # only the time limit of the test counts
        try:
            text, used_s = self._bot.ask(self.position, self.ply, clocks, allowed_s + grace_s)
        finally:
            self._lab.judge_infos(self.position)
        self.slowest_s = max(self.slowest_s, used_s)
        if used_s > allowed_s:
            raise FaultFoundError(
                fault(
                    f"took {duration(used_s)} for `{go}`, but had {duration(allowed_s - margin_s)}",
                    "measure the time from `go` and answer before it is up; times are milliseconds",
                )
            )
        self._clock.charge(self.side, used_s)
        return self._judge_move(go, " ".join(text.split()))

    def _judge_move(self, go: str, text: str) -> str:
        if not self.moves and self.ply <= 2 and self._new.position is None:
            self._lab.bouts += 1
            self._lab.resigned_at_once += text == wire.RESIGN
        if text == wire.RESIGN:
            self.resigned = True
            self.moves.append(text)
            return text
        if not text:
            mend = "write `bestmove N MOVE` on one line; N is the number of `go`"
            raise FaultFoundError(fault(f"no move after the number (`{go}`)", mend))
        try:
            move = read_move(self.position, text)
        except GameError as error:
            mend = (
                "begin at the start given by `new`, make every `play` and your own `bestmove`, "
                f"and write moves as {DOCUMENTATION}explanation/rules/ does; "
                f"or say `want legal` before `ok`"
            )
            if self._lab.contest:
                mend = f"answer each turn with {self._lab.contest.answer_form}, as in the contest"
            elif "legal" in self._bot.greeting.wants:
                mend = "answer with a move of the last `legal` line, spelled as there"
            raise FaultFoundError(fault(f"{error} (`{go}`)"[:300], mend)) from error
        if move != text:
            self._lab.odd_moves.add(f"{text} for {move}")
        self.moves.append(move)
        self.position = self.position.play(move)
        self.ply += 1
        return move

    def begin_to_think(self) -> bool:
        """Ask the bot; return whether it thinks rather than answering at once.

        Raises NoAnswerError.
        """
        clocks = self._clock.left_ms
        self._lab.go = wire.go_line(self.ply, self._time, *clocks)
        try:
            self._bot.ask(self.position, self.ply, clocks, 0.05)
        except NoAnswerError as error:
            if error.why is not Termination.TIME:
                raise
        return self._bot.is_thinking

    def stop(self, within_s: float) -> float:
        """Send `stop` while the bot thinks; return the seconds until its answer.

        Raises NoAnswerError.
        """
        return self._bot.await_move(self.ply, self._bot.say(wire.STOP), within_s)[1]

    def finish(self) -> None:
        """Send the result: by the rules, by resignation, or otherwise by adjudication."""
        if self.resigned:
            self.end(Result.won_by(self.side.other), Termination.RESIGNATION)
        elif outcome := self.position.outcome():
            self.end(outcome.result, Termination.RULES)
        else:
            self.end(Result.DRAWN, Termination.ADJUDICATION)

    def end(self, result: Result, why: Termination, *before: str) -> None:
        """Send this result after the lines `before`."""
        self._lab.judge_infos(self.position)
        self._bot.say(*before, wire.result_line(self._new.number, result, why))

    def words(self) -> str:
        """Return the length of the game and the bot's slowest move, in words."""
        how = f"{count_of(self.ply - 1, 'ply')}, slowest move {duration(self.slowest_s)}"
        if self.resigned:
            return f"resigned at ply {self.ply}; {how}"
        if (outcome := self.position.outcome()) is None:
            return f"{how}, then broken off"
        won = "drew" if outcome.winner is None else ("lost", "won")[outcome.winner is self.side]
        return f"{won} by {outcome.ending}; {how}"
