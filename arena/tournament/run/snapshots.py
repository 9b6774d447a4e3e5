"""Named snapshots: copies of a tournament in directories of their own that never change.

Later games of the tournament do not change a snapshot's bots, games and tables.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import re
from contextlib import closing, suppress
from pathlib import Path
from shutil import rmtree
from typing import Any, Final

from lath.arena.directory import CONFIG
from lath.arena.entrants.toml_text import read_toml
from lath.arena.errors import ConfigError
from lath.arena.machine.system import HeldFolder, writing_error
from lath.arena.tournament.configuration.about import copy_name
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.outcome.notes import about_in, write_outcome
from lath.arena.tournament.run.folder import pointing_out, refuse_snapshot, standing
from lath.arena.tournament.run.results import published
from lath.arena.tournament.store.database import EXPORTED, OUTCOME_STATE, SNAPSHOT, WRITTEN
from lath.arena.tournament.store.exports import write_whole
from lath.arena.tournament.store.rulings import rulings_of
from lath.arena.tournament.store.store import Store, prepare_folder
from lath.notation.files.files import sync

SNAPSHOTS: Final = "snapshots"
"""The folder of snapshots in a tournament's directory."""


def slug_of(name: str) -> str:
    """Return the name of a snapshot's directory; raises ConfigError if it would be empty or long.

    >>> slug_of("Autumn 2026"), slug_of("../Ärger!")
    ('autumn-2026', 'ärger')
    """
    slug = re.sub(r"[\W_]+", "-", name.casefold()).strip("-")
    if not slug or len(slug.encode()) > 100:
        raise ConfigError(f"--snapshot: {name!r} must have 1 to 100 letters or digits")
    return slug


def freeze(config: Config, folder: Path, name: str, *, with_report: bool = True) -> Path:
    """Copy a tournament under a name, completely or not at all; return the copy's directory.

    No run may be playing. Raises StoreError, and ConfigError if the name is taken.
    """
    slug = slug_of(name)
    refuse_snapshot(folder)
    with closing(HeldFolder(folder)) as home, pointing_out(folder), closing(Store(folder)) as store:
        if not store.has_games():
            raise ConfigError(f"{folder}: has no games for a snapshot")
        snapshots = home.path / SNAPSHOTS
        if (place := snapshots / slug).exists():
            raise ConfigError(f"{place}: already exists", hint="--snapshot OTHER")
        for left in snapshots.glob(".*.tmp"):  # left by a killed process
            rmtree(left)
        half = snapshots / f".{os.getpid()}.tmp"
        try:
            _fill(half / slug, name, config, store, with_report=with_report)
            try:
                (half / slug).rename(place)
                sync(snapshots)
            except OSError as error:
                raise writing_error(place, error, "made") from error
        finally:
            with suppress(OSError):  # the first error is the one to report
                rmtree(half)
    return place


def _fill(place: Path, name: str, config: Config, store: Store, *, with_report: bool) -> None:
    """Fill the directory of a snapshot from what is stored; raises StoreError."""
    prepare_folder(place)
    summary = standing(config, store, rulings_of(store))
    store.copy_to(place)
    config_text = (store.folder / CONFIG).read_bytes()
    write_whole(place / CONFIG, [config_text])
    league: Any = read_toml(store.folder / CONFIG)[0].get("league")
    if isinstance(league, dict) and (named := league.get("about")) and about_in([store.folder]):
        write_whole(place / copy_name(named), [(store.folder / named).read_bytes()])
    written = write_outcome(place, summary.outcome)
    notes = {OUTCOME_STATE: written, WRITTEN: hashlib.sha256(config_text).hexdigest()}
    now = dt.datetime.now().astimezone().isoformat(timespec="seconds")
    with closing(Store(place)) as copy:
        copy.export()
        copy.keep_notes({SNAPSHOT: [{"name": name, "date": now}], EXPORTED: copy.exported, **notes})
    with closing(HeldFolder(place)) as home:
        failure = published(home, summary, with_report=with_report).unreported
    if failure is not None:
        raise failure
