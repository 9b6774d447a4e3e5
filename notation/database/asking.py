"""Queries of databases: which games match, the same as record by record, without reading all.

What is asked of tags is asked of each text that there is once, positions are looked up by their
keys and then replayed, moves and numbers are columns. `sighting` looks for patterns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import reduce
from math import ceil, floor
from operator import and_, or_
from typing import Any, Final

import numpy as np
import pyarrow as pa

from lath.games.capabilities import alike_of
from lath.games.core import SIDES, Result, follow, symmetries
from lath.games.errors import MoveSyntaxError
from lath.notation.database.keys import keys_of
from lath.notation.database.layers import Flags, Numbers, counted
from lath.notation.database.pattern_search import MOMENT, Moments, seen_in_games
from lath.notation.database.reading import Database, StartTags
from lath.notation.query.moments import begins, end_of_line, position_test, positions_of
from lath.notation.query.plans import (
    And,
    At,
    Bound,
    Not,
    OfLine,
    OfMove,
    OfNotes,
    OfNumber,
    OfPattern,
    OfPlies,
    OfPosition,
    OfResult,
    OfSetup,
    OfTag,
    OfWinner,
    Or,
    Plan,
    TextTest,
    Then,
)
from lath.notation.query.questions import WITH_COMMENTS, WITH_VARIATIONS, of_setup
from lath.notation.rules.replay import game_by, spellings, start_of
from lath.notation.tables.tables import TAG_COLUMNS, tags_of
from lath.notation.text.scanner import parse


def matching(database: Database, plan: Plan) -> Flags:
    """Return which games of a database match, by their number; there is no game 0.

    Of those that can be played here: none whose game is not installed. Raises DatabaseError.
    """
    return _Asking(database).holds(plan, database.known)


class _Asking:
    """Asks a database. Games that match are always some of those `among` which they are sought."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database
        self._of_games: Final[dict[type, Any]] = {
            And: self._all,
            Or: self._some,
            Not: lambda plan, among: among & ~self.holds(plan.part, among),
            OfTag: self._any_tag,
            OfResult: lambda plan, among: among & self._passing("result", plan.passes),
            OfWinner: self._of_winner,
            OfPlies: self._lengths,
            OfSetup: self._setups,
            OfNotes: self._notes,
            OfPattern: lambda plan, among: self._flags(
                seen_in_games(self._database, plan, among, is_any=True)
            ),
            Then: lambda plan, among: self._flags(self._sequence(plan, among)),
        }

    def holds(self, plan: Plan, among: Flags) -> Flags:
        """Return the games of which this holds."""
        if isinstance(plan, At) and plan.when == "every":
            return self._always(plan.part, among)
        asks: Callable[[Any, Flags], Flags] | None = self._of_games.get(type(plan))
        return self._flags(self._moments(plan, among)) if asks is None else asks(plan, among)

    def _all(self, plan: And, among: Flags) -> Flags:
        for part in sorted(plan.parts, key=_cost):
            if among.any():
                among = self.holds(part, among)
        return among

    def _some(self, plan: Or, among: Flags) -> Flags:
        found = self._database.none()
        for part in sorted(plan.parts, key=_cost):
            found |= self.holds(part, among & ~found)
        return found

    def _any_tag(self, plan: OfTag, among: Flags) -> Flags:
        return among & reduce(or_, (self._tag(tag, plan.passes) for tag in plan.tags))

    def _of_winner(self, plan: OfWinner, among: Flags) -> Flags:
        named = [self._tag(seat.name.capitalize(), plan.passes) for seat in SIDES]
        return among & reduce(or_, map(and_, self._won(is_loser=plan.is_loser), named))

    def _lengths(self, plan: OfPlies, among: Flags) -> Flags:
        plies = self._database.plies
        fitting = ((plies >= max(low, 0)) & (plies <= high) for low, high in plan.ranges)
        return among & reduce(or_, fitting)

    def _setups(self, plan: OfSetup, among: Flags) -> Flags:
        asks, starts = of_setup(plan.texts).matches, self._database.starts
        found = [
            place
            for place, start in self._database.start(np.unique(starts[among]))
            if asks(start.record())
        ]
        return among & np.isin(starts, found)

    def _notes(self, plan: OfNotes, among: Flags) -> Flags:
        asked = WITH_COMMENTS if plan.kind == "comments" else WITH_VARIATIONS
        said = self._database.flags("SELECT id FROM games WHERE movetext IS NOT NULL")
        found = self._database.none()
        for number, text in self._database.texts(among & said):
            found[number] = asked.matches(parse(text))
        return found

    def _flags(self, moments: Moments) -> Flags:
        flags = self._database.none()
        flags[moments >> MOMENT] = True
        return flags

    def _tag(self, tag: str, passes: TextTest) -> Flags:
        """Return the games whose tag passes, each text that there is being asked once."""
        column, database = TAG_COLUMNS.get(tag, "NULL"), self._database
        name = json.dumps([tag], ensure_ascii=False)[:-1].replace("'", "''")
        said = f"contains(tags, '{name},')"  # where it has no column, or that cannot hold it
        if tag == "Result":  # its column has what ended the moves, where the tag is missing, too
            said += """ OR NOT contains(tags, '"Result"') OR contains(tags, ',"Result"]')"""
        others = database.flags(f"SELECT id FROM games WHERE {said}")  # noqa: S608
        usual = (
            self._passing(f"{column}::VARCHAR", passes) & ~others
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

    def _passing(self, column: str, passes: TextTest) -> Flags:
        """Return the games where a column has a text that passes."""
        database = self._database
        texts = database.rows(f"SELECT DISTINCT {column} FROM games")  # noqa: S608
        chosen = [text for (text,) in texts if text is not None and passes(text)]
        with database.table("chosen", text=pa.array(chosen, pa.string())):
            return database.flags(
                f"SELECT id FROM games SEMI JOIN chosen ON {column} = text"  # noqa: S608
            )

    def _won(self, *, is_loser: bool) -> list[Flags]:
        """Return the games that each seat has won, or lost."""
        won = [self._passing("result", Result.won_by(side).__eq__) for side in SIDES]
        return won[::-1] if is_loser else won

    def _moments(self, plan: Plan, among: Flags) -> Moments:
        """Return when this holds, of what is asked of single plies."""
        match plan:
            case Or(parts):
                return np.unique(np.concatenate([self._moments(each, among) for each in parts]))
            case At(part, int(ply)):
                moments = self._moments(part, among)
                return moments[moments & _PLY == ply]
            case At(part, _):
                return np.intersect1d(self._moments(part, among), self._last(part, among))
            case OfMove(moves, ply):
                return self._played(moves, ply, among)
            case OfNumber():
                return self._said(plan, plan.bounds, among)
            case OfPattern():
                return seen_in_games(self._database, plan, among, is_any=False)
            case OfPosition():
                return self._positions(plan, among)
            case OfLine():
                return self._lines(plan, among)
        raise AssertionError(plan)

    def _asked(self, part: Plan, among: Flags) -> Moments:
        """Return the plies that something is asked of, whether it holds there or not."""
        if isinstance(part, OfNumber):
            return self._said(part, (), among)
        ids = np.flatnonzero(among)
        positions = self._database.plies[ids] + 1
        return np.repeat(ids << MOMENT, positions) + counted(positions)

    def _last(self, part: Plan, among: Flags) -> Moments:
        """Return the last ply of each game that something is asked of."""
        asked = self._asked(part, among)
        return asked[np.flatnonzero(np.diff(asked >> MOMENT, append=-1))]

    def _always(self, part: Plan, among: Flags) -> Flags:
        asked = self._asked(part, among)
        missed = np.setdiff1d(asked, self._moments(part, among), assume_unique=True)
        return self._flags(asked) & ~self._flags(missed)

    def _sequence(self, plan: Then, among: Flags) -> Moments:
        """Return when the last of several holds that hold one after another."""
        found: dict[int, Moments] = {}
        for place, part in sorted(enumerate(plan.parts), key=lambda each: _cost(each[1])):
            found[place] = self._moments(part, among)
            among = among & self._flags(found[place])
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

    def _played(self, moves: Iterable[str], ply: int | None, among: Flags) -> Moments:
        """Return when one of these moves was made, as the rules of each game read them."""
        rules, rules_of = self._database.rules
        known = self._database.moves
        wanted: Flags = np.zeros((len(rules), len(known.texts)), bool)
        for place, (game, version) in enumerate(rules):
            spelled = spellings(game, version)
            texts = {spelled[move] for move in moves}
            wanted[place] = [
                by == game and text in texts
                for by, text in zip(known.games, known.texts, strict=True)
            ]
        codes = np.flatnonzero(wanted.any(axis=0)).tolist()
        if not codes:
            return _NEVER
        if ply is not None:
            ids = np.flatnonzero(among & (self._database.plies >= ply))
            codes_then = self._database.steps(ids, ply).codes[ply - 1 :: ply]
            return ids[wanted[rules_of[ids], codes_then]] << MOMENT | ply
        found = self._database.some_steps("code", f"code IN ({','.join(map(str, codes))})")
        return _moments(found, among[found["id"]] & wanted[rules_of[found["id"]], found["code"]])

    def _said(self, number: OfNumber, bounds: Sequence[Bound], among: Flags) -> Moments:
        """Return when whose ply it is says a number that stands so to all bounds."""
        is_whole = number.column in ("depth", "nodes")
        column = number.column
        tests = [f" AND {column} {_test(*bound, is_whole=is_whole)}" for bound in bounds]
        found = self._database.some_steps("seat", f"{column} IS NOT NULL{''.join(tests)}")
        return _moments(found, np.array(self._whose(number.of, among))[found["seat"], found["id"]])

    def _whose(self, of: str, among: Flags) -> list[Flags]:
        """Return by seat the games in which it is hers that a number is asked of."""
        who, _, name = of.partition(" ")
        if who == "player":
            flags = [
                self._tag(seat.name.capitalize(), lambda text: text == name != "") for seat in SIDES
            ]
        elif who in ("winner", "loser"):
            flags = self._won(is_loser=who == "loser")
        else:
            return [among if who in ("mover", seat.word) else among & False for seat in SIDES]
        return [among & each for each in flags]

    def _positions(self, plan: OfPosition, among: Flags) -> Moments:
        keys = [
            keys_of(*rules).key(position)
            for rules in self._database.known_rules
            for position in positions_of([game_by(*rules)], plan.texts)
        ]
        if not keys:
            return _NEVER
        found = self._database.columns(
            f"SELECT id, ply FROM positions WHERE key IN ({','.join(map(str, keys))})"  # noqa: S608
        )
        return self._replayed(plan, _moments(found, among[found["id"]]))

    def _lines(self, plan: OfLine, among: Flags) -> Moments:
        """Return when moves have been made, or where they lead to was reached."""
        if not plan.is_reached:
            return self._begins(plan, among)
        database = self._database
        places = np.unique(database.starts[among])
        keys: Numbers = np.zeros(int(places.max(initial=0)) + 1, np.uint64)
        leads: Flags = np.zeros(len(keys), bool)
        for place, start in database.start(places):
            end = end_of_line(plan.moves, start.game, start.rules, start.setup)
            if end is not None:
                keys[place], leads[place] = keys_of(start.game, start.rules).key(end), True
        with database.table("wanted", key=np.unique(keys[leads])):
            found = database.columns(
                "SELECT id, ply, key FROM positions SEMI JOIN wanted USING (key)"
            )
        chosen = among[found["id"]]
        starts = database.starts[found["id"]]
        chosen[chosen] = (leads[starts[chosen]]) & (keys[starts[chosen]] == found["key"][chosen])
        return self._replayed(plan, _moments(found, chosen))

    def _begins(self, plan: OfLine, among: Flags) -> Moments:
        """Return when moves have been made, or an image of them, from the start of the game."""
        count = len(plan.moves)
        for ply, move in enumerate(plan.moves, 1):  # each may be turned otherwise: too many
            among = self._flags(self._played(self._images(move), ply, among))
        return self._replayed(plan, np.flatnonzero(among) << MOMENT | count)

    def _images(self, move: str) -> set[str]:
        """Return what a move may be turned to in some game, pieces being renamed, too."""
        known = self._database.moves
        found = {move}
        for rules in self._database.known_rules:
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

    def _replayed(self, plan: OfPosition | OfLine, moments: Moments) -> Moments:
        """Return those moments at which it is so indeed: other positions may have the same key.

        What leads there is played, once for all games of the same start and moves.
        """
        ids, plies = moments >> MOMENT, moments & _PLY
        numbers, places = np.unique(ids, return_inverse=True)
        steps = self._database.steps(numbers, int(plies.max(initial=0)))
        firsts = (np.cumsum(steps.lengths) - steps.lengths)[places]
        _, same = np.unique(self._database.starts[ids], return_inverse=True)
        for ply in range(int(plies.max(initial=0))):
            goes_on = plies > ply
            longer = same[goes_on] << _CODE | steps.codes[firsts[goes_on] + ply]
            _, again = np.unique(longer, return_inverse=True)
            same[goes_on] = again + len(moments) * (ply + 1)
        _, examples, which = np.unique(same, return_index=True, return_inverse=True)
        texts = self._database.moves.texts
        starts = dict(self._database.start(np.unique(self._database.starts[ids[examples]])))
        lines: Iterator[tuple[StartTags, list[str]]] = (
            (
                starts[int(self._database.starts[ids[example]])],
                [texts[code] for code in steps.codes[firsts[example] :][: plies[example]].tolist()],
            )
            for example in examples
        )
        is_so = _judge_of(plan)
        return moments[np.array([is_so(*line) for line in lines], bool)[which]]


def _judge_of(plan: OfPosition | OfLine) -> Callable[[StartTags, list[str]], bool]:
    """Return what says whether this holds at the end of a line."""
    if isinstance(plan, OfLine) and not plan.is_reached:
        asks = begins(plan.moves, is_plain=plan.is_plain).matches
        return lambda start, moves: asks(start.record(moves))
    test_of = position_test(plan)

    def is_so(start: StartTags, moves: list[str]) -> bool:
        record = start.record()
        test, end = test_of(record), follow(start_of(record), moves)
        assert end is not None
        return test is not None and test(end)

    return is_so


_NEVER: Final[Moments] = np.empty(0, np.int64)

_PLY: Final = (1 << MOMENT) - 1

_CODE: Final = 16
"""Bits of the code of a move."""


def _moments(found: dict[str, Numbers], chosen: Flags) -> Moments:
    """Return in order the moments of the chosen rows of games and plies."""
    ids, plies = (found[name][chosen].astype(np.int64) for name in ("id", "ply"))
    return np.sort(ids << MOMENT | plies)


def _test(sign: str, bound: float, *, is_whole: bool) -> str:
    """Return how a number is compared in SQL, whole numbers exactly."""
    if not is_whole:
        return f"{sign} {bound!r}::DOUBLE"
    if sign == "=":
        return f"= {int(bound)}" if bound == int(bound) else "< 0"
    least_over = ceil(bound) if sign in ("<", ">=") else floor(bound) + 1
    return f"< {max(least_over, 0)}" if sign.startswith("<") else f">= {max(least_over, 0)}"


def _cost(plan: Plan) -> int:
    """Return what it costs to ask this; only the order matters."""
    match plan:
        case And(parts) | Or(parts) | Then(parts, _):
            return sum(map(_cost, parts))
        case Not(part) | At(part, _):
            return _cost(part)
        case OfPattern(pattern):
            return 100 if pattern.cell else 10_000
    return _COSTS.get(type(plan), 1)


_COSTS: Final[dict[type, int]] = {
    **dict.fromkeys((OfPosition, OfMove, OfNumber), 10),
    OfLine: 20,
    OfNotes: 1000,
}
