"""Swiss: each round, bots that have scored alike and have not met play each other.

A round begins when all games of the last one are in. Pair numbers follow from round, setup, game
and place of the encounter; the pairings follow from the sums of the rounds before.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from lath.arena.schedule.core import Dealer, Numbers, Pair, Standing, Terms, pair_of
from lath.arena.schedule.encounter import Encounter, Ledger
from lath.arena.schedule.swiss_pairing import Past, Round, pair_round
from lath.arena.schedule.swiss_table import Meeting, standing


class Swiss:
    """Rounds of encounters; in each, every game from `pairs` openings with both seats."""

    is_exact: Final = True
    keeps_walkovers: Final = True

    def __init__(self, terms: Terms) -> None:
        self._terms: Final = terms
        self._dealer: Final = Dealer(terms)
        self._ledger: Final = Ledger()
        self._tables: Final = len(terms.names) // 2
        self._each: Final = terms.pairs * len(terms.game_ids)
        """Pairs of games of an encounter."""
        self._rounds: Final[list[Round]] = []
        self._meetings: Final[list[Meeting]] = []
        """Encounters and byes of the rounds that are over."""
        self._next = 1

    @property
    def _pairs(self) -> int:
        """Return how many pairs there are in all rounds."""
        return self._terms.rounds * self._tables * self._each

    @property
    def total(self) -> int:
        """Return how many games there are, without those lost by walkover."""
        return 2 * self._pairs - self._ledger.lost

    @property
    def done(self) -> int:
        """Return how many games are reported."""
        return self._ledger.done

    @property
    def finished(self) -> Numbers:
        """Return their numbers."""
        return self._ledger.finished

    def next(self) -> Pair | None:
        """Return the next open pair of this round, or the first of the next one."""
        while self._next <= self._pairs and self._has_begun(self._round_of(self._next)):
            number = self._next
            self._next += 1
            if self._ledger.is_open(number):
                return self._pair(number)
        return None

    def _round_of(self, pair: int) -> int:
        """Return the round of a pair, from 0."""
        return (pair - 1) // (self._tables * self._each)

    def _table_of(self, pair: int) -> int:
        return (pair - 1) % self._tables

    def _has_begun(self, round_number: int) -> bool:
        """Return whether a round is paired; pair it when the last one is over."""
        if len(self._rounds) == round_number and self._is_over(round_number - 1):
            self._meetings.extend(self._results(round_number - 1))
            self._rounds.append(pair_round(_past(self._meetings, len(self._terms.names))))
        return len(self._rounds) > round_number

    def _is_over(self, round_number: int) -> bool:
        tables = range(self._tables if round_number >= 0 else 0)
        return all(self._at(round_number, table).is_over for table in tables)

    def _at(self, round_number: int, table: int) -> Encounter:
        return self._ledger.encounter((round_number, table), 2 * self._each)

    def _results(self, round_number: int) -> list[Meeting]:
        if not 0 <= round_number < len(self._rounds):
            return []
        now = self._rounds[round_number]
        names = self._terms.names
        told = []
        for table, (one, other) in enumerate(now.pairs):
            halves = self._at(round_number, table).halves(names[one], names[other])
            told.append(Meeting(one, other, halves))
        if now.bye is not None:
            told.append(Meeting(now.bye, None, (4 * self._each, 0)))
        return told

    def _pair(self, number: int) -> Pair:
        round_number = self._round_of(number)
        one, other = self._rounds[round_number].pairs[self._table_of(number)]
        rest = (number - 1) // self._tables % self._each
        again, game = divmod(rest, len(self._terms.game_ids))
        return self._dealer.deal(
            number,
            (self._terms.names[one], self._terms.names[other]),
            game_id=self._terms.game_ids[game],
            round_number=round_number + 1,
            turn=round_number * self._terms.pairs + again + 1,
        )

    def report(self, number: int, first: str, second: str, result: str) -> None:
        """Count a game; one of a run with more rounds counts for nothing."""
        if (pair := pair_of(number)) <= self._pairs:
            self._ledger.report(self._encounter(pair), number, (first, second), result)

    def walkover(self, pair: int, loser: str | None) -> None:
        """Count what is left of a pair as lost."""
        if pair <= self._pairs:
            self._ledger.lose(self._encounter(pair), pair, loser)

    def _encounter(self, pair: int) -> Encounter:
        return self._at(self._round_of(pair), self._table_of(pair))

    def standing(self) -> Standing:
        """Return the table, with what the running round has brought so far."""
        while len(self._rounds) < self._terms.rounds and self._has_begun(len(self._rounds)):
            pass  # what was reported of a run before has its rounds paired here
        running = self._results(len(self._rounds) - 1)
        return standing(self._terms.names, [*self._meetings, *running], 4 * self._each)


def _past(meetings: list[Meeting], people: int) -> Past:
    points = [0] * people
    met: Counter[tuple[int, int]] = Counter()
    byes: Counter[int] = Counter()
    for meeting in meetings:
        points[meeting.one] += meeting.halves[0]
        if meeting.other is None:
            byes[meeting.one] += 1
        else:
            points[meeting.other] += meeting.halves[1]
            met[min(meeting.one, meeting.other), max(meeting.one, meeting.other)] += 1
    return Past(points, met, byes)
