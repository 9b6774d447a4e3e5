"""What a bot may reach while it plays: its wall, by what the configuration asks for.

Behind bubblewrap it sees its program, its own folder and what it may read besides; where it is a
user of its own, those have to be open to others. What was asked for and is not possible is refused
before the first game. Must not know how games are played.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import lath
from lath.arena.errors import ConfigError
from lath.arena.referee import trees
from lath.arena.referee.bots import BotSpec
from lath.arena.walls import users
from lath.arena.walls.bubblewrap import View
from lath.arena.walls.limits import machine_bytes
from lath.arena.walls.wall import Wall
from lath.games.files import VARIABLE as GAMES

GUIDE: Final = "docs/untrusted-bots.md"

_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/proc", "/dev", "/sys")
"""What is everybody's, or nobody's."""


class Confined(NamedTuple):
    """Bots behind their walls."""

    bots: tuple[BotSpec, ...]
    warnings: list[str]
    """Of what may keep a bot from playing, in sentences."""

    note: str
    """Who has no better wall without asking, and why; empty where nobody needs to know."""


def confined(
    bots: Sequence[BotSpec], *, closed: Collection[str] = (), at_once: int = 1
) -> Confined:
    """Return the bots behind their walls, and what people should know of them.

    `closed` are files and folders, absolute, that no bot may see because it lies beside them: the
    tournament's. `at_once` bots run at the same time, and share the machine's memory. Raises
    ConfigError, for all bots at once, where a wall was asked for that is not possible.
    """
    own = own_folders(bots, closed)
    done: list[BotSpec] = []
    wrong: list[str] = []
    warnings: list[str] = []
    shut: dict[str, list[str]] = {}  # because of which path some are no users of their own
    for bot in bots:
        needed = _needed(bot, own[bot.name])
        if bot.sandbox == "auto":
            wall, path = _best(bot, needed)
            if path:
                shut.setdefault(path, []).append(bot.name)
        else:
            wall, why = _asked(bot, needed, closed)
            if why:
                wrong.append(f"bot {bot.name!r}: sandbox = {bot.sandbox!r}: {why}")
        if wall.kind == "bwrap" and not own[bot.name] and _home(bot):
            warnings.append(
                f"{bot.name} sees nothing beside the files of its command: {_home(bot)} is not its "
                f"alone; give it a folder of its own, or list what it `reads` ({GUIDE})"
            )
        done.append(replace(bot, wall=_bounded(bot, wall, at_once)))
    if wrong:
        raise ConfigError("\n".join(wrong))
    who = "; ".join(
        f"{', '.join(names)} play{'s' * (len(names) == 1)} as the superuser, who may do anything: "
        f"{path} is closed to other users ({GUIDE})"
        for path, names in shut.items()
    )
    return Confined(tuple(done), warnings, f"note: {who}" if who else "")


def _bounded(bot: BotSpec, wall: Wall, at_once: int) -> Wall:
    """Return a wall with bounds on what all processes of a bot take together.

    Who has not asked for a wall is held to what it has said itself.
    """
    wall = replace(wall, tree_bytes=bot.memory_bytes or 0, cache_bytes=bot.cache_bytes)
    if bot.sandbox in ("auto", "none"):
        return wall
    share = bot.memory_bytes or machine_bytes() // at_once
    return replace(wall, tree_bytes=share, cores=bot.threads)


def _best(bot: BotSpec, needed: Iterable[str]) -> tuple[Wall, str]:
    """Return the best wall that takes nothing from a bot, and what keeps it from a better one."""
    limits = Wall(view=View(cache=_cache_of(bot)))
    if not users.can_be_given() or bot.cache_bytes:
        return limits, ""
    path = _closed_to_others(bot, needed)
    return (limits, path) if path else (Wall(kind="user"), "")


def _asked(bot: BotSpec, needed: Sequence[str], closed: Collection[str]) -> tuple[Wall, str]:
    """Return the wall that was asked for, and why it is not possible; empty where it is."""
    if bot.sandbox == "none":
        return Wall(view=View(cache=_cache_of(bot))), ""
    if bot.sandbox == "user":
        wall = Wall(kind="user")
        if why := wall.why_not():
            return wall, why
        if bot.cache_bytes:
            return wall, "a cache is for 'bwrap' and 'none': its user is another one each time"
        path = _closed_to_others(bot, needed)
        return wall, f"{path} is closed to other users; `chmod o+rX` opens it" if path else ""
    ours = (sys.prefix, sys.base_prefix, *_ours())
    view = View(reads=tuple(dict.fromkeys((*needed, *ours))), cache=_cache_of(bot))
    wall = Wall(kind="bwrap", view=view)
    for path in bot.reads:
        if held := next((place for place in closed if holds(path, place)), ""):
            return wall, f"reads: {path} holds {held}, which no bot may see"
    return wall, wall.why_not()


# What it keeps


def _cache_of(bot: BotSpec) -> str:
    """Return the folder in which a bot keeps what it has compiled; empty: it has none.

    It is made here, for nobody else to read. Raises ConfigError.
    """
    if not bot.cache_bytes:
        return ""
    digest = hashlib.sha256(json.dumps([bot.name, *bot.command]).encode()).hexdigest()
    folder = kept("bots") / digest[:16]
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"bot {bot.name!r}: no cache: {folder}: {error.strerror}") from error
    return str(folder)


def kept(what: str) -> Path:
    """Return the folder for what can be made anew, for all tournaments; raises ConfigError.

    The superuser's is the machine's: other users can go there.
    """
    if said := os.environ.get("XDG_CACHE_HOME"):
        cache = Path(said)
    elif users.can_be_given():
        cache = Path("/var/cache")
    else:
        try:
            cache = Path.home() / ".cache"
        except RuntimeError as error:
            raise ConfigError(f"there is no home folder to keep {what} in") from error
    return cache / "lath-arena" / what


# What it may read


def own_folders(bots: Sequence[BotSpec], closed: Collection[str]) -> dict[str, str]:
    """Return the folder of each bot that is its alone: without the tournament, or another's files.

    It is where it runs, else where the first file of its command lies. Those that run in the same
    folder share it: they are versions of one. Empty: it has none such, and sees the files that are
    named.
    """
    homes = {bot.name: _home(bot) for bot in bots}
    files = {bot.name: [*files_of(bot), *filter(None, [homes[bot.name]])] for bot in bots}
    taken = [str(Path("~").expanduser()), *closed]

    def is_alone(bot: BotSpec) -> bool:
        others = (
            file
            for other in bots
            if other.name != bot.name and not (bot.cwd and other.cwd == bot.cwd)
            for file in files[other.name]
        )
        return not any(holds(homes[bot.name], place) for place in (*taken, *others))

    return {bot.name: homes[bot.name] if homes[bot.name] and is_alone(bot) else "" for bot in bots}


def _home(bot: BotSpec) -> str:
    """Return the folder in which a bot seems to live; empty where it is the system's."""
    found = bot.cwd or next((str(Path(file).parent) for file in files_of(bot)), "")
    return "" if _is_systems(found) else os.path.realpath(found)


def files_of(bot: BotSpec) -> list[str]:
    """Return the files and folders, absolute, that make up a bot, without what runs it."""
    words = (word for word in bot.command if word.startswith("/") and Path(word).is_file())
    return [
        *(word for word in words if not _is_systems(word) and not _runs_others(word)),
        *bot.files,
    ]


def _runs_others(program: str) -> bool:
    """Return whether a program is one that is installed, such as an interpreter."""
    return any(Path(path).is_dir() for path in _installation(program))


def _is_systems(path: str) -> bool:
    return not path or any(Path(os.path.realpath(path)).is_relative_to(one) for one in _roots())


@cache
def _roots() -> frozenset[str]:
    """Return where the system's folders really are: some are links to others."""
    return frozenset(map(os.path.realpath, _SYSTEM))


def holds(folder: str, path: str) -> bool:
    """Return whether a path is a folder's, or the folder itself."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _needed(bot: BotSpec, own: str) -> list[str]:
    """Return what a bot cannot do without, or may read: files and folders, absolute."""
    installed = list(_interpreters(bot))
    needed = [*([own] if own else files_of(bot)), *bot.files, *bot.reads, *installed]
    if sys.prefix in installed or sys.base_prefix in installed:  # it may be made of our modules
        needed += _ours()
    return needed


def _ours() -> Iterator[str]:
    """Yield where the arena's modules are, and files of games."""
    for place in lath.__path__:  # a folder of links, where the arena is not installed
        yield place
        yield from (str(entry) for entry in Path(place).iterdir() if entry.is_symlink())
    files = os.environ.get(GAMES, "").split(os.pathsep)
    yield from (text.partition("#")[0] for text in files if text)


def _program(bot: BotSpec) -> str:
    """Return the path of a bot's program; empty where there is none."""
    return bot.command[0] if "/" in bot.command[0] else shutil.which(bot.command[0]) or ""


def _interpreters(bot: BotSpec) -> Iterator[str]:
    """Yield where the program of a bot is installed, and the one that its first line asks for."""
    if not (program := _program(bot)):
        return
    yield from _installation(program)
    try:
        with Path(program).open("rb") as file:
            line = file.readline(256)
    except OSError:
        return
    if line.startswith(b"#!") and (words := os.fsdecode(line[2:]).split()):
        name = words[1] if Path(words[0]).name == "env" and len(words) > 1 else words[0]
        if found := shutil.which(name):
            yield from _installation(found)


def _installation(program: str) -> Iterator[str]:
    """Yield a program and what it is installed with: the parent of `bin`, where that has a `lib`.

    Of a virtual environment of Python also what it was made from.
    """
    for path in dict.fromkeys((program, os.path.realpath(program))):
        if _is_systems(path):
            continue
        yield path
        place = Path(path).parent.parent
        is_installed = Path(path).parent.name == "bin" and (place / "lib").is_dir()
        if not is_installed or _is_everybodys(place):
            continue
        yield str(place)
        try:
            text = (place / "pyvenv.cfg").read_text(encoding="utf-8")
        except OSError:
            continue
        settings = dict(line.partition(" = ")[::2] for line in text.splitlines())
        base = os.path.realpath(settings.get("home", "/usr/bin"))
        if not _is_systems(base):
            yield str(Path(base).parent)


def _is_everybodys(place: Path) -> bool:
    """Return whether more than one program is installed in a folder: all of a person's, or all."""
    home = Path("~").expanduser()
    return place == home / ".local" or holds(str(place), str(home))


def _closed_to_others(bot: BotSpec, needed: Iterable[str]) -> str:
    """Return what of a bot's files, or on the way there, another user cannot read."""
    paths = (trees.scratch_root(), _program(bot), bot.cwd, *needed)
    return users.closed_to(users.FIRST, filter(None, paths))
