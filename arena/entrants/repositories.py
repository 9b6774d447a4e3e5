"""Git in a repository that nobody trusts: it runs in the sandbox that the organiser asks for.

A repository says itself what git runs: filters, hooks, monitors, transports, helpers. So this finds
the repository without git, and git sees nothing but it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from lath.arena.entrants import minimum
from lath.arena.entrants.builds import run_in
from lath.arena.errors import ConfigError
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.originals import entries_below

PLAIN: Final = (
    *("-c", "core.fsmonitor=false", "-c", "core.splitIndex=false"),
    *("-c", "core.sparseCheckout=false", "-c", f"core.hooksPath={os.devnull}"),
)
"""What keeps git from leaving anything in the repository, from leaving anything out, and from
running hooks, wherever it runs."""

_STRICT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""Git fetches nothing and asks nobody, whatever the repository says of it."""

_MOST: Final = 4096
"""Bytes that are read of a file that names a folder."""


class Repository(NamedTuple):
    """Where git keeps a repository, and what of the machine's files it needs for it."""

    git: Path
    """Its own folder, such as `.git`."""

    top: Path
    """The folder of its files; of one without files its own."""

    shown: tuple[str, ...]
    """What git reads of it, without its files."""


def repository_at(here: Path) -> Repository | None:
    """Return the repository that a folder is in, as git finds it; None: it is in none.

    Raises ConfigError where the repository is elsewhere and does not know this folder: a file or
    link `.git` of an entrant's could name any repository of the organiser's.
    """
    here = here.resolve()
    for top in (here, *here.parents):
        named = top / ".git"
        if os.path.lexists(named):
            git = _led_to(named)
            if not _is_repository(git):
                if named.is_file():  # git goes no further
                    return None
                continue
            if git.is_relative_to(top):
                return Repository(git, top, (str(git),))
            if not _knows(git, named):
                raise ConfigError(
                    f"{named}: leads to {git}, outside {top}; with a sandbox no such repository "
                    "is read",
                    hint="clone it, or check the revision out and name its folder",
                )
            return Repository(git, top, (str(git.parents[1]),))
        if _is_repository(top):
            return Repository(top, top, (str(top),))
    return None


def _led_to(named: Path) -> Path:
    """Return the folder that `.git` is, or that it names as a file."""
    said = ""
    if named.is_file():
        with named.open("rb") as file:
            said = os.fsdecode(file.read(_MOST)).partition("gitdir:")[2].strip()
    return Path(os.path.realpath(named.parent / said if said else named))


def _is_repository(git: Path) -> bool:
    """Return whether git takes a folder for one of its own."""
    is_whole = (git / "objects").is_dir() and (git / "refs").is_dir()
    return (is_whole or (git / "commondir").is_file()) and os.path.lexists(git / "HEAD")


def _knows(git: Path, named: Path) -> bool:
    """Return whether a folder of git's is that of a further work tree, whose `.git` is `named`."""
    noted = git / "gitdir"
    if git.parent.name != "worktrees" or not _is_repository(git.parents[1]):
        return False
    if noted.is_symlink() or not noted.is_file():
        return False
    with noted.open("rb") as file:
        return os.path.realpath(os.fsdecode(file.read(_MOST)).strip()) == os.path.realpath(named)


class GitAnswer(NamedTuple):
    """What git answered."""

    status: int | None
    """None: it took too long."""

    text: str
    """All that it wrote."""


def git_in(
    sandbox: str,
    git: str | Path,
    words: Sequence[str],
    *,
    shown: Sequence[str],
    here: str | Path = "/",
    files: str | Path | None = None,
    may_write: bool = False,
    env: Mapping[str, str] | None = None,
) -> GitAnswer:
    """Return what git answers in a sandbox, of the repository at `git`, asked from `here`.

    Where git is not installed, that is nothing, as of what does not exist.
    It sees the folders `shown` and its own programs. The files of the repository are in the folder
    `files`, where it `may_write` alone. Raises ConfigError where there is no such sandbox.
    """
    if (program := shutil.which("git")) is None:
        return GitAnswer(1, "")
    with tempfile.TemporaryDirectory(prefix="lath-git-") as folder:
        Path(folder).chmod(0o711)
        home = Path(files) if files and may_write else Path(folder, "home")
        home.mkdir(exist_ok=True)
        at = ["-C", str(here), f"--git-dir={git}", *([f"--work-tree={files}"] if files else [])]
        asking = BotSpec(
            name="git",
            command=(program, "--no-pager", *PLAIN, *at, *words),
            env={**_STRICT, **(env or {})},
            reads=tuple(shown) if sandbox == "bwrap" else (*shown, str(home.parent)),
            sandbox=sandbox,
        )
        log = Path(folder, "said")
        status = run_in(asking, home, log)
        return GitAnswer(status, log.read_text("utf-8", "surrogateescape"))


def leading_out(top: Path) -> Iterator[Path]:
    """Yield the links below a folder that lead out of it: a commit has them where it likes.

    The system's programs may be linked. A file with a second name counts as a link: a filter may
    have made it.
    """
    for entry in entries_below(str(top)):
        if entry.is_symlink():
            if not minimum.is_inside(entry.path, top, *minimum.SYSTEM):
                yield Path(entry.path)
        elif entry.is_file() and entry.stat().st_nlink > 1:
            yield Path(entry.path)
