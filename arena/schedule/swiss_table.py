"""The table of a swiss tournament and its tie-breaks: Buchholz, Sonneborn-Berger, head to head.

All numbers are half points, or products of them, so that nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby

from lath.arena.schedule.core import Standing
from lath.arena.schedule.encounter import points
from lath.reports.outcome import Column, Sheet


@dataclass(frozen=True, slots=True)
class Meeting:
    """What an encounter gave, or a bye."""

    one: int
    other: int | None
    """None: `one` had a bye."""

    halves: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One bot in the table."""

    rank: int
    name: str
    points: float
    buchholz: float
    """The points of its opponents; a bye gives none."""

    sonneborn_berger: float
    """The points of its opponents, each times the share that it took from them; in 0..buchholz."""

    byes: int


def table(names: Sequence[str], meetings: Iterable[Meeting], full: int) -> list[Row]:
    """Return the table; `full` is the half points that an encounter gives in all.

    What no tie-break parts stands in the order of the configuration.
    """
    people = range(len(names))
    taken = _taken(len(names), meetings)
    scored = [sum(halves for _, halves in taken[who]) for who in people]
    met = [[(other, halves) for other, halves in taken[who] if other is not None] for who in people]
    buchholz = [sum(scored[other] for other, _ in met[who]) for who in people]
    shares = [sum(halves * scored[other] for other, halves in met[who]) for who in people]
    keys = [(scored[who], buchholz[who], shares[who]) for who in people]
    return [
        Row(
            rank=rank,
            name=names[who],
            points=scored[who] / 2,
            buchholz=buchholz[who] / 2,
            sonneborn_berger=shares[who] / full / 2,
            byes=len(taken[who]) - len(met[who]),
        )
        for rank, who in enumerate(_order(keys, met), 1)
    ]


def _order(
    keys: Sequence[tuple[int, int, int]], met: Sequence[Sequence[tuple[int, int]]]
) -> Iterator[int]:
    """Yield who stands where: the highest key first, then who has most against his equals."""
    by_key = sorted(range(len(keys)), key=lambda who: keys[who], reverse=True)
    for _, group in groupby(by_key, keys.__getitem__):
        tied = list(group)
        direct = {who: sum(halves for other, halves in met[who] if other in tied) for who in tied}
        yield from sorted(tied, key=lambda who: (-direct[who], who))


def _taken(people: int, meetings: Iterable[Meeting]) -> list[list[tuple[int | None, int]]]:
    """Return for each bot its opponents, None for a bye, and its half points against them."""
    taken: list[list[tuple[int | None, int]]] = [[] for _ in range(people)]
    for meeting in meetings:
        taken[meeting.one].append((meeting.other, meeting.halves[0]))
        if meeting.other is not None:
            taken[meeting.other].append((meeting.one, meeting.halves[1]))
    return taken


def standing(names: Sequence[str], meetings: Iterable[Meeting], full: int) -> Standing:
    """Return the table in words and as data."""
    rows = table(names, meetings, full)
    words = (
        f"{row.rank}. {row.name} {points(round(2 * row.points))} "
        f"(Buchholz {points(round(2 * row.buchholz))}, "
        f"Sonneborn-Berger {row.sonneborn_berger:g})"
        for row in rows
    )
    return Standing(tuple(words), {"swiss": [asdict(row) for row in rows]}, (_sheet(rows),))


def _sheet(rows: Sequence[Row]) -> Sheet:
    """Return the table; byes have a column where there are any."""
    has_byes = any(row.byes for row in rows)
    byes = (Column("byes"),) if has_byes else ()
    return Sheet(
        (
            *(Column("#"), Column("bot", "name"), Column("points")),
            *byes,
            *(Column("Buchholz"), Column("Sonneborn-Berger")),
        ),
        tuple(_cells(row, has_byes=has_byes) for row in rows),
    )


def _cells(row: Row, *, has_byes: bool) -> tuple[str, ...]:
    return (
        *(str(row.rank), row.name, points(round(2 * row.points))),
        *((str(row.byes),) if has_byes else ()),
        *(points(round(2 * row.buchholz)), f"{row.sonneborn_berger:g}"),
    )
