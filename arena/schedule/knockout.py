"""Knockout: who loses a tie is out; seeds are the order of the configuration.

Must not know how ties come about.

A tie is `pairs` openings of each game with both seats; while it is level, one more of each game, up
to MORE times; then the better seed goes through. Every tie has pair numbers of its own, reserved by
round and place in the bracket, so that they do not depend on which tie ends first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from lath.arena.schedule.core import (
    Dealer,
    Encounter,
    Ledger,
    Numbers,
    Pair,
    Standing,
    Terms,
    pair_of,
    points,
)
from lath.reports.outcome import Column, Sheet

COLUMNS: Final = (
    Column("bot", "name"),
    Column("score"),
    Column("opponent", "name"),
    Column("through", "name"),
    Column("after", "text"),
)

Told = Mapping[str, Any]
"""A tie as the standing's data has it."""

Seen = tuple[str | None, str | None]
"""The bots of a tie, as far as they are known; the only one of a bye comes first."""


def words(told: Told) -> str:
    """Return a tie in a line."""
    one, other = told["bots"]
    winner = f"{told['winner']} goes through" if told["winner"] else "not decided"
    why = " as the better seed" if told["by_seed"] else ""
    return f"Round {told['round']}: {one} - {other} {_score(told)}, {winner}{why}"


def _score(told: Told) -> str:
    return "-".join(points(round(2 * each)) for each in told["points"])


def sheets(ties: Sequence[tuple[int, Told | None, Seen]]) -> tuple[Sheet, ...]:
    """Return a table for each round: its ties in the order of the bracket, those to come too."""
    rounds = [(number, list(group)) for number, group in groupby(ties, lambda tie: tie[0])]
    return tuple(
        Sheet(
            COLUMNS,
            tuple(_row(told, seen, number == 1) for _, told, seen in group),
            _title(number, len(group)),
        )
        for number, group in rounds
    )


def _title(number: int, ties: int) -> str:
    """Return what people call a round.

    >>> _title(1, 8), _title(2, 4), _title(3, 2), _title(4, 1)
    ('Round 1', 'Quarter-finals', 'Semi-finals', 'Final')
    """
    return {4: "Quarter-finals", 2: "Semi-finals", 1: "Final"}.get(ties, f"Round {number}")


def _row(told: Told | None, seen: Seen, is_first_round: bool) -> tuple[str, ...]:
    if told is not None:
        one, other = told["bots"]
        return one, _score(told), other, told["winner"] or "", _after(told)
    one, other = seen
    if is_first_round and one is not None:
        return one, "bye", "-", one, ""
    return one or "?", "-", other or "?", "", ""


def _after(told: Told) -> str:
    """Return what it took to decide a tie; empty where the score says it."""
    if told["by_seed"]:
        return "level: better seed"
    return f"prolonged {told['prolonged']}x" if told["prolonged"] else ""


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


class Knockout:
    """The ties of all rounds, each open when both of its bots are known."""

    is_exact: Final = False
    keeps_walkovers: Final = True

    def __init__(self, terms: Terms) -> None:
        self._terms: Final = terms
        self._dealer: Final = Dealer(terms)
        self._ledger: Final = Ledger()
        self._first: Final = bracket(len(terms.names))
        self._main: Final = terms.pairs * len(terms.game_ids)
        """Pairs of a tie that is not prolonged."""
        self._reserved: Final = self._main + MORE * len(terms.game_ids)
        self._winners: Final[dict[tuple[int, int], int]] = {}
        self._begun: Final[dict[tuple[int, int], int]] = {}
        """Pairs of each tie that were handed out or passed over."""

    @property
    def total(self) -> int:
        """Return how many games there will be if no further tie is prolonged."""
        ties = (len(self._terms.names) - 1) * self._main
        more = sum(self._stage(tie) for tie in self._ties()) * len(self._terms.game_ids)
        return 2 * (ties + more) - self._ledger.lost

    @property
    def done(self) -> int:
        """Return how many games are reported."""
        return self._ledger.done

    @property
    def finished(self) -> Numbers:
        """Return their numbers."""
        return self._ledger.finished

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

    def _winner(self, tie: tuple[int, int]) -> int | None:
        """Return who goes through; None while that is open."""
        round_number, place = tie
        if round_number == 0 and self._first[place][1] is None:
            return self._first[place][0]
        if tie not in self._winners and (seats := self._seats(tie)):
            stage = self._stage(tie)
            one, other = self._halves(tie, stage, seats)
            if self._encounter(tie, stage).is_over:
                self._winners[tie] = seats[other > one]
        return self._winners.get(tie)

    def _stage(self, tie: tuple[int, int]) -> int:
        """Return how often a tie was prolonged."""
        seats = self._seats(tie)
        stage = 0
        while seats and stage < MORE and self._encounter(tie, stage).is_over:
            one, other = self._halves(tie, stage, seats)
            if one != other:
                break
            stage += 1
        return stage

    def _halves(self, tie: tuple[int, int], stage: int, seats: tuple[int, int]) -> tuple[int, int]:
        names = self._terms.names
        return self._encounter(tie, stage).halves(names[seats[0]], names[seats[1]])

    def _encounter(self, tie: tuple[int, int], stage: int) -> Encounter:
        pairs = len(self._terms.game_ids) if stage else self._main
        return self._ledger.encounter((*tie, stage), 2 * pairs)

    def next(self) -> Pair | None:
        """Return the first open pair of the first tie that has one."""
        for tie in self._ties():
            seats = self._seats(tie) if tie not in self._winners else None
            while seats and self._begun.get(tie, 0) < self._open_pairs(tie):
                place = self._begun[tie] = self._begun.get(tie, 0) + 1
                if self._ledger.is_open(self._number(tie, place)):
                    return self._pair(tie, place, seats)
        return None

    def _open_pairs(self, tie: tuple[int, int]) -> int:
        return self._main + self._stage(tie) * len(self._terms.game_ids)

    def _number(self, tie: tuple[int, int], place: int) -> int:
        """Return the number of the `place`-th pair of a tie, from 1."""
        round_number, before = tie
        for earlier in range(round_number):
            before += len(self._first) >> earlier
        return before * self._reserved + place

    def _tie_of(self, pair: int) -> tuple[tuple[int, int], int] | None:
        """Return the tie that a pair is of, and the stage; None for a number of no tie."""
        place, inner = divmod(pair - 1, self._reserved)
        stage = max(0, (inner - self._main) // len(self._terms.game_ids) + 1)
        ties = list(self._ties())
        return (ties[place], stage) if place < len(ties) else None

    def _pair(self, tie: tuple[int, int], place: int, seats: tuple[int, int]) -> Pair:
        again, game = divmod(place - 1, len(self._terms.game_ids))
        return self._dealer.deal(
            self._number(tie, place),
            (self._terms.names[seats[0]], self._terms.names[seats[1]]),
            game_id=self._terms.game_ids[game],
            round_number=tie[0] + 1,
            turn=tie[0] * (self._terms.pairs + MORE) + again + 1,
        )

    def report(self, number: int, first: str, second: str, result: str) -> None:
        """Count a game."""
        if (found := self._tie_of(pair_of(number))) is not None:
            self._ledger.report(self._encounter(*found), number, (first, second), result)

    def walkover(self, pair: int, loser: str | None) -> None:
        """Count what is left of a pair as lost."""
        if (found := self._tie_of(pair)) is not None:
            self._ledger.lose(self._encounter(*found), pair, loser)

    def standing(self) -> Standing:
        """Return the ties so far, round by round, and the winner."""
        ties = [told for tie in self._ties() if (told := self._told(tie))]
        winner = self._winner((len(self._first).bit_length() - 1, 0))
        name = None if winner is None else self._terms.names[winner]
        verdict = f"Winner: {name}" if name else ""
        return Standing(
            (*map(words, ties), *filter(None, (verdict,))),
            {"knockout": ties, "winner": name},
            sheets([(tie[0] + 1, self._told(tie), self._names(tie)) for tie in self._ties()]),
            verdict,
        )

    def _names(self, tie: tuple[int, int]) -> tuple[str | None, str | None]:
        seats = self._known(tie)
        one, other = (None if seat is None else self._terms.names[seat] for seat in seats)
        return one, other

    def _told(self, tie: tuple[int, int]) -> dict[str, object] | None:
        seats = self._seats(tie)
        if seats is None:
            return None
        stages = range(self._stage(tie) + 1)
        halves = [self._halves(tie, stage, seats) for stage in stages]
        winner = self._winner(tie)
        return {
            "round": tie[0] + 1,
            "bots": [self._terms.names[seat] for seat in seats],
            "points": [sum(half) / 2 for half in zip(*halves, strict=True)],
            "prolonged": self._stage(tie),
            "by_seed": winner is not None and halves[-1][0] == halves[-1][1],
            "winner": None if winner is None else self._terms.names[winner],
        }
