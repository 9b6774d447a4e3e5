"""Positions and moves as numbers for machine learning: planes of cells, places in a list of moves.

Everything follows from what a game says of itself: its pieces, its cells and its `moves`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from lath.games.capabilities import spellings_of
from lath.games.core import Game, Move, Position
from lath.notation.record.errors import NotationError
from lath.notation.record.record import Record
from lath.notation.rules.replay import start_of

TO_MOVE: Final = "second to move"
"""The name of the last plane, which is 1 everywhere if so, else 0."""


class PlanesError(NotationError):
    """A game does not say what is needed to make numbers of it."""


@dataclass(frozen=True)
class Encoding:
    """How positions and moves of one game are numbers."""

    game: Game

    @cached_property
    def planes(self) -> tuple[str, ...]:
        """Return the names of the planes: of each kind of piece, and who is to move."""
        return (*(piece.name for piece in self.game.pieces), TO_MOVE)

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the names of the cells, in the order in which each plane has them."""
        return self.game.board.names

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """Return every move that there is, legal or not; an index is a place in this list.

        Raises PlanesError where the game does not list its moves.
        """
        spellings = spellings_of(self.game)
        if not spellings:
            raise PlanesError(
                f"{self.game.id} does not list its moves (`moves`), so none has an index"
            )
        return tuple(dict.fromkeys(sorted(spellings.values())))

    @cached_property
    def _index(self) -> dict[str, int]:
        return {move: place for place, move in enumerate(self.moves)}

    @cached_property
    def _codes(self) -> tuple[str, ...]:
        return tuple(piece.code for piece in self.game.pieces)

    def index(self, move: str) -> int:
        """Return the place of a canonical move among `moves`; raises KeyError."""
        return self._index[move]

    def encoded(self, position: Position) -> bytes:
        """Return the planes one after the other, a byte a cell: 1 where the piece lies, else 0."""
        contents = position.contents()
        planes = [bytes([code in content for content in contents]) for code in self._codes]
        return b"".join((*planes, bytes((position.to_move,)) * len(contents)))

    def rows(self, record: Record, number: int) -> Iterator[PlyNumbers]:
        """Yield the numbers of each ply of the main line.

        Raises GameError, and PlanesError for a record of another game, on a board of another size
        too.
        """
        if record.game != self.game.id:
            raise PlanesError(f"the record is of {record.game!r}, expected one of {self.game.id!r}")
        scores = record.result.points if record.result.is_finished else (None, None)
        position: Any = start_of(record)
        for ply, played in enumerate(record.plies, 1):
            move, seat = self.game.canonical(played.move), position.to_move
            planes = self.encoded(position)
            position = position.play(move)
            yield PlyNumbers(
                number, ply, int(seat), planes, self._index[move], scores[seat], played.eval
            )


class PlyNumbers(NamedTuple):
    """One position and what became of it."""

    record: int
    """Which record of the source, from 1."""
    ply: int
    """Which move of the game, from 1."""
    seat: int
    """Who is to move: 0 is first, 1 second."""
    planes: bytes
    """As `Encoding.encoded` has them."""
    move: int
    """What was played: its place among `Encoding.moves`."""
    score: float | None
    """What the game brought the mover: 1, 0.5 or 0; None where it has no end."""
    eval: float | None
    """The mover's expected score as annotated, from -1 to 1; None where it is not."""
