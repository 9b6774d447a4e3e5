"""What every game and position is: moves, sides, results, pieces, symmetries, and their members."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, Final, Literal, NewType, Protocol, Self, TypeVar

from lath.games.board import Board

Move = NewType("Move", str)
"""A move in its canonical text; only the game that made it knows what it means."""


class Side(IntEnum):
    """Who decides: *first* makes the first decision of the game."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Side:
        """Return the opponent's seat."""
        return SIDES[1 - self]

    @property
    def word(self) -> str:
        """Return the seat's name in records and in the protocol: `first` or `second`."""
        return self.name.lower()


SIDES: Final = (Side.FIRST, Side.SECOND)


class Result(StrEnum):
    """What a game came to: the text that records write, which knows who won and what that is worth.

    >>> Result("0-1").winner, Result("0-1").points, Result("0-1").reversed.points
    (<Side.SECOND: 1>, (0.0, 1.0), (1.0, 0.0))
    """

    FIRST_WON = "1-0"
    SECOND_WON = "0-1"
    DRAWN = "1/2-1/2"
    UNFINISHED = "*"

    @classmethod
    def won_by(cls, winner: Side | None) -> Result:
        """Return the result of a game that a side won; of a draw if that is None."""
        return cls.DRAWN if winner is None else _WON[winner]

    @property
    def is_finished(self) -> bool:
        """Return whether the game has been won or drawn."""
        return self is not Result.UNFINISHED

    @property
    def winner(self) -> Side | None:
        """Return the side that won; None if the game is drawn or not finished."""
        return SIDES[_WON.index(self)] if self in _WON else None

    @property
    def loser(self) -> Side | None:
        """Return the side that lost; None if the game is drawn or not finished."""
        return self.reversed.winner

    @property
    def reversed(self) -> Result:
        """Return the result with the sides swapped."""
        return _WON[1 - _WON.index(self)] if self in _WON else self

    @property
    def points(self) -> tuple[float, float]:
        """Return the points of first and second; 0 for both if the game is not finished."""
        return _POINTS[self]


RESULTS: Final = {result.value: result for result in Result}
"""The results by their texts: first won, second won, a draw, not finished."""

_WON: Final = (Result.FIRST_WON, Result.SECOND_WON)
"""The results of games that somebody won, by the winner."""

_POINTS: Final = dict(zip(Result, ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.0, 0.0)), strict=True))


_HAPPENED: Final = {
    "made": re.compile("(one|two|three|four|five|six|seven|eight|nine) "),
    "made a": re.compile("group of "),
    "had": re.compile("no "),
}
"""What is made, and what one has; of other endings it is said who won or lost by them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended by its rules: why, apart from who."""

    winner: Side | None
    """The winner's seat; None for a draw."""

    ending: str
    """Why, in a few words of the game, such as `four in line`."""

    cells: tuple[str, ...] = ()
    """The cells that decided, in the board's order; empty when no cell did."""

    is_loss: bool = False
    """Whether the ending is what the loser made or had, such as three in line where that loses."""

    @property
    def result(self) -> Result:
        """Return the result.

        >>> print(Outcome(None, "board full").result)
        1/2-1/2
        """
        return Result.won_by(self.winner)

    def told(self, first: str, second: str) -> str:
        """Return how it ended, in a sentence with both names.

        >>> Outcome(Side.FIRST, "three in line", is_loss=True).told("ann", "bob")
        'bob made three in line and lost'
        >>> Outcome(Side.FIRST, "last row reached").told("ann", "bob")
        'ann won: last row reached'
        """
        if self.winner is None:
            return f"a draw: {self.ending}"
        whose = (first, second)[self.winner.other if self.is_loss else self.winner]
        came = "lost" if self.is_loss else "won"
        verb = next((verb for verb, words in _HAPPENED.items() if words.match(self.ending)), "")
        return (
            f"{whose} {verb} {self.ending} and {came}" if verb else f"{whose} {came}: {self.ending}"
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """How one letter of a board is drawn."""

    code: str
    """The letter, as `Position.contents` gives it."""

    name: str
    """In the game's words, such as `white token` or `meerkat`; a player's own pieces have the word
    for her colour in it."""

    shape: Literal["tile", "disc", "block", "marker"]
    """A `tile` lies under everything, a `disc` is a player's piece, a `block` fills its cell for
    good, a `marker` stands on top."""

    colour: str
    """Fill colour, `#rrggbb`."""

    glyph: str = ""
    """Its outline as SVG path data, where the shape alone is too plain: a square of 100 units, the
    middle being 0 0, holes by the even-odd rule. A tile's glyph is solid in the middle, for the
    letter stands there."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A way to turn a game, or to rename things in it, of which its rules take no notice.

    Whatever may be played, and comes of it, is the same before and after: the moves of the image
    of a position are the images of its moves.
    """

    move: Callable[[Move], Move]
    """Returns the image of a move, which is in canonical text; legality does not matter."""

    position: Callable[[Any], Any]
    """Returns the image of a position of the game."""


IDENTITY: Final = Symmetry(lambda move: move, lambda position: position)
"""What every game has, and a game that says nothing of symmetries alone."""


class Position(Protocol):
    """A state that the rules can reach. Immutable and hashable; equal states are equal.

    A game may give its positions more, for speed: see `lath.games.capabilities`.
    """

    @property
    def game(self) -> Game:
        """Return the game that this is a position of."""

    @property
    def to_move(self) -> Side:
        """Return who decides next; on a finished position, who would."""

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended here by its rules."""

    def outcome(self) -> Outcome | None:
        """Return how the game ended here; None while it goes on."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every legal move in the order of rules.md; empty once the game is over."""

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` may not be played here; None when it may."""

    def play(self, move: Move) -> Self:
        """Return the position after `move`, which is in canonical text.

        Raises IllegalMoveError, also for a text that is no move of the game.
        """

    def text(self) -> str:
        """Return the whole state as text; `Game.position` reads it back."""

    def contents(self) -> tuple[str, ...]:
        """Return what lies on each cell, in the order of `Board.names`.

        Each is a text of piece codes from the bottom up, empty for an empty cell.
        """


P = TypeVar("P", bound=Position)


class Game(Protocol):
    """One set of rules. There is one object a game: `games.get(id)`.

    A game may have more: see `lath.games.capabilities`.
    """

    @property
    def id(self) -> str:
        """Return the name in records and on the command line, such as `manalath-61`."""

    @property
    def title(self) -> str:
        """Return the name for people, such as `Manalath (61 cells)`."""

    @property
    def credit(self) -> str:
        """Return inventor and year, for people."""

    @property
    def colours(self) -> tuple[str, str]:
        """Return the words for first's and second's colour."""

    @property
    def board(self) -> Board:
        """Return the cells."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Return everything that `Position.contents` can name."""

    @property
    def has_setups(self) -> bool:
        """Return whether something lies on the board before the first decision."""

    def start(self, setup: str | None = None) -> Position:
        """Return the position before the first decision.

        Without `setup`: the game's plainest. Raises SetupError.
        """

    def draw_setup(self, seed: int) -> str | None:
        """Return a setup drawn from `seed`, in canonical text; None if the game has none."""

    def canonical_setup(self, setup: str) -> str:
        """Return the one way to write `setup`. Raises SetupError."""

    def position(self, text: str) -> Position:
        """Return the position that `text` describes; raises PositionError with the reason."""

    def canonical(self, text: str) -> Move:
        """Return the one way to write the move; raises MoveSyntaxError."""
