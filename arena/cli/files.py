"""Record files as commands read and write them: what is bad is told of, what is there is kept.

Must not know what a command does with the records.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from lath.arena.errors import ArenaError, ConfigError
from lath.games.errors import GameError
from lath.notation import formats
from lath.notation.archive import Key, KeyNameError, Seen, identity, keys, verbatim
from lath.notation.errors import Problem
from lath.notation.query import QueryError, compile_query
from lath.notation.reader import (
    Entry,
    entries_of,
    open_bytes,
    write_atomically,
    write_to_stdout,
)
from lath.notation.reader import entries as entries_of_text
from lath.notation.record import Record
from lath.notation.writer import format_record

Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="Record files; - is stdin.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but problems.")]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="EXPR",
        help="A query, such as 'plies > 20 and winner = greedy'; docs/queries.md has the language.",
    ),
]
Distinct = Annotated[
    bool, typer.Option("--distinct", help="Of games with the same start and moves, the first.")
]

Read = TypeVar("Read")

Found = tuple[Entry, Record]
"""A sound entry of a file, and its record."""


def read_from(path: Path, items: Iterable[Read]) -> Iterator[Read]:
    """Yield what is read from a file; raises ConfigError in our words where that fails."""
    try:
        yield from items
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from error


def entries(path: Path) -> Iterator[Entry]:
    """Yield the entries of a file of any format that its suffix names, else of our text.

    The text of an entry is ours, whatever the format. The moves are not played. Raises OSError.
    """
    if not formats.is_other(path):
        yield from entries_of_text(path, rules=False)
        return
    try:
        read = formats.reader(formats.name_for(path))
    except formats.FormatError as error:
        raise ConfigError(f"{path}: {error}") from error
    with open_bytes(path) as stream:
        for entry in read(stream, str(path)):
            text = format_record(entry.record).rstrip() if entry.record else ""
            yield replace(entry, text=text)


class Selection:
    """The sound entries of files that match, lazily; bad ones are told of on standard error."""

    def __init__(
        self,
        files: Sequence[Path],
        where: str | None = None,
        *,
        distinct: bool = False,
        invert: bool = False,
    ) -> None:
        """Read the query; raises ConfigError."""
        self._files = files
        self._matches = _question(where)
        self._distinct = distinct
        self._invert = invert
        self._path = Path()
        self._was_read = False
        self.records = 0
        """Sound records that were read."""
        self.bad = 0
        """Records left out because something is wrong with them."""
        self.duplicates = 0
        """Records left out because the same game came before."""

    def __iter__(self) -> Iterator[Found]:
        """Yield each entry and its record; raises ConfigError for a file that cannot be read.

        Problems are told of and counted the first time only.
        """
        is_first, self._was_read = not self._was_read, True
        found = self._matching(self._sound(is_first=is_first))
        return self._new(found) if self._distinct else found

    def _sound(self, *, is_first: bool) -> Iterator[Found]:
        for path in self._files:
            self._path = path
            for entry in read_from(path, entries(path)):
                if entry.record is not None and not entry.problems:
                    self.records += is_first
                    yield entry, entry.record
                elif is_first:
                    self.bad += 1
                    print(*entry.problems, sep="\n", file=sys.stderr)

    def _matching(self, found: Iterator[Found]) -> Iterator[Found]:
        for entry, record in found:
            try:
                matches = self._matches(record)
            except GameError as error:
                self.refuse(entry, error)
                continue
            if matches is not self._invert:
                yield entry, record

    def _new(self, found: Iterator[Found]) -> Iterator[Found]:
        seen = Seen()
        for entry, record in found:
            if seen.add(identity(record)):
                yield entry, record
            else:
                self.duplicates += 1

    def refuse(self, entry: Entry, error: GameError) -> None:
        """Tell of a record that could not be played, and count it as bad: the last one yielded."""
        self.records -= 1
        self.bad += 1
        problems = list(map(str, _problems(self._path, entry)))
        unexplained = f"{self._path}:{entry.line}: {error} (record {entry.number})"
        print(*(problems or [unexplained]), sep="\n", file=sys.stderr)

    def left_out_words(self) -> str:
        """Return in words what was left out besides what did not match; empty where nothing was."""
        words = ""
        if self.duplicates:
            words += f"; {self.duplicates} left out that were there already"
        if self.bad:
            words += f"; {bad_words(self.bad)} left out"
        return words


def _question(where: str | None) -> Callable[[Record], bool]:
    if where is None:
        return lambda _: True
    try:
        return compile_query(where)
    except QueryError as error:
        raise ConfigError(f"--where: {error}") from error


def _problems(path: Path, entry: Entry) -> Iterator[Problem]:
    """Yield what is wrong with an entry by the rules, in its place in the file."""
    is_ours = str(path) == "-" or not formats.is_other(path)
    for again in entries_of(io.BytesIO(entry.text.encode()), str(path)):
        for problem in again.problems:
            line = problem.line - 1 if is_ours else 0  # else the text is not what the file has
            yield replace(problem, line=entry.line + line, record=entry.number)


def keys_of(option: str, names: str | None) -> tuple[Key, ...]:
    """Return the keys that an option names, none where it is not given; raises ConfigError."""
    try:
        return keys(names) if names else ()
    except KeyNameError as error:
        raise ConfigError(f"{option} {names}: {error}") from error


def bad_words(count: int) -> str:
    """Return `1 bad record` or `2 bad records`."""
    return f"{count} bad record{'' if count == 1 else 's'}"


@contextmanager
def writable(out: Path) -> Iterator[None]:
    """Turn what the file system says into our words."""
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads on; that is no fault
    except FileExistsError as error:
        raise ConfigError(f"{error.filename} is there already; --force replaces it") from error
    except OSError as error:
        name = "standard output" if str(out) == "-" else out
        raise ConfigError(f"{name} cannot be written: {error.strerror or error}") from error


def write_pieces(out: Path, pieces: Iterable[bytes]) -> None:
    """Write a file of these pieces, whole or not at all; raises ConfigError."""
    with writable(out):
        if str(out) == "-":
            write_to_stdout(pieces)
        else:
            write_atomically(out, pieces)


def write_records(
    out: Path, texts: Iterable[str], *, sources: Iterable[Path], bad: Callable[[], int]
) -> int:
    """Write records as they stand; return how many.

    `bad` says how many records of `sources` were left out; if `out` is one of these files and
    would lose some, it stays as it is: raises ArenaError.
    """
    _refuse_other_formats(out)
    count = 0

    def counted() -> Iterator[str]:
        nonlocal count
        for text in texts:
            count += 1
            yield text

    write_pieces(out, unless_lossy(out, verbatim(counted()), sources, bad))
    return count


def unless_lossy(
    out: Path, pieces: Iterable[bytes], sources: Iterable[Path], bad: Callable[[], int]
) -> Iterator[bytes]:
    """Yield the pieces; raise ArenaError in the end if `out` is a source and would lose records."""
    is_source = any(path.exists() and out.exists() and path.samefile(out) for path in sources)
    yield from pieces
    if is_source and bad():
        raise ArenaError(f"{out} stays as it is: {bad_words(bad())} would be lost")


def _refuse_other_formats(out: Path) -> None:
    if formats.is_other(out):
        name = formats.name_for(out)
        raise ConfigError(f"{out}: records are written as text; `arena convert` makes {name} of it")


def refuse_as_archive(out: Path) -> None:
    """Raise ConfigError where records cannot be appended to `out`: before anything is lost."""
    _refuse_other_formats(out)
    if str(out) == "-":
        return
    with writable(out):
        if not out.parent.is_dir():
            raise ConfigError(f"{out} cannot be written: there is no folder {str(out.parent)!r}")
        if not out.exists():
            return
        first = next(entries(out), None)
    if first is not None and first.record is None:
        raise ConfigError(f"{out} is no file of records: {first.problems[0]}")


def append_record(out: Path, text: str) -> None:
    """Write a file again with one more record at its end, whole or not at all; raises ConfigError.

    A file that is not there is made; standard output is written to.
    """
    is_new = str(out) == "-" or not out.exists()
    write_pieces(out, [text.encode()] if is_new else _with_record(out, text.encode()))


def _with_record(path: Path, record: bytes) -> Iterator[bytes]:
    last = b""
    with open_bytes(path) as stream:
        while block := stream.read(1 << 16):
            yield block
            last = (last + block)[-2:]
    if last:
        yield b"" if last == b"\n\n" else b"\n" if last.endswith(b"\n") else b"\n\n"
    yield record
