"""The rules of Yavalath, one example each."""

from __future__ import annotations

import pytest
from drawn import after, ending, pieces

from lath import games
from lath.games.core import Move, Outcome, Seat
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


def end_of(line: str, last: str) -> Outcome:
    """Return how a game ends in which first fills `line`, `last` last, and second plays apart."""
    cells = [cell for cell in line.split() if cell != last]
    far = [cell for cell in ("a5", "c7", "f8", "i5", "g5") if cell not in line]
    moves = " ".join(f"{mine} {theirs}" for mine, theirs in zip(cells, far, strict=False))
    return ending(after(YAVALATH.start(), f"{moves} {last}"))


def test_players_place_in_turn_on_any_empty_cell_of_61() -> None:
    start = YAVALATH.start()
    assert (len(start.legal_moves()), start.to_move) == (61, Seat.FIRST)
    placed = after(start, "e5")
    assert placed.to_move is Seat.SECOND
    assert placed.why_illegal(Move("e5")) == "e5 already has a stone"
    assert "swap" not in start.legal_moves()


@pytest.mark.parametrize("line", AXES)
def test_three_in_line_lose(line: str) -> None:
    three = line.rsplit(" ", 1)[0]
    outcome = end_of(three, three.split()[1])
    assert outcome == Outcome(
        Seat.SECOND, "three in line", tuple(sorted(three.split())), is_loss=True
    )


@pytest.mark.parametrize("last", [1, 2])
@pytest.mark.parametrize("line", AXES)
def test_four_in_line_win(line: str, last: int) -> None:
    outcome = end_of(line, line.split()[last])
    assert outcome == Outcome(Seat.FIRST, "four in line", tuple(sorted(line.split())))


def test_five_in_line_win_like_four() -> None:
    assert end_of("e1 e2 e3 e4 e5", "e3") == Outcome(
        Seat.FIRST, "four in line", ("e1", "e2", "e3", "e4", "e5")
    )


def test_a_four_and_a_three_at_once_win() -> None:
    board = """
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
    outcome = ending(after(YAVALATH.position(pieces(board, "w")), "e5"))
    assert outcome == Outcome(Seat.FIRST, "four in line", ("e3", "e4", "e5", "e6"))


def test_stones_of_two_colours_are_no_line() -> None:
    assert not after(YAVALATH.start(), "e1 e2 e3 e4 e5 e6").is_over


def test_second_loses_and_wins_by_lines_of_seconds_colour() -> None:
    assert ending(after(YAVALATH.start(), "a1 e1 a3 e2 i1 e3")).winner is Seat.FIRST
    assert ending(after(YAVALATH.start(), "a1 e1 a3 e2 i1 e4 i3 e3")).winner is Seat.SECOND


def test_a_swap_makes_the_one_stone_seconds_where_it_lies() -> None:
    board = """
            . . . . .
           . . . . . .
          . . . . . . .
         . . . . . . . .
        . . . . . . . . .
         . . b . . . . .
          . . . . . . .
           . . . . . .
            . . . . .
    """
    swapped = after(YAVALATH.start(), "d3 swap")
    assert swapped.text() == pieces(board, "w")
    assert (swapped.to_move, len(swapped.legal_moves())) == (Seat.FIRST, 60)


def test_the_swapped_stone_counts_for_second() -> None:
    end = after(YAVALATH.start(), "e1 swap a1 e2 a3 e3")
    assert ending(end) == Outcome(Seat.FIRST, "three in line", ("e1", "e2", "e3"), is_loss=True)


@pytest.mark.parametrize("moves", ["", "e5 swap", "e5 d4", "e5 swap d4", "e5 d4 f5"])
def test_swap_is_for_seconds_first_turn_only(moves: str) -> None:
    position = after(YAVALATH.start(), moves)
    assert position.why_illegal(Move("swap")) == "swap is only for second's first turn"
    assert "swap" not in position.legal_moves()


def test_swap_is_listed_after_the_cells() -> None:
    moves = after(YAVALATH.start(), "a1").legal_moves()
    assert (moves[0], moves[-2], moves[-1], len(moves)) == ("a2", "i5", "swap", 61)


def test_a_full_board_without_a_result_draws() -> None:
    assert ending(YAVALATH.position(pieces(FULL, "b"))) == Outcome(None, "board full")
    last = FULL.replace("w w b b w", "w . b b w", 1)
    end = after(YAVALATH.position(pieces(last, "w")), "i2")
    assert end.text() == pieces(FULL, "b")


def test_after_a_swap_second_fills_the_board() -> None:
    colours_changed = FULL.replace("w", "x").replace("b", "w").replace("x", "b")
    last = colours_changed.replace("b b w w b", "b . w w b", 1)
    end = after(YAVALATH.position(pieces(last, "b")), "i2")
    assert ending(end) == Outcome(None, "board full")


@pytest.mark.parametrize("text", ["e10", "j1", "a6", "E5", "Oe5", "SWAP", "e5-e6"])
def test_other_texts_are_no_moves(text: str) -> None:
    with pytest.raises(MoveSyntaxError, match=text):
        YAVALATH.canonical(text)


def test_there_is_no_setup() -> None:
    with pytest.raises(SetupError, match="yavalath has no setup"):
        YAVALATH.start("-")
