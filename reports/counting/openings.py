"""Openings: how often they were played, their results, and whether they are balanced.

Symmetric lines count as one line, written as the least of them, so that archives can be compared.
Records are read one at a time. Memory is bounded, except that `OpeningCounter` keeps 20 bytes per
game to recognise duplicates. `OpeningCounter` counts lines of one length, and `SetupCounter` counts
setups; `trees` counts move by move.
"""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from lath.games.core import Move, Position, least, least_line
from lath.games.errors import GameError
from lath.notation.archive.archive import SeenRecords
from lath.notation.formats.tables import guarded
from lath.notation.record.record import Record
from lath.notation.record.tags import RULES
from lath.notation.rules.replay import start_from
from lath.reports.counting.estimates import wilson
from lath.reports.counting.facts import GameFigures, KnownRecord, of_game
from lath.reports.counting.figures import Way, WayCounts, Ways, first_moves, score_of, start_text
from lath.reports.counting.rated import digest_of, place_of
from lath.reports.schema import Count, Positive, Share

OPEN: Final = 10_000
"""The most pairs that are kept in memory while their second game is missing."""

DOUBT: Final = 3
"""The weight of the variance of independent games, in pairs."""


@dataclass(slots=True)
class LineCounts(WayCounts):
    """The first player's results with one line, and their variance between pairs."""

    repeats: int = 0
    """Duplicate games, if they were counted: they add no evidence."""

    pairs: int = 0
    """Independent units: the games of two bots from one opening, on both sides or one side."""

    _points_2: float = 0.0
    _points_games: float = 0.0
    _games_2: int = 0
    """Sums over pairs, as in `add_pairs`."""

    def add_pair(self, points: float, games: int) -> None:
        """Count the games of a pair, after they were counted one by one."""
        self.add_pairs(1, points * points, points * games, games * games)

    def add_pairs(self, pairs: int, points_2: float, points_games: float, games_2: int) -> None:
        """Count pairs by their sums of points squared, points times games, and games squared."""
        self.pairs += pairs
        self._points_2 += points_2
        self._points_games += points_games
        self._games_2 += games_2

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the 95% interval of the first player's score; None without a result.

        It is Wilson's interval, for the equivalent number of independent games, because the games
        of a pair are dependent. Few pairs do not show how dependent, so `DOUBT` pairs of
        independent games are added.

        >>> line = LineCounts(wins=1)
        >>> line.add_pair(1.0, 1)
        >>> [round(end, 2) for end in line.interval]
        [0.21, 1.0]
        """
        score, worth = self.score_rate, self.worth
        return None if score is None or worth is None else wilson(score, worth)

    @property
    def worth(self) -> float | None:
        """Return the equivalent number of independent games; None without pairs."""
        score, games = self.score_rate, self.games
        if score is None or not self.pairs:
            return None
        alone, new = score * (1 - score) / games, 1 - self.repeats / games
        if not alone:
            return max(1.0, new * self.pairs)  # all games scored the same
        off = self._points_2 - 2 * score * self._points_games + score * score * self._games_2
        spread = max(0.0, off) * self.pairs / games**2  # over pairs - 1, which cancels below
        return new * games * alone * (self.pairs - 1 + DOUBT) / (spread + DOUBT * alone)


class _Lines(Ways):
    """The lines of one game type."""

    kind = LineCounts


def pair_of(record: Record) -> tuple[int, int]:
    """Return digests of what the games of a pair share: the pair, and its number in the event."""
    return place_of(record, (record.first, record.second))[:2]


class Pairs:
    """Finds the two games of each pair, so that lines count a pair as one unit."""

    def __init__(self) -> None:
        self._open: Final[dict[Hashable, tuple[Sequence[LineCounts], float]]] = {}
        """The lines and the first player's points of each pair with one game so far."""

    def add(self, pair: Hashable, lines: Sequence[LineCounts], points: float) -> None:
        """Count a game in its `lines`; `pair` is the result of `pair_of`."""
        if pair not in self._open:
            self._open[pair] = lines, points
            if len(self._open) > OPEN:
                self._close(next(iter(self._open)))
            return
        others, before = self._open.pop(pair)
        shared = set(map(id, lines)).intersection(map(id, others))
        for line in lines:
            is_shared = id(line) in shared
            line.add_pair(before + points if is_shared else points, 2 if is_shared else 1)
        for line in others:
            if id(line) not in shared:  # the two games differ from there on
                line.add_pair(before, 1)

    def close(self) -> None:
        """Count each game without its second game as a pair of its own."""
        while self._open:
            self._close(next(iter(self._open)))

    def _close(self, pair: Hashable) -> None:
        lines, points = self._open.pop(pair)
        for line in lines:
            line.add_pair(points, 1)


class OpeningCounter:
    """Counts the first plies of records, and the duplicate games among them."""

    def __init__(self, plies: int) -> None:
        self.plies: Final = plies
        """The length of a line in plies; shorter games count whole."""
        self.games = 0
        """All counted games."""
        self.repeats = 0
        """Duplicate games: equal bots, start, moves, result and ending."""
        self._lines: Final[defaultdict[str, _Lines]] = defaultdict(_Lines)
        self._seen: Final = SeenRecords()
        self._pairs: Final = Pairs()

    def add(self, record: Record) -> None:
        """Count one record; records without moves count only if `plies` is 0."""
        if record.is_result_only or (self.plies and not record.plies):
            return
        seats = record.first, record.second
        is_again = not self._seen.add(digest_of(record, seats, record.termination))
        self.repeats += is_again
        self.games += 1
        points = record.result.points[0] if record.result.is_finished else None
        line = self._lines[record.game].add("\t".join(line_of(record, self.plies)), points, 0)
        if points is not None and isinstance(line, LineCounts):
            line.repeats += is_again
            self._pairs.add(pair_of(record), [line], points)

    def by_game(self) -> list[tuple[str, Ways, list[tuple[str, str, LineCounts]]]]:
        """Return, for each game type, its openings and each line's start, moves and counts.

        Game types are sorted by id, and the most frequent lines come first. The start is empty for
        the game's own start.
        """
        self._pairs.close()
        return [
            (
                game,
                lines,
                [(*text.split("\t"), line) for text, line in lines.ranked()],  # type: ignore[misc]  # two parts
            )
            for game, lines in sorted(self._lines.items())
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row per line, as JSON and CSV contain it."""
        return [
            {
                "game": game,
                "start": start,
                "moves": moves,
                "games": line.times,
                "first_wins": line.wins,
                "draws": line.draws,
                "second_wins": line.losses,
                "unfinished": line.undecided,
                "first_score": line.score_rate,
                "low": line.interval and line.interval[0],
                "high": line.interval and line.interval[1],
                "pairs": line.pairs,
            }
            for game, _, lines in self.by_game()
            for start, moves, line in lines
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that docs/reference/json-output.md describes."""
        missed = {game: lines.missed for game, lines, _ in self.by_game()}
        return {
            "opening_plies": self.plies,
            "repeats": self.repeats,
            "missed": missed,
            "lines": [{**row, "moves": row["moves"].split()} for row in self.rows()],
        }

    def to_csv(self) -> str:
        """Return the rows as CSV with a header."""
        return csv_of(self.rows(), "game")


def csv_of(rows: Sequence[Mapping[str, Any]], first: str) -> str:
    """Return rows as CSV with a header; without rows, the header is `first`."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(rows[0] if rows else (first,))
    writer.writerows([guarded(f"{'' if v is None else v}") for v in row.values()] for row in rows)
    return stream.getvalue()


# Data of a page

SETUPS: Final = 10
"""The number of setups shown per game type."""


class OpeningLine(Way):
    """An opening with the interval of the first player's score."""

    low: Share
    """The lower end of the 95% interval of the first player's score; the two games of a pair are
    one piece of evidence."""
    high: Share
    """The upper end of the interval."""


class SetupsOfGame(GameFigures):
    """The most frequent setups and positions in which games of one type began."""

    games: Positive
    """Games that began from one of these setups."""
    different: Positive
    """Number of different setups."""
    missed: Count
    """The most games that any setup may lack, because rare setups are forgotten; 0 if the counts
    are exact."""
    lines: list[OpeningLine]
    """The most frequent first."""


def chosen_plies(record: Record) -> int:
    """Return the number of plies that the arena played at the start of a game.

    They are the random line in the tag Opening, or the plies of an Opening before the first timed
    ply. Without an Opening or times, the number is unknown and 0 is returned.
    """
    if not (opening := record.tag("Opening")):
        return 0
    if opening.startswith("random:"):
        return len(opening.split()) - 1
    return next((at for at, ply in enumerate(record.plies) if ply.used_s is not None), 0)


class SetupCounter:
    """Counts the setups and positions in which games began, except the games' own starts."""

    def __init__(self) -> None:
        self._setups: Final[defaultdict[str, _Lines]] = defaultdict(_Lines)
        self._pairs: Final = Pairs()

    def add(self, entry: KnownRecord) -> None:
        """Count a game that counts for the standings."""
        record, points = entry.record, entry.points
        setup, position = record.tag("Setup"), record.tag("Position")
        if points is None or not (setup or position):
            return
        text = start_text(record.game, setup, position) or setup or position
        counts = self._setups[record.game].add(text, points, entry.number)
        if isinstance(counts, LineCounts):
            self._pairs.add(pair_of(record), [counts], points)

    def setups(self) -> list[SetupsOfGame]:
        """Return the setups of each game type, sorted by id, with the first player's results."""
        self._pairs.close()
        return [
            {
                **of_game(game),
                "games": ways.games,
                "different": len(ways.ranked()),
                "missed": ways.missed,
                "lines": [line_as_told(*one) for one in ways.ranked()[:SETUPS]],
            }
            for game, ways in sorted(self._setups.items())
        ]


def line_as_told(text: str, counts: WayCounts) -> OpeningLine:
    """Return an opening in the form of the page's data."""
    low, high = (counts.interval if isinstance(counts, LineCounts) else None) or (0.0, 1.0)
    return {
        "text": text,
        **score_of(counts),
        "example": counts.example,
        "low": round(low, 3),
        "high": round(high, 3),
    }


def line_of(record: Record, plies: int) -> tuple[str, str]:
    """Return the start of a record and its first moves; the start is empty for the game's own.

    Both are the least of their symmetric forms, or unchanged if the game refuses them.
    """
    moves = first_moves(record, plies)
    setup, position, rules = record.tag("Setup"), record.tag("Position"), record.tag(RULES)
    try:
        begun = _start(record.game, setup, position, rules)
        start, line = least_line(begun, list(map(Move, moves)))
    except (GameError, KeyError):
        return start_text(record.game, setup, position), " ".join(moves)
    return "" if start == _own_start(record.game, rules) else start.text(), " ".join(line)


_start: Final = lru_cache(maxsize=4096)(start_from)


@lru_cache(maxsize=64)
def _own_start(game_id: str, rules: str) -> Position:
    return least(start_from(game_id, "", "", rules))
