"""The rules of Surikata, one example each; pictures of the rulebook where it has them."""

from __future__ import annotations

import pytest
from drawn import after, ending, pieces_and_meerkat, reasons

from lath import games
from lath.games.core import Move, Outcome, Side
from lath.games.errors import MoveSyntaxError, SetupError

SURIKATA = games.get("surikata")


def cells_marked(drawing: str) -> set[str]:
    """Return the cells that a drawing marks with `x`."""
    lines = [line.split() for line in drawing.strip().splitlines()]
    return {
        f"{column}{height}"
        for height, line in enumerate(reversed(lines), 1)
        for column, cell in zip("abcde", line, strict=True)
        if cell == "x"
    }


def test_the_players_place_five_mounds_in_turn_and_first_the_first_piece_on_any_free_cell() -> None:
    position = SURIKATA.start()
    assert position.why_illegal(Move("c3")) == "mounds come first: 0 of 5 are placed"
    for number, move in enumerate(["Mc3", "Mc4", "Ma1", "Me5", "Mb2"]):
        assert position.to_move == number % 2
        assert len(position.legal_moves()) == 25 - number
        position = position.play(Move(move))
    assert position.text() == "4m/2m2/2m2/1m3/m4 - o"
    assert position.why_illegal(Move("Mc1")) == "all 5 mounds are already placed"
    assert set(position.legal_moves()) == set(SURIKATA.board.names) - {"c3", "c4", "a1", "e5", "b2"}
    assert [after(position, moves).to_move for moves in ("", "c1", "c1 d5", "c1 d5 b1")] == [
        0,
        1,
        0,
        1,
    ]


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


SEEN = {
    "illus. 2 and 3: along row and column as far as the next mound": (
        """
        . . m . .
        m . . . .
        . m O . .
        . . . . .
        . . m m .
        """,
        """
        x x m x x
        m x . x x
        x m O . .
        x x . x x
        x x m m x
        """,
    ),
    "the cells behind a mound are out of sight": (
        """
        . . . . .
        . . m . .
        m . O m .
        . . m . .
        . . . . m
        """,
        """
        x x x x x
        x x m x x
        m . O m x
        x x m x x
        x x x x m
        """,
    ),
    "pieces do not block the view": (
        """
        m . . . .
        . . o . m
        . O . w .
        . m o . w
        m . . m .
        """,
        """
        m . x x x
        x . o x m
        . O . w .
        x m o x w
        m x x m x
        """,
    ),
}
"""What the meerkat sees: where white may place is marked."""


def test_pieces_go_where_the_meerkat_sees_nothing() -> None:
    for rule, (drawing, marked) in SEEN.items():
        text = pieces_and_meerkat(drawing, "w")
        assert {*SURIKATA.position(text).legal_moves()} == cells_marked(marked), rule
    assert reasons(SURIKATA, text, "e3") == ["the meerkat on b3 sees e3"]


MOUNDS_ON_TOP = "Ma5 Mb5 Mc5 Md5 Me5"


def lost(seat: Side, cells: str) -> Outcome:
    return Outcome(seat.other, "three in line", tuple(cells.split()), is_loss=True)


def test_three_own_pieces_in_line_lose_at_once() -> None:
    for moves, expected in (
        ("a1 d3 b1 e4 c1", lost(Side.FIRST, "a1 b1 c1")),
        ("a1 d3 a2 e4 a3", lost(Side.FIRST, "a1 a2 a3")),
        ("a1 d3 b2 e4 c3", lost(Side.FIRST, "a1 b2 c3")),
        ("a3 d4 b2 e4 c1", lost(Side.FIRST, "a3 b2 c1")),
        ("a1 d3 c1 e4 b1", lost(Side.FIRST, "a1 b1 c1")),  # closed in the middle
        ("e4 a1 d3 b1 e3 c1", lost(Side.SECOND, "a1 b1 c1")),
        ("a1 d3 b1 e4 d1 e3 c1", lost(Side.FIRST, "a1 b1 c1 d1")),  # four like three
    ):
        assert ending(after(SURIKATA.start(), f"{MOUNDS_ON_TOP} {moves}")) == expected
    for moves in (
        f"{MOUNDS_ON_TOP} a1 d3 b1 e4 d1",  # a gap
        "Mc1 Mb5 Mc5 Md5 Me5 a1 d3 b1 e4 d1",  # a mound between
        "Mc1 Mb5 Mc5 Ma4 Me5 a2 d3 b2 c4 d2",
    ):
        assert not after(SURIKATA.start(), moves).is_over


ILLUS_4 = """
    w o m m m
    o w o o m
    w w o w w
    o . w m w
    o o w o O
"""


NO_CELL_FOR_WHITE = """
    w o w o o
    w o w m o
    o m m m m
    . w . w w
    w o o W o
"""

NO_CELL_FOR_ORANGE = """
    O m . o w
    w o . o m
    w o . w w
    o m w o w
    m o w m o
"""

ILLUS_6 = """
    o . o o w
    w w m o o
    m o w m w
    w w m o m
    O w w o o
"""


def test_a_game_ends_when_the_board_is_full_or_nothing_is_out_of_sight() -> None:
    no_cell = "no cell out of sight"
    for drawing, mover, move, empty, expected in (
        # Illus. 4: white must take the one free space, and a last piece can lose.
        (ILLUS_4, "w", "b2", 0, lost(Side.SECOND, "a3 b2 b3 b4 c1")),
        # Illus. 5: white is unable to move and orange wins.
        (NO_CELL_FOR_WHITE, "o", "a2", 1, Outcome(Side.FIRST, no_cell, is_loss=True)),
        (NO_CELL_FOR_ORANGE, "w", "c5", 2, Outcome(Side.SECOND, no_cell, is_loss=True)),
        (ILLUS_6, "w", "b5", 0, Outcome(None, "all pieces placed")),
    ):
        position = SURIKATA.position(pieces_and_meerkat(drawing, mover))
        assert move in position.legal_moves()
        end = after(position, move)
        assert end.contents().count("") == empty
        assert ending(end) == expected
    assert SURIKATA.position(pieces_and_meerkat(ILLUS_4, "w")).legal_moves() == ("b2",)


def test_there_is_no_setup_no_swap_and_no_pass() -> None:
    for text in ("swap", "pass", "M", "mc3", "f1"):
        with pytest.raises(MoveSyntaxError, match=text):
            SURIKATA.canonical(text)
    with pytest.raises(SetupError):
        SURIKATA.start("-")
