"""In the place of `lath.bots.compiled.searches`: a packed bot has nothing that is compiled."""

from __future__ import annotations

from lath.bots.options import Combo

FAST = Combo("fast", "auto", ("auto", "on", "off"))
CompiledAlphaBeta = CompiledUct = None


def is_ready(_position: object, _fast: str) -> bool:
    """Return False."""
    return False


def form() -> str:
    """Return what the bot plays by."""
    return "Python (it is packed)"
