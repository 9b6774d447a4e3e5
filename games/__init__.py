"""The rules of the games, and nothing else.

This layer imports no other layer.

A game is a module that defines `GAME`. The games in this folder are built in. A distribution adds a
game through the entry-point group `lath_arena.games`; an entry's name is the game's id, and its
value is `module:GAME`. It adds many games through the group `lath_arena.game_packs`; see
`games/plugins.py`. The function `add` loads a game from any file.
"""

from __future__ import annotations

from lath.games.builtin import builtin_ids
from lath.games.files import add, blamed, origin
from lath.games.naming import all_named, named
from lath.games.plugins import plugin_ids
from lath.games.registry import canonical_id, get, ids, installed, rules_origin

__all__ = [
    "add",
    "all_named",
    "blamed",
    "builtin_ids",
    "canonical_id",
    "get",
    "ids",
    "installed",
    "named",
    "origin",
    "plugin_ids",
    "rules_origin",
]
