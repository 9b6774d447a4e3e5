"""Replaces `lath.games.plugins`, because a packed bot has no games of distributions."""

from __future__ import annotations


def plugin_ids() -> tuple[str, ...]:
    """Return no ids."""
    return ()


packs = plugin_ids


def plugin(_game_id: str) -> None:
    """Return None, because no distribution is asked."""


is_of_pack = origin_of = plugin
