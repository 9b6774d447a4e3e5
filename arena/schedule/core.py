"""What a schedule is, and what all formats build on: pairs, openings, sums of results.

Pure: a schedule follows from its settings and the results reported to it, never from their order.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final, NamedTuple, Protocol

from lath import games
from lath.arena.referee.record import GamePlan
from lath.arena.schedule.season import SeasonSchedule
from lath.arena.schedule.sprt import Sprt
from lath.arena.schedule.tuning.spsa import Tuning, Values
from lath.games.core import Result
from lath.notation.record.tags import FIRST_OPTIONS, SECOND_OPTIONS


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games from one start, each bot first in one of them."""

    number: int
    """From 1; its games have the numbers 2 * number - 1 and 2 * number."""
    games: tuple[GamePlan, GamePlan]
    options: tuple[Values, Values] = ((), ())
    """What both bots are set to in these games, over what they are set to always."""

    @property
    def names(self) -> tuple[str, str]:
        """Return the two bots."""
        return self.games[0].names

    def left(self, finished: Container[int]) -> tuple[GamePlan, ...]:
        """Return the games that are not among the finished numbers."""
        return tuple(game for game in self.games if game.number not in finished)


def pair_of(game_number: int) -> int:
    """Return the number of the pair that a game is of.

    >>> pair_of(1), pair_of(2), pair_of(3)
    (1, 1, 2)
    """
    return (game_number + 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """From where both games of a pair begin."""

    setup: str | None = None
    position: str | None = None
    """A full position in place of a setup."""

    moves: tuple[str, ...] = ()
    """Canonical moves that are played before a bot is asked."""

    name: str = ""
    """Where it comes from, for the record."""


class Openings(Protocol):
    """Where games begin."""

    def opening(self, game_id: str, turn: int) -> Opening:
        """Return the `turn`-th opening of a game, from 1; the same each time, without end."""


class PlayedGame(NamedTuple):
    """A finished game, as far as schedules know games."""

    number: int
    first: str
    second: str
    result: Result
    game: str = ""
    round: int = 0
    moves: int = 0
    """64 bits that are the same for games that repeat each other; 0 for one that cannot."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """What an organiser has ruled: games that give nobody anything, bots that play no more."""

    games: frozenset[int] = frozenset()
    """The numbers of those that are void."""

    bots: frozenset[str] = frozenset()
    """Those that are disqualified: none of their games gives anybody anything."""

    def covers(self, number: int, *names: str) -> bool:
        """Return whether a game of these bots counts for nothing."""
        return number in self.games or not self.bots.isdisjoint(names)


@dataclass(frozen=True, slots=True)
class Absence:
    """A bot that is benched: it plays no more until somebody lets it."""

    name: str
    since: int = 0
    """The stage of the schedule from which on nobody is to meet it."""

    until: int | None = None
    """The stage from which on it is there again; None: it is not."""

    def covers(self, stage: int) -> bool:
        """Return whether nobody is to meet the bot at a stage."""
        return self.since <= stage and (self.until is None or stage < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairConditions:
    """What pairs from one number on have in common."""

    from_pair: int = 1
    times: Mapping[str, str] = field(default_factory=dict)
    """The time control of a bot by its name, and under "" that of all others."""

    starts: str = ""
    """What decides where the k-th pair begins, such as the seed and the book."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a format is told; which of it counts is the format's own affair."""

    games: tuple[str, ...]
    rounds: int = 1
    """Each round: every pairing, both seats of every setup."""

    pairs: int = 1
    """Setups per game that two bots play when they meet, in swiss and knockout."""

    challengers: int = 1
    """Bots of a gauntlet that play all the others: the first ones."""

    sprt: Sprt | None = None
    """When a match is decided before its last round."""

    tuning: Tuning | None = None
    """What is tuned, and how."""

    seed: int = 1

    ruled: Ruled = field(default=Ruled(), compare=False)
    """What counts for nothing, or is played no more."""

    absent: tuple[Absence, ...] = field(default=(), compare=False)
    """Bots that are or were benched."""

    conditions: tuple[PairConditions, ...] = ()
    """Of a pool: under which its pairs were played, by number; the last are today's."""

    season: SeasonSchedule | None = field(default=None, compare=False)
    """Of a pool: the season that is played; None: everything counts together."""


class Schedule(ABC):
    """Hands out the pairs of one tournament.

    Everything that is stored is reported first; then `next` begins at the first pair that is not
    finished. Pairs have the same number whatever the order of the reports.
    """

    keeps_walkovers: ClassVar[bool]
    """Whether walkovers decide games for good; else they are tried in the next run."""

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        """`names` are in the order of the configuration, which is the order of seeding."""
        self._names: Final = names
        self._settings: Final = dealer.settings
        self._dealer: Final = dealer
        self.finished: Final = NumberSet()
        """The numbers of the games reported."""
        self.repeats: Final = Duplicates()
        """Which of them repeat another."""
        self._reported = 0
        self._absent: Final = list(self._settings.absent)
        self.benched: frozenset[str]
        """The bots that play no more for now."""
        self._note_benched()

    @property
    @abstractmethod
    def total(self) -> int:
        """Return how many games there will be at most, without those lost by walkover."""

    @property
    def done(self) -> int:
        """Return how many of them are reported; `total` once everything is played."""
        return self._reported

    @property
    def extent(self) -> tuple[int, int]:
        """Return how many games what it comes to has, and how many it will have: of a season its.

        A run may play fewer, such as those of a match day.
        """
        return self.done, self.total

    def stage(self) -> int:
        """Return from which stage on it is open who meets whom: of most formats there is one."""
        return 0

    def _note_benched(self) -> None:
        self.benched = frozenset(each.name for each in self._absent if each.until is None)

    def bench(self, name: str) -> None:
        """Let a bot play no more: what is begun is finished."""
        self._absent.append(Absence(name, self.stage()))
        self._note_benched()

    def unbench(self, name: str) -> None:
        """Let a bot that is benched play again from the next stage on."""
        stage = self.stage()
        self._absent[:] = [
            replace(each, until=stage) if each.name == name and each.until is None else each
            for each in self._absent
        ]
        self._note_benched()

    def plays_without(self, gone: Collection[str]) -> bool:
        """Return whether bots are left that meet each other, with those `gone`."""
        return len({*self._names} - {*gone, *self._settings.ruled.bots}) > 1

    @abstractmethod
    def next(self) -> Pair | None:
        """Return a pair to play now; None: none until more is reported, or none ever."""

    @property
    def why_nothing_new(self) -> str:
        """Return why more games would tell nothing, and what to do; empty while they may."""
        return ""

    @abstractmethod
    def report(self, number: int, first: str, second: str, result: Result, moves: int = 0) -> None:
        """Be told of a finished game, once; one of a run with more rounds counts for nothing.

        `moves` is as in Played.
        """

    def take_in(self, played: Iterable[PlayedGame]) -> None:
        """Be told of all that is stored, by number, before anything else."""
        for number, first, second, result, _, _, moves in played:
            self.report(number, first, second, result, moves)

    @abstractmethod
    def walkover(self, pair: int, loser: str | None) -> None:
        """Be told that the games of a pair not yet reported will not be played.

        They count as won by the other bot; by nobody when `loser` is None.
        """

    def standing(self) -> object:
        """Return how it stands by the rules of its format: a plain value, its class says of what.

        None where there is no more to say than a crosstable does.
        """
        return None

    def _is_finished(self, pair: int) -> bool:
        return 2 * pair in self.finished and 2 * pair - 1 in self.finished


class NumberSet:
    """A set of positive whole numbers, a bit each: a million take 125 kB.

    >>> numbers = NumberSet()
    >>> numbers.add(9)
    >>> 9 in numbers, 8 in numbers, 10**9 in numbers
    (True, False, False)
    """

    def __init__(self) -> None:
        self._bits: Final = bytearray()

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int) or number < 0 or number >> 3 >= len(self._bits):
            return False
        return bool(self._bits[number >> 3] & 1 << (number & 7))

    def add(self, number: int) -> None:
        """Put a number in."""
        if (missing := (number >> 3) + 1 - len(self._bits)) > 0:
            self._bits.extend(bytes(missing))
        self._bits[number >> 3] |= 1 << (number & 7)


class Duplicates:
    """Which games repeat another one: 8 bytes a game.

    >>> repeats = Duplicates()
    >>> repeats.add(7), repeats.add(7), repeats.add(0), repeats.add(0), repeats.games
    (False, True, False, False, 1)
    """

    def __init__(self) -> None:
        # Sorted, by their first 12 bits: a number is soon put into its own list.
        self._shelves: Final[dict[int, array[int]]] = {}
        self.games = 0
        """How many do."""

    def add(self, moves: int) -> bool:
        """Note what was played, as in Played; return whether that repeats what was noted before."""
        if not moves:
            return False
        shelf = self._shelves.setdefault(moves >> 52, array("Q"))
        at = bisect_left(shelf, moves)
        if at < len(shelf) and shelf[at] == moves:
            self.games += 1
            return True
        shelf.insert(at, moves)
        return False


Tags = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Dealer:
    """Makes pairs; without openings, setups that the games accept are drawn by the seed."""

    settings: Settings
    openings: Openings | None = None
    tags: Tags = ()
    """They stand in every record."""

    def opening(self, index: int) -> tuple[str, Opening]:
        """Return with which game and how pairs of an `index` begin, as of `deal`."""
        seed, game_ids = self.settings.seed, self.settings.games
        turn, game = index // len(game_ids) + 1, game_ids[index % len(game_ids)]
        if self.openings:
            return game, self.openings.opening(game, turn)
        return game, Opening(setup=games.get(game).draw_setup(draw(seed, "setup", turn, game)))

    def deal(
        self,
        number: int,
        names: tuple[str, str],
        *,
        round_number: int,
        index: int,
        options: tuple[Values, Values] = ((), ()),
        more: Tags = (),
    ) -> Pair:
        """Return a pair; `index`, from 0, counts the openings, each of them for each game.

        `options` are as in Pair; they stand in the records, as do `more` tags.
        """
        seed = self.settings.seed
        game, begin = self.opening(index)

        def plan(
            game_number: int, seats: tuple[str, str], first: Values, second: Values
        ) -> GamePlan:
            both = (FIRST_OPTIONS, first), (SECOND_OPTIONS, second)
            return GamePlan(
                number=game_number,
                round=round_number,
                game=game,
                setup=begin.setup,
                names=seats,
                seeds=(draw(seed, "first", game_number), draw(seed, "second", game_number)),
                position=begin.position,
                opening=begin.moves,
                opening_name=begin.name,
                tags=(
                    *(*self.tags, *more),
                    *((tag, options_text(values)) for tag, values in both if values),
                ),
            )

        (one, other), (ours, theirs) = names, options
        games_of = (
            plan(2 * number - 1, (one, other), ours, theirs),
            plan(2 * number, (other, one), theirs, ours),
        )
        return Pair(number, games_of, options)


def options_text(values: Values) -> str:
    """Return options as a record has them.

    >>> options_text((("exploration", 40), ("tree size", 9)))
    'exploration=40; tree size=9'
    """
    return "; ".join(f"{name}={value}" for name, value in values)


def read_options(text: str) -> dict[str, str]:
    """Return the options that a record has, by name; none of an empty text.

    >>> read_options("exploration=40; tree size=9")
    {'exploration': '40', 'tree size': '9'}
    """
    parts = (part.rpartition("=") for part in text.split("; ") if part)
    return {name: value for name, _, value in parts}


def seed_digest(seed: int) -> str:
    """Return what is told of a tournament's seed before it is played: a SHA-256 in hexadecimal.

    Of the letters `lath-arena seed N`, without a line's end.

    >>> seed_digest(42)[:16]
    '1e3b3e40e8f3501c'
    """
    return hashlib.sha256(f"lath-arena seed {seed}".encode()).hexdigest()


def draw(seed: int, *what: object) -> int:
    """Return a number below 2**31 that follows from the tournament's seed and what it is for."""
    words = " ".join(str(word) for word in (seed, *what))
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big") >> 1


@dataclass(slots=True)
class Encounter:
    """The games of two bots that count together; they may be reported before the bots are known."""

    left: int
    """How many are neither reported nor lost."""

    _halves: Counter[str] = field(default_factory=Counter)
    _ruled: Counter[str] = field(default_factory=Counter)
    """Half points of games that count for nothing by a ruling; they are among the others, too."""

    _lost: Counter[str | None] = field(default_factory=Counter)
    """Games that were not played, by who lost them; None where nobody won."""

    _counted: int = 0
    """Games that were played and count."""

    def report(self, first: str, second: str, result: Result, *, counts: bool = True) -> None:
        """Count a game that was played; by a ruling it may not count."""
        self.left -= 1
        self._counted += counts
        for name, points in zip((first, second), result.points, strict=True):
            self._halves[name] += int(2 * points)
            self._ruled[name] += 0 if counts else int(2 * points)

    def has_met(self, name: str) -> bool:
        """Return whether a bot has played a game of it."""
        return name in self._halves

    def lose(self, games: int, loser: str | None) -> None:
        """Count games that will not be played as won by the other bot, or by nobody."""
        self.left -= games
        self._lost[loser] += games

    @property
    def lost(self) -> int:
        """Return how many games will not be played."""
        return self._lost.total()

    @property
    def is_played(self) -> bool:
        """Return whether a game of it counts, or may still be played."""
        return self.left > 0 or self._counted > 0

    def halves(self, one: str, other: str, *, as_played: bool = False) -> tuple[int, int]:
        """Return the half points of both, `as_played` before rulings.

        >>> encounter = Encounter(4)
        >>> encounter.report("a", "b", Result.DRAWN)
        >>> encounter.lose(2, "b")
        >>> encounter.halves("a", "b"), encounter.left
        ((5, 1), 1)
        """
        ours = self._halves[one] + 2 * self._lost[other]
        theirs = self._halves[other] + 2 * self._lost[one]
        if as_played:
            return ours, theirs
        return ours - self._ruled[one], theirs - self._ruled[other]


class InEncounters(Schedule):
    """A schedule in which others wait for an encounter: the sums of its games decide."""

    keeps_walkovers = True

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._lost_games = 0
        """Games that will not be played."""

        self._lost_pairs: Final[set[int]] = set()
        self._encounters: Final[dict[tuple[int, ...], Encounter]] = {}

    @abstractmethod
    def _encounter_of(self, pair: int) -> Encounter | None:
        """Return which encounter a pair is of; None for a number that is not scheduled."""

    def _encounter(self, key: tuple[int, ...], games: int) -> Encounter:
        """Return the encounter of a key, new where there was none."""
        if key not in self._encounters:
            self._encounters[key] = Encounter(games)
        return self._encounters[key]

    def _is_open(self, pair: int) -> bool:
        """Return whether a game of the pair is still to be played."""
        return not self._is_finished(pair) and pair not in self._lost_pairs

    def report(self, number: int, first: str, second: str, result: Result, moves: int = 0) -> None:
        """Count a game."""
        if (encounter := self._encounter_of(pair_of(number))) is not None:
            self.finished.add(number)
            self.repeats.add(moves)
            self._reported += 1
            encounter.report(
                first, second, result, counts=not self._settings.ruled.covers(number, first, second)
            )

    def _is_off(self, pair: int, names: tuple[str, str]) -> bool:
        """Return whether a pair is not played, since one of its bots is disqualified.

        Nobody wins what is left of it.
        """
        if is_off := not self._settings.ruled.bots.isdisjoint(names):
            self.walkover(pair, None)
        return is_off

    def walkover(self, pair: int, loser: str | None) -> None:
        """Count what is not reported of a pair as lost, once."""
        encounter = self._encounter_of(pair)
        if encounter is not None and pair not in self._lost_pairs:
            left = [game for game in (2 * pair - 1, 2 * pair) if game not in self.finished]
            self._lost_pairs.add(pair)
            self._lost_games += len(left)
            encounter.lose(len(left), loser)
