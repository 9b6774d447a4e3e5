"""Tests whether PGN moves without a game name are of another game, such as chess."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lath.notation.formats.text_moves import is_of_a_game

_SAN: Final = re.compile(
    r"(?<![\w-])(?:O-O(?:-O)?|0-0(?:-0)?"
    r"|[KQRBN][a-h]?[1-8]?x?[a-h][1-8](?![0-9A-Za-z])"
    r"|[a-h]x[a-h][1-8](?![0-9A-Za-z])|[a-h][18]=?[QRBN](?![0-9A-Za-z]))"
)
"""A move of chess, except for a pawn move to an empty square."""

_SAID: Final = re.compile(r"\{[^}]*\}?|;[^\n]*|\[[^\]\n]*\]")
_CELL: Final = re.compile(r"[A-Za-z]{1,2}[0-9]{1,3}[!?+#=.]*")


def has_chess(text: str) -> bool:
    """Return whether a text of PGN has a move of chess that no installed game has.

    >>> has_chess("1. e4 e5 2. Nf3"), has_chess("1. e5 d4 {Nf3!} 2. Ma1")
    (True, False)
    """
    return any(not is_of_a_game(found[0]) for found in _SAN.finditer(_SAID.sub(" ", text)))


def are_of_pawns(moves: Sequence[str]) -> bool:
    """Return whether moves can be the start of a game of chess, with only pawn moves.

    >>> are_of_pawns(["e4", "e5", "d4"]), are_of_pawns(["e5", "d4"]), are_of_pawns(["e4", "e4"])
    (True, False, False)
    """
    pawns = [dict.fromkeys("abcdefgh", row) for row in (2, 7)]
    for ply, move in enumerate(moves):
        side, step = ply % 2, (1, -1)[ply % 2]
        if not re.fullmatch("[a-h][1-8]", bare := move.rstrip("+#!?")):
            return False
        file, row = bare[0], int(bare[1])
        begin = pawns[side][file]
        steps = (row - begin) * step
        way = range(begin + step, row + step, step)
        if not (steps == 1 or (steps == 2 and begin in (2, 7))) or pawns[1 - side][file] in way:
            return False
        pawns[side][file] = row
    return True


def look_like_ours(moves: Sequence[str]) -> bool:
    """Return whether more than half of the moves have the form of moves of installed games.

    >>> look_like_ours(["e5", "z9", "Ma1"]), look_like_ours(["P-7f", "P-3d"])
    (True, False)
    """
    like = sum(is_of_a_game(move) or _CELL.fullmatch(move) is not None for move in moves)
    return 2 * like > len(moves)
