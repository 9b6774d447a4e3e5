"""What the kernels play on: arrays of whole numbers, and what stands where in them.

`t` is what never changes (`laid_out` makes it of `lath.games.fast.Tables`), `s` the state. A *list
of lists* begins at some place of `t` with where each list starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, Final

from lath.games.fast import Tables

Ints = Any  # np.ndarray of int64

FAMILIES: Final = ("lines", "releases", "groups", "sight")

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

    cells, shapes = tables.cells, len(tables.shapes)
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

    t[FAMILY] = FAMILIES.index(tables.family)
    t[CELLS], t[CODES], t[SHAPES], t[SUPPLY] = cells, codes, shapes, tables.supply
    t[LOSS_FIRST], t[TURN] = tables.is_loss_first, signed(tables.turn_key)
    t[SWAP] = codes - 1 if tables.has_swap else -1
    t[WIN], t[LOSE], t[MOUNDS] = tables.win, tables.lose, tables.mounds
    t[TYPES] = max(len(tables.releases) - shapes, 0)
    through = [[i for i, s in enumerate(tables.shapes) if cell in s] for cell in range(cells)]
    t[THROUGH] = put_lists(through)
    t[SHAPE_CELLS] = put_lists(tables.shapes)
    t[NEAR] = put_lists(tables.near)
    t[RAYS] = put_lists(tables.rays)
    t[TAKEN] = put_lists(tables.releases)
    first, second = tables.stone_keys
    t[STONE_KEYS] = put(map(signed, (*first[:cells], *second[:cells])))
    t[OTHER_KEYS] = put(map(signed, tables.other_keys))
    t[MEERKAT_KEYS] = put(map(signed, tables.meerkat_keys))
    plies = codes + 2
    grouped_cells = cells if tables.family == "groups" else 0
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
        (TRAIL, 2 * cells * (tables.win + 1)),
    ):
        t[place], at = at, at + room
    t[LENGTH] = at
    return np.array(t, dtype=np.int64)
