"""The command that finds the moves of an opening book.

    python -m lath.bots.compiled.openings surikata --plies 4

The command looks at all positions after some plies. For each, it looks for a move to a position
that the search decides as a win. It begins with moves that lead to the same position from many of
these positions. Symmetric positions are one. The book is written to `bots/learned/books/` or to
`--output`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from time import perf_counter

import lath.bots.learned
from lath import games
from lath.bots.compiled.searches import CompiledAlphaBeta
from lath.bots.learned.book import FOLDER
from lath.bots.results import SearchBudget
from lath.bots.search import AlphaBeta, judged
from lath.games.capabilities import version_of
from lath.games.core import Game, Move, Position, least
from lath.games.fast import fast_board

NODES = 50_000_000
"""The most nodes of the search of one position."""

TABLE = 1_000_000
"""The states in the table of this search."""


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
