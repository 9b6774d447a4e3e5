"""Surikata, by Adam Porter (Gerhards Spiel und Design).

The board has 5x5 squares. First the players take turns to place five mounds on any free cells. The
first player, who placed the fifth mound, also places the first piece. From then on turns alternate,
and the meerkat moves onto each newly placed piece. The meerkat sees along its row and column to the
edge. Mounds block its view, pieces do not. A piece must be placed on a free cell that the meerkat
does not see; the first piece can use any free cell. Three or more own pieces in line, orthogonal or
diagonal, lose at once for the player who placed the last of them. A player who cannot place a piece
loses at once. If all twenty pieces are placed without a line, the game is a draw.

Source: rulebook by Gerhards. Rulings are in docs/explanation/rules.md, which also explains the 5x5
board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product, takewhile
from operator import add, mul, or_
from random import Random
from typing import Final, NamedTuple

from lath.games.board import Board, squares
from lath.games.core import Lesson, Move, Outcome, Piece, Side, require_legal
from lath.games.errors import PositionError
from lath.games.fast import DRAW, FastBoard, bounded, keys, mixed
from lath.games.overlays import Sight
from lath.games.parameters import Parameter
from lath.games.reach import path_exists, read_fields, refuse_more, share_a_cell
from lath.games.stones import (
    DRAWN,
    LOST,
    NUMBERS,
    OPEN,
    WON,
    Judged,
    LineTables,
    Turning,
    taking_turns,
    verdict_of,
    winner_by,
)

SIZE: Final = 5
MOUNDS: Final = 5

_MOST_SEEN: Final = 2 * SIZE - 1
"""The most empty cells of which a meerkat on one can see all others."""

_MOUNDS: Final = "Mc4 Mb3 Me1 Ma5 Md2 c3"
_STUCK: Final = "Me2 Md3 Me1 Mb1 Mb4 a1 d1 e4 b3 d2 a4 b5 a3 b2 d4 a2 e3 c5"
_IN_LINE: Final = {
    3: "Ma2 Ma5 Mc1 Me1 Md4 a4 e4 b4 d3 c4",
    4: "Me2 Mc5 Mb2 Mb5 Ma3 b4 a1 c4 a2 d4 b1 a4",
    5: "Mb1 Mc1 Ma5 Ma3 Me3 d4 e2 c4 b3 e4 c5 a4 c2 b4",
}
"""Games of lessons; the lines are by their length."""

_MOUND: Final = (
    "M-38 35C-32 26-30 6-23-6C-20-12-21-25-14-29C-10-39 2-42 8-35C16-32 15-21 19-13"
    "C28-6 31 20 38 35zM-8-16a5 6 0 1 0 10 0a5 6 0 1 0-10 0zM6 6a5 5 0 1 0 10 0"
    "a5 5 0 1 0-10 0zM-18 14a5 5 0 1 0 10 0a5 5 0 1 0-10 0z"
)
"""A heap with three holes."""

_MEERKAT: Final = (
    "M0-48C7-48 11-45 11-39C16-41 17-34 11-33C10-29 6-25 5-22C6-18 12-17 13-9"
    "C14-2 12 2 14 8C19 18 19 26 16 33C21 34 21 40 16 40L4 40L3 33L0 33L-3 33L-4 40"
    "L-16 40C-21 40-21 34-16 33C-19 26-19 18-14 8C-12 2-14-2-13-9C-12-17-6-18-5-22"
    "C-6-25-10-29-11-33C-17-34-16-41-11-39C-11-45-7-48 0-48zM19 33C31 34 37 24 38 10"
    "C38 4 45 4 45 10C45 28 37 42 19 40zM-7.5-38a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0z"
    "M2.3-38a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0-5.2 0zM-2.5-31L2.5-31L0-28zM-5-5"
    "C-5-2 5-2 5-5C9 2 11 12 7 20C4 25-4 25-7 20C-11 12-9 2-5-5z"
)
"""Upright and looking out; the piece below is visible through belly and eyes."""


class Surikata(Turning):
    """The rules of Surikata."""

    id = "surikata"
    title = "Surikata"
    parameters = (Parameter("lose", 3, range(3, 6), "length of a line that loses, or more"),)
    credit: Final = "Adam Porter, Gerhards Spiel und Design"
    colours: Final = ("orange", "white")
    form: Final = "mow k"
    pieces: Final = (
        Piece("m", "termite mound", "block", "#b98a5e", _MOUND),
        Piece("o", "orange piece", "disc", "#ee8a1d"),
        Piece("w", "white piece", "disc", "#ffffff"),
        Piece("k", "meerkat", "marker", "#5a3e22", _MEERKAT),
    )
    overlays: Final = (Sight("k", blockers="m"),)

    def __init__(self, lose: int = 3) -> None:
        self.lose: Final = lose
        self.board: Final[Board] = squares(SIZE)
        names = self.board.names
        self.moves = {text: Move(text) for name in names for text in (name, f"M{name}")}
        mounds = {f"M{name}": bit << self.board.apart for name, bit in self.board.bit.items()}
        self.bits: Final = {**self.board.bit, **mounds}
        """The bit of each move in `SurikataPosition.legal_bits`."""
        self.expected = f"expected a cell from a1 to {names[-1]}; M before it places a mound"
        self.lines: Final = self.board.lines(lose)
        self.lines_at: Final = self.board.through(self.lines)
        bits = tuple(self.board.name)
        self.rays: Final = {
            bit: [[bits[i] for i in ray] for ray in self.board.rays(cell, diagonals=False)]
            for cell, bit in enumerate(bits)
        }
        """The cells ahead of each cell in its row and column, from its neighbour to the edge."""

    @property
    def card(self) -> str:
        """Return the rules in a few lines."""
        return (
            "you lose if the meerkat sees all empty cells on your turn, or if you make "
            f"{NUMBERS[self.lose]} in line.\n"
            f"First, {MOUNDS} mounds are placed in turn (Mc3); the player of the last one begins.\n"
            "On your turn, place a piece on an empty cell that the meerkat does not see (c3). The "
            "meerkat moves there. It sees along rows and columns, over pieces, up to a mound.\n"
            "If all cells are full, the game is a draw."
        )

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """Return the mounds, the meerkat's sight, and the two ways to lose."""
        number, mounds, line = NUMBERS[self.lose], _MOUNDS.split(), _IN_LINE[self.lose].split()
        return (
            Lesson(
                title="First, five mounds",
                words="Players place five mounds in turn; Orange also places the first piece.",
                moves=(*mounds,),
            ),
            Lesson(
                title="The meerkat's sight",
                words="The meerkat sees along rows and columns up to a mound; White must play on a "
                "dotted cell.",
                moves=(*mounds,),
                begun=MOUNDS,
                shows_legal=True,
            ),
            Lesson(
                title=f"{number.capitalize()} in line lose",
                words=f"Orange makes {number} in line, so Orange loses.",
                moves=(*line,),
                begun=len(line) - 3,
                ending=f"{number} in line",
                is_win=False,
            ),
            Lesson(
                title="No cell out of sight loses",
                words="The meerkat sees every empty cell, and White cannot play: Orange wins.",
                moves=(*_STUCK.split(),),
                begun=len(_STUCK.split()) - 3,
                ending="no cell out of sight",
                is_win=True,
            ),
        )

    @cached_property
    def hiding(self) -> dict[str, int]:
        """The cells between any two cells, by their joined names: a mound there blocks the view.

        If the two are not in the same row or column, these are all cells of the board.
        """
        names = self.board.name
        hiding = dict.fromkeys(map("".join, product(names.values(), repeat=2)), self.board.full)
        for bit, rays in self.rays.items():
            for ray in rays:
                for cell, between in zip(ray, accumulate(ray, or_, initial=0), strict=False):
                    hiding[names[bit] + names[cell]] = between
        return hiding

    @cached_property
    def sights(self) -> dict[int, tuple[tuple[int, dict[int, int]], ...]]:
        """The visible cells from each cell, along its row and its column, by the mounds there.

        The key 0, no cell, sees nothing.
        """
        sights: dict[int, tuple[tuple[int, dict[int, int]], ...]] = {0: ((0, {0: 0}),) * 2}
        for bit, (up, down, right, left) in self.rays.items():
            axes = []
            for ahead, behind in ((up, down), (right, left)):
                cells = [*ahead, *behind]
                seen = {}
                for choice in product((0, 1), repeat=len(cells)):
                    mounds = sum(map(mul, choice, cells))
                    seen[mounds] = sum(
                        sum(takewhile(lambda cell: not cell & mounds, ray))  # noqa: B023 - it is called at once
                        for ray in (ahead, behind)
                    )
                axes.append((sum(cells), seen))
            sights[bit] = tuple(axes)
        return sights

    def view(self, meerkat: int, mounds: int) -> int:
        """Return the cells visible from `meerkat`; none if that is 0."""
        (row, in_row), (column, in_column) = self.sights[meerkat]
        return in_row[mounds & row] | in_column[mounds & column]

    def open_cells(self, at: SurikataPosition | SurikataBoard) -> int:
        """Return the cells where the player to move can place a mound or piece."""
        free = self.board.full & ~(at.mounds | at.stones[0] | at.stones[1])
        return free & ~self.view(at.meerkat, at.mounds)

    def start(self, setup: str | None = None) -> SurikataPosition:
        """Return the empty board. Raises SetupError for any setup."""
        if setup is not None:
            self.canonical_setup(setup)
        return SurikataPosition(self, 0, (0, 0), 0, 0, OPEN)

    def position(self, text: str) -> SurikataPosition:
        """Return the position that `text` describes. Raises PositionError with the reason."""
        (rows, cell), mover = read_fields(text, ["board", "the meerkat's cell or -"], "ow")
        mounds, orange, white = self.board.read_rows(rows, "mow").values()
        if cell != "-" and cell not in self.board.bit:
            raise PositionError(f"the meerkat's cell {cell!r} must be - or a1 to e5")
        meerkat = self.board.bit.get(cell, 0)
        placed, oranges, whites = mounds.bit_count(), orange.bit_count(), white.bit_count()
        refuse_more(placed, MOUNDS, "mounds")
        if placed < MOUNDS and orange | white:
            raise PositionError(f"there are pieces, but only {placed} of {MOUNDS} mounds")
        to_move = placed % 2 if placed < MOUNDS else (oranges + whites) % 2
        if mover != to_move:
            raise PositionError(
                f"{self.colours[mover]} cannot be to move, {self.colours[to_move]} is: {placed} of "
                f"{MOUNDS} mounds, {oranges} orange and {whites} white pieces are placed"
            )
        if oranges - whites != to_move and placed == MOUNDS:
            raise PositionError(
                f"{oranges} orange and {whites} white pieces, but turns alternate and orange begins"
            )
        stones = (orange, white)
        self._refuse_meerkat(mounds, stones, meerkat, mover)
        return SurikataPosition(self, mounds, stones, meerkat, mover, OPEN).judged()

    def _refuse_meerkat(
        self, mounds: int, stones: tuple[int, int], meerkat: int, mover: int
    ) -> None:
        mine, theirs = stones[mover], stones[1 - mover]
        if bool(meerkat) != bool(theirs) or meerkat & ~theirs:
            where = f"is on {self.board.name[meerkat]}" if meerkat else "is not on the board"
            placed_last = f"the cell of a piece of {self.colours[1 - mover]}, the last to place one"
            expected = placed_last if theirs else "- before any piece"
            raise PositionError(f"the meerkat {where}", expected)
        number = NUMBERS[self.lose]
        if self.board.finished(self.lines, mine):
            raise PositionError(
                f"{self.colours[mover]} is to move, but already has {number} in line"
            )
        lines = self.board.finished(self.lines, theirs)
        if lines and not share_a_cell([*lines, meerkat]):
            raise PositionError(
                f"{self.colours[1 - mover]} has {number} in line without the piece placed last"
            )
        pieces = mine | theirs
        hidden = {bit: pieces & ~self.view(bit, mounds) & ~bit for bit in self.board.bits(pieces)}
        if meerkat and not path_exists(hidden, (theirs, mine), meerkat):
            raise PositionError(
                "no order of the pieces puts each of them out of the meerkat's sight"
            )

    def fast(self, position: SurikataPosition) -> SurikataBoard:
        """Return a board for searches."""
        return SurikataBoard(position)


class _State(NamedTuple):
    """Mounds, pieces of both players, the meerkat's cell (0 for none), side to move, verdict."""

    game: Surikata
    mounds: int
    stones: tuple[int, int]
    meerkat: int
    mover: int
    verdict: int


class SurikataPosition(_State, Judged):
    """A position of Surikata; hashable and immutable.

    A line loses for its player. A player who cannot place a piece loses.
    """

    __slots__ = ()

    @property
    def _places_mounds(self) -> bool:
        return self.mounds.bit_count() < MOUNDS

    def judged(self) -> SurikataPosition:
        """Return this position with its verdict computed from the pieces."""
        if not self.meerkat:
            return self
        mine = self.stones[1 - self.mover]
        for line in self.game.lines_at[self.meerkat]:
            if mine & line == line:
                return self._replace(verdict=LOST)
        if self.stones[0] | self.stones[1] | self.mounds == self.game.board.full:
            return self._replace(verdict=DRAWN)
        return self if self.game.open_cells(self) else self._replace(verdict=WON)

    def outcome(self) -> Outcome | None:
        """Return how the game ended; None while it is not over."""
        game, to_move = self.game, self.to_move
        if self.verdict == LOST:
            lines = game.board.finished(game.lines_at[self.meerkat], self.stones[to_move.other])
            cells = game.board.names_of(lines)
            return Outcome(to_move, f"{NUMBERS[game.lose]} in line", cells, is_loss=True)
        if self.verdict == WON:
            return Outcome(to_move.other, "no cell out of sight", is_loss=True)
        return Outcome(None, "all pieces placed") if self.verdict == DRAWN else None

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal placements by cell."""
        if self.verdict != OPEN:
            return ()
        letter = "M" if self._places_mounds else ""
        cells = self.game.board.names_in(self.game.open_cells(self))
        return tuple(Move(letter + name) for name in cells)

    @property
    def legal_bits(self) -> int:
        """Return the bits of the legal moves."""
        if self.verdict != OPEN:
            return 0
        return self.game.open_cells(self) << (self.game.board.apart if self._places_mounds else 0)

    def why_illegal(self, move: Move) -> str | None:
        """Return in the game's words why `move` is illegal here; None if it is legal."""
        if self.verdict != OPEN:
            return "the game is over"
        cell = move.removeprefix("M")
        bit = self.game.board.bit.get(cell)
        if bit is None:
            return f"{self.game.id} does not have this move"
        if move.startswith("M") != self._places_mounds:
            placed = self.mounds.bit_count()
            return (
                f"mounds come first: {placed} of {MOUNDS} are placed"
                if self._places_mounds
                else f"all {MOUNDS} mounds are already placed"
            )
        if bit & self.mounds:
            return f"{cell} already has a mound"
        if bit & (self.stones[0] | self.stones[1]):
            return f"{cell} already has a piece"
        if not bit & self.game.open_cells(self):
            return f"the meerkat on {self.game.board.name[self.meerkat]} sees {cell}"
        return None

    def play(self, move: Move) -> SurikataPosition:
        """Return the position after `move`. Raises IllegalMoveError if it is illegal."""
        require_legal(self, move)
        game, mover = self.game, self.mover
        bit = game.board.bit[move.removeprefix("M")]
        if self._places_mounds:
            mounds = self.mounds | bit
            # The player of the fifth mound also places the first piece.
            mover = mover if mounds.bit_count() == MOUNDS else 1 - mover
            return SurikataPosition(game, mounds, self.stones, 0, mover, OPEN)
        orange, white = self.stones
        stones = (orange, white | bit) if mover else (orange | bit, white)
        return SurikataPosition(game, self.mounds, stones, bit, 1 - mover, OPEN).judged()

    def after(self, moves: Sequence[str]) -> SurikataPosition | None:
        """Return the position after `moves`; None if one of them is illegal.

        Pieces stay, and so do lines. If no line exists before the last piece, no earlier turn ended
        the game. A player who placed a piece was not stuck.
        """
        if not moves or self.verdict != OPEN:
            return None if moves else self
        bit = self.game.board.bit
        missing = MOUNDS - self.mounds.bit_count()
        try:
            mounds = [bit[move[1:]] for move in moves[:missing] if move[:1] == "M"]
            pieces = [bit[move] for move in moves[missing:]]
        except KeyError:
            return None
        if len(mounds) + len(pieces) != len(moves):
            return None  # a piece before the fifth mound
        ground = self.mounds + sum(mounds)
        if ground.bit_count() != self.mounds.bit_count() + len(mounds):
            return None  # a cell is used twice
        if not pieces:
            mover = 0 if ground.bit_count() == MOUNDS else ground.bit_count() & 1
            return self._replace(mounds=ground, mover=mover)
        return self._with_pieces(ground, pieces, moves[missing:])

    def _with_pieces(
        self, ground: int, bits: Sequence[int], names: Sequence[str]
    ) -> SurikataPosition | None:
        """Return the position after placing pieces; all mounds must be placed.

        None if one is illegal.
        """
        game, last = self.game, bits[-1]
        count = sum(self.stones).bit_count() + len(bits)
        mover = count & 1
        mine = self.stones[1 - mover] + sum(bits[-1::-2])  # of the player of the last piece
        theirs = self.stones[mover] + sum(bits[-2::-2])
        if (mine + theirs + ground).bit_count() != count + MOUNDS:
            return None  # a cell is used twice
        if self.meerkat:
            names = [game.board.name[self.meerkat], *names]
        hidden = map(game.hiding.__getitem__, map(add, names, names[1:]))
        if not all(map(ground.__and__, hidden)):
            return None
        if game.board.has_line(mine ^ last | theirs << game.board.apart, game.lose):
            return None
        stones = (mine, theirs) if mover else (theirs, mine)
        return SurikataPosition(game, ground, stones, last, mover, OPEN).judged()

    def movers(self, moves: Sequence[str]) -> Sequence[Side]:
        """Return the side to move before each of `moves`, and after the last."""
        mounds = MOUNDS - self.mounds.bit_count()
        if not mounds:
            return taking_turns(self.mover, len(moves) + 1)
        # The first player places the fifth mound and also the first piece.
        pieces = taking_turns(0, len(moves))
        return (*taking_turns(self.mover, mounds), *pieces)[: len(moves) + 1]

    def turned(self, mask: Callable[[int], int]) -> SurikataPosition:
        """Return the position with `mask` applied to each set of cells."""
        mounds, meerkat = mask(self.mounds), mask(self.meerkat)
        orange, white = map(mask, self.stones)
        return self._replace(mounds=mounds, stones=(orange, white), meerkat=meerkat)

    def text(self) -> str:
        """Return the board, the meerkat's cell and the side to move as text."""
        layers = {"m": self.mounds, "o": self.stones[0], "w": self.stones[1]}
        rows = self.game.board.format_rows(layers)
        return f"{rows} {self.game.board.name.get(self.meerkat, '-')} {'ow'[self.mover]}"

    def layers(self) -> Iterable[tuple[str, int]]:
        """Return the cells of mounds and pieces, and that of the meerkat on top."""
        return zip("mowk", (self.mounds, *self.stones, self.meerkat), strict=True)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SightTables(LineTables):
    """The state for compiled searches, with the meerkat's view; `others` are the mounds."""

    mounds: int
    """The number of mounds that are placed before the first piece."""

    rays: Sequence[Sequence[int]]
    """The cells ahead of each cell, four directions per cell."""

    meerkat_keys: Sequence[int]
    meerkat: int
    """The meerkat's cell; -1 before the first piece."""


class SurikataBoard(FastBoard):
    """A board for searches, with mounds and pieces as masks of `Board.bit`.

    Codes are the cells by their place in `Board.names`, then the same cells for mounds.
    """

    game: Surikata

    def __init__(self, position: SurikataPosition) -> None:
        game = self.game = position.game
        names = game.board.names
        self.moves = (*map(Move, names), *(Move(f"M{name}") for name in names))
        self.mounds = position.mounds
        self.stones = list(position.stones)
        """The pieces of the first and the second player."""
        self.meerkat = position.meerkat
        """The meerkat's cell; 0 before the first piece."""
        self.to_move = mover = position.mover
        self.winner = winner_by(position.verdict, mover)
        self._cells = tuple(zip(game.lines_at, game.lines_at.values(), strict=True))
        self._past: list[tuple[int, int, int, int]] = []
        cells = len(names)
        many = keys("surikata", 4 * cells + 1)
        self._turn = many[-1]
        self._mound_keys = many[:cells]
        self._keys = many[cells : 2 * cells], many[2 * cells : 3 * cells]
        bits = [bit for bit, _ in self._cells]
        self._meerkat_keys = dict(zip(bits, many[3 * cells : 4 * cells], strict=True)) | {0: 0}
        self.key = self._meerkat_keys[self.meerkat] ^ (self._turn if mover else 0)
        for cells_, own in zip((self.mounds, *self.stones), (many, *self._keys), strict=True):
            self.key ^= mixed(own, game.board.places_in(cells_))

    def legal(self) -> list[int]:
        """Return the codes of the legal placements."""
        if self.winner is not None:
            return []
        places = self.game.board.places_in(self.game.open_cells(self))
        if self.mounds.bit_count() == MOUNDS:
            return places
        return [len(self._cells) + place for place in places]

    def play(self, code: int) -> None:
        """Place a mound or a piece."""
        mover = self.to_move
        self._past.append((code, mover, self.meerkat, self.key))
        if code >= len(self._cells):
            code -= len(self._cells)
            self.mounds |= self._cells[code][0]
            self.key ^= self._mound_keys[code]
            # The player of the fifth mound also places the first piece.
            if self.mounds.bit_count() < MOUNDS:
                self.to_move = 1 - mover
                self.key ^= self._turn
            return
        bit, lines = self._cells[code]
        mine = self.stones[mover] = self.stones[mover] | bit
        keys_ = self._meerkat_keys
        self.key ^= self._keys[mover][code] ^ keys_[self.meerkat] ^ keys_[bit] ^ self._turn
        self.meerkat = bit
        self.to_move = 1 - mover
        for line in lines:
            if mine & line == line:
                self.winner = 1 - mover
                return
        if not self.game.open_cells(self):
            taken = self.mounds | self.stones[0] | self.stones[1]
            self.winner = DRAW if taken == self.game.board.full else mover

    def undo(self) -> None:
        """Take back the last mound or piece."""
        code, self.to_move, self.meerkat, self.key = self._past.pop()
        self.winner = None
        if code >= len(self._cells):
            self.mounds ^= self._cells[code - len(self._cells)][0]
        else:
            self.stones[self.to_move] ^= self._cells[code][0]

    def position(self) -> SurikataPosition:
        """Return the state as a position."""
        (first, second), mover = self.stones, self.to_move
        verdict = verdict_of(self.winner, mover)
        return SurikataPosition(
            self.game, self.mounds, (first, second), self.meerkat, mover, verdict
        )

    def threats(self) -> tuple[list[int], list[int]]:
        """Return the cells where a piece wins and where it loses; mounds do neither."""
        if self.winner is not None or self.mounds.bit_count() < MOUNDS:
            return [], []
        game, mine = self.game, self.stones[self.to_move]
        free = game.board.full & ~(self.mounds | self.stones[0] | self.stones[1])
        wins, losses = [], []
        for code in self.legal():
            bit, lines = self._cells[code]
            with_it = mine | bit
            if any(with_it & line == line for line in lines):
                losses.append(code)
            elif free != bit and not free & ~bit & ~game.view(bit, self.mounds):
                wins.append(code)
        return wins, losses

    def plies_left(self) -> int:
        """Return the number of free cells."""
        taken = self.mounds | self.stones[0] | self.stones[1]
        return (self.game.board.full & ~taken).bit_count()

    def tables(self) -> SightTables:
        """Return the state for compiled searches."""
        board = self.game.board
        cells, (first, second) = len(self._cells), self.stones
        return SightTables(
            cells=cells,
            shapes=tuple(tuple(board.places_in(line)) for line in self.game.lines),
            losing=(True,) * len(self.game.lines),
            is_loss_first=True,
            mounds=MOUNDS,
            rays=tuple(ray for cell in range(cells) for ray in board.rays(cell, diagonals=False)),
            turn_key=self._turn,
            stone_keys=(
                [key ^ self._turn for key in self._keys[0]],
                [key ^ self._turn for key in self._keys[1]],
            ),
            other_keys=self._mound_keys,
            meerkat_keys=[self._meerkat_keys[bit] for bit, _ in self._cells],
            stones=(board.places_in(first), board.places_in(second)),
            others=board.places_in(self.mounds),
            meerkat=board.places_in(self.meerkat)[0] if self.meerkat else -1,
        )

    def lean(self) -> float:
        """Return an estimate from the lines that each player has begun; begun lines are bad.

        An unblocked line counts by the square of its own pieces. A cell that would complete a line
        is lost for its player and counts separately.
        """
        mover = self.to_move
        free = self.game.board.full & ~(self.mounds | self.stones[0] | self.stones[1])
        ahead = 0
        for seat, stones in enumerate(self.stones):
            lost = begun = 0
            for line in self.game.lines:
                missing = line & free
                if (mine := line & stones) and mine | missing == line:
                    begun += mine.bit_count() ** 2
                    if missing & (missing - 1) == 0:
                        lost |= missing
            ahead += (begun + 4 * lost.bit_count()) * (-1 if seat == mover else 1)
        return bounded(ahead / 100)

    def playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner and number of plies of a random game."""
        return self._played_out(chance, is_careful=False)

    def careful_playout(self, chance: Random) -> tuple[int, int]:
        """Return the winner and number of plies of a random game of `candidates`."""
        return self._played_out(chance, is_careful=True)

    def rollout(self, chance: Random) -> int:
        """Return the winner of a plain random game.

        Many plain games give more information than fewer careful ones.
        """
        return self._played_out(chance, is_careful=False)[0]

    def _played_out(self, chance: Random, *, is_careful: bool) -> tuple[int, int]:
        if self.winner is not None:
            return self.winner, 0
        game, random, cells = self.game, chance.random, self._cells
        mounds, mover, plies, meerkat = self.mounds, self.to_move, 0, self.meerkat
        mine, theirs = self.stones[mover], self.stones[1 - mover]
        free = game.board.full & ~(mounds | mine | theirs)
        places = game.board.places_in(free)
        left = len(places)
        for count in range(mounds.bit_count() + 1, MOUNDS + 1):
            pick = int(random() * left)
            left -= 1
            mounds |= cells[places[pick]][0]
            places[pick] = places[left]
            plies += 1
            mover = mover if count == MOUNDS else 1 - mover
        free &= ~mounds
        while free:
            self.check()
            plies += 1
            open_cells = free & ~game.view(meerkat, mounds)
            if is_careful and 1 < left <= _MOST_SEEN and self._wins(mine, open_cells, free, mounds):
                return mover, plies
            while open_cells:
                pick = int(random() * left)
                bit, lines = cells[places[pick]]
                if bit & open_cells:
                    with_it = mine | bit
                    for line in lines:
                        if with_it & line == line:
                            open_cells ^= bit if is_careful else open_cells
                            break
                    else:
                        break
            else:
                return 1 - mover, plies
            left -= 1
            places[pick] = places[left]
            free ^= bit
            if not free & ~game.view(bit, mounds):
                return mover if free else DRAW, plies
            meerkat = bit
            mine, theirs, mover = theirs, with_it, 1 - mover
        return DRAW, plies

    def _wins(self, mine: int, open_cells: int, free: int, mounds: int) -> bool:
        """Return whether a piece on an open cell makes the opponent stuck without making a line."""
        for bit in self.game.board.bits(open_cells):
            if not free & ~bit & ~self.game.view(bit, mounds):
                with_it = mine | bit
                if not any(with_it & line == line for line in self.game.lines_at[bit]):
                    return True
        return False


GAME: Final = Surikata()
