"""A record played through: what lies on the board at the start, and what each ply changes.

Must not know any game, nor how a page stores or shows a replay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from games.core import Game, GameError, Position, Seat
from notation.record import Record
from notation.replay import positions

Change = tuple[tuple[int, str], ...]
"""Cells, by their place in `Board.names`, and what lies there now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Everything that a viewer without rules needs to show a game."""

    game: Game
    start: tuple[str, ...]
    """As `Position.contents` of the first position."""

    changes: tuple[Change, ...]
    """What each ply of the record changes; empty where a ply moves nothing."""

    movers: tuple[Seat, ...]
    """Who decided on each ply."""

    ending: str
    """In the game's words how the rules ended it; empty where they did not."""

    deciding: tuple[int, ...]
    """The cells that decided, by their place in `Board.names`."""


def replay(record: Record) -> Replay:
    """Return the replay of `record`.

    Raises GameError: an unknown game, a setup that the game refuses, or an illegal move, with the
    ply in the message.
    """
    game_positions = _played(record)
    contents = [position.contents() for position in game_positions]
    last = game_positions[-1]
    outcome = last.outcome()
    place = {name: i for i, name in enumerate(last.game.board.names)}
    cells = outcome.cells if outcome else ()
    return Replay(
        game=last.game,
        start=contents[0],
        changes=tuple(_change(*pair) for pair in pairwise(contents)),
        movers=tuple(position.to_move for position in game_positions[:-1]),
        ending=outcome.ending if outcome else "",
        deciding=tuple(place[name] for name in cells if name in place),
    )


def _played(record: Record) -> list[Position]:
    played: list[Position] = []
    try:
        for position in positions(record):
            played.append(position)  # noqa: PERF402 - what came before an error is kept
    except GameError as error:
        where = f"ply {len(played)}: " if played else ""
        raise GameError(f"{where}{error}") from error
    return played


def _change(before: Sequence[str], after: Sequence[str]) -> Change:
    pairs = enumerate(zip(before, after, strict=True))
    return tuple((cell, new) for cell, (old, new) in pairs if old != new)
