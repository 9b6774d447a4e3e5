"""Books of openings: files of records or positions, from which games begin.

Of entries that are the same game, turned or mirrored or by another order of moves, the first
counts. It is kept as its text, some 60 bytes and its moves, beside 20 by which it is known again;
parsed records are not held.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Final

from lath import games
from lath.arena.errors import ConfigError, reading
from lath.arena.schedule.core import Opening, draw
from lath.games.core import Position, least, read_move, version_of
from lath.games.errors import GameError
from lath.notation.archive.archive import SIZE, SeenRecords
from lath.notation.files.files import open_bytes
from lath.notation.formats import name_for, reader
from lath.notation.record.errors import NotationError
from lath.notation.record.record import Record
from lath.notation.rules.replay import start_of


@dataclass(frozen=True, slots=True, kw_only=True)
class BookChoice:
    """Which book, and what is taken from it."""

    path: Path
    order: str = "sequential"
    plies: int | None = None
    """How many moves are played from an entry, at most; None: all of it."""

    start: int = 1
    """The entry of each game that comes first, from 1, before shuffling counts."""

    digest: str = ""
    """What the file is: its SHA-256."""

    folded: bool = True
    """Whether what is the same game is taken once, and games that ended before `plies` are passed
    over; not in tournaments that were begun when nobody did that."""

    def identity(self) -> dict[str, object]:
        """Return what may not change while a tournament is played; the file may move."""
        return {
            "sha256": self.digest,
            "order": self.order,
            "plies": self.plies,
            "start": self.start,
            **({"folded": True} if self.folded else {}),
        }


def digest(path: Path) -> str:
    """Return the SHA-256 of a file; raises ConfigError."""
    with reading(path), path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


class Book:
    """The openings of one file, for each game."""

    def __init__(self, choice: BookChoice, game_ids: Collection[str], seed: int) -> None:
        """Read and check the whole file; entries of other games are passed over.

        Raises ConfigError: a bad entry, one whose game is over, a game without any.
        """
        self._choice: Final = choice
        self._entries: Final[dict[str, list[bytes]]] = {game_id: [] for game_id in game_ids}
        seen = SeenRecords()
        for game_id, end, *fields in _entries(choice, game_ids):
            if choice.folded and not seen.add(known_by(end)):
                continue
            self._entries[game_id].append("\t".join(map(str, fields)).encode())
        for game_id, entries in self._entries.items():
            if not entries:
                raise ConfigError(f"{choice.path}: has no opening for {game_id}")
            if choice.order == "random":
                random.Random(draw(seed, "openings", game_id)).shuffle(entries)

    def opening(self, game_id: str, turn: int) -> Opening:
        """Return the `turn`-th opening of a game, from 1; after the last comes the first."""
        entries = self._entries[game_id]
        entry = entries[(self._choice.start - 1 + turn - 1) % len(entries)]
        number, setup, position, moves = entry.decode().split("\t")
        return Opening(
            setup=setup or None,
            position=position or None,
            moves=tuple(moves.split()),
            name=f"{self._choice.path.name} #{number}",
        )


def known_by(position: Position) -> bytes:
    """Return 16 bytes that are equal for positions that are the same game, turned or mirrored."""
    text = f"{position.game.id} {least(position).text()}"
    return blake2b(text.encode(), digest_size=SIZE).digest()


_Entry = tuple[str, Position, int, str, str, str]
"""Game, where it leads, number, setup, position and moves; empty for none."""


def _entries(choice: BookChoice, game_ids: Collection[str]) -> Iterator[_Entry]:
    """Yield each entry of one of the games."""
    path = choice.path
    is_text = path.suffix.lower() == ".txt"  # with a position or a setup on each line
    read = _of_lines(path, game_ids) if is_text else _of_records(choice, game_ids)
    try:
        with reading(path):
            yield from read
    except NotationError as error:
        raise ConfigError(f"{path}: {error}") from error


def _of_lines(path: Path, game_ids: Collection[str]) -> Iterator[_Entry]:
    """Yield what stands on the lines `GAME POSITION` and `GAME setup SETUP`."""
    with path.open(encoding="utf-8-sig") as lines:
        for number, line in enumerate(lines, 1):
            game_id, _, text = line.strip().partition(" ")
            if not game_id or game_id.startswith("#"):
                continue
            try:
                game = games.get(game_id)
                kind, _, setup = text.strip().partition(" ")
                if kind == "setup":
                    setup, text = game.canonical_setup(setup), ""
                    position = game.start(setup)
                else:
                    position = game.position(text.strip())
                    setup, text = "", position.text()
            except GameError as error:
                raise ConfigError(f"{path}:{number}: {error}") from error
            if position.is_over:
                raise ConfigError(f"{path}:{number}: the game is over in this position")
            if game_id in game_ids:
                yield game_id, position, number, setup, text, ""


def _of_records(choice: BookChoice, game_ids: Collection[str]) -> Iterator[_Entry]:
    """Yield how the records begin; none may be over by then."""
    path = choice.path
    with open_bytes(path) as stream:
        for entry in reader(name_for(path))(stream, str(path)):
            if (record := entry.record) is None or entry.problems:
                raise ConfigError(str(entry.problems[0]))
            if record.game not in game_ids:
                continue
            place = f"{path}:{entry.line}: record {entry.number}"
            moves = []
            try:
                end = start = start_of(record)
                for ply in record.plies[: choice.plies]:
                    moves.append(read_move(end, ply.move))
                    end = end.play(moves[-1])
            except GameError as error:
                raise ConfigError(f"{place}: {error}") from error
            if start.game is not games.get(record.game):
                raise ConfigError(
                    f"{place}: was played by version {version_of(start.game)} of the rules of "
                    f"{record.game}; expected the current version"
                )
            if choice.folded and choice.plies is not None and _is_short(record, choice.plies, end):
                continue
            if end.is_over:
                raise ConfigError(
                    f"{place}: ends after {len(moves)} plies; use fewer plies, or longer records",
                    hint=f"arena select {shlex.quote(str(path))} --where 'plies > {len(moves)}'",
                )
            setup = record.tag("Setup")
            canonical = setup and start.game.canonical_setup(setup)
            position = start.text() if record.tag("Position") else ""
            yield record.game, end, entry.number, canonical, position, " ".join(moves)


def _is_short(record: Record, plies: int, end: Position) -> bool:
    """Return whether a game ended before so many plies; a line that goes on is no game."""
    return end.is_over or (len(record.plies) < plies and record.result != "*")
