"""Where a bot is tested: its processes in turn, the games against it, what was heard."""

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
from lath.games.errors import GameError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.tags import Termination

_CUT_OUT: Final = re.compile(r" \[\.\.\. (\d+) bytes \.\.\.\] ")
"""What stands in the place of the middle of a line too long to keep."""

FLUSH: Final = (
    "end the line with a newline and flush after every line "
    "(Python: print(…, flush=True); C: fflush(stdout))"
)

DEFAULT_LIMITS: Final = Limits(
    time=TimeControl(initial_ms=2000, increment_ms=20), hard_limit_s=10.0
)


class Lab:
    """The bot under test, one process after the other; what was heard of all of them."""

    game: Game
    """The game in which it is tested now; there is none before it has named one."""

    def __init__(
        self,
        spec: BotSpec,
        games: tuple[str, ...] = (),
        *,
        limits: Limits = DEFAULT_LIMITS,
        asked: TimeControl | None = None,
        seed: int = 1,
    ) -> None:
        """`games` are the ids of those to test; none: all that it names and that are installed.

        `asked` is the time control that somebody named, for which the bot is to be fit; None: any.
        """
        self.asked: Final = asked
        self.games: Final = games
        self.limits: Final = spec.own(limits)
        """How long is waited; the time is that of the whole games."""
        self.seed: Final = seed
        self.has_been_ready = False
        """Whether it can play at all."""
        self.bad_infos: Final = Lines(3, 200)
        self.odd_moves: Final = Lines(3, 80)
        """Legal moves that were not in their canonical text."""
        self.bouts = 0
        """Games from the beginning in which it was asked for a move."""
        self.resigned_at_once = 0
        """Those of them that it resigned at its first turn."""
        self.tree: Final = f"check-{secrets.token_hex(4)}."
        """What marks its processes."""
        self._watch: Final = Watch()
        self.bot: Final = bot_of(spec, self._watch, tree=self.tree, forgives_hold_ups=True)
        self.go = ""
        """What asked it for a move the last time."""
        self._number = 0

    @property
    def contest(self) -> type[Codingame | Botzone] | None:
        """Return the contest whose protocol the bot speaks; None where it speaks ours."""
        return self.bot.contest if isinstance(self.bot, BridgedBot) else None

    # Its process

    def running(self) -> Bot:
        """Return the bot, greeted; a fresh process where there is none that lives.

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
        """End the process; the next one is a fresh one."""
        if self.bot.has_process:
            self.bot.catch_up()
        self.bot.kill()

    def listen(self, seconds: float) -> None:
        """Do nothing for a while but listen."""
        until_s = signals.awake_s() + seconds
        while signals.awake_s() < until_s:
            self._watch.wait(until_s)

    # What it says

    def fault_of(self, error: NoAnswerError) -> FaultFoundError:
        """Return in words that an answer did not come, and how to mend that."""
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
        more = ["…"] if len(lines) > 12 else []  # the last ones say what a traceback comes to
        return FaultFoundError(fault(seen, mend, (*more, *lines[-12:])))

    @property
    def exchange(self) -> tuple[str, ...]:
        """Return the last lines of both sides, those of the bot that nobody has heard too."""
        if not self.bot.has_process:
            return ()
        self._watch.wait(0.0)
        return tuple(_shown(line) for _, line in deque(lines_of(self.bot.child.exchange), 10))

    def judge_infos(self, position: Position) -> None:
        """Judge what the bot said with `info` while it thought about `position`."""
        infos = self.bot.asides.infos
        for line in infos[-INFO_KEPT:]:
            text = line.decode("utf-8", "replace").rstrip("\r")
            if why := wrong_info(text, position):
                self.bad_infos.add(f"{text[:60]} ({why})")
        infos.clear()

    # Its games

    def new_game(
        self,
        side: Side = Side.FIRST,
        *,
        time: TimeControl | None = None,
        seed: int | None = None,
        setup: str | None = None,
        position: str | None = None,
    ) -> wire.NewGame:
        """Return what the bot is told of a new game; no number comes twice."""
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
        """Return how long the bot takes to be ready for a game; raises NoAnswerError."""
        after_s = self.bot.enter(new, self.limits)
        self.has_been_ready = True
        return after_s

    def ready_s(self, side: Side = Side.FIRST) -> float:
        """Return how long the bot takes to be ready for a game that is not played."""
        setup = self.game.draw_setup(self.seed)
        return self.enter(self.new_game(side, time=TimeControl(move_ms=1000), setup=setup))


def _shown(line: str) -> str:
    """Return a line as people are shown it: cut off where it is long."""
    width = 2 + (30 if line.startswith("> legal ") else 90)  # the first moves say enough
    if len(line) <= width:
        return line
    letters = len(line) - 2
    if cut := _CUT_OUT.search(line):
        letters += int(cut[1]) - len(cut[0])
    return f"{line[:width].rstrip()} … ({letters} letters)"


def wrong_info(line: str, position: Position) -> str | None:
    """Return what is wrong with a comment of a bot that thinks about `position`; None if nothing.

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
    """A game between the bot and a player that picks its moves by chance, at once."""

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
        """Tell the bot of a new game and wait until it is ready; raises as `Lab.running`.

        A game that `is_next` is for the process of the game before, which may have died of it.

        Setup, its chance and the other's follow from `seed`, where there is no `position`; a game
        that `is_plain` has no setup.
        """
        seed = lab.seed if seed is None else seed
        is_drawn = position is None and not is_plain
        self.setup: Final = lab.game.draw_setup(seed) if is_drawn else None
        self.side: Final = side
        self.position = (
            lab.game.start(self.setup) if position is None else lab.game.position(position)
        )
        self.ply = 1
        """The number of the ply to come."""
        self.moves: Final[list[str]] = []
        """What the bot has answered: its moves, and `resign`."""
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
        """Return whether nobody moves any more."""
        return self.resigned or self.position.is_over

    @property
    def _time(self) -> TimeControl:
        """Return what the next `go` says."""
        return self._new.time if self.moves else self._new.time.of_first_go

    @property
    def _is_limited(self) -> bool:
        """Return whether the bot knows a time that its next move may take."""
        time = self._time
        return bool(time.has_clock or time.move_ms or (time.first_ms and not self.moves))

    def play(self, move: Move) -> None:
        """Play a ply that the bot hears of before its next `go`: the other's, or a book's."""
        self._bot.news += play_line(self.ply, move)
        self.position = self.position.play(move)
        self.ply += 1

    def reply(self) -> None:
        """Play a move by chance."""
        self.play(self._chance.choice(self.position.legal_moves()))

    def play_out(
        self,
        *,
        seconds: float = 4.0,
        turns: int = 10_000,
        left_ms: int | None = None,
        before_go: Sequence[str] = (),
    ) -> Self:
        """Play until the game is over, the bot has had its turns, or the time is up; finish it.

        A game that takes longer is broken off, as by adjudication.
        `left_ms` is what its clock shows, in place of what is left; it hears `before_go` each time
        before it is asked.
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
        """Return the bot's move, or `resign`; `left_ms` in place of what its clock shows.

        Raises NoAnswerError, and FaultFoundError: it is too late, or the move is none or not legal.
        """
        clocks = [*self._clock.left_ms]
        if left_ms is not None:
            clocks[self.side] = left_ms
        self._lab.go = go = wire.go_line(self.ply, self._time, *clocks)
        allowed_s, margin_s = self._clock.allowed_s[self.side], self._lab.limits.margin_s
        grace_s = 0.5  # an answer is waited for longer, to tell how late it is
        if not self._is_limited:
            margin_s = grace_s = 0.0  # only the patience of who tests it sets a limit
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
        """Ask the bot; return whether it thinks, and has not answered at once.

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
        """Say `stop` while the bot thinks; return how long its answer takes.

        Raises NoAnswerError.
        """
        return self._bot.await_move(self.ply, self._bot.say(wire.STOP), within_s)[1]

    def finish(self) -> None:
        """Tell the bot of the result: by the rules, of a resignation, else of an adjudication."""
        if self.resigned:
            self.end(Result.won_by(self.side.other), Termination.RESIGNATION)
        elif outcome := self.position.outcome():
            self.end(outcome.result, Termination.RULES)
        else:
            self.end(Result.DRAWN, Termination.ADJUDICATION)

    def end(self, result: Result, why: Termination, *before: str) -> None:
        """Tell the bot of this result, after the lines `before`."""
        self._lab.judge_infos(self.position)
        self._bot.say(*before, wire.result_line(self._new.number, result, why))

    def words(self) -> str:
        """Return how far the game went and how long the bot took."""
        how = f"{self.ply - 1} plies, slowest move {duration(self.slowest_s)}"
        if self.resigned:
            return f"resigned at ply {self.ply}; {how}"
        if (outcome := self.position.outcome()) is None:
            return f"{how}, then broken off"
        won = "drew" if outcome.winner is None else ("lost", "won")[outcome.winner is self.side]
        return f"{won} by {outcome.ending}; {how}"
