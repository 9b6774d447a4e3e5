"""What the site serves: tournaments' directories, files of records, databases of games.

They are found below some folders.

Addresses name them by a key; no path of this machine is in one. Must not know pages.
"""

from __future__ import annotations

import hashlib
import re
import time
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from lath.arena.errors import ConfigError
from lath.arena.tournament.database import DATABASE, RECORDS
from lath.arena.tournament.sources import tournaments_in
from lath.notation.files import DATABASE as OF_GAMES
from lath.notation.files import is_database

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SUFFIXES: Final = (".lath", ".lath.gz", ".lath.bz2", ".lath.xz", ".lath.zst")
"""Files of records that are found in a folder, beside databases; others are served by name."""

KEPT_S: Final = 2.0
"""How long what was found is taken for what there is."""


Kind = Literal["tournament", "records", "database"]


@dataclass(frozen=True, slots=True)
class Item:
    """A tournament's directory, a file of records or a database of games."""

    key: str
    """What addresses name it by: letters, digits and hyphens."""

    name: str
    """For people: the path below the folder that is served."""

    path: Path
    """Of a tournament its directory, which may not be there yet."""

    kind: Kind
    config: Path | None = None
    """By what a tournament is played that has not begun."""


class Shelf:
    """Finds what there is below some folders, which may grow while the site runs."""

    def __init__(self, sources: Sequence[Path]) -> None:
        """Take directories and files; raises ConfigError for one that is not there."""
        for source in sources:
            if not source.exists():
                raise ConfigError(f"{source}: there is no such file or folder")
        self._sources: Final = tuple(source.resolve() for source in sources)
        self._items: dict[str, Item] = {}
        self._found_s: float | None = None

    def items(self) -> tuple[Item, ...]:
        """Return all, tournaments first, by name."""
        now_s = time.monotonic()
        if self._found_s is None or now_s - self._found_s > KEPT_S:
            found = {item.key: item for source in self._sources for item in _found(source)}
            ordered = sorted(
                found.values(), key=lambda item: (item.kind != "tournament", item.name)
            )
            self._items = {item.key: item for item in ordered}
            self._found_s = now_s
        return tuple(self._items.values())

    def get(self, key: str) -> Item | None:
        """Return the one with this key, if there is one."""
        if key not in self._items:
            self.items()
        return self._items.get(key)


def _found(source: Path) -> Iterator[Item]:
    if source.is_file():
        if is_configuration(source):
            yield _begun_by(source)
        else:
            yield _item(source, source.name, _kind_of(source))
    elif (source / DATABASE).is_file() or (source / RECORDS).is_file():
        yield _item(source, source.name, "tournament")
    else:
        for path in sorted(source.iterdir()):
            if path.is_file() and path.name.lower().endswith((*SUFFIXES, OF_GAMES)):
                yield _item(path, path.name, _kind_of(path))
            elif path.suffix == ".toml" and path.is_file() and is_configuration(path):
                yield _begun_by(path)
        for path in tournaments_in(source):
            yield _item(path, path.relative_to(source).as_posix(), "tournament")


def _kind_of(file: Path) -> Kind:
    return "database" if is_database(file) else "records"


def is_configuration(file: Path) -> bool:
    """Return whether a file looks like the configuration of a tournament."""
    try:
        with file.open("rb") as stream:
            return isinstance(tomllib.load(stream).get("bot"), list)
    except (OSError, ValueError):
        return False


def _begun_by(config: Path) -> Item:
    """Return the tournament that a configuration is of, which is played beside it."""
    return replace(_item(config.with_suffix(""), config.stem, "tournament"), config=config)


def _item(path: Path, name: str, kind: Kind) -> Item:
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or kind
    return Item(f"{plain}-{hashlib.sha256(bytes(path)).hexdigest()[:8]}", name, path, kind)
