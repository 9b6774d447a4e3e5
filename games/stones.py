"""Base classes and functions for games of pieces on cells, so that a game file holds only rules.

Games inherit from `Rules` or `Turning`, and their positions from `Judged` or `Alternating`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

from lath.games.board import Board
from lath.games.core import (
    CELL_NAME,
    FIRST_VERSION,
    IDENTITY,
    SIDES,
    Game,
    Move,
    P,
    Piece,
    Position,
    Result,
    Side,
    Symmetry,
    find,
    one_by_one,
)
from lath.games.errors import GameError, MoveSyntaxError, SetupError
from lath.games.fast import DRAW, FastBoard, Tables
from lath.games.parameters import Parameter, earlier_variants, title_of

OPEN, WON, LOST, DRAWN = range(4)
"""The verdict on the player of the last turn. Games can add their own."""


def winner_by(verdict: int, mover: int) -> int | None:
    """Return the winner, as in `FastBoard.winner`, for a verdict; `mover` is the side to move."""
    return (None, 1 - mover, mover, DRAW)[verdict]


def verdict_of(winner: int | None, mover: int) -> int:
    """Return the verdict for a winner; `mover` is the side to move."""
    if winner is None:
        return OPEN
    return DRAWN if winner == DRAW else LOST if winner == mover else WON


NUMBERS: Final = dict(enumerate(("two", "three", "four", "five", "six", "seven", "eight"), 2))
"""The English words for small numbers."""

SWAP: Final = Move("swap")
"""The second player's first turn, in games with a swap: the first player's piece changes owner."""


def shown_moves(mine: Iterable[str], theirs: Iterable[str]) -> tuple[str, ...]:
    """Return moves of both players in turn, for a lesson.

    >>> shown_moves(("a1", "a3", "a2"), ("e1", "e3"))
    ('a1', 'e1', 'a3', 'e3', 'a2')
    """
    pairs = zip_longest(mine, theirs, fillvalue="")
    return tuple(move for pair in pairs for move in pair if move)


def bystanders(board: Board, busy: int, count: int) -> list[str]:
    """Return the names of up to `count` cells apart from each other, for other moves of a lesson.

    None is one of the `busy` cells. The last cells of the board come first.
    """
    taken = 0
    for bit in reversed(board.name):
        if taken.bit_count() < count and not bit & busy and not board.has_line(taken | bit, 2):
            taken |= bit
    return [board.name[bit] for bit in reversed(board.name) if bit & taken]


_FILLS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "white": "#ffffff",
        "black": "#222222",
        "red": "#c0392b",
        "yellow": "#f2c230",
        "blue": "#3b7dd8",
        "green": "#3aa35b",
        "orange": "#ec8b22",
        "purple": "#7b3f9e",
        "brown": "#7a5c3a",
        "grey": "#8c8c8c",
    }
)
"""The fill of a player's piece, if the player's colour has one of these names."""


def letters_of(colours: tuple[str, str]) -> str:
    """Return the letters of the players: the first of each colour, or 1 and 2 if they are equal."""
    first, second = (colour[0] for colour in colours)
    return first + second if first != second else "12"


def discs_of(colours: tuple[str, str], kind: str = "piece") -> tuple[Piece, ...]:
    """Return a disc for each player in the player's colour, named after it.

    Discs are white and black if the name of a colour is not known. Raises GameError if both colours
    begin with the same letter, which would be the code of both discs.

    >>> [piece.name for piece in discs_of(("red", "blue"), "stone")]
    ['red stone', 'blue stone']
    """
    if colours[0][0] == colours[1][0]:
        what = f"the colours {colours[0]} and {colours[1]} begin with the same letter"
        raise GameError(what, "different letters, or `pieces` with codes of their own")
    fills = colours if _FILLS.keys() >= {*colours} else ("white", "black")
    return tuple(
        Piece(letter, f"{colour} {kind}", "disc", _FILLS[fill])
        for letter, colour, fill in zip(letters_of(colours), colours, fills, strict=True)
    )


class Rules:
    """A game that exists as one object per id. By default it has no setups.

    A game with parameters takes them as keyword arguments, all with defaults.
    """

    parameters: ClassVar[Sequence[Parameter]] = ()
    rules: str = FIRST_VERSION
    earlier: Mapping[str, Game] = MappingProxyType({})
    has_setups: bool = False
    moves: Mapping[str, Move]
    """The canonical move for each text of a move that is legal in some position."""

    expected: str
    """The form of a move, for the message about another text."""

    if TYPE_CHECKING:  # each game defines them itself

        @property
        def id(self) -> str:
            """Return the id in records."""

        @property
        def title(self) -> str:
            """Return the name for people."""

        @property
        def credit(self) -> str:
            """Return the inventor and the year, for people."""

    def __repr__(self) -> str:
        return f"<game {self.id}>"

    def __reduce__(self) -> tuple[Callable[[str, str], Game], tuple[str, str]]:
        return find, (self.id, self.rules)

    def variant(self, game_id: str, **values: Any) -> Self:
        """Return the game with these values and this id. Raises ValueError if values clash."""
        game: Any = type(self)(**values)
        game.id, game.title = game_id, title_of(self.title, game_id)
        game.earlier = earlier_variants(self.earlier, game_id, values)
        return cast("Self", game)

    def canonical(self, text: str) -> Move:
        """Return the canonical text of a move. Raises MoveSyntaxError if it is not a move."""
        if (move := self.moves.get(text)) is None:
            raise MoveSyntaxError(text, self.expected)
        return move

    def draw_setup(self, seed: int) -> str | None:  # noqa: ARG002 - games with setups use it
        """Return a setup drawn from `seed`; None if the board begins empty."""
        return None

    def canonical_setup(self, setup: str) -> str:
        """Raise SetupError, because the game does not have setups."""
        raise SetupError(f"{self.id} does not have setups, found {setup!r}")


class Turning(Rules):
    """Rules that are symmetric under all rotations and reflections; moves name only cells.

    `moves` must contain the image of each move. Positions must define `turned(mask)`, which returns
    the position with `mask` applied to each set of cells.
    """

    if TYPE_CHECKING:

        @property
        def board(self) -> Board:
            """Return the board."""

    def symmetries(self, position: Any) -> tuple[Symmetry, ...]:  # noqa: ARG002 - the same in every position
        """Return each rotation and reflection of the board."""
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
        """Return the image of each move, with each cell name replaced by its image."""
        return {
            move: self.canonical(CELL_NAME.sub(lambda cell: cells[cell[0]], move))
            for move in self.moves.values()
        }


def _turn(mask: Callable[[int], int]) -> Callable[[Any], Any]:
    return lambda position: position.turned(mask)


class Judged:
    """A position whose state includes `mover` (the side to move) and `verdict`.

    Positions are named tuples that also inherit from this class. They must define `layers`, from
    which `contents` is computed.
    """

    __slots__ = ()

    RESULTS: ClassVar[Sequence[tuple[Result, Result]]] = tuple(
        (result, result.reversed)
        for result in (Result.UNFINISHED, Result.SECOND_WON, Result.FIRST_WON, Result.DRAWN)
    )
    """The results by verdict and by side to move."""

    if TYPE_CHECKING:

        @property
        def mover(self) -> int:
            """Return the side to move, 0 or 1."""

        @property
        def verdict(self) -> int:
            """Return the verdict on the last turn."""

    @property
    def to_move(self) -> Side:
        """Return the side to move."""
        return SIDES[self.mover]

    @property
    def is_over(self) -> bool:
        """Return whether the last turn ended the game."""
        return self.verdict != OPEN

    @property
    def result(self) -> Result:
        """Return the result; `*` while the game is not over."""
        return self.RESULTS[self.verdict][self.mover]

    def contents(self) -> tuple[str, ...]:
        """Return the pieces on each cell, from the bottom up."""
        position: Any = self
        return cast("Game", position.game).board.contents(position.layers())

    def _repr_html_(self) -> str:
        """Return the HTML that notebooks show."""
        from lath.games.drawing.board import html  # start-up time

        return html(cast("Position", self))


class Alternating(Judged):
    """A `Judged` position for games with strictly alternating turns."""

    __slots__ = ()

    def movers(self, moves: Sequence[str]) -> Sequence[Side]:
        """Return the side to move before each of `moves`, and after the last."""
        return taking_turns(self.mover, len(moves) + 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LineTables(Tables):
    """The state for compiled searches of games that end by lines or other shapes of stones."""

    shapes: Sequence[Sequence[int]]
    """The cells of each shape."""

    losing: Sequence[bool]
    """For each shape, True if it always loses, whatever else is on its cells."""

    is_loss_first: bool = False
    """True if a stone that completes both a winning and a losing shape loses."""

    supply: int = 1 << 30
    """The game is a draw after one player has placed this many stones."""

    has_swap: bool = False
    turn_key: int


class EndingBoard(FastBoard):
    """A board for searches of a game that a single placement can win or lose.

    The opponent can use every empty cell. The codes of cells are their places in `Board.names`.
    """

    @abstractmethod
    def ending_cells(self, mover: int) -> tuple[int, int]:
        """Return the empty cells where a piece of `mover` wins, and those where it loses."""

    def threats(self) -> tuple[list[int], list[int]]:
        """Return the cells where a piece wins and where it loses; other moves do neither."""
        if self.winner is not None:
            return [], []
        wins, losses = self.ending_cells(self.to_move)
        return self.game.board.places_in(wins), self.game.board.places_in(losses)

    def candidates(self) -> list[int]:
        """Return winning moves, or the opponent's winning cells, or moves that do not lose.

        If an own piece loses on every cell where the opponent would win, all other moves are
        equally good. They draw at once or let the opponent win. Only one of them is returned.
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


def halfway(mine: int, free: int, shapes: Iterable[int]) -> int:
    """Return the free cells of the shapes that lack only two stones, both on free cells."""
    found = 0
    for shape in shapes:
        missing = shape & ~mine
        if missing & free == missing and missing.bit_count() == 2:
            found |= missing
    return found


class SwapBoard(EndingBoard):
    """An `EndingBoard` for games that cannot end before the second player's first turn."""

    @property
    @abstractmethod
    def has_begun(self) -> bool:
        """Return whether the second player can no longer swap."""

    def playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner and number of plies of a random game."""
        return self._begun(chance, self.play_on)

    def careful_playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner and number of plies of a random game of `candidates`."""
        return self._begun(chance, self.play_on_with_care)

    def _begun(
        self, chance: Random, play_on: Callable[[Random], tuple[int, int]]
    ) -> tuple[int, int]:
        """Play the first turns, then the rest of the game with `play_on`.

        The first turns are played apart because their moves may not be legal later.
        """
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
        """Return the result of `playout` for a game that has begun and is not over."""

    @abstractmethod
    def play_on_with_care(self, chance: Random) -> tuple[int, int]:
        """Return the result of `careful_playout` for a game that has begun and is not over."""


def taking_turns(mover: int, times: int) -> Sequence[Side]:
    """Return the sides of `times` alternating turns, beginning with `mover`.

    >>> [seat.word for seat in taking_turns(1, 3)]
    ['second', 'first', 'second']
    """
    return (SIDES * (times // 2 + 1))[mover : mover + times]


def past_swap(position: P, moves: Sequence[str]) -> tuple[P | None, Sequence[str]]:
    """Return the position after a swap in the first two moves, and the remaining moves.

    Without such a swap, both are returned unchanged. The position is None if the swap is illegal.
    """
    if SWAP not in moves[:2]:
        return position, moves
    swap = moves.index(SWAP) + 1
    return one_by_one(position, moves[:swap]), moves[swap:]
