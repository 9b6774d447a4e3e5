"""Validity of the games in a tournament's directory, in its database and in `games.lath`.

`rescue` makes a new tournament of the valid games. The directory itself is never changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

from lath.arena.directory import CONFIG, DATABASE, OUTCOME, RECORDS, STANDINGS, STANDINGS_CSV
from lath.arena.errors import ArenaError, ConfigError, DamagedError, StoreError
from lath.arena.machine.system import in_words, reading_database, writing_error
from lath.arena.referee.record import GameResult
from lath.arena.tournament.outcome.directories import is_as_exported
from lath.arena.tournament.outcome.notes import games_of, is_as_written, outcome_in
from lath.arena.tournament.store.database import (
    EXPORTED,
    FORMER_SNAPSHOT,
    LOST,
    OUTCOME_STATE,
    ROUNDS,
    SNAPSHOT,
    WRITTEN,
    StoredGames,
    is_being_played,
    opened_to_read,
    read_notes,
)
from lath.arena.tournament.store.exports import write_whole
from lath.arena.tournament.store.rows import (
    RECORD,
    Row,
    fault_of,
    result_of,
    shown,
    taken_back,
    total_of,
)
from lath.arena.tournament.store.store import LOGS, Store, log_of, prepare_folder
from lath.games.naming import is_known
from lath.notation.files.files import whole_folder
from lath.notation.rules.quick_check import valid_plies
from lath.notation.rules.reading import entries, entry_of
from lath.notation.text.splitting import RecordText
from lath.reports.checksums import checked_bytes
from lath.reports.event.export import to_csv


@dataclass(frozen=True, slots=True)
class Invalid:
    """A damaged game, games that cannot be read, or a damaged file."""

    where: str
    """The file `tournament.db`, or `games.lath` with the first line of the record."""

    why: str

    def __str__(self) -> str:
        """Return place and reason on one line."""
        return f"{self.where}: {self.why}"


def stored(folder: Path, highest: int = 0) -> Iterator[GameResult | Invalid]:
    """Yield the games of a tournament's database, each number once, however damaged it is.

    If the database does not reveal its highest number, games up to `highest` are tried.
    """
    path = folder / DATABASE
    try:
        if not path.is_file():
            raise DamagedError("file not found", path)
        with reading_database(path), opened_to_read(path) as database:
            if database is None:
                raise DamagedError("the file is empty", path)
            yield from _stored(StoredGames(database, path), highest)
    except StoreError as error:
        yield Invalid(DATABASE, error.wrong)


def _stored(games: StoredGames, highest: int) -> Iterator[GameResult | Invalid]:
    seen: set[int] = set()
    before, total = games.total(), 0
    is_whole = True
    for row in _rows(games, highest):
        if isinstance(row, Invalid):
            found: GameResult | Invalid = row
        elif wrong := fault_of(row) or _illegal(row[RECORD]):
            found = Invalid(DATABASE, f"game {shown(row[0])}: {wrong}")
        elif row[0] in seen:
            continue
        else:
            seen.add(row[0])
            total = total_of((total, row[-1] or 0))
            found = result_of(row)
        is_whole = is_whole and not isinstance(found, Invalid)
        yield found
    # If the total changed meanwhile, a run is storing games.
    if is_whole and before is not None and before == games.total() != total:
        yield Invalid(DATABASE, LOST)
        is_whole = False
    if is_whole and (wrong := games.wrong_besides()):
        yield Invalid(DATABASE, wrong)


def _illegal(text: str) -> str:
    """Return how a record breaks the rules; empty if it is valid."""
    if valid_plies(text.strip()) is not None:
        return ""
    problems = entry_of(RecordText(1, text.strip()), RECORDS, 1).problems
    return f"its record: {problems[0].message}" if problems else ""


def _rows(games: StoredGames, highest: int) -> Iterator[Row | Invalid]:
    """Yield rows by number; if a batch fails, one by one, so that only damaged rows are lost."""
    last = 0
    while True:
        try:
            if not (rows := games.after(last)):
                return
            if rows[-1][0] <= last:
                raise sqlite3.DatabaseError("numbers are out of order")
        except (sqlite3.Error, TypeError):
            until = last + StoredGames.BATCH
            found = list(_one_by_one(games, range(last + 1, min(until, highest or until) + 1)))
            yield from found
            if all(isinstance(row, Invalid) for row in found) if not highest else until >= highest:
                return
            last = until
        else:
            yield from rows
            last = rows[-1][0]


def _one_by_one(games: StoredGames, numbers: range) -> Iterator[Row | Invalid]:
    """Yield the readable rows, then one finding per reason for all the others."""
    failures: list[tuple[int, str]] = []
    for number in numbers:
        try:
            yield from games.numbered(number)
        except (sqlite3.Error, TypeError) as error:
            failures.append((number, in_words(error)))
    for why in sorted({why for _, why in failures}):
        these = [number for number, reason in failures if reason == why]
        which = f"game {these[0]}" if len(these) == 1 else f"games from {these[0]} to {these[-1]}"
        yield Invalid(DATABASE, f"{which}: {why}")


def exported(folder: Path) -> Iterator[GameResult | Invalid]:
    """Yield the games of `games.lath`, checked by the rules, each number once.

    Records hold less than the database does: see `rows.taken_back`.
    """
    path = folder / RECORDS
    seen: set[int] = set()
    try:
        for entry in entries(path):
            where, game = f"{RECORDS}:{entry.line}", None
            if entry.record is not None and not entry.problems:
                game = taken_back(entry.record, f"{entry.text}\n")
            if entry.problems:
                yield Invalid(where, entry.problems[0].message)
            elif game is None:
                yield Invalid(where, "not a finished game of a tournament")
            elif game.number in seen:
                yield Invalid(where, f"game {game.number} occurs twice")
            else:
                seen.add(game.number)
                yield game
    except FileNotFoundError:
        yield Invalid(RECORDS, "file not found")
    except OSError as error:
        yield Invalid(RECORDS, f"cannot be read: {error.strerror or error}")


def beside(folder: Path) -> Iterator[Invalid]:
    """Yield the other files of a directory that differ from what a run wrote.

    Empty during a run, which rewrites them. Missing files are not reported.
    """
    if is_being_played(folder):
        return
    for name, wrong in _FAULTS.items():
        try:
            path = folder / name
            if path.is_file() and (words := wrong(folder, path.read_bytes())):
                yield Invalid(name, words)
        except OSError as error:
            yield Invalid(name, f"cannot be read: {error.strerror or error}")
        except StoreError:  # damage to the database is reported elsewhere
            pass
    yield from _other_logs(folder)


def _wrong_records(folder: Path, _content: bytes) -> str:
    with reading_database(folder / DATABASE):
        return "" if is_as_exported(folder) else "it is not as the last run has written it"


def _wrong_outcome(folder: Path, content: bytes) -> str:
    if wrong := _wrong_sum(folder, content):
        return wrong
    try:
        outcome_in([folder])
    except DamagedError as error:
        return error.wrong
    return ""


def _wrong_sum(_folder: Path, content: bytes) -> str:
    try:
        checked_bytes(content)
    except ValueError as error:
        return str(error)
    return ""


def _wrong_table(folder: Path, content: bytes) -> str:
    """Compare `standings.csv` with `standings.json`, which has the same games."""
    path = folder / STANDINGS
    if not path.is_file() or _wrong_sum(folder, of_json := path.read_bytes()):
        return ""
    try:
        is_same = to_csv(checked_bytes(of_json).value).encode() == content
    except (AttributeError, LookupError, TypeError):  # from another version
        return ""
    return "" if is_same else f"it is not what {STANDINGS} says"


def _wrong_config(folder: Path, content: bytes) -> str:
    if is_as_written(folder, content):
        return ""
    return "it is not as the last run has left it: it was edited, or is damaged"


_FAULTS: Final[Mapping[str, Callable[[Path, bytes], str]]] = {
    CONFIG: _wrong_config,
    RECORDS: _wrong_records,
    OUTCOME: _wrong_outcome,
    STANDINGS: _wrong_sum,
    STANDINGS_CSV: _wrong_table,
}
"""By file name, the function that returns what is wrong with the content; empty for nothing."""


def _other_logs(folder: Path) -> Iterator[Invalid]:
    """Yield the logs that differ from those in the database."""
    try:
        for game in games_of(folder):
            name = f"{LOGS}/game-{game.number}.log"
            path = folder / name
            if path.is_file() and path.read_bytes() != log_of(game).encode():
                yield Invalid(name, f"differs from the log in {DATABASE}")
    except OSError as error:
        yield Invalid(LOGS, f"cannot be read: {error.strerror or error}")
    except ArenaError:  # damage to the database is reported elsewhere
        return


def valid_in(folder: Path) -> Iterator[GameResult | Invalid]:
    """Yield the games of the database, then those of `games.lath`; many games occur twice."""
    numbers = (game.number for game in exported(folder) if isinstance(game, GameResult))
    yield from stored(folder, max(numbers, default=0))
    yield from exported(folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryFindings:
    """Valid and invalid games of a tournament's directory."""

    stored: int
    """The number of valid games in the database."""

    exported: int
    """The number of valid games in `games.lath`."""

    different: tuple[int, ...]
    """Numbers of games that are valid in both with different records. The database is right,
    because its games have checksums."""

    taken_back: tuple[int, ...]
    """Numbers of games that are valid in `games.lath` only."""

    unsound: tuple[Invalid, ...]

    @property
    def sound(self) -> int:
        """Return the number of valid games in either."""
        return self.stored + len(self.taken_back)

    @property
    def is_valid(self) -> bool:
        """Return whether nothing is wrong."""
        return not (self.different or self.taken_back or self.unsound)


def rescue(folder: Path, out: Path) -> DirectoryFindings:
    """Make a tournament in the new folder `out` from all games that are valid in either.

    `arena run --output` resumes it. Raises StoreError, and ConfigError if `out` is not empty.
    """
    taken = ConfigError(f"{out}: already exists", hint="--sound OUT names a new folder")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise taken
    try:
        # otherwise `arena run --output OUT` could resume half a tournament
        with whole_folder(out) as half, _named(half, out):
            return _rescued(folder, half)
    except FileExistsError as error:
        raise taken from error
    except OSError as error:
        raise writing_error(out, error, "made") from error


def _rescued(folder: Path, out: Path) -> DirectoryFindings:

    prepare_folder(out)
    with closing(Store(out)) as store:
        findings = look(folder, store)
        _take_notes(folder, store)
        store.export()
        if store.tournament() is not None:
            store.keep_notes({EXPORTED: store.exported})
    return findings


@contextmanager
def _named(half: Path, out: Path) -> Iterator[None]:
    """Name the final folder in errors about the unfinished one."""
    try:
        yield
    except StoreError as error:
        if error.path is not None and error.path.is_relative_to(half):
            error.path = out / error.path.relative_to(half)
        raise


def look(folder: Path, store: Store | None = None) -> DirectoryFindings:
    """Return what is valid in a tournament's directory, and add the games to `store`, if given."""
    unsound: list[Invalid] = []
    records: dict[int, int] = {}
    for game in exported(folder):
        if isinstance(game, Invalid):
            unsound.append(game)
        else:
            records[game.number] = hash(game.record)
    missing, different, number_stored = dict(records), [], 0
    for games in _batches(stored(folder, max(records, default=0)), unsound):
        number_stored += len(games)
        for game in games:
            if missing.pop(game.number, None) not in (None, hash(game.record)):
                different.append(game.number)  # noqa: PERF401 - the loop does two things
        if store is not None:
            store.add(games)
    if store is not None:
        for games in _batches(exported(folder), []):
            store.add(game for game in games if game.number in missing)
    is_told = different or missing or any(one.where.startswith(RECORDS) for one in unsound)
    unsound += (one for one in beside(folder) if not (one.where == RECORDS and is_told))
    return DirectoryFindings(
        stored=number_stored,
        exported=len(records),
        different=tuple(different),
        taken_back=tuple(missing),
        unsound=tuple(unsound),
    )


def _batches(
    games: Iterable[GameResult | Invalid], unsound: list[Invalid]
) -> Iterator[list[GameResult]]:
    """Yield the valid games in batches; the others are added to `unsound`."""
    stream = iter(games)
    while batch := list(islice(stream, StoredGames.BATCH)):
        unsound += [game for game in batch if isinstance(game, Invalid)]
        yield [game for game in batch if isinstance(game, GameResult)]


def _refuse_unknown_files(toml: Mapping[str, Any], folder: Path) -> None:
    """Raise ConfigError if a configuration names a game file that the user has not named."""
    named = toml.get("games")
    for text in named if isinstance(named, list) else ():
        if isinstance(text, str) and not is_known(text, folder):
            raise ConfigError(f"{text}: not run, because --game does not name it")


def _take_notes(folder: Path, store: Store) -> None:
    """Copy the valid notes and walkovers, or else begin what the configuration describes."""
    from lath.arena.entrants.toml_text import read_toml  # start-up time
    from lath.arena.tournament.configuration.config import load, revised

    path = folder / CONFIG
    identity: dict[str, object] | None = None
    try:
        text = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise writing_error(path, error, "read") from error
    notes: dict[str, object] = {}
    with suppress(ConfigError):  # if it is damaged, the next run says what is played
        _refuse_unknown_files(read_toml(path)[0], folder)
        config = load(path, folder)
        identity, notes = config.identity(), {ROUNDS: config.rounds}
        text = revised(text.decode(), config.as_written).encode()  # paths are relative to `folder`
    if text:
        write_whole(store.folder / CONFIG, [text])
    with suppress(StoreError), reading_database(folder / DATABASE):
        if found := read_notes(folder):
            stored, walkovers = found
            for key in (SNAPSHOT, FORMER_SNAPSHOT):  # the new tournament can be resumed
                stored.pop(key, None)
            store.keep_notes({**stored, OUTCOME_STATE: False, WRITTEN: None})
            store.add_walkovers(walkovers)
            return
    if identity is not None:
        store.begin(identity, notes)
