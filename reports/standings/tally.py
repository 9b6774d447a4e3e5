"""What the games of records come to, counted while they go by.

Must not know ratings, ranks, how numbers are shown, nor the rules of any game. No record and no
move is kept: a game that is rated leaves a line of numbers, any other only its counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from lath.notation.record import Record, Termination
from lath.reports.ratings.values import Result
from lath.reports.standings.pairs import Pairs
from lath.reports.standings.repeats import Repeats, digest_of
from lath.reports.standings.values import Counts

POINTS: Final = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
"""What first scores; a result that is not here decides nothing."""

UNSTATED: Final = "not stated"
"""The ending of a record without a `Termination`."""

NO_RESULT: Final = "no result"
"""Why a record is left out that is neither void nor unterminated."""

FORFEITS: Final = (
    Termination.CRASH,
    Termination.TIME,
    Termination.ILLEGAL_MOVE,
    Termination.FLOOD,
)
"""Endings by which a game is lost otherwise than on the board."""

_NOT_PLAYED: Final = (Termination.VOID, Termination.UNTERMINATED)


@dataclass(slots=True)
class GameCounts:
    """What was counted of the games of one id, or of several."""

    scores: Counter[tuple[str, str, float]] = field(default_factory=Counter)
    """How often first scored 1, 1/2 or 0 against second."""

    endings: Counter[str] = field(default_factory=Counter)
    forfeits: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Games lost, by who lost and one of FORFEITS."""

    repeated: int = 0
    """Games that repeat another."""

    def include(self, other: GameCounts) -> None:
        """Add what was counted elsewhere."""
        self.scores += other.scores
        self.endings += other.endings
        self.forfeits += other.forfeits
        self.repeated += other.repeated


class Tally:
    """Counts records as they go by, in their order, and knows which of their games are rated."""

    def __init__(self) -> None:
        self.events: Final[dict[str, None]] = {}
        """The different titles, in order of appearance."""
        self.games: Final[dict[str, GameCounts]] = {}
        """By game id, in order of appearance."""
        self.left_out: Final[Counter[str]] = Counter()
        self.names: Final[set[str]] = set()
        """All that were met, also in records left out."""
        self._rated: Final[list[Result]] = []
        self._forfeited: Final = bytearray()
        """For each of them 1 where it was lost otherwise than on the board."""
        self._known: Final[dict[Result, Result]] = {}
        self._pairs: Final = Pairs()
        self._repeats: Final = Repeats()

    def add(self, record: Record, ending_words: str | None = None) -> None:
        """Count one record, or why it is left out.

        `ending_words` are the rules' own for why it ended; else its `Termination` is told.
        """
        if event := record.tag("Event"):
            self.events[event] = None
        first, second = record.first, record.second
        self.names.update((first, second))
        if reason := why_left_out(record):
            self.left_out[reason] += 1
            return
        score, why, game = POINTS[record.result], record.termination, record.game
        counts = self._counts(game)
        counts.scores[first, second, score] += 1
        counts.endings[ending_words or why or UNSTATED] += 1
        if is_forfeit := why in FORFEITS and score != 0.5:
            counts.forfeits[second if score else first, why] += 1
        if not self._rate(record, Result(first, second, score, game), why, is_forfeit):
            counts.repeated += 1

    def _counts(self, game: str) -> GameCounts:
        found = self.games.get(game)
        if found is None:
            found = self.games[game] = GameCounts()
        return found

    def _rate(self, record: Record, result: Result, why: str, is_forfeit: bool) -> bool:
        """Note a game for the ratings; False where it repeats one that is noted."""
        seats = (result.first, result.second)
        digest = digest_of(record, seats, why)
        earlier = self._repeats.seen(digest, len(self._rated), plies=len(record.plies), why=why)
        if earlier is not None:
            self._pairs.add_repeat(earlier, record, seats)
            return False
        self._pairs.add(record, seats, digest)
        self._rated.append(self._known.setdefault(result, result))  # one object for all that agree
        self._forfeited.append(is_forfeit)
        return True

    def results(self) -> list[Result]:
        """Return the games that are rated, in their order, each with its pair."""
        return [
            Result(first, second, score, game, pair)
            for (first, second, score, game, _), pair in zip(
                self._rated, self._pairs.numbers(), strict=True
            )
        ]

    def on_the_board(self, results: Iterable[Result]) -> list[Result]:
        """Return those of the `results` of this tally that were not lost by a forfeit."""
        played = zip(results, self._forfeited, strict=True)
        return [result for result, is_forfeit in played if not is_forfeit]


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
