"""A whole check: every probe in its order, a fresh process after each that broke.

Must not know what the probes do. A bot that hangs everywhere is given up after a few times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from lath import games
from lath.arena.botcheck.handshake import HELLO, READY, games_of
from lath.arena.botcheck.lab import Lab, Terms
from lath.arena.botcheck.leaving import ENDINGS
from lath.arena.botcheck.manners import BESIDE, HEARD
from lath.arena.botcheck.playing import EACH_GAME
from lath.arena.botcheck.points import FaultFoundError, Finding, Point, Verdict, untested
from lath.arena.botcheck.probe import GameProbe, Probe
from lath.arena.botcheck.timing import TIMES
from lath.arena.referee.bot import BotSpec

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
