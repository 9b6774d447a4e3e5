"""Git revisions as temporary folders to build and to play in.

Nothing of the user's repository changes: work tree, index and git's own files stay. If a sandbox is
asked for, git and builds run in it.
"""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple

from lath.arena.entrants import minimum
from lath.arena.entrants.builds import open_to_all, run_in
from lath.arena.entrants.repositories import (
    PLAIN,
    git_in,
    leading_out,
    repository_at,
)
from lath.arena.errors import ArenaError, ConfigError, InUseError
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.referee.bots import BotSpec
from lath.arena.sandbox import users
from lath.notation.files.locks import lock as lock_file

LAST_LINES: Final = 30
"""The number of lines that are shown of a failed build."""

PATIENCE_S: Final = 5.0
"""The time to wait for the cleanup after a run that was just killed, in seconds."""

_CLEARS_UP: Final = """
while read -r group; do last=$group; done
[ -n "$last" ] && kill -9 "-$last"
chmod -R u+rwx -- "$1"
rm -rf -- "$1"
rmdir -- "${1%/*}"  # where nothing was played
"""
"""The cleanup script: it reads a line for each build, and an empty line at its end.

The end of its input means that the arena has ended, for whatever reason.
"""

_BEGINS: Final = 'read -r _ && exec /bin/sh -c "$1" </dev/null'
"""The start of a build, which waits until the cleanup script knows it."""


class Revision(NamedTuple):
    """A commit, and the relevant folder in it."""

    repository: str
    """The repository's own folder."""

    commit: str
    """The hash of the commit."""

    folder: str
    """The folder below the top; empty for the top itself."""

    shown: tuple[str, ...] = ()
    """The paths that git sees in a sandbox."""


def revision(text: str, here: Path, sandbox: str | None = None) -> Revision | None:
    """Return the revision of this name; None if git does not know it or is not installed.

    Its folder is that of `here` in the work tree. Git runs in the `sandbox`, if any. Raises
    ConfigError if the sandbox is not possible, or git cannot read the repository there.
    """
    if sandbox and minimum.asks(sandbox):
        return _revision_in(sandbox, text, here)
    lines = _git(
        ("rev-parse", "--absolute-git-dir", "--show-prefix", "--verify", "--end-of-options"),
        (f"{text}^{{commit}}",),
        here,
    ).splitlines()
    if len(lines) < 3:
        return None
    repository, folder, commit = lines[0], lines[1], lines[-1]
    return Revision(repository, commit, folder.strip("/"))


def _revision_in(sandbox: str, text: str, here: Path) -> Revision | None:
    """Return the revision of this name, found by git in a sandbox."""
    if (found := repository_at(here)) is None:
        return None
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{text}^{{commit}}")
    said = git_in(sandbox, found.git, words, shown=found.shown)
    if said.status != 0:
        if said.text.strip():  # otherwise the name is unknown
            last = said.text.strip().splitlines()[-1]
            hint = f"chmod -R o+rX {found.git} lets git read, which is another user there"
            raise ConfigError(
                f"{text}: git failed in the sandbox {sandbox!r}: {last}",
                hint=hint if users.can_be_given() else "",
            )
        return None
    if commit := re.search(r"^([0-9a-f]{40,64})\Z", said.text.rstrip("\n"), re.MULTILINE):
        inner = here.resolve().relative_to(found.top)
        folder = "" if found.git == found.top or str(inner) == "." else str(inner)
        return Revision(str(found.git), commit[1], folder, found.shown)
    return None


def lacks_edits(known: Revision, here: Path, sandbox: str | None = None) -> bool:
    """Return True if a revision is checked out at `here`, but files were edited since.

    See `revision` for the arguments.
    """
    if revision("HEAD", here, sandbox) != known:
        return False
    if sandbox and minimum.asks(sandbox):
        found = repository_at(here)
        if found is None or found.git == found.top:
            return False
        said = git_in(
            sandbox,
            found.git,
            ("diff", "--quiet", "--no-ext-diff", "--no-textconv", "HEAD", "--", "."),
            shown=(*found.shown, str(found.top)),
            here=here.resolve(),
            files=found.top,
        )
        return said.status == 1
    words = ("--no-optional-locks", *PLAIN, "status", "--porcelain", "--untracked-files=no")
    return bool(_git(words, ("--", "."), here))


def _git(words: Sequence[str], names: Sequence[str], here: Path) -> str:
    """Return git's output; empty if it fails."""
    try:
        asked = subprocess.run(
            ["git", *words, *names],  # noqa: S607 - the git that the user has
            cwd=here,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="surrogateescape",
            check=False,
        )
    except OSError:
        return ""
    return asked.stdout if asked.returncode == 0 else ""


class Workshop:
    """A temporary folder for checkouts and builds."""

    def __init__(self, folder: Path, watcher: subprocess.Popen[bytes]) -> None:
        """Begin; `watcher` cleans up when this process ends."""
        self._folder: Final = folder
        self._watcher: Final = watcher

    def check_out(self, wanted: Revision, name: str, sandbox: str | None = None) -> Path:
        """Return the folder of a revision, with all files of its commit; raises ArenaError.

        In a `sandbox` no link may lead out of it.
        """
        home = self._folder / name
        home.mkdir()
        if sandbox and minimum.asks(sandbox):
            _check_out_in(sandbox, wanted, home)
        else:
            self._check_out(wanted, name, home)
        inside = home / wanted.folder
        if not inside.is_dir():
            raise ArenaError(f"revision {wanted.commit[:12]}: has no folder {wanted.folder}")
        return inside

    def _check_out(self, wanted: Revision, name: str, home: Path) -> None:
        """Write the files of a revision; git runs what the repository configures."""
        index = {**os.environ, "GIT_INDEX_FILE": str(self._folder / f"{name}.index")}
        git = ["git", *PLAIN, f"--git-dir={wanted.repository}", f"--work-tree={home}"]
        for words in (("read-tree", wanted.commit), ("checkout-index", "--all", "--force")):
            with signals.interruptible():
                done = subprocess.run(
                    [*git, *words],
                    cwd=home,
                    env=index,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                )
            if done.returncode:
                raise _not_checked_out(wanted, done.stderr.decode(errors="replace"))

    def build(self, command: str, home: Path, name: str, sandbox: str | None = None) -> None:
        """Run a shell command there; raises ArenaError with the end of its output.

        In a `sandbox` it sees and writes all files of the revision, and nothing else.
        """
        output = self._folder / f"{name}.output"
        if sandbox and minimum.asks(sandbox):
            top = self._folder / name
            builder = BotSpec(
                name=name,
                command=("/bin/sh", "-c", command),
                cwd=str(home),
                reads=(str(top),),
                sandbox=sandbox,
            )
            status = run_in(builder, top, output)
        else:
            status = self._built(command, home, output)
        if status != 0:
            raise ArenaError(_failure(command, name, status, output))

    def _built(self, command: str, home: Path, output: Path) -> int:
        """Return the status of a command that runs as this user."""
        with output.open("wb") as stream:
            with signals.starting():
                made = subprocess.Popen(
                    ["/bin/sh", "-c", _BEGINS, "sh", command],
                    cwd=home,
                    stdin=subprocess.PIPE,
                    stdout=stream,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
                part = signals.stopping_too(signals.session_of(made.pid))
            assert made.stdin is not None
            self._note(f"{made.pid}")
            try:
                with made.stdin, suppress(BrokenPipeError):
                    made.stdin.write(b"\n")
                with signals.interruptible():
                    status = made.wait()
            finally:
                part()
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(made.pid, signal.SIGKILL)  # end its remaining processes
                made.wait()
                self._note("")
        return status

    def _note(self, line: str) -> None:
        assert self._watcher.stdin is not None
        with suppress(BrokenPipeError):
            self._watcher.stdin.write(f"{line}\n".encode())
            self._watcher.stdin.flush()


def _failure(command: str, name: str, status: int | None, output: Path) -> str:
    """Return the message of a failed build, with the end of its output."""
    said = output.read_text(encoding="utf-8", errors="replace").rstrip().splitlines()
    left = [f"  … {len(said) - LAST_LINES} more lines"] if len(said) > LAST_LINES else []
    lines = [*left, *(f"  {line}" for line in said[-LAST_LINES:])]
    if status is None:
        how = "took too long"
    else:
        how = f"exited with status {status}" if status > 0 else f"was ended by signal {-status}"
    return "\n".join([f"--build: {command!r} of {name} {how}:", *lines])


def _not_checked_out(wanted: Revision, said: str) -> ArenaError:
    return ArenaError(f"revision {wanted.commit[:12]}: cannot be checked out: {said.strip()}")


def _check_out_in(sandbox: str, wanted: Revision, home: Path) -> None:
    """Write the files of a revision in a sandbox; raises ArenaError."""
    index = home / f".index-{secrets.token_hex(8)}"  # removed before the folder is used
    for words in (("read-tree", wanted.commit), ("checkout-index", "--all", "--force")):
        said = git_in(
            sandbox,
            wanted.repository,
            words,
            shown=wanted.shown,
            here=home,
            files=home,
            may_write=True,
            env={"GIT_INDEX_FILE": str(index)},
        )
        if said.status != 0:
            raise _not_checked_out(wanted, said.text)
    process_trees.remove(str(index))  # a filter may have replaced it
    if out := next(leading_out(home), None):
        target = repr(str(out.readlink())) if out.is_symlink() else "a file with another name"
        raise ArenaError(
            f"revision {wanted.commit[:12]}: {str(out.relative_to(home))!r} is a link to {target}; "
            f"in the sandbox {sandbox!r} a link must lead to files of the revision"
        )
    open_to_all(home)


@contextmanager
def workshop(folder: Path) -> Iterator[Workshop]:
    """Provide an empty folder that is removed at the end, even if this process is killed.

    Raises InUseError if another process uses it.
    """
    lock = _hold(folder.parent)
    try:
        # The cleanup script also holds the lock, so that no other process enters while it works.
        watcher = subprocess.Popen(
            ["/bin/sh", "-c", _CLEARS_UP, "sh", str(folder)],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[lock],
        )
    finally:
        os.close(lock)
    assert watcher.stdin is not None
    try:
        process_trees.remove(str(folder))  # left if the cleanup script was killed, too
        folder.mkdir()
        yield Workshop(folder, watcher)
    finally:
        watcher.stdin.close()
        watcher.wait()


def _hold(place: Path) -> int:
    """Return the descriptor of a lock on a folder; raises InUseError."""
    until_s = time.monotonic() + PATIENCE_S
    while True:
        place.mkdir(parents=True, exist_ok=True)
        lock = os.open(place, os.O_RDONLY | os.O_CLOEXEC)
        try:
            lock_file(lock)
            if os.path.samestat(os.fstat(lock), place.stat()):
                return lock
        except FileNotFoundError:  # the previous holder has removed the folder
            pass
        except OSError as error:
            if time.monotonic() > until_s:
                os.close(lock)
                raise InUseError("in use by another match", place) from error
            time.sleep(0.05)
        os.close(lock)
