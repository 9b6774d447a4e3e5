"""Queries of databases: the matching games, found without reading every record.

The result equals that of asking each record. Tests of tags are applied once to each different text.
Positions are looked up by their keys and then replayed. Moves and numbers are columns.
`pattern_search` searches for patterns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial, reduce
from math import ceil, floor
from operator import and_, or_
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from lath.games.capabilities import alike_of
from lath.games.core import SIDES, Result, follow, symmetries
from lath.games.errors import MoveSyntaxError
from lath.notation.database.keys import keys_of
from lath.notation.database.layers import Flags, Numbers, counted
from lath.notation.database.pattern_search import MOMENT, Moments, seen_in_games
from lath.notation.database.reading import Database, StartTags
from lath.notation.query import operators
from lath.notation.query.moments import (
    PositionTest,
    end_of_line,
    end_test,
    position_test,
    positions_of,
)
from lath.notation.query.operators import Bound, Cost, Plan, cost_of
from lath.notation.query.questions import SEAT_TAGS
from lath.notation.query.texts import TextTest
from lath.notation.record.record import Record
from lath.notation.rules.replay import game_by, spellings, start_of
from lath.notation.tables.tables import TAG_COLUMNS, tags_of
from lath.notation.text.scanner import parse


def matching(database: Database, plan: Plan) -> Flags:
    """Return which games of a database match, by number; game 0 does not exist.

    Games that are not installed never match. Raises DatabaseError if the database is damaged.
    """
    return _holds(database, plan, database.known)


def _holds(database: Database, plan: Plan, among: Flags) -> Flags:
    """Return the games for which a plan is true."""
    return ASKED[type(plan)].games(database, plan, among)


def _moments(database: Database, plan: Plan, among: Flags) -> Moments:
    """Return the moments at which a plan about plies is true."""
    moments = ASKED[type(plan)].moments
    assert moments is not None, plan
    return moments(database, plan, among)


def _at_some_ply(database: Database, plan: Plan, among: Flags) -> Flags:
    return _flags(database, _moments(database, plan, among))


def _all_of(database: Database, plan: operators.And, among: Flags) -> Flags:
    for part in sorted(plan.parts, key=_cost):
        if among.any():
            among = _holds(database, part, among)
    return among


def _any_of(database: Database, plan: operators.Or, among: Flags) -> Flags:
    found = database.none()
    for part in sorted(plan.parts, key=_cost):
        found |= _holds(database, part, among & ~found)
    return found


def _text(database: Database, plan: operators.OfText, among: Flags) -> Flags:
    passing = TEXTS.get(plan.name, partial(_tag, tag=plan.name))
    return among & passing(database, plan.passes)


def _players(database: Database, passes: TextTest) -> list[Flags]:
    """Return, by side, the games in which that player's name passes the test."""
    return [_tag(database, passes, tag) for tag in SEAT_TAGS]


def _won(database: Database, *, is_loser: bool) -> list[Flags]:
    """Return, by side, the games that this side won or lost."""
    won = [_passing(database, Result.won_by(side).__eq__, "result") for side in SIDES]
    return won[::-1] if is_loser else won


def _winner(database: Database, passes: TextTest, *, is_loser: bool) -> Flags:
    return reduce(or_, map(and_, _won(database, is_loser=is_loser), _players(database, passes)))


TEXTS: Final[Mapping[str, Callable[[Database, TextTest], Flags]]] = {
    "winner": partial(_winner, is_loser=False),
    "loser": partial(_winner, is_loser=True),
    "result": lambda database, passes: _passing(database, passes, "result"),
}
"""The games with a passing text of each name, as in `query.questions`; other names are tags."""


def _plies(database: Database, plan: operators.OfPlies, among: Flags) -> Flags:
    plies = database.plies
    fitting = ((plies >= max(low, 0)) & (plies <= high) for low, high in plan.ranges)
    return among & reduce(or_, fitting)


def _setup(database: Database, plan: operators.OfSetup, among: Flags) -> Flags:
    asks, starts = operators.question(plan).matches, database.starts
    found = [
        place for place, start in database.start(np.unique(starts[among])) if asks(start.record())
    ]
    return among & np.isin(starts, found)


def _notes(database: Database, plan: operators.OfNotes, among: Flags) -> Flags:
    said = database.flags("SELECT id FROM games WHERE movetext IS NOT NULL")
    return _by_records(database, plan, among & said)


def _by_records(database: Database, plan: Plan, among: Flags) -> Flags:
    """Return the games whose records match; for data that is not in a column."""
    asks = operators.question(plan).matches
    found = database.none()
    for number, text in database.texts(among):
        found[number] = asks(parse(text))
    return found


def _flags(database: Database, moments: Moments) -> Flags:
    flags = database.none()
    flags[moments >> MOMENT] = True
    return flags


def _tag(database: Database, passes: TextTest, tag: str) -> Flags:
    """Return the games whose tag passes the test, which is applied once to each different text."""
    column = TAG_COLUMNS.get(tag, "NULL")
    name = json.dumps([tag], ensure_ascii=False)[:-1].replace("'", "''")
    said = (
        f"contains(tags, '{name},')"  # the tag has no column, or its column cannot hold the value
    )
    if tag == "Result":  # its column has the result after the moves, also if the tag is missing
        said += """ OR NOT contains(tags, '"Result"') OR contains(tags, ',"Result"]')"""
    others = database.flags(f"SELECT id FROM games WHERE {said}")  # noqa: S608
    usual = (
        _passing(database, passes, f"{column}::VARCHAR") & ~others
        if tag in TAG_COLUMNS
        else database.none()
    )
    if not others.any():
        return usual

    def passes_among(tags: str, text: str | None) -> bool:
        known = tags_of({"tags": tags, column: text})
        return passes(next((value for name, value in known if name == tag), ""))

    rows = database.rows(
        f"SELECT DISTINCT tags, {column}::VARCHAR FROM games WHERE {said}"  # noqa: S608
    )
    chosen = [row for row in rows if passes_among(*row)]
    if not chosen:
        return usual
    values = [pa.array(column, pa.string()) for column in zip(*chosen, strict=True)]
    with database.table("chosen", tags=values[0], text=values[1]):
        return usual | database.flags(
            "SELECT id FROM games JOIN chosen ON games.tags = chosen.tags"  # noqa: S608
            f" AND {column}::VARCHAR IS NOT DISTINCT FROM chosen.text"
        )


def _passing(database: Database, passes: TextTest, column: str) -> Flags:
    """Return the games with a passing text in a column."""
    texts = database.rows(f"SELECT DISTINCT {column} FROM games")  # noqa: S608
    chosen = [text for (text,) in texts if text is not None and passes(text)]
    with database.table("chosen", text=pa.array(chosen, pa.string())):
        return database.flags(
            f"SELECT id FROM games SEMI JOIN chosen ON {column} = text"  # noqa: S608
        )


def _at_plies(database: Database, plan: operators.At, among: Flags) -> Flags:
    if plan.when != "every":
        return _at_some_ply(database, plan, among)
    asked = _asked(database, plan.part, among)
    missed = np.setdiff1d(asked, _moments(database, plan.part, among), assume_unique=True)
    return _flags(database, asked) & ~_flags(database, missed)


def _at(database: Database, plan: operators.At, among: Flags) -> Moments:
    moments = _moments(database, plan.part, among)
    if isinstance(plan.when, int):
        return moments[moments & _PLY == plan.when]
    asked = _asked(database, plan.part, among)
    return np.intersect1d(moments, asked[np.flatnonzero(np.diff(asked >> MOMENT, append=-1))])


def _moments_of_any(database: Database, plan: operators.Or, among: Flags) -> Moments:
    return np.unique(np.concatenate([_moments(database, each, among) for each in plan.parts]))


def _asked(database: Database, part: Plan, among: Flags) -> Moments:
    """Return the plies that a question is about, whether it holds there or not."""
    if isinstance(part, operators.OfNumber):
        return _said(database, part, (), among)
    ids = np.flatnonzero(among)
    positions = database.plies[ids] + 1
    return np.repeat(ids << MOMENT, positions) + counted(positions)


def _sequence(database: Database, plan: operators.Then, among: Flags) -> Moments:
    """Return the moments of the last of several questions that hold one after another."""
    found: dict[int, Moments] = {}
    for place, part in sorted(enumerate(plan.parts), key=lambda each: _cost(each[1])):
        found[place] = _moments(database, part, among)
        among = among & _flags(database, found[place])
    held = found[0]
    for place, most in enumerate(plan.within, 1):
        later = found[place]
        before = np.searchsorted(held, later, "left") - 1
        last = held[np.maximum(before, 0)] if len(held) else later
        follows = (before >= 0) & (last >> MOMENT == later >> MOMENT)
        if most is not None:
            follows &= later - last <= most
        held = later[follows]
    return held


def _played(database: Database, moves: Iterable[str], ply: int | None, among: Flags) -> Moments:
    """Return the moments at which one of these moves was played, as each game reads them."""
    rules, rules_of = database.rules
    known = database.moves
    wanted: Flags = np.zeros((len(rules), len(known.texts)), bool)
    for place, (game, version) in enumerate(rules):
        spelled = spellings(game, version)
        texts = {spelled[move] for move in moves}
        wanted[place] = [
            by == game and text in texts for by, text in zip(known.games, known.texts, strict=True)
        ]
    codes = np.flatnonzero(wanted.any(axis=0)).tolist()
    if not codes:
        return _NEVER
    if ply is not None:
        ids = np.flatnonzero(among & (database.plies >= ply))
        codes_then = database.steps(ids, ply).codes[ply - 1 :: ply]
        return ids[wanted[rules_of[ids], codes_then]] << MOMENT | ply
    found = database.some_steps("code", f"code IN ({','.join(map(str, codes))})")
    return _in_order(found, among[found["id"]] & wanted[rules_of[found["id"]], found["code"]])


def _said(
    database: Database, number: operators.OfNumber, bounds: Sequence[Bound], among: Flags
) -> Moments:
    """Return the moments at which a number of the right side satisfies all bounds."""
    is_whole = number.column in ("depth", "nodes")
    column = number.column
    tests = [f" AND {column} {_test(*bound, is_whole=is_whole)}" for bound in bounds]
    found = database.some_steps("seat", f"{column} IS NOT NULL{''.join(tests)}")
    return _in_order(
        found, np.array(_whose(database, number.of, among))[found["seat"], found["id"]]
    )


def _whose(database: Database, of: str, among: Flags) -> list[Flags]:
    """Return, by side, the games in which that side's numbers count."""
    who, _, name = of.partition(" ")
    if who == "player":
        flags = _players(database, lambda text: text == name != "")
    elif who in ("winner", "loser"):
        flags = _won(database, is_loser=who == "loser")
    else:
        return [among if who in ("mover", seat.word) else among & False for seat in SIDES]
    return [among & each for each in flags]


def _position(database: Database, plan: operators.OfPosition, among: Flags) -> Moments:
    keys = [
        keys_of(*rules).key(position)
        for rules in database.known_rules
        for position in positions_of([game_by(*rules)], plan.texts)
    ]
    return _at_keys(database, keys, position_test(plan.texts, is_plain=plan.is_plain), among)


def _reached(database: Database, plan: operators.OfReached, among: Flags) -> Moments:
    keys = [
        keys_of(start.game, start.rules).key(end)
        for _, start in database.start(np.unique(database.starts[among]))
        if (end := end_of_line(plan.moves, start.game, start.rules, start.setup)) is not None
    ]
    return _at_keys(database, keys, end_test(plan.moves, is_plain=plan.is_plain), among)


def _at_keys(
    database: Database,
    keys: Sequence[int],
    test_of: Callable[[Record], PositionTest | None],
    among: Flags,
) -> Moments:
    """Return the moments at which positions with one of these keys pass their record's test."""

    def is_so(start: StartTags, moves: list[str]) -> bool:
        record = start.record()
        test, end = test_of(record), follow(start_of(record), moves)
        return test is not None and end is not None and test(end)

    with database.one_of("key", np.array(keys, np.uint64)) as has_key:
        found = database.columns(f"SELECT id, ply FROM positions WHERE {has_key}")  # noqa: S608
    return _replayed(database, is_so, _in_order(found, among[found["id"]]))


def _beginning(database: Database, plan: operators.OfBeginning, among: Flags) -> Moments:
    """Return the moments after these moves, or symmetric ones, from the start of the game."""
    count = len(plan.moves)
    for ply, move in enumerate(
        plan.moves, 1
    ):  # each may be rotated differently, so there are false hits
        among = _flags(database, _played(database, _images(database, move), ply, among))
    asks = operators.question(plan).matches
    return _replayed(
        database,
        lambda start, moves: asks(start.record(moves)),
        np.flatnonzero(among) << MOMENT | count,
    )


def _images(database: Database, move: str) -> set[str]:
    """Return the possible symmetric forms of a move in any game, including renamed pieces."""
    known = database.moves
    found = {move}
    for rules in database.known_rules:
        game = game_by(*rules)
        with suppress(MoveSyntaxError):
            canonical = game.canonical(move)
            names = str.maketrans(dict.fromkeys(alike_of(game), "?"))
            images = {way.move(canonical).translate(names) for way in symmetries(game.start())}
            found |= {
                text
                for by, text in zip(known.games, known.texts, strict=True)
                if by == game.id and text.translate(names) in images
            }
    return found


def _replayed(
    database: Database, is_so: Callable[[StartTags, list[str]], bool], moments: Moments
) -> Moments:
    """Return the moments at which the test holds after replaying the moves.

    This excludes other positions with the same key. Games with the same start and moves are
    replayed once.
    """
    ids, plies = moments >> MOMENT, moments & _PLY
    numbers, places = np.unique(ids, return_inverse=True)
    steps = database.steps(numbers, int(plies.max(initial=0)))
    firsts = (np.cumsum(steps.lengths) - steps.lengths)[places]
    _, same = np.unique(database.starts[ids], return_inverse=True)
    for ply in range(int(plies.max(initial=0))):
        goes_on = plies > ply
        longer = same[goes_on] << _CODE | steps.codes[firsts[goes_on] + ply]
        _, again = np.unique(longer, return_inverse=True)
        same[goes_on] = again + len(moments) * (ply + 1)
    _, examples, which = np.unique(same, return_index=True, return_inverse=True)
    texts = database.moves.texts
    starts = dict(database.start(np.unique(database.starts[ids[examples]])))
    lines: Iterator[tuple[StartTags, list[str]]] = (
        (
            starts[int(database.starts[ids[example]])],
            [texts[code] for code in steps.codes[firsts[example] :][: plies[example]].tolist()],
        )
        for example in examples
    )
    return moments[np.array([is_so(*line) for line in lines], bool)[which]]


_NEVER: Final[Moments] = np.empty(0, np.int64)

_PLY: Final = (1 << MOMENT) - 1

_CODE: Final = 16
"""The number of bits of a move's code."""


def _in_order(found: dict[str, Numbers], chosen: Flags) -> Moments:
    """Return the moments of the chosen rows of games and plies, in order."""
    ids, plies = (found[name][chosen].astype(np.int64) for name in ("id", "ply"))
    return np.sort(ids << MOMENT | plies)


def _test(sign: str, bound: float, *, is_whole: bool) -> str:
    """Return the SQL comparison with a number; whole numbers are compared exactly."""
    if not is_whole:
        return f"{sign} {bound!r}::DOUBLE"
    if sign == "=":
        return f"= {int(bound)}" if bound == int(bound) else "< 0"
    least_over = ceil(bound) if sign in ("<", ">=") else floor(bound) + 1
    return f"< {max(least_over, 0)}" if sign.startswith("<") else f">= {max(least_over, 0)}"


class DatabaseOperator(NamedTuple):
    """The way to ask a database about one operator; missing functions follow from the others."""

    cost: Cost = 1
    """The cost compared with other operators."""
    moments: Callable[[Database, Any, Flags], Moments] | None = None
    """The function that returns the moments among given games, for questions about plies."""
    games: Callable[[Database, Any, Flags], Flags] = _at_some_ply
    """The function that returns the matching games among given games."""


ASKED: Final[Mapping[type, DatabaseOperator]] = {
    operators.And: DatabaseOperator(games=_all_of),
    operators.Or: DatabaseOperator(games=_any_of, moments=_moments_of_any),
    operators.Not: DatabaseOperator(
        games=lambda database, plan, among: among & ~_holds(database, plan.part, among)
    ),
    operators.OfText: DatabaseOperator(games=_text),
    operators.OfPlies: DatabaseOperator(games=_plies),
    operators.OfSetup: DatabaseOperator(games=_setup),
    operators.OfMove: DatabaseOperator(
        10, lambda database, plan, among: _played(database, plan.moves, plan.ply, among)
    ),
    operators.OfNotes: DatabaseOperator(1000, games=_notes),
    operators.OfPosition: DatabaseOperator(10, _position),
    operators.OfBeginning: DatabaseOperator(20, _beginning),
    operators.OfReached: DatabaseOperator(20, _reached),
    operators.OfPattern: DatabaseOperator(
        lambda plan: 100 if plan.pattern.cell else 10_000,
        partial(seen_in_games, is_any=False),
        lambda database, plan, among: _flags(
            database, seen_in_games(database, plan, among, is_any=True)
        ),
    ),
    operators.OfNumber: DatabaseOperator(
        10, lambda database, plan, among: _said(database, plan, plan.bounds, among)
    ),
    operators.At: DatabaseOperator(moments=_at, games=_at_plies),
    operators.Then: DatabaseOperator(moments=_sequence),
}
"""Every operator of `query.operators`. Data that is not in a column is read from records."""


def _cost(plan: Plan) -> int:
    return cost_of(plan, ASKED)
