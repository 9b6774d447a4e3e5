"""Records and background of tournaments, from directories and files.

A tournament can be read while it is played.
"""

from __future__ import annotations

import datetime as dt
import re
import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from lath.arena.directory import CONFIG, DATABASE, RECORDS
from lath.arena.errors import (
    ArenaError,
    ConfigError,
    DamagedError,
    InUseError,
    StoreError,
    reading,
)
from lath.arena.machine.system import reading_database
from lath.arena.tournament.outcome.directories import export_doubt, is_of_a_run
from lath.arena.tournament.outcome.notes import (
    benched_in,
    changes_in,
    games_of,
    noted_in,
    outcome_in,
    rulings_in,
    season_in,
    snapshot_in,
)
from lath.arena.tournament.outcome.taken import NO_FILES, TAKEN, files_in
from lath.arena.tournament.store.anchors import scale_in
from lath.arena.tournament.store.database import (
    IDENTITY,
    PROVENANCE,
    VERSIONS,
    read_game,
    read_records,
    read_texts,
)
from lath.arena.tournament.store.rows import result_of
from lath.games.errors import count_of
from lath.notation import formats
from lath.notation.archive.given import GivenGames
from lath.notation.files.bounds import read_json
from lath.notation.files.files import open_bytes
from lath.notation.record.errors import instead, printable
from lath.notation.record.record import Forfeit, Record
from lath.notation.record.tags import ANALYSIS, FORFEITS, RULING
from lath.notation.rules.reading import entries as entries_of_text
from lath.notation.rules.reading import entry_of
from lath.notation.text.scanner import parse
from lath.notation.text.splitting import Entry, RecordText
from lath.reports.counting.standings import Refused
from lath.reports.event.background import Background
from lath.reports.event.public import public_background, public_records
from lath.reports.notes.notes import Provenance, Ruling, Version
from lath.reports.notes.outcome import EventOutcome


class Doubt(NamedTuple):
    """A remark on where the records of a directory come from."""

    words: str
    damage: ArenaError | None = None
    """The damage; None if a file is only unreadable or missing."""


def origin_of(source: Path) -> str:
    """Return the identity of a tournament, shared by its copies; empty if unknown.

    The `games.lath` in a tournament's directory has the identity of the tournament.
    """
    folder = source.parent if source.name == RECORDS else source
    if not (folder / DATABASE).is_file():
        return ""
    try:
        notes = read_texts(folder)
        if own := read_json(notes.get(IDENTITY, "null")):
            return str(own)
        first, *_ = read_json(notes.get(PROVENANCE, "[]"))  # from versions that noted no identity
        return f"{first['date']} {first['resolved']}"
    except (sqlite3.Error, ArenaError, LookupError, TypeError, ValueError):
        return ""  # reading the games reports it


def records_of(
    sources: Sequence[Path],
    doubts: list[Doubt] | None = None,
    *,
    rules: bool = True,
    jobs: int = 1,
    given: GivenGames | None = None,
) -> Iterator[Record | Refused]:
    """Yield the records of all sources in order; `-` is standard input in this notation.

    A record in which `arena check` finds an error is replaced by the reason why it is refused.
    Without `rules` the moves are not checked. Files in this notation are checked by `jobs`
    processes.

    From a damaged directory come its valid records. If its database cannot be read, they come from
    `games.lath`. Remarks on that go into `doubts`; without `doubts` damage is an error.

    With `given`, records that it has seen before are left out, and its words go into `doubts`.

    Raises ArenaError for a source that does not exist, is not a tournament, or has an unreadable
    format. Raises it also for a directory without valid records.
    """
    if given is not None:
        yield from _once(sources, doubts, given, rules=rules, jobs=jobs)
        return
    for source in files_in(sources, is_refused=False):
        found: list[Doubt] = []
        by_rules = TAKEN.by_rules(source)
        try:
            with reading(source):
                if source.is_dir():
                    of_folder = _of_folder(source, found, rules=rules)
                    for record in _marked(of_folder, rulings_in([source])):
                        if not isinstance(record, Refused):
                            by_rules.see(record)
                        yield record
                else:
                    if words := export_doubt(source):
                        found.append(Doubt(words))
                    name = formats.recognised(source)
                    with open_bytes(source) as stream:
                        entries = formats.entries(stream, name, str(source), rules=rules, jobs=jobs)
                        own = TAKEN.entries(TAKEN.seen(entries, source))
                        yield from (_record_of(entry, source) for entry in own)
        except formats.FormatError as error:
            raise ConfigError(f"{source}: {error}") from error
        if doubts is not None:
            doubts += found
        else:
            refuse_damage(found)


def live_first(sources: Iterable[Path]) -> list[Path]:
    """Return sources in order, with copies that are snapshots and then mere records last.

    A game that occurs several times then counts with today's rulings, not with those of a copy.
    """

    def is_copy(source: Path) -> bool:
        try:
            return source.is_dir() and snapshot_in([source]) is not None
        except ArenaError:  # reading the games reports it
            return False

    return sorted(sources, key=lambda source: (not origin_of(source), is_copy(source)))


def _once(
    sources: Sequence[Path],
    doubts: list[Doubt] | None,
    given: GivenGames,
    *,
    rules: bool,
    jobs: int,
) -> Iterator[Record | Refused]:
    """Yield records without those given before."""
    # Directories first: they know the rulings on a game, and records elsewhere do not.
    files = files_in(sources, is_refused=False)
    for source in live_first(sorted(files, key=lambda one: not one.is_dir())):
        given.begin(source, origin_of(source))
        yield from (
            record
            for record in records_of([source], doubts, rules=rules, jobs=jobs)
            if isinstance(record, Refused) or not given.is_left_out(record)
        )
    if doubts is not None and (words := given.words()):
        doubts.append(Doubt(words))


def _marked(
    records: Iterator[Record | Refused], rulings: Sequence[Ruling]
) -> Iterator[Record | Refused]:
    """Yield records, with a tag on those that a ruling is about."""
    for record in records:
        if not isinstance(record, Refused) and (tag := ruling_on(record, rulings)):
            record = replace(record, tags=(*record.tags, (RULING, tag)))  # noqa: PLW2901
        yield record


def ruling_on(record: Record, rulings: Iterable[Ruling]) -> str:
    """Return the tag of the ruling on a tournament's record; empty without one."""
    in_force = [one for one in rulings if not one.lifted]
    of_game = [one.tag for one in in_force if one.game and one.game == record.number]
    of_bot = [one.tag for one in in_force if one.bot and one.bot in (record.first, record.second)]
    return next(iter(of_game + of_bot), "")


class Material(NamedTuple):
    """The records and background that reports are made of."""

    records: Iterator[Record | Refused]
    background: Background


def material_of(
    sources: Sequence[Path],
    doubts: list[Doubt] | None = None,
    *,
    rules: bool = True,
    analysis: Path | None = None,
    public: bool = False,
    given: GivenGames | None = None,
    anchors: Mapping[str, float] | None = None,
    relative_to: str = "",
    season: str | None = None,
) -> Material:
    """Return records as `records_of` does, with those of an `analysis`, and the background.

    With `public`, both hold only what everybody may see. Raises ArenaError.
    """
    records = records_of(sources, doubts, rules=rules, given=given)
    background = background_of(
        sources, doubts, anchors=anchors, relative_to=relative_to, season=season
    )
    if analysis is not None:
        records = with_analysis(records, analysis, doubts if doubts is not None else [])
    if public:
        records, background = public_records(records), public_background(background)
    return Material(records, background)


def with_analysis(
    records: Iterator[Record | Refused], file: Path, doubts: list[Doubt]
) -> Iterator[Record | Refused]:
    """Yield records, with the plies of analysed records of the same games.

    Games are the same if tag Number, game, players and moves are. The analysed records are kept in
    memory. Raises ArenaError as `records_of`, and if the file has no analysed record.
    """
    found = {
        _game_of(record): record
        for record in records_of([file], doubts)
        if not isinstance(record, Refused) and record.tag(ANALYSIS)
    }
    if not found:
        raise ConfigError(f"{file}: has no analysed records; `arena analyze` makes them")
    for record in records:
        analysed = None if isinstance(record, Refused) else found.pop(_game_of(record), None)
        if analysed is None or isinstance(record, Refused):
            yield record
            continue
        tags = [tag for tag in record.tags if tag[0] != ANALYSIS]
        tag = (ANALYSIS, analysed.tag(ANALYSIS))
        yield replace(record, tags=(*tags, tag), comments=analysed.comments, plies=analysed.plies)
    if found:
        games = f"{len(found)} analysed game{' is' if len(found) == 1 else 's are'}"
        doubts.append(Doubt(f"{games} of {file} are in no source"))


def _game_of(record: Record) -> tuple[str | tuple[str, ...], ...]:
    """Return values that identify a game."""
    tags = (record.tag(name) for name in ("Number", "Setup", "Position"))
    return (*tags, record.game, record.first, record.second, record.moves)


def refuse_damage(doubts: Iterable[Doubt]) -> None:
    """Raise the first damage, if there is any."""
    for doubt in doubts:
        if doubt.damage is not None:
            raise doubt.damage


def _record_of(entry: Entry, file: Path, game: int = 0) -> Record | Refused:
    """Return the record of an entry, or its first problem.

    The place is a line of a file, or a `game` of a database.
    """
    if entry.record is not None and not entry.problems:
        return entry.record
    problem = entry.problems[0]
    place = f"{file}: game {game}" if game else f"{file}:{problem.line}"
    why = printable(problem.message + instead(problem.meant, problem.expected))
    return Refused(printable(place), problem.code.replace("-", " "), why)


def _stored_record(file: Path, number: int, text: str, *, rules: bool) -> Record | Refused:
    """Return the record of a game of a database, or its first problem."""
    entry = entry_of(RecordText(1, text.strip()), DATABASE, 1, rules=rules)
    return _record_of(entry, file, number)


def _of_folder(folder: Path, doubts: list[Doubt], *, rules: bool) -> Iterator[Record | Refused]:
    """Yield a tournament's records from its database, or from `games.lath` if that fails."""
    database = folder / DATABASE
    last = 0
    try:
        if not database.is_file():
            raise StoreError(f"has no {DATABASE}", folder)
        with reading_database(database):
            for last, text in read_records(folder):
                yield _stored_record(Path(folder.name, DATABASE), last, text, rules=rules)
        exported = folder / RECORDS
        if not last and exported.is_file() and exported.stat().st_size:
            raise DamagedError(f"has no games, but {RECORDS} has some", database, ": ")
    except InUseError:  # a run of 0.1.0 locks it for long; it is valid and will be readable again
        raise
    except DamagedError as error:
        yield from _valid_in_either(folder, last, error, doubts)
    except StoreError as error:
        yield from _exported_in(folder, last, error, doubts, rules=rules)


def _exported_in(
    folder: Path, given: int, why: StoreError, doubts: list[Doubt], *, rules: bool
) -> Iterator[Record | Refused]:
    """Yield the records of `games.lath` with numbers above `given`."""
    path = folder / RECORDS
    if not path.is_file():
        if not (folder / DATABASE).is_file():
            lacks = f"it has neither {DATABASE} nor {RECORDS}"
            more = "" if is_of_a_run(folder) else NO_FILES
            raise ArenaError(f"{folder}: not a tournament: {lacks}{more}")
        why.more += f"; {RECORDS} does not exist"
        raise why
    written = dt.datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    games = 0
    file = Path(folder.name, RECORDS)  # pages do not show where a folder is
    for record in (_record_of(entry, file) for entry in entries_of_text(path, rules=rules)):
        if isinstance(record, Refused):
            yield record
        elif not given or record.number > given:
            games += 1
            yield record
    after = f" after game {given}" if given else ""
    words = (
        f"{why}; read {count_of(games, 'game')}{after} from {RECORDS} of "
        f"{written:%Y-%m-%d %H:%M:%S} instead"
    )
    # Records alone may be all that was copied. A configuration shows that the games were played
    # here, so that the database is lost.
    if (folder / DATABASE).is_file() or (folder / CONFIG).is_file():
        doubts.append(Doubt(words))


def _valid_in_either(
    folder: Path, given: int, why: DamagedError, doubts: list[Doubt]
) -> Iterator[Record]:
    """Yield valid games of a damaged database and of `games.lath` with numbers above `given`."""
    from lath.arena.tournament.outcome.validity import Invalid, valid_in  # start-up time

    unsound: list[Invalid] = []
    records: dict[int, str] = {}
    for game in valid_in(folder):
        if isinstance(game, Invalid):
            unsound.append(game)
        else:
            records.setdefault(game.number, "" if game.number <= given else game.record)
    if not records:
        raise why
    # In the order of an undamaged database.
    yield from (parse(records[number]) for number in sorted(records) if number > given)
    are = "is" if len(records) == 1 else "are"
    words = f"{why}; {count_of(len(records), 'game')} {are} valid there or in {RECORDS}"
    if left_out := [str(each) for each in unsound if each.why != why.wrong]:
        words += f", left out: {'; '.join(left_out[:3])}{'; ...' if left_out[3:] else ''}"
    check = f"arena check {shlex.quote(str(folder))}"
    words += f"; `{check}` counts them; `{check} --sound OUT` copies them to a new tournament"
    doubts.append(Doubt(words, why))


def record_and_log_of(folder: Path, number: int) -> tuple[Record, str]:
    """Return the record of a tournament's game, and its log with times.

    The log is empty if none was kept. Raises ArenaError if the game does not exist.
    """
    path = folder / DATABASE
    if not path.is_file():
        raise ArenaError(f"{folder}: not a tournament: it has no {DATABASE}")
    with reading_database(path):
        if (row := read_game(folder, number)) is None:
            raise ArenaError(f"{folder}: has no game {number}")
        game = result_of(row)
        return parse(game.record), game.log


def game_in(source: Path, number: int) -> tuple[Record, str]:
    """Return the record of a game of a directory or a file, and its log, empty if none was kept.

    If no record has the number, the record at that place counts. Raises ArenaError.
    """
    if (source / DATABASE).is_file():
        return record_and_log_of(source, number)
    at_place: Record | None = None
    for place, record in enumerate(records_of([source]), 1):
        if not isinstance(record, Record):
            continue
        if record.number == number:
            return record, ""
        if place == number and not record.number:
            at_place = record
    if at_place is None:
        raise ArenaError(f"{source}: has no game {number}")
    return at_place, ""


class ForfeitsAlike(NamedTuple):
    """Games that a bot lost by the same kind of failure."""

    games: int
    """The number of these games."""

    first: tuple[Forfeit, ...]
    """The first games by number."""


def forfeits_in(folder: Path, most: int) -> list[ForfeitsAlike]:
    """Return the games of a tournament that a bot lost by its own failure.

    At most `most` for each bot and ending, in the order of the first losses. Raises ArenaError.
    """
    games, first = Counter[tuple[str, str]](), dict[tuple[str, str], list[Forfeit]]()
    for game in games_of(folder):
        side = game.result.loser
        if game.termination not in FORFEITS or side is None:
            continue
        kind = (game.first, game.second)[side], game.termination
        games[kind] += 1
        if games[kind] <= most:
            with reading_database(folder / DATABASE):
                lost = parse(game.record).forfeit
            if lost is not None:
                first.setdefault(kind, []).append(lost)
    return [ForfeitsAlike(games[kind], tuple(lost)) for kind, lost in first.items()]


def background_of(
    sources: Sequence[Path],
    doubts: list[Doubt] | None = None,
    *,
    anchors: Mapping[str, float] | None = None,
    relative_to: str = "",
    season: str | None = None,
) -> Background:
    """Return what is known of a tournament besides its records, if it is the only source.

    Its tables are those of a `season`, or of all games if that is empty. Default: the last season,
    if there is one. The scale is that of all sources, by `anchors` or by default those stored.
    Raises ArenaError for damaged notes; a damaged outcome goes into `doubts`, if given.
    """
    outcome = None
    try:
        outcome = outcome_in(sources)
    except DamagedError as error:
        if doubts is None:
            raise
        doubts.append(Doubt(str(error), error))
    played = noted_in(sources, PROVENANCE, Provenance)
    if outcome is None or not outcome.is_complete:
        played = tuple(map(_without_seed, played))
    shown = season_in(sources, season)
    if outcome is not None and shown != season_in(sources, None):  # of the last season
        outcome = EventOutcome(format=outcome.format, event=outcome.event)
    return Background(
        outcome=outcome,
        changes=changes_in(sources),
        versions=noted_in(sources, VERSIONS, Version),
        rulings=rulings_in(sources),
        benches=benched_in(sources),
        snapshot=snapshot_in(sources),
        season=shown,
        provenance=played,
        scale=scale_in(sources, anchors=anchors, relative_to=relative_to),
    )


_SEED: Final = re.compile(r"^seed = [0-9]+$", re.MULTILINE)


def _without_seed(played: Provenance) -> Provenance:
    """Return the provenance without the seed, which would reveal the games to come."""
    shown = _SEED.sub('seed = "(told at the end)"', played.configuration)
    return replace(played, seed=None, configuration=shown)
