"""What has happened in a run so far, counted: standings, rates, what runs, what went wrong.

Takes the same memory however many games there are. Must not know how it is shown: that is the
affair of listeners.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from lath.arena.schedule.core import Standing
from lath.arena.tournament.blame import Blame
from lath.arena.tournament.config import Config
from lath.arena.tournament.jobs import PairJob, PairResult
from lath.arena.tournament.scores import Score
from lath.arena.tournament.store import Tally
from lath.arena.tournament.totals import FORFEITS, PairTally

RECENT_S: Final = 60.0
"""How long the recent rate looks back."""

WARNINGS_KEPT: Final = 20
"""Different texts; of those before them, how many there were is all that is known."""

POINTS: Final[Mapping[str, tuple[float, float]]] = {
    "1-0": (1.0, 0.0),
    "0-1": (0.0, 1.0),
    "1/2-1/2": (0.5, 0.5),
}


@dataclass(slots=True)
class Line:
    """One bot in the standings."""

    name: str
    score: Score = field(default_factory=Score)
    forfeits: dict[str, int] = field(default_factory=lambda: dict.fromkeys(FORFEITS, 0))
    """Games lost, by the ending that was its own fault."""


@dataclass(frozen=True, slots=True)
class Running:
    """A pair that a slot plays now."""

    job: PairJob
    since_s: float


class Rate:
    """Games a second, over the whole run and of late."""

    def __init__(self, now_s: float) -> None:
        self.games = 0
        self._began_s = now_s
        self._marks: Final = deque([(now_s, 0)])
        """A moment in each second that games ended in, and how many had ended by then."""

    def add(self, games: int, now_s: float) -> None:
        """Count games that have ended now."""
        self.games += games
        if now_s - self._marks[-1][0] >= 1.0:
            self._marks.append((now_s, self.games))
        while len(self._marks) > 1 and now_s - self._marks[1][0] >= RECENT_S:
            self._marks.popleft()

    def overall(self, now_s: float) -> float:
        """Return games a second since the run began."""
        return self.games / max(now_s - self._began_s, 1e-3)

    def recent(self, now_s: float) -> float:
        """Return games a second in the last minute; of the whole run where that had none."""
        old = (mark for mark in reversed(self._marks) if now_s - mark[0] >= RECENT_S)
        at_s, before = next(old, self._marks[0])
        return (self.games - before) / max(now_s - at_s, 1e-3) or self.overall(now_s)


class Listener(Protocol):
    """Who shows what happens; told when it is counted, so that the numbers are there to read."""

    def started(self) -> None:
        """Be told that what is stored is counted."""

    def began(self, job: PairJob, slot: int) -> None:
        """Be told which pair a slot plays now; slots are counted from 0."""

    def finished(self, result: PairResult) -> None:
        """Be told of games that are stored now."""

    def warned(self, text: str) -> None:
        """Be told of something that people should know."""

    def stopped(self, pairing: Collection[str], why: str, words: str) -> None:
        """Be told of two bots that play no more in this run; `words` are for people."""

    def waited(self) -> None:
        """Be called now and then."""


class Progress:
    """Observes a run, keeps count and tells its listeners."""

    def __init__(self, config: Config, clock: Callable[[], float] = time.monotonic) -> None:
        self.config: Final = config
        self.clock: Final = clock
        self.listeners: Final[list[Listener]] = []
        self.played = 0
        """Games stored."""
        self.total = 0
        self.began_s = clock()
        self.rate = Rate(self.began_s)
        self.lines: Final = {name: Line(name) for name in config.names}
        self.running: Final[dict[int, Running]] = {}
        """By slot."""
        self.warnings: Final[dict[str, int]] = {}
        """The last different ones and how often each came, the newest last."""
        self.warned_times = 0
        self.standing: Callable[[], Standing] = Standing
        self._blame: Final = Blame(config.names)

    @property
    def done(self) -> int:
        """Return how many of `total` games are stored."""
        return min(self.played, self.total)

    @property
    def beyond(self) -> int:
        """Return how many games are stored that do not count, such as after an SPRT's verdict."""
        return self.played - self.done

    def started(self, stored: Sequence[Tally], pairs: Sequence[PairTally], total: int) -> None:
        """Begin with what is stored."""
        self.total = total
        self.began_s = self.clock()
        self.rate = Rate(self.began_s)
        for tally in stored:
            self._count(tally)
        for pair in pairs:
            self._count_pair((pair.one, pair.other), pair.points, pair.games, pair.pairs)
        for listener in self.listeners:
            listener.started()

    def began(self, job: PairJob, slot: int) -> None:
        """Note what runs."""
        self.running[slot] = Running(job, self.clock())
        for listener in self.listeners:
            listener.began(job, slot)

    def finished(self, result: PairResult) -> None:
        """Count games and their pair."""
        for slot in [s for s, running in self.running.items() if running.job.pair == result.pair]:
            del self.running[slot]
        for game in result.games:
            self._count(Tally(game.first, game.second, game.result, game.termination, 1))
        if result.games:
            self.rate.add(len(result.games), self.clock())
            one, other = result.games[0].first, result.games[0].second
            points = sum(POINTS[game.result][game.first != one] for game in result.games)
            self._count_pair((one, other), points, len(result.games), 1)
        for listener in self.listeners:
            listener.finished(result)

    def warned(self, text: str) -> None:
        """Keep the last warnings."""
        self._blame.told(text)
        self._warn(text)
        for listener in self.listeners:
            listener.warned(text)

    def stopped(self, pairing: Collection[str], why: str) -> None:
        """Keep it as a warning."""
        words = self._blame.stop_words(pairing, why)
        self._warn(words)
        for listener in self.listeners:
            listener.stopped(pairing, why, words)

    def waited(self, total: int, standing: Callable[[], Standing]) -> None:
        """Take what the schedule says now."""
        self.total, self.standing = total, standing
        for listener in self.listeners:
            listener.waited()

    def _warn(self, text: str) -> None:
        self.warned_times += 1
        self.warnings[text] = self.warnings.pop(text, 0) + 1
        if len(self.warnings) > WARNINGS_KEPT:
            del self.warnings[next(iter(self.warnings))]

    def _count(self, tally: Tally) -> None:
        self.played += tally.games
        names = tally.first, tally.second
        points = POINTS[tally.result]
        for name, scored in zip(names, points, strict=True):
            self._line(name).score.add_games(scored, tally.games)
        if tally.termination in FORFEITS and points[0] != points[1]:
            self._line(names[points[1] < points[0]]).forfeits[tally.termination] += tally.games

    def _count_pair(self, names: tuple[str, str], points: float, games: int, pairs: int) -> None:
        one, other = names
        self._line(one).score.add_pairs(points, games, pairs)
        self._line(other).score.add_pairs(games - points, games, pairs)

    def _line(self, name: str) -> Line:
        """Return a bot's line; bots of games stored before the configuration was changed count."""
        return self.lines.setdefault(name, Line(name))

    def ranked(self) -> list[Line]:
        """Return the bots, those with the best score first; those without games last."""

        def key(line: Line) -> tuple[float, float]:
            rate = line.score.rate
            return (1.0 if rate is None else -rate, -line.score.points)

        return sorted(self.lines.values(), key=key)

    def left_s(self) -> float | None:
        """Return how long the rest will take at the recent rate; None before any game."""
        rate = self.rate.recent(self.clock())
        return (self.total - self.done) / rate if rate else None
