"""The conversation with a bot by the protocol: start, handshake, games, requests and end.

The referee, `arena play` and `arena bot check` all talk to bots through this module.

Times are those of `signals.awake_s`, and deadlines are absolute. Each ply costs one `Bot.ask`: one
write, one poll and one read, with as little other work as possible (benchmarks/runner.py).
"""

from __future__ import annotations

import errno
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from lath.arena.errors import LACKS, Cause, GameVoidError, HeldUpError, UnfitBotError
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.bots import Asides, BotSpec, Greeting
from lath.arena.referee.clock import MARGIN_S, STOP_S, Limits
from lath.arena.referee.originals import change_in
from lath.arena.referee.process import Child
from lath.arena.referee.process_trees import lacking
from lath.arena.referee.watch import Watch
from lath.arena.sandbox.limits import out_of_memory
from lath.games.core import Move, Position
from lath.games.errors import LathError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record.errors import printable
from lath.notation.record.tags import Termination

SHORTEST_SLICE_S, LONGEST_SLICE_S = 0.01, 0.25
"""Bounds of the time that the arena sleeps while a bot thinks, to notice that it was held up.

It sleeps half of the margin, so the margin covers a stall that stays unnoticed. 40 wake-ups per
second take 4 ms of a core.
"""

NOISE: Final = 0.2
"""The part of a slice that the arena may oversleep; a longer delay is a stall."""

SPOILT: Final = 0.05
"""The part of a bot's clock that a stall may take without making the game void."""

MOST_LATE: Final = 2
"""The number of times that a game is restarted for a bot that computed and was late."""

OWN_SHARE: Final = 1 / 3
"""The part of its time that a bot must have computed for its lateness to be its own fault."""

LATE_S: Final = 0.1
"""The time to wait for a late answer, to report how late it is, in seconds."""

_ODD_CPU_S: Final = 0.2
"""CPU time beyond its own turns, in seconds, that makes the arena note it."""

THEFT_S: Final = 0.15
"""The CPU time of a bot in one turn of the opponent, in seconds, for which it is stopped at once.

It must also be more than a third of the turn.
"""

MOST_ROBBED: Final = 4.0
"""The longest extension if the opponent computes, as a multiple of the time for the move."""

COMPUTED: Final = "; it computed"
"""The words that report that a bot was busy instead of answering."""

AGAIN_LATE: Final = f", for the {MOST_LATE + 1}rd time in this game: it computes too long"
"""The words that report that a game was restarted for this bot without success."""

CLEAN: Final = "exited with status 0"
"""The words for a clean end of a bot."""


class NoAnswerError(LathError):
    """The expected answer did not come."""

    def __init__(
        self, bot: Bot, why: Termination, awaited: str, within_s: float, over_s: float = 0.0
    ) -> None:
        super().__init__(f"{bot.name}: {why}")
        self.bot = bot
        """The bot at fault: the one that was asked, or its opponent."""
        self.why = why
        """The ending: `time`, `crash` or `flood`."""
        self.awaited = awaited
        """The beginning of the expected answer, such as `ready 3`."""
        self.within_s = within_s
        """The time limit for the answer, in seconds."""
        self.over_s = over_s
        """The delay after the limit, in seconds; 0 if it is unknown."""


class Bot:
    """A bot and, while it runs, its process. `start` may be called again after `kill`."""

    def __init__(
        self,
        spec: BotSpec,
        watch: Watch,
        *,
        tree: str,
        forgives_hold_ups: bool = False,
        at_terminal: bool = False,
    ) -> None:
        """Prepare a bot; `tree` marks its processes.

        With `at_terminal` the process shares this process's session and standard error. With
        `forgives_hold_ups` the time of an answer excludes stalls of the arena; otherwise a stall
        raises HeldUpError.
        """
        self.spec: Final = spec
        self.name: Final = spec.name
        self.greeting = Greeting()
        """The bot's last complete handshake."""
        self.begun = Greeting()
        """The last handshake as far as it came, even without `ok`."""
        self.parting_note = ""
        """The oddity of its end, after `leave`; otherwise empty."""
        self._watch: Final = watch
        self.tree: Final = tree
        self._forgives: Final = forgives_hold_ups
        self._at_terminal: Final = at_terminal
        self._child: Child | None = None
        self._opened_s = 0.0
        self.stop_s = spec.stop_s or STOP_S
        """The time limit to end after `quit`, in seconds."""
        # The current game
        self.asides = Asides()
        self.news = b""
        """The lines to send before the next `go`."""
        self._asked = self._answered = 0
        """The last ply that the bot was asked for, and the last that it answered; else 0."""
        self._limit_by(TimeControl())
        self._then: TimeControl | None = None
        """The time control after the first move if that differs; otherwise None."""
        self._expect_stalls(MARGIN_S)
        self.is_watched = False
        """True if the arena watches the CPU time that both bots use in a turn."""
        self.times_late = 0
        """The number of restarts of this game because the bot computed and was late."""
        self._burnt_s: list[tuple[Bot, float]] = []
        """The CPU time of both bots' processes when the bot was asked, if it is watched."""
        self._needs_board = True
        """True if `go` may need more lines before it than the news."""
        self._turns_s = 0.0
        """The time that the bot was allowed to compute until its last answer or `_free_since_s`."""
        self._free_since_s: float | None = None
        """The time since which it may compute without a request; None if it may not."""
        self._excess_s = self._told_excess_s = 0.0
        """The CPU time beyond its turns of earlier processes, and the part already reported."""
        self._was_suspect = False
        """True if an earlier process was stopped from computing."""
        self._cpu_before_s = 0.0
        self._cpu_asked_s = 0.0
        """Its CPU time when the arena began to wait for it; quick answers need no wait."""

    # Its process

    @property
    def child(self) -> Child:
        """Return the running process."""
        assert self._child is not None, f"{self.name} is not running"
        return self._child

    @property
    def has_process(self) -> bool:
        """Return True if there is a process, even one that has ended since it started."""
        return self._child is not None

    @property
    def has_been_greeted(self) -> bool:
        """Return True if the bot has answered `ok` at least once."""
        return self.greeting.after_s > 0

    @property
    def is_running(self) -> bool:
        """Return True if there is a process that can be talked to, as far as is known."""
        child = self._child
        return child is not None and not child.is_gone and not child.flooded

    def open(self, memory_bytes: int | None = None) -> None:
        """Start the process, with an optional limit on the memory of its process tree.

        Raises GameVoidError, or MachineError if the machine is at fault.
        """
        self.kill()
        self._refuse_changed()
        self._opened_s = signals.awake_s()
        spec = self.spec
        try:
            wall = spec.wall
            if memory_bytes and not spec.memory_bytes and sys.platform == "linux":
                wall, memory_bytes = replace(wall, tree_bytes=memory_bytes), None
            self._child = Child.start(
                spec.command,
                tree=self.tree,
                cwd=spec.cwd,
                env=self._variables(),
                memory_bytes=memory_bytes or spec.memory_bytes,
                wall=wall,
                at_terminal=self._at_terminal,
            )
        except OSError as error:
            if error.errno in LACKS:
                raise lacking(f"{self.name} cannot be started", error.errno) from error
            why = f"{error.strerror}: {str(error.filename or spec.command[0])!r}"
            if error.errno in (errno.ENOENT, errno.EACCES):
                why = spec.lacks or why
            if error.errno == errno.ENOENT and os.path.exists(spec.command[0]):
                why += ", though the file exists: its interpreter or loader does not"
            raise GameVoidError(Cause(f"cannot be started: {why}", self.name)) from error
        self._watch.add(self._child)
        self._turns_s, self._free_since_s = 0.0, self._opened_s
        self._child.heed(
            self._own_time, spec.threads, partial(self._watch.suspect, self._child), self._excess_s
        )
        self._child.may_speak = lambda: self.may_speak
        if self._was_suspect:
            self._watch.suspects.add(self._child)

    def _variables(self) -> Mapping[str, str]:
        """Return the environment variables that its process has besides those of every bot."""
        return self.spec.env

    @property
    def may_speak(self) -> bool:
        """Return True if it is the bot's turn or it may think on the opponent's."""
        return self._free_since_s is not None or self.is_thinking

    def _refuse_changed(self) -> None:
        """Raise GameVoidError, not counted against any bot, if a file of the bot has changed."""
        if change := change_in(self.spec.originals):
            event = (
                f"{change} since this run began, so the arena plays no more games of this bot; "
                "the next run says how to resume"
            )
            raise GameVoidError(Cause(event, self.name), is_fault=False)

    def _own_time(self) -> float:
        """Return how long this process was allowed to compute, in seconds. Any thread may ask."""
        while True:
            turns_s, since_s = self._turns_s, self._free_since_s
            child, asked, answered = self._child, self._asked, self._answered
            if since_s is None and asked != answered and child is not None:
                since_s = child.asked_s
            now_s = signals.awake_s()
            if (turns_s, asked, answered) == (self._turns_s, self._asked, self._answered):
                return turns_s if since_s is None else turns_s + max(0.0, now_s - since_s)

    def start(self, limits: Limits) -> None:
        """Start the process and do the handshake; raises GameVoidError and MachineError."""
        limits = self.spec.own(limits)
        self.stop_s = limits.stop_s
        self.open()
        try:
            self.greet(limits.startup_s)
        except NoAnswerError as error:
            raise self._void(error, self.spec.lacks) from error
        self._refuse_changed()  # check again, because it has read its files only now

    def _void(self, error: NoAnswerError, cause: str = "") -> GameVoidError:
        if error.why is Termination.FLOOD:
            event = f"flooded its output before {error.awaited}"
            return GameVoidError(Cause(event, self.name), error.why)
        event = f"did not say {error.awaited} within {error.within_s:g} s{self.instead(error)}"
        if error.why is Termination.CRASH:
            event = f"{self.end_words()} before {error.awaited}{cause and f': {cause}'}"
        return GameVoidError(self.cause(event), error.why)

    def end_words(self) -> str:
        """Return a description of how the process ended, with memory as a possible reason."""
        child, how = self.child, self.child.end_words()
        if how == CLEAN or how.startswith("closed"):
            return how
        held_bytes = max(child.data_bytes, child.peak_bytes)
        return how + out_of_memory(self.spec.memory_bytes, child.stderr_text(), held_bytes)

    def cause(self, event: str) -> Cause:
        """Return the cause of a game that is not played: `event` and the end of standard error."""
        lines = self.child.stderr_text().splitlines()
        # Marks such as `^^^` below the lines of a traceback mean nothing in a single line.
        told = [line for line in lines if line.strip(" ~^")]
        said = printable(" ".join(" ".join(told).split()))
        return Cause(event, self.name, f"{'…' if len(said) > 300 else ''}{said[-300:]}")

    def quit(self) -> None:
        """Ask the bot to end; kill its process tree after `stop_s`, or at once if it has ended."""
        self.leave(self.ask_to_leave())

    def ask_to_leave(self) -> float:
        """Send `quit`; return the time by which the bot must end."""
        if self.is_running:
            self.child.resume()
            self._free_since_s = signals.awake_s()
            self.say(wire.QUIT)
        return signals.awake_s() + self.stop_s

    def leave(self, until_s: float) -> bool:
        """Return True if the bot ends by `until_s`; kill the rest of its process tree.

        `parting_note` then has a description of anything odd.
        """
        self.parting_note = ""
        if not self.is_running:
            self.kill()
            return True
        if not (ended := self.ends_by(until_s)):
            self.parting_note = f"did not end within {self.stop_s:g} s of quit"
        elif (how := self.child.end_words()) != CLEAN:
            self.parting_note = f"{how} on quit"
        self.kill()
        return ended

    def ends_by(self, until_s: float) -> bool:
        """Return True if the process ends by `until_s`; its output is read until then."""
        child = self.child
        while not child.wait(0.0) and (now_s := signals.awake_s()) < until_s:
            # It can write more than a pipe holds. Without pidfds only polling shows its end.
            self._watch.wait(until_s if child.pid_fd >= 0 else min(until_s, now_s + 0.01))
        return child.wait(0.0)

    def kill(self) -> None:
        """End the bot's whole process tree now; do nothing if it does not run."""
        if self._child is not None:
            child, self._child = self._child, None
            self._excess_s = child.excess_s
            self._was_suspect |= child in self._watch.suspects
            self._watch.drop(child)
            child.kill()

    # Requests and answers

    def say(self, *lines: str, end: str = "\n") -> float:
        """Send lines in one write; return the time of the write."""
        return self.child.send("".join([f"{line}{end}" for line in lines]).encode())

    def greet(self, within_s: float) -> None:
        """Do the handshake, wait for `ok` and set the options; raises NoAnswerError."""
        greeting = self.begun = Greeting()
        self._cpu_asked_s = 0.0
        self.hear("ok", self.say(wire.HELLO), within_s, greeting.take)
        greeting.after_s = signals.awake_s() - self._opened_s
        self.greeting = greeting
        for name, value in self.spec.options.items():
            self.say(wire.setoption_line(name, value))

    def refuse_unless_it_plays(self, game_ids: Sequence[str]) -> None:
        """Raise ConfigError if the bot has not named all of these games in its handshake."""
        if missing := [game for game in game_ids if not self.greeting.plays(game)]:
            known = ", ".join(sorted(set(self.greeting.games))) or "no game"
            words = f"does not play {', '.join(missing)}: it plays {known}"
            played = [f"--game {game}" for game in game_ids if game not in missing]
            message = f"bot {self.name!r} {words}"
            raise UnfitBotError(self.name, words, message, hint=" ".join(played))

    def wrong_options(self) -> list[str]:
        """Return one line of text for each configured option that is wrong."""
        return list(self.greeting.wrong_options(self.spec.options))

    def begin(self, new: wire.NewGame, limits: Limits, *before: str) -> None:
        """Begin a game with the bot, after the lines `before`; raises GameVoidError.

        Output from before is dropped.
        """
        self.child.forget_output()
        self.asides = Asides()
        try:
            self.enter(new, limits, *before)
        except NoAnswerError as error:
            raise self._void(error) from error

    def enter(self, new: wire.NewGame, limits: Limits, *before: str) -> float:
        """Announce a new game after the lines `before`; return the seconds until the bot is ready.

        Raises NoAnswerError.
        """
        limits = self.spec.own(limits)
        self.news = b""
        self._limit_by(new.time.of_first_go)
        self._then = new.time if new.time.first_ms else None
        self._expect_stalls(limits.margin_s)
        if self.is_thinking and self._free_since_s is None:  # the previous game was left
            self._free_since_s = self.child.asked_s
        self._asked = self._answered = 0
        self._needs_board = True
        self.child.game_bytes = 0
        self._cpu_before_s = math.inf  # nothing counts as odd before it is ready
        self._watch.stop_all_but(self.child)
        if self._free_since_s is None:
            self._free_since_s = signals.awake_s()
        after_s = self._get_ready(new, limits.startup_s, *before)
        if not (limits.ponder and wire.PONDER in self.greeting.wants):
            self._turns_s += signals.awake_s() - self._free_since_s
            self._free_since_s = None
        self._cpu_before_s = self.child.cpu_s
        return after_s

    def _get_ready(self, new: wire.NewGame, within_s: float, *before: str) -> float:
        return self.call(f"ready {new.number}", within_s, *before, new.line())

    def call(self, answer: str, within_s: float, *lines: str, end: str = "\n") -> float:
        """Send lines that have one answer, and return its time in seconds; raises NoAnswerError."""
        self.catch_up()
        self.child.output_bytes = 0
        self._cpu_asked_s = self.child.cpu_s
        return self.hear(answer, self.say(*lines, end=end), within_s)[1]

    def catch_up(self) -> None:
        """Read the waiting output as asides: none of it answers the next request."""
        self._watch.wait(0.0)
        while self.child.lines:
            self.asides.take(self.child.lines.popleft())

    def ask(
        self,
        position: Position,
        ply: int,
        left_ms: Sequence[int],
        allowed_s: float,
        other: Bot | None = None,
    ) -> tuple[str, float]:
        """Return the bot's move for a ply as it wrote it, and the time it took in seconds.

        `left_ms` are the clocks of the first and the second player; `allowed_s` is the time limit.
        Output from before the request does not answer it. Between the opponent's answer and `go`
        the arena does not listen for some microseconds; a line from then counts if it has the
        number of this ply.

        Raises NoAnswerError, also if `other` (the opponent) breaks meanwhile, and HeldUpError.
        """
        child = self._child
        assert child is not None
        if self._needs_board or child.lines or self._watch.suspects:
            self._prepare(position, ply, other)
        request = self.news + self._go_line(ply, left_ms[0], left_ms[1])
        self.news = b""
        self._asked = ply
        child.output_bytes = 0
        if (line := self._watch.ask(child, request, self._slice_s)) is not None:
            answer = b"bestmove %d " % ply
            if line.startswith(answer):
                used_s = child.arrived_s - child.asked_s
                if used_s <= allowed_s and used_s <= self._slice_s:
                    self._turns_s += used_s
                    self._answered = ply
                    child.output_bytes = 0
                    return line[len(answer) : -1].decode("utf-8", "replace"), used_s
            child.lines.append(line[:-1])
        return self.await_move(ply, child.asked_s, allowed_s, other)

    def let_ponder(self, ply: int) -> None:
        """Tell a bot that wants to ponder that the opponent is to move, with the news so far."""
        if wire.PONDER in self.greeting.wants and self.is_running:
            self.child.send(b"%b%b\n" % (self.news, wire.ponder_line(ply).encode()))
            self.news = b""

    def _prepare(self, position: Position, ply: int, other: Bot | None) -> None:
        """Drop the bot's earlier output, and add to its news the lines that it asked for."""
        self._watch.stop_all_but(self.child)
        if not self._asked or self.child.lines or self.child.glance(0):
            self.catch_up()  # the bot may have ended since it was ready
        if not self._asked and self.child.is_gone:
            raise NoAnswerError(self, Termination.CRASH, f"bestmove {ply}", 0.0)
        self.asides.infos.clear()
        if self._asked and self._then:
            self._limit_by(self._then)
            self._then = None
        wants = self.greeting.wants
        is_limited = self.spec.memory_bytes is not None
        if is_limited:
            self.child.note_data()
        self._needs_board = bool(wants or self._then) or self.is_watched or is_limited
        if self.is_watched:
            self._note_cpu(other)
        if "position" in wants:
            self.news += f"position {position.text()}\n".encode()
        if "legal" in wants:
            self.news += f"legal {' '.join(position.legal_moves())}\n".encode()

    def _note_cpu(self, other: Bot | None) -> None:
        """Note the CPU time of both bots so far: a stall may be caused by one of them."""
        both = [self, *([other] if other else [])]
        self._burnt_s = [(bot, bot.child.tree_cpu_s) for bot in both]

    def begin_to_think(self, position: Position, ply: int, left_ms: Sequence[int]) -> float:
        """Ask for a ply as `ask` does, without waiting; return the time of the request.

        Use `overhear` to read its output and `await_move` for its answer. Raises NoAnswerError.
        """
        self._prepare(position, ply, None)
        request = self.news + self._go_line(ply, left_ms[0], left_ms[1])
        self.news = b""
        self._asked = ply
        self._cpu_asked_s = self.child.cpu_s
        self.child.output_bytes = 0
        return self.child.send(request)

    def overhear(self, ply: int, since_s: float, until_s: float) -> bytes | None:
        """Return the bot's next line; None if it answers `go` for this ply.

        Such lines do not count for the output limit. `since_s` is the time of the request. Raises
        NoAnswerError if no line comes by `until_s` on the clock of `signals.awake_s`.
        """
        child, awaited = self.child, f"bestmove {ply}"
        while True:
            if child.lines:
                if child.lines[0].split()[:2] == awaited.encode().split():
                    return None
                child.output_bytes = child.game_bytes = 0
                return child.lines.popleft()
            self._wait_for(awaited, since_s, until_s)

    def _wait_for(self, awaited: str, since_s: float, until_s: float) -> None:
        """Wait for the next event; raises NoAnswerError if no answer can come in time."""
        if broken := self._broken(None):
            raise NoAnswerError(*broken, awaited, until_s - since_s)
        if signals.awake_s() >= until_s:
            raise NoAnswerError(self, Termination.TIME, awaited, until_s - since_s)
        signals.look()
        self._watch.wait(until_s)

    def await_move(
        self,
        ply: int,
        asked_s: float,
        allowed_s: float,
        other: Bot | None = None,
        *,
        looked_s: float | None = None,
    ) -> tuple[str, float]:
        """Return the move that answers `go` for a ply, and its time since `asked_s`; see `ask`.

        `looked_s` is when the bot was last listened to, if that was after `asked_s`.
        """
        self.asides.last = ""
        self._cpu_asked_s = self.child.cpu_s
        if not self.is_watched:
            self._note_cpu(other)
        awaited, strict = f"bestmove {ply}", not self._forgives
        text, used_s = self.hear(
            awaited, asked_s, allowed_s, other=other, is_strict=strict, looked_s=looked_s
        )
        if used_s > allowed_s:
            raise NoAnswerError(self, Termination.TIME, awaited, allowed_s, used_s - allowed_s)
        self._turns_s += max(0.0, self.child.arrived_s - asked_s)
        self._answered = ply
        self.child.output_bytes = 0
        return text, used_s

    def hear(
        self,
        awaited: str,
        since_s: float,
        within_s: float,
        aside: Callable[[bytes], None] | None = None,
        *,
        other: Bot | None = None,
        is_strict: bool = False,
        looked_s: float | None = None,
    ) -> tuple[str, float]:
        """Return the rest of the line after the words `awaited`, and its time; see `ask`.

        Other lines go to `aside`. Default: the bot's asides. A line that arrived in time counts,
        however late it is read. The wait grows by the time of stalls.

        Raises NoAnswerError. If `is_strict`, a stall that decides the game raises HeldUpError;
        otherwise the time of stalls does not count. Raises KeyboardInterrupt if this process is
        asked to stop.
        """
        child, aside = self.child, aside or self.asides.take
        wanted = awaited.encode().split()
        until_s, held_s, stalled_s = since_s + within_s, 0.0, 0.0
        due_s = (since_s if looked_s is None else looked_s) + self._slice_s
        starved_s = self._starvation(within_s if is_strict else 0.0)
        robbed_s = self._robbery(other if is_strict else None, MOST_ROBBED * within_s)
        while True:
            now_s = signals.awake_s()
            if (overslept_s := now_s - due_s) > NOISE * self._slice_s:
                held_s += overslept_s
                stalled_s += overslept_s
                until_s += overslept_s
                due_s = now_s
            has_said = bool(child.lines)
            if (text := self._take_answer(wanted, aside)) is not None:
                used_s = child.arrived_s - since_s
                if used_s - held_s > within_s:
                    held_s += starved_s()
                told_s = stalled_s if is_strict else None
                return text, self._charged(used_s, within_s, held_s, told_s)
            if broken := self._broken(other):
                raise NoAnswerError(*broken, awaited, within_s)
            if child.lines:
                continue  # it has written something before its end
            if now_s >= until_s:
                if not (more_s := starved_s() + robbed_s()):
                    raise NoAnswerError(self, Termination.TIME, awaited, within_s)
                held_s += more_s
                until_s += more_s
            signals.look()
            robbed_s(is_look=True)
            self._watch.stop_all_but(child)
            if has_said:  # reading its output takes time that is not a stall
                now_s = signals.awake_s()
            due_s = min(until_s, now_s + self._slice_s)
            self._watch.wait(due_s)

    def _take_answer(self, wanted: list[bytes], aside: Callable[[bytes], None]) -> str | None:
        """Return the text after these words in the line that answers; None if it has not come."""
        while self.child.lines:
            line = self.child.lines.popleft()
            words = line.split()
            move = words[len(wanted) :]
            if words[: len(wanted)] == wanted and (not move or wanted[0] == b"bestmove"):
                return b" ".join(move).decode("utf-8", "replace")
            aside(line)
        return None

    def _starvation(self, most_s: float) -> Callable[[], float]:
        """Return a function that gives the new time that the bot has waited for a core, in seconds.

        The total is at most `most_s`, because the bot may cause the wait itself. Noise counts as 0.
        The arena gets a core more easily than the bot, because the arena mostly sleeps.
        """
        child, told_s = self.child, 0.0
        before_s = child.waited_s if most_s else 0.0

        def starved_s() -> float:
            nonlocal told_s
            if (more_s := min(child.waited_s - before_s, most_s) - told_s) <= NOISE * self._slice_s:
                return 0.0
            told_s += more_s
            return more_s

        return starved_s

    def _robbery(self, other: Bot | None, most_s: float) -> Callable[..., float]:
        """Return a function that gives the new CPU time of the opponent in this turn, in seconds.

        The total is at most `most_s`. With `is_look` it only checks, and has the opponent stopped
        if it computes too much. Short-lived children show up as processes that run at each look.
        """
        before_s = next((cpu_s for bot, cpu_s in self._burnt_s if bot is other), 0.0)
        began_s, told_s, hidden = signals.awake_s(), 0.0, 0

        def robbed_s(*, is_look: bool = False) -> float:
            nonlocal told_s, hidden
            if other is None or not self._burnt_s or other.may_speak or not other.is_running:
                return 0.0
            used_s = other.child.tree_cpu_s - before_s
            if is_look:
                passed_s = signals.awake_s() - began_s
                is_hidden = used_s < passed_s / 10 and other.child.runs
                hidden = hidden + 1 if is_hidden else 0
                if used_s > max(THEFT_S, passed_s / 3) or (hidden > 3 and passed_s > THEFT_S):
                    self._watch.suspect(other.child)
                return 0.0
            if (more_s := min(used_s, most_s) - told_s) <= NOISE * self._slice_s:
                return 0.0
            told_s += more_s
            return more_s

        return robbed_s

    def _charged(
        self, used_s: float, within_s: float, held_s: float, stalled_s: float | None
    ) -> float:
        """Return the time to charge for an answer during which the machine stalled for `held_s`.

        `stalled_s` is the part in which the arena stood still; in the rest the bot waited for a
        core. None means not strict: the stall does not count.

        A stall that decides the game raises HeldUpError. It is not a stall if the bot's own
        processes kept the machine busy. If the opponent's did, the answer is in time. A bot that
        computed and was late in `MOST_LATE` restarts of the game is late.
        """

        def decides(held_s: float) -> bool:
            if used_s > within_s:
                return used_s - held_s <= within_s
            return self._has_clock and held_s > max(self._margin_s, SPOILT * within_s)

        if stalled_s is None:
            return max(0.0, used_s - held_s)
        if not decides(held_s):
            return used_s
        own_s, others_s = 0.0, 0.0
        for bot, before_s in self._burnt_s:
            burnt_s = bot.child.tree_cpu_s - before_s
            if bot is self:  # the time that its threads could have used without waiting for others
                own_s = burnt_s / self.spec.threads
            else:
                others_s = burnt_s / process_trees.cores()
        held_s = min(held_s, used_s - own_s)
        if not decides(held_s):
            return used_s
        if others_s > held_s / 2:
            return min(used_s, within_s)
        is_late = used_s - stalled_s > within_s and own_s > OWN_SHARE * within_s
        if is_late and self.times_late >= MOST_LATE:
            return used_s
        raise HeldUpError(held_s, self.name if is_late else "")

    def _limit_by(self, time: TimeControl) -> None:
        """Use this time control in `go` lines."""
        self._go_line = wire.go_writer(time)
        self._has_clock = time.has_clock

    def _expect_stalls(self, margin_s: float) -> None:
        """Set the sleep so that the arena notices a stall before it has taken the margin."""
        self._margin_s = margin_s
        self._slice_s = min(LONGEST_SLICE_S, max(SHORTEST_SLICE_S, margin_s / 2))

    def _broken(self, other: Bot | None) -> tuple[Bot, Termination] | None:
        """Return the bot that exceeded its output limit or ended, once no line is left to read."""
        child = self.child
        for bot in (self, other):
            if bot is not None and bot.child.flooded:
                return bot, Termination.FLOOD
        if child.is_gone:
            if not child.out_closed:
                child.take_output()
            return None if child.lines else (self, Termination.CRASH)
        if other is not None and other.has_left:
            return other, Termination.CRASH
        return None

    @property
    def has_left(self) -> bool:
        """Return True if the process has ended or closed a pipe during a game."""
        return self.child.is_gone

    # Reports about the bot

    def lateness(self, error: NoAnswerError) -> str:
        """Return a description of what the bot does instead of answering, or an empty string.

        Listens for another moment, to report how late a slightly late answer is.
        """
        if error.over_s:
            again = "" if self.times_late < MOST_LATE else AGAIN_LATE
            return f"; it came {max(0.001, error.over_s):.3f} s later{again}"
        child = self.child
        began_s = signals.awake_s()
        wanted = error.awaited.encode().split()
        late = None
        while late is None and not child.is_gone and signals.awake_s() < began_s + LATE_S:
            self._watch.wait(began_s + LATE_S)
            late = self._take_answer(wanted, self.asides.take)
        if late is not None:
            return f"; it came {max(0.001, child.arrived_s - began_s):.3f} s later"
        return self.instead(error)

    def instead(self, error: NoAnswerError) -> str:
        """Return a description of what the bot did instead of answering, or an empty string."""
        child = self.child
        if child.is_gone:
            return ""
        burnt_s = min(child.cpu_s - self._cpu_asked_s, error.within_s)
        line = self.asides.last
        if error.awaited == "ok" and self.begun.banner:
            line = self.begun.banner[-1]
        if said := line or child.unfinished:
            ended = "" if line else ", without the end of the line"
            return f"; it wrote {printable(said[:80])!r}{ended}"
        if burnt_s > error.within_s / 20:  # others may have used the cores
            return f"{COMPUTED} for {burnt_s:.3f} s of that"
        if child.has_unread_input:
            return "; it has not read all lines that the arena wrote"
        is_idle = child.cpu_s > 0 and process_trees.is_alone(child.pid)
        return "; it waits, perhaps because it does not flush its output" if is_idle else ""

    @property
    def is_thinking(self) -> bool:
        """Return True if the bot was asked and has not answered yet."""
        return self._asked != self._answered

    @property
    def left_unasked(self) -> bool:
        """Return True if a bot that ended did so before it could read its first `go`."""
        child = self.child
        return not self._asked or (
            not self._answered and (child.in_closed or child.has_unread_input)
        )

    def odd_cpu(self, own_turns_s: float) -> str:
        """Return a note if the bot computed during the opponent's turns; otherwise empty."""
        now_s = self.child.cpu_s
        spent_s = now_s - self._cpu_before_s
        own_s = own_turns_s * self.spec.threads
        is_odd = now_s != 0.0 and spent_s > own_s + max(_ODD_CPU_S, own_s / 2)
        is_stopped = self._child in self._watch.suspects
        if not (is_odd or is_stopped):
            return ""
        then = "; it was stopped meanwhile" if is_stopped else ""
        return f"{self.name} thinks on the opponent's turn, or in more threads than allowed{then}"

    def take_excess(self) -> str:
        """Return a note of CPU time beyond its turns since the last call; empty if negligible."""
        if (more_s := self.child.excess_s - self._told_excess_s) < _ODD_CPU_S:
            return ""
        self._told_excess_s += more_s
        return f"arena: used {more_s:.2f} s of CPU time beyond its own turns"


def play_line(ply: int, move: Move) -> bytes:
    """Return the `play` line of a ply that the bot did not choose."""
    return b"play %d %b\n" % (ply, move.encode())
