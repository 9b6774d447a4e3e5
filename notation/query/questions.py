"""Questions about a record: tests of tags, result and length, joined by and, or, not.

`moments` has the questions about single plies, and `operators` the question for each plan.
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
"""A cache for this number of games; a file can name any number of games."""


Judged = Iterable[tuple[int, bool]]
"""Plies in order, each with whether something holds there."""


class AskedRecord:
    """A record, with cached results that its questions share."""

    def __init__(self, record: Record) -> None:
        self.record: Final = record
        self._known: list[Position] = []
        self._rest: Iterator[Position] | None = None

    @cached_property
    def movers(self) -> Sequence[Side]:
        """Return the side to move at each ply, and after the last. Raises GameError."""
        return movers_of(self.record)

    def positions(self) -> Iterator[Position]:
        """Yield the start and the position after each ply. Raises GameError for an illegal move."""
        self._rest = self._rest or positions(self.record)
        yield from self._known
        while True:
            try:
                position = next(self._rest, None)
            except GameError:  # later callers get the same error
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
    """The function that returns the plies of the question, with whether it holds there; it may
    raise GameError. None if the question is not about single plies."""

    cost: int = 0
    """The cost of asking; only the order matters."""

    def matches(self, record: Record) -> bool:
        """Return whether the question holds for a record. Raises GameError."""
        return self.asks(AskedRecord(record))

    def plies(self, asked: AskedRecord) -> list[int]:
        """Return the plies where the question holds, in order. Raises GameError."""
        judged = () if self.judged is None else self.judged(asked)
        return [ply for ply, holds in judged if holds]


def joined(decisive: bool, parts: Sequence[Question]) -> Question:
    """Return questions joined by `or` (`decisive` True) or by `and` (False); cheap ones first."""
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
    """Return the negation of a question."""
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
"""The texts with these names, if they are not tags. A draw has no winner and no loser."""


def of_text(name: str, passes: TextTest) -> Question:
    """Return the question whether a text passes: one of TEXTS, or the tag with this name."""
    text = TEXTS.get(name)
    if text is None:
        return Question(lambda asked: passes(asked.record.tag(name)))
    return Question(lambda asked: passes(text(asked.record)))


def of_plies(ranges: Sequence[tuple[int, float]]) -> Question:
    """Return the question whether the number of plies is in one of these ranges, ends included."""

    def asks(asked: AskedRecord) -> bool:
        count = len(asked.record.plies)
        return any(low <= count <= high for low, high in ranges)

    return Question(asks)


def of_setup(texts: Collection[str]) -> Question:
    """Return the question whether the tag Setup is one of these setups, in canonical text."""
    wanted = once_a_game(lambda game_id: {start_text(game_id, text, "") for text in texts})

    def asks(asked: AskedRecord) -> bool:
        game, found = asked.record.game, asked.record.tag("Setup")
        return found != "" and start_text(game, found, "") in wanted(game)

    return Question(asks)


FLAGS: Final[Mapping[str, Callable[[Record], bool]]] = {
    # annotations such as `[%emt 0.5]` are not words
    "comments": lambda record: any(
        isinstance(part, str) for comment in all_comments(record) for part in comment
    ),
    "variations": lambda record: any(ply.variations for ply in record.plies),
}
"""The kinds of parts that a record can have besides tags and moves."""


def of_flag(kind: str) -> Question:
    """Return the question whether a record has a kind of part, one of FLAGS."""
    has = FLAGS[kind]
    return Question(lambda asked: has(asked.record))
