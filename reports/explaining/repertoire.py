"""The positions of games, with symmetric positions as one, and the novelties of players.

A position is identified by a key of its least symmetric form. Games are added in the order of play,
and their keys are kept, 8 bytes per ply.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Final, NamedTuple

from lath.games.core import Move, Position, least
from lath.notation.record.record import Record
from lath.notation.rules.replay import spellings, start_of

KNOWN: Final = 3
"""The least number of earlier games that make a position known."""

TWICE: Final = 2
"""The least number of games for a repetition."""


class Novelty(NamedTuple):
    """The first move of a game from a known position to a new one."""

    ply: int
    """The ply, from 1."""
    seat: int
    """The side that played the move."""
    games: int
    """The number of earlier games with the position before the move."""


@dataclass(frozen=True, slots=True)
class KnownLine:
    """The positions of one game."""

    record: Record
    """The record without comments."""

    keys: array[int]
    """The keys of the position before each ply, and of the last one."""

    seats: Sequence[int]
    """The side that decided on each ply."""

    first: float
    """The first player's score."""

    seat: int
    """The side of the tested player; -1 if it did not play."""

    novelty: Novelty | None
    is_again: bool
    """True if the player repeated a move after which it had lost all its earlier games, at least
    two."""

    @property
    def points(self) -> float:
        """Return the player's score."""
        return 1 - self.first if self.seat else self.first


@dataclass(frozen=True, slots=True)
class ReachedByPlayer:
    """Games of a player that reached one position."""

    lines: tuple[int, ...]
    """Indices in `Repertoire.lines`."""

    ply: int
    """The number of plies before the position in the first of these games."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A move in a known position, and its score for the player who made it."""

    move: str
    """The move as in the example, whose board can be rotated or reflected."""

    games: int
    score: float
    example: int
    """The index of the first game with the move in `Repertoire.lines`."""


class Repertoire:
    """Collects games one by one, in their order."""

    def __init__(self) -> None:
        self.lines: Final[list[KnownLine]] = []
        self._games: Final[dict[int, int]] = {}
        """The number of games that reached each position."""
        self._after: Final[dict[int, tuple[int, int]]] = {}
        """For positions after the player's own moves, the player's games and losses."""

    def add(
        self,
        record: Record,
        seats: Sequence[int],
        first: float,
        *,
        seat: int = -1,
        chosen: int = 0,
    ) -> None:
        """Add a game that can be replayed; its first `chosen` plies were not chosen by players."""
        keys = array("Q", map(key_of, _positions(record)))
        novelty = self._novelty(keys, seats, chosen)
        own = [keys[ply + 1] for ply in range(chosen, len(record.plies)) if seats[ply] == seat]
        points = 1 - first if seat else first
        before = [self._after.get(key, (0, 0)) for key in own]
        is_again = any(games == lost >= TWICE for games, lost in before)
        for key in set(keys):
            self._games[key] = self._games.get(key, 0) + 1
        for key, (games, lost) in zip(own, before, strict=True):
            self._after[key] = games + 1, lost + (points == 0)
        self.lines.append(KnownLine(record, keys, seats, first, seat, novelty, is_again))

    def _novelty(self, keys: Sequence[int], seats: Sequence[int], chosen: int) -> Novelty | None:
        for ply in range(1, len(keys)):
            if keys[ply] not in self._games:
                games = self._games.get(keys[ply - 1], 0)
                is_one = games >= KNOWN and ply > chosen
                return Novelty(ply, seats[ply - 1], games) if is_one else None
        return None

    def met_again(self) -> list[ReachedByPlayer]:
        """Return the positions in which the player was to move more than once."""
        return self.reached(TWICE, len(self.lines), own=True)

    def reached(self, least_many: int, most: int, *, own: bool = False) -> list[ReachedByPlayer]:
        """Return the positions that this many of the player's games reached, the earliest first.

        Final positions do not count. With `own`, only positions with the player to move count. If
        the same games reached several positions, the last one counts.
        """
        games: defaultdict[int, list[int]] = defaultdict(list)
        plies: dict[int, int] = {}
        for at, line in enumerate(self.lines):
            if line.seat < 0:
                continue
            met = set[int]()
            for ply, key in enumerate(line.keys[:-1]):
                if key not in met and (not own or line.seats[ply] == line.seat):
                    met.add(key)
                    games[key].append(at)
                    plies.setdefault(key, ply)
        last: dict[tuple[int, ...], int] = {}
        for key, of in games.items():
            if least_many <= len(of) <= most and plies[key]:
                lines = tuple(of)
                last[lines] = max(plies[key], last.get(lines, 0))
        return [
            ReachedByPlayer(lines, ply)
            for lines, ply in sorted(last.items(), key=lambda one: one[1])
        ]

    def came_to(self, keys: Collection[int]) -> dict[int, list[int]]:
        """Return, by key, the indices of all lines that reached each position, of any player."""
        found: dict[int, list[int]] = {key: [] for key in keys}
        for at, line in enumerate(self.lines):
            for key in found.keys() & set(line.keys[:-1]):
                found[key].append(at)
        return found

    def choices(self, places: Iterable[int]) -> Iterator[tuple[int, list[Choice]]]:
        """Yield lines with a novelty, and the earlier moves in the position that they left.

        The most frequent move comes first.
        """
        left = [(at, novelty) for at in places if (novelty := self.lines[at].novelty)]
        wanted = {self.lines[at].keys[novelty.ply - 1] for at, novelty in left}
        came: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for place, line in enumerate(self.lines):
            for ply, key in enumerate(line.keys[:-1]):
                if key in wanted:
                    came[key].append((place, ply))
        for at, novelty in left:
            before = came[self.lines[at].keys[novelty.ply - 1]]
            yield at, self._choices([one for one in before if one[0] < at], novelty.seat)

    def _choices(self, before: Iterable[tuple[int, int]], seat: int) -> list[Choice]:
        """Return the moves at some plies, given as indices of lines and plies from 0."""
        found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for place, ply in before:
            line = self.lines[place]
            if line.seats[ply] == seat:
                found[line.keys[ply + 1]].append((place, ply))
        choices = []
        for lines in found.values():
            firsts = [self.lines[place].first for place, _ in lines]
            score = sum(1 - first if seat else first for first in firsts) / len(firsts)
            place, ply = lines[0]
            move = self.lines[place].record.plies[ply].move
            choices.append(Choice(move, len(lines), score, place))
        return sorted(choices, key=lambda one: (-one.games, -one.score))


def key_of(position: Position) -> int:
    """Return a 64-bit key of a position, equal for symmetric positions.

    >>> from lath import games
    >>> start = games.get(games.builtin_ids()[-1]).start()
    >>> key_of(start.play(Move("a1"))) == key_of(start.play(Move("i5"))) != key_of(start)
    True
    """
    text = f"{position.game.id}\n{least(position).text()}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def _positions(record: Record) -> Iterator[Position]:
    """Yield the positions of a record that can be replayed."""
    spelled = spellings(record.game, record.tag("Rules"))
    position = start_of(record)
    yield position
    for ply in record.plies:
        position = position.play(Move(spelled[ply.move]))
        yield position


def position_after(record: Record, ply: int) -> Position:
    """Return the position of a record after this many plies."""
    return next(islice(_positions(record), ply, None))
