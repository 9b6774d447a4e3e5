"""The table of formats by name; a new format is a module and a row here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lath.arena.schedule.core import Dealer, Schedule
from lath.arena.schedule.fixed import Fixed, Gauntlet, Match
from lath.arena.schedule.knockout import Knockout
from lath.arena.schedule.pool import PoolSchedule
from lath.arena.schedule.swiss import Swiss
from lath.arena.schedule.tune import Tune


@dataclass(frozen=True, slots=True)
class TournamentFormat:
    """The schedule of one format and the settings it takes."""

    make: Callable[[Sequence[str], Dealer], Schedule]
    """Makes the schedule from the bots' names in the order of seeding."""

    settings: frozenset[str] = frozenset()
    """Names of the settings that the format knows, from `rounds`, `pairs`, `challengers`, `sprt`,
    `tune` and `season`."""

    max_bots: int | None = None


FORMATS: Final[Mapping[str, TournamentFormat]] = {
    "round-robin": TournamentFormat(Fixed, frozenset({"rounds"})),
    "gauntlet": TournamentFormat(Gauntlet, frozenset({"rounds", "challengers"})),
    "swiss": TournamentFormat(Swiss, frozenset({"rounds", "pairs"})),
    "knockout": TournamentFormat(Knockout, frozenset({"pairs"})),
    "match": TournamentFormat(Match, frozenset({"rounds", "sprt"}), max_bots=2),
    "tune": TournamentFormat(Tune, frozenset({"rounds", "sprt", "tune"}), max_bots=2),
    "pool": TournamentFormat(PoolSchedule, frozenset({"rounds", "season"})),
}
