"""Manalath near its end: the box runs out, no move is left, and the stuck player is examined."""

from __future__ import annotations

import pytest
from drawn import after, ending, pieces, reasons

from lath import games
from lath.games.core import Outcome, Seat

MANALATH = games.get("manalath")

ALL_ORANGE_USED = """
        o o o . o o
       . . . . . . .
      o o o . o o o .
     p . . . . . . . .
    o o o . o o o . o o
     . . . p . . . . .
      o o o . o o o .
       . . . . . . .
        . . . . . .
"""
"""25 orange pieces, in groups of three at most, and two purple ones."""

BEFORE_NEITHER = """
        p o o p o p
       p . p p o . .
      p . o . . . o p
     o o p p o o p o o
    p . . p . p o . p p
     o . o . p p . . o
      p o g g o . p o
       o p o . o p o
        . o p p o .
"""
"""Purple to move. Purple on h6 leaves orange without a move and without a large group."""

BEFORE_A_FOUR = """
        p p o . . p
       . p . . p p o
      p o . p o o . o
     o . o . p p o p o
    p p p o . o . . p p
     o . . p o . o o o
      p o . p p . g .
       o p . o . p o
        o p o p p o
"""
"""Purple to move. Orange on f4 makes a group of four that orange has no way to grow."""

BEFORE_A_FIVE = """
        p . p p o o
       p o p g . . .
      p o o . p o p p
     o . . p o o . . p
    p p o o . . . p o o
     o p . . o o . . p
      o . p o p p o p
       p o . p o . .
        o p o o p p
"""
"""Purple to move. Orange on c2 makes a group of five and leaves orange without a move."""


def test_a_colour_that_is_used_up_cannot_be_placed() -> None:
    text = pieces(ALL_ORANGE_USED, "p")
    assert text.count("o") == 25
    no_piece = "no orange piece is left in the box"
    assert reasons(MANALATH, text, "Oh1 Ph1 Of9") == [no_piece, None, no_piece]
    assert all(move.startswith("P") for move in MANALATH.position(text).legal_moves())


def test_a_colour_of_the_opponents_is_used_up_for_both() -> None:
    position = MANALATH.position(pieces(ALL_ORANGE_USED, "p"))
    assert all(move.startswith("P") for move in after(position, "Ph1").legal_moves())


@pytest.mark.parametrize(
    ("drawing", "move", "expected"),
    [
        (BEFORE_NEITHER, "Ph6", Outcome(None, "no move")),
        (
            BEFORE_A_FOUR,
            "Of4",
            Outcome(Seat.SECOND, "no move, group of four", ("e4", "f3", "f4", "g2"), is_loss=True),
        ),
        (
            BEFORE_A_FIVE,
            "Oc2",
            Outcome(Seat.FIRST, "no move, group of five", ("a1", "b2", "c1", "c2", "d1")),
        ),
    ],
    ids=["neither: a draw", "four: loses", "five: wins"],
)
def test_a_player_without_a_move_is_examined(drawing: str, move: str, expected: Outcome) -> None:
    position = MANALATH.position(pieces(drawing, "p"))
    assert not position.is_over
    assert ending(after(position, move)) == expected
