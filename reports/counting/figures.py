"""Counts of games: facts, dates, lengths, results by side, endings and openings.

`arena stats` and the page show these counts. Records are read one at a time and not kept, so memory
grows with distinct games, names, lengths, endings and, up to a limit, openings. The types of the
page's data also define its JSON Schema (`lath.reports.schema`).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from typing import Annotated, Any, ClassVar, Final

from typing_extensions import TypedDict  # pydantic requires this TypedDict before Python 3.12

from lath import games as registry
from lath.games.core import Result
from lath.games.errors import GameError, count_of
from lath.notation.record.record import Record
from lath.notation.record.tags import FORFEITS, RULES
from lath.notation.rules.replay import spellings
from lath.reports.counting.facts import (
    FactCounter,
    GameFigures,
    KnownRecord,
    Link,
    TagFacts,
    entry,
    of_game,
)
from lath.reports.counting.table import counts
from lath.reports.ratings.counts import SideScore
from lath.reports.ratings.results import Scored
from lath.reports.schema import About, Amount, Count, Positive


class ScoreCount(TypedDict):
    """Results of some games, for one bot or side."""

    wins: Count
    """Games won, by the bot or side that the entry is about."""
    draws: Count
    """Games drawn."""
    losses: Count
    """Games lost."""


def score_of(scored: Scored) -> ScoreCount:
    """Return wins, draws and losses in the form of the page's data."""
    return {"wins": scored.wins, "draws": scored.draws, "losses": scored.losses}


# Openings


class Way(ScoreCount):
    """One opening or setup, and its results."""

    text: str
    """The moves of the line, or the setup."""
    example: Link


class WaysOfGame(GameFigures):
    """The most frequent openings or setups of one game type."""

    games: Positive
    """Games with any opening or setup."""
    different: Positive
    """Number of different openings or setups."""
    missed: Count
    """The most games that any entry may lack, because rare ones are forgotten; 0 if the counts are
    exact."""
    lines: list[Way]
    """The most frequent first."""


MOST_WAYS: Final = 30_000
"""The most openings that are kept, in about 15 MB: more than the two-ply openings of any built-in
game. With more openings, the counter forgets the rarer half, and `missed` reports it."""

SHOWN: Final = 5
"""The number of openings shown per game type."""


@dataclass(slots=True)
class WayCounts(SideScore):
    """The results of one opening, for one bot or side."""

    undecided: int = 0
    example: int = 0

    @property
    def times(self) -> int:
        """Return the number of games with this opening."""
        return self.games + self.undecided


class Ways:
    """Openings and their numbers of games, in bounded memory."""

    kind: ClassVar[type[WayCounts]] = WayCounts
    """The class of an opening's counts."""

    def __init__(self, most: int = MOST_WAYS) -> None:
        self.games = 0
        self.missed = 0
        """The most games that any opening may lack, because rare openings are forgotten."""
        self._most = most
        self._ways: dict[str, WayCounts] = {}

    def add(self, text: str, points: float | None, number: int) -> WayCounts:
        """Count a game; `points` are those of the bot or side. Return the opening's counts."""
        self.games += 1
        way = self._ways.get(text)
        if way is None:
            if len(self._ways) >= self._most:
                # Forgets the rarer half. A forgotten opening that returns has lost at most this
                # many games.
                ranked = self.ranked()
                kept = (len(ranked) + 1) // 2
                self.missed += ranked[kept][1].times
                self._ways = dict(ranked[:kept])
            way = self._ways[text] = self.kind(example=number)
        if points is None:
            way.undecided += 1
        else:
            way.add(points, 1)
        return way

    def ranked(self) -> list[tuple[str, WayCounts]]:
        """Return the most frequent openings first, then by text."""
        return sorted(self._ways.items(), key=lambda pair: (-pair[1].times, pair[0]))

    def of_game(self, game: str, most: int) -> WaysOfGame:
        """Return at most `most` of the most frequent openings, for the game type `game`."""
        return {
            **of_game(game),
            "games": self.games,
            "different": len(self._ways),
            "missed": self.missed,
            "lines": [
                {"text": text, **score_of(way), "example": way.example}
                for text, way in self.ranked()[:most]
            ],
        }


def ways_by_game(ways: Mapping[str, Ways]) -> list[WaysOfGame]:
    """Return the openings of each game type, sorted by id; types without openings are left out."""
    return [ways[game].of_game(game, SHOWN) for game in sorted(ways) if ways[game].games]


def first_moves(record: Record, plies: int) -> list[str]:
    """Return the first `plies` moves in canonical text, or all moves of a shorter game."""
    spelled = spellings(record.game, record.tag(RULES))
    return [spelled[ply.move] for ply in record.plies[:plies]]


@lru_cache(maxsize=4096)
def start_text(game_id: str, setup: str, position: str) -> str:
    """Return the start of a game in canonical text, or unchanged if the game refuses it.

    It is empty for the game's own start.
    """
    try:
        game = registry.get(game_id)
        if position:
            return game.position(position).text()
        return game.canonical_setup(setup) if setup else ""
    except GameError:
        return position or setup


# Lengths, results and endings by game id

Bin = TypedDict(
    "Bin",
    {
        "from": Annotated[int, About("The fewest plies.", ge=0)],
        "to": Annotated[int, About("The most plies.", ge=0)],
        "games": Annotated[int, About("Games of these lengths.", ge=0)],
    },
)


class Spread(TypedDict):
    """The lengths of games in plies."""

    shortest: Count
    """Plies of the shortest game."""
    median: Amount
    """The median number of plies; the mean of both if it is between two games."""
    mean: Amount
    """The mean number of plies."""
    longest: Count
    """Plies of the longest game."""


class Lengths(GameFigures, Spread):
    """The lengths of the games of one type."""

    games: Positive
    """Counted games that have moves."""
    bins: list[Bin]
    """Ranges of plies of equal width, without a gap; at most 24."""


class EndingCount(TypedDict):
    """The number of games with one ending."""

    ending: str
    """The reason in the rules' words, or the tag Termination."""
    games: Positive
    """Games that ended so."""
    forfeit: bool
    """True if the ending is a crash, time, an illegal move or a flood."""


class Endings(GameFigures):
    """The endings of the games of one type."""

    games: Positive
    """Counted games."""
    endings: list[EndingCount]
    """The most frequent first."""


MOST_BINS: Final = 24
"""The most bars of a histogram."""

PLIES: Final = 2
"""The default length of an opening: a move and its reply."""


@dataclass(slots=True)
class GameCounts:
    """The counts of one game type, or of several."""

    lengths: Counter[int] = field(default_factory=Counter)
    """Lengths of finished games with moves."""
    plies: int = 0
    """The plies of all games together."""
    results: Counter[Result] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    openings: Ways = field(default_factory=Ways)

    @property
    def games(self) -> int:
        """Return the number of games."""
        return self.results.total()

    @property
    def spread(self) -> Spread | None:
        """Return the lengths of finished games with moves; None without any."""
        if not self.lengths:
            return None
        return {
            "shortest": min(self.lengths),
            "median": median(self.lengths),
            "mean": sum(plies * n for plies, n in self.lengths.items()) / self.lengths.total(),
            "longest": max(self.lengths),
        }

    @property
    def first_score(self) -> float | None:
        """Return the first player's points per decided game, in 0..1; None without any."""
        decided = self.games - self.results[Result.UNFINISHED]
        points = sum(number * result.points[0] for result, number in self.results.items())
        return points / decided if decided else None


class GameCounter:
    """Counts the games of each type."""

    def __init__(self, opening_plies: int = PLIES) -> None:
        """Begin without games; games from a `Position` have no opening."""
        self._opening_plies = opening_plies
        self.by_game: Final[defaultdict[str, GameCounts]] = defaultdict(GameCounts)

    def add(self, entry: KnownRecord) -> None:
        """Count one game, whether it counts for the standings or not."""
        record = entry.record
        found = self.by_game[record.game]
        found.plies += len(record.plies)
        if record.plies and record.result.is_finished:
            found.lengths[len(record.plies)] += 1
        found.results[record.result] += 1
        found.endings[entry.ending] += 1
        if not record.tag("Position"):
            moves = first_moves(record, self._opening_plies)
            if len(moves) == self._opening_plies:
                points = record.result.points[0] if record.result.is_finished else None
                found.openings.add(" ".join(moves), points, entry.number)

    def lengths(self) -> list[Lengths]:
        """Return the lengths of each game type, sorted by id."""
        return [
            {
                **of_game(game),
                "games": counted.lengths.total(),
                **spread,
                "mean": round(spread["mean"], 2),
                "bins": bins(counted.lengths),
            }
            for game, counted in sorted(self.by_game.items())
            if (spread := counted.spread)
        ]

    def endings(self) -> list[Endings]:
        """Return the endings of each game type, sorted by id."""
        return [
            {
                **of_game(game),
                "games": counted.games,
                "endings": [
                    {"ending": word, "games": games, "forfeit": word in FORFEITS}
                    for word, games in counts(counted.endings).items()
                ],
            }
            for game, counted in sorted(self.by_game.items())
        ]

    def openings(self) -> list[WaysOfGame]:
        """Return the openings of each game type, sorted by id, with the first player's results."""
        return ways_by_game({game: counted.openings for game, counted in self.by_game.items()})


def part_of(used: int, games: int) -> str:
    """Return how many of the games a figure covers; empty if it covers all.

    >>> part_of(1200, 1500), part_of(7, 7)
    ('1,200 of 1,500 games', '')
    """
    return f"{used:,} of {count_of(games, 'game')}" if used < games else ""


def names_listed(names: Iterable[str]) -> str:
    """Return names separated by commas; names that contain a comma are quoted.

    >>> names_listed(["Ann", "Lee, Ann", "Bob"])
    'Ann, "Lee, Ann", Bob'
    """
    return ", ".join(f'"{name}"' if "," in name else name for name in names)


def median(lengths: Counter[int]) -> float:
    """Return the exact median of counted lengths.

    >>> median(Counter({3: 1, 8: 2, 9: 1})), median(Counter({3: 2, 8: 2}))
    (8.0, 5.5)
    """
    half = lengths.total() / 2
    return (nth(lengths, math.ceil(half)) + nth(lengths, math.floor(half) + 1)) / 2


def nth(values: Counter[int], place: int) -> int:
    """Return the value at a place among counted values in ascending order; places are from 1."""
    for value in sorted(values):
        place -= values[value]
        if place <= 0:
            return value
    raise ValueError(f"there are {place} values fewer")


def quantile(values: Counter[int], share: float) -> int:
    """Return the least value that at least `share` of the values do not exceed.

    >>> quantile(Counter({1: 1, 2: 1, 9: 2}), 0.5), quantile(Counter({1: 99, 7: 1}), 0.95)
    (2, 1)
    """
    return nth(values, math.ceil(share * values.total()))


def bins(
    lengths: Counter[int], ends: tuple[int, int] | None = None, most: int = MOST_BINS
) -> list[Bin]:
    """Return at most `most` bins of equal width, from the shortest to the longest game.

    `ends` are the shortest and longest length. Default: those of these games. The width is the
    least of 1, 2, 5, 10, 20 … plies that needs no more bins, and every bin begins at a multiple of
    it.

    >>> bins(Counter({3: 1, 5: 2}))[1:]
    [{'from': 4, 'to': 4, 'games': 0}, {'from': 5, 'to': 5, 'games': 2}]
    >>> [bins(Counter(ends))[0]["to"] for ends in ((7, 30), (7, 31), (1, 150))]
    [7, 7, 9]
    """
    shortest, longest = ends or (min(lengths), max(lengths))
    widths = (width * 10**power for power in count() for width in (1, 2, 5))
    width = next(one for one in widths if longest // one - shortest // one < most)
    found = Counter[int]()
    for length, n in lengths.items():
        found[length // width] += n
    return [
        {"from": at * width, "to": (at + 1) * width - 1, "games": found[at]}
        for at in range(shortest // width, longest // width + 1)
    ]


# An archive

OPENINGS: Final = 10
"""The number of openings per game type that `arena stats` shows."""


class Survey:
    """Counts all records of an archive, whether they count for ratings or not."""

    def __init__(self, opening_plies: int = PLIES) -> None:
        self.opening_plies: Final = opening_plies
        """The length of an opening in plies."""
        self._facts = FactCounter()
        self._games = GameCounter(opening_plies)

    def add(self, record: Record, ending: str = "") -> None:
        """Count one record; `ending` is the rules' word. Default: the record's `Termination`."""
        self._facts.add(record)
        self._games.add(entry(0, record, ending))

    @property
    def facts(self) -> TagFacts:
        """Return the facts in the tags."""
        return self._facts.facts()

    @property
    def games(self) -> list[tuple[str, GameCounts]]:
        """Return the counts by game type, the most frequent first."""
        return sorted(self._games.by_game.items(), key=lambda pair: (-pair[1].games, pair[0]))

    def together(self) -> GameCounts:
        """Return the lengths and results of all games."""
        found = GameCounts()
        for _, counted in self.games:
            found.lengths.update(counted.lengths)
            found.plies += counted.plies
            found.results.update(counted.results)
        return found

    def to_json(self, openings: int = OPENINGS) -> dict[str, Any]:
        """Return JSON with this many openings per game type, as json-output.md describes it."""
        facts = self.facts
        dates = facts["dates"]
        return {
            "games": facts["records"],
            "plies": facts["plies"],
            "players": facts["bots"],
            "dates": {**dates, "first": dates["first"] or None, "last": dates["last"] or None},
            "opening_plies": self.opening_plies,
            "by_game": [_surveyed(game, counted, openings) for game, counted in self.games],
        }


def _surveyed(game: str, counted: GameCounts, openings: int) -> dict[str, Any]:
    return {
        "game": game,
        "games": counted.games,
        "plies": counted.plies,
        "lengths": counted.spread and {"games": counted.lengths.total(), **counted.spread},
        "results": {
            "first": counted.results[Result.FIRST_WON],
            "second": counted.results[Result.SECOND_WON],
            "draws": counted.results[Result.DRAWN],
            "unfinished": counted.results[Result.UNFINISHED],
            "first_score": counted.first_score,
        },
        "endings": counts(counted.endings),
        "openings": {
            "games": counted.openings.games,
            "missed": counted.openings.missed,
            "lines": [
                {"moves": text.split(), "games": way.times, "first_score": way.score_rate}
                for text, way in counted.openings.ranked()[:openings]
            ],
        },
    }
