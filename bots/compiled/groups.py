"""Kernels for games of groups: joining and separating stones, and the sizes of groups."""

from __future__ import annotations

from numba import njit

from lath.bots.compiled.arrays import (
    CELLS,
    ENDING,
    GROUP,
    LOSE,
    MADE,
    NEAR,
    OWN,
    SIZE,
    STONES,
    TRAIL,
    TRAILED,
    WIN,
)


@njit(cache=True, nogil=True)
def join(t, s, colour, cell):
    """Join a new piece with the groups next to it; the trail stores the previous values."""
    own, group, size = t[OWN], t[GROUP], t[SIZE]
    begin = top = t[TRAIL] + s[TRAILED]
    s[group + cell] = -1
    s[top] = cell
    s[top + 1] = -1
    top += 2
    at = begin
    while at < top:
        near = t[NEAR] + s[at]
        for i in range(t[near], t[near + 1]):
            other = t[i]
            if s[own + other] == 1 + colour and s[group + other] >= 0 and other != cell:
                s[top] = other
                s[top + 1] = s[group + other]
                s[group + other] = -1
                top += 2
        at += 2
    ending = t[ENDING] + 2 * colour
    for at in range(begin, top, 2):
        name = s[at + 1]
        if name >= 0:
            is_first = True
            for before in range(begin, at, 2):
                if s[before + 1] == name:
                    is_first = False
            if is_first:
                if s[size + name] == t[LOSE]:
                    s[ending] -= 1
                elif s[size + name] == t[WIN]:
                    s[ending + 1] -= 1
        s[group + s[at]] = cell
    many = (top - begin) >> 1
    s[size + cell] = many
    if many == t[LOSE]:
        s[ending] += 1
    elif many == t[WIN]:
        s[ending + 1] += 1
    s[TRAILED] = top - t[TRAIL]
    remake(t, s, colour, begin, top)


@njit(cache=True, nogil=True)
def part(t, s, colour, cell, trailed):
    """Remove a piece and undo `join`, whose trail began at `trailed`."""
    group, size = t[GROUP], t[SIZE]
    ending = t[ENDING] + 2 * colour
    many = s[size + cell]
    if many == t[LOSE]:
        s[ending] -= 1
    elif many == t[WIN]:
        s[ending + 1] -= 1
    begin, end = t[TRAIL] + trailed, t[TRAIL] + s[TRAILED]
    for at in range(begin, end, 2):
        name = s[at + 1]
        s[group + s[at]] = name
        if name >= 0:
            is_first = True
            for before in range(begin, at, 2):
                if s[before + 1] == name:
                    is_first = False
            if is_first:
                if s[size + name] == t[LOSE]:
                    s[ending] += 1
                elif s[size + name] == t[WIN]:
                    s[ending + 1] += 1
    s[TRAILED] = trailed
    s[t[OWN] + cell] = 0
    s[STONES + colour] -= 1
    remake(t, s, colour, begin, end)


@njit(cache=True, nogil=True)
def remake(t, s, colour, begin, end):
    """Update the sizes that a colour would make on empty cells next to a part of the trail."""
    own, made = t[OWN], t[MADE] + colour * t[CELLS]
    for at in range(begin, end, 2):
        near = t[NEAR] + s[at]
        for i in range(t[near], t[near + 1]):
            if s[own + t[i]] == 0:
                s[made + t[i]] = grouped(t, s, colour, t[i])


@njit(cache=True, nogil=True)
def grouped(t, s, colour, cell):
    """Return the size of the group that a piece on an empty cell would make."""
    own, group, size = t[OWN], t[GROUP], t[SIZE]
    total, near = 1, t[NEAR] + cell
    for i in range(t[near], t[near + 1]):
        other = t[i]
        if s[own + other] == 1 + colour:
            name = s[group + other]
            is_first = True
            for before in range(t[near], i):
                if s[own + t[before]] == 1 + colour and s[group + t[before]] == name:
                    is_first = False
            if is_first:
                total += s[size + name]
    return total


@njit(cache=True, nogil=True)
def joins_losing(t, s, colour, cell):
    """Return the number of groups of the losing size that a piece on an empty cell would join."""
    own, group, size = t[OWN], t[GROUP], t[SIZE]
    found, near = 0, t[NEAR] + cell
    for i in range(t[near], t[near + 1]):
        other = t[i]
        if s[own + other] == 1 + colour and s[size + s[group + other]] == t[LOSE]:
            is_first = True
            for before in range(t[near], i):
                same = s[group + t[before]] == s[group + other]
                if s[own + t[before]] == 1 + colour and same:
                    is_first = False
            if is_first:
                found += 1
    return found
