"""Pages beside tournaments and in folders: which are ours, when to write them anew, and how.

Nobody else's file is written over or removed.
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
"""What a report is made of."""


def needs_report(tournament: Path) -> bool:
    """Return whether the report of a tournament is missing, or older than what it is made of."""
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
    """Return the data of the page in `base` on the tournaments below `folder`.

    With it those that are left out, since they are damaged or cannot be read; `doubts` gets what is
    to be said of the others. If `public` is given, the page is for everybody, and links to reports
    of these tournaments alone, where they lie below it. A game that two of them have counts in
    both, and once in all, unless it `counts_again`. `scale` is
    that of the ratings.
    """
    from lath.reports.page.index import Collector  # start-up time

    is_public, unreadable = public is not None, dict[Path, ArenaError]()
    newest = newest_of([(path.relative_to(folder).as_posix(), path) for path in tournaments])
    while True:  # from the start: half of an unreadable one was counted
        given = GivenGames(counts_again=counts_again)
        until = before_last_event([folder / newest])
        collector = Collector(given, newest=newest, until=until, scale=scale)
        found: list[Doubt] = []
        for tournament in live_first(sorted(set(tournaments) - unreadable.keys())):
            is_playing = is_being_played(tournament)
            report, link = tournament / REPORT, ""
            if report.is_file():  # whatever its name, a browser takes the address for nothing else
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
    """Return which of these sources, by their names, is likely to have the newest games."""

    def changed_ns(path: Path) -> int:
        files = (path / DATABASE, path / RECORDS, path)
        return max((one.stat().st_mtime_ns for one in files if one.is_file()), default=0)

    return max(named, key=lambda one: changed_ns(one[1]), default=("", Path()))[0]


_MATCH: Final = re.compile(rb'<meta name="lath-match" content="(\w+)">')
"""Which match a report is of that was laid out."""


def lay_out(report: Path, name: str) -> Path:
    """Copy a report into the current folder, and return where it is: `name`.html or `name`-2.html.

    Only the report of the same match is replaced: that of another one, and what is no report of
    ours, stays. Raises OSError.
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
    """Return which match a report that was laid out is of; empty for every other file."""
    if made_by(path) != "report":
        return b""
    with path.open("rb") as file:
        marked = _MATCH.search(file.read(4096))
    return marked[1] if marked else b""


def refuse_to_replace(out: Path, kind: str) -> None:
    """Raise ConfigError where a page would take the place of something else that nobody named.

    `kind` is `report` or `index`; a page of that kind may be written anew.
    """
    if made_by(out) not in ("", kind):
        raise ConfigError(
            f"{out}: already exists and was not written by arena as a page of this kind",
            hint="--force overwrites it",
        )


@dataclass(frozen=True, slots=True)
class FolderSight:
    """What there was to see."""

    has_changed: bool
    """Since `Following.rendered` was called; True before."""

    is_over: bool
    """Whether nothing will change any more, as far as one can tell."""

    readable: tuple[Path, ...]
    """The sources of which there is something to read now."""


class Following:
    """Follows tournaments' directories, which may not be there yet, and files."""

    def __init__(
        self, sources: Callable[[], Sequence[Path]], *, others: Callable[[], Iterable[Path]] = tuple
    ) -> None:
        """`sources` says what to follow now.

        A change of `others` counts as one, too: they are files that something is made with.
        """
        self._sources: Final = sources
        self._others: Final = others
        self._rendered: Stamp | None = None
        self._seen: Stamp = ()
        self._played: set[Path] = set()
        """Directories in which a run was seen."""

    def look(self) -> FolderSight:
        """Return what there is to see."""
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
            # A run that was seen and is gone has said before what its games came to.
            done.append(not is_playing and (source in self._played or is_over(source)))
        self._seen = tuple(seen)
        return FolderSight(
            has_changed=self._seen != self._rendered,
            is_over=bool(done) and all(done),  # files alone never are
            readable=tuple(readable),
        )

    def rendered(self) -> None:
        """Note that something was made of what the last look saw."""
        self._rendered = self._seen


MANIFEST: Final = ".lath-site.json"
"""What was written there last: by name, the SHA-256."""

PLAIN: Final = ".nojekyll"
"""An empty file, by which GitHub Pages takes the others as they are."""

_OURS: Final = re.compile(
    rf"[a-z-]{{1,40}}\.html|{re.escape(PLAIN)}|(?:bots|events)/[a-z0-9][a-z0-9-]{{0,120}}\.html"
)
"""Names that may be ours: a manifest that somebody else has made leads nowhere else."""


class Website:
    """A folder as it is being written."""

    def __init__(self, folder: Path, *, force: bool = False) -> None:
        """See what is there; raises ConfigError where it is nothing that pages may be put into.

        With `force` files of others are replaced.
        """
        self.folder: Final = folder
        self._force: Final = force
        self.size = 0
        """Bytes of all that was put there."""
        self._before: Final = _manifest_of(folder)
        self._now: Final[dict[str, str]] = {}

    def put(self, name: str, content: bytes) -> None:
        """Write a file whole or not at all; one that is the same already stays untouched.

        Raises ConfigError where another's file would be replaced, and OSError.
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
        """Raise ConfigError where a file of this name is there that is not ours."""
        path = self.folder / name
        if self._force or name in self._before or not path.exists() or name == PLAIN:
            return
        if not path.is_file() or made_by(path) is None:
            raise ConfigError(
                f"{path}: already exists and was not written by arena; name another folder",
                hint="--force replaces it",
            )

    def finish(self) -> list[str]:
        """Remove pages that were written before and not now; return those that somebody changed.

        These stay. Raises OSError.
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
    """Return what was written into a folder last; raises ConfigError."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--site: {folder} is not a folder")
    for name in (DATABASE, RECORDS):
        if (folder / name).exists():
            other = shlex.quote(f"{folder}-site")
            raise ConfigError(
                f"--site: {folder} is a tournament; name a folder for pages", hint=f"--site {other}"
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
        raise ConfigError(f"{path}: damaged: {error}; remove it to keep all old pages") from error
