"""Runs on machines that are too small for their bots."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, Final

from arena_runs import PATIENCE_S, Range, flags, stored
from bad_bots import Good

from lath.arena.tournament.store.store import Store

GAMES_OF: Final = {"round-robin": 12, "swiss": 8, "knockout": 36}
"""The number of games of a run in each format."""


def in_format(form: str, out: Path) -> list[str]:
    """Return the arguments of a run of four good bots, in which the first player wins each game."""
    bots = dict.fromkeys(("ann", "bob", "cat", "dan"), Good)
    words = [*flags(bots, rounds=2 if form == "swiss" else 1, out=out, jobs=1), "--format", form]
    if form == "knockout":
        rounds = words.index("--rounds")
        del words[rounds : rounds + 2]
    return words


def ended(place: Range, run: subprocess.Popen[str], said: str | None = None) -> dict[str, Any]:
    """Return the files and the output of a run that nothing has read."""
    if said is None:
        _, said = run.communicate(timeout=PATIENCE_S)
    run.wait(PATIENCE_S)
    with closing(Store(place.out)) as store:
        walkovers = store.walkovers()
    games = stored(place.out, "first, second, result, termination")
    return {"status": run.returncode, "said": said, "games": games, "walkovers": walkovers}


ANYBODY: Final = 47_811
"""A user without other processes."""


def with_processes(most: int) -> Sequence[str]:
    """Return the beginning of a command with a limit on processes and threads.

    The superuser has no limit, so the command runs as another user with the same access to files.
    """
    who = ["setpriv", f"--reuid={ANYBODY}", f"--regid={ANYBODY}", "--clear-groups"]
    may = ["--inh-caps=-all,+dac_override", "--ambient-caps=-all,+dac_override"]
    return [*who, *may, "prlimit", f"--nproc={most}"]


@cache
def may_be_somebody() -> bool:
    """Return whether this process can run programs as another user with few processes."""
    try:
        tried = subprocess.run([*with_processes(9), "true"], capture_output=True, check=False)
    except OSError:
        return False
    return tried.returncode == 0
