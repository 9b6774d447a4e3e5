"""The values of a search: its limit, its progress and its answer."""

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
"""The highest node limit that `Limit` accepts."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The search limit for one move: time, nodes or clocks.

    Set at most one of the three. Without any, the bot thinks as long as the engine's `limit`
    allows.

    >>> str(Limit(seconds=0.5).time), str(Limit(nodes=1000).time)
    ('move 0.5', 'nodes 1000')
    """

    seconds: float | None = None
    """The time for this answer, in seconds; at least 0.001."""

    nodes: int | None = None
    """The number of nodes, which the bot counts itself; at least 1."""

    first_s: float | None = None
    """The time left on the first player's clock, in seconds; at least 0.001."""

    second_s: float | None = None
    """The time left on the second player's clock, in seconds; at least 0.001."""

    increment_s: float = 0.0
    """The time added to a clock after each move, in seconds."""

    def __post_init__(self) -> None:
        """Raise ValueError if the values are out of range or exclude each other."""
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
        """Return the limit of a `--tc` text, with both clocks full; raises ValueError.

        A separate time for the first move is ignored.

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
        """Return the times left on both clocks, in milliseconds; zeros without clocks."""
        return (round((self.first_s or 0) * 1000), round((self.second_s or 0) * 1000))

    @property
    def time(self) -> TimeControl:
        """Return the limit as the protocol's time control; the fuller clock is the initial time."""
        return TimeControl(
            initial_ms=max(self.left_ms),
            increment_ms=round(self.increment_s * 1000),
            move_ms=round((self.seconds or 0) * 1000),
            nodes=self.nodes or 0,
        )


UNLIMITED: Final = Limit()


_PROVEN: Final = re.compile(r"proven (win|loss|draw)(?: in (at most )?([0-9]{1,4}))?\b")


class Proof(NamedTuple):
    """The result with best play that a bot claims to have proven."""

    value: Literal["win", "loss", "draw"]
    """The result for the side to move."""

    plies: int | None
    """The exact number of plies to the end, or None if the bot does not state it."""

    at_most: int | None = None
    """The highest number of plies to the end, if the bot states only that."""


_READ: Final[Mapping[str, Callable[[str], Any]]] = {
    **dict.fromkeys(("depth", "nodes", "nps"), int),
    "eval": float,
    "pv": lambda text: tuple(text.split()),
    "text": str,
}
"""The function that converts each value of an `info` line."""


@dataclass(frozen=True, slots=True)
class Info:
    """The progress of a search, as the bot reports it; missing values are None or empty."""

    depth: int | None = None
    eval: float | None = None
    """The score that the bot expects for itself, from -1, lost, to 1, won."""

    nodes: int | None = None
    nps: int | None = None
    """Nodes per second."""

    pv: tuple[str, ...] = ()
    """The line that it expects, its own move first, as the bot wrote it; `line` checks it."""

    text: str = ""

    @classmethod
    def read(cls, line: str) -> Self:
        """Return the values of one `info` line.

        >>> Info.read("info depth 3 eval 0.25 pv e5 swap").pv
        ('e5', 'swap')
        """
        return cls().updated(line)

    def updated(self, line: str) -> Self:
        """Return a copy with the values of a later `info` line."""
        said = wire.read_info(line)
        return replace(self, **{name: _READ[name](text) for name, text in said.items()})

    @property
    def proof(self) -> Proof | None:
        """Return the result that the bot has proven, read from a text such as `proven win in 7`.

        None if `text` does not begin with such a claim.

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
        """Return the legal moves at the beginning of `pv`, played from `position`."""
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
    """The bot's answer: a move or a resignation."""

    move: Move | None
    """The move in canonical text, legal in the position; None if the bot resigned."""

    used_s: float
    """The time that the answer took, in seconds."""

    info: Info = Info()
    """The last reported value of each kind before the answer."""

    @property
    def resigned(self) -> bool:
        """Return True if the bot resigned instead of moving."""
        return self.move is None
