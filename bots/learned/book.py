"""Opening books: proven winning moves of early positions, and the command that finds them.

    python -m lath.bots.learned.book surikata --plies 4

The command looks at all positions after some plies. For each, it looks for a move to a position
that the search decides as a win. It begins with moves that lead to the same position from many of
these positions. Symmetric positions are one. The book is written to `bots/learned/books/` or to
`--output`; each line has a position in its least symmetric form, a tab and the move.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Final

import lath.bots.learned
from lath import games
from lath.bots.compiled.searches import CompiledAlphaBeta
from lath.bots.results import SearchBudget, SearchProof, SearchResult, Tell
from lath.bots.search import AlphaBeta, judged
from lath.games.capabilities import symmetries, version_of
from lath.games.core import Game, Move, Position, least
from lath.games.fast import FastBoard, fast_board

FOLDER: Final = "books"

NODES: Final = 50_000_000
"""The most nodes of the search of one position."""

TABLE: Final = 1_000_000
"""The states in the table of this search."""


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


def positions(game: Game, plies: int) -> dict[str, Position]:
    """Return the positions after some plies by their text, symmetric ones as one."""
    found = {(start := least(game.start())).text(): start}
    for _ in range(plies):
        found = {
            after.text(): after for position in found.values() for _, after in _after(position)
        }
    return found


def _after(position: Position) -> Iterator[tuple[Move, Position]]:
    """Yield the legal moves that do not end the game, each with the least position after it."""
    for move in position.legal_moves():
        after = position.play(move)
        if after.outcome() is None:
            yield move, least(after)


def winning(before: Mapping[str, Position], search: AlphaBeta, nodes: int = NODES) -> Iterator[str]:
    """Yield the lines of a book for least positions by their text."""
    ways: dict[str, dict[str, Move]] = {}
    """The moves to each later position, by the position before."""
    later: dict[str, Position] = {}
    for text, position in before.items():
        for move, after in _after(position):
            later[after.text()] = after
            ways.setdefault(after.text(), {}).setdefault(text, move)
    open_ = set(before)
    while ways:
        text = max(ways, key=lambda one: (len(open_ & ways[one].keys()), one))
        leading, after = ways.pop(text), later[text]
        open_here = sorted(open_ & leading.keys())
        if not open_here:
            return
        search.forget()
        found = search.decided(fast_board(after), SearchBudget(nodes=nodes))
        goes_on = after.to_move is before[open_here[0]].to_move
        if found is None or found.value != (1 if goes_on else -1):
            continue
        open_.difference_update(open_here)
        if goes_on:
            yield f"{text}\t{found.move}"
        yield from (f"{one}\t{leading[one]}" for one in open_here)


def main() -> int:
    """Find the moves, and write the book."""
    import argparse  # bots start faster without it

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("--plies", type=int, default=4)
    parser.add_argument("--nodes", type=int, default=NODES, help="the most nodes per position")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    began_s = perf_counter()
    game = games.get(options.game)
    search = CompiledAlphaBeta(judged, Random(1), TABLE)
    lines: list[str] = []
    for line in winning(positions(game, options.plies), search, options.nodes):
        lines.append(line)
        if len(lines) % 100 == 0:
            print(f"{len(lines)} positions, {perf_counter() - began_s:.0f} s", flush=True)  # noqa: T201 - a command
    text = "".join(f"{line}\n" for line in (version_of(game), *sorted(lines)))
    out = options.output or Path(lath.bots.learned.__file__).with_name(FOLDER) / f"{game.id}.txt"
    out.parent.mkdir(exist_ok=True)
    out.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
