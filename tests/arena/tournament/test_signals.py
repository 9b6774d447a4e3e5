"""A run that is asked to stop heeds it at any moment, and tells how it stands then."""

from __future__ import annotations

import fcntl
import gc
import inspect
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import termios
import time
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import commands
import pytest
import tomlkit
from arena_runs import PATIENCE_S, Range, numbers, stored
from bad_bots import HangsInHandshake, PlaysBySeed, command
from processes import gone
from quick_runs import AtOnce, play_nothing
from results import finished

from lath.arena.errors import ConfigError, DiskError, StoreError
from lath.arena.machine import signals, system
from lath.arena.tournament.outcome.directories import is_over
from lath.arena.tournament.outcome.notes import outcome_in
from lath.arena.tournament.outcome.page_files import mark_stale
from lath.arena.tournament.run import folder as directory
from lath.arena.tournament.run import results
from lath.arena.tournament.run.events import PairBegan
from lath.arena.tournament.run.open_games import OpenGames
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.run.runner import Runner
from lath.arena.tournament.store.exports import write_whole
from lath.arena.tournament.store.store import Store
from lath.notation.text.scanner import parse

if TYPE_CHECKING:
    from golden import Golden

KINDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
RESUME = "hint: resume with: arena run --output"
NOTHING_BEGAN = "note: interrupted; files that were being written are unchanged\n"
STALE: Final = "warning: standings.json"

MOMENTS = 4
LONGER = 0.8
"""In whole runs: until when signals are sent, some when all is over: later runs are shorter."""

HALF = 2048
"""Of a pipe, in bytes."""

# In this process: every game is won at once

BOTS: Final = ("--bot", "ann=/nowhere", "--bot", "bob=/nowhere")
WORDS: Final = ("run", "--game", "yavalath", "--tc", "move 5", *BOTS, "--output", "out", "-q")
OUT: Final = Path("out")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """Play nothing, in this folder; return what else is to be changed with."""
    monkeypatch.chdir(tmp_path)
    play_nothing(monkeypatch)
    return monkeypatch


def played(*words: str, status: int = 0) -> str:
    ran = commands.arena(*WORDS, *words)
    assert ran.status == status, ran.err
    return ran.err


class Stopped(AtOnce):
    """Somebody presses Ctrl-C after some pairs, perhaps twice."""

    def __init__(self, after: int, times: int) -> None:
        super().__init__([])
        self._left = after
        self._times = times

    def submit(self, _play: Callable[..., Any], /, *jobs: Any, **more: Any) -> Future[Any]:
        self._left -= 1
        for _ in range(0 if self._left else self._times):
            signal.raise_signal(signal.SIGINT)
        return super().submit(_play, *jobs, **more)


def interrupted(*words: str, times: int = 1, is_quiet: bool = True) -> str:
    """Go on for many rounds until Ctrl-C; return what is said, of a loud run what is shown."""
    with pytest.MonkeyPatch.context() as patch:
        runner = partial(Runner, executors=lambda *_: Stopped(5, times))
        patch.setattr(directory, "Runner", runner)
        ran = commands.arena(*(WORDS if is_quiet else WORDS[:-1]), "--rounds", "40", *words)
    assert ran.status == 3, ran.err
    assert ran.err.splitlines()[-1] == f"{RESUME} out"
    assert is_quiet or "stopping: writing standings and report of the games so far" in ran.err
    return ran.err if is_quiet else ran.out


def games() -> list[int]:
    """Return how many games there are, by what is stored, by the standings and by the page."""
    found = [Path("out/games.lath").read_text().count("[Number ")]
    found.append(json.loads(Path("out/standings.json").read_text())["overall"]["games"])
    if Path("out/report.html").exists():
        page = Path("out/report.html").read_text()
        found += map(int, re.findall(r"<dt>Games</dt><dd>([0-9]+)</dd>", page))
    return found


def is_marked() -> bool:
    return "This tournament was resumed after" in Path("out/report.html").read_text()


def test_standings_and_report_are_of_all_games_after_one_signal(quick: object) -> None:
    shown = interrupted(is_quiet=False)
    stored, *others = games()
    assert (stored > 2, others, is_marked()) == (True, [stored, stored], False)
    assert f"{stored} games, first player's score" in shown
    assert "warning" not in interrupted()
    more, *others = games()
    assert (more > stored, others, is_marked()) == (True, [more, more], False)
    interrupted("--no-report")
    assert is_marked(), "it was not asked for"


def test_what_takes_too_long_keeps_no_service_from_ending(
    quick: pytest.MonkeyPatch, golden: Golden
) -> None:
    def for_ever(*_: object, **__: object) -> None:
        while True:
            time.sleep(1)

    quick.setattr(directory, "STOP_S", 0.05)
    with quick.context() as patch:
        patch.setattr(results, "background_of", for_ever)
        golden(interrupted())
    assert commands.arena("report", "out", "-o", "out/report.html").status == 0


@pytest.mark.parametrize("times", [1, 2])
def test_a_second_signal_skips_them_and_the_page_says_so(
    times: int, quick: pytest.MonkeyPatch
) -> None:
    played("--rounds", "1")
    with quick.context() as patch:
        if times == 1:
            again = lambda *_, **__: signal.raise_signal(signal.SIGINT)  # noqa: E731
            patch.setattr(directory, "published", again)
        said = interrupted(times=times)
    assert said.startswith(
        f"{STALE}, standings.csv, report.html may lack games: they were not written anew\n"
    )
    stored, *others = games()
    assert (stored > 2, others, is_marked()) == (True, [2, 2], True)
    assert commands.arena("report", "out", "-o", "out/report.html").status == 0
    assert not is_marked()


@pytest.mark.parametrize("fault", [StoreError("no room"), RuntimeError("a bug")])
def test_what_goes_wrong_then_is_told_and_no_other_status(
    fault: Exception, quick: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise fault

    played("--rounds", "1")
    quick.setattr(results, "write_page", fail)
    assert interrupted().startswith(
        f"{STALE}, standings.csv, report.html may lack games: {fault}\n"
    )
    assert is_marked()


def test_a_page_is_marked_by_each_run_that_plays_and_writes_none(
    quick: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise ConfigError("bot 'ann' does not play yavalath")

    played("--rounds", "1")
    before = outcome_in([OUT])
    with quick.context() as patch:
        patch.setattr(directory, "greet_bots", refuse)
        played("--rounds", "1", status=2)
    assert not is_marked()
    played("--rounds", "1", "--no-report")
    assert (is_marked(), outcome_in([OUT])) == (False, before), "it played nothing"
    for rounds in ("2", "3"):
        played("--rounds", rounds, "--no-report")
        assert Path("out/report.html").read_text().count('id="stale"') == 1
    played("--rounds", "4")
    assert not is_marked()
    made_ns = Path("out/report.html").stat().st_mtime_ns
    mark_stale(OUT)
    assert is_marked()
    assert Path("out/report.html").stat().st_mtime_ns == made_ns, "else it passes for new"
    assert games() == [8, 8, 8]


def test_a_run_begins_with_the_outcome_of_what_is_stored(quick: pytest.MonkeyPatch) -> None:
    seen = []

    class Looks(Progress):
        def __call__(self, event: Any) -> None:
            super().__call__(event)
            if isinstance(event, PairBegan):
                seen.append((outcome_in([OUT]), is_over(OUT)))

    words = ("--format", "swiss", "--bot", "cid=/nowhere", "--no-report", "--rounds")
    played(*words, "1")
    assert is_over(OUT)
    quick.setattr("lath.arena.cli.run.Progress", Looks)
    played(*words, "2")
    (outcome, over), *_ = seen
    assert outcome
    assert (outcome.heading, over) == ("Result so far: swiss, 2 of 4 games", False)
    assert any(float(row[2]) for row in outcome.sheets[0].rows), "what was played counts"
    assert "Result: swiss" in commands.arena("rate", OUT).out
    (OUT / "tournament.db").unlink()
    told = outcome_in([OUT])
    assert told, "without its database it has the outcome that is there"
    assert told.done == 4


def test_a_run_that_an_error_ends_still_tells_how_it_stands(quick: pytest.MonkeyPatch) -> None:
    add = Store.add

    def add_once(store: Store, results: Any, *more: Any) -> None:
        if finished(store):
            raise DiskError("the disk is broken", is_full=False)
        add(store, results, *more)

    quick.setattr(Store, "add", add_once)
    quick.setattr(system, "RETRIES", 0)
    assert "the disk is broken" in played("--rounds", "9", "--jobs", "1", status=5)
    outcome = outcome_in([OUT])
    assert outcome
    assert 0 < outcome.done == len(numbers(OUT)) < outcome.total == 18


def test_an_order_to_stop_tells_the_outcome_of_all_that_is_stored(
    quick: pytest.MonkeyPatch,
) -> None:
    def interrupt(*_told: object) -> None:  # what is stored by then is not counted yet
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    quick.setattr(OpenGames, "report", interrupt)
    played("--rounds", "3", status=3)
    outcome = outcome_in([OUT])
    assert outcome
    assert outcome.done == len(numbers(OUT)) > 0


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


@pytest.mark.parametrize("name", ["greet_bots", "Runner", "published"])
def test_a_signal_is_heeded_where_an_exception_would_be_dropped(
    name: str, quick: pytest.MonkeyPatch
) -> None:
    quick.setattr(sys, "unraisablehook", signals._raise_again)  # as the program does
    plain = getattr(directory, name)

    def interrupted(*given: Any, **more: Any) -> Any:
        send()
        return plain(*given, **more)

    with quick.context() as patch:
        patch.setattr(directory, name, interrupted)
        played("--rounds", "1", status=3)
    assert len(numbers(OUT)) == (2 if name == "published" else 0)
    played("--rounds", "1")
    assert len(numbers(OUT)) == 2


def test_what_was_dropped_of_another_command_comes_again(tmp_path: Path) -> None:
    program = (
        "import gc, signal, time\nfrom lath.arena.machine import signals\n"
        f"{inspect.getsource(Signals)}{inspect.getsource(send)}"
        "signals.begin(*signals.STOPPING)\n"
        "with signals.raising(1):\n"
        "    send()\n"
        "    while True: time.sleep(1)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", f"from __future__ import annotations\n{program}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == -signal.SIGINT
    assert "ignored" not in ended.stderr
    assert ended.stderr.splitlines()[-1] == "KeyboardInterrupt"


def test_a_signal_while_logs_are_written_leaves_them_to_the_next_run(
    quick: pytest.MonkeyPatch,
) -> None:
    def write(path: Path, pieces: Any) -> None:
        if path.suffix == ".log":
            signal.raise_signal(signal.SIGTERM)
        write_whole(path, pieces)

    said = [(number, "it said this\n") for number in range(1, 7)]
    quick.setattr(Store, "logs", lambda _: iter(said))
    with quick.context() as patch:
        patch.setattr(directory, "write_whole", write)
        played("--rounds", "3", "--no-report", status=3)
    assert len(list((OUT / "logs").iterdir())) == 1
    played("--rounds", "3", "--no-report")
    assert len(list((OUT / "logs").iterdir())) == 6


# Programs


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Range]:
    with Range(tmp_path) as place:
        yield place


def words(place: Range, rounds: int = 1, kind: type = PlaysBySeed) -> list[object]:
    """Return the words of a run whose games are the same each time."""
    rows = [{"name": name, "command": list(command(kind))} for name in ("ann", "bob")]
    told = {"games": ["yavalath"], "rounds": rounds, "seed": 7, "jobs": 1, "time": {"nodes": 1}}
    config = place.folder / "cup.toml"
    config.write_text(tomlkit.dumps({**told, "bot": rows}))
    return ["run", config, "--output", place.out, "-q"]


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


def ended_by(run: subprocess.Popen[str], kind: signal.Signals) -> tuple[int, str]:
    run.send_signal(kind)
    _, said = run.communicate(timeout=PATIENCE_S)
    return run.returncode, said


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
        status, said = ended_by(run, KINDS[number % len(KINDS)])
        statuses.append(status)
        assert gone(place.alive)
        if status:
            assert status == 3, said
            assert said.endswith((f"{RESUME} {place.out}\n", NOTHING_BEGAN)), said
            assert all(line.startswith(STALE) for line in said.splitlines()[:-2]), said
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
    assert ended_by(begin(place, "env"), signal.SIGTERM) == (3, NOTHING_BEGAN)
    assert not place.out.exists()


def test_a_signal_while_the_bots_are_greeted_stops_the_run_too(place: Range) -> None:
    run = place.begin(*words(place, kind=HangsInHandshake))
    assert gone(lambda: len(place.alive()) < 2, PATIENCE_S)
    status, said = ended_by(run, signal.SIGTERM)
    assert (status, said.endswith(f"{RESUME} {place.out}\n")) == (3, True), said


def test_a_signal_ends_the_wait_for_who_reads_the_events(place: Range) -> None:
    events = place.folder / "events"
    os.mkfifo(events)
    run = place.begin(*words(place), "--json-events-to", events)
    assert gone(lambda: not heeds(run.pid), PATIENCE_S)
    assert ended_by(run, signal.SIGTERM) == (3, NOTHING_BEGAN), "nobody reads"
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
    assert (run.returncode, said.endswith(f"{RESUME} {place.out}\n")) == (3, True), said


def held_by(pipe: int) -> int:
    """Return how many bytes nobody has read."""
    held = array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, held)
    return held[0]
