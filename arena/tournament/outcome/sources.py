"""What others see of tournaments: the records of directories and files, and how far they are.

A tournament is read while it is played, too.
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
    """What is to be said of where the records of a directory come from."""

    words: str
    damage: ArenaError | None = None
    """What is not as it was stored; None where something is only out of reach."""


def origin_of(source: Path) -> str:
    """Return what tells a tournament from all others, copies of it aside; empty if nobody knows.

    It is that of a tournament's directory, and of the `games.lath` in it.
    """
    folder = source.parent if source.name == RECORDS else source
    if not (folder / DATABASE).is_file():
        return ""
    try:
        notes = read_texts(folder)
        if own := read_json(notes.get(IDENTITY, "null")):
            return str(own)
        first, *_ = read_json(notes.get(PROVENANCE, "[]"))  # of versions that noted nothing else
        return f"{first['date']} {first['resolved']}"
    except (sqlite3.Error, ArenaError, LookupError, TypeError, ValueError):
        return ""  # whoever reads its games is told of it


def records_of(
    sources: Sequence[Path],
    doubts: list[Doubt] | None = None,
    *,
    rules: bool = True,
    jobs: int = 1,
    given: GivenGames | None = None,
) -> Iterator[Record | Refused]:
    """Yield the records of all sources in order; `-` is standard input, which is our text.

    In the place of each in which `arena check` finds an error stands why it is refused; without
    `rules` records are taken as they stand, if only they are records. Files of our text are checked
    by `jobs` processes.

    Of a directory that is damaged those that are sound, and where its database cannot be read those
    of `games.lath`; `doubts` gets what is to be said of that. Without it damage is an error.

    Those that were `given` before are left out, if anybody asks for that; `doubts` get its words.

    Raises ArenaError: a source that is not there, is no tournament or is of a format that is not
    read; a directory without anything that is sound.
    """
    if given is not None:
        yield from _once(sources, doubts, given, rules=rules, jobs=jobs)
        return
    for source in files_in(sources, is_refused=False):
        found: list[Doubt] = []
        try:
            with reading(source):
                if source.is_dir():
                    yield from _marked(_of_folder(source, found, rules=rules), rulings_in([source]))
                else:
                    if words := export_doubt(source):
                        found.append(Doubt(words))
                    name = formats.recognised(source)
                    with open_bytes(source) as stream:
                        entries = formats.entries(stream, name, str(source), rules=rules, jobs=jobs)
                        yield from (_record_of(entry, source) for entry in TAKEN.entries(entries))
        except formats.FormatError as error:
            raise ConfigError(f"{source}: {error}") from error
        if doubts is not None:
            doubts += found
        else:
            refuse_damage(found)


def live_first(sources: Iterable[Path]) -> list[Path]:
    """Return sources in their order, but copies that are snapshots, and then mere records, last.

    So a game counts as it is ruled today, and not as it was when the copy was made; and of records
    without a database it counts where no tournament has it.
    """

    def is_copy(source: Path) -> bool:
        try:
            return source.is_dir() and snapshot_in([source]) is not None
        except ArenaError:  # whoever reads its games says so
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
    """Yield records, but for those that were given before."""
    # Directories first: they know what was ruled of a game, and its records elsewhere do not.
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
    """Yield records, those that a ruling is about with a tag that says so."""
    for record in records:
        if not isinstance(record, Refused) and (tag := ruling_on(record, rulings)):
            record = replace(record, tags=(*record.tags, (RULING, tag)))  # noqa: PLW2901
        yield record


def ruling_on(record: Record, rulings: Iterable[Ruling]) -> str:
    """Return the tag of the ruling that a tournament's record is under; empty without."""
    in_force = [one for one in rulings if not one.lifted]
    of_game = [one.tag for one in in_force if one.game and one.game == record.number]
    of_bot = [one.tag for one in in_force if one.bot and one.bot in (record.first, record.second)]
    return next(iter(of_game + of_bot), "")


class Material(NamedTuple):
    """All that is told of sources is made of this."""

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
    """Return records as `records_of` does, those of an `analysis` among them, and what is known.

    If `public`, only what everybody may see of both. Raises ArenaError.
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
    """Yield records, in the place of the plies of each those of the same game that was analysed.

    Games are the same where tag Number, game, players and moves are. The analysed records of the
    file are kept in memory. Raises ArenaError: as `records_of`, and where none is analysed.
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
    """Return what tells a game from others."""
    tags = (record.tag(name) for name in ("Number", "Setup", "Position"))
    return (*tags, record.game, record.first, record.second, record.moves)


def refuse_damage(doubts: Iterable[Doubt]) -> None:
    """Raise the first damage that there is."""
    for doubt in doubts:
        if doubt.damage is not None:
            raise doubt.damage


def _record_of(entry: Entry, file: Path, game: int = 0) -> Record | Refused:
    """Return the record of an entry, or why it is none that counts: of several problems the first.

    It stands in a file on its line, or in a database as a game.
    """
    if entry.record is not None and not entry.problems:
        return entry.record
    problem = entry.problems[0]
    place = f"{file}: game {game}" if game else f"{file}:{problem.line}"
    why = printable(problem.message + instead(problem.meant, problem.expected))
    return Refused(printable(place), problem.code.replace("-", " "), why)


def _stored_record(file: Path, number: int, text: str, *, rules: bool) -> Record | Refused:
    """Return the record of a game of a database, or why it is none that counts."""
    entry = entry_of(RecordText(1, text.strip()), DATABASE, 1, rules=rules)
    return _record_of(entry, file, number)


def _of_folder(folder: Path, doubts: list[Doubt], *, rules: bool) -> Iterator[Record | Refused]:
    """Yield a tournament's records: from its database, or `games.lath` where that is not open."""
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
    except InUseError:  # for long, as by a run of 0.1.0; it is sound and will be open again
        raise
    except DamagedError as error:
        yield from _valid_in_either(folder, last, error, doubts)
    except StoreError as error:
        yield from _exported_in(folder, last, error, doubts, rules=rules)


def _exported_in(
    folder: Path, given: int, why: StoreError, doubts: list[Doubt], *, rules: bool
) -> Iterator[Record | Refused]:
    """Yield the records of `games.lath` but for those up to the number that was `given`."""
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
    file = Path(folder.name, RECORDS)  # a page does not tell where a folder is
    for record in (_record_of(entry, file) for entry in entries_of_text(path, rules=rules)):
        if isinstance(record, Refused):
            yield record
        elif not given or record.number > given:
            games += 1
            yield record
    after = f" after game {given}" if given else ""
    words = (
        f"{why}; read {games} games{after} from {RECORDS} of {written:%Y-%m-%d %H:%M:%S} instead"
    )
    # Records alone are all that somebody copied; where it was played, its database is gone.
    if (folder / DATABASE).is_file() or (folder / CONFIG).is_file():
        doubts.append(Doubt(words))


def _valid_in_either(
    folder: Path, given: int, why: DamagedError, doubts: list[Doubt]
) -> Iterator[Record]:
    """Yield what is sound in a damaged database and in `games.lath`, after the number `given`."""
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
    # In the order of a sound database.
    yield from (parse(records[number]) for number in sorted(records) if number > given)
    words = f"{why}; {len(records)} games are valid there or in {RECORDS}"
    if left_out := [str(each) for each in unsound if each.why != why.wrong]:
        words += f", left out: {'; '.join(left_out[:3])}{'; ...' if left_out[3:] else ''}"
    check = f"arena check {shlex.quote(str(folder))}"
    words += f"; `{check}` counts them; `{check} --sound OUT` copies them to a new tournament"
    doubts.append(Doubt(words, why))


def record_and_log_of(folder: Path, number: int) -> tuple[Record, str]:
    """Return the record of a game of a tournament, and what was said in it and when.

    The log is empty where none was kept. Raises ArenaError where the game is not there.
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
    """Return the record of a game of a directory or a file, and its log, empty where there is none.

    Where no record has the number as its own, it is that of the place. Raises ArenaError.
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
    """Games that a bot lost by the same kind of fault."""

    games: int
    """How many there are."""

    first: tuple[Forfeit, ...]
    """The first of them by number."""


def forfeits_in(folder: Path, most: int) -> list[ForfeitsAlike]:
    """Return the games of a tournament that a bot lost otherwise than on the board.

    At most so many of each bot and ending; who lost the first one comes first. Raises ArenaError.
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
    """Return what is known of a tournament beside its records, where it is the only source.

    The tables are those of a `season`; empty: of all games. Default: of the last one, if the source
    has seasons. Its scale is that of all sources, by these `anchors` or else those that are stored.
    Raises ArenaError where that is damaged; of a result `doubts` hears that, if they are given.
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
    if outcome is not None and shown != season_in(sources, None):  # it is of the last season
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
    """Return what is told while games are to come, which follow from the seed."""
    shown = _SEED.sub('seed = "(told at the end)"', played.configuration)
    return replace(played, seed=None, configuration=shown)
