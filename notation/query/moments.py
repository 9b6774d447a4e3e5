"""Questions about single plies: moves, positions, patterns, numbers, and sequences of these.

The ply of a move is its number, from 1. A position has the ply of the move before it; the position
before the first move has ply 0.
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
"""A function that tests a position."""


def _of_plies(judged: Callable[[AskedRecord], Judged]) -> Question:
    """Return the question whether something holds at any ply."""

    def asks(asked: AskedRecord) -> bool:
        return any(holds for _, holds in judged(asked))

    return Question(asks, judged)


def plays(texts: Sequence[str], ply: int | None = None) -> Question:
    """Return the question whether the main line has one of these moves, at `ply` or at any ply.

    Moves are compared in the canonical text of the record's game.
    """
    where = slice(None) if ply is None else slice(ply - 1, ply)

    def judged(asked: AskedRecord) -> Judged:
        record = asked.record
        spelled = spellings(record.game, record.tag(RULES))
        wanted = {spelled[text] for text in texts}
        return enumerate((spelled[move] in wanted for move in record.moves[where]), ply or 1)

    return _of_plies(judged)


def has_position(test_of: Callable[[Record], PositionTest | None]) -> Question:
    """Return the question whether a position of the main line passes the record's test.

    `test_of` returns the test for a record. If it returns None, the moves are not played. Raises
    GameError if a record breaks the rules before such a position.
    """

    def judged(asked: AskedRecord) -> Judged:
        if asked.record.is_result_only:  # its game may be unknown
            return ()
        test = test_of(asked.record)
        return () if test is None else enumerate(map(test, asked.positions()))

    return _of_plies(judged)


def _test_of(sought: set[Position], *, is_plain: bool) -> PositionTest | None:
    """Return the test for one of these positions, or for a symmetric one unless `is_plain`."""
    if not sought:
        return None
    return sought.__contains__ if is_plain else is_image_of(sought)


def position_test(
    texts: Sequence[str], *, is_plain: bool
) -> Callable[[Record], PositionTest | None]:
    """Return the function from a record to its test for these positions, or symmetric ones.

    With `is_plain`, symmetric positions do not count. The test is None if no text is a position of
    the record's game. Raises GameError for an unknown game.
    """

    @once_a_game
    def test(game_id: str, rules: str) -> PositionTest | None:
        return _test_of(positions_of([game_by(game_id, rules)], texts), is_plain=is_plain)

    return lambda record: test(record.game, record.tag(RULES))


def end_test(moves: Sequence[str], *, is_plain: bool) -> Callable[[Record], PositionTest | None]:
    """Return the function from a record to its test for the position after these moves.

    The moves begin at the start of the record's game, with its Setup. Unless `is_plain`, symmetric
    positions count too. The test is None if a move is illegal. Raises GameError if the setup is
    invalid.
    """

    @once_a_game
    def test(game_id: str, rules: str, setup: str) -> PositionTest | None:
        end = end_of_line(moves, game_id, rules, setup)
        return _test_of(set() if end is None else {end}, is_plain=is_plain)

    return lambda record: test(record.game, record.tag(RULES), record.tag("Setup"))


def pattern_test(pattern: Pattern) -> Callable[[Record], PositionTest | None]:
    """Return the function from a record to its test for a pattern. Raises GameError.

    The test is None if the pattern is impossible in the record's game.
    """

    @once_a_game
    def test(game_id: str, rules: str) -> PositionTest | None:
        compiled = pattern.on(game_by(game_id, rules))
        return None if compiled is None else compiled.is_in

    return lambda record: test(record.game, record.tag(RULES))


def positions_of(readers: Iterable[Game], texts: Iterable[str]) -> set[Position]:
    """Return the positions of any of the texts in any of the games."""
    found = set()
    for game, text in product(readers, texts):
        with suppress(PositionError):
            found.add(game.position(str(text)))
    return found


def end_of_line(moves: Sequence[str], game_id: str, rules: str, setup: str) -> Position | None:
    """Return the position after moves from a game's start, with a setup that can be empty.

    The position is None if a move is illegal. Raises GameError if the start is invalid.
    """
    spelled = spellings(game_id, rules)
    return follow(game_by(game_id, rules).start(setup or None), [spelled[move] for move in moves])


def begins(moves: Sequence[str], *, is_plain: bool) -> Question:
    """Return the question whether the main line begins with these moves.

    The moves begin at the start of the game, with the record's Setup. Unless `is_plain`, lines that
    are symmetric at that start count too. The moves are not played. Raises GameError if the start
    is invalid.
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
        except (MoveSyntaxError, RulesVersionError, UnknownGameError):  # compared as texts
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
    """Return the question whether an annotation of a ply satisfies all bounds.

    `column` is one of NOTED. `of` names the side or player of the ply, which follows from the
    rules. Raises GameError if the record breaks them.
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
    """Return the sides whose plies a question is about."""
    who, _, name = of.partition(" ")
    if who == "player":
        return [seat for seat in SIDES if record.tag(SEAT_TAGS[seat]) == name != ""]
    if who in ("winner", "loser"):
        side = record.result.winner if who == "winner" else record.result.loser
        return () if side is None else (side,)
    return SIDES if who == "mover" else [seat for seat in SIDES if seat.word == who]


def at(question: Question, when: int | str) -> Question:
    """Return the question whether something holds at one ply, at `every` ply, or at the `last`."""
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
    """Return the question whether questions about plies hold one after another.

    Each must hold at a later ply than the one before, at most `within` plies later. The question
    holds if any choice of plies satisfies this.
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
    """Return whether a ply comes after one of `plies`, at most `most` plies later."""
    before = bisect_left(plies, ply)
    return before > 0 and (most is None or ply - plies[before - 1] <= most)
