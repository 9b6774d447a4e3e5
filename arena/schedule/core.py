"""The base class of all formats, with pairs, openings and the results of encounters.

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
    """Two games from one start, with sides swapped."""

    number: int
    """Number of the pair, from 1; its games are 2 * number - 1 and 2 * number."""
    games: tuple[GamePlan, GamePlan]
    options: tuple[Values, Values] = ((), ())
    """Options of both bots in these games, which override their own options."""

    @property
    def names(self) -> tuple[str, str]:
        """Return the two bots."""
        return self.games[0].names

    def left(self, finished: Container[int]) -> tuple[GamePlan, ...]:
        """Return the games that are not among the finished numbers."""
        return tuple(game for game in self.games if game.number not in finished)


def pair_of(game_number: int) -> int:
    """Return the number of the pair to which a game belongs."""
    return (game_number + 1) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """The start of both games of a pair."""

    setup: str | None = None
    position: str | None = None
    """A full position instead of a setup."""

    moves: tuple[str, ...] = ()
    """Canonical moves that are played before a bot moves."""

    name: str = ""
    """Source of the opening, for the record."""


class Openings(Protocol):
    """A source of openings."""

    def opening(self, game_id: str, turn: int) -> Opening:
        """Return the `turn`-th opening of a game type, from 1.

        The same `turn` always gives the same opening, and any `turn` gives one.
        """


class PlayedGame(NamedTuple):
    """The part of a finished game that schedules need."""

    number: int
    first: str
    second: str
    result: Result
    game: str = ""
    round: int = 0
    moves: int = 0
    """64 bits that are equal for games that repeat each other; 0 if the game cannot repeat one."""


@dataclass(frozen=True, slots=True)
class Ruled:
    """Rulings of the organiser: void games and disqualified bots."""

    games: frozenset[int] = frozenset()
    """Numbers of the void games."""

    bots: frozenset[str] = frozenset()
    """Disqualified bots; their games count for no bot."""

    def covers(self, number: int, *names: str) -> bool:
        """Return whether the rulings void a game of these bots."""
        return number in self.games or not self.bots.isdisjoint(names)


@dataclass(frozen=True, slots=True)
class Absence:
    """A time during which a bot is benched: no new game is scheduled for it."""

    name: str
    since: int = 0
    """First stage of the schedule at which no bot meets this one."""

    until: int | None = None
    """Stage at which the bot returns; None while it is benched."""

    def covers(self, stage: int) -> bool:
        """Return whether the bot is benched at a stage."""
        return self.since <= stage and (self.until is None or stage < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairConditions:
    """Conditions shared by all pairs from one number on."""

    from_pair: int = 1
    times: Mapping[str, str] = field(default_factory=dict)
    """Time control by the name of a bot; the key "" is for all other bots."""

    starts: str = ""
    """Text of everything that decides the start of the k-th pair, such as the seed and the book."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of a schedule; each format uses some of them."""

    games: tuple[str, ...]
    rounds: int = 1
    """In each round every pairing plays both sides of one setup."""

    pairs: int = 1
    """Setups per game type that two bots play when they meet, in swiss and knockout."""

    challengers: int = 1
    """Number of bots in a gauntlet that play all the others; they come first in the list."""

    sprt: Sprt | None = None
    """Test that may decide a match before its last round."""

    tuning: Tuning | None = None
    """Tuned options and the settings of the tuner."""

    seed: int = 1

    ruled: Ruled = field(default=Ruled(), compare=False)
    """Rulings of the organiser."""

    absent: tuple[Absence, ...] = field(default=(), compare=False)
    """Bots that are or were benched."""

    conditions: tuple[PairConditions, ...] = ()
    """Conditions of a pool's pairs, by the number of the first pair; the last ones apply now."""

    season: SeasonSchedule | None = field(default=None, compare=False)
    """Season that a pool plays; None if all games count together."""


class Schedule(ABC):
    """Hands out the pairs of one tournament.

    All stored games must be reported first. Then `next` begins at the first pair that is not
    finished. The order of the reports does not change the numbers of pairs.
    """

    keeps_walkovers: ClassVar[bool]
    """True if a walkover decides a game for good; False if the next run tries it again."""

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        """`names` are in the order of the configuration, which is the order of seeding."""
        self._names: Final = names
        self._settings: Final = dealer.settings
        self._dealer: Final = dealer
        self.finished: Final = NumberSet()
        """Numbers of the reported games."""
        self.repeats: Final = Duplicates()
        """Reported games that repeat another one."""
        self._reported = 0
        self._absent: Final = list(self._settings.absent)
        self.benched: frozenset[str]
        """Bots that are benched now."""
        self._note_benched()

    @property
    @abstractmethod
    def total(self) -> int:
        """Return the most games that will be played, without those lost by walkover."""

    @property
    def done(self) -> int:
        """Return the number of reported games; equals `total` once everything is played."""
        return self._reported

    @property
    def extent(self) -> tuple[int, int]:
        """Return how many games are played and planned; in a season, only its games count.

        One run may play fewer than are planned, such as those of a match day.
        """
        return self.done, self.total

    def stage(self) -> int:
        """Return the first stage whose pairings are still open; most formats have only stage 0."""
        return 0

    def _note_benched(self) -> None:
        self.benched = frozenset(each.name for each in self._absent if each.until is None)

    def bench(self, name: str) -> None:
        """Schedule no new pair for a bot; pairs that have begun are finished."""
        self._absent.append(Absence(name, self.stage()))
        self._note_benched()

    def unbench(self, name: str) -> None:
        """Let a benched bot play again from the next stage on."""
        stage = self.stage()
        self._absent[:] = [
            replace(each, until=stage) if each.name == name and each.until is None else each
            for each in self._absent
        ]
        self._note_benched()

    def plays_without(self, gone: Collection[str]) -> bool:
        """Return whether at least two bots can still meet without those in `gone`."""
        return len({*self._names} - {*gone, *self._settings.ruled.bots}) > 1

    @abstractmethod
    def next(self) -> Pair | None:
        """Return a pair to play now, or None if all are played or depend on results to come."""

    @property
    def why_nothing_new(self) -> str:
        """Return why more games would add nothing and what to do, or an empty text."""
        return ""

    @abstractmethod
    def report(self, number: int, first: str, second: str, result: Result, moves: int = 0) -> None:
        """Take a finished game, once. A game beyond the last round is ignored.

        `moves` is as in `PlayedGame`.
        """

    def take_in(self, played: Iterable[PlayedGame]) -> None:
        """Take all stored games in the order of their numbers, before anything else."""
        for number, first, second, result, _, _, moves in played:
            self.report(number, first, second, result, moves)

    @abstractmethod
    def walkover(self, pair: int, loser: str | None) -> None:
        """Note that the unreported games of a pair will not be played.

        They count as won by the opponent of `loser`, or by neither bot if `loser` is None.
        """

    def standing(self) -> object:
        """Return the standing by the rules of the format, or None if a crosstable shows everything.

        The class of the value depends on the format.
        """
        return None

    def _is_finished(self, pair: int) -> bool:
        return 2 * pair in self.finished and 2 * pair - 1 in self.finished


class NumberSet:
    """A set of positive whole numbers with one bit for each: a million take 125 kB."""

    def __init__(self) -> None:
        self._bits: Final = bytearray()

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, int) or number < 0 or number >> 3 >= len(self._bits):
            return False
        return bool(self._bits[number >> 3] & 1 << (number & 7))

    def add(self, number: int) -> None:
        """Add a number."""
        if (missing := (number >> 3) + 1 - len(self._bits)) > 0:
            self._bits.extend(bytes(missing))
        self._bits[number >> 3] |= 1 << (number & 7)


class Duplicates:
    """Finds games that repeat another one, with 8 bytes per game."""

    def __init__(self) -> None:
        # Sorted lists by the first 12 bits, so that an insertion moves few numbers.
        self._shelves: Final[dict[int, array[int]]] = {}
        self.games = 0
        """Number of games that repeat another one."""

    def add(self, moves: int) -> bool:
        """Note a game by its `PlayedGame.moves`; return whether it repeats an earlier one."""
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
    """Makes pairs. Without a book, the seed draws a setup that the game type accepts."""

    settings: Settings
    openings: Openings | None = None
    tags: Tags = ()
    """Tags of every record."""

    def opening(self, index: int) -> tuple[str, Opening]:
        """Return the game type and the opening of a pair; `index` is as in `deal`."""
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
        """Return a pair.

        `index` counts the openings from 0, with each opening counted once per game type. `options`
        are as in `Pair`. The records contain them, and the tags in `more`.
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
    """Return options as text for a record."""
    return "; ".join(f"{name}={value}" for name, value in values)


def read_options(text: str) -> dict[str, str]:
    """Return the options in a record's text, by name; an empty text has no options."""
    parts = (part.rpartition("=") for part in text.split("; ") if part)
    return {name: value for name, _, value in parts}


def seed_digest(seed: int) -> str:
    """Return the hash of a seed that is published before play: a SHA-256 in hexadecimal.

    It is the hash of the text `lath-arena seed N` without a newline.
    """
    return hashlib.sha256(f"lath-arena seed {seed}".encode()).hexdigest()


def draw(seed: int, *what: object) -> int:
    """Return a number below 2**31 that follows from the tournament's seed and its purpose."""
    words = " ".join(str(word) for word in (seed, *what))
    return int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big") >> 1


@dataclass(slots=True)
class Encounter:
    """The games of two bots that count together; results may come before the bots are known."""

    left: int
    """Number of games that are neither reported nor lost."""

    _halves: Counter[str] = field(default_factory=Counter)
    _ruled: Counter[str] = field(default_factory=Counter)
    """Half points of games that a ruling voids; `_halves` includes them."""

    _firsts: Counter[str] = field(default_factory=Counter)
    """Half points that each bot scored as first player in games that count."""

    _lost: Counter[str | None] = field(default_factory=Counter)
    """Games that were not played, by the loser; None if neither bot won."""

    _counted: int = 0
    """Played games that count."""

    def report(self, first: str, second: str, result: Result, *, counts: bool = True) -> None:
        """Add a played game; `counts` is False if a ruling voids it."""
        self.left -= 1
        self._counted += counts
        for name, points in zip((first, second), result.points, strict=True):
            self._halves[name] += int(2 * points)
            self._ruled[name] += 0 if counts else int(2 * points)
        self._firsts[first] += int(2 * result.points[0]) if counts else 0

    def has_met(self, name: str) -> bool:
        """Return whether a bot has played a game of this encounter."""
        return name in self._halves

    def lose(self, games: int, loser: str | None) -> None:
        """Add games that will not be played: won by the opponent of `loser`, or by neither bot."""
        self.left -= games
        self._lost[loser] += games

    @property
    def lost(self) -> int:
        """Return the number of games that will not be played."""
        return self._lost.total()

    @property
    def is_played(self) -> bool:
        """Return whether a game counts or may still be played."""
        return self.left > 0 or self._counted > 0

    def firsts(self, one: str, other: str) -> tuple[int, int]:
        """Return the half points of both bots as first player, without walkovers."""
        return self._firsts[one], self._firsts[other]

    def halves(self, one: str, other: str, *, as_played: bool = False) -> tuple[int, int]:
        """Return the half points of both bots; `as_played` includes void games."""
        ours = self._halves[one] + 2 * self._lost[other]
        theirs = self._halves[other] + 2 * self._lost[one]
        if as_played:
            return ours, theirs
        return ours - self._ruled[one], theirs - self._ruled[other]


class InEncounters(Schedule):
    """A schedule in which later pairings depend on the total score of earlier encounters."""

    keeps_walkovers = True

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._lost_games = 0
        """Number of games that will not be played."""

        self._lost_pairs: Final[set[int]] = set()
        self._encounters: Final[dict[tuple[int, ...], Encounter]] = {}

    @abstractmethod
    def _encounter_of(self, pair: int) -> Encounter | None:
        """Return the encounter of a pair, or None if the pair is not scheduled."""

    def _encounter(self, key: tuple[int, ...], games: int) -> Encounter:
        """Return the encounter of a key, and create it if necessary."""
        if key not in self._encounters:
            self._encounters[key] = Encounter(games)
        return self._encounters[key]

    def _is_open(self, pair: int) -> bool:
        """Return whether a game of the pair is still open."""
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
        """Return whether a pair is cancelled because one of its bots is disqualified.

        Neither bot wins the games of the pair that are still open.
        """
        if is_off := not self._settings.ruled.bots.isdisjoint(names):
            self.walkover(pair, None)
        return is_off

    def walkover(self, pair: int, loser: str | None) -> None:
        """Count the unreported games of a pair as lost, once."""
        encounter = self._encounter_of(pair)
        if encounter is not None and pair not in self._lost_pairs:
            left = [game for game in (2 * pair - 1, 2 * pair) if game not in self.finished]
            self._lost_pairs.add(pair)
            self._lost_games += len(left)
            encounter.lose(len(left), loser)
