"""What happens in a run: who is told, what is counted, and the same as JSON lines.

Must not know the screen.

Pure counting: a few sums for each bot, however many games there are. The two games of a pair
belong together, since they begin alike; the interval therefore counts pairs, not games.

Must not know the screen, nor how games are played.

Takes the same memory however many games there are. Must not know how it is shown: that is the
affair of listeners.

Must not know how events come about.

Must not know people's screens.
"""

from __future__ import annotations

import json
import math
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TextIO

from lath.arena.schedule.core import Standing
from lath.arena.tournament.config import Config
from lath.arena.tournament.slots import Slot
from lath.arena.tournament.store import FORFEITS, BotTotals, PairTally, Tally
from lath.arena.tournament.worker import PairJob, PairResult

if TYPE_CHECKING:
    from lath.reports.standings import Standings


def culprit_of(names: Iterable[str], why: str) -> str:
    """Return which of some bots a cause begins with; empty if none is to blame."""
    return next((name for name in names if why.startswith(f"{name}: ")), "")


def cause_of(why: str) -> str:
    """Return the cause without what the bot said to it, which differs from time to time."""
    return why.partition("; standard error:")[0]


class Blame:
    """Remembers of each bot the cause that people were told last."""

    def __init__(self, names: Collection[str]) -> None:
        self._names: Final = names
        self._told: Final[dict[str, str]] = {}

    def told(self, text: str) -> None:
        """Be told what people were told."""
        if culprit := culprit_of(self._names, text):
            self._told[culprit] = cause_of(text)

    def stop_words(self, pairing: Collection[str], why: str) -> str:
        """Return for people that two bots play no more, with the cause where it is news.

        >>> blame = Blame(["ann", "bob", "ill"])
        >>> blame.stop_words({"ill", "ann"}, "ill: exited with status 7")
        'ann - ill play no more: ill: exited with status 7'
        >>> blame.stop_words({"bob", "ill"}, "ill: exited with status 7")
        'bob - ill play no more because of ill'
        """
        culprit = culprit_of(pairing, why)
        words = f"{' - '.join(sorted(pairing))} play no more"
        if culprit and self._told.get(culprit) == cause_of(why):
            return f"{words} because of {culprit}"
        self.told(why)
        return f"{words}: {why}"


def end_words(stopped: Mapping[frozenset[str], str], told: Collection[str]) -> Iterator[str]:
    """Yield in the end, for each cause, which pairings were stopped.

    The cause itself is left out where it stands in one of the texts `told`.
    """
    by_cause: dict[tuple[str, str], list[str]] = {}
    first: dict[tuple[str, str], str] = {}
    for pairing, why in stopped.items():
        key = (culprit_of(pairing, why), cause_of(why))
        by_cause.setdefault(key, []).append(" - ".join(sorted(pairing)))
        first.setdefault(key, why)
    for (culprit, cause), pairings in by_cause.items():
        words = f"{', '.join(sorted(pairings))} {'was' if len(pairings) == 1 else 'were'} stopped"
        is_told = culprit and any(cause in text for text in told)
        yield f"{words} because of {culprit}" if is_told else f"{words}: {first[culprit, cause]}"


Z: Final = 1.959964
"""Of a two-sided 95 % interval of the normal distribution."""

IMAGINED_PAIRS: Final = 2
"""Pairs won, and as many lost, that the interval counts besides the real ones.

Agresti and Coull, "Approximate Is Better than 'Exact'", The American Statistician 52 (1998), with
the pair in the place of the trial: so a bot that has won everything has an interval, too.
"""


class Interval(NamedTuple):
    """A share of the points and the bounds that hold it in 95 of 100 cases; all in 0..1."""

    low: float
    middle: float
    """Of the interval; a little nearer to 1/2 than the points are."""

    high: float


@dataclass(slots=True)
class Score:
    """The games of one bot, added up."""

    games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: int = 0
    _games_squared: float = 0.0
    _points_squared: float = 0.0
    _points_times_games: float = 0.0

    @property
    def rate(self) -> float | None:
        """Return points per game in 0..1; None before any game."""
        return self.points / self.games if self.games else None

    def add_games(self, points: float, games: int = 1) -> None:
        """Count games that ended alike: 1, 1/2 or 0 points each."""
        self.games += games
        self.points += points * games
        self.wins += games * (points == 1)
        self.draws += games * (points == 0.5)
        self.losses += games * (points == 0)

    def add_pairs(self, points: float, games: int, pairs: int = 1) -> None:
        """Count pairs of so many games with so many points each, for the interval."""
        self.pairs += pairs
        self._games_squared += pairs * games * games
        self._points_squared += pairs * points * points
        self._points_times_games += pairs * points * games

    def interval(self) -> Interval | None:
        """Return where the bot's true score is; None before any game.

        The variance is that of a ratio whose clusters are the pairs, imagined ones included.
        """
        if not self.games:
            return None
        more = 2 * IMAGINED_PAIRS
        games = self.games + 2 * more
        middle = (self.points + more) / games
        squares = (
            self._points_squared
            + 4 * IMAGINED_PAIRS
            - 2 * middle * (self._points_times_games + 2 * more)
            + middle * middle * (self._games_squared + 4 * more)
        )
        half = Z * math.sqrt(max(squares, 0.0)) / games
        return Interval(max(0.0, middle - half), middle, min(1.0, middle + half))


def elo(rate: float) -> float:
    """Return the Elo difference at which a bot is expected to score so much of the points.

    >>> round(elo(0.75)), elo(0.5), elo(1.0)
    (191, 0.0, inf)
    """
    if rate <= 0 or rate >= 1:
        return math.copysign(math.inf, rate - 0.5)
    return 400 * math.log10(rate / (1 - rate))


class Observer(Protocol):
    """Who is told what happens."""

    def started(self, stored: Sequence[Tally], pairs: Sequence[PairTally], total: int) -> None:
        """Be told how the games and pairs that are stored ended, and how many games there are."""

    def began(self, job: PairJob, slot: int) -> None:
        """Be told which pair a slot plays now; slots are counted from 0."""

    def finished(self, result: PairResult) -> None:
        """Be told of games that are stored now."""

    def warned(self, text: str) -> None:
        """Be told of something that people should know."""

    def stopped(self, pairing: Collection[str], why: str) -> None:
        """Be told of two bots that play no more in this run."""

    def waited(self, total: int, standing: Callable[[], Standing]) -> None:
        """Be called now and then; told how many games there are by now, and how it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How a run ended."""

    done: int
    """Games in the store now."""

    total: int
    stopped: dict[frozenset[str], str]
    """Pairings that were stopped, and why."""

    interrupted: bool
    outcome: Standing = field(default_factory=Standing)
    """How it stands by the rules of its format."""

    bots: tuple[BotTotals, ...] = ()
    """What each bot did in all games stored, by name; empty until the run is over."""

    notes: Mapping[str, int] = field(default_factory=dict)
    """What workers noticed in this run, and in how many pairs."""

    standings: Standings | None = None
    """Of all games stored, once they are published; None before."""

    unreported: Exception | None = None
    """Why there is no report of them: a bug, ours or a game's; None where there is one."""

    @property
    def is_complete(self) -> bool:
        """Return whether every game of the tournament is played."""
        return self.done == self.total


class Stage:
    """What each slot plays, as the observer knows it."""

    def __init__(self, observer: Observer) -> None:
        self._observer: Final = observer
        self._told: list[PairJob] = []
        """What was told and is not over."""

    def show(self, slots: Sequence[Slot]) -> None:
        """Tell of each slot that plays another pair than before."""
        for number, slot in enumerate(slots):
            for job in slot.begun():
                self._enter(number, job)

    def leave(self, slot: int, job: PairJob) -> None:
        """Forget a pair that is over; tell of it before where nobody had looked."""
        self._enter(slot, job)
        self.forget([job])

    def forget(self, jobs: Iterable[PairJob]) -> None:
        """Forget pairs whose worker died; they are told of again when they begin again."""
        for job in jobs:
            self._told = [told for told in self._told if told is not job]

    def _enter(self, slot: int, job: PairJob) -> None:
        if all(told is not job for told in self._told):
            self._told.append(job)
            self._observer.began(job, slot)


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


_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_FLAG: Final = {"type": "boolean"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_NUMBER: Final = {"type": "integer", "minimum": 1}
_NUMBERS: Final = {"type": "array", "items": _NUMBER}
_AMOUNT: Final = {"type": "number", "minimum": 0}
_AMOUNT_OR_NULL: Final = {"type": ["number", "null"], "minimum": 0}
_SHARE: Final = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
_TWO: Final = {"type": "array", "items": _AMOUNT, "minItems": 2, "maxItems": 2}
_TWO_BOTS: Final = {"type": "array", "items": _TEXT, "minItems": 2, "maxItems": 2}
_ANYTHING: Final = {"type": "object"}
_COUNTS: Final = {"type": "object", "additionalProperties": _NUMBER}


def _object(**properties: Any) -> dict[str, Any]:
    """Return an object that has these properties; a reader must bear others."""
    return {"type": "object", "properties": properties, "required": list(properties)}


_FORFEITS: Final = dict.fromkeys(FORFEITS, _COUNT)

_LINE: Final = _object(
    name=_TEXT,
    games=_COUNT,
    points=_AMOUNT,
    wins=_COUNT,
    draws=_COUNT,
    losses=_COUNT,
    score=_SHARE,
    low=_SHARE,
    high=_SHARE,
    lost_by=_object(**_FORFEITS),
)

_TOTALS: Final = _object(
    name=_TEXT,
    games=_COUNT,
    moves=_COUNT,
    average_s=_AMOUNT_OR_NULL,
    worst_s=_AMOUNT,
    lost_by=_object(**_FORFEITS),
)

_STOPPED: Final = {"bots": _TWO_BOTS, "why": _TEXT}

KINDS: Final[dict[str, dict[str, Any]]] = {
    "started": {
        "version": {"const": 1},
        "event": _TEXT,
        "format": _TEXT,
        "games": _TEXTS,
        "bots": _TEXTS,
        "jobs": _NUMBER,
        "done": _COUNT,
        "total": _COUNT,
    },
    "pair": {
        "pair": _NUMBER,
        "slot": _NUMBER,
        "game": _TEXT,
        "round": _NUMBER,
        "bots": _TWO_BOTS,
        "numbers": _NUMBERS,
    },
    "game": {
        "pair": _NUMBER,
        "number": _NUMBER,
        "round": _NUMBER,
        "game": _TEXT,
        "first": _TEXT,
        "second": _TEXT,
        "result": {"enum": ["1-0", "0-1", "1/2-1/2"]},
        "termination": _TEXT,
        "plies": _COUNT,
        "used_s": _TWO,
        "worst_s": _TWO,
    },
    "warning": {"text": _TEXT},
    "stopped": _STOPPED,
    "status": {
        "done": _COUNT,
        "total": _COUNT,
        "running": _NUMBERS,
        "rate": _AMOUNT,
        "left_s": _AMOUNT_OR_NULL,
        "warnings": _COUNT,
        "format": _ANYTHING,
        "standings": {"type": "array", "items": _LINE},
    },
    "ended": {
        "complete": _FLAG,
        "interrupted": _FLAG,
        "status": _COUNT,
        "done": _COUNT,
        "total": _COUNT,
        "stopped": {"type": "array", "items": _object(**_STOPPED)},
        "notes": _COUNTS,
        "format": _ANYTHING,
        "standings": {"type": "array", "items": _LINE},
        "bots": {"type": "array", "items": _TOTALS},
        "files": {"type": "object", "additionalProperties": _TEXT},
    },
    "failed": {"error": _TEXT, "status": _NUMBER},
}
"""The fields of each kind of event besides `type` and `time_s`."""

EVENTS_SCHEMA: Final[dict[str, Any]] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "One event of a running tournament",
    "type": "object",
    "properties": {"type": {"enum": list(KINDS)}},
    "required": ["type"],
    "oneOf": [
        _object(type={"const": kind}, time_s=_AMOUNT, **fields) for kind, fields in KINDS.items()
    ],
}


VERSION: Final = 1
"""Of the events; it changes when a program that knows the old ones would misread the new."""

STATUS_S: Final = 10.0
"""How often `status` is told."""


class Events:
    """Listens to a run and writes each event at once."""

    def __init__(self, progress: Progress, stream: TextIO) -> None:
        """Take a stream that bears a reader's going away."""
        self._progress: Final = progress
        self._stream: Final = stream
        self._began_s: Final = progress.clock()
        self._next_s = self._began_s + STATUS_S

    def started(self) -> None:
        """Tell what is played, and how much of it is stored."""
        config = self._progress.config
        self._tell(
            "started",
            version=VERSION,
            event=config.event,
            format=config.format,
            games=list(config.games),
            bots=list(config.names),
            jobs=config.jobs,
            done=self._progress.done,
            total=self._progress.total,
        )

    def began(self, job: PairJob, slot: int) -> None:
        """Tell which games a slot plays, one after the other."""
        self._tell(
            "pair",
            pair=job.pair,
            slot=slot + 1,
            game=job.games[0].game,
            round=job.games[0].round,
            bots=[bot.name for bot in job.bots],
            numbers=[plan.number for plan in job.games],
        )

    def finished(self, result: PairResult) -> None:
        """Tell of each game that is stored now."""
        for game in result.games:
            self._tell(
                "game",
                pair=result.pair,
                number=game.number,
                round=game.round,
                game=game.game,
                first=game.first,
                second=game.second,
                result=game.result,
                termination=str(game.termination),
                plies=game.plies,
                used_s=[round(used_s, 6) for used_s in game.used_s],
                worst_s=[round(worst_s, 6) for worst_s in game.worst_s],
            )

    def warned(self, text: str) -> None:
        """Tell what people are told."""
        self._tell("warning", text=text)

    def stopped(self, pairing: Collection[str], why: str, words: str) -> None:  # noqa: ARG002
        """Tell which two bots play no more."""
        self._tell("stopped", bots=sorted(pairing), why=why)

    def waited(self) -> None:
        """Tell how it stands every `STATUS_S`."""
        if self._progress.clock() >= self._next_s:
            self._next_s = self._progress.clock() + STATUS_S
            self._status()

    def _status(self) -> None:
        progress = self._progress
        left_s = progress.left_s()
        self._tell(
            "status",
            done=progress.done,
            total=progress.total,
            running=[running.job.pair for _, running in sorted(progress.running.items())],
            rate=round(progress.rate.recent(progress.clock()), 3),
            left_s=None if left_s is None else round(left_s, 1),
            warnings=progress.warned_times,
            format=dict(progress.standing().data),
            standings=[_line(line) for line in progress.ranked()],
        )

    def ended(self, summary: Summary, status: int, files: Mapping[str, str]) -> None:
        """Tell how the run ended, with which exit status, and where its files are."""
        self._tell(
            "ended",
            complete=summary.is_complete,
            interrupted=summary.interrupted,
            status=status,
            done=summary.done,
            total=summary.total,
            stopped=[
                {"bots": sorted(pairing), "why": why} for pairing, why in summary.stopped.items()
            ],
            notes=dict(summary.notes),
            format=dict(summary.outcome.data),
            standings=[_line(line) for line in self._progress.ranked()],
            bots=[_totals(bot) for bot in summary.bots],
            files=dict(files),
        )

    def failed(self, error: str, status: int) -> None:
        """Tell that the run could not go on, in the place of `ended`."""
        self._tell("failed", error=error, status=status)

    def _tell(self, kind: str, **values: Any) -> None:
        time_s = round(self._progress.clock() - self._began_s, 3)
        line = json.dumps({"type": kind, "time_s": time_s, **values})
        self._stream.write(f"{line}\n")
        self._stream.flush()


def _line(line: Line) -> dict[str, Any]:
    score, interval = line.score, line.score.interval()
    return {
        "name": line.name,
        "games": score.games,
        "points": score.points,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "score": None if score.rate is None else round(score.rate, 6),
        "low": None if interval is None else round(interval.low, 6),
        "high": None if interval is None else round(interval.high, 6),
        "lost_by": dict(line.forfeits),
    }


def _totals(bot: BotTotals) -> dict[str, Any]:
    average_s = bot.average_s
    return {
        "name": bot.name,
        "games": bot.games,
        "moves": bot.moves,
        "average_s": None if average_s is None else round(average_s, 6),
        "worst_s": round(bot.worst_s, 6),
        "lost_by": {
            "crash": bot.crashes,
            "time": bot.time_losses,
            "illegal move": bot.illegal_moves,
            "flood": bot.floods,
        },
    }
