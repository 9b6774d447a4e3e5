"""What the Manalath of the online servers does otherwise: the board of 61 cells, and no limit."""

from __future__ import annotations

import pytest
from drawn import after, ending, pieces, reasons

from lath import games
from lath.games.core import Outcome, Seat
from lath.games.errors import MoveSyntaxError

MANALATH_61 = games.get("manalath-61")

MANY_ORANGE = """
        o o o . o
       . . . . . .
      o o o . o o o
     p . . . . . . .
    o o o . o o o . o
     . . . p . . . .
      o o o . o o o
       . . . . . .
        o o . . o
"""
"""26 orange pieces in groups of three at most; the box of the 70 cells has 25."""


def test_the_board_has_five_cells_a_side() -> None:
    rows = [len(row) for row in MANALATH_61.board.rows]
    assert rows == [5, 6, 7, 8, 9, 8, 7, 6, 5]
    moves = MANALATH_61.start().legal_moves()
    assert (len(moves), moves[0], moves[-1]) == (122, "Oa1", "Pi5")


@pytest.mark.parametrize("text", ["Oa6", "Pe10", "Oi6", "Oh7"])
def test_a_cell_of_the_larger_board_is_no_cell_here(text: str) -> None:
    assert games.get("manalath").canonical(text) == text
    with pytest.raises(MoveSyntaxError, match="a1 to i5"):
        MANALATH_61.canonical(text)


def test_there_is_no_limit_to_the_pieces_of_a_colour() -> None:
    text = pieces(MANY_ORANGE, "o")
    assert MANALATH_61.position(text).contents().count("o") == 26
    assert reasons(MANALATH_61, text, "Oa3 Pa3") == [None, None]


def test_groups_of_four_and_five_end_the_game_as_on_the_larger_board() -> None:
    four = after(MANALATH_61.start(), "Oe1 Pa1 Oe2 Pa3 Oe3 Pa5 Oe4")
    assert ending(four) == Outcome(
        Seat.SECOND, "group of four", ("e1", "e2", "e3", "e4"), is_loss=True
    )
    five = after(MANALATH_61.start(), "Oe1 Pa1 Oe2 Pa3 Oe4 Pa5 Oe5 Pc1 Oe3")
    assert ending(five) == Outcome(Seat.FIRST, "group of five", ("e1", "e2", "e3", "e4", "e5"))


def test_blockers_can_be_set_up_here_too() -> None:
    start = MANALATH_61.start("e5 a1 i5")
    assert start.text() == "4g/6/7/8/4g4/8/7/6/g4 o"
    assert len(start.legal_moves()) == 2 * 58
