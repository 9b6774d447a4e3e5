"""What others see of tournaments: the records of directories and files, and how far they are.

A tournament is read while it is played, too. Must not know what is made of the records, where pages
are, nor how games are played.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
import shlex
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from lath.arena.errors import (
    ArenaError,
    ConfigError,
    DamagedError,
    InUseError,
    StoreError,
    reading,
)
from lath.arena.referee.record import GameResult
from lath.arena.taken import NO_FILES, TAKEN, files_in
from lath.arena.tournament.anchors import scale_in
from lath.arena.tournament.database import (
    BENCHES,
    CHANGES,
    CONFIG,
    DATABASE,
    EXPORTED,
    FORMER_SNAPSHOT,
    IDENTITY,
    PROVENANCE,
    RECORDS,
    RULINGS,
    SEASONS,
    SNAPSHOT,
    TOURNAMENT,
    VERSIONS,
    WRITTEN,
    is_being_played,
    outcome_state,
    read_game,
    read_games,
    read_records,
    read_rows,
    read_texts,
)
from lath.arena.tournament.exports import write_whole
from lath.arena.tournament.rows import result_of
from lath.arena.tournament.system import reading_database
from lath.notation import formats
from lath.notation.archive.given import Given
from lath.notation.files.bounds import read_json, read_toml
from lath.notation.files.files import open_bytes
from lath.notation.record.errors import instead, printable
from lath.notation.record.record import ANALYSIS, FORFEITS, RULING, Forfeit, Record
from lath.notation.record.record import SEASON as SEASON_TAG
from lath.notation.rules.quick_check import sound_plies
from lath.notation.rules.reading import entries as entries_of_text
from lath.notation.rules.reading import entry_of
from lath.notation.text.scanner import parse
from lath.notation.text.splitting import Entry, RecordText
from lath.reports.background import (
    Background,
    Bench,
    Change,
    Provenance,
    Ruling,
    Snapshot,
    Version,
    from_notes,
)
from lath.reports.checksums import checked_bytes, checksum_of, with_checksum
from lath.reports.outcome import Outcome, from_json, to_json
from lath.reports.public import public_background, public_records
from lath.reports.seasons import Season
from lath.reports.standings import Refused

OUTCOME: Final = "outcome.json"

STANDINGS: Final = "standings.json"

STANDINGS_CSV: Final = "standings.csv"


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
    given: Given | None = None,
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
                    ruled = rulings_in([source])
                    yield from _marked(_of_folder(source, found, rules=rules), ruled)
                else:
                    if words := export_doubt(source):
                        found.append(Doubt(words))
                    name = formats.recognised(source)
                    with open_bytes(source) as stream:
                        entries = formats.entries(stream, name, str(source), rules=rules, jobs=jobs)
                        for entry in TAKEN.entries(entries):
                            yield _record_of(entry, source)
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
    sources: Sequence[Path], doubts: list[Doubt] | None, given: Given, *, rules: bool, jobs: int
) -> Iterator[Record | Refused]:
    """Yield records, but for those that were given before."""
    # Directories first: they know what was ruled of a game, and its records elsewhere do not.
    files = files_in(sources, is_refused=False)
    for source in live_first(sorted(files, key=lambda one: not one.is_dir())):
        given.begin(source, origin_of(source))
        for record in records_of([source], doubts, rules=rules, jobs=jobs):
            if isinstance(record, Refused) or not given.is_left_out(record):
                yield record
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
    given: Given | None = None,
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
        raise ConfigError(f"{file} has no analysed records; `arena analyze` makes them")
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
        doubts.append(Doubt(f"{games} of {file} and of no source"))


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
    if not rules or sound_plies(text.strip()) is not None:
        return parse(text)
    return _record_of(entry_of(RecordText(1, text.strip()), DATABASE, 1), file, number)


def _of_folder(folder: Path, doubts: list[Doubt], *, rules: bool) -> Iterator[Record | Refused]:
    """Yield a tournament's records: from its database, or `games.lath` where that is not open."""
    database = folder / DATABASE
    last = 0
    try:
        if not database.is_file():
            raise StoreError(f"{folder} has no {DATABASE}")
        with reading_database(database):
            for last, text in read_records(folder):
                yield _stored_record(Path(folder.name, DATABASE), last, text, rules=rules)
        exported = folder / RECORDS
        if not last and exported.is_file() and exported.stat().st_size:
            raise DamagedError(f"{database} has no games, and {RECORDS} has some")
    except InUseError:  # for long, as by a run of 0.1.0; it is sound and will be open again
        raise
    except DamagedError as error:
        yield from _sound_in_either(folder, last, error, doubts)
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
            raise ArenaError(f"{folder} is no tournament: {lacks}{more}")
        why.args = (f"{why}; there is no {RECORDS}",)
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
    whose = f"its games after number {given} are" if given else "its games are"
    words = f"{why}: {whose} the {games} of {RECORDS}, written {written:%Y-%m-%d %H:%M:%S}"
    # Records alone are all that somebody copied; where it was played, its database is gone.
    if (folder / DATABASE).is_file() or (folder / CONFIG).is_file():
        doubts.append(Doubt(words))


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
    of fewer games then. Raises ArenaError where the file is damaged, or is not the one that a run
    has made of the games that are stored.
    """
    if len(sources) != 1 or not (path := sources[0] / OUTCOME).is_file():
        return None
    state = outcome_state(sources[0])
    if state == "false":
        return None
    with reading(path):
        content = path.read_bytes()
    try:
        found = checked_bytes(content)
        outcome = from_json(found.value)
        if not is_of_state(found.checksum, state) and not is_being_played(sources[0]):
            raise ValueError("it is not the one that was made of the games that are stored")
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        again = f"`arena run {shlex.quote(str(sources[0]))}` writes it again"
        raise DamagedError(f"{path} is damaged: {error}; {again}") from error
    return outcome


def is_of_state(checksum: str, state: str | None) -> bool:
    """Return whether a file with this checksum may be the one that a database notes.

    That has noted nothing, or no checksum, where no run has ended, or an older version ran.
    """
    return state in (None, "true", json.dumps(checksum))


def write_outcome(folder: Path, outcome: Outcome) -> str:
    """Write what a tournament has come to; return the checksum, and raise StoreError."""
    value = to_json(outcome)
    write_whole(folder / OUTCOME, [with_checksum(value)])
    return checksum_of(value)


def played_in(folder: Path) -> tuple[str, ...]:
    """Return the names of the bots that have played in a tournament's directory."""
    try:
        names = tuple(bot["name"] for bot in begun_in(folder).get("bots", ()))
        has_games = names and read_rows(folder, "SELECT 1 FROM game LIMIT 1")
    except (sqlite3.Error, TypeError, KeyError):  # whoever goes on there is told of it
        return ()
    return names if has_games else ()


def names_of_pool(names: Sequence[str], folder: Path) -> list[str]:
    """Return these names and those of all versions that a pool has had."""
    noted = _noted([folder], VERSIONS, Version)
    return sorted({*names, *played_in(folder), *(one.name for one in noted)})


def begun_in(folder: Path) -> dict[str, Any]:
    """Return what a tournament's directory says of the tournament that it holds; empty without."""
    try:
        found = read_json(read_texts(folder).get(TOURNAMENT, "{}"))
    except (sqlite3.Error, DamagedError, ValueError):  # whoever goes on there is told of it
        return {}
    return found if isinstance(found, dict) else {}


def changes_in(sources: Sequence[Path]) -> tuple[Change, ...]:
    """Return what was changed while a tournament was played, by what is stored of it.

    Nothing where there are other sources. Raises ArenaError where that is damaged.
    """
    return _noted(sources, CHANGES, Change)


def rulings_in(sources: Sequence[Path]) -> tuple[Ruling, ...]:
    """Return what was ruled of a tournament's games; else as `changes_in`."""
    return _noted(sources, RULINGS, Ruling)


def benched_in(sources: Sequence[Path]) -> tuple[Bench, ...]:
    """Return which bots are benched in a tournament; else as `changes_in`.

    Of a pool they are those that have not been retired since.
    """
    found = tuple(one for one in _noted(sources, BENCHES, Bench) if not one.lifted)
    versions = _noted(sources, VERSIONS, Version) if found else ()
    there = {name for one in versions if not one.retired for name in (one.name, one.bot)}
    return tuple(one for one in found if not versions or one.bot in there)


def snapshot_in(sources: Sequence[Path]) -> Snapshot | None:
    """Return which snapshot a tournament is, if it is one; else as `changes_in`."""
    keys = SNAPSHOT, FORMER_SNAPSHOT
    return next((one for key in keys for one in _noted(sources, key, Snapshot)), None)


def seasons_in(sources: Sequence[Path]) -> tuple[Season, ...]:
    """Return the seasons of a league, the oldest first; else as `changes_in`.

    Without a database they are those of which `games.lath` speaks.
    """
    if len(sources) != 1 or not (folder := sources[0]).is_dir():
        return ()
    if (folder / DATABASE).is_file():
        versions = _noted(sources, VERSIONS, Version)
        entries = {one.name: one.bot for one in versions}
        *before, last = _noted(sources, SEASONS, Season) or (None,)
        if last is None:
            return ()
        marks = _marks(sources, versions, last.entered())
        past = (replace(one, entries=entries, is_past=True) for one in before if one)
        return (*past, replace(last, entries=entries, marks=marks))
    if not (folder / RECORDS).is_file():
        return ()
    with reading(folder / RECORDS), (folder / RECORDS).open(encoding="utf-8") as lines:
        tags = (line for line in lines if line.startswith(_SEASON_TAG))
        names = dict.fromkeys(parse_tag(line) for line in tags)
    found = [Season(name=name, from_pair=1, offset=0, date="", is_past=True) for name in names]
    return (*found[:-1], *(replace(one, is_past=False) for one in found[-1:]))


def _marks(
    sources: Sequence[Path], versions: Sequence[Version], entered: Iterable[str]
) -> dict[str, str]:
    """Return which bots of a pool do not play today, and what they are."""
    entries = {one.name: one.bot for one in versions}
    playing = {one.bot for one in versions if not one.retired}
    out = {one.bot for one in rulings_in(sources) if one.bot and not one.lifted}
    return {
        **{entries.get(one.bot, one.bot): "benched" for one in benched_in(sources)},
        **dict.fromkeys({*entries.values(), *entered} - playing, "retired"),
        **{one.bot: "disqualified" for one in versions if not out.isdisjoint((one.name, one.bot))},
    }


_SEASON_TAG: Final = f'[{SEASON_TAG} "'


def parse_tag(line: str) -> str:
    """Return the value of a tag that stands on a line of its own."""
    value = line.strip().partition('"')[2].removesuffix('"]')
    return re.sub(r"\\(.)", r"\1", value)


_Kept = TypeVar("_Kept")


def _noted(sources: Sequence[Path], key: str, kind: type[_Kept]) -> tuple[_Kept, ...]:
    """Return what is kept under the key of a note; else as `changes_in`."""
    if len(sources) != 1 or not (path := sources[0] / DATABASE).is_file():
        return ()
    try:
        text = read_texts(sources[0]).get(key)
    except sqlite3.Error:  # whoever reads the games is told of it
        return ()
    try:
        return from_notes(read_json(text), kind) if text is not None else ()
    except (TypeError, ValueError) as error:
        raise ArenaError(f"{path} is damaged: its note of {key}: {error}") from error


def games_of(folder: Path) -> Iterator[GameResult]:
    """Yield the games of a tournament's database by number; raises ArenaError, also for damage."""
    path = folder / DATABASE
    if not path.is_file():
        raise ArenaError(f"{folder} is no tournament: it has no {DATABASE}")
    with reading_database(path):
        yield from map(result_of, read_games(folder))


def record_and_log_of(folder: Path, number: int) -> tuple[Record, str]:
    """Return the record of a game of a tournament, and what was said in it and when.

    The log is empty where none was kept. Raises ArenaError where the game is not there.
    """
    path = folder / DATABASE
    if not path.is_file():
        raise ArenaError(f"{folder} is no tournament: it has no {DATABASE}")
    with reading_database(path):
        row = read_game(folder, number)
        if row is None:
            raise ArenaError(f"{folder} has no game {number}")
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
        raise ArenaError(f"{source} has no game {number}")
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
        if game.termination not in FORFEITS or game.result not in ("1-0", "0-1"):
            continue
        loser = game.second if game.result == "1-0" else game.first
        kind = loser, game.termination
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
    played = _noted(sources, PROVENANCE, Provenance)
    if outcome is None or not outcome.is_complete:
        played = tuple(map(_without_seed, played))
    shown = season_in(sources, season)
    if outcome is not None and shown != season_in(sources, None):  # it is of the last season
        outcome = Outcome(format=outcome.format, event=outcome.event)
    return Background(
        outcome=outcome,
        changes=changes_in(sources),
        versions=_noted(sources, VERSIONS, Version),
        rulings=rulings_in(sources),
        benches=benched_in(sources),
        snapshot=snapshot_in(sources),
        season=shown,
        provenance=played,
        scale=scale_in(sources, anchors=anchors, relative_to=relative_to),
    )


ALL_SEASONS: Final = "all"
"""What `--season` says for the tables of all games."""


def season_in(sources: Sequence[Path], name: str | None) -> Season | None:
    """Return the season of which the tables are; raises ConfigError for one that is not there."""
    found = seasons_in(sources)
    if name == "" or (name == ALL_SEASONS and name not in [one.name for one in found]):
        return None
    if name is None:
        return found[-1] if found else None
    for one in found:
        if one.name == name:
            return one
    names = ", ".join(repr(one.name) for one in found) or "none"
    raise ConfigError(f"--season {name!r}: seasons are: {names}, or {ALL_SEASONS} for all games")


def event_in(sources: Sequence[Path]) -> str:
    """Return the event of a tournament without games, where it is the only source; else nothing.

    It is what its configuration says: the records of others say it themselves.
    """
    if len(sources) != 1 or not (path := sources[0] / CONFIG).is_file():
        return ""
    try:
        content = path.read_bytes()
        if not is_as_written(sources[0], content):
            return ""
        event = read_toml(content.decode()).get("event")
    except (OSError, ValueError, ArenaError):  # a run says what is wrong with it
        return ""
    return event if isinstance(event, str) else ""


def export_doubt(path: Path) -> str:
    """Return what is to be said of a file of records where it is not as a run has written it.

    That is known of a `games.lath` in a tournament's directory alone; empty for all others.
    """
    folder = path.parent
    if path.name != RECORDS or not (folder / DATABASE).is_file() or is_being_played(folder):
        return ""
    named = printable(str(path))
    try:
        is_same = is_as_exported(folder)
    except OSError:  # who reads it says so
        return ""
    except (sqlite3.Error, StoreError, ValueError) as error:
        return f"{named} is compared with nothing: {printable(str(error))} ({DATABASE})"
    if is_same or is_being_played(folder):
        return ""
    check = f"arena check {shlex.quote(str(folder))}"
    return f"{named} is not as the last run has written it: `{check}` says what is another"


def is_as_exported(folder: Path) -> bool:
    """Return whether `games.lath` is as a run has written it, as far as it is known.

    Raises OSError, sqlite3.Error, StoreError and ValueError.
    """
    noted = read_json(read_texts(folder).get(EXPORTED, "null"))
    if noted is None:
        return True
    with (folder / RECORDS).open("rb") as stream:
        return bool(noted == hashlib.file_digest(stream, "sha256").hexdigest())


def is_as_written(folder: Path, config: bytes) -> bool:
    """Return whether a configuration is as a run has left it, as far as it is known.

    Raises ArenaError.
    """
    if not (folder / DATABASE).is_file():
        return True
    with reading_database(folder / DATABASE):
        noted = read_json(read_texts(folder).get(WRITTEN, "null"))
    return noted in (None, hashlib.sha256(config).hexdigest())


_SEED: Final = re.compile(r"^seed = [0-9]+$", re.MULTILINE)


def _without_seed(played: Provenance) -> Provenance:
    """Return what is told while games are to come, which follow from the seed."""
    shown = _SEED.sub('seed = "(told at the end)"', played.configuration)
    return replace(played, seed=None, configuration=shown)


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
    return folder.is_dir() and not is_tournament(folder) and bool(tournaments_in(folder))


def tournaments_in(folder: Path) -> tuple[Path, ...]:
    """Return the tournaments' directories below, sorted; hidden folders and links are passed by."""
    found = []
    for place, inner, _ in os.walk(folder):  # what is not ours to read is passed by, too
        path = Path(place)
        depth = len(path.relative_to(folder).parts)
        inner[:] = [name for name in inner if depth < DEEPEST and not name.startswith(".")]
        if depth and is_tournament(path):
            found.append(path)
            inner.clear()
    return tuple(sorted(found))


def is_tournament(folder: Path) -> bool:
    """Return whether a folder has games of its own, or a database for them."""
    return any((folder / name).is_file() for name in (DATABASE, RECORDS))


def is_of_a_run(folder: Path) -> bool:
    """Return whether a run has left a folder, whatever of it is missing now.

    A configuration alone is none: it may wait beside records of others for its first run.
    """
    if (folder / CONFIG).is_file() and (folder / RECORDS).is_file():
        return True
    return any((folder / name).is_file() for name in (DATABASE, OUTCOME, STANDINGS, STANDINGS_CSV))
