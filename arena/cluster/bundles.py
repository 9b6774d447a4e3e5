"""Bundles of bots' files for other machines: sent once by digest, kept there and verified.

A bundle is an archive of plain files. Its name is the digest of all of them, so each reader can
verify it.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import tarfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile, mkdtemp
from typing import IO, Final

from lath.arena.entrants.confinement import kept
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.referee import process_trees
from lath.notation.files.locks import lock as lock_file

MOST_BYTES: Final = 256 << 20
"""The size limit of one bot's files, in bytes."""

MOST_FILES: Final = 20_000

MOST_FOLDERS: Final = 100_000
"""The limit on the number of folders of a bundle."""

CHUNK: Final = 4 << 20
"""The bytes of an archive that are sent at a time."""

KEPT_BYTES: Final = 4 << 30
"""The bytes of bundles that a machine keeps; the least recently used are removed first."""

OLD_S: Final = 3600.0
"""The age difference to the newest bundle after which an unfinished one is removed, in seconds."""

_PASSED_BY: Final = (".git", "__pycache__")

_PROGRAMS: Final = "/usr"
"""The folder whose files every user can read."""

_DONE, _LOCK, _PART = ".done", ".lock", ".part"

_TURN: Final = ".turn"
"""The lock of the process that unpacks; the other lock keeps a bundle in use from removal."""

_ASIDE: Final = ".aside"
"""The suffix of temporary folders, before or after their use as a bundle."""

_FOLDER_RIGHTS: Final = 0o755
_FILE_RIGHTS: Final = (0o444, 0o555)
"""The rights of unpacked files, which every user can read."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_SENDER: Final = re.compile(r"[0-9A-Za-z]{1,64}")


@dataclass(frozen=True, slots=True)
class BotBundle:
    """The files of a bot."""

    digest: str
    root: str
    """The absolute path of the folder that contains all of them on this machine."""

    files: tuple[str, ...]
    """Their sorted paths in that folder."""

    paths: tuple[str, ...] = ()
    """The absolute paths of files and whole folders from which it was made."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the archive piece by piece; raises ArenaError if the files have changed."""
        with TemporaryFile() as file:
            try:
                self._pack(file)
            except OSError as error:
                raise ArenaError(
                    f"{error.filename or self.root}: a bot's files cannot be sent: "
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
    """Return the rights of a file that every user can read, and execute if its owner can."""
    return 0o755 if mode & 0o100 else 0o644


def bundle_of(bot: str, paths: Sequence[str], closed: Collection[str] = ()) -> BotBundle | None:
    """Return the bundle of a bot's files and folders (absolute paths), or None without files.

    Leaves out `closed` paths, `.git`, Python's caches and virtual environments. Follows links to
    other files of the bot and of the system. Raises ConfigError if the files are too large or
    unreadable, or a link leads elsewhere, for example to a private key.
    """
    found: dict[str, Path] = {}
    size = 0
    open_to_it = [*map(os.path.realpath, paths), _PROGRAMS]
    for path in map(Path, paths):
        for file in _files(path, closed):
            if file.is_symlink() and _leads_out(file, open_to_it, closed):
                raise ConfigError(
                    f"bot {bot!r}: {file} is a link to {os.path.realpath(file)}, outside "
                    "the bot's folder; put that file there, or list it in the bot's `files`"
                )
            found[str(file)] = file
            try:
                size += file.stat().st_size
            except OSError as error:
                raise ConfigError(f"bot {bot!r}: {file}: {error.strerror}") from error
            if size > MOST_BYTES or len(found) > MOST_FILES:
                raise ConfigError(
                    f"bot {bot!r}: {path} holds more than {MOST_BYTES >> 20} MiB or {MOST_FILES:,} "
                    "files, too much to send; give the bot its own folder, or name its place on "
                    "each machine with `hosts`"
                )
    if not found:
        return None
    folders = [path if Path(path).is_dir() else str(Path(path).parent) for path in paths]
    root = os.path.commonpath(folders)
    names = tuple(sorted(str(PurePosixPath(os.path.relpath(name, root))) for name in found))
    try:
        return BotBundle(digest_of(Path(root), names), root, names, tuple(paths))
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
    """Return True if a link leads out of the open places, or into a closed one."""
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
    """Return the folder for an unpacked bundle, existing or not; raises ArenaError."""
    if not _DIGEST.fullmatch(digest):
        raise ArenaError(f"bundle {digest[:80]!r}: not a digest of 64 hexadecimal digits")
    return kept("bundles") / digest


def _folder() -> Path:
    """Return the folder of all bundles; raises ArenaError if other users can change it.

    Every user can reach a bundle whose name is known.
    """
    folder = kept("bundles")
    folder.mkdir(mode=0o711, parents=True, exist_ok=True)
    if other := changed_by_others(folder):
        raise ArenaError(
            f"XDG_CACHE_HOME: the bots' files would lie in {folder}, but other users can change "
            f"{other}; name another folder"
        )
    return folder


def changed_by_others(folder: Path) -> str:
    """Return the first folder in a path whose entries other users can change; empty if none.

    In a folder with the sticky bit, users can change only their own entries.
    """
    trusted = {0, os.geteuid(), Path("/").stat().st_uid}
    path = folder.resolve()
    for place in (path, *path.parents):
        status = place.stat()
        is_open = bool(status.st_mode & stat.S_IWOTH)
        is_open |= bool(status.st_mode & stat.S_IWGRP) and status.st_gid != os.getegid()
        is_sticky = place != path and bool(status.st_mode & stat.S_ISVTX)
        if status.st_uid not in trusted or (is_open and not is_sticky):
            return str(place)
    return ""


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Hold the locks of a bundle that is neither used nor unpacked; raises OSError otherwise."""
    with place.with_suffix(_LOCK).open("a") as lock, place.with_suffix(_TURN).open("a") as turn:
        for file in (lock, turn):
            lock_file(file)
        yield


@contextmanager
def used(digests: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Keep bundles from removal during a block; give the digests of missing ones."""
    with ExitStack() as stack:
        missing = []
        for digest in sorted(set(digests)):
            place = place_of(digest)
            _folder()
            lock_file(
                stack.enter_context(place.with_suffix(_LOCK).open("a")), shared=True, waits=True
            )
            if is_valid(digest):
                os.utime(place.with_suffix(_DONE))
            else:
                missing.append(digest)
        yield tuple(missing)


def is_valid(digest: str) -> bool:
    """Return True if an unpacked bundle exists, with exactly the files that were sent."""
    place = place_of(digest)
    try:
        return place.with_suffix(_DONE).is_file() and _digest_of_all(place) == digest
    except (OSError, ArenaError):
        return False


def _digest_of_all(place: Path) -> str:
    """Return the digest of a folder whose contents are as unpacking leaves them.

    It contains files and their folders, with the right owner and rights, and without second names
    by which a user could change them. Raises ArenaError for anything else, and OSError.
    """
    files: list[str] = []
    folders: list[PurePosixPath] = []
    size = 0
    left = [PurePosixPath()]
    while left:
        inner = left.pop()
        folders.append(inner)
        _refuse_unless(place / inner, stat.S_IFDIR, _FOLDER_RIGHTS)
        with os.scandir(place / inner) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    left.append(inner / entry.name)
                else:
                    path = place / inner / entry.name
                    files.append(str(inner / entry.name))
                    size += _refuse_unless(path, stat.S_IFREG, *_FILE_RIGHTS).st_size
                if size > MOST_BYTES or len(files) > MOST_FILES:
                    raise ArenaError(f"{place}: larger than a bundle may be")
                if len(folders) + len(left) > MOST_FOLDERS:
                    raise ArenaError(f"{place}: has more folders than a bundle may have")
    empty = set(folders) - {parent for name in files for parent in PurePosixPath(name).parents}
    if empty:
        raise ArenaError(f"{place / min(empty)}: does not belong to the bundle")
    return digest_of(place, sorted(files))


def _refuse_unless(path: Path, kind: int, *rights: int) -> os.stat_result:
    """Return the status of a file or folder of this kind and rights; raises ArenaError, OSError."""
    status = path.lstat()
    is_alone = status.st_uid == os.geteuid() and (kind == stat.S_IFDIR or status.st_nlink == 1)
    if stat.S_IFMT(status.st_mode) != kind or not is_alone:
        raise ArenaError(f"{path}: changed since it was unpacked")
    if stat.S_IMODE(status.st_mode) not in rights:
        raise ArenaError(f"{path}: its permissions changed since it was unpacked")
    return status


def take(digest: str, sender: str, number: int, chunk: bytes) -> None:
    """Store the next piece of a bundle, counted from 0; an empty one ends and unpacks it.

    Others may send the same one meanwhile, so `sender` is a unique word. Raises ArenaError if the
    files do not match the digest, and OSError.
    """
    place = place_of(digest)
    folder = _folder()
    if not _SENDER.fullmatch(sender):
        raise ArenaError(f"sender {sender[:80]!r}: expected letters and digits")
    part = place.with_suffix(f".{sender}{_PART}")
    with part.open("wb" if number == 0 else "ab") as file:
        if file.tell() + len(chunk) > 2 * MOST_BYTES:
            raise ArenaError(f"bundle {digest[:12]}: larger than a bundle may be")
        file.write(chunk)
    if chunk:
        return
    try:
        with place.with_suffix(_TURN).open("a") as turn:
            lock_file(turn, waits=True)
            if not is_valid(digest):  # Another run may have unpacked it meanwhile.
                _unpack(digest, part, place)
    finally:
        part.unlink(missing_ok=True)
    _forget_old(folder)


def _unpack(digest: str, part: Path, place: Path) -> None:
    """Unpack a bundle in a private folder, and move it into place once it is verified.

    An older folder in that place is kept under another name, for bots that use it.
    """
    new = Path(mkdtemp(prefix=f"{digest}.", suffix=_ASIDE, dir=place.parent))
    what = f"what was sent of bundle {digest[:12]}"
    try:
        try:
            with tarfile.open(part, mode="r:gz") as archive:
                _write_all(archive, new)
        except (tarfile.TarError, EOFError, ValueError, zlib.error) as error:
            raise ArenaError(f"{what}: not an archive of files: {error}") from error
        for folder, _, _ in os.walk(new):
            Path(folder).chmod(_FOLDER_RIGHTS)
        if _digest_of_all(new) != digest:
            raise ArenaError(f"{what}: has another digest")
        process_trees.remove(str(place.with_suffix(_DONE)))
        with suppress(FileNotFoundError):
            place.rename(f"{new}{_ASIDE}")
        new.rename(place)
    finally:
        process_trees.remove(str(new))
    place.with_suffix(_DONE).touch()


def _write_all(archive: tarfile.TarFile, new: Path) -> None:
    """Write the files of an archive; raises ValueError for other entries and for excess size."""
    size = 0
    for number, header in enumerate(archive, start=1):
        size += header.size
        if size > MOST_BYTES or number > MOST_FILES:
            raise ValueError(f"more than {MOST_BYTES >> 20} MiB or {MOST_FILES:,} files")
        _write(archive, header, new)


def _write(archive: tarfile.TarFile, header: tarfile.TarInfo, new: Path) -> None:
    """Write one file of an archive; raises ValueError for anything else, or a path out of it."""
    path = PurePosixPath(header.name)
    is_plain = header.type in (tarfile.REGTYPE, tarfile.AREGTYPE)
    source = archive.extractfile(header) if is_plain else None
    if source is None or header.size < 0 or not is_inside(header.name):
        raise ValueError(f"{header.name!r} is not a regular file")
    target = new / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            shutil.copyfileobj(source, file)
    except (FileExistsError, NotADirectoryError) as error:
        raise ValueError(f"{header.name!r} occurs twice, by this or a similar name") from error
    target.chmod(_mode(header.mode) & 0o555)


def is_inside(name: str) -> bool:
    """Return True if a name is a relative path of a file, as `bundle_of` writes it.

    >>> is_inside("net/a.bin"), is_inside("net/../a"), is_inside("/a"), is_inside("./a")
    (True, False, False, False)
    """
    path = PurePosixPath(name)
    return str(path) == name and name != "." and not path.is_absolute() and ".." not in path.parts


def _forget_old(folder: Path) -> None:
    """Remove the least recently used bundles over the size limit, except those in use."""
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
        with suppress(OSError), _alone(place):
            done.unlink()
            process_trees.remove(str(place))
    newest_s = newest_first[0].stat().st_mtime if newest_first else 0.0
    for part in folder.glob(f"*{_PART}"):  # of a worker that died meanwhile
        with suppress(OSError):
            if part.stat().st_mtime < newest_s - OLD_S:
                part.unlink()
    for aside in folder.glob(f"*{_ASIDE}"):
        with suppress(OSError), _alone(folder / aside.name.partition(".")[0]):
            process_trees.remove(str(aside))
