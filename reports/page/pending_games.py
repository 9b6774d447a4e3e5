"""The games of a page in compressed form, kept until the replayed ones are chosen."""

from __future__ import annotations

import marshal
import zlib
from array import array
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from typing import BinaryIO, Final, NamedTuple
from weakref import finalize

from lath.notation.files.files import temporary_file
from lath.notation.record.record import Record, bare_plies, record_as_read

BLOCK: Final = 64
"""Games that are compressed together until the replayed games are chosen."""

MEMORY: Final = 16 << 20
"""The most bytes of compressed games in memory: more than 100,000 games without comments."""


class PendingGame(NamedTuple):
    """The parts of a record that are kept until the replayed games are chosen.

    It contains only tuples and texts, which `marshal` packs fastest.
    """

    tags: tuple[tuple[str, str], ...]
    moves: tuple[str, ...]
    said: tuple[str, ...]
    """The comments as movetext, before the first move and after each; empty without any
    comments."""

    better: tuple[tuple[int, tuple[str, ...]], ...]
    """The variations of an analysis, each with its ply."""

    @property
    def record(self) -> Record:
        """Return a record with the tags and moves."""
        return record_as_read(self.tags, bare_plies(self.moves))


class PendingGames:
    """Compressed games in the order of arrival; those beyond MEMORY are on the disk."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        """The first blocks, which are in memory."""
        self._room = MEMORY
        self._file: BinaryIO | None = None
        self._ends = array("Q", [0])
        """The ends of the other blocks in the file, after a 0."""
        self._open: list[bytes] = []
        """The games of the incomplete last block."""

    def append(self, game: PendingGame) -> None:
        """Add the next game; raises TemporaryFileError."""
        self._open.append(marshal.dumps((*game,)))
        if len(self._open) < BLOCK:
            return
        block = zlib.compress(marshal.dumps(self._open), 1)
        self._open = []
        self._room -= len(block)
        if self._room >= 0:
            self._blocks.append(block)
            return
        self._room = 0  # the next blocks are in the file too, even if they are smaller
        if self._file is None:
            self._file = temporary_file()
            finalize(self, _closed, self._file)
        self._file.seek(self._ends[-1])
        self._file.write(block)
        self._ends.append(self._ends[-1] + len(block))

    def games(self, places: Iterable[int]) -> Iterator[PendingGame]:
        """Yield the games at some places, from 0 and in order."""
        for number, of_block in groupby(places, key=lambda place: place // BLOCK):
            block = self._games_of(number)
            for place in of_block:
                yield PendingGame(*marshal.loads(block[place % BLOCK]))  # noqa: S302 - written by this class

    def _games_of(self, number: int) -> list[bytes]:
        """Return the games of a block; the last number means the incomplete block."""
        at = number - len(self._blocks)
        if at == len(self._ends) - 1:
            return self._open
        if at < 0:
            block = self._blocks[number]
        else:
            assert self._file is not None
            begin, end = self._ends[at : at + 2]
            self._file.seek(begin)
            block = self._file.read(end - begin)
        games: list[bytes] = marshal.loads(zlib.decompress(block))  # noqa: S302 - written by this class
        return games


def _closed(file: BinaryIO) -> None:
    with suppress(OSError):  # the disk is full, which was reported before
        file.close()
