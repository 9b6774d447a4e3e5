"""The contract of every game and position, and the types of moves, sides, results and pieces."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, Final, Literal, NewType, Protocol, Self, TypeVar

from lath.games.board import Board

Move = NewType("Move", str)
"""A move in canonical text. Its meaning depends on the game that made it."""


class Side(IntEnum):
    """A player: *first* makes the first decision of the game."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Side:
        """Return the opponent."""
        return SIDES[1 - self]

    @property
    def word(self) -> str:
        """Return the side's name in records and in the protocol: `first` or `second`."""
        return self.name.lower()


SIDES: Final = (Side.FIRST, Side.SECOND)


class Result(StrEnum):
    """The result of a game, as the text that records write.

    >>> Result("0-1").winner, Result("0-1").points, Result("0-1").reversed.points
    (<Side.SECOND: 1>, (0.0, 1.0), (1.0, 0.0))
    """

    FIRST_WON = "1-0"
    SECOND_WON = "0-1"
    DRAWN = "1/2-1/2"
    UNFINISHED = "*"

    @classmethod
    def won_by(cls, winner: Side | None) -> Result:
        """Return the result of a game that `winner` won; a draw if `winner` is None."""
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
"""The results by their texts: first won, second won, draw, unfinished."""

_WON: Final = (Result.FIRST_WON, Result.SECOND_WON)
"""The results of decided games, by the winner."""

_POINTS: Final = dict(zip(Result, ((1.0, 0.0), (0.0, 1.0), (0.5, 0.5), (0.0, 0.0)), strict=True))


HAPPENED: Final = {
    "made": re.compile("(one|two|three|four|five|six|seven|eight|nine) (in|with|without) "),
    "made a": re.compile("group of "),
    "had": re.compile("no "),
}
"""The verb for endings that a player makes or has. Other endings follow "won" or "lost"."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended by its rules: the winner, and separately the reason."""

    winner: Side | None
    """The side that won; None for a draw."""

    ending: str
    """The reason in a few words, such as `four in line`."""

    cells: tuple[str, ...] = ()
    """The cells that decided the game, in the board's order; empty if no cells did."""

    is_loss: bool = False
    """True if the loser made the ending, such as three in line in a game where that loses."""

    @property
    def result(self) -> Result:
        """Return the result of the game.

        >>> print(Outcome(None, "board full").result)
        1/2-1/2
        """
        return Result.won_by(self.winner)

    def told(self, first: str, second: str) -> str:
        """Return how the game ended, as a sentence with the names of the players.

        The words say what the player of the ending made if they begin with a number from one to
        nine and `in`, `with` or `without`, or with `group of`. Words that begin with `no` say what
        the player had. All others follow a colon.

        >>> Outcome(Side.FIRST, "three in line", is_loss=True).told("ann", "bob")
        'bob made three in line and lost'
        >>> Outcome(Side.FIRST, "two men left").told("ann", "bob")
        'ann won: two men left'
        """
        if self.winner is None:
            return f"a draw: {self.ending}"
        whose = (first, second)[self.winner.other if self.is_loss else self.winner]
        came = "lost" if self.is_loss else "won"
        verb = next((verb for verb, words in HAPPENED.items() if words.match(self.ending)), "")
        return (
            f"{whose} {verb} {self.ending} and {came}" if verb else f"{whose} {came}: {self.ending}"
        )


PieceShape = Literal["tile", "disc", "block", "marker"]


@dataclass(frozen=True, slots=True)
class Piece:
    """The code, name and drawing of one kind of piece."""

    code: str
    """One letter, as in `Position.contents`."""

    name: str
    """The name in the game's words, such as `white token` or `meerkat`. The name of a player's own
    piece contains the word for that player's colour."""

    shape: PieceShape
    """A `tile` lies under everything, a `disc` is a player's piece, a `block` fills its cell for
    good, and a `marker` is drawn on top."""

    colour: str
    """The fill colour, `#rrggbb`."""

    glyph: str = ""
    """The outline as SVG path data; empty if the shape alone is enough. The path fits a square of
    100 units around 0 0 and has holes by the even-odd rule. A tile whose glyph is solid in the
    middle has its letter there."""

    label: str = ""
    """A text of up to three characters on the piece, such as a number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A few moves that show one rule of a game, such as the line that wins.

    The last move ends the game as `ending` and `is_win` say, or the game continues.
    """

    title: str
    """The rule in a few words, such as `Four in line win`."""

    words: str
    """The sight to look for, as one sentence of at most 20 words."""

    moves: tuple[str, ...]
    """Legal moves from the start of the game, in canonical text."""

    begun: int = 0
    """The number of these moves that are on the board when the lesson begins; fewer than all."""

    ending: str = ""
    """The reason of the ending, as in `Outcome.ending`; empty if the game continues."""

    is_win: bool | None = None
    """True if the player of the last move wins, False if that player loses; None if nobody does."""

    shows_legal: bool = False
    """True if the legal moves are marked after the last move."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """A transformation of positions and moves that the rules of a game do not distinguish.

    The legal moves of the image of a position are the images of its legal moves, and playing them
    leads to the images of the positions after.
    """

    move: Callable[[Move], Move]
    """Returns the image of a canonical move, legal or not."""

    position: Callable[[Any], Any]
    """Returns the image of a position of the game."""


IDENTITY: Final = Symmetry(lambda move: move, lambda position: position)
"""The symmetry that changes nothing, which every game has."""


class Position(Protocol):
    """A state that the rules can reach. Immutable and hashable; equal states are equal.

    For speed, positions can have the optional members of `lath.games.capabilities`.
    """

    @property
    def game(self) -> Game:
        """Return the game of this position."""

    @property
    def to_move(self) -> Side:
        """Return the side to move; in a finished game, the side that would move next."""

    @property
    def is_over(self) -> bool:
        """Return whether the game has ended by its rules."""

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is not over."""

    def legal_moves(self) -> tuple[Move, ...]:
        """Return every legal move in the order of the rules page; empty if the game is over."""

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` is illegal here; None if it is legal."""

    def play(self, move: Move) -> Self:
        """Return the position after `move`, which must be canonical text.

        Raises IllegalMoveError if the move is illegal here or is not a move of the game.
        """

    def text(self) -> str:
        """Return the whole state as text; `Game.position` reads it."""

    def contents(self) -> tuple[str, ...]:
        """Return the pieces on each cell, in the order of `Board.names`.

        Each text consists of piece codes from the bottom up; it is empty for an empty cell.
        """


P = TypeVar("P", bound=Position)


class Game(Protocol):
    """The rules of one game type. There is one object per game: `games.get(id)`.

    A game can have the optional members of `lath.games.capabilities`.
    """

    @property
    def id(self) -> str:
        """Return the name in records and on the command line, such as `manalath-61`."""

    @property
    def title(self) -> str:
        """Return the name for people, such as `Manalath (61 cells)`."""

    @property
    def credit(self) -> str:
        """Return the inventor and the year, for people."""

    @property
    def colours(self) -> tuple[str, str]:
        """Return the words for the colours of the first and second player."""

    @property
    def board(self) -> Board:
        """Return the board of the game."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Return every piece that `Position.contents` can name."""

    @property
    def has_setups(self) -> bool:
        """Return whether the board can have pieces before the first decision."""

    def start(self, setup: str | None = None) -> Position:
        """Return the position before the first decision. Default for `setup`: the simplest setup.

        Raises SetupError if the setup is invalid.
        """

    def draw_setup(self, seed: int) -> str | None:
        """Return a setup drawn from `seed`, in canonical text; None if the game has none."""

    def canonical_setup(self, setup: str) -> str:
        """Return the canonical text of `setup`. Raises SetupError if it is invalid."""

    def position(self, text: str) -> Position:
        """Return the position that `text` describes. Raises PositionError with the reason."""

    def canonical(self, text: str) -> Move:
        """Return the canonical text of a move. Raises MoveSyntaxError if it is not a move."""
