"""Questions of single plies: moves, positions, patterns, numbers, and what comes after what.

The ply of a move is its number, from 1. The position after it is of the same ply, and that before
the first move of ply 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, product
from operator import eq, ge, gt, le, lt
from typing import Final

from lath.games.core import (
    SIDES,
    Game,
    Move,
    Position,
    Side,
    follow,
    is_image_of,
    is_image_of_line,
)
from lath.games.errors import (
    MoveSyntaxError,
    PositionError,
    RulesVersionError,
    UnknownGameError,
)
from lath.notation.query.patterns import Pattern
from lath.notation.query.plans import (
    At,
    OfLine,
    OfMove,
    OfNumber,
    OfPattern,
    OfPosition,
    Plan,
    Then,
    When,
)
from lath.notation.query.questions import (
    MOVES,
    NOTES,
    PLIES,
    REPLAY,
    AskedRecord,
    Judged,
    Question,
    once_a_game,
)
from lath.notation.record.record import Record
from lath.notation.record.tags import RULES
from lath.notation.rules.replay import game_by, spellings, start_of
from lath.notation.tables.tables import NOTED, notes_of

PositionTest = Callable[[Position], bool]
"""Says whether a position passes."""


def _of_plies(
    judged: Callable[[AskedRecord], Judged], cost: int, plan: Plan, moves: Sequence[str] = ()
) -> Question:
    """Return whether something holds at any ply."""

    def asks(asked: AskedRecord) -> bool:
        return any(holds for _, holds in judged(asked))

    return Question(asks, cost, plan, moves=tuple(moves), judged=judged)


def plays(texts: Sequence[str], ply: int | None = None) -> Question:
    """Return whether the main line has one of these moves, at this ply, or at any if it is None.

    Moves are compared as the record's game reads them.
    """
    where = slice(None) if ply is None else slice(ply - 1, ply)

    def judged(asked: AskedRecord) -> Judged:
        record = asked.record
        spelled = spellings(record.game, record.tag(RULES))
        wanted = {spelled[text] for text in texts}
        return enumerate((spelled[move] in wanted for move in record.moves[where]), ply or 1)

    return _of_plies(judged, MOVES if ply is None else PLIES, OfMove(tuple(texts), ply), texts)


def _has_position(plan: OfPosition | OfLine | OfPattern, moves: Sequence[str] = ()) -> Question:
    """Return whether a position of the main line passes the test that there is for a record.

    Plays the moves: raises GameError where a record breaks the rules before it comes to one. Where
    there is no test nothing is played.
    """
    test_of = position_test(plan)

    def judged(asked: AskedRecord) -> Judged:
        if asked.record.is_result_only:  # of a game that need not be known here
            return ()
        test = test_of(asked.record)
        return () if test is None else enumerate(map(test, asked.positions()))

    return _of_plies(judged, REPLAY, plan, moves)


def position_test(
    plan: OfPosition | OfLine | OfPattern,
) -> Callable[[Record], PositionTest | None]:
    """Return which positions of a record's game are asked for; None where none can be.

    Of a line they are those that it leads to. It raises GameError where a record begins nowhere.
    """
    has_setup = isinstance(plan, OfLine)

    @once_a_game
    def test(game_id: str, rules: str, setup: str) -> PositionTest | None:
        if isinstance(plan, OfPattern):
            compiled = plan.pattern.on(game_by(game_id, rules))
            return None if compiled is None else compiled.is_in
        if isinstance(plan, OfLine):
            end = end_of_line(plan.moves, game_id, rules, setup)
            sought = set() if end is None else {end}
        else:
            sought = positions_of([game_by(game_id, rules)], plan.texts)
        if not sought:
            return None
        return sought.__contains__ if plan.is_plain else is_image_of(sought)

    return lambda record: test(
        record.game, record.tag(RULES), record.tag("Setup") if has_setup else ""
    )


def positions_of(readers: Iterable[Game], texts: Iterable[str]) -> set[Position]:
    """Return the positions that some text is of in some of the games."""
    found = set()
    for game, text in product(readers, texts):
        with suppress(PositionError):
            found.add(game.position(str(text)))
    return found


def end_of_line(moves: Sequence[str], game_id: str, rules: str, setup: str) -> Position | None:
    """Return where moves lead from a game's start with a setup, which may be empty.

    None where they cannot be played; raises GameError where there is no such start.
    """
    spelled = spellings(game_id, rules)
    return follow(game_by(game_id, rules).start(setup or None), [spelled[move] for move in moves])


def comes_to(texts: Sequence[str], *, is_plain: bool) -> Question:
    """Return whether the main line comes to one of these positions, as its game reads them.

    Or to an image of one, unless `is_plain`.
    """
    return _has_position(OfPosition(tuple(texts), is_plain))


def reaches(moves: Sequence[str], *, is_plain: bool) -> Question:
    """Return whether the main line comes to where these moves lead from the start of its game.

    Or to an image of that, unless `is_plain`. The start is that of the record's Setup.
    """
    return _has_position(OfLine(tuple(moves), is_reached=True, is_plain=is_plain), moves)


def shows(pattern: Pattern) -> Question:
    """Return whether a position of the main line has the pattern."""
    return _has_position(OfPattern(pattern))


def begins(moves: Sequence[str], *, is_plain: bool) -> Question:
    """Return whether the main line begins with these moves at the start of its game.

    Or with an image of them, by the symmetries of that start, unless `is_plain`. The start is that
    of the record's Setup. Nothing is played; raises GameError where the start is none.
    """
    count = len(moves)

    @once_a_game
    def image_test(game_id: str, rules: str, setup: str) -> Callable[[Sequence[Move]], bool]:
        game = game_by(game_id, rules)
        return is_image_of_line(game.start(setup or None), list(map(game.canonical, moves)))

    def begins_alike(record: Record, rules: str, line: list[str]) -> bool:
        try:
            read = list(map(game_by(record.game, rules).canonical, line))
            is_image = image_test(record.game, rules, record.tag("Setup"))
        except (MoveSyntaxError, RulesVersionError, UnknownGameError):  # compared as they stand
            return False
        return is_image(read)

    def holds(record: Record) -> bool:
        rules = record.tag(RULES)
        spelled = spellings(record.game, rules)
        line = [spelled[ply.move] for ply in record.plies[:count]]
        is_same = line == [spelled[move] for move in moves]
        if not is_same and (is_plain or not begins_alike(record, rules, line)):
            return False
        return not record.tag("Position") or (
            start_of(record) == game_by(record.game, rules).start(record.tag("Setup") or None)
        )

    def judged(asked: AskedRecord) -> Judged:
        record = asked.record
        return [(count, holds(record))] if len(record.plies) >= count else []

    return _of_plies(
        judged, MOVES, OfLine(tuple(moves), is_reached=False, is_plain=is_plain), moves
    )


_COMPARED: Final = {"=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


def says(number: OfNumber) -> Question:
    """Return whether a ply says such a number.

    Whose ply it is follows from the rules: raises GameError where they cannot tell.
    """
    place = NOTED.index(number.column)
    tests = [(_COMPARED[sign], bound) for sign, bound in number.bounds]

    def judged(asked: AskedRecord) -> Judged:
        seats = _seats(number.of, asked.record)
        said = [(ply, notes_of(each)[place]) for ply, each in enumerate(asked.record.plies, 1)]
        said = [(ply, value) for ply, value in said if value is not None]
        if said and len(seats) < len(SIDES):
            movers = asked.movers if seats else ()
            said = [(ply, value) for ply, value in said if seats and movers[ply - 1] in seats]
        return ((ply, all(is_so(value, bound) for is_so, bound in tests)) for ply, value in said)

    return _of_plies(judged, NOTES, number)


def _seats(of: str, record: Record) -> Sequence[Side]:
    """Return the seats of whose plies a number is asked."""
    who, _, name = of.partition(" ")
    if who == "player":
        return [seat for seat in SIDES if record.tag(seat.name.capitalize()) == name != ""]
    if who in ("winner", "loser"):
        side = record.result.winner if who == "winner" else record.result.loser
        return () if side is None else (side,)
    return SIDES if who == "mover" else [seat for seat in SIDES if seat.word == who]


def at(question: Question, when: When) -> Question:
    """Return whether something holds at one ply, each, or the last of those that it is asked of."""
    of_all = question.judged
    assert of_all is not None
    plan = At(question.plan, when)

    def judged(asked: AskedRecord) -> Judged:
        last: tuple[int, bool] | None = None
        for last in of_all(asked):
            if last[0] == when:
                return [last]
        return [last] if when == "last" and last else []

    def always(asked: AskedRecord) -> bool:
        is_asked = False
        for _, holds in of_all(asked):
            if not holds:
                return False
            is_asked = True
        return is_asked

    if when == "every":
        return replace(question, asks=always, plan=plan, judged=None)
    return _of_plies(judged, question.cost, plan, question.moves)


def then(parts: Sequence[Question], within: Sequence[int | None]) -> Question:
    """Return whether questions of plies hold one after another, each so many plies later at most.

    A ply is found for each, later than that of the one before, if any choice of plies does it.
    """
    cheap_first = sorted(range(len(parts)), key=lambda place: parts[place].cost)

    def asks(asked: AskedRecord) -> bool:
        plies = [list[int]()] * len(parts)
        for place in cheap_first:
            plies[place] = parts[place].plies(asked)
            if not plies[place]:
                return False
        held = plies[0]
        for most, later in zip(within, plies[1:], strict=True):
            held = [ply for ply in later if _follows(ply, held, most)]
        return bool(held)

    return Question(
        asks,
        sum(part.cost for part in parts),
        Then(tuple(part.plan for part in parts), tuple(within)),
        1 + max(part.depth for part in parts),
        moves=tuple(chain.from_iterable(part.moves for part in parts)),
    )


def _follows(ply: int, plies: Sequence[int], most: int | None) -> bool:
    """Return whether a ply comes after one of these, at most so many later."""
    before = bisect_left(plies, ply)
    return before > 0 and (most is None or ply - plies[before - 1] <= most)
