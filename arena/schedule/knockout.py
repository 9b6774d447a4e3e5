"""The knockout format, in which the loser of a tie is out; seeds follow the configuration.

A tie is `pairs` openings of each game type, each played with both sides. While the score is tied,
the arena adds one opening of each game type, up to MORE times. After that the better seed advances.
Every tie has reserved pair numbers, by its round and its place in the bracket. So the numbers do
not depend on which tie ends first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from lath.arena.schedule.core import Dealer, Encounter, InEncounters, Pair, Ruled

MORE: Final = 5
"""Maximum number of times to prolong a tie while its score is tied."""


def bracket(people: int) -> list[tuple[int | None, int | None]]:
    """Return the ties of the first round in the order of the bracket; a bye is None.

    Bots are numbers by seed, from 0. The first two seeds can only meet in the final, the first four
    not before the semi-finals, and so on. The best seeds get the byes.

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
    """Two bots, one of which advances."""

    round: int
    """Number of the round, from 1."""

    bots: tuple[str | None, str | None]
    """The two bots, the better seed first; None while a bot is not known, and in a bye."""

    points: tuple[float, float] = (0.0, 0.0)
    """Points of each bot."""

    prolonged: int = 0
    """How often the arena prolonged the tie because the score was tied."""

    by_seed: bool = False
    """True if the better seed advanced because the score stayed tied."""

    winner: str | None = None
    """The bot that advances; None while the tie is open."""

    walkovers: int = 0
    """Games that were lost without being played."""

    @property
    def is_known(self) -> bool:
        """Return whether both bots are known."""
        return None not in self.bots

    @property
    def is_bye(self) -> bool:
        """Return whether one of the bots has a bye."""
        return self.round == 1 and not self.is_known


@dataclass(frozen=True, slots=True)
class Bracket:
    """The standing of a knockout."""

    ties: tuple[Tie, ...]
    """All ties, round by round, in the order of the bracket."""

    winner: str | None


class Knockout(InEncounters):
    """The ties of all rounds; a tie opens when both of its bots are known.

    Ties are numbered from 0, round by round, in the order of the bracket.
    """

    def __init__(self, names: Sequence[str], dealer: Dealer) -> None:
        super().__init__(names, dealer)
        self._slots: Final = [
            None if seed is None else names[seed] for tie in bracket(len(names)) for seed in tie
        ]
        """Bots of the first round, two for each tie; None for a bye."""
        self._more: Final = len(self._settings.games)
        """Pairs that prolong a tie once."""
        self._main: Final = self._settings.pairs * self._more
        """Pairs of a tie without prolongation."""
        self._reserved: Final = self._main + MORE * self._more
        self._decided: Final[dict[int, Tie]] = {}
        self._begun: Final[Counter[int]] = Counter()
        """Pairs of each tie that were handed out or skipped."""

    @property
    def total(self) -> int:
        """Return how many games there will be if no further tie is prolonged."""
        ties = (len(self._names) - 1) * self._main
        more = unplayed = 0
        for number, tie in enumerate(self._ties()):
            more += tie.prolonged * self._more
            if not self._settings.ruled.bots.isdisjoint(tie.bots) and tie.is_known:
                unplayed += self._at(number, 0).left
        return 2 * (ties + more) - self._lost_games - unplayed

    def _ties(self) -> Iterator[Tie]:
        """Yield the standing of every tie."""
        number = round_number = 0
        left = self._slots
        while len(left) > 1:
            round_number += 1
            meetings = list(zip(left[::2], left[1::2], strict=True))
            left, later = [], number + len(meetings)
            for place, bots in enumerate(meetings):
                tie = self._decided.get(number) or self._tie(number, round_number, bots)
                if self._settings.ruled != Ruled():
                    tie = self._as_it_went_on(tie, later + place // 2)
                left.append(tie.bots[0] if tie.is_bye else tie.winner)
                number += 1
                yield tie

    def _as_it_went_on(self, tie: Tie, later: int) -> Tie:
        """Return a tie won by the bot that has already played in the next tie, if there is one.

        `later` is the number of the next tie. A later ruling does not undo that a bot advanced.
        """
        through = (name for name in tie.bots if name and self._at(later, 0).has_met(name))
        winner = next(through, tie.winner)
        is_again_open = tie.winner is None and winner is not None
        return replace(tie, winner=winner, prolonged=max(0, tie.prolonged - is_again_open))

    def _tie(self, number: int, round_number: int, bots: tuple[str | None, str | None]) -> Tie:
        """Return the standing of a tie between these bots, and keep it once it is decided."""
        one, other = bots
        if one is None or other is None:
            return Tie(round=round_number, bots=(one, other))
        one, other = sorted((one, other), key=self._names.index)
        halves: list[tuple[int, int]] = []
        walkovers = 0
        is_level = is_over = True
        gone = self._settings.ruled.bots.intersection((one, other))
        while is_level and is_over and len(halves) <= MORE:
            encounter = self._at(number, len(halves))
            ours, theirs = encounter.halves(one, other)
            halves.append((ours, theirs))
            walkovers += encounter.lost
            is_level, is_over = ours == theirs, encounter.left <= 0
            if gone:  # nothing more is played
                is_level, is_over = len(gone) == 2, True
                break
        ones, others = zip(*halves, strict=True)
        is_upset = others[-1] > ones[-1] if len(gone) in (0, 2) else one in gone
        tie = Tie(
            round=round_number,
            bots=(one, other),
            points=(sum(ones) / 2, sum(others) / 2),
            prolonged=len(halves) - 1,
            by_seed=is_over and is_level,
            winner=(other if is_upset else one) if is_over else None,
            walkovers=walkovers,
        )
        if is_over:
            self._decided[number] = tie
        return tie

    def _at(self, tie: int, stage: int) -> Encounter:
        """Return the games of a tie that count together: stage 0, or one prolongation."""
        return self._encounter((tie, stage), 2 * (self._more if stage else self._main))

    def next(self) -> Pair | None:
        """Return the first open pair of the first tie that has one."""
        for place, tie in enumerate(self._ties()):
            one, other = tie.bots
            if one is None or other is None or tie.winner:
                continue
            while self._begun[place] < self._main + tie.prolonged * self._more:
                index = (tie.round - 1) * self._reserved + self._begun[place]
                self._begun[place] += 1
                number = place * self._reserved + self._begun[place]
                if self._is_open(number):
                    return self._dealer.deal(
                        number, (one, other), round_number=tie.round, index=index
                    )
        return None

    def _encounter_of(self, pair: int) -> Encounter | None:
        tie, inner = divmod(pair - 1, self._reserved)
        stage = max(0, (inner - self._main) // self._more + 1)
        return self._at(tie, stage) if tie < len(self._slots) - 1 else None

    def standing(self) -> Bracket:
        """Return all ties, including future ones, and the winner."""
        ties = tuple(self._ties())
        return Bracket(ties, ties[-1].winner)
