"""A scripted conversation with a bot: its process, what is said and heard, its games.

Must not know rules, nor what is right: it tells of silence, floods and ends, others judge.

Must not know processes.

Must not know processes.

Must not know games or verdicts.

Must not know processes. The other side plays at once, so its clock stands still.

Must not know what a game is played for: who plays it says how far and with which time.
"""

from __future__ import annotations

import os
import random
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from lath.arena.botcheck.points import FaultFoundError, SilenceError, duration
from lath.arena.referee import trees
from lath.arena.referee.clock import MARGIN_S
from lath.arena.referee.conversation import BotSpec
from lath.arena.referee.process import Child, Watch
from lath.games.core import Game, Move, Position, Seat, read_move
from lath.games.errors import GameError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl
from lath.notation.record import Termination

LINES_KEPT: Final = 10
"""Lines of the conversation that are shown when something goes wrong."""

STDERR_LINES: Final = 12
"""Lines of standard error that are shown: the last ones, which say what a traceback comes to."""

STDERR_WIDTH: Final = 300

_WIDTH: Final = 90
"""Letters of a line that are shown."""

_LEGAL_WIDTH: Final = 30
"""The same for a line of legal moves, of which the first say enough."""

_UNHEARD_KEPT: Final = 1000
"""Lines between two answers that are looked at: the last ones."""

FLUSH: Final = (
    "end the line with a newline and flush after every line "
    "(Python: print(…, flush=True); C: fflush(stdout))"
)

_KEEP_RUNNING: Final = "keep running, reading and writing until `quit`"

Words = list[str]


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer."""

    words: Words
    after_s: float
    """How long it took from the question, on the wall clock."""


class Session:
    """One process of the bot and all that is said to and by it."""

    def __init__(self, spec: BotSpec, *, memory_bytes: int | None = None) -> None:
        """Start the bot; raises OSError where the system cannot."""
        self.unheard: Final[deque[str]] = deque(maxlen=_UNHEARD_KEPT)
        """Lines that were not what was waited for; the reader takes them away."""
        self._said: Final[deque[str]] = deque(maxlen=LINES_KEPT)
        self._tree: Final = f"check-{secrets.token_hex(4)}."
        self._watch: Final = Watch()
        self._asked_s = 0.0
        self._has_answered = False
        self._lacks: Final = spec.lacks
        self._child: Final = Child.start(
            spec.command,
            tree=self._tree,
            cwd=spec.cwd,
            env=spec.env,
            memory_bytes=memory_bytes or spec.memory_bytes,
        )
        self._watch.add(self._child)

    @property
    def exchange(self) -> tuple[str, ...]:
        """Return the last lines of both sides, those of the bot that nobody has heard too."""
        self._catch_up()
        return tuple(self._said)

    @property
    def is_alive(self) -> bool:
        """Return whether the bot still runs and listens, as far as is known now."""
        self._watch.wait(0.0)
        return not (self._child.is_gone or self._child.flooded)

    @property
    def pid(self) -> int:
        """Return the process, which is also the number of its session."""
        return self._child.pid

    def say(self, *lines: str, end: str = "\n") -> None:
        """Send lines in one write; what the bot said before is no answer to them."""
        self._catch_up()
        self._said.extend(f"> {_shown(line)}" for line in lines)
        self._child.expect()
        self._asked_s = time.monotonic()
        self._child.send("".join(f"{line}{end}" for line in lines).encode())

    def _catch_up(self) -> None:
        """Take what lies there; not more, for a flood has no end."""
        self._watch.wait(0.0)
        while self._child.lines:
            self.unheard.append(self._take())

    def _take(self) -> str:
        line = self._child.lines.popleft().decode("utf-8", "replace").rstrip("\r")
        self._said.append(f"< {_shown(line)}")
        return line

    def hear(self, is_answer: Callable[[Words], bool], within_s: float, what: str) -> Heard:
        """Return the answer to what was said last, at most `within_s` after it was.

        Other lines go to `unheard`. Raises FaultFoundError: the bot is silent, gone or floods.
        """
        child = self._child
        until_s = self._asked_s + within_s
        while True:
            while child.lines:
                words = (line := self._take()).split()
                if is_answer(words):
                    self._has_answered = True
                    return Heard(words, child.arrived_s - self._asked_s)
                self.unheard.append(line)
            if child.flooded:
                raise self._flood(what)
            if child.is_gone:
                if not child.out_closed:
                    child.take_output()  # what it said before it went
                if not child.lines:
                    raise self._end(what)
            elif time.monotonic() >= until_s:
                raise self._silence(what, within_s)
            else:
                self._watch.wait(until_s)

    def _flood(self, what: str) -> FaultFoundError:
        return FaultFoundError(
            f"flooded its output before {what}",
            "write lines of at most 64 KiB, and at most 8 MiB for one move",
            is_costly=True,
        )

    def _end(self, what: str) -> FaultFoundError:
        seen, mend = f"{self._child.end_words()} before {what}", _KEEP_RUNNING
        if self._lacks and not self._has_answered:
            seen, mend = (
                f"{seen}: {self._lacks}",
                "put the file there, or write its path from there",
            )
        return FaultFoundError(seen, mend, stderr=_last_lines(self._child.stderr_text()))

    def _silence(self, what: str, within_s: float) -> SilenceError:
        seen = f"no {what} within {duration(within_s)}"
        return SilenceError(seen, f"answer with {what}; {FLUSH}")

    def pause(self, seconds: float) -> None:
        """Do nothing for a while but listen."""
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self._watch.wait(until_s)
        self._catch_up()

    def close_input(self) -> None:
        """End the bot's input, as a parent that dies does."""
        self._said.append("> (end of the input)")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._child.in_fd)  # the descriptor stays the child's to close
        os.close(nowhere)

    def ends_within(self, seconds: float) -> str | None:
        """Return how the process ends, in words; None where it does not in this time."""
        until_s = time.monotonic() + seconds
        while not self._child.wait(time.monotonic() + 0.01):
            if time.monotonic() >= until_s:
                return None
            self._watch.wait(time.monotonic())  # a full pipe must not hold it up
        return self._child.end_words()

    def sweep(self) -> int:
        """End what the process has left behind; return how many processes that were."""
        return trees.sweep(self._tree)

    def close(self) -> None:
        """End the process and all that it started."""
        self._watch.drop(self._child)
        self._child.kill()


def _last_lines(text: str) -> tuple[str, ...]:
    """Return the last lines of standard error; `…` comes before them where there were more."""
    lines = [line.rstrip()[:STDERR_WIDTH] for line in text.splitlines() if line.strip()]
    more = ("…",) if len(lines) > STDERR_LINES else ()
    return (*more, *lines[-STDERR_LINES:])


def is_word(*wanted: str) -> Callable[[Words], bool]:
    """Return what tells a line that is just these words, whatever blanks are between them."""
    expected: Sequence[str] = list(wanted)
    return lambda words: words == expected


def _shown(line: str) -> str:
    """Return a line as people are shown it: cut off where it is long."""
    width = _LEGAL_WIDTH if line.startswith("legal ") else _WIDTH
    return line if len(line) <= width else f"{line[:width].rstrip()} … ({len(line)} letters)"


@dataclass(slots=True)
class Greeting:
    """A bot's words about itself."""

    name: str = ""
    games: list[str] = field(default_factory=list)
    """Ids as the bot gives them, installed or not."""

    options: list[wire.Option] = field(default_factory=list)
    bad_options: list[str] = field(default_factory=list)
    """Why lines of `option` cannot be read."""

    wants: list[str] = field(default_factory=list)
    banner: list[str] = field(default_factory=list)
    """Lines that mean nothing."""

    after_s: float = 0.0
    """How long `ok` took from the process's start."""


def read_greeting(lines: Iterable[str], after_s: float) -> Greeting:
    """Return what the lines before `ok` say."""
    greeting = Greeting(after_s=after_s)
    for line in lines:
        _take(greeting, line)
    return greeting


def _take(greeting: Greeting, line: str) -> None:
    match line.split():
        case []:
            pass
        case ["id", "name", *words] if words:
            greeting.name = " ".join(words)
        case ["id", "author", *_]:
            pass
        case ["game", *ids]:
            greeting.games += ids
        case ["want", *what]:
            greeting.wants += what
        case ["option", *_]:
            _take_option(greeting, line)
        case _:
            greeting.banner.append(line)


def _take_option(greeting: Greeting, line: str) -> None:
    try:
        greeting.options.append(wire.read_option(line))
    except ValueError as error:
        greeting.bad_options.append(str(error))


def odd_options(options: Iterable[wire.Option]) -> list[str]:
    """Return what is wrong with options that can be read, a line each.

    >>> odd_options([wire.Option("depth", "spin", "9", 1, 8)])
    ["option depth: default '9' is not a whole number from 1 to 8"]
    """
    told = []
    for option in options:
        if option.type == "combo" and not option.choices:
            told.append(f"option {option.name}: a combo without a `var` for each choice")
        elif option.default is not None and (expected := option.wrong_with(option.default)):
            told.append(f"option {option.name}: default {option.default!r} is not {expected}")
    return told


def bounds_of(option: wire.Option) -> list[str]:
    """Return the values at the edges of what an option takes; none where it has no edges.

    >>> bounds_of(wire.Option("depth", "spin", "3", 1, 8))
    ['1', '8']
    """
    if option.type == "check":
        return ["true", "false"]
    if option.type == "combo":
        return list(option.choices)
    return [str(bound) for bound in (option.minimum, option.maximum) if bound is not None]


_KEPT: Final = 3
"""Examples of each kind that are shown."""

INFOS_READ: Final = 64
"""Lines of `info` a move that are looked at: the last ones, as in a game."""


@dataclass(slots=True)
class Count:
    """How many lines were of one kind, and the first of them."""

    number: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        """Count a line."""
        self.number += 1
        if len(self.examples) < _KEPT:
            self.examples.append(line)

    def words(self) -> str:
        """Return the number and the examples."""
        shown = ", ".join(repr(line[:80]) for line in self.examples)
        return f"{self.number} line{'' if self.number == 1 else 's'}, such as {shown}"


@dataclass(slots=True)
class Tally:
    """What was heard beside the answers."""

    strays: Count = field(default_factory=Count)
    """Answers to nothing and lines that are not of the protocol."""

    infos: int = 0
    """Lines of `info` for moves."""

    bad_infos: Count = field(default_factory=Count)
    complaints: Count = field(default_factory=Count)
    """Lines of `error`."""

    odd_moves: Count = field(default_factory=Count)
    """Legal moves that were not in their canonical text."""

    def hear(self, lines: Iterable[str], position: Position | None = None) -> None:
        """Sort lines that nobody waited for; `position` is the one that the bot thought about."""
        infos = []
        for line in lines:
            words = line.split()
            if words[:1] == ["info"]:
                infos.append(line)
            elif words[:1] == ["error"]:
                self.complaints.add(line)
            elif words:
                self.strays.add(line)
        if position is not None:
            self.infos += len(infos)
            for line in infos[-INFOS_READ:]:
                if why := wrong_info(line, position):
                    self.bad_infos.add(f"{line[:60]} ({why})")


def wrong_info(line: str, position: Position) -> str | None:
    """Return what is wrong with a comment of a bot that thinks about `position`; None if nothing.

    >>> from lath import games
    >>> wrong_info("info depth 3 eval 0.25 pv e5 swap", games.get("yavalath").start())
    >>> wrong_info("info eval 25", games.get("yavalath").start())
    'eval 25'
    """
    words = line.split()[1:]
    told = wire.read_info(line)
    while words:
        name = words.pop(0)
        if name == "text":
            return None
        if name == "pv":
            return _wrong_variation(words, position)
        value = words.pop(0) if words else ""
        if told.get(name) != value:
            return f"{name} {value}".strip()
    return None


def _wrong_variation(moves: list[str], position: Position) -> str | None:
    if not moves:
        return "pv without moves"
    for text in moves:
        try:
            position = position.play(read_move(position, text))
        except GameError as error:
            return f"pv: {error}"
    return None


DEFAULT_TIME: Final = TimeControl(initial_ms=2000, increment_ms=20)

SILENCES: Final = 2
"""After so many silences and floods, nothing more is asked."""

BREAKS: Final = 30
"""After so many points that ended the session, the rest would not tell anything new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a bot is tested."""

    games: tuple[str, ...] = ()
    """Ids; empty: all that the bot names and that are installed."""

    startup_s: float = 10.0
    """For `ok` and each `ready`."""

    move_s: float = 10.0
    """For a move where the time control sets no limit."""

    time: TimeControl = field(default=DEFAULT_TIME)
    """Of the whole games."""

    seed: int = 1


class Lab:
    """The bot under test, one process after the other."""

    def __init__(self, spec: BotSpec, terms: Terms) -> None:
        self.spec: Final = spec
        self.terms: Final = terms
        self.tally: Final = Tally()
        self.greeting = Greeting()
        """What the bot said of itself when it was started last."""
        self.has_been_ready = False
        """Whether it can play at all."""
        self.silences = 0
        self.breaks = 0
        self._session: Session | None = None
        self._number = 0
        self._opened_s = 0.0

    def session(self) -> Session:
        """Return a session with the bot greeted; a fresh one where there is none that lives.

        Raises FaultFoundError.
        """
        if self._session is None or not self._session.is_alive:
            self.drop()
            self.open()
            self.greet()
        assert self._session is not None
        return self._session

    def session_as_it_is(self) -> Session:
        """Return the session that there is, alive or not."""
        assert self._session is not None
        return self._session

    def open(self, *, memory_bytes: int | None = None) -> None:
        """Start a process; raises FaultFoundError."""
        self.drop()
        self._opened_s = time.monotonic()
        try:
            self._session = Session(self.spec, memory_bytes=memory_bytes)
        except OSError as error:
            what = error.filename or self.spec.command[0]
            raise FaultFoundError(
                f"cannot be started: {error.strerror}: {str(what)!r}",
                "check the path, that the file may be executed, and its first line (#!…)",
            ) from error

    def greet(self) -> None:
        """Say hello and set the options that the user gave; raises FaultFoundError."""
        session = self._session
        assert session is not None
        session.say(wire.HELLO)
        session.hear(is_word("ok"), self.terms.startup_s, "`ok`")
        self.greeting = read_greeting(session.unheard, time.monotonic() - self._opened_s)
        session.unheard.clear()
        for name, value in self.spec.options.items():
            session.say(wire.setoption_line(name, value))

    def next_number(self) -> int:
        """Return the number of the next game: none comes twice."""
        self._number += 1
        return self._number

    def drain(self, forgiving: Words | None = None) -> None:
        """Count what was said and answered nothing, but for lines with these first words."""
        if self._session is not None:
            lines = list(self._session.unheard)
            self._session.unheard.clear()
            if forgiving is not None:
                lines = [line for line in lines if line.split()[: len(forgiving)] != forgiving]
            self.tally.hear(lines)

    @property
    def exchange(self) -> tuple[str, ...]:
        """Return the last lines of the session."""
        return self._session.exchange if self._session is not None else ()

    def drop(self) -> None:
        """End the session; the next one begins with a fresh process."""
        if self._session is not None:
            self.drain()
            session, self._session = self._session, None
            session.close()

    @property
    def gave_up(self) -> str:
        """Return why nothing more is asked of the bot; empty while it is."""
        if self.silences >= SILENCES:
            return f"it fell silent or flooded {self.silences} times before; mend that first"
        if self.breaks >= BREAKS:
            return f"{self.breaks} sessions broke before; mend them first"
        return ""


class Allowance:
    """The time of one side; times are readings of the wall clock, in seconds."""

    def __init__(self, time: TimeControl, side: Seat, unlimited_s: float) -> None:
        """Begin a game; `unlimited_s` is for a move where the time control sets no limit."""
        self.time: Final = time
        self._side: Final = side
        self._unlimited_s: Final = unlimited_s
        self._left_ms = time.initial_ms

    @property
    def has_limit(self) -> bool:
        """Return whether a late answer loses the game."""
        return bool(self.time.has_clock or self.time.move_ms)

    @property
    def told_s(self) -> float:
        """Return how long the next move may take, as the bot is told."""
        if self.time.has_clock:
            return self._left_ms / 1000
        return self.time.move_ms / 1000 or self._unlimited_s

    @property
    def allowed_s(self) -> float:
        """Return how long the next move may take, with what is forgiven."""
        return self.told_s + (MARGIN_S if self.has_limit else 0.0)

    def go_line(self, ply: int, left_ms: int | None = None) -> str:
        """Return `go …`; with `left_ms` in place of what the clock shows."""
        clocks = [self.time.initial_ms] * 2
        clocks[self._side] = self._left_ms if left_ms is None else left_ms
        return wire.go_line(ply, self.time, *clocks)

    def charge(self, used_s: float) -> None:
        """Take the time of a move, and give the increment."""
        left_ms = self._left_ms - round(used_s * 1000)
        self._left_ms = max(0, left_ms) + self.time.increment_ms


_GRACE_S: Final = 0.5
"""How much longer than allowed an answer is waited for, to tell how late it is."""


class Bout:
    """A game between the bot and a player that picks its moves by chance."""

    def __init__(
        self,
        lab: Lab,
        game: Game,
        side: Seat,
        *,
        time: TimeControl | None = None,
        setup: str | None = None,
        position: str | None = None,
        seed: int | None = None,
        forgiving: Words | None = None,
    ) -> None:
        """Tell the bot of a new game and wait until it is ready; raises FaultFoundError.

        Lines that begin with the words `forgiving` may still come late from the game before.
        """
        self.side: Final = side
        self.time: Final = lab.terms.time if time is None else time
        self.number: Final = lab.next_number()
        self.position = game.start(setup) if position is None else game.position(position)
        self.ply = 1
        """The number of the ply to come."""
        self.turns = 0
        self.resigned = False
        self.last_s = 0.0
        """How long the bot's last answer took."""
        self.slowest_s = 0.0
        self._lab: Final = lab
        self._session: Final = lab.session()
        self._seed: Final = lab.terms.seed if seed is None else seed
        self._chance: Final = random.Random(f"{game.id} {side} {self._seed}")
        self._allowance: Final = Allowance(self.time, side, lab.terms.move_s)
        self._news: Final[list[str]] = []
        self._begin(game.id, setup, position)
        lab.drain(forgiving)

    def _begin(self, game_id: str, setup: str | None, position: str | None) -> None:
        new = wire.NewGame(
            number=self.number,
            game=game_id,
            side=self.side.word,
            time=self.time,
            seed=self._seed,
            setup=setup,
            position=position,
        )
        self._session.say(new.line())
        ready = is_word("ready", str(self.number))
        self._session.hear(ready, self._lab.terms.startup_s, f"`ready {self.number}`")

    @property
    def is_over(self) -> bool:
        """Return whether nobody moves any more."""
        return self.resigned or self.position.is_over

    @property
    def is_bots_turn(self) -> bool:
        """Return whether the bot decides next."""
        return self.position.to_move is self.side

    @property
    def answer(self) -> Words:
        """Return how an answer to `go` begins at this ply."""
        return ["bestmove", str(self.ply)]

    def tell(self, move: Move) -> None:
        """Play a ply that the bot hears of before its next `go`: the other's, or a book's."""
        self._news.append(wire.play_line(self.ply, move))
        self._apply(move)

    def reply(self) -> None:
        """Play a move by chance."""
        self.tell(self._chance.choice(self.position.legal_moves()))

    def ask(self, *, left_ms: int | None = None) -> str:
        """Return the bot's move, or `resign`; `left_ms` in place of what its clock shows.

        Raises FaultFoundError: it ends, is silent, too late, or the move is none or not legal.
        """
        go = self.send_go(left_ms=left_ms)
        allowed_s = self._allowance.allowed_s
        heard = self.hear(go, allowed_s + _GRACE_S if self._allowance.has_limit else allowed_s)
        self._judge_time(go, heard.after_s)
        return self._judge_move(go, " ".join(heard.words[2:]))

    def send_go(self, *, left_ms: int | None = None) -> str:
        """Ask the bot for a move, in one write with the news; return the line of `go`."""
        lines = [*self._news]
        self._news.clear()
        if "position" in self._lab.greeting.wants:
            lines.append(wire.position_line(self.position.text()))
        if "legal" in self._lab.greeting.wants:
            lines.append(wire.legal_line(self.position.legal_moves()))
        go = self._allowance.go_line(self.ply, left_ms)
        self._session.say(*lines, go)
        self._lab.drain()
        return go

    def hear(self, go: str, within_s: float) -> Heard:
        """Return the answer to `go`; raises FaultFoundError."""
        wanted = self.answer
        what = f"`{' '.join(wanted)} MOVE` to `{go}`"
        try:
            return self._session.hear(lambda words: words[:2] == wanted, within_s, what)
        except SilenceError as error:
            raise self._explained(error) from error
        finally:
            self._lab.tally.hear(self._session.unheard, self.position)
            self._session.unheard.clear()

    def _explained(self, error: SilenceError) -> SilenceError:
        """Return the silence with what the bot said in place of an answer, if it said anything."""
        said = [line for line in self._session.unheard if line.split()[:1] == ["bestmove"]]
        if said:
            seen = f"{error.seen}, but {said[-1][:60]!r}"
            mend = "answer `go N …` with the same number: `bestmove N MOVE`"
        else:
            seen, mend = error.seen, f"answer `go N …` with `bestmove N MOVE`; {FLUSH}"
        return SilenceError(seen, mend)

    def forgive(self) -> None:
        """Count no answer to the last `go` that has come already."""
        self._lab.drain(self.answer)

    def _judge_time(self, go: str, used_s: float) -> None:
        self.last_s = used_s
        self.slowest_s = max(self.slowest_s, used_s)
        if used_s > self._allowance.allowed_s:
            had_s = self._allowance.told_s
            raise FaultFoundError(
                f"took {duration(used_s)} for `{go}`, it had {duration(had_s)}",
                "measure the time from `go` and answer before it is up; times are milliseconds",
            )
        self._allowance.charge(used_s)

    def _judge_move(self, go: str, text: str) -> str:
        self.turns += 1
        if text == wire.RESIGN:
            self.resigned = True
            return text
        if not text:
            raise FaultFoundError(
                f"no move after the number (`{go}`)",
                "write `bestmove N MOVE` on one line; N ends at a blank or with the line of `go`",
            )
        try:
            move = read_move(self.position, text)
        except GameError as error:
            raise FaultFoundError(f"{error} (`{go}`)"[:300], self._how_to_be_legal()) from error
        if move != text:
            self._lab.tally.odd_moves.add(f"{text} for {move}")
        self._apply(move)
        return move

    def _how_to_be_legal(self) -> str:
        if "legal" in self._lab.greeting.wants:
            return "answer with a move of the last `legal` line, as it is written there"
        return (
            "begin at the start that `new` tells, play every `play` and your own `bestmove` on "
            "it, write moves as docs/rules.md does; or say `want legal` before `ok`"
        )

    def _apply(self, move: Move) -> None:
        self.position = self.position.play(move)
        self.ply += 1

    def play_on(self, *, seconds: float, turns: int = 10_000) -> None:
        """Play until the game is over, the bot has had its turns, or the time is up."""
        until_s = time.monotonic() + seconds
        while not self.is_over and self.turns < turns and time.monotonic() < until_s:
            if self.is_bots_turn:
                self.ask()
            else:
                self.reply()

    def finish(self) -> None:
        """Tell the bot of the result: by the rules, of a resignation, else of an adjudication."""
        outcome = self.position.outcome()
        if self.resigned:
            self.end(("0-1", "1-0")[self.side], Termination.RESIGNATION)
        elif outcome is not None:
            self.end(outcome.result, Termination.RULES)
        else:
            self.end("1/2-1/2", Termination.ADJUDICATION)

    def end(self, result: str, why: Termination, *before: str) -> None:
        """Tell the bot of this result, after the lines `before`."""
        self._session.say(*before, wire.result_line(self.number, result, why))

    def words(self) -> str:
        """Return how far the game went and how long the bot took."""
        how = f"{self.ply - 1} plies, slowest move {duration(self.slowest_s)}"
        if self.resigned:
            return f"resigned at ply {self.ply}; {how}"
        outcome = self.position.outcome()
        if outcome is None:
            return f"{how}, then broken off"
        won = "drew" if outcome.winner is None else ("lost", "won")[outcome.winner is self.side]
        return f"{won} by {outcome.ending}; {how}"
