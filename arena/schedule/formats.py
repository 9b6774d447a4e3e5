"""The formats by name. A new one is a module and a row here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from lath.arena.schedule.core import Schedule, Settings
from lath.arena.schedule.fixed import Match, gauntlet, round_robin
from lath.arena.schedule.knockout import Knockout
from lath.arena.schedule.swiss import Swiss


@dataclass(frozen=True, slots=True)
class Format:
    """One format."""

    make: Callable[[Settings], Schedule]
    settings: frozenset[str] = frozenset()
    """Which of `rounds`, `pairs`, `challengers` and `sprt` mean something to it."""

    max_bots: int | None = None


FORMATS: Final[Mapping[str, Format]] = {
    "round-robin": Format(round_robin, frozenset({"rounds"})),
    "gauntlet": Format(gauntlet, frozenset({"rounds", "challengers"})),
    "swiss": Format(Swiss, frozenset({"rounds", "pairs"})),
    "knockout": Format(Knockout, frozenset({"pairs"})),
    "match": Format(Match, frozenset({"rounds", "sprt"}), max_bots=2),
}


def make(name: str, settings: Settings) -> Schedule:
    """Return the schedule of a format; raises KeyError."""
    return FORMATS[name].make(settings)
