"""The moves played from a position, with their results and those of the positions after them.

Two similar counts are separate. A move was *played* if a game came to this position and continued
with it. The position after it was *reached* by that move, or by other moves in another order. The
second count shows how a position scores. Symmetric positions count as one, so that a move and its
mirror image are one line if the position has that symmetry. A game counts once for each position
and each move, however often they occur in it.

Scores have Wilson's 95% intervals, for which the two games of a pair are one piece of evidence
(`openings.Pairs`). A `Source` answers queries about its games; `ExploredGames` keeps games in
memory and replays them.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, Self

from lath.games.capabilities import count_legal
from lath.games.core import Move, Position, Result, Side, follow, least_line, symmetries
from lath.notation.record.record import Record
from lath.notation.record.tags import RULES, date_of, number_of, opening_name
from lath.notation.rules.replay import spellings, start_of
from lath.reports.counting.estimates import wilson
from lath.reports.counting.openings import LineCounts, Pairs, pair_of
from lath.reports.ratings.counts import SideScore
from lath.reports.ratings.results import Scored
from lath.reports.schema import written

RATINGS: Final = ("FirstElo", "SecondElo")
"""The tags with the ratings of the players, as numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTally(Scored):
    """The results of some games; wins and losses are the first player's."""

    wins: int
    draws: int
    losses: int
    undecided: int = 0
    """Games without a result."""

    plies: int = 0
    """The plies of all games with a result together."""

    worth: float | None = None
    """The equivalent number of independent games with a result. None means that all are
    independent."""

    @property
    def times(self) -> int:
        """Return the number of games, with and without a result."""
        return self.games + self.undecided

    @property
    def mean_plies(self) -> float | None:
        """Return the mean length of games with a result in plies; None without any."""
        return self.plies / self.games if self.games else None

    def score(self, seat: Side) -> float | None:
        """Return a side's points per game with a result, in 0..1; None without results."""
        rate = self.score_rate
        return rate if rate is None or seat is Side.FIRST else 1 - rate

    def interval(self, seat: Side) -> tuple[float, float] | None:
        """Return the 95% interval of that score; None without results.

        >>> [round(end, 2) for end in ResultTally(wins=3, draws=0, losses=1).interval(Side.SECOND)]
        [0.05, 0.7]
        """
        rate = self.score_rate
        if rate is None:
            return None
        low, high = wilson(rate, self.worth or self.games)
        return (low, high) if seat is Side.FIRST else (1 - high, 1 - low)

    def to_json(self, mover: Side) -> dict[str, Any]:
        """Return the JSON that docs/reference/json-output.md describes."""
        return {
            "games": self.times,
            "first_wins": self.wins,
            "draws": self.draws,
            "second_wins": self.losses,
            "unfinished": self.undecided,
            "first_score": _scored(self, Side.FIRST),
            "mover_score": _scored(self, mover),
            "plies": None if self.mean_plies is None else round(self.mean_plies, 2),
        }


def _scored(tally: ResultTally, seat: Side) -> dict[str, float] | None:
    value, ends = tally.score(seat), tally.interval(seat)
    if value is None or ends is None:
        return None
    return {"value": round(value, 4), "low": round(ends[0], 4), "high": round(ends[1], 4)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The place of a game in its file, and its tags for display."""

    source: str
    """The name of the file as given; empty if all games are from one source."""

    number: int
    """The record's number in the file, from 1."""

    ply: int
    """The ply of the referenced move, from 1."""

    first: str
    second: str
    result: Result
    date: str
    """Empty if the record has no date."""

    opening: str = ""
    """The name of its opening; empty if it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """A move that can be played in a position."""

    move: Move
    """The move as written in the requested position."""

    same: tuple[Move, ...] = ()
    """Other moves there that are symmetric to it; they are counted with it."""

    position: str
    """The text of the position after the move."""

    played: ResultTally
    """The games in which the move was played from the requested position."""

    reached: ResultTally
    """The games that reach the position after the move, in any way."""

    newest: Reference | None = None
    """The latest game with the move by date, then by place in its file; None without a game."""

    best: Reference | None = None
    """The game with the move between the strongest players, as in `Best`; None without a game."""

    def to_json(self, mover: Side) -> dict[str, Any]:
        """Return the JSON that docs/reference/json-output.md describes."""
        return {
            "move": self.move,
            "same": list(self.same),
            "position": self.position,
            "played": self.played.to_json(mover),
            "reached": self.reached.to_json(mover),
            "newest": self.newest and written(self.newest),
            "best": self.best and written(self.best),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """The statistics of a position."""

    game: str
    """The id of the game type."""

    position: str
    """The text of the requested position."""

    to_move: Side
    games: int
    """All games of that type with moves."""

    here: ResultTally
    """The games that reach the position."""

    ended: int
    """The number of these games that end in the position."""

    continuations: tuple[Continuation, ...]
    """Every legal move that was played from here or whose next position was reached, the most
    frequent first. Equally frequent moves are in the order of the rules."""

    without_moves: int = 0
    """Games of that type without moves; they count for nothing else."""

    begins: str = ""
    """The position in which the first game begins; empty without games."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON that docs/reference/json-output.md describes."""
        return {
            "game": self.game,
            "position": self.position,
            "to_move": self.to_move.word,
            "games": self.games,
            "without_moves": self.without_moves,
            "here": self.here.to_json(self.to_move),
            "ended": self.ended,
            "begins": self.begins,
            "continuations": [each.to_json(self.to_move) for each in self.continuations],
        }


class Source(Protocol):
    """Games that answer queries about positions."""

    def node(self, asked: Position) -> Node:
        """Return the statistics of a position."""


@dataclass(slots=True)
class PositionCounts(LineCounts):
    """The results and the lengths of games."""

    plies: int = 0

    def count(self, points: float | None, plies: int) -> None:
        """Count a game with these points and this length; None for a game without a result."""
        if points is None:
            self.undecided += 1
        else:
            self.plies += plies
            self.add(points, 1)

    def tally(self) -> ResultTally:
        """Return the counts, after the pairs were closed."""
        return ResultTally(
            wins=self.wins,
            draws=self.draws,
            losses=self.losses,
            undecided=self.undecided,
            plies=self.plies,
            worth=self.worth,
        )


class Best:
    """Finds the game of the strongest players among some games.

    If games have the tags FirstElo and SecondElo, it is the game with the highest sum of both. If
    no game has them, a player's strength is the lower end of the 95% interval of its score in all
    selected games, so that one win is not enough. Among equal games, the newest one counts.
    """

    __slots__ = ("_by_players", "_rated")

    def __init__(self) -> None:
        self._rated: tuple[float, tuple[str, int], Reference] | None = None
        self._by_players: Final[dict[tuple[str, str], tuple[tuple[str, int], Reference]]] = {}

    def add(self, rating: float | None, when: tuple[str, int], game: Reference) -> None:
        """Add a game; `when` orders games by date and place."""
        if rating is not None:
            if self._rated is None or (rating, when) > self._rated[:2]:
                self._rated = rating, when, game
        else:
            players = game.first, game.second
            known = self._by_players.get(players)
            if known is None or when > known[0]:
                self._by_players[players] = when, game

    def found(self, strengths: dict[str, float]) -> Reference | None:
        """Return the game; `strengths` are those of players by name, 0 for unlisted players."""
        if self._rated is not None:
            return self._rated[2]
        of = strengths.get
        ranked = (
            (of(first, 0.0) + of(second, 0.0), when, game)
            for (first, second), (when, game) in self._by_players.items()
        )
        best = max(ranked, key=lambda one: one[:2], default=None)
        return best and best[2]


def rating_of(record: Record) -> float | None:
    """Return the sum of both players' ratings; None if one has no rating."""
    ratings = [number_of(record.tag(name)) for name in RATINGS]
    return None if None in ratings else sum(filter(None, ratings))


@dataclass(slots=True)
class _Row:
    """A legal move with its counts."""

    move: Move
    position: Position
    """The position after the move."""

    reached: PositionCounts
    same: list[Move] = field(default_factory=list)
    played: PositionCounts = field(default_factory=PositionCounts)
    newest: tuple[tuple[str, int], Reference] | None = None
    best: Best = field(default_factory=Best)

    def refer(self, rating: float | None, when: tuple[str, int], game: Reference) -> None:
        """Keep a game with the move, as the newest or best if it is."""
        if self.newest is None or when > self.newest[0]:
            self.newest = when, game
        self.best.add(rating, when, game)


@dataclass(frozen=True, slots=True)
class ExploredGame:
    """A game for queries about its positions."""

    record: Record
    source: str
    number: int
    start: Position
    moves: tuple[Move, ...]
    """The moves in canonical text, as far as the game reads them."""

    pair: tuple[int, int]
    """Digests that the other game of its pair shares."""

    @classmethod
    def of(cls, record: Record, source: str, number: int) -> Self:
        """Return the game of a record; raises GameError if its start is invalid."""
        spelled = spellings(record.game, record.tag(RULES))
        moves = tuple(Move(spelled[move]) for move in record.moves)
        return cls(record, source, number, start_of(record), moves, pair_of(record))

    def positions(self) -> Iterator[Position]:
        """Yield the first position and that after each ply; raises IllegalMoveError."""
        position = self.start
        yield position
        for move in self.moves:
            position = position.play(move)
            yield position

    def at(self, ply: int) -> Position:
        """Return the position after this many plies, which must be legal."""
        position = follow(self.start, self.moves[:ply])
        assert position is not None
        return position

    def reference(self, ply: int, date: str) -> Reference:
        """Return a reference to a ply of the game."""
        record = self.record
        return Reference(
            source=self.source,
            number=self.number,
            ply=ply,
            first=record.first,
            second=record.second,
            result=record.result,
            date=date,
            opening=opening_name(record.tag("Opening")),
        )


Sign = int
"""A 16-bit number that is equal for symmetric positions and different for most others."""


def sign_of(position: Position) -> Sign:
    """Return the sign of a position, from the side to move and the number of legal moves."""
    return 2 * min(count_legal(position), 1 << 14) + position.to_move


class NodeCounter:
    """Counts the moves from one position, game by game, without keeping games.

    Memory grows with the names of players, and for each move with the pairings in its games.
    """

    def __init__(self, asked: Position) -> None:
        """Begin without games; `asked` is the requested position."""
        self._asked: Final = asked
        self._here: Final = PositionCounts()
        self._ended = self._games = self._without_moves = 0
        self._begins = ""
        self._pairs: Final = Pairs()
        self._players: Final[defaultdict[str, SideScore]] = defaultdict(SideScore)
        self._images: Final[dict[Any, PositionCounts]] = {}
        """The counts of the position, of those after each move, and of all symmetric ones."""
        self._know(asked, self._here)
        self._rows: Final[dict[Move, _Row]] = {}
        """The moves by their least symmetric forms, as in `least_line`."""
        self.signs: Final = {sign_of(asked)}
        """The signs of the position and of those after each move; no other position matters."""
        for move in asked.legal_moves():
            (image,) = least_line(asked, [move])[1]
            if known := self._rows.get(image):
                known.same.append(move)
                continue
            after = asked.play(move)
            self.signs.add(sign_of(after))
            reached = self._counts_of(after)  # other moves can lead to the same position
            if reached is None:
                self._know(after, reached := PositionCounts())
            self._rows[image] = _Row(move, after, reached)

    def _know(self, position: Position, counts: PositionCounts) -> None:
        for way in symmetries(position):
            self._images[way.position(position)] = counts

    def _counts_of(self, position: Position) -> PositionCounts | None:
        """Return the counts of a position; None if it is neither this one nor one after a move."""
        return self._images.get(symmetries(position)[0].position(position))

    def add(self, record: Record, source: str, number: int) -> None:
        """Count a game of the same type; raises GameError if it cannot be replayed.

        It is the record with this number, from 1, in the file `source`.
        """
        game = ExploredGame.of(record, source, number)
        at = ((ply, one) for ply, one in enumerate(game.positions()) if sign_of(one) in self.signs)
        self.add_at(game, at)

    def add_at(self, game: ExploredGame, positions: Iterable[tuple[int, Position]]) -> None:
        """Count a game, given the positions that can matter and the plies before them."""
        if not game.moves:
            self._without_moves += 1
            return
        self._games += 1
        self._begins = self._begins or game.start.text()
        record, moves = game.record, game.moves
        points = None
        if record.result.is_finished:
            points, of_second = record.result.points
            self._players[record.first].add(points, 1)
            self._players[record.second].add(of_second, 1)
        met: dict[int, PositionCounts] = {}
        rows: dict[Move, int] = {}
        for ply, position in positions:
            counts = self._counts_of(position)
            if counts is None:
                continue
            met[id(counts)] = counts
            if counts is not self._here:
                continue
            if ply < len(moves):
                (image,) = least_line(position, moves[ply : ply + 1])[1]
                rows.setdefault(image, ply + 1)
            else:
                self._ended += 1
        lines = [*met.values(), *(self._rows[image].played for image in rows)]
        for line in lines:
            line.count(points, len(moves))
        if points is not None:
            # Also for games that do not reach the position.
            self._pairs.add(game.pair, lines, points)
        if rows:
            self._refer(game, rows)

    def _refer(self, game: ExploredGame, rows: dict[Move, int]) -> None:
        """Keep a game as a reference for its moves from here, given with their plies."""
        record = game.record
        date = record.tag("Date") if date_of(record.tag("Date")) else ""
        rating, when = rating_of(record), (date, self._games)
        for image, ply in rows.items():
            self._rows[image].refer(rating, when, game.reference(ply, date))

    def node(self) -> Node:
        """Return the statistics."""
        self._pairs.close()
        strengths = {
            name: wilson(score.score_rate or 0.0, score.games)[0]
            for name, score in self._players.items()
        }
        told = [
            Continuation(
                move=row.move,
                same=tuple(row.same),
                position=row.position.text(),
                played=row.played.tally(),
                reached=row.reached.tally(),
                newest=row.newest and row.newest[1],
                best=row.best.found(strengths),
            )
            for row in self._rows.values()
            if row.reached.times
        ]
        told.sort(key=lambda each: (-each.played.times, -each.reached.times))
        return Node(
            game=self._asked.game.id,
            position=self._asked.text(),
            to_move=self._asked.to_move,
            games=self._games,
            here=self._here.tally(),
            ended=self._ended,
            without_moves=self._without_moves,
            continuations=tuple(told),
            begins=self._begins,
        )


class ExploredGames:
    """The games of one type in memory, for repeated queries about any position.

    The sign of each position is kept, in two bytes, so that a query replays games only up to
    positions that can match.
    """

    def __init__(self) -> None:
        self._games: Final[list[tuple[ExploredGame, array[int]]]] = []

    def __len__(self) -> int:
        """Return the number of games."""
        return len(self._games)

    def add(self, record: Record, source: str, number: int) -> None:
        """Add a game of the same type; raises GameError if it cannot be replayed."""
        game = ExploredGame.of(record, source, number)
        self._games.append((game, array("H", map(sign_of, game.positions()))))

    def node(self, asked: Position) -> Node:
        """Return the statistics of a position."""
        counter = NodeCounter(asked)
        for game, signs in self._games:
            places = [ply for ply, sign in enumerate(signs) if sign in counter.signs]
            counter.add_at(game, ((ply, game.at(ply)) for ply in places))
        return counter.node()
