"""What goes wrong round the commands: full disks, closed streams, Ctrl-C, files in the way."""

from __future__ import annotations

import fcntl
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import termios
from array import array
from concurrent.futures import ThreadPoolExecutor, process
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from functools import partial
from multiprocessing import active_children
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from arena_runs import PATIENCE_S, environment
from commands import arena
from loaded import Run
from processes import gone, still_running
from reference import commands_page

from lath import games
from lath.arena import errors
from lath.arena.machine import signals

if TYPE_CHECKING:
    from golden import Golden

SOUND = '[Game "yavalath"]\n[Event "x"]\n\n1. e5 *\n'
BAD = f"{SOUND}\n[Game oops]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a sound file and one with a bad record, and be there."""
    (tmp_path / "sound.lath").write_text(SOUND)
    (tmp_path / "bad.lath").write_text(BAD)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_not_replaced_by_what_could_be_read_of_it(folder: Path) -> None:
    for command in (
        "convert bad.lath bad.lath",
        "select bad.lath --sort round -o bad.lath",
        "select sound.lath bad.lath -o bad.lath",
        "select bad.lath -o bad.lath",
    ):
        ran = arena(*command.split())
        assert ran.status == 1
        assert "bad.lath: unchanged, because 1 invalid record would be lost" in ran.err
        assert (folder / "bad.lath").read_text() == BAD


WRONG_USAGE = (
    "select bad.lath --split event -o . --force",
    "select sound.lath --split event -o sound.lath",
    "select sound.lath --split event",
    "select sound.lath --split event,date -o parts",
    "select sound.lath --sort rond -o out.lath",
    "select sound.lath --sort round -o out.csv",
    "select sound.lath -o out.jsonl.gz",
    "check sound.json",
    "edit sound.jsonl",
    "stats sound.sgf",
    "rate none.lath",
    "select sound.lath --limit 1_0",
    "select sound.lath --sample \u0661",
    f"select sound.lath --limit {2**63}",
    "stats sound.lath --opening-plies 41",
    "report sound.lath --watch 1_0",
)


def test_wrong_usage_is_told_and_nothing_is_written(folder: Path, golden: Golden) -> None:
    before = {path.name: path.read_text() for path in folder.iterdir()}
    ran = {command: arena(*command.split()) for command in WRONG_USAGE}
    assert {command for command, one in ran.items() if (one.status, one.out) != (2, "")} == set()
    assert {path.name: path.read_text() for path in folder.iterdir()} == before
    golden({command: one.err for command, one in ran.items()})


def test_of_a_tournament_that_cannot_be_changed_its_file_of_games_is_named(folder: Path) -> None:
    (folder / "cup").mkdir()
    assert "cup: this is a folder, not a record file" in arena("edit", "cup").err
    (folder / "cup" / "games.lath").touch()
    assert "cup: this is a tournament, whose games" in arena("edit", "cup").err


def test_a_name_with_a_line_break_breaks_no_message(folder: Path) -> None:
    (folder / "a\nb.lath").write_text(SOUND)
    for command in (
        ["edit", "a\nb.lath", "--set", "Site=x"],
        ["edit", "a\nb.lath", "--set", "Site=y"],  # its copy is there already
        ["select", "no\nsuch.lath"],
        ["select", "sound.lath", "-o", "no\nsuch/out.lath", "-q"],
    ):
        said = arena(*command).err.splitlines()
        assert [line for line in said if not line.startswith("hint: ")] == said[:1]


def test_only_who_reads_a_file_says_that_it_cannot_be_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_, **__: False)  # as of one that can be written only
    assert arena("select", "sound.lath", "-o", "sound.lath").status == 0
    ran = arena("check", "none.lath", "bad.lath")  # one that cannot be read keeps no other back
    assert (ran.status, "bad.lath:6:" in ran.out) == (2, True)


def test_a_file_that_is_rewritten_keeps_its_permissions(folder: Path) -> None:
    for command in (
        "select sound.lath --sort round -o sound.lath",
        "convert sound.lath sound.lath",
    ):
        (folder / "sound.lath").chmod(0o600)
        assert arena(*command.split()).status == 0
        assert (folder / "sound.lath").stat().st_mode & 0o777 == 0o600


def test_words_of_a_record_are_no_markup(folder: Path) -> None:
    tags = '[Game "yavalath"]\n[First "[b]"]\n[Second "[/x]"]\n[Termination "[/x]"]\n[Event "[/]"]'
    (folder / "markup.lath").write_text(f"{tags}\n\n1. e5 1-0\n")
    ran = arena("rate", "markup.lath", "--unchecked")
    assert ran.status == 0
    assert "[/x] 1" in ran.out


def test_a_format_that_cannot_hold_a_game_names_it_without_steering_the_terminal(
    folder: Path,
) -> None:
    (folder / "odd.lath").write_text('[Game "x\x1b[31mRED"]\n\n*\n')
    ran = arena("convert", "odd.lath", "odd.ygn", "--unchecked")
    assert "cannot hold game x·[31mRED" in ran.err
    assert "\x1b" not in ran.err


def test_a_file_of_odd_tags_is_told_of_in_few_words(folder: Path) -> None:
    tags = "\n".join(f'[Odd{number} ""]' for number in range(3000))
    (folder / "odd.lath").write_text(f'[Game "yavalath"]\n{tags}\n\n1. e5 *\n')
    ran = arena("convert", "odd.lath", "odd.ygn")
    assert "cannot hold further fields (record 1)" in ran.err
    assert len(ran.err.splitlines()) == 1002


FULL = "error: standard output: No space left on device\n"


TAKEN = (
    "bad.lath: the command reads this file, and standard output goes to it\n"
    "hint: redirect standard output to another file\n"
)


def to_nobody() -> int:
    reading, writing = os.pipe()
    os.close(reading)
    return writing


OUTPUTS = {
    "a full disk": lambda: os.open("/dev/full", os.O_WRONLY),
    "what is read": lambda: os.open("bad.lath", os.O_WRONLY | os.O_APPEND),
    "nobody": to_nobody,
}
TO_NOBODY = (
    *("check many.lath", "diff many.lath sound.lath", "select many.lath -q"),
    *("edit many.lath --set Site=x --dry-run -q", "stats many.lath", "rate many.lath"),
)


@pytest.mark.parametrize(
    ("output", "command", "status", "end"),
    [
        *(("a full disk", f"{word} sound.lath", 2, FULL) for word in ("stats", "show")),
        *(("a full disk", command, 2, FULL) for command in ("games", "check bad.lath")),
        ("what is read", "check bad.lath", 2, TAKEN),
        ("what is read", "diff sound.lath bad.lath", 2, TAKEN),
        ("what is read", "show bad.lath --json", 2, TAKEN),
        *(("nobody", command, 1, "") for command in TO_NOBODY),  # what was found until then counts
    ],
)
def test_an_output_that_cannot_be_written_is_told(
    folder: Path, output: str, command: str, status: int, end: str
) -> None:
    (folder / "many.lath").write_text(f"{BAD}\n" + "\n".join([SOUND] * 2))
    run = Run(command.split(), cwd=folder, env=environment(), output=OUTPUTS[output]())
    _, told = run.communicate(timeout=PATIENCE_S)
    assert (run.returncode, told.endswith(end), "Traceback" in told) == (status, True, False), told
    assert (folder / "bad.lath").read_text() == BAD


STREAMS = {
    "PYTHONUNBUFFERED=1 ARENA stats sound.lath >/dev/full; echo $?": ("2\n", FULL),
    "ARENA show sound.lath >&-; echo $?": ("2\n", "error: standard output: it is closed\n"),
    "ARENA select many.lath -q | head -1; echo ${PIPESTATUS[0]}": ('[Game "yavalath"]\n0\n', ""),
    "ARENA check - <&-; echo $?": (
        "2\n",
        "error: -: cannot be read: it is closed\n",
    ),
}


@pytest.mark.parametrize("command", STREAMS)
def test_a_broken_stream_is_told_and_who_stops_reading_is_no_fault(
    folder: Path, command: str
) -> None:
    (folder / "many.lath").write_text("\n".join([SOUND] * 3000))
    words = command.replace("ARENA", f"{sys.executable} -m lath.arena")
    ran = subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == STREAMS[command]


LACKS: dict[Exception, int] = {
    MemoryError(): 5,
    RuntimeError("can't start new thread"): 5,
    BrokenProcessPool(): 5,
    OSError(24, "Too many open files"): 5,
    OSError(13, "Permission denied", "x"): 2,
    ZeroDivisionError(): errors.BUG,
}
"""What may fail anywhere, and the exit status then."""


def test_what_the_machine_does_not_grant_is_no_bug_of_the_arena(
    folder: Path, monkeypatch: pytest.MonkeyPatch, golden: Golden
) -> None:
    told = {}
    for error, status in LACKS.items():
        monkeypatch.setattr(games, "installed", mock.Mock(side_effect=error))
        ran = arena("games", "list")
        assert (ran.status, ran.out) == (status, "")
        said = ran.err[ran.err.rindex("error: ") :]
        assert said == ran.err or status == errors.BUG
        told[repr(error)] = said
    golden(told)


NEED_ROOM = (
    *("select sound.lath --sort date -o out.lath", "select sound.lath --sample 1 --count"),
    *("select sound.lath --without-copies -o out.lath", "diff sound.lath bad.lath"),
    *("convert sound.lath out.npz --planes", "convert sound.lath - --to csv --strict"),
)


def test_no_room_for_temporary_files_is_not_told_of_another_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def connect_to_little(*given: Any, **more: Any) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(*given, **more)
        database.execute("PRAGMA max_page_count = 1")
        return database

    monkeypatch.setattr(sqlite3, "connect", connect_to_little)
    monkeypatch.setattr(tempfile, "TemporaryFile", partial(open, "/dev/full", "r+b", 0))
    words = "error: the operating system: temporary files cannot be written: "
    ran = {command: arena(*command.split()) for command in NEED_ROOM}
    assert {command for command, one in ran.items() if words not in one.err} == set()
    assert {(one.status, one.out) for one in ran.values()} == {(5, "")}
    assert not any(folder.glob("*out*"))


@pytest.mark.parametrize(
    ("command", "status"),
    [("select bad.lath -o out.lath", 1), ("edit sound.lath --set Site=x -o out.lath", 0),
     ("select sound.lath --where nix", 2)],
)  # fmt: skip
def test_whether_people_hear_of_it_changes_nothing(folder: Path, command: str, status: int) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = Run(command.split(), cwd=folder, env=environment(), errors=writing)
    assert run.wait(PATIENCE_S) == status
    assert (folder / "out.lath").exists() is (status < 2)


def test_a_pipe_is_read_and_written_and_never_rewritten(folder: Path) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    assert "pipe: not a regular file" in arena("edit", "pipe").err
    assert arena("check", "--index", "pipe").status == 2
    for command in ("check pipe", "edit pipe -o copy.lath", "diff pipe sound.lath"):
        with ThreadPoolExecutor(1) as pool:
            pool.submit(pipe.write_text, SOUND)
            assert (command, arena(*command.split()).status) == (command, 0)
    with ThreadPoolExecutor(1) as pool:
        given = pool.submit(pipe.read_text)
        assert arena("select", "sound.lath", "-o", "pipe").status == 0
        assert given.result() == SOUND


def test_where_no_thread_can_be_started_no_process_is_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(process._ExecutorManagerThread, "start", refuse)
    before = set(active_children())
    ran = arena("check", "-j", 2, "sound.lath")
    assert ran.status == 5
    assert "this machine: not enough processes or threads" in ran.err
    for child in set(active_children()) - before:
        child.join(PATIENCE_S)
        assert child.exitcode is not None


@pytest.mark.parametrize("number", signals.STOPPING)
def test_who_is_asked_to_stop_says_so_and_leaves_the_old_file(
    folder: Path, number: signal.Signals
) -> None:
    reading, writing = os.pipe()
    words = ("select", "-", "--sort", "round", "-o", "sound.lath")
    process = Run(words, cwd=folder, env=environment(), given=reading)
    os.write(writing, BAD.encode() * 10)
    wait_until_read(reading)
    wait_until_it_waits(process.pid)
    process.send_signal(number)
    _, told = process.communicate(timeout=PATIENCE_S)
    os.close(writing)
    os.close(reading)
    assert process.returncode == 3
    assert told.endswith("note: interrupted; files that were being written are unchanged\n")
    assert (folder / "sound.lath").read_text() == SOUND
    assert sorted(path.name for path in folder.iterdir()) == ["bad.lath", "sound.lath"]


def test_workers_end_with_a_process_that_is_killed(folder: Path) -> None:
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "lath.arena", "check", "-", "-j", "2"]
    run = subprocess.Popen(command, stdin=reading, stderr=subprocess.DEVNULL)
    with ThreadPoolExecutor(1) as pool, suppress(BrokenPipeError):
        long = SOUND.replace("*", f"{{{'x' * (1 << 20)}}} *\n").encode()
        written = pool.submit(lambda: [os.write(writing, long) for _ in range(3)])
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
        assert gone(lambda: len(children.read_text().split()) < 2, PATIENCE_S)
        workers = children.read_text().split()
        run.kill()
        run.wait(PATIENCE_S)
        os.close(reading)
        written.result()
    os.close(writing)
    assert gone(lambda: still_running(workers), PATIENCE_S)


def wait_until_it_waits(pid: int) -> None:
    """Return when a process sleeps: a signal between two reads would only be heeded after both."""
    stat = Path(f"/proc/{pid}/stat")
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "S":
        pass


def wait_until_read(pipe: int) -> None:
    """Return when nothing is left to read in a pipe."""
    left = array("i", [1])
    while left[0]:
        fcntl.ioctl(pipe, termios.FIONREAD, left)


def test_every_exit_status_stands_in_the_documents() -> None:
    table = commands_page().partition("## Exit status")[2].partition("\n## ")[0]
    documented = {int(status) for status in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)}
    assert documented == {
        *(0, errors.FAULT, errors.USAGE, errors.INTERRUPTED, errors.BUG, errors.FULL),
        *(errors.BETTER, errors.NOT_BETTER, errors.UNDECIDED),
    }
