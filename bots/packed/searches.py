"""Replaces `lath.bots.compiled.searches`, because a packed bot has no compiled code."""

from __future__ import annotations

from lath.bots.options import Combo

FAST = Combo("fast", "auto", ("auto", "on", "off"))
CompiledAlphaBeta = CompiledUct = None


def is_ready(_position: object, _fast: str) -> bool:
    """Return False."""
    return False


def form() -> str:
    """Return the form that plays: Python."""
    return "Python (it is packed)"
