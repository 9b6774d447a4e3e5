"""The review of one game: the analysis of `arena analyze`, and what the reports find in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from lath.arena.engine.analysing import Analyst
from lath.notation.record.record import Record, is_of_analysis
from lath.reports.counting.accuracy import Accuracy, AccuracyCounter
from lath.reports.counting.facts import entry
from lath.reports.explaining.better import Better, analysed_lines, better_at
from lath.reports.explaining.turning import TurningPoint, played_through, turns_of

_SIDES: Final = ("first", "second")
"""Names for the count of accuracies; the players of a record can have equal names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """An analysed game with the findings about it."""

    record: Record
    """The game with the evaluations, marks and better lines of the analysis."""

    accuracies: tuple[Accuracy | None, Accuracy | None]
    """The accuracies of both sides; None for a side that made no move."""

    turns: tuple[TurningPoint, ...]
    """The turning point of a decided game, and missed wins in one."""

    better: Mapping[int, Better]
    """Better moves by ply, from 1."""

    movers: tuple[int, ...]
    """The side that decided on each ply: 0 or 1."""

    @property
    def marks(self) -> list[str]:
        """Return the mark that the analysis gave to each ply; empty for most."""
        return [ply.glyph if is_of_analysis(ply.comments) else "" for ply in self.record.plies]


def reviewed(record: Record, analyst: Analyst, done: Callable[[int], None]) -> Review:
    """Return the review of a record whose moves are legal.

    `done` gets the number of judged plies after each one. Raises GameError and the errors of
    `Engine.play`.
    """
    plies = []
    for ply in analyst.plies(record):
        plies.append(ply)
        done(len(plies))
    record = analyst.signed(record, plies)
    played = played_through(record)
    turns = turns_of(record, played)
    lines = analysed_lines(record)
    better = {
        ply: better_at(record, ply, lines.get(ply, ()))
        for ply in {*lines, *(turn.ply for turn in turns)}
    }
    return Review(
        record=record,
        accuracies=_accuracies(record),
        turns=tuple(turns),
        movers=tuple(played.seats),
        better={ply: one for ply, one in sorted(better.items()) if one.line},
    )


def _accuracies(record: Record) -> tuple[Accuracy | None, Accuracy | None]:
    tags = [(name, value) for name, value in record.tags if name not in ("First", "Second")]
    named = (("First", _SIDES[0]), ("Second", _SIDES[1]))
    counter = AccuracyCounter()
    counter.add(entry(1, replace(record, tags=(*tags, *named)), is_playable=True))
    found = {one["name"]: one for one in counter.accuracies(_SIDES)}
    return found.get(_SIDES[0]), found.get(_SIDES[1])
