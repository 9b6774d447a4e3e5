"""Puzzles at the keyboard: the board, the question, the verdict on the move, and the solution.

Input comes from standard input, which can be a pipe.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from typing import Final

from lath.arena.engine.puzzle_book import Puzzle
from lath.arena.terminal.boards import drawing
from lath.arena.terminal.play import read_meant, typed
from lath.arena.terminal.streams import unfiltered
from lath.games.errors import GameError

_tell: Final = partial(print, flush=True)


def ask(puzzles: Iterable[Puzzle]) -> tuple[int, int]:
    """Ask puzzles until the end or `quit`, and print the score.

    Returns the number solved at the first try and the number asked.
    """
    right = asked = 0
    _tell("Type the move, or type skip or quit.")
    for number, puzzle in enumerate(puzzles, 1):
        _tell(f"\n{drawing(puzzle.position)}\n", file=unfiltered(sys.stdout))
        if (is_right := _asked(puzzle, number)) is None:
            break
        asked += 1
        right += is_right
    _tell(f"{right} of {asked} solved at the first try")
    return right, asked


def _asked(puzzle: Puzzle, number: int) -> bool | None:
    """Ask until the move is right or skipped; return whether the first try was, None to quit."""
    tries = 0
    words = f"{number}. {puzzle.question}, difficulty {puzzle.grade}: "
    while (text := typed(words)) is not None:
        word = "".join(text.split())
        if word.lower() == "quit":
            return None
        if word.lower() == "skip":
            _tell(f"{puzzle.answer} {_words(puzzle)}")
            return False
        if not word:
            continue
        try:
            move = read_meant(puzzle.position, text)
        except GameError as error:
            _tell(str(error))
            continue
        tries += 1
        if move == puzzle.answer:
            _tell(f"right: {move} {_words(puzzle)}")
            return tries == 1
        _tell(f"{move} is not the solution: try again, or type skip")
    return None


def _words(puzzle: Puzzle) -> str:
    """Return the effect of the right move and its continuation."""
    plies = f" in {puzzle.plies} plies" if puzzle.plies and puzzle.task == "win" else ""
    more = " ".join(puzzle.line[1:])
    return f"{puzzle.words}{plies}{f', such as by {more}' if more else ''}"
