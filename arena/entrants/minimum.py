"""The sandbox that an organiser asks for is the minimum: nothing else that is written weakens it.

The organiser asks by `--sandbox`, or by the part `sandbox=` of a bot's text. A `tournament.toml` in
the folder of a bot, or in a revision, is the entrant's: `TAKEN` says, key by key, what it may set
then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lath.arena.errors import ConfigError
from lath.arena.sandbox import users

if TYPE_CHECKING:
    from lath.arena.entrants.bot_table import BotTable

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
        raise ConfigError(f"{called}: {_contradiction(str(said), str(flag))}")
    return said or flag


def strongest(*asked: str | None) -> str | None:
    """Return the sandbox that holds most of those that are asked for; None: there is none."""
    return max(filter(None, asked), key=_least, default=None)


def refuse_weaker(tables: Iterable[Mapping[str, Any]], asked: str | None, flag: str) -> None:
    """Raise ConfigError where the text of a `flag` asks for a weaker sandbox than `--sandbox`."""
    for table in tables:
        asked_for(asked, table, f"{flag} {table['name']}")


def weaker_ones(bots: Iterable[BotTable], asked: str | None) -> Iterator[tuple[int, str]]:
    """Yield the place of each bot that a configuration gives a weaker sandbox, and what is wrong.

    `asked` is the sandbox that `--sandbox` names.
    """
    for place, bot in enumerate(bots):
        if "sandbox" in bot.model_fields_set and is_weaker(bot.sandbox, asked):
            yield place, f"bot {bot.name!r}: {_contradiction(bot.sandbox, str(asked))}"


def _contradiction(said: str, asked: str) -> str:
    return (
        f"sandbox = {said!r} is weaker than --sandbox {asked}, expected {_or_more(asked)}; without "
        "--sandbox each bot can have its own"
    )


def _or_more(asked: str) -> str:
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


def _is_strong(claim: Claim) -> bool:
    return not is_weaker(claim.value, claim.asked)


def _stays_inside(claim: Claim) -> bool:
    """Return whether files and folders, taken from that of the entrant, are in it."""
    paths = claim.value if isinstance(claim.value, list) else [claim.value]
    return all(is_inside(claim.folder / str(path), claim.folder) for path in paths)


def _starts_its_own(claim: Claim) -> bool:
    """Return whether each path of a command is the entrant's, the system's or the arena's Python.

    What a command names is shown to the bot.
    """
    places = (claim.folder, sys.prefix, sys.base_prefix, *SYSTEM)
    return all(is_inside(word, *places) for word in claim.words if word.startswith("/"))


def _has_one_thread(claim: Claim) -> bool:
    """Return whether a bot asks for no more cores than one, by its key or by its option."""
    said = claim.value
    if isinstance(said, dict):
        found = [value for name, value in said.items() if str(name).lower() == "threads"]
        return all(_has_one_thread(claim._replace(value=value)) for value in found)
    return not isinstance(said, int) or said <= 1


def _never(_: Claim) -> bool:
    return False


_SHARED: Final = "the organiser decides what bots take of the machine"

_SHARED_TIME: Final = "the organiser decides how long bots are waited for"

TAKEN: Final[Mapping[str, EntrantRule]] = {
    "name": EntrantRule("the organiser names bots", is_read=False),
    "command": EntrantRule(
        "what a command names, the bot can see",
        "programs and files of this folder or of the system (--run CMD takes its place)",
        _starts_its_own,
    ),
    "files": EntrantRule("a folder is all that makes up its bot", is_read=False),
    "cwd": EntrantRule(
        "a bot sees the folder in which it runs", "a folder in this one", _stays_inside
    ),
    "env": EntrantRule(
        "variables decide which programs and libraries run",
        "no variables",
        _never,
        part="env.NAME=VALUE",
    ),
    "options": EntrantRule(
        "they are lines that the bot reads, but `threads` is cores of the machine, too",
        "no option 'threads' over 1",
        _has_one_thread,
        part="threads=N",
    ),
    "memory": EntrantRule(_SHARED, "no size: each bot has its share", _never, part="memory=SIZE"),
    "time": EntrantRule("the match has a time for both", is_read=False),
    "startup": EntrantRule(_SHARED_TIME, "no time", _never, part="startup=TIME"),
    "margin": EntrantRule(_SHARED_TIME, "no time", _never, part="margin=TIME"),
    "stop": EntrantRule(_SHARED_TIME, "no time", _never, part="stop=TIME"),
    "threads": EntrantRule(_SHARED, "1", _has_one_thread, part="threads=N"),
    "build": EntrantRule("it runs in the sandbox of the bot"),
    "sandbox": EntrantRule("it is the minimum", "", _is_strong),
    "reads": EntrantRule(
        "only the organiser adds paths",
        "files and folders in this folder",
        _stays_inside,
        part="reads=PATH",
    ),
    "cache": EntrantRule("a cache stays on the disk", "no size", _never, part="cache=SIZE"),
    "protocol": EntrantRule("it changes the lines that the bot reads, and nothing else"),
    "hosts": EntrantRule("the organiser knows the machines of a cluster", is_read=False),
}
"""By the keys of a `[[bot]]`. A key without a rule is not read from an entrant's folder."""


def is_read(key: str, asked: str | None) -> bool:
    """Return whether a key of the file in a folder counts: without a sandbox all that there are."""
    if not asks(asked):
        return True
    rule = TAKEN.get(key)
    return rule is not None and rule.is_read


TAKEN_OF_FILE: Final[Mapping[str, EntrantRule]] = {
    "bot": EntrantRule("each of its keys has a rule of its own"),
    "games": EntrantRule(
        "the file of a game is run by the arena itself: only names of games count"
    ),
    **dict.fromkeys(
        (
            *("event", "format", "rounds", "pairs", "challengers", "seed", "jobs", "pin", "log"),
            *("bench_after", "sandbox", "time", "adjudication", "sprt", "tune", "openings"),
            "anchors",
            *("season", "league"),
        ),
        EntrantRule("the organiser's command says how a match is played", is_read=False),
    ),
}
"""By the keys of the whole file."""


def refuse_link(path: Path) -> None:
    """Raise ConfigError where an entrant's file is a link to a file of somebody else."""
    if not is_inside(path, path.parent):
        raise ConfigError(f"{path} leads out of its folder, expected a file in it")


def refuse_more(
    row: Mapping[str, Any],
    words: tuple[str, ...],
    path: Path,
    asked: str,
    lines: Mapping[tuple[Any, ...], int],
    *,
    typed: Container[str] = (),
    home: Path | None = None,
) -> None:
    """Raise ConfigError where an entrant's file asks for more than it may have in a sandbox.

    `row` is what the file at `path` says of the bot, by keys whose `lines` are known, and `words`
    is its command as it is started. What the organiser has `typed` in the place of a key counts
    instead. The entrant's folder is `home`. Default: that of the file.
    """
    from lath.arena.entrants.toml_text import shown  # start-up time

    wrong, parts = [], []
    for key, value in row.items():
        rule = TAKEN.get(key)
        if rule is None or not rule.is_read or key in typed or rule.typed_as in typed:
            continue
        if not rule.holds(Claim(value, home or path.parent, asked, words)):
            place = f"{path}:{lines[key,]}" if (key,) in lines else f"{path}"
            expected = rule.expected or _or_more(asked)
            wrong.append(
                f"{place}: {key} = {shown(value)} where the sandbox {asked!r} is asked for, "
                f"expected {expected} ({rule.why})"
            )
            parts += [rule.part] if rule.part else []
    if wrong:
        typing = f", or allow it yourself after the bot: '; {'; '.join(dict.fromkeys(parts))}'"
        hint = f"  hint: leave it out of {path.name}{typing if parts else ''}"
        raise ConfigError("\n".join((*wrong, hint)))
