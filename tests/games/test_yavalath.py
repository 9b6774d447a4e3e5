"""The rules of Yavalath, one example each."""

from __future__ import annotations

import pytest
from drawn import after, ending, pieces

from lath import games
from lath.games.core import Move, Outcome, Side
from lath.games.errors import MoveSyntaxError, SetupError

YAVALATH = games.get("yavalath")

AXES = ["e1 e2 e3 e4", "a1 b2 c3 d4", "d1 e2 f2 g2", "i1 h1 g1 f1", "e1 d1 c1 b1", "e6 f6 g6 h6"]
"""Four in line along each axis, through the middle row and in both halves."""

# Two in line at most, for either colour; 31 white and 30 black stones.
FULL = """
        w w b b w
       b b w w b b
      w w b b w w b
     b b w w b b w w
    w w b b w w b b w
     b w w b b w w b
      b b w w b b w
       w b b w w b
        w w b b w
"""

FOUR_AND_THREE = """
        . . . . .
       . . . . . .
      . . . . w . .
     b . . . w . . b
    . . w w . w . . .
     b . . . . . . b
      . . . . . . .
       . . . . . .
        . . . . b
"""


def end_of(line: str, last: str) -> Outcome:
    """Return how a game ends in which first fills `line`, `last` last, and second plays apart."""
    cells = [cell for cell in line.split() if cell != last]
    far = [cell for cell in ("a5", "c7", "f8", "i5", "g5") if cell not in line]
    moves = " ".join(f"{mine} {theirs}" for mine, theirs in zip(cells, far, strict=False))
    return ending(after(YAVALATH.start(), f"{moves} {last}"))


def test_players_place_in_turn_on_any_empty_cell_of_61() -> None:
    start = YAVALATH.start()
    assert (len(start.legal_moves()), start.to_move) == (61, Side.FIRST)
    placed = after(start, "e5")
    assert placed.to_move is Side.SECOND
    assert placed.why_illegal(Move("e5")) == "e5 already has a stone"
    for text in ("e10", "j1", "a6", "E5", "Oe5", "SWAP", "e5-e6"):
        with pytest.raises(MoveSyntaxError, match=text):
            YAVALATH.canonical(text)
    with pytest.raises(SetupError, match="yavalath does not have setups"):
        YAVALATH.start("-")


def test_three_in_line_lose_and_four_win_along_each_axis() -> None:
    for line in AXES:
        three = tuple(sorted(line.split()[:3]))
        lost = Outcome(Side.SECOND, "three in line", three, is_loss=True)
        assert end_of(line.rsplit(" ", 1)[0], line.split()[1]) == lost
        won = Outcome(Side.FIRST, "four in line", tuple(sorted(line.split())))
        assert [end_of(line, line.split()[last]) for last in (1, 2)] == [won, won]


def test_five_in_line_and_a_four_with_a_three_win_and_two_colours_make_none() -> None:
    five = ("e1", "e2", "e3", "e4", "e5")
    assert end_of(" ".join(five), "e3") == Outcome(Side.FIRST, "four in line", five)
    end = ending(after(YAVALATH.position(pieces(FOUR_AND_THREE, "w")), "e5"))
    assert end == Outcome(Side.FIRST, "four in line", ("e3", "e4", "e5", "e6"))
    assert not after(YAVALATH.start(), "e1 e2 e3 e4 e5 e6").is_over


def test_second_loses_and_wins_by_lines_of_seconds_colour() -> None:
    assert ending(after(YAVALATH.start(), "a1 e1 a3 e2 i1 e3")).winner is Side.FIRST
    assert ending(after(YAVALATH.start(), "a1 e1 a3 e2 i1 e4 i3 e3")).winner is Side.SECOND


def test_a_swap_makes_the_one_stone_seconds_where_it_lies() -> None:
    swapped = after(YAVALATH.start(), "d3 swap")
    assert swapped.text() == "5/6/7/8/9/2b5/7/6/5 w"
    assert (swapped.to_move, len(swapped.legal_moves())) == (Side.FIRST, 60)
    end = after(YAVALATH.start(), "e1 swap a1 e2 a3 e3")
    assert ending(end) == Outcome(Side.FIRST, "three in line", ("e1", "e2", "e3"), is_loss=True)


def test_swap_is_for_seconds_first_turn_only_and_listed_after_the_cells() -> None:
    for moves in ("", "e5 swap", "e5 d4", "e5 swap d4", "e5 d4 f5"):
        position = after(YAVALATH.start(), moves)
        assert (
            position.why_illegal(Move("swap"))
            == "swap is allowed only as the second player's first turn"
        )
        assert "swap" not in position.legal_moves()
    listed = after(YAVALATH.start(), "a1").legal_moves()
    assert (listed[0], listed[-2], listed[-1], len(listed)) == ("a2", "i5", "swap", 61)


def test_a_full_board_without_a_result_draws_whoever_fills_it() -> None:
    changed = FULL.replace("w", "x").replace("b", "w").replace("x", "b")
    for board, mover in ((FULL, "w"), (changed, "b")):  # after a swap second does
        colour = board.split()[1]
        last = board.replace(colour, ".", 2).replace(".", colour, 1)
        end = after(YAVALATH.position(pieces(last, mover)), "i2")
        assert ending(end) == Outcome(None, "board full")
        assert end.text() == pieces(board, "b" if mover == "w" else "w")
