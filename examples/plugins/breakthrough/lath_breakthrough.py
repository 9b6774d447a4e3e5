"""Breakthrough, by Dan Troyka, 2000.

Each player has sixteen pieces on 8x8 squares, in the two rows nearest to the player. White begins.
In a turn, a player moves a piece to the next row: straight ahead to an empty cell, or diagonally. A
diagonal move may also capture an opponent's piece. Captures are never compulsory. A player who
reaches the farthest row wins, and so does a player who captures the last piece of the opponent. A
draw is impossible, because the foremost piece can always move.

A move is the cell that a piece leaves and the cell that it reaches, such as `a2-a3`. A position is
the rows from the top of the board and the side to move, such as
`bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w`.

Source: the rules in common use.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from lath.games.board import Board, squares
from lath.games.core import IDENTITY, Game, Move, Outcome, Piece, Side, Symmetry, find
from lath.games.drawing.board import html
from lath.games.errors import IllegalMoveError, MoveSyntaxError, PositionError, SetupError

SIZE: Final = 8
SUPPLY: Final = 2 * SIZE
"""Pieces that each player has."""

START: Final = "bbbbbbbb/bbbbbbbb/8/8/8/8/wwwwwwww/wwwwwwww w"


class Breakthrough:
    """The rules."""

    id: Final = "breakthrough"
    title: Final = "Breakthrough"
    credit: Final = "Dan Troyka, 2000"
    colours: Final = ("white", "black")
    has_setups: Final = False
    pieces: Final = (
        Piece("w", "white piece", "disc", "#ffffff"),
        Piece("b", "black piece", "disc", "#222222"),
    )

    def __init__(self) -> None:
        self.board: Final[Board] = squares(SIZE)
        names = self.board.names
        self.steps: Final = tuple({one: self._ahead(one, up) for one in names} for up in (1, -1))
        """For each seat the cells ahead of each cell, in the board's order."""
        self.goals: Final = (self._row(SIZE), self._row(1))
        """For each seat the cells to reach."""
        self.mirror: Final = str.maketrans("abcdefgh", "hgfedcba")
        """Letters of columns with the left for the right."""

    def __repr__(self) -> str:
        return f"<game {self.id}>"

    def __reduce__(self) -> tuple[Callable[[str], Game], tuple[str]]:
        return find, (self.id,)

    def _ahead(self, cell: str, up: int) -> tuple[str, ...]:
        column, row = ord(cell[0]), int(cell[1]) + up
        cells = (f"{chr(column + side)}{row}" for side in (-1, 0, 1))
        return tuple(name for name in cells if name in self.board.bit)

    def _row(self, number: int) -> frozenset[str]:
        return frozenset(name for name in self.board.names if int(name[1]) == number)

    def canonical(self, text: str) -> Move:
        """Return the move; raises MoveSyntaxError."""
        leave, _, reach = text.partition("-")
        if not any(reach in steps.get(leave, ()) for steps in self.steps):
            raise MoveSyntaxError(text, "expected a cell and one of the next row, such as a2-a3")
        return Move(text)

    def symmetries(self, position: BreakthroughPosition) -> tuple[Symmetry, ...]:  # noqa: ARG002
        """Return that left and right are alike, wherever that is asked."""
        return IDENTITY, Symmetry(lambda move: Move(move.translate(self.mirror)), _mirrored)

    def draw_setup(self, seed: int) -> None:
        """Return None: the board always begins the same."""

    def canonical_setup(self, setup: str) -> str:
        """Raise SetupError, because the game does not have setups."""
        raise SetupError(f"{self.id} does not have setups, found {setup!r}")

    def start(self, setup: str | None = None) -> BreakthroughPosition:
        """Return the first position; raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return self.position(START)

    def position(self, text: str) -> BreakthroughPosition:
        """Return the position that `text` describes; raises PositionError."""
        rows, _, mover = text.partition(" ")
        if mover not in ("w", "b"):
            raise PositionError(f"position {text!r} must be two fields: board, and w or b to move")
        white, black = self.board.read_rows(rows, "wb").values()
        pieces = (
            frozenset(self.board.names_in(white)),
            frozenset(self.board.names_in(black)),
        )
        self._refuse_unreachable(pieces, "wb".index(mover))
        return BreakthroughPosition(self, pieces, Side("wb".index(mover)))

    def _refuse_unreachable(self, pieces: tuple[frozenset[str], ...], mover: int) -> None:
        for word, mine in zip(self.colours, pieces, strict=True):
            if len(mine) > SUPPLY:
                raise PositionError(f"{len(mine)} {word} pieces, expected at most {SUPPLY}")
        if pieces[mover] & self.goals[mover] or not pieces[1 - mover]:
            raise PositionError(f"{self.colours[mover]} is to move, but has won already")
        if len(pieces[1 - mover] & self.goals[1 - mover]) > 1:
            raise PositionError(f"{self.colours[1 - mover]} has reached the last row twice")


@dataclass(frozen=True, slots=True)
class BreakthroughPosition:
    """The cells of each seat's pieces and who moves."""

    game: Breakthrough
    pieces: tuple[frozenset[str], ...]
    to_move: Side

    _repr_html_ = html  # what notebooks show

    @property
    def is_over(self) -> bool:
        """Return whether the last move reached its goal or captured the last piece."""
        return self.outcome() is not None

    def outcome(self) -> Outcome | None:
        """Return how the last move ended the game; None if it is not over."""
        last = self.to_move.other
        reached = self.pieces[last] & self.game.goals[last]
        if reached:
            return Outcome(last, "last row reached", tuple(reached))
        return None if self.pieces[self.to_move] else Outcome(last, "all pieces captured")

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the moves by the cell they leave, then by the cell they reach."""
        if self.is_over:
            return ()
        mine, theirs = self.pieces[self.to_move], self.pieces[self.to_move.other]
        steps = self.game.steps[self.to_move]
        return tuple(
            Move(f"{leave}-{reach}")
            for leave in sorted(mine)
            for reach in steps[leave]
            if reach not in mine and (reach not in theirs or reach[0] != leave[0])
        )

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` may not be played here; None when it may."""
        leave, _, reach = move.partition("-")
        if self.is_over:
            return "the game is over"
        if leave not in self.pieces[self.to_move]:
            return f"{self.game.colours[self.to_move]} has no piece on {leave}"
        if reach not in self.game.steps[self.to_move][leave]:
            return f"{reach} is not ahead of {leave}"
        if reach in self.pieces[self.to_move]:
            return f"{reach} holds an own piece"
        if reach in self.pieces[self.to_move.other] and reach[0] == leave[0]:
            return f"a piece straight ahead, on {reach}, cannot be captured"
        return None

    def play(self, move: Move) -> BreakthroughPosition:
        """Return the position after `move`; raises IllegalMoveError."""
        reason = self.why_illegal(move)
        if reason is not None:
            raise IllegalMoveError(move, reason)
        leave, reach = move.split("-")
        mine = self.pieces[self.to_move] - {leave} | {reach}
        theirs = self.pieces[self.to_move.other] - {reach}
        pieces = (theirs, mine) if self.to_move else (mine, theirs)
        return BreakthroughPosition(self.game, pieces, self.to_move.other)

    def text(self) -> str:
        """Return board and mover."""
        bit = self.game.board.bit
        white, black = (sum(bit[cell] for cell in cells) for cells in self.pieces)
        rows = self.game.board.format_rows({"w": white, "b": black})
        return f"{rows} {'wb'[self.to_move]}"

    def contents(self) -> tuple[str, ...]:
        """Return the piece of each cell."""
        white, black = self.pieces
        return tuple(
            "w" if cell in white else "b" if cell in black else "" for cell in self.game.board.names
        )


def _mirrored(position: BreakthroughPosition) -> BreakthroughPosition:
    letters = position.game.mirror
    pieces = (frozenset(cell.translate(letters) for cell in cells) for cells in position.pieces)
    return replace(position, pieces=tuple(pieces))


GAME: Final = Breakthrough()
