"""Versions of a pool's bots, and the conditions under which its pairs were played.

A version is a command, the files that make it up, and options: an edited bot is a new version, a
moved bot is not. Records name the version, so games of other versions belong to other players. A
tournament of another format becomes a pool with its bots as first versions.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os.path
import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from lath.arena.entrants.programs import todays
from lath.arena.referee.bots import OURS, BotSpec
from lath.arena.schedule.core import PairConditions
from lath.arena.schedule.fixed import Fixed
from lath.arena.schedule.formats import FORMATS
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.outcome.seasons import begun
from lath.arena.tournament.store.database import CONDITIONS, FILES, SEASONS, SPENT, VERSIONS
from lath.arena.tournament.store.store import Store
from lath.reports.notes.notes import Version, from_notes

POOL: Final = "pool"

Options = Mapping[str, str | int | float | bool]


class PoolVersions(NamedTuple):
    """A pool that a run resumes or begins."""

    config: Config
    """The configuration, with bots named after their versions."""

    files: dict[str, dict[str, str]]
    """Fingerprints of the bots' files, by name of the version."""

    notes: dict[str, object]
    news: list[str]
    """News for the user, in sentences."""


def entered(store: Store, config: Config, files: Mapping[str, Mapping[str, str]]) -> PoolVersions:
    """Return the pool with this configuration; `files` are the fingerprints of its bots' files.

    Raises StoreError, and what reading a damaged note raises.
    """
    tallies = store.tally()
    games = sum(tally.games for tally in tallies)
    played = {name for tally in tallies for name in (tally.first, tally.second)}
    noted, conditions, news = _before(store, games)
    digests = {
        bot.name: digest_of(makings_of(bot), bot.options, bot.files, files[bot.name])
        for bot in config.bots
    }
    # A version without games is replaced when it is edited, and forgotten when its bot leaves.
    known = [one for one in noted if one.name in played or digests.get(one.bot) == one.sha256]
    forgotten = {one.name for one in noted} - {one.name for one in known}
    spent = [name for name in store.note(SPENT) or () if name not in forgotten]
    today = dt.datetime.now().astimezone().isoformat(timespec="seconds")
    playing: dict[str, Version] = {}
    for bot in config.bots:
        digest = digests[bot.name]
        mine = [one for one in known if one.bot == bot.name]
        found = next((one for one in mine if one.sha256 == digest), None)
        now = next((one.name for one in mine if not one.retired), "")
        if found is None:
            found = Version(
                **_named(bot.name, mine, known, config.names, played),
                bot=bot.name,
                sha256=digest,
                command=bot.command,
                options=cast("Options", bot.options),
                since=today,
                games=games,
            )
            known.append(found)
        playing[bot.name] = found
        if mine and now != found.name:
            news.append(f"{bot.name} plays as {found.name}{_why(found, mine, now)}")
    gone = [one.name for one in known if not one.retired and one.bot not in playing]
    news += [f"{name} plays no more; its games stay" for name in gone]
    called = {bot: one.name for bot, one in playing.items()}
    config = replace(
        config,
        bots=tuple(replace(bot, name=called[bot.name]) for bot in config.bots),
        noted={called.get(name, name): values for name, values in config.noted.items()},
    )
    conditions = _with_todays(conditions, config, store)
    notes: dict[str, object] = {}
    if config.season_plan:
        season, notes[SEASONS] = begun(store, config, {one.name: one.bot for one in known})
        config = replace(config, season=season)
    rows = [
        replace(one, retired="" if one in playing.values() else one.retired or today)
        for one in known
    ]
    return PoolVersions(
        replace(config, conditions=tuple(conditions)),
        {playing[bot].name if bot else bot: dict(each) for bot, each in files.items()},
        {
            VERSIONS: list(map(asdict, rows)),
            CONDITIONS: list(map(asdict, conditions)),
            SPENT: spent,
            **notes,
        },
        news,
    )


def _before(store: Store, games: int) -> tuple[list[Version], list[PairConditions], list[str]]:
    """Return versions and conditions so far, and a remark if they are from another format."""
    tournament: dict[str, Any] = store.tournament() or {}
    form = tournament.get("format", POOL)
    if form == POOL or not games:
        kept = from_notes(store.note(VERSIONS) or (), Version)
        return list(kept), [PairConditions(**row) for row in store.note(CONDITIONS) or ()], []
    known = _former(tournament, store.note(FILES) or {})
    news = f"the {form} becomes a pool and keeps its {games} games"
    return known, [_former_conditions(tournament)], [news]


def _why(found: Version, mine: Sequence[Version], before: str) -> str:
    if found in mine:
        return ", which it was before" if before else " again"
    return f": its program, files or options are others than those of {before or mine[-1].name}"


def _named(
    bot: str,
    mine: Sequence[Version],
    known: Sequence[Version],
    names: Iterable[str],
    played: Container[str],
) -> dict[str, Any]:
    """Return name and number of a new version: the first that are free.

    Names that have `played` may belong to versions that are no longer noted.
    """
    taken = {one.name for one in known} | {name for name in names if name != bot}
    for number in count(max((one.number for one in mine), default=0) + 1):
        name = bot if number == 1 else f"{bot} v{number}"
        if name not in taken and (number == 1 or name not in played):
            return {"name": name, "number": number}
    raise AssertionError  # pragma: no cover - numbers do not end


def makings_of(bot: BotSpec) -> tuple[str, ...]:
    """Return a bot's command with its build command and protocol, if it has them."""
    protocol = f"protocol {bot.protocol}" if bot.protocol != OURS else ""
    return (*bot.command, *filter(None, (bot.build, protocol)))


def digest_of(
    command: Sequence[str],
    options: Mapping[str, object],
    more: Sequence[str],
    files: Mapping[str, str],
) -> str:
    """Return the SHA-256 of what a bot is, wherever its files are.

    `files` are the fingerprints of all its files by path. Files in the folders `more` count with
    their relative paths.
    """
    words = [files.get(str(Path(word)), word) for word in command]
    if os.path.realpath(command[0]) == os.path.realpath(sys.executable):
        words[0] = "python"
    inner = [
        sorted(
            (str(Path(path).relative_to(place)), digest)
            for path, digest in files.items()
            if Path(path).is_relative_to(place)
        )
        for place in more
    ]
    text = json.dumps([words, sorted(options.items()), *([inner] if inner else [])])
    return hashlib.sha256(text.encode()).hexdigest()


def _former(before: Mapping[str, Any], files: Mapping[str, Mapping[str, str]]) -> list[Version]:
    """Return the bots of another format as versions, by the fingerprints of their files."""

    def version_of(row: Mapping[str, Any]) -> Version:
        name, command, options = row["name"], todays(row["command"]), row["options"]
        digest = digest_of(command, options, row.get("files", ()), files.get(name, {}))
        return Version(
            name=name, bot=name, number=1, sha256=digest, command=command, options=options
        )

    return list(map(version_of, before["bots"]))


def _starts(seed: object, openings: object) -> str:
    return json.dumps([seed, openings], sort_keys=True)


def _former_conditions(before: Mapping[str, Any]) -> PairConditions:
    """Return the conditions of another format's games; only some have a pool's openings."""
    form = before["format"]
    make: Any = FORMATS[form].make
    alike = isinstance(make, type) and issubclass(make, Fixed)
    own = {bot["name"]: bot["time"] for bot in before["bots"] if bot["time"]}
    starts = _starts(before["seed"], before["openings"]) if alike else form
    return PairConditions(from_pair=1, times={"": before["time"], **own}, starts=starts)


def _with_todays(known: list[PairConditions], config: Config, store: Store) -> list[PairConditions]:
    """Return conditions that end with today's, which hold from the next pair on."""
    own = {bot.name: str(bot.time) for bot in config.bots if bot.time is not None}
    now = PairConditions(
        from_pair=store.last_pair() + 1,
        times={"": str(config.limits.time), **own},
        starts=_starts(config.seed, config.openings and config.openings.identity()),
    )
    kept = [each for each in known if each.from_pair < now.from_pair]
    return kept if kept and _alike(kept[-1], now) else [*kept, now]


def _alike(one: PairConditions, other: PairConditions) -> bool:
    """Return whether conditions are the same, if bots without own time use the common one."""
    return one.starts == other.starts and all(
        one.times.get(name, one.times[""]) == other.times.get(name, other.times[""])
        for name in {*one.times, *other.times}
    )
