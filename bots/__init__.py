"""The bot's side of the protocol, and bots to play against.

Nothing here knows the arena.

A bot's own folder is looked through after the standard library: a bot called `random.py`, or one
that lives beside such a file, still finds Python's `random`, and `import evaluation` finds its own.
"""

from __future__ import annotations

import sys
import sysconfig

if not sys.flags.safe_path and sys.path:
    # The folder of the script, which Python puts first, goes behind the standard library's.
    _standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    _ends = [i for i, path in enumerate(sys.path) if path.removesuffix("/lib-dynload") in _standard]
    if _ends and sys.path[0] not in _standard:
        sys.path.insert(_ends[-1], sys.path.pop(0))
