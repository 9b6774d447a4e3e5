"""Write pages next to tournaments and into folders, and decide when they are out of date.

Files that the arena did not write are never overwritten or removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from lath.arena.directory import CONFIG, DATABASE, OUTCOME, RECORDS, REPORT
from lath.arena.errors import ArenaError, ConfigError, reading
from lath.arena.tournament.outcome.directories import is_over, is_tournament
from lath.arena.tournament.outcome.page_files import MADE_BY, made_by
from lath.arena.tournament.outcome.sources import (
    Doubt,
    live_first,
    material_of,
    origin_of,
    refuse_damage,
)
from lath.arena.tournament.store.anchors import before_last_event, leagues_of
from lath.arena.tournament.store.database import Stamp, is_being_played, stamp_of
from lath.notation.archive.given import GivenGames
from lath.notation.files.bounds import read_json
from lath.notation.files.files import write_atomically
from lath.reports.counting.scale import PLAIN_SCALE, Scale

if TYPE_CHECKING:
    from lath.reports.page.index import IndexDocument


_READ: Final = (DATABASE, RECORDS, OUTCOME, CONFIG)
"""The files that a report reads."""


def needs_report(tournament: Path) -> bool:
    """Return whether a tournament's report is missing or older than the files that it reads."""
    files = [tournament / REPORT, *(tournament / name for name in _READ), *leagues_of(tournament)]
    made_ns, *changed_ns = (path.stat().st_mtime_ns if path.is_file() else -1 for path in files)
    return made_ns < max(changed_ns)


def collect(
    folder: Path,
    tournaments: Sequence[Path],
    base: Path,
    title: str | None = None,
    doubts: list[Doubt] | None = None,
    *,
    rules: bool = True,
    public: Collection[Path] | None = None,
    counts_again: bool = False,
    scale: Scale = PLAIN_SCALE,
) -> tuple[IndexDocument, dict[Path, ArenaError]]:
    """Return the data of the index page in `base` on the tournaments below `folder`.

    The second value has the tournaments that are damaged or unreadable, and are left out; `doubts`
    gets the notes on the others. If `public` is given, the page is public: it links only to reports
    of these tournaments, and only to those below the page. A game in two tournaments counts once
    overall, unless `counts_again`. `scale` is the scale of the ratings.
    """
    from lath.reports.page.index import Collector  # start-up time

    is_public, unreadable = public is not None, dict[Path, ArenaError]()
    newest = newest_of([(path.relative_to(folder).as_posix(), path) for path in tournaments])
    while True:  # a tournament found unreadable was already counted in part, so all starts again
        given = GivenGames(counts_again=counts_again)
        until = before_last_event([folder / newest])
        collector = Collector(given, newest=newest, until=until, scale=scale)
        found: list[Doubt] = []
        for tournament in live_first(sorted(set(tournaments) - unreadable.keys())):
            is_playing = is_being_played(tournament)
            report, link = tournament / REPORT, ""
            if report.is_file():  # a browser would read ? or # as parts of the address
                relative = Path(os.path.relpath(report.resolve(), base.resolve())).as_posix()
                is_open = public is None or (tournament in public and relative[:2] != "..")
                link = "./" + quote(os.fsencode(relative), safe="/") if is_open else ""
            given.begin(tournament, origin_of(tournament))
            try:
                records, background = material_of(
                    [tournament], found, rules=rules, public=is_public
                )
                collector.add(
                    tournament.relative_to(folder).as_posix(),
                    records,
                    background.outcome,
                    is_playing=is_playing,
                    link=link,
                    versions=background.versions,
                    began=background.began,
                )
                refuse_damage(found)
            except ArenaError as error:
                unreadable[tournament] = error
                break
        else:
            if collector.newest not in ("", newest):
                newest = collector.newest
                continue
            if doubts is not None:
                doubts += found
                if words := given.words():
                    doubts.append(Doubt(words))
            return collector.document(title), unreadable


def newest_of(named: Iterable[tuple[str, Path]]) -> str:
    """Return the name of the source that probably has the newest games."""

    def changed_ns(path: Path) -> int:
        files = (path / DATABASE, path / RECORDS, path)
        return max((one.stat().st_mtime_ns for one in files if one.is_file()), default=0)

    return max(named, key=lambda one: changed_ns(one[1]), default=("", Path()))[0]


_MATCH: Final = re.compile(rb'<meta name="lath-match" content="(\w+)">')
"""The marker in a report of the match that it describes."""


def lay_out(report: Path, name: str) -> Path:
    """Copy a report into the current folder as `name`.html or `name`-2.html, and return its path.

    Replaces only a report of the same match; other files remain. Raises OSError.
    """
    own = hashlib.sha256(os.fsencode(report.parent.resolve())).hexdigest()[:16].encode()
    marked = b'<meta name="lath-match" content="%b">' % own
    html = MADE_BY.sub(lambda found: marked + found[0], report.read_bytes(), count=1)
    letters = "".join(one if one.isalnum() or one in "-_." else "_" for one in name)[:80]
    for number in count(1):
        path = Path(f"{letters}-{number}.html" if number > 1 else f"{letters}.html")
        if not os.path.lexists(path) or (not path.is_symlink() and _match_of(path) == own):
            break
    write_atomically(path, [html])
    return path


def _match_of(path: Path) -> bytes:
    """Return the match of a copied report; empty for any other file."""
    if made_by(path) != "report":
        return b""
    with path.open("rb") as file:
        marked = _MATCH.search(file.read(4096))
    return marked[1] if marked else b""


def refuse_to_replace(out: Path, kind: str) -> None:
    """Raise ConfigError if a page would overwrite another file without the user's request.

    `kind` is `report` or `index`; an existing page of that kind can be overwritten.
    """
    if made_by(out) not in ("", kind):
        raise ConfigError(
            f"{out}: already exists and was not written by arena as a page of this kind",
            hint="--force overwrites it",
        )


@dataclass(frozen=True, slots=True)
class FolderSight:
    """The state of the followed sources at one look."""

    has_changed: bool
    """True if something changed after the last `Following.rendered`, or before its first call."""

    is_over: bool
    """True if no further change is expected."""

    readable: tuple[Path, ...]
    """The sources that can be read now."""


class Following:
    """Watches files, and directories of tournaments that may not exist yet."""

    def __init__(
        self, sources: Callable[[], Sequence[Path]], *, others: Callable[[], Iterable[Path]] = tuple
    ) -> None:
        """`sources` returns the paths to watch, and `others` files such as templates.

        A change of `others` counts like a change of a source.
        """
        self._sources: Final = sources
        self._others: Final = others
        self._rendered: Stamp | None = None
        self._seen: Stamp = ()
        self._played: set[Path] = set()
        """Directories in which a run was seen."""

    def look(self) -> FolderSight:
        """Return the current state."""
        seen: list[object] = [(path, stamp_of(path)) for path in self._others()]
        readable, done = [], []
        for source in self._sources():
            if source.is_file():
                readable.append(source)
                seen.append((source, stamp_of(source)))
                continue
            is_there = is_tournament(source)
            is_playing = is_there and is_being_played(source)
            if is_there:
                readable.append(source)
            seen.append((source, is_playing, *(stamp_of(source / name) for name in _READ)))
            if is_playing:
                self._played.add(source)
            # A run that was seen and has ended wrote its results before it ended.
            done.append(not is_playing and (source in self._played or is_over(source)))
        self._seen = tuple(seen)
        return FolderSight(
            has_changed=self._seen != self._rendered,
            is_over=bool(done) and all(done),  # files alone never end
            readable=tuple(readable),
        )

    def rendered(self) -> None:
        """Note that the pages now show the state of the last `look`."""
        self._rendered = self._seen


MANIFEST: Final = ".lath-site.json"
"""The names and SHA-256 hashes of the files that the last run wrote."""

PLAIN: Final = ".nojekyll"
"""An empty file; with it, GitHub Pages serves the other files unchanged."""

_OURS: Final = re.compile(
    rf"[a-z-]{{1,40}}\.html|{re.escape(PLAIN)}|(?:bots|events)/[a-z0-9][a-z0-9-]{{0,120}}\.html"
)
"""Names that the arena can write; other names in a forged manifest are ignored."""


class Website:
    """A folder of pages while it is being written."""

    def __init__(self, folder: Path, *, force: bool = False) -> None:
        """Read the folder's manifest; raises ConfigError for a folder that cannot take pages.

        With `force`, files that the arena did not write are overwritten.
        """
        self.folder: Final = folder
        self._force: Final = force
        self.size = 0
        """The bytes of all files written."""
        self._before: Final = _manifest_of(folder)
        self._now: Final[dict[str, str]] = {}

    def put(self, name: str, content: bytes) -> None:
        """Write a file atomically; an identical file is not touched.

        Raises ConfigError if the arena did not write the existing file, and OSError.
        """
        assert _OURS.fullmatch(name), name
        path = self.folder / name
        self.refuse(name)
        self._now[name] = hashlib.sha256(content).hexdigest()
        self.size += len(content)
        if path.is_file() and path.read_bytes() == content:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, [content])

    def refuse(self, name: str) -> None:
        """Raise ConfigError if a file of this name exists that the arena did not write."""
        path = self.folder / name
        if self._force or name in self._before or not path.exists() or name == PLAIN:
            return
        if not path.is_file() or made_by(path) is None:
            raise ConfigError(
                f"{path}: already exists and was not written by arena",
                hint="--site OTHER, or --force",
            )

    def finish(self) -> list[str]:
        """Remove pages of earlier runs that were not written now; return those edited since.

        Edited pages remain. Raises OSError.
        """
        self.put(PLAIN, b"")
        kept = []
        for name in sorted(self._before.keys() - self._now.keys()):
            path = self.folder / name
            if not path.is_file():
                continue
            if hashlib.sha256(path.read_bytes()).hexdigest() != self._before[name]:
                kept.append(name)
            else:
                path.unlink()
        told = {"made by": "arena report --site", "files": dict(sorted(self._now.items()))}
        write_atomically(self.folder / MANIFEST, [(json.dumps(told, indent=1) + "\n").encode()])
        return kept


def _manifest_of(folder: Path) -> Mapping[str, str]:
    """Return the files that the last run wrote into a folder; raises ConfigError."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--site: {folder} is not a folder")
    for name in (DATABASE, RECORDS):
        if (folder / name).exists():
            other = shlex.quote(f"{folder}-site")
            raise ConfigError(
                f"--site: {folder} is the folder of a tournament", hint=f"--site {other}"
            )
    path = folder / MANIFEST
    if not path.is_file():
        return {}
    try:
        with reading(path):
            files = read_json(path.read_bytes())["files"]
        return {
            name: digest
            for name, digest in files.items()
            if _OURS.fullmatch(name) and isinstance(digest, str)
        }
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise ConfigError(
            f"{path}: damaged: {error}", hint="remove the file; all old pages stay"
        ) from error
