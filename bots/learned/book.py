"""Opening books: proven winning moves of early positions.

Each line of a file in `books/` has a position in its least symmetric form, a tab and the move. The
command `python -m lath.bots.compiled.openings` makes a book.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Final

from lath.bots.results import SearchBudget, SearchProof, SearchResult, Tell
from lath.bots.search import AlphaBeta
from lath.games.capabilities import symmetries, version_of
from lath.games.core import Game, Move, Position
from lath.games.fast import FastBoard

FOLDER: Final = "books"


class Booked:
    """A search that plays the moves of a book, and searches without one."""

    def __init__(self, search: AlphaBeta, book: Mapping[str, Move]) -> None:
        """Take the search, and the winning moves by the text of the least symmetric position."""
        self.search = search
        self.book = book

    def played(self, code: int) -> None:
        """Note a move of the game, by either side."""
        self.search.played(code)

    def run(
        self, board: FastBoard, budget: SearchBudget, tell: Tell = lambda _: None
    ) -> SearchResult:
        """Return the move of the book, or else the best move found. The game must not be over."""
        move = known(self.book, board.position())
        if move is None:
            return self.search.run(board, budget, tell)
        return SearchResult(move, 1.0, SearchProof(1), line=[move])


def booked(search: AlphaBeta, game: Game) -> AlphaBeta | Booked:
    """Return the search with the book of a game, or the search itself without a book."""
    book = book_of(game)
    return search if book is None else Booked(search, book)


def known(book: Mapping[str, Move], position: Position) -> Move | None:
    """Return the move of a book at a position, or None."""
    images = [(symmetry, symmetry.position(position).text()) for symmetry in symmetries(position)]
    for symmetry, text in images:
        if (move := book.get(text)) is not None:
            return next(one for one in position.legal_moves() if symmetry.move(one) == move)
    return None


def book_of(game: Game) -> Mapping[str, Move] | None:
    """Return the book of a game, or None if it has none for these rules."""
    file = resources.files("lath.bots.learned") / FOLDER / f"{game.id}.txt"
    if not file.is_file():
        return None
    rules, *lines = file.read_text("utf-8").splitlines()
    if rules != version_of(game):
        return None
    return {text: Move(move) for text, move in (line.split("\t") for line in lines)}
