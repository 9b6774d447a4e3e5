"""Builds of bots before they play, in a copy of their folder and inside their sandbox.

The arena keeps each build for all tournaments, by the command and the files. A bot that runs as
another user plays in a copy, too, if other users cannot read its folder.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from lath.arena.directory import DATABASE
from lath.arena.entrants.confinement import (
    confined,
    is_closed_within,
    kept,
    lexical_home,
    own_folders,
)
from lath.arena.entrants.programs import split_at
from lath.arena.errors import ArenaError
from lath.arena.machine import signals
from lath.arena.machine.system import machine_bytes
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.originals import entries_below
from lath.arena.referee.watchdog import looks
from lath.arena.sandbox import users
from lath.arena.sandbox.kinds import beginning
from lath.arena.schedule.openings import digest as sha256_of
from lath.games.errors import LathError
from lath.notation.files.locks import lock

BUILD_S: Final = 600.0
"""The time limit of a build, in seconds."""

MOST_BYTES: Final = 2 << 30
"""The size limit of a folder to copy, in bytes."""

_MOST_SHARE: Final = 0.75
"""The share of the machine's memory that a build may take, if a control group enforces it."""

MOST_FILES: Final = 200_000
"""The number of files and folders that it may have when it is built."""

LAST_LINES: Final = 12
"""The number of lines that are shown of a failed build."""

KEPT_LOG: Final = 1 << 20
"""The number of bytes that are kept of a build's output: its end."""

_TRIES: Final = 3
"""The number of attempts to copy a folder while its files are edited."""

_KEPT_S: Final = 30 * 86_400.0
"""The time that an unused build is kept, in seconds."""

_SAYS: Final = "exec </dev/null 2>&1\n"


def built(
    bots: Sequence[BotSpec], *, closed: Sequence[str], logs: Path, tell: Callable[[str], None]
) -> tuple[BotSpec, ...]:
    """Return the bots; those that need a build play in built copies of their folders.

    `logs` keeps a file with each build's output, which may show the bot's sources. No build can see
    `closed` paths. Raises BuildError with every failed build, and ConfigError if a sandbox is not
    possible.
    """
    copied = _copied(bots, closed)
    if not (copied or any(bot.build for bot in bots)):
        return tuple(bots)
    logs.mkdir(mode=0o711, parents=True, exist_ok=True)
    # Each build sees only its own files, as the bot will.
    walled = {bot.name: bot for bot in confined(_makers(bots), closed=closed).bots}
    done, failed = [], dict[str, str]()
    for bot in bots:
        source = bot.cwd if bot.build else copied.get(bot.name)
        if not source:
            done.append(bot)
            continue
        try:
            home = _home_of(bot, source, walled[bot.name], build_log(logs, bot.name), tell)
        except _FailedError as error:
            failed[bot.name] = str(error)
        else:
            done.append(_moved(bot, source, home))
    if failed:
        raise BuildError(failed)
    return tuple(done)


def run_in(bot: BotSpec, home: Path, log: Path) -> int | None:
    """Run a bot's command to its end, in its sandbox; return its status, or None on timeout.

    The command can write in the folder `home`; `log` gets its output. Raises OSError, and
    ConfigError if the sandbox does not exist here.
    """
    (walled,) = confined([bot]).bots
    view = replace(walled.wall.view, writes=(str(home),))
    wall = replace(walled.wall, view=view, tree_bytes=0, cores=0)
    return _status(replace(walled, wall=wall), home, log)


def ready(bot: BotSpec, closed: Sequence[str] = (), *, beside: Sequence[BotSpec] = ()) -> BotSpec:
    """Return a built and sandboxed bot, to start outside tournaments.

    The bot cannot see `closed` paths or the files of bots `beside` it.

    Raises ArenaError if the build fails, and ConfigError if the sandbox is not possible.
    """
    tell = partial(print, file=sys.stderr)
    bots = built((bot, *beside), closed=closed, logs=kept("builds"), tell=tell)
    if bot.sandbox != "auto":
        return confined(bots, closed=closed).bots[0]
    (bound,) = confined([replace(bots[0], sandbox="none")], closed=closed).bots
    return replace(bound, sandbox="auto")


def copy_of(folder: Path, build: str, called: str, sandbox: str | None) -> Path:
    """Return the folder of a build: a copy of `folder`, which runs use again.

    Raises ArenaError if the build fails, and ConfigError if the sandbox does not exist here.
    """
    bot = BotSpec(
        name=called,
        command=("true",),
        cwd=str(folder),
        files=(str(folder),),
        build=build,
        sandbox=sandbox or "auto",
    )
    return Path(str(ready(bot).cwd))


class BuildError(ArenaError):
    """Failed builds; the text has one line or more for each."""

    def __init__(self, failed: Mapping[str, str]) -> None:
        super().__init__("\n".join(failed.values()))
        self.failed: Final = failed
        """The reason of each failure, by the bot's name."""


class _FailedError(ArenaError):
    """A build failed; the text has the bot and the reason."""


def _copied(bots: Sequence[BotSpec], closed: Sequence[str]) -> dict[str, str]:
    """Return the folders, by bot, that the bot's future user cannot read.

    Such a bot gets a copy, whose path only the arena's own user can look up.
    """
    if not users.can_be_given() or all(bot.sandbox != "bwrap" for bot in bots):
        return {}
    own = own_folders(bots, closed)
    return {
        bot.name: lexical_home(bot)
        for bot in bots
        if bot.sandbox == "bwrap" and own[bot.name] and is_closed_within(own[bot.name])
    }


def _makers(bots: Sequence[BotSpec]) -> list[BotSpec]:
    """Return the bots with their build command instead of their own, and without caches."""
    return [
        replace(bot, command=("/bin/sh", "-c", f"{_SAYS}{bot.build}"), cache_bytes=0)
        if bot.build
        else bot
        for bot in bots
    ]


def build_log(logs: Path, name: str) -> Path:
    """Return the log file of a bot's build."""
    plain = "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in name)
    if plain != name:  # different names get different files
        plain += f"-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    return logs / f"build-{plain}.log"


def _moved(bot: BotSpec, source: str, home: Path) -> BotSpec:
    """Return the bot, changed to play in the copy of its folder."""

    def there(word: str) -> str:
        parts = split_at([source], word)
        return "".join(str(home) if number % 2 else part for number, part in enumerate(parts))

    values = bot.options.items()
    return replace(
        bot,
        command=tuple(map(there, bot.command)),
        cwd=bot.cwd and there(bot.cwd),
        files=tuple(map(there, bot.files)),
        reads=tuple(map(there, bot.reads)),
        env={name: there(value) for name, value in bot.env.items()},
        options={name: there(one) if isinstance(one, str) else one for name, one in values},
        lacks="",
    )


class _ChangedError(LathError, OSError):
    """The files of a bot were edited while they were copied."""


def _home_of(
    bot: BotSpec, folder: str, maker: BotSpec, log: Path, tell: Callable[[str], None]
) -> Path:
    """Return the folder of a bot's build, after building it if necessary; raises an error."""
    for _ in range(_TRIES - 1):
        with suppress(_ChangedError):
            return _built_in(bot, Path(folder), maker, log, tell)
    try:
        return _built_in(bot, Path(folder), maker, log, tell)
    except _ChangedError as error:
        words = f"{error.filename}: {error.strerror}"
        raise _FailedError(f"bot {bot.name!r}: cannot be built: {words}") from error


def _built_in(
    bot: BotSpec, source: Path, maker: BotSpec, log: Path, tell: Callable[[str], None]
) -> Path:
    """Build once; raises _FailedError, and _ChangedError if the files are edited meanwhile."""
    try:
        digest = _digest_of(source, bot.build)
        is_private = bot.sandbox == "bwrap"  # other users must be able to find the path
        place = kept("private-builds" if is_private else "builds")
        place.mkdir(mode=0o700 if is_private else 0o711, parents=True, exist_ok=True)
        home, done = place / digest, place / f"{digest}.done"
        lock = place / f"{digest}.lock"
        with _alone(lock):
            if done.is_file():
                os.utime(done)
                return home
            _forget_old(place, lock)
            if bot.build:
                tell(f"building {bot.name}: {bot.build}")
            process_trees.remove(str(home))
            try:
                _copy(source, home)
                if _digest_of(home, bot.build) != digest:
                    raise _ChangedError(0, "was changed while it was copied", str(source))
                status = _status(_at(maker, source, home), home, log) if bot.build else 0
                if status != 0:
                    raise _FailedError(_failure(bot, status, log))
                done.touch()
            finally:
                if not done.is_file():
                    process_trees.remove(str(home))
    except _ChangedError:
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise _FailedError(f"bot {bot.name!r}: cannot be built: {where}{error.strerror}") from error
    return home


def _digest_of(source: Path, command: str) -> str:
    """Return the SHA-256 of a build's command and sources; raises OSError."""
    total = hashlib.sha256(f"{platform.machine()}\0{command}\0".encode())
    size = 0
    for path in _files_of(source):
        status = path.lstat()
        size += status.st_size
        if size > MOST_BYTES:
            raise OSError(0, f"more than {MOST_BYTES >> 30} GiB", str(source))
        if stat.S_ISLNK(status.st_mode):
            content = str(path.readlink())
        elif stat.S_ISREG(status.st_mode):
            content = sha256_of(path)
        else:
            raise OSError(0, "not a file, folder or link", str(path))
        name = os.fsencode(path.relative_to(source))
        total.update(b"%s\0%o\0%s\0" % (name, status.st_mode & 0o100, os.fsencode(content)))
    return total.hexdigest()


def _files_of(source: Path) -> Iterator[Path]:
    """Yield the source files and links in a folder, in order."""
    for place, folders, names in os.walk(source, onerror=_raise):
        left = _no_sources(place, [*folders, *names])
        links = [name for name in folders if Path(place, name).is_symlink()]
        folders[:] = sorted({*folders} - {*left, *links})
        yield from (Path(place, name) for name in sorted({*names, *links} - left))


def _no_sources(place: str, names: Iterable[str]) -> set[str]:
    """Return the names in a folder that are not sources of a bot.

    These are git's own files, tournament directories and the files to which this program writes its
    output, because they change during a build.
    """
    said = {(status.st_dev, status.st_ino) for status in _outputs()}

    def is_none(name: str) -> bool:
        path = Path(place, name)
        if name == ".git" or (
            path.is_dir() and not path.is_symlink() and (path / DATABASE).is_file()
        ):
            return True
        status = path.lstat()
        return (status.st_dev, status.st_ino) in said

    return {name for name in names if is_none(name)}


def _outputs() -> Iterator[os.stat_result]:
    for descriptor in (1, 2):
        with suppress(OSError):
            yield os.fstat(descriptor)


def _raise(error: OSError) -> None:
    raise error


def _copy(source: Path, home: Path) -> None:
    """Copy a folder so that every user can read it; only users who know its path can find it."""
    shutil.copytree(source, home, symlinks=True, ignore=_no_sources, copy_function=_copy_file)
    open_to_all(home)


def open_to_all(top: Path) -> None:
    """Let every user read a folder and everything below it, whatever the umask was."""
    top.chmod(0o755)
    for entry in entries_below(str(top)):
        if entry.is_dir(follow_symlinks=False):
            Path(entry.path).chmod(0o755)
        elif entry.is_file(follow_symlinks=False):
            Path(entry.path).chmod(0o755 if entry.stat().st_mode & 0o100 else 0o644)


_PIECE: Final = 1 << 20


def _copy_file(source: str, target: str) -> str:
    """Copy a file and its rights; holes in it stay holes."""
    with Path(source).open("rb") as old, Path(target).open("wb") as new:
        while piece := old.read(_PIECE):
            if piece.strip(b"\0"):
                new.write(piece)
            else:
                new.seek(len(piece), os.SEEK_CUR)
        new.truncate()
    shutil.copymode(source, target)
    return target


def _at(maker: BotSpec, source: Path, home: Path) -> BotSpec:
    """Return the builder with the writable copy in place of the sources."""
    view = maker.wall.view
    # Unless something else of its own is there, the copy contains what it saw of the source.
    reads = tuple(path for path in view.reads if not Path(path).is_relative_to(source))
    # The bot's limits on memory and cores are for play; a build needs more, for a short time.
    wall = replace(
        maker.wall,
        view=replace(view, reads=reads, writes=(str(home),)),
        tree_bytes=int(_MOST_SHARE * machine_bytes()),
        cores=0,
    )
    return replace(_moved(maker, str(source), home), wall=wall)


def _status(maker: BotSpec, home: Path, log: Path) -> int | None:
    """Run a build command to its end, and return its status; raises OSError."""
    mark = f"build-{os.urandom(8).hex()}."
    held = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    try:
        scratch = process_trees.new_scratch(mark)
        start = process = None
        part: Callable[[], object] = bool
        with log.open("wb") as output:
            try:
                with (
                    signals.starting(),
                    beginning(
                        maker.wall,
                        maker.command,
                        own_env=maker.env,
                        mark={process_trees.MARK: mark},
                        cwd=maker.cwd,
                        scratch=scratch,
                        memory_bytes=None,
                        held=held,
                    ) as start,
                ):
                    if start.user is not None:
                        users.give(str(home), start.user)
                    process = (start.group.start if start.group else subprocess.Popen)(
                        start.words,
                        stdin=subprocess.DEVNULL,
                        stdout=output,
                        stderr=subprocess.STDOUT,
                        cwd=start.cwd,
                        env=start.env,
                        pass_fds=start.passed,
                        start_new_session=True,
                        preexec_fn=start.restrict,
                    )
                    part = signals.stopping_too(signals.session_of(process.pid))
                signal.pthread_sigmask(signal.SIG_SETMASK, held)
                with signals.interruptible():
                    status = _ended(process, home)
            finally:
                part()
                if process is not None:
                    with suppress(ProcessLookupError, PermissionError):
                        os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                process_trees.sweep(mark)
                if start is not None:
                    start.end()
                if users.can_be_given():
                    users.give(str(home), os.geteuid())
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    _shorten(log)
    return status


def _ended(process: subprocess.Popen[bytes], home: Path) -> int | None:
    """Return the status of a process, or None on timeout; raises OSError if it fills the disk."""
    until_s = signals.awake_s() + BUILD_S
    looks_s, status = 0.0, None
    while status is None and signals.awake_s() < until_s:
        with suppress(subprocess.TimeoutExpired):
            status = process.wait(max(min(1.0, until_s - signals.awake_s()), 9 * looks_s))
        began_s = signals.awake_s()
        if any(looks(str(home), MOST_BYTES, MOST_FILES)):
            raise OSError(
                0, f"the build wrote more than {MOST_BYTES >> 30} GiB or {MOST_FILES:,} files"
            )
        looks_s = signals.awake_s() - began_s
    return status


def _shorten(log: Path) -> None:
    """Keep only the end of a long log."""
    if (size := log.stat().st_size) > KEPT_LOG:
        with log.open("r+b") as file:
            file.seek(size - KEPT_LOG)
            end = file.read()
            file.seek(0)
            file.write(b"...\n" + end)
            file.truncate()


def _failure(bot: BotSpec, status: int | None, log: Path) -> str:
    said = log.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
    how = f"took longer than {BUILD_S:g} s" if status is None else f"exited with status {status}"
    lines = [f"  {line}" for line in said[-LAST_LINES:]]
    return "\n".join([f"bot {bot.name!r}: build = {bot.build!r} {how} ({log}):", *lines])


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold a lock, so that no other process builds the same at the same time."""
    with path.open("a") as file:
        with signals.interruptible():
            lock(file, waits=True)
        yield


def _forget_old(place: Path, new: Path) -> None:
    """Remove builds that were unused for long before `new` was written, unless they are in use."""
    os.utime(new)
    now_s = new.stat().st_mtime
    for done in place.glob("*.done"):
        with suppress(OSError):
            if done.stat().st_mtime < now_s - _KEPT_S:
                with done.with_suffix(".lock").open("a") as file:
                    lock(file)
                    done.unlink()
                    process_trees.remove(str(done.with_suffix("")))
