"""What games of pieces on cells share, so that a game's own file holds its rules alone.

`Rules` and `Judged` are there to be inherited from.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

from lath.games.board import Board
from lath.games.core import (
    FIRST_VERSION,
    IDENTITY,
    SIDES,
    Game,
    Move,
    P,
    Position,
    Result,
    Side,
    Symmetry,
    find,
    one_by_one,
)
from lath.games.errors import MoveSyntaxError, SetupError
from lath.games.fast import DRAW, FastBoard, Tables
from lath.games.parameters import Parameter, earlier_variants, title_of

OPEN, WON, LOST, DRAWN = range(4)
"""A verdict: what the last turn did for who took it. Games may have more of their own."""


def winner_by(verdict: int, mover: int) -> int | None:
    """Return who has won, as boards for searches say it, by a verdict; `mover` is to move."""
    return (None, 1 - mover, mover, DRAW)[verdict]


def verdict_of(winner: int | None, mover: int) -> int:
    """Return the verdict by which `winner` has won; `mover` is to move."""
    if winner is None:
        return OPEN
    return DRAWN if winner == DRAW else LOST if winner == mover else WON


NUMBERS: Final = dict(enumerate(("two", "three", "four", "five", "six", "seven", "eight"), 2))
"""In words."""

SWAP: Final = Move("swap")
"""Second's first turn, in games that have it: what first has placed becomes second's."""


class Rules:
    """A game of which there is one object, found by its id, and which begins without a setup.

    One that has parameters takes them where it is made, by name, and has all their defaults.
    """

    parameters: ClassVar[Sequence[Parameter]] = ()
    rules: str = FIRST_VERSION
    earlier: Mapping[str, Game] = MappingProxyType({})
    has_setups: bool = False
    moves: Mapping[str, Move]
    """Every text of a move that is legal in some position, with the one way to write it.

    Moves need not be cells.
    """

    expected: str
    """What text a move is, for who wrote something else."""

    if TYPE_CHECKING:  # each game names itself

        @property
        def id(self) -> str:
            """Return the name in records."""

        @property
        def title(self) -> str:
            """Return the name for people."""

    def __repr__(self) -> str:
        return f"<game {self.id}>"

    def __reduce__(self) -> tuple[Callable[[str, str], Game], tuple[str, str]]:
        return find, (self.id, self.rules)

    def variant(self, game_id: str, **values: Any) -> Self:
        """Return the game of these values, whose id this is; raises ValueError where they clash."""
        game: Any = type(self)(**values)
        game.id, game.title = game_id, title_of(self.title, game_id)
        game.earlier = earlier_variants(self.earlier, game_id, values)
        return cast("Self", game)

    def canonical(self, text: str) -> Move:
        """Return the one way to write the move; raises MoveSyntaxError."""
        if (move := self.moves.get(text)) is None:
            raise MoveSyntaxError(text, self.expected)
        return move

    def draw_setup(self, seed: int) -> str | None:  # noqa: ARG002 - of games that have setups
        """Return a setup drawn from `seed`; None: the board begins empty."""
        return None

    def canonical_setup(self, setup: str) -> str:
        """Return the one way to write `setup`; raises SetupError, here always."""
        raise SetupError(f"{self.id} has no setup, found {setup!r}")


_CELL: Final = re.compile(r"[a-z][0-9]+")


class Turning(Rules):
    """Rules that are the same however the board is turned or mirrored: moves only name cells.

    Each turn of a move is in `moves`, too. Positions have `turned(mask)`: the same with each set of
    cells where `mask` says.
    """

    if TYPE_CHECKING:

        @property
        def board(self) -> Board:
            """Return the cells."""

    def symmetries(self, position: Any) -> tuple[Symmetry, ...]:  # noqa: ARG002 - the same anywhere
        """Return each turn and reflection of the board."""
        return self._turns

    @cached_property
    def _turns(self) -> tuple[Symmetry, ...]:
        return (
            IDENTITY,
            *(
                Symmetry(self.moved(isometry.cells).__getitem__, _turn(isometry.mask))
                for isometry in self.board.isometries[1:]
            ),
        )

    def moved(self, cells: Mapping[str, str]) -> dict[Move, Move]:
        """Return where each move goes if cells go to cells: its text with their names."""
        return {
            move: self.canonical(_CELL.sub(lambda cell: cells[cell[0]], move))
            for move in self.moves.values()
        }


def _turn(mask: Callable[[int], int]) -> Callable[[Any], Any]:
    return lambda position: position.turned(mask)


class Judged:
    """What follows of a position's fields `mover`, who is to move, and `verdict`.

    Positions are named tuples, and inherit from this besides; `contents` follows of their `layers`.
    """

    __slots__ = ()

    RESULTS: ClassVar[Sequence[tuple[Result, Result]]] = tuple(
        (result, result.reversed)
        for result in (Result.UNFINISHED, Result.SECOND_WON, Result.FIRST_WON, Result.DRAWN)
    )
    """The results by verdict and by who is to move."""

    if TYPE_CHECKING:

        @property
        def mover(self) -> int:
            """Return who is to move, 0 or 1."""

        @property
        def verdict(self) -> int:
            """Return one of the verdicts."""

    @property
    def to_move(self) -> Side:
        """Return who decides next."""
        return SIDES[self.mover]

    @property
    def is_over(self) -> bool:
        """Return whether the last turn ended the game."""
        return self.verdict != OPEN

    @property
    def result(self) -> Result:
        """Return the result; `*` while the game goes on."""
        return self.RESULTS[self.verdict][self.mover]

    def contents(self) -> tuple[str, ...]:
        """Return the pieces of each cell, as they lie one on the other."""
        position: Any = self
        return cast("Game", position.game).board.contents(position.layers())

    def _repr_html_(self) -> str:
        """Return what notebooks show."""
        from lath.games.drawing.board import html  # start-up time

        return html(cast("Position", self))


class Alternating(Judged):
    """The same, of a game in which turns alternate whatever is played."""

    __slots__ = ()

    def movers(self, moves: Sequence[str]) -> Sequence[Side]:
        """Return who decides on each of `moves`, and who after the last."""
        return taking_turns(self.mover, len(moves) + 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LineTables(Tables):
    """The compiled form of games that lines or other shapes of stones end."""

    shapes: Sequence[Sequence[int]]
    """The cells of each."""

    losing: Sequence[bool]
    """Whether each loses, whatever stands on its cells otherwise."""

    is_loss_first: bool = False
    """Whether a stone loses that finishes both kinds."""

    supply: int = 1 << 30
    """After so many stones of one seat the game is drawn."""

    has_swap: bool = False
    turn_key: int


class EndingBoard(FastBoard):
    """A board for searches of a game in which who takes some cell ends the game by that.

    Nothing but a piece of one's own keeps the opponent out of a cell, and the codes of cells are
    their places in `Board.names`.
    """

    @abstractmethod
    def ending_cells(self, mover: int) -> tuple[int, int]:
        """Return the empty cells where a piece of `mover` wins, and those where it loses."""

    def threats(self) -> tuple[list[int], list[int]]:
        """Return the cells where a piece wins, and where it loses; other moves do neither."""
        if self.winner is not None:
            return [], []
        wins, losses = self.ending_cells(self.to_move)
        return self.game.board.places_in(wins), self.game.board.places_in(losses)

    def candidates(self) -> list[int]:
        """Return what wins; else where the opponent would win; else what does not lose.

        Where a piece of one's own loses on each cell where the opponent would win, all other moves
        come to the same, a draw at once or a win of the opponent with the next move: one of them
        is returned.
        """
        if self.winner is not None:
            return []
        mover, places_in = self.to_move, self.game.board.places_in
        wins, losses = self.ending_cells(mover)
        if wins:
            return places_in(wins)
        theirs, _ = self.ending_cells(1 - mover)
        if theirs & ~losses:
            return places_in(theirs & ~losses)
        legal = self.legal()
        if not losses:
            return legal
        lost = places_in(losses)
        spared = [code for code in legal if code not in lost]
        return (spared[:1] if theirs else spared) or legal


class SwapBoard(EndingBoard):
    """Such a board of a game in which nothing ends before second has swapped or not."""

    @property
    @abstractmethod
    def has_begun(self) -> bool:
        """Return whether second can swap no more."""

    def playout(self, chance: Random) -> tuple[int, int]:
        """Play at random to the end; return the winner and how many plies that took."""
        return self._begun(chance, self.play_on)

    def careful_playout(self, chance: Random) -> tuple[int, int]:
        """Do the same with `candidates`."""
        return self._begun(chance, self.play_on_with_care)

    def _begun(
        self, chance: Random, play_on: Callable[[Random], tuple[int, int]]
    ) -> tuple[int, int]:
        """Play the first turns, of which not all may be played later, then on."""
        begun = 0
        try:
            while self.winner is None and not self.has_begun:
                legal = self.legal()
                self.play(legal[int(chance.random() * len(legal))])
                begun += 1
            winner, plies = play_on(chance) if self.winner is None else (self.winner, 0)
        finally:
            for _ in range(begun):
                self.undo()
        return winner, begun + plies

    @abstractmethod
    def play_on(self, chance: Random) -> tuple[int, int]:
        """Do what `playout` does, of a game that has begun and goes on."""

    @abstractmethod
    def play_on_with_care(self, chance: Random) -> tuple[int, int]:
        """Do what `careful_playout` does, of a game that has begun and goes on."""


def taking_turns(mover: int, times: int) -> Sequence[Side]:
    """Return who decides on each of so many turns that alternate, `mover` on the first.

    >>> [seat.word for seat in taking_turns(1, 3)]
    ['second', 'first', 'second']
    """
    return (SIDES * (times // 2 + 1))[mover : mover + times]


def past_swap(position: P, moves: Sequence[str]) -> tuple[P | None, Sequence[str]]:
    """Return the position after a swap among the first two moves, and what is left of the moves.

    Without such a swap nothing changes; None where it cannot be played.
    """
    if SWAP not in moves[:2]:
        return position, moves
    swap = moves.index(SWAP) + 1
    return one_by_one(position, moves[:swap]), moves[swap:]
