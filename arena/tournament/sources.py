"""Where records come from: tournaments' directories, folders of them, files; what changes there.

Must not know what is made of them, nor wait: whoever follows looks now and then.

Must not know how that is shown.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from lath.arena.errors import ArenaError, ConfigError
from lath.arena.tournament.outputs import OUTCOME, REPORT, unwish, wish
from lath.arena.tournament.store import DATABASE, OUTCOME_STATE, RECORDS
from lath.notation import formats
from lath.notation.errors import RecordError, RecordSyntaxError
from lath.notation.reader import open_bytes, read
from lath.notation.record import Record
from lath.notation.scanner import parse
from lath.reports.outcome import Outcome, from_json

if TYPE_CHECKING:
    from lath.reports.page.index import Collection


_IN_USE: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def records_of(sources: Sequence[Path]) -> Iterator[Record]:
    """Yield the records of all sources in order; `-` is standard input, which is our text.

    Raises ArenaError: a source that is not there, is no tournament, is of a format that is not read
    or has a bad record.
    """
    for source in sources:
        try:
            yield from _of_folder(source) if source.is_dir() else _of_file(source)
        except OSError as error:
            raise ConfigError(f"{source} cannot be read: {error.strerror or error}") from error
        except formats.FormatError as error:
            raise ConfigError(f"{source}: {error}") from error
        except RecordError as error:
            raise ArenaError(str(error)) from error


def _of_file(path: Path) -> Iterator[Record]:
    """Yield the records of a file in the format of its suffix, else in our text."""
    if not formats.is_other(path):
        yield from read(path)
        return
    entries = formats.reader(formats.name_for(path))
    with open_bytes(path) as stream:
        for entry in entries(stream, str(path)):
            if entry.record is None or entry.problems:
                raise RecordError(entry.problems[0])
            yield entry.record


def _of_folder(folder: Path) -> Iterator[Record]:
    """Yield a tournament's records: from its database, or `games.lath` where that is not open."""
    has_records = (folder / RECORDS).is_file()
    if (folder / DATABASE).is_file():
        try:
            texts = _from_database(folder / DATABASE)
        except sqlite3.Error as error:
            refused = _refused(folder, error)
            if refused is None or not has_records:
                what = refused or f"{folder / DATABASE} is damaged: {error}"
                raise ArenaError(what) from error
        else:
            yield from _parsed(texts, folder / DATABASE)
            return
    if not has_records:
        raise ArenaError(f"{folder} is no tournament: it has neither {DATABASE} nor {RECORDS}")
    yield from read(folder / RECORDS)  # of a run that goes on, this is a moment behind


def _parsed(texts: Iterable[str], database: Path) -> Iterator[Record]:
    for place, text in enumerate(texts, 1):
        try:
            yield parse(text)
        except RecordSyntaxError as error:
            raise ArenaError(f"{database} is damaged: its record {place}: {error}") from error


def is_being_played(folder: Path) -> bool:
    """Return whether a run has a tournament's directory for itself now."""
    path = folder / DATABASE
    if not path.is_file():
        return False
    try:
        _rows(path, "SELECT 1")
    except sqlite3.Error as error:
        return _primary(error) in _IN_USE
    return False


def has_fallen_behind(folder: Path) -> bool:
    """Return whether the last run in a directory was killed: its outcome is of fewer games.

    False where nobody can tell, as while a run goes on, which writes its outcome now and then.
    """
    path = folder / DATABASE
    if not path.is_file():
        return False
    try:
        rows = _rows(path, "SELECT value FROM about WHERE key = ?", OUTCOME_STATE)
    except sqlite3.Error:  # whoever reads the games is told of it
        return False
    return rows == [("false",)]


def outcome_in(sources: Sequence[Path]) -> Outcome | None:
    """Return what a tournament has come to; None where its directory is not the only source.

    None, too, where no run has ended there, and where the last one was killed: what is there is
    of fewer games then. Raises ArenaError where the file is damaged.
    """
    if len(sources) != 1 or not (path := sources[0] / OUTCOME).is_file():
        return None
    if has_fallen_behind(sources[0]):
        return None
    try:
        return from_json(json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ArenaError(f"{path} is damaged: {error}; `arena run` writes it again") from error


def log_of(folder: Path, number: int) -> str:
    """Return the log of a game of a tournament: what was said in it and when.

    Raises ArenaError where the game is not there or no log of it was kept.
    """
    path = folder / DATABASE
    if not path.is_file():
        raise ArenaError(f"{folder} is no tournament: it has no {DATABASE}")
    try:
        rows = _rows(path, "SELECT log, termination FROM game WHERE number = ?", number)
    except sqlite3.Error as error:
        told = f"{folder} is being played: the log can be read when the run has stopped"
        raise ArenaError(told if _refused(folder, error) else f"{path}: {error}") from error
    if not rows:
        raise ArenaError(f"{folder} has no game {number}")
    log, termination = rows[0]
    if not log:
        raise ArenaError(
            f"game {number} of {folder} ended by {termination}, and only logs of games that end "
            "badly are kept; play with --log all to keep every one"
        )
    return str(log)


def _refused(folder: Path, error: sqlite3.Error) -> str | None:
    """Say why a sound database cannot be read, if `games.lath` will do; None if it is damaged."""
    kind = _primary(error)
    if kind in _IN_USE:
        return f"{folder} is being played, and {RECORDS} is not written yet"
    if kind in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):  # it wants a log beside it
        return f"{folder} is not writable, so {DATABASE} cannot be read; there is no {RECORDS}"
    return None


def _primary(error: sqlite3.Error) -> int:
    """Return the primary code of an error of the database; 0 where it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _from_database(path: Path) -> list[str]:
    """Return all texts at once: a run that begins meanwhile does not wait long."""
    return [text for (text,) in _rows(path, "SELECT record FROM game ORDER BY number")]


def _rows(path: Path, question: str, *values: object) -> list[tuple[Any, ...]]:
    """Return what a database answers; raises sqlite3.Error."""
    with closing(sqlite3.connect(path, timeout=0.0)) as database:
        if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
            return []  # a run was killed before it had a table
        return database.execute(question, values).fetchall()


class Phase(Enum):
    """How far a tournament's directory is."""

    ABSENT = "absent"
    """There is no tournament yet."""

    STOPPED = "stopped"
    """Nobody plays, and games are left to play."""

    PLAYING = "playing"
    OVER = "over"
    """Nobody plays, and none is left."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What there was to see."""

    has_changed: bool
    """Since `Following.rendered` was called; True before."""

    is_over: bool
    """Whether nothing will change any more, as far as one can tell."""

    readable: tuple[Path, ...]
    """The sources of which there is something to read now."""


Stamp = tuple[object, ...]


class Following:
    """Follows tournaments' directories, which may not be there yet, and files."""

    def __init__(
        self,
        sources: Callable[[], Sequence[Path]],
        *,
        every_s: float,
        others: Callable[[], Iterable[Path]] = tuple,
    ) -> None:
        """`sources` says what to follow now; a run there is asked for its games `every_s`.

        A change of `others` counts as one, too: they are files that something is made with.
        """
        self._sources: Final = sources
        self._every_s: Final = every_s
        self._others: Final = others
        self._rendered: Stamp | None = None
        self._seen: Stamp = ()
        self._played: set[Path] = set()
        """Directories in which a run was seen."""

    def look(self) -> Sight:
        """Return what there is to see."""
        sources = self._sources()
        phases = {source: phase_of(source) for source in sources}
        for source, phase in phases.items():
            self._heed(source, phase)
        self._seen = (
            *((source, _stamps(source, phase)) for source, phase in phases.items()),
            *((path, _stamp(path)) for path in self._others()),
        )
        return Sight(
            has_changed=self._seen != self._rendered,
            is_over=self._is_over(phases),
            readable=tuple(one for one, phase in phases.items() if has_records(one, phase)),
        )

    def rendered(self) -> None:
        """Note that something was made of what the last look saw."""
        self._rendered = self._seen

    def stop(self) -> None:
        """Ask no run for its games any more."""
        for source in self._sources():
            unwish(source)

    def _heed(self, source: Path, phase: Phase) -> None:
        """Note where somebody plays, and ask for games there."""
        if phase in (Phase.PLAYING, Phase.STOPPED):
            wish(source, self._every_s)
        if phase is Phase.PLAYING:
            self._played.add(source)

    def _is_over(self, phases: dict[Path, Phase]) -> bool:
        """Return whether all directories are done with; files alone never are.

        A run that was seen and is gone has said before what its games came to.
        """
        folders = {source: phase for source, phase in phases.items() if not source.is_file()}
        return bool(folders) and all(
            phase is Phase.OVER or (source in self._played and phase is not Phase.PLAYING)
            for source, phase in folders.items()
        )


def phase_of(source: Path) -> Phase:
    """Return how far a source is; a file, which nobody locks, is always STOPPED."""
    if source.is_file():
        return Phase.STOPPED
    if not (source / DATABASE).is_file():
        return Phase.OVER if (source / RECORDS).is_file() else Phase.ABSENT
    if is_being_played(source):
        return Phase.PLAYING
    try:
        outcome = outcome_in([source])
    except ArenaError:  # whoever reads the source is told of it
        return Phase.STOPPED
    return Phase.OVER if outcome is not None and outcome.is_complete else Phase.STOPPED


def has_records(source: Path, phase: Phase) -> bool:
    """Return whether there is something to read of a source in that phase."""
    if phase is Phase.PLAYING:
        return (source / RECORDS).is_file()
    return phase is not Phase.ABSENT


def _stamps(source: Path, phase: Phase) -> Stamp:
    """Return what changes when there is something new to read."""
    if source.is_file():
        return _stamp(source)
    names = [RECORDS, OUTCOME, *([] if phase is Phase.PLAYING else [DATABASE])]
    return (phase is Phase.PLAYING, *(_stamp(source / name) for name in names))


def _stamp(path: Path) -> Stamp:
    """Return what changes when a file is replaced or written; empty where there is none."""
    try:
        told = path.stat()
    except OSError:
        return ()
    return (told.st_ino, told.st_size, told.st_mtime_ns)


DEEPEST: Final = 3
"""How many folders below the first may hold tournaments: cup, season/cup, club/season/cup."""


class UnreadableError(ArenaError):
    """A tournament whose records cannot be read; `tournament` is its directory."""

    def __init__(self, tournament: Path, why: ArenaError) -> None:
        super().__init__(str(why))
        self.tournament = tournament


def is_collection(folder: Path) -> bool:
    """Return whether a folder is no tournament itself but holds some."""
    return folder.is_dir() and not _is_tournament(folder) and bool(tournaments_in(folder))


def tournaments_in(folder: Path) -> tuple[Path, ...]:
    """Return the tournaments' directories below, sorted; hidden folders and links are passed by."""
    return tuple(sorted(_below(folder, DEEPEST)))


def _below(folder: Path, depth: int) -> Iterator[Path]:
    if not depth:
        return
    try:
        inner = [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
    except OSError:  # not ours to read
        return
    for path in inner:
        if path.name.startswith("."):
            continue
        if _is_tournament(path):
            yield path
        else:
            yield from _below(path, depth - 1)


def _is_tournament(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (DATABASE, RECORDS))


def needs_report(tournament: Path) -> bool:
    """Return whether its report is missing or older than what it is made of."""
    if not has_records(tournament, phase_of(tournament)):
        return False
    made_ns = _changed_ns(tournament / REPORT)
    return made_ns < max(_changed_ns(tournament / name) for name in (DATABASE, RECORDS, OUTCOME))


def _changed_ns(path: Path) -> int:
    """Return when a file was changed; -1 where there is none."""
    return path.stat().st_mtime_ns if path.is_file() else -1


def collect(folder: Path, tournaments: Sequence[Path], base: Path) -> Collection:
    """Return what tournaments below `folder` come to, for a page in `base`.

    Raises UnreadableError where one of them cannot be read.
    """
    from lath.reports.page.index import Collector

    collector = Collector()
    for tournament in tournaments:
        phase = phase_of(tournament)
        is_there = has_records(tournament, phase)
        try:
            collector.add(
                tournament.relative_to(folder).as_posix(),
                records_of([tournament]) if is_there else (),
                outcome_in([tournament]) if is_there else None,
                is_playing=phase is Phase.PLAYING,
                link=link_to(tournament / REPORT, base),
            )
        except ArenaError as error:
            raise UnreadableError(tournament, error) from error
    return collector.collection()


def link_to(path: Path, base: Path) -> str:
    """Return the address of a file for a page in the folder `base`; empty where there is no file.

    Whatever the name, it is a relative address that a browser takes for nothing else.
    """
    if not path.is_file():
        return ""
    relative = Path(os.path.relpath(path.resolve(), base.resolve())).as_posix()
    return "./" + quote(os.fsencode(relative), safe="/")
