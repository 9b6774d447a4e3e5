"""What is in an archive of records: games, lengths, results by seat, endings, openings, dates.

Must not know files nor how numbers are shown. Records go by one at a time: memory grows with the
different games, lengths, endings, players and, up to a bound, openings; not with records.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from lath.notation.archive import canonical_moves
from lath.notation.record import Record, Termination
from lath.notation.replay import positions
from lath.reports.openings import Opening, Openings
from lath.reports.standings import POINTS, UNSTATED, Counts, counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How many plies games have."""

    shortest: int
    median: float
    """Exact; between two games it is the mean of both."""
    mean: float
    longest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """How many games ended how, by seat."""

    first: int
    second: int
    draws: int
    unfinished: int

    @property
    def first_score(self) -> float | None:
        """Return the points of first for a decided game, in 0..1; None where none was decided."""
        decided = self.first + self.second + self.draws
        return (self.first + self.draws / 2) / decided if decided else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What is counted of any number of games but none."""

    games: int
    plies: int
    lengths: Lengths
    results: Results


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSummary:
    """The records of one game."""

    game: str
    """Its id."""
    numbers: Numbers
    endings: Counts
    openings: tuple[Opening, ...]
    """The most common ones, of games from the game's own beginning."""
    opening_games: int
    """Games that have such an opening."""
    opening_missed: int
    """Games that each opening may have had besides; 0 where the counts are exact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The records of an archive."""

    numbers: Numbers | None
    """Of all games; None where there are none."""
    games: tuple[GameSummary, ...]
    """The one with the most records first, then by id."""
    players: int
    """Different names."""
    first_date: str
    """The earliest `Date`; empty where no record has one."""
    last_date: str
    undated: int
    """Records without a `Date`."""
    opening_plies: int


class Survey:
    """Counts while the records go by."""

    def __init__(self, opening_plies: int = 2) -> None:
        self._opening_plies = opening_plies
        self._games: dict[str, _GameCounts] = {}
        self._players: set[str] = set()
        self._dates: tuple[str, str] | None = None
        self._undated = 0

    def add(self, record: Record, ending: str | None = None) -> None:
        """Count one record; without `ending` it ended by what its `Termination` says."""
        game = self._games.get(record.game)
        if game is None:
            game = self._games[record.game] = _GameCounts(self._opening_plies)
        game.add(record, ending or record.termination or UNSTATED)
        self._players |= {record.first, record.second}
        self._add_date(record.tag("Date"))

    def _add_date(self, date: str) -> None:
        if _DATE.fullmatch(date) is None:
            self._undated += 1
        elif self._dates is None:
            self._dates = date, date
        else:
            first, last = self._dates
            self._dates = min(first, date), max(last, date)

    def summary(self, openings: int = 10) -> Summary:
        """Return what was counted, with so many openings of each game."""
        games = sorted(self._games.items(), key=lambda pair: (-pair[1].games, pair[0]))
        lengths, results = Counter[int](), Counter[str]()
        for _, game in games:
            lengths.update(game.lengths)
            results.update(game.results)
        first_date, last_date = self._dates or ("", "")
        return Summary(
            numbers=_numbers(lengths, results) if games else None,
            games=tuple(game.summary(game_id, openings) for game_id, game in games),
            players=len(self._players - {"?", ""}),
            first_date=first_date,
            last_date=last_date,
            undated=self._undated,
            opening_plies=self._opening_plies,
        )


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class _GameCounts:
    """What was counted of one game."""

    def __init__(self, opening_plies: int) -> None:
        self.lengths = Counter[int]()
        self.results = Counter[str]()
        self.endings = Counter[str]()
        self.openings = Openings(opening_plies)

    @property
    def games(self) -> int:
        return self.results.total()

    def add(self, record: Record, ending: str) -> None:
        moves = canonical_moves(record)
        self.lengths[len(moves)] += 1
        self.results[record.result] += 1
        self.endings[ending] += 1
        if not record.tag("Position"):
            self.openings.add(moves, POINTS.get(record.result))

    def summary(self, game_id: str, openings: int) -> GameSummary:
        return GameSummary(
            game=game_id,
            numbers=_numbers(self.lengths, self.results),
            endings=counts(self.endings),
            openings=self.openings.most_common(openings),
            opening_games=self.openings.games,
            opening_missed=self.openings.missed,
        )


def _numbers(lengths: Counter[int], results: Mapping[str, int]) -> Numbers:
    games = lengths.total()
    plies = sum(length * count for length, count in lengths.items())
    return Numbers(
        games=games,
        plies=plies,
        lengths=Lengths(
            shortest=min(lengths),
            median=median(lengths),
            mean=plies / games,
            longest=max(lengths),
        ),
        results=Results(
            first=results["1-0"],
            second=results["0-1"],
            draws=results["1/2-1/2"],
            unfinished=results["*"],
        ),
    )


def median(lengths: Counter[int]) -> float:
    """Return the exact median of lengths that are counted.

    >>> median(Counter({3: 1, 8: 2, 9: 1})), median(Counter({3: 2, 8: 2}))
    (8.0, 5.5)
    """
    last = lengths.total() - 1
    return (_nth(lengths, last // 2) + _nth(lengths, (last + 1) // 2)) / 2


def _nth(lengths: Counter[int], index: int) -> int:
    for length in sorted(lengths):
        index -= lengths[length]
        if index < 0:
            return length
    raise IndexError(index)


def ending_of(record: Record) -> str:
    """Return why a game ended: the rules' own word, such as `four in line`, where it was they.

    The moves are played for that; raises GameError. Else the `Termination`.
    """
    if record.termination in ("", Termination.RULES):
        (end,) = deque(positions(record), maxlen=1)
        outcome = end.outcome()
        if outcome is not None:
            return outcome.ending
    return record.termination or UNSTATED


def to_json(summary: Summary) -> dict[str, Any]:
    """Return the summary for a program; docs/queries.md says what stands where."""
    numbers = summary.numbers
    return {
        "games": numbers.games if numbers else 0,
        "plies": numbers.plies if numbers else 0,
        "players": summary.players,
        "dates": {
            "first": summary.first_date or None,
            "last": summary.last_date or None,
            "undated": summary.undated,
        },
        "opening_plies": summary.opening_plies,
        "by_game": [_game_json(game) for game in summary.games],
    }


def _game_json(game: GameSummary) -> dict[str, Any]:
    numbers, results = game.numbers, game.numbers.results
    return {
        "game": game.game,
        "games": numbers.games,
        "plies": numbers.plies,
        "lengths": {
            "shortest": numbers.lengths.shortest,
            "median": numbers.lengths.median,
            "mean": numbers.lengths.mean,
            "longest": numbers.lengths.longest,
        },
        "results": {
            "first": results.first,
            "second": results.second,
            "draws": results.draws,
            "unfinished": results.unfinished,
            "first_score": results.first_score,
        },
        "endings": dict(game.endings),
        "openings": {
            "games": game.opening_games,
            "missed": game.opening_missed,
            "lines": [_opening_json(opening) for opening in game.openings],
        },
    }


def _opening_json(opening: Opening) -> dict[str, Any]:
    return {
        "moves": list(opening.moves),
        "games": opening.games,
        "first_score": opening.first_score,
    }
