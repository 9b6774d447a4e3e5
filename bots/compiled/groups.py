"""Kernels for games of groups: joining and separating pieces, and choosing moves by sets of cells.

A set of cells is stored as words of 64 bits. Numbers of cells are stored as sums in binary: word
`w` of set number `b` has bit `b` of the sum of each cell.
"""

from __future__ import annotations

from typing import Any

from numba import njit, types
from numba.extending import intrinsic

from lath.bots.compiled.arrays import (
    CELLS,
    CHOSEN,
    FREE,
    GROUP,
    LOSE,
    NEAR,
    REACH,
    ROOM,
    SETS,
    SIZE,
    STONES,
    SUMS,
    SUPPLY,
    TO_MOVE,
    TRAIL,
    WIN,
    WORDS,
)

MINE, OVER, WINS, LOSES, BESIDE = range(5)
"""The sets of a colour, and where the sums of the groups beside each cell begin.

The first set has its pieces. Each of the others has the cells where another piece makes a group
that is too large, that wins, or that loses.
"""


@intrinsic
def _ones(_, word):  # noqa: ARG001 - the argument of the compiled function
    return types.int64(types.int64), lambda _context, builder, _type, given: builder.ctpop(given[0])


ones: Any = _ones
"""Returns the number of bits of a word that are 1."""


@njit(inline="always")
def lowest(word):
    """Return the place of the lowest bit of a word that is 1."""
    return ones((word & -word) - 1)


@njit(inline="always")
def add(s, sums, words, cells, many):
    """Add a number to the sums of a set of cells."""
    for w in range(words):
        marked, carry = s[cells + w], 0
        for b in range(SUMS):
            at = sums + b * words + w
            term, before = marked & -(many >> b & 1), s[at]
            s[at] = before ^ term ^ carry
            carry = before & term | carry & (before ^ term)


@njit(inline="always")
def store(t, s, colour):
    """Store the sets of a colour in the trail, so that `part` can undo `join`."""
    sets = t[SETS] + colour * t[ROOM]
    trail = t[TRAIL] + t[ROOM] * (s[STONES] + s[STONES + 1])
    for i in range(t[WORDS], t[ROOM]):
        s[trail + i] = s[sets + i]


@njit(error_model="numpy")
def join(t, s, colour, cell):
    """Join a new piece with the groups next to it."""
    words = t[WORDS]
    group, sizes, reach, room = t[GROUP], t[SIZE], t[REACH], t[ROOM]
    sets, near, own = t[SETS] + colour * room, t[NEAR] + cell * words, t[REACH] + cell * words
    sums, counts = sets + BESIDE * words, sets + room - 2
    many = 1
    s[STONES + colour] += 1
    s[group + cell] = cell
    for w in range(words):
        s[own + w] = t[near + w]
    for w in range(words):
        beside = t[near + w] & s[sets + w]
        while beside:
            name = 64 * w + lowest(beside)
            beside &= beside - 1
            while s[group + name] != name:
                name = s[group + name]
            if name != cell:
                size, others = s[sizes + name], reach + name * words
                s[group + name] = cell
                many += size
                s[counts] -= size == t[LOSE]
                add(s, sums, words, others, -size)
                for v in range(words):
                    s[own + v] |= s[others + v]
    s[sizes + cell] = many
    s[counts] += many == t[LOSE]
    s[counts + 1] += many == t[WIN]
    add(s, sums, words, own, many)
    s[sets + (cell >> 6)] |= 1 << (cell & 63)
    s[t[FREE] + (cell >> 6)] ^= 1 << (cell & 63)
    for w in range(words):
        over, full, one_less, two_less = s[sets + OVER * words + w], -1, -1, -1
        for b in range(SUMS - 1, -1, -1):
            bit, full_bit = s[sums + b * words + w], -(t[WIN] >> b & 1)
            over |= full & bit & ~full_bit
            full &= ~(bit ^ full_bit)
            one_less &= ~(bit ^ -(t[WIN] - 1 >> b & 1))
            two_less &= ~(bit ^ -(t[LOSE] - 1 >> b & 1))
        over |= full  # sums are wrong from now on, because they only have bits for less
        s[sets + OVER * words + w] = over
        s[sets + WINS * words + w] = one_less & ~over
        s[sets + LOSES * words + w] = two_less & ~over


@njit(inline="always")
def part(t, s, colour, cell):
    """Undo `join` for the last piece."""
    s[STONES + colour] -= 1
    words, room, group = t[WORDS], t[ROOM], t[GROUP]
    sets, near = t[SETS] + colour * room, t[NEAR] + cell * words
    trail = t[TRAIL] + room * (s[STONES] + s[STONES + 1])
    for i in range(words, room):
        s[sets + i] = s[trail + i]
    s[sets + (cell >> 6)] ^= 1 << (cell & 63)
    s[t[FREE] + (cell >> 6)] ^= 1 << (cell & 63)
    for w in range(words):
        beside = t[near + w] & s[sets + w]
        while beside:
            name = 64 * w + lowest(beside)
            beside &= beside - 1
            above = s[group + name]
            while above != cell and above != name:  # noqa: PLR1714 - sets are slow in kernels
                name, above = above, s[group + above]
            s[group + name] = name


@njit(inline="always")
def opened(t, s, colour, w):
    """Return a word of the cells where a colour can be placed."""
    if s[STONES + colour] >= t[SUPPLY]:
        return 0
    words = t[WORDS]
    return s[t[FREE] + w] & ~s[t[SETS] + colour * t[ROOM] + OVER * words + w]


@njit(inline="always")
def is_stuck(t, s):
    """Return whether a legal move does not exist."""
    for colour in range(2):
        for w in range(t[WORDS]):
            if opened(t, s, colour, w):
                return False
    return True


@njit(inline="always")
def is_scarce(t, s):
    """Return whether a colour has at most one legal move."""
    words = t[WORDS]
    for colour in range(2):
        many = 0
        for w in range(words):
            many += ones(opened(t, s, colour, w))
        if many < 2:
            return True
    return False


@njit(inline="always")
def choose(t, s, is_careful):
    """Choose all legal moves, or those worth searching if no colour is scarce; return how many."""
    words, mover, chosen = t[WORDS], s[TO_MOVE], t[CHOSEN]
    many = 0
    if is_careful:
        room = t[ROOM]
        sets = t[SETS] + mover * room
        losing, winning = s[sets + room - 2], s[sets + room - 1]
        wins = 0
        for w in range(words):
            mine = opened(t, s, mover, w) & ~s[sets + LOSES * words + w]
            for cell in range(t[CELLS]) if losing else range(0):
                is_mine = s[sets + (cell >> 6)] >> (cell & 63) & 1
                if is_mine and s[t[GROUP] + cell] == cell and s[t[SIZE] + cell] == t[LOSE]:
                    mine &= s[t[REACH] + cell * words + w]
            theirs = 0 if losing else opened(t, s, 1 - mover, w)
            many += ones(mine) + ones(theirs)
            s[chosen + mover * words + w] = mine
            s[chosen + (1 - mover) * words + w] = theirs
            wins += ones(mine & s[sets + WINS * words + w])
        if wins and not winning:
            for w in range(words):
                s[chosen + mover * words + w] &= s[sets + WINS * words + w]
                s[chosen + (1 - mover) * words + w] = 0
            return wins
    if many == 0:
        for colour in range(2):
            for w in range(words):
                cells = opened(t, s, colour, w)
                s[chosen + colour * words + w] = cells
                many += ones(cells)
    return many


@njit(inline="always")
def write(t, s, moves, base):
    """Write the codes of the chosen moves from a place on; return how many."""
    words, count = t[WORDS], base
    for w in range(words):
        orange, purple = s[t[CHOSEN] + w], s[t[CHOSEN] + words + w]
        either = orange | purple
        while either:
            bit = either & -either
            code = 2 * (64 * w + ones(bit - 1))
            either ^= bit
            moves[count] = code
            count += (orange & bit) != 0
            moves[count] = code + 1
            count += (purple & bit) != 0
    return count - base


@njit(inline="always")
def chosen_move(t, s, place):
    """Return the code of the chosen move at a place of their list, orange before purple."""
    words = t[WORDS]
    at = 0
    many = ones(s[t[CHOSEN]])
    while place >= many:
        place -= many
        at += 1
        many = ones(s[t[CHOSEN] + at])
    word, cell = s[t[CHOSEN] + at], 64 * (at % words)
    width = 32
    while width:
        many = ones(word & (1 << width) - 1)
        if place >= many:
            place -= many
            word >>= width
            cell += width
        width >>= 1
    return 2 * cell + at // words


@njit(inline="always")
def outlook(t, s):
    """Return the estimate of `ManalathBoard.lean` for orange, times 40."""
    words = t[WORDS]
    ahead = 0
    for w in range(words):
        for colour in range(2):
            sets, free = t[SETS] + colour * t[ROOM], s[t[FREE] + w]
            worth = 3 * ones(free & s[sets + WINS * words + w])
            worth -= ones(free & s[sets + LOSES * words + w])
            ahead += -worth if colour else worth
    return ahead
