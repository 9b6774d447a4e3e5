"""The games: rules and nothing else.

The layers above use them for people and bots.

A game is a module that defines `GAME`. One in this folder is built in; a distribution brings others
through the entry-point group `lath_arena.games` (name: the game's id, value: `module:GAME`); `add`
takes one from any file.
"""

from __future__ import annotations

from lath.games.builtin import builtin_ids, plugin_ids
from lath.games.files import add, blamed, origin
from lath.games.naming import named
from lath.games.registry import canonical_id, get, ids, installed

__all__ = [
    "add",
    "blamed",
    "builtin_ids",
    "canonical_id",
    "get",
    "ids",
    "installed",
    "named",
    "origin",
    "plugin_ids",
]
