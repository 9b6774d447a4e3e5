"""Compilation of the bundled bots' search code: once, before a game, and never during one.

A bot states in its handshake which form it uses.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from typing import Final

from lath.arena.entrants.programs import bundled
from lath.arena.machine import signals
from lath.arena.referee.bots import BotSpec, Greeting
from lath.arena.sandbox.limits import with_modules
from lath.notation.protocol import IN_PYTHON

SEARCHERS: Final = ("alphabeta", "mcts", "solver")
"""The names of the bundled bots that have a compiled form."""

COMMAND: Final = (sys.executable, "-P", "-m", "lath.bots.compiled")

COLD: Final = 3
"""The exit status of the command's `--check` if there is something to compile."""

OPTION: Final = "fast"
"""The option of those bots that selects the form."""

EVERY_S: Final = 5.0
"""The time between two progress messages, in seconds."""

_LOOK_S: Final = 0.1


def compilers(bots: Iterable[BotSpec]) -> list[str]:
    """Return the names of the bots that use compiled code if it is available."""
    commands = {bundled()[name] for name in SEARCHERS if name in bundled()}
    return [
        bot.name
        for bot in bots
        if bot.command in commands and bot.options.get(OPTION) != "off" and not bot.build
    ]


def compile_first(bots: Iterable[BotSpec], tell: Callable[[str], None]) -> str:
    """Compile the search code of these bots if possible and necessary, with progress messages.

    Returns a description of any failure, which affects only speed. Raises KeyboardInterrupt.
    """
    names = compilers(bots)
    if not names or find_spec("numba") is None or _ended([*COMMAND, "--check"], None) != COLD:
        return ""
    what = f"compiling the search of {', '.join(names)}, once for all games"
    tell(f"{what}: about half a minute")
    errors: list[str] = []
    status = _ended(list(COMMAND), lambda so_far_s: tell(f"{what}: {so_far_s:.0f} s"), errors)
    return f"{' '.join(COMMAND)}: {errors[-1] if errors else 'failed'}" if status else ""


def _ended(
    command: list[str], tell: Callable[[float], None] | None, errors: list[str] | None = None
) -> int:
    """Return the exit status of a command; `tell` regularly gets the seconds it has taken."""
    began_s = time.monotonic()
    told_s = began_s
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=with_modules(os.environ),
    ) as child:
        try:
            while True:
                signals.look()
                try:
                    _, said = child.communicate(timeout=_LOOK_S)
                    break
                except subprocess.TimeoutExpired:
                    if tell and time.monotonic() - told_s >= EVERY_S:
                        told_s = time.monotonic()
                        tell(told_s - began_s)
        except BaseException:
            child.kill()
            raise
    if errors is not None:
        errors += said.decode("utf-8", "replace").splitlines()
    return child.returncode


def state() -> tuple[bool, str]:
    """Return True and the place of the compiled code, or False and the reason."""
    ran = subprocess.run(
        [*COMMAND, "--check"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=with_modules(os.environ),
    )
    said = (ran.stderr if ran.returncode else ran.stdout).decode("utf-8", "replace").splitlines()
    return ran.returncode == 0, said[-1] if said else f"status {ran.returncode}"


def uncompiled(said: Mapping[str, Greeting], bots: Iterable[BotSpec]) -> str:
    """Return which bots search in Python although numba is installed, and why; empty for none.

    `said` are the bots' handshakes.
    """
    names = compilers(bots)
    return slow({name: one.version for name, one in said.items() if name in names})


def slow(versions: Mapping[str, str]) -> str:
    """Return which bots search in Python and why, by their `id version` texts."""
    whys = {
        name: text.removeprefix(IN_PYTHON).strip(" ()")
        for name, text in versions.items()
        if text.startswith(IN_PYTHON)
    }
    if not whys or find_spec("numba") is None:
        return ""
    verb = "searches" if len(whys) == 1 else "search"
    reasons = ", ".join(sorted(set(whys.values())))
    return f"{', '.join(whys)} {verb} in Python, many times slower than compiled: {reasons}"
