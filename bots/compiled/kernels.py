"""The rules of four families of games over arrays of whole numbers, compiled by numba.

The arrays are those of `lath.bots.compiled.arrays`, and `r` is the state of the random numbers.
Codes of moves and results are equal to those of the game's `FastBoard`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from lath.bots.compiled.arrays import (
    ALWAYS,
    ANIMALS,
    CELLS,
    CLOSE,
    DRAW,
    ENTRY,
    FAMILY,
    GROUPS,
    HALF,
    HIGHEST,
    KEPT,
    KEY,
    LEFT,
    LOSS_FIRST,
    MEERKAT,
    ONE,
    OPEN,
    OTHER,
    OTHER_KEYS,
    OTHERS,
    OWN,
    PAST,
    PATTERNS,
    PLACES,
    PLIES,
    RELEASES,
    ROOM,
    SETS,
    SHAPE_CELLS,
    SHAPES,
    SIGHT,
    STONE_KEYS,
    STONES,
    SUM,
    SUPPLY,
    SWAP,
    TAKEN,
    THROUGH,
    TO_MOVE,
    TRAIL,
    TRAILED,
    TURN,
    TYPES,
    WINNER,
    WORTHS,
)
from lath.bots.compiled.groups import (
    choose,
    chosen_move,
    is_scarce,
    is_stuck,
    join,
    outlook,
    part,
    store,
    write,
)
from lath.bots.compiled.sight import burden, move, move_back, occupy, unseen_moves
from lath.bots.learned.patterns import UNIT


@njit(error_model="numpy")
def shift(t, s, cell, by):
    """Add to the content of a cell, and change the sum of the weights of its patterns."""
    worths, places = t[WORTHS] + cell, t[PLACES]
    change = 0
    for i in range(t[worths], t[worths + 1], 2):
        at = places + t[i]
        before = s[at]
        now = before + by * t[i + 1]
        s[at] = now
        change += t[now] - t[before]
    s[SUM] += change


@njit(error_model="numpy")
def put(t, s, seat, cell):
    """Put a stone of a side on an empty cell, in games of shapes."""
    s[t[OWN] + cell] = 1 + seat
    shift(t, s, cell, 1 + seat)
    s[STONES + seat] += 1
    left, close = t[LEFT] + seat * t[SHAPES], t[CLOSE] + 2 * seat * t[CELLS]
    through = t[THROUGH] + cell
    for at in range(t[through], t[through + 1]):
        shape = t[at]
        now = s[left + shape] - ONE - cell
        s[left + shape] = now
        if now >> 16 == 1:
            kind = t[CELLS] if s[t[ANIMALS] + shape] > 0 else 0
            s[close + kind + (now & (ONE - 1))] += 1


@njit(error_model="numpy")
def take(t, s, seat, cell):
    """Remove a stone, in games of shapes."""
    s[t[OWN] + cell] = 0
    shift(t, s, cell, -1 - seat)
    s[STONES + seat] -= 1
    left, close = t[LEFT] + seat * t[SHAPES], t[CLOSE] + 2 * seat * t[CELLS]
    through = t[THROUGH] + cell
    for at in range(t[through], t[through + 1]):
        shape = t[at]
        now = s[left + shape]
        if now >> 16 == 1:
            kind = t[CELLS] if s[t[ANIMALS] + shape] > 0 else 0
            s[close + kind + (now & (ONE - 1))] -= 1
        s[left + shape] = now + ONE + cell


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
def set_up(t, s, seat, cell):
    """Put an initial piece of a side or colour on a cell, or another piece (`seat` is 2)."""
    if t[FAMILY] <= RELEASES and seat < 2:
        put(t, s, seat, cell)
        return
    shift(t, s, cell, 1 + seat)
    if t[FAMILY] == SIGHT:
        occupy(t, s, seat, cell)
    elif seat < 2:
        join(t, s, seat, cell)
    else:
        s[OTHERS] += 1
        if t[FAMILY] == RELEASES:
            s[t[OTHER] + cell] = 1


@njit(error_model="numpy")
def others(t, s, moves, base):
    """Write the codes of releases and the swap from a place on; return the place after them."""
    cells, other, count = t[CELLS], t[OTHER], base
    if t[FAMILY] == RELEASES and s[STONES] + s[STONES + 1] > 0:
        for code in range(cells, cells + t[TYPES]):
            lists = t[TAKEN] + code - cells
            for i in range(t[lists], t[lists + 1]):
                if s[other + t[i]]:
                    moves[count] = code
                    count += 1
                    break
        for shape in range(t[SHAPES]):
            whole = t[t[SHAPE_CELLS] + shape + 1] - t[t[SHAPE_CELLS] + shape]
            if s[t[ANIMALS] + shape] == whole:
                moves[count] = cells + t[TYPES] + shape
                count += 1
    if can_swap(t, s):
        moves[count] = t[SWAP]
        count += 1
    return count - base


@njit(error_model="numpy")
def legal(t, s, moves, base):
    """Write the codes of the legal moves from a place on; return the place after them."""
    if s[WINNER] != OPEN:
        return 0
    cells, count = t[CELLS], base
    own = t[OWN]
    if t[FAMILY] == GROUPS:
        choose(t, s, False)
        return write(t, s, moves, base)
    if t[FAMILY] == SIGHT:
        return unseen_moves(t, s, False, moves, base)
    for cell in range(cells):
        if s[own + cell] == 0:
            moves[count] = cell
            count += 1
    return count - base + others(t, s, moves, count)


@njit(error_model="numpy")
def place(t, s, colour, cell):
    """Place a piece in games of groups, without noting it for `undo`."""
    mover = s[TO_MOVE]
    s[PLIES] += 1
    s[TO_MOVE] = 1 - mover
    if t[PATTERNS]:
        shift(t, s, cell, 1 + colour)
    join(t, s, colour, cell)
    examined = t[SETS] + (mover + 1) * t[ROOM] - 2
    if s[examined]:
        s[WINNER] = 1 - mover
    elif s[examined + 1]:
        s[WINNER] = mover
    elif is_stuck(t, s):
        examined = t[SETS] + (2 - mover) * t[ROOM] - 2
        s[WINNER] = mover if s[examined] else 1 - mover if s[examined + 1] else DRAW


@njit(error_model="numpy")
def play(t, s, code):
    """Play a legal move."""
    mover, cells = s[TO_MOVE], t[CELLS]
    past = t[PAST] + ENTRY * s[PLIES]
    s[past] = code
    s[past + 1] = s[KEY]
    s[past + 2] = mover
    s[past + 3] = s[MEERKAT]
    s[past + 4] = s[TRAILED]
    if t[FAMILY] == GROUPS:
        colour, cell = code & 1, code >> 1
        store(t, s, colour)
        place(t, s, colour, cell)
        s[KEY] ^= t[t[STONE_KEYS] + colour * cells + cell]
        return
    if t[FAMILY] == SIGHT:
        shift(t, s, code % cells, 3 if code >= cells else 1 + mover)
        move(t, s, code)
        s[PLIES] += 1
        return
    s[PLIES] += 1
    s[TO_MOVE] = 1 - mover
    if code < cells:
        close = t[CLOSE] + 2 * mover * cells + code
        wins, losses = s[close], s[close + cells]
        put(t, s, mover, code)
        s[KEY] ^= t[t[STONE_KEYS] + mover * cells + code]
        if losses and (t[LOSS_FIRST] or not wins):
            s[WINNER] = 1 - mover
        elif wins:
            s[WINNER] = mover
        if s[WINNER] == OPEN and (
            s[STONES + mover] == t[SUPPLY] or s[STONES] + s[STONES + 1] == cells
        ):
            s[WINNER] = DRAW
    elif code == t[SWAP]:
        for cell in range(cells):
            if s[t[OWN] + cell]:
                take(t, s, 0, cell)
                put(t, s, 1, cell)
                s[KEY] ^= t[t[STONE_KEYS] + cell] ^ t[t[STONE_KEYS] + cells + cell] ^ t[TURN]
                break
    else:
        s[KEY] ^= t[TURN]
        lists = t[TAKEN] + code - cells
        for i in range(t[lists], t[lists + 1]):
            cell = t[i]
            if s[t[OTHER] + cell]:
                lift(t, s, cell, -1)
                shift(t, s, cell, -3)
                s[KEY] ^= t[t[OTHER_KEYS] + cell]
                s[t[TRAIL] + s[TRAILED]] = cell
                s[TRAILED] += 1


@njit(error_model="numpy")
def undo(t, s):
    """Take back the last move."""
    cells = t[CELLS]
    s[PLIES] -= 1
    past = t[PAST] + ENTRY * s[PLIES]
    code, mover = s[past], s[past + 2]
    s[KEY] = s[past + 1]
    s[TO_MOVE] = mover
    s[MEERKAT] = s[past + 3]
    s[WINNER] = OPEN
    if t[FAMILY] == GROUPS:
        colour, cell = code & 1, code >> 1
        if t[PATTERNS]:
            shift(t, s, cell, -1 - colour)
        part(t, s, colour, cell)
    elif t[FAMILY] == SIGHT:
        shift(t, s, code % cells, -3 if code >= cells else -1 - mover)
        move_back(t, s, code)
    elif code < cells:
        take(t, s, mover, code)
    elif code == t[SWAP]:
        for cell in range(cells):
            if s[t[OWN] + cell]:
                take(t, s, 1, cell)
                put(t, s, 0, cell)
                break
    else:
        while s[TRAILED] > s[past + 4]:
            s[TRAILED] -= 1
            cell = s[t[TRAIL] + s[TRAILED]]
            lift(t, s, cell, 1)
            shift(t, s, cell, 3)


@njit(error_model="numpy")
def result(t, s, code):
    """Return 1 if a legal move wins at once, -1 if it loses at once, or else 0."""
    mover = s[TO_MOVE]
    play(t, s, code)
    winner = s[WINNER]
    undo(t, s)
    return 1 if winner == mover else -1 if winner == 1 - mover else 0


@njit(error_model="numpy")
def candidates(t, s, moves, base):
    """Write the codes of the moves worth searching from a place on; return the place after them."""
    if s[WINNER] != OPEN:
        return 0
    cells, mover = t[CELLS], s[TO_MOVE]
    if t[FAMILY] <= RELEASES:
        own, is_loss_first = t[OWN], t[LOSS_FIRST]
        mine, theirs = t[CLOSE] + 2 * mover * cells, t[CLOSE] + 2 * (1 - mover) * cells
        wins = theirs_at = safe = 0
        for cell in range(cells):
            if s[own + cell] == 0:
                losses = s[mine + cells + cell]
                if s[mine + cell] and not (is_loss_first and losses):
                    moves[base + wins] = cell  # overwritten moves no longer count
                    wins += 1
                elif wins == 0:
                    if s[theirs + cell] and not (is_loss_first and s[theirs + cells + cell]):
                        theirs_at += 1
                    if losses == 0:
                        moves[base + safe] = cell
                        safe += 1
        if wins:
            return wins
        if theirs_at == 0:
            safe += others(t, s, moves, base + safe)
            return safe or legal(t, s, moves, base)
        count, spared = 0, -1 if safe == 0 else moves[base]
        for cell in range(cells):
            if s[own + cell] == 0 and s[theirs + cell] and not s[mine + cells + cell]:
                if is_loss_first and s[theirs + cells + cell]:
                    continue
                moves[base + count] = cell
                count += 1
        if count:
            return count
        if spared < 0:  # without a safe cell, another move may be safe
            return min(others(t, s, moves, base), 1) or legal(t, s, moves, base)
        moves[base] = spared  # all of these moves are equally good
        return 1
    if t[FAMILY] == SIGHT:
        return unseen_moves(t, s, True, moves, base)
    if not is_scarce(t, s):
        choose(t, s, True)
        return write(t, s, moves, base)
    many = legal(t, s, moves, base)
    wins = losses = 0
    for i in range(base, base + many):
        code = moves[i]
        end = result(t, s, code)
        if end > 0:
            moves[base + wins] = code  # overwritten moves were already examined
            wins += 1
        elif end < 0:
            moves[i] = -1 - code
            losses += 1
    if wins:
        return wins
    count = 0
    for i in range(base, base + many):
        code = moves[i]
        if code >= 0:
            moves[base + count] = code
            count += 1
        elif losses == many:
            moves[i] = -1 - code
    return count or many


@njit(error_model="numpy")
def can_win(t, s, seat):
    """Return whether a side would win at once if it were to move, in games of shapes."""
    cells = t[CELLS]
    close, own = t[CLOSE] + 2 * seat * cells, t[OWN]
    for cell in range(cells):
        is_lost = t[LOSS_FIRST] and s[close + cells + cell]
        if s[close + cell] and s[own + cell] == 0 and not is_lost:
            return True
    return False


@njit(error_model="numpy")
def shared(t, s, one, other):
    """Return the number of animals on the cells that two lists of cells share."""
    count = 0
    for i in range(t[one], t[one + 1]):
        for j in range(t[other], t[other + 1]):
            count += t[i] == t[j] and s[t[OTHER] + t[i]] != 0
    return count


@njit(error_model="numpy")
def pressing(t, s, moves, base):
    """Write the moves of `FastBoard.pressing` from a place on; return their number, -1 for None."""
    if t[FAMILY] > RELEASES:
        return 0
    cells, mover, own, other, types = t[CELLS], s[TO_MOVE], t[OWN], t[OTHER], t[TYPES]
    if can_win(t, s, mover) or can_win(t, s, 1 - mover):
        return -1
    left, losses = t[LEFT] + mover * t[SHAPES], t[CLOSE] + 2 * mover * cells + cells
    codes = cells + types + (t[SHAPES] if types else 0)
    for code in range(codes):
        moves[base + code] = 0
    for shape in range(t[SHAPES]):
        missing, animals = s[left + shape] >> 16, s[t[ANIMALS] + shape]
        begins = t[SHAPE_CELLS] + shape
        if missing == 2 and animals == 0:
            free = 0
            for i in range(t[begins], t[begins + 1]):
                free += s[own + t[i]] == 0
            if free == 2:
                for i in range(t[begins], t[begins + 1]):
                    moves[base + t[i]] |= s[own + t[i]] == 0 and s[losses + t[i]] == 0
        elif missing == 1 and 0 < animals < ALWAYS and s[own + (s[left + shape] & (ONE - 1))] == 0:
            first = t[begins]  # a release that frees the shape has its first animal too
            while s[other + t[first]] == 0:
                first += 1
            for kind in range(types):
                lists, is_here = t[TAKEN] + kind, False
                for i in range(t[lists], t[lists + 1]):
                    is_here |= t[i] == t[first]
                if is_here:
                    moves[base + cells + kind] |= shared(t, s, lists, begins) == animals
            through = t[THROUGH] + t[first]
            for at in range(t[through], t[through + 1]):
                lists = t[SHAPE_CELLS] + t[at]
                if s[t[ANIMALS] + t[at]] == t[lists + 1] - t[lists]:
                    code = cells + types + t[at]
                    moves[base + code] |= shared(t, s, lists, begins) == animals
    count = base
    for code in range(codes):  # a mark is read before its place is overwritten
        if moves[base + code]:
            moves[count] = code
            count += 1
    return count - base


@njit(error_model="numpy")
def lean(t, s):
    """Return the estimate of the patterns if there are any, or else of `FastBoard.lean`."""
    cells, mover, own, other = t[CELLS], s[TO_MOVE], t[OWN], t[OTHER]
    if t[PATTERNS]:
        total = ((s[SUM] + HIGHEST) & (2 * HIGHEST - 1)) - HIGHEST  # the lower half, with its sign
        if mover == 0:
            total = (s[SUM] - total) >> HALF
        return total / (2 * UNIT + abs(total))
    ahead = 0
    if t[FAMILY] == GROUPS:
        ahead = -outlook(t, s) if mover else outlook(t, s)
        return max(-0.99, min(ahead / 40, 0.99))
    if t[FAMILY] == SIGHT:
        ahead = -burden(t, s) if mover else burden(t, s)
        return max(-0.99, min(ahead / 100, 0.99))
    mine, theirs = t[CLOSE] + 2 * mover * cells, t[CLOSE] + 2 * (1 - mover) * cells
    lost = 0
    if t[FAMILY] != RELEASES:
        for cell in range(cells):
            if s[own + cell] == 0 and s[other + cell] == 0:
                lost += s[theirs + cells + cell] > 0 and s[theirs + cell] == 0
                lost -= s[mine + cells + cell] > 0 and s[mine + cell] == 0
    left, their_left = t[LEFT] + mover * t[SHAPES], t[LEFT] + (1 - mover) * t[SHAPES]
    for shape in range(t[SHAPES]):
        animals = s[t[ANIMALS] + shape]
        if animals == ALWAYS:
            break
        begins = t[SHAPE_CELLS] + shape
        whole = t[begins + 1] - t[begins]
        stones, others = whole - (s[left + shape] >> 16), whole - (s[their_left + shape] >> 16)
        if (stones == 0) == (others == 0):
            continue
        worth = 3 if t[FAMILY] == RELEASES and animals == 0 else 1
        ahead += worth * (stones * stones - others * others)
    if t[FAMILY] == RELEASES:
        return max(-0.99, min(ahead / 150, 0.99))
    return max(-0.99, min((ahead + 4 * lost) / 100, 0.99))


@njit(error_model="numpy")
def below(r, count):
    """Return a random whole number in 0..`count` - 1."""
    x = np.uint64(r[0])
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    r[0] = np.int64(x)
    return (np.int64(x >> np.uint64(33)) * count) >> 31


@njit(error_model="numpy")
def is_playable(t, s, code):
    """Return whether a move that was legal still is; the game must not be over."""
    cells = t[CELLS]
    if code < cells:
        return s[t[OWN] + code] == 0
    lists = t[TAKEN] + code - cells
    animals = 0
    for i in range(t[lists], t[lists + 1]):
        animals += s[t[OTHER] + t[i]]
    if code < cells + t[TYPES]:
        return animals > 0
    return animals == t[lists + 1] - t[lists]


@njit(error_model="numpy")
def dropping(t, s, r, moves, base):
    """Play a random game to the end; a move that is illegal once must stay illegal."""
    left = legal(t, s, moves, base)
    while s[WINNER] == OPEN:
        pick = base + below(r, left)
        code = moves[pick]
        left -= 1
        moves[pick] = moves[base + left]
        if is_playable(t, s, code):
            play(t, s, code)


@njit(error_model="numpy")
def playout(t, s, r, is_careful, moves, base):
    """Play a random game and undo it; return the winner plus four times the plies."""
    began, until, kept = s[PLIES], t[PAST], t[KEPT]
    for i in range(until):  # faster than undoing every ply
        s[kept + i] = s[i]
    while s[WINNER] == OPEN:
        if t[FAMILY] == GROUPS and not (is_careful and is_scarce(t, s)):
            code = chosen_move(t, s, below(r, choose(t, s, is_careful)))
            place(t, s, code & 1, code >> 1)
            continue
        has_begun = s[STONES] + s[STONES + 1] > 1 and not can_swap(t, s)
        if has_begun and not is_careful and t[FAMILY] != SIGHT:
            dropping(t, s, r, moves, base)
            break
        many = candidates(t, s, moves, base) if is_careful else legal(t, s, moves, base)
        play(t, s, moves[base + below(r, many)])
    winner, plies = s[WINNER], s[PLIES] - began
    for i in range(until):
        s[i] = s[kept + i]
    return winner + 4 * plies


@njit(error_model="numpy")
def playouts(t, s, r, is_careful, moves, count):
    """Play this many random games; return their total number of plies."""
    plies = 0
    for _ in range(count):
        plies += playout(t, s, r, is_careful, moves, 0) >> 2
    return plies


@njit(error_model="numpy")
def can_swap(t, s):
    """Return whether this is the second player's first turn, with only one stone on the board."""
    if t[SWAP] < 0 or s[TO_MOVE] != 1 or s[STONES] != 1 or s[STONES + 1] != 0:
        return False
    return t[FAMILY] != RELEASES or s[OTHERS] == t[CELLS]
