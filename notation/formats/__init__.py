"""Other formats of game records, one module each, and the table of all formats.

The arena's own text format is in `text`.

A format reads a stream as entries, writes records as blocks of bytes, or both. It reports each
field that it cannot hold through `lost`, so that nothing is dropped silently. The table is enough
to find a format; its module is loaded on first use.
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
"""The function that a writer calls for each field that the target cannot hold. Its arguments are
the record's number from 1 and the name of the field, such as `comments` or `tag Annotator`."""

WHOLE: Final = "the record"
"""The field that a writer reports when it leaves out a record, after the field that is the reason.
"""

Reader = Callable[[BinaryIO, str], "Iterator[Entry]"]
"""From a stream, and its name for problems, to its entries, lazily. An unreadable record is an
entry with a problem, and reading continues with the next record."""

Writer = Callable[["Iterable[Record]", Lost], Iterator[bytes]]
"""From records to the bytes of a file, lazily."""

Numbered = tuple[int, "Record"]
"""A record and its number in its source, from 1."""

Note = Callable[["Record", str], str]
"""From a record, and the name of the format in which it is written, to a note. The note says that
the game ends differently under the rules of a format's own program; it is empty otherwise."""

PlyWriter = Callable[["Iterable[Numbered]", Lost], Iterator[bytes]]
"""From records to the bytes of a table with one row per ply, lazily."""


@dataclass(frozen=True, slots=True)
class RecordFormat:
    """One format of game records."""

    about: str
    """The kind of format, as a phrase."""

    suffixes: tuple[str, ...]
    """The suffixes of files, such as `.jsonl`; the first is the usual one."""

    read: str | None = None
    """Its Reader, as a module of this package and a name; None if the format can only be written.
    """

    write: str | None = None
    """Its Writer, as a module and a name; None if the format can only be read."""

    plies: str | None = None
    """Its PlyWriter of positions; None if the format has no rows per ply."""

    planes: str | None = None
    """Its PlyWriter of numbers for machine learning; None if it has no such numbers."""

    holds_moves: bool = True
    """True if it has moves; otherwise its records are only results."""

    note: str | None = None
    """Its Note; None if games end under its rules as under the arena's."""


TABLE: Final[Mapping[str, RecordFormat]] = {
    "lath": RecordFormat("the arena's notation", (".lath",), ":read_lath", ":write_lath"),
    "jsonlines": RecordFormat(
        "JSON, one record per line",
        (".jsonl", ".ndjson"),
        "jsonlines:read",
        "jsonlines:write",
        "tables:json_of_plies",
    ),
    "abstractplay": RecordFormat(
        "AbstractPlay's game records",
        (".json",),
        "abstractplay:read",
        "abstractplay:write",
        note="abstractplay:note_of",
    ),
    "ludii": RecordFormat("Ludii's trials", (".trl",), read="ludii:read"),
    "ygn": RecordFormat("YGN, the moves of Yavalath", (".ygn",), "ygn:read", "ygn:write"),
    "sgf": RecordFormat("SGF FF[4], for viewers and archives", (".sgf",), write="sgf:write"),
    "pgn": RecordFormat(
        "headers of PGN, as results without moves",
        (".pgn",),
        "pgn:read",
        "pgn_headers:write",
        holds_moves=False,
    ),
    "text": RecordFormat("records written by hand", (".txt",), read="text:read"),
    "csv": RecordFormat(
        "one row per game, for spreadsheets",
        (".csv",),
        "tables:read_csv",
        "tables:write_csv",
        "tables:csv_of_plies",
    ),
    "parquet": RecordFormat(
        "one row per game, for data frames",
        (".parquet",),
        "tables:read_parquet",
        "tables:write_parquet",
        "tables:parquet_of_plies",
        planes="planes:parquet_of_planes",
    ),
    "npz": RecordFormat("arrays of numpy", (".npz",), planes="planes:npz_of_planes"),
    "duckdb": RecordFormat(
        "a database of games",
        (DATABASE,),
        ":read_lath",  # `open_bytes` returns it as text
    ),
}
"""Every format by its name, as in `--from` and `--to`. Databases are written in another way."""

_BY_SUFFIX: Final = {suffix: name for name, known in TABLE.items() for suffix in known.suffixes}

OF_TEXT: Final = ("lath", "duckdb")
"""Formats whose files are opened as the arena's own text."""

READABLE: Final = tuple(name for name, known in TABLE.items() if known.read)
WRITABLE: Final = tuple(name for name, known in TABLE.items() if known.write)


def names_by_use() -> dict[str, tuple[str, ...]]:
    """Return the formats that `arena convert` reads and writes, only reads, and only writes."""
    by_use: dict[str, tuple[str, ...]] = {}
    for name, known in TABLE.items():
        is_written = bool(known.write or known.planes) or DATABASE in known.suffixes
        use = "Only written" if not known.read else "Read and written"
        use = use if is_written else "Only read"
        by_use[use] = (*by_use.get(use, ()), name)
    return by_use


def names_with(able: str) -> tuple[str, ...]:
    """Return the formats that have a part, `plies` or `planes`."""
    return tuple(name for name, known in TABLE.items() if getattr(known, able))


_GIVEN: Final[list[str]] = []


def give_game(game_id: str) -> None:
    """Set the game of records that do not name one, in formats that allow this."""
    _GIVEN[:] = [game_id]


def given_game() -> str:
    """Return the game of records that do not name one; empty if it was not set."""
    return _GIVEN[0] if _GIVEN else ""


class FormatError(NotationError):
    """The format does not exist, cannot do this, or needs a module that is not installed."""


def name_for(path: str | Path) -> str:
    """Return the name of the format for a file's suffix. Raises FormatError if it is unknown.

    A compression suffix is ignored, and so is case.

    >>> name_for("games.jsonl.gz"), name_for("GAMES.CSV.GZ")
    ('jsonlines', 'csv')
    """
    suffix = _suffix_of(path)
    if name := _BY_SUFFIX.get(suffix.lower()):
        return name
    found = f"no format has the suffix {suffix}" if suffix else "the name has no suffix"
    raise FormatError(f"{path}: {found}; expected one such as .lath, .pgn or .csv")


def named(text: str) -> str:
    """Return the format for a name or a suffix; any other text is returned unchanged.

    >>> named("jsonlines"), named(".jsonl"), named("jsonl"), named("pdf")
    ('jsonlines', 'jsonlines', 'jsonlines', 'pdf')
    """
    return text if text in TABLE else _BY_SUFFIX.get(f".{text.removeprefix('.').lower()}", text)


def is_other(path: str | Path) -> bool:
    """Return whether a file's suffix belongs to a format other than the arena's own text.

    A `.txt` can be either, which depends on its content.
    """
    try:
        return name_for(path) not in ("lath", "text")
    except FormatError:
        return False


_HEAD: Final = 1 << 16
"""The number of bytes of a file by which its format is recognised."""

_BEGINS: Final = {
    "abstractplay": rb'(?:\[\s*)?\{\s*"(?:header|moves)"\s*:',
    "jsonlines": rb'\{\s*"(?:tags|plies|comments|result)"\s*:',
    "ludii": rb"game=",
    "ygn": rb"\[[0-9/wb]+ [wb]\]",
}
"""The first bytes of files of some formats."""


def recognised(path: str | Path) -> str:
    """Return the format of a file: by its suffix, or else by its first bytes.

    Files with most suffixes are not opened for this. Neither are pipes, except standard input. The
    default is the arena's own text. Raises OSError if the file cannot be read.
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
"""The first bytes of UTF-16 text, as Windows' Notepad may save it."""


class _Recoded(io.RawIOBase):
    """A stream of UTF-16 text as UTF-8."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream
        self._decode = codecs.getincrementaldecoder("utf-16")("replace").decode

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer, or a part of it; return the number of bytes, 0 at the end."""
        data = b""
        while not data:
            given = self._stream.read(
                len(buffer) // 2
            )  # two bytes of UTF-16 become at most three of UTF-8
            data = self._decode(given, not given).encode("utf-8", "replace")
            if not given:
                break
        buffer[: len(data)] = data
        return len(data)


def begins_as_ours(path: Path) -> bool:
    """Return whether a file begins with a record in the arena's own text. Raises OSError."""
    from lath.notation.formats import text  # start-up time

    with open_bytes(path) as stream:
        return text.is_ours(stream.read(_HEAD))


def _peeked(stream: BinaryIO) -> bytes:
    """Return the first bytes of a stream without consuming them."""
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
    """Return the format of a file with these first bytes; `name` if that is not certain."""
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
    """Return the reader of the format with this name. Raises FormatError."""
    return cast("Reader", _function(name, "read"))


def writer(name: str) -> Writer:
    """Return the writer of the format with this name. Raises FormatError."""
    return cast("Writer", _function(name, "write"))


def ply_writer(name: str) -> PlyWriter:
    """Return the writer of one row per ply for the format with this name. Raises FormatError."""
    return cast("PlyWriter", _function(name, "plies"))


def plane_writer(name: str) -> PlyWriter:
    """Return the writer of planes for the format with this name. Raises FormatError."""
    return cast("PlyWriter", _function(name, "planes"))


def note_of(name: str) -> Note | None:
    """Return the function that notes games whose result differs by this format's rules, or None."""
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
            able = ", ".join(names_with(does))
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
    """A format cannot hold a record; `field` is the part that it cannot hold."""

    def __init__(self, field: str) -> None:
        super().__init__(f"the format cannot hold {field}")
        self.field = field


_Given = TypeVar("_Given")
_Held = TypeVar("_Held")


def held(
    records: Iterable[_Given], lost: Lost, hold: Callable[[_Given], tuple[_Held, Iterable[str]]]
) -> Iterator[_Held]:
    """Yield the result of `hold` for each record, and report the fields that it returns as lost.

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
    """Yield the entries of a stream in the format with this name; problems call it `file`.

    The text of an entry is always the arena's own. With `rules`, the moves are played, and results,
    tags and annotations are checked; for the arena's own text, `jobs` processes do this. Raises
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
            # the file has another text, so the problem is at the start of the record
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
    """Return whether a record is of a game that is not installed and whose file is unknown."""
    from lath.notation.record.tags import GAME_FILE  # start-up time
    from lath.notation.text.suggestions import is_game, meant_game

    return not (is_game(record.game) or record.tag(GAME_FILE) or meant_game(record.game))


def read_lath(stream: BinaryIO, name: str) -> Iterator[Entry]:
    """Yield the entries of a stream of the arena's own text; only the syntax is checked."""
    from lath.notation.rules.reading import entries_of  # start-up time

    return entries_of(stream, name, rules=False)


def write_lath(records: Iterable[Record], lost: Lost) -> Iterator[bytes]:  # noqa: ARG001 - nothing is lost
    """Yield the records in the canonical form of the arena's own text, which holds everything."""
    from lath.notation.rules.replay import canonical  # start-up time
    from lath.notation.text.writer import format_records

    return map(str.encode, format_records(map(canonical, records)))


def remarks(record: Record) -> Iterator[str]:
    """Yield the kinds of remarks in a record, for a format that cannot hold them."""
    from lath.notation.record.record import all_comments, all_plies  # start-up time

    if any(ply.glyph for ply in all_plies(record.plies)):
        yield "glyphs"
    if any(all_comments(record)):
        yield "comments"
    if any(ply.variations for ply in record.plies):
        yield "variations"
