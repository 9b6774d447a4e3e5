"""The bot's side of the protocol, and bots to play against.

Nothing here depends on the arena.

A bot's own folder is searched after the standard library. So a bot called `random.py`, or one next
to such a file, still imports Python's `random`, and `import evaluation` finds the bot's own module.
"""

from __future__ import annotations

import sys
import sysconfig

if not sys.flags.safe_path and sys.path:
    # Python puts the script's folder first; move it behind the standard library's.
    _standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
    _ends = [i for i, path in enumerate(sys.path) if path.removesuffix("/lib-dynload") in _standard]
    if _ends and sys.path[0] not in _standard:
        sys.path.insert(_ends[-1], sys.path.pop(0))
