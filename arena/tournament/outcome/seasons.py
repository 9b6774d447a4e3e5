"""Seasons of a league: where each begins, its match days, and which of them is next.

A season is a part of a pool: it begins at a pair, and older games do not count in it. Each run
plans the season's match days again from what is stored.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final, NamedTuple

from lath.arena.errors import ConfigError
from lath.arena.schedule.season import Fixture, ScheduledDay, SeasonSchedule, Unit, closed, drawn_up
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.store.database import SEASONS
from lath.arena.tournament.store.store import Store

MATCH_DAY: Final = "--match-day"


class Begun(NamedTuple):
    """A season that a run resumes or begins."""

    season: SeasonSchedule
    note: list[dict[str, Any]]
    """The note about all seasons, the oldest first."""


def begun(store: Store, config: Config, entries: Mapping[str, str]) -> Begun:
    """Return the season of a pool's configuration, with its planned match days.

    `entries` maps names of versions to bots of the configuration. Raises StoreError, and
    ConfigError if the named season is over.
    """
    plan = config.season_plan
    assert plan is not None
    noted = store.note(SEASONS) or []
    last_pair = store.last_pair()
    rows = [row for row in noted if row["from_pair"] <= last_pair]  # later ones have no games
    if plan.name in [row["name"] for row in rows[:-1]]:
        raise ConfigError(
            f"--season: {plan.name!r} has ended, and {rows[-1]['name']!r} followed",
            hint='--season "NAME" begins a new one',
        )
    if not rows or rows[-1]["name"] != plan.name:
        rows.append(_new(store, plan.name, rows, last_pair))
    row = rows[-1]
    played = _played(store, row["from_pair"], entries)
    names = [name for name in config.names if name not in config.ruled.bots]
    roster = [entries.get(name, name) for name in names]
    days = drawn_up(
        roster,
        games=config.games,
        rounds=config.rounds,
        legs=plan.legs,
        played=played,
        begun=[*_kept(map(_day, row["days"]), config.games, played, {*roster})],
    )
    season = SeasonSchedule(
        name=plan.name,
        from_pair=row["from_pair"],
        offset=row["offset"],
        entries=entries,
        days=days,
        is_one_day=config.match_day,
    )
    row["days"] = [{**asdict(day), "date": plan.date(day.number)} for day in days]
    return Begun(season, rows)


def _new(store: Store, name: str, rows: list[dict[str, Any]], last_pair: int) -> dict[str, Any]:
    """Return a season that begins after all stored games."""
    offset, from_pair = (rows[-1]["offset"], rows[-1]["from_pair"]) if rows else (0, 1)
    used = max((turn for *_, turn in store.seats(2 * from_pair - 1)), default=0)
    return {
        "name": name,
        "from_pair": last_pair + 1,
        "offset": offset + used,
        "date": dt.datetime.now().astimezone().isoformat(timespec="seconds"),
        "days": [],
    }


def _played(store: Store, from_pair: int, entries: Mapping[str, str]) -> set[Unit]:
    """Return the units of a season that have at least one game."""
    return {
        (min(both), max(both), game, turn)
        for first, second, game, turn in store.seats(2 * from_pair - 1)
        if (both := (entries.get(first, first), entries.get(second, second)))
    }


def _day(row: Mapping[str, Any]) -> ScheduledDay:
    fixtures = tuple(Fixture(*each) for each in row["fixtures"])
    return ScheduledDay(number=row["number"], fixtures=fixtures, is_over=row["is_over"])


def _kept(
    days: Iterable[ScheduledDay], games: Sequence[str], played: set[Unit], roster: set[str]
) -> Iterable[ScheduledDay]:
    """Yield the match days that have begun, as over if none of their games is left to play."""
    for day in days:
        if day.is_over:
            yield day
            continue
        units = day.units(games)
        if played & units:
            left = {unit for unit in units - played if roster.issuperset(unit[:2])}
            yield replace(day, is_over=not left)


def close(store: Store, config: Config) -> None:
    """Note which match days are over, after a run that has played all it could.

    Games that are left over are planned again. Raises StoreError.
    """
    season = config.season
    assert season is not None
    rows = store.note(SEASONS)
    played = _played(store, season.from_pair, season.entries)
    days = closed(map(_day, rows[-1]["days"]), config.games, played)
    for row, day in zip(rows[-1]["days"], days, strict=True):
        row["is_over"] = day.is_over
    store.keep_notes({SEASONS: rows})
    store.keep_notes({SEASONS: begun(store, config, season.entries).note})
