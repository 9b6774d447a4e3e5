"""A whole check: every probe in its order, a fresh process after each that broke.

Must not know terminals: who prints the lines knows whether there is colour.

Must not know what the probes do. A bot that hangs everywhere is given up after a few times.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from lath import games
from lath.arena.botcheck.points import FaultFoundError, Finding, Point, Verdict, untested
from lath.arena.botcheck.probes import (
    BESIDE,
    EACH_GAME,
    ENDINGS,
    HEARD,
    HELLO,
    READY,
    TIMES,
    GameProbe,
    Probe,
    games_of,
)
from lath.arena.botcheck.session import Lab, Terms
from lath.arena.referee.conversation import BotSpec
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


CHAPTERS: Final[dict[str, Sequence[Probe | GameProbe]]] = {
    "greeting": (*HELLO, *READY),
    "games": EACH_GAME,
    "time": TIMES,
    "manners": (*BESIDE, *HEARD),
    "end": ENDINGS,
}
"""Every probe, in the order of a check; those of `games` are run in each game."""

_CHAPTER: Final = {probe.id: name for name, probes in CHAPTERS.items() for probe in probes}

_NEEDED: Final = ("starts", "hello", "ready")
"""Without these nothing that comes after them can be tested."""


def check(spec: BotSpec, terms: Terms) -> Iterator[Point]:
    """Yield the points of the protocol and how the bot keeps them, each as soon as it is known.

    No process of the bot is left when this ends.
    """
    lab = Lab(spec, terms)
    try:
        yield from _Check(lab).points()
    finally:
        lab.drop()


class _Check:
    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._why = ""
        """Why nothing more can be tested; empty while it can."""

    def points(self) -> Iterator[Point]:
        yield from map(self._once, HELLO)
        has_greeted = not self._why
        if has_greeted and not games_of(self._lab):
            self._why = "it names no game that is installed; --game GAME tests it all the same"
        yield from map(self._once, READY)
        yield from self._played()
        if has_greeted:
            self._why = ""
        yield from map(self._once, (*HEARD, *ENDINGS))

    def _played(self) -> Iterator[Point]:
        ids: Sequence[str] = () if self._why else games_of(self._lab)
        for game_id in ids or (None,):
            for probe in EACH_GAME:
                yield from self._in_game(probe, game_id)
        for probe in (*TIMES, *BESIDE):
            yield from self._in_game(probe, ids[0] if ids else None)

    def _once(self, probe: Probe) -> Point:
        if self._why:
            return self._point(probe, untested(self._why))
        finding = self._found(probe, lambda: probe.run(self._lab))
        assert finding is not None
        if probe.id in _NEEDED and finding.verdict is Verdict.FAULT:
            self._why = f"it failed at {probe.id!r}"
        return self._point(probe, finding)

    def _in_game(self, probe: GameProbe, game_id: str | None) -> Iterator[Point]:
        """Yield a point in a game; nothing where the game has nothing of the kind."""
        why = self._why or self._lab.gave_up
        if why or game_id is None:
            yield self._point(probe, untested(why), game_id)
            return
        game = games.get(game_id)
        finding = self._found(probe, lambda: probe.run(self._lab, game))
        if finding is not None:
            yield self._point(probe, finding, game_id)

    def _found(self, probe: Probe | GameProbe, run: Callable[[], Finding | None]) -> Finding | None:
        try:
            return run()
        except FaultFoundError as error:
            self._lab.breaks += 1
            self._lab.silences += error.is_costly
            return Finding(probe.at_worst, error.seen, error.mend, error.stderr)

    def _point(self, probe: Probe | GameProbe, finding: Finding, game: str | None = None) -> Point:
        """Return the point; after one that is bad the next begins with a fresh process."""
        exchange: tuple[str, ...] = ()
        # What was heard in all sessions is not explained by the last lines of one of them.
        if finding.verdict.is_bad and probe not in HEARD:
            exchange = self._lab.exchange
            if probe not in HELLO:
                self._lab.drop()
        return Point(
            id=probe.id,
            asks=probe.asks,
            chapter=_CHAPTER[probe.id],
            verdict=finding.verdict,
            seen=finding.seen,
            mend=finding.mend,
            game=game,
            exchange=exchange,
            stderr=finding.stderr,
        )
