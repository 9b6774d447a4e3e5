"""Bots with a fixed Elo, from a tournament's configuration or a league's file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lath.arena.directory import CONFIG, DATABASE
from lath.arena.errors import ConfigError, reading
from lath.arena.tournament.store.database import EVENTS, read_rows
from lath.games.errors import hinted
from lath.notation.files.files import write_atomically
from lath.reports.counting.scale import (
    MOST_ELO,
    Scale,
    anchors_of,
    refuse_far_apart,
    unknown_words,
)

LEAGUE: Final = "league.toml"
"""The file for what the tournaments of a folder have in common."""

DEEPEST: Final = 4
"""The most folders between a tournament and the folder of its league: as deep as a league's
tournaments lie, plus one for a season."""

NONE: Final = "none"
"""The value of `--anchor` for no anchors at all."""


def read_anchors(texts: Sequence[str] | None) -> dict[str, float] | None:
    """Return the anchors that flags name, or None without a flag; raises ConfigError."""
    if not texts:
        return None
    if [text.strip() for text in texts] == [NONE]:
        return {}
    try:
        return anchors_of(texts)
    except ValueError as error:
        raise ConfigError(f"--anchor: {error}") from error


def anchors_in(sources: Sequence[Path]) -> dict[str, float]:
    """Return the anchors that are stored for these sources or for their leagues.

    If the first source is a league, its anchors hold for all of them.

    Raises ConfigError if a file is damaged, or if two files give different values for one bot.
    """
    if sources and (sources[0] / LEAGUE).is_file():
        return _read(sources[0] / LEAGUE)
    found: dict[str, float] = {}
    where: dict[str, Path] = {}
    for source in filter(Path.is_dir, sources):
        path, anchors = _of_folder(source)
        for name, value in anchors.items():
            if found.setdefault(name, value) != value:
                words = f"{name!r} is {found[name]:g} in {where[name]} and {value:g} in {path}"
                raise ConfigError(f"--anchor: {words}", hint=f"--anchor {name!r}={value:g}")
            where.setdefault(name, path)
    return found


def _of_folder(folder: Path) -> tuple[Path, dict[str, float]]:
    if anchors := _read(own := folder / CONFIG):
        return own, anchors
    for path in leagues_of(folder):
        return path, _read(path)
    return own, {}


def leagues_of(folder: Path) -> list[Path]:
    """Return the files of the leagues that a folder belongs to or is, the innermost first."""
    inner = folder.resolve()
    places = (inner, *inner.parents[:DEEPEST])
    return [path for place in places if (path := place / LEAGUE).is_file()]


def _read(path: Path) -> dict[str, float]:
    """Return the table `[anchors]` of a file, empty without a file; raises ConfigError."""
    if not path.is_file():
        return {}
    with reading(path):
        text = path.read_bytes()
    try:
        toml: dict[str, Any] = tomllib.loads(text.decode())
    except (ValueError, RecursionError):
        if path.name == CONFIG:  # the next run reports what is wrong with it
            return {}
        raise ConfigError(f"{path}: not TOML; expected a table [anchors]") from None
    table = toml.get("anchors", {})
    words = "expected a table [anchors] of bots and Elo points, such as mine = 1500"
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: anchors: {words}")
    for name, value in table.items():
        if type(value) not in (int, float) or not abs(value) <= MOST_ELO:
            raise ConfigError(f"{path}: anchors: {name} = {value!r}, {words}")
    anchors = {name: float(value) for name, value in table.items()}
    try:
        refuse_far_apart(anchors)
    except ValueError as error:
        raise ConfigError(f"{path}: anchors: {error}") from error
    return anchors


def keep_in_league(folder: Path, anchors: Mapping[str, float]) -> None:
    """Store the anchors of a folder of tournaments, and keep the rest of its file.

    Raises ConfigError and OSError.
    """
    import tomlkit  # start-up time

    path = folder / LEAGUE
    if not anchors and not path.is_file():
        return
    _read(path)  # raises instead of overwriting a damaged file
    document = (
        tomlkit.parse(path.read_text(encoding="utf-8")) if path.is_file() else tomlkit.document()
    )
    document["anchors"] = dict(anchors)
    write_atomically(path, [tomlkit.dumps(document).encode()])


def scale_in(
    sources: Sequence[Path],
    *,
    anchors: Mapping[str, float] | None = None,
    relative_to: str = "",
) -> Scale:
    """Return the scale for the ratings of these sources.

    Default for `anchors`: those that are stored with the sources. For a single pool, the scale also
    holds the number of the game where its last event began. Raises ConfigError.
    """
    return Scale(
        anchors=anchors_in(sources) if anchors is None else anchors,
        relative_to=relative_to,
        until=before_last_event(sources),
    )


def before_last_event(sources: Sequence[Path]) -> int:
    """Return the number of the last game before the last event of a pool; otherwise 0."""
    import json  # start-up time
    import sqlite3

    if len(sources) != 1 or not (sources[0] / DATABASE).is_file():
        return 0
    question = "SELECT value, (SELECT max(number) FROM game) FROM about WHERE key = ?"
    try:
        rows = read_rows(sources[0], question, EVENTS)
        events = [int(number) for number in json.loads(rows[0][0])] if rows else []
    except (sqlite3.Error, TypeError, ValueError):  # reading the games reports it
        return 0
    return max((number for number in events if number < (rows[0][1] or 0)), default=0)


def refuse_strangers(anchors: Mapping[str, float], names: Sequence[str], where: str) -> None:
    """Raise ConfigError if an anchor is not one of the bots in `names`."""
    for name in anchors:
        if name not in names:
            raise ConfigError(
                f"{where}: anchors: {name!r}: {hinted(*unknown_words(name, sorted(names)))}"
            )
