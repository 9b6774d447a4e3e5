"""The sandbox of each bot, as the configuration asks for it.

Inside bubblewrap a bot sees its program, its own folder and the files in `reads`. A bot that runs
as a user of its own needs them to be open to others. Only the configuration can add files. Links,
first lines and `pyvenv.cfg` files in a bot's folder cannot. An impossible sandbox is refused before
the first game.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

import lath
from lath import DOCUMENTATION
from lath.arena.entrants.programs import first_bytes
from lath.arena.errors import NOTHING, ConfigError, Obstacle, SandboxError
from lath.arena.machine.system import machine_bytes
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.originals import entries_below
from lath.arena.sandbox import users
from lath.arena.sandbox.bubblewrap import View
from lath.arena.sandbox.kinds import BotSandbox
from lath.arena.sandbox.limits import launched
from lath.games.errors import GameFileError
from lath.games.files import named_files, paths_of
from lath.notation.files.folders import user_folder

GUIDE: Final = f"{DOCUMENTATION}how-to/run-untrusted-bots/"

_PROGRAMS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64")
"""The system's folders that every bot sees."""

_SYSTEM: Final = (*_PROGRAMS, "/proc", "/dev", "/sys")
"""Paths that do not belong to any bot."""


class Confined(NamedTuple):
    """Bots in their sandboxes, with messages."""

    bots: tuple[BotSpec, ...]
    warnings: list[str]
    """Sentences about possible reasons why a bot may fail to play."""

    note: str
    """The bots that get a weaker sandbox than possible by default, and why; may be empty."""


def confined(
    bots: Sequence[BotSpec], *, closed: Collection[str] = (), at_once: int = 1
) -> Confined:
    """Return the bots in their sandboxes, with messages for the organiser.

    `closed` are absolute paths that no bot may see although they lie beside it: the tournament's.
    `at_once` bots run at the same time, and share the machine's memory. Raises SandboxError, for
    all bots together, if a requested sandbox is not possible.
    """
    own = own_folders(bots, closed)
    territory = _Territory(bots, own, closed)
    done: list[BotSpec] = []
    wrong: list[str] = []
    obstacles: dict[str, Obstacle] = {}
    warnings: list[str] = []
    shut: dict[str, list[str]] = {}  # bots by the closed path that denies them a user
    for bot in bots:
        if bot.sandbox == "auto":
            wall, path = _best(bot, _needed(bot, own[bot.name]))
            if path:
                shut.setdefault(path, []).append(bot.name)
        else:
            wall, why = _asked(bot, territory, closed)
            if why:
                obstacles[bot.name] = why
                wrong.append(f"bot {bot.name!r}: sandbox = {bot.sandbox!r}: {why}")
        if wall.kind == "bwrap" and not own[bot.name] and _home(bot):
            warnings.append(
                f"{bot.name} can only read the files of its command, because other bots share "
                f"{_home(bot)}; give it its own folder, or list what it `reads` ({GUIDE})"
            )
        done.append(replace(bot, wall=_bounded(bot, wall, at_once)))
    if wrong:
        raise SandboxError("\n".join(wrong), obstacles)
    who = "; ".join(
        f"{', '.join(names)} run{'s' * (len(names) == 1)} as the superuser with all permissions, "
        f"because {path} is closed to other users ({GUIDE})"
        for path, names in shut.items()
    )
    return Confined(tuple(done), warnings, f"note: {who}" if who else "")


def _bounded(bot: BotSpec, wall: BotSandbox, at_once: int) -> BotSandbox:
    """Return a sandbox with limits on the total of a bot's processes.

    Bots without a requested sandbox have only the limits of their own table.
    """
    wall = replace(wall, tree_bytes=bot.memory_bytes or 0, cache_bytes=bot.cache_bytes)
    if bot.sandbox in ("auto", "none"):
        return wall
    share = bot.memory_bytes or machine_bytes() // at_once
    return replace(wall, tree_bytes=share, cores=bot.threads)


def _best(bot: BotSpec, needed: Iterable[str]) -> tuple[BotSandbox, str]:
    """Return the best sandbox that takes nothing from a bot, and a path that prevents a better."""
    limits = BotSandbox(view=View(cache=_cache_of(bot)))
    if not users.can_be_given() or bot.cache_bytes:
        return limits, ""
    path = _closed_to_others(bot, needed)
    return (limits, path) if path else (BotSandbox(kind="user"), "")


def _asked(
    bot: BotSpec, territory: _Territory, closed: Collection[str]
) -> tuple[BotSandbox, Obstacle]:
    """Return the requested sandbox, and the obstacle if it is not possible."""
    if bot.sandbox == "none":
        return BotSandbox(view=View(cache=_cache_of(bot))), NOTHING
    if bot.sandbox == "user":
        wall = BotSandbox(kind="user")
        if obstacle := wall.why_not():
            return wall, obstacle
        if bot.cache_bytes:
            why = "a cache needs 'bwrap' or 'none', because 'user' changes the user each time"
            return wall, Obstacle(why)
        path = _closed_to_others(bot, _needed(bot, territory.own[bot.name]))
        return wall, _opens(path) if path else NOTHING
    shown = territory.shown_to(bot)
    wall = BotSandbox(kind="bwrap", view=View(reads=shown, cache=_cache_of(bot)))
    for path in bot.reads:
        if held := next((place for place in closed if holds(path, place)), ""):
            return wall, Obstacle(f"reads: {path} holds {held}, which no bot may see")
    if obstacle := wall.why_not() or Obstacle(territory.why_invalid(bot, shown)):
        return wall, obstacle
    # Its own folder is copied if other users cannot read it.
    others = (path for path in shown if wall.has_own_user and path != territory.own[bot.name])
    return wall, next((_opens(path) for path in others if _is_closed(path)), NOTHING)


def _opens(path: str) -> Obstacle:
    """Return the obstacle of a closed path, with the command that opens it."""
    return Obstacle(f"{path} is closed to other users", "open it with `chmod o+rX`", "; ")


# Ownership of paths


class _Territory:
    """The folders and files of each bot, which must not give access to anything else."""

    def __init__(
        self, bots: Sequence[BotSpec], own: Mapping[str, str], closed: Collection[str]
    ) -> None:
        self.own: Final = own
        self._homes: Final = {bot.name: lexical_home(bot) for bot in bots}
        self._grounds: Final = [str(Path(path).parent) for path in closed]
        """Folders around closed paths: their other contents may come from the bots' owners."""

    def shown_to(self, bot: BotSpec) -> tuple[str, ...]:
        """Return the absolute paths of files and folders that a bot sees inside bubblewrap."""
        own = self.own[bot.name]
        shown = [*([own] if own else files_of(bot)), *bot.files, *bot.reads]
        program = _program(bot)
        if not (own and _is_in(program, own, self._homes[bot.name])):
            shown += _installation(program, is_named="/" in bot.command[0])
        return tuple(dict.fromkeys((*shown, *_always_shown())))

    def why_invalid(self, bot: BotSpec, shown: Sequence[str]) -> str:
        """Return a message about links that lead out of a bot's own files, or an empty string."""
        own, home = self.own[bot.name], self._homes[bot.name]
        program = _program(bot)
        is_path = "/" in bot.command[0] and not _is_systems(bot.command[0])
        inside = [path for path in bot.reads if _is_in(path, home)]
        named = [home, *files_of(bot), *bot.files, *inside, *([program] if is_path else [])]
        others = [  # Resolved, except for the last name
            str(Path(other).parent.resolve() / Path(other).name)
            for other in self._homes.values()
            if other and not _is_in(home, other) and not _is_in(other, home)
        ]
        reads = (path for path in bot.reads if path not in inside)
        allowed = [*_PROGRAMS, *reads, *_always_shown()]
        for path in dict.fromkeys(filter(None, named)):
            target = os.path.realpath(path)
            around = next((each for each in self._grounds if _is_in(path, each)), "")
            place = own if own and path != home and _is_in(path, home) else around
            place = place or str(Path(path).parent)
            is_others = _is_in(target, *others) and not _is_in(path, *others)
            if is_others or not any(holds(each, target) for each in (place, *allowed)):
                return _leads_out(path, target, place)
        if own and (why := next(_odd_entries(own, [own, *allowed]), "")):
            return why
        return _unseen_interpreter(program, shown) if own or files_of(bot) else ""


def _leads_out(path: str, target: str, place: str) -> str:
    return (
        f"{path} leads out of {place} to {target}; name that file itself, "
        "or list it in `reads` if the bot may see it"
    )


def lexical_home(bot: BotSpec) -> str:
    """Return the folder of a bot, as the configuration writes it."""
    found = bot.cwd or next((str(Path(file).parent) for file in files_of(bot)), "")
    return "" if _is_systems(found) else os.path.normpath(found)


def _is_in(path: str, *folders: str) -> bool:
    """Return True if a path is written as one inside a folder, before links are followed."""
    norm = os.path.normpath(path)
    return any(
        norm == folder or norm.startswith(f"{folder.rstrip('/')}/") for folder in folders if folder
    )


def _always_shown() -> Iterator[str]:
    """Yield the paths of the arena that every bot inside bubblewrap sees."""
    yield from (sys.prefix, sys.base_prefix, *_ours(), *launched())


def _odd_entries(folder: str, allowed: Collection[str]) -> Iterator[str]:
    """Yield a message for each wrong entry of a folder: links that show more, pipes and devices."""
    for entry in entries_below(folder, OSError):
        if entry.is_symlink():
            target = os.path.realpath(entry.path)
            if not any(holds(place, target) for place in allowed):
                yield _leads_out(entry.path, target, folder)
        elif not (entry.is_file() or entry.is_dir()):
            yield f"{entry.path} is neither file nor folder nor link; remove it"


def is_closed_within(folder: str) -> bool:
    """Return True if a folder has anything in it that other users cannot read."""
    return _is_closed(folder) or any(
        _is_closed(entry.path) for entry in entries_below(folder, OSError) if not entry.is_symlink()
    )


def _is_closed(path: str) -> bool:
    """Return True if other users cannot read a file or folder; False if it does not exist."""
    try:
        mode = Path(path).stat().st_mode
    except OSError:
        return False
    needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    return mode & needed != needed


def _unseen_interpreter(program: str, shown: Collection[str]) -> str:
    """Return a message if the first line of a bot's program names a program it cannot see.

    Otherwise the result is empty.
    """
    if not (name := _first_line(program)):
        return ""
    seen = (*_PROGRAMS, *shown)
    places = [place for place in os.get_exec_path() if any(holds(each, place) for each in seen)]
    found = name if "/" in name else shutil.which(name)
    if (
        not found
        or shutil.which(name, path=os.pathsep.join(places))
        or any(holds(place, found) for place in seen)
    ):
        return ""
    return (
        f"the first line of {program} asks for {found}, which the bot does not see; "
        "begin its command with that program, or list its folder in `reads`"
    )


# Caches


def _cache_of(bot: BotSpec) -> str:
    """Return the folder in which a bot keeps compiled code; empty if it has no cache.

    Makes it readable for this user only. Raises ConfigError.
    """
    if not bot.cache_bytes:
        return ""
    digest = hashlib.sha256(json.dumps([bot.name, *bot.command]).encode()).hexdigest()
    place = kept("bots")
    folder = place / digest[:16]
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.chmod(0o700)  # no other user may run the programs in a cache
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise ConfigError(
            f"bot {bot.name!r}: its cache {folder} cannot be made: {error.strerror}"
        ) from error
    return str(folder)


def kept(what: str) -> Path:
    """Return the folder for files that the arena can make again; raises ConfigError.

    The superuser's folder is in a place that other users can reach.
    """
    if users.can_be_given() and not os.environ.get("XDG_CACHE_HOME"):
        return Path("/var/cache/lath-arena") / what
    try:
        return user_folder("cache") / what
    except RuntimeError as error:
        raise ConfigError(
            f"XDG_CACHE_HOME: needed for {what}, because no home folder exists"
        ) from error


# Readable paths


def own_folders(bots: Sequence[BotSpec], closed: Collection[str]) -> dict[str, str]:
    """Return the folder that only this bot uses, for each bot.

    It is the bot's working directory. Default: the folder of the first file in its command. Bots
    that run in the same folder share it, as versions of one bot. It is empty if the folder contains
    the tournament or another bot's files; such a bot sees only files named in the configuration.
    """
    written = {bot.name: lexical_home(bot) for bot in bots}
    homes = {bot.name: _home(bot) for bot in bots}
    files = {bot.name: [*files_of(bot), *filter(None, [written[bot.name]])] for bot in bots}
    taken = [str(Path("~").expanduser()), *closed]

    def is_alone(bot: BotSpec) -> bool:
        home = homes[bot.name]
        others = (
            file
            for other in bots
            if other.name != bot.name and not (bot.cwd and other.cwd == bot.cwd)
            for file in files[other.name]
        )
        # A link into another bot's folder makes the bot with the link invalid, not the other one.
        is_shared = any(_is_in(file, home, written[bot.name]) for file in others)
        return not is_shared and not any(holds(home, place) for place in taken)

    return {bot.name: homes[bot.name] if homes[bot.name] and is_alone(bot) else "" for bot in bots}


def _home(bot: BotSpec) -> str:
    """Return the real path of a bot's folder; empty for the system's folders."""
    home = lexical_home(bot)
    return os.path.realpath(home) if home else ""


def files_of(bot: BotSpec) -> list[str]:
    """Return the absolute paths of a bot's files and folders, without its interpreter."""
    words = (word for word in bot.command if word.startswith("/") and Path(word).is_file())
    return [
        *(word for word in words if not _is_systems(word) and not _runs_others(word)),
        *bot.files,
    ]


def _runs_others(program: str) -> bool:
    """Return True if a program is an installed one, such as an interpreter."""
    return any(Path(path).is_dir() for path in _installation(program))


def _is_systems(path: str) -> bool:
    if not path:
        return True
    place = Path(os.path.realpath(path))
    return any(place.is_relative_to(one) for one in _roots())


@cache
def _roots() -> frozenset[str]:
    """Return the real paths of the system's folders, some of which are links."""
    return frozenset(map(os.path.realpath, _SYSTEM))


def holds(folder: str, path: str) -> bool:
    """Return True if a path is a folder or is inside it."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _needed(bot: BotSpec, own: str) -> list[str]:
    """Return the absolute paths of everything that a bot needs or may read."""
    installed = list(_interpreters(bot))
    needed = [*([own] if own else files_of(bot)), *bot.files, *bot.reads, *installed]
    if sys.prefix in installed or sys.base_prefix in installed:  # it may be made of our modules
        needed += _ours()
    return needed


def _ours() -> Iterator[str]:
    """Yield the folders of the arena's modules and of game files."""
    for place in lath.__path__:  # a folder of links if the arena is not installed
        yield place
        with suppress(OSError):  # it is in an archive
            yield from (str(entry) for entry in Path(place).iterdir() if entry.is_symlink())
    for file, _ in named_files():
        try:
            yield from paths_of(file)
        except GameFileError:  # the process that loads it reports the error
            yield file


def _program(bot: BotSpec) -> str:
    """Return the path of a bot's program; empty if it does not exist."""
    return bot.command[0] if "/" in bot.command[0] else shutil.which(bot.command[0]) or ""


def _interpreters(bot: BotSpec) -> Iterator[str]:
    """Yield the installation of a bot's program, and of the program in its first line."""
    if not (program := _program(bot)):
        return
    yield from _installation(program)
    if (name := _first_line(program)) and (found := shutil.which(name)):
        yield from _installation(found)


def _first_line(program: str) -> str:
    """Return the program named in the first line of a script, or an empty string."""
    line = first_bytes(Path(program)).split(b"\n")[0]
    if not line.startswith(b"#!") or not (words := os.fsdecode(line[2:]).split()):
        return ""
    arguments = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return arguments[0] if Path(words[0]).name == "env" and arguments else words[0]


def _installation(program: str, *, is_named: bool = False) -> Iterator[str]:
    """Yield a program and its installation: the parent of `bin`, if that has a `lib`.

    Follows links of programs found on PATH, but not of a program that `is_named` by its path.
    """
    paths = (program,) if is_named else (program, os.path.realpath(program))
    for path in dict.fromkeys(filter(None, paths)):
        if _is_systems(path):
            continue
        yield path
        place, home = Path(path).parent.parent, Path("~").expanduser()
        is_installed = Path(path).parent.name == "bin" and (place / "lib").is_dir()
        # Otherwise these could be all programs of a person, or of the system.
        if is_installed and place != home / ".local" and not holds(str(place), str(home)):
            yield str(place)


def _closed_to_others(bot: BotSpec, needed: Iterable[str]) -> str:
    """Return the first path of a bot's files that another user cannot read; empty if none."""
    paths = (process_trees.scratch_root(), _program(bot), bot.cwd, *needed)
    return users.closed_to(users.FIRST, filter(None, paths))
