"""What this machine can do for tournaments, point by point, and what would mend the rest.

Each point asks the piece that a run asks, too. Must not know how it is shown.
"""

from __future__ import annotations

import os
import platform
import resource
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import metadata, util
from pathlib import Path
from typing import Final, Literal

from lath import games
from lath.arena.errors import ConfigError, MachineError
from lath.arena.referee import trees
from lath.arena.referee.conversation import BotSpec
from lath.arena.tournament import system
from lath.arena.tournament.confinement import GUIDE, confined
from lath.arena.tournament.programs import ENTRY_POINTS, bundled
from lath.arena.walls import bubblewrap, cgroups, users
from lath.arena.walls.limits import machine_bytes
from lath.games.errors import GameError

Verdict = Literal["ok", "note", "missing"]

_NETWORKS: Final = ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph", "glusterfs", "afs")
"""File systems of other machines, on which locks of a database may not hold."""

_EXTRAS: Final = {"pyarrow": "Parquet and Arrow tables", "numpy": "planes as arrays"}
"""Packages that are not needed, and what they give."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one point has found."""

    group: str
    """Such as `walls`."""

    name: str
    verdict: Verdict = "ok"
    """`note`: a tournament can be run without it; `missing`: it cannot."""

    found: str
    """In words."""

    remedy: str = ""
    """What to install or set; empty where there is nothing to do."""


def findings(folder: Path, sandbox: str = "auto") -> Iterator[Finding]:
    """Yield what is found of this machine, for results in `folder` and bots behind a wall.

    `sandbox` is the wall that is needed: `auto`, `none`, `user` or `bwrap`.
    """
    for point in (_program, _machine, _limits):
        yield from point()
    yield from _folders(folder)
    yield from _walls(sandbox)
    yield from _installed()


# The program


def _program() -> Iterator[Finding]:
    is_fast = "--enable-optimizations" in (sysconfig.get_config_var("CONFIG_ARGS") or "")
    named = f"{platform.python_implementation()} {platform.python_version()}, {sys.executable}"
    yield Finding(
        group="program",
        name="python",
        verdict="ok" if is_fast else "note",
        found=f"{named}, built {'with' if is_fast else 'without'} optimizations",
        remedy="" if is_fast else "a Python of a distribution is 10 to 25 % faster",
    )
    names = ("lath-arena", "lark", "typer", "trueskill", "jinja2", "pydantic", "tomlkit")
    yield Finding(
        group="program",
        name="packages",
        found=", ".join(f"{name} {metadata.version(name)}" for name in names),
    )
    for name, gives in _EXTRAS.items():
        is_there = util.find_spec(name) is not None
        yield Finding(
            group="program",
            name=name,
            verdict="ok" if is_there else "note",
            found=metadata.version(name) if is_there else f"not installed: {gives}",
            remedy="" if is_there else f"pip install {name}",
        )
    git = shutil.which("git")
    yield Finding(
        group="program",
        name="git",
        verdict="ok" if git else "note",
        found=_said([git, "--version"]) if git else "not installed: revisions in arena match",
        remedy="" if git else "install the package git",
    )


def _said(command: list[str]) -> str:
    """Return the first line that a program says of itself."""
    try:
        ran = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"does not start: {error}"
    return next(iter(ran.stdout.splitlines()), "") or "says nothing of itself"


# The machine


def _machine() -> Iterator[Finding]:
    about = system.machine()
    cores = system.available()
    yield Finding(group="machine", name="system", found=f"{about['system']}, {about['cpu']}")
    yield Finding(
        group="machine",
        name="cores",
        found=f"{len(cores)} of {about['cores']}: --jobs auto plays {len(cores)} games at a time "
        "of bots with one thread",
    )
    pinned = hasattr(os, "sched_setaffinity")
    yield Finding(
        group="machine",
        name="pinning",
        verdict="ok" if pinned else "note",
        found="each game has cores of its own" if pinned else f"{sys.platform} has none",
    )
    yield Finding(group="machine", name="memory", found=_size(machine_bytes()))
    clock = time.get_clock_info("monotonic")
    yield Finding(
        group="machine",
        name="clock",
        verdict="ok" if clock.resolution <= 1e-6 else "note",
        found=f"{clock.implementation}, resolution {clock.resolution * 1e9:g} ns",
    )


def _size(amount: int) -> str:
    return f"{amount / 1e9:.1f} GB" if amount else "nobody tells"


def _limits() -> Iterator[Finding]:
    jobs = max(1, len(system.available()))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        system.ensure(jobs)
        wrong = ""
    except ConfigError as error:
        wrong = str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    yield Finding(
        group="limits",
        name="open files",
        verdict="missing" if wrong else "ok",
        found=f"{_limit(soft)}, may be raised to {_limit(hard)}",
        remedy=wrong,
    )
    yield Finding(
        group="limits",
        name="processes",
        found=_limit(resource.getrlimit(resource.RLIMIT_NPROC)[0]),
    )


def _limit(value: int) -> str:
    return "no limit" if value == resource.RLIM_INFINITY else f"{value}"


# Folders


def _folders(folder: Path) -> Iterator[Finding]:
    place = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    kind = _file_system(place)
    free = shutil.disk_usage(place).free
    is_far = kind in _NETWORKS
    remedy = (
        "results on a disk of this machine: a database's locks do not hold on all others"
        if is_far
        else ""
        if free >= system.ROOM
        else f"a tournament should have {system.ROOM / 1e6:.0f} MB"
    )
    can_write = os.access(place, os.W_OK)
    yield Finding(
        group="folders",
        name="results",
        verdict="missing" if not can_write else "note" if remedy else "ok",
        found=f"{place}, {kind or 'file system unknown'}, {_size(free)} free",
        remedy=remedy if can_write else "it may not be written: choose another --out",
    )
    try:
        scratch = trees.scratch_root()
    except MachineError as error:
        yield Finding(
            group="folders",
            name="scratch",
            verdict="missing",
            found=str(error),
            remedy="set TMPDIR to a folder that can be written",
        )
        return
    free = shutil.disk_usage(scratch).free
    yield Finding(
        group="folders",
        name="scratch",
        verdict="ok" if free >= system.ROOM else "note",
        found=f"{scratch}, {_size(free)} free",
        remedy="" if free >= system.ROOM else "set TMPDIR to a folder with more room",
    )


def _file_system(place: Path) -> str:
    """Return the kind of the file system of a folder; empty where nobody tells."""
    best, kind = "", ""
    try:
        lines = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    for line in lines:
        before, _, after = line.partition(" - ")
        mount = before.split()[4]
        if place.resolve().is_relative_to(mount) and len(mount) >= len(best):
            best, kind = mount, after.split()[0]
    return kind


# Walls


def _walls(sandbox: str) -> Iterator[Finding]:
    yield Finding(
        group="walls",
        name="none",
        found="limits around every bot"
        + ("" if sys.platform == "linux" else f"; of those of Linux, {sys.platform} has few"),
    )
    for kind, about in (("user", "a user of its own"), ("bwrap", _bubblewrap())):
        wrong = _why_not(kind)
        needed: Verdict = "missing" if kind == sandbox else "note"
        yield Finding(
            group="walls",
            name=kind,
            verdict=needed if wrong else "ok",
            found=f"not possible: {wrong}" if wrong else about,
            remedy=f"see {GUIDE}" if wrong else "",
        )
    here = cgroups.what_is_here()
    held = ", ".join(sorted(here.controllers)) or "no controller: a watchdog bounds memory and CPU"
    yield Finding(
        group="walls",
        name="control groups",
        verdict="ok" if here.home else "note",
        found=f"{here.home}: {held}" if here.home else "none: a watchdog bounds memory and CPU",
        remedy=here.why_not,
    )


def _why_not(kind: str) -> str:
    """Return why the bundled bots could not play behind a wall here."""
    name, command = next(iter(bundled().items()))
    try:
        confined([BotSpec(name=name, command=command, sandbox=kind)])
    except ConfigError as error:
        return str(error).partition(f"sandbox = {kind!r}: ")[2]
    return ""


def _bubblewrap() -> str:
    found = f"{_said([bubblewrap.PROGRAM, '--version'])}, with a filter of system calls"
    return f"{found}, and a user of its own" if users.can_be_given() else found


# What is installed besides


def _installed() -> Iterator[Finding]:
    yield Finding(group="installed", name="games", found=f"{len(games.builtin_ids())} built in")
    for game_id in games.plugin_ids():
        yield _loaded(f"game {game_id}", partial(games.get, game_id))
    yield _loaded("games of files", games.ids)
    names = []
    for point in metadata.entry_points(group=ENTRY_POINTS):
        if _is_there(point.value.partition(":")[0]):
            names.append(point.name)
            continue
        yield Finding(
            group="installed",
            name=f"bot {point.name}",
            verdict="note",
            found=f"{point.value} is not there",
            remedy="install its package anew",
        )
    yield Finding(group="installed", name="bots", found=", ".join(sorted(names)) or "none")


def _is_there(module: str) -> bool:
    try:
        return util.find_spec(module) is not None
    except ImportError:  # nor is its package
        return False


def _loaded(name: str, load: Callable[[], object]) -> Finding:
    """Return whether something of others loads, and what it says where it does not."""
    try:
        load()
    except GameError as error:
        return Finding(
            group="installed",
            name=name,
            verdict="note",
            found=str(error),
            remedy="mend it or remove it",
        )
    return Finding(group="installed", name=name, found="ok")
