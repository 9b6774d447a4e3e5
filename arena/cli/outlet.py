"""Where commands write records: into a file, whole or not at all, or to standard output."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lath.arena.errors import ArenaError, ConfigError


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
    """Write a file of these pieces; raises ConfigError."""
    from lath.notation.files import write_atomically, write_to_stdout

    with writable(out):
        if str(out) == "-":
            write_to_stdout(pieces)
        else:
            write_atomically(out, pieces)


def write_records(
    out: Path, texts: Iterable[str | bytes], *, sources: Iterable[Path], bad: Callable[[], int]
) -> int:
    """Write records as they stand; return how many.

    `bad` says how many records of `sources` were left out; if `out` is one of these files and
    would lose some, it stays as it is: raises ArenaError.
    """
    from lath.notation.archive import verbatim

    _refuse_other_formats(out)
    count = 0

    def counted() -> Iterator[str | bytes]:
        nonlocal count
        for text in texts:
            count += 1
            yield text

    write_pieces(out, unless_lossy(out, verbatim(counted()), sources, bad))
    return count


def append_record(out: Path, text: str) -> None:
    """Write a file again with one more record at its end, whole or not at all; raises ConfigError.

    A file that is not there is made; standard output is written to.
    """
    if str(out) == "-" or not out.exists():
        write_pieces(out, [text.encode()])
        return
    write_pieces(out, _with_record(out, text.encode()))


def _with_record(path: Path, record: bytes) -> Iterator[bytes]:
    from lath.notation.files import open_bytes

    last = b""
    with open_bytes(path) as stream:
        while block := stream.read(1 << 16):
            yield block
            last = (last + block)[-2:]
    if last:
        yield b"" if last == b"\n\n" else b"\n" if last.endswith(b"\n") else b"\n\n"
    yield record


def refuse_as_archive(out: Path) -> None:
    """Raise ConfigError where records cannot be appended to `out`: before anything is lost."""
    from lath.arena.cli.intake import entries

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


def unless_lossy(
    out: Path, pieces: Iterable[bytes], sources: Iterable[Path], bad: Callable[[], int]
) -> Iterator[bytes]:
    """Yield the pieces; raise ArenaError in the end if `out` is a source and would lose records."""
    is_source = any(path.exists() and out.exists() and path.samefile(out) for path in sources)
    yield from pieces
    if is_source and bad():
        raise ArenaError(f"{out} stays as it is: {bad_words(bad())} would be lost")


def _refuse_other_formats(out: Path) -> None:
    from lath.notation.formats import is_other, name_for

    if is_other(out):
        name = name_for(out)
        raise ConfigError(f"{out}: records are written as text; `arena convert` makes {name} of it")


def bad_words(count: int) -> str:
    """Return `1 bad record` or `2 bad records`."""
    return f"{count} bad record{'' if count == 1 else 's'}"
