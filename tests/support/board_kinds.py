"""Boards of every kind, for properties that must hold on all of them."""

from __future__ import annotations

from typing import Final

from board_games import morris, star
from hypothesis import strategies as st

from lath.games.board import Board, hexagon, hexagon_of, rhombus, squares, triangle
from lath.games.points import points

MORRIS: Final = morris()

WHEEL: Final = points(
    {
        "a1": (0, 0),
        "b1": (0, -2),
        "b2": (2, 0),
        "b3": (0, 2),
        "b4": (-2, 0),
    },
    ["b1 a1 b3", "b4 a1 b2"],
    ["b1 b2", "b2 b3", "b3 b4", "b4 b1"],
)
"""A rim of four points around a middle: two lines, and edges that form none."""

KINDS: Final[dict[str, Board]] = {
    "squares": squares(5),
    "rectangle": squares(7, 6),
    "plain squares": squares(4, 3, diagonals=False),
    "row": squares(6, 1),
    "hexagon": hexagon_of(4),
    "long hexagon": hexagon_of(3, 4),
    "trapezium": hexagon((3, 4)),
    "rhombus": rhombus(5),
    "parallelogram": rhombus(6, 4),
    "slanted column": rhombus(1, 5),
    "triangle": triangle(6),
    "morris": MORRIS,
    "star": star(),
    "wheel": WHEEL,
    "pair": points("c1 a1", ["a1 c1"]),
    "edges": points("a1 b1 b2 c3", [], ["a1 b1", "b2 c3"]),
}
"""One board of each kind and form."""


@st.composite
def graphs(draw: st.DrawFn) -> Board:
    """Return free points with straight lines of neighbours, and other edges."""
    columns, rows = draw(st.integers(2, 5)), draw(st.integers(2, 5))
    cells = [(x, y) for x in range(columns) for y in range(rows)]
    chosen = sorted(draw(st.sets(st.sampled_from(cells), min_size=2)))
    names = {cell: f"{'abcde'[cell[0]]}{cell[1] + 1}" for cell in chosen}
    files = ([names[at] for at in chosen if at[0] == x] for x in range(columns))
    ranks = ([names[at] for at in chosen if at[1] == y] for y in range(rows))
    lines = [line for line in (*files, *ranks) if len(line) > 1 and draw(st.booleans())]
    edge = st.lists(st.sampled_from(chosen), min_size=2, max_size=2, unique=True)
    edges = [[names[at] for at in pair] for pair in draw(st.lists(edge, max_size=4))]
    return points({name: (2.5 * x, -2.5 * y) for (x, y), name in names.items()}, lines, edges)


SMALL: Final = st.integers(1, 7)


def boards() -> st.SearchStrategy[Board]:
    """Return boards of all kinds and many sizes."""
    return st.one_of(
        st.sampled_from(list(KINDS.values())),
        st.builds(squares, SMALL, SMALL),
        st.builds(hexagon_of, st.integers(1, 4), st.integers(2, 4)),
        st.builds(rhombus, SMALL, SMALL),
        st.builds(triangle, SMALL),
        graphs(),
    )


def some_cells(board: Board) -> st.SearchStrategy[int]:
    """Return sets of cells of a board as masks."""
    return st.sets(st.sampled_from(list(board.name))).map(sum)
