"""Lines that games begin with: how often, who won, and how even a line is as far as that tells.

Lines that are the same turned or mirrored are one, written as the least of them, so that those of
two archives can be compared. Records go by one at a time; memory is bounded, for `OpeningCounter`
but for 20 bytes a game, by which a game that comes again is known. `OpeningCounter` has lines of
one length, `SetupCounter` setups; `trees` has how games go on, move by move.
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
"""Pairs of which the second game may still come, that are kept in mind."""

DOUBT: Final = 3
"""Pairs that the spread of games that are independent counts for, beside that of the pairs."""


@dataclass(slots=True)
class LineCounts(WayCounts):
    """What came of one line, for first, and how it differs from pair to pair."""

    repeats: int = 0
    """Games that came before, where that is looked at: so many tell nothing new."""

    pairs: int = 0
    """Two bots' games from one opening, with both seats or one: what is independent."""

    _points_2: float = 0.0
    _points_games: float = 0.0
    _games_2: int = 0
    """Sums over pairs, see `add_pairs`."""

    def add_pair(self, points: float, games: int) -> None:
        """Count the games of a pair, which are counted one by one already."""
        self.add_pairs(1, points * points, points * games, games * games)

    def add_pairs(self, pairs: int, points_2: float, points_games: float, games_2: int) -> None:
        """Count pairs by their sums of points squared, points times games, and games squared."""
        self.pairs += pairs
        self._points_2 += points_2
        self._points_games += points_games
        self._games_2 += games_2

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return between what first's score lies with 95% confidence; None without a result.

        Wilson's interval, for as many games as the pairs are worth: those of one are not
        independent. How much they are is known after some pairs only; until then games count as
        if they were, `DOUBT` pairs of them.

        >>> line = LineCounts(wins=1)
        >>> line.add_pair(1.0, 1)
        >>> [round(end, 2) for end in line.interval]
        [0.21, 1.0]
        """
        score, worth = self.score_rate, self.worth
        return None if score is None or worth is None else wilson(score, worth)

    @property
    def worth(self) -> float | None:
        """Return as how many independent games they count; None where no pair was counted."""
        score, games = self.score_rate, self.games
        if score is None or not self.pairs:
            return None
        alone, new = score * (1 - score) / games, 1 - self.repeats / games
        if not alone:
            return max(1.0, new * self.pairs)  # all scored alike
        off = self._points_2 - 2 * score * self._points_games + score * score * self._games_2
        spread = max(0.0, off) * self.pairs / games**2  # over pairs - 1, which cancels below
        return new * games * alone * (self.pairs - 1 + DOUBT) / (spread + DOUBT * alone)


class _Lines(Ways):
    """The lines of one game id."""

    kind = LineCounts


def pair_of(record: Record) -> tuple[int, int]:
    """Return what the two games of a pair have in common: bots, opening, event, round, number."""
    return place_of(record, (record.first, record.second))[:2]


class Pairs:
    """Which games are two bots' from one opening, so that lines count what both came to as one."""

    def __init__(self) -> None:
        self._open: Final[dict[Hashable, tuple[Sequence[LineCounts], float]]] = {}
        """Of each pair of which one game was counted, its lines and first's points."""

    def add(self, pair: Hashable, lines: Sequence[LineCounts], points: float) -> None:
        """Count a game in the lines that it is one of; `pair` is what `pair_of` says."""
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
            if id(line) not in shared:  # they went apart there
                line.add_pair(before, 1)

    def close(self) -> None:
        """Take for pairs of their own the games whose second one has not come."""
        while self._open:
            self._close(next(iter(self._open)))

    def _close(self, pair: Hashable) -> None:
        lines, points = self._open.pop(pair)
        for line in lines:
            line.add_pair(points, 1)


class OpeningCounter:
    """Counts the first plies of records, and how many of the games came before."""

    def __init__(self, plies: int) -> None:
        self.plies: Final = plies
        """How long a line is; those of shorter games are whole."""
        self.games = 0
        """All that are counted."""
        self.repeats = 0
        """Those of them that came before: the same bots, start, moves, result and ending."""
        self._lines: Final[defaultdict[str, _Lines]] = defaultdict(_Lines)
        self._seen: Final = SeenRecords()
        self._pairs: Final = Pairs()

    def add(self, record: Record) -> None:
        """Count one record; without moves it has no opening, unless openings are starts alone."""
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
        """Return for each game id, sorted, all that began so and each line: start, moves, counts.

        The most frequent lines come first. A start is empty where it is the game's own.
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
        """Return it as docs/reference/json-output.md describes it."""
        missed = {game: lines.missed for game, lines, _ in self.by_game()}
        return {
            "opening_plies": self.plies,
            "repeats": self.repeats,
            "missed": missed,
            "lines": [{**row, "moves": row["moves"].split()} for row in self.rows()],
        }

    def to_csv(self) -> str:
        """Return a line of text each, and the names of the columns before them."""
        return csv_of(self.rows(), "game")


def csv_of(rows: Sequence[Mapping[str, Any]], first: str) -> str:
    """Return a line of text each, and their keys before them; without rows the `first` key."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(rows[0] if rows else (first,))
    writer.writerows([guarded(f"{'' if v is None else v}") for v in row.values()] for row in rows)
    return stream.getvalue()


# What a page tells

SETUPS: Final = 10
"""Setups of a game that are told."""


class OpeningLine(Way):
    """A way to begin with how far its games tell first's score."""

    low: Share
    """The lower end of the 95% interval of the first player's score; the two games of a pair are
    one piece of evidence."""
    high: Share
    """The upper end of the interval."""


class SetupsOfGame(GameFigures):
    """The setups and positions in which games of one id began, the most frequent ones."""

    games: Positive
    """Games that began from one of these setups."""
    different: Positive
    """Number of different setups."""
    missed: Count
    """Games that a setup may have had besides, because rare setups are forgotten; 0: the counts are
    exact."""
    lines: list[OpeningLine]
    """The most frequent first."""


def chosen_plies(record: Record) -> int:
    """Return how many of its first plies the arena played, as the record says.

    That is the line which the tag Opening has, else of a game with an Opening the plies before the
    first that has a time; where none has, nobody knows, and it is 0.
    """
    if not (opening := record.tag("Opening")):
        return 0
    if opening.startswith("random:"):
        return len(opening.split()) - 1
    return next((at for at, ply in enumerate(record.plies) if ply.used_s is not None), 0)


class SetupCounter:
    """Counts in which setups and positions games began, those of their own start apart."""

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
        """Return the setups of each game id, sorted; scores are first's."""
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
    """Return a way to begin as the page has it."""
    low, high = (counts.interval if isinstance(counts, LineCounts) else None) or (0.0, 1.0)
    return {
        "text": text,
        **score_of(counts),
        "example": counts.example,
        "low": round(low, 3),
        "high": round(high, 3),
    }


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


_start: Final = lru_cache(maxsize=4096)(start_from)


@lru_cache(maxsize=64)
def _own_start(game_id: str, rules: str) -> Position:
    return least(start_from(game_id, "", "", rules))
