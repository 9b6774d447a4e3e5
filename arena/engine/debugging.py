"""A bot under an interactive debugger, which uses the terminal while the bot uses its pipes.

This module uses the standard library alone, since the debugged process runs its text.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

_TERMINAL: Final = 'exec 3<&0 4>&1 <"$0"/0 >"$0"/1; exec "$@"'
"""Gives a debugger the terminal of the descriptors in folder $0; the bot's pipes become 3 and 4."""

_GDB: Final = 'set exec-wrapper sh -c \'exec "$0" "$@" <&3 >&4\''


def debugged(command: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return a command in which the debugger of a bot uses the terminal, or None.

    It supports gdb and Python's pdb, which otherwise read the bot's input. None means that the
    command uses neither.
    """
    program, *arguments = command
    if (name := Path(program).name) in ("gdb", "gdb-multiarch", "cgdb"):
        under = (program, "-iex", _GDB, *arguments)
    elif name.startswith("python") and "pdb" in arguments[1:] and arguments[:1] != ["pdb"]:
        at = arguments.index("pdb")
        if arguments[at - 1] != "-m":
            return None
        under = (program, *arguments[: at - 1], "-c", _source(), *arguments[at + 1 :])
    else:
        return None
    return ("sh", "-c", _TERMINAL, f"/proc/{os.getpid()}/fd", *under)


def _source() -> str:
    from importlib import resources  # start-up time

    return resources.files(__package__).joinpath("debugging.py").read_text(encoding="utf-8")


def main() -> None:
    """Debug the program in the arguments; descriptors 3 and 4 are the bot's pipes."""
    import pdb  # noqa: T100 - start-up time; this is the debugger

    terminal = {"stdin": sys.stdin, "stdout": sys.stdout}
    sys.stdin, sys.stdout = os.fdopen(3), os.fdopen(4, "w")

    class AtTerminal(pdb.Pdb):
        """A debugger that uses the terminal."""

        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **{**named, **terminal})

    pdb.Pdb = AtTerminal  # type: ignore[misc]
    pdb.main()


if __name__ == "__main__":
    main()
