"""Seasons of a league: when each begins, which match days it has, and which of them is next.

A season is a span of a pool: it begins at a pair, and older games do not count in it. What is noted
of it is drawn up anew by each run from what is stored.
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
    """A season as a run finds it, or begins it."""

    season: SeasonSchedule
    note: list[dict[str, Any]]
    """What is noted of all seasons then, the oldest first."""


def begun(store: Store, config: Config, entries: Mapping[str, str]) -> Begun:
    """Return the season of a pool's configuration, with its match days drawn up.

    `entries` are the bots of the configuration by the names of their versions. Raises ConfigError
    where a season is named that is over, and StoreError.
    """
    plan = config.season_plan
    assert plan is not None
    noted = store.note(SEASONS) or []
    last_pair = store.last_pair()
    rows = [row for row in noted if row["from_pair"] <= last_pair]  # others have no game
    if plan.name in [row["name"] for row in rows[:-1]]:
        raise ConfigError(
            f"--season: {plan.name!r} has ended, and {rows[-1]['name']!r} followed; choose another "
            "name"
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
    """Return a season that begins after all games that are stored."""
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
    """Return what is played in a season, in part or whole."""
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
    """Yield the days that have begun; those of which nothing is left to play are over."""
    for day in days:
        if day.is_over:
            yield day
            continue
        units = day.units(games)
        if played & units:
            left = {unit for unit in units - played if roster.issuperset(unit[:2])}
            yield replace(day, is_over=not left)


def close(store: Store, config: Config) -> None:
    """Note which match days are over after a run that has played what could be played.

    What is left over is drawn up anew. Raises StoreError.
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
