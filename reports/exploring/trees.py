"""Trees of the moves from a game's own start, for a page, with the counts of `explorer`.

Each line of a tree has the statistics of `explorer.Node` for its last move. They are the games that
reach the position before it, in any order of moves, and continue with it, and the games that reach
the position after it. Only the first moves of a game are kept, in about 40 bytes. Only the
positions that are shown, and those of games at the same ply, are computed.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import Any, Final

from lath.games.core import Move, Position, least, least_line, symmetries
from lath.games.errors import GameError
from lath.notation.record.record import Record
from lath.notation.record.tags import RULES
from lath.notation.rules.replay import start_from
from lath.reports.counting.facts import GameFigures, KnownRecord, of_game
from lath.reports.counting.figures import ScoreCount, first_moves, score_of
from lath.reports.counting.openings import (
    LineCounts,
    OpeningLine,
    Pairs,
    chosen_plies,
    line_as_told,
    pair_of,
)
from lath.reports.schema import Count, Positive, Share

FREE: Final = 4
"""The plies of a tree beyond those that the arena chose."""

CHOSEN: Final = 8
"""The most plies chosen by the arena that are part of a tree."""

LINES: Final = 300
"""The most lines of a tree."""


class ReachedPosition(ScoreCount):
    """The results of all games that reach a position, in any order of moves."""

    low: Share
    """The lower end of the 95% interval of the first player's score."""
    high: Share
    """The upper end of the interval."""


class TreeLine(OpeningLine):
    """A line of a tree; its text has all moves from the start.

    Its games are those that reach the position before its last move, and continue with this move.
    """

    chosen: Count
    """Games in which the arena chose the last move of the line."""
    reached: ReachedPosition
    """Results of all games that reach the position after the line, in any order of moves."""


class TreeOfGame(GameFigures):
    """The tree of moves from the normal start of one game type, with symmetric lines as one."""

    games: Positive
    """Games from the normal start that have a move."""
    lines: list[TreeLine]
    """The most frequent first, and each after the line that it continues."""


@dataclass(slots=True)
class _Kept:
    """The first moves of games with one start, one game after another."""

    moves: array[int] = field(default_factory=lambda: array("H"))
    """The moves of all games, as indices of `places`."""
    lengths: bytearray = field(default_factory=bytearray)
    chosen: bytearray = field(default_factory=bytearray)
    points: bytearray = field(default_factory=bytearray)
    """Twice the first player's points."""
    numbers: array[int] = field(default_factory=lambda: array("L"))
    pairs: array[int] = field(default_factory=lambda: array("q"))
    places: dict[str, int] = field(default_factory=dict)
    """The index of each distinct move."""

    def add(self, record: Record, number: int, points: float) -> None:
        chosen, length = min(chosen_plies(record), CHOSEN), 0
        for move in first_moves(record, CHOSEN + FREE):
            place = self.places.setdefault(move, len(self.places))
            if place > _MOST_MOVES:
                del self.places[move]
                break
            self.moves.append(place)
            length += 1
        self.lengths.append(length)
        self.chosen.append(chosen)
        self.points.append(int(2 * points))
        self.numbers.append(number)
        self.pairs.append(hash(pair_of(record)))


_MOST_MOVES: Final = (1 << 16) - 1


class TreeCounter:
    """Counts the moves of games from their own start."""

    def __init__(self) -> None:
        self._kept: Final[defaultdict[str, dict[Any, _Kept]]] = defaultdict(dict)
        """The games by type and by start, which can differ between versions of the rules."""

    def add(self, entry: KnownRecord) -> None:
        """Count a game that counts for the standings."""
        record, points = entry.record, entry.points
        has_own_start = not (record.tag("Setup") or record.tag("Position"))
        if points is None or not has_own_start or not record.plies:
            return
        with suppress(GameError):
            start = start_from(record.game, "", "", record.tag(RULES))
            self._kept[record.game].setdefault(start, _Kept()).add(record, entry.number, points)

    def trees(self) -> list[TreeOfGame]:
        """Return the tree of each game type, sorted by id, with the first player's results.

        If there are several versions of the rules, the tree is that of the version with the most
        games.
        """
        found: list[TreeOfGame] = []
        for game, by_start in sorted(self._kept.items()):
            start, kept = max(by_start.items(), key=lambda each: len(each[1].lengths))
            lines = _Tree(start, kept).lines()
            found.append({**of_game(game), "games": len(kept.lengths), "lines": lines})
        return found


@dataclass(slots=True)
class _Way:
    """A move in a position, including symmetric moves, and its games."""

    games: list[int] = field(default_factory=list)
    """The indices of its games, in order."""
    counts: LineCounts = field(default_factory=LineCounts)
    chosen: int = 0


@dataclass(slots=True)
class _Place:
    """A position after some plies, and the games that reach it."""

    games: list[int]
    counts: LineCounts = field(default_factory=LineCounts)
    ways: dict[Move, _Way] = field(default_factory=dict)
    """The moves by their least symmetric forms, as in `least_line`."""
    is_counted: bool = False


@dataclass(slots=True)
class _Told:
    """A line that is shown."""

    text: str
    way: _Way
    place: _Place
    """The position after the line."""


class _Level:
    """The positions of all games after the same number of plies."""

    def __init__(self, nodes: list[int], positions: list[Position | None]) -> None:
        self.nodes: Final = nodes
        """The line of each game; -1 if the game is shorter."""
        self.positions: Final = positions
        """The position of each line; None if the rules refuse it."""
        images: list[Any] = [
            position and symmetries(position)[0].position(position) for position in positions
        ]
        self._games: Final[defaultdict[Any, list[int]]] = defaultdict(list)
        for game, node in enumerate(nodes):
            if node >= 0 and (image := images[node]) is not None:
                self._games[image].append(game)

    def games_at(self, position: Position) -> list[int]:
        """Return the games that reach a position or one symmetric to it, in order."""
        images: set[Any] = {way.position(position) for way in symmetries(position)}
        found = [self._games[image] for image in images if image in self._games]
        return found[0] if len(found) == 1 else sorted(game for games in found for game in games)


class _Tree:
    """The tree of the games from one start."""

    def __init__(self, start: Position, kept: _Kept) -> None:
        self._start: Final = start
        self._kept: Final = kept
        self._texts: Final = list(map(Move, kept.places))
        self._firsts: Final = list(accumulate(kept.lengths, initial=0))
        """The index of the first move of each game."""
        self._levels: Final = [_Level([0] * len(kept.lengths), [start])]
        self._most: Final = max(kept.chosen, default=0) + FREE
        self._places: Final[dict[tuple[int, Any], _Place]] = {}
        """The positions by ply and least symmetric form."""

    def lines(self) -> list[TreeLine]:
        """Return the shown lines.

        The lines with the most frequent moves come first. A frequent position behind a rare move is
        on another line too.
        """
        waiting = self._ways(self._start, 0, "", len(self._kept.lengths))
        heapify(waiting)
        told: list[_Told] = []
        while waiting and len(told) < LINES:
            least_games, _, text, way, after = heappop(waiting)
            ply = text.count(" ") + 1
            told.append(_Told(text, way, self._place(after, ply)))
            if ply < self._most:
                for each in self._ways(after, ply, f"{text} ", -least_games):
                    heappush(waiting, each)
        self._count(told)
        return list(map(self._told, told))

    def _ways(self, position: Position, ply: int, before: str, most: int) -> list[_Waiting]:
        """Return the moves in a position, the most frequent first; `most` limits their rank."""
        ways = self._place(position, ply, has_ways=True).ways
        found: list[_Waiting] = []
        seen: set[Move] = set()
        for move in position.legal_moves() if ways else ():
            (image,) = least_line(position, [move])[1]
            if (way := ways.get(image)) and image not in seen:
                seen.add(image)
                times = len(way.games)
                text = f"{before}{move}"
                found.append((-min(times, most), -times, text, way, position.play(move)))
        return found

    def _place(self, position: Position, ply: int, *, has_ways: bool = False) -> _Place:
        key = ply, least(position)
        if (place := self._places.get(key)) is None:
            place = self._places[key] = _Place(self._level(ply).games_at(position))
        if has_ways and not place.is_counted:
            place.is_counted = True
            self._find_ways(place, ply)
        return place

    def _find_ways(self, place: _Place, ply: int) -> None:
        """Sort the games of a position by their next move."""
        kept, level, following = self._kept, self._level(ply), self._level(ply + 1)
        images: dict[int, _Way] = {}
        """The moves by the line that a game has after them."""
        for game in place.games:
            node = following.nodes[game]
            if node < 0:
                continue
            if (way := images.get(node)) is None:
                position = level.positions[level.nodes[game]]
                if position is None or following.positions[node] is None:
                    continue
                move = self._texts[kept.moves[self._firsts[game] + ply]]
                (image,) = least_line(position, [move])[1]
                way = images[node] = place.ways.setdefault(image, _Way())
            way.games.append(game)
            way.chosen += ply < kept.chosen[game]

    def _level(self, ply: int) -> _Level:
        while len(self._levels) <= ply:
            self._levels.append(self._next(self._levels[-1], len(self._levels) - 1))
        return self._levels[ply]

    def _next(self, last: _Level, ply: int) -> _Level:
        """Return the positions of all games one ply later."""
        kept = self._kept
        places: dict[tuple[int, int], int] = {}
        nodes = []
        for game, node in enumerate(last.nodes):
            if node < 0 or ply >= kept.lengths[game]:
                nodes.append(-1)
            else:
                move = kept.moves[self._firsts[game] + ply]
                nodes.append(places.setdefault((node, move), len(places)))
        positions: list[Position | None] = []
        for node, move in places:
            before, after = last.positions[node], None
            if before is not None:
                with suppress(GameError):
                    after = before.play(self._texts[move])
            positions.append(after)
        return _Level(nodes, positions)

    def _count(self, told: Sequence[_Told]) -> None:
        """Count the results of the games of each line."""
        kept = self._kept
        lines: defaultdict[int, list[LineCounts]] = defaultdict(list)
        found = {id(each): each for line in told for each in (line.way, line.place)}
        for each in found.values():
            for game in each.games:
                lines[game].append(each.counts)
        pairs = Pairs()
        for game, (doubled, pair) in enumerate(zip(kept.points, kept.pairs, strict=True)):
            points, counts = doubled / 2, lines.get(game, [])
            for line in counts:
                line.add(points, 1)
            pairs.add(pair, counts, points)
        pairs.close()

    def _told(self, line: _Told) -> TreeLine:
        reached = line.place.counts
        low, high = reached.interval or (0.0, 1.0)
        line.way.counts.example = self._kept.numbers[line.way.games[0]]
        return {
            **line_as_told(line.text, line.way.counts),
            "chosen": line.way.chosen,
            "reached": {**score_of(reached), "low": round(low, 3), "high": round(high, 3)},
        }


_Waiting = tuple[int, int, str, _Way, Position]
"""A line that may be shown. It consists of the negative numbers of games of its rarest and of its
last move, the text, the last move, and the position after it."""
