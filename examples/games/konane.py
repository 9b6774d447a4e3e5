"""Konane, or Hawaiian checkers; traditional.

Black and white pieces fill the board, alternating like the squares of a chess board. Black begins
and removes a black piece from a corner or from the middle. White then removes a white piece beside
the gap. After that, each turn is a jump along a row or column. A piece jumps over an adjacent enemy
piece to the empty cell behind it, and removes that piece. It may continue to jump in the same
direction. A player without a jump loses.

A move is the cell that a piece leaves and the cell where it stops, such as `c1-e1`, or `a1-e1` for
two jumps. The first move of each player is the cell of the removed piece, such as `c3`. A position
is the rows from the top of the board, and the side to move.

Source: the rules in common use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, NamedTuple

from lath.games.board import squares
from lath.games.core import Move, Outcome, Piece, Symmetry, require_legal
from lath.games.errors import PositionError
from lath.games.parameters import Parameter
from lath.games.reach import read_fields
from lath.games.stones import OPEN, WON, Alternating, Turning

BLACK, WHITE = 0, 1


class Jump(NamedTuple):
    """A jump or several at once, as sets of cells."""

    move: Move
    leave: int
    over: int  # the pieces it takes
    reach: int


class Konane(Turning):
    """The rules."""

    id = "konane"
    title = "Konane"
    credit = "traditional"
    colours = ("black", "white")
    pieces = (
        Piece("b", "black piece", "disc", "#222222"),
        Piece("w", "white piece", "disc", "#f4f1e8"),
    )
    parameters = (Parameter("size", 6, range(4, 11, 2), "cells on a side of the board"),)

    def __init__(self, size: int = 6) -> None:
        board = squares(size)
        self.board: Final = board
        dark = sum(b for name, b in board.bit.items() if (ord(name[0]) + int(name[1:])) % 2 == 0)
        self.filled = dark, board.full ^ dark
        """The cells of each player; as jumps go by twos, pieces never leave those."""
        half = size // 2  # black corners and middles lie on one diagonal
        self.first_gaps = sum(
            board.bit[f"{chr(ord('a') - 1 + number)}{number}"]
            for number in {1, half, half + 1, size}
        )
        self.jumps = {bit: self._jumps(place) for place, bit in enumerate(board.name)}
        """For each cell the jumps from there: for each direction the shorter ones first."""
        ways = [way for ways in self.jumps.values() for way in ways]
        self.jump = {each.move: each for way in ways for each in way}
        removals = self.first_gaps | self.beside(self.first_gaps)
        self.moves = {text: Move(text) for text in (*board.names_in(removals), *self.jump)}
        self.expected = (
            "expected a jump such as a1-a3, or for the first turn of each player a cell such as c3"
        )

    def _jumps(self, place: int) -> list[list[Jump]]:
        board, bits = self.board, tuple(self.board.name)
        ways = []
        for ray in board.rays(place, diagonals=False):
            way, over = [], 0
            for passed, reached in zip(ray[::2], ray[1::2], strict=False):
                over |= bits[passed]
                move = Move(f"{board.names[place]}-{board.names[reached]}")
                way.append(Jump(move, bits[place], over, bits[reached]))
            ways.append(way)
        return ways

    def beside(self, cells: int) -> int:
        """Return the cells next to any of `cells` along row or column."""
        near = 0
        for step in (1, self.board.stride):
            near |= cells << step | cells >> step
        return near & self.board.full

    @cached_property
    def _alike(self) -> tuple[Symmetry, ...]:
        """The symmetries that keep the colours of the cells: a half turn, diagonals."""
        return tuple(
            Symmetry(self.moved(each.cells).__getitem__, _turn(each.mask))
            for each in self.board.isometries
            if each.mask(self.filled[BLACK]) == self.filled[BLACK]
        )

    def symmetries(self, _: Place) -> tuple[Symmetry, ...]:
        """Return the symmetries that keep the colours, the same in every position."""
        return self._alike

    def start(self, setup: str | None = None) -> Place:
        """Return the full board; raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return Place(self, self.filled, BLACK)

    def position(self, text: str) -> Place:
        """Return the position of a text; raises PositionError where it sees that no game can.

        It looks at the first two turns, at how many pieces are gone, and for a last jump.
        """
        (rows,), mover = read_fields(text, ["board"], "bw")
        cells = self.board.read_rows(rows, "bw")
        place = Place(self, (cells["b"], cells["w"]), mover)
        for colour, pieces, filled in zip(self.colours, place.pieces, self.filled, strict=True):
            if pieces & ~filled:
                raise PositionError(f"a {colour} piece stands where none can come by jumps of two")
        black, white = (filled ^ own for own, filled in zip(place.pieces, self.filled, strict=True))
        gone = black.bit_count(), white.bit_count()
        if min(gone) == 0 or gone == (1, 1):
            if gone[WHITE] > gone[BLACK] or sum(gone) > 2 or sum(gone) % 2 != mover:
                raise PositionError("first each player takes off one piece of her own")
            if black & ~self.first_gaps or white & ~self.beside(black):
                raise PositionError("first a piece of corner or middle goes, then one beside it")
            return place
        # Black has jumped as often as white, or once more; each jump takes so many at most.
        most = (len(self.board.rows) - 1) // 2
        black, white = gone[BLACK] - 1, gone[WHITE] - 1
        if not any(
            turns <= white <= most * turns and turns - mover <= black <= most * (turns - mover)
            for turns in range(1, white + 1)
        ):
            raise PositionError(f"no jumps in turn leave so many, {self.colours[mover]} to move")
        mine = place.pieces[1 - mover]  # of who jumped last: over cells that are empty now
        if not any(
            each.reach & mine and not (each.leave | each.over) & ~place.empty
            for each in self.jump.values()
        ):
            raise PositionError(f"no {self.colours[1 - mover]} piece can have jumped last")
        return place


def _turn(mask: Callable[[int], int]) -> Callable[[Place], Place]:
    return lambda place: place.turned(mask)


class _State(NamedTuple):
    game: Konane
    pieces: tuple[int, int]  # the cells of black and of white
    mover: int


class Place(_State, Alternating):
    """A position; playing returns a new one."""

    __slots__ = ()

    @property
    def empty(self) -> int:
        """Return the empty cells."""
        return self.game.board.full & ~sum(self.pieces)

    @property
    def removable(self) -> int:
        """Return the pieces that may be taken off in a player's first turn; later none."""
        gaps = self.empty
        if gaps & (gaps - 1):
            return 0
        return self.pieces[WHITE] & self.game.beside(gaps) if gaps else self.game.first_gaps

    @property
    def verdict(self) -> int:
        """Return WON for who has moved last where nothing can be moved any more."""
        return OPEN if self.legal_moves() else WON

    def outcome(self) -> Outcome | None:
        """Return a loss for a mover without a jump; None if the game is not over."""
        return Outcome(self.to_move.other, "no jump left", is_loss=True) if self.is_over else None

    def legal_moves(self) -> tuple[Move, ...]:
        """Return what may be taken off, later the jumps by the cell they leave."""
        board = self.game.board
        if removable := self.removable:
            return tuple(map(Move, board.names_in(removable)))
        mine, theirs, empty = self.pieces[self.mover], self.pieces[1 - self.mover], self.empty
        found = []
        for piece in board.bits(mine):
            for way in self.game.jumps[piece]:
                for jump in way:
                    if jump.over & ~theirs or not jump.reach & empty:
                        break
                    found.append(jump.move)
        return tuple(found)

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` may not be played here; None when it may."""
        if move in (legal := self.legal_moves()):
            return None
        if not legal:
            return "the game is over"
        if move not in self.game.moves:
            return f"{self.game.id} does not have this move"
        if self.removable:
            where = "beside the gap" if self.mover else "from a corner or from the middle"
            return f"{self.game.colours[self.mover]} takes off a piece of her own {where} first"
        if "-" not in move:
            return "pieces are taken off in the first turns only"
        leave = move.partition("-")[0]
        if not self.game.board.bit[leave] & self.pieces[self.mover]:
            return f"{self.game.colours[self.mover]} has no piece on {leave}"
        return "each jump is over one enemy piece onto the empty cell behind"

    def play(self, move: Move) -> Place:
        """Return the position after `move`; raises IllegalMoveError."""
        require_legal(self, move)
        pieces = list(self.pieces)
        if jump := self.game.jump.get(move):
            pieces[self.mover] ^= jump.leave | jump.reach
            pieces[1 - self.mover] ^= jump.over
        else:
            pieces[self.mover] ^= self.game.board.bit[move]
        return Place(self.game, (pieces[BLACK], pieces[WHITE]), 1 - self.mover)

    def turned(self, mask: Callable[[int], int]) -> Place:
        """Return the same with each set of cells where `mask` says."""
        black, white = self.pieces
        return self._replace(pieces=(mask(black), mask(white)))

    def text(self) -> str:
        """Return board and mover."""
        rows = self.game.board.format_rows(dict(zip("bw", self.pieces, strict=True)))
        return f"{rows} {'bw'[self.mover]}"

    def contents(self) -> tuple[str, ...]:
        """Return the piece of each cell."""
        return self.game.board.contents(zip("bw", self.pieces, strict=True))


GAME = Konane()
