"""Questions to a record: whether its tags, result and length pass, joined by and, or, not.

`moments` has what is asked of single plies, `operators` which question each plan is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Final

from lath.games.core import SIDES, Position, Side
from lath.games.errors import GameError
from lath.notation.archive.archive import start_text
from lath.notation.query.texts import TextTest
from lath.notation.record.record import Record, all_comments
from lath.notation.rules.replay import movers_of, positions

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
    judged: Callable[[AskedRecord], Judged] | None = None
    """Returns the plies that it is asked of, with whether it holds there; may raise GameError. None
    where it is not asked of single plies."""

    cost: int = 0
    """What asking costs; only the order matters."""

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
    cheap_first = tuple(part.asks for part in sorted(parts, key=attrgetter("cost")))

    def asks(asked: AskedRecord) -> bool:
        for ask in cheap_first:
            if ask(asked) is decisive:
                return decisive
        return not decisive

    def judged(asked: AskedRecord) -> Judged:
        return [(ply, True) for ply in sorted({ply for part in parts for ply in part.plies(asked)})]

    return Question(asks, judged)


def inverse(part: Question) -> Question:
    """Return whether it says no."""
    ask = part.asks
    return Question(lambda asked: not ask(asked))


SEAT_TAGS: Final = tuple(side.name.capitalize() for side in SIDES)
"""The tags of the players' names, by side."""


def _name(record: Record, side: Side | None) -> str:
    return "" if side is None else record.tag(SEAT_TAGS[side])


TEXTS: Final[Mapping[str, Callable[[Record], str]]] = {
    "winner": lambda record: _name(record, record.result.winner),
    "loser": lambda record: _name(record, record.result.loser),
    "result": lambda record: record.result,
}
"""What is called so, where that is not the tag of this name; of a draw there is no winner."""


def of_text(name: str, passes: TextTest) -> Question:
    """Return whether a text that is called so passes: one of TEXTS, else the tag of this name."""
    text = TEXTS.get(name)
    if text is None:
        return Question(lambda asked: passes(asked.record.tag(name)))
    return Question(lambda asked: passes(text(asked.record)))


def of_plies(ranges: Sequence[tuple[int, float]]) -> Question:
    """Return whether the number of plies is in one of these ranges, ends included."""

    def asks(asked: AskedRecord) -> bool:
        count = len(asked.record.plies)
        return any(low <= count <= high for low, high in ranges)

    return Question(asks)


def of_setup(texts: Collection[str]) -> Question:
    """Return whether the tag Setup says one of these setups, as its game reads them."""
    wanted = once_a_game(lambda game_id: {start_text(game_id, text, "") for text in texts})

    def asks(asked: AskedRecord) -> bool:
        game, found = asked.record.game, asked.record.tag("Setup")
        return found != "" and start_text(game, found, "") in wanted(game)

    return Question(asks)


FLAGS: Final[Mapping[str, Callable[[Record], bool]]] = {
    # `[%emt 0.5]` alone are no words
    "comments": lambda record: any(
        isinstance(part, str) for comment in all_comments(record) for part in comment
    ),
    "variations": lambda record: any(ply.variations for ply in record.plies),
}
"""What a record has or has not besides its tags and moves: comments in words, variations."""


def of_flag(kind: str) -> Question:
    """Return whether a record has something of FLAGS."""
    has = FLAGS[kind]
    return Question(lambda asked: has(asked.record))
