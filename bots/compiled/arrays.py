"""The arrays of whole numbers that the kernels use, and the places of values in them.

`t` has the constant data of a game; `laid_out` makes it from the game's `Tables`. `s` is the state.
A *list of lists* is a place of `t` at which the start of each list is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Final

from lath.games.fast import Tables
from lath.games.mammalath import ReleaseTables
from lath.games.manalath import GroupTables
from lath.games.stones import LineTables
from lath.games.surikata import SightTables

Ints = Any  # np.ndarray of int64

FAMILIES: Final[Sequence[type[Tables]]] = (LineTables, ReleaseTables, GroupTables, SightTables)

LINES, RELEASES, GROUPS, SIGHT = range(4)


# The first places of `t`: numbers,
FAMILY, CELLS, CODES, SHAPES, SUPPLY, LOSS_FIRST, TURN, SWAP, WIN, LOSE, TYPES, MOUNDS = range(12)


# then starts of lists in `t`,
THROUGH, SHAPE_CELLS, NEAR, RAYS, TAKEN, STONE_KEYS, OTHER_KEYS, MEERKAT_KEYS = range(12, 20)


# then starts of arrays in `s`. These are: the side of the stone on each cell (0 for none); whether
# an animal, mound or blocker is there; the number of missing stones of each shape and their cells;
# the number of shapes that lack only one stone on a cell; the number of animals of each shape; the
# name and size of each group; the size of the group that a piece of each colour would make on each
# empty cell; the number of groups that end the game; the past
OWN, OTHER, LEFT, CLOSE, ANIMALS, GROUP, SIZE, MADE, ENDING, PAST, TRAIL, LENGTH = range(20, 32)

HEAD: Final = 32


# The first places of `s`.
TO_MOVE, WINNER, KEY, STONES, OTHERS, PLIES, MEERKAT, TRAILED = 0, 1, 2, 3, 5, 6, 7, 8

STATE_HEAD: Final = 10

OPEN: Final = -1
"""The value of `s[WINNER]` while the game is not over."""

DRAW: Final = 2

PROVEN: Final = 990_000
"""The same value as in `lath.bots.search`."""

ALWAYS: Final = 1 << 20
"""The number of animals of a shape that always loses."""

ONE: Final = 1 << 16
"""The value of one missing stone of a shape; the lower bits are the sum of the missing cells."""

ENTRY: Final = 5
"""The number of values per ply in the past."""


def signed(key: int) -> int:
    """Return 64 bits as a signed whole number, as numba has them."""
    return key - (1 << 64) if key >> 63 else key


def laid_out(tables: Tables, codes: int) -> Ints:
    """Return `t` for a game with this number of codes."""
    import numpy as np  # of the extra `fast`

    cells, shapes = tables.cells, 0
    t = [0] * HEAD

    def put(numbers: Iterable[int]) -> int:
        begins = len(t)
        t.extend(numbers)
        return begins

    def put_lists(lists: Sequence[Sequence[int]]) -> int:
        begins = len(t)
        t.extend(accumulate(map(len, lists), initial=begins + len(lists) + 1))
        t.extend(number for one in lists for number in one)
        return begins

    t[FAMILY], t[CELLS], t[CODES] = FAMILIES.index(type(tables)), cells, codes
    t[SWAP] = -1
    first, second = tables.stone_keys
    t[STONE_KEYS] = put(map(signed, (*first[:cells], *second[:cells])))
    t[OTHER_KEYS] = put(map(signed, tables.other_keys))
    if isinstance(tables, LineTables):
        shapes = t[SHAPES] = len(tables.shapes)
        t[SUPPLY], t[LOSS_FIRST] = tables.supply, tables.is_loss_first
        t[TURN] = signed(tables.turn_key)
        if tables.has_swap:
            t[SWAP] = codes - 1
        through = [[i for i, s in enumerate(tables.shapes) if cell in s] for cell in range(cells)]
        t[THROUGH], t[SHAPE_CELLS] = put_lists(through), put_lists(tables.shapes)
    match tables:
        case ReleaseTables():
            t[TYPES], t[TAKEN] = len(tables.releases) - shapes, put_lists(tables.releases)
        case SightTables():
            t[MOUNDS], t[RAYS] = tables.mounds, put_lists(tables.rays)
            t[MEERKAT_KEYS] = put(map(signed, tables.meerkat_keys))
        case GroupTables():
            t[SUPPLY], t[WIN], t[LOSE] = tables.supply, tables.win, tables.lose
            t[NEAR] = put_lists(tables.near)
    plies = codes + 2
    grouped_cells = cells if t[FAMILY] == GROUPS else 0
    at = STATE_HEAD
    for place, room in (
        (OWN, cells),
        (OTHER, cells),
        (LEFT, 2 * shapes),
        (CLOSE, 4 * cells),
        (ANIMALS, shapes),
        (GROUP, grouped_cells),
        (SIZE, grouped_cells),
        (MADE, 2 * grouped_cells),
        (ENDING, 4),
        (PAST, ENTRY * plies),
        (TRAIL, 2 * cells * (t[WIN] + 1)),
    ):
        t[place], at = at, at + room
    t[LENGTH] = at
    return np.array(t, dtype=np.int64)
