"""The statistics of `explorer` for a position, from the games of a database.

Positions are found by their keys. The counted facts of a game (result, length, date, pair and
players) are kept in arrays, 40 bytes per game, so that each position costs only its own games. Two
positions with one key would count as one, which does not occur in practice.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np

from lath.games.core import Move, Position, Result, Side, version_of
from lath.notation.database.keys import keys_of
from lath.notation.database.layers import Flags, Numbers
from lath.notation.database.reading import Database
from lath.notation.record.tags import opening_name
from lath.notation.rules.replay import start_of
from lath.notation.text.scanner import parse
from lath.reports.counting.estimates import wilson
from lath.reports.exploring.explorer import Continuation, Node, PositionCounts, Reference

_NO_DAY: Final = -1
"""The day of a game without a date; other games count days."""

_NO_RESULT: Final = 3
"""The code of a game without a result; other games have twice the first player's points."""

_NO_CODE: Final = (1 << 16) - 1
"""The code of the next move at a final position."""

_NOBODY: Final = "?"
"""The name of a player without a name in records."""


class _Row(NamedTuple):
    """A legal move and the moves that are symmetric to it."""

    move: Move
    same: list[Move]
    position: Position
    """The position after the move."""


class _Met(NamedTuple):
    """The places where games reach a position, in the order of games and plies."""

    ids: Numbers
    plies: Numbers
    """The plies before the position."""
    codes: Numbers
    """The codes of the moves played there."""


def counts_by_game(database: Database, among: Flags | None = None) -> dict[str, int]:
    """Return the number of selected games of each id, in the order of their first games."""
    count = "SELECT game, count(*) FROM games {} GROUP BY game ORDER BY min(id)"
    if among is None:
        return dict(database.rows(count.format("")))
    with database.table("wanted", id=np.flatnonzero(among)):
        return dict(database.rows(count.format("SEMI JOIN wanted USING (id)")))


class DatabaseGames:
    """The games of one type in a database, for queries about any position."""

    def __init__(
        self, database: Database, game: str, source: str, among: Flags | None = None
    ) -> None:
        """Select the games of this type, or those in `among`; references name the `source`."""
        self._database: Final = database
        self._source: Final = source
        found = database.columns(f"""
            SELECT id, game = {_text(game)} AS is_of_game, plies,
                CASE result WHEN '0-1' THEN 0 WHEN '1/2-1/2' THEN 1 WHEN '1-0' THEN 2
                    ELSE {_NO_RESULT} END::UTINYINT AS points,
                coalesce(datediff('day', DATE '0001-01-01', date), {_NO_DAY})::INTEGER AS day,
                pair, coalesce(elo, 'NaN'::DOUBLE) AS elo
            FROM games""")  # noqa: S608 - texts are quoted
        size = database.games + 1
        at = found.pop("id")

        def by_id(name: str, dtype: Any) -> Numbers:
            values: Numbers = np.zeros(size, dtype)
            values[at] = found.pop(name)
            return values

        self._among: Final[Flags] = by_id("is_of_game", bool)
        if among is not None:
            self._among[:] &= among
        self._points: Final = by_id("points", np.uint8)
        self._plies: Final = by_id("plies", np.uint32)
        of_game = int(self._among.sum())
        self._among[:] &= self._plies > 0
        self._days: Final = by_id("day", np.int32)
        elo = by_id("elo", np.float64)
        self._elo: Final = elo if np.isfinite(elo[1:]).any() else None
        self._pieces: Final = self._paired(by_id("pair", np.uint64))
        self.games: Final = int(self._among.sum())
        """The number of selected games with moves."""
        self._without_moves: Final = of_game - self.games

    def _paired(self, pairs: Numbers) -> Numbers:
        """Return, by game, the first game of its pair; games with one key are paired in order."""
        ids = self._with_result(np.flatnonzero(self._among))
        ids = ids[np.argsort(pairs[ids], kind="stable")]
        places, alike = np.arange(len(ids)), pairs[ids]
        place_in = places - np.maximum.accumulate(np.where(_is_new(alike), places, 0))
        firsts: Numbers = np.zeros(len(pairs), np.int64)
        firsts[ids] = ids[places - place_in % 2]
        return firsts

    def _with_result(self, ids: Numbers) -> Numbers:
        found: Numbers = ids[self._points[ids] != _NO_RESULT]
        return found

    @property
    def _players(self) -> tuple[list[str], tuple[Numbers, Numbers]]:
        """Return `Database.names`, with unnamed players and the name `?` as one player."""
        names, seats = self._database.names
        if "" in names and _NOBODY in names:
            blank, nobody = names.index(""), names.index(_NOBODY)
            seats = tuple(np.where(seat == blank, nobody, seat) for seat in seats)
        return names, seats

    @cached_property
    def _strengths(self) -> Numbers:
        """Return, by game, the sum of its players' strengths, as in `explorer.Best`."""
        names, (firsts, seconds) = self._players
        ids = self._with_result(np.flatnonzero(self._among))
        points = self._points[ids] / 2
        scored = np.bincount(firsts[ids], points, len(names))
        scored += np.bincount(seconds[ids], 1 - points, len(names))
        played = np.bincount(firsts[ids], minlength=len(names))
        played += np.bincount(seconds[ids], minlength=len(names))
        strengths = np.array(
            [
                wilson(points / games, games)[0] if games else 0.0
                for points, games in zip(scored.tolist(), played.tolist(), strict=True)
            ]
        )
        together: Numbers = strengths[firsts] + strengths[seconds]
        return together

    def node(self, asked: Position) -> Node:
        """Return the statistics of a position."""
        keys = keys_of(asked.game.id, version_of(asked.game))
        rows: dict[str, _Row] = {}
        moves = asked.legal_moves()
        for move, image in zip(moves, keys.turned(asked, moves) if moves else (), strict=True):
            if image in rows:
                rows[image].same.append(move)
            else:
                rows[image] = _Row(move, [], asked.play(move))
        met = self._met(keys.key(asked))
        here, _ = _once(met.ids)
        following = [keys.key(row.position) for row in rows.values()]
        reached = self._reached(set(following))
        played = self._played(asked.game.id, list(rows), met)
        told = []
        counted: dict[int, PositionCounts] = {}
        for row, key, (ids, plies) in zip(rows.values(), following, played, strict=True):
            if not len(reached[key]):
                continue
            of_played = self._counts(ids)
            if key not in counted:
                is_all = len(reached[key]) == len(ids)
                counted[key] = of_played if is_all else self._counts(reached[key])
            newest = best = None
            if len(ids):
                newest, best = ((ids[at], plies[at] + 1) for at in self._notable(ids))
            told.append((row, of_played, counted[key], newest, best))
        references = self._references(
            [each for _, _, _, *of_row in told for each in of_row if each]
        )
        continuations = [
            Continuation(
                move=row.move,
                same=tuple(row.same),
                position=row.position.text(),
                played=of_played.tally(),
                reached=of_reached.tally(),
                newest=newest and references[newest],
                best=best and references[best],
            )
            for row, of_played, of_reached, newest, best in told
        ]
        continuations.sort(key=lambda each: (-each.played.times, -each.reached.times))
        return Node(
            game=asked.game.id,
            position=asked.text(),
            to_move=Side(asked.to_move),
            games=self.games,
            here=self._counts(here).tally(),
            ended=int((met.codes == _NO_CODE).sum()),
            continuations=tuple(continuations),
            without_moves=self._without_moves,
            begins=self._begins,
        )

    def _met(self, key: int) -> _Met:
        """Return the places where games reach the position of a key."""
        found = self._database.columns(f"""
            SELECT id, ply, coalesce(code, {_NO_CODE})::USMALLINT AS code
            FROM positions WHERE key = {key}""")  # noqa: S608 - numbers
        kept = self._among[found["id"]]
        ids, plies, codes = (found[name][kept] for name in ("id", "ply", "code"))
        if len(ids) and (ids[1:] <= ids[:-1]).any():
            order = np.lexsort((plies, ids))
            ids, plies, codes = ids[order], plies[order], codes[order]
        return _Met(ids, plies, codes)

    def _reached(self, keys: set[int]) -> dict[int, Numbers]:
        """Return the games that reach the positions of keys, each in the order of numbers."""
        if not keys:
            return {}
        found = self._database.columns(f"""
            SELECT key, id FROM positions WHERE key IN ({",".join(map(str, keys))})""")  # noqa: S608
        kept = self._among[found["id"]]
        ids, of = found["id"][kept], found["key"][kept]
        return {key: _once(_rising(ids[of == np.uint64(key)]))[0] for key in keys}

    def _played(self, game: str, images: Sequence[str], met: _Met) -> list[tuple[Numbers, Numbers]]:
        """Return, for each move, the games with it, and the plies before its first occurrence."""
        moves = self._database.moves
        rows = {image: row for row, image in enumerate(images)}
        row_of: Numbers = np.full(_NO_CODE + 1, len(images), np.int32)
        for code, (of, text) in enumerate(zip(moves.games, moves.texts, strict=True)):
            if of == game and text in rows:
                row_of[code] = rows[text]
        at = row_of[met.codes]
        found = []
        for row in range(len(images)):
            chosen = np.flatnonzero(at == row)
            ids, firsts = _once(met.ids[chosen])
            found.append((ids, met.plies[chosen][firsts]))
        return found

    def _counts(self, ids: Numbers) -> PositionCounts:
        """Return the results of games, each of which occurs once."""
        points = self._points[ids]
        losses, draws, wins, undecided = np.bincount(points, minlength=4).tolist()
        decided = points != _NO_RESULT
        counts = PositionCounts(
            wins=wins,
            draws=draws,
            losses=losses,
            undecided=undecided,
            plies=int(self._plies[ids[decided]].sum(dtype=np.int64)),
        )
        pieces, won = self._pieces[ids[decided]], points[decided].astype(np.int64)
        if (pieces[1:] < pieces[:-1]).any():
            order = np.argsort(pieces, kind="stable")
            pieces, won = pieces[order], won[order]
        firsts = np.flatnonzero(_is_new(pieces))
        if len(firsts):
            games, won = np.diff(firsts, append=len(pieces)), np.add.reduceat(won, firsts)
            sums = (float(one @ other) for one, other in ((won, won), (won, games), (games, games)))
            won_2, won_games, games_2 = sums
            counts.add_pairs(len(firsts), won_2 / 4, won_games / 2, int(games_2))
        return counts

    def _notable(self, ids: Numbers) -> tuple[int, int]:
        """Return the indices of the newest game and of the game with the strongest players."""
        days = self._days[ids]
        newest = int(np.flatnonzero(days == days.max())[-1])
        elo = None if self._elo is None else self._elo[ids]
        if elo is None or not np.isfinite(elo).any():
            strengths = self._strengths[ids]
        else:
            strengths = np.where(np.isfinite(elo), elo, -np.inf)
        best = np.flatnonzero(strengths == strengths.max())
        of_days = days[best]
        return newest, int(best[np.flatnonzero(of_days == of_days.max())[-1]])

    def _references(self, wanted: Sequence[tuple[int, int]]) -> dict[tuple[int, int], Reference]:
        """Return references to games, by their number and ply."""
        if not wanted:
            return {}
        ids = ",".join(sorted({str(number) for number, _ in wanted}))
        found = self._database.rows(
            f"SELECT id, first, second, result, date, opening FROM games WHERE id IN ({ids})"  # noqa: S608
        )
        by_id = {number: row for number, *row in found}
        references = {}
        for number, ply in wanted:
            first, second, result, day, opening = by_id[number]
            references[number, ply] = Reference(
                source=self._source,
                number=int(number),
                ply=int(ply),
                first=first or _NOBODY,
                second=second or _NOBODY,
                result=Result(result),
                date=day.isoformat() if isinstance(day, date) else "",
                opening=opening_name(opening or ""),
            )
        return references

    @cached_property
    def _begins(self) -> str:
        """Return the position in which the first game begins; empty without games."""
        if not self.games:
            return ""
        first = self._database.none()
        first[np.argmax(self._among)] = True
        ((_, text),) = self._database.texts(first)
        return start_of(parse(text)).text()


def _is_new(numbers: Numbers) -> Flags:
    """Return, for each number, whether it differs from the previous one."""
    is_new: Flags = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=is_new[1:])
    return is_new


def _rising(numbers: Numbers) -> Numbers:
    """Return the numbers in ascending order."""
    return numbers if (numbers[1:] >= numbers[:-1]).all() else np.sort(numbers)


def _once(ids: Numbers) -> tuple[Numbers, Numbers]:
    """Return rising numbers without duplicates, and the index of each."""
    firsts = np.flatnonzero(_is_new(ids))
    return ids[firsts], firsts


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
