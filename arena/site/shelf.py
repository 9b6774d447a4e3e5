"""The items that the site serves: tournaments, record files and databases in some folders.

Addresses contain keys, never paths. Other files in a folder are left out. An item that cannot be
read is listed with the reason.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import threading
import time
import tomllib
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from lath.arena.directory import CONFIG, DATABASE, LOCK, OUTCOME, RECORDS
from lath.arena.errors import ConfigError
from lath.arena.machine.untrusted_files import (
    kind_fault,
    name_of,
    opened,
    read_small,
    reason_of,
    size_words,
)
from lath.arena.tournament.outcome.directories import DEEPEST
from lath.arena.tournament.run.live import LIVE
from lath.arena.tournament.store.database import Stamp, stamp_of
from lath.notation.files.files import DATABASE as OF_GAMES
from lath.notation.files.files import is_database

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SUFFIXES: Final = (".lath", ".lath.gz", ".lath.bz2", ".lath.xz", ".lath.zst")
"""The suffixes of record files found in folders, besides databases; others must be named."""

KEPT_S: Final = 2.0
"""The time that a list is taken as current, in seconds."""

SHARE: Final = 10
"""That time as a multiple of the time that making the list took, at least."""

MOST: Final = 2_000
"""The number of listed items."""

MOST_ENTRIES: Final = 50_000
"""The number of files and folders examined for one list."""

LARGEST: Final = 4 << 30
"""The largest record file in bytes; larger ones belong in a database."""

LARGEST_CONFIG: Final = 1 << 20
"""The largest configuration, in bytes."""

LARGEST_DATABASE: Final = 256 << 30

OF_A_TOURNAMENT: Final = (
    *(DATABASE, f"{DATABASE}-journal", f"{DATABASE}-wal", f"{DATABASE}-shm"),
    *(RECORDS, CONFIG, OUTCOME, "standings.json", LOCK, LIVE),
)
"""The files of a tournament's directory that the site reads."""

Kind = Literal["tournament", "records", "database", "unreadable"]


@dataclass(frozen=True, slots=True)
class Item:
    """A tournament's directory, a record file or a database."""

    key: str
    """The item's name in addresses: letters, digits and hyphens."""

    name: str
    """The name for people: the path below the served folder."""

    path: Path
    """The path; for a tournament its directory, which may not exist yet."""

    kind: Kind
    config: Path | None = None
    """The configuration of a tournament that has not begun."""

    reason: str = ""
    """The reason why it cannot be read; empty if it can."""

    detail: str = ""
    """Details of the reason, which may quote the file."""

    root: Path | None = None
    """The served folder, which no link may lead out of; None for a file named by the organiser."""

    def fault(self) -> str:
        """Return the reason why the item cannot be read now; empty if it can.

        Call this again before each read or write: a link may have appeared since it was listed.
        """
        if self.reason:
            return self.reason
        if self.root is None:
            return ""
        is_first = self.config is not None and not os.path.lexists(self.path / DATABASE)
        if is_first and (fault := file_fault(self.config or self.path, self.root)):
            return fault
        fault_of = _tournament_fault if self.kind == "tournament" else file_fault
        return fault_of(self.path, self.root)


class Shelf:
    """The items below some folders, which may grow while the site runs."""

    def __init__(self, sources: Sequence[Path]) -> None:
        """Serve these directories and files; raises ConfigError if one does not exist."""
        for source in sources:
            if not source.exists():
                raise ConfigError(f"{source}: file or folder not found")
        self._sources: Final = tuple(source.resolve() for source in sources)
        self._items: dict[str, Item] = {}
        self.found_s: float | None = None
        """The time of the last look, on the monotonic clock."""
        self._configs: dict[Path, tuple[Stamp, tuple[str, str] | None]] = {}
        self._kept_s = KEPT_S
        self._lock: Final = threading.Lock()
        self.more = False
        """True if there are more items than listed."""
        self.link = ""
        """The name of the first link to a folder outside, which the site does not follow, or ""."""

    @property
    def known(self) -> tuple[Item, ...]:
        """Return the items of the last list, without looking again."""
        return tuple(self._items.values())

    def without_folders(self, words: str) -> str:
        """Return a message with served files named as in the list, instead of by their paths."""
        for source in self._sources:
            words = words.replace(f"{source}/", "").replace(str(source), source.name)
        return words

    @property
    def is_fresh(self) -> bool:
        """Return True if the last list is taken as current."""
        return self.found_s is not None and time.monotonic() - self.found_s <= self._kept_s

    def items(self) -> tuple[Item, ...]:
        """Return all items, tournaments first, by name."""
        if not self.is_fresh:
            self.look()
        return self.known

    def look(self) -> None:
        """Look for items again, unless the list is current."""
        with self._lock:
            if not self.is_fresh:
                self._look()

    def _look(self) -> None:
        began_s = time.monotonic()
        found: dict[str, Item] = {}
        entries = _Entries()
        self.more = False
        for source in self._sources:
            for item in self._below(source, entries):
                if len(found) >= MOST:
                    self.more = True
                    break
                found.setdefault(item.key, item)
        self.more = self.more or entries.more
        self.link = entries.link
        order = ("tournament", "records", "database", "unreadable")
        ordered = sorted(found.values(), key=lambda item: (order.index(item.kind), item.name))
        self._configs = {path: self._configs[path] for path in entries.configs}
        self._items = {item.key: item for item in ordered}
        self.found_s = time.monotonic()
        self._kept_s = max(KEPT_S, SHARE * (self.found_s - began_s))

    def get(self, key: str) -> Item | None:
        """Return the item with this key, if there is one."""
        return self.known_as(key) or (self.items() and self.known_as(key)) or None

    def known_as(self, key: str) -> Item | None:
        """Return the item with this key in the last list, if there is one."""
        return self._items.get(key)

    def _below(self, source: Path, entries: _Entries) -> Iterator[Item]:
        if source.is_dir():
            return self._inside(source, source, entries, 0)
        return self._file(source, None, entries)

    def _inside(self, folder: Path, root: Path, entries: _Entries, depth: int) -> Iterator[Item]:
        """Yield the tournament of a folder; otherwise the items in it and tournaments below."""
        # The folder looks like a tournament's, readable or not.
        if any(os.path.lexists(folder / name) for name in (DATABASE, RECORDS)):
            fault = _tournament_fault(folder, root)
            yield _item(folder, root, "unreadable" if fault else "tournament", reason=fault)
            return
        if folder != root and os.path.lexists(folder / CONFIG):  # a tournament that has not begun
            yield from self._file(folder / CONFIG, root, entries)
            return
        try:
            inner = entries.of(folder, root)
        except OSError as error:
            yield _item(folder, root, "unreadable", reason=reason_of(error))
            return
        for name, is_folder in inner:
            path = folder / name
            if not is_folder:
                if depth == 0:
                    yield from self._file(path, root, entries)
            elif depth < DEEPEST and not name.startswith("."):
                yield from self._inside(path, root, entries, depth + 1)

    def _file(self, path: Path, root: Path | None, entries: _Entries) -> Iterator[Item]:
        """Yield the item of a file, if the site serves it.

        It serves every file named by the organiser.
        """
        is_config = path.suffix == ".toml"
        is_known = is_config or path.name.lower().endswith((*SUFFIXES, OF_GAMES))
        if root is not None and not is_known:
            return
        if fault := file_fault(path, root):
            yield _item(path, root, "unreadable", reason=fault)
        elif not is_config:
            yield _item(path, root, "database" if is_database(path) else "records")
        elif (wrong := self._config_fault(path, entries)) is None:
            if root is None:  # the organiser has named the file
                yield _item(path, root, "records")
        elif wrong[0]:
            reason, detail = wrong
            yield replace(_item(path, root, "unreadable", reason=reason), detail=detail)
        else:
            yield _begun_by(path, root)

    def _config_fault(self, path: Path, entries: _Entries) -> tuple[str, str] | None:
        """Return the result of the function `_config_fault` for a file, which is read once."""
        stamp = stamp_of(path)
        if path not in self._configs or self._configs[path][0] != stamp:
            self._configs[path] = (stamp, _config_fault(path))
        entries.configs.add(path)
        return self._configs[path][1]


class _Entries:
    """The entries of folders, up to a total number."""

    def __init__(self) -> None:
        self._left = MOST_ENTRIES
        self.more = False
        self.link = ""
        self.configs: set[Path] = set()

    def of(self, folder: Path, root: Path) -> list[tuple[str, bool]]:
        """Return the sorted names in a folder, each with True for a folder; raises OSError."""
        with os.scandir(folder) as found:
            entries = list(islice(found, self._left + 1))
        self.more = self.more or len(entries) > self._left
        entries = entries[: self._left]
        self._left -= len(entries)
        links = sorted(entry.name for entry in entries if entry.is_symlink() and not self.link)
        out = (folder / name for name in links if _is_folder_outside(folder / name, root))
        self.link = next((name_of(path.relative_to(root)) for path in out), self.link)
        return sorted((entry.name, _is_folder(entry)) for entry in entries)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # it was removed meanwhile
        return False


def _config_fault(path: Path) -> tuple[str, str] | None:
    """Return why a configuration cannot be read, and details.

    Empty if it can, None for other TOML.
    """
    try:
        found = tomllib.loads(read_small(_real(path), LARGEST_CONFIG).decode())
    except RecursionError:
        return "it is nested too deeply", ""
    except OSError as error:
        return reason_of(error), ""
    except ValueError as error:
        return "it is not TOML", name_of(str(error))[:200]
    return ("", "") if isinstance(found.get("bot"), list) else None


def _largest(file: Path) -> int:
    if file.suffix == ".toml":
        return LARGEST_CONFIG
    return LARGEST_DATABASE if is_database(file) or file.name.startswith(DATABASE) else LARGEST


def file_fault(path: Path, root: Path | None) -> str:
    """Return the reason why a file is not served; empty if it can be read."""
    try:
        os.fsencode(path.name).decode()
    except UnicodeDecodeError:
        return "its name is not UTF-8"
    try:
        real = _real(path)
        if root is not None and not real.is_relative_to(root):
            return OUT
        found = real.stat()
        if fault := kind_fault(found.st_mode):
            return fault
        if found.st_size > _largest(path):
            return f"it is larger than {size_words(_largest(path))}"
        os.close(opened(real))
    except OSError as error:
        return reason_of(error)
    return ""


OUT: Final = "it is a link that leads out of the folder"


def _real(path: Path) -> Path:
    """Return the real path; raises OSError, also for links in a circle."""
    return type(path)(os.path.realpath(path, strict=True))


def _is_folder_outside(path: Path, root: Path) -> bool:
    try:
        return path.is_dir() and not _real(path).is_relative_to(root)
    except OSError:  # it was removed meanwhile, or cannot be entered
        return False


def _tournament_fault(folder: Path, root: Path) -> str:
    """Return the reason why a tournament's directory is not served; empty if it can be read."""
    try:
        os.fsencode(folder.relative_to(root)).decode()
        if not os.path.lexists(folder):
            return ""  # it has not begun
        if not _real(folder).is_relative_to(root):
            return OUT
        for name in OF_A_TOURNAMENT:
            path = folder / name
            is_there = os.path.lexists(path)
            if not is_there or (name == LIVE and stat.S_ISDIR(path.lstat().st_mode)):
                continue
            if fault := file_fault(path, root):
                return f"{name}: {fault}"
    except UnicodeDecodeError:
        return "its name is not UTF-8"
    except OSError as error:
        return reason_of(error)
    return ""


def _begun_by(config: Path, root: Path | None) -> Item:
    """Return the tournament of a configuration, played in its folder or in one beside it."""
    is_inside = config.name == CONFIG and config.parent != root and root is not None
    folder = config.parent if is_inside else config.with_suffix("")
    item = replace(_item(folder, root, "tournament"), config=config)
    fault = item.fault()
    return replace(item, kind="unreadable", reason=fault) if fault else item


def _item(path: Path, root: Path | None, kind: Kind, *, reason: str = "") -> Item:
    within = root is not None and path != root and path.is_relative_to(root)
    name = name_of(path.relative_to(root) if root and within else path.name) or "/"
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or kind
    digest = hashlib.sha256(bytes(path)).hexdigest()[:16]
    return Item(f"{plain}-{digest}", name, path, kind, reason=reason, root=root)
