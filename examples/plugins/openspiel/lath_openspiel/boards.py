"""Boards for games of OpenSpiel, from the text that it prints of a state.

OpenSpiel does not describe boards. A cell is a place in that text whose character changes in random
games, or that looks like such places at the start. Lines that change their length or describe the
state in words have no cells. Without any cell, the board is one cell that shows whose turn it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import dist, sqrt
from random import Random
from string import ascii_letters, ascii_lowercase, digits
from typing import Any, Final, Literal

from lath.games.board import Board, squares
from lath.games.core import Piece, Side
from lath.games.points import points

GAMES: Final = 4
"""The number of random games."""

PLIES: Final = 1000
"""The most plies of each."""

MOST_ROWS: Final = 26
"""The most rows of a board."""

NEAR: Final = 1.01
"""The most distance of neighbours on a board that is not a rectangle."""

STRONG: Final = ("#3b78d8", "#d64541", "#7f8c8d")
"""The colours of discs of the first player, the second player and neither."""

PALE: Final = ("#a9c8f5", "#f5b3a9", "#c8cdd0")
"""The colours of tiles, which have letters."""

_ANSI: Final = re.compile(r"\x1b\[[0-9;]*m")
_FEN: Final = re.compile(r"([A-Za-z0-9+]+(?:/[A-Za-z0-9+]+){2,})(?:\[[A-Za-z]*\])? [bw] ")
_LAST_CELL: Final = re.compile(r"\[(.)\]")
"""The cell of the last move, whose brackets stand in place of spaces."""

_LAST_OF_ROW: Final = re.compile(r"\[(.)\](?=\s|\Z)")
"""The same at the end of a row, where the second bracket is one more character."""

_WORDS: Final = re.compile(r"[:=(]")
"""Characters of lines that describe the state in words."""

_Place = tuple[int, int]
"""A line, and a character in it."""


@dataclass(frozen=True)
class Drawing:
    """The cells and pieces of a game, and where they are in the text of a state."""

    board: Board
    pieces: tuple[Piece, ...]
    places: tuple[_Place, ...] = ()
    """The place of each cell in the text, in the order of the board; empty for the single cell."""
    empty: str = " "
    """The character of an empty cell."""
    codes: tuple[tuple[str, str], ...] = ()
    """The characters of pieces, and the codes of the pieces."""
    other: str = ""
    """The code of a piece whose character the random games did not show."""

    def contents(self, state: Any, to_move: Side) -> tuple[str, ...]:
        """Return the codes on each cell."""
        if not self.places:
            return (self.pieces[to_move].code,)
        rows, codes = lines_of(state), dict(self.codes)
        codes |= dict.fromkeys((self.empty, " "), "")
        return tuple(codes.get(_sign(rows, place), self.other) for place in self.places)


def lines_of(state: Any) -> list[str]:
    """Return the text of a state in lines; a text such as `8/2k5/8 w` is written out."""
    text = _ANSI.sub("", str(state))
    if found := _FEN.match(text):
        rows = found[1].replace("+", "").split("/")
        return [re.sub(r"\d+", lambda number: "." * int(number[0]), row) for row in rows]
    return _LAST_CELL.sub(r" \1 ", _LAST_OF_ROW.sub(r" \1", text)).split("\n")


def drawing_of(game: Any, first: int, colours: tuple[str, str]) -> Drawing:
    """Return the board and pieces of a game of OpenSpiel, in which player `first` begins."""
    played = list(_random_games(game, first))
    begun = played[0][0]
    lines = [
        number
        for number, line in enumerate(begun)
        if len(line.strip()) > 1 and all(_is_alike(line, rows, number) for rows, _ in played)
    ]
    changing = {
        (line, at)
        for line in lines
        for at in range(len(begun[line]))
        if any(rows[line][at] != begun[line][at] for rows, _ in played)
    }
    visible = {place for place in changing if not _sign(begun, place).isspace()} or changing
    if not visible:
        return _single(colours)
    has_dots = any(_sign(rows, place) == "." for rows, _ in played for place in visible)
    ((usual, _),) = Counter(_sign(begun, place) for place in sorted(visible)).most_common(1)
    empty = "." if has_dots else "0" if usual.isalnum() else usual
    alike = () if empty.isalnum() or empty.isspace() else (empty,)
    cells = visible.union(
        (line, at) for line in lines for at, sign in enumerate(begun[line]) if sign in alike
    )
    rows = sorted({line for line, _ in cells})
    if len(rows) > MOST_ROWS or len(cells) < 2:
        return _single(colours)
    named = _named(sorted(cells), rows)
    board = _board(named)
    places = tuple(named[name] for name in board.names)
    shown, codes, other = _pieces(played, places, {empty, " "}, colours)
    return Drawing(board, shown, places, empty, codes, other)


def _single(colours: tuple[str, str]) -> Drawing:
    pieces = tuple(
        Piece(colour[0], f"{colour} to move", "disc", STRONG[seat])
        for seat, colour in enumerate(colours)
    )
    return Drawing(squares(1), pieces)


def _random_games(game: Any, first: int) -> Iterator[tuple[list[str], int]]:
    """Yield the lines of each state of some random games, and who made the last move: 0 or 1."""
    for seed in range(GAMES):
        chance, state, mover = Random(seed), game.new_initial_state(), 2
        for _ in range(PLIES):
            yield lines_of(state), mover
            if state.is_terminal():
                break
            mover = int(state.current_player() != first)
            state.apply_action(chance.choice(state.legal_actions()))
        else:
            yield lines_of(state), mover


def _is_alike(line: str, rows: Sequence[str], number: int) -> bool:
    """Return whether a line of another state has the length of this one, and no words."""
    other = rows[number] if number < len(rows) else ""
    return len(other) == len(line) and not _WORDS.search(other)


def _least_step(numbers: Iterable[int]) -> int:
    return min((b - a for a, b in pairwise(sorted(numbers))), default=99)


def _sign(rows: Sequence[str], place: _Place) -> str:
    line, at = place
    return rows[line][at] if line < len(rows) and at < len(rows[line]) else " "


def _named(cells: Sequence[_Place], rows: Sequence[int]) -> dict[str, _Place]:
    """Return the cells by name: `a1` is at the bottom left, and letters are columns.

    Letters are rows from the bottom if a row has more cells than the alphabet has letters.
    """
    named: dict[str, _Place] = {}
    by_row = [[each for each in cells if each[0] == line] for line in reversed(rows)]
    is_wide = max(map(len, by_row)) > len(ascii_lowercase)
    for row, places in enumerate(by_row):
        for column, place in enumerate(places):
            letter, number = (row, column) if is_wide else (column, row)
            named[f"{ascii_lowercase[letter]}{number + 1}"] = place
    return named


def _board(named: dict[str, _Place]) -> Board:
    """Return the board with cells at these places of a text: squares in a rectangle, or points.

    Rows that are shifted by half a cell are as far apart as rows of hexagons. The nearest points
    are neighbours.
    """
    across: dict[int, list[int]] = {}
    for line, at in sorted(named.values()):
        across.setdefault(line, []).append(at)
    step, left = min(map(_least_step, across.values())), min(map(min, across.values()))
    down, top = _least_step(across), min(across)
    rows = list(across.values())
    columns = list(range(left, left + len(rows[0]) * step, step))
    if all(row == columns for row in rows) and len(rows) * down == max(across) - top + down:
        return squares(len(columns), len(rows))
    is_shifted = any((row[0] - left) % step for row in rows)
    height = sqrt(3) / 2 if is_shifted else 1.0
    centres = {
        name: ((at - left) / step, (line - top) / down * height)
        for name, (line, at) in named.items()
    }
    near = [
        pair for pair in combinations(centres, 2) if dist(centres[pair[0]], centres[pair[1]]) < NEAR
    ]
    return points(centres, [], near)


def _pieces(
    played: Sequence[tuple[list[str], int]],
    places: Sequence[_Place],
    none: set[str],
    colours: tuple[str, str],
) -> tuple[tuple[Piece, ...], tuple[tuple[str, str], ...], str]:
    """Return the pieces, the code of each character, and the code of all other characters.

    A piece belongs to the player who nearly always puts it on a cell.
    """
    found, put = set[str](), Counter[tuple[str, int]]()
    before: list[str] = []
    for rows, mover in played:
        signs = [_sign(rows, place) for place in places]
        found.update(signs)
        if mover < 2:
            put.update((new, mover) for old, new in zip(before, signs, strict=True) if old != new)
        before = signs
    signs = sorted(found - none)
    free = [code for code in ascii_letters + digits if code not in signs]
    codes = {sign: sign if sign.isascii() and sign.isalnum() else free.pop(0) for sign in signs}
    owners = {sign: _owner(put[sign, 0], put[sign, 1]) for sign in signs}
    kinds = Counter(owners.values())
    pieces = []
    for sign in signs:
        owner = owners[sign]
        name = f"{(*colours, 'other')[owner]} {sign}"
        if kinds[owner] > 1:
            pieces.append(Piece(codes[sign], name, "tile", PALE[owner]))
        else:
            shape: Literal["disc", "block"] = "disc" if owner < 2 else "block"
            pieces.append(Piece(codes[sign], name, shape, STRONG[owner]))
    other = free.pop(0)
    pieces.append(Piece(other, "unknown piece", "block", "#555555"))
    return tuple(pieces), tuple(codes.items()), other


def _owner(first: int, second: int) -> int:
    """Return the player who put a piece at least nine times in ten, or 2."""
    if not first + second or 0.1 < first / (first + second) < 0.9:
        return 2
    return int(second > first)
