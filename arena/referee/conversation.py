"""A bot as the protocol sees it, in one game: what it was told and asked, what it said.

Must not know rules or tournaments.

Must not know who wins, nor what mishaps cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from lath.arena.errors import GameVoidError
from lath.arena.referee.clock import Limits
from lath.arena.referee.process import Child, Watch, text_of
from lath.games.core import SEATS, Position, Seat
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl

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


DETAIL: Final = 300
"""Characters of a mishap's story, in which a bot may have had its say."""

_COMPLAINTS_KEPT: Final = 20
"""Lines of `error` a game that are kept: the first ones."""

INFO_KEPT: Final = 64
"""Lines of `info` a move that are looked at: the last ones."""

TELLING_KEPT: Final = 1000
"""Letters of a `text` and of a `pv` that go into the record."""

_ODD_CPU_S: Final = 0.2
"""CPU time over that of its own turns from which on a bot is said to use the other's, too."""


class Side:
    """One of the two in a game; the bot runs."""

    def __init__(self, bot: Bot, limits: Limits) -> None:
        self.bot: Final = bot
        self.child: Final = bot.child
        self.time: Final = bot.spec.time or limits.time
        self.wants: Final = bot.wants
        self.news = b""
        """Lines that it has not been told yet."""
        self.go_line: Final = wire.go_writer(self.time)
        self.was_asked = False
        self.is_plain = False
        """Whether nothing but the news has to be sent before `go`."""
        self.infos: list[bytes] = []
        """Its lines of `info` for the present move."""
        self.complaints: list[str] = []
        """What it has said with `error`: the first lines of it."""
        self.stray_lines = 0
        """Lines of it that answer nothing."""
        self.cpu_before_s = 0.0

    def answered(self, line: bytes, ply: int) -> str | None:
        """Return the move if `line` answers `go` for `ply`; keep or count what else it is."""
        match line.split():
            case []:
                return None
            case [b"bestmove", number, *rest] if number == b"%d" % ply:
                return b" ".join(rest).decode("utf-8", "replace")
            case [b"info", *_]:
                self.inform(line)
            case [b"error", *_]:
                self.complain(line)
            case _:
                self.stray_lines += 1
        return None

    def drop_early(self) -> None:
        """Take in what it said before it was asked: none of it is an answer."""
        while self.child.lines:
            self.answered(self.child.lines.popleft(), 0)
        self.infos.clear()

    def complain(self, line: bytes) -> None:
        """Keep a line of `error`."""
        if len(self.complaints) < _COMPLAINTS_KEPT:
            self.complaints.append(line.decode("utf-8", "replace")[:500])

    def told(self) -> dict[str, str]:
        """Return what its lines of `info` say of the move, the last of each; forget them."""
        told: dict[str, str] = {}
        for line in self.infos[-INFO_KEPT:]:
            told |= wire.read_info(line.decode("utf-8", "replace"))
        self.infos.clear()
        return {name: _shortened(value) for name, value in told.items()}

    def inform(self, line: bytes) -> None:
        """Keep a line of `info`, and no more of them than will be looked at."""
        self.infos.append(line)
        if len(self.infos) > 2 * INFO_KEPT:
            del self.infos[:INFO_KEPT]

    def odd_cpu(self, own_turns_s: float) -> str:
        """Return a note if it has thought while the other was to move; empty if not."""
        now_s = self.child.cpu_s
        spent_s = now_s - self.cpu_before_s
        own_s = own_turns_s * self.bot.spec.threads
        if now_s == 0.0 or spent_s <= own_s + max(_ODD_CPU_S, own_s / 2):
            return ""
        return f"{self.bot.name} thinks on the other's turn, or in more threads than it is said to"


def _shortened(value: str) -> str:
    """Return as many words of a bot's comment or line of moves as a record keeps."""
    if len(value) <= TELLING_KEPT:
        return value
    return value[:TELLING_KEPT].rpartition(" ")[0] or value[:TELLING_KEPT]


def seated(both: tuple[Side, Side]) -> Iterable[tuple[Seat, Side]]:
    """Return the sides with their seats."""
    return zip(SEATS, both, strict=True)


def wanted(wants: Iterable[str], position: Position) -> bytes:
    """Return the lines that a bot asked for before each `go`."""
    lines = ""
    if "position" in wants:
        lines = f"{wire.position_line(position.text())}\n"
    if "legal" in wants:
        lines += f"{wire.legal_line(position.legal_moves())}\n"
    return lines.encode()


def last_words(
    both: tuple[Side, Side], *, is_bad: bool, keep_log: bool
) -> tuple[dict[str, str], str]:
    """Return what each bot complained of or wrote to standard error at last, and the game's log.

    Standard error only where the game ended badly; the log is empty where it is not kept. What
    passed is forgotten after this.
    """
    errors: dict[str, str] = {}
    if is_bad or keep_log:
        errors = {side.bot.name: side.child.stderr_text() for side in both}
    said = {}
    for side in both:
        text = errors.get(side.bot.name, "") if is_bad else ""
        if words := "\n".join([*side.complaints, *([text] if text else [])]):
            said[side.bot.name] = words
    log = ""
    if is_bad or keep_log:
        log = text_of(dict(_exchanges(both)), {name: text for name, text in errors.items() if text})
    for side in both:
        side.child.exchange.clear()
    return said, log


def _exchanges(both: tuple[Side, Side]) -> Iterator[tuple[str, list[tuple[float, bool, bytes]]]]:
    for side in both:
        yield side.bot.name, list(side.child.exchange)
