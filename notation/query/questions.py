"""Questions to a record: whether its tags, result and length pass, joined by and, or, not.

`moments` has what is asked of single plies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import chain
from operator import attrgetter, ge, gt, le, lt
from typing import Final

from lath.games.core import Position, Side
from lath.games.errors import GameError
from lath.notation.archive.archive import start_text
from lath.notation.query.plans import (
    And,
    Not,
    OfNotes,
    OfPlies,
    OfResult,
    OfSetup,
    OfTag,
    OfWinner,
    Or,
    Plan,
    TextTest,
)
from lath.notation.record.record import Record, all_comments
from lath.notation.record.tags import is_date
from lath.notation.rules.replay import movers_of, positions

TAG, PLIES, MOVES, SETUP, COMMENTS, NOTES, REPLAY = 1, 2, 10, 50, 100, 200, 10_000
"""What questions cost; only the order of the sums matters."""

once_a_game: Final = lru_cache(1 << 8)
"""Remembers answers for that many games; a file may name any number."""


Judged = Iterable[tuple[int, bool]]
"""Plies in order, each with whether something holds there."""


class AskedRecord:
    """A record and what its questions have found out of it, each thing once for all of them."""

    def __init__(self, record: Record) -> None:
        self.record: Final = record
        self._known: list[Position] = []
        self._rest: Iterator[Position] | None = None

    @cached_property
    def movers(self) -> Sequence[Side]:
        """Return who decides on each ply, and who after the last; raises GameError."""
        return movers_of(self.record)

    def positions(self) -> Iterator[Position]:
        """Yield the start and the position after each ply; raises GameError."""
        self._rest = self._rest or positions(self.record)
        yield from self._known
        while True:
            try:
                position = next(self._rest, None)
            except GameError:  # who asks again is told again
                self._known, self._rest = [], positions(self.record)
                raise
            if position is None:
                return
            self._known.append(position)
            yield position


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a record."""

    asks: Callable[[AskedRecord], bool]
    cost: int
    plan: Plan
    """What it asks."""

    depth: int = 1
    """How many calls it takes inside each other."""

    games: tuple[str, ...] = ()
    """The ids that it asks for."""

    moves: tuple[str, ...] = ()
    """The moves that it asks for, as the query has them."""

    judged: Callable[[AskedRecord], Judged] | None = None
    """Returns the plies that it is asked of, with whether it holds there; may raise GameError. None
    where it is not asked of single plies."""

    hints: tuple[str, ...] = ()
    """What is to be said of it where it finds nothing, a sentence each."""

    def matches(self, record: Record) -> bool:
        """Return whether it holds of a record; raises GameError."""
        return self.asks(AskedRecord(record))

    def plies(self, asked: AskedRecord) -> list[int]:
        """Return the plies where it holds, in order; raises GameError."""
        judged = () if self.judged is None else self.judged(asked)
        return [ply for ply, holds in judged if holds]


def joined(decisive: bool, parts: Sequence[Question]) -> Question:
    """Return the answer of several: `decisive` as soon as one says so; the cheap are asked first.

    So `or` is joined by True, and `and` by False.
    """
    if len(parts) == 1:
        return parts[0]
    cheap_first = tuple(part.asks for part in sorted(parts, key=attrgetter("cost")))

    def asks(asked: AskedRecord) -> bool:
        is_decided = any(ask(asked) is decisive for ask in cheap_first)
        return decisive if is_decided else not decisive

    def judged(asked: AskedRecord) -> Judged:
        return [(ply, True) for ply in sorted({ply for part in parts for ply in part.plies(asked)})]

    are_of_plies = decisive and all(part.judged for part in parts)
    plans = tuple(part.plan for part in parts)
    return Question(
        asks,
        sum(part.cost for part in parts),
        Or(plans) if decisive else And(plans),
        1 + max(part.depth for part in parts),
        tuple(chain.from_iterable(part.games for part in parts)),
        tuple(chain.from_iterable(part.moves for part in parts)),
        judged if are_of_plies else None,
        tuple(chain.from_iterable(part.hints for part in parts)),
    )


def inverse(part: Question) -> Question:
    """Return whether it says no."""
    ask = part.asks
    return replace(
        part,
        asks=lambda asked: not ask(asked),
        plan=Not(part.plan),
        depth=part.depth + 1,
        judged=None,
    )


_SIGNS: Final = {"<": lt, "<=": le, ">": gt, ">=": ge}


def equals(values: Collection[str], *, as_numbers: bool) -> TextTest:
    """Return whether a text is one of the values, with numbers also whether it is the same number.

    >>> equals(["3", "final"], as_numbers=True)("03")
    True
    """
    numbers = {number(value) for value in values} - {None} if as_numbers else set()
    wanted = frozenset(values) - {""}
    if not numbers:
        return wanted.__contains__
    return lambda text: text in wanted or number(text) in numbers


def ordered(order: str, value: str) -> TextTest:
    """Return whether a text stands so to the value: as numbers if that is one, else by letters.

    >>> ordered("<", "10")("9"), ordered("<", "10")("nine"), ordered("<", "b")("9")
    (True, False, True)
    """
    compare = _SIGNS[order]
    if (bound := number(value)) is None:
        return lambda text: text != "" and compare(text, value)

    def test(text: str) -> bool:
        found = number(text)
        return found is not None and compare(found, bound)

    return test


_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


def number(text: str) -> Decimal | None:
    """Return the exact number that a text is; None where it is none.

    >>> number("-0.50"), number("1e5"), number("nan")
    (Decimal('-0.50'), None, None)
    """
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def like(pattern: str) -> TextTest:
    """Return whether the whole of a text is like the pattern, no matter the case.

    In it `*` is any text and `?` any one letter. What stands between stars is looked for from the
    left and kept where it is found first, which is enough, so that no pattern is slow.

    >>> like("gre*y?")("GREEDY2"), like("greed")("greedy")
    (True, False)
    """
    first, *others = (re.escape(part).replace(r"\?", ".") for part in pattern.split("*"))
    if others:
        *middle, last = others
        first += "".join(f"(?>.*?{part})" for part in middle) + f".*{last}"
    compiled = re.compile(first, re.IGNORECASE | re.DOTALL)
    return lambda text: text != "" and compiled.fullmatch(text) is not None


def dated(dates: Collection[str]) -> TextTest:
    """Return whether a text is a date that is one of the dates, as far as those go.

    >>> dated(["2026-11"])("2026-11-20")
    True
    """
    starts = tuple(dates)
    return lambda text: is_date(text) and text.startswith(starts)


def dated_so(order: str, date: str) -> TextTest:
    """Return whether a text is a date that stands so to the date, as far as that goes.

    >>> dated_so(">", "2026-11")("2026-11-20"), dated_so(">", "2026-11")("2026-12-01")
    (False, True)
    >>> dated_so(">", "2026-11-20")("2026-12-??"), dated_so(">", "2026-11-20")("2026-11-??")
    (True, False)
    """
    compare: Callable[[str, str], bool] = _SIGNS[order]
    places = len(date)

    def stands_so(text: str) -> bool:
        if not is_date(text):
            return False
        said = text[:places]
        known = said.partition("?")[0]  # what follows is not known, though more may be said
        if known == said:
            return compare(said, date)
        return known != date[: len(known)] and compare(known, date[: len(known)])

    return stands_so


def both(one: TextTest, another: TextTest) -> TextTest:
    """Return whether a text passes both."""
    return lambda text: one(text) and another(text)


def of_tags(tags: Sequence[str], passes: TextTest) -> Question:
    """Return whether the text of some of these tags passes."""
    plan = OfTag(tuple(tags), passes)
    if len(tags) == 1:
        (name,) = tags
        return Question(lambda asked: passes(asked.record.tag(name)), TAG, plan)
    return Question(lambda asked: any(map(passes, map(asked.record.tag, tags))), 2 * TAG, plan)


def of_result(passes: TextTest) -> Question:
    """Return whether the result passes."""
    return Question(lambda asked: passes(asked.record.result), TAG, OfResult(passes))


def of_winner(passes: TextTest, *, is_loser: bool) -> Question:
    """Return whether the name of who won passes, or of who lost; of a draw there is none."""

    def asks(asked: AskedRecord) -> bool:
        result = asked.record.result
        side = result.loser if is_loser else result.winner
        return side is not None and passes(asked.record.tag(side.name.capitalize()))

    return Question(asks, 2 * TAG, OfWinner(passes, is_loser))


def of_plies(ranges: Sequence[tuple[int, float]]) -> Question:
    """Return whether the number of plies is in one of these ranges, ends included."""

    def asks(asked: AskedRecord) -> bool:
        count = len(asked.record.plies)
        return any(low <= count <= high for low, high in ranges)

    return Question(asks, PLIES, OfPlies(tuple(ranges)))


def of_setup(texts: Collection[str]) -> Question:
    """Return whether the tag Setup says one of these setups, as its game reads them."""
    wanted = once_a_game(lambda game_id: {start_text(game_id, text, "") for text in texts})

    def asks(asked: AskedRecord) -> bool:
        game, found = asked.record.game, asked.record.tag("Setup")
        return found != "" and start_text(game, found, "") in wanted(game)

    return Question(asks, SETUP, OfSetup(tuple(texts)))


WITH_COMMENTS: Final = Question(
    # `[%emt 0.5]` alone are no words
    lambda asked: any(
        isinstance(part, str) for comment in all_comments(asked.record) for part in comment
    ),
    COMMENTS,
    OfNotes("comments"),
)
"""Whether there are comments in words."""

WITH_VARIATIONS: Final = Question(
    lambda asked: any(ply.variations for ply in asked.record.plies), COMMENTS, OfNotes("variations")
)
"""Whether there are variations."""
