"""The rules of Manalath on turns and on groups, one example each, on the board of 70 cells."""

from __future__ import annotations

import pytest
from drawn import after, ending, pieces, reasons

from lath import games
from lath.games.core import Move, Outcome, Seat
from lath.games.errors import MoveSyntaxError, SetupError

MANALATH = games.get("manalath")

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


def outcome_after(drawing: str, mover: str, moves: str) -> Outcome:
    """Return how the game ends after `moves` from the drawn position."""
    return ending(after(MANALATH.position(pieces(drawing, mover)), moves))


def test_a_turn_places_a_piece_of_either_colour_on_any_empty_cell() -> None:
    moves = after(MANALATH.start(), "Pe5").legal_moves()
    assert len(moves) == 2 * 69
    assert moves[:4] == ("Oa1", "Pa1", "Oa2", "Pa2")
    assert moves[-1] == "Pi6"
    assert {"Oe9", "Oe10", "Pe10"}.issubset(moves)
    assert not {"Oe5", "Pe5"}.intersection(moves)


def test_moves_are_listed_by_letter_and_then_by_number_not_by_text() -> None:
    moves = MANALATH.start().legal_moves()
    assert moves.index(Move("Oe2")) < moves.index(Move("Oe10")) < moves.index(Move("Of1"))


def test_orange_begins_and_may_begin_with_a_purple_piece() -> None:
    drawing = """
            . . . . . .
           . . . . . . .
          . . . . . . . .
         . . . . . . . . .
        . . . . p . . . . .
         . . . . . . . . .
          . . . . . . . .
           . . . . . . .
            . . . . . .
    """
    assert MANALATH.start().to_move is Seat.FIRST
    assert after(MANALATH.start(), "Pe5").text() == pieces(drawing, "p")


def test_example_forbidden_spaces_for_orange_pieces() -> None:
    text = pieces(TWO_AND_THREE, "o")
    assert reasons(MANALATH, text, "Od4") == ["orange on d4 would make a group of 6, more than 5"]
    assert reasons(MANALATH, text, "Od1 Oc2 Od8 Oe5 Oe7 Pd4") == [None] * 6


def test_the_limit_is_for_the_opponents_colour_too() -> None:
    colours_changed = TWO_AND_THREE.replace("p", "q").replace("o", "p").replace("q", "o")
    reason = "purple on d4 would make a group of 6, more than 5"
    assert reasons(MANALATH, pieces(colours_changed, "o"), "Pd4 Od4") == [reason, None]


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

THREE_PAIRS_AROUND_C5 = """
        . p . . . .
       p . . . . . p
      . . . . . . . .
     . . . . . . . . .
    . p . . . . o . . .
     . . . . . o . . p
      . . o o . . . .
       . . . . o . .
        p . . . o .
"""

THREE_PAIRS_AROUND_G5 = """
        . . . . o .
       p . . . o . .
      . . o o . . . .
     . . . . . o . . p
    . . p . . . o . . .
     . . . . . . . . p
      p . . . . . . .
       . . . . . . .
        . p . . . .
"""


@pytest.mark.parametrize(
    ("drawing", "cell", "cell_in_the_mirror"),
    [
        (THREE_PAIRS_AROUND_E5, "e5", "e6"),
        (THREE_PAIRS_AROUND_C5, "c5", "c4"),
        (THREE_PAIRS_AROUND_G5, "g5", "g4"),
    ],
)
def test_a_cell_touches_two_cells_of_the_row_above_and_two_of_the_row_below(
    drawing: str, cell: str, cell_in_the_mirror: str
) -> None:
    mirrored = "\n".join(line[::-1] for line in drawing.splitlines())
    for board, middle in ((drawing, cell), (mirrored, cell_in_the_mirror)):
        reason = f"orange on {middle} would make a group of 7, more than 5"
        assert reasons(MANALATH, pieces(board, "o"), f"O{middle}") == [reason]


def test_an_own_group_of_five_wins() -> None:
    drawing = """
            . . . . . .
           . . . . . . .
          . . . p . . . .
         . . p . . . . . .
        . . . . . . . . . p
         . o o . o o . . .
          . . . . . . . p
           . . . . . . .
            . . . . . .
    """
    cells = ("d2", "d3", "d4", "d5", "d6")
    assert outcome_after(drawing, "o", "Od4") == Outcome(Seat.FIRST, "group of five", cells)


def test_an_own_group_of_four_loses() -> None:
    drawing = """
            . . . . . .
           . . . . . . .
          . . . p . . . .
         . . p . . . . . .
        . . . . . . . . . p
         . o o . o . . . .
          . . . . . . . .
           . . . . . . .
            . . . . . .
    """
    cells = ("d2", "d3", "d4", "d5")
    assert outcome_after(drawing, "o", "Od4") == Outcome(
        Seat.SECOND, "group of four", cells, is_loss=True
    )


def test_purple_loses_by_a_purple_four_and_wins_by_a_purple_five() -> None:
    lost = after(MANALATH.start(), "Oi1 Pa1 Oi3 Pa2 Oi5 Pa3 Og1 Pa4")
    assert ending(lost).winner is Seat.FIRST
    won = after(MANALATH.start(), "Oi1 Pa1 Oi3 Pa2 Oi5 Pa4 Pa5 Pa3")
    assert ending(won).winner is Seat.SECOND


def test_groups_of_up_to_three_end_nothing() -> None:
    assert not after(MANALATH.start(), "Oa1 Pf1 Oa2 Pf2 Oa3 Pf3").is_over


def test_only_the_movers_colour_is_examined_so_a_four_can_be_handed_over() -> None:
    position = MANALATH.position(pieces(HANDED_FOUR, "o"))
    assert (position.outcome(), position.to_move) == (None, Seat.FIRST)


def test_a_handed_group_of_four_loses_unless_it_is_grown_at_once() -> None:
    cells = ("b1", "c2", "d2", "d3")
    expected = Outcome(Seat.SECOND, "group of four", cells, is_loss=True)
    assert outcome_after(HANDED_FOUR, "o", "Oi6") == expected
    assert outcome_after(HANDED_FOUR, "o", "Pi6") == expected


def test_a_handed_group_of_four_wins_once_it_is_grown_to_five() -> None:
    cells = ("b1", "c2", "d2", "d3", "d4")
    assert outcome_after(HANDED_FOUR, "o", "Od4") == Outcome(Seat.FIRST, "group of five", cells)


def test_a_handed_group_of_five_wins_at_the_end_of_its_owners_turn() -> None:
    drawing = """
            . . . . . .
           . . . . . . .
          . . . . . . . .
         . . p . . . . . .
        . . . . p . . . . p
         . o o . . . . . .
          . . . . . . . .
           . . o o . . .
            . . . . . .
    """
    handed = after(MANALATH.position(pieces(drawing, "p")), "Oc3")
    assert not handed.is_over
    cells = ("b3", "b4", "c3", "d2", "d3")
    assert ending(after(handed, "Pi6")) == Outcome(Seat.FIRST, "group of five", cells)


def test_a_four_and_a_five_at_once_lose_though_the_four_was_handed_over() -> None:
    drawing = """
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
    expected = Outcome(Seat.SECOND, "group of four", ("b1", "c2", "d2", "d3"), is_loss=True)
    assert outcome_after(drawing, "o", "Oi3") == expected


def test_two_groups_of_five_at_once_win_once() -> None:
    drawing = """
            o o . o o .
           . . . . . . p
          . . . . . . . .
         . . p . . . . . p
        . . . . p . . . . p
         o o o . . . . p .
          . o . . . p . .
           o . . . . . .
            . . p . p .
    """
    assert after(MANALATH.position(pieces(drawing, "o")), "Pi6").is_over
    cells = ("b1", "c2", "d1", "d2", "d3", "i1", "i2", "i3", "i4", "i5")
    assert outcome_after(drawing, "o", "Oi3") == Outcome(Seat.FIRST, "group of five", cells)


def test_there_is_no_swap_and_no_pass() -> None:
    for text in ("swap", "pass", "e5"):
        with pytest.raises(MoveSyntaxError, match=text):
            MANALATH.canonical(text)


def test_a_blocker_cannot_be_played_on_and_connects_nothing() -> None:
    drawing = """
            . . . . . .
           . . . . . . .
          . . . p . . . .
         . . p . . . . . .
        . . . . . . . . . p
         . o o g o . . . .
          . . . . . . . .
           . . . . . . .
            . . . . . .
    """
    text = pieces(drawing, "o")
    assert reasons(MANALATH, text, "Od4 Pd4") == ["d4 is blocked"] * 2
    assert not after(MANALATH.position(text), "Od1").is_over


def test_a_setup_names_the_cells_of_up_to_three_blockers() -> None:
    assert MANALATH.canonical_setup("e10 c3 e5") == "c3 e5 e10"
    assert MANALATH.start("e5 c3").text() == "6/7/8/9/4g5/9/2g5/7/6 o"
    assert MANALATH.start("-") == MANALATH.start()


@pytest.mark.parametrize("setup", ["a1 a2 a3 a4", "a1 a1", "a7", "e5,c3", "e5  c3", "e5 ", "none"])
def test_a_setup_of_other_cells_or_of_more_is_refused(setup: str) -> None:
    with pytest.raises(SetupError, match=setup):
        MANALATH.start(setup)
