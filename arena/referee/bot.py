"""One bot as the protocol sees it: what it is, whether it runs, what it was asked and said.

Must not know rules or tournaments.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from lath.arena.errors import GameVoidError
from lath.arena.referee.clock import Limits
from lath.arena.referee.process import Child
from lath.arena.referee.watch import Watch
from lath.notation import wire
from lath.notation.timecontrol import TimeControl

QUIT_S: Final = 1.0
"""Time that a bot has to end after `quit`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotSpec:
    """How a bot is started. Picklable: it travels to the workers."""

    name: str
    command: tuple[str, ...]
    """Program and arguments, ready for the system: paths are absolute or found on PATH."""

    cwd: str | None = None
    """Where it runs; None: in a scratch directory of its own."""

    env: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    memory_bytes: int | None = None
    time: TimeControl | None = None
    """Its own time control; None: the tournament's."""

    threads: int = 1
    """Cores that it needs at the same time."""

    lacks: str = field(default="", compare=False)
    """Which file of the command is not there, in words, for when it does not start."""


class Bot:
    """A bot and, while it runs, its process. `start` may be called again after `kill`."""

    def __init__(self, spec: BotSpec, watch: Watch, *, tree: str) -> None:
        self.spec: Final = spec
        self.name: Final = spec.name
        self.games: frozenset[str] = frozenset()
        """Ids of the games it plays, after `start`."""
        self.options: dict[str, wire.Option] = {}
        self.wants: frozenset[str] = frozenset()
        """`legal` and `position`, where it asked for them."""
        self.parting_note = ""
        """What was odd about its end, after `leave`; else empty."""
        self._watch: Final = watch
        self._tree: Final = tree
        self._child: Child | None = None

    @property
    def child(self) -> Child:
        """Return the running process."""
        assert self._child is not None, f"{self.name} is not running"
        return self._child

    @property
    def is_running(self) -> bool:
        """Return whether there is a process that can be talked to."""
        child = self._child
        return child is not None and not child.is_gone and not child.flooded

    def start(self, limits: Limits) -> None:
        """Start the process and greet it; raises GameVoidError."""
        self.kill()
        spec = self.spec
        try:
            self._child = Child.start(
                spec.command,
                tree=self._tree,
                cwd=spec.cwd,
                env=spec.env,
                memory_bytes=spec.memory_bytes,
            )
        except OSError as error:
            what = error.filename or spec.command[0]
            raise GameVoidError(
                self.name, f"cannot be started: {error.strerror}: {str(what)!r}"
            ) from error
        self._watch.add(self._child)
        self._greet(limits)

    def _greet(self, limits: Limits) -> None:
        games: set[str] = set()
        wants: set[str] = set()
        self.options = {}

        def take(line: str) -> bool:
            words = line.split()
            match words:
                case ["ok"]:
                    return True
                case ["game", *ids]:
                    games.update(ids)
                case ["want", *what]:
                    wants.update(what)
                case ["option", *_]:
                    self._take_option(line)
            return False  # what else comes before `ok` is a banner

        self.say(wire.HELLO)
        self._await(take, limits.startup_s, "ok", self.spec.lacks)
        self.games, self.wants = frozenset(games), frozenset(wants)
        for name, value in self.spec.options.items():
            self.say(wire.setoption_line(name, value))

    def _take_option(self, line: str) -> None:
        with suppress(ValueError):  # a line that makes no sense harms nobody
            option = wire.read_option(line)
            self.options[option.name] = option

    def wrong_options(self) -> list[str]:
        """Return what is wrong with the options of the configuration, a line each."""
        wrong = []
        for name, value in self.spec.options.items():
            option = self.options.get(name)
            if option is None:
                known = ", ".join(self.options) or "it has none"
                wrong.append(f"unknown option {name!r} ({known})")
            elif expected := option.wrong_with(value):
                wrong.append(f"option {name} = {value!r}, expected {expected}")
        return wrong

    def begin(self, new: wire.NewGame, limits: Limits) -> None:
        """Tell of a new game and wait until the bot is ready; raises GameVoidError."""
        self.child.forget_output()
        self.say(new.line())
        ready = ["ready", str(new.number)]
        self._await(lambda line: line.split() == ready, limits.startup_s, " ".join(ready))

    def _await(
        self, done: Callable[[str], bool], within_s: float, what: str, cause: str = ""
    ) -> None:
        child = self.child
        child.expect()
        until_s = time.monotonic() + within_s
        while True:
            while child.lines:
                if done(child.lines.popleft().decode("utf-8", "replace")):
                    return
            if child.is_gone and not child.out_closed:
                child.take_output()
                if child.lines:
                    continue
            if child.is_gone:
                event = f"{child.end_words()} before {what}{cause and f': {cause}'}"
                raise GameVoidError(self.name, self.describe(event))
            if child.flooded:
                raise GameVoidError(self.name, f"flooded its output before {what}")
            if time.monotonic() >= until_s:
                raise GameVoidError(
                    self.name, self.describe(f"did not say {what} within {within_s:g} s")
                )
            self._watch.wait(until_s)

    def describe(self, event: str) -> str:
        """Return `event` with the end of what the bot wrote to standard error."""
        words = " ".join(self.child.stderr_text().split())
        said = "".join(letter if letter.isprintable() else "?" for letter in words)
        if not said:
            return event
        return f"{event}; standard error: {'…' if len(said) > 300 else ''}{said[-300:]}"

    def say(self, *lines: str) -> None:
        """Send lines in one write."""
        self.child.send("".join([f"{line}\n" for line in lines]).encode())

    def quit(self) -> None:
        """Ask the bot to end; kill its tree a second later, or at once where it has gone."""
        self.leave(self.ask_to_leave())

    def ask_to_leave(self) -> float:
        """Say `quit`; return until when the bot may take to end."""
        if self.is_running:
            self.say(wire.QUIT)
        return time.monotonic() + QUIT_S

    def leave(self, until_s: float) -> bool:
        """Return whether the bot, told to, ends by `until_s`; kill what is left of its tree.

        `parting_note` then says what was odd about it.
        """
        self.parting_note = ""
        if not self.is_running:
            self.kill()
            return True
        child = self.child
        while not child.has_ended and child.pid_fd >= 0 and time.monotonic() < until_s:
            self._watch.wait(until_s)  # it may have more to say than a pipe holds
        ended = child.wait(until_s)
        if not ended:
            self.parting_note = f"did not end within {QUIT_S:g} s of quit"
        elif child.status:
            self.parting_note = f"{child.end_words()} on quit"
        self.kill()
        return ended

    def kill(self) -> None:
        """End the bot's whole tree now; nothing happens if it does not run."""
        if self._child is not None:
            child, self._child = self._child, None
            self._watch.drop(child)
            child.kill()
