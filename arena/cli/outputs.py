"""The output files and folders of commands, written without destroying other data.

An existing file is replaced if it is of the kind that is written. A tournament's file, an input or
a file of another kind needs `--force`. Files are replaced atomically, and the partial files of a
killed command are removed.
"""

from __future__ import annotations

import errno
import os
import re
import shlex
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from lath.arena.cli.files import entries, is_one_of, is_special, refuse_other_formats, writable
from lath.arena.cli.help import Topic
from lath.arena.cli.main import flag
from lath.arena.directory import DATABASE
from lath.arena.errors import ConfigError, InUseError
from lath.arena.terminal.streams import write_bytes
from lath.notation.archive.index import note_for
from lath.notation.files.files import (
    is_database,
    open_bytes,
    remove_halves,
    whole_folder,
    write_atomically,
)
from lath.notation.record.errors import printable
from lath.notation.tokens import TAG_NAME

Force = Annotated[
    bool,
    flag(
        "--force", "Replace any file, even an input file or a file of a tournament.", Topic.OUTPUT
    ),
]

LOOKED_AT: Final = 4096
"""The number of bytes at the beginning of a file that decide its kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file, known by its first bytes."""

    words: str
    """The name, such as `records`."""

    begins: re.Pattern[bytes]


def _kind(words: str, begins: bytes) -> Kind:
    return Kind(words, re.compile(rb"(?:\xef\xbb\xbf)?\s*+" + begins, re.DOTALL))


RECORDS: Final = _kind("records", rf'\[\s*{TAG_NAME}\s*"'.encode())
PAGE: Final = _kind(
    "page of the arena",
    rb'.*?(?:<meta name="generator" content="lath-arena |<meta http-equiv="Content-Security-Policy"'
    rb' content="default-src &#39;none&#39;; style-src )',
)
ANY_PAGE: Final = _kind("page", rb"(?i:<(?:!doctype html|html)\b)")
"""Any HTML page, for users with their own templates."""

DATA: Final = _kind("data of a report", rb'\{\s*"version"')
EVENTS: Final = _kind("events", rb'\{\s*"type"')
PNG: Final = _kind("PNG", rb"\x89PNG")
GIF: Final = _kind("GIF", rb"GIF8")
SVG: Final = _kind("SVG", rb"<svg\b")
PACKED: Final = _kind("packed bot", rb"# [^\n]*, packed by `arena bot pack`")

FORMATS: Final = {
    "lath": RECORDS,
    "jsonlines": _kind("records as JSON lines", rb'\{\s*"(?:tags|record)"'),
    "abstractplay": _kind("AbstractPlay's records", rb'(?:\[\s*)?\{\s*"(?:header|moves)"'),
    "ygn": _kind("YGN", rb"\[\s*[0-9a-z]+/"),
    "sgf": _kind("SGF", rb"\(\s*;"),
    "pgn": _kind("PGN", rb'\[\s*(?:Event|White)\s*"'),
    "csv": _kind("CSV of the arena", rb"""[a-z_"',;\t]*\b(?:game|record)\b"""),
    "parquet": _kind("Parquet", rb"PAR1"),
    "npz": _kind("arrays of numpy", rb"PK\x03\x04"),
    "duckdb": Kind("database", re.compile(rb".{8}DUCK", re.DOTALL)),
}
"""The kind of file for each record format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An output file of a command."""

    path: Path
    kind: Kind | None
    """The kind of file; None for any."""

    flag: str = "-o"
    """The user's option for the file, for messages."""

    inputs: Collection[Path] = ()
    """The files that the command reads; replacing one needs `force`."""

    force: bool = False

    def refuse(self) -> None:
        """Raise ConfigError if writing would destroy other data; called before any work."""
        named = printable(str(self.path))
        if self.path.is_dir():
            raise ConfigError(f"{named}: cannot be written: Is a directory")
        if is_special(self.path):  # writing to a stream or device destroys nothing
            return
        refuse_tournament(self.path, force=self.force)
        if self.force or not self.path.exists():
            return
        if is_one_of(self.path, self.inputs):
            raise ConfigError(
                f"{named}: the command reads this file", hint=f"{self.flag} OTHER, or --force"
            )
        if self.kind is not None and not is_of(self.path, self.kind):
            raise ConfigError(
                f"{named}: already exists and is not a {self.kind.words}",
                hint="--force replaces it",
            )

    def write(self, pieces: Iterable[bytes]) -> None:
        """Write the file atomically; raises ConfigError."""
        self.refuse()
        with writable(self.path):
            if str(self.path) == "-":
                write_bytes(pieces)
                return
            remove_halves(self.path.parent, self.path.name)
            write_atomically(self.path, pieces, note=note_for(self.path))


def is_of(path: Path, kind: Kind) -> bool:
    """Return whether a file is empty or begins like its kind; compressed files are opened."""
    try:
        if not path.stat().st_size:
            return True
        with path.open("rb") if is_database(path) else open_bytes(path) as stream:
            head = stream.read(LOOKED_AT)
    except OSError:  # damaged, or not compressed as its suffix says
        return False
    return not head.strip() or kind.begins.match(head) is not None


_OF_TOURNAMENT: Final = re.compile(
    r"tournament\.(?:db(?:-wal|-shm|-journal)?|lock|toml)"
    r"|games\.lath|outcome\.json|standings\.(?:json|csv)"
)
"""Names of the files that a run writes, except its page, which any command can replace."""

_FOLDERS: Final = frozenset({"logs", "live", "snapshots", "seasons"})


def tournament_of(path: Path) -> Path | None:
    """Return the directory of the tournament to which a file belongs or would belong, or None."""
    real = Path(os.path.realpath(path))
    if _OF_TOURNAMENT.fullmatch(real.name) and (real.parent / DATABASE).is_file():
        return real.parent
    inner = (folder for folder in real.parents if folder.name in _FOLDERS)
    return next((one.parent for one in inner if (one.parent / DATABASE).is_file()), None)


def refuse_tournament(path: Path, *, force: bool) -> None:
    """Raise ConfigError if a tournament's file would be replaced without `force`.

    Raises InUseError if the tournament is being played, with `force`, too.
    """
    from lath.arena.tournament.store.database import is_being_played  # start-up time

    if (folder := tournament_of(path)) is None:
        return
    named = printable(str(path))
    if is_being_played(folder):
        raise InUseError(f"{named}: belongs to a tournament that is being played")
    if not force:
        raise ConfigError(
            f"{named}: belongs to the tournament {printable(shlex.quote(str(folder)))}",
            hint="--force replaces it",
        )


@contextmanager
def made_folder(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Give a folder to fill: the existing one, or a hidden one that is renamed at the end.

    Raises ConfigError, for a tournament's directory unless `force`.
    """
    if (path / DATABASE).is_file() and not force:
        raise ConfigError(
            f"{path}: this is the folder of a tournament", hint="--force writes into it"
        )
    if path.exists() and not path.is_dir():
        raise ConfigError(f"{path}: cannot be written: Not a directory")
    with writable(path):
        # Replacing the current folder would leave the user's shell in a deleted one.
        if path.is_dir() and (any(path.iterdir()) or path.samefile(Path.cwd())):
            remove_halves(path)
            yield path
        else:
            with whole_folder(path) as half:
                yield half


def refuse_as_archive(out: Path) -> None:
    """Raise ConfigError if records cannot be appended to `out`; called before any work."""
    refuse_other_formats(out)
    if str(out) == "-":
        return
    with writable(out):
        if not out.parent.is_dir():
            raise ConfigError(
                f"{out}: cannot be written: the folder {str(out.parent)!r} does not exist"
            )
        if is_special(out):
            return
        if out.is_dir():  # reading a folder would read its record files
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        refuse_tournament(out, force=False)
        if not out.exists():
            return
        first = next(entries(out), None)
    if first is not None and first.record is None:
        raise ConfigError(f"{out}: not a record file: {first.problems[0]}")


def append_record(out: Path, text: str) -> None:
    """Append a record to a file and replace the file atomically; raises ConfigError.

    Creates a missing file; standard output, pipes and devices are written directly.
    """
    is_new = not out.exists() or is_special(out)
    pieces = [text.encode()] if is_new else _with_record(out, text.encode())
    Target(path=out, kind=RECORDS).write(pieces)


def _with_record(path: Path, record: bytes) -> Iterator[bytes]:
    last = b""
    with open_bytes(path) as stream:
        while block := stream.read(1 << 16):
            yield block
            last = (last + block)[-2:]
    if last:
        yield b"" if last == b"\n\n" else b"\n" if last.endswith(b"\n") else b"\n\n"
    yield record
