"""What a check consists of: probes, each with a name, what it asks of a bot, and how to find out.

Must not know which probes there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import Finding, Verdict
from lath.games.core import Game


@dataclass(frozen=True, slots=True)
class Probe:
    """One point of the protocol, tested once."""

    id: str
    asks: str
    """What a bot has to do, as a sentence without its subject."""

    run: Callable[[Lab], Finding]
    """May raise FaultFoundError."""

    at_worst: Verdict = Verdict.FAULT
    """What it costs when the bot breaks off the session."""


@dataclass(frozen=True, slots=True)
class GameProbe:
    """One point of the protocol, tested in each game."""

    id: str
    asks: str
    run: Callable[[Lab, Game], Finding | None]
    """May raise FaultFoundError; returns None where the game has nothing of the kind."""

    at_worst: Verdict = Verdict.FAULT
