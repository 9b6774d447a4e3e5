"""A bot in a few lines: a function from a position and a turn to a move.

    from lath.bots.sdk import Turn, run

    def choose(position, turn):
        return turn.chance.choice(position.legal_moves())

    run(choose, name="Dice")

`run` speaks the protocol on standard input and output until the arena ends it. Prints of the bot go
to standard error, and so do the reasons why the rules refuse one of its moves. The reference is
docs/how-to/write-a-python-bot.md.
"""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TextIO

from lath import games
from lath.bots.listening import Thinking, listen
from lath.bots.options import Check, Combo, Declared, Options, Spin, Text
from lath.games.core import Move, Position, Side, read_move
from lath.games.errors import GameError, IllegalMoveError, LathError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl

__all__ = [
    "Check",
    "Choose",
    "Combo",
    "Player",
    "Spin",
    "Start",
    "Stopped",
    "Text",
    "Turn",
    "run",
]

FALLBACK_S: Final = 1.0
"""The thinking time in seconds if the arena does not set one."""

MOVES_TO_GO: Final = 20
"""The number of moves among which `Turn.budget_s` divides the time on the clock."""

NODES_S: Final = 30.0
"""The seconds after which `Turn.is_done` ends a search that only has a limit of nodes. The arena
waits twice as long."""

INFOS_AT_ONCE: Final = 16
"""The number of `info` lines per turn that are written at once; later ones may be combined."""

INFO_GAP_S: Final = 0.05
"""The seconds between two lines of `info` after those."""

MOST_OF_AN_ERROR: Final = 500
"""The most characters of a line `error`; the arena keeps this many."""


class Stopped(LathError):  # noqa: N818 - bots of users use this name
    """The bot must answer now; `Turn.check` raises this, and `run` catches it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The data of one turn: the time for the move, a source of chance, and ways to report."""

    ply: int
    """The number of the ply to play, from 1."""

    remaining_s: float | None
    """The time left on the bot's clock in seconds; None without a clock."""

    increment_s: float
    """The seconds added to the clock after the move."""

    move_s: float | None
    """The fixed time for this move in seconds, for example for a first move; None without one.

    It is infinite while the bot ponders.
    """

    nodes: int | None
    """The number of nodes to search; None without a limit."""

    chance: random.Random
    """The random numbers of the game, seeded by the arena: the same seed gives the same choices."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """The options set by the arena, or their defaults: whole numbers, booleans and texts."""

    began_s: float = field(default_factory=time.monotonic)
    """The time when the turn began, on `clock`."""

    out: TextIO = sys.stdout

    history: Sequence[str] = ()
    """The moves of the game so far, by both sides and of an opening, in canonical text."""

    thought: Thinking = field(default_factory=Thinking, repr=False)
    """The state shared by the bot and the reader of its input."""

    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    """The clock, in seconds; tests can replace it."""

    _ends_s: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ends_s", self.began_s + self.budget_s)

    @property
    def budget_s(self) -> float:
        """Return the seconds for this move that leave enough time for the rest of the game."""
        if self.move_s is not None:
            return self.move_s * 0.8
        if self.remaining_s is None:
            return FALLBACK_S
        share = self.remaining_s / MOVES_TO_GO + self.increment_s * 0.8
        return min(share, self.remaining_s * 0.8)

    @property
    def stopped(self) -> bool:
        """Return whether the arena wants the answer now, or no longer needs one.

        This call is cheap.
        """
        return self.thought.stopped

    @property
    def is_late(self) -> bool:
        """Return whether the budget is used up, or the arena has sent `stop`."""
        return self.thought.stopped or self.clock() > self._ends_s

    def is_done(self, nodes: int) -> bool:
        """Return whether a search must end after this number of nodes, or because of the time.

        If only nodes are limited, the time is ignored for half a minute, so that the same seed
        gives the same moves on a slow machine.
        """
        if self.nodes is None or self.thought.stopped:
            return self.is_late
        ends_s = self._ends_s if self.move_s is not None else self.began_s + NODES_S
        return nodes >= self.nodes or self.clock() > ends_s

    def check(self, nodes: int | None = None) -> None:
        """Raise Stopped if the turn `is_late` or, with `nodes`, `is_done`.

        This ends a search from any depth; `run` then plays the last suggestion.
        """
        if self.is_late if nodes is None else self.is_done(nodes):
            raise Stopped

    def suggest(self, move: str) -> None:
        """Set the move to play if `choose` raises Stopped or returns None."""
        self.thought.best = move

    def info(self, **told: object) -> None:
        """Report `depth`, `eval` (-1..1), `nodes`, `pv` and `text` to the arena, for the record.

        Lists of moves are written as words. You can call this often: after the first lines of a
        turn, only the latest values are written, every 50 ms and before the move.
        """
        thought = self.thought
        if thought.is_pondering and thought.stopped:
            return  # it would count for the next move
        thought.infos += 1
        if thought.infos > INFOS_AT_ONCE:
            now_s = self.clock()
            thought.held |= told
            if now_s < thought.quiet_until_s:
                return
            thought.quiet_until_s = now_s + INFO_GAP_S
            told, thought.held = thought.held, {}
        print(*_info_lines(told), sep="\n", file=self.out, flush=True)


def _info_lines(told: Mapping[str, object]) -> list[str]:
    """Return the lines with these values; `pv` and `text` extend to the end of their lines."""
    words = {name: _words(value) for name, value in told.items()}
    ends = [f"{name} {words.pop(name)}" for name in ("pv", "text") if name in words]
    numbers = " ".join(f"{name} {value}" for name, value in words.items())
    first, *rest = ends or [""]
    return [f"info {numbers} {first}".replace("  ", " ").rstrip(), *map("info {}".format, rest)]


def _words(value: object) -> str:
    text = " ".join(map(str, value)) if isinstance(value, (list, tuple)) else f"{value}"
    return " ".join(text.split())


Choose = Callable[[Position, Turn], str]


class Player(Protocol):
    """A bot that keeps state between turns. Besides `choose` it can have these methods.

    - `new_game(start)`: a game begins, see `Start`. Slow preparations are possible here, up to ten
      seconds.
    - `told(move, position)`: the opponent or an opening has played a move that led to the position.
    - `ponder(position, turn)`: the opponent is to move, and the bot can think until `turn.stopped`.
    - `end(result, why)`: the game has ended `1-0`, `0-1`, `1/2-1/2` or `*`, for a reason such as
      `rules`.
    """

    def choose(self, position: Position, turn: Turn, /) -> str | None:
        """Return the text of a move, or `resign`; None plays the last suggestion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A game that begins, for `new_game`."""

    position: Position
    """The position before the first ply, including plies of an opening."""

    side: Side
    """The side that the bot plays."""

    time: TimeControl
    chance: random.Random
    """The source of chance that every `Turn` of the game uses."""

    options: Mapping[str, Any]


def run(
    player: Choose | Player,
    *,
    name: str,
    author: str = "",
    version: str = "",
    plays: Sequence[str] = (),
    options: Iterable[Declared] = (),
    source: TextIO | None = None,
    out: TextIO | None = None,
) -> None:
    """Run a bot with the protocol until `quit` or the end of the input.

    - `player` is a function that chooses moves, or an object with such a method; see `Player`.
    - `plays` are ids of games; `yavalath:*` means Yavalath with any parameters. Default: all known
      games, with any parameters.
    - `options` are declared as `Spin("depth", 3, 1, 9)`, `Check`, `Combo` and `Text`, or as lines.

    The input is read while the bot thinks. If the bot does not stop after `quit` or the end of the
    input, the process is ended. An exception of the bot is reported to the arena with `error`, and
    then ends the bot. Raises ValueError for invalid options, and TypeError for a class instead of
    an object.
    """
    is_own = source is None
    source, out = source or sys.stdin, out or sys.stdout
    declared = Options(options)
    session = _Session(player, out, declared)
    session.greeting = [
        f"id name {name}",
        *([f"id author {author}"] if author else []),
        *([f"id version {version}"] if version else []),
        "game " + " ".join(plays or map("{}:*".format, games.ids())),
        *declared.lines,
        *(["want ponder"] if session.has("ponder") else []),
        "ok",
    ]
    with redirect_stdout(sys.stderr):  # prints of the bot must not look like answers
        for line, thought in listen(source, is_own=is_own):
            words = line.split()
            if words and (answer := session.answer(line, words, thought)):
                print("\n".join(answer), file=out, flush=True)


@dataclass
class _Session:
    """The state of the bot between two lines."""

    player: Any
    """A function, or an object with optional methods."""

    out: TextIO
    options: Options
    greeting: Sequence[str] = ()
    position: Position | None = None
    side: Side = Side.FIRST
    first_ms: int = 0
    """The time for the first move in milliseconds, before that move; then 0."""

    chance: random.Random = field(default_factory=random.Random)
    history: list[str] = field(default_factory=list)
    ply: int = 0
    """The last ply that the bot has received, for error messages; 0 after a new game."""

    def __post_init__(self) -> None:
        player = self.player
        if isinstance(player, type):
            raise TypeError(f"run takes an object, not a class: {player.__name__}()")
        self.choose: Callable[[Position, Turn], object] = getattr(player, "choose", player)
        if not callable(self.choose):
            raise TypeError(f"run takes a function or an object with `choose`, not {player!r}")

    def has(self, name: str) -> bool:
        """Return whether the player is an object with this method."""
        return hasattr(self.player, name) and self.choose is not self.player

    def answer(self, line: str, words: Sequence[str], thought: Thinking) -> Sequence[str]:
        """Return the lines that answer a line of the arena, which has these words."""
        match words[0]:
            case "arena":
                return self.greeting
            case "new":
                return self._begin(wire.read_new(line))
            case "play" if self.position is not None:
                self.ply = int(words[1])
                move = read_move(self.position, words[2])
                self.position = self.position.play(move)
                self.history.append(move)
                self._tell("told", move, self.position)
            case "go" if self.position is not None:
                return self._move(self.position, wire.read_go(line), thought)
            case "ponder" if self.position is not None:
                self.ply = int(words[1])
                turn = self._turn(wire.Go(self.ply, move_ms=0), math.inf, thought)
                self._tell("ponder", self.position, turn)
            case "result":
                self._tell("end", words[2] if len(words) > 2 else "*", " ".join(words[3:]))
            case "setoption":
                name, _, value = line.strip().removeprefix("setoption name ").partition(" value ")
                if wrong := self.options.set(name, value):
                    return [self._complaint(wrong)]
            case "ping":
                return [f"pong {words[1]}"]
        return []

    def _begin(self, new: wire.NewGame) -> Sequence[str]:
        game = games.get(new.game)
        at = new.position
        self.position = game.start(new.setup) if at is None else game.position(at)
        self.side = Side.FIRST if new.side == "first" else Side.SECOND
        self.chance = random.Random(new.seed)
        self.first_ms = new.time.first_ms
        self.history, self.ply = [], 0
        start = Start(
            position=self.position,
            side=self.side,
            time=new.time,
            chance=self.chance,
            options=self.options.now(),
        )
        self._tell("new_game", start)
        return [f"ready {new.number}"]

    def _move(self, position: Position, go: wire.Go, thought: Thinking) -> Sequence[str]:
        self.ply = go.ply
        move_ms = go.move_ms or self.first_ms  # `go` with nodes states no other limit
        self.first_ms = 0
        turn = self._turn(go, move_ms / 1000 if move_ms else None, thought)
        said: list[str] = []
        try:
            move: object = self._call(self.choose, position, turn)
        except Stopped:
            move = None
            if not thought.best:
                thought.best = position.legal_moves()[0]
                late = f"ply {go.ply}: no move suggested in time; playing {thought.best}"
                said += [] if thought.stopped else [self._complaint(late)]
        if move is None and thought.best:
            move = thought.best
        said = [*(_info_lines(thought.held) if thought.held else []), *said]
        # A value that is not text, such as None, is not a move: the arena reports it, and the bot
        # continues.
        text = " ".join(f"{move}".split())
        if text != wire.RESIGN and (wrong := self._take(text, move, position)):
            said.append(self._complaint(wrong))
        return [*said, f"bestmove {go.ply} {text}"]

    def _turn(self, go: wire.Go, move_s: float | None, thought: Thinking) -> Turn:
        mine = go.first_ms if self.side is Side.FIRST else go.second_ms
        return Turn(
            ply=go.ply,
            remaining_s=None if mine is None else mine / 1000,
            increment_s=(go.increment_ms or 0) / 1000,
            move_s=move_s,
            nodes=go.nodes,
            chance=self.chance,
            options=self.options.now(),
            began_s=thought.began_s,
            out=self.out,
            history=tuple(self.history),
            thought=thought,
        )

    def _take(self, text: str, returned: object, position: Position) -> str:
        """Play the bot's own move; return why the rules refuse it, or ""."""
        move = Move(text)
        try:
            self.position = position.play(move)  # nearly every answer is canonical
        except IllegalMoveError:
            try:
                move = read_move(position, text)
                self.position = position.play(move)
            except GameError as error:
                who = _name_of(self.choose)
                at = f"in the position {position.text()}"
                return f"ply {self.ply}: {who} returned {returned!r}: {error}, {at}"
        self.history.append(move)
        return ""

    def _tell(self, what: str, *told: object) -> None:
        """Call a method of the player, if it has it."""
        if self.has(what):
            try:
                self._call(getattr(self.player, what), *told)
            except Stopped:
                return

    def _call(self, function: Callable[..., object], *told: object) -> object:
        """Return the result of a player's function; report an exception to the arena and raise it.

        The bot then ends with a traceback on standard error, because its state cannot be trusted.
        """
        try:
            return function(*told)
        except Stopped:
            raise
        except Exception as error:
            who = _name_of(function)
            at = f" in the position {self.position.text()}" if self.position else ""
            print(self._complaint(f"ply {self.ply}: {who} raised {error!r}{at}"), file=self.out)
            self.out.flush()
            raise

    def _complaint(self, words: str) -> str:
        """Return the line that reports a problem to the arena; write it to standard error, too."""
        words = " ".join(words.split())
        sys.stderr.write(f"{words}\n")
        return f"error {words[:MOST_OF_AN_ERROR]}"


def _name_of(function: object) -> str:
    """Return the name of a function in its program, such as `Search.choose`."""
    return str(getattr(function, "__qualname__", type(function).__qualname__))
