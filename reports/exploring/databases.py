"""What the games of a database made of a position: what `explorer` tells of the same records.

Positions are found by their keys. What is counted of a game - its result, length, date, pair and
players - is kept in arrays, in 40 bytes a game, so that each position costs no more than its own
games. Two positions of one key, of which there are none in practice, would be one here.
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
from lath.notation.rules.replay import start_of
from lath.notation.text.scanner import parse
from lath.reports.counting.estimates import wilson
from lath.reports.exploring.explorer import Continuation, Node, PositionCounts, Reference

_NO_DAY: Final = -1
"""Of a game without a date; others count days."""

_NO_RESULT: Final = 3
"""Of a game without a result; others have twice first's points."""

_NO_CODE: Final = (1 << 16) - 1
"""The code of the move that follows on a last position."""

_NOBODY: Final = "?"
"""What records call who has no name."""


class _Row(NamedTuple):
    """A move as it is counted."""

    move: Move
    same: list[Move]
    position: Position
    """After it."""


class _Met(NamedTuple):
    """Where games come to a position, the first ply of each first."""

    ids: Numbers
    plies: Numbers
    """Before it."""
    codes: Numbers
    """What was played there."""


def counts_by_game(database: Database, among: Flags | None = None) -> dict[str, int]:
    """Return how many of some games are of each id, that of the first game first."""
    count = "SELECT game, count(*) FROM games {} GROUP BY game ORDER BY min(id)"
    if among is None:
        return dict(database.rows(count.format("")))
    with database.table("wanted", id=np.flatnonzero(among)):
        return dict(database.rows(count.format("SEMI JOIN wanted USING (id)")))


class DatabaseGames:
    """Games of one id in a database, which can be asked about any position."""

    def __init__(
        self, database: Database, game: str, source: str, among: Flags | None = None
    ) -> None:
        """Take those of this id, of these `among`, by number; references name the `source`."""
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
        """How many of them have moves."""
        self._without_moves: Final = of_game - self.games

    def _paired(self, pairs: Numbers) -> Numbers:
        """Return by game the first game of its pair: of those that share one each two, in order."""
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
        """Return what `Database.names` does, who has no name being one with who is called `?`."""
        names, seats = self._database.names
        if "" in names and _NOBODY in names:
            blank, nobody = names.index(""), names.index(_NOBODY)
            seats = tuple(np.where(seat == blank, nobody, seat) for seat in seats)
        return names, seats

    @cached_property
    def _strengths(self) -> Numbers:
        """Return by game how strong its players are together: see `explorer.Best`."""
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
        """Return what they tell of a position."""
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
        """Return where games come to the position of a key."""
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
        """Return the games that come to the positions of keys, each in the order of numbers."""
        if not keys:
            return {}
        found = self._database.columns(f"""
            SELECT key, id FROM positions WHERE key IN ({",".join(map(str, keys))})""")  # noqa: S608
        kept = self._among[found["id"]]
        ids, of = found["id"][kept], found["key"][kept]
        return {key: _once(_rising(ids[of == np.uint64(key)]))[0] for key in keys}

    def _played(self, game: str, images: Sequence[str], met: _Met) -> list[tuple[Numbers, Numbers]]:
        """Return for each move the games in which it was played, and after how many plies first."""
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
        """Return what came of games, each of which is there once."""
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
        """Return the places of the newest and of the best of some games."""
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
        """Return where games stand, by their number and ply."""
        if not wanted:
            return {}
        ids = ",".join(sorted({str(number) for number, _ in wanted}))
        found = self._database.rows(
            f"SELECT id, first, second, result, date FROM games WHERE id IN ({ids})"  # noqa: S608
        )
        by_id = {number: row for number, *row in found}
        references = {}
        for number, ply in wanted:
            first, second, result, day = by_id[number]
            references[number, ply] = Reference(
                source=self._source,
                number=int(number),
                ply=int(ply),
                first=first or _NOBODY,
                second=second or _NOBODY,
                result=Result(result),
                date=day.isoformat() if isinstance(day, date) else "",
            )
        return references

    @cached_property
    def _begins(self) -> str:
        """Return from which position the first of all games begins; empty where there is none."""
        if not self.games:
            return ""
        first = self._database.none()
        first[np.argmax(self._among)] = True
        ((_, text),) = self._database.texts(first)
        return start_of(parse(text)).text()


def _is_new(numbers: Numbers) -> Flags:
    """Return of each of some numbers whether the one before it is another."""
    is_new: Flags = np.ones(len(numbers), bool)
    np.not_equal(numbers[1:], numbers[:-1], out=is_new[1:])
    return is_new


def _rising(numbers: Numbers) -> Numbers:
    """Return numbers in order."""
    return numbers if (numbers[1:] >= numbers[:-1]).all() else np.sort(numbers)


def _once(ids: Numbers) -> tuple[Numbers, Numbers]:
    """Return numbers that rise without those that come again, and their places."""
    firsts = np.flatnonzero(_is_new(ids))
    return ids[firsts], firsts


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
