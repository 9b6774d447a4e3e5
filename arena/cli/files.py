"""Record files as commands read and write them: what is there is never lost half-way.

Must not know what a command does with the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, TypeVar

from lath.arena.cli.main import argument, flag
from lath.arena.errors import ArenaError, ConfigError, reading
from lath.arena.terminal.streams import write_bytes
from lath.notation import formats
from lath.notation.files import open_bytes, write_atomically
from lath.notation.index import note_for
from lath.notation.reader import Entry

Files = Annotated[list[Path], argument("FILE...", "Record files; - is stdin.")]
Unchecked = Annotated[bool, flag("--unchecked", "Take records that the rules are against, too.")]
Quiet = Annotated[bool, flag("--quiet -q", "Say nothing but problems.")]

Read = TypeVar("Read")


def read_from(path: Path, items: Iterable[Read]) -> Iterator[Read]:
    """Yield what is read from a file; raises ConfigError in our words where that fails."""
    with reading(path):
        try:
            yield from items
        except IsADirectoryError as error:
            games = path / "games.lath"
            if not games.is_file():
                raise
            raise ConfigError(f"{path} is a tournament; its games are {games}") from error


def entries(path: Path, format_name: str = "", *, rules: bool = False) -> Iterator[Entry]:
    """Yield the entries of a file of a format, else of that of its suffix, else of our text.

    As `formats.entries` does. Raises OSError and ConfigError.
    """
    name = format_name or (formats.name_for(path) if formats.is_other(path) else "lath")
    try:
        formats.reader(name)  # refused before the file is opened
        with open_bytes(path) as stream:
            yield from formats.entries(stream, name, str(path), rules=rules)
    except formats.FormatError as error:
        raise ConfigError(f"{path}: {error}") from error


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
            write_bytes(pieces)
        else:
            write_atomically(out, pieces, note=note_for(out))


def unless_lossy(
    out: Path, pieces: Iterable[bytes], sources: Iterable[Path], bad: Callable[[], int]
) -> Iterator[bytes]:
    """Yield the pieces; raise ArenaError in the end if `out` is a source and would lose records."""
    is_source = any(path.exists() and out.exists() and path.samefile(out) for path in sources)
    yield from pieces
    if is_source and bad():
        raise ArenaError(f"{out} stays as it is: {bad_words(bad())} would be lost")


def refuse_other_formats(out: Path) -> None:
    """Raise ConfigError where records would be written as text into a file of another format."""
    if formats.is_other(out):
        name = formats.name_for(out)
        raise ConfigError(f"{out}: records are written as text; `arena convert` makes {name} of it")


def refuse_to_read_other_formats(path: Path) -> None:
    """Raise ConfigError for a file that is no text of ours by its suffix."""
    if formats.is_other(path):
        raise ConfigError(
            f"{path} is {formats.name_for(path)} by its suffix; "
            f"`arena convert {path} - --to lath` makes text of it"
        )


def refuse_as_archive(out: Path) -> None:
    """Raise ConfigError where records cannot be appended to `out`: before anything is lost."""
    refuse_other_formats(out)
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
