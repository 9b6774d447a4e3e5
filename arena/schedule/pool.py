"""A pool: bots come and go, and what is played is what is missing of what is wanted.

Wanted of each two bots that play now, in each game and at their time controls, are so many pairs;
the k-th of any two begins at the k-th opening, so that all meet from the same ones. What is stored
counts, whatever the tournament was when it was played. With a `PoolRule` it says which two meet
next.

In a season only its own games count, the versions of a bot are one entry, and pairs are played
match day after match day.

Which pairs are wanted follows from what is stored, and so does the number of each: the first one
that is free.
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
    """Where games go when there are only so many: without end, whatever the rounds."""

    def report(self, played: PlayedGame) -> None:
        """Be told of each game that is stored, and then of each that ends."""

    def next(self, pairings: Sequence[Pairing], pair: int) -> Pairing | None:
        """Return which of some pairings plays the pair of that number; None: none until later."""


class _Meeting(NamedTuple):
    """Two bots in one game at one time control each: what pairs are counted of."""

    game: str
    one: str
    other: str
    """The names in order, whoever comes first in the configuration."""

    times: tuple[str, str]


@dataclass(slots=True)
class _Begun:
    """A pair of which a game is not finished."""

    meeting: _Meeting
    turn: int
    left: int = 2
    names: Pairing = ("", "")
    """First and second in the first of its games."""


class PoolSchedule(Schedule):
    """Hands out what is missing: half-played pairs, then round after round, or by a rule."""

    keeps_walkovers = False
    _has_dealt = True

    def __init__(self, names: Sequence[str], dealer: Dealer, rule: PoolRule | None = None) -> None:
        super().__init__(names, dealer)
        self._season: Final = self._settings.season
        self._rule: Final = None if self._season else rule
        self._conditions: Final = self._settings.conditions or (PairConditions(),)
        self._from: Final = [each.from_pair for each in self._conditions]
        self._turns: Final[defaultdict[_Meeting, NumberSet]] = defaultdict(NumberSet)
        """Which openings each meeting has been given."""
        self._first: Final[dict[_Meeting, int]] = {}
        """From where on one is to be found that is free."""
        self._meetings: Final[dict[tuple[str, Pairing, int], _Meeting]] = {}
        """Those that were asked for."""
        self._begun: Final[dict[int, _Begun]] = {}
        self._halves: Final[list[int]] = []
        """Pairs to be completed, from the last to the first."""
        self._taken: Final = NumberSet()
        """Pairs that have a number."""
        self._day_of: Final = {
            unit: day.number
            for day in (self._season.days if self._season else ())
            for unit in day.units(self._settings.games)
        }
        """On which match day a season has a pair: on the last one, if it was put off."""
        self._number = self._conditions[-1].from_pair
        gone = self._settings.ruled.bots
        self._pairings = dict.fromkeys(
            pairing for pairing in combinations(names, 2) if gone.isdisjoint(pairing)
        )
        """Those that were not stopped in this run, of bots that are not disqualified."""
        self._has_dealt = False
        self._missing = 0
        """Games to play, dealt ones included."""
        self._later = 0
        """Games of later match days, which this run does not play."""
        self._earlier = 0
        """Games that are stored and are not of the season."""
        self._wanted = self._by_days() if self._season else self._by_turns()
        self.take_in(())

    @property
    def total(self) -> int:
        """Return how many games are stored or will be; with a rule there always is another pair."""
        return self._reported + self._missing + (2 if self._rule else 0)

    @property
    def extent(self) -> tuple[int, int]:
        """Return how many games of the season are stored, and how many it will have."""
        if not self._season:
            return super().extent
        done = self._reported - self._earlier
        return done, done + self._missing + self._later

    def take_in(self, played: Iterable[PlayedGame]) -> None:
        """Count what is stored, by number."""
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
        """Give a meeting an opening: that one, or where it has been, as in a swiss, the next."""
        turns = self._turns_of(meeting)
        while turn in turns:
            turn += 1
        turns.add(turn)
        return turn

    def _turns_of(self, meeting: _Meeting) -> NumberSet:
        """Return the openings that count for a meeting: in a season, those of the two entries."""
        if self._season:
            one, other = sorted(map(self._season.entry, (meeting.one, meeting.other)))
            meeting = _Meeting(meeting.game, one, other, ("", ""))
        return self._turns[meeting]

    def _kinds(self) -> Iterator[tuple[str, Pairing]]:
        """Yield each game with each pairing, in the order of a round."""
        return product(self._settings.games, self._pairings)

    def _meeting(self, game: str, names: Pairing, pair: int | None = None) -> _Meeting:
        """Return whose pair it is; `pair` is its number, if it is none that is new."""
        place = len(self._from) if pair is None else max(1, bisect_right(self._from, pair))
        key = game, names, place
        if key not in self._meetings:
            times = self._conditions[place - 1].times
            one, other = sorted(names)
            ours, theirs = (times.get(name, times.get("", "")) for name in (one, other))
            self._meetings[key] = _Meeting(game, one, other, (ours, theirs))
        return self._meetings[key]

    def _fits(self, pair: int) -> bool:
        """Return whether what is left of a pair is wanted, and begins where its first game did."""
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
        """Yield what is missing, round after round; what begins meanwhile does not come again."""
        for turn in range(1, self._settings.rounds + 1):
            yield from (
                (game, names, turn)
                for game, names in list(self._kinds())
                if turn not in self._turns[self._meeting(game, names)]
            )

    def _by_days(self, *, is_whole: bool = False) -> Iterator[tuple[str, Pairing, int]]:
        """Yield what the match days of a season lack, day after day.

        Of one day alone it is the next one with a pairing of bots that are not benched, unless the
        whole season is asked for.
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
        """Note who is benched; of a season that has not begun to play the day may be another."""
        super()._note_benched()
        if not self._has_dealt and self._season:
            self._count_missing()

    def next(self) -> Pair | None:
        """Return a half-played pair, else the next one that is missing."""
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
        """Return the first opening that two bots have not been given in a game."""
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
        """Leave the pairing out until the next run."""
        one, other = self._begun[pair].names
        self._pairings.pop((one, other), None)
        self._pairings.pop((other, one), None)
