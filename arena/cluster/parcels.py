"""Bots' files on their way to other machines: sent once by what is in them, kept there, verified.

A parcel is an archive of plain files whose name is the digest of all of them, so that who unpacks
it, and who finds it unpacked, can tell whether it is what was sent. Must not know how a bot is
started.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import json
import os
import tarfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import IO, Final

from lath.arena.errors import ArenaError, ConfigError
from lath.arena.referee import trees
from lath.arena.tournament.confinement import kept

MOST_BYTES: Final = 256 << 20
"""How much the files of one bot may hold."""

MOST_FILES: Final = 20_000

CHUNK: Final = 4 << 20
"""Bytes of an archive that are sent at a time."""

KEPT_BYTES: Final = 4 << 30
"""How much a machine keeps of parcels; those that were not used for longest go first."""

OLD_S: Final = 3600.0
"""By how much a piece is older than the newest parcel that nobody goes on with."""

WAITS: Final = 300
"""Tenths of a second that a machine waits for a bot that plays with files which are not sound."""

_PASSED_BY: Final = (".git", "__pycache__")

_PROGRAMS: Final = "/usr"
"""Where files are everybody's to read."""

_DONE, _LOCK, _PART = ".done", ".lock", ".part"


@dataclass(frozen=True, slots=True)
class Parcel:
    """The files of a bot."""

    digest: str
    root: str
    """The folder, absolute, under which all of them lie here."""

    files: tuple[str, ...]
    """Their paths from there, sorted."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the archive piece by piece; raises ArenaError where files are others by now."""
        with TemporaryFile() as file:
            try:
                self._pack(file)
            except OSError as error:
                raise ArenaError(
                    f"a bot's files cannot be sent: {error.filename or self.root}: "
                    f"{error.strerror or error}"
                ) from error
            file.seek(0)
            while chunk := file.read(CHUNK):
                yield chunk

    def _pack(self, file: IO[bytes]) -> None:
        with tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as archive:
            for name in self.files:
                path = Path(self.root, name)
                header = tarfile.TarInfo(name)
                status = path.stat()
                header.size, header.mode = status.st_size, _mode(status.st_mode)
                with path.open("rb") as source:
                    archive.addfile(header, source)


def _mode(mode: int) -> int:
    """Return the rights of a file that everybody may read, and execute if its owner may."""
    return 0o755 if mode & 0o100 else 0o644


def parcel_of(bot: str, paths: Sequence[str], closed: Collection[str] = ()) -> Parcel | None:
    """Return the parcel of a bot's files and folders, absolute; None where there are none.

    What lies in `closed`, in `.git`, in caches of Python and in virtual environments stays here.
    Links are followed to other files of the bot and of the system. Raises ConfigError: too much,
    not readable, or a link to what is not the bot's, such as somebody's key.
    """
    found: dict[str, Path] = {}
    size = 0
    open_to_it = [*map(os.path.realpath, paths), _PROGRAMS]
    for path in map(Path, paths):
        for file in _files(path, closed):
            if file.is_symlink() and _leads_out(file, open_to_it, closed):
                raise ConfigError(
                    f"bot {bot!r}: {file} is a link to {os.path.realpath(file)}, which is not in "
                    "the bot's folder: put that there, or name it in the bot's `files`"
                )
            found[str(file)] = file
            try:
                size += file.stat().st_size
            except OSError as error:
                raise ConfigError(f"bot {bot!r}: {file}: {error.strerror}") from error
            if size > MOST_BYTES or len(found) > MOST_FILES:
                raise ConfigError(
                    f"bot {bot!r}: {path} holds more than {MOST_BYTES >> 20} MiB or {MOST_FILES:,} "
                    "files, which is too much to send: give the bot a folder of its own, or say "
                    "with `hosts` where it lies on each machine"
                )
    if not found:
        return None
    folders = [path if Path(path).is_dir() else str(Path(path).parent) for path in paths]
    root = os.path.commonpath(folders)
    names = tuple(sorted(str(PurePosixPath(os.path.relpath(name, root))) for name in found))
    try:
        return Parcel(digest_of(Path(root), names), root, names)
    except OSError as error:
        raise ConfigError(f"bot {bot!r}: {error.filename}: {error.strerror}") from error


def _files(path: Path, closed: Collection[str]) -> Iterator[Path]:
    """Yield a file, or the files of a folder and those below."""
    if path.is_file():
        yield path
    for place, folders, names in os.walk(path, followlinks=False):
        folders[:] = sorted(
            name
            for name in folders
            if name not in _PASSED_BY
            and str(Path(place, name)) not in closed
            and not Path(place, name, "pyvenv.cfg").exists()
        )
        files = (Path(place, name) for name in names)
        yield from (file for file in files if file.is_file() and str(file) not in closed)


def _leads_out(link: Path, open_to_it: Collection[str], closed: Collection[str]) -> bool:
    """Return whether a link leads to what is in none of the open places, or is closed."""
    target, place = Path(os.path.realpath(link)), Path(os.path.realpath(link.parent))
    return not any(map(target.is_relative_to, open_to_it)) or any(
        target.is_relative_to(path) and not place.is_relative_to(path) for path in closed
    )


def digest_of(root: Path, names: Sequence[str]) -> str:
    """Return the SHA-256 of the names, rights and contents of files; raises OSError."""
    total = hashlib.sha256()
    for name in names:
        path = root / name
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        total.update(
            b"%s\0%o\0%s\0" % (os.fsencode(name), _mode(path.stat().st_mode), content.encode())
        )
    return total.hexdigest()


# On the machine where the bot plays


def place_of(digest: str) -> Path:
    """Return the folder in which a parcel is unpacked, whether it is or not."""
    return kept("parcels") / digest


@contextmanager
def used(digests: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Keep parcels from being removed while they are in use; give those that are not there."""
    with ExitStack() as stack:
        missing = []
        for digest in sorted(set(digests)):
            place = place_of(digest)
            place.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
            lock = stack.enter_context(place.with_suffix(_LOCK).open("a"))
            fcntl.flock(lock, fcntl.LOCK_SH)
            if _is_sound(digest, place):
                os.utime(place.with_suffix(_DONE))
            else:
                missing.append(digest)
        yield tuple(missing)


def _is_sound(digest: str, place: Path) -> bool:
    """Return whether a parcel lies there, unpacked, as it was sent."""
    try:
        names = json.loads(place.with_suffix(_DONE).read_text())
        return digest_of(place, names) == digest
    except (OSError, ValueError):
        return False


def take(digest: str, sender: str, number: int, chunk: bytes) -> None:
    """Take the next piece of a parcel, counted from 0; an empty one ends and unpacks it.

    Others may send the same one meanwhile: `sender` is a word that no other has. Raises ArenaError
    for what is not what the digest says, and OSError.
    """
    place = place_of(digest)
    place.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    part = place.with_suffix(f".{sender}{_PART}")
    with part.open("wb" if number == 0 else "ab") as file:
        file.write(chunk)
    if chunk:
        return
    try:
        with place.with_suffix(_LOCK).open("a") as lock:
            if _wait_alone(lock, digest, place) and not _is_sound(digest, place):
                _unpack(digest, part, place)
    finally:
        part.unlink(missing_ok=True)
    _forget_old(place.parent)


def _wait_alone(lock: IO[str], digest: str, place: Path) -> bool:
    """Wait until nobody uses a parcel, for a while; raises ArenaError.

    Returns whether nobody does: another run may have unpacked it meanwhile, and play with it.
    """
    looked_at = 0
    for _ in range(WAITS):
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        with suppress(OSError):
            unpacked = place.with_suffix(_DONE).stat().st_mtime_ns
            if unpacked != looked_at and _is_sound(digest, place):
                return False
            looked_at = unpacked
        time.sleep(0.1)
    raise ArenaError(f"parcel {digest[:12]} was changed while a bot plays with it")


def _unpack(digest: str, part: Path, place: Path) -> None:
    place.with_suffix(_DONE).unlink(missing_ok=True)
    trees.remove(str(place))
    names = []
    try:
        with tarfile.open(part, mode="r:gz") as archive:
            for header in archive:
                names.append(header.name)
                _write(archive, header, place)
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise ArenaError(f"what was sent of parcel {digest[:12]} is no archive: {error}") from error
    if digest_of(place, sorted(names)) != digest:
        trees.remove(str(place))
        raise ArenaError(f"what was sent of parcel {digest[:12]} has another digest")
    for folder, _, _ in os.walk(place):
        Path(folder).chmod(0o755)
    place.with_suffix(_DONE).write_text(json.dumps(sorted(names)))


def _write(archive: tarfile.TarFile, header: tarfile.TarInfo, place: Path) -> None:
    """Write one file of an archive; raises ValueError for anything else, or a path out of it."""
    path = PurePosixPath(header.name)
    source = archive.extractfile(header) if header.isreg() else None
    if source is None or path.is_absolute() or ".." in path.parts or header.size > MOST_BYTES:
        raise ValueError(f"{header.name!r} is no plain file in it")
    target = place / path
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        while block := source.read(io.DEFAULT_BUFFER_SIZE * 16):
            file.write(block)
    target.chmod(_mode(header.mode) & 0o555)


def _forget_old(folder: Path) -> None:
    """Remove what was not used for longest, as long as there is too much; what is in use stays."""
    size = 0
    newest_first = sorted(folder.glob(f"*{_DONE}"), key=lambda done: -done.stat().st_mtime)
    for done in newest_first:
        place = done.with_suffix("")
        size += sum(
            Path(where, name).lstat().st_size
            for where, _, names in os.walk(place)
            for name in names
        )
        if size <= KEPT_BYTES:
            continue
        with suppress(OSError), done.with_suffix(_LOCK).open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            done.unlink()
            trees.remove(str(place))
    newest_s = newest_first[0].stat().st_mtime if newest_first else 0.0
    for part in folder.glob(f"*{_PART}"):  # of a worker that died meanwhile
        with suppress(OSError):
            if part.stat().st_mtime < newest_s - OLD_S:
                part.unlink()
