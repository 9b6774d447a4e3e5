"""The rules of Surikata, one example each; pictures of the rulebook where it has them."""

from __future__ import annotations

import pytest
from drawn import after, ending, pieces_and_meerkat, reasons

from lath import games
from lath.games.core import Move, Outcome, Seat
from lath.games.errors import MoveSyntaxError, SetupError

SURIKATA = games.get("surikata")


def legal_cells(drawing: str, mover: str) -> set[str]:
    """Return where the mover may place in the drawn position."""
    return set(SURIKATA.position(pieces_and_meerkat(drawing, mover)).legal_moves())


def cells_marked(drawing: str) -> set[str]:
    """Return the cells that a drawing marks with `x`."""
    lines = [line.split() for line in drawing.strip().splitlines()]
    return {
        f"{column}{height}"
        for height, line in enumerate(reversed(lines), 1)
        for column, cell in zip("abcde", line, strict=True)
        if cell == "x"
    }


def test_the_players_place_five_mounds_in_turn_on_any_free_cell() -> None:
    position = SURIKATA.start()
    for number, move in enumerate(["Mc3", "Mc4", "Ma1", "Me5", "Mb2"]):
        assert position.to_move == number % 2
        assert len(position.legal_moves()) == 25 - number
        position = position.play(Move(move))
    assert position.text() == "4m/2m2/2m2/1m3/m4 - o"


def test_first_who_placed_the_fifth_mound_also_places_the_first_piece() -> None:
    position = after(SURIKATA.start(), "Mc3 Mc4 Ma1 Me5 Mb2")
    assert position.to_move is Seat.FIRST
    assert [after(position, m).to_move for m in ("c1", "c1 d5", "c1 d5 b1")] == [1, 0, 1]


def test_a_mound_or_a_piece_at_the_wrong_time_is_illegal() -> None:
    start = SURIKATA.start()
    assert start.why_illegal(Move("c3")) == "a mound comes first, 0 of 5 are placed"
    placed = after(start, "Mc3 Mc4 Ma1 Me5 Mb2")
    assert placed.why_illegal(Move("Mc1")) == "all 5 mounds are placed"


def test_the_first_piece_may_go_on_any_free_cell() -> None:
    placed = after(SURIKATA.start(), "Mc3 Mc4 Ma1 Me5 Mb2")
    assert set(placed.legal_moves()) == set(SURIKATA.board.names) - {"c3", "c4", "a1", "e5", "b2"}


def test_mounds_and_pieces_go_on_free_cells_only() -> None:
    started = after(SURIKATA.start(), "Mc3")
    assert started.why_illegal(Move("Mc3")) == "c3 already has a mound"
    board = """
        m . . . .
        . . m . .
        . . . W .
        o . m . .
        m . . . m
    """
    text = pieces_and_meerkat(board, "o")
    expected = ["a2 already has a piece", "d3 already has a piece", "c4 already has a mound"]
    assert reasons(SURIKATA, text, "a2 d3 c4") == expected


def test_every_piece_takes_the_meerkat_onto_it() -> None:
    placed = after(SURIKATA.start(), "Ma5 Mc4 Mc2 Ma1 Me1")
    for move, text in (("b3", "m4/2m2/1o3/2m2/m3m b3 w"), ("d4", "m4/2mw1/1o3/2m2/m3m d4 o")):
        placed = placed.play(Move(move))
        assert placed.text() == text


def test_illus_2_and_3_the_meerkat_sees_along_row_and_column_as_far_as_the_next_mound() -> None:
    position = """
        . . m . .
        m . . . .
        . m O . .
        . . . . .
        . . m m .
    """
    free_for_white = """
        x x m x x
        m x . x x
        x m O . .
        x x . x x
        x x m m x
    """
    assert legal_cells(position, "w") == cells_marked(free_for_white)


def test_the_cells_behind_a_mound_are_out_of_sight() -> None:
    position = """
        . . . . .
        . . m . .
        m . O m .
        . . m . .
        . . . . m
    """
    free_for_white = """
        x x x x x
        x x m x x
        m . O m x
        x x m x x
        x x x x m
    """
    assert legal_cells(position, "w") == cells_marked(free_for_white)


def test_pieces_do_not_block_the_view() -> None:
    position = """
        m . . . .
        . . o . m
        . O . w .
        . m o . w
        m . . m .
    """
    free_for_white = """
        m . x x x
        x . o x m
        . O . w .
        x m o x w
        m x x m x
    """
    assert legal_cells(position, "w") == cells_marked(free_for_white)
    text = pieces_and_meerkat(position, "w")
    assert reasons(SURIKATA, text, "e3") == ["the meerkat on b3 sees e3"]


MOUNDS_ON_TOP = "Ma5 Mb5 Mc5 Md5 Me5"


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ("a1 d3 b1 e4 c1", "a1 b1 c1"),
        ("a1 d3 a2 e4 a3", "a1 a2 a3"),
        ("a1 d3 b2 e4 c3", "a1 b2 c3"),
        ("a3 d4 b2 e4 c1", "a3 b2 c1"),
        ("a1 d3 c1 e4 b1", "a1 b1 c1"),
    ],
    ids=["row", "column", "rising diagonal", "falling diagonal", "closed in the middle"],
)
def test_three_own_pieces_in_line_lose_at_once(moves: str, line: str) -> None:
    end = after(SURIKATA.start(), f"{MOUNDS_ON_TOP} {moves}")
    assert ending(end) == Outcome(Seat.SECOND, "three in line", tuple(line.split()), is_loss=True)


def test_white_loses_by_a_white_line() -> None:
    end = after(SURIKATA.start(), f"{MOUNDS_ON_TOP} e4 a1 d3 b1 e3 c1")
    assert ending(end) == Outcome(Seat.FIRST, "three in line", ("a1", "b1", "c1"), is_loss=True)


def test_a_row_with_a_gap_is_no_line() -> None:
    assert not after(SURIKATA.start(), f"{MOUNDS_ON_TOP} a1 d3 b1 e4 d1").is_over


def test_a_row_with_a_piece_of_the_opponents_or_a_mound_between_is_no_line() -> None:
    assert not after(SURIKATA.start(), "Mc1 Mb5 Mc5 Md5 Me5 a1 d3 b1 e4 d1").is_over
    assert not after(SURIKATA.start(), "Mc1 Mb5 Mc5 Ma4 Me5 a2 d3 b2 c4 d2").is_over


def test_four_in_line_lose_like_three() -> None:
    end = after(SURIKATA.start(), f"{MOUNDS_ON_TOP} a1 d3 b1 e4 d1 e3 c1")
    assert ending(end) == Outcome(
        Seat.SECOND, "three in line", ("a1", "b1", "c1", "d1"), is_loss=True
    )


ILLUS_4 = """
    w o m m m
    o w o o m
    w w o w w
    o . w m w
    o o w o O
"""


def test_illus_4_white_must_take_the_one_free_space_and_orange_wins() -> None:
    position = SURIKATA.position(pieces_and_meerkat(ILLUS_4, "w"))
    assert position.legal_moves() == ("b2",)
    outcome = ending(after(position, "b2"))
    assert (outcome.winner, outcome.ending) == (Seat.FIRST, "three in line")


def test_a_last_piece_that_makes_a_line_loses_and_does_not_draw() -> None:
    full = after(SURIKATA.position(pieces_and_meerkat(ILLUS_4, "w")), "b2")
    assert "" not in full.contents()
    assert ending(full).winner is Seat.FIRST


def test_illus_5_white_is_unable_to_move_and_orange_wins() -> None:
    before = """
        w o w o o
        w o w m o
        o m m m m
        . w . w w
        w o o W o
    """
    end = after(SURIKATA.position(pieces_and_meerkat(before, "o")), "a2")
    assert end.contents().count("") == 1
    assert ending(end) == Outcome(Seat.FIRST, "no cell out of sight", is_loss=True)


def test_orange_unable_to_move_loses_too() -> None:
    before = """
        O m . o w
        w o . o m
        w o . w w
        o m w o w
        m o w m o
    """
    end = after(SURIKATA.position(pieces_and_meerkat(before, "w")), "c5")
    assert ending(end) == Outcome(Seat.SECOND, "no cell out of sight", is_loss=True)


def test_illus_6_all_pieces_placed_without_a_line_draw() -> None:
    before = """
        o . o o w
        w w m o o
        m o w m w
        w w m o m
        O w w o o
    """
    end = after(SURIKATA.position(pieces_and_meerkat(before, "w")), "b5")
    assert "" not in end.contents()
    assert ending(end) == Outcome(None, "all pieces placed")


def test_there_is_no_setup_no_swap_and_no_pass() -> None:
    for text in ("swap", "pass", "M", "mc3", "f1"):
        with pytest.raises(MoveSyntaxError, match=text):
            SURIKATA.canonical(text)
    with pytest.raises(SetupError):
        SURIKATA.start("-")
