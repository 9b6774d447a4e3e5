"""What ends a game before its rules do, by the fault or the wish of one bot: who, why, in words.

Must not know how it is found out; what each costs is decided where games are played.
"""

from __future__ import annotations

from typing import Final

from lath.games.core import GameError, Move, Position, Seat, read_move
from lath.notation import wire
from lath.notation.record import Termination

ENDS_THE_BOT: Final = (Termination.CRASH, Termination.TIME, Termination.FLOOD)
"""After these the bot's process is killed, and started again for its next game."""


class Mishap(Exception):  # noqa: N818 - it ends a game, and is no error of the arena
    """A bot gives the game away: it resigns, breaks, or answers too late or wrongly."""

    def __init__(self, seat: Seat, why: Termination, detail: str) -> None:
        super().__init__(detail)
        self.seat = seat
        self.why = why
        self.detail = detail


def late(seat: Seat, allowed_s: float, ply: int) -> Mishap:
    """Return the loss of a bot that was asked for a ply and has not answered in time."""
    return Mishap(seat, Termination.TIME, f"no answer within {allowed_s:.3f} s at ply {ply}")


def flood(seat: Seat) -> Mishap:
    """Return the loss of a bot that wrote too much."""
    detail = "wrote a line over 64 KiB, or over 8 MiB for a move (a line counts 80 bytes more)"
    return Mishap(seat, Termination.FLOOD, detail)


def read_answer(position: Position, seat: Seat, text: str, ply: int) -> tuple[Move, Position]:
    """Return the canonical move and the position after it; raises Mishap.

    For a resignation, and for what is no move or not legal in `position`.
    """
    plain = " ".join(text.split())
    if plain == wire.RESIGN:
        raise Mishap(seat, Termination.RESIGNATION, f"resigned at ply {ply}")
    try:
        move = read_move(position, plain)
        return move, position.play(move)
    except GameError as error:
        raise Mishap(seat, Termination.ILLEGAL_MOVE, f"{error} at ply {ply}") from error
