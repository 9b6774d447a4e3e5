"""A bot under a debugger that a person drives: it has the terminal, and the bot has its pipes.

This file is also what runs Python's own debugger so, by the Python of the bot: it imports the
standard library alone.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Final

_TERMINAL: Final = 'exec 3<&0 4>&1 <"$0"/0 >"$0"/1; exec "$@"'
"""Gives a debugger the terminal of the folder of descriptors $0; the bot's pipes are 3 and 4."""

_GDB: Final = 'set exec-wrapper sh -c \'exec "$0" "$@" <&3 >&4\''


def debugged(command: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return how a debugger of a bot has the terminal, and the bot its pipes; None: it is none.

    Known are those that read what a person types where the bot reads lines: gdb and Python's pdb.
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
    """Return the text of this file."""
    from importlib import resources  # start-up time

    return resources.files(__package__).joinpath("debugging.py").read_text(encoding="utf-8")


def main() -> None:
    """Debug the program that the arguments name; descriptors 3 and 4 are the bot's pipes."""
    import pdb  # noqa: T100 - start-up time: it is what is run

    terminal = {"stdin": sys.stdin, "stdout": sys.stdout}
    sys.stdin, sys.stdout = os.fdopen(3), os.fdopen(4, "w")

    class AtTerminal(pdb.Pdb):
        """The debugger with the terminal that was there before."""

        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **{**named, **terminal})

    pdb.Pdb = AtTerminal  # type: ignore[misc]
    pdb.main()


if __name__ == "__main__":
    main()
