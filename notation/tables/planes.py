"""Positions and moves as numbers for machine learning: planes of cells, indexes in a list of moves.

The encoding follows from a game's pieces, cells and `moves`, and from the `extras` of its
positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

from lath.games.capabilities import encoding, extras_of, indexing, spellings_of
from lath.games.core import Game, Move, Position
from lath.notation.record.errors import NotationError
from lath.notation.record.record import Record
from lath.notation.rules.replay import start_of

TO_MOVE: Final = "second to move"
"""The name of the last plane, which is 1 everywhere if the second player is to move, or else 0."""


LARGEST: Final = 255
"""The largest number in a plane. Larger extras are cut to it, and negative ones to 0."""


class PlanesError(NotationError):
    """A game lacks the data needed for an encoding."""


@dataclass(frozen=True)
class Encoding:
    """The encoding of positions and moves of one game as numbers."""

    game: Game

    @cached_property
    def planes(self) -> tuple[str, ...]:
        """Return the names of the planes: one per kind of piece and number, and the side to move.

        The numbers are the `extras` of the game's positions, such as the stones in hand. A game can
        have other planes.
        """
        if (own := encoding(self.game)) is not None:
            return tuple(own.plane_names)
        return (*(piece.name for piece in self.game.pieces), *self._numbers, TO_MOVE)

    @cached_property
    def _numbers(self) -> tuple[str, ...]:
        return tuple(name for name, value in self._extras.items() if isinstance(value, int))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """Return the names of the extras that are texts, which have no plane."""
        return tuple(name for name in self._extras if name not in self._numbers)

    @cached_property
    def _extras(self) -> Mapping[str, int | str]:
        return extras_of(self.game.start())

    @property
    def cells(self) -> tuple[str, ...]:
        """Return the names of the cells, in their order in each plane."""
        return self.game.board.names

    @cached_property
    def _listed(self) -> tuple[Move, ...]:
        return tuple(dict.fromkeys(sorted(spellings_of(self.game).values())))

    @cached_property
    def _met(self) -> dict[Move, int]:
        """The index of each move so far, for a game that neither lists nor indexes its moves."""
        return {}

    @property
    def moves(self) -> tuple[Move, ...]:
        """Return every possible move, legal or not; a move's index is its place in this list.

        The list is empty if the game has indexes without a list. If it has neither, the list has
        the moves whose index was asked for, and grows; see `is_complete`.
        """
        return self._listed or tuple(self._met)

    @property
    def is_complete(self) -> bool:
        """Return whether every move of the game has an index before it is asked for."""
        return bool(self._listed) or indexing(self.game) is not None

    @property
    def move_count(self) -> int:
        """Return the number of indexes of moves."""
        own = indexing(self.game)
        return len(self.moves) if own is None else own.move_count

    @cached_property
    def _index(self) -> Callable[[Move], int]:
        if (own := indexing(self.game)) is not None:
            return own.index
        if self._listed:
            return {move: place for place, move in enumerate(self._listed)}.__getitem__
        return lambda move: self._met.setdefault(move, len(self._met))

    @cached_property
    def _codes(self) -> tuple[str, ...]:
        return tuple(piece.code for piece in self.game.pieces)

    def index(self, move: str) -> int:
        """Return the index of a canonical move. Raises KeyError if a list lacks it."""
        return self._index(Move(move))

    def encoded(self, position: Position) -> bytes:
        """Return the planes in order, one byte per cell: 1 if the piece is on it, or else 0.

        The plane of a number has it on all cells, at most `LARGEST`.
        """
        if (own := encoding(self.game)) is not None:
            return b"".join(map(bytes, own.planes(position)))
        contents = position.contents()
        planes = [bytes([code in content for content in contents]) for code in self._codes]
        if self._numbers:
            extras: Mapping[str, Any] = extras_of(position)
            numbers = [min(max(extras[name], 0), LARGEST) for name in self._numbers]
            planes += [bytes((number,)) * len(contents) for number in numbers]
        return b"".join((*planes, bytes((position.to_move,)) * len(contents)))

    def rows(self, record: Record, number: int) -> Iterator[PlyNumbers]:
        """Yield the numbers of each ply of the main line.

        Raises GameError for an illegal move, and PlanesError for a record of another game or board
        size.
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
                number, ply, int(seat), planes, self._index(move), scores[seat], played.eval
            )


class PlyNumbers(NamedTuple):
    """One position with the move that was played and the result."""

    record: int
    """The number of the record in its source, from 1."""
    ply: int
    """The number of the ply in the game, from 1."""
    seat: int
    """The side to move: 0 for the first player, 1 for the second."""
    planes: bytes
    """The planes in the form of `Encoding.encoded`."""
    move: int
    """The index of the played move in `Encoding.moves`."""
    score: float | None
    """The mover's points in the game (1, 0.5 or 0); None if the game is unfinished."""
    eval: float | None
    """The mover's annotated expected score, from -1 to 1; None without an annotation."""
