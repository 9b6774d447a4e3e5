"""Other formats of game records, one module each, and the table of all formats.

The notation's own text is in `text`.

A format reads a stream into entries, writes records as blocks of bytes, or both. What a format
cannot hold it names through `lost`, so that nothing is dropped in silence. The table is enough to
find a format; its module is loaded when it is used.
"""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, TypeVar, cast

from lath.notation.files.files import DATABASE, compression_of, open_bytes
from lath.notation.record.errors import NotationError

if TYPE_CHECKING:
    from lath.notation.record.record import Record
    from lath.notation.text.splitting import Entry

Lost = Callable[[int, str], None]
"""Is told of what the target cannot hold: the record's number from 1, and the field's name, such
as `comments` or `tag Annotator`."""

WHOLE: Final = "the record"
"""The field that a writer names when it leaves a record out, after the field that is why."""

Reader = Callable[[BinaryIO, str], "Iterator[Entry]"]
"""From a stream and what problems call it to its entries, lazily. A record that cannot be read is
an entry with a problem, and reading goes on at the next."""

Writer = Callable[["Iterable[Record]", Lost], Iterator[bytes]]
"""From records to the bytes of a file, lazily."""

Numbered = tuple[int, "Record"]
"""A record and its number in its source, from 1."""

Note = Callable[["Record", str], str]
"""From a record and the name of the format in which it is written to what must be said of it: that
it ends otherwise by the rules of a format's own program. Empty where nothing must be said."""

PlyWriter = Callable[["Iterable[Numbered]", Lost], Iterator[bytes]]
"""From records to the bytes of a table that has a row a ply, lazily."""


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """One way to write game records."""

    suffixes: tuple[str, ...]
    """Of files, such as `.jsonl`; the first is the usual one."""

    read: str | None = None
    """Its Reader, as module of this package and name; None where the format is only written."""

    write: str | None = None
    """Its Writer likewise; None where the format is only read."""

    plies: str | None = None
    """Its PlyWriter of positions; None where a row a ply makes no sense."""

    planes: str | None = None
    """Its PlyWriter of numbers for machine learning; None where it holds no numbers."""

    holds_moves: bool = True
    """Whether it has moves; of one that has none records are results alone."""

    note: str | None = None
    """Its Note; None where games end by its rules as by ours."""


TABLE: Final[Mapping[str, RecordFormat]] = {
    "lath": RecordFormat((".lath",), ":read_lath", ":write_lath"),
    "jsonlines": RecordFormat(
        (".jsonl", ".ndjson"), "jsonlines:read", "jsonlines:write", "tables:json_of_plies"
    ),
    "abstractplay": RecordFormat(
        (".json",), "abstractplay:read", "abstractplay:write", note="abstractplay:note_of"
    ),
    "ludii": RecordFormat((".trl",), read="ludii:read"),
    "ygn": RecordFormat((".ygn",), "ygn:read", "ygn:write"),
    "sgf": RecordFormat((".sgf",), write="sgf:write"),
    "pgn": RecordFormat((".pgn",), "pgn:read", "pgn_headers:write", holds_moves=False),
    "text": RecordFormat((".txt",), read="text:read"),
    "csv": RecordFormat((".csv",), "tables:read_csv", "tables:write_csv", "tables:csv_of_plies"),
    "parquet": RecordFormat(
        (".parquet",),
        "tables:read_parquet",
        "tables:write_parquet",
        "tables:parquet_of_plies",
        planes="planes:parquet_of_planes",
    ),
    "npz": RecordFormat((".npz",), planes="planes:npz_of_planes"),
    "duckdb": RecordFormat((DATABASE,), ":read_lath"),  # `open_bytes` makes text of it
}
"""Every format by its name, which `--from` and `--to` know too. Databases are written otherwise."""

_BY_SUFFIX: Final = {suffix: name for name, known in TABLE.items() for suffix in known.suffixes}

OF_TEXT: Final = ("lath", "duckdb")
"""Formats whose files are our own text when they are opened."""

READABLE: Final = tuple(name for name, known in TABLE.items() if known.read)
WRITABLE: Final = tuple(name for name, known in TABLE.items() if known.write)


_GIVEN: Final[list[str]] = []


def give_game(game_id: str) -> None:
    """Note the game of records that name none, in formats that leave it out."""
    _GIVEN[:] = [game_id]


def given_game() -> str:
    """Return the game of records that name none; empty where nobody has said."""
    return _GIVEN[0] if _GIVEN else ""


class FormatError(NotationError):
    """There is no such format, it cannot do what is asked, or what it needs is not installed."""


def name_for(path: str | Path) -> str:
    """Return the name of the format that a file's suffix stands for; raises FormatError.

    A suffix of compression is looked through, and capitals make no difference.

    >>> name_for("games.jsonl.gz"), name_for("GAMES.CSV.GZ")
    ('jsonlines', 'csv')
    """
    suffix = _suffix_of(path)
    if name := _BY_SUFFIX.get(suffix.lower()):
        return name
    found = f"no format has the suffix {suffix}" if suffix else "the name has no suffix of a format"
    raise FormatError(f"{path}: {found}; expected one of {', '.join(_BY_SUFFIX)}")


def named(text: str) -> str:
    """Return the name of the format that a name or a suffix stands for; any other text as it is.

    >>> named("jsonlines"), named(".jsonl"), named("jsonl"), named("pdf")
    ('jsonlines', 'jsonlines', 'jsonlines', 'pdf')
    """
    return text if text in TABLE else _BY_SUFFIX.get(f".{text.removeprefix('.').lower()}", text)


def is_other(path: str | Path) -> bool:
    """Return whether a file's suffix stands for a format that is not our text.

    A `.txt` may be either: how it begins says so.
    """
    try:
        return name_for(path) not in ("lath", "text")
    except FormatError:
        return False


_HEAD: Final = 1 << 16
"""Bytes of a file by which its format is recognised."""

_BEGINS: Final = {
    "abstractplay": rb'(?:\[\s*)?\{\s*"(?:header|moves)"\s*:',
    "jsonlines": rb'\{\s*"(?:tags|plies|comments|result)"\s*:',
    "ludii": rb"game=",
    "ygn": rb"\[[0-9/wb]+ [wb]\]",
}
"""How files of some formats begin."""


def recognised(path: str | Path) -> str:
    """Return the name of the format of a file that is read: by its suffix, else by how it begins.

    Files of most suffixes are not opened for that, nor are pipes but standard input. What nothing
    recognises is our own text. Raises OSError.
    """
    name = name_for(path) if is_other(path) else "lath"
    is_sure = name not in ("lath", "pgn") or _suffix_of(path).lower() in TABLE["lath"].suffixes
    if is_sure or (str(path) != "-" and not Path(path).is_file()):
        return name
    with open_bytes(path) as stream:
        head = _peeked(stream) if str(path) == "-" else stream.read(_HEAD)
    if head.startswith(_UTF_16):
        head = head.decode("utf-16", "ignore").encode("utf-8", "replace")
    return _recognised(head, str(path), name)


_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How text of UTF-16 begins, as Windows' Notepad may save it."""


class _Recoded(io.RawIOBase):
    """Text of UTF-16 as a stream of UTF-8."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-16")("replace").decode

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as what is read next goes; 0 is the end."""
        data = b""
        while not data:
            given = self._stream.read(len(buffer) // 2)  # of which two bytes become three at most
            data = self._decode(given, not given).encode("utf-8", "replace")
            if not given:
                break
        buffer[: len(data)] = data
        return len(data)


def begins_as_ours(path: Path) -> bool:
    """Return whether a file begins with a record of our own text; raises OSError."""
    from lath.notation.formats import text  # start-up time

    with open_bytes(path) as stream:
        return text.is_ours(stream.read(_HEAD))


def _peeked(stream: BinaryIO) -> bytes:
    """Return how a stream begins, which is read from there on afterwards."""
    if isinstance(stream, io.BufferedReader):
        return stream.peek(_HEAD)[:_HEAD]
    if not stream.seekable():
        return b""
    begin = stream.tell()
    head = stream.read(_HEAD)
    stream.seek(begin)
    return head


def _suffix_of(path: str | Path) -> str:
    file = Path(path)
    return (Path(file.stem) if compression_of(file) else file).suffix


def _recognised(head: bytes, file: str, name: str) -> str:
    """Return the format of a file that begins so, which is called `name` where that is not sure."""
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if name == "lath":
        for other, pattern in _BEGINS.items():
            if re.match(pattern, begin):
                return other
    is_text = _suffix_of(file).lower() == ".txt"
    if not begin or (is_text and begin.startswith(b"%")):
        return name
    from lath.notation.formats import text  # start-up time

    if name == "lath" and text.is_ours(head):
        return name
    return "text" if is_text or text.is_like(head, file, is_sure=name == "lath") else name


def reader(name: str) -> Reader:
    """Return what reads the format of this name; raises FormatError."""
    return cast("Reader", _function(name, "read"))


def writer(name: str) -> Writer:
    """Return what writes the format of this name; raises FormatError."""
    return cast("Writer", _function(name, "write"))


def ply_writer(name: str) -> PlyWriter:
    """Return what writes a row a ply in the format of this name; raises FormatError."""
    return cast("PlyWriter", _function(name, "plies"))


def plane_writer(name: str) -> PlyWriter:
    """Return what writes planes in the format of this name; raises FormatError."""
    return cast("PlyWriter", _function(name, "planes"))


def note_of(name: str) -> Note | None:
    """Return what says of records that they end otherwise by a format's rules; None for most."""
    return cast("Note", _function(name, "note")) if TABLE[name].note else None


def _function(name: str, does: str) -> Any:
    if name not in TABLE:
        raise FormatError(f"unknown format {name!r}; expected one of {', '.join(TABLE)}")
    where: str | None = getattr(TABLE[name], does)
    if where is None and does in {"read", "write"} and not (TABLE[name].read or TABLE[name].write):
        raise FormatError(f"{name} holds planes, not records; use `arena convert --planes`")
    if where is None:
        if does == "read":
            raise FormatError(
                f"{name} can only be written, not read; expected one of {', '.join(READABLE)}"
            )
        if does in {"plies", "planes"}:
            able = ", ".join(other for other, known in TABLE.items() if getattr(known, does))
            raise FormatError(
                f"{name} cannot hold {'one row per ply' if does == 'plies' else 'planes'}; "
                f"expected one of {able}"
            )
        raise FormatError(
            f"{name} can only be read, not written; expected one of {', '.join(WRITABLE)}"
        )
    module, _, function = where.rpartition(":")
    return getattr(import_module(f"{__name__}.{module}" if module else __name__), function)


class UnheldError(NotationError):
    """A format cannot hold a record; `field` says what of it."""

    def __init__(self, field: str) -> None:
        super().__init__(f"the format cannot hold {field}")
        self.field = field


_Given = TypeVar("_Given")
_Held = TypeVar("_Held")


def held(
    records: Iterable[_Given], lost: Lost, hold: Callable[[_Given], tuple[_Held, Iterable[str]]]
) -> Iterator[_Held]:
    """Yield what `hold` makes of each record; the fields that it names beside are told as lost.

    A record for which it raises UnheldError is left out.
    """
    for number, record in enumerate(records, 1):
        try:
            value, unheld = hold(record)
        except UnheldError as error:
            lost(number, error.field)
            lost(number, WHOLE)
            continue
        for field in unheld:
            lost(number, field)
        yield value


def entries(
    stream: BinaryIO, name: str, file: str, *, rules: bool, jobs: int = 1
) -> Iterator[Entry]:
    """Yield what stands in a stream of the format of this name; problems call it `file`.

    The text of an entry is ours, whatever the format. With `rules` the moves are played and
    results, tags and annotations checked, those of our own text by `jobs` processes. Raises
    FormatError.
    """
    from lath.notation.record.tags import GAME_FILE  # start-up time
    from lath.notation.rules.quick_check import valid_plies
    from lath.notation.rules.reading import entries_of, entry_of
    from lath.notation.text.scanner import size_fault
    from lath.notation.text.splitting import RecordText
    from lath.notation.text.writer import format_record

    if name in OF_TEXT:
        yield from entries_of(stream, file, rules=rules, jobs=jobs)
        return
    is_utf_16 = _peeked(stream)[:2] in _UTF_16
    for entry in reader(name)(io.BufferedReader(_Recoded(stream)) if is_utf_16 else stream, file):
        text = format_record(entry.record).rstrip() if entry.record else ""
        problems = entry.problems
        fault = size_fault(text)
        if not problems and (fault or (rules and valid_plies(text) is None)):
            # our text is not what the file has: the record's place is told
            problems = tuple(
                replace(problem, line=entry.line)
                for problem in entry_of(RecordText(1, text, fault), file, entry.number).problems
            )
        other = entry.other_game
        is_unknown = any(one.code == "unknown-game" and not one.meant for one in problems)
        if not other and entry.record and is_unknown:
            other = "" if entry.record.tag(GAME_FILE) else entry.record.game
        yield replace(entry, problems=problems, text=text, other_game=other)


def is_of_another_game(record: Record) -> bool:
    """Return whether a record is of a game that is not installed, and whose file nobody names."""
    from lath.notation.record.tags import GAME_FILE  # start-up time
    from lath.notation.text.suggestions import is_game, meant_game

    return not (is_game(record.game) or record.tag(GAME_FILE) or meant_game(record.game))


def read_lath(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield what stands in a stream of our own text; only the syntax is looked at."""
    from lath.notation.rules.reading import entries_of  # start-up time

    return entries_of(stream, name, rules=False)


def write_lath(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:  # noqa: ARG001 - nothing is
    """Yield the records in the canonical form of our own text, which holds everything."""
    from lath.notation.rules.replay import canonical  # start-up time
    from lath.notation.text.writer import format_records

    return map(str.encode, format_records(map(canonical, records)))


def remarks(record: Record) -> Iterator[str]:
    """Yield what is said of the moves, for a format that holds none of it."""
    from lath.notation.record.record import all_comments, all_plies  # start-up time

    if any(ply.glyph for ply in all_plies(record.plies)):
        yield "glyphs"
    if any(all_comments(record)):
        yield "comments"
    if any(ply.variations for ply in record.plies):
        yield "variations"
