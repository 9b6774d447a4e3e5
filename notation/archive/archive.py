"""Archives that do not fit into memory: sorting, splitting, and removing duplicates.

Records are carried as their text in the file, `Entry.text`. Other data is limited in size, or
stored in temporary files that are deleted when the process ends. Moves are not played, so a game
that its rules refuse has an identity too.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from hashlib import blake2b
from io import BufferedReader
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, Self, cast

from lath.games.core import FIRST_VERSION, RESULTS, Move, least_line
from lath.games.errors import GameError, LathError, RulesVersionError
from lath.notation.archive.index import note_for
from lath.notation.files import files
from lath.notation.files.files import (
    TemporaryFileError,
    compressed,
    half_folder,
    sync,
    whole_folder,
)
from lath.notation.files.frames import Frame, Frames, FramesWriter
from lath.notation.record.errors import NotationError
from lath.notation.record.record import SHORT, Record
from lath.notation.record.tags import RULES, WRITTEN_TAGS
from lath.notation.rules.replay import spellings, start_from
from lath.notation.tokens import is_tag_name

if TYPE_CHECKING:
    import sqlite3

_BY_ANY_CASE: Final = {name.casefold(): name for name in (*WRITTEN_TAGS, "Plies")}

_NUMBER, _TEXT, _NOTHING = b"\x01", b"\x02", b"\x03"
"""The first byte of an order: numbers come before texts, and missing values come last."""


class KeyNameError(NotationError):
    """The name of a key is not the name of a tag."""


@dataclass(frozen=True, slots=True)
class Key:
    """A value by which records are sorted or split; make one with `key`."""

    name: str
    """A tag, or `Plies`."""

    def text(self, record: Record) -> str:
        """Return the record's value; empty if it is missing or `?`.

        >>> from lath.notation import parse
        >>> record = parse('[Game "yavalath"] [Date "?"] e5 swap 1-0')
        >>> Key("Result").text(record), Key("Plies").text(record), Key("Date").text(record)
        ('1-0', '2', '')
        """
        if self.name == "Plies":
            return str(len(record.moves))
        if self.name == "Result":
            return record.result.value
        value = record.tag(self.name)
        return "" if value == "?" else value

    def order(self, record: Record) -> bytes:
        """Return bytes that sort as the values do; no value's bytes are a prefix of another's.

        Numbers come first. Numbers joined by dots, such as 1.2, are compared part by part. Then
        come texts, alphabetically without regard to case, and then missing values. Results have the
        order of RESULTS: first won, second won, draw, unfinished.
        """
        if not (value := self.text(record)):
            return _NOTHING
        if self.name == "Result":
            return _NUMBER + bytes([list(RESULTS).index(value)])
        # 18 digits fit into 8 bytes; a longer number is not a count
        if re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18})*|[-+][0-9]{1,18}", value):
            parts = [
                b"\0" + (2**64 + number).to_bytes(8, "big")
                if number < 0
                else b"\1" + number.to_bytes(8, "big")
                for number in map(int, value.split("."))
            ]
            return _NUMBER + b"".join(parts) + b"\0"
        # each text ends with a byte that sorts before any other
        texts = (text.encode("utf-8", "surrogatepass") for text in (value.casefold(), value))
        return _TEXT + b"".join(text.replace(b"\0", b"\0\xff") + b"\0\0" for text in texts)


def key(name: str) -> Key:
    """Return the key with a name: known tags in any case, other tags with exact case.

    Raises KeyNameError if the name cannot be a tag.

    >>> key("date"), key("Mood")
    (Key(name='Date'), Key(name='Mood'))
    """
    name = name.strip()
    if not is_tag_name(name):
        expected = "a tag such as Date or Round, result or plies"
        raise KeyNameError(f"records do not have {name!r}; expected {expected}")
    known = _BY_ANY_CASE.get(name.casefold())
    close = None if known else get_close_matches(name.casefold(), _BY_ANY_CASE, n=1, cutoff=0.75)
    if close and name.islower():
        raise KeyNameError(f"{name!r} is not a key; did you mean {close[0]}?")
    return Key(known or name)


def keys(names: str) -> tuple[Key, ...]:
    """Return the keys with these names, separated by commas. Raises KeyNameError."""
    return tuple(map(key, names.split(",")))


def order_by(keys: Sequence[Key], record: Record) -> bytes:
    """Return bytes that sort by the values of all keys, the first key being the most important."""
    return b"".join([key.order(record) for key in keys])


LONGEST: Final = 120
"""The most bytes of a file name without its suffix; systems allow 255, some fewer for a path."""

_RESERVED: Final = re.compile(r"(?i:con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9])(\..*)?")
"""Names of devices in Windows, with anything after the first dot."""


def safe_name(text: str) -> str:
    """Return a file name made of the letters and digits of `text`, and of `-`, `_`, `+` and `.`.

    The name is never empty, hidden, reserved, a path, or over LONGEST bytes of UTF-8. Different
    texts can give the same name: `Names` makes names unique.

    >>> safe_name("Autumn bots: 10+0.1"), safe_name("../etc/passwd"), safe_name("NUL")
    ('Autumn-bots-10+0.1', 'etc-passwd', '_NUL')
    """
    kept = "".join(
        letter if letter in "-_+." or unicodedata.category(letter)[0] in "LMN" else "-"
        for letter in unicodedata.normalize("NFKC", text)
    )
    name = re.sub(r"-+", "-", kept).lstrip(".-").rstrip(".-")
    if _RESERVED.fullmatch(name):
        name = f"_{name}"
    return shortened(name, LONGEST) or "_"


def shortened(name: str, size: int) -> str:
    """Return the longest prefix of `name` that has at most `size` bytes of UTF-8.

    >>> shortened("größer", 4)
    'grö'
    """
    return name.encode("utf-8", "ignore")[:size].decode("utf-8", "ignore").rstrip(".-")


class Names:
    """Unique file names for texts."""

    def __init__(self) -> None:
        self._given: Final[dict[str, str]] = {}
        self._numbers: Final[dict[str, int]] = {}
        """The last number used for each name that is taken or was asked for."""

    def __len__(self) -> int:
        return len(self._given)

    def of(self, text: str, wanted: str | None = None) -> str:
        """Return the name of `text`, made from `wanted` (default: `text`) at the first call.

        A name that is already taken, in any case, gets a number: `bots`, `Bots-2`.
        """
        if text not in self._given:
            name = safe_name(text if wanted is None else wanted)
            candidate, number = name, self._numbers.get(_folded(name), 1)
            while _folded(candidate) in self._numbers:
                number += 1
                candidate = f"{shortened(name, LONGEST - 10)}-{number}"
            self._numbers[_folded(candidate)] = 1
            self._numbers[_folded(name)] = number
            self._given[text] = candidate
        return self._given[text]


def _folded(name: str) -> str:
    """Return a text that is equal for names that differ only in case."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


SIZE: Final = 16
"""The bytes of a digest. Among ten million games, two share one with a probability below 1e-24."""


def identity(record: Record) -> bytes:
    """Return 16 bytes that are equal for records of one game: id, start and moves of the main line.

    Spelling does not matter: the default `Setup` and a missing one are equal, and so are a `Setup`
    and its `Position`, or `xb4-b2` and `xb2-b4`. A game under other `Rules` is another game.
    Players, result, other tags, comments and variations are ignored. Text that the game cannot read
    is compared unchanged.

    >>> from lath.notation import parse
    >>> short = parse('[Game "mammalath"] c3 xb4-b2 *')
    >>> long = parse('[Game "mammalath"] [First "ann"] 1. c3! {why not} 2. xb2-b4 1-0')
    >>> identity(short) == identity(long)
    True
    """
    game, rules = record.game, record.tag(RULES)
    words = [game, start_text_of(record), *canonical_moves(record)]
    if rules not in ("", FIRST_VERSION):
        words.append(rules)  # a number, so it differs from every move
    return digest_of(words)


def digest_of(parts: Iterable[str]) -> bytes:
    """Return 16 bytes that are equal for the same texts in the same order."""
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


def canonical_moves(record: Record) -> tuple[str, ...]:
    """Return the moves of the main line in canonical text; unreadable moves stay unchanged.

    This is cheaper than `notation.canonical`, because the spellings of a game are cached.
    """
    spelled = spellings(record.game, record.tag(RULES))
    return tuple([spelled[move] for move in record.moves])


def least_of(record: Record) -> tuple[str, tuple[str, ...]]:
    """Return the start and the moves in a form that is equal for rotated or reflected games.

    Records have the same form if a symmetry maps one to the other. A prefix of a line gives a
    prefix of its form. Text that the game cannot read stays unchanged.

    >>> from lath.notation import parse
    >>> least_of(parse('[Game "yavalath"] i5 swap e5 *'))[1]
    ('a1', 'swap', 'e5')
    """
    setup, position, moves = record.tag("Setup"), record.tag("Position"), canonical_moves(record)
    try:
        begun = start_from(record.game, setup, position, record.tag(RULES))
        least, line = least_line(begun, list(map(Move, moves)))
        return least.text(), line
    except (GameError, KeyError):  # a word that is not a move of the game has no symmetric move
        return start_text(record.game, setup, position), moves


def start_text_of(record: Record) -> str:
    """Return the text of the position before a record's first ply, as `start_text` does."""
    return start_text(record.game, record.tag("Setup"), record.tag("Position"), record.tag(RULES))


def start_text(game_id: str, setup: str, position: str, rules: str = "") -> str:
    """Return the text of the position before the first ply, from the values of tags.

    If the game is unknown, or refuses the value, the value is returned unchanged.
    """
    is_short = len(game_id) + len(setup) + len(position) + len(rules) <= SHORT
    return (_start_text if is_short else _start_text.__wrapped__)(game_id, setup, position, rules)


@lru_cache(maxsize=4096)
def _start_text(game_id: str, setup: str, position: str, rules: str) -> str:
    try:
        return start_from(game_id, setup, position, rules).text()
    except GameError as error:
        if rules and isinstance(
            error, RulesVersionError
        ):  # the current rules may be able to read it
            return _start_text(game_id, setup, position, "")
        return f"Position {position}" if position else f"Setup {setup}"


class SeenRecords:
    """The identities that were added, in 25 bytes each if there are millions.

    A set would take 110 bytes each. The first two bytes of an identity select one of 65,536
    buckets. A bucket is one bytes object with the other bytes of its identities, each followed by
    its place. With ten million identities, a bucket has 150.
    """

    def __init__(self) -> None:
        self._shelves: Final = defaultdict[bytes, bytearray](bytearray)
        self._added = 0

    def add(self, identity: bytes) -> bool:
        """Add an identity and return whether it is new; all must have the same length.

        >>> seen = SeenRecords()
        >>> seen.add(b"0123456789abcdef"), seen.add(b"0123456789abcdef")
        (True, False)
        """
        self._added += 1
        return self.first(identity, self._added) == self._added

    def first(self, identity: bytes, place: int) -> int:
        """Add an identity with a place, 0 to 2**40; return the first place added for it."""
        shelf, kept = self._shelves[identity[:2]], identity[2:]
        if (at := self._at(shelf, kept)) >= 0:
            return int.from_bytes(shelf[at + len(kept) : at + len(kept) + _PLACE])
        shelf += kept + place.to_bytes(_PLACE)
        return place

    def has(self, identity: bytes) -> bool:
        """Return whether an identity was added.

        >>> seen = SeenRecords()
        >>> seen.has(b"0123456789abcdef"), seen.add(b"0123456789abcdef")
        (False, True)
        >>> seen.has(b"0123456789abcdef")
        True
        """
        return self._at(self._shelves.get(identity[:2], b""), identity[2:]) >= 0

    @staticmethod
    def _at(shelf: bytes | bytearray, kept: bytes) -> int:
        """Return the place of an identity in its bucket, or -1."""
        size = len(kept) + _PLACE
        at = shelf.find(kept)
        while at > 0 and at % size:  # a match across two entries is not an entry
            at = shelf.find(kept, at + 1)
        return at


_PLACE: Final = 5
"""The bytes of a place."""


MEMORY: Final = 64 << 20
"""The most bytes of data in memory while sorting or comparing."""


@contextmanager
def temporary_database(*tables: str, memory: int = MEMORY) -> Iterator[sqlite3.Connection]:
    """Open a database with these tables that is deleted when the process ends.

    Data over `memory` bytes is in a file without a name. Raises TemporaryFileError if the disk is
    full.
    """
    import sqlite3  # only needed by commands that sort or compare

    try:
        with closing(sqlite3.connect("", isolation_level=None)) as database:
            database.execute(f"PRAGMA cache_size = -{max(1, memory >> 10)}")
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("BEGIN")
            for table in tables:
                database.execute(table)
            yield database
    except sqlite3.Error as error:
        raise TemporaryFileError(error) from error


def in_order(
    items: Iterable[tuple[bytes, bytes]], *, reverse: bool = False, memory: int = MEMORY
) -> Iterator[bytes]:
    """Yield the second value of each item in the order of the first; the sort is stable.

    `memory` is in bytes; more data goes to the disk. Raises OSError if the disk is full.

    >>> list(in_order([(b"2", b"two"), (b"1", b"one"), (b"2", b"deux")]))
    [b'one', b'two', b'deux']
    """
    # half of the memory is for the table; SQLite takes as much again for sorting
    table = "CREATE TABLE item (key BLOB, value BLOB)"
    with temporary_database(table, memory=memory // 2) as database:
        database.executemany("INSERT INTO item VALUES (?, ?)", items)
        order = "DESC" if reverse else "ASC"
        query = f"SELECT value FROM item ORDER BY key {order}, rowid"  # noqa: S608 - constant words
        yield from (value for (value,) in database.execute(query))


COMPRESSIONS: Final = tuple(suffix[1:] for suffix in files.COMPRESSIONS)
"""The possible compressions of the parts of an archive."""


@dataclass(slots=True)
class ArchivePart:
    """One file of an archive that is being split."""

    path: Path
    """The final path."""

    hidden: Path = field(repr=False)
    """The path until it is complete."""

    records: int = 0

    gathered: list[bytes] = field(default_factory=list, repr=False)
    """The records that are not in its temporary file yet."""

    frames: tuple[Frame, ...] = field(default=(), repr=False)
    """The frames written so far, for a `.zst`."""


class _NothingError(LathError):
    """Nothing was written."""


class ArchiveParts:
    """The files that records are split into; a context manager that renames them at its end.

    After an exception no file is left. Raises OSError, and FileExistsError if a file already exists
    and must not be replaced.
    """

    def __init__(
        self, folder: Path, *, compression: str = "", replace: bool = False, memory: int = 32 << 20
    ) -> None:
        """Take one of COMPRESSIONS (or empty) and the limit of waiting records in bytes.

        If more than `memory` bytes of records are waiting, all are written.
        """
        self._folder: Final = folder
        self._compression: Final = f".{compression}" if compression else ""
        self._replace: Final = replace
        self._memory: Final = memory
        self._size = 0
        self._parts: Final[dict[str, ArchivePart]] = {}

    def __enter__(self) -> Self:
        self._is_new = not (self._folder.is_dir() and any(self._folder.iterdir()))
        making = whole_folder(self._folder) if self._is_new else half_folder(self._folder / "split")
        with ExitStack() as stack:
            self._hidden = stack.enter_context(making)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._stack.__exit__(kind, error, trace)
            return
        with suppress(_NothingError), self._stack:
            if self._is_new and not self._parts:
                raise _NothingError  # so that no folder is made
            self._name_all()

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def parts(self) -> list[ArchivePart]:
        """Return the parts in the order of their first records."""
        return list(self._parts.values())

    def add(self, name: str, text: str) -> None:
        """Add a record to the part with this name, which is its file name without suffix."""
        if (part := self._parts.get(name)) is None:
            file = f"{name}.lath{self._compression}"
            part = self._parts[name] = ArchivePart(self._folder / file, self._hidden / file)
            self._refuse_existing(part)
        data = (b"\n" if part.records else b"") + text.encode() + b"\n"
        part.records += 1
        part.gathered.append(data)
        self._size += len(data)
        if self._size >= self._memory:
            self._write_gathered()

    def _refuse_existing(self, part: ArchivePart) -> None:
        if part.path.exists() and not (self._replace and part.path.is_file()):
            raise FileExistsError(17, "already exists", str(part.path))

    def _write_gathered(self) -> None:
        for part in self._parts.values():
            if part.gathered:
                with part.hidden.open("ab") as stream:
                    self._append(part, stream)
                part.gathered.clear()
        self._size = 0

    def _append(self, part: ArchivePart, stream: BinaryIO) -> None:
        data = b"".join(part.gathered)
        if self._compression == ".zst":
            frames = FramesWriter(stream, part.frames)
            frames.write(data)
            frames.end_frame()
            part.frames = frames.table()
        else:
            stream.write(compressed(data, self._compression))

    def _end_frames(self, part: ArchivePart) -> None:
        """Write the index after the records of a `.zst`, as `write_atomically` does."""
        if (note := note_for(part.hidden)) is not None:
            with BufferedReader(Frames(part.hidden.open("rb"), part.frames)) as content:
                noted = note(cast("BinaryIO", content))
            with part.hidden.open("ab") as stream:
                frames = FramesWriter(stream, part.frames)
                frames.note(noted)
                frames.finish()

    def _name_all(self) -> None:
        """Rename every file, after all of them have been synced to the disk."""
        self._write_gathered()
        for part in self.parts:
            self._end_frames(part)
            self._refuse_existing(part)
        with ThreadPoolExecutor(16) as pool:  # most of the time is waiting for the disk
            list(pool.map(sync, [part.hidden for part in self.parts]))
        if self._is_new:
            return  # renaming the folder renames all of its files
        for part in self.parts:
            part.hidden.replace(part.path)
        sync(self._folder)


def verbatim(texts: Iterable[str]) -> Iterator[bytes]:
    r"""Yield the bytes of a file with these records, with an empty line between two of them.

    >>> b"".join(verbatim(['[Game "yavalath"] *', '[Game "surikata"] *']))
    b'[Game "yavalath"] *\n\n[Game "surikata"] *\n'
    """
    return ((b"\n" if number else b"") + text.encode() + b"\n" for number, text in enumerate(texts))
