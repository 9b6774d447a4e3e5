"""The pool format: bots come and go, and the arena plays the pairs that are still missing.

Any two bots that play now need a number of pairs in each game type, at their time controls. The
k-th pair of any two bots begins at the k-th opening, so that all pairings use the same openings.
All stored games count, even if the tournament had another format when they were played. A
`PoolRule` decides which two bots meet next.

In a season, only the games of the season count. The versions of a bot are one entry, and pairs are
played match day by match day.

The stored games decide which pairs are missing. A new pair gets the first free number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from operator import itemgetter
from typing import Final, NamedTuple, Protocol

from lath.arena.schedule.core import (
    Dealer,
    NumberSet,
    Pair,
    PairConditions,
    PlayedGame,
    Schedule,
    pair_of,
)
from lath.games.core import Result
from lath.notation.record.tags import MATCH_DAY, SEASON

Pairing = tuple[str, str]


class PoolRule(Protocol):
    """A rule that picks the next pairing if games are limited; it ignores the rounds."""

    def report(self, played: PlayedGame) -> None:
        """Take a stored game, or one that has just ended."""

    def next(self, pairings: Sequence[Pairing], pair: int) -> Pairing | None:
        """Return the pairing that plays this pair, or None if it depends on results to come."""


class _Meeting(NamedTuple):
    """Two bots in one game type, each at one time control; pairs are counted for each meeting."""

    game: str
    one: str
    other: str
    """The two names are in alphabetical order."""

    times: tuple[str, str]


@dataclass(slots=True)
class _Begun:
    """A pair with an unfinished game."""

    meeting: _Meeting
    turn: int
    left: int = 2
    names: Pairing = ("", "")
    """First and second player in the first of its games."""


class PoolSchedule(Schedule):
    """Hands out half-played pairs first, then missing pairs by rounds or by a rule."""

    keeps_walkovers = False
    _has_dealt = True

    def __init__(self, names: Sequence[str], dealer: Dealer, rule: PoolRule | None = None) -> None:
        super().__init__(names, dealer)
        self._season: Final = self._settings.season
        self._rule: Final = None if self._season else rule
        self._conditions: Final = self._settings.conditions or (PairConditions(),)
        self._from: Final = [each.from_pair for each in self._conditions]
        self._turns: Final[defaultdict[_Meeting, NumberSet]] = defaultdict(NumberSet)
        """Openings that each meeting has been given."""
        self._first: Final[dict[_Meeting, int]] = {}
        """Opening from which to look for a free one."""
        self._meetings: Final[dict[tuple[str, Pairing, int], _Meeting]] = {}
        """Cache of the meetings."""
        self._begun: Final[dict[int, _Begun]] = {}
        self._halves: Final[list[int]] = []
        """Half-played pairs to complete, last one first."""
        self._taken: Final = NumberSet()
        """Numbers of pairs that are in use."""
        self._day_of: Final = {
            unit: day.number
            for day in (self._season.days if self._season else ())
            for unit in day.units(self._settings.games)
        }
        """Match day of each pair in a season; the last one if the pair was put off."""
        self._number = self._conditions[-1].from_pair
        gone = self._settings.ruled.bots
        self._pairings = dict.fromkeys(
            pairing for pairing in combinations(names, 2) if gone.isdisjoint(pairing)
        )
        """Pairings that this run has not stopped, without disqualified bots."""
        self._has_dealt = False
        self._missing = 0
        """Games to play, including those that are already handed out."""
        self._later = 0
        """Games of later match days, which this run does not play."""
        self._earlier = 0
        """Stored games that are not in the season."""
        self._wanted = self._by_days() if self._season else self._by_turns()
        self.take_in(())

    @property
    def total(self) -> int:
        """Return the number of games that are stored or will be; with a rule, one more pair."""
        return self._reported + self._missing + (2 if self._rule else 0)

    @property
    def extent(self) -> tuple[int, int]:
        """Return how many games of the season are stored, and how many it will have."""
        if not self._season:
            return super().extent
        done = self._reported - self._earlier
        return done, done + self._missing + self._later

    def take_in(self, played: Iterable[PlayedGame]) -> None:
        """Count the stored games, in the order of their numbers."""
        for game in played:
            self._count(game)
        self._count_missing()

    def _count_missing(self) -> None:
        self._halves[:] = [pair for pair in sorted(self._begun, reverse=True) if self._fits(pair)]
        self._missing = len(self._halves)
        if self._season:
            dealt = 2 * sum(1 for _ in self._by_days())
            self._missing += dealt
            self._later = 2 * sum(1 for _ in self._by_days(is_whole=True)) - dealt
        elif self._rule is None:
            for game_id, names in self._kinds():
                turns = self._turns[self._meeting(game_id, names)]
                self._missing += 2 * sum(
                    k not in turns for k in range(1, self._settings.rounds + 1)
                )

    def _count(self, game: PlayedGame) -> None:
        number = pair_of(game.number)
        self.finished.add(game.number)
        self.repeats.add(game.moves)
        self._reported += 1
        if self._season and number < self._season.from_pair:
            self._taken.add(number)
            self._earlier += 1
            return
        if (begun := self._begun.get(number)) is None:
            self._taken.add(number)
            names = (game.first, game.second) if game.number % 2 else (game.second, game.first)
            meeting = self._meeting(game.game, names, number)
            begun = self._begun[number] = _Begun(meeting, self._turn(meeting, game.round), 2, names)
        begun.left -= 1
        if not begun.left:
            del self._begun[number]
        if self._rule and not self._settings.ruled.covers(game.number, game.first, game.second):
            self._rule.report(game)

    def _turn(self, meeting: _Meeting, turn: int) -> int:
        """Give a meeting an opening: `turn`, or the next free one if it is taken, as in a swiss."""
        turns = self._turns_of(meeting)
        while turn in turns:
            turn += 1
        turns.add(turn)
        return turn

    def _turns_of(self, meeting: _Meeting) -> NumberSet:
        """Return the openings that a meeting has used; in a season, those of the two entries."""
        if self._season:
            one, other = sorted(map(self._season.entry, (meeting.one, meeting.other)))
            meeting = _Meeting(meeting.game, one, other, ("", ""))
        return self._turns[meeting]

    def _kinds(self) -> Iterator[tuple[str, Pairing]]:
        """Yield each game type with each pairing, in the order of a round."""
        return product(self._settings.games, self._pairings)

    def _meeting(self, game: str, names: Pairing, pair: int | None = None) -> _Meeting:
        """Return the meeting of a pair; without a number, that of a new pair."""
        place = len(self._from) if pair is None else max(1, bisect_right(self._from, pair))
        key = game, names, place
        if key not in self._meetings:
            times = self._conditions[place - 1].times
            one, other = sorted(names)
            ours, theirs = (times.get(name, times.get("", "")) for name in (one, other))
            self._meetings[key] = _Meeting(game, one, other, (ours, theirs))
        return self._meetings[key]

    def _fits(self, pair: int) -> bool:
        """Return whether the missing game of a pair is wanted and begins like the first one."""
        begun = self._begun[pair]
        place = max(1, bisect_right(self._from, pair)) - 1
        game, names = begun.meeting.game, begun.names
        return (
            self._conditions[place].starts == self._conditions[-1].starts
            and game in self._settings.games
            and {*names} <= {*self._names} - self._settings.ruled.bots
            and begun.meeting == self._meeting(game, names)
        )

    def _by_turns(self) -> Iterator[tuple[str, Pairing, int]]:
        """Yield the missing pairs, round by round; skip those that have begun in the meantime."""
        for turn in range(1, self._settings.rounds + 1):
            yield from (
                (game, names, turn)
                for game, names in list(self._kinds())
                if turn not in self._turns[self._meeting(game, names)]
            )

    def _by_days(self, *, is_whole: bool = False) -> Iterator[tuple[str, Pairing, int]]:
        """Yield the missing pairs of a season, day by day.

        If a run plays only one day, that is the next day with a pairing of bots that are not
        benched. `is_whole` yields the whole season anyway.
        """
        season = self._season
        assert season is not None
        pairing_of = {
            frozenset(map(season.entry, pairing)): pairing for pairing in list(self._pairings)
        }
        for day in (day for day in season.days if not day.is_over):
            units = [
                (turn, at, game, pairing)
                for fixture in day.fixtures
                if (pairing := pairing_of.get(frozenset(fixture[:2])))
                for turn in range(fixture.first, fixture.last + 1)
                for at, game in enumerate(self._settings.games)
                if turn not in self._turns_of(self._meeting(game, pairing))
            ]
            is_one = season.is_one_day and not is_whole
            is_last = is_one and any(self._is_playable(unit[-1]) for unit in units)
            yield from (
                (game, pairing, turn)
                for turn, _, game, pairing in sorted(units, key=itemgetter(0, 1))
                if turn not in self._turns_of(self._meeting(game, pairing))
            )
            if is_last:
                return

    def _note_benched(self) -> None:
        """Update the benched bots; before a season's first pair, that may change the match day."""
        super()._note_benched()
        if not self._has_dealt and self._season:
            self._count_missing()

    def next(self) -> Pair | None:
        """Return a half-played pair if there is one, or the next missing pair."""
        self._has_dealt = True
        while self._halves:
            number = self._halves.pop()
            begun = self._begun[number]
            if not self.benched.isdisjoint(begun.names):
                continue
            if begun.names in self._pairings or begun.names[::-1] in self._pairings:
                return self._deal(number, begun)
        while self._number in self._taken:
            self._number += 1
        if (found := self._next_kind()) is None:
            return None
        game, names, turn = found
        self._taken.add(self._number)
        meeting = self._meeting(game, names)
        begun = self._begun[self._number] = _Begun(meeting, self._turn(meeting, turn), 2, names)
        return self._deal(self._number, begun)

    def _next_kind(self) -> tuple[str, Pairing, int] | None:
        if self._rule is None:
            return next((kind for kind in self._wanted if self._is_playable(kind[1])), None)
        names = self._rule.next(list(filter(self._is_playable, self._pairings)), self._number)
        if names is None:
            return None
        self._missing += 2
        turns = {game: self._first_turn(game, names) for game in self._settings.games}
        game = min(turns, key=turns.__getitem__)
        return game, names, turns[game]

    def _is_playable(self, names: Pairing) -> bool:
        return names in self._pairings and self.benched.isdisjoint(names)

    def _first_turn(self, game: str, names: Pairing) -> int:
        """Return the first opening that two bots have not used in a game type."""
        meeting = self._meeting(game, names)
        turn, turns = self._first.get(meeting, 1), self._turns[meeting]
        while turn in turns:
            turn += 1
        self._first[meeting] = turn
        return turn

    def _deal(self, number: int, begun: _Begun) -> Pair:
        games, season, game = self._settings.games, self._season, begun.meeting.game
        turn, more = begun.turn, []
        if season:
            one, other = sorted(map(season.entry, begun.names))
            day = self._day_of.get((one, other, game, turn))
            more = [(SEASON, season.name), *([(MATCH_DAY, f"{day}")] if day else [])]
            turn += season.offset
        index = (turn - 1) * len(games) + games.index(game)
        return self._dealer.deal(
            number, begun.names, round_number=begun.turn, index=index, more=tuple(more)
        )

    def report(self, number: int, first: str, second: str, result: Result, moves: int = 0) -> None:
        """Count a game that was handed out."""
        begun = self._begun[pair_of(number)]
        self._missing -= 1
        meeting = begun.meeting.game, begun.turn
        self._count(PlayedGame(number, first, second, result, *meeting, moves))

    def walkover(self, pair: int, loser: str | None) -> None:  # noqa: ARG002 - tried again anyway
        """Skip the pairing until the next run."""
        one, other = self._begun[pair].names
        self._pairings.pop((one, other), None)
        self._pairings.pop((other, one), None)
