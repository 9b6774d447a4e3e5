"""Case 41 of the fault catalogue: an unwritable folder, a failing disk and a full disk."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from arena_runs import PATIENCE_S, exported, listened_to, numbers, sequence, until_it_says
from fault_stand import Stand, shell
from processes import calm_s, gone
from runner_faults import STEADILY, RunnerFault, goes_on, pair_up

if TYPE_CHECKING:
    from bot_faults import Plain

CANNOT_BE_KEPT: Final = 5
"""The exit status of a run that cannot store its results."""

ROOM_MB: Final = 110
"""The size of the disk; a run requires 100 MB of free space at its start."""

RETRIES_S: Final = 3.5
"""The time in which a run tries again on a failing disk: after 0.5, 1 and 2 s."""

WAIT_S: Final = 1.0
"""The longest time between two checks for free space in the first seconds."""

WAITING: Final = "waiting for room"
"""The message of a run on a full disk."""

NO_MOUNTS: Final = "this system grants no mount namespace"


def a_file_in_the_way(stand: Stand, plain: Plain) -> float:
    """Put a file in the place of the directory."""
    pair_up(stand)
    stand.out.write_text("mine")
    ended = stand.play(*stand.run_words())
    assert ended.status in (1, CANNOT_BE_KEPT)
    assert ended.said.startswith("error: out: cannot be made: ")
    assert len(ended.said.splitlines()) == 1
    assert stand.out.read_text() == "mine"
    return ended.seconds - plain.seconds


def a_failing_disk(stand: Stand, _plain: Plain) -> float:
    """Limit files to 70 KiB, so that writing fails although there is free space."""
    pair_up(stand, rounds=25)
    run = stand.begin(*stand.run_words(), under=shell('ulimit -f 140; exec "$@"'))
    ended = stand.finish(run)
    assert ended.status == CANNOT_BE_KEPT, ended.said
    assert "Traceback" not in ended.said
    assert "could not be stored and will be played again" in ended.said
    assert 0 < len(numbers(stand.out)) < 50
    goes_on(stand, 50)
    return ended.seconds


@cache
def namespace() -> Sequence[str]:
    """Return a command that starts another one in a mount namespace; skips the test without one."""
    for words in (["unshare", "-m"], ["unshare", "-rm"]):
        try:
            tried = [*words, "mount", "-t", "tmpfs", "none", "/mnt"]
            if not subprocess.run(tried, capture_output=True, check=False).returncode:
                return words
        except FileNotFoundError:
            break
    pytest.skip(NO_MOUNTS)


@contextmanager
def on_a_small_disk(stand: Stand) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Begin a run on a disk of its own; gives the run, and the directory as seen from here."""
    stand.out.mkdir()
    mount = f'mount -t tmpfs -o size={ROOM_MB}m none "$PWD/out" && exec "$@"'
    run = stand.begin(*stand.run_words(with_report=True), under=[*namespace(), *shell(mount)])
    inside = Path(f"/proc/{run.pid}/root{stand.out}")
    assert gone(lambda: not (inside / "tournament.db").exists() and run.poll() is None, PATIENCE_S)
    # An open folder keeps the disk after the end of the run and its mounts.
    folder = os.open(inside, os.O_RDONLY)
    try:
        yield run, Path(f"/proc/self/fd/{folder}")
    finally:
        os.close(folder)


def fill(disk: Path, run: subprocess.Popen[str]) -> Path:
    """Fill the disk while the run is stopped; return the file that fills it."""
    ballast = disk / "ballast"
    run.send_signal(signal.SIGSTOP)
    try:
        with ballast.open("wb", buffering=0) as file:
            while file.write(bytes(1 << 16)):
                pass
    except OSError:
        return ballast
    finally:
        run.send_signal(signal.SIGCONT)
    raise AssertionError("the disk has no end")


def taken_from(disk: Path, stand: Stand) -> Path:
    """Return a copy of a disk's files; SQLite would need their path, which no longer exists."""
    return Path(shutil.copytree(disk, stand.folder / "kept"))


def a_full_disk(stand: Stand, _plain: Plain) -> float:
    """Fill the disk of a run and free it again: the run waits and then continues."""
    pair_up(stand, STEADILY, rounds=15)
    with on_a_small_disk(stand) as (run, disk), listened_to(run) as said:
        store = disk / "tournament.db"
        assert gone(lambda: b'[Number "' not in store.read_bytes(), PATIENCE_S)
        ballast = fill(disk, run)
        until_it_says(said, WAITING)
        time.sleep(1.0)  # the fault itself: some time without free space
        assert run.poll() is None
        ballast.unlink()
        began_s = calm_s()
        until_it_says(said, "the disk takes results again")
        seconds = calm_s() - began_s
        rest = said.read()
        assert run.wait(PATIENCE_S) == 0, rest
        kept = taken_from(disk, stand)
        assert numbers(kept) == exported(kept) == sequence(30)
    return seconds


def ctrl_c_on_a_full_disk(stand: Stand, _plain: Plain) -> float:
    """Fill the disk of a run and stop it: the run reports that results could not be stored."""
    pair_up(stand, rounds=200)
    with on_a_small_disk(stand) as (run, disk):
        assert gone(lambda: (disk / "tournament.db").stat().st_size < 60_000, PATIENCE_S)
        fill(disk, run)
        with listened_to(run) as said:
            until_it_says(said, WAITING)
            began_s = calm_s()
            run.send_signal(signal.SIGINT)
            rest = said.read()
        assert run.wait(PATIENCE_S) == CANNOT_BE_KEPT, rest
        seconds = calm_s() - began_s
        assert "could not be stored and will be played again" in rest
        assert 0 < len(numbers(taken_from(disk, stand))) < 400
    return seconds


BY_NUMBER: Final[dict[int, tuple[RunnerFault, ...]]] = {
    41: (
        RunnerFault(name="a file in the way", act=a_file_in_the_way),
        RunnerFault(name="a failing disk", act=a_failing_disk, limit_s=RETRIES_S),
        RunnerFault(name="a full disk", act=a_full_disk, limit_s=WAIT_S),
        RunnerFault(name="Ctrl-C on a full disk", act=ctrl_c_on_a_full_disk, limit_s=0.0),
    ),
}
