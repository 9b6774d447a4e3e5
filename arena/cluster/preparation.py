"""Bots made ready on the machine where they play: unpacked, found, built and walled off.

A process of its own does it, since builds and walls start others. Must not know Dask, nor games
that are played.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path

from lath.arena.cluster.messages import Entry, Terms, Traveller, Word, read, write
from lath.arena.cluster.parcels import Parcel, parcel_of, place_of
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.referee.bots import BotSpec
from lath.arena.tournament.builds import built
from lath.arena.tournament.confinement import confined, files_of, holds, kept, own_folders
from lath.arena.tournament.programs import resolve
from lath.arena.walls.wall import Wall


def travelling(
    bots: Sequence[BotSpec], closed: Sequence[str], *, keys: Sequence[str] = ()
) -> tuple[tuple[Traveller, ...], dict[str, Parcel]]:
    """Return bots as they are sent, and their parcels by digest; raises ConfigError.

    `closed` are files and folders that stay here: the tournament's; `keys` those that no bot may
    name either.
    """
    for bot in bots:
        for path in bot.files:
            if held := next((key for key in keys if holds(path, key)), ""):
                raise ConfigError(
                    f"bot {bot.name!r}: files: {path} holds {held}, which no bot may see"
                )
    closed = (*closed, *keys)
    own = own_folders(bots, closed)
    parcels: dict[str, Parcel] = {}
    sent = []
    for bot in bots:
        paths = [own[bot.name]] if own[bot.name] else files_of(bot)
        try:
            parcel = parcel_of(bot.name, list(dict.fromkeys((*paths, *bot.files))), closed)
        except ConfigError:
            if not bot.hosts:
                raise
            parcel = None  # it is found where `hosts` says
        if parcel:
            parcels[parcel.digest] = parcel
        sent.append(_traveller(bot, parcel))
    return tuple(sent), parcels


def _traveller(bot: BotSpec, parcel: Parcel | None) -> Traveller:
    def word(text: str) -> Word:
        if text == sys.executable:
            return Word(kind="python")
        if not parcel or not Path(text).is_absolute():
            return Word(text=text)
        for path in map(Path, (text, os.path.realpath(text))):  # a folder may be reached by a link
            if path.is_relative_to(parcel.root):
                inner = str(path.relative_to(parcel.root))
                within = "" if inner == "." else f"{inner}/"
                if inner in parcel.files or any(n.startswith(within) for n in parcel.files):
                    return Word(kind="files", text=inner)
        return Word(text=text)

    same = "name", "env", "memory_bytes", "time", "threads", "lacks", "sandbox", "reads"
    more = "cache_bytes", "build", "hosts", "options", "protocol"
    return Traveller(
        command=tuple(map(word, bot.command)),
        cwd=None if bot.cwd is None else word(bot.cwd),
        parcel=parcel.digest if parcel else "",
        **{name: getattr(bot, name) for name in (*same, *more)},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The bots of a machine."""

    bots: tuple[BotSpec, ...] = ()
    refused: str = ""
    """Why there are none; else empty."""

    warnings: tuple[str, ...] = ()


def prepare(job: tuple[str, Sequence[str]]) -> str:
    """Return as JSON the bots of an `Entry`, which is JSON, as this machine can start them.

    With it come files that no bot may see.
    """
    text, closed = job
    entry = read(Entry, text)
    try:
        found = _prepared(entry.terms, entry.host, closed, entry.slots)
    except ArenaError as error:
        found = Prepared(refused=str(error))
    except OSError as error:
        found = Prepared(refused=f"{error.filename or 'preparing bots'}: {error.strerror}")
    return write(found)


def _prepared(terms: Terms, host: str, closed: Sequence[str], slots: int) -> Prepared:
    bots = [_spec(bot, host) for bot in terms.bots]
    warnings = []
    asked = [_walled(bot, terms.wall) for bot in bots]
    if why := Wall(kind="bwrap").why_not():
        if terms.must_be_walled and asked != bots:
            raise ConfigError(
                f"bots are walled off on a cluster, and cannot be there: {why}; `--sandbox none` "
                "plays without a wall"
            )
        warnings += [f"bots play without a wall: {why}"] * (asked != bots)
        asked = bots
    tell = partial(print, file=sys.stderr, flush=True)
    ready = built(asked, closed=closed, logs=kept("builds"), tell=tell)
    found = confined(ready, closed=closed, at_once=2 * slots)
    return Prepared(bots=found.bots, warnings=(*warnings, *found.warnings))


def _walled(bot: BotSpec, wall: str) -> BotSpec:
    """Return a bot behind the wall of who asks for none."""
    return replace(bot, sandbox=wall) if bot.sandbox == "auto" else bot


def _spec(bot: Traveller, host: str) -> BotSpec:
    """Return how a bot is started on a machine of this name."""
    place = place_of(bot.parcel) if bot.parcel else Path("/")

    def here(word: Word) -> str:
        if word.kind == "python":
            return sys.executable
        return str(place / word.text) if word.kind == "files" else word.text

    command = tuple(map(here, bot.command))
    own = next(_commands(bot, host), None)
    same = "name", "env", "options", "memory_bytes", "time", "threads", "sandbox", "reads"
    return BotSpec(
        command=command if own is None else resolve(own, Path("/")),
        cwd=None if bot.cwd is None or own is not None else here(bot.cwd),
        lacks="" if own is not None or bot.parcel else bot.lacks,
        files=(str(place),) if bot.parcel and own is None else (),
        cache_bytes=bot.cache_bytes,
        protocol=bot.protocol,
        build="" if own is not None else bot.build,
        **{name: getattr(bot, name) for name in same},
    )


def _commands(bot: Traveller, host: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands that a bot has on a machine of this name, in place of its own.

    One that calls itself as another one does has its address behind the name.
    """
    names = {host, platform.node()}
    return (
        words
        for pattern, words in bot.hosts.items()
        if any(fnmatchcase(name, pattern) for name in names)
    )
