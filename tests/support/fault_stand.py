"""A place to try faults: a folder for runs of the arena, its configuration and measurements.

Must not know single faults.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import bad_bots
import tomlkit
from arena_runs import PATIENCE_S, Range, stored
from bad_bots import Good
from processes import calm_s, workers_of

from lath.notation.rules.validation import check
from lath.notation.text.scanner import parse

SPARE_S: Final = 2.0
"""The time that a fault may take beyond its limits, in seconds."""

MAX_GROWTH_KIB: Final = 20 << 10
"""The memory that a fault may cost the runner, and each worker."""

SAMPLE_S: Final = 0.04

RELAXED: Final = {"move": "10s"}
"""A time control with which no answering bot loses, however busy the machine is."""

HASTY: Final = {"move": "400ms"}
HASTY_S: Final = 0.45
"""The time limit per move of a hasty tournament, margin included, in seconds."""

IMPATIENT: Final = {"move": "10s", "startup": "1s"}
IMPATIENT_S: Final = 1.0

COLUMNS: Final = "number, first, second, result, termination, stray_lines, record"


@dataclass(frozen=True, slots=True)
class Stored:
    """A game of the database."""

    number: int
    first: str
    second: str
    result: str
    termination: str
    stray_lines: int
    text: str

    @property
    def names(self) -> set[str]:
        return {self.first, self.second}

    @property
    def moves(self) -> tuple[str, ...]:
        return parse(self.text).moves

    def lost_by(self, name: str) -> bool:
        return self.result == ("0-1" if self.first == name else "1-0")


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a run of the arena."""

    status: int
    said: str
    """The text on standard error."""

    seconds: float
    """The duration on the calm clock."""


@dataclass(frozen=True, slots=True)
class Peaks:
    """The peak memory of two kinds of process, in KiB."""

    runner: int = 0
    worker: int = 0

    def growth(self, since: Peaks) -> int:
        """Return the larger growth of the two."""
        return max(self.runner - since.runner, self.worker - since.worker)


class Events:
    """The events of a run with `--json-events-to PIPE`, and their times on the calm clock."""

    def __init__(self, pipe: Path) -> None:
        self.told: list[tuple[float, dict[str, Any]]] = []
        self._pipe = pipe
        os.mkfifo(pipe)
        self._listener = threading.Thread(target=self._listen, args=(pipe,), daemon=True)
        self._listener.start()

    def join(self) -> None:
        """Read the rest of the pipe after the end of the run."""
        with suppress(OSError):  # if the run never opened the pipe, the listener still waits
            os.close(os.open(self._pipe, os.O_WRONLY | os.O_NONBLOCK))
        self._listener.join()

    def _listen(self, pipe: Path) -> None:
        with pipe.open(encoding="utf-8") as lines:
            self.told.extend((calm_s(), json.loads(line)) for line in lines)


class Stand(Range):
    """A range that measures its runs."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.notes = folder / "notes"
        """The folder in which bots note their actions."""
        self.notes.mkdir()
        self.peaks = Peaks()
        self._samplers: list[threading.Thread] = []

    def __exit__(self, kind: type[BaseException] | None, *more: object) -> None:
        super().__exit__(kind, *more)
        for sampler in self._samplers:
            sampler.join()

    def configure(
        self,
        bots: Mapping[str, Mapping[str, Any]],
        time: Mapping[str, Any] = RELAXED,
        **top: object,
    ) -> Path:
        """Write a tournament of Yavalath of one round on one worker; `top` overrides keys."""
        rows = [{"name": name, **row} for name, row in bots.items()]
        told = {"games": ["yavalath"], "rounds": 1, "seed": 1, "jobs": 1, **top}
        told.setdefault("openings", "random:0")
        path = self.folder / "cup.toml"
        path.write_text(tomlkit.dumps({**told, "time": dict(time), "bot": rows}))
        return path

    def begin(
        self,
        *words: object,
        under: Sequence[str] = (),
        streams: Mapping[str, Any] = MappingProxyType({}),
        **variables: str,
    ) -> subprocess.Popen[str]:
        run = super().begin(*words, under=under, streams=streams, **variables)
        sampler = threading.Thread(target=self._sample, args=(run.pid,), daemon=True)
        self._samplers.append(sampler)
        sampler.start()
        return run

    def finish(self, run: subprocess.Popen[str], within_s: float = PATIENCE_S) -> Ended:
        """Wait for the end of a run, and measure the wait on the calm clock."""
        began_s = calm_s()
        _, said = run.communicate(timeout=within_s)
        return Ended(run.returncode, said or "", calm_s() - began_s)

    def play(
        self,
        *words: object,
        under: Sequence[str] = (),
        streams: Mapping[str, Any] = MappingProxyType({}),
        **variables: str,
    ) -> Ended:
        """Run the arena to its end."""
        return self.finish(self.begin(*words, under=under, streams=streams, **variables))

    def run_words(self, *more: object, with_report: bool = False) -> list[object]:
        """Return the arguments that play the tournament of `configure`."""
        words = ["run", "cup.toml", "--output", "out", "-q", *more]
        return words if with_report else [*words, "--no-report"]

    def games(self, out: str = "out") -> list[Stored]:
        """Return the stored games, by number."""
        return [Stored(*row) for row in stored(self.folder / out, COLUMNS)]  # type: ignore[arg-type]

    def _sample(self, runner: int) -> None:
        """Sample the memory of a runner and its workers until it ends."""
        while peak := _peak_kib(runner):
            workers = [_peak_kib(pid) for pid in workers_of(runner)]
            was = self.peaks
            self.peaks = Peaks(max(was.runner, peak), max(was.worker, *workers, 0))
            time.sleep(SAMPLE_S)


def good(kind: type[Good] = Good, **more: object) -> dict[str, object]:
    """Return the table of a bot of this kind."""
    return {"command": list(bad_bots.command(kind)), **more}


def shell(script: str) -> Sequence[str]:
    """Return a command that starts another one, which the script calls as "$@"."""
    return ("sh", "-c", script, "sh")


def assert_sound(games: Iterable[Stored]) -> None:
    """Assert that records are valid and that no time is negative."""
    for game in games:
        record = parse(game.text)
        assert check(record) == []
        assert all((ply.used_s or 0.0) >= 0 for ply in record.plies)


def _peak_kib(pid: int) -> int:
    """Return the peak memory of a process in KiB; 0 after its end."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(found[0].split()[1]) if found else 0
