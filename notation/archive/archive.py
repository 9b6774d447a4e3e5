"""Archives that do not fit into memory: records put in order, divided, without duplicates.

Records are carried as they stand in their files, `Entry.text`; what is kept of them meanwhile is
bounded, or lies in temporary files that vanish with the process. Nothing is played, so that a game
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
"""What an order begins with: numbers come before texts, and what is not known comes last."""


class KeyNameError(NotationError):
    """The name of a key can be no tag's."""


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that records are ordered or divided by; build it by `key`."""

    name: str
    """A tag, or `Plies`."""

    def text(self, record: Record) -> str:
        """Return the record's value; empty where it has none, and for `?`.

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
        """Return bytes that compare as the values do; none is the beginning of another.

        Numbers, and such without a sign joined by dots, part by part, come before texts; those go
        by the alphabet without regard to capitals; a missing value comes last. Results are in the
        order of RESULTS: first won, second won, a draw, not finished.
        """
        if not (value := self.text(record)):
            return _NOTHING
        if self.name == "Result":
            return _NUMBER + bytes([list(RESULTS).index(value)])
        # 18 digits fit into 8 bytes; a longer one is no count of anything
        if re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,18})*|[-+][0-9]{1,18}", value):
            parts = [
                b"\0" + (2**64 + number).to_bytes(8, "big")
                if number < 0
                else b"\1" + number.to_bytes(8, "big")
                for number in map(int, value.split("."))
            ]
            return _NUMBER + b"".join(parts) + b"\0"
        # each with an end that no other text goes past
        texts = (text.encode("utf-8", "surrogatepass") for text in (value.casefold(), value))
        return _TEXT + b"".join(text.replace(b"\0", b"\0\xff") + b"\0\0" for text in texts)


def key(name: str) -> Key:
    """Return the key of a name; known tags in any case, others as records write them.

    Raises KeyNameError.

    >>> key("date"), key("Mood")
    (Key(name='Date'), Key(name='Mood'))
    """
    name = name.strip()
    if not is_tag_name(name):
        expected = "a tag such as Date or Round, result or plies"
        raise KeyNameError(f"{name!r} is nothing that records have; expected {expected}")
    known = _BY_ANY_CASE.get(name.casefold())
    close = None if known else get_close_matches(name.casefold(), _BY_ANY_CASE, n=1, cutoff=0.75)
    if close and name.islower():
        raise KeyNameError(f"{name!r} is no key; did you mean {close[0]}?")
    return Key(known or name)


def keys(names: str) -> tuple[Key, ...]:
    """Return the keys of names with commas between; raises KeyNameError."""
    return tuple(map(key, names.split(",")))


def order_by(keys: Sequence[Key], record: Record) -> bytes:
    """Return bytes that compare as the values of all keys do, the first counting most."""
    return b"".join([key.order(record) for key in keys])


LONGEST: Final = 120
"""Bytes of a name without its suffix; systems allow 255, some of them fewer in a path."""

_RESERVED: Final = re.compile(r"(?i:con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9])(\..*)?")
"""Names of devices under Windows, whatever follows the first dot."""


def safe_name(text: str) -> str:
    """Return a name made of the letters and digits of `text`, and of `-`, `_`, `+` and `.`.

    Never empty, hidden, reserved, a path, or over LONGEST bytes of UTF-8. Different texts may
    have one name: `Names` keeps those apart.

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
    """Return the beginning of `name` that takes at most `size` bytes of UTF-8.

    >>> shortened("größer", 4)
    'grö'
    """
    return name.encode("utf-8", "ignore")[:size].decode("utf-8", "ignore").rstrip(".-")


class Names:
    """Names that were given to texts, so that two of them never are one file."""

    def __init__(self) -> None:
        self._given: Final[dict[str, str]] = {}
        self._numbers: Final[dict[str, int]] = {}
        """The last number that a name got, for every name that is taken or was wanted."""

    def __len__(self) -> int:
        return len(self._given)

    def of(self, text: str, wanted: str | None = None) -> str:
        """Return the name of `text`, made of `wanted` (else of `text`) when it is first asked for.

        A name that is taken, be it in other capitals, gets a number: `bots`, `Bots-2`.
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
    """Return what systems compare that make no difference between capitals and small letters."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


SIZE: Final = 16
"""Bytes. Among ten million games, two that differ have one digest with a chance below 1e-24."""


def identity(record: Record) -> bytes:
    """Return 16 bytes that are equal for records of one game: id, start and moves of the main line.

    However they are spelled: a plain `Setup` and none, a `Setup` and the `Position` that it makes,
    `xb4-b2` and `xb2-b4` are the same; by other `Rules` it is another game. Players, result, other
    tags, comments and variations do not count. What the game cannot read counts as it stands.

    >>> from lath.notation import parse
    >>> short = parse('[Game "mammalath"] c3 xb4-b2 *')
    >>> long = parse('[Game "mammalath"] [First "ann"] 1. c3! {why not} 2. xb2-b4 1-0')
    >>> identity(short) == identity(long)
    True
    """
    game, rules = record.game, record.tag(RULES)
    words = [game, start_text_of(record), *canonical_moves(record)]
    if rules not in ("", FIRST_VERSION):
        words.append(rules)  # a number, which is no move
    return digest_of(words)


def digest_of(parts: Iterable[str]) -> bytes:
    """Return 16 bytes that are equal for the same texts in the same order."""
    return blake2b("\n".join(parts).encode("utf-8", "surrogatepass"), digest_size=SIZE).digest()


def canonical_moves(record: Record) -> tuple[str, ...]:
    """Return the moves of the main line in canonical text, those that the game cannot read as is.

    Cheaper than `notation.canonical`: a game's spellings are looked up, not read again.
    """
    spelled = spellings(record.game, record.tag(RULES))
    return tuple([spelled[move] for move in record.moves])


def least_of(record: Record) -> tuple[str, tuple[str, ...]]:
    """Return the text of the start and the moves, which are the same for a game turned or mirrored.

    Records of one game have the same if some symmetry takes one to the other, and what begins a
    line begins its least image. What the game cannot read counts as it stands.

    >>> from lath.notation import parse
    >>> least_of(parse('[Game "yavalath"] i5 swap e5 *'))[1]
    ('a1', 'swap', 'e5')
    """
    setup, position, moves = record.tag("Setup"), record.tag("Position"), canonical_moves(record)
    try:
        begun = start_from(record.game, setup, position, record.tag(RULES))
        least, line = least_line(begun, list(map(Move, moves)))
        return least.text(), line
    except (GameError, KeyError):  # a word that is no move of the game has no image
        return start_text(record.game, setup, position), moves


def start_text_of(record: Record) -> str:
    """Return the text of the position before a record's first ply, as `start_text` does."""
    return start_text(record.game, record.tag("Setup"), record.tag("Position"), record.tag(RULES))


def start_text(game_id: str, setup: str, position: str, rules: str = "") -> str:
    """Return the text of the position before the first ply, from the values of the tags.

    Of an unknown game, or what its game refuses, the value as it stands.
    """
    is_short = len(game_id) + len(setup) + len(position) + len(rules) <= SHORT
    return (_start_text if is_short else _start_text.__wrapped__)(game_id, setup, position, rules)


@lru_cache(maxsize=4096)
def _start_text(game_id: str, setup: str, position: str, rules: str) -> str:
    try:
        return start_from(game_id, setup, position, rules).text()
    except GameError as error:
        if rules and isinstance(error, RulesVersionError):  # today's may read what it says
            return _start_text(game_id, setup, position, "")
        return f"Position {position}" if position else f"Setup {setup}"


class SeenRecords:
    """The identities that were met, in 25 bytes each where there are millions.

    A set would take 110. Here the first two bytes choose one of 65 536 shelves, and a shelf is
    the other bytes of its identities on end, each with its place: of 150 identities where there
    are ten millions.
    """

    def __init__(self) -> None:
        self._shelves: Final = defaultdict[bytes, bytearray](bytearray)
        self._added = 0

    def add(self, identity: bytes) -> bool:
        """Keep an identity, all of which are of one length; return whether it is new.

        >>> seen = SeenRecords()
        >>> seen.add(b"0123456789abcdef"), seen.add(b"0123456789abcdef")
        (True, False)
        """
        self._added += 1
        return self.first(identity, self._added) == self._added

    def first(self, identity: bytes, place: int) -> int:
        """Keep an identity and a place, 0 to 2**40; return the place that came with it first."""
        shelf, kept = self._shelves[identity[:2]], identity[2:]
        if (at := self._at(shelf, kept)) >= 0:
            return int.from_bytes(shelf[at + len(kept) : at + len(kept) + _PLACE])
        shelf += kept + place.to_bytes(_PLACE)
        return place

    def has(self, identity: bytes) -> bool:
        """Return whether an identity was kept.

        >>> seen = SeenRecords()
        >>> seen.has(b"0123456789abcdef"), seen.add(b"0123456789abcdef")
        (False, True)
        >>> seen.has(b"0123456789abcdef")
        True
        """
        return self._at(self._shelves.get(identity[:2], b""), identity[2:]) >= 0

    @staticmethod
    def _at(shelf: bytes | bytearray, kept: bytes) -> int:
        """Return where an identity is; -1 where it is not."""
        size = len(kept) + _PLACE
        at = shelf.find(kept)
        while at > 0 and at % size:  # it was found across two others
            at = shelf.find(kept, at + 1)
        return at


_PLACE: Final = 5
"""Bytes of a place."""


MEMORY: Final = 64 << 20
"""Bytes of what is being sorted or compared that are in memory at once."""


@contextmanager
def temporary_database(*tables: str, memory: int = MEMORY) -> Iterator[sqlite3.Connection]:
    """Open a database of these tables that vanishes with the process, however that ends.

    What is over `memory` bytes lies in a file without a name. Raises TemporaryFileError where there
    is no room for it.
    """
    import sqlite3  # who neither sorts nor compares does not wait for it

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
    """Yield the second of each item in the order of the first; equal ones stay in their order.

    `memory` is in bytes; what is over it lies on the disk. Raises OSError where there is no room.

    >>> list(in_order([(b"2", b"two"), (b"1", b"one"), (b"2", b"deux")]))
    [b'one', b'two', b'deux']
    """
    # half of the memory is for the table, SQLite takes as much again when it sorts
    table = "CREATE TABLE item (key BLOB, value BLOB)"
    with temporary_database(table, memory=memory // 2) as database:
        database.executemany("INSERT INTO item VALUES (?, ?)", items)
        order = "DESC" if reverse else "ASC"
        query = f"SELECT value FROM item ORDER BY key {order}, rowid"  # noqa: S608 - our words
        yield from (value for (value,) in database.execute(query))


COMPRESSIONS: Final = tuple(suffix[1:] for suffix in files.COMPRESSIONS)
"""The ways in which the parts of an archive may be compressed."""


@dataclass(slots=True)
class ArchivePart:
    """One file of an archive that is being divided."""

    path: Path
    """Where it will be."""

    hidden: Path = field(repr=False)
    """Where it is until then."""

    records: int = 0

    gathered: list[bytes] = field(default_factory=list, repr=False)
    """What is not in its temporary file yet."""

    frames: tuple[Frame, ...] = field(default=(), repr=False)
    """What is there, of a `.zst`."""


class _NothingError(LathError):
    """Nothing is written."""


class ArchiveParts:
    """The files that records are divided into; a context, at whose end they get their names.

    Where it ends with an exception, nothing is left. Raises OSError: FileExistsError for a file
    that is there already, unless it may be replaced.
    """

    def __init__(
        self, folder: Path, *, compression: str = "", replace: bool = False, memory: int = 32 << 20
    ) -> None:
        """`compression` is one of COMPRESSIONS, or empty.

        Of records that wait to be written all are when they are more than `memory` bytes.
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
                raise _NothingError  # no folder is made
            self._name_all()

    def __len__(self) -> int:
        return len(self._parts)

    @property
    def parts(self) -> list[ArchivePart]:
        """Return the parts in the order in which they began."""
        return list(self._parts.values())

    def add(self, name: str, text: str) -> None:
        """Add a record to the part of this name, which is a file's without its suffix."""
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
            raise FileExistsError(17, "exists already", str(part.path))

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
        """Write behind a `.zst` where its records are, as `write_atomically` does."""
        if (note := note_for(part.hidden)) is not None:
            with BufferedReader(Frames(part.hidden.open("rb"), part.frames)) as content:
                noted = note(cast("BinaryIO", content))
            with part.hidden.open("ab") as stream:
                frames = FramesWriter(stream, part.frames)
                frames.note(noted)
                frames.finish()

    def _name_all(self) -> None:
        """Give every file its name: first all are safe on the disk, then all are renamed."""
        self._write_gathered()
        for part in self.parts:
            self._end_frames(part)
            self._refuse_existing(part)
        with ThreadPoolExecutor(16) as pool:  # most of it is waiting for the disk
            list(pool.map(sync, [part.hidden for part in self.parts]))
        if self._is_new:
            return  # the folder gets its name, and all of them with it
        for part in self.parts:
            part.hidden.replace(part.path)
        sync(self._folder)


def verbatim(texts: Iterable[str]) -> Iterator[bytes]:
    r"""Yield the bytes of a file of these records: an empty line between two of them.

    >>> b"".join(verbatim(['[Game "yavalath"] *', '[Game "surikata"] *']))
    b'[Game "yavalath"] *\n\n[Game "surikata"] *\n'
    """
    return ((b"\n" if number else b"") + text.encode() + b"\n" for number, text in enumerate(texts))
