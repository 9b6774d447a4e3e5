"""The bot's side of the protocol, and bots to play against. Must not know the arena.

A bot's own folder is looked through after the standard library: a bot called `random.py`, or one
that lives beside such a file, still finds Python's `random`, and `import evaluation` finds its own.
"""

from __future__ import annotations

import sys
import sysconfig


def _let_the_standard_library_go_first() -> None:
    """Move the folder of the script, which Python puts first, behind the standard library's."""
    if sys.flags.safe_path or not sys.path:
        return
    standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    ends = [i for i, path in enumerate(sys.path) if path.removesuffix("/lib-dynload") in standard]
    if ends and sys.path[0] not in standard:
        sys.path.insert(ends[-1], sys.path.pop(0))


_let_the_standard_library_go_first()
