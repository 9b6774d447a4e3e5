"""Other formats of game records, a module each, and the table of all of them.

A format reads a stream into entries, writes records as pieces of bytes, or both. What a format
cannot hold it names through `lost`, so that nothing is dropped in silence. The table is enough to
find a format; its module is loaded when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, BinaryIO, Final

from lath.notation.errors import NotationError
from lath.notation.reader import COMPRESSIONS

if TYPE_CHECKING:
    from lath.notation.reader import Entry
    from lath.notation.record import Record

Lost = Callable[[int, str], None]
"""Is told of what the target cannot hold: the record's number from 1, and the field's name, such
as `comments` or `tag Annotator`."""

WHOLE: Final = "the record"
"""The field that a writer names when it leaves a record out, after the field that is why."""

Reader = Callable[[BinaryIO, str], "Iterator[Entry]"]
"""From a stream and what problems call it to its entries, lazily. A record that cannot be read is
an entry with a problem, and reading goes on at the next."""

Writer = Callable[["Iterable[Record]", Lost], Iterator[bytes]]
"""From records to the pieces of a file, lazily."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write game records."""

    name: str
    """What `--from` and `--to` call it, such as `jsonlines`."""

    title: str
    """For people."""

    suffixes: tuple[str, ...]
    """Of files, such as `.jsonl`; the first is the usual one."""

    read: Reader | None
    """None where the format is only written."""

    write: Writer | None
    """None where the format is only read."""


class FormatError(NotationError):
    """There is no such format, it cannot do what is asked, or what it needs is not installed."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What is known of a format before its module is loaded; the same as its `FORMAT` says."""

    module: str
    """In this package."""

    suffixes: tuple[str, ...]
    is_read: bool
    is_written: bool


TABLE: Final[Mapping[str, Listed]] = MappingProxyType(
    {
        "lath": Listed("lath", (".lath",), is_read=True, is_written=True),
        "jsonlines": Listed("jsonlines", (".jsonl", ".ndjson"), is_read=True, is_written=True),
        "abstractplay": Listed("abstractplay", (".json",), is_read=True, is_written=True),
        "ludii": Listed("ludii", (".trl",), is_read=True, is_written=False),
        "ygn": Listed("ygn", (".ygn",), is_read=True, is_written=True),
        "sgf": Listed("sgf", (".sgf",), is_read=False, is_written=True),
        "csv": Listed("csv_table", (".csv",), is_read=False, is_written=True),
        "parquet": Listed("parquet", (".parquet",), is_read=False, is_written=True),
    }
)
"""Every format by its name."""

READABLE: Final = tuple(name for name, listed in TABLE.items() if listed.is_read)
WRITABLE: Final = tuple(name for name, listed in TABLE.items() if listed.is_written)


def name_for(path: str | Path) -> str:
    """Return the name of the format that a file's suffix stands for; raises FormatError.

    A suffix of compression is looked through.

    >>> name_for("games.jsonl.gz")
    'jsonlines'
    """
    file = Path(path)
    suffix = (Path(file.stem) if file.suffix in COMPRESSIONS else file).suffix
    for name, listed in TABLE.items():
        if suffix.lower() in listed.suffixes:
            return name
    known = ", ".join(suffix for listed in TABLE.values() for suffix in listed.suffixes)
    found = f"no format has the suffix {suffix}" if suffix else "the name has no suffix of a format"
    raise FormatError(f"{path}: {found}; expected one of {known}")


def is_other(path: str | Path) -> bool:
    """Return whether a file's suffix stands for a format that is not our text."""
    try:
        return name_for(path) != "lath"
    except FormatError:
        return False


def load(name: str) -> Format:
    """Return the format of this name; raises FormatError."""
    found: Format = import_module(f"{__name__}.{_listed(name).module}").FORMAT
    return found


def reader(name: str) -> Reader:
    """Return what reads the format of this name; raises FormatError."""
    read = load(name).read if _listed(name).is_read else None
    if read is None:
        raise FormatError(f"{name} is only written; what can be read is {', '.join(READABLE)}")
    return read


def writer(name: str) -> Writer:
    """Return what writes the format of this name; raises FormatError."""
    write = load(name).write if _listed(name).is_written else None
    if write is None:
        raise FormatError(f"{name} is only read; what can be written is {', '.join(WRITABLE)}")
    return write


def _listed(name: str) -> Listed:
    if name not in TABLE:
        raise FormatError(f"there is no format {name!r}; expected one of {', '.join(TABLE)}")
    return TABLE[name]
