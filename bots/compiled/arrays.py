"""What the kernels play on: arrays of whole numbers, and what stands where in them.

`t` is what never changes (`laid_out` makes it of a game's `Tables`), `s` the state. A *list
of lists* begins at some place of `t` with where each list starts.
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


# What stands at the beginning of `t`: numbers,
FAMILY, CELLS, CODES, SHAPES, SUPPLY, LOSS_FIRST, TURN, SWAP, WIN, LOSE, TYPES, MOUNDS = range(12)


# where lists begin in `t`,
THROUGH, SHAPE_CELLS, NEAR, RAYS, TAKEN, STONE_KEYS, OTHER_KEYS, MEERKAT_KEYS = range(12, 20)


# where arrays begin in `s`: whose stone is on each cell (0 nobody's), whether an animal, mound or
# blocker is, how many stones each shape lacks and where, how many shapes lack but one stone on a
# cell, how many animals each shape has, each group's name and size, the size of the group that a
# piece of each colour would make on each empty cell, how many groups end the game, the past
OWN, OTHER, LEFT, CLOSE, ANIMALS, GROUP, SIZE, MADE, ENDING, PAST, TRAIL, LENGTH = range(20, 32)

HEAD: Final = 32


# What stands at the beginning of `s`.
TO_MOVE, WINNER, KEY, STONES, OTHERS, PLIES, MEERKAT, TRAILED = 0, 1, 2, 3, 5, 6, 7, 8

STATE_HEAD: Final = 10

OPEN: Final = -1
"""`s[WINNER]` while the game goes on."""

DRAW: Final = 2

PROVEN: Final = 990_000
"""As in `lath.bots.search`."""

ALWAYS: Final = 1 << 20
"""Animals of a shape that always loses."""

ONE: Final = 1 << 16
"""One stone that a shape lacks; below that the sum of the cells where it lacks some."""

ENTRY: Final = 5
"""Numbers of a ply in the past."""


def signed(key: int) -> int:
    """Return 64 bits as numba's whole numbers have them."""
    return key - (1 << 64) if key >> 63 else key


def laid_out(tables: Tables, codes: int) -> Ints:
    """Return `t` for a game with so many codes."""
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
