"""The rules of Manalath: turns, groups, blockers, the end of the box, and the board of 61 cells."""

from __future__ import annotations

import pytest
from drawn import after, ending, pieces, reasons

from lath import games
from lath.games.core import Move, Outcome, Side
from lath.games.errors import MoveSyntaxError, SetupError

MANALATH, MANALATH_61 = games.get("manalath"), games.get("manalath-61")

TWO_AND_THREE = """
        . . . . . .
       . . . . . . .
      . . . . . . . .
     . . . p . . . . .
    . . p p . . . . . p
     . o o . o o o . .
      . . . . . . . p
       . . . . . . .
        . . . . . .
"""

TWO_AND_TWO = "6/7/3p4/2p6/9p/1oo1oo3/7p/7/6"

TWO_AND_ONE = "6/7/3p4/2p6/9p/1oo1o4/8/7/6"

HANDED_FOUR = """
        . . . . . .
       . . . . . . .
      . . . . . . . .
     . . p . . . . . .
    . . . . p . . . . p
     . o o . . . . . .
      . o . . . p . .
       o . . . . . .
        . . . . . .
"""
"""Purple has just made orange's group of four; orange is to move."""

HANDED_FIVE = "6/7/8/2p6/4p4p/1oo6/8/2oo3/6"
"""Purple is to move, and makes orange's group of five on c3."""

A_FOUR_AND_A_FIVE = """
        o o . o o .
       . . . . . . .
      . . . . . . . .
     . . p . . . . . p
    . . . . p . . . . p
     . o o . . . . p .
      . o . . . p . .
       o . . . . . .
        . . p . . p
"""

TWO_FIVES = "oo1oo1/6p/8/2p5p/4p4p/ooo4p1/1o3p2/o6/2p1p1"

WITH_A_BLOCKER = "6/7/3p4/2p6/9p/1oogo4/8/7/6"

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


def first(ending: str, cells: str) -> Outcome:
    return Outcome(Side.FIRST, ending, tuple(cells.split()))


def lost(ending: str, cells: str) -> Outcome:
    return Outcome(Side.SECOND, ending, tuple(cells.split()), is_loss=True)


ENDINGS: dict[str, tuple[str, str, Outcome | None]] = {
    "an own group of five wins": (
        TWO_AND_TWO, "o Od4", first("group of five", "d2 d3 d4 d5 d6")
    ),
    "an own group of four loses": (TWO_AND_ONE, "o Od4", lost("group of four", "d2 d3 d4 d5")),
    "only the mover's colour is examined: a four can be handed over": (HANDED_FOUR, "o", None),
    "a handed four loses": (HANDED_FOUR, "o Oi6", lost("group of four", "b1 c2 d2 d3")),
    "by whichever colour": (HANDED_FOUR, "o Pi6", lost("group of four", "b1 c2 d2 d3")),
    "a handed four that grows wins": (
        HANDED_FOUR, "o Od4", first("group of five", "b1 c2 d2 d3 d4")
    ),
    "a handed five ends nothing": (HANDED_FIVE, "p Oc3", None),
    "until its owner's turn ends": (
        HANDED_FIVE, "p Oc3 Pi6", first("group of five", "b3 b4 c3 d2 d3")
    ),
    "a four and a five at once lose": (
        A_FOUR_AND_A_FIVE, "o Oi3", lost("group of four", "b1 c2 d2 d3")
    ),
    "two fives at once win once": (
        TWO_FIVES, "o Oi3", first("group of five", "b1 c2 d1 d2 d3 i1 i2 i3 i4 i5")
    ),
    "a blocker connects nothing": (WITH_A_BLOCKER, "o Od1", None),
    "who has no move and no large group draws": (BEFORE_NEITHER, "p Ph6", Outcome(None, "no move")),
    "who has no move and a four loses": (
        BEFORE_A_FOUR, "p Of4", lost("no move, group of four", "e4 f3 f4 g2")
    ),
    "who has no move and a five wins": (
        BEFORE_A_FIVE, "p Oc2", first("no move, group of five", "a1 b2 c1 c2 d1")
    ),
}  # fmt: skip
"""The drawn position, who is to move and what is played, how it ends."""


def test_a_game_ends_by_groups_and_by_having_no_move() -> None:
    for rule, (drawing, words, expected) in ENDINGS.items():
        mover, _, moves = words.partition(" ")
        position = MANALATH.position(pieces(drawing, mover))
        assert not position.is_over, rule
        reached = after(position, moves)
        assert (ending(reached) if expected else reached.outcome()) == expected, rule


def test_purple_loses_and_wins_by_purple_groups_and_threes_end_nothing() -> None:
    for moves, winner in (
        ("Oi1 Pa1 Oi3 Pa2 Oi5 Pa3 Og1 Pa4", Side.FIRST),
        ("Oi1 Pa1 Oi3 Pa2 Oi5 Pa4 Pa5 Pa3", Side.SECOND),
    ):
        assert ending(after(MANALATH.start(), moves)).winner is winner
    assert not after(MANALATH.start(), "Oa1 Pf1 Oa2 Pf2 Oa3 Pf3").is_over


def test_orange_begins_and_a_turn_places_a_piece_of_either_colour_on_any_empty_cell() -> None:
    start = MANALATH.start()
    placed = after(start, "Pe5")
    assert (start.to_move, placed.text()) == (Side.FIRST, "6/7/8/9/4p5/9/8/7/6 p")
    moves = placed.legal_moves()
    assert len(moves) == 2 * 69
    assert moves[:4] == ("Oa1", "Pa1", "Oa2", "Pa2")
    assert moves[-1] == "Pi6"
    assert {"Oe9", "Oe10", "Pe10"} <= {*moves}
    assert not {"Oe5", "Pe5"} & {*moves}
    listed = start.legal_moves()  # by number, not by text
    assert listed.index(Move("Oe2")) < listed.index(Move("Oe10")) < listed.index(Move("Of1"))


def test_no_group_of_either_colour_grows_beyond_five() -> None:
    text = pieces(TWO_AND_THREE, "o")
    assert reasons(MANALATH, text, "Od4") == ["orange on d4 would make a group of 6, more than 5"]
    assert reasons(MANALATH, text, "Od1 Oc2 Od8 Oe5 Oe7 Pd4") == [None] * 6
    changed = TWO_AND_THREE.replace("p", "q").replace("o", "p").replace("q", "o")
    reason = "purple on d4 would make a group of 6, more than 5"
    assert reasons(MANALATH, pieces(changed, "o"), "Pd4 Od4") == [reason, None]


THREE_PAIRS_AROUND_E5 = """
        . . . . . .
       p . . . . . p
      . . . . o . . .
     . . . . o . . . .
    . . o o . . . . . .
     . . . . o . . . .
      p . . . o . . p
       . . . . . . .
        p . . . . p
"""


def test_a_cell_touches_two_cells_of_the_row_above_and_two_of_the_row_below() -> None:
    for drawing, middle in (
        (THREE_PAIRS_AROUND_E5, "e5"),
        ("\n".join(line[::-1] for line in THREE_PAIRS_AROUND_E5.splitlines()), "e6"),
    ):
        reason = f"orange on {middle} would make a group of 7, more than 5"
        assert reasons(MANALATH, pieces(drawing, "o"), f"O{middle}") == [reason]


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


def test_a_colour_that_is_used_up_is_so_for_both() -> None:
    text = pieces(ALL_ORANGE_USED, "p")
    no_piece = "the box has no orange piece left"
    assert reasons(MANALATH, text, "Oh1 Ph1 Of9") == [no_piece, None, no_piece]
    position = MANALATH.position(text)
    for at in (position, after(position, "Ph1")):
        assert {move[0] for move in at.legal_moves()} == {"P"}


def test_there_is_no_swap_and_no_pass() -> None:
    for text in ("swap", "pass", "e5"):
        with pytest.raises(MoveSyntaxError, match=text):
            MANALATH.canonical(text)


def test_a_setup_names_the_cells_of_up_to_three_blockers_which_nobody_plays_on() -> None:
    assert MANALATH.canonical_setup("e10 c3 e5") == "c3 e5 e10"
    start = MANALATH.start("e5 c3")
    assert start.text() == "6/7/8/9/4g5/9/2g5/7/6 o"
    assert reasons(MANALATH, start.text(), "Oe5 Pe5") == ["e5 is blocked"] * 2
    assert MANALATH.start("-") == MANALATH.start()
    for setup in ("a1 a2 a3 a4", "a1 a1", "a7", "e5,c3", "e5  c3", "e5 ", "none"):
        with pytest.raises(SetupError, match=setup):
            MANALATH.start(setup)


# The Manalath of the online servers: the board of 61 cells, and no limit.

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


def test_the_smaller_board_has_five_cells_a_side_and_pieces_without_limit() -> None:
    assert [len(row) for row in MANALATH_61.board.rows] == [5, 6, 7, 8, 9, 8, 7, 6, 5]
    moves = MANALATH_61.start().legal_moves()
    assert (len(moves), moves[0], moves[-1]) == (122, "Oa1", "Pi5")
    for text in ("Oa6", "Pe10", "Oi6", "Oh7"):
        assert MANALATH.canonical(text) == text
        with pytest.raises(MoveSyntaxError, match="Oa1 to Oi5"):
            MANALATH_61.canonical(text)
    text = pieces(MANY_ORANGE, "o")
    assert MANALATH_61.position(text).contents().count("o") == 26
    assert reasons(MANALATH_61, text, "Oa3 Pa3") == [None, None]
    start = MANALATH_61.start("e5 a1 i5")
    assert (start.text(), len(start.legal_moves())) == ("4g/6/7/8/4g4/8/7/6/g4 o", 2 * 58)


def test_groups_of_four_and_five_end_the_game_on_the_smaller_board_too() -> None:
    for moves, expected in (
        ("Oe1 Pa1 Oe2 Pa3 Oe3 Pa5 Oe4", lost("group of four", "e1 e2 e3 e4")),
        ("Oe1 Pa1 Oe2 Pa3 Oe4 Pa5 Oe5 Pc1 Oe3", first("group of five", "e1 e2 e3 e4 e5")),
    ):
        assert ending(after(MANALATH_61.start(), moves)) == expected
