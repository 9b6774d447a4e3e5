"""What others see of tournaments: the records of directories and files, how far they are, reports.

A tournament is read while it is played, too: whoever follows it looks now and then. Must not know
what is made of the records, how a page is made, nor how games are played.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shlex
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import quote

from lath.arena.errors import (
    ArenaError,
    ConfigError,
    DamagedError,
    InUseError,
    StoreError,
    reading,
)
from lath.arena.tournament.database import (
    CHANGES,
    CONFIG,
    DATABASE,
    RECORDS,
    TOURNAMENT,
    Stamp,
    has_fallen_behind,
    is_being_played,
    read_records,
    read_rows,
    stamp_of,
)
from lath.arena.tournament.store import write_whole
from lath.arena.tournament.system import reading_database
from lath.notation import formats
from lath.notation.errors import Problem, RecordError
from lath.notation.reader import entries as entries_of_text
from lath.notation.reader import open_bytes, read, write_atomically
from lath.notation.record import Record
from lath.notation.scanner import parse
from lath.reports.outcome import Change, Outcome, changes_from_json, from_json, to_json

if TYPE_CHECKING:
    from lath.reports.page.index import Document
    from lath.reports.page.page import Page

OUTCOME: Final = "outcome.json"
REPORT: Final = "report.html"
"""The report of a tournament, in its directory."""

_READ: Final = (DATABASE, RECORDS, OUTCOME)
"""What a report is made of."""


class Doubt(NamedTuple):
    """What is to be said of where the records of a directory come from."""

    words: str
    damage: ArenaError | None = None
    """What is not as it was stored; None where something is only out of reach."""


def records_of(sources: Sequence[Path], doubts: list[Doubt] | None = None) -> Iterator[Record]:
    """Yield the records of all sources in order; `-` is standard input, which is our text.

    Of a directory that is damaged those that are sound, and where its database cannot be read those
    of `games.lath`; `doubts` gets what is to be said of that. Without it damage is an error.

    Raises ArenaError: a source that is not there, is no tournament, is of a format that is not read
    or has a bad record; a directory without anything that is sound.
    """
    for source in sources:
        found: list[Doubt] = []
        try:
            with reading(source):
                yield from _of_folder(source, found) if source.is_dir() else _of_file(source)
        except formats.FormatError as error:
            raise ConfigError(f"{source}: {error}") from error
        except RecordError as error:
            raise ArenaError(str(error)) from error
        if doubts is not None:
            doubts += found
        else:
            _refuse_damage(found)


def _refuse_damage(doubts: Iterable[Doubt]) -> None:
    for doubt in doubts:
        if doubt.damage is not None:
            raise doubt.damage


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


def _of_folder(folder: Path, doubts: list[Doubt]) -> Iterator[Record]:
    """Yield a tournament's records: from its database, or `games.lath` where that is not open."""
    database = folder / DATABASE
    last: Record | None = None
    try:
        if not database.is_file():
            raise StoreError(f"{folder} has no {DATABASE}")
        with reading_database(database):
            for text in read_records(folder):
                record = parse(text)
                yield record
                last = record
        exported = folder / RECORDS
        if last is None and exported.is_file() and exported.stat().st_size:
            raise DamagedError(f"{database} has no games, and {RECORDS} has some")
    except InUseError:  # for long, as by a run of 0.1.0; it is sound and will be open again
        raise
    except DamagedError as error:
        yield from _sound_in_either(folder, _number_of(last), error, doubts)
    except StoreError as error:
        yield from _exported_in(folder, _number_of(last), error, doubts)


def _number_of(record: Record | None) -> int:
    """Return the number of a game in its tournament; 0 where there is none."""
    number = record.tag("Number") if record else ""
    return int(number) if number.isascii() and number.isdigit() and len(number) <= 15 else 0


def _exported_in(
    folder: Path, given: int, why: StoreError, doubts: list[Doubt]
) -> Iterator[Record]:
    """Yield the sound records of `games.lath` but for those up to the number that was `given`."""
    path = folder / RECORDS
    if not path.is_file():
        if not (folder / DATABASE).is_file():
            raise ArenaError(f"{folder} is no tournament: it has neither {DATABASE} nor {RECORDS}")
        why.args = (f"{why}; there is no {RECORDS}",)
        raise why
    written = dt.datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    games, bad = 0, list[Problem]()
    for entry in entries_of_text(path, rules=False):
        if entry.record is None or entry.problems:
            bad.append(entry.problems[0])
        elif not given or _number_of(entry.record) > given:
            games += 1
            yield entry.record
    if bad and not games:
        raise RecordError(bad[0])
    whose = f"its games after number {given} are" if given else "its games are"
    words = f"{why}: {whose} the {games} of {RECORDS}, written {written:%Y-%m-%d %H:%M:%S}"
    damage = None
    if bad:
        words += f"; {len(bad)} there are left out: {bad[0]}"
        damage = ArenaError(str(bad[0]))
        damage.__cause__ = RecordError(bad[0])
    # Records alone are all that somebody copied; where it was played, its database is gone.
    if bad or (folder / DATABASE).is_file() or (folder / CONFIG).is_file():
        doubts.append(Doubt(words, damage))


def _sound_in_either(
    folder: Path, given: int, why: DamagedError, doubts: list[Doubt]
) -> Iterator[Record]:
    """Yield what is sound in a damaged database and in `games.lath`, after the number `given`."""
    from lath.arena.tournament.soundness import Unsound, sound_in

    unsound: list[Unsound] = []
    records: dict[int, str] = {}
    for game in sound_in(folder):
        if isinstance(game, Unsound):
            unsound.append(game)
        else:
            records.setdefault(game.number, "" if game.number <= given else game.record)
    if not records:
        raise why
    for number in sorted(records):  # in the order of a sound database
        if number > given:
            yield parse(records[number])
    words = f"{why}; {len(records)} games are sound there or in {RECORDS}"
    if left_out := [str(each) for each in unsound if each.why not in str(why)]:
        words += f", left out: {'; '.join(left_out[:3])}{'; ...' if left_out[3:] else ''}"
    check = f"arena check {shlex.quote(str(folder))}"
    words += f"; `{check}` counts them, and `{check} --sound OUT` makes a tournament of them"
    doubts.append(Doubt(words, why))


def outcome_in(sources: Sequence[Path]) -> Outcome | None:
    """Return what a tournament has come to; None where its directory is not the only source.

    None, too, where no run has ended there, and where the last one was killed: what is there is
    of fewer games then. Raises ArenaError where the file is damaged.
    """
    if len(sources) != 1 or not (path := sources[0] / OUTCOME).is_file():
        return None
    if has_fallen_behind(sources[0]):
        return None
    with reading(path):
        text = path.read_bytes()
    try:
        return from_json(json.loads(text))
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        raise ArenaError(f"{path} is damaged: {error}; `arena run` writes it again") from error


def played_in(folder: Path) -> tuple[str, ...]:
    """Return the names of the bots that have played in a tournament's directory."""
    question = "SELECT value FROM about WHERE key = ? AND EXISTS (SELECT 1 FROM game)"
    try:
        rows = read_rows(folder, question, TOURNAMENT)
        return tuple(bot["name"] for (value,) in rows for bot in json.loads(value)["bots"])
    except (sqlite3.Error, TypeError, ValueError, KeyError):  # whoever goes on there is told of it
        return ()


def changes_in(sources: Sequence[Path]) -> tuple[Change, ...]:
    """Return what was changed while a tournament was played, by what is stored of it.

    None where there are other sources. Raises ArenaError where that is damaged.
    """
    if len(sources) != 1 or not (path := sources[0] / DATABASE).is_file():
        return ()
    try:
        rows = read_rows(sources[0], "SELECT value FROM about WHERE key = ?", CHANGES)
    except sqlite3.Error:  # whoever reads the games is told of it
        return ()
    try:
        return changes_from_json(json.loads(rows[0][0])) if rows else ()
    except (TypeError, ValueError) as error:
        raise ArenaError(f"{path} is damaged: its note of changes: {error}") from error


def log_of(folder: Path, number: int) -> str:
    """Return the log of a game of a tournament: what was said in it and when.

    Raises ArenaError where the game is not there or no log of it was kept.
    """
    path = folder / DATABASE
    if not path.is_file():
        raise ArenaError(f"{folder} is no tournament: it has no {DATABASE}")
    with reading_database(path):
        rows = read_rows(folder, "SELECT log, termination FROM game WHERE number = ?", number)
    if not rows:
        raise ArenaError(f"{folder} has no game {number}")
    log, termination = rows[0]
    if not log:
        raise ArenaError(
            f"game {number} of {folder} ended by {termination}, and only logs of games that end "
            "badly are kept; play with --log all to keep every one"
        )
    return str(log)


def is_over(tournament: Path) -> bool:
    """Return whether nobody plays in a tournament's directory, and nothing is left to play."""
    if not (tournament / DATABASE).is_file():
        return (tournament / RECORDS).is_file()
    if is_being_played(tournament):
        return False
    try:
        outcome = outcome_in([tournament])
    except ArenaError:  # whoever reads the records is told of it
        return False
    return outcome is not None and outcome.is_complete


DEEPEST: Final = 3
"""How many folders below the first may hold tournaments: cup, season/cup, club/season/cup."""


def is_collection(folder: Path) -> bool:
    """Return whether a folder is no tournament itself but holds some."""
    return folder.is_dir() and not _is_tournament(folder) and bool(tournaments_in(folder))


def tournaments_in(folder: Path) -> tuple[Path, ...]:
    """Return the tournaments' directories below, sorted; hidden folders and links are passed by."""
    found = []
    for place, inner, _ in os.walk(folder):  # what is not ours to read is passed by, too
        path = Path(place)
        depth = len(path.relative_to(folder).parts)
        inner[:] = [name for name in inner if depth < DEEPEST and not name.startswith(".")]
        if depth and _is_tournament(path):
            found.append(path)
            inner.clear()
    return tuple(sorted(found))


def _is_tournament(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (DATABASE, RECORDS))


def needs_report(tournament: Path) -> bool:
    """Return whether the report of a tournament is missing, or older than what it is made of."""
    files = [tournament / name for name in (REPORT, *_READ)]
    made_ns, *changed_ns = (path.stat().st_mtime_ns if path.is_file() else -1 for path in files)
    return made_ns < max(changed_ns)


def collect(
    folder: Path,
    tournaments: Sequence[Path],
    base: Path,
    title: str | None = None,
    doubts: list[Doubt] | None = None,
) -> tuple[Document, dict[Path, ArenaError]]:
    """Return the data of the page in `base` on the tournaments below `folder`.

    With it those that are left out, since they are damaged or cannot be read; `doubts` gets what is
    to be said of the others.
    """
    from lath.reports.page.index import Collector

    unreadable: dict[Path, ArenaError] = {}
    while True:  # from the start: half of an unreadable one was counted
        collector = Collector()
        found: list[Doubt] = []
        for tournament in [path for path in tournaments if path not in unreadable]:
            is_playing = is_being_played(tournament)
            report, link = tournament / REPORT, ""
            if report.is_file():  # whatever its name, a browser takes the address for nothing else
                relative = Path(os.path.relpath(report.resolve(), base.resolve())).as_posix()
                link = "./" + quote(os.fsencode(relative), safe="/")
            try:
                collector.add(
                    tournament.relative_to(folder).as_posix(),
                    records_of([tournament], found),
                    outcome_in([tournament]),
                    is_playing=is_playing,
                    link=link,
                )
                _refuse_damage(found)
            except ArenaError as error:
                unreadable[tournament] = error
                break
        else:
            if doubts is not None:
                doubts += found
            return collector.document(title), unreadable


_FORMER: Final = re.compile(r"[0-9]{3,}-[0-9a-f]{8}\.js")
"""The names of the files that long pages of former versions had in a folder beside them."""


def write_page(out: Path, page: Page) -> int:
    """Write a report and return its size in bytes.

    What a page of a former version has left beside it, such as `report-games/`, is removed; files
    in there that are not ours stay. Raises OSError; the page that was there is then as it was.
    """
    html = page.html.encode()
    write_atomically(out, [html])
    folder = out.with_name(f"{out.stem}-games")
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if _FORMER.fullmatch(path.name):
                path.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()
    return len(html)


_STALE: Final = (
    b'<p class="remark" id="stale">This tournament was gone on with after the page was written: '
    b"games may be missing. <code>arena report</code> writes it anew.</p>"
)
_MAIN: Final = re.compile(rb"<main\b[^>]*>")


def mark_stale(folder: Path) -> None:
    """Let the report in a tournament's directory say that games may be missing; raises StoreError.

    It stays so until it is written anew, whatever ends the run.
    """
    path = folder / REPORT
    if path.is_file():
        with reading(path):
            page, made = path.read_bytes(), path.stat()
        if _STALE not in page and (place := _MAIN.search(page)):
            write_whole(path, [page[: place.end()], _STALE, page[place.end() :]])
            os.utime(path, ns=(made.st_atime_ns, made.st_mtime_ns))  # it is no newer by that


def write_outcome(folder: Path, outcome: Outcome) -> None:
    """Write what a tournament has come to; raises StoreError."""
    text = json.dumps(to_json(outcome), indent=2, ensure_ascii=False) + "\n"
    write_whole(folder / OUTCOME, [text.encode()])


@dataclass(frozen=True, slots=True)
class Sight:
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

    def look(self) -> Sight:
        """Return what there is to see."""
        seen: list[object] = [(path, stamp_of(path)) for path in self._others()]
        readable, done = [], []
        for source in self._sources():
            if source.is_file():
                readable.append(source)
                seen.append((source, stamp_of(source)))
                continue
            is_there = _is_tournament(source)
            is_playing = is_there and is_being_played(source)
            if is_there:
                readable.append(source)
            seen.append((source, is_playing, *(stamp_of(source / name) for name in _READ)))
            if is_playing:
                self._played.add(source)
            # A run that was seen and is gone has said before what its games came to.
            done.append(not is_playing and (source in self._played or is_over(source)))
        self._seen = tuple(seen)
        return Sight(
            has_changed=self._seen != self._rendered,
            is_over=bool(done) and all(done),  # files alone never are
            readable=tuple(readable),
        )

    def rendered(self) -> None:
        """Note that something was made of what the last look saw."""
        self._rendered = self._seen
