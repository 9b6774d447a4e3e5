"""What a bot may use for an answer, what it says while it thinks, what it answers: as values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Final, Literal, NamedTuple, Self

from lath.games.core import Move, Position, read_move
from lath.games.errors import GameError
from lath.notation import protocol as wire
from lath.notation.protocol import TimeControl

MOST_NODES: Final = 10**15 - 1
"""Of a limit."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a bot may use for an answer: a time, nodes, or what the clocks of a game show.

    At most one of the three; none of them: as long as it likes, and as the engine's `limit` allows.

    >>> str(Limit(seconds=0.5).time), str(Limit(nodes=1000).time)
    ('move 0.5', 'nodes 1000')
    """

    seconds: float | None = None
    """For this answer; at least 0.001."""

    nodes: int | None = None
    """Which the bot counts itself; at least 1."""

    first_s: float | None = None
    """What the clock of first shows, in seconds; at least 0.001."""

    second_s: float | None = None
    """That of second."""

    increment_s: float = 0.0
    """What is added to a clock after each move."""

    def __post_init__(self) -> None:
        """Raise ValueError for what no bot can be told."""
        clocks = (self.first_s, self.second_s)
        if (self.first_s is None) is not (self.second_s is None):
            raise ValueError(f"clocks are two, first_s and second_s, not {clocks}")
        given = [one is not None for one in (self.seconds, self.nodes, self.first_s)]
        if sum(given) > 1 or (self.increment_s and self.first_s is None):
            raise ValueError(f"expected seconds, nodes or clocks, not {self}")
        for seconds in (self.seconds, *clocks):
            if seconds is not None and not 0.001 <= seconds <= 1e9:
                raise ValueError(f"a limit of {seconds} s, expected 0.001 or more")
        nodes = 1 if self.nodes is None else self.nodes
        if not (isinstance(nodes, Integral) and 1 <= nodes <= MOST_NODES):
            expected = "expected a whole number from 1 to 10^15 - 1"
            raise ValueError(f"a limit of {nodes} nodes, {expected}")
        if not 0 <= self.increment_s <= 1e9:
            raise ValueError(f"an increment of {self.increment_s} s, expected 0 or more")

    @classmethod
    def read(cls, text: str) -> Self:
        """Return what `--tc` says, both clocks being full, but for a first move; raises ValueError.

        >>> Limit.read("move 0.5")
        Limit(seconds=0.5, nodes=None, first_s=None, second_s=None, increment_s=0.0)
        """
        said = TimeControl.read(text)
        clock_s = said.initial_ms / 1000 if said.has_clock else None
        return cls(
            said.move_ms / 1000 if said.move_ms else None,
            said.nodes or None,
            clock_s,
            clock_s,
            said.increment_ms / 1000,
        )

    @property
    def left_ms(self) -> tuple[int, int]:
        """Return what the clocks show, in milliseconds; zeros without them."""
        return (round((self.first_s or 0) * 1000), round((self.second_s or 0) * 1000))

    @property
    def time(self) -> TimeControl:
        """Return it as the protocol says it; of two clocks the fuller one is where both began."""
        return TimeControl(
            initial_ms=max(self.left_ms),
            increment_ms=round(self.increment_s * 1000),
            move_ms=round((self.seconds or 0) * 1000),
            nodes=self.nodes or 0,
        )


UNLIMITED: Final = Limit()


_PROVEN: Final = re.compile(r"proven (win|loss|draw)(?: in (at most )?([0-9]{1,4}))?\b")


class Proof(NamedTuple):
    """How a game ends if both play their best, as a bot says."""

    value: Literal["win", "loss", "draw"]
    """For who is to move."""

    plies: int | None
    """After exactly how many, if it says so."""

    at_most: int | None = None
    """After how many at most, where that is all that it says."""


_READ: Final[Mapping[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("depth", "nodes", "nps"), int),
    "eval": float,
    "pv": lambda text: tuple(text.split()),
    "text": str,
}
"""How each value of an `info` line is read."""


@dataclass(frozen=True, slots=True)
class Info:
    """What a bot says of its search; None and empty where it does not say."""

    depth: int | None = None
    eval: float | None = None
    """The score that the bot expects for itself, from -1, lost, to 1, won."""

    nodes: int | None = None
    nps: int | None = None
    """Nodes a second."""

    pv: tuple[str, ...] = ()
    """The line that it expects, its own move first, as the bot wrote it; `line` checks it."""

    text: str = ""

    @classmethod
    def read(cls, line: str) -> Self:
        """Return what a line `info …` says.

        >>> Info.read("info depth 3 eval 0.25 pv e5 swap").pv
        ('e5', 'swap')
        """
        return cls().updated(line)

    def updated(self, line: str) -> Self:
        """Return the same with what a later line says."""
        said = wire.read_info(line)
        return replace(self, **{name: _READ[name](text) for name, text in said.items()})

    @property
    def proof(self) -> Proof | None:
        """Return what the bot has proven, by a text such as `proven win in 7`; None: nothing.

        >>> Info.read("info nodes 9 text proven loss in 4").proof
        Proof(value='loss', plies=4, at_most=None)
        >>> Info.read("info text proven win in at most 9").proof
        Proof(value='win', plies=None, at_most=9)
        """
        if (found := _PROVEN.match(self.text)) is None:
            return None
        value: Literal["win", "loss", "draw"] = found[1]  # type: ignore[assignment]  # one of these
        plies = int(found[3]) if found[3] else None
        return Proof(value, None, plies) if found[2] else Proof(value, plies)

    def line(self, position: Position) -> tuple[Move, ...]:
        """Return the moves of `pv` from the position that was asked about, as far as legal."""
        moves: list[Move] = []
        for text in self.pv:
            try:
                moves.append(read_move(position, text))
                position = position.play(moves[-1])
            except GameError:
                break
        return tuple(moves)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a bot answers."""

    move: Move | None
    """In canonical text, legal in the position; None where it resigned."""

    used_s: float
    """How long it took."""

    info: Info = Info()
    """What it said last of each, before it answered."""

    @property
    def resigned(self) -> bool:
        """Return whether it gives the game up in place of a move."""
        return self.move is None
