"""A complete check of a game type: all steps in order, and a verdict at the end."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from lath.arena.botcheck.points import Verdict
from lath.arena.errors import ConfigError
from lath.arena.gamecheck import comparing, drawing, playing, rules, speed
from lath.arena.gamecheck.lab import GameLab
from lath.arena.gamecheck.points import GameFinding, GamePoint, GameStep, fault, untested
from lath.games.errors import GameFileError, count_of, error_words
from lath.games.naming import all_named
from lath.games.trial import postponed

CHAPTERS: Final[Mapping[str, Sequence[GameStep]]] = {
    "contract": (*map(rules.step_of, rules.CONTRACT), comparing.ELSEWHERE, rules.VARIANTS),
    "texts": (
        *map(rules.step_of, ("move-texts", "position-texts")),
        rules.REASONS,
        rules.step_of("ending-words"),
        rules.CARD,
        rules.step_of("lessons"),
    ),
    "symmetries": (rules.step_of("declared"), comparing.UNDECLARED),
    "drawing": (
        *map(rules.step_of, ("pieces", "contents")),
        drawing.DISTINCT,
        drawing.VISIBLE,
        drawing.OWNERS,
        drawing.DRAWN,
    ),
    "speed": (speed.POSITIONS, speed.NODES),
    "balance": (playing.ENDS, playing.SHARE),
    "bots": (playing.TOURNAMENT,),
}
"""The steps of each part of a check, in order."""

IDS: Final = tuple(step.id for steps in CHAPTERS.values() for step in steps)
"""Ids of all points, in the order of a check."""

_BLOCKING: Final[dict[str, frozenset[str]]] = {
    "nothing": frozenset(),
    "rules": frozenset((*rules.CONTRACT, "position-texts", "contents", "pieces")) - {"fast-board"},
}
_BLOCKING["board"] = _BLOCKING["rules"] | {"fast-board"}
"""For what a step needs: the points whose faults it could only repeat."""


def loaded(named: str) -> tuple[str, GamePoint | None]:
    """Return the id of the game that a user names, without a trial of its rules.

    If its file does not define a game, the id is empty, and the point says why. Raises GameError
    for an unknown game or a missing file, and ConfigError for a file with several games.
    """
    try:
        with postponed():
            several = all_named(named)
            if len(several) == 1:
                return several[0], None
    except GameFileError as error:
        if not os.path.isfile(named.partition(":")[0]):  # noqa: PTH113 - the text is a name
            raise
        (finding,) = rules.unloaded(str(error))
        step = CHAPTERS["contract"][0]
        return "", _point(step, "contract", finding)
    raise ConfigError(
        f"{named} defines {len(several)} games: {', '.join(several)}; the check takes one",
        hint=f"arena games check {shlex.quote(f'{named}:{several[0]}')}",
    )


def refuse_unknown(only: Collection[str]) -> None:
    """Raise ConfigError for an id that is not a check."""
    for id_ in only:
        if id_ not in IDS:
            alike = get_close_matches(id_, IDS, n=1)
            hint = f"did you mean {alike[0]}?" if alike else f"choose from {', '.join(IDS)}"
            raise ConfigError(f"--only: {id_!r} is not a check", hint=hint)


def check(
    lab: GameLab, only: Collection[str] = (), begin: Callable[[str], None] = lambda _: None
) -> Iterator[GamePoint]:
    """Yield the points of a game, each as soon as possible.

    `only` has the ids of the points to test; empty for all. `begin` is called with the id of each
    point before its test. Raises ConfigError for an unknown id.
    """
    refuse_unknown(only)
    for chapter, steps in CHAPTERS.items():
        for step in steps:
            if not only or step.id in only:
                begin(step.id)
                for finding in _found(lab, step):
                    yield _point(step, chapter, finding)


def _found(lab: GameLab, step: GameStep) -> Iterator[GameFinding]:
    """Yield the findings of a step; an exception of the rules is one, too."""
    if stopped := lab.stopped & _BLOCKING[step.needs] - {step.id}:
        first = min(stopped, key=IDS.index)
        yield untested(f"the rules have a fault: see {first}")
        return
    try:
        for finding in step.run(lab):
            if finding.verdict is Verdict.FAULT:
                lab.stopped.add(step.id)
                lab.raised.add(finding.where)
            yield finding
    except Exception as error:
        where = lab.where(error)
        if where in lab.raised:  # an empty place, too, after any fault
            yield untested(f"possible after the other faults are fixed: {error_words(error)}")
        elif where:
            lab.stopped.add(step.id)
            lab.raised.add(where)
            yield fault(error_words(error), "correct this line", where=where)
        else:
            raise


def _point(step: GameStep, chapter: str, finding: GameFinding) -> GamePoint:
    return GamePoint(
        id=step.id,
        chapter=chapter,
        asks=step.asks,
        verdict=finding.verdict,
        seen=finding.seen,
        mend=finding.mend,
        where=finding.where,
        way=finding.way,
    )


def verdict_words(points: Sequence[GamePoint]) -> str:
    """Return the verdict on a game in words."""
    faults = sum(point.verdict is Verdict.FAULT for point in points)
    warnings = sum(point.verdict is Verdict.WARNING for point in points)
    if faults:
        return f"{count_of(faults, 'fault')}: not fit for tournaments"
    if warnings:
        return f"fit for tournaments, with {count_of(warnings, 'warning')}"
    return "fit for tournaments"
