"""The points of a check as lines of text and as JSON.

Must not know terminals: who prints the lines knows whether there is colour.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from lath.arena.botcheck.points import Point, Verdict
from lath.notation.errors import printable

WIDTH: Final = 100

_SEEN: Final = " " * 26
"""Before the lines that go on with what was seen: below its beginning."""

_BELOW: Final = " " * 12
"""Before what was said, and how to mend it."""


@dataclass(slots=True)
class Report:
    """The text of a check, point by point; what was told once is not told again."""

    _heading: str = ""
    _mends: dict[str, str] = field(default_factory=dict)
    """For each way to mend something, where it was told first."""

    _stderrs: dict[tuple[str, ...], str] = field(default_factory=dict)
    """For each end of standard error, where it was told first."""

    _skipped: list[Point] = field(default_factory=list)
    """Points that were not tested, for the same reason, and are still to be told."""

    def add(self, point: Point) -> Iterator[str]:
        """Yield the lines that a point adds."""
        if point.verdict is Verdict.UNTESTED:
            if self._skipped and self._skipped[0].seen != point.seen:
                yield from self.rest()
            self._skipped.append(point)
            return
        yield from self.rest()
        heading = point.game or "" if point.chapter == "games" else point.chapter
        if heading != self._heading:
            self._heading = heading
            yield heading
        yield from _wrapped(
            f"  {point.verdict:8} {point.id:15}{point.asks}: {point.seen}", indent=_SEEN
        )
        if point.mend:
            yield from self._how_to_mend(point)

    def _how_to_mend(self, point: Point) -> Iterator[str]:
        here = f"{point.id} ({point.game})" if point.game else point.id
        first = self._mends.setdefault(point.mend, here)
        if first == here:
            for line in point.exchange:
                yield f"{_BELOW}  {printable(line)}"
        yield from self._standard_error(point, here)
        if first == here:
            yield from _wrapped(f"{_BELOW}to mend: {point.mend}", indent=_BELOW)
        else:
            yield f"{_BELOW}to mend: as for {first}"

    def _standard_error(self, point: Point, here: str) -> Iterator[str]:
        """Yield the end of standard error, line by line; where it is known, where it stands."""
        if not point.stderr:
            return
        first = self._stderrs.setdefault(point.stderr, here)
        if first != here:
            yield f"{_BELOW}standard error: as for {first}"
            return
        yield f"{_BELOW}standard error:"
        for line in point.stderr:
            yield f"{_BELOW}  {printable(line)}"

    def rest(self) -> Iterator[str]:
        """Yield what is still to be told of the points that were not tested."""
        skipped, self._skipped = self._skipped, []
        if skipped:
            names = ", ".join(dict.fromkeys(point.id for point in skipped))
            yield from _wrapped(
                f"  {Verdict.UNTESTED:8} {names}: {skipped[0].seen}", indent=_BELOW[:-1]
            )


def _wrapped(text: str, *, indent: str) -> list[str]:
    return textwrap.wrap(
        printable(text),
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def count_words(points: Iterable[Point], seconds: float) -> str:
    """Return how many points there are of each verdict."""
    verdicts = [point.verdict for point in points]
    told = [
        _counted(verdicts.count(verdict), verdict) for verdict in Verdict if verdict in verdicts
    ]
    return f"{len(verdicts)} points: {', '.join(told)}; {seconds:.1f} s"


def _counted(number: int, verdict: Verdict) -> str:
    has_plural = verdict in (Verdict.NOTE, Verdict.WARNING, Verdict.FAULT)
    return f"{number} {verdict}{'s' if has_plural and number != 1 else ''}"


def to_json(point: Point) -> dict[str, object]:
    """Return the point for a program; every key is always there."""
    return {
        "id": point.id,
        "chapter": point.chapter,
        "game": point.game,
        "asks": point.asks,
        "verdict": point.verdict.value,
        "seen": point.seen,
        "mend": point.mend,
        "exchange": list(point.exchange),
        "stderr": list(point.stderr),
    }
