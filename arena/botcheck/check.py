"""A whole check: every step in its order, a fresh process after each that broke, and its report.

Must not know what the steps do, nor terminals: who prints the lines knows whether there is colour.
A bot that hangs everywhere is given up after a few times.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from lath import games
from lath.arena.botcheck.lab import Lab, Settings
from lath.arena.botcheck.points import FaultFoundError, Finding, Point, Verdict, untested
from lath.arena.botcheck.steps import (
    BESIDE,
    CHAPTERS,
    EACH_GAME,
    ENDINGS,
    HEARD,
    HELLO,
    READY,
    TIMES,
    Step,
)
from lath.arena.errors import ConfigError
from lath.arena.referee.conversation import BotSpec, NoAnswer
from lath.notation.errors import printable

WIDTH: Final = 100

_SEEN: Final = " " * 26
"""Before the lines that go on with what was seen: below its beginning."""

_BELOW: Final = " " * 12
"""Before what was said, and how to mend it."""

IDS: Final = tuple(step.id for steps in CHAPTERS.values() for step in steps)
"""The ids of all points, in the order of a check."""

_CHAPTER: Final = {step.id: name for name, steps in CHAPTERS.items() for step in steps}

_NEEDED: Final = ("starts", "hello", "ready")
"""Without these nothing that comes after them can be tested: they are, whatever is asked for."""

_UNNAMED: Final = "it names no game that is installed; --game GAME tests it all the same"


def check(spec: BotSpec, settings: Settings, only: Collection[str] = ()) -> Iterator[Point]:
    """Yield the points of the protocol and how the bot keeps them, each as soon as it is known.

    `only` are the ids of the points to test, empty for all; what must hold before them is tested
    too, and is among the points where it does not. No process of the bot is left when this ends.
    Raises ConfigError for an id that no point has.
    """
    for id_ in only:
        if id_ not in IDS:
            raise ConfigError(f"no point of a check is called {id_!r} ({', '.join(IDS)})")
    lab = Lab(spec, settings)
    try:
        yield from _Check(lab, frozenset(only or IDS)).points()
    finally:
        lab.drop()


class _Check:
    def __init__(self, lab: Lab, wanted: frozenset[str]) -> None:
        self._lab = lab
        self._wanted = wanted
        self._deaf = ""
        """Why nothing more can be tested; empty while it can."""
        self._unready = ""
        """Why no game can be; empty while it can."""

    def points(self) -> Iterator[Point]:
        yield from self._run(HELLO)
        greeted = dict.fromkeys(game for game in self._lab.greeting.games if game in games.ids())
        ids = self._lab.settings.games or tuple(greeted)
        if ids:
            self._lab.game = games.get(ids[0])
        else:
            self._unready = _UNNAMED
        yield from self._run(READY)
        playable: tuple[str | None, ...] = (None,) if self._deaf or self._unready else ids
        for game in playable:
            yield from self._run(EACH_GAME, game)
        yield from self._run((*TIMES, *BESIDE), playable[0])
        yield from self._run((*HEARD, *ENDINGS))

    def _run(self, steps: Iterable[Step], game: str | None = None) -> Iterator[Point]:
        """Run those of the steps that are wanted; nothing is to be said where a game lacks one."""
        if game is not None:
            self._lab.game = games.get(game)
        for step in steps:
            is_wanted = step.id in self._wanted
            if not (is_wanted or self._is_needed(step)):
                continue
            finding = self._found(step)
            if finding is None:
                continue
            point = self._point(step, finding, game)
            if is_wanted or (point.verdict.is_bad and step.id in _NEEDED):
                yield point

    def _is_needed(self, step: Step) -> bool:
        greeting = {step.id for step in HELLO}
        return step.id in _NEEDED and (step.id != "ready" or bool(self._wanted - greeting))

    def _found(self, step: Step) -> Finding | None:
        if why := self._why_not(step):
            return untested(why)
        try:
            finding = step.run(self._lab)
        except (FaultFoundError, NoAnswer) as error:
            found = self._lab.fault_of(error) if isinstance(error, NoAnswer) else error
            self._lab.breaks += 1
            self._lab.silences += found.is_costly
            finding = Finding(step.at_worst, found.seen, found.mend, found.stderr)
        if finding is not None and finding.verdict is Verdict.FAULT and step.id in _NEEDED:
            if step.id == "ready":
                self._unready = f"it failed at {step.id!r}"
            else:
                self._deaf = f"it failed at {step.id!r}"
        return finding

    def _why_not(self, step: Step) -> str:
        """Return why the step cannot be run; empty where it can."""
        if step in HELLO or step in HEARD or step in ENDINGS:
            return self._deaf
        return self._deaf or self._unready or self._lab.gave_up

    def _point(self, step: Step, finding: Finding, game: str | None) -> Point:
        """Return the point; after one that is bad the next begins with a fresh process."""
        exchange: tuple[str, ...] = ()
        # What was heard in all sessions is not explained by the last lines of one of them.
        if finding.verdict.is_bad and step not in HEARD:
            exchange = self._lab.exchange
            if step not in HELLO:
                self._lab.drop()
        return Point(
            id=step.id,
            chapter=_CHAPTER[step.id],
            game=game,
            asks=step.asks,
            verdict=finding.verdict,
            seen=finding.seen,
            mend=finding.mend,
            exchange=exchange,
            stderr=finding.stderr,
        )


@dataclass(slots=True)
class Report:
    """The text of a check, point by point; what was said once is not said again."""

    _heading: str = ""
    _said: dict[object, str] = field(default_factory=dict)
    """For each way to mend something and each end of standard error, where it stands first."""

    _skipped: list[Point] = field(default_factory=list)
    """Points that were not tested, for the same reason, and are still to be named."""

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
        first = self._said.setdefault(point.mend, here)
        if first == here:
            for line in point.exchange:
                yield f"{_BELOW}  {printable(line)}"
        if point.stderr:
            written = self._said.setdefault(point.stderr, here)
            yield f"{_BELOW}standard error:{'' if written == here else f' as for {written}'}"
            if written == here:
                for line in point.stderr:
                    yield f"{_BELOW}  {printable(line)}"
        if first == here:
            yield from _wrapped(f"{_BELOW}to mend: {point.mend}", indent=_BELOW)
        else:
            yield f"{_BELOW}to mend: as for {first}"

    def rest(self) -> Iterator[str]:
        """Yield what is still to be said of the points that were not tested."""
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
    counts = []
    for verdict in Verdict:
        if number := verdicts.count(verdict):
            has_plural = verdict in (Verdict.NOTE, Verdict.WARNING, Verdict.FAULT)
            counts.append(f"{number} {verdict}{'s' if has_plural and number > 1 else ''}")
    return f"{len(verdicts)} points: {', '.join(counts)}; {seconds:.1f} s"
