"""The notes in a tournament's directory: outcome, rulings, changes, seasons."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

from lath.arena.directory import CONFIG, DATABASE, OUTCOME, RECORDS
from lath.arena.entrants.toml_text import read_toml
from lath.arena.errors import ArenaError, ConfigError, DamagedError, reading
from lath.arena.machine.system import reading_database
from lath.arena.referee.record import GameResult
from lath.arena.tournament.configuration.about import KEY, copy_name, read_about
from lath.arena.tournament.store.database import (
    BENCHES,
    CHANGES,
    FORMER_SNAPSHOT,
    RULINGS,
    SEASONS,
    SNAPSHOT,
    TOURNAMENT,
    VERSIONS,
    WRITTEN,
    is_being_played,
    outcome_state,
    read_games,
    read_rows,
    read_texts,
)
from lath.arena.tournament.store.exports import write_whole
from lath.arena.tournament.store.rows import result_of
from lath.notation.files import bounds
from lath.notation.files.bounds import read_json
from lath.notation.record.tags import SEASON as SEASON_TAG
from lath.reports.checksums import checked_bytes, checksum_of, with_checksum
from lath.reports.event.seasons import Season
from lath.reports.notes.notes import Bench, Change, Ruling, Snapshot, Version, from_notes
from lath.reports.notes.outcome import UNNAMED, EventOutcome, from_json, to_json

_Kept = TypeVar("_Kept")


def outcome_in(sources: Sequence[Path]) -> EventOutcome | None:
    """Return the outcome of a tournament, or None if it is not the only source.

    It is None, too, if no run has ended there, or if the last one was killed: the file then lacks
    games. Raises ArenaError if the file is damaged or does not belong to the stored games.
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
            raise ValueError("it does not belong to the stored games")
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        again = f"`arena run {shlex.quote(str(sources[0]))}` writes it again"
        raise DamagedError(f"{error}; {again}", path) from error
    return outcome


def is_of_state(checksum: str, state: str | None) -> bool:
    """Return whether a file with this checksum may be the one that a database notes.

    A database notes nothing before a run has ended. Older versions noted no checksum.
    """
    return state in (None, "true", json.dumps(checksum))


def write_outcome(folder: Path, outcome: EventOutcome) -> str:
    """Write the outcome of a tournament and return its checksum; raises StoreError."""
    value = to_json(outcome)
    write_whole(folder / OUTCOME, [with_checksum(value)])
    return checksum_of(value)


def played_in(folder: Path) -> tuple[str, ...]:
    """Return the names of the bots that have played in a tournament's directory."""
    try:
        names = tuple(bot["name"] for bot in begun_in(folder).get("bots", ()))
        has_games = names and read_rows(folder, "SELECT 1 FROM game LIMIT 1")
    except (sqlite3.Error, TypeError, KeyError):  # resuming reports it
        return ()
    return names if has_games else ()


def names_of_pool(names: Sequence[str], folder: Path) -> list[str]:
    """Return these names and the names of all versions that a pool has had."""
    noted = noted_in([folder], VERSIONS, Version)
    return sorted({*names, *played_in(folder), *(one.name for one in noted)})


def begun_in(folder: Path) -> dict[str, Any]:
    """Return what the tournament in a directory is, as `Config.identity`; empty if unknown."""
    try:
        found = read_json(read_texts(folder).get(TOURNAMENT, "{}"))
    except (sqlite3.Error, DamagedError, ValueError):  # resuming reports it
        return {}
    return found if isinstance(found, dict) else {}


def changes_in(sources: Sequence[Path]) -> tuple[Change, ...]:
    """Return the settings that were changed while a tournament was played.

    Empty if there are other sources. Raises ArenaError if the note is damaged.
    """
    return noted_in(sources, CHANGES, Change)


def rulings_in(sources: Sequence[Path]) -> tuple[Ruling, ...]:
    """Return the rulings on a tournament; conditions as in `changes_in`."""
    return noted_in(sources, RULINGS, Ruling)


def benched_in(sources: Sequence[Path]) -> tuple[Bench, ...]:
    """Return the bots that are benched in a tournament; conditions as in `changes_in`.

    For a pool, bots that were retired since are left out.
    """
    found = tuple(one for one in noted_in(sources, BENCHES, Bench) if not one.lifted)
    versions = noted_in(sources, VERSIONS, Version) if found else ()
    there = {name for one in versions if not one.retired for name in (one.name, one.bot)}
    return tuple(one for one in found if not versions or one.bot in there)


def snapshot_in(sources: Sequence[Path]) -> Snapshot | None:
    """Return the snapshot that a tournament is, or None; conditions as in `changes_in`."""
    keys = SNAPSHOT, FORMER_SNAPSHOT
    return next((one for key in keys for one in noted_in(sources, key, Snapshot)), None)


def seasons_in(sources: Sequence[Path]) -> tuple[Season, ...]:
    """Return the seasons of a league, the oldest first; conditions as in `changes_in`.

    Without a database they are the seasons named in `games.lath`.
    """
    if len(sources) != 1 or not (folder := sources[0]).is_dir():
        return ()
    if (folder / DATABASE).is_file():
        versions = noted_in(sources, VERSIONS, Version)
        entries = {one.name: one.bot for one in versions}
        *before, last = noted_in(sources, SEASONS, Season) or (None,)
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
    """Return why bots of a pool do not play today: benched, retired or disqualified."""
    entries = {one.name: one.bot for one in versions}
    playing = {one.bot for one in versions if not one.retired}
    out = {one.bot for one in rulings_in(sources) if one.bot and not one.lifted}
    return {
        **{entries.get(one.bot, one.bot): "benched" for one in benched_in(sources)},
        **dict.fromkeys({*entries.values(), *entered} - playing, "retired"),
        **{one.bot: "disqualified" for one in versions if not out.isdisjoint((one.name, one.bot))},
    }


def parse_tag(line: str) -> str:
    """Return the value of a tag on a line of its own."""
    return re.sub(r"\\(.)", r"\1", line.strip().partition('"')[2].removesuffix('"]'))


def noted_in(sources: Sequence[Path], key: str, kind: type[_Kept]) -> tuple[_Kept, ...]:
    """Return the values under the key of a note; conditions as in `changes_in`."""
    if len(sources) != 1 or not (path := sources[0] / DATABASE).is_file():
        return ()
    try:
        text = read_texts(sources[0]).get(key)
    except sqlite3.Error:  # reading the games reports it
        return ()
    try:
        return from_notes(read_json(text), kind) if text is not None else ()
    except (TypeError, ValueError) as error:
        raise ArenaError(f"{path}: damaged: its note of {key}: {error}") from error


def games_of(folder: Path) -> Iterator[GameResult]:
    """Yield the games of a tournament's database by number; raises ArenaError, also if damaged."""
    path = folder / DATABASE
    if not path.is_file():
        raise ArenaError(f"{folder}: not a tournament: it has no {DATABASE}")
    with reading_database(path):
        yield from map(result_of, read_games(folder))


def season_in(sources: Sequence[Path], name: str | None) -> Season | None:
    """Return the season to show, the last without a name; raises ConfigError for an unknown one."""
    found = seasons_in(sources)
    if name == "" or (name == ALL_SEASONS and name not in [one.name for one in found]):
        return None
    if name is None:
        return found[-1] if found else None
    for one in found:
        if one.name == name:
            return one
    names = ", ".join(repr(one.name) for one in found) or "none"
    raise ConfigError(f"--season: {name!r} is not one of {names}, or {ALL_SEASONS} for all games")


def event_in(sources: Sequence[Path], events: Sequence[str] = ()) -> str:
    """Return the title of a report with these `events` in its records, or "" if they are the title.

    A tournament without games has the event of its configuration. Without any other name, it is
    that of its folder.
    """
    if len(sources) != 1 or not (path := sources[0] / CONFIG).is_file():
        return ""
    event: object = ", ".join(events)
    try:
        content = path.read_bytes()
        if not events and is_as_written(sources[0], content):
            event = bounds.read_toml(content.decode()).get("event", "")
    except (OSError, ValueError, ArenaError):  # the next run reports what is wrong with it
        return ""
    if event in ("", UNNAMED):
        return sources[0].resolve().name
    return event if isinstance(event, str) and not events else ""


def about_in(folders: Iterable[Path]) -> str:
    """Return the text of the first configuration that names one; empty without.

    Raises ConfigError.
    """
    for folder in folders:
        path = folder / CONFIG
        if not path.is_file():
            continue
        league: Any = read_toml(path)[0].get("league")
        named = league.get("about") if isinstance(league, dict) else None
        if not isinstance(named, str) or not named:
            continue
        if snapshot_in([folder]):  # it has a copy, except in former versions
            if (copy := folder / copy_name(named)).is_file():
                return read_about(copy, f"{path}: {KEY}")
            continue
        return read_about(folder / named, f"{path}: {KEY}")
    return ""


_SEASON_TAG: Final = f'[{SEASON_TAG} "'

ALL_SEASONS: Final = "all"
"""The value of `--season` for tables of all games."""


def is_as_written(folder: Path, config: bytes) -> bool:
    """Return whether a configuration is what the last run left, or true if that is unknown.

    Raises ArenaError.
    """
    if not (folder / DATABASE).is_file():
        return True
    with reading_database(folder / DATABASE):
        noted = read_json(read_texts(folder).get(WRITTEN, "null"))
    return noted in (None, hashlib.sha256(config).hexdigest())
