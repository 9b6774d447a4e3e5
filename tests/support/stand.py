"""A copy of the tree in which tests run with one mistake after another.

`Stand` makes the copy with its own environment, so that programs started by tests also load the
copy. A process in it has loaded the libraries. It answers each question in a fork, which ends with
everything that it has started.
"""

from __future__ import annotations

import compileall
import ctypes
import json
import os
import py_compile
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest
from yardstick import LAYERS

MEMORY: Final = 4 << 30
"""Resident bytes of the process that runs tests; it is ended if it exceeds them."""

MOST_S: Final = 120
"""The processor seconds after which a mutant's process counts as endless."""

LIBRARIES: Final = (
    *("hypothesis.strategies", "jinja2", "lark", "rich.console", "sqlite3", "tomlkit"),
    *("trueskill", "typer", "typer.testing", "pydantic", "xdist"),
)
"""Libraries that are loaded once instead of for each question."""

COMPILED: Final = frozenset(
    f"bots/compiled/{name}.py"
    for name in ("arrays", "entries", "groups", "kernels", "search", "sight")
)
"""Modules that tests expect to be compiled, which takes half a minute."""

APART: Final = (
    *("unshare", "--pid", "--fork", "--mount", "--mount-proc", "--kill-child=KILL"),
    *("sh", "-euc"),
    """for folder in /tmp /var/tmp "$HOME/.cache"; do
    [ ! -d "$folder" ] || mount --bind "$folder" "$folder"
done
mount --bind "$1" "$1"
mount -o remount,bind,ro "$1"
mount --bind "$2" "$2"
mount -o remount,bind,ro /
shift 2
exec "$@"
""",
    "sh",
)
"""The command with which root starts the process that runs tests. It sees no other processes and
can write to few places, because a mistake could kill programs or remove folders.
"""

SUBREAPER: Final = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)

FAILED: Final = "failed"
PASSED: Final = "passed"
ENDLESS: Final = "out of time"
NOTHING: Final = "no tests"


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of the tests that were run."""

    outcome: str
    """passed, failed, out of time, or no tests."""

    test: str = ""
    """The first failed test, or the one that ran at the timeout."""

    seconds: Mapping[str, float] | None = None
    """The seconds of each completed test."""


class Stand:
    """The copy, with the process in it that runs tests."""

    def __init__(self, tree: Path, place: Path) -> None:
        self.root = _copy(tree, place)
        self._apart = _apart(tree, place)
        own = self.root / ".venv" / "bin" / "python"
        self.python = own if own.exists() else Path(sys.executable)
        self._worker: subprocess.Popen[str] | None = None

    def compile(self) -> None:
        """Compile the kernels, if numba is installed."""
        words = [str(self.python), "-m", "lath.bots.compiled"]
        subprocess.run(words, cwd=self.root, capture_output=True, check=False)

    def ask(self, tests: Sequence[str], within_s: float) -> Answer:
        """Run tests in this order, until one fails or the time is over."""
        if self._worker is None:
            self._worker = subprocess.Popen(
                [*self._apart, str(self.python), __file__],
                cwd=self.root,
                env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                text=True,
            )
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        print(json.dumps([list(tests), within_s]), file=self._worker.stdin, flush=True)
        told = self._worker.stdout.readline()
        if not told:
            raise SystemExit(f"the process in {self.root} that runs tests has ended")
        return Answer(**json.loads(told))

    @contextmanager
    def changed(self, files: Mapping[str, bytes]) -> Iterator[None]:
        """Change the content of some files for a while."""
        before = {path: (self.root / path).read_bytes() for path in files}
        times = {path: (self.root / path).stat().st_mtime_ns for path in files}
        try:
            for path, data in files.items():
                (self.root / path).write_bytes(data)
            if COMPILED & set(files):
                self.compile()
            yield
        finally:
            for path, data in before.items():
                (self.root / path).write_bytes(data)
                # Bytecode depends on the time of the file.
                os.utime(self.root / path, ns=(times[path], times[path]))
            if COMPILED & set(files):
                self.compile()

    def close(self) -> None:
        """End the process and everything that it has started."""
        if self._worker is not None:
            self._worker.communicate()
            self._worker = None


def _apart(tree: Path, place: Path) -> list[str]:
    """Return a prefix of commands that protects other processes and files, if it works."""
    words = [*APART, str(tree.parent), str(place)]
    try:
        tried = subprocess.run([*words, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return []
    return [] if tried.returncode else words


@contextmanager
def stand(tree: Path) -> Iterator[Stand]:
    """Make a temporary copy of a tree."""
    # Next to the original if possible, so that files of the environment can be hard links.
    with tempfile.TemporaryDirectory(prefix="stand-", ignore_cleanup_errors=True) as place:
        made = Stand(tree, Path(place).resolve())
        try:
            yield made
        finally:
            made.close()


def _copy(tree: Path, place: Path) -> Path:
    root = place / "tree"
    words = ["git", "-C", str(tree), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, listed):
        if (tree / name).exists():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(tree / name, root / name, follow_symlinks=False)
    if (tree / ".venv").exists():
        shutil.copytree(tree / ".links", root / ".links", symlinks=True)
        _copy_environment(tree / ".venv", root / ".venv")
    if (tree / "tests/web/node_modules").exists():
        (root / "tests/web/node_modules").symlink_to(tree / "tests/web/node_modules")
    for layer in filter(Path.exists, (root / layer for layer in LAYERS)):
        # By content, because a mutant has the time and the size of the original.
        mode = py_compile.PycInvalidationMode.CHECKED_HASH
        compileall.compile_dir(layer, quiet=1, invalidation_mode=mode)
    return root


def _copy_environment(old: Path, new: Path) -> None:
    """Copy an environment as hard links, except for files that contain its path."""
    try:
        shutil.copytree(old, new, symlinks=True, copy_function=os.link)
    except OSError:  # another file system
        shutil.rmtree(new, ignore_errors=True)
        shutil.copytree(old, new, symlinks=True)
    named = str(old.parent).encode()
    for path in (*(new / "bin").iterdir(), *new.glob("lib/python*/site-packages/*.pth")):
        if path.is_symlink() or not path.is_file():
            continue
        data = path.read_bytes()
        if named in data:
            path.unlink()  # the file may be a hard link to the original
            path.write_bytes(data.replace(named, str(new.parent).encode()))
            shutil.copymode(old / path.relative_to(new), path)


class Only:
    """A pytest plugin that runs only some tests and files, and notes their outcomes."""

    def __init__(self, names: Iterable[str], notes: int) -> None:
        self._places = {name: place for place, name in enumerate(names)}
        self._notes = notes
        self._began_s: dict[str, float] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        kept = [(place, one) for one in items if (place := self._place(one)) is not None]
        items[:] = [one for _, one in sorted(kept, key=lambda row: row[0])]

    def _place(self, item: pytest.Item) -> int | None:
        file = item.nodeid.partition("::")[0]
        return self._places.get(item.nodeid, self._places.get(file))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._note("failed", report.nodeid)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._began_s[nodeid] = time.monotonic()
        self._note("began", nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._note("failed", report.nodeid)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self._note("ended", nodeid, time.monotonic() - self._began_s[nodeid])

    def _note(self, *row: object) -> None:
        os.write(self._notes, f"{json.dumps(row)}\n".encode())


def _run(root: Path, names: Sequence[str], notes: int) -> int:
    """Run tests in this process, which is useless afterwards."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_S, MOST_S + 1))
    said = os.open(root.parent / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    files = dict.fromkeys(name.partition("::")[0] for name in names)
    there = [file for file in files if (root / file).exists()]
    if not there:
        return int(pytest.ExitCode.NO_TESTS_COLLECTED)
    # `-W`: LIBRARIES are imported before pytest can rewrite their assertions.
    words = ["-q", "-x", "-W", "ignore:Module already imported", "-p", "no:cacheprovider"]
    return int(pytest.main([*words, "-p", "no:xdist", *there], plugins=[Only(names, notes)]))


def _answer(root: Path, names: Sequence[str], within_s: float) -> Answer:
    notes, write = os.pipe()
    os.set_blocking(notes, False)
    pid = os.fork()
    if pid == 0:
        result = 3
        try:
            os.close(notes)
            result = _run(root, names, write)
        finally:  # a fork must not continue here
            os._exit(result)
    os.close(write)
    until_s = time.monotonic() + within_s
    said = b""
    status: int | None = None
    while status is None and time.monotonic() < until_s and _resident(pid) < MEMORY:
        time.sleep(0.02)
        said += _read(notes)
        status = _reaped(pid)
    end_children()
    said += _read(notes)
    os.close(notes)
    return _answer_of(status, [json.loads(line) for line in said.splitlines()])


def _reaped(wanted: int) -> int | None:
    """Reap all ended children and orphans; return the status of the wanted one if it ended."""
    status = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            status = ended[1] if ended[0] == wanted else status
    return status


def _answer_of(status: int | None, rows: list[Any]) -> Answer:
    seconds = {row[1]: row[2] for row in rows if row[0] == "ended"}
    failed = [row[1] for row in rows if row[0] == "failed"]
    began = [row[1] for row in rows if row[0] == "began"]
    running = began[-1] if began and began[-1] not in seconds else ""
    if failed:
        return Answer(FAILED, failed[0], seconds)
    if status is None or os.waitstatus_to_exitcode(status) == -signal.SIGXCPU:
        return Answer(ENDLESS, running, seconds)
    if status == 0:
        return Answer(PASSED, "", seconds)
    if not began and os.waitstatus_to_exitcode(status) == pytest.ExitCode.NO_TESTS_COLLECTED:
        return Answer(NOTHING, "", seconds)
    return Answer(FAILED, running, seconds)


def _read(notes: int) -> bytes:
    said = b""
    with suppress(BlockingIOError):
        while part := os.read(notes, 1 << 16):
            said += part
    return said


def _resident(pid: int) -> int:
    try:
        pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * resource.getpagesize()


def end_children() -> None:
    """Kill all descendants of this process, with orphans."""
    until_s = time.monotonic() + 30
    while time.monotonic() < until_s:
        _reaped(0)
        below = _below(os.getpid())
        if not below:
            return
        for pid in below:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.01)


def _below(top: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            parent = int(path.read_text(errors="replace").rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(path.parent.name))
    found: list[int] = []
    todo = [top]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def main() -> None:
    """Answer questions, each a line of tests and seconds, until the input ends."""
    root = Path.cwd()
    for name in LIBRARIES:
        import_module(name)
    sys.path.remove(str(Path(__file__).parent))  # tests import the copy's helpers
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    for line in sys.stdin:
        names, within_s = json.loads(line)
        answer = _answer(root, names, within_s)
        fields = {"outcome": answer.outcome, "test": answer.test, "seconds": answer.seconds}
        print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    main()
