"""A check of this machine for tournaments, point by point, with a remedy for each problem.

Each point uses the same function as a run.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import shlex
import shutil
import sqlite3
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib import metadata, util
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

from lath import games
from lath.arena.doctor import loading
from lath.arena.doctor.findings import DoctorFinding, Verdict, said_by
from lath.arena.doctor.sandboxes import sandboxes_of
from lath.arena.entrants import compiling
from lath.arena.entrants.programs import ENTRY_POINTS
from lath.arena.errors import MachineError
from lath.arena.machine import system
from lath.arena.referee import process_trees
from lath.arena.referee.memory import size
from lath.arena.sandbox import users
from lath.arena.sandbox.limits import with_modules
from lath.games.errors import GameError, count_of
from lath.games.files import VARIABLE as GAMES
from lath.games.files import add_all, named_files
from lath.games.plugins import pack_ids, packs
from lath.notation.extras import EXTRAS
from lath.reports.schema import Schema, schema_of


def schema() -> Schema:
    """Return the JSON Schema of a finding."""
    return schema_of(
        DoctorFinding, "A point of what a machine can do for tournaments", may_grow=True
    )


def findings(folder: Path, sandbox: str = "auto") -> Iterator[DoctorFinding]:
    """Yield the findings about this machine, for results in `folder` and bots in a sandbox.

    `sandbox` is the required kind: `auto`, `none`, `user` or `bwrap`.
    """
    yield from _program()
    yield from _machine()
    yield _results(folder)
    yield _scratch()
    yield from sandboxes_of(sandbox)
    yield from _installed()


# The program


def _program() -> Iterator[DoctorFinding]:
    yield _python()
    yield _packages()
    for extra in EXTRAS.values():
        missing = ", ".join(extra.missing)
        yield DoctorFinding(
            group="program",
            name=f"extra {extra.name}",
            verdict="note" if missing else "ok",
            found=f"{missing} not installed: no {extra.gives}"
            if missing
            else f"{extra.modules[0]} {metadata.version(extra.modules[0])}: {extra.gives}",
            remedy=extra.install if missing else "",
        )
    git = shutil.which("git")
    yield DoctorFinding(
        group="program",
        name="git",
        verdict="ok" if git else "note",
        found=said_by([git, "--version"])
        if git
        else "not installed: arena match cannot use revisions",
        remedy="" if git else "install the package git",
    )


def _python() -> DoctorFinding:
    said = sysconfig.get_config_var("CONFIG_ARGS") or ""
    said = said if platform.python_implementation() == "CPython" else ""
    ways = {"PGO": "--enable-optimizations", "LTO": "--with-lto"}
    missing = [name for name, flag in ways.items() if said and flag not in said]
    words = f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}"
    if sysconfig.get_config_var("Py_DEBUG"):
        words += ", a debug build"
    elif said:
        built = [name for name in ways if name not in missing]
        words += f", built with {' and '.join(built)}" if built else ""
        words += f", without {' and '.join(missing)}" if missing else ""
    is_slow = "PGO" in missing or bool(sysconfig.get_config_var("Py_DEBUG"))
    return DoctorFinding(
        group="program",
        name="python",
        verdict="note" if is_slow else "ok",
        found=words,
        remedy="Python bots think faster with a Python built with --enable-optimizations --with-lto"
        if is_slow
        else "",
    )


def _required() -> Iterator[tuple[Requirement, str]]:
    """Yield the required packages, each with its installed version or an empty text."""
    for wanted in map(Requirement, metadata.requires("lath-arena") or ()):
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            try:
                yield wanted, metadata.version(wanted.name)
            except metadata.PackageNotFoundError:
                yield wanted, ""


def _packages() -> DoctorFinding:
    try:
        needed = list(_required())
        ours = metadata.version("lath-arena")
    except metadata.PackageNotFoundError:
        return DoctorFinding(
            group="program",
            name="packages",
            verdict="note",
            found="lath-arena is not installed, so its dependencies are not known",
            remedy="pip install lath-arena",
        )
    old = [
        f"{one.name}{one.specifier}"
        for one, has in needed
        if not (has and one.specifier.contains(has, prereleases=True))
    ]
    there = [f"{one.name} {has or '(none)'}" for one, has in needed]
    return DoctorFinding(
        group="program",
        name="packages",
        verdict="missing" if old else "ok",
        found=f"lath-arena {ours}, SQLite {sqlite3.sqlite_version}, {', '.join(there)}",
        remedy=f"pip install {shlex.join(old)}" if old else "",
    )


# The machine


def _machine() -> Iterator[DoctorFinding]:
    about, cores, jobs = system.machine(), system.available(), system.games_at_once(1)
    kind = _container()
    yield DoctorFinding(
        group="machine",
        name="system",
        found=f"{about['system']}{f', in a container ({kind})' if kind else ''}",
    )
    many, allowed = about["cores"], process_trees.cores()
    quota = len(cores) < allowed
    yield DoctorFinding(
        group="machine",
        name="cores",
        found=f"{len(cores)} of {many}{' (by the quota)' * quota}, {about['cpu']}",
        numbers={"cores": len(cores), "allowed_cores": allowed, "machine_cores": many},
    )
    yield _memory(about["memory_bytes"], jobs)
    yield DoctorFinding(
        group="machine",
        name="jobs",
        found=f'jobs = "auto" plays {count_of(jobs, "game")} at once with one-thread bots',
        numbers={"jobs": jobs},
    )
    yield _pinning(jobs)
    yield _clock()
    yield _open_files(jobs)
    yield _processes(jobs)


def _container() -> str:
    """Return the kind of container that this process runs in; empty if none is known."""
    files = {"/.dockerenv": "docker", "/run/.containerenv": "podman"}
    found = next((kind for path, kind in files.items() if Path(path).exists()), "")
    kubernetes = "kubernetes" if "KUBERNETES_SERVICE_HOST" in os.environ else ""
    told = _text("/run/systemd/container") or os.environ.get("container", "")  # noqa: SIM112
    return kubernetes or told or found


def _memory(total: int, jobs: int) -> DoctorFinding:
    free = total
    with suppress(OSError, LookupError, ValueError):
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        free = int(text.partition("MemAvailable:")[2].split()[0]) << 10
    with suppress(ValueError):  # "max", or no such file
        most = int(_text("/sys/fs/cgroup/memory.max"))
        used = int(_text("/sys/fs/cgroup/memory.current"))
        total, free = min(total, most), max(0, min(free, most - used))
    if not total:
        return DoctorFinding(group="machine", name="memory", found="the system does not report it")
    return DoctorFinding(
        group="machine",
        name="memory",
        found=f"{size(free)} free of {size(total)}, {size(free // jobs)} for each game at once",
        numbers={"free_bytes": free, "total_bytes": total},
    )


def _pinning(jobs: int) -> DoctorFinding:
    wrong, remedy = "", ""
    try:
        os.sched_setaffinity(0, os.sched_getaffinity(0))
    except AttributeError:
        wrong, remedy = f"{platform.system()} does not pin processes to cores", "play on Linux"
    except OSError as error:
        wrong = f"not possible: {error.strerror}"
        remedy = "allow the system call sched_setaffinity"
    if not wrong and system.shares(jobs, 1, system.available()) is None:
        wrong, remedy = "there are too few cores", "lower jobs"
    return DoctorFinding(
        group="machine",
        name="pinning",
        verdict="note" if wrong else "ok",
        found=wrong or "each game can have its own cores",
        remedy=remedy,
    )


_SLOW_CLOCKS: Final = ("hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit")
"""Clocks that are read from a device or have a low resolution."""

_CLOCKS: Final = "/sys/devices/system/clocksource/clocksource0"

_READINGS: Final = 500


def clock_numbers() -> dict[str, float]:
    """Return the resolution of the clock and the duration of a reading, both in nanoseconds."""
    began_s = time.perf_counter()
    for _ in range(_READINGS):
        time.monotonic()
    reading_ns = (time.perf_counter() - began_s) / _READINGS * 1e9
    resolution_ns = time.get_clock_info("monotonic").resolution * 1e9
    return {"resolution_ns": resolution_ns, "reading_ns": round(reading_ns, 1)}


def _clock() -> DoctorFinding:
    source, listed = (_text(f"{_CLOCKS}/{name}_clocksource") for name in ("current", "available"))
    numbers = clock_numbers()
    is_slow = source in _SLOW_CLOCKS
    better = next((each for each in listed.split() if each not in _SLOW_CLOCKS), "")
    return DoctorFinding(
        group="machine",
        name="clock",
        verdict="note" if is_slow else "ok",
        found=f"{source or time.get_clock_info('monotonic').implementation}, resolution "
        f"{numbers['resolution_ns']:g} ns, a reading takes {numbers['reading_ns']:.0f} ns",
        remedy=""
        if not is_slow
        else f"echo {better} > {_CLOCKS}/current_clocksource"
        if better
        else "give bots more time per move: the system has no faster clock",
        numbers=numbers,
    )


def _open_files(jobs: int) -> DoctorFinding:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = system.open_files(jobs)
    is_free = hard == resource.RLIM_INFINITY
    is_enough = is_free or hard >= needed
    few = not is_free and hard < system.open_files(1)
    allowed = "any number" if is_free else f"{hard:,}"
    return DoctorFinding(
        group="limits",
        name="open files",
        verdict="ok" if is_enough else "missing" if few else "note",
        found=f"{allowed} allowed, {count_of(jobs, 'game')} at once "
        f"need{'s' * (jobs == 1)} {needed:,}",
        remedy="" if is_enough else f"ulimit -n {needed}" + ("" if few else ", or lower jobs"),
        numbers={"needed": needed, **({} if is_free else {"allowed": hard})},
    )


_A_GAME: Final = 3
"""Number of processes per game: a worker and two bots that start no others."""


def _processes(jobs: int) -> DoctorFinding:
    allowed, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    remedy, left = "ulimit -u", -1
    if allowed != resource.RLIM_INFINITY and os.geteuid() != 0:  # root has no such limit
        with suppress(OSError):
            left = max(0, allowed - len(users.processes_of(os.geteuid())))
    with suppress(ValueError):  # "max", or no such file
        most = int(_text("/sys/fs/cgroup/pids.max"))
        in_group = max(0, most - int(_text("/sys/fs/cgroup/pids.current")))
        if left < 0 or in_group < left:
            remedy, left = "raise pids.max of the container", in_group
    needed = _A_GAME * jobs
    is_enough = left < 0 or left >= needed
    few = not is_enough and left < _A_GAME
    count = "any number" if left < 0 else f"{left:,}"
    return DoctorFinding(
        group="limits",
        name="processes",
        verdict="ok" if is_enough else "missing" if few else "note",
        found=f"{count} more allowed, {count_of(jobs, 'game')} at once "
        f"need{'s' * (jobs == 1)} at least {needed:,}",
        remedy="" if is_enough else f"{remedy}{'' if few else ', or lower jobs'}",
        numbers={"needed": needed, **({} if left < 0 else {"left": left})},
    )


def _text(path: str) -> str:
    """Return the first line of a system file; empty if it cannot be read."""
    with suppress(OSError, UnicodeDecodeError):
        return Path(path).read_text(encoding="utf-8").partition("\n")[0].strip()
    return ""


# Folders


_NETWORK: Final = re.compile(
    r"nfs\d?|cifs|smb3?|smbfs|9p|virtiofs|ceph|lustre|afs|gpfs|glusterfs|beegfs|ocfs2|gfs2|pvfs2"
    r"|fuse\.(sshfs|glusterfs|ceph.*|s3fs|rclone|gcsfuse)"
)
"""File systems that other machines may write to."""

_IN_MEMORY: Final = ("tmpfs", "ramfs")


def _file_system(path: Path) -> str:
    """Return the type of the file system of a path; empty if unknown."""
    found, where = "", ""
    real = os.path.realpath(path)
    with suppress(OSError):
        for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines():
            before, _, after = line.partition(" - ")
            place = re.sub(r"\\(\d{3})", lambda code: chr(int(code[1], 8)), before.split()[4])
            if (place in ("/", real) or real.startswith(f"{place}/")) and len(place) >= len(where):
                found, where = after.split()[0], place
    return found


def _room(number: int) -> str:
    return f"{number / 1e9:,.1f} GB" if number >= 1e9 else f"{number / 1e6:,.0f} MB"


def _results(folder: Path) -> DoctorFinding:
    here = folder.absolute()
    place = next(each for each in (here, *here.parents) if each.exists())
    kind = _file_system(place)
    free = shutil.disk_usage(place).free
    elsewhere = "choose another folder: arena run --output DIR"
    verdict: Verdict = "missing"
    if not place.is_dir():
        wrong, remedy = f"{place} is not a folder", elsewhere
    elif not os.access(place, os.W_OK | os.X_OK):
        wrong, remedy = f"{place} cannot be written", elsewhere
    elif system.is_full(place):
        wrong, remedy = f"{place} is full", f"make room, or {elsewhere}"
    else:
        verdict = "note"
        wrong, remedy = _worse(kind, free, elsewhere)
    return DoctorFinding(
        group="folders",
        name="results",
        verdict=verdict if wrong else "ok",
        found=f"{place}: {kind or 'file system not known'}, {_room(free)} free, a tournament needs"
        f" {_room(system.ROOM)}{f'; {wrong}' if wrong else ''}",
        remedy=remedy,
        numbers={"free_bytes": free, "wanted_bytes": system.ROOM},
    )


def _worse(kind: str, free: int, elsewhere: str) -> tuple[str, str]:
    """Return a weakness of a writable folder and its remedy, or empty texts."""
    if _NETWORK.fullmatch(kind):
        words = "a network file system may lack the locks and safe writes that SQLite needs"
        return words, f"keep results on a local disk: {elsewhere}"
    if free < system.ROOM:
        return "little room", f"make room, or {elsewhere}"
    if kind in _IN_MEMORY:
        return "results are lost when the machine stops", elsewhere
    if kind == "overlay" and _container():
        return "results are lost with the container", "mount a folder of the machine for them"
    return "", ""


def _scratch() -> DoctorFinding:
    another = "export TMPDIR=DIR, a folder on a local disk"
    try:
        root = process_trees.scratch_root()
        process_trees.refuse_if_lacking(f"doctor{os.getpid()}-")
    except MachineError as error:
        return DoctorFinding(
            group="folders",
            name="scratch",
            verdict="missing",
            found=str(error),
            remedy=f"make room, or {another}",
        )
    free = shutil.disk_usage(root).free
    wrong = "; little room" if free < system.ROOM else ""
    if os.statvfs(root).f_flag & getattr(os, "ST_NOEXEC", 0):
        wrong = "; mounted noexec: a program that a bot unpacks or builds there cannot start"
    return DoctorFinding(
        group="folders",
        name="scratch",
        verdict="note" if wrong else "ok",
        found=f"{root}: {_file_system(Path(root)) or 'file system not known'}, "
        f"{_room(free)} free{wrong}",
        remedy=another if wrong else "",
        numbers={"free_bytes": free},
    )


# Installed extensions


def _installed() -> Iterator[DoctorFinding]:
    yield DoctorFinding(
        group="installed", name="games", found=f"{len(games.builtin_ids())} built in"
    )
    wrong = ""
    for path, pinned in named_files():
        finding = _loaded(f"file {path}", partial(_tried, path, pinned))
        wrong = wrong or finding.remedy
        yield finding
    for game_id in games.plugin_ids():
        if wrong:  # no game type is found while a file is invalid
            yield DoctorFinding(
                group="installed",
                name=f"game {game_id}",
                verdict="note",
                found=f"not checked: a file of {GAMES} does not load",
                remedy="fix that first",
            )
        else:
            yield _loaded(f"game {game_id}", partial(games.get, game_id))
    for prefix in packs():
        yield _loaded(f"games {prefix}-…", partial(pack_ids, prefix))
    names = []
    for point in metadata.entry_points(group=ENTRY_POINTS):
        module = point.value.partition(":")[0]
        why = _why_no_bot(module) if _is_there(module) else f"{point.value} not found"
        if not why:
            names.append(point.name)
            continue
        yield DoctorFinding(
            group="installed",
            name=f"bot {point.name}",
            verdict="note",
            found=why,
            remedy="reinstall its package",
        )
    yield DoctorFinding(group="installed", name="bots", found=", ".join(sorted(names)) or "none")
    if _is_there("numba"):
        is_compiled, words = compiling.state()
        yield DoctorFinding(
            group="installed",
            name="searches",
            verdict="ok" if is_compiled else "note",
            found=words,
            remedy="" if is_compiled else shlex.join(compiling.COMMAND),
        )


def _why_no_bot(module: str) -> str:
    """Return why a bot's module does not load in a separate process; empty if it does."""
    try:
        ran = subprocess.run(
            (sys.executable, "-P", "-m", loading.__name__, module),
            env=with_modules(os.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not load: {error}"
    said = ran.stderr.decode("utf-8", "replace").strip().splitlines()
    wrong = said[-1] if said else f"ends with status {ran.returncode}"
    return wrong if ran.returncode else ""


def _is_there(module: str) -> bool:
    try:
        return util.find_spec(module) is not None
    except ImportError:  # its package does not exist either
        return False


def _tried(path: str, pinned: str) -> None:
    """Load a file of games, and try each game as at its first use."""
    for game in add_all(path, pinned):
        games.get(game.id)


def _loaded(name: str, load: Callable[[], object]) -> DoctorFinding:
    """Return whether a third-party module loads, with its error message if it does not."""
    try:
        load()
    except Exception as error:  # noqa: BLE001 - a third-party module may fail in any way
        words = " ".join(str(error).split())
        return DoctorFinding(
            group="installed",
            name=name,
            verdict="note",
            found=words if isinstance(error, GameError) else f"{type(error).__name__}: {words}",
            remedy="fix it or remove it",
        )
    return DoctorFinding(group="installed", name=name, found="ok")
