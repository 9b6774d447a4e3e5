"""A tournament on a cluster with repeated failures, and the conditions that must hold.

All processes that it starts, on any machine, have the test's own mark.
"""

from __future__ import annotations

import random
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import tomlkit
from arena_runs import PATIENCE_S, Range, exported, numbers, sequence
from clusters import HOST, Machines, games_of
from processes import gone

from lath.arena.cluster.link import INSIST

MARK: Final = "LATH_BOT_RANGE"
"""The variable by which a `Range` recognises its processes."""

WALKER: Final = """
import time
from pathlib import Path

from lath.bots.sdk import run

PACE_S = float((Path(__file__).parent / "pace.txt").read_text())


def choose(position, turn):
    time.sleep(PACE_S)
    return turn.chance.choice(position.legal_moves())


run(choose, name="Walker")
"""
"""A bot that plays random moves by the seed of its game, slowly."""

PACE_S: Final = 0.01

AGAIN: Final = re.compile(r"(\d+) pairs? (?:is|are) played again|(pair \d+) is played again")
"""The message of a run that pairs were lost."""


@dataclass
class Campaign:
    """A tournament of two bots in a directory, played by one run after another."""

    place: Range
    rounds: int
    said: str = ""
    """The output of finished runs."""

    done: dict[str, int] = field(default_factory=dict)
    """The number of failures of each kind so far."""

    @property
    def games(self) -> int:
        """Return the number of games."""
        return 2 * self.rounds

    @property
    def env(self) -> dict[str, str]:
        """Return the variables of the machines: their mark and their scratch folders."""
        own = {"DASK_TEMPORARY_DIRECTORY": str(self.place.folder)}  # for Dask alone
        return self.place.variables | own

    def words(self, out: Path, pace_s: float = PACE_S) -> list[object]:
        """Return the arguments of a run, with bots of this pace."""
        config = self.place.folder / f"cup-{pace_s}.toml"
        if not config.exists():
            mark = {MARK: self.place.variables[MARK]}
            rows = []
            for name in ("ann", "bob"):
                home = self.place.folder / f"{name}-{pace_s}"
                home.mkdir()
                (home / "walker.py").write_text(WALKER)
                (home / "pace.txt").write_text(f"{pace_s}\n")
                (home / "name.txt").write_text(f"{name}\n")  # so that all differ
                command = ["python", str(home / "walker.py")]
                rows.append({"name": name, "command": command, "env": mark})
            table: dict[str, Any] = {"games": ["yavalath"], "seed": 7, "rounds": self.rounds}
            table |= {"time": {"nodes": 1}, "openings": "random:2", "bot": rows}
            config.write_text(tomlkit.dumps(table))
        return ["run", config, "--output", out, "-q", "--no-report"]

    def begin(self, address: str = "", under: Sequence[str] = ("env",)) -> subprocess.Popen[str]:
        """Start or resume a run on a cluster, or on this machine without an address."""
        where = ["--cluster", address] if address else ["--jobs", "2"]
        name, value = INSIST.split("=")
        variables: dict[str, Any] = {name: value} if address.startswith("tcp:") else {}
        return self.place.begin(*self.words(self.place.out), *where, under=under, **variables)

    def stored(self) -> int:
        """Return how many games are stored."""
        return len(numbers(self.place.out))

    def until_stored(self, run: subprocess.Popen[str], games: int) -> None:
        """Wait until `games` games are stored; the run must not end before."""
        gone(lambda: self.stored() < games and run.poll() is None, PATIENCE_S)
        assert run.poll() is None, self.heard(run)
        assert self.stored() >= games, "nothing is stored any more"

    def heard(self, run: subprocess.Popen[str], within_s: float = 5 * PATIENCE_S) -> str:
        """Return the output of a run after its end."""
        _, said = run.communicate(timeout=within_s)
        self.said += said
        return said

    def note(self, what: str) -> None:
        """Count a failure."""
        self.done[what] = self.done.get(what, 0) + 1

    def wait(
        self, run: subprocess.Popen[str], seconds: float, tend: Callable[[], None] = lambda: None
    ) -> None:
        """Let a run play for some time, in which it must not end."""
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            tend()
            assert run.poll() is None, f"over too soon, at {self.stored()}: {self.heard(run)}"
            time.sleep(0.02)

    def finish(self, run: subprocess.Popen[str], tend: Callable[[], None] = lambda: None) -> None:
        """Wait for the end of a run, as long as games are stored."""

        def stands(at: int) -> bool:
            tend()
            return run.poll() is None and self.stored() == at

        while run.poll() is None:
            before = self.stored()
            assert gone(partial(stands, before), PATIENCE_S), "nothing is stored any more"
        said = self.heard(run)
        assert run.returncode == 0, said

    def assert_whole(self) -> str:
        """Assert that every game is stored once, as a run here plays it; return figures."""
        out = self.place.out
        assert numbers(out) == exported(out) == sequence(self.games)
        checked = self.place.arena("check", out / "games.lath")
        assert checked.returncode == 0, checked.stdout
        assert checked.stdout.startswith(f"{self.games} records: {self.games} valid, 0 invalid")
        there = games_of(out)
        # The bots need no pause there, which does not change their games.
        plain = self.place.begin(*self.words(self.place.folder / "here", 0.0), "--jobs", "2")
        _, said = plain.communicate(timeout=5 * PATIENCE_S)
        assert plain.returncode == 0, said
        assert there == games_of(self.place.folder / "here")
        assert "Traceback" not in self.said, self.said
        again = sum(int(found[1] or 1) for found in AGAIN.finditer(self.said))
        did = ", ".join(f"{what} {count}" for what, count in self.done.items())
        return f"{did}: {self.games} games, 0 lost, 0 doubled, pairs played again {again}"

    def assert_nothing_left(self, *machines: Machines) -> None:
        """Assert that no foreign process and no scratch file remains."""

        def others() -> set[int]:
            own = {process.pid for one in machines for process in one.processes}
            return self.place.alive() - own

        assert gone(others), f"left: {[_command(pid) for pid in others()]}"
        left = list(self.place.scratch.iterdir())
        assert not left, f"left: {left}"


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def tended(machines: Machines, hosts: Sequence[str] = (HOST,)) -> Callable[[], None]:
    """Return a function that restarts workers that have ended, like a service manager."""
    owned = list(zip(machines.workers, hosts, strict=True))

    def tend() -> None:
        for at, (worker, host) in enumerate(owned):
            if worker.poll() is not None:
                if worker in machines.workers:
                    machines.workers.remove(worker)
                owned[at] = machines.add(host), host

    return tend


def kill(process: subprocess.Popen[Any]) -> None:
    """Kill a process of this test and wait for its end."""
    process.kill()
    process.wait(PATIENCE_S)


def some_time_s(chance: random.Random, longest_s: float) -> float:
    """Return a random time, short ones as likely as long ones."""
    return longest_s * chance.random() ** 2
