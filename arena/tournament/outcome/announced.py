"""Announced seasons: a configuration has entries and dates, and no game is played yet.

Neither the bots nor the game files of the configuration are run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from lath.arena.directory import CONFIG, DATABASE, RECORDS
from lath.arena.entrants.toml_text import lines_of, read_toml
from lath.arena.errors import ConfigError
from lath.arena.schedule.season import drawn_up
from lath.arena.tournament.configuration.config import DEFAULT_TIME
from lath.arena.tournament.configuration.mistakes import of_keys
from lath.reports.event.background import Background
from lath.reports.event.seasons import MatchDay, Season
from lath.reports.notes.outcome import EventOutcome

_POOL: Final = "pool"


def is_announced(folder: Path) -> bool:
    """Return whether a folder has a configuration with a season, and no games."""
    if not (folder / CONFIG).is_file() or any((folder / one).exists() for one in _PLAYED):
        return False
    toml, _ = read_toml(folder / CONFIG)
    return toml.get("format") == _POOL and "season" in toml


_PLAYED: Final = (DATABASE, RECORDS)


def announced(folder: Path) -> Background:
    """Return the background of a season before its first game, with its planned match days.

    Raises ConfigError with all mistakes that the configuration has by itself.
    """
    path = folder / CONFIG
    toml, text = read_toml(path)
    model, mistakes = of_keys({"time": DEFAULT_TIME, **toml})
    if mistakes or model.season is None:
        lines = lines_of(text)
        placed = sorted(mistake.placed(str(path), lines) for mistake in mistakes)
        raise ConfigError("\n".join(dict.fromkeys(words for _, words in placed)))
    dates = dict(enumerate(model.season.match_days, 1))
    season = Season(
        name=model.season.name,
        from_pair=1,
        offset=0,
        date="",
        days=tuple(
            MatchDay(
                number=day.number,
                fixtures=day.fixtures,
                is_over=False,
                date=dates.get(day.number, ""),
            )
            for day in drawn_up(
                [bot.name for bot in model.bot],
                games=model.games,
                rounds=model.rounds,
                legs=model.season.legs,
                played=set(),
            )
        ),
    )
    return Background(outcome=EventOutcome(format=_POOL, event=model.event), season=season)
