"""Lines that games begin with: how often, who won, and how even a line is as far as that tells.

Lines that are the same turned or mirrored are one, written as the least of them, so that those of
two archives can be compared. Records go by one at a time; memory is bounded but for 20 bytes a
game, by which a game that comes again is known.

Must not know files, nor how a number is shown.
"""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from lath.games.core import Move, Position, least, least_line
from lath.games.errors import GameError
from lath.notation.archive import Seen
from lath.notation.formats.tables import guarded
from lath.notation.record import RULES, Record
from lath.notation.replay import start_from
from lath.reports.figures import WayCounts, Ways, first_moves, start_text
from lath.reports.rated import digest_of, place_of
from lath.reports.ratings.results import Z95
from lath.reports.standings import POINTS

OPEN: Final = 10_000
"""Pairs of which the second game may still come, that are kept in mind."""

DOUBT: Final = 3
"""Pairs that the spread of games that are independent counts for, beside that of the pairs."""


@dataclass(slots=True)
class LineCounts(WayCounts):
    """What came of one line, for first, and how it differs from pair to pair."""

    pairs: int = 0
    """Two bots' games from one opening, with both seats or one: what is independent."""

    _points_2: float = 0.0
    _points_games: float = 0.0
    _games_2: int = 0
    """Sums over pairs: of points squared, points times games, games squared."""

    def add_pair(self, points: float, games: int) -> None:
        """Count the games of a pair, which are counted one by one already."""
        self.pairs += 1
        self._points_2 += points * points
        self._points_games += points * games
        self._games_2 += games * games

    @property
    def draw_rate(self) -> float | None:
        """Return the share of draws; None without a result."""
        return self.draws / self.games if self.games else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return between what first's score lies with 95 % confidence; None without a result.

        Wilson's interval, for as many games as the pairs are worth: those of one are not
        independent. How much they are is known after some pairs only; until then games count as
        if they were, `DOUBT` pairs of them.

        >>> line = LineCounts(wins=1)
        >>> line.add_pair(1.0, 1)
        >>> [round(end, 2) for end in line.interval]
        [0.21, 1.0]
        """
        score, games = self.score_rate, self.games
        if score is None or not self.pairs:
            return None
        alone = score * (1 - score) / games
        worth = float(self.pairs)  # where all scored alike
        if alone:
            off = self._points_2 - 2 * score * self._points_games + score * score * self._games_2
            spread = max(0.0, off) * self.pairs / games**2  # over pairs - 1, which cancels below
            worth = games * alone * (self.pairs - 1 + DOUBT) / (spread + DOUBT * alone)
        return wilson(score, worth)


def wilson(share: float, games: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share that was seen in so many independent games.

    >>> [round(end, 3) for end in wilson(0.5, 10)]
    [0.237, 0.763]
    """
    z2 = Z95 * Z95
    middle = (share + z2 / (2 * games)) / (1 + z2 / games)
    half = Z95 / (1 + z2 / games) * math.sqrt(share * (1 - share) / games + z2 / (4 * games**2))
    return max(0.0, middle - half), min(1.0, middle + half)


class _Lines(Ways):
    """The lines of one game id."""

    kind = LineCounts


class Openings:
    """Counts the first plies of records; of a game that comes again only the first is counted."""

    def __init__(self, plies: int) -> None:
        self.plies: Final = plies
        """How long a line is; those of shorter games are whole."""
        self.games = 0
        """Those that count."""
        self.repeats = 0
        """Games that came before: the same bots, start, moves, result and ending."""
        self._lines: Final[defaultdict[str, _Lines]] = defaultdict(_Lines)
        self._seen: Final = Seen()
        self._open: Final[dict[tuple[int, int], tuple[LineCounts, float]]] = {}
        """Of each pair of which one game was counted, its line and first's points."""

    def add(self, record: Record) -> None:
        """Count one record."""
        seats = record.first, record.second
        if not self._seen.add(digest_of(record, seats, record.termination)):
            self.repeats += 1
            return
        self.games += 1
        points = POINTS.get(record.result)
        line = self._lines[record.game].add("\t".join(line_of(record, self.plies)), points, 0)
        if points is None or not isinstance(line, LineCounts):
            return
        key, number, _ = place_of(record, seats)
        if (pair := (key, number)) not in self._open:
            self._open[pair] = line, points
            if len(self._open) > OPEN:
                self._close(next(iter(self._open)))
        elif self._open[pair][0] is line:
            line.add_pair(self._open.pop(pair)[1] + points, 2)
        else:  # they went apart within the line
            self._close(pair)
            line.add_pair(points, 1)

    def _close(self, pair: tuple[int, int]) -> None:
        line, points = self._open.pop(pair)
        line.add_pair(points, 1)

    def by_game(self) -> list[tuple[str, Ways, list[tuple[str, str, LineCounts]]]]:
        """Return for each game id, sorted, all that began so and each line: start, moves, counts.

        The most frequent lines come first. A start is empty where it is the game's own.
        """
        while self._open:
            self._close(next(iter(self._open)))
        return [
            (
                game,
                lines,
                [(*text.split("\t"), line) for text, line in lines.ranked()],  # type: ignore[misc]  # two parts
            )
            for game, lines in sorted(self._lines.items())
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return a line each as programs and sheets have it."""
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
        """Return it as docs/archives.md describes it."""
        missed = {game: lines.missed for game, lines, _ in self.by_game()}
        rows = self.rows()
        return {
            "opening_plies": self.plies,
            "repeats": self.repeats,
            "missed": missed,
            "lines": [{**row, "moves": row["moves"].split()} for row in rows],
        }

    def to_csv(self) -> str:
        """Return a line of text each, and the names of the columns before them."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        rows = self.rows()
        writer.writerow(rows[0] if rows else ("game",))
        writer.writerows(
            [guarded(f"{'' if v is None else v}") for v in row.values()] for row in rows
        )
        return stream.getvalue()


def line_of(record: Record, plies: int) -> tuple[str, str]:
    """Return from where a record begins, empty for its game's own start, and its first moves.

    Both are the least of their images, or as they stand where the game refuses them.
    """
    moves = first_moves(record, plies)
    setup, position, rules = record.tag("Setup"), record.tag("Position"), record.tag(RULES)
    try:
        begun = _start(record.game, setup, position, rules)
        start, line = least_line(begun, list(map(Move, moves)))
    except (GameError, KeyError):
        return start_text(record.game, setup, position), " ".join(moves)
    return "" if start == _own_start(record.game, rules) else start.text(), " ".join(line)


@lru_cache(maxsize=4096)
def _start(game_id: str, setup: str, position: str, rules: str) -> Position:
    return start_from(game_id, setup, position, rules)


@lru_cache(maxsize=64)
def _own_start(game_id: str, rules: str) -> Position:
    return least(start_from(game_id, "", "", rules))
