"""Git in an untrusted repository, run in the sandbox that the organiser asks for.

A repository can make git run programs: filters, hooks, monitors, transports and helpers. So the
arena finds the repository without git, and git sees nothing else.
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
"""The options that keep git from changing the repository, omitting files or running hooks."""

_STRICT: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
"""The variables that keep git from fetching anything or asking questions."""

_MOST: Final = 4096
"""The bytes to read of a file that names a folder."""


class Repository(NamedTuple):
    """The places of a git repository, and the paths that git needs to read it."""

    git: Path
    """The repository's own folder, such as `.git`."""

    top: Path
    """The folder of its files; for a bare repository its own folder."""

    shown: tuple[str, ...]
    """The paths that git reads of it, without its files."""


def repository_at(here: Path) -> Repository | None:
    """Return the repository that contains a folder, as git finds it, or None.

    Raises ConfigError if the repository is elsewhere and does not list this folder. Otherwise an
    entrant's `.git` file or link could name any repository of the organiser.
    """
    here = here.resolve()
    for top in (here, *here.parents):
        named = top / ".git"
        if os.path.lexists(named):
            git = _led_to(named)
            if not _is_repository(git):
                if named.is_file():  # as git does
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
    """Return the folder that `.git` is, or that it names if it is a file."""
    said = ""
    if named.is_file():
        with named.open("rb") as file:
            said = os.fsdecode(file.read(_MOST)).partition("gitdir:")[2].strip()
    return Path(os.path.realpath(named.parent / said if said else named))


def _is_repository(git: Path) -> bool:
    """Return True if git accepts a folder as a repository."""
    is_whole = (git / "objects").is_dir() and (git / "refs").is_dir()
    return (is_whole or (git / "commondir").is_file()) and os.path.lexists(git / "HEAD")


def _knows(git: Path, named: Path) -> bool:
    """Return True if git's folder is that of a linked work tree whose `.git` is `named`."""
    noted = git / "gitdir"
    if git.parent.name != "worktrees" or not _is_repository(git.parents[1]):
        return False
    if noted.is_symlink() or not noted.is_file():
        return False
    with noted.open("rb") as file:
        return os.path.realpath(os.fsdecode(file.read(_MOST)).strip()) == os.path.realpath(named)


class GitAnswer(NamedTuple):
    """The status and output of a git command."""

    status: int | None
    """The exit status; None on timeout."""

    text: str
    """The output."""


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
    """Return git's answer about the repository at `git`, asked from `here` in a sandbox.

    Git sees the folders `shown` and its own programs. The repository's files are in the folder
    `files`, the only one where it can write, if it `may_write`. Without git, the answer has status
    1. Raises ConfigError if the sandbox does not exist here.
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
    """Yield the links below a folder that lead out of it, which a commit may contain.

    Links to the system's programs are allowed. A file with a second name counts as a link, because
    a filter may have made it.
    """
    for entry in entries_below(str(top)):
        if entry.is_symlink():
            if not minimum.is_inside(entry.path, top, *minimum.SYSTEM):
                yield Path(entry.path)
        elif entry.is_file() and entry.stat().st_nlink > 1:
            yield Path(entry.path)
