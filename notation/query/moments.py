"""Questions of single plies: moves, positions, patterns, numbers, and what comes after what.

The ply of a move is its number, from 1. The position after it is of the same ply, and that before
the first move of ply 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import product

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
from lath.notation.query.questions import SEAT_TAGS, AskedRecord, Judged, Question, once_a_game
from lath.notation.query.texts import SIGNS
from lath.notation.record.record import Record
from lath.notation.record.tags import RULES
from lath.notation.rules.replay import game_by, spellings, start_of
from lath.notation.tables.tables import NOTED, notes_of

PositionTest = Callable[[Position], bool]
"""Says whether a position passes."""


def _of_plies(judged: Callable[[AskedRecord], Judged]) -> Question:
    """Return whether something holds at any ply."""

    def asks(asked: AskedRecord) -> bool:
        return any(holds for _, holds in judged(asked))

    return Question(asks, judged)


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

    return _of_plies(judged)


def has_position(test_of: Callable[[Record], PositionTest | None]) -> Question:
    """Return whether a position of the main line passes the test that there is for a record.

    Plays the moves: raises GameError where a record breaks the rules before it comes to one. Where
    there is no test nothing is played.
    """

    def judged(asked: AskedRecord) -> Judged:
        if asked.record.is_result_only:  # of a game that need not be known here
            return ()
        test = test_of(asked.record)
        return () if test is None else enumerate(map(test, asked.positions()))

    return _of_plies(judged)


def _test_of(sought: set[Position], *, is_plain: bool) -> PositionTest | None:
    """Return whether a position is one of these, or an image of one unless `is_plain`."""
    if not sought:
        return None
    return sought.__contains__ if is_plain else is_image_of(sought)


def position_test(
    texts: Sequence[str], *, is_plain: bool
) -> Callable[[Record], PositionTest | None]:
    """Return which positions are asked for by their texts, as each record's game reads them.

    Or images of these, unless `is_plain`. None where no text is of the game; raises GameError.
    """

    @once_a_game
    def test(game_id: str, rules: str) -> PositionTest | None:
        return _test_of(positions_of([game_by(game_id, rules)], texts), is_plain=is_plain)

    return lambda record: test(record.game, record.tag(RULES))


def end_test(moves: Sequence[str], *, is_plain: bool) -> Callable[[Record], PositionTest | None]:
    """Return which position these moves lead to from the start of each record's game.

    Or an image of it, unless `is_plain`. The start is that of the record's Setup. None where the
    moves cannot be played; raises GameError where there is no such start.
    """

    @once_a_game
    def test(game_id: str, rules: str, setup: str) -> PositionTest | None:
        end = end_of_line(moves, game_id, rules, setup)
        return _test_of(set() if end is None else {end}, is_plain=is_plain)

    return lambda record: test(record.game, record.tag(RULES), record.tag("Setup"))


def pattern_test(pattern: Pattern) -> Callable[[Record], PositionTest | None]:
    """Return which positions have a pattern; None where a game can have none. Raises GameError."""

    @once_a_game
    def test(game_id: str, rules: str) -> PositionTest | None:
        compiled = pattern.on(game_by(game_id, rules))
        return None if compiled is None else compiled.is_in

    return lambda record: test(record.game, record.tag(RULES))


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

    return _of_plies(judged)


def says(column: str, of: str, bounds: Sequence[tuple[str, float]]) -> Question:
    """Return whether a ply says a number in a column of NOTED that stands so to all the bounds.

    Whose ply it is follows from the rules: raises GameError where they cannot tell.
    """
    place = NOTED.index(column)
    tests = [(SIGNS[sign], bound) for sign, bound in bounds]

    def judged(asked: AskedRecord) -> Judged:
        seats = _seats(of, asked.record)
        said = [(ply, notes_of(each)[place]) for ply, each in enumerate(asked.record.plies, 1)]
        said = [(ply, value) for ply, value in said if value is not None]
        if said and len(seats) < len(SIDES):
            movers = asked.movers if seats else ()
            said = [(ply, value) for ply, value in said if seats and movers[ply - 1] in seats]
        return ((ply, all(is_so(value, bound) for is_so, bound in tests)) for ply, value in said)

    return _of_plies(judged)


def _seats(of: str, record: Record) -> Sequence[Side]:
    """Return the seats of whose plies a number is asked."""
    who, _, name = of.partition(" ")
    if who == "player":
        return [seat for seat in SIDES if record.tag(SEAT_TAGS[seat]) == name != ""]
    if who in ("winner", "loser"):
        side = record.result.winner if who == "winner" else record.result.loser
        return () if side is None else (side,)
    return SIDES if who == "mover" else [seat for seat in SIDES if seat.word == who]


def at(question: Question, when: int | str) -> Question:
    """Return whether something holds at a ply, at `every` or the `last` that it is asked of."""
    of_all = question.judged
    assert of_all is not None

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

    return Question(always) if when == "every" else _of_plies(judged)


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

    return Question(asks)


def _follows(ply: int, plies: Sequence[int], most: int | None) -> bool:
    """Return whether a ply comes after one of these, at most so many later."""
    before = bisect_left(plies, ply)
    return before > 0 and (most is None or ply - plies[before - 1] <= most)
