"""Kernels for games with a meerkat, on boards of at most 63 cells: one word is a set of cells."""

from __future__ import annotations

from numba import njit

from lath.bots.compiled.arrays import (
    CELLS,
    DRAW,
    FREE,
    KEY,
    LOSE,
    MEERKAT,
    MEERKAT_KEYS,
    MOUNDS,
    OPEN,
    OTHER_KEYS,
    OTHERS,
    PLIES,
    RAYS,
    SETS,
    STONE_KEYS,
    THROUGH,
    TO_MOVE,
    TRAIL,
    TURN,
    VIEWS,
    WINNER,
)
from lath.bots.compiled.groups import lowest, ones

MINE, LOST, HIDING, BEGUN = 0, 2, 4, 5
"""The sets from `t[SETS]` on, and a number.

These are the pieces of each side, the cells that each side's open lines lack, and the mounds. The
number is the sum of the squares of the pieces in open lines, the second side's subtracted.
"""


@njit(error_model="numpy")
def look(t, s):
    """Find the cells that are visible from each cell."""
    mounds = s[t[SETS] + HIDING]
    for cell in range(t[CELLS]):
        seen = 0
        for ray in range(t[RAYS] + 4 * cell, t[RAYS] + 4 * cell + 4):
            for i in range(t[ray], t[ray + 1]):
                if mounds >> t[i] & 1:
                    break
                seen |= 1 << t[i]
        s[t[VIEWS] + cell] = seen


@njit(error_model="numpy")
def occupy(t, s, seat, cell):
    """Put a piece of a side, or a mound (`seat` is 2), on a free cell."""
    sets, bit = t[SETS], 1 << cell
    s[t[FREE]] &= ~bit
    if seat == 2:
        s[sets + HIDING] |= bit
        s[OTHERS] += 1
        look(t, s)
        return
    mine, theirs, mounds = s[sets + MINE + seat], s[sets + MINE + 1 - seat], s[sets + HIDING]
    change, lost = 0, s[sets + LOST + seat]
    through = t[THROUGH] + cell
    for i in range(t[through], t[through + 1]):
        line = t[i]
        if line & mounds:
            continue
        own, others = ones(line & mine), ones(line & theirs)
        if others == 0:
            change += 2 * own + 1
            if own + 2 == t[LOSE]:
                lost |= line & ~(mine | bit)
        elif own == 0:
            change += others * others
    s[sets + MINE + seat] = mine | bit
    s[sets + LOST + seat] = lost
    s[sets + BEGUN] += -change if seat else change


@njit(error_model="numpy")
def seen(t, s):
    """Return the cells that the meerkat sees."""
    return 0 if s[MEERKAT] < 0 else s[t[VIEWS] + s[MEERKAT]]


@njit(error_model="numpy")
def move(t, s, code):
    """Play a legal move, which the past already has."""
    mover, cells, sets = s[TO_MOVE], t[CELLS], t[SETS]
    trail = t[TRAIL] + 2 * s[PLIES]
    s[trail], s[trail + 1] = s[sets + LOST + mover], s[sets + BEGUN]
    if code >= cells:
        occupy(t, s, 2, code - cells)
        s[KEY] ^= t[t[OTHER_KEYS] + code - cells]
        if s[OTHERS] < t[MOUNDS]:
            s[KEY] ^= t[TURN]
            s[TO_MOVE] = 1 - mover
        return
    if s[sets + LOST + mover] >> code & 1:
        s[WINNER] = 1 - mover
    occupy(t, s, mover, code)
    s[KEY] ^= t[t[STONE_KEYS] + mover * cells + code] ^ t[t[MEERKAT_KEYS] + code]
    if s[MEERKAT] >= 0:
        s[KEY] ^= t[t[MEERKAT_KEYS] + s[MEERKAT]]
    s[MEERKAT] = code
    s[TO_MOVE] = 1 - mover
    free = s[t[FREE]]
    if s[WINNER] == OPEN and free & ~s[t[VIEWS] + code] == 0:
        s[WINNER] = mover if free else DRAW


@njit(error_model="numpy")
def move_back(t, s, code):
    """Take back a move of the side to move; `MEERKAT` and the numbers of the past are as before."""
    mover, cells, sets = s[TO_MOVE], t[CELLS], t[SETS]
    trail = t[TRAIL] + 2 * s[PLIES]
    s[sets + LOST + mover], s[sets + BEGUN] = s[trail], s[trail + 1]
    bit = 1 << (code - cells if code >= cells else code)
    s[t[FREE]] |= bit
    if code < cells:
        s[sets + MINE + mover] ^= bit
        return
    s[sets + HIDING] ^= bit
    s[OTHERS] -= 1
    look(t, s)


@njit(error_model="numpy")
def listed(cells, shift, moves, base):
    """Write a set of cells as codes from a place on; return their number."""
    count = base
    while cells:
        moves[count] = lowest(cells) + shift
        cells &= cells - 1
        count += 1
    return count - base


@njit(error_model="numpy")
def unseen_moves(t, s, is_careful, moves, base):
    """Write the legal moves from a place on, or only those worth searching; return their number."""
    free, sets = s[t[FREE]], t[SETS]
    hidden = free & ~seen(t, s)
    if s[OTHERS] < t[MOUNDS]:
        return listed(hidden, t[CELLS], moves, base)
    if not is_careful:
        return listed(hidden, 0, moves, base)
    safe = hidden & ~s[sets + LOST + s[TO_MOVE]]
    rest, wins = safe, 0
    while rest:
        cell = lowest(rest)
        rest &= rest - 1
        others = free & ~(1 << cell)
        if others and others & ~s[t[VIEWS] + cell] == 0:
            moves[base + wins] = cell
            wins += 1
    return wins or listed(safe or hidden, 0, moves, base)


@njit(error_model="numpy")
def burden(t, s):
    """Return the estimate of `SurikataBoard.lean` for the first side, times 100."""
    sets, free = t[SETS], s[t[FREE]]
    lost = ones(s[sets + LOST] & free) - ones(s[sets + LOST + 1] & free)
    return -s[sets + BEGUN] - 4 * lost
