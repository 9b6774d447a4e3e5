"""Knockout: who loses a tie is out; seeds are the order of the configuration.

A tie is `pairs` openings of each game with both seats; while it is level, one more of each game, up
to MORE times; then the better seed goes through. Every tie has pair numbers of its own, reserved by
round and place in the bracket, so that they do not depend on which tie ends first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lath.arena.schedule.core import Dealer, Encounter, InEncounters, Pair, Settings

MORE: Final = 5
"""Times that a level tie is prolonged."""


def bracket(people: int) -> list[tuple[int | None, int | None]]:
    """Return the ties of the first round in the order of the bracket; None where a bye is.

    People are numbers by seed, from 0. The first two can only meet in the final, the first four not
    before the last but one round, and so on; byes go to the first.

    >>> bracket(8)
    [(0, 7), (3, 4), (1, 6), (2, 5)]
    >>> bracket(3)
    [(0, None), (1, 2)]
    """
    slots = [0]
    while len(slots) < people:
        last = 2 * len(slots) - 1
        slots = [seed for slot in slots for seed in (slot, last - slot)]
    seeds = [seed if seed < people else None for seed in slots]
    return list(zip(seeds[::2], seeds[1::2], strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """Two bots of which one goes through."""

    round: int
    bots: tuple[str | None, str | None]
    """The better seed first; None while that is open, and in a bye."""

    points: tuple[float, float] = (0.0, 0.0)
    prolonged: int = 0
    """How often, since it was level."""

    by_seed: bool = False
    """Whether it was level to the end."""

    winner: str | None = None

    @property
    def is_known(self) -> bool:
        """Return whether both bots are known."""
        return None not in self.bots

    @property
    def is_bye(self) -> bool:
        """Return whether one has nobody to play."""
        return self.round == 1 and not self.is_known


@dataclass(frozen=True, slots=True)
class Bracket:
    """How a knockout stands."""

    ties: tuple[Tie, ...]
    """Round by round, in the order of the bracket."""

    winner: str | None


class Knockout(InEncounters):
    """The ties of all rounds, each open when both of its bots are known."""

    def __init__(self, names: Sequence[str], settings: Settings, dealer: Dealer) -> None:
        super().__init__(names, settings, dealer)
        self._first: Final = bracket(len(names))
        self._main: Final = settings.pairs * len(settings.games)
        """Pairs of a tie that is not prolonged."""
        self._reserved: Final = self._main + MORE * len(settings.games)
        self._winners: Final[dict[tuple[int, int], int]] = {}
        self._begun: Final[dict[tuple[int, int], int]] = {}
        """Pairs of each tie that were handed out or passed over."""

    @property
    def total(self) -> int:
        """Return how many games there will be if no further tie is prolonged."""
        ties = (len(self._names) - 1) * self._main
        more = sum(self._course(tie)[0] for tie in self._ties()) * len(self._settings.games)
        return 2 * (ties + more) - self._lost_games

    def _ties(self) -> Iterator[tuple[int, int]]:
        """Yield round and place of every tie, both from 0."""
        size, round_number = len(self._first), 0
        while size:
            yield from ((round_number, place) for place in range(size))
            size, round_number = size // 2, round_number + 1

    def _seats(self, tie: tuple[int, int]) -> tuple[int, int] | None:
        """Return who plays a tie, the better seed first; None while that is open, and for a bye."""
        one, other = self._known(tie)
        return None if one is None or other is None else (min(one, other), max(one, other))

    def _known(self, tie: tuple[int, int]) -> tuple[int | None, int | None]:
        """Return who plays a tie as far as that is known; of a bye the one there is comes first."""
        round_number, place = tie
        if round_number == 0:
            return self._first[place]
        one, other = (self._winner((round_number - 1, 2 * place + side)) for side in (0, 1))
        return one, other

    def _course(self, tie: tuple[int, int]) -> tuple[int, int | None]:
        """Return how often a tie was prolonged, and who goes through; None while that is open."""
        round_number, place = tie
        if round_number == 0 and self._first[place][1] is None:
            return 0, self._first[place][0]
        seats = self._seats(tie)
        stage = 0
        while seats and self._at(tie, stage).is_over:
            one, other = self._halves(tie, stage, seats)
            if one != other or stage == MORE:
                return stage, seats[other > one]
            stage += 1
        return stage, None

    def _winner(self, tie: tuple[int, int]) -> int | None:
        """Return who goes through; None while that is open."""
        if tie not in self._winners and (winner := self._course(tie)[1]) is not None:
            self._winners[tie] = winner
        return self._winners.get(tie)

    def _halves(self, tie: tuple[int, int], stage: int, seats: tuple[int, int]) -> tuple[int, int]:
        names = self._names
        return self._at(tie, stage).halves(names[seats[0]], names[seats[1]])

    def _at(self, tie: tuple[int, int], stage: int) -> Encounter:
        pairs = len(self._settings.games) if stage else self._main
        return self._encounter((*tie, stage), 2 * pairs)

    def next(self) -> Pair | None:
        """Return the first open pair of the first tie that has one."""
        for tie in self._ties():
            seats = self._seats(tie) if tie not in self._winners else None
            while seats and self._begun.get(tie, 0) < self._open_pairs(tie):
                place = self._begun[tie] = self._begun.get(tie, 0) + 1
                if self._is_open(self._number(tie, place)):
                    return self._pair(tie, place, seats)
        return None

    def _open_pairs(self, tie: tuple[int, int]) -> int:
        return self._main + self._course(tie)[0] * len(self._settings.games)

    def _number(self, tie: tuple[int, int], place: int) -> int:
        """Return the number of the `place`-th pair of a tie, from 1."""
        round_number, before = tie
        for earlier in range(round_number):
            before += len(self._first) >> earlier
        return before * self._reserved + place

    def _encounter_of(self, pair: int) -> Encounter | None:
        place, inner = divmod(pair - 1, self._reserved)
        stage = max(0, (inner - self._main) // len(self._settings.games) + 1)
        ties = list(self._ties())
        return self._at(ties[place], stage) if place < len(ties) else None

    def _pair(self, tie: tuple[int, int], place: int, seats: tuple[int, int]) -> Pair:
        again, game = divmod(place - 1, len(self._settings.games))
        return self._dealer.deal(
            self._number(tie, place),
            (self._names[seats[0]], self._names[seats[1]]),
            game_id=self._settings.games[game],
            round_number=tie[0] + 1,
            turn=tie[0] * (self._settings.pairs + MORE) + again + 1,
        )

    def standing(self) -> Bracket:
        """Return all ties, those to come too, and the winner."""
        winner = self._winner((len(self._first).bit_length() - 1, 0))
        return Bracket(tuple(map(self._tie, self._ties())), self._name(winner))

    def _name(self, seed: int | None) -> str | None:
        return None if seed is None else self._names[seed]

    def _tie(self, tie: tuple[int, int]) -> Tie:
        seats = self._seats(tie)
        if seats is None:
            one, other = self._known(tie)
            return Tie(round=tie[0] + 1, bots=(self._name(one), self._name(other)))
        prolonged, winner = self._course(tie)
        halves = [self._halves(tie, stage, seats) for stage in range(prolonged + 1)]
        ones, others = zip(*halves, strict=True)
        return Tie(
            round=tie[0] + 1,
            bots=(self._name(seats[0]), self._name(seats[1])),
            points=(sum(ones) / 2, sum(others) / 2),
            prolonged=prolonged,
            by_seed=winner is not None and halves[-1][0] == halves[-1][1],
            winner=self._name(winner),
        )
