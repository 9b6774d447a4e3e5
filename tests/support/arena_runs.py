"""The program `arena` as people start it: a process, a configuration and a results directory."""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final, Self
from unittest import mock

import bad_bots
import commands
from bad_bots import Good
from loaded import Run
from processes import calm_s, gone, pids_with, workers_of

from lath.arena.tournament.run.live import glimpses_in

PATIENCE_S: Final = 120.0
"""The longest wait for an event or the end of a run, in seconds."""


def command(*words: object) -> list[str]:
    """Return the command line of the arena under test."""
    return [sys.executable, "-m", "lath.arena", *map(str, words)]


def environment(**more: str) -> dict[str, str]:
    """Return the environment variables for the arena: a wide terminal without colours."""
    return {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", **more}


def arena(*words: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the arena to its end inside this process.

    Its workers and bots are processes; this saves the time in which Python loads the arena.
    """
    with chdir(cwd), mock.patch.dict(os.environ, environment(**variables)):
        ran = commands.arena(*words)
    return subprocess.CompletedProcess(list(map(str, words)), ran.status, ran.out, ran.err)


READ_AT_THE_START: Final = ("PYTHON", "LC_", "LANG", "TZ")
"""Prefixes of variables that Python itself reads; a run with one of them starts a new Python."""


def begin(
    *words: object,
    cwd: Path,
    under: Sequence[str] = (),
    streams: Mapping[str, Any] = MappingProxyType({}),
    **variables: str,
) -> subprocess.Popen[str]:
    """Start the arena in a session of its own, and return at once.

    `under` is a command that starts another one, such as `nice`; `streams` are keyword arguments of
    `Run`.
    """
    if not under and not any(name.startswith(READ_AT_THE_START) for name in variables):
        return Run(list(map(str, words)), cwd=cwd, env=environment(**variables), **streams)
    return subprocess.Popen(
        [*under, *command(*words)],
        cwd=cwd,
        env=environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="backslashreplace",
        start_new_session=True,
    )


def flags(
    bots: Mapping[str, type[Good]],
    *,
    rounds: int,
    out: Path,
    jobs: int = 2,
    with_report: bool = False,
) -> list[str]:
    """Return the arguments of a run of Yavalath by fake bots, two games per pairing."""
    words = ["run", "--game", "yavalath", "--rounds", str(rounds), "--tc", "move 5"]
    words += ["--openings", "random:0"]
    for name, kind in bots.items():
        words += ["--bot", f"{name}={shlex.join(bad_bots.command(kind))}"]
    words += [] if with_report else ["--no-report"]
    return [*words, "--jobs", str(jobs), "--output", str(out), "-q"]


def stored(folder: Path, columns: str = "number") -> list[tuple[object, ...]]:
    """Return what the database of a run holds, by number."""
    if not (folder / "tournament.db").exists():
        return []
    with closing(sqlite3.connect(folder / "tournament.db")) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'game'").fetchall():
            return []  # killed before the table was created
        return list(database.execute(f"SELECT {columns} FROM game ORDER BY number"))


def numbers(folder: Path) -> list[object]:
    """Return the numbers of the stored games."""
    return [number for (number,) in stored(folder)]


def exported(folder: Path) -> list[int]:
    """Return the numbers in `games.lath`, in its order."""
    text = (folder / "games.lath").read_text(encoding="utf-8")
    tags = [line.split('"')[1] for line in text.splitlines() if line.startswith("[Number ")]
    return [int(tag) for tag in tags]


def sequence(games: int) -> Sequence[int]:
    """Return the numbers of a whole tournament."""
    return list(range(1, games + 1))


class Range:
    """A folder to run in; all processes started there have a mark of their own.

    At the end no process and no scratch folder may remain.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        self.scratch = folder / "scratch"
        self.scratch.mkdir()
        self.variables = {"LATH_BOT_RANGE": secrets.token_hex(8), "TMPDIR": str(self.scratch)}
        self._runs: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        left = self.clear()
        if kind is None:
            assert not left, "processes or scratch folders are left"

    def clear(self) -> int:
        """End leftover processes; return the number of leftover processes and folders."""
        gone(self.alive)
        alive = self.alive()
        for pid in alive:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return len(alive) + len(list(self.scratch.iterdir()))

    def begin(
        self,
        *words: object,
        under: Sequence[str] = (),
        streams: Mapping[str, Any] = MappingProxyType({}),
        **variables: str,
    ) -> subprocess.Popen[str]:
        more = {**self.variables, **variables}
        run = begin(*words, cwd=self.folder, under=under, streams=streams, **more)
        self._runs.append(run)
        return run

    def arena(self, *words: object) -> subprocess.CompletedProcess[str]:
        """Run the arena to its end, in a process of its own."""
        said = list(map(str, words))
        env = environment(**self.variables)
        with Run(said, cwd=self.folder, env=env, has_output=True) as run:
            self._runs.append(run)
            out, err = run.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(said, run.returncode, out, err)

    def alive(self) -> set[int]:
        """Return every process that was started here and runs: runners, workers and bots."""
        runs = {run.pid for run in self._runs if run.poll() is None}  # forks without the variables
        workers = {pid for run in runs for pid in workers_of(run)}  # readable for root only
        return runs | workers | pids_with("LATH_BOT_RANGE", self.variables["LATH_BOT_RANGE"])

    def has_begun(self, games: int = 20) -> bool:
        """Return whether more than some games are stored."""
        return len(numbers(self.out)) > games


def wait_until_it_plays(place: Range, run: subprocess.Popen[str], games: int = 20) -> None:
    """Return when more than some games are stored; the run must not be over by then."""
    assert gone(lambda: not place.has_begun(games), PATIENCE_S)
    assert run.poll() is None


def until_more_is_stored(place: Range) -> None:
    """Return when a run has stored more games."""
    games = len(numbers(place.out))
    assert gone(lambda: len(numbers(place.out)) == games, PATIENCE_S), "nothing is stored any more"


def kill_a_worker(place: Range, run: subprocess.Popen[str]) -> float:
    """Kill the older of two workers during a pair; return the seconds until games are stored."""
    assert gone(lambda: len(workers_of(run.pid)) < 2, PATIENCE_S)
    until_more_is_stored(place)
    worker = min(workers_of(run.pid))
    seen = glimpses_in(place.out).get(str(worker))

    def is_amid_a_pair() -> bool:
        """Return whether a new first game of a pair is shown; without one it may be idle."""
        now = glimpses_in(place.out).get(str(worker))
        return now is not None and now != seen and now["number"] % 2 == 1

    assert gone(lambda: not is_amid_a_pair(), PATIENCE_S)
    began_s = calm_s()
    os.kill(worker, signal.SIGKILL)
    until_more_is_stored(place)
    return calm_s() - began_s


def stop(run: subprocess.Popen[str], number: int) -> str:
    """Send a signal and return what the run then says; it must end soon."""
    began_s = calm_s()
    run.send_signal(number)
    _, said = run.communicate(timeout=PATIENCE_S)
    assert calm_s() - began_s < 5
    return said


@contextmanager
def listened_to(run: subprocess.Popen[str]) -> Iterator[IO[str]]:
    """Give the output of a run line by line; a run that does not end is killed."""
    assert run.stderr
    patience = threading.Timer(PATIENCE_S, run.kill)
    patience.start()
    try:
        with run.stderr:
            yield run.stderr
    finally:
        patience.cancel()


def until_it_says(said: IO[str], words: str) -> str:
    """Return what is said up to the line that holds these words."""
    text = ""
    while words not in text:
        line = said.readline()
        assert line, text
        text += line
    return text
