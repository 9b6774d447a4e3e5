"""Replaces `lath.bots.learned.patterns`, because a packed bot has no weights."""

from __future__ import annotations


def learned(_game: object) -> None:
    """Return None, as for a game without weights."""
