"""The preparation of bots on the machine where they play: unpacking, building and sandboxing.

A separate process does this, because builds and sandboxes start other processes.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Final

from lath.arena.cluster.bundles import BotBundle, bundle_of, place_of
from lath.arena.cluster.messages import RunTerms, Traveller, WorkerEntry, read, write
from lath.arena.entrants.builds import built
from lath.arena.entrants.confinement import confined, files_of, holds, kept, own_folders
from lath.arena.entrants.programs import is_there, resolve, rest_of, split_at
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.referee.bots import BotSpec
from lath.arena.sandbox.kinds import NO_WALL, BotSandbox

_UNCHANGED: Final = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Variables that keep Python from writing into a bot's bundle, which would count as a change."""


def travelling(
    bots: Sequence[BotSpec], closed: Sequence[str], *, keys: Sequence[str] = ()
) -> tuple[tuple[Traveller, ...], dict[str, BotBundle]]:
    """Return bots in the form in which they are sent, and bundles by digest; raises ConfigError.

    `closed` are files and folders of the tournament, which are not sent. `keys` are files that bots
    must not name.
    """
    for bot in bots:
        for path in bot.files:
            if held := next((key for key in keys if holds(path, key)), ""):
                raise ConfigError(
                    f"bot {bot.name!r}: files: {path} holds {held}, which no bot may see"
                )
    closed = (*closed, *keys)
    own = own_folders(bots, closed)
    bundles: dict[str, BotBundle] = {}
    sent = []
    for bot in bots:
        paths = [own[bot.name]] if own[bot.name] else files_of(bot)
        try:
            bundle = bundle_of(bot.name, list(dict.fromkeys((*paths, *bot.files))), closed)
        except ConfigError:
            if not bot.hosts:
                raise
            bundle = None  # `hosts` says where to find it
        if bundle:
            bundles[bundle.digest] = bundle
        sent.append(_traveller(bot, bundle))
    return tuple(sent), bundles


_MARK: Final = "\0"
"""Marks both ends of a path from the bot's files in a text that is sent. No other text has it."""

_PYTHON: Final = f"{_MARK}{_MARK}"
"""Replaces the interpreter that runs the arena."""


def _rewritten(bot: BotSpec, word: Callable[[str], str]) -> BotSpec:
    """Return a bot with other paths; `word` rewrites each text that may contain a path."""
    return replace(
        bot,
        command=tuple(map(word, bot.command)),
        cwd=None if bot.cwd is None else word(bot.cwd),
        env={name: word(value) for name, value in bot.env.items()},
        options={
            name: word(value) if isinstance(value, str) else value
            for name, value in bot.options.items()
        },
        reads=tuple(map(word, bot.reads)),
        build=word(bot.build),
    )


def _traveller(bot: BotSpec, bundle: BotBundle | None) -> Traveller:
    """Return the form in which a bot is sent, without the parts that its machine prepares."""
    own = replace(bot, files=(), originals=(), wall=NO_WALL, lacks="" if bundle else bot.lacks)
    word = partial(_marked, bundle=bundle, is_built=bool(bot.build))
    return Traveller(spec=_rewritten(own, word), bundle=bundle.digest if bundle else "")


def _marked(text: str, bundle: BotBundle | None, *, is_built: bool) -> str:
    """Return a text with marks around the paths that are sent, whether or not they exist yet."""
    if text == sys.executable:
        return _PYTHON
    if not bundle or "/" not in text:
        return text
    if text[0] == "/" and (rest_of(text) == text or is_there(Path(text), Path.exists)):
        for path in (os.path.normpath(text), os.path.realpath(text)):  # the path may be a link
            if _travels(path, bundle, is_built=is_built):
                return f"{_MARK}{os.path.relpath(path, bundle.root)}{_MARK}"
        return text
    first, *more = split_at(bundle.paths, text)
    parts = [first]
    for place, after in zip(more[::2], more[1::2], strict=True):
        path = os.path.normpath(f"{place}{rest_of(after)}")
        is_own = _travels(path, bundle, is_built=is_built)
        inner = os.path.relpath(place, bundle.root)
        parts += [f"{_MARK}{inner}{_MARK}" if is_own else place, after]
    return "".join(parts)


def _unmarked(text: str, place: Path) -> str:
    """Return a sent text with the paths of this machine, where the bot's files are in `place`."""
    if text == _PYTHON:
        return sys.executable
    parts = text.split(_MARK)
    return "".join(str(place / part) if at % 2 else part for at, part in enumerate(parts))


def _travels(path: str, bundle: BotBundle, *, is_built: bool) -> bool:
    """Return whether a path is among the bot's files, or may be made there by its build.

    A path that exists but was left out, such as a virtual environment, is not sent.
    """
    inner = os.path.relpath(path, bundle.root)
    if inner in bundle.files or any(name.startswith(f"{inner}/") for name in bundle.files):
        return True
    if not any(Path(path).is_relative_to(place) for place in bundle.paths):
        return path == bundle.root
    return path in bundle.paths or is_built or not is_there(Path(path), _holds_something)


def _holds_something(path: Path) -> bool:
    """Return whether a path is a file or a folder that is not empty."""
    return path.is_file() or any(path.iterdir())


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """The bots that are ready on a machine, or the reason why they are not."""

    bots: tuple[BotSpec, ...] = ()
    refused: str = ""
    """Reason why no bot is ready; empty if all are."""

    warnings: tuple[str, ...] = ()


def prepare(job: tuple[str, Sequence[str]]) -> str:
    """Prepare the bots of a `WorkerEntry` in JSON; return a `Prepared` in JSON.

    The job also has the files that bots must not see.
    """
    text, closed = job
    entry = read(WorkerEntry, text)
    try:
        found = _prepared(entry.terms, entry.host, closed, entry.slots)
    except ArenaError as error:
        found = Prepared(refused=str(error))
    except OSError as error:
        found = Prepared(refused=f"{error.filename or 'preparing bots'}: {error.strerror}")
    return write(found)


def _prepared(terms: RunTerms, host: str, closed: Sequence[str], slots: int) -> Prepared:
    bots = [_spec(bot, host) for bot in terms.bots]
    warnings = []
    asked = [replace(bot, sandbox=terms.wall) if bot.sandbox == "auto" else bot for bot in bots]
    if why := BotSandbox(kind="bwrap").why_not():
        if terms.must_be_walled and asked != bots:
            raise ConfigError(
                f"--sandbox: bots on a cluster need a sandbox, but it is not possible there: {why}",
                hint="--sandbox none",
            )
        warnings += [f"bots play without a sandbox: {why}"] * (asked != bots)
        asked = bots
    ready = built(
        asked, closed=closed, logs=kept("builds"), tell=partial(print, file=sys.stderr, flush=True)
    )
    found = confined(ready, closed=closed, at_once=2 * slots)
    told = (
        replace(bot, lacks=bot.lacks or _left_behind(bot)) if bot.files else bot
        for bot in found.bots
    )
    return Prepared(bots=tuple(told), warnings=(*warnings, *found.warnings))


def _spec(sent: Traveller, host: str) -> BotSpec:
    """Return the bot with its command on a machine of this name."""
    place = place_of(sent.bundle) if sent.bundle else Path("/")
    bot = _rewritten(sent.spec, partial(_unmarked, place=place))
    bot = replace(bot, env={**_UNCHANGED, **bot.env}, hosts={})
    if (own := next(_commands(sent.spec, host), None)) is not None:
        return replace(bot, command=resolve(own, Path("/")), cwd=None, lacks="", build="")
    return replace(bot, files=(str(place),)) if sent.bundle else bot


def _left_behind(bot: BotSpec) -> str:
    """Return the error about a missing path in a sent bot's command, or an empty text."""
    missing = next((one for one in bot.command if one[:1] == "/" and not Path(one).exists()), "")
    if not missing or any(
        Path(missing).is_relative_to(place) for place in (bot.cwd, *bot.files) if place
    ):
        return missing and f"{missing} is not a file"
    return (
        f"{missing} is neither on this machine nor in the bot's folder, which is sent: put it "
        "there, or name it in the bot's `files`"
    )


def _commands(bot: BotSpec, host: str) -> Iterator[tuple[str, ...]]:
    """Yield the commands that replace a bot's own on a machine of this name.

    If two machines use the same name, the later one has its address appended.
    """
    names = {host, platform.node()}
    return (
        words
        for pattern, words in bot.hosts.items()
        if any(fnmatchcase(name, pattern) for name in names)
    )
