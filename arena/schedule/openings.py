"""Opening books: files of records or positions from which games begin.

If entries are the same game by symmetry or by another order of moves, the first one counts. An
entry takes about 80 bytes and its moves: its text and a key of 20 bytes. Parsed records are not
kept.
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
from lath.notation.record.tags import opening_name
from lath.notation.rules.replay import start_of


@dataclass(frozen=True, slots=True, kw_only=True)
class BookChoice:
    """A book and the part of it to use."""

    path: Path
    order: str = "sequential"
    plies: int | None = None
    """Maximum number of moves to play from an entry; None for all of them."""

    start: int = 1
    """First entry to use for each game type, from 1, counted before shuffling."""

    digest: str = ""
    """SHA-256 of the file."""

    folded: bool = True
    """True if symmetric entries count once and games that ended before `plies` are skipped. False
    in tournaments that began before the arena did that."""

    def identity(self) -> dict[str, object]:
        """Return the settings that must not change during a tournament; the file may move."""
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
    """The openings of one file, by game type."""

    def __init__(self, choice: BookChoice, game_ids: Collection[str], seed: int) -> None:
        """Read and check the whole file; entries of other game types are skipped.

        Raises ConfigError if an entry is invalid, if its game is over, or if a game type has no
        entry.
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
        """Return the `turn`-th opening of a game type, from 1; after the last comes the first."""
        entries = self._entries[game_id]
        entry = entries[(self._choice.start - 1 + turn - 1) % len(entries)]
        number, setup, position, moves, name = entry.decode().split("\t")
        return Opening(
            setup=setup or None,
            position=position or None,
            moves=tuple(moves.split()),
            name=f"{self._choice.path.name} #{number}{name and f': {name}'}",
        )


def known_by(position: Position) -> bytes:
    """Return a key of 16 bytes that is equal for symmetric positions."""
    text = f"{position.game.id} {least(position).text()}"
    return blake2b(text.encode(), digest_size=SIZE).digest()


_Entry = tuple[str, Position, int, str, str, str, str]
"""Game type, final position, number, setup, position, moves and name; a missing text is empty."""


def _entries(choice: BookChoice, game_ids: Collection[str]) -> Iterator[_Entry]:
    """Yield each entry of the given game types."""
    path = choice.path
    is_text = path.suffix.lower() == ".txt"  # each line has a position or a setup
    read = _of_lines(path, game_ids) if is_text else _of_records(choice, game_ids)
    try:
        with reading(path):
            yield from read
    except NotationError as error:
        raise ConfigError(f"{path}: {error}") from error


def _of_lines(path: Path, game_ids: Collection[str]) -> Iterator[_Entry]:
    """Yield the entries on lines such as `GAME POSITION` or `GAME setup SETUP`."""
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
                yield game_id, position, number, setup, text, "", ""


def _of_records(choice: BookChoice, game_ids: Collection[str]) -> Iterator[_Entry]:
    """Yield the beginnings of the records; raise ConfigError if a game is over by then."""
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
            name = " ".join(opening_name(record.tag("Opening")).split())
            yield record.game, end, entry.number, canonical, position, " ".join(moves), name


def _is_short(record: Record, plies: int, end: Position) -> bool:
    """Return whether a game ended before `plies` moves; unfinished games do not count."""
    return end.is_over or (len(record.plies) < plies and record.result != "*")
