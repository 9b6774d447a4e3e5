"""Files beside a database: written whole, and never over games that the database lacks."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from itertools import chain, count
from pathlib import Path
from typing import Final, NamedTuple

from lath.arena.machine.system import writing_error
from lath.arena.tournament.store.rows import RECORD, Row
from lath.notation.files.files import sync, write_atomically
from lath.notation.rules.reading import entry_of
from lath.notation.text.splitting import chunks, texts_of


class Unknown(NamedTuple):
    """Numbers of games in a `games.lath` that the database does not have."""

    lacking: int
    """Games whose number is not in the database."""

    others: int
    """Games whose number is in the database with another record, or whose number cannot be read."""


class Known:
    """The numbers and record hashes of stored games, to recognise these games in `games.lath`."""

    def __init__(self) -> None:
        self.numbers: Final[set[int]] = set()
        self._records: Final[set[int]] = set()

    def add(self, row: Row) -> None:
        """Add a stored game."""
        self.numbers.add(row[0])
        self._records.add(hash(row[RECORD].strip()))

    def compared(self, path: Path) -> Unknown:
        """Return how many games of a file are not known; raises StoreError.

        An invalid record is not counted if it has the number of a known game, or if it is the torn
        end of a file.
        """
        lacking = others = torn = 0
        if not path.is_file():
            return Unknown(0, 0)
        try:
            with path.open("rb") as stream:
                for text in chain.from_iterable(map(texts_of, chunks(stream))):
                    others, torn = others + torn, 0
                    if hash(text.text) in self._records:
                        continue
                    record = entry_of(text, path.name, 1, rules=False).record
                    number = _NUMBER.search(text.text)
                    if number and int(number[1]) in self.numbers:
                        others += record is not None
                    elif record is not None:
                        lacking += 1
                    else:
                        torn = 1
        except OSError as error:
            raise writing_error(path, error, "read") from error
        return Unknown(lacking, others + (torn if not self.numbers else 0))


_NUMBER: Final = re.compile(r'^\[Number "([0-9]{1,15})"\]$', re.MULTILINE)


def keep(path: Path) -> Path:
    """Keep a copy of a file that will be replaced, and return its path; raises StoreError."""
    for number in count(1):
        kept = path.with_name(f"{path.name}.kept-{number}")
        try:
            try:
                os.link(path.resolve(), kept)  # of a symbolic link, its target is replaced
                sync(path.parent)
            except FileExistsError:
                continue
            except OSError:  # a file system without hard links
                if kept.exists():
                    continue
                write_atomically(kept, [path.read_bytes()])
        except OSError as error:
            raise writing_error(kept, error) from error
        return kept
    raise AssertionError


def write_whole(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file atomically; raises StoreError."""
    try:
        write_atomically(path, pieces)
    except OSError as error:
        raise writing_error(path, error) from error


def write_records(path: Path, records: Iterable[str]) -> str:
    """Write records with an empty line between them, atomically; raises StoreError.

    Return the SHA-256 of the file.
    """
    digest = hashlib.sha256()

    def pieces() -> Iterator[bytes]:
        for number, text in enumerate(records):
            piece = (("\n" if number else "") + text).encode()
            digest.update(piece)
            yield piece

    write_whole(path, pieces())
    return digest.hexdigest()
