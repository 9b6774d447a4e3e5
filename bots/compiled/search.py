"""The searches of `lath.bots.search` over the arrays of the kernels, compiled by numba."""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit

from lath.bots.compiled.arrays import DRAW, KEY, OPEN, PROVEN, TO_MOVE, WINNER
from lath.bots.compiled.kernels import below, candidates, lean, play, playout, undo

WON: Final = 1_000_000
ALL: Final = 2 * WON
EXACT, AT_LEAST, AT_MOST, GUESSED, OPENED = 0, 1, 2, 4, 8

STOP, LEFT, USED, IS_GUESSED, IS_BLIND, HELD = range(6)
"""The places of an array shared with a search: stop, nodes left, nodes used, score is a guess,
guesses are off, moves in the tree."""

UNFINISHED: Final = 1 << 40
"""The value returned instead of a score by a search whose budget is used up."""


@njit(cache=True, nogil=True)
def a_ply_before(score):
    """Return the score that becomes this one a ply earlier, as in `lath.bots.search`."""
    return score + 1 if score >= PROVEN else score - 1 if score <= -PROVEN else score


@njit(cache=True, nogil=True)
def marks(found, score):
    """Return the marks of a score, as in `lath.bots.search`."""
    return found & GUESSED if abs(score) >= PROVEN else found


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def after(t, s, code, depth, alpha, beta, floor, table, history, moves, base, told):
    """Return the score of a move for its player, as `AlphaBeta._after`, or `UNFINISHED`.

    `table` has a row per state: key, depth, kind plus one (0 for an empty row), score, best move.
    """
    me = s[TO_MOVE]
    play(t, s, code)
    if s[WINNER] != OPEN:
        winner = s[WINNER]
        undo(t, s)
        return 0 if winner == DRAW else WON - 1 if winner == me else 1 - WON
    alpha, beta, sign = a_ply_before(alpha), a_ply_before(beta), 1
    if s[TO_MOVE] != me:
        sign = -1
        alpha, beta = -beta, -alpha
    depth -= 1
    if told[STOP] or told[LEFT] == 0:
        undo(t, s)
        return UNFINISHED
    told[LEFT] -= 1
    told[USED] += 1
    key = s[KEY]
    row = key & (len(table) - 1)
    best_code = -1
    score = UNFINISHED
    if table[row, 2] > 0 and table[row, 0] == key:
        kind, known, best_code = table[row, 2] - 1, table[row, 3], table[row, 4]
        if bears(table[row, 1], kind, known, depth, alpha, beta):
            told[IS_GUESSED] |= marks(kind & 12, known)
            score = known
    if score == UNFINISHED:
        many = candidates(t, s, moves, base)
        if depth <= 0 and (many > 1 or depth <= floor):
            told[IS_GUESSED] = GUESSED | OPENED
            score = 0 if told[IS_BLIND] else int(lean(t, s) * (PROVEN - 1))
        else:
            for i in range(base + 1, base + many):  # by history, keeping the order of equal moves
                one = moves[i]
                rank = history[one]
                at = i
                while at > base and history[moves[at - 1]] < rank:
                    moves[at] = moves[at - 1]
                    at -= 1
                moves[at] = one
            for i in range(base, base + many):
                if moves[i] == best_code:
                    for at in range(i, base, -1):
                        moves[at] = moves[at - 1]
                    moves[base] = best_code
                    break
            guessed = told[IS_GUESSED]
            told[IS_GUESSED] = 0
            score, low = -ALL, alpha
            for i in range(base, base + many):
                one, on = moves[i], base + many
                value = after(t, s, one, depth, low, beta, floor, table, history, moves, on, told)
                if value == UNFINISHED:
                    undo(t, s)
                    return UNFINISHED
                if value > score:
                    score, best_code = value, one
                    low = max(low, value)
                    if score >= beta:
                        history[one] += depth * depth
                        break
            kind = AT_LEAST if score >= beta else AT_MOST if score <= alpha else EXACT
            table[row, 0] = key
            table[row, 1] = depth
            own = marks(told[IS_GUESSED], score)
            table[row, 2] = 1 + (kind | own)
            table[row, 3] = score
            table[row, 4] = best_code
            told[IS_GUESSED] = own | guessed
    undo(t, s)
    score *= sign
    return score - 1 if score >= PROVEN else score + 1 if score <= -PROVEN else score


# The columns of a row of the tree: the move, its player, games, the start and the number of its
# child rows, and the winner if it is proven, or else OPEN.
CODE, MOVER, VISITS, BEGINS, MANY, PROOF = range(6)
COLUMNS: Final = 6


@njit(cache=True, nogil=True)
def grow(t, s, r, tree, scores, keys, node, moves, told):
    """Add the moves after a node in random order, if there is room, and store its state's key."""
    many = candidates(t, s, moves, 0)
    begins = told[HELD]
    if begins + many > len(tree):
        return
    told[HELD] += many
    for i in range(many - 1, 0, -1):
        at = below(r, i + 1)
        moves[i], moves[at] = moves[at], moves[i]
    for i in range(many):
        tree[begins + i, CODE] = moves[i]
        tree[begins + i, MOVER] = s[TO_MOVE]
        tree[begins + i, VISITS] = 0
        tree[begins + i, MANY] = 0
        tree[begins + i, PROOF] = OPEN
        scores[begins + i] = 0.0
    keys[node] = s[KEY]
    tree[node, BEGINS] = begins
    tree[node, MANY] = many


@njit(cache=True, nogil=True)
def games(t, s, r, tree, scores, keys, root, exploration, is_careful, moves, path, told):
    """Play games from a root until the remaining nodes are used or the result is proven."""
    while told[LEFT] > 0 and not told[STOP] and tree[root, PROOF] == OPEN:
        told[LEFT] -= 1
        told[USED] += 1
        node, length = root, 1
        path[0] = root
        while tree[node, MANY] and tree[node, PROOF] == OPEN:
            explored = exploration * np.log(tree[node, VISITS] + 1.0)
            best, most = -1, -2.0
            for child in range(tree[node, BEGINS], tree[node, BEGINS] + tree[node, MANY]):
                proof, visits = tree[child, PROOF], tree[child, VISITS]
                if proof != OPEN:
                    promise = 2.0 if proof == tree[child, MOVER] else 0.5 if proof == DRAW else -1.0
                elif visits == 0:
                    promise = 1e9
                else:
                    promise = scores[child] / visits + np.sqrt(explored / visits)
                if promise > most:
                    best, most = child, promise
                    if promise == 1e9:
                        break
            node = best
            play(t, s, tree[node, CODE])
            path[length] = node
            length += 1
        if tree[node, PROOF] != OPEN:
            winner = tree[node, PROOF]
        elif s[WINNER] != OPEN:
            winner = tree[node, PROOF] = s[WINNER]
        else:
            if tree[node, VISITS] or length == 1:
                grow(t, s, r, tree, scores, keys, node, moves, told)
            winner = playout(t, s, r, is_careful, moves, 0) & 3
        for place in range(length - 1, -1, -1):
            node = path[place]
            tree[node, VISITS] += 1
            scores[node] += 0.5 if winner == DRAW else 1.0 if winner == tree[node, MOVER] else 0.0
            if place == 0:
                break
            undo(t, s)
            parent = path[place - 1]
            if tree[node, PROOF] != OPEN and tree[parent, PROOF] == OPEN:
                mover = tree[node, MOVER]
                proven, is_draw, is_won = True, False, False
                for child in range(tree[parent, BEGINS], tree[parent, BEGINS] + tree[parent, MANY]):
                    proof = tree[child, PROOF]
                    is_won |= proof == mover
                    is_draw |= proof == DRAW
                    proven &= proof != OPEN
                if is_won:
                    tree[parent, PROOF] = mover
                elif proven:
                    tree[parent, PROOF] = DRAW if is_draw else 1 - mover
