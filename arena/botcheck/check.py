"""A complete check: all steps in order, with a fresh process after each failure, and the report.

A bot that never answers is given up after a few steps.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from typing import Final, Protocol

from lath import games
from lath.arena.botcheck import steps
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import CheckFinding, CheckPoint, FaultFoundError, Verdict, untested
from lath.arena.botcheck.steps import CHAPTERS, CheckStep
from lath.arena.errors import ConfigError
from lath.arena.referee.conversation import NoAnswerError
from lath.games.errors import count_of
from lath.notation.record.errors import printable
from lath.notation.text.suggestions import is_game

WIDTH: Final = 100

_SEEN: Final = " " * 26
"""Indent of the other lines of a finding, below its first word."""

_BELOW: Final = " " * 12
"""Indent of the lines exchanged with the bot, and of the remedy."""

IDS: Final = tuple(step.id for its in CHAPTERS.values() for step in its)
"""Ids of all points, in the order of a check."""

_CHAPTER: Final = {step.id: name for name, its in CHAPTERS.items() for step in its}


def check(lab: Lab, only: Collection[str] = ()) -> Iterator[CheckPoint]:
    """Yield the points of the protocol with the bot's results, each as soon as possible.

    `only` has the ids of the points to test; empty for all. Points that must hold before them are
    tested too, but yielded only if they fail. All processes of the bot have ended when this ends.
    Raises ConfigError for an unknown id.
    """
    for id_ in only:
        if id_ not in IDS:
            alike = get_close_matches(id_, IDS, n=1)
            hint = f"did you mean {alike[0]}?" if alike else f"choose from {', '.join(IDS)}"
            raise ConfigError(f"--only: {id_!r} is not a check", hint=hint)
    try:
        yield from _Check(lab, frozenset(only or IDS)).points()
    finally:
        lab.drop()


class _Check:
    def __init__(self, lab: Lab, wanted: frozenset[str]) -> None:
        self._lab = lab
        self._wanted = wanted
        greeting = {step.id for step in steps.HELLO}
        # If these fail, the later points cannot be tested.
        self._needed = {"starts", "hello", *(["ready"] if wanted - greeting else [])}
        self._deaf = ""
        """Reason why nothing more can be tested, or empty."""
        self._unready = ""
        """Reason why no game can be tested, or empty."""
        self._gave_up = ""
        """Reason why no more games are played with the bot, or empty."""
        contest = lab.contest
        self._unspoken = f"{contest.id} has nothing of the kind" if contest else ""
        """For a contest's bot, the reason why some points are not tested."""
        self._spoken = {**steps.OF_CONTESTS, **dict.fromkeys(contest.says if contest else (), True)}
        self._silences = self._breaks = 0
        self._broke = False
        """True if the last step broke its session."""

    def points(self) -> Iterator[CheckPoint]:
        yield from self._run(steps.HELLO)
        named = dict.fromkeys(self._lab.bot.greeting.games)
        ids = self._lab.games or tuple(game for game in named if is_game(game))
        if ids:
            self._lab.game = games.get(ids[0])
        else:
            self._unready = "it names no game that is installed; --game GAME tests it all the same"
        yield from self._run(steps.READY)
        playable: tuple[str | None, ...] = (None,) if self._deaf or self._unready else ids
        for game in playable:
            yield from self._run(steps.EACH_GAME, game)
        yield from self._run((*steps.TIMES, *steps.BESIDE), playable[0])
        yield from self._run((*steps.HEARD, *steps.ENDINGS))

    def _run(self, stage: Iterable[CheckStep], game: str | None = None) -> Iterator[CheckPoint]:
        """Run the steps that are wanted or needed; yield the needed ones only if they fail."""
        if game is not None:
            self._lab.game = games.get(game)
        for step in stage:
            if step.id not in self._wanted | self._needed:
                continue
            if (finding := self._found(step)) is None:
                continue
            exchange: tuple[str, ...] = ()
            # The last lines of one session do not explain what was heard in all of them.
            if finding.verdict.is_bad and step not in steps.HEARD:
                exchange, self._broke = self._lab.exchange, True
            if self._broke and step not in steps.HELLO:
                self._lab.drop()  # the next point gets a fresh process
            self._broke = False
            if finding.verdict.is_bad or step.id in self._wanted:
                yield CheckPoint(
                    id=step.id,
                    chapter=_CHAPTER[step.id],
                    game=game,
                    asks=step.asks,
                    exchange=exchange,
                    **asdict(finding),
                )

    def _found(self, step: CheckStep) -> CheckFinding | None:
        """Return the finding of a step; None if it does not apply to the game."""
        if self._unspoken and step.id not in self._spoken:
            return untested(self._unspoken)
        why = self._deaf
        if step not in steps.HELLO and step not in steps.HEARD and step not in steps.ENDINGS:
            why = why or self._unready or self._gave_up
        if why:
            return untested(why)
        if (finding := self._tried(step)) is None:
            return None
        if finding.verdict.is_bad and step.worst_at(self._lab.asked) is not step.at_worst:
            seen = f"{finding.seen}; `--tc` does not ask for that"
            finding = replace(finding, verdict=Verdict.NOTE, seen=seen)
        if finding.verdict is Verdict.FAULT and step.id in self._needed:
            if step.id == "ready":
                self._unready = f"it failed at {step.id!r}"
            else:
                self._deaf = f"it failed at {step.id!r}"
        return finding

    def _tried(self, step: CheckStep) -> CheckFinding | None:
        """Return the finding of a step, also if the bot breaks off the session."""
        try:
            return step.run(self._lab)
        except (FaultFoundError, NoAnswerError) as error:
            found = self._lab.fault_of(error) if isinstance(error, NoAnswerError) else error
            at_worst = step.at_worst
            if self._unspoken and not self._spoken[step.id]:
                at_worst = Verdict.WARNING
            self._broke = True
            self._breaks += 1
            self._silences += found.is_costly
            if self._silences >= 2:
                words = f"it fell silent or flooded {self._silences} times before"
                self._gave_up = f"{words}; mend that first"
            elif self._breaks >= 30:  # more failures would add nothing
                self._gave_up = f"{self._breaks} sessions broke before; mend them first"
            return replace(found.finding, verdict=at_worst)


class ReportedPoint(Protocol):
    """A point of a check, of a bot or of a game type, as `Report` prints it."""

    @property
    def id(self) -> str:
        """Return the name of the point."""

    @property
    def chapter(self) -> str:
        """Return the part of the check."""

    @property
    def game(self) -> str | None:
        """Return the game type that was played; None if the point does not concern one."""

    @property
    def asks(self) -> str:
        """Return the task, as a sentence without its subject."""

    @property
    def verdict(self) -> Verdict:
        """Return the verdict."""

    @property
    def seen(self) -> str:
        """Return what was found, in words."""

    @property
    def mend(self) -> str:
        """Return the change to make; empty if nothing is wrong."""

    @property
    def exchange(self) -> tuple[str, ...]:
        """Return the lines that led to the failure."""

    @property
    def stderr(self) -> tuple[str, ...]:
        """Return the last lines of standard error."""


@dataclass(slots=True)
class Report:
    """The text of a check, point by point; repeated remedies and errors refer to the first one."""

    _heading: str = ""
    _said: dict[object, str] = field(default_factory=dict)
    """The point at which each remedy and each end of standard error was first shown."""

    _skipped: list[ReportedPoint] = field(default_factory=list)
    """Points that were not tested for the same reason, and are not reported yet."""

    def add(self, point: ReportedPoint) -> Iterator[str]:
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

    def _how_to_mend(self, point: ReportedPoint) -> Iterator[str]:
        here = f"{point.id} ({point.game})" if point.game else point.id
        if (first := self._said.setdefault(point.mend, here)) == here:
            yield from (f"{_BELOW}  {printable(line)}" for line in point.exchange)
        if point.stderr:
            written = self._said.setdefault(point.stderr, here)
            yield f"{_BELOW}standard error:{'' if written == here else f' as for {written}'}"
            if written == here:
                yield from (f"{_BELOW}  {printable(line)}" for line in point.stderr)
        if first == here:
            yield from _wrapped(f"{_BELOW}fix: {point.mend}", indent=_BELOW)
        else:
            yield f"{_BELOW}fix: as for {first}"

    def rest(self) -> Iterator[str]:
        """Yield the lines about points that were not tested."""
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


def count_words(points: Iterable[ReportedPoint], seconds: float) -> str:
    """Return the number of points with each verdict, in words."""
    verdicts = [point.verdict for point in points]
    have_plural = (Verdict.NOTE, Verdict.WARNING, Verdict.FAULT)
    counts = [
        count_of(number, verdict) if verdict in have_plural else f"{number} {verdict}"
        for verdict in Verdict
        if (number := verdicts.count(verdict))
    ]
    return f"{count_of(len(verdicts), 'point')}: {', '.join(counts)}; {seconds:.1f} s"
