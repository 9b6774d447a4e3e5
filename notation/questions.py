"""Questions to a record: whether its tags, moves and positions pass, joined by and, or, not.

Must not know how a query is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import chain, product
from operator import attrgetter, ge, gt, le, lt
from typing import Final

from lath.games.core import Game, Move, Position, follow, is_image_of, is_image_of_line
from lath.games.errors import (
    MoveSyntaxError,
    PositionError,
    RulesVersionError,
    UnknownGameError,
)
from lath.notation.archive import start_text
from lath.notation.record import RULES, Record, all_comments
from lath.notation.replay import game_by, positions, spellings, start_of

TextTest = Callable[[str], bool]
"""Says whether a text passes; an empty one never does."""

_TAG, _PLIES, _MOVES, _SETUP, _COMMENTS, _REPLAY = 1, 2, 10, 50, 100, 10_000
"""What questions cost; only the order of the sums matters."""

_once_a_game: Final = lru_cache(1 << 8)
"""Remembers answers for that many games; a file may name any number."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a record."""

    matches: Callable[[Record], bool]
    cost: int
    depth: int = 1
    """How many calls it takes inside each other."""

    games: tuple[str, ...] = ()
    """The ids that it asks for."""

    moves: tuple[str, ...] = ()
    """The moves that it asks for, as the query has them."""


def joined(decisive: bool, parts: Sequence[Question]) -> Question:
    """Return the answer of several: `decisive` as soon as one says so; the cheap are asked first.

    So `or` is joined by True, and `and` by False.
    """
    if len(parts) == 1:
        return parts[0]
    asked = tuple(part.matches for part in sorted(parts, key=attrgetter("cost")))

    def matches(record: Record) -> bool:
        for ask in asked:
            if ask(record) is decisive:
                return decisive
        return not decisive

    return Question(
        matches,
        sum(part.cost for part in parts),
        1 + max(part.depth for part in parts),
        tuple(chain.from_iterable(part.games for part in parts)),
        tuple(chain.from_iterable(part.moves for part in parts)),
    )


def inverse(part: Question) -> Question:
    """Return whether it says no."""
    ask = part.matches
    return replace(part, matches=lambda record: not ask(record), depth=part.depth + 1)


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


def dated(dates: Collection[str]) -> TextTest:
    """Return whether a text is a date that is one of the dates, as far as those go.

    >>> dated(["2026-11"])("2026-11-20")
    True
    """
    starts = tuple(dates)
    return lambda text: _DATE.fullmatch(text) is not None and text.startswith(starts)


def dated_so(order: str, date: str) -> TextTest:
    """Return whether a text is a date that stands so to the date, as far as that goes.

    >>> dated_so(">", "2026-11")("2026-11-20"), dated_so(">", "2026-11")("2026-12-01")
    (False, True)
    """
    compare, places = _SIGNS[order], len(date)
    return lambda text: _DATE.fullmatch(text) is not None and compare(text[:places], date)


_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def both(one: TextTest, another: TextTest) -> TextTest:
    """Return whether a text passes both."""
    return lambda text: one(text) and another(text)


def of_tags(tags: Sequence[str], passes: TextTest) -> Question:
    """Return whether the text of some of these tags passes."""
    if len(tags) == 1:
        (name,) = tags
        return Question(lambda record: passes(record.tag(name)), _TAG)
    return Question(lambda record: any(map(passes, map(record.tag, tags))), 2 * _TAG)


def of_result(passes: TextTest) -> Question:
    """Return whether the result passes."""
    return Question(lambda record: passes(record.result), _TAG)


_SEATS: Final = {"1-0": ("First", "Second"), "0-1": ("Second", "First")}
"""Who won and who lost."""


def of_winner(passes: TextTest, *, is_loser: bool) -> Question:
    """Return whether the name of who won passes, or of who lost; of a draw there is none."""

    def matches(record: Record) -> bool:
        seats = _SEATS.get(record.result)
        return seats is not None and passes(record.tag(seats[is_loser]))

    return Question(matches, 2 * _TAG)


def of_plies(ranges: Sequence[tuple[int, float]]) -> Question:
    """Return whether the number of plies is in one of these ranges, ends included."""

    def matches(record: Record) -> bool:
        count = len(record.plies)
        return any(low <= count <= high for low, high in ranges)

    return Question(matches, _PLIES)


def of_setup(texts: Collection[str]) -> Question:
    """Return whether the tag Setup says one of these setups, as its game reads them."""
    wanted = _once_a_game(lambda game_id: {start_text(game_id, text, "") for text in texts})

    def matches(record: Record) -> bool:
        found = record.tag("Setup")
        return found != "" and start_text(record.game, found, "") in wanted(record.game)

    return Question(matches, _SETUP)


WITH_COMMENTS: Final = Question(
    # `[%emt 0.5]` alone are no words
    lambda record: any(
        isinstance(part, str) for comment in all_comments(record) for part in comment
    ),
    _COMMENTS,
)
"""Whether there are comments in words."""

WITH_VARIATIONS: Final = Question(
    lambda record: any(ply.variations for ply in record.plies), _COMMENTS
)
"""Whether there are variations."""


def plays(texts: Collection[str], ply: int | None = None) -> Question:
    """Return whether the main line has one of these moves, at this ply, or at any if it is None.

    Moves are compared as the record's game reads them.
    """
    where = slice(None) if ply is None else slice(ply - 1, ply)

    def matches(record: Record) -> bool:
        spelled = spellings(record.game, record.tag(RULES))
        wanted = {spelled[text] for text in texts}
        return any(spelled[move] in wanted for move in record.moves[where])

    return Question(matches, _MOVES if ply is None else _PLIES, moves=tuple(texts))


PositionTest = Callable[[Position], bool]
"""Says whether a position passes."""


def comes_to(texts: Sequence[str], *, is_plain: bool) -> Question:
    """Return whether the main line comes to one of these positions, as its game reads them.

    Or to an image of one, unless `is_plain`. Plays the moves: raises GameError where a record
    breaks the rules before it comes to one. Where the game reads none of the texts nothing is
    played.
    """

    @_once_a_game
    def test(game_id: str, rules: str) -> PositionTest | None:
        sought = positions_of([game_by(game_id, rules)], texts)
        return _is_one_of(sought, is_plain) if sought else None

    def matches(record: Record) -> bool:
        passes = test(record.game, record.tag(RULES))
        return passes is not None and any(map(passes, positions(record)))

    return Question(matches, _REPLAY)


def _is_one_of(sought: set[Position], is_plain: bool) -> PositionTest:
    return sought.__contains__ if is_plain else is_image_of(sought)


def positions_of(readers: Iterable[Game], texts: Iterable[str]) -> set[Position]:
    """Return the positions that some text is of in some of the games."""
    found = set()
    for game, text in product(readers, texts):
        with suppress(PositionError):
            found.add(game.position(str(text)))
    return found


def reaches(moves: Sequence[str], *, is_plain: bool) -> Question:
    """Return whether the main line comes to where these moves lead from the start of its game.

    Or to an image of that, unless `is_plain`. The start is that of the record's Setup. Plays the
    moves of the record, as `comes_to` does, unless these cannot be played.
    """

    @_once_a_game
    def test(game_id: str, rules: str, setup: str) -> PositionTest | None:
        spelled = spellings(game_id, rules)
        start = game_by(game_id, rules).start(setup or None)
        end = follow(start, [spelled[move] for move in moves])
        return None if end is None else _is_one_of({end}, is_plain)

    def matches(record: Record) -> bool:
        passes = test(record.game, record.tag(RULES), record.tag("Setup"))
        return passes is not None and any(map(passes, positions(record)))

    return Question(matches, _REPLAY, moves=tuple(moves))


def begins(moves: Sequence[str], *, is_plain: bool) -> Question:
    """Return whether the main line begins with these moves at the start of its game.

    Or with an image of them, by the symmetries of that start, unless `is_plain`. The start is that
    of the record's Setup. Nothing is played; raises GameError where the start is none.
    """
    count = len(moves)

    @_once_a_game
    def image_test(game_id: str, rules: str, setup: str) -> Callable[[Sequence[Move]], bool]:
        game = game_by(game_id, rules)
        return is_image_of_line(game.start(setup or None), list(map(game.canonical, moves)))

    def begins_alike(record: Record, rules: str, line: list[str]) -> bool:
        try:
            canonical = game_by(record.game, rules).canonical
            read = list(map(canonical, line))
            is_image = image_test(record.game, rules, record.tag("Setup"))
        except (MoveSyntaxError, RulesVersionError, UnknownGameError):  # compared as they stand
            return False
        return is_image(read)

    def matches(record: Record) -> bool:
        if len(record.plies) < count:
            return False
        rules = record.tag(RULES)
        spelled = spellings(record.game, rules)
        line = [spelled[ply.move] for ply in record.plies[:count]]
        is_same = line == [spelled[move] for move in moves]
        if not is_same and (is_plain or not begins_alike(record, rules, line)):
            return False
        return not record.tag("Position") or _is_at_the_start(record, rules)

    return Question(matches, _MOVES, moves=tuple(moves))


def _is_at_the_start(record: Record, rules: str) -> bool:
    """Return whether the tag Position says where the game begins anyway."""
    return start_of(record) == game_by(record.game, rules).start(record.tag("Setup") or None)
