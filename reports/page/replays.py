"""A record played through: what lies on the board at the start, and what each ply is.

Must not know any game, nor how a page stores or shows a replay.
"""

from __future__ import annotations

from dataclasses import dataclass

from lath.games.core import Game, Seat


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Everything that a viewer without rules needs to show a game."""

    game: Game
    start: tuple[str, ...]
    """As `Position.contents` of the first position."""

    kinds: tuple[int, ...]
    """The kind of move that each ply is, by its number in the game's `Dictionary`."""

    movers: tuple[Seat, ...]
    """Who decided on each ply."""

    to_move: Seat
    """Who decides, or would, after the last ply."""

    ending: str
    """In the game's words how the rules ended it; empty where they did not."""

    deciding: tuple[int, ...]
    """The cells that decided, by their place in `Board.names`."""
