"""Questions about one record, built once and asked of every record; each knows what it costs.

Must not know records. An empty text stands for a tag that is missing, and passes none of them.

Must not know the text of queries (`language.py`). A record that has no such tag, or an empty one,
answers no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import product
from operator import attrgetter, eq, ge, gt, le, lt
from typing import Any, Final

from lath import games
from lath.games.core import Game, Position
from lath.games.errors import PositionError
from lath.notation.archive import canonical_moves, spellings, start_text
from lath.notation.record import Comment, Ply, Record
from lath.notation.replay import positions

TextTest = Callable[[str], bool]
"""Says whether a text passes."""

ORDERS: Final[dict[str, Callable[[Any, Any], bool]]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


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
    compare = ORDERS[order]
    bound = number(value)
    if bound is None:
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


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def dated(dates: Collection[str], order: str = "=") -> TextTest:
    """Return whether a text is a date that stands so to one of the dates, as far as that goes.

    >>> dated(["2026-11"])("2026-11-20"), dated(["2026-11"], ">")("2026-11-20")
    (True, False)
    """
    compare: Callable[[str, str], bool] = ORDERS.get(order, eq)

    def test(text: str) -> bool:
        if _DATE.fullmatch(text) is None:
            return False
        return any(compare(text[: len(date)], date) for date in dates)

    return test


_TAG, _PLIES, _MOVES, _SETUP, _COMMENTS, _REPLAY = 1, 2, 10, 50, 100, 10_000
"""What questions cost; only the order of the sums matters."""

_MOST_GAMES: Final = 1 << 8
"""Games for which an answer is remembered; a file may name any number."""


_MOST_MOVES: Final = 1 << 14
"""Spellings of moves that are remembered, of all games together."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A question about a record."""

    matches: Callable[[Record], bool]
    cost: int
    depth: int = 1
    """How many calls it takes inside each other."""


def any_of(parts: Sequence[Predicate]) -> Predicate:
    """Return whether one of them says yes; the cheap ones are asked first."""
    if len(parts) == 1:
        return parts[0]
    asked = _cheap_first(parts)

    def matches(record: Record) -> bool:
        for ask in asked:  # noqa: SIM110 - takes less than half the time of any()
            if ask(record):
                return True
        return False

    return _joined(matches, parts)


def all_of(parts: Sequence[Predicate]) -> Predicate:
    """Return whether all of them say yes; the cheap ones are asked first."""
    if len(parts) == 1:
        return parts[0]
    asked = _cheap_first(parts)

    def matches(record: Record) -> bool:
        for ask in asked:  # noqa: SIM110 - as above
            if not ask(record):
                return False
        return True

    return _joined(matches, parts)


def _cheap_first(parts: Sequence[Predicate]) -> tuple[Callable[[Record], bool], ...]:
    return tuple(part.matches for part in sorted(parts, key=attrgetter("cost")))


def _joined(matches: Callable[[Record], bool], parts: Sequence[Predicate]) -> Predicate:
    depth = 1 + max(part.depth for part in parts)
    return Predicate(matches, sum(part.cost for part in parts), depth)


def inverse(part: Predicate) -> Predicate:
    """Return whether it says no."""
    ask = part.matches
    return Predicate(lambda record: not ask(record), part.cost, part.depth + 1)


def tag(name: str, test: TextTest) -> Predicate:
    """Return whether the tag's value passes."""
    return Predicate(lambda record: test(record.tag(name)), _TAG)


def result(test: TextTest) -> Predicate:
    """Return whether the result at the end of the moves passes."""
    return Predicate(lambda record: test(record.result), _TAG)


def player(test: TextTest) -> Predicate:
    """Return whether the name of first or of second passes."""
    return Predicate(
        lambda record: test(record.tag("First")) or test(record.tag("Second")), 2 * _TAG
    )


def winner(test: TextTest) -> Predicate:
    """Return whether the game was won, and the winner's name passes."""
    return Predicate(_seat_of({"1-0": "First", "0-1": "Second"}, test), 2 * _TAG)


def loser(test: TextTest) -> Predicate:
    """Return whether the game was lost, and the loser's name passes."""
    return Predicate(_seat_of({"1-0": "Second", "0-1": "First"}, test), 2 * _TAG)


def _seat_of(seats: dict[str, str], test: TextTest) -> Callable[[Record], bool]:
    def matches(record: Record) -> bool:
        seat = seats.get(record.result)
        return seat is not None and test(record.tag(seat))

    return matches


def plies(test: Callable[[int], bool]) -> Predicate:
    """Return whether the number of plies of the main line passes."""
    return Predicate(lambda record: test(len(record.moves)), _PLIES)


def setup(texts: Collection[str]) -> Predicate:
    """Return whether the tag Setup says one of these setups, as its game reads them."""

    @lru_cache(_MOST_GAMES)
    def wanted(game_id: str) -> frozenset[str]:
        return frozenset(start_text(game_id, text, "") for text in texts)

    def matches(record: Record) -> bool:
        found = record.tag("Setup")
        return found != "" and start_text(record.game, found, "") in wanted(record.game)

    return Predicate(matches, _SETUP)


def contains(text: str) -> Predicate:
    """Return whether the main line has this move, as its game reads it."""
    return Predicate(lambda record: _spelled(record.game, text) in canonical_moves(record), _MOVES)


def move(ply: int, texts: Collection[str]) -> Predicate:
    """Return whether the move of a ply, from 1, is one of these, as its game reads them."""

    def matches(record: Record) -> bool:
        moves = record.moves
        if ply > len(moves):
            return False
        game_id = record.game
        found = _spelled(game_id, moves[ply - 1])
        return any(_spelled(game_id, text) == found for text in texts)

    return Predicate(matches, _PLIES)


def _spelled(game_id: str, text: str) -> str:
    """Return the canonical text of a move."""
    return spellings(game_id)[text]


def passes(texts: Collection[str]) -> Predicate:
    """Return whether some position of the main line is one of these, as its game reads them.

    Plays the moves: raises GameError where a record breaks the rules before it comes to one. Where
    the game reads none of the texts nothing is played.
    """

    @lru_cache(_MOST_GAMES)
    def wanted(game_id: str) -> frozenset[Position]:
        return frozenset(read_by([games.get(game_id)], texts))

    def matches(record: Record) -> bool:
        sought = wanted(record.game)
        return bool(sought) and not sought.isdisjoint(positions(record))

    return Predicate(matches, _REPLAY)


def read_by(readers: Iterable[Game], texts: Iterable[str]) -> Iterator[Position]:
    """Yield the positions that some text is of in some of the games."""
    for game, text in product(readers, texts):
        with suppress(PositionError):
            yield game.position(text)


def has_comments() -> Predicate:
    """Return whether there are words of comment somewhere; `[%emt 0.5]` alone are none."""
    return Predicate(
        lambda record: _is_told(record.comments) or _has_words(record.plies), _COMMENTS
    )


def _has_words(line: Sequence[Ply]) -> bool:
    for ply in line:
        if ply.comments and _is_told(ply.comments):
            return True
        for side in ply.variations:
            if _is_told(side.comments) or _has_words(side.plies):
                return True
    return False


def _is_told(comments: Iterable[Comment]) -> bool:
    return any(isinstance(part, str) for comment in comments for part in comment)


def has_variations() -> Predicate:
    """Return whether the main line has a variation."""
    return Predicate(lambda record: any(ply.variations for ply in record.plies), _COMMENTS)
