"""One record as the page's statistics take it: its number, its score, its ending, who moved when.

Must not know what is counted of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lath import games
from lath.games.core import Seat, UnknownGameError
from lath.notation.record import Record, Termination
from lath.reports.page.replays import Replay
from lath.reports.standings.tally import FORFEITS, POINTS, UNSTATED, why_left_out


@dataclass(frozen=True, slots=True)
class Entry:
    """A record and what its replay says."""

    number: int
    """Its place among all records, from 1; `Numbering` makes a link's `game` of it."""

    record: Record
    ending: str
    """Why the game ended, the rules' own words where it was they."""

    movers: Sequence[Seat]
    """Who decided on each ply; empty where the record cannot be replayed."""

    points: float | None
    """What first scored; None where the record counts for nothing."""

    @property
    def is_forfeit(self) -> bool:
        """Return whether it was lost otherwise than on the board."""
        return self.record.termination in FORFEITS

    @property
    def winner_loser(self) -> tuple[str, str] | None:
        """Return who won and who lost; None for a draw and where nothing was decided."""
        if self.points == 1:
            return self.record.first, self.record.second
        return (self.record.second, self.record.first) if self.points == 0 else None


def entry(number: int, record: Record, ending: str, replay: Replay | None) -> Entry:
    """Return the entry of a record whose rules said `ending` (empty where they said nothing)."""
    by_rules = record.termination in ("", Termination.RULES)
    why = (ending if by_rules else "") or record.termination or UNSTATED
    points = None if why_left_out(record) else POINTS[record.result]
    return Entry(number, record, why, replay.movers if replay else (), points)


def game_title(game_id: str) -> str:
    """Return a game's title, or its id where it is not installed."""
    try:
        return games.get(game_id).title
    except UnknownGameError:
        return game_id or "unknown game"


def game_credit(game_id: str) -> str:
    """Return inventor and year; empty where the game is not installed."""
    try:
        return games.get(game_id).credit
    except UnknownGameError:
        return ""
