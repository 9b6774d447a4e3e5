"""A bot in a few lines: a function from a position and the time it has to a move.

    from lath.bots.sdk import Turn, run

    def choose(position, turn):
        return turn.chance.choice(position.legal_moves())

    run(choose, name="Dice")

`run` speaks the protocol on standard input and output until the arena ends it. What a bot prints
meanwhile goes to standard error, as does why the rules refuse a move that it returned.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from typing import Final, TextIO

from lath import games
from lath.games.core import Move, Position, Seat, read_move
from lath.games.errors import GameError, IllegalMoveError
from lath.notation import protocol as wire

FALLBACK_S: Final = 1.0
"""Thinking time where the arena names none."""

MOVES_TO_GO: Final = 20
"""Into how many moves `Turn.budget_s` shares out what is left on the clock."""


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
    """

    nodes: int | None
    """How many nodes to search; None where they are not limited."""

    chance: random.Random
    """Seeded by the arena for each game: the same seed, the same choices."""

    options: Mapping[str, str] = field(default_factory=dict)
    """Options as the arena set them."""

    began_s: float = field(default_factory=time.monotonic)
    """When the turn began, on `time.monotonic`'s clock."""

    out: TextIO = sys.stdout

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
    def is_late(self) -> bool:
        """Return whether the budget is used up."""
        return time.monotonic() - self.began_s > self.budget_s

    def info(self, **told: object) -> None:
        """Tell the arena `depth`, `eval` (-1..1), `nodes`, then `pv` or `text`, for the record."""
        words = " ".join(f"{name} {value}" for name, value in told.items())
        print("info", words, file=self.out, flush=True)


Choose = Callable[[Position, Turn], str]


def run(
    choose: Choose,
    *,
    name: str,
    author: str = "",
    version: str = "",
    plays: Sequence[str] = (),
    options: Iterable[str] = (),
    source: TextIO | None = None,
    out: TextIO | None = None,
) -> None:
    """Speak the protocol until `quit` or the end of the input.

    `plays` are ids of games, `yavalath:*` being Yavalath with any parameters; if empty, all that
    are installed, with any. `options` are lines such as `option name depth type spin default 3`.
    `choose` returns the text of a move, or `resign`.
    """
    source, out = source or sys.stdin, out or sys.stdout
    greeting = [
        f"id name {name}",
        *([f"id author {author}"] if author else []),
        *([f"id version {version}"] if version else []),
        "game " + " ".join(plays or map("{}:*".format, games.ids())),
        *options,
        "ok",
    ]
    session = _Session(choose, out, greeting)
    with redirect_stdout(sys.stderr):  # what a bot prints by itself answers nothing
        for line in source:
            words = line.split()
            if words[:1] == [wire.QUIT]:
                return
            if words and (answer := session.answer(line, words)):
                print("\n".join(answer), file=out, flush=True)


@dataclass
class _Session:
    """What the bot knows between two lines."""

    choose: Choose
    out: TextIO
    greeting: Sequence[str]
    position: Position | None = None
    side: Seat = Seat.FIRST
    first_ms: int = 0
    """Time for the first move, while it is to come; else 0."""

    chance: random.Random = field(default_factory=random.Random)
    options: dict[str, str] = field(default_factory=dict)

    def answer(self, line: str, words: Sequence[str]) -> Sequence[str]:
        """Return the lines that answer a line of the arena's, which has these words."""
        match words[0]:
            case "arena":
                return self.greeting
            case "new":
                new = wire.read_new(line)
                game = games.get(new.game)
                at = new.position
                self.position = game.start(new.setup) if at is None else game.position(at)
                self.side = Seat.FIRST if new.side == "first" else Seat.SECOND
                self.chance = random.Random(new.seed)
                self.first_ms = new.time.first_ms
                return [f"ready {new.number}"]
            case "play" if self.position is not None:
                self.position = self.position.play(read_move(self.position, words[2]))
            case "go" if self.position is not None:
                return [self._move(self.position, wire.read_go(line))]
            case "setoption":
                name, _, value = line.strip().removeprefix("setoption name ").partition(" value ")
                self.options[name] = value
            case "ping":
                return [f"pong {words[1]}"]
        return []

    def _move(self, position: Position, go: wire.Go) -> str:
        mine = go.first_ms if self.side is Seat.FIRST else go.second_ms
        move_ms = go.move_ms or self.first_ms  # of nodes `go` says nothing else
        self.first_ms = 0
        turn = Turn(
            ply=go.ply,
            remaining_s=None if mine is None else mine / 1000,
            increment_s=(go.increment_ms or 0) / 1000,
            move_s=move_ms / 1000 if move_ms else None,
            nodes=go.nodes,
            chance=self.chance,
            options=self.options,
            out=self.out,
        )
        move: object = self.choose(position, turn)
        # What is no text, such as None, is no move either: the arena says so, and the bot goes on.
        text = " ".join(f"{move}".split())
        if text != wire.RESIGN:
            self._take(text, move, position, go.ply)
        return f"bestmove {go.ply} {text}"

    def _take(self, text: str, returned: object, position: Position, ply: int) -> None:
        """Play the bot's own move, or say on standard error why the rules refuse it."""
        try:
            self.position = position.play(Move(text))  # nearly every answer is canonical
        except IllegalMoveError:
            try:
                self.position = position.play(read_move(position, text))
            except GameError as error:
                who = getattr(self.choose, "__qualname__", "the bot")
                at = f"in the position {position.text()}"
                sys.stderr.write(f"ply {ply}: {who} returned {returned!r}: {error}, {at}\n")
