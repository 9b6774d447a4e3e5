"""Where the rules of a game fail by themselves: what fails, and the moves that lead there.

Rules of one's own may list a move that they refuse, leave nobody a move, or raise anything. No
player is to blame for it, and whoever wrote them wants to see it again.
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
"""Of a game that is played to look for faults."""


def whose(game_id: str) -> str:
    """Return what fails where a game does: its file, else its id."""
    file = origin(game_id)
    return game_id if file is None else file.path


def refused(move: str, why: str, game_id: str, moves: Sequence[str], start: str = "") -> RulesError:
    """Return that a game refuses a move which it lists."""
    before, behind = f"{whose(game_id)} lists {move} at ", f" and refuses it ({why})"
    return RulesError(before, behind, moves, start, next_=1)


def stuck(game_id: str, moves: Sequence[str], start: str = "") -> RulesError:
    """Return that nobody can move, though the game goes on."""
    before, behind = f"{whose(game_id)}: ", ": not over, but no legal move"
    return RulesError(before, behind, moves, start, next_=1)


def raised(error: Exception, game_id: str, moves: Sequence[str], start: str = "") -> RulesError:
    """Return what the rules raised, the last of the moves being played or just played.

    What they raised on a board that began there is told from `start` on. Where no line of a file of
    a game is to blame `error` comes through: it is a slip of ours.
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
    """Raise RulesError for what the rules raise meanwhile."""
    try:
        yield
    except Exception as error:
        raise raised(error, game_id, moves, start) from error


def look_at(position: Position, moves: Sequence[str], start: str = "") -> tuple[Move, ...]:
    """Return the legal moves of a position, each of which it takes; raises RulesError."""
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
    """Raise RulesError where the rules fail at a position, next to it or in games from it.

    They are at random and last so long together, by a clock of the time that this thread computes.
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
