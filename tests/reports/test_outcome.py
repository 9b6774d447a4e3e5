"""What is said when a run ends: each bot's mishaps and time, what was noticed, how to go on."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path

import bad_bots
import pytest
from arena_runs import arena, flags
from bad_bots import Good
from runs import Told

from lath.arena.cli.ending import print_end
from lath.arena.errors import Cause
from lath.arena.terminal.layout import Output
from lath.arena.terminal.tables import print_bots
from lath.arena.tournament.run.progress import RunSummary
from lath.arena.tournament.store.totals import BotTotals

ANN = BotTotals(
    name="ann\x1b[31m[bold]",
    games=12,
    lost_by={"crash": 1, "time": 2, "illegal move": 3, "flood": 4},
    moves=40,
    average_s=0.05,
    worst_s=1.25,
)

BROKEN_OFF = RunSummary(done=2, total=60, stopped={}, interrupted=True, bots=(ANN,))

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """Have signals heeded again: an interrupted run, which is about to end, ignores them."""
    kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {kind: signal.getsignal(kind) for kind in kinds}
    yield
    for kind, handler in before.items():
        signal.signal(kind, handler)


def test_each_bots_mishaps_and_times_are_named(capsys: Captured) -> None:
    print_bots([ANN], {"ann exits with status 1 on quit": 3, "bob\x1b thinks": 1}, Output())
    blank, *told = capsys.readouterr().err.splitlines()
    assert (blank, told[0]) == ("", "Forfeits and time per move")
    assert [re.split(r"  +", line.strip()) for line in told[1:3]] == [
        ["bot", "games", "crash", "time", "illegal", "flood", "moves", "average", "worst"],
        ["ann·[31m[bold]", "12", "1", "2", "3", "4", "40", "50 ms", "1.25 s"],
    ]
    assert told[-2:] == ["note: ann exits with status 1 on quit (3 times)", "note: bob· thinks"]


def test_an_interrupted_run_says_what_was_done_and_how_to_go_on(capsys: Captured) -> None:
    told = Told(total=60)
    told.start()
    told.play("1-0", "0-1")
    resume = (
        "note: interrupted after 2 of 60 games, which are kept; "
        "a finished game whose return game was missing will be played again\n"
        "hint: resume with: arena run --output 'my cup'\n"
    )
    for quiet in (False, True):
        assert print_end(BROKEN_OFF, told.progress, Path("my cup"), quiet=quiet) == 3
        shown = capsys.readouterr()
        assert shown.err == resume
        for words in ("1  ann       2      2  100.0%", "Forfeits and time per move"):
            assert (words in shown.out) is not quiet
    if Path("/dev/full").exists():  # tables that cannot be written cost nothing
        whole = RunSummary(done=2, total=2, stopped={}, interrupted=False, bots=(ANN,))
        with Path("/dev/full").open("w") as full, redirect_stdout(full):
            assert print_end(whole, Told().progress, Path("out"), quiet=False) == 0
        warning = "warning: tables could not be written: No space left on device\n"
        assert capsys.readouterr().err == warning


def test_a_cause_that_nobody_was_told_is_told_in_the_end(capsys: Captured) -> None:
    stopped = {
        frozenset({"ann", "bob"}): Cause("exited with status 2 before ok", "bob"),
        frozenset({"cat", "bob"}): Cause("exited with status 2 before ok", "bob", "oh"),
        frozenset({"ann", "cat"}): Cause("pair 3 killed its worker 3 times"),
    }
    summary = RunSummary(done=0, total=6, stopped=stopped, interrupted=False)
    assert print_end(summary, Told().progress, Path("out"), quiet=True) == 1
    assert capsys.readouterr().err.splitlines() == [
        "warning: ann - bob, bob - cat were stopped: bob: exited with status 2 before ok",
        "warning: ann - cat was stopped: pair 3 killed its worker 3 times",
        "warning: only 0 of 6 games were played",
    ]


def test_a_finished_run_counts_what_its_bots_did(tmp_path: Path) -> None:
    bots = {"ann": Good, "bad": bad_bots.DiesInItsMove, "cat": bad_bots.PlaysAnIllegalMove}
    words = [word for word in flags(bots, rounds=1, jobs=1, out=tmp_path / "out") if word != "-q"]
    ended = arena(*words, cwd=tmp_path)
    assert ended.returncode == 0
    table = ended.stdout.split("Forfeits and time per move")[1].partition("\n\n")[0]
    rows = {cells[0]: cells[1:6] for cells in map(str.split, table.splitlines()) if cells}
    assert rows["ann"] == ["4", "0", "0", "0", "0"]
    assert int(rows["bad"][1]) + int(rows["cat"][3]) == 6
    assert "6 of 6 games" in ended.stderr
