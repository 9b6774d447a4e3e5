"""Replaces `lath.games.authors`, because the games of a packed bot are known to be sound."""

from __future__ import annotations

NOT_OF_LINES: frozenset[str] = frozenset()
OF_LINES: dict[str, object] = {}


class _Trusted:
    """A game whose attributes are not checked."""


Authored = _Trusted
