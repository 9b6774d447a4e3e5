"""A bot in a few lines: a function from a position and the time it has to a move.

    from lath.bots.sdk import Turn, run

    def choose(position, turn):
        return turn.chance.choice(position.legal_moves())

    run(choose, name="Dice")

`run` speaks the protocol on standard input and output until the arena ends it. What a bot prints
meanwhile goes to standard error, as does why the rules refuse a move that it returned.
docs/how-to/write-a-python-bot.md
is the reference.
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
"""Thinking time where the arena names none."""

MOVES_TO_GO: Final = 20
"""Into how many moves `Turn.budget_s` shares out what is left on the clock."""

NODES_S: Final = 30.0
"""After which time `Turn.is_done` ends a search whose nodes alone are limited: half of what the
arena waits."""

INFOS_AT_ONCE: Final = 16
"""Lines of `info` a turn that are written as they come; of more the last ones count."""

INFO_GAP_S: Final = 0.05
"""Time between two lines of `info` after those."""

MOST_OF_AN_ERROR: Final = 500
"""Letters of a line of `error`: as many as the arena keeps."""


class Stopped(LathError):  # noqa: N818 - bots of others name it
    """The bot shall answer now; `Turn.check` raises it, `run` catches it."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The time a bot has for a move, its source of chance, and how it may comment."""

    ply: int
    """The number of the ply to play, from 1."""

    remaining_s: float | None
    """What is left on the bot's clock in seconds; None without a clock."""

    increment_s: float
    """Added to the clock after the move."""

    move_s: float | None
    """Fixed time for this move in seconds, such as one for a first move; None where there is none.

    Infinite while the bot ponders.
    """

    nodes: int | None
    """How many nodes to search; None where they are not limited."""

    chance: random.Random
    """Seeded by the arena for each game: the same seed, the same choices."""

    options: Mapping[str, Any] = field(default_factory=dict)
    """Options as the arena set them, else their defaults: whole numbers, booleans and texts."""

    began_s: float = field(default_factory=time.monotonic)
    """When the turn began, by `clock`."""

    out: TextIO = sys.stdout

    history: Sequence[str] = ()
    """The moves of the game so far, of both sides and of an opening, in canonical text."""

    thought: Thinking = field(default_factory=Thinking, repr=False)
    """What goes on between the bot and what reads its input."""

    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    """Tells the time in seconds; a test may bring one of its own."""

    _ends_s: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_ends_s", self.began_s + self.budget_s)

    @property
    def budget_s(self) -> float:
        """Return seconds to think that leave time for the rest of the game."""
        if self.move_s is not None:
            return self.move_s * 0.8
        if self.remaining_s is None:
            return FALLBACK_S
        share = self.remaining_s / MOVES_TO_GO + self.increment_s * 0.8
        return min(share, self.remaining_s * 0.8)

    @property
    def stopped(self) -> bool:
        """Return whether the arena wants the answer now, or none any more. Costs nothing to ask."""
        return self.thought.stopped

    @property
    def is_late(self) -> bool:
        """Return whether the budget is used up, or the arena has said `stop`."""
        return self.thought.stopped or self.clock() > self._ends_s

    def is_done(self, nodes: int) -> bool:
        """Return whether a search ends after so many nodes: its limit, or late without one.

        Where nodes alone are limited the time does not count before half a minute: the same seed
        gives the same moves on a slow machine, too.
        """
        if self.nodes is None or self.thought.stopped:
            return self.is_late
        ends_s = self._ends_s if self.move_s is not None else self.began_s + NODES_S
        return nodes >= self.nodes or self.clock() > ends_s

    def check(self, nodes: int | None = None) -> None:
        """Raise Stopped where the turn `is_late` or, with nodes, `is_done`.

        From the depth of a search that ends it; `run` then plays what was suggested last.
        """
        if self.is_late if nodes is None else self.is_done(nodes):
            raise Stopped

    def suggest(self, move: str) -> None:
        """Keep the move to play where `choose` ends by Stopped or returns None."""
        self.thought.best = move

    def info(self, **told: object) -> None:
        """Tell the arena `depth`, `eval` (-1..1), `nodes`, `pv` and `text`, for the record.

        Lists of moves are written as words. It may be called often: beyond the first lines of a
        turn only the newest values are written, every 50 ms and before the move.
        """
        thought = self.thought
        if thought.is_pondering and thought.stopped:
            return  # it would be taken for the next move's
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
    """Return the lines that tell all of this: `pv` and `text` run to the end of theirs."""
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
    """A bot that keeps something from turn to turn. Besides `choose` it may have any of these.

    `new_game(start)`: a game begins, as `Start` says; what takes long may be done there, up to ten
    seconds. `told(move, position)`: the other side, or an opening, has played a move, and the
    position after it. `ponder(position, turn)`: the other side is to move; the bot may think until
    `turn.stopped`. `end(result, why)`: the game has ended `1-0`, `0-1`, `1/2-1/2` or `*`, for a
    reason such as `rules`.
    """

    def choose(self, position: Position, turn: Turn, /) -> str | None:
        """Return the text of a move, or `resign`; None for what was suggested last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A game that begins, for `new_game`."""

    position: Position
    """Before the first ply, of an opening, too."""

    side: Side
    """The seat that the bot plays."""

    time: TimeControl
    chance: random.Random
    """The source of chance that every `Turn` of the game has."""

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
    """Speak the protocol until `quit` or the end of the input.

    `player` is a function that chooses moves, or an object with that function and more: see
    `Player`. `plays` are ids of games, `yavalath:*` being Yavalath with any parameters; if empty,
    all that are installed, with any. `options` are declared as `Spin("depth", 3, 1, 9)`, `Check`,
    `Combo` and `Text`, or as lines. The input is read while the bot thinks; where it thinks on
    after `quit` or the end of the input, the process is ended. An exception of the bot's ends it,
    after `error` has told the arena. Raises ValueError for options that nobody could set, and
    TypeError for a class in place of an object.
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
    with redirect_stdout(sys.stderr):  # what a bot prints by itself answers nothing
        for line, thought in listen(source, is_own=is_own):
            words = line.split()
            if words and (answer := session.answer(line, words, thought)):
                print("\n".join(answer), file=out, flush=True)


@dataclass
class _Session:
    """What the bot knows between two lines."""

    player: Any
    """A function, or an object with functions of which most may be missing."""

    out: TextIO
    options: Options
    greeting: Sequence[str] = ()
    position: Position | None = None
    side: Side = Side.FIRST
    first_ms: int = 0
    """Time for the first move, while it is to come; else 0."""

    chance: random.Random = field(default_factory=random.Random)
    history: list[str] = field(default_factory=list)
    ply: int = 0
    """What the bot has heard of last, for what goes wrong there; 0: a new game."""

    def __post_init__(self) -> None:
        player = self.player
        if isinstance(player, type):
            raise TypeError(f"run takes an object, not a class: {player.__name__}()")
        self.choose: Callable[[Position, Turn], object] = getattr(player, "choose", player)
        if not callable(self.choose):
            raise TypeError(f"run takes a function or an object with `choose`, not {player!r}")

    def has(self, name: str) -> bool:
        """Return whether the player is an object with such a function."""
        return hasattr(self.player, name) and self.choose is not self.player

    def answer(self, line: str, words: Sequence[str], thought: Thinking) -> Sequence[str]:
        """Return the lines that answer a line of the arena's, which has these words."""
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
        move_ms = go.move_ms or self.first_ms  # of nodes `go` says nothing else
        self.first_ms = 0
        turn = self._turn(go, move_ms / 1000 if move_ms else None, thought)
        said: list[str] = []
        try:
            move: object = self._call(self.choose, position, turn)
        except Stopped:
            move = None
            if not thought.best:
                thought.best = position.legal_moves()[0]
                late = f"ply {go.ply}: late before a move was suggested: plays {thought.best}"
                said += [] if thought.stopped else [self._complaint(late)]
        if move is None and thought.best:
            move = thought.best
        said = [*(_info_lines(thought.held) if thought.held else []), *said]
        # What is no text, such as None, is no move either: the arena says so, and the bot goes on.
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
        """Play the bot's own move; return why the rules refuse it, empty where they do not."""
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
        """Call a function of the player's, where it has it."""
        if self.has(what):
            try:
                self._call(getattr(self.player, what), *told)
            except Stopped:
                return

    def _call(self, function: Callable[..., object], *told: object) -> object:
        """Return what the player's function returns; tell the arena of an exception, and raise it.

        The bot then ends, and its traceback is on standard error: no state is trusted after it.
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
        """Return the line that tells the arena what is wrong; write it to standard error, too."""
        words = " ".join(words.split())
        sys.stderr.write(f"{words}\n")
        return f"error {words[:MOST_OF_AN_ERROR]}"


def _name_of(function: object) -> str:
    """Return what a function is called in a program, such as `Search.choose`."""
    return str(getattr(function, "__qualname__", type(function).__qualname__))
