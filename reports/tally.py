"""Results, forfeits and endings counted while records go by.

Must not know ratings, ranks, how numbers are shown, nor the rules of any game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from notation.record import Record, Termination
from reports.ratings import Result

POINTS: Final = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""What first scores; a result that is not here decides nothing."""

UNSTATED: Final = "not stated"
"""The ending of a record without a `Termination`."""

NO_RESULT: Final = "no result"
"""Why a record is left out that is neither void nor unterminated."""

_NOT_PLAYED: Final = (Termination.VOID, Termination.UNTERMINATED)

Counts = tuple[tuple[str, int], ...]
"""Words and how often they came, the most frequent first, then by word."""


Scores = Counter[float]
"""How often a bot scored 1, 1/2 and 0."""


@dataclass(slots=True)
class Tally:
    """Counts while the records go by."""

    events: dict[str, None] = field(default_factory=dict)
    results: list[Result] = field(default_factory=list)
    endings: dict[str, Counter[str]] = field(default_factory=dict)
    scores: dict[str, Counter[float]] = field(default_factory=dict)
    forfeits: Counter[tuple[str, str]] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    names: dict[str, None] = field(default_factory=dict)

    def add(self, record: Record) -> None:
        """Count one record, or why it is left out."""
        if event := record.tag("Event"):
            self.events[event] = None
        self.names |= {record.first: None, record.second: None}
        reason = why_left_out(record)
        if reason:
            self.left_out[reason] += 1
            return
        score = POINTS[record.result]
        ending = record.termination or UNSTATED
        self.results.append(Result(record.first, record.second, score))
        self.endings.setdefault(record.game, Counter())[ending] += 1
        self.scores.setdefault(record.game, Counter())[score] += 1
        if score != 0.5:
            self.forfeits[record.second if score else record.first, ending] += 1


def why_left_out(record: Record) -> str:
    """Return why the record decides nothing; empty where it counts."""
    if record.termination in _NOT_PLAYED:
        return str(record.termination)
    return "" if record.result in POINTS else NO_RESULT


def counts(counter: Mapping[str, int]) -> Counts:
    """Return the most frequent first, then by word.

    >>> counts({"time": 1, "rules": 4, "crash": 1})
    (('rules', 4), ('crash', 1), ('time', 1))
    """
    return tuple(sorted(counter.items(), key=lambda pair: (-pair[1], pair[0])))


def meetings_of(results: Iterable[Result]) -> dict[tuple[str, str], Scores]:
    """Return what each bot scored against each; both seats of a game count."""
    meetings: dict[tuple[str, str], Scores] = {}
    for result in results:
        first, second = result.first, result.second
        meetings.setdefault((first, second), Counter())[result.score] += 1
        meetings.setdefault((second, first), Counter())[1 - result.score] += 1
    return meetings
