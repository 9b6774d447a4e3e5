"""Patterns of cells: a short text such as `ww.w`, found anywhere on a board or on one cell.

`read_pattern` reads the text, and `Pattern.on` compiles it for a game. A compiled pattern has first
cells and shifts to other cells, so that a few operations on ints test a position.
`database.pattern_search` does the same with arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from operator import or_
from typing import Any, Final, NamedTuple

from lath.games.board import Board
from lath.games.core import SIDES, Game, Position, layers_of, owned_by
from lath.games.points import Points
from lath.notation.record.errors import NotationError

EMPTY, OWN, OPPOSING = ".", "+", "-"
"""Symbols for the content of a cell, besides piece letters: empty, own piece, opposing piece. Own
means the side to move."""

ANYTHING, BOARD, EDGE = "?", "*", "#"
"""Symbols for a cell: anything or off the board, on the board, off the board."""

_SIGNS: Final = "a piece's letter, one of . + - ? * #, [ ], ( ) or /"

MOST_SIGNS: Final = 1000
"""The most symbols of a pattern; the largest boards have a tenth as many cells."""


class PatternError(NotationError):
    """The text is not a pattern; the error has the problem, the place and what was expected."""

    def __init__(self, at: int, message: str, expected: str) -> None:
        super().__init__(f"{message}; expected {expected}")
        self.at = at
        """The place in characters from the start."""
        self.message = message
        self.expected = expected


class Lying(NamedTuple):
    """A condition on the pieces on one cell."""

    codes: frozenset[str]
    """Codes of pieces; EMPTY means an empty cell."""
    is_there: bool
    """True if one of these pieces must be on the cell; False if none of them may be."""


class Image(NamedTuple):
    """The pattern in one orientation. A board has it if all tests are true from one of `cells`."""

    cells: int
    """The first cells, as in `Board.bit`. From each of them, all tests are on the board, and cells
    that must be off the board are."""
    tests: tuple[tuple[int, int], ...]
    """A place in `Shapes.lying` and a shift. That condition must hold for the cell whose bit is the
    first cell's bit shifted left."""


class Shapes(NamedTuple):
    """All orientations of a pattern on the board of a game, for one side to move."""

    lying: tuple[Lying, ...]
    images: tuple[Image, ...]

    def are_in(self, layers: Mapping[str, int], full: int) -> bool:
        """Return whether a board has the pattern, given the cells of each piece and all cells."""
        masks = []
        for codes, is_there in self.lying:
            mask = 0
            for code in codes:
                mask |= full & ~reduce(or_, layers.values()) if code == EMPTY else layers[code]
            masks.append(mask if is_there else full & ~mask)
        for cells, tests in self.images:
            left = cells
            for place, shift in tests:
                left &= masks[place] >> shift
                if not left:
                    break
            else:
                return True
        return False


class Compiled(NamedTuple):
    """A pattern compiled for one game."""

    game: Game
    shapes: tuple[Shapes, Shapes]
    """The shapes by the side to move: first, second."""

    def is_in(self, position: Position) -> bool:
        """Return whether a position has the pattern."""
        return self.shapes[position.to_move].are_in(layers_of(position), self.game.board.full)


Cell = tuple[Lying, ...] | None
"""All conditions on a cell; None for a cell that must be off the board."""

Offset = tuple[int, int]

Way = Mapping[Offset, Cell]
"""A pattern in one orientation, by letter and place as in `Board.grid`."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern, made by `read_pattern`."""

    text: str
    cells: Mapping[Offset, Cell] = field(compare=False, repr=False)
    """The cells by rows down and columns to the right of the first symbol, without ANYTHING."""
    cell: str = ""
    """The cell of the first symbol; empty if it can be anywhere."""
    is_plain: bool = False
    """True if only the given orientation counts, not rotated or reflected ones."""
    is_either: bool = False
    """True if the pattern with the players' colours exchanged also counts."""

    def on(self, game: Game) -> Compiled | None:
        """Return the pattern compiled for a game; None if it is impossible there.

        It is impossible if the game lacks such a piece or cell, or if the board is too small. It is
        also impossible if it asks for own or opposing pieces and the pieces have no owner. On free
        points, a pattern is found along the lines, so several rows are impossible.
        """
        key: Any = game  # hashable, which mypy cannot see from a protocol
        return _compiled(self, key)


def read_pattern(
    text: str, *, cell: str = "", is_plain: bool = False, is_either: bool = False
) -> Pattern:
    """Return the pattern of a text. Raises PatternError if it is invalid.

    >>> sorted(read_pattern("w?/.").cells)
    [(0, 0), (1, 0)]
    """
    if len(text) > MOST_SIGNS:
        raise PatternError(0, f"the pattern has {len(text)} symbols", f"at most {MOST_SIGNS}")
    cells = _Reader(text).cells()
    if not any(cells.values()):
        raise PatternError(0, "the pattern asks for nothing", "a piece's letter, or . + -")
    if cell and cells.get((0, 0), ()) is None:
        message = f"the first symbol is off the board, but must be on {cell}"
        raise PatternError(text.index(EDGE), message, f"a symbol other than {EDGE}")
    return Pattern(text, cells, cell, is_plain, is_either)


class _Reader:
    """Reads the text of a pattern from its start to its end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def _next(self) -> str:
        """Read and return the next symbol; empty at the end. Spaces are skipped."""
        while self._text[self._at : self._at + 1].isspace():
            self._at += 1
        sign = self._text[self._at : self._at + 1]
        self._at += len(sign)
        return sign

    def _wrong(self, sign: str, expected: str) -> PatternError:
        """Return the error of the last symbol read."""
        if not sign:
            return PatternError(self._at, "the pattern ends too early", expected)
        if sign in "0123456789":
            expected = f"{EMPTY} for each empty cell"
        return PatternError(self._at - 1, f"{sign!r} does not belong in a pattern", expected)

    def cells(self) -> dict[Offset, Cell]:
        """Return the condition on each cell."""
        cells: dict[Offset, Cell] = {}
        row = column = 0
        while sign := self._next():
            if sign == "/":
                row, column = row + 1, 0
                continue
            if sign != ANYTHING:
                cells[row, column] = self._cell(sign)
            column += 1
        return cells

    def _cell(self, sign: str) -> Cell:
        if sign == EDGE:
            return None
        if sign == BOARD:
            return ()
        if sign != "(":
            return (self._lying(sign, _SIGNS),)
        expected = "a piece's letter, + or -, [ ] or )"
        found: list[Lying] = []
        while (sign := self._next()) != ")" or not found:
            found.append(self._lying(sign, expected))
        return tuple(found)

    def _lying(self, sign: str, expected: str) -> Lying:
        if sign != "[":
            return Lying(frozenset((self._code(sign, expected),)), is_there=True)
        sign, expected = self._next(), "a piece's letter, . + - or ]"
        is_there = sign != "^"
        if not is_there:
            sign = self._next()
        codes = {self._code(sign, expected)}
        while (sign := self._next()) != "]":
            codes.add(self._code(sign, expected))
        return Lying(frozenset(codes), is_there)

    def _code(self, sign: str, expected: str) -> str:
        if sign.isalpha() or (sign and sign in (EMPTY, OWN, OPPOSING)):
            return sign
        raise self._wrong(sign, expected)


@lru_cache(maxsize=256)
def _compiled(pattern: Pattern, game: Game) -> Compiled | None:
    first, second = (owned_by(game, seat) for seat in SIDES)
    known = {EMPTY, *(piece.code for piece in game.pieces)}
    are_owned = bool(first and second)
    if are_owned:
        known |= {OWN, OPPOSING}
    if not all(lying.codes <= known for cell in pattern.cells.values() for lying in cell or ()):
        return None
    if isinstance(game.board, Points):
        ways = _on_lines(pattern, game.board)
    else:
        ways = (_on_a_cell if pattern.cell else _anywhere)(pattern, game.board)
    if pattern.is_either:
        exchanged = _exchanged(game) if are_owned else {}
        if not exchanged:
            return None
        ways += [_renamed(way, exchanged) for way in ways]
    is_fixed = pattern.cell != "" or isinstance(game.board, Points)
    placed = [_placed(way, game.board, is_fixed=is_fixed) for way in ways]
    if not any(cells for cells, _ in placed):
        return None
    return Compiled(
        game,
        (
            _shapes(placed, {OWN: first, OPPOSING: second}),
            _shapes(placed, {OWN: second, OPPOSING: first}),
        ),
    )


def _anywhere(pattern: Pattern, board: Board) -> list[Way]:
    """Return the pattern in every orientation, or only as given, for an unbounded board."""
    return [
        {(a * x + b * y, c * x + d * y): cell for (x, y), cell in _steps(pattern, board)}
        for a, b, c, d in (board.turns[:1] if pattern.is_plain else board.turns)
    ]


def _steps(pattern: Pattern, board: Board) -> Iterable[tuple[Offset, Cell]]:
    """Return the cells of a pattern by letters and places relative to the first symbol.

    A row of hexagons begins half a cell further to the right than the row above it.
    """
    (x0, y0), (x1, y1) = board.steps
    return (
        ((right * x0 + down * x1, right * y0 + down * y1), cell)
        for (down, right), cell in pattern.cells.items()
    )


def _on_a_cell(pattern: Pattern, board: Board) -> list[Way]:
    """Return the pattern on its cell in every symmetry of the board, or only as given.

    The result is empty if the pattern does not fit there; then it fits in no symmetry.
    """
    names = dict(zip(board.grid, board.names, strict=True))
    grid = dict(zip(board.names, board.grid, strict=True))
    if pattern.cell not in grid:
        return []
    letter, place = grid[pattern.cell]
    named: dict[str, tuple[Lying, ...]] = {}
    for (x, y), cell in _steps(pattern, board):
        name = names.get((letter + x, place + y))
        if (name is None) is not (cell is None):
            return []
        if name is not None and cell is not None:
            named[name] = cell
    return [
        {grid[image.cells[name]]: cell for name, cell in named.items()}
        for image in (board.isometries[:1] if pattern.is_plain else board.isometries)
    ]


def _on_lines(pattern: Pattern, board: Points) -> list[Way]:
    """Return the pattern at each place of the lines, in both directions or only as given.

    On a cell, it also counts in every symmetry of the board.
    """
    cells = {right: cell for (down, right), cell in pattern.cells.items() if not down}
    if len(cells) < len(pattern.cells):
        return []
    ways: list[dict[str, tuple[Lying, ...]]] = []
    for track in board.tracks:
        names = [board.name[bit] for bit in track]
        for line in (names,) if pattern.is_plain else (names, names[::-1]):
            for begin in range(-max(cells), len(line)):
                lying = {begin + right: cell for right, cell in cells.items()}
                starts_there = begin >= 0 and line[begin] == pattern.cell
                fits = ((0 <= at < len(line)) is (cell is not None) for at, cell in lying.items())
                if all(fits) and (starts_there or not pattern.cell):
                    ways.append({line[at]: cell for at, cell in lying.items() if cell is not None})
    grid = dict(zip(board.names, board.grid, strict=True))
    images = board.isometries if pattern.cell and not pattern.is_plain else board.isometries[:1]
    return [
        {grid[image.cells[name]]: cell for name, cell in way.items()}
        for way in ways
        for image in images
    ]


def _exchanged(game: Game) -> dict[str, str]:
    """Return the code of the opponent's matching piece for each code; empty if one lacks it."""
    first, second = game.colours
    other = {first: second, second: first}
    codes = {piece.name: piece.code for piece in game.pieces}
    exchanged = {OWN: OPPOSING, OPPOSING: OWN}
    for name, code in codes.items():
        theirs = codes.get(" ".join(other.get(word, word) for word in name.split()))
        if theirs is None:
            return {}
        exchanged[code] = theirs
    return exchanged


def _renamed(way: Way, names: Mapping[str, str]) -> Way:
    return {
        at: cell
        and tuple(
            lying._replace(codes=frozenset(names.get(code, code) for code in lying.codes))
            for lying in cell
        )
        for at, cell in way.items()
    }


_Placed = tuple[int, tuple[tuple[Lying, int], ...]]
"""The first cells, and the condition at each shift."""


def _placed(way: Way, board: Board, *, is_fixed: bool) -> _Placed:
    """Return the places of a pattern: its own, or all places where it is on the board."""
    tested = [at for at, cell in way.items() if cell]
    begin = min(tested)  # the lowest bit, so that all shifts lead to higher bits
    if is_fixed:
        cells = 1 << begin[0] * board.stride + begin[1]
    else:
        steps = [((x - begin[0], y - begin[1]), cell) for (x, y), cell in way.items()]
        places = frozenset(board.grid)
        cells = sum(
            bit
            for (letter, place), bit in zip(board.grid, board.name, strict=True)
            if all(
                ((letter + x, place + y) in places) is (cell is not None) for (x, y), cell in steps
            )
        )
    return cells, tuple(
        (lying, (x - begin[0]) * board.stride + y - begin[1])
        for (x, y), cell in way.items()
        for lying in cell or ()
    )


def _shapes(placed: Sequence[_Placed], owned: Mapping[str, Sequence[str]]) -> Shapes:
    """Return the shapes for one side to move, given the owner of each piece."""
    images: dict[frozenset[tuple[Lying, int]], int] = {}
    for cells, tests in placed:
        if cells:
            found = frozenset((_owned(lying, owned), shift) for lying, shift in tests)
            images[found] = images.get(found, 0) | cells
    asked = {lying for tests in images for lying, _ in tests}
    # rare conditions are tested first
    is_common = {
        each: not each.is_there or EMPTY in each.codes for each in asked
    }  # true on most boards
    lying = tuple(sorted(asked, key=lambda each: (is_common[each], sorted(each.codes))))
    place = {each: place for place, each in enumerate(lying)}
    return Shapes(
        lying,
        tuple(
            Image(cells, tuple(sorted((place[each], shift) for each, shift in tests)))
            for tests, cells in images.items()
        ),
    )


def _owned(lying: Lying, owned: Mapping[str, Sequence[str]]) -> Lying:
    return lying._replace(
        codes=frozenset().union(*(owned.get(code, (code,)) for code in lying.codes))
    )
