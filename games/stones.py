"""What games of pieces on cells share, so that a game's own file holds its rules alone.

Must not know any particular game. `Rules` and `Judged` are there to be inherited from; the rest
reads positions and refuses those that no game can reach. The exact searches have a budget: a
position that would take longer to refute is taken for reachable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, reduce
from operator import and_, or_
from typing import TYPE_CHECKING, ClassVar, Final

from lath.games.board import Board
from lath.games.core import SEATS, Game, Move, P, Seat, find, one_by_one
from lath.games.errors import PositionError, SetupError

OPEN, WON, LOST, DRAWN = range(4)
"""A verdict: what the last turn did for who took it. Games may have more of their own."""

NUMBERS: Final = {2: "two", 3: "three", 4: "four", 5: "five"}
"""In words."""

SWAP: Final = Move("swap")
"""Second's first turn, in games that have it: what first has placed becomes second's."""


class Rules:
    """A game of which there is one object, found by its id, and which begins without a setup."""

    has_setups: bool = False

    if TYPE_CHECKING:  # each game names itself

        @property
        def id(self) -> str:
            """Return the name in records."""

    def __repr__(self) -> str:
        return f"<game {self.id}>"

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        return find, (self.id,)

    def draw_setup(self, seed: int) -> str | None:  # noqa: ARG002 - of games that have setups
        """Return a setup drawn from `seed`; None: the board begins empty."""
        return None

    def canonical_setup(self, setup: str) -> str:
        """Return the one way to write `setup`; raises SetupError, here always."""
        raise SetupError(f"{self.id} has no setup, found {setup!r}")


class Judged:
    """What follows of a position's fields `mover`, who is to move, and `verdict`.

    Positions are named tuples, and inherit from this besides.
    """

    __slots__ = ()

    RESULTS: ClassVar[Sequence[tuple[str, str]]] = (
        *(("*", "*"), ("0-1", "1-0"), ("1-0", "0-1"), ("1/2-1/2", "1/2-1/2")),
    )
    """What records write, by verdict and by who is to move."""

    if TYPE_CHECKING:

        @property
        def mover(self) -> int:
            """Return who is to move, 0 or 1."""

        @property
        def verdict(self) -> int:
            """Return one of the verdicts."""

    @property
    def to_move(self) -> Seat:
        """Return who decides next."""
        return SEATS[self.mover]

    @property
    def is_over(self) -> bool:
        """Return whether the last turn ended the game."""
        return self.verdict != OPEN

    @property
    def result(self) -> str:
        """Return the result as records write it; `*` while the game goes on."""
        return self.RESULTS[self.verdict][self.mover]


def read_fields(text: str, fields: Sequence[str], movers: str) -> tuple[list[str], int]:
    """Return the fields of a position's text before the mover, and the mover: 0 or 1.

    `fields` says in English what they are, `movers` has the letters of first and second. Raises
    PositionError.

    >>> read_fields("5/6/7/8/9/8/7/6/5 b", ["board"], "wb")
    (['5/6/7/8/9/8/7/6/5'], 1)
    """
    *found, mover = text.split(" ")
    if len(found) != len(fields) or mover not in tuple(movers):
        raise PositionError(
            f"position {text!r} must be {NUMBERS[len(fields) + 1]} fields: {', '.join(fields)}, "
            f"and {' or '.join(movers)} to move"
        )
    return found, movers.index(mover)


def refuse_more(count: int, most: int, what: str) -> None:
    """Raise PositionError where there are more than `most` of something."""
    if count > most:
        raise PositionError(f"{count} {what}, expected at most {most}")


def finished(shapes: Iterable[int], cells: int) -> list[int]:
    """Return those of `shapes` that lie in `cells` whole."""
    return [shape for shape in shapes if cells & shape == shape]


def cells_of(board: Board, shapes: Iterable[int]) -> tuple[str, ...]:
    """Return the cells of any of `shapes`, as `Outcome.cells` has them."""
    return tuple(board.names_in(reduce(or_, shapes, 0)))


def refuse_two_endings(
    shapes: Iterable[int], stones: tuple[int, int], mover: int, colours: Sequence[str], piece: str
) -> None:
    """Raise PositionError where finished shapes must have ended the game before the last turn.

    `stones` are of first and second, `piece` is what they are called.
    """
    shapes = tuple(shapes)
    if finished(shapes, stones[mover]):
        raise PositionError(f"{colours[mover]} is to move, but has a finished line already")
    if not share_a_cell(finished(shapes, stones[1 - mover])):
        raise PositionError(
            f"{colours[1 - mover]} has finished lines that no single {piece} completed"
        )


def past_swap(position: P, moves: Sequence[str]) -> tuple[P | None, Sequence[str]]:
    """Return the position after a swap among the first two moves, and what is left of the moves.

    Without such a swap nothing changes; None where it cannot be played.
    """
    if SWAP not in moves[:2]:
        return position, moves
    swap = moves.index(SWAP) + 1
    return one_by_one(position, moves[:swap]), moves[swap:]


BUDGET: Final = 20_000
"""Search steps before a position gets the benefit of the doubt."""


def share_a_cell(shapes: Iterable[int]) -> bool:
    """Return whether one cell is part of all `shapes`: one piece can have completed them all.

    >>> share_a_cell([0b0111, 0b1110]), share_a_cell([0b0011, 0b1100]), share_a_cell([])
    (True, False, True)
    """
    return reduce(and_, shapes, -1) != 0


def shapes_fit(shapes_at: Mapping[int, Sequence[int]], cells: int, count: int) -> bool:
    """Return whether `count` shapes fit into `cells` without touching a cell twice.

    `shapes_at` gives the shapes through each cell by its bit; all have the same size.
    """
    steps = 0

    @cache
    def fits(left: int, wanted: int) -> bool:
        nonlocal steps
        steps += 1
        if wanted == 0 or steps > BUDGET:
            return True
        if not left:
            return False
        low = left & -left
        if any(fits(left ^ s, wanted - 1) for s in shapes_at[low] if s & ~left == 0):
            return True
        return left.bit_count() > shapes_at[low][0].bit_count() * wanted and fits(
            left ^ low, wanted
        )

    return fits(cells, count)


def path_exists(steps_from: Mapping[int, int], cells: tuple[int, int], end: int) -> bool:
    """Return whether a path visits all cells once, two sets in turn, and ends at `end`.

    `cells` are the two sets; `end` is of the first, and `steps_from` gives each cell's possible
    neighbours on the path.
    """
    steps = 0

    @cache
    def walks(at: int, here: int, there: int) -> bool:
        """Walk back from `at`; `here` are its own set's unvisited cells, `there` the other's."""
        nonlocal steps
        steps += 1
        if not here | there or steps > BUDGET:
            return True
        ways = sorted(
            Board.bits(steps_from[at] & there),
            key=lambda step: (steps_from[step] & here).bit_count(),
        )
        return any(walks(step, there ^ step, here) for step in ways)

    return walks(end, cells[0] & ~end, cells[1])
