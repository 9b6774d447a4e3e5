"""The sandboxes that this machine can provide for bots, and what each one lacks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from lath import DOCUMENTATION
from lath.arena.doctor.findings import DoctorFinding, said_by
from lath.arena.entrants.confinement import GUIDE, confined
from lath.arena.entrants.programs import bundled
from lath.arena.errors import NOTHING, Obstacle, SandboxError
from lath.arena.referee.bots import BotSpec
from lath.arena.sandbox import bubblewrap, cgroups, users


def sandboxes_of(sandbox: str) -> Iterator[DoctorFinding]:
    """Yield the findings about sandboxes, kind by kind."""
    yield DoctorFinding(
        group="sandboxes",
        name="none",
        found="limits around every bot"
        + ("" if sys.platform == "linux" else f"; {sys.platform} has only few of them"),
    )
    for kind, about in (("user", "its own user for each bot"), ("bwrap", _bubblewrap())):
        wrong = _why_not(kind)
        remedy = wrong.remedy
        if kind == "user" and os.geteuid() == 0:
            remedy = _remedy_of_root(remedy)
        yield DoctorFinding(
            group="sandboxes",
            name=kind,
            verdict="ok" if not wrong else "missing" if kind == sandbox else "note",
            found=f"not possible: {wrong.why}" if wrong else about,
            remedy=f"{remedy}{'; ' if remedy else ''}see {GUIDE}" if wrong else "",
        )
    yield _groups()


def _groups() -> DoctorFinding:
    here = cgroups.what_is_here()
    all_of = ("memory", "cpu", "pids")
    has = [name for name in all_of if name in here.controllers]
    lacks = [name for name in all_of if name not in here.controllers]
    remedy = f"make the system pass on the controllers {', '.join(lacks)}" if lacks else ""
    if here.home:
        words = f"version 2, {here.home}: bounds {', '.join(has) or 'nothing'}"
    elif here.memory_home:
        words = f"version 1, {here.memory_home}: bounds memory"
    else:
        words, remedy = here.why_not.why, here.why_not.remedy
    more = {
        " by version 1": here.home and here.memory_home,
        f"; a watchdog bounds {' and '.join(lacks)}": lacks,
        "; can kill all processes of a bot at once": here.can_kill,
        f". Some kernel memory is not counted ({DOCUMENTATION}explanation/sandbox/)": "memory"
        not in has,
    }
    return DoctorFinding(
        group="sandboxes",
        name="control groups",
        verdict="note" if lacks else "ok",
        found="".join((words, *(said for said, holds in more.items() if holds))),
        remedy=remedy,
    )


def _remedy_of_root(remedy: str) -> str:
    """Return the remedy if the superuser cannot run bots as other users."""
    if not users.can_be_given():  # root only in a user namespace
        return f"map the users {users.FIRST} to {users.LAST} into this user namespace"
    return f"{remedy}, or install Python and the arena elsewhere, such as in /opt" if remedy else ""


def _why_not(kind: str) -> Obstacle:
    """Return why the bundled bots cannot play in this kind of sandbox here."""
    name, command = next(iter(bundled().items()))
    try:
        confined([BotSpec(name=name, command=command, sandbox=kind)])
    except SandboxError as error:
        return error.obstacles[name]
    return NOTHING


def _bubblewrap() -> str:
    found = f"{said_by([bubblewrap.PROGRAM, '--version'])}, with a system call filter"
    return f"{found} and its own user for each bot" if users.can_be_given() else found
