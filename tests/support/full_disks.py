"""A program for a mount namespace: it runs tournaments on small file systems that fill up.

`python full_disks.py FOLDER SCENARIO:SIZE,...` prints a JSON object per scenario and size. Sizes
are in KiB; several scenarios can be given.
"""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import cache
from itertools import groupby
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, Final
from unittest.mock import patch

from arena_runs import (
    PATIENCE_S,
    Range,
    environment,
    exported,
    flags,
    listened_to,
    sequence,
    until_it_says,
)
from bad_bots import FillsItsDirectory, Good, NeedsRoom
from commands import arena
from places import SUPPORT
from quick_runs import QuickRun
from results import a_result, finished
from small_machines import GAMES_OF, ended, in_format

from lath.arena.errors import DiskError
from lath.arena.tournament.run.slots import Pace
from lath.arena.tournament.store.store import Store

ROUNDS: Final = 20
LONG_ROUNDS: Final = 50
COMMAND_ROUNDS: Final = 50
LARGE: Final = 65536
"""A size in KiB that is enough for everything."""


def resize(folder: Path, size: int, *options: str) -> None:
    """Resize a file system in memory to a size in KiB; `options` come before the others."""
    option = ",".join([*options, f"size={size}k"])
    subprocess.run(["mount", "-t", "tmpfs", "-o", option, "tmpfs", folder], check=True)


def level(folder: Path, _size: int) -> dict[str, Any]:
    """Run a tournament until the disk is full, check its files, and run it to the end."""
    return _filled(folder, lambda: resize(folder, LARGE, "remount"))


def long_level(folder: Path, _size: int) -> dict[str, Any]:
    """Like `level`, with a longer tournament."""
    return _filled(folder, lambda: resize(folder, LARGE, "remount"), LONG_ROUNDS)


def small_blocks(folder: Path, size: int) -> dict[str, Any]:
    """Like `level`, on a file system with blocks of 1 KiB, less than a memory page."""
    resize(folder, LARGE, "remount")
    image, inner = folder / "image", folder / "inner"
    with image.open("wb") as file:
        file.truncate(LARGE // 8 * 1024)
    make = ["mkfs.ext4", "-q", "-b", "1024", "-m", "0", "-O", "^has_journal", str(image)]
    subprocess.run(make, check=True)
    inner.mkdir()
    subprocess.run(["mount", "-o", "loop", image, inner], check=True)
    try:
        place = inner / "cup"
        place.mkdir()
        ballast = inner / "ballast"
        ballast.write_bytes(bytes(disk_usage(inner).free - size * 1024))
        return _filled(place, ballast.unlink)
    finally:
        subprocess.run(["umount", inner], check=True)


def _filled(folder: Path, make_room: Callable[[], None], rounds: int = ROUNDS) -> dict[str, Any]:
    found: dict[str, Any] = {"full": False, "told": [], "kept": []}
    try:
        with closing(Store(folder)) as store:
            quick = QuickRun(store)
            try:
                quick.run(rounds=rounds, patience_s=0.05)
            except DiskError as error:
                found["full"], found["why"] = True, str(error)
            found["told"] = sorted(quick.watcher.stored)
        with closing(Store(folder)) as store:  # with the remaining space
            found["kept"] = sorted(finished(store))
    except DiskError as error:
        found["full"], found["why"] = True, str(error)
    found["left"] = sorted(path.name for path in folder.iterdir())
    found["exported"] = exported(folder) if (folder / "games.lath").exists() else []
    make_room()
    with closing(Store(folder)) as store:
        quick = QuickRun(store)
        found["complete"] = quick.run(rounds=rounds).is_complete
        found["again"] = sorted(quick.played)
        (found["integrity"],) = store._database.execute("PRAGMA integrity_check").fetchone()
        found["finished"] = sorted(finished(store)) == exported(folder) == sequence(6 * rounds)
    return found


def command(folder: Path, _size: int) -> dict[str, Any]:
    """Run the program until the disk is full; then enlarge the disk and resume."""
    with Range(Path(mkdtemp(dir=folder.parent))) as place:
        place.out = folder / "out"
        bots = {"ann": Good, "bob": Good}
        words = flags(bots, rounds=COMMAND_ROUNDS, out=place.out, jobs=1, with_report=True)
        run = place.begin(*words, "--disk-patience", "1")
        with listened_to(run) as saying:
            said = saying.read()
        run.wait(PATIENCE_S)
        kept = _numbers(place.out)
        resize(folder, LARGE, "remount")
        last = place.arena(*words)
        finished = _numbers(place.out) == exported(place.out) == sequence(2 * COMMAND_ROUNDS)
    return {
        "status": run.returncode,
        "said": said,
        "kept": len(kept),
        "resumed": {"status": last.returncode, "said": last.stderr},
        "finished": finished,
    }


def made(folder: Path, _size: int) -> dict[str, Any]:
    """Run the program on a disk too small for an empty tournament, and enlarge it then."""
    with Range(Path(mkdtemp(dir=folder.parent))) as place:
        place.out = folder / "out"
        run = place.begin(*flags({"ann": Good, "bob": Good}, rounds=1, out=place.out, jobs=1))
        with listened_to(run) as saying:
            said = until_it_says(saying, "waiting for room")
            resize(folder, LARGE, "remount")
            said += saying.read()
        run.wait(PATIENCE_S)
    return {"status": run.returncode, "said": said, "games": _numbers(folder / "out")}


def scratch(folder: Path, size: int) -> dict[str, Any]:
    """Run the program with space for `size` scratch folders; then enlarge the disk and resume.

    The tens of the size select the format.
    """
    form, room = tuple(GAMES_OF)[size // 10], size % 10
    with Range(Path(mkdtemp(dir=folder.parent))) as place:
        resize(place.scratch, LARGE, f"nr_inodes={1 + room}")
        words = in_format(form, place.out)
        found = ended(place, place.begin(*words, "--disk-patience", "1"))
        resize(place.scratch, LARGE, "remount", "nr_inodes=99")
        found["resumed"] = ended(place, place.begin(*words))
        assert not list(place.scratch.iterdir())
        subprocess.run(["umount", place.scratch], check=True)
    return found


def scratch_room(folder: Path, _size: int) -> dict[str, Any]:
    """Run a bot that needs disk space while there is too little."""
    with Range(Path(mkdtemp(dir=folder.parent))) as place:
        resize(place.scratch, 4096)
        ballast = place.scratch / "ballast"
        ballast.write_bytes(bytes(disk_usage(place.scratch).free - 8192))
        run = place.begin(*flags({"ann": NeedsRoom, "bob": Good}, rounds=2, out=place.out, jobs=1))
        with listened_to(run) as saying:
            said = until_it_says(saying, "trying again")
            ballast.unlink()
            said += saying.read()
        found = ended(place, run, said)
        subprocess.run(["umount", place.scratch], check=True)
    return found


def greed(folder: Path, _size: int) -> dict[str, Any]:
    """Run a bot that fills the disk."""
    with Range(Path(mkdtemp(dir=folder.parent))) as place:
        resize(place.scratch, 4096)
        bots = {"ann": FillsItsDirectory, "bob": Good}
        found = ended(place, place.begin(*flags(bots, rounds=2, out=place.out, jobs=1)))
        subprocess.run(["umount", place.scratch], check=True)
    return found


def _numbers(folder: Path) -> list[int]:
    with closing(Store(folder)) as store:
        return sorted(finished(store))


READ_GAMES: Final = 600
"""The number of games; undoing half of them needs more space than all sizes but the last have."""


def unread(folder: Path, size: int) -> dict[str, Any]:
    """Read the files of a run that was killed while it stored, with `size` KiB of space."""
    return _read(folder, size, folder.parent, "report")


def unread_anywhere(folder: Path, size: int) -> dict[str, Any]:
    """Like `unread`, without other space for temporary files and without a page."""
    return _read(folder, size, folder)


def _read(folder: Path, size: int, temporary: Path, *more: str) -> dict[str, Any]:
    resize(folder, LARGE, "remount")
    out = folder / "cup"
    out.mkdir()
    _kill_while_it_stores(out)
    _let_taking_back_need_room(out / "tournament.db")
    used = sum(path.stat().st_blocks for path in out.iterdir()) // 2
    resize(folder, used + size, "remount")
    page = folder.parent / "page.html"
    with patch("tempfile.tempdir", str(temporary)):
        ran = {"rate": arena("rate", out, "--json")}
        ran |= {word: arena(word, out, "-o", page) for word in more}
    return {
        **{name: {"status": each.status, "said": each.err} for name, each in ran.items()},
        "games": json.loads(ran["rate"].out)["overall"]["games"] if ran["rate"].out else 0,
        "page": page.stat().st_size if page.exists() else 0,
    }


def _kill_while_it_stores(folder: Path) -> None:
    child = os.fork()
    if not child:
        store = Store(folder)
        store.add([a_result(number) for number in range(1, READ_GAMES + 1)])
        store.export()
        store._database.execute("PRAGMA cache_size = 1")
        store._database.execute("BEGIN IMMEDIATE")
        store._database.execute("UPDATE game SET result = '*', record = ''")
        store._database.execute("UPDATE about SET value = hex(zeroblob(100000))")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


_JOURNAL: Final = bytes.fromhex("d9d505f920a163d7")
"""The beginning of each part of a journal."""


def _let_taking_back_need_room(database: Path) -> None:
    """Reserve space for all pages that a journal will restore, as copying file systems do."""
    journal = database.with_name(f"{database.name}-journal").read_bytes()
    at, numbers = 0, set()
    while journal.startswith(_JOURNAL, at):  # the rest belongs to an older, longer journal
        count, _, _, sector, page = struct.unpack(">IIIII", journal[at + 8 : at + 28])
        at += sector
        end = at + count * (page + 8)
        numbers |= {int.from_bytes(journal[at : at + 4]) for at in range(at, end, page + 8)}
        at = -(-end // sector) * sector
    for _, run in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0]):
        pages = [number for _, number in run]
        where = ["-o", str((pages[0] - 1) * page), "-l", str(len(pages) * page)]
        subprocess.run(["fallocate", "--punch-hole", *where, database], check=True)


SCENARIOS: Final[dict[str, Callable[[Path, int], dict[str, Any]]]] = {
    each.__name__: each
    for each in (
        *(level, long_level, small_blocks, command, made),
        *(unread, unread_anywhere),
        *(scratch, scratch_room, greed),
    )
}


@cache
def may_mount() -> bool:
    """Return whether this process can mount private file systems."""
    try:
        tried = subprocess.run(
            ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=4k", "tmpfs", "/mnt"],
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return tried.returncode == 0


@cache
def may_loop() -> bool:
    """Return whether a file can be mounted as a disk."""
    make = "truncate -s 1M image && mkfs.ext4 -q image && mount -o loop image /mnt"
    with TemporaryDirectory() as folder:
        words = ["unshare", "-m", "sh", "-c", make]
        tried = subprocess.run(words, cwd=folder, capture_output=True, check=False)
    return tried.returncode == 0


def happened(folder: Path, scenario: str, *sizes: int) -> list[dict[str, Any]]:
    """Return the results of a scenario on disks of these sizes."""
    return all_happened(folder, {scenario: sizes})[scenario]


def all_happened(
    folder: Path, scenarios: Mapping[str, Sequence[int]]
) -> dict[str, list[dict[str, Any]]]:
    """Return the results of each scenario on disks of its sizes, all from one program."""
    told = [f"{name}:{','.join(map(str, sizes))}" for name, sizes in scenarios.items()]
    paths = os.pathsep.join([environment().get("PYTHONPATH", ""), str(SUPPORT)])
    ran = subprocess.run(
        ["unshare", "-m", sys.executable, __file__, str(folder / "disk"), *told],
        env={**environment(), "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in scenarios}
    for row in map(json.loads, ran.stdout.splitlines()):
        found[row["scenario"]].append(row)
    return found


def main(folder: Path, *scenarios: str) -> None:
    """Mount a new file system for each scenario and size, and print the results."""
    for told in scenarios:
        scenario, _, sizes = told.partition(":")
        for size in map(int, sizes.split(",")):
            folder.mkdir(exist_ok=True)
            resize(folder, size)
            # Many small transactions, as with longer games.
            with patch.object(Pace, "window", lambda *_: 2):
                found = SCENARIOS[scenario](folder, size)
            print(json.dumps({"scenario": scenario, "size": size, **found}), flush=True)
            subprocess.run(["umount", folder], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
