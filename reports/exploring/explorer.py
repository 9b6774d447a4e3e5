"""What was played from a position, what came of it, and how often what comes after was reached.

Two counts that look alike are kept apart. A move was *played from here* where a game came to this
position and went on by it. The position after it was *reached* by that, or by other moves in
another order: who only wants to know how a position scores asks for that. Games that are the same
turned or mirrored are one, so that a move and its mirror image are one line
where the position has that symmetry. A game counts once for each position and each move, however
often it comes by.

Scores have 95 % intervals, Wilson's, for which two games of a pair are one piece of evidence
(`openings.Pairs`). A `Source` answers for all of its games; `ExploredGames` has them in memory and
plays them again.
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
from lath.notation.record.tags import RULES, date_of, number_of
from lath.notation.rules.replay import spellings, start_of
from lath.reports.counting.estimates import wilson
from lath.reports.counting.openings import LineCounts, Pairs, pair_of
from lath.reports.ratings.counts import SideScore
from lath.reports.ratings.results import Scored
from lath.reports.schema import written

RATINGS: Final = ("FirstElo", "SecondElo")
"""The tags of a record that say how strong its players were; both are numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultTally(Scored):
    """What came of some games; wins and losses are first's."""

    wins: int
    draws: int
    losses: int
    undecided: int = 0
    """Games without a result."""

    plies: int = 0
    """Of those with a result together, from their first move to their last."""

    worth: float | None = None
    """As how many independent games those with a result count; None: as many as they are."""

    @property
    def times(self) -> int:
        """Return how many games there are, with a result or without."""
        return self.games + self.undecided

    @property
    def mean_plies(self) -> float | None:
        """Return how long those with a result are; None where there are none."""
        return self.plies / self.games if self.games else None

    def score(self, seat: Side) -> float | None:
        """Return a seat's points for each game with a result, in 0..1; None without one."""
        rate = self.score_rate
        return rate if rate is None or seat is Side.FIRST else 1 - rate

    def interval(self, seat: Side) -> tuple[float, float] | None:
        """Return between what that score lies with 95 % confidence; None without a result.

        >>> [round(end, 2) for end in ResultTally(wins=3, draws=0, losses=1).interval(Side.SECOND)]
        [0.05, 0.7]
        """
        rate = self.score_rate
        if rate is None:
            return None
        low, high = wilson(rate, self.worth or self.games)
        return (low, high) if seat is Side.FIRST else (1 - high, 1 - low)

    def to_json(self, mover: Side) -> dict[str, Any]:
        """Return it as docs/how-to/explore-positions.md describes it."""
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
    """Where a game stands, and what it is called."""

    source: str
    """The file, as it was named; empty where there is only one place for games."""

    number: int
    """The record's place there, from 1."""

    ply: int
    """The ply of the move that it is referred to for, from 1."""

    first: str
    second: str
    result: Result
    date: str
    """Empty where the record has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuation:
    """A move that may be played in a position."""

    move: Move
    """As it is written in the position that was asked for."""

    same: tuple[Move, ...] = ()
    """Other moves there that are the same, turned or mirrored; they are counted with it."""

    position: str
    """The text of the position after it."""

    played: ResultTally
    """The games in which it was played from here."""

    reached: ResultTally
    """The games that come to the position after it, by this move or any other way."""

    newest: Reference | None = None
    """Of the games in which it was played the last by date, of one day the last in its file."""

    best: Reference | None = None
    """Of these games that of the strongest players: see `Best`. Both are None if there is none."""

    def to_json(self, mover: Side) -> dict[str, Any]:
        """Return it as docs/how-to/explore-positions.md describes it."""
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
    """A position, and all that some games tell of it."""

    game: str
    """The id of the game."""

    position: str
    """The text of the position that was asked for."""

    to_move: Side
    games: int
    """All games of that id that have moves."""

    here: ResultTally
    """The games that come to the position."""

    ended: int
    """Of these, how many have no move after it."""

    continuations: tuple[Continuation, ...]
    """Every legal move that was played from here, or after which a position comes that was reached;
    the most frequent first, those of one frequency as the rules list them."""

    without_moves: int = 0
    """Games of that id that have none: they come nowhere, and count for nothing else."""

    begins: str = ""
    """From which position the first of all games begins; empty where there is no game."""

    def to_json(self) -> dict[str, Any]:
        """Return it as docs/how-to/explore-positions.md describes it."""
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
    """Games that can be asked about."""

    def node(self, asked: Position) -> Node:
        """Return what they tell of a position."""


@dataclass(slots=True)
class PositionCounts(LineCounts):
    """What came of games, and how long they were."""

    plies: int = 0

    def count(self, points: float | None, plies: int) -> None:
        """Count a game."""
        if points is None:
            self.undecided += 1
        else:
            self.plies += plies
            self.add(points, 1)

    def tally(self) -> ResultTally:
        """Return what was counted, once the pairs are closed."""
        return ResultTally(
            wins=self.wins,
            draws=self.draws,
            losses=self.losses,
            undecided=self.undecided,
            plies=self.plies,
            worth=self.worth,
        )


class Best:
    """The game of the strongest players among some.

    Where games have the tags FirstElo and SecondElo it is the one of which both together are the
    highest. Where none has, players are as strong as all games tell, filtered as they are: by the
    lower end of the 95 % interval of their score, so that one win is no proof.
    Of equals it is the newest.
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
        """Return it; `strengths` are those of players by name, of those not named 0."""
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
    """Return the ratings of both players together; None where one has none."""
    ratings = [number_of(record.tag(name)) for name in RATINGS]
    return None if None in ratings else sum(filter(None, ratings))


@dataclass(slots=True)
class _Row:
    """A move as it is counted."""

    move: Move
    position: Position
    """After it."""

    reached: PositionCounts
    same: list[Move] = field(default_factory=list)
    played: PositionCounts = field(default_factory=PositionCounts)
    newest: tuple[tuple[str, int], Reference] | None = None
    best: Best = field(default_factory=Best)

    def refer(self, rating: float | None, when: tuple[str, int], game: Reference) -> None:
        """Remember a game in which the move was played."""
        if self.newest is None or when > self.newest[0]:
            self.newest = when, game
        self.best.add(rating, when, game)


@dataclass(frozen=True, slots=True)
class ExploredGame:
    """A game whose positions are asked about."""

    record: Record
    source: str
    number: int
    start: Position
    moves: tuple[Move, ...]
    """In canonical text, as far as its game reads them."""

    pair: tuple[int, int]
    """What the other game of its pair has, too."""

    @classmethod
    def of(cls, record: Record, source: str, number: int) -> Self:
        """Return that of a record; raises GameError where it cannot begin."""
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
        """Return the position after so many plies, all of which can be played."""
        position = follow(self.start, self.moves[:ply])
        assert position is not None
        return position

    def reference(self, ply: int, date: str) -> Reference:
        """Return where it stands."""
        record = self.record
        return Reference(
            source=self.source,
            number=self.number,
            ply=ply,
            first=record.first,
            second=record.second,
            result=record.result,
            date=date,
        )


Sign = int
"""What positions that are the same have in common, and tells most others apart; in 16 bits."""


def sign_of(position: Position) -> Sign:
    """Return who is to move, and how many moves there are: no symmetry changes that."""
    return 2 * min(count_legal(position), 1 << 14) + position.to_move


class NodeCounter:
    """Counts, game by game, what was played from one position; no game is kept.

    Memory grows with the names of players, and for each move with who has met whom.
    """

    def __init__(self, asked: Position) -> None:
        """Take the position that is asked about, turned as it is."""
        self._asked: Final = asked
        self._here: Final = PositionCounts()
        self._ended = self._games = self._without_moves = 0
        self._begins = ""
        self._pairs: Final = Pairs()
        self._players: Final[defaultdict[str, SideScore]] = defaultdict(SideScore)
        self._images: Final[dict[Any, PositionCounts]] = {}
        """What every image of the position and of those after each move counts for."""
        self._know(asked, self._here)
        self._rows: Final[dict[Move, _Row]] = {}
        """By the least image of the move: see `least_line`."""
        self.signs: Final = {sign_of(asked)}
        """Of the position and of those after each move: any other is neither."""
        for move in asked.legal_moves():
            (image,) = least_line(asked, [move])[1]
            if known := self._rows.get(image):
                known.same.append(move)
                continue
            after = asked.play(move)
            self.signs.add(sign_of(after))
            reached = self._counts_of(after)  # other moves may come to the same
            if reached is None:
                self._know(after, reached := PositionCounts())
            self._rows[image] = _Row(move, after, reached)

    def _know(self, position: Position, counts: PositionCounts) -> None:
        for way in symmetries(position):
            self._images[way.position(position)] = counts

    def _counts_of(self, position: Position) -> PositionCounts | None:
        """Return what a position counts for; None where it is neither this nor one after it."""
        return self._images.get(symmetries(position)[0].position(position))

    def add(self, record: Record, source: str, number: int) -> None:
        """Count a game of the same id; raises GameError where it cannot be played.

        It is the record of this number, from 1, of what `source` names.
        """
        game = ExploredGame.of(record, source, number)
        at = ((ply, one) for ply, one in enumerate(game.positions()) if sign_of(one) in self.signs)
        self.add_at(game, at)

    def add_at(self, game: ExploredGame, positions: Iterable[tuple[int, Position]]) -> None:
        """Count a game of which only these positions may matter, each with the plies before it."""
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
            self._pairs.add(game.pair, lines, points)  # also where it does not come here
        if rows:
            self._refer(game, rows)

    def _refer(self, game: ExploredGame, rows: dict[Move, int]) -> None:
        """Remember a game for its moves from here, each with its ply."""
        record = game.record
        date = record.tag("Date") if date_of(record.tag("Date")) else ""
        rating, when = rating_of(record), (date, self._games)
        for image, ply in rows.items():
            self._rows[image].refer(rating, when, game.reference(ply, date))

    def node(self) -> Node:
        """Return what was counted."""
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
    """Games of one id in memory: any position of them can be asked about again and again.

    Of each position its sign is kept, two bytes, so that a question plays a game only as far as it
    may be about.
    """

    def __init__(self) -> None:
        self._games: Final[list[tuple[ExploredGame, array[int]]]] = []

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._games)

    def add(self, record: Record, source: str, number: int) -> None:
        """Keep a game of the same id; raises GameError where it cannot be played."""
        game = ExploredGame.of(record, source, number)
        self._games.append((game, array("H", map(sign_of, game.positions()))))

    def node(self, asked: Position) -> Node:
        """Return what they tell of a position."""
        counter = NodeCounter(asked)
        for game, signs in self._games:
            places = [ply for ply, sign in enumerate(signs) if sign in counter.signs]
            counter.add_at(game, ((ply, game.at(ply)) for ply in places))
        return counter.node()
