"""Random games, for tests of every game type.

Must not know any particular game.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Final

from lath.games.core import Game, Move, Position

_TRIES: Final = 12
"""Moves that a careful player tries before it ends the game."""

_REPLIES: Final = 3
"""Replies that a careful player tries, since they should not end the game either."""


def playout(position: Position, chance: Random) -> list[Move]:
    """Return random legal moves from `position` to the end of the game."""
    moves: list[Move] = []
    while choices := position.legal_moves():
        moves.append(chance.choice(choices))
        position = position.play(moves[-1])
    return moves


def play_all(position: Position, moves: Iterable[Move]) -> Position:
    """Return the position after `moves`; raises IllegalMoveError."""
    for move in moves:
        position = position.play(move)
    return position


def drawn_start(game: Game, seed: int) -> Position:
    """Return the first position of the setup drawn from `seed`."""
    return game.start(game.draw_setup(seed))


def careful_move(position: Position, chance: Random) -> Move:
    """Return a random move that rather lets the game continue, so that games get long."""
    moves = position.legal_moves()
    for _ in range(_TRIES):
        move = chance.choice(moves)
        if _goes_on(position.play(move), chance):
            break
    return move


def _goes_on(position: Position, chance: Random) -> bool:
    replies = position.legal_moves()
    return any(not position.play(chance.choice(replies)).is_over for _ in replies[:_REPLIES])


def walk(game: Game, seed: int) -> Iterator[tuple[Position, Move | None]]:
    """Yield the positions of one random game with the move played there, None at the end.

    Games of odd seeds are played carefully.
    """
    chance = Random(seed)
    position = drawn_start(game, seed)
    while moves := position.legal_moves():
        move = careful_move(position, chance) if seed % 2 else chance.choice(moves)
        yield position, move
        position = position.play(move)
    yield position, None


def last_of(game: Game, seed: int) -> Position:
    """Return the end of the game that `walk` plays."""
    *_, (position, _) = walk(game, seed)
    return position


def some_position(game: Game, seed: int, ply: int) -> Position:
    """Return the position at `ply` of the game that `walk` plays, modulo its length."""
    positions = [position for position, _ in walk(game, seed)]
    return positions[ply % len(positions)]
