"""A whole check: every step in its order, a fresh process after each that broke, and its report.

A bot that hangs everywhere is given up after a few times.
"""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from difflib import get_close_matches
from typing import Final

from lath import games
from lath.arena.botcheck import steps
from lath.arena.botcheck.lab import Lab
from lath.arena.botcheck.points import CheckFinding, CheckPoint, FaultFoundError, Verdict, untested
from lath.arena.botcheck.steps import CHAPTERS, CheckStep
from lath.arena.errors import ConfigError
from lath.arena.referee.conversation import NoAnswerError
from lath.notation.record.errors import printable
from lath.notation.text.suggestions import is_game

WIDTH: Final = 100

_SEEN: Final = " " * 26
"""Before the lines that go on with what was seen: below its beginning."""

_BELOW: Final = " " * 12
"""Before what was said, and how to mend it."""

IDS: Final = tuple(step.id for its in CHAPTERS.values() for step in its)
"""The ids of all points, in the order of a check."""

_CHAPTER: Final = {step.id: name for name, its in CHAPTERS.items() for step in its}


def check(lab: Lab, only: Collection[str] = ()) -> Iterator[CheckPoint]:
    """Yield the points of the protocol and how the bot keeps them, each as soon as it is known.

    `only` are the ids of the points to test, empty for all; what must hold before them is tested
    too, and is among the points where it does not. No process of the bot is left when this ends.
    Raises ConfigError for an id that no point has.
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
        # Without these nothing that comes after them can be tested.
        self._needed = {"starts", "hello", *(["ready"] if wanted - greeting else [])}
        self._deaf = ""
        """Why nothing more can be tested; empty while it can."""
        self._unready = ""
        """Why no game can be; empty while it can."""
        self._gave_up = ""
        """Why nothing more is asked of the bot in games; empty while it is."""
        contest = lab.contest
        self._unspoken = f"{contest.id} has nothing of the kind" if contest else ""
        """Of a contest's bot why the other points are not tested."""
        self._spoken = {**steps.OF_CONTESTS, **dict.fromkeys(contest.says if contest else (), True)}
        self._silences = self._breaks = 0
        self._broke = False
        """Whether the last step has broken its session."""

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
        """Run those of the steps that are wanted, or needed: these are told of if they fail."""
        if game is not None:
            self._lab.game = games.get(game)
        for step in stage:
            if step.id not in self._wanted | self._needed:
                continue
            if (finding := self._found(step)) is None:
                continue
            exchange: tuple[str, ...] = ()
            # What was heard in all sessions is not explained by the last lines of one of them.
            if finding.verdict.is_bad and step not in steps.HEARD:
                exchange, self._broke = self._lab.exchange, True
            if self._broke and step not in steps.HELLO:
                self._lab.drop()  # the next point begins with a fresh process
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
        """Return what a step shows; None where the game has nothing of the kind."""
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
        """Return what a step shows, also where the bot breaks off the session."""
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
            elif self._breaks >= 30:  # the rest would not tell anything new
                self._gave_up = f"{self._breaks} sessions broke before; mend them first"
            return replace(found.finding, verdict=at_worst)


@dataclass(slots=True)
class Report:
    """The text of a check, point by point; what was said once is not said again."""

    _heading: str = ""
    _said: dict[object, str] = field(default_factory=dict)
    """For each way to mend something and each end of standard error, where it stands first."""

    _skipped: list[CheckPoint] = field(default_factory=list)
    """Points that were not tested, for the same reason, and are still to be named."""

    def add(self, point: CheckPoint) -> Iterator[str]:
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

    def _how_to_mend(self, point: CheckPoint) -> Iterator[str]:
        here = f"{point.id} ({point.game})" if point.game else point.id
        if (first := self._said.setdefault(point.mend, here)) == here:
            yield from (f"{_BELOW}  {printable(line)}" for line in point.exchange)
        if point.stderr:
            written = self._said.setdefault(point.stderr, here)
            yield f"{_BELOW}standard error:{'' if written == here else f' as for {written}'}"
            if written == here:
                yield from (f"{_BELOW}  {printable(line)}" for line in point.stderr)
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


def count_words(points: Iterable[CheckPoint], seconds: float) -> str:
    """Return how many points there are of each verdict."""
    verdicts = [point.verdict for point in points]
    have_plural = (Verdict.NOTE, Verdict.WARNING, Verdict.FAULT)
    counts = [
        f"{number} {verdict}{'s' * (verdict in have_plural and number > 1)}"
        for verdict in Verdict
        if (number := verdicts.count(verdict))
    ]
    return f"{len(verdicts)} points: {', '.join(counts)}; {seconds:.1f} s"
