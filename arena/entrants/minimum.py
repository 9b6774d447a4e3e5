"""The sandbox that an organiser asks for is the minimum: nothing else that is written weakens it.

The organiser asks by `--sandbox`, or by the part `sandbox=` of a bot's text. A `tournament.toml` in
the folder of a bot, or in a revision, is the entrant's: `BotTable` says, key by key, what it may
set then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from lath.arena.errors import ConfigError
from lath.arena.sandbox import users

_ORDER: Final = ("none", "user", "bwrap")
"""Each holds more than those before it; `auto` is one of the first two."""


def asks(sandbox: str | None) -> bool:
    """Return whether a sandbox was asked for; `auto` asks where it gives each bot its own user."""
    return bool(_least(sandbox))


def _least(sandbox: str | None) -> int:
    """Return the place in the order that somebody is sure of who asks for a sandbox."""
    if sandbox == "auto":
        return int(users.can_be_given())
    return _ORDER.index(sandbox) if sandbox in _ORDER else 0


def is_weaker(said: object, asked: str | None) -> bool:
    """Return whether a sandbox is weaker than the one that was asked for.

    `auto` may come to `none`, so it is weaker than each that is not. What is no sandbox is refused
    by others.
    """
    if said == asked or said not in (*_ORDER, "auto"):
        return False
    return (0 if said == "auto" else _ORDER.index(str(said))) < _least(asked)


def asked_for(flag: str | None, parts: Mapping[str, Any], called: str) -> str | None:
    """Return which sandbox is asked for one bot, by a flag and by the bot's own text.

    Raises ConfigError where the text asks for less than the flag. The text and the flag may come
    from two people: an organiser copies the text from an entrant's message.
    """
    said: str | None = parts.get("sandbox")
    if is_weaker(said, flag):
        raise ConfigError(f"{called}: {contradiction(str(said), str(flag))}")
    return said or flag


def strongest(*asked: str | None) -> str | None:
    """Return the sandbox that holds most of those that are asked for; None: there is none."""
    return max(filter(None, asked), key=_least, default=None)


def refuse_weaker(tables: Iterable[Mapping[str, Any]], asked: str | None, flag: str) -> None:
    """Raise ConfigError where the text of a `flag` asks for a weaker sandbox than `--sandbox`."""
    for table in tables:
        asked_for(asked, table, f"{flag} {table['name']}")


def contradiction(said: str, asked: str) -> str:
    """Return in words what is wrong with a sandbox that is weaker than the one asked for."""
    return (
        f"sandbox = {said!r} is weaker than --sandbox {asked}; expected {or_more(asked)}, or leave "
        "--sandbox out to let each bot choose"
    )


def or_more(asked: str) -> str:
    """Return the sandboxes that are as strong as this one, in words."""
    return " or ".join(repr(word) for word in _ORDER[_least(asked) :])


# What is whose

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/dev/null")
"""What every bot sees."""


def is_inside(path: str | Path, *places: str | Path) -> bool:
    """Return whether a path leads into one of these folders, by whatever links."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(place)) for place in places)


# What an entrant's own file may say


def for_files(asked: str | None, *, on_cluster: bool) -> str | None:
    """Return the sandbox that an entrant's file must not weaken.

    On a cluster that is `bwrap`, unless the organiser asks for another one by name: bots are
    sandboxed there without asking.
    """
    return "bwrap" if on_cluster and asked in (None, "auto") else asked


class Claim(NamedTuple):
    """What the file in an entrant's folder says of its bot by one key."""

    value: Any
    folder: Path
    """The entrant's, where the file is."""

    asked: str
    """The sandbox that was asked for."""

    words: tuple[str, ...] = ()
    """The command, as it is started."""


class EntrantRule(NamedTuple):
    """What an entrant's file may set by a key where a sandbox was asked for."""

    why: str
    expected: str = ""
    """In words, for who reads that it was refused."""

    holds: Callable[[Claim], bool] = lambda _: True
    part: str = ""
    """How an organiser allows it who types it after the bot; empty: not so."""

    is_read: bool = True
    """Whether the key is looked at at all."""

    @property
    def typed_as(self) -> str:
        """Return the key that an organiser sets by that part."""
        return self.part.partition("=")[0].partition(".")[0]


def stays_inside(claim: Claim) -> bool:
    """Return whether files and folders, taken from that of the entrant, are in it."""
    paths = claim.value if isinstance(claim.value, list) else [claim.value]
    return all(is_inside(claim.folder / str(path), claim.folder) for path in paths)


def starts_its_own(claim: Claim) -> bool:
    """Return whether each path of a command is the entrant's, the system's or the arena's Python.

    What a command names is shown to the bot.
    """
    places = (claim.folder, sys.prefix, sys.base_prefix, *SYSTEM)
    return all(is_inside(word, *places) for word in claim.words if word.startswith("/"))


def has_one_thread(claim: Claim) -> bool:
    """Return whether a bot asks for no more cores than one, by its key or by its option."""
    said = claim.value
    if isinstance(said, dict):
        found = [value for name, value in said.items() if str(name).lower() == "threads"]
        return all(has_one_thread(claim._replace(value=value)) for value in found)
    return not isinstance(said, int) or said <= 1


def never(_: Claim) -> bool:
    """Return that a file may not set a key at all."""
    return False


def refuse_link(path: Path) -> None:
    """Raise ConfigError where an entrant's file is a link to a file of somebody else."""
    if not is_inside(path, path.parent):
        raise ConfigError(f"{path}: this link leads out of its folder; expected a file in it")
