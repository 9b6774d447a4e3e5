"""The facts in the tags of records, by game type: players, dates and time controls."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Final

from typing_extensions import TypedDict

from lath import games as registry
from lath.games.core import Result
from lath.games.errors import UnknownGameError
from lath.notation.record.record import Record
from lath.notation.record.tags import UNKNOWN_GAME, Termination
from lath.notation.rules.replay import end_of, positions
from lath.reports.counting.standings import why_left_out
from lath.reports.counting.table import UNSTATED, counts
from lath.reports.schema import About, Count, Positive

UNKNOWN: Final = ("", "?")
"""Names that stand for an unknown player."""


class GameFigures(TypedDict):
    """The facts of one game type."""

    game: Annotated[str, About("the game's id")]
    """The id of the game type."""
    title: Annotated[str, About("its name for people")]
    """The name of the game type for people."""


Link = Annotated[
    int,
    About(
        "the `game` of a link: the tag Number where each record has one of its own, else the "
        "record's place among all, from 1",
        ge=1,
    ),
]


@dataclass(frozen=True, slots=True)
class KnownRecord:
    """A record and additional facts about it."""

    number: int
    """The place among all records, from 1; `Numbering` turns it into the `game` of a link."""

    record: Record
    ending: str
    """The reason for the end of the game, in the rules' words if the rules ended it."""

    is_playable: bool
    """True if the game can be replayed, as far as known."""

    points: float | None
    """Points of the first player; None if the record does not count."""


def entry(
    number: int, record: Record, ending: str = "", *, is_playable: bool = False
) -> KnownRecord:
    """Return the entry of a record; `ending` is the rules' word for its ending, or empty."""
    by_rules = record.termination in ("", Termination.RULES)
    why = (ending if by_rules else "") or record.termination or UNSTATED
    points = None if why_left_out(record) else record.result.points[0]
    return KnownRecord(number, record, why, is_playable, points)


def of_members(game: KnownRecord, whose: Mapping[str, str]) -> KnownRecord:
    """Return an entry with the names of versions replaced by those of their pool members."""
    record = record_of_members(game.record, whose)
    return game if record is game.record else replace(game, record=record)


def record_of_members(record: Record, whose: Mapping[str, str]) -> Record:
    """Return a record with the names of versions replaced by those of their pool members."""
    if whose.keys().isdisjoint((record.first, record.second)):
        return record
    tags = tuple(
        (tag, whose.get(value, value) if tag in ("First", "Second") else value)
        for tag, value in record.tags
    )
    return replace(record, tags=tags)


def ending_of(record: Record) -> str:
    """Return why a game ended: the rules' word, such as `four in line`, or the `Termination`.

    The moves are replayed for the rules' word; raises GameError.
    """
    if record.termination in ("", Termination.RULES) and not record.is_result_only:
        end = end_of(record)
        if end is None:
            *_, end = positions(record)  # raises the error of the invalid move
        outcome = end.outcome()
        if outcome is not None:
            return outcome.ending
    return record.termination or UNSTATED


_TAG: Final = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)

_LINKS: Final = ("number", "example")
"""The fields that contain the number of a game."""


class Numbering:
    """The numbers of records in links, known after all records were added; places are from 1.

    If several games run at a time, a long game ends after later ones, so places shift. The tag
    Number does not change. It is used if every record has a different one; if not, places are used.
    """

    def __init__(self) -> None:
        self._tags = array("L")
        self._all_have_one = True
        self.links: set[int] = set()
        """The places that `linked` has met."""

    def add(self, record: Record) -> None:
        """Add the next record."""
        if self._all_have_one and _TAG.fullmatch(tag := record.tag("Number")):
            self._tags.append(int(tag))
        else:
            self._all_have_one, self._tags = False, array("L")

    @cached_property
    def by_tag(self) -> bool:
        """Return whether links use the tags, which then differ from the places.

        The answer is final once all records were added.
        """
        count = len(self._tags)
        is_by_place = all(place == tag for place, tag in enumerate(self._tags, 1))
        return self._all_have_one and not is_by_place and len(set(self._tags)) == count

    def number(self, place: int) -> int:
        """Return the number of the game at a place."""
        return self._tags[place - 1] if self.by_tag else place

    def linked(self, value: Any) -> Any:
        """Return a JSON value with the places in its links replaced by numbers."""
        if isinstance(value, list):
            return [self.linked(inner) for inner in value]
        if not isinstance(value, dict):
            return value
        self.links.update(value[key] for key in _LINKS if key in value)
        return {
            key: self.number(inner) if key in _LINKS else self.linked(inner)
            for key, inner in value.items()
        }


class Dates(TypedDict):
    """The dates of games."""

    first: str
    """The earliest date, YYYY-MM-DD; empty if no record has one."""
    last: str
    """The latest date."""
    undated: Count
    """Records without a complete date."""


class GameFacts(GameFigures):
    """The number of records of a game type."""

    credit: str
    """Inventor and year; empty if the game type is not installed."""
    records: Positive
    """Records of this game type."""


class Control(TypedDict):
    """How many records were played at one time control."""

    control: str
    """The time control, such as `10+0.1`; two of one game as `1+0 against 10+0.1`."""
    records: Positive
    """Records played at it."""


Results = TypedDict("Results", {"1-0": Count, "0-1": Count, "1/2-1/2": Count, "*": Count})


class TagFacts(TypedDict):
    """The facts in the tags of records."""

    records: Count
    """All records, including those that do not count."""
    plies: Count
    """Plies of all records together."""
    bots: Count
    """Number of different names."""
    events: list[str]
    """Different values of the tag Event, in order of appearance."""
    sites: list[str]
    """Different values of the tag Site, in order of appearance."""
    rounds: Count
    """Number of different values of the tag Round."""
    dates: Dates
    """The time in which the games were played."""
    games: list[GameFacts]
    """One entry per game type, by id."""
    time_controls: list[Control]
    """Time controls, the most frequent first; records without one come last."""
    results: Results
    """Number of records by result."""


OWN_CONTROLS: Final = ("FirstTimeControl", "SecondTimeControl")
"""The tags of a game in which the sides had different time controls."""

_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class FactCounter:
    """Counts records, whether they count for the standings or not."""

    def __init__(self) -> None:
        self._words: dict[str, Counter[str]] = {
            tag: Counter() for tag in ("Event", "Site", "Round", "TimeControl", "Date")
        }
        self._results = Counter[Result]()
        self._games = Counter[str]()
        self._names: set[str] = set()
        self._plies = 0

    def add(self, record: Record) -> None:
        """Count one record."""
        tags = dict(reversed(record.tags))  # faster, because several tags are looked up
        for tag, words in self._words.items():
            if word := tags.get(tag):
                words[word] += 1
        if not tags.get("TimeControl"):
            own = [word for tag in OWN_CONTROLS if (word := tags.get(tag))]
            # Sorted, because the sides change from game to game.
            self._words["TimeControl"].update([" against ".join(sorted(own))] if own else ())
        self._results[record.result] += 1
        self._games[record.game] += 1
        self._names |= {record.first, record.second}
        self._plies += len(record.plies)

    def facts(self) -> TagFacts:
        """Return the counts."""
        records, words = self._results.total(), self._words
        dates = {date: n for date, n in words["Date"].items() if _DATE.fullmatch(date)}
        games: list[GameFacts] = []
        for game, n in sorted(self._games.items()):
            games.append({**of_game(game), "credit": "", "records": n})
            with suppress(UnknownGameError):
                games[-1]["credit"] = registry.get(game).credit
        controls = counts(words["TimeControl"])
        unstated = records - sum(controls.values())
        return {
            "records": records,
            "plies": self._plies,
            "bots": len(self._names.difference(UNKNOWN)),
            "events": list(words["Event"]),
            "sites": list(words["Site"]),
            "rounds": len(words["Round"]),
            "dates": {
                "first": min(dates, default=""),
                "last": max(dates, default=""),
                "undated": records - sum(dates.values()),
            },
            "games": games,
            "time_controls": [
                {"control": word, "records": n}
                for word, n in (*controls.items(), (UNSTATED, unstated))
                if n
            ],
            "results": {
                "1-0": self._results[Result.FIRST_WON],
                "0-1": self._results[Result.SECOND_WON],
                "1/2-1/2": self._results[Result.DRAWN],
                "*": self._results[Result.UNFINISHED],
            },
        }


def of_game(game_id: str) -> GameFigures:
    """Return a game type's id and title; the title is the id if the game is not installed."""
    try:
        title = registry.get(game_id).title
    except UnknownGameError:
        title = "unknown game" if game_id in ("", UNKNOWN_GAME) else game_id
    return {"game": game_id, "title": title}
