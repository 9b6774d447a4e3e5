"""A comparison of a game's board for searches with its positions, in random games."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final

from lath.games.capabilities import symmetries
from lath.games.contract import Position
from lath.games.fast import DRAW, FastBoard, fast_board
from lath.games.laws import Faults, Law, LawFault, shown
from lath.games.plain_board import PlainBoard

MOST_PLIES: Final = 200
"""The most plies of each random game."""

EVERY: Final = 7
"""One in this many positions also gets the slow tests of threats, candidates and symmetries."""


def board_faults(
    game: Any,
    *,
    games: int = 4,
    seconds: float = math.inf,
    every: int = EVERY,
    clock: Callable[[], float] = time.thread_time,
) -> Faults:
    """Yield the differences between a game's board for searches and its positions, each law once.

    The comparison ends after some `seconds` by `clock` (default: this thread's CPU time). None
    marks each point where it can stop.
    """
    until_s, known, texts = clock() + seconds, set[Law](), dict[int, str]()
    for seed in range(1, games + 1):
        moves = list[str]()
        for fault in _of_one(game, seed, moves, texts, every):
            if fault is not None and fault.law not in known:
                known.add(fault.law)
                after = f"ply {len(moves)}, after {' '.join(moves)}" if moves else ""
                yield fault._replace(where=after)
            yield None
            if clock() > until_s:
                return


def _of_one(
    game: Any, seed: int, moves: list[str], texts: dict[int, str], every: int
) -> Iterator[LawFault | None]:
    """Yield faults in one random game, forwards and backwards; its moves are added to `moves`."""
    position = game.start(game.draw_setup(seed) if game.has_setups else None)
    board, chance = fast_board(position), Random(seed)
    seen = list[tuple[Position, int]]()
    while True:
        yield from _of_state(board, position, texts)
        seen.append((position, board.key))
        if not (len(moves) + seed) % every:
            yield from _of_threats(board, position)
            yield from _of_images(board, position)
        legal = position.legal_moves()
        if not legal or len(moves) == MOST_PLIES:
            break
        move = chance.choice(legal)
        board.play(board.code(move))
        moves.append(move)
        position = position.play(move)
    for before, key in seen[-2::-1]:
        board.undo()
        moves.pop()
        if (board.position(), board.key) != (before, key):
            words = f"undo() leads to {shown(board.position().text())}, expected {before.text()!r}"
            yield LawFault(Law.FAST_UNDO, words)
            return
        yield None
    try:
        board.undo()
    except IndexError:
        return
    yield LawFault(Law.FAST_UNDO, "undo() at the first position must raise IndexError")


def _of_state(board: FastBoard, position: Position, texts: dict[int, str]) -> Faults:
    """Yield differences in the moves, the side to move, the winner, the position and the key."""
    found, expected = _texts(board, board.legal()), list(position.legal_moves())
    if found != expected:
        odd = [move for move in (*found, *expected) if (move in found) != (move in expected)]
        which = f"differ in {odd[0]}" if odd else "have another order"
        yield LawFault(Law.FAST_MOVES, f"legal() of the fast board and legal_moves() {which}")
    outcome = position.outcome()
    winner = None if outcome is None else DRAW if outcome.winner is None else int(outcome.winner)
    for name, has, wanted in (
        ("to_move", board.to_move, int(position.to_move)),
        ("winner", board.winner, winner),
    ):
        if has != wanted:
            words = f"{name} of the fast board is {has}, expected {wanted} as in the position"
            yield LawFault(Law.FAST_STATE, words)
    left = board.plies_left()
    if left is not None and (plies := board.playout(Random(0))[1]) > left:
        words = f"plies_left() is {left}, but a random game takes {plies}"
        yield LawFault(Law.FAST_STATE, words)
    text = position.text()
    if board.position() != position:
        words = (
            f"position() of the fast board is {shown(board.position().text())}, expected {text!r}"
        )
        yield LawFault(Law.FAST_STATE, words)
    if texts.setdefault(board.key, text) != text:
        words = f"{texts[board.key]!r} and {text!r} have the same key, expected different keys"
        yield LawFault(Law.FAST_KEY, words)
    if fast_board(position).key != board.key:
        words = f"key differs between a new board and one that played the moves to {text!r}"
        yield LawFault(Law.FAST_KEY, words)


def _of_threats(board: FastBoard, position: Position) -> Faults:
    """Yield faults in `threats` and `candidates`."""
    plain = PlainBoard(position)
    for which, found, expected in zip(
        ("win", "lose"), board.threats(), plain.threats(), strict=True
    ):
        if (has := _texts(board, found)) != (wanted := _texts(plain, expected)):
            words = f"threats() of the fast board has the moves {shown(has)} that {which} at once"
            yield LawFault(Law.FAST_THREATS, f"{words}, expected {shown(wanted)}")
            return
        yield None
    legal, candidates = board.legal(), board.candidates()
    if not set(candidates) <= set(legal) or bool(candidates) != bool(legal):
        words = f"candidates() is {shown(_texts(board, candidates))}, expected some legal moves"
        yield LawFault(Law.FAST_THREATS, words)
        return
    pressing = (legal and board.pressing()) or []
    if not set(pressing) <= set(legal):
        words = f"pressing() is {shown(_texts(board, pressing))}, expected legal moves"
        yield LawFault(Law.FAST_THREATS, words)
        return
    if isinstance(board, PlainBoard):  # all its legal moves are candidates
        return
    wins, losses = board.threats()
    if wins:
        if sorted(candidates) != sorted(wins):
            words = "candidates() must have only the moves that win at once, if there are any"
            yield LawFault(Law.FAST_THREATS, words)
        return
    me = board.to_move
    for code in sorted(set(legal) - set(candidates) - set(losses)):
        board.play(code)
        loses = board.to_move != me and bool(board.threats()[0])
        board.undo()
        if not loses:
            words = f"candidates() leaves out {board.moves[code]}, which does not lose"
            yield LawFault(Law.FAST_THREATS, words)
            return
        yield None


def _of_images(board: FastBoard, position: Position) -> Faults:
    """Yield faults in `images`."""
    for image, way in zip(board.images(), symmetries(position), strict=True):
        for code in board.legal():
            if board.moves[image[code]] != way.move(board.moves[code]):
                words = f"images() turns {board.moves[code]} into {board.moves[image[code]]}"
                expected = way.move(board.moves[code])
                yield LawFault(Law.FAST_IMAGES, f"{words}, but symmetries() into {expected}")
                return
        yield None


def _texts(board: FastBoard, codes: Sequence[int]) -> list[str]:
    return [board.moves[code] for code in codes]
