"""In the place of `lath.games.builtin`: a packed bot has no folder to look into."""

from __future__ import annotations

IDS: tuple[str, ...] = ()
"""The games that are packed: the packer writes them behind this text."""


def builtin_ids() -> tuple[str, ...]:
    """Return the ids of the games that are packed."""
    return IDS


def plugin_ids() -> tuple[str, ...]:
    """Return no ids."""
    return ()


def plugins() -> tuple[object, ...]:
    """Return no plugins."""
    return ()
