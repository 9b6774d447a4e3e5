"""Replaces `lath.games.builtin`, because a packed bot has no folder of games."""

from __future__ import annotations

IDS: tuple[str, ...] = ()
"""The ids of the packed games; the packer writes them after this text."""


def builtin_ids() -> tuple[str, ...]:
    """Return the ids of the packed games."""
    return IDS
