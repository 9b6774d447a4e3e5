"""Errors in the rules of a game, with the moves that lead there.

A user's rules can list a move that they refuse, leave a player without moves, or raise any
exception. No player is to blame, and the author of the rules needs the moves to reproduce it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any, Final

from lath.games.core import Move, Position
from lath.games.errors import IllegalMoveError, RulesError
from lath.games.files import blamed, origin

MOST_PLIES: Final = 1000
"""The most plies of a random game that looks for faults."""


def whose(game_id: str) -> str:
    """Return the name of the failing rules: the game's file, or its id if it has no file."""
    file = origin(game_id)
    return game_id if file is None else file.path


def refused(move: str, why: str, game_id: str, moves: Sequence[str], start: str = "") -> RulesError:
    """Return the error of a game that refuses a move which it lists as legal."""
    before, behind = f"{whose(game_id)} lists {move} as legal at ", f", but refuses it ({why})"
    return RulesError(before, behind, moves, start, next_=1)


def stuck(game_id: str, moves: Sequence[str], start: str = "") -> RulesError:
    """Return the error of a game that is not over but has no legal moves."""
    before, behind = f"{whose(game_id)}: ", ": the game is not over, but it has no legal move"
    return RulesError(before, behind, moves, start, next_=1)


def raised(error: Exception, game_id: str, moves: Sequence[str], start: str = "") -> RulesError:
    """Return a RulesError for an exception of the rules at the last of `moves`.

    An error from a board that began in the middle is reported from `start`. If no file of a game is
    to blame, `error` is raised again, because the fault is in this project.
    """
    if isinstance(error, RulesError):
        return error.behind(moves, start) if error.start else error
    if isinstance(error, IllegalMoveError) and moves and moves[-1] == error.move:
        return refused(error.move, error.reason, game_id, moves[:-1], start)
    if not (words := blamed(error)):
        raise error
    return RulesError(f"{words}, at ", "", moves, start)


@contextmanager
def held(game_id: str, moves: Sequence[str], start: str = "") -> Iterator[None]:
    """Raise RulesError for any exception that the rules raise in the `with` block."""
    try:
        yield
    except Exception as error:
        raise raised(error, game_id, moves, start) from error


def look_at(position: Position, moves: Sequence[str], start: str = "") -> tuple[Move, ...]:
    """Return the legal moves of a position. Raises RulesError if the rules fail or refuse one."""
    game_id = position.game.id
    with held(game_id, moves, start):
        outcome, listed = position.outcome(), position.legal_moves()
        whys = [position.why_illegal(move) for move in listed]
    if outcome is None and not listed:
        raise stuck(game_id, moves, start)
    for move, why in zip(listed, whys, strict=True):
        if why is not None:
            raise refused(move, why, game_id, moves, start)
    return listed


def look_behind(
    position: Position,
    moves: Sequence[str],
    start: str = "",
    *,
    seconds: float,
    clock: Callable[[], float] = time.thread_time,
) -> None:
    """Raise RulesError if the rules fail at a position, after one move, or in random games from it.

    The random games together last `seconds`, measured by `clock` (default: this thread's CPU time).
    """
    game_id, until_s = position.game.id, clock() + seconds
    listed = look_at(position, moves, start)
    for move in listed:
        line = [*moves, move]
        with held(game_id, line, start):
            child: Any = position.play(move)
        look_at(child, line, start)
        if clock() > until_s:
            return
    chance = Random(1)
    while listed and clock() <= until_s:
        now, line = position, list(moves)
        while (choices := look_at(now, line, start)) and len(line) - len(moves) < MOST_PLIES:
            move = chance.choice(choices)
            line.append(move)
            with held(game_id, line, start):
                now = now.play(move)
            if clock() > until_s:
                return
