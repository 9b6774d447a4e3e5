"""The rated games and pairs, computed with lists: a check of `reports.rated`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lath.notation.record.record import Record
from lath.notation.record.tags import FORFEITS, Termination
from lath.reports.counting.rated import digest_of, place_of
from lath.reports.counting.standings import why_left_out
from lath.reports.ratings.results import DecidedGame


@dataclass
class Game:
    """One rated game."""

    key: int
    number: int
    digest: bytes
    may_repeat: bool
    opening: int
    cell: tuple[str, str, float, str]
    forfeited: bool

    @property
    def seat(self) -> int:
        first, second = self.cell[:2]
        return 2 if first == second else int(first > second)


def plain_results(records: Iterable[Record], *, fair: bool = False) -> list[DecidedGame]:
    """Return the rated games, each with its pair, opening and line."""
    games = []
    for record in records:
        if why_left_out(record):
            continue
        seats, why = (record.first, record.second), record.termination
        key, number, opening = place_of(record, seats)
        score = record.result.points[0]
        games.append(
            Game(
                key=key,
                number=number,
                digest=digest_of(record, seats, why),
                may_repeat=bool(record.plies) and why != Termination.TIME,
                opening=opening,
                cell=(*seats, score, record.game),
                forfeited=why in FORFEITS and score != 0.5,
            )
        )
    return [
        DecidedGame(*game.cell, pair, game.opening, game.digest if game.may_repeat else None)
        for game, pair in zip(games, _paired(games), strict=True)
        if not (fair and game.forfeited)
    ]


def _paired(games: Sequence[Game]) -> list[int]:
    pairs = list(range(len(games)))
    by_key: defaultdict[int, defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place in sorted(range(len(games)), key=lambda place: games[place].digest):
        by_key[games[place].key][games[place].number].append(place)
    for by_number in by_key.values():
        single = by_number.pop(0, [])
        for alike in by_number.values():
            single += _pair_off(games, pairs, alike)
        same: defaultdict[bytes, list[int]] = defaultdict(list)
        for place in sorted(single):
            same[games[place].digest].append(place)
        _pair_alike(games, pairs, [same[digest] for digest in sorted(same)])
    return pairs


def _pair_alike(games: Sequence[Game], pairs: list[int], alike: Iterable[list[int]]) -> None:
    """Pair the games of one digest with those of another, as many as both have."""
    seats: tuple[list[list[int]], ...] = [], [], []
    for places in alike:
        if len(places) == 1 or games[places[0]].may_repeat:
            seats[games[places[0]].seat].append(places)
    for ones, others in zip(*seats[:2], strict=False):
        for place, partner in zip(ones, others, strict=False):
            pairs[partner] = place


def _pair_off(games: Sequence[Game], pairs: list[int], places: Iterable[int]) -> list[int]:
    seats: tuple[list[int], ...] = [], [], []
    for place in places:
        seats[games[place].seat].append(place)
    one, other, alone = seats
    for place, partner in zip(one, other, strict=False):
        pairs[partner] = place
    matched = min(len(one), len(other))
    return [*one[matched:], *other[matched:], *alone]
