"""Boards as text: squares and hexagons, the longest contents setting the width."""

from __future__ import annotations

from walks import play_all

from lath import games
from lath.games.core import Move
from lath.notation.writer import diagram


def played(game_id: str, *moves: str) -> str:
    return diagram(play_all(games.get(game_id).start(), [Move(move) for move in moves]))


def test_squares_have_numbers_at_the_left_and_letters_below() -> None:
    assert played("surikata", "Ma1", "Mb2", "Mc3", "Md4", "Me5", "c1") == (
        "5  .  .  .  .  m\n"
        "4  .  .  .  m  .\n"
        "3  .  .  m  .  .\n"
        "2  .  m  .  .  .\n"
        "1  m  .  ok .  .\n"
        "   a  b  c  d  e"
    )


def test_rows_of_hexagons_are_shifted_by_half_a_cell() -> None:
    assert played("manalath-61", "Oa1", "Pi5") == (
        "i      . . . . p\n"
        "h     . . . . . .\n"
        "g    . . . . . . .\n"
        "f   . . . . . . . .\n"
        "e  . . . . . . . . .\n"
        "d   . . . . . . . .\n"
        "c    . . . . . . .\n"
        "b     . . . . . .\n"
        "a      o . . . ."
    )
