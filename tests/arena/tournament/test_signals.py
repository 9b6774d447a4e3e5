"""A signal that asks a run to stop is heeded whenever it comes, and costs no game."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
import termios
import time
from array import array
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import tomlkit
from arena_runs import PATIENCE_S, Range, stored
from bad_bots import PlaysBySeed, command
from places import SUPPORT
from processes import gone
from quick_runs import play_nothing
from results import a_config

from lath.arena import signals
from lath.arena.tournament import folder as directory
from lath.arena.tournament.exports import write_whole
from lath.arena.tournament.progress import Progress, Summary
from lath.arena.tournament.store import Store
from lath.notation.scanner import parse

KINDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

GO_ON = "go on with: arena run --out"
NOTHING_BEGAN = "arena: interrupted; what was being written is as it was before\n"

STALE = "warning: games may be missing in standings.json"

MOMENTS = 6

ROUNDS = 1

HALF = 2048
"""Of a pipe, in bytes."""

LONGER = 0.8
"""In whole runs: until when signals are sent, some when all is over: later runs are shorter."""


class Signals:
    """Sends a signal when it is forgotten: Python drops what is raised then."""

    def __init__(self) -> None:
        self.cycle = self

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def send(*_: object, **__: object) -> Any:
    """Send a signal from where an exception is dropped."""
    Signals()
    gc.collect()


def run_in(folder: Path) -> Summary:
    """Play a tournament of six games in this process, all won at once."""
    config = a_config(rounds=1)
    return directory.run(config, folder, Progress(config))


@pytest.mark.parametrize(
    ("name", "done"), [("_greet_bots", 0), ("Runner", 0), ("published", 6)], ids=str
)
def test_a_signal_is_heeded_where_an_exception_would_be_dropped(
    name: str, done: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    monkeypatch.setattr(sys, "unraisablehook", signals._raise_again)
    plain = getattr(directory, name)

    def interrupted(*given: Any, **more: Any) -> Any:
        send()
        return plain(*given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(directory, name, interrupted)
        if name == "Runner":  # before anything is written that could be told of
            with pytest.raises(KeyboardInterrupt):
                run_in(tmp_path)
        else:
            summary = run_in(tmp_path)
            assert (summary.interrupted, summary.done) == (True, done)
    assert run_in(tmp_path).is_complete


def test_what_was_dropped_of_another_command_comes_again(tmp_path: Path) -> None:
    program = (
        "import time; from test_signals import send; from lath.arena import signals\n"
        "signals.begin(*signals.STOPPING)\n"
        "with signals.raising(1):\n"
        "    send()\n"
        "    while True: time.sleep(1)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(SUPPORT), str(Path(__file__).parent)]),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == -signal.SIGINT
    assert "ignored" not in ended.stderr
    assert ended.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_a_signal_while_logs_are_written_leaves_them_to_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_nothing(monkeypatch)
    logs = [(number, "it said this\n") for number in range(1, 7)]
    plain = write_whole

    def write(path: Path, pieces: Any) -> None:
        if path.suffix == ".log":
            signal.raise_signal(signal.SIGTERM)
        plain(path, pieces)

    monkeypatch.setattr(Store, "logs", lambda _: iter(logs))
    monkeypatch.setattr(directory, "write_whole", write)
    assert run_in(tmp_path).interrupted
    assert len(list((tmp_path / "logs").iterdir())) == 1
    monkeypatch.setattr(directory, "write_whole", plain)
    assert run_in(tmp_path).is_complete
    assert len(list((tmp_path / "logs").iterdir())) == 6


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    with Range(tmp_path) as place:
        yield place


def words(place: Range, rounds: int = ROUNDS) -> list[object]:
    """Return the words of a run whose games are the same each time."""
    rows = [{"name": name, "command": list(command(PlaysBySeed))} for name in ("ann", "bob")]
    told = {"games": ["yavalath"], "rounds": rounds, "seed": 7, "jobs": 1, "time": {"nodes": 1}}
    config = place.folder / "cup.toml"
    config.write_text(tomlkit.dumps({**told, "bot": rows}))
    return ["run", config, "--out", place.out, "-q"]


def heeds(pid: int) -> bool:
    """Return whether a process has said what SIGTERM does: Python itself does not."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = int(status.partition("SigCgt:")[2].split()[0], 16)
    return bool(caught >> (signal.SIGTERM - 1) & 1)


def games_in(folder: Path) -> list[tuple[object, ...]]:
    rows = stored(folder, "number, first, second, result, record")
    return [(*row, parse(str(text)).moves) for *row, text in rows]


def begin(place: Range, *under: str) -> subprocess.Popen[str]:
    """Start the run; return when it heeds signals."""
    run = place.begin(*words(place), under=under)
    assert gone(lambda: not heeds(run.pid), PATIENCE_S)
    return run


def campaign(place: Range, moments: int, *under: str) -> None:
    """Send a signal at each of many moments of a run, the earlier as often as the later ones.

    Each run goes on with what the one before has left, until one is over; the next begins anew.
    """
    began_s = time.monotonic()
    run = begin(place, *under)
    _, said = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, said) == (0, "")
    longest_s = LONGER * (time.monotonic() - began_s)
    whole = games_in(place.out)
    shutil.rmtree(place.out)
    statuses = []
    for number in range(moments):
        run = begin(place, *under)
        with suppress(subprocess.TimeoutExpired):
            run.wait(longest_s * number / moments)
        run.send_signal(KINDS[number % len(KINDS)])
        _, said = run.communicate(timeout=PATIENCE_S)
        statuses.append(run.returncode)
        assert gone(place.alive)
        if run.returncode:
            assert run.returncode == 3, said
            assert said.endswith((f"{GO_ON} {place.out}\n", NOTHING_BEGAN)), said
            assert all(line.startswith(STALE) for line in said.splitlines()[:-1]), said
        else:  # it came when all was written
            assert (said, games_in(place.out)) == ("", whole)
            assert (place.out / "report.html").exists()
            shutil.rmtree(place.out)
    print(f"{statuses.count(3)} of {moments} runs stopped, {statuses.count(0)} were over")
    ended = place.arena(*words(place))
    assert ended.returncode == 0, ended.stderr
    assert games_in(place.out) == whole


def test_a_signal_at_any_moment_stops_a_run_and_the_next_one_goes_on(place: Range) -> None:
    campaign(place, MOMENTS)


def test_a_signal_at_the_first_moment_of_the_program_is_heeded(place: Range) -> None:
    run = begin(place, "env")
    run.terminate()
    _, said = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, said) == (3, NOTHING_BEGAN)
    assert not place.out.exists()


def test_further_signals_end_the_wait_for_who_reads_no_more(place: Range) -> None:
    events = place.folder / "events"
    os.mkfifo(events)
    reading = os.open(events, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, 2 * HALF)
    run = place.begin(*words(place, rounds=20), "--json-events-to", events)
    assert gone(lambda: held_by(reading) < HALF, PATIENCE_S)
    for kind in KINDS * 10:  # one may come before it waits, and it may wait more than once
        run.send_signal(kind)
        with suppress(subprocess.TimeoutExpired):
            run.wait(0.1)
    _, said = run.communicate(timeout=PATIENCE_S)
    os.close(reading)
    assert run.returncode == 3
    assert said.endswith(f"{GO_ON} {place.out}\n")


def held_by(pipe: int) -> int:
    """Return how many bytes nobody has read."""
    held = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, held)
    return held[0]


def test_a_signal_ends_the_wait_for_who_reads_the_events(place: Range) -> None:
    os.mkfifo(place.folder / "events")
    run = place.begin(*words(place), "--json-events-to", place.folder / "events")
    assert gone(lambda: not heeds(run.pid), PATIENCE_S)
    run.terminate()
    _, said = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, said) == (3, NOTHING_BEGAN)
