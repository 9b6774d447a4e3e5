"""What queries ask, as a tree of values: for whoever answers them otherwise than record by record.

`query.plan_of` makes the tree of a query's text. `questions` and `moments` answer the same of a
record, and must agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lath.notation.query.patterns import Pattern

TextTest = Callable[[str], bool]
"""Says whether a text passes; an empty one never does."""

Bound = tuple[Literal["=", "<", "<=", ">", ">="], float]
"""How a number shall stand to another."""

When = int | Literal["every", "last"]
"""The ply of that number, each of those that there are, or the last of these."""


@dataclass(frozen=True, slots=True)
class And:
    """Where all parts hold."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Where some part holds."""

    parts: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Where the part does not hold."""

    part: Plan


@dataclass(frozen=True, slots=True)
class OfTag:
    """Where some of these tags has a text that passes; one that is missing is an empty text."""

    tags: tuple[str, ...]
    passes: TextTest


@dataclass(frozen=True, slots=True)
class OfResult:
    """Where the result after the moves passes."""

    passes: TextTest


@dataclass(frozen=True, slots=True)
class OfWinner:
    """Where the name of who won passes, or of who lost; of a draw there is none."""

    passes: TextTest
    is_loser: bool


@dataclass(frozen=True, slots=True)
class OfPlies:
    """Where the number of plies of the main line is in one of these ranges, ends included."""

    ranges: tuple[tuple[int, float], ...]
    """The least and the greatest, which may be infinite."""


@dataclass(frozen=True, slots=True)
class OfSetup:
    """Where the tag Setup says one of these setups, as the game reads them."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OfNotes:
    """Where anything of this kind is said: comments in words, or variations."""

    kind: Literal["comments", "variations"]


@dataclass(frozen=True, slots=True)
class OfMove:
    """Where the main line has one of these moves, at a ply from 1, or at any if that is None.

    Moves are as the query has them: each game reads them in its way.
    """

    moves: tuple[str, ...]
    ply: int | None


@dataclass(frozen=True, slots=True)
class OfPosition:
    """Where the main line comes to one of these positions or, unless `is_plain`, to an image."""

    texts: tuple[str, ...]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class OfLine:
    """Where the main line begins with these moves at the start of the game, or with their image.

    With `is_reached` where it comes to the position that they lead to from there, or to an image.
    The start is that of the record's Setup; with `is_plain` images do not count.
    """

    moves: tuple[str, ...]
    is_reached: bool
    is_plain: bool


@dataclass(frozen=True, slots=True)
class OfPattern:
    """Where some position of the main line has the pattern; `Pattern.on` compiles it for a game."""

    pattern: Pattern


@dataclass(frozen=True, slots=True)
class OfNumber:
    """Where an annotation of some ply is a number that stands so to all the bounds."""

    column: Literal["eval", "depth", "nodes", "time_s", "clock_s"]
    """As `tables.PLIES` has it."""
    of: str
    """Whose ply: `mover` (anybody's), `first`, `second`, `winner`, `loser`, or `player NAME`."""
    bounds: tuple[Bound, ...]


@dataclass(frozen=True, slots=True)
class At:
    """Where the part holds at one ply, at each, or at the last of those that it is asked of.

    Positions and patterns are asked of all plies from 0, the start, numbers of the plies that say
    one; moves of plies from 1. Where there is none it does not hold.
    """

    part: Plan
    when: When


@dataclass(frozen=True, slots=True)
class Then:
    """Where the parts hold one after another, each at a later ply than the one before it.

    Each is OfMove, OfPosition, OfLine, OfPattern, OfNumber, Or of these, or At of one of them. The
    ply of a move is its number, and the position after it is of the same ply.
    """

    parts: tuple[Plan, ...]
    within: tuple[int | None, ...]
    """How many plies later each part but the first may be than the one before; None: any number."""


Plan = (
    And | Or | Not | OfTag | OfResult | OfWinner | OfPlies | OfSetup | OfNotes | OfMove | OfPosition
    | OfLine | OfPattern | OfNumber | At | Then
)  # fmt: skip
"""What is asked of a record."""
