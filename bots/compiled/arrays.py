"""The arrays of whole numbers that the kernels use, and the places of values in them.

`t` has the constant data of a game; `laid_out` makes it from the game's `Tables`. `s` is the state.
A *list of lists* is a place of `t` at which the start of each list is stored.
"""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterable, Sequence
from ctypes import c_int64, sizeof
from itertools import accumulate
from typing import Any, Final

from lath.bots.learned.patterns import Learned

Ints = Any  # an array of c_int64

FAMILIES: Final = ("LineTables", "ReleaseTables", "GroupTables", "SightTables")
"""The names of the classes of `Tables`: a bot loads the rules of one game only."""

LINES, RELEASES, GROUPS, SIGHT = range(4)


# The first places of `t`: numbers, of which the last two are the words of a set of cells, and the
# room of the sets of a colour with its two numbers,
FAMILY, CELLS, CODES, SHAPES, SUPPLY, LOSS_FIRST, TURN, SWAP, WIN, LOSE, TYPES, MOUNDS = range(12)
WORDS, ROOM = range(12, 14)


# then starts of lists in `t`,
THROUGH, SHAPE_CELLS, NEAR, RAYS, TAKEN, STONE_KEYS, OTHER_KEYS, MEERKAT_KEYS = range(14, 22)


# then those of patterns: their number; for each cell its patterns and what a content there adds to
# the place of a weight; the places of the weights of empty rows; in `s` those of today's rows
PATTERNS, WORTHS, STARTS, PLACES = range(36, 40)


# then starts of arrays in `s`. These are: the side of the stone on each cell (0 for none); whether
# an animal, mound or blocker is there; the number of missing stones of each shape and their cells;
# the number of shapes that lack only one stone on a cell; the number of animals of each shape; a
# later piece of the same group, or the piece itself if it is the last; by this last piece, the size
# of the group and the cells next to it; the free cells; the chosen moves of each colour; the sets
# of each colour and its numbers of groups that lose and win, as in `groups`, or those of `sight`;
# the past; the cells visible from each cell
OWN, OTHER, LEFT, CLOSE, ANIMALS, GROUP, SIZE, REACH, FREE, CHOSEN, SETS = range(22, 33)
PAST, TRAIL, KEPT = range(33, 36)
VIEWS: Final = 40

LENGTH: Final = 41

HEAD: Final = 42


# The first places of `s`.
TO_MOVE, WINNER, KEY, STONES, OTHERS, PLIES, MEERKAT, TRAILED, SUM = 0, 1, 2, 3, 5, 6, 7, 8, 9

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

HALF: Final = 32
"""The bits by which a sum of weights for the first side to move is above that for the second."""

HIGHEST: Final = 1 << HALF - 1
"""More than any sum of weights of one side."""

ENTRY: Final = 5
"""The number of values per ply in the past."""


# The places of the numbers that are shared with a search: stop, nodes left, nodes used, the score
# is a guess, guesses are off, the used length of the tree, the active parts, the capacity: the rows
# of the table or the length of the tree, whether there are oversights, and their noise in units of
# 1 / `NOISES` and salt.
STOP, NODES_LEFT, USED, IS_GUESSED, IS_BLIND, HELD, ACTIVE, CAPACITY = range(8)
OVERLOOKS, NOISE, SALT = range(8, 11)

TOLD: Final = 11
"""The number of these numbers. If ends may go unnoticed, a mark for each code of a move follows."""

UNFINISHED: Final = 1 << 40
"""The value returned instead of a score by a search whose budget is used up."""

ROW: Final = 2
"""The values of a row of the table: the key and what is known, 0 for an empty row."""

# What is known has these parts from its lowest bit on: the best move plus one, the kind plus one,
# the depth plus `DEEP`, and the score plus `HIGH`.
KIND_AT, DEPTH_AT, SCORE_AT = 20, 24, 36

DEEP: Final = 1 << 11
HIGH: Final = 1 << 22


# The values of a node of the tree: the move, its player, games, half points, the places of its
# first child and after its last one, the winner if it is proven, or else OPEN, and a part of the
# key of its state.
CODE, MOVER, VISITS, POINTS, BEGINS, ENDS, PROOF, STATE = range(8)

COLUMNS: Final = 8
"""The number of values of a node."""

STATE_BITS: Final = (1 << 31) - 1
"""The bits of a key that a node stores."""


def zeros(count: int, kind: Any = c_int64) -> Any:
    """Return a large array of zeros, which takes memory only where it is written."""
    pages = mmap.mmap(-1, count * sizeof(kind), flags=mmap.MAP_PRIVATE)
    if hasattr(mmap, "MADV_HUGEPAGE"):  # as numpy does: fewer misses of the table of pages
        pages.madvise(mmap.MADV_HUGEPAGE)
    return (kind * count).from_buffer(pages)


def signed(key: int) -> int:
    """Return 64 bits as a signed whole number, as numba has them."""
    return key - (1 << 64) if key >> 63 else key


SUMS: Final = 4
"""The bits of the sum of the groups beside a cell where a piece can be placed.

At most 7 pieces can be there, and a turn adds at most 8.
"""


def words_of(cells: Iterable[int], words: int) -> list[int]:
    """Return a set of cells as signed words of 64 bits."""
    mask = sum(1 << cell for cell in cells)
    return [signed(mask >> 64 * word & (1 << 64) - 1) for word in range(words)]


def laid_out(  # noqa: C901, PLR0915 - a case for each family
    tables: Any, codes: int, learned: Learned | None = None
) -> Ints:
    """Return `t` for a game with this number of codes, with the weights of an estimate."""
    cells, shapes = tables.cells, 0
    starts: list[int] = []
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

    family = FAMILIES.index(type(tables).__name__)
    t[FAMILY], t[CELLS], t[CODES] = family, cells, codes
    t[SWAP] = -1
    first, second = tables.stone_keys
    t[STONE_KEYS] = put(map(signed, (*first[:cells], *second[:cells])))
    t[OTHER_KEYS] = put(map(signed, tables.other_keys))
    if family != GROUPS:
        t[SUPPLY], t[LOSS_FIRST] = tables.supply, tables.is_loss_first
        t[TURN] = signed(tables.turn_key)
        if tables.has_swap:
            t[SWAP] = codes - 1
        names = list(range(len(tables.shapes)))
        if family == SIGHT:
            names = [words_of(shape, 1)[0] for shape in tables.shapes]
        else:
            shapes = t[SHAPES] = len(names)
            t[SHAPE_CELLS] = put_lists(tables.shapes)
        named = [*zip(names, tables.shapes, strict=True)]
        t[THROUGH] = put_lists([[i for i, s in named if cell in s] for cell in range(cells)])
    if family == RELEASES:
        t[TYPES], t[TAKEN] = len(tables.releases) - shapes, put_lists(tables.releases)
    elif family == SIGHT:
        t[MOUNDS], t[RAYS] = tables.mounds, put_lists(tables.rays)
        t[LOSE] = len(tables.shapes[0])
        t[MEERKAT_KEYS] = put(map(signed, tables.meerkat_keys))
    elif family == GROUPS:
        t[SUPPLY], t[WIN], t[LOSE] = tables.supply, tables.win, tables.lose
        words = t[WORDS] = cells + 63 >> 6
        t[ROOM] = (4 + SUMS) * words + 2
        t[NEAR] = put(word for near in tables.near for word in words_of(near, words))
    worths: list[list[int]] = [[] for _ in range(cells)]
    if learned is not None:
        patterns = learned.patterns
        t[PATTERNS] = len(patterns.rows)
        first, second = learned.weights
        begins = put((one << HALF) + other for one, other in zip(first, second, strict=True))
        for pattern, (row, start) in enumerate(zip(patterns.rows, patterns.starts, strict=True)):
            starts.append(begins + start)
            for power, cell in enumerate(reversed(row)):
                worths[cell] += pattern, patterns.states**power
    t[WORTHS], t[STARTS] = put_lists(worths), put(starts)
    plies, words, sets = codes + 2, t[WORDS], t[ROOM]
    marked = cells if family <= RELEASES else 0
    at = STATE_HEAD
    for place, room in (
        (OWN, marked),
        (OTHER, marked),
        (LEFT, 2 * shapes),
        (CLOSE, 4 * marked),
        (ANIMALS, shapes),
        (GROUP, cells if words else 0),
        (FREE, words or 1),
        (CHOSEN, 2 * words),
        (SETS, 2 * sets or 6),
        (VIEWS, cells if family == SIGHT else 0),
        (PLACES, t[PATTERNS]),
        (PAST, ENTRY * plies),
        (SIZE, cells if words else 0),  # like the past, left as it is by random games
        (REACH, cells * words),
        (TRAIL, sets * (cells + 1) if words else 2 * cells),
    ):
        t[place], at = at, at + room
    t[KEPT], t[LENGTH] = at, at + t[PAST]
    return (c_int64 * len(t)).from_buffer(array("q", t))


def stood(  # noqa: PLR0917 - the parts of a state
    kernels: Any, tables: Any, t: Ints, to_move: int, winner: int | None, key: int
) -> Ints:
    """Return `s` for the state in the tables."""
    s = (c_int64 * t[LENGTH])()
    s[TO_MOVE], s[WINNER] = to_move, OPEN if winner is None else winner
    s[KEY] = signed(key)
    s[MEERKAT] = tables.meerkat if t[FAMILY] == SIGHT else -1
    if t[FAMILY] <= RELEASES:
        for shape, cells in enumerate(tables.shapes):
            for seat in (0, 1):
                s[t[LEFT] + seat * t[SHAPES] + shape] = ONE * len(cells) + sum(cells)
            s[t[ANIMALS] + shape] = ALWAYS if tables.losing[shape] else 0
            if t[FAMILY] == RELEASES:
                s[t[ANIMALS] + shape] = len(set(cells).intersection(tables.others))
    free = set(range(tables.cells)).difference(tables.others)
    words = t[WORDS] or 1
    s[t[FREE] : t[FREE] + words] = words_of(free, words)
    empty = t[t[STARTS] : t[STARTS] + t[PATTERNS]]
    s[t[PLACES] : t[PLACES] + t[PATTERNS]] = empty
    s[SUM] = sum(map(t.__getitem__, empty))
    for seat, cells in ((2, tables.others), *enumerate(tables.stones)):
        for cell in cells:
            kernels.set_up(t, s, seat, cell)
    s[TRAILED] = 0  # the initial pieces are never taken back
    return s
