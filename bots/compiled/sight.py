"""Kernels for games with animals or a meerkat: removing animals, and seeing along lines."""

from __future__ import annotations

from numba import njit

from lath.bots.compiled.arrays import (
    ANIMALS,
    CELLS,
    CLOSE,
    LEFT,
    ONE,
    OTHER,
    OTHERS,
    OWN,
    RAYS,
    SHAPES,
    THROUGH,
)


@njit(error_model="numpy")
def lift(t, s, cell, by):
    """Remove an animal (`by` is -1), or put it back (1)."""
    animals, through = t[ANIMALS], t[THROUGH] + cell
    s[t[OTHER] + cell] += by
    s[OTHERS] += by
    for i in range(t[through], t[through + 1]):
        shape = t[i]
        before = s[animals + shape]
        s[animals + shape] = before + by
        if before + by == 0 or before == 0:  # a losing shape becomes a winning one, or the reverse
            for seat in range(2):
                now = s[t[LEFT] + seat * t[SHAPES] + shape]
                if now >> 16 == 1:
                    at = t[CLOSE] + 2 * seat * t[CELLS] + (now & (ONE - 1))
                    s[at] -= by
                    s[at + t[CELLS]] += by


@njit(error_model="numpy")
def hides_all(t, s, meerkat):
    """Return 0 if a free cell is not visible, 1 if all are visible, 2 if no cell is free."""
    free = unseen = 0
    for cell in range(t[CELLS]):
        free += s[t[OWN] + cell] == 0 and s[t[OTHER] + cell] == 0 and cell != meerkat
    for ray in range(t[RAYS] + 4 * meerkat, t[RAYS] + 4 * meerkat + 4):
        for i in range(t[ray], t[ray + 1]):
            if s[t[OTHER] + t[i]]:
                break
            unseen -= s[t[OWN] + t[i]] == 0
    if free == 0:
        return 2
    return 0 if free + unseen else 1
