"""What a person types at the board: a move, in whatever capitals and blanks, or a word.

Must not know what becomes of it.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from lath.games.core import Move, MoveSyntaxError, Position, read_move
from lath.notation.hints import meant_move

_LONGEST: Final = 60
"""Characters of a text that are looked at; the rest is no move either."""


class Word(StrEnum):
    """What may be said besides a move."""

    MOVES = "?"
    UNDO = "undo"
    BOARD = "board"
    RESIGN = "resign"
    QUIT = "quit"


def read_typed(position: Position, text: str) -> Move | Word:
    """Return the legal move or the word that `text` is; raises MoveSyntaxError, IllegalMoveError.

    Capitals and blanks do not matter where only one move can be meant.

    >>> from lath import games
    >>> read_typed(games.get("surikata").start(), " m C3 "), str(read_typed(..., "Undo"))
    ('Mc3', 'undo')
    """
    joined = "".join(text.split())[:_LONGEST]
    if joined.lower() in set(Word):
        return Word(joined.lower())
    try:
        position.game.canonical(joined)
    except MoveSyntaxError:
        joined = meant_move(position.game, joined) or joined
    return read_move(position, joined)


def columns(words: list[str], width: int) -> str:
    """Return words in lines of at most so many columns, each below another.

    >>> print(columns(["a1", "b12", "c3"], 9))
    a1   b12
    c3
    """
    unit = max(map(len, words), default=0) + 2
    number = max(1, (width + 2) // unit)
    rows = [words[at : at + number] for at in range(0, len(words), number)]
    return "\n".join("".join(word.ljust(unit) for word in row).rstrip() for row in rows)
