"""The searches of `lath.bots.search` over the arrays of the kernels, compiled by numba."""

from __future__ import annotations

from math import log, sqrt
from typing import Final

import numpy as np
from numba import int64, njit

from lath.bots.compiled.arrays import (
    ACTIVE,
    BEGINS,
    CAPACITY,
    CODE,
    COLUMNS,
    DEEP,
    DEPTH_AT,
    DRAW,
    ENDS,
    HELD,
    HIGH,
    IS_BLIND,
    IS_GUESSED,
    KEY,
    KIND_AT,
    MOVER,
    NODES_LEFT,
    NOISE,
    OPEN,
    OVERLOOKS,
    POINTS,
    PROOF,
    PROVEN,
    ROW,
    SALT,
    SCORE_AT,
    STATE,
    STATE_BITS,
    STOP,
    TO_MOVE,
    TOLD,
    UNFINISHED,
    USED,
    VISITS,
    WINNER,
)
from lath.bots.compiled.kernels import below, candidates, lean, legal, play, playout, pressing, undo
from lath.bots.results import MIXER
from lath.bots.search import MOST_BITS, ORDER, QUIET, REDUCTIONS, THREATS, WINDOWS

WON: Final = 1_000_000
ALL: Final = 2 * WON
EXACT, AT_LEAST, AT_MOST, GUESSED, OPENED = 0, 1, 2, 4, 8

FIRST: Final = 1 << 62
"""The rank of the best move of the table."""


@njit(error_model="numpy")
def a_ply_before(score):
    """Return the score that becomes this one a ply earlier, as in `lath.bots.search`."""
    return score + 1 if score >= PROVEN else score - 1 if score <= -PROVEN else score


@njit(error_model="numpy")
def marks(found, score):
    """Return the marks of a score, as in `lath.bots.search`."""
    return found & GUESSED if abs(score) >= PROVEN else found


@njit(error_model="numpy")
def bears(to, kind, score, depth, alpha, beta):
    """Return whether a known state need not be searched, as in `lath.bots.search`."""
    bound = kind & 3
    mark = OPENED if abs(score) < PROVEN else GUESSED
    is_whole = to >= depth or kind & mark == 0 or abs(score) >= WON - 1 - to
    if score >= beta and bound != AT_MOST:
        return is_whole or score >= PROVEN
    if score <= alpha and bound != AT_LEAST:
        return is_whole or score <= -PROVEN
    return is_whole and bound == EXACT


@njit(error_model="numpy")
def reduction(place, depth):
    """Return the plies that a late move is reduced by, as in `lath.bots.search`."""
    if place < 4 or depth < 3:
        return 0
    return 2 if place >= 12 and depth >= 5 else 1


@njit(error_model="numpy")
def pick(moves, ranks, at, end):
    """Put the move with the highest rank from a place on there; equal moves keep their order."""
    best = at
    for i in range(at + 1, end):
        if ranks[i] > ranks[best]:
            best = i
    code, rank = moves[best], ranks[best]
    for i in range(best, at, -1):
        moves[i], ranks[i] = moves[i - 1], ranks[i - 1]
    moves[at], ranks[at] = code, rank
    return code


@njit(error_model="numpy")
def misjudged(guess, key, told):
    """Return an estimate with its random part as a score, as `Oversight.misjudged`."""
    noise = told[NOISE] / 1000
    mixed = np.uint64(key ^ told[SALT]) * np.uint64(MIXER)
    mixed = (mixed ^ mixed >> np.uint64(32)) * np.uint64(MIXER)
    random = np.int64(mixed >> np.uint64(33)) / (1 << 30) - 1
    return int((guess * (1 - noise) + noise * random) * (PROVEN - 1))


@njit(error_model="numpy")
def noticed(t, s, moves, base, many, told):
    """Change the moves worth searching as in `lath.bots.search`; return their number."""
    end, seen = base + many, 0
    for i in range(base, end):
        seen += told[TOLD + moves[i]] == 0
    every = end + legal(t, s, moves, end)
    if seen == 0:
        for i in range(end, every):
            moves[i - many] = moves[i]
        return every - end
    for i in range(end, every):
        code = moves[i]
        is_new = told[TOLD + code] != 0
        for j in range(base, end):
            is_new &= moves[j] != code
        if is_new:
            moves[base + many] = code
            many += 1
    return many


@njit(error_model="numpy")
def after(t, s, code, depth, alpha, beta, floor, table, history, moves, ranks, base, told):
    """Return the score of a move for its player, as `AlphaBeta._after`, or `UNFINISHED`.

    `table` has a row per state, as in `arrays`. The moves of each ply are in `moves`,
    and how early to try them is in `ranks`.
    """
    me = s[TO_MOVE]
    play(t, s, code)
    if s[WINNER] != OPEN:
        winner, key = s[WINNER], s[KEY]
        undo(t, s)
        if told[OVERLOOKS] and told[TOLD + code]:
            told[IS_GUESSED] = GUESSED | OPENED
            return misjudged(0.0, key, told)
        return 0 if winner == DRAW else WON - 1 if winner == me else 1 - WON
    alpha, beta, sign = a_ply_before(alpha), a_ply_before(beta), 1
    if s[TO_MOVE] != me:
        sign = -1
        alpha, beta = -beta, -alpha
    depth -= 1
    if told[STOP] or told[NODES_LEFT] == 0:
        undo(t, s)
        return UNFINISHED
    told[NODES_LEFT] -= 1
    told[USED] += 1
    key = s[KEY]
    row = ROW * (key & told[CAPACITY] - 1)
    best_code = -1
    score = UNFINISHED
    if table[row] == key and table[row + 1]:
        what = table[row + 1]
        best_code = (what & (1 << KIND_AT) - 1) - 1
        kind, known = (what >> KIND_AT & 15) - 1, (what >> SCORE_AT) - HIGH
        to = (what >> DEPTH_AT & 2 * DEEP - 1) - DEEP
        if bears(to, kind, known, depth, alpha, beta):
            told[IS_GUESSED] |= marks(kind & 12, known)
            score = known
    if score == UNFINISHED:
        many = candidates(t, s, moves, base)
        if told[OVERLOOKS]:
            many = noticed(t, s, moves, base, many, told)
        if depth <= 0 and (many > 1 or depth <= floor):
            told[IS_GUESSED] = GUESSED | OPENED
            guess = 0.0 if told[IS_BLIND] else lean(t, s)
            score = misjudged(guess, key, told) if told[OVERLOOKS] else int(guess * (PROVEN - 1))
            if told[ACTIVE] & THREATS and depth > max(floor, -QUIET):
                count = pressing(t, s, moves, base + many)
                begins, end = base + many, base + many + count
                if count < 0:  # somebody can win at once
                    score, begins, end = -ALL, base, base + many
                low = max(alpha, score)
                for i in range(begins, end):
                    if score >= beta:
                        break
                    one = moves[i]
                    value = after(
                        t, s, one, depth, low, beta, floor, table, history, moves, ranks, end, told
                    )
                    if value == UNFINISHED:
                        undo(t, s)
                        return UNFINISHED
                    score = max(score, value)
                    low = max(low, value)
                told[IS_GUESSED] = GUESSED | OPENED
        else:
            end = base + many
            for i in range(base, end):
                ranks[i] = FIRST if moves[i] == best_code else history[moves[i]]
            guessed = told[IS_GUESSED]
            told[IS_GUESSED] = 0
            score, low = -ALL, alpha
            active = told[ACTIVE]
            for i in range(base, end):
                one = pick(moves, ranks, i, end)
                narrow = low + 1 if active & WINDOWS and i > base else beta
                less = reduction(i - base, depth) if active & REDUCTIONS else 0
                to, high = depth - less, low + 1 if less else narrow
                while True:  # as the attempts of `lath.bots.search`
                    value = after(
                        t, s, one, to, low, high, floor, table, history, moves, ranks, end, told
                    )
                    if value == UNFINISHED:
                        undo(t, s)
                        return UNFINISHED
                    if value <= low or (to == depth and (value >= beta or high == beta)):
                        break
                    to, high = depth, narrow if to < depth else beta
                if value > score:
                    score, best_code = value, one
                    low = max(low, value)
                    if score >= beta:
                        bonus = 1 << min(2 * max(depth, 0), MOST_BITS)
                        history[one] += bonus
                        if active & ORDER:
                            for vain in range(base, i):
                                history[moves[vain]] -= bonus
                        break
            kind = AT_LEAST if score >= beta else AT_MOST if score <= alpha else EXACT
            own = marks(told[IS_GUESSED], score)
            table[row] = key
            what = score + HIGH << SCORE_AT | depth + DEEP << DEPTH_AT
            table[row + 1] = what | (kind | own) + 1 << KIND_AT | best_code + 1
            told[IS_GUESSED] = own | guessed
    undo(t, s)
    score *= sign
    return score - 1 if score >= PROVEN else score + 1 if score <= -PROVEN else score


@njit(error_model="numpy")
def grow(t, s, r, tree, node, moves, told):
    """Add the moves after a node in random order, if there is room, and store its state's key."""
    many = candidates(t, s, moves, 0)
    begins = told[HELD]
    if begins + COLUMNS * many > told[CAPACITY]:
        return
    told[HELD] += COLUMNS * many
    for i in range(many - 1, 0, -1):
        at = below(r, i + 1)
        moves[i], moves[at] = moves[at], moves[i]
    for i in range(many):
        child = begins + COLUMNS * i
        tree[child + CODE] = moves[i]
        tree[child + MOVER] = s[TO_MOVE]
        tree[child + VISITS] = 0
        tree[child + POINTS] = 0
        tree[child + ENDS] = 0
        tree[child + PROOF] = OPEN
    tree[node + STATE] = s[KEY] & STATE_BITS
    tree[node + BEGINS] = begins
    tree[node + ENDS] = begins + COLUMNS * many


@njit(error_model="numpy")
def games(t, s, r, tree, root, exploration, is_careful, moves, path, told):
    """Play games from a root until the remaining nodes are used or the result is proven."""
    while told[NODES_LEFT] > 0 and not told[STOP] and tree[root + PROOF] == OPEN:
        told[NODES_LEFT] -= 1
        told[USED] += 1
        node, length = root, 1
        path[0] = root
        while tree[node + ENDS] and tree[node + PROOF] == OPEN:
            explored = exploration * log(tree[node + VISITS] + 1.0)
            best, most = -1, -2.0
            for child in range(tree[node + BEGINS], tree[node + ENDS], COLUMNS):
                proof, visits = tree[child + PROOF], tree[child + VISITS]
                if proof != OPEN:
                    promise = (
                        2.0 if proof == tree[child + MOVER] else 0.5 if proof == DRAW else -1.0
                    )
                elif visits == 0:
                    promise = 1e9
                else:
                    promise = tree[child + POINTS] / (2 * visits) + sqrt(explored / visits)
                if promise > most:
                    best, most = child, promise
                    if promise == 1e9:
                        break
            node = best
            play(t, s, int64(tree[node + CODE]))
            path[length] = node
            length += 1
        if tree[node + PROOF] != OPEN:
            winner = tree[node + PROOF]
        elif s[WINNER] != OPEN:
            winner = tree[node + PROOF] = s[WINNER]
        else:
            if tree[node + VISITS] or length == 1:
                grow(t, s, r, tree, node, moves, told)
            winner = playout(t, s, r, is_careful, moves, 0) & 3
        for place in range(length - 1, -1, -1):
            node = path[place]
            tree[node + VISITS] += 1
            tree[node + POINTS] += 1 if winner == DRAW else 2 if winner == tree[node + MOVER] else 0
            if place == 0:
                break
            undo(t, s)
            parent = path[place - 1]
            if tree[node + PROOF] != OPEN and tree[parent + PROOF] == OPEN:
                mover = tree[node + MOVER]
                proven, is_draw, is_won = True, False, False
                for child in range(tree[parent + BEGINS], tree[parent + ENDS], COLUMNS):
                    proof = tree[child + PROOF]
                    is_won |= proof == mover
                    is_draw |= proof == DRAW
                    proven &= proof != OPEN
                if is_won:
                    tree[parent + PROOF] = mover
                elif proven:
                    tree[parent + PROOF] = DRAW if is_draw else 1 - mover
