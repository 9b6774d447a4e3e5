"""The sandbox that an organiser asks for, as a minimum that no other text can weaken.

The organiser asks with `--sandbox`, or with the part `sandbox=` of a bot's text. A
`tournament.toml` in the folder of a bot, or in a revision, belongs to the entrant. `BotTable` lists
the keys that it can still set.
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
"""The sandboxes from weak to strong; `auto` is one of the first two."""


def asks(sandbox: str | None) -> bool:
    """Return True if a sandbox was asked for; `auto` counts if each bot can have its own user."""
    return bool(_least(sandbox))


def _least(sandbox: str | None) -> int:
    """Return the index in the order of the sandbox that is certain for this request."""
    if sandbox == "auto":
        return int(users.can_be_given())
    return _ORDER.index(sandbox) if sandbox in _ORDER else 0


def is_weaker(said: object, asked: str | None) -> bool:
    """Return True if a sandbox is weaker than the requested one.

    `auto` can become `none`, so it is weaker than any sandbox except `none`. Invalid names give
    False; other functions refuse them.
    """
    if said == asked or said not in (*_ORDER, "auto"):
        return False
    return (0 if said == "auto" else _ORDER.index(str(said))) < _least(asked)


def asked_for(flag: str | None, parts: Mapping[str, Any], called: str) -> str | None:
    """Return the sandbox that a flag and the bot's own text ask for.

    Raises ConfigError if the text asks for less than the flag. They may come from two people: an
    organiser copies the text from an entrant's message.
    """
    said: str | None = parts.get("sandbox")
    if is_weaker(said, flag):
        raise ConfigError(f"{called}: {contradiction(str(said), str(flag))}")
    return said or flag


def strongest(*asked: str | None) -> str | None:
    """Return the strongest of the requested sandboxes; None without a request."""
    return max(filter(None, asked), key=_least, default=None)


def refuse_weaker(tables: Iterable[Mapping[str, Any]], asked: str | None, flag: str) -> None:
    """Raise ConfigError if the text of a `flag` asks for a weaker sandbox than `--sandbox`."""
    for table in tables:
        asked_for(asked, table, f"{flag} {table['name']}")


def contradiction(said: str, asked: str) -> str:
    """Return the error message for a sandbox that is weaker than the requested one."""
    return (
        f"sandbox = {said!r} is weaker than --sandbox {asked}; expected {or_more(asked)}, or leave "
        "--sandbox out to let each bot choose"
    )


def or_more(asked: str) -> str:
    """Return the names of this sandbox and the stronger ones, for messages."""
    return " or ".join(repr(word) for word in _ORDER[_least(asked) :])


# Places

SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/dev/null")
"""The paths of the system that every bot sees."""


def is_inside(path: str | Path, *places: str | Path) -> bool:
    """Return True if a path, with links followed, is in one of these folders."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(place)) for place in places)


# The keys of an entrant's file


def for_files(asked: str | None, *, on_cluster: bool) -> str | None:
    """Return the sandbox that an entrant's file must not weaken.

    On a cluster the default is `bwrap`, because bots are sandboxed there even without a request.
    """
    return "bwrap" if on_cluster and asked in (None, "auto") else asked


class Claim(NamedTuple):
    """The value of one key in an entrant's file."""

    value: Any
    folder: Path
    """The entrant's folder, which contains the file."""

    asked: str
    """The sandbox that was asked for."""

    words: tuple[str, ...] = ()
    """The words of the command to start."""


class EntrantRule(NamedTuple):
    """The values of a key that an entrant's file can set if a sandbox was asked for."""

    why: str
    expected: str = ""
    """The expected value in words, for the error message."""

    holds: Callable[[Claim], bool] = lambda _: True
    part: str = ""
    """The part with which an organiser allows the value; empty if no part does."""

    is_read: bool = True
    """True if the arena reads the key at all."""

    @property
    def typed_as(self) -> str:
        """Return the key that an organiser sets with that part."""
        return self.part.partition("=")[0].partition(".")[0]


def stays_inside(claim: Claim) -> bool:
    """Return True if all paths, relative to the entrant's folder, are in it."""
    paths = claim.value if isinstance(claim.value, list) else [claim.value]
    return all(is_inside(claim.folder / str(path), claim.folder) for path in paths)


def starts_its_own(claim: Claim) -> bool:
    """Return True if each path of a command is the entrant's, the system's or the arena's Python.

    The bot sees every path that its command names.
    """
    places = (claim.folder, sys.prefix, sys.base_prefix, *SYSTEM)
    return all(is_inside(word, *places) for word in claim.words if word.startswith("/"))


def has_one_thread(claim: Claim) -> bool:
    """Return True if a bot asks for one core, by its key or its option."""
    said = claim.value
    if isinstance(said, dict):
        found = [value for name, value in said.items() if str(name).lower() == "threads"]
        return all(has_one_thread(claim._replace(value=value)) for value in found)
    return not isinstance(said, int) or said <= 1


def never(_: Claim) -> bool:
    """Return False: the file cannot set the key at all."""
    return False


def refuse_link(path: Path) -> None:
    """Raise ConfigError if an entrant's file is a link out of its folder."""
    if not is_inside(path, path.parent):
        raise ConfigError(f"{path}: this link leads out of its folder; expected a file in it")
