"""Progress of a run, counted from its events, and the summary of its end.

`Progress` is a listener that counts, and passes all events on to listeners that show them. Its
memory does not grow with the number of games.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lath.arena.errors import SAID, Cause
from lath.arena.machine import signals
from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.run.benches import mend_words
from lath.arena.tournament.run.events import (
    STATUS_S,
    BotBenched,
    BotStanding,
    ClusterSeen,
    Event,
    GameEnded,
    Listener,
    PairBegan,
    PairEnded,
    PairingStopped,
    RunBegan,
    RunEnded,
    Status,
    Stop,
    Waiting,
    Warned,
    two,
)
from lath.arena.tournament.store.totals import BotTotals, EndingTally
from lath.games.core import Result
from lath.notation.record.tags import FORFEITS
from lath.reports.counting import ranking
from lath.reports.counting.ranking import Ranking
from lath.reports.notes.notes import Bench
from lath.reports.notes.outcome import EventOutcome
from lath.reports.ratings.numerics import Z95

if TYPE_CHECKING:
    from lath.reports.counting.table import Standings
    from lath.reports.event.seasons import SeasonView


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """The summary of a run."""

    done: int
    """Games that are stored."""

    total: int
    stopped: dict[frozenset[str], Cause]
    """Stopped pairings, with the causes."""

    interrupted: bool
    is_spent: bool = False
    """True if more is to play than the run's budget allowed."""

    outcome: EventOutcome = EventOutcome(format="")  # noqa: RUF009 - a plain value
    """The outcome by the rules of the format."""

    bots: tuple[BotTotals, ...] = ()
    """Totals of each bot over all stored games, by name; empty until the run is over."""

    notes: Mapping[str, int] = field(default_factory=dict)
    """Remarks of workers in this run, with the number of pairs."""

    standings: Standings | None = None
    """Standings of all stored games; None until they are published."""

    benched: Mapping[str, Bench] = field(default_factory=dict)
    """Benched bots by name."""

    newly_benched: frozenset[str] = frozenset()
    """Bots that this run benched."""
    season: SeasonView | None = None
    """The view of the season in the standings, if a league has any."""

    unreported: Exception | None = None
    """The bug, in the arena or a game type, that prevented the report; None without one."""

    @property
    def is_complete(self) -> bool:
        """Return whether all games of the tournament are played."""
        return self.done == self.total

    @property
    def is_done(self) -> bool:
        """Return whether nothing is left to play for now, except games of benched bots.

        Games of a stopped pairing are left to play, and so is the rest of an interrupted run.
        """
        return not (self.interrupted or self.stopped) and (
            self.is_complete or self.is_spent or bool(self.benched)
        )

    @property
    def is_fine(self) -> bool:
        """Return whether the run is done without a newly benched bot: status 0."""
        return self.is_done and not self.newly_benched

    def unable(self, names: Iterable[str]) -> Iterator[str]:
        """Yield a warning for each of these bots that lost all its games without a single move.

        Such losses say nothing about the strength of any bot.
        """
        for bot in self.bots:
            lost = sum(bot.lost_by.values())
            if bot.name in names and lost and lost == bot.games and not bot.moves:
                yield (
                    f"{bot.name} has made no move in {lost} {'game' if lost == 1 else 'games'} "
                    f"({lost_words(bot)}), so nothing is known of its strength"
                )


def lost_words(bot: BotTotals) -> str:
    """Return the failures by which a bot lost games, with counts; empty without any.

    >>> lost_words(BotTotals(name="a", games=9, moves=9, average_s=1.0, worst_s=1.0,
    ...                      lost_by={"time": 2, "crash": 1}))
    '2 lost by time, 1 lost by crash'
    """
    return ", ".join(f"{count} lost by {ending}" for ending, count in bot.lost_by.items() if count)


def mishaps_words(bots: Iterable[BotTotals], names: Iterable[str]) -> str:
    """Return an addition to a verdict on bots that lost over a tenth of their games by failures.

    Empty if no bot did.
    """
    told = ""
    for bot in bots:
        causes = [ending for ending, count in bot.lost_by.items() if count]
        lost = sum(bot.lost_by.values())
        if bot.name in names and lost * MANY_MISHAPS > bot.games:
            why = f"by {causes[0]}" if len(causes) == 1 else f"by its own fault: {lost_words(bot)}"
            told += f". Failures: {bot.name} lost {lost} of {bot.games} games {why}"
    return told


MANY_MISHAPS: Final = 10
"""The verdict mentions failures if a bot lost more than one in this many games by them."""

IMAGINED_PAIRS: Final = 2
"""Pairs won, and as many lost, that the interval adds to the real ones.

Agresti and Coull, "Approximate Is Better than 'Exact'", The American Statistician 52 (1998), with
pairs for trials. A bot that has won everything thus has an interval too.
"""


@dataclass(slots=True)
class RunningScore:
    """The totals of one bot's games; their size does not grow with the games.

    The two games of a pair depend on each other, because they share an opening. The interval
    therefore counts pairs, not games.
    """

    name: str = ""
    games: Counter[int] = field(default_factory=Counter)
    """Number of games by half points."""

    pairs: Counter[tuple[float, int]] = field(default_factory=Counter)
    """Number of pairs by points and games."""

    forfeits: Counter[str] = field(default_factory=Counter)
    """Games lost by failures of the bot, by ending."""

    def interval(self) -> tuple[float, float, float]:
        """Return low end, middle and high end of the 95% interval of the score.

        All are in 0..1; the middle is a little nearer to 1/2 than the score. The variance is that
        of a ratio with pairs as clusters, imagined pairs included.
        """
        pairs = self.pairs + Counter({(2, 2): IMAGINED_PAIRS, (0, 2): IMAGINED_PAIRS})
        games = sum(n * each for (_, each), n in pairs.items())
        middle = sum(n * points for (points, _), n in pairs.items()) / games
        squares = sum(n * (points - middle * each) ** 2 for (points, each), n in pairs.items())
        half = Z95 * math.sqrt(squares) / games
        return max(0.0, middle - half), middle, min(1.0, middle + half)

    def standing(self) -> BotStanding:
        """Return the totals as a standing, without a rank."""
        games, points = self.games.total(), self.games[2] + self.games[1] / 2
        low, _, high = self.interval()
        return BotStanding(
            name=self.name,
            games=games,
            points=points,
            wins=self.games[2],
            draws=self.games[1],
            losses=self.games[0],
            score=round(points / games, 6) if games else None,
            low=round(low, 6) if games else None,
            high=round(high, 6) if games else None,
            lost_by={str(ending): self.forfeits[ending] for ending in FORFEITS},
        )


RECENT_S: Final = 60.0
"""Seconds that the recent rate looks back."""

WARNINGS_KEPT: Final = 20
"""The most different warnings to keep; older ones are only counted."""


class Rate:
    """Games per second, over the whole run and recently."""

    def __init__(self, now_s: float) -> None:
        self.games = 0
        self.began_s: Final = now_s
        self._marks: Final = deque([(now_s, 0)])
        """One time per second in which games ended, with the number of games by then."""

    def add(self, games: int, now_s: float) -> None:
        """Count games that have just ended."""
        self.games += games
        if now_s - self._marks[-1][0] >= 1.0:
            self._marks.append((now_s, self.games))
        while len(self._marks) > 1 and now_s - self._marks[1][0] >= RECENT_S:
            self._marks.popleft()

    def overall(self, now_s: float) -> float:
        """Return games per second since the run began."""
        return self.games / max(now_s - self.began_s, 1e-3)

    def recent(self, now_s: float) -> float:
        """Return games per second in the last minute, or in the whole run if it had none."""
        old = (mark for mark in reversed(self._marks) if now_s - mark[0] >= RECENT_S)
        at_s, before = next(old, self._marks[0])
        return (self.games - before) / max(now_s - at_s, 1e-3) or self.overall(now_s)


def end_words(stopped: Mapping[frozenset[str], Cause], causes: Mapping[str, str]) -> Iterator[str]:
    """Yield at the end, for each cause, the pairings that it stopped.

    The cause is left out if the user has seen it: `causes` has the last cause shown by bot.
    """
    by_cause: dict[Cause, list[str]] = {}
    first: dict[Cause, Cause] = {}
    for pairing, why in stopped.items():
        alike = Cause(why.event, why.bot)  # the output of a bot differs from time to time
        by_cause.setdefault(alike, []).append(" - ".join(sorted(pairing)))
        first.setdefault(alike, why)
    for cause, pairings in by_cause.items():
        words = f"{', '.join(sorted(pairings))} {'was' if len(pairings) == 1 else 'were'} stopped"
        is_known = cause.bot and causes.get(cause.bot) == cause.event
        yield f"{words} because {cause.bot} failed" if is_known else f"{words}: {first[cause]}"


def benched_words(summary: RunSummary, folder: Path) -> Iterator[str]:
    """Yield at the end the benched bots, without their output, and how to get them back."""
    # The store keeps reason and output in one sentence.
    yield from (one.words.partition(SAID)[0] for one in summary.benched.values())
    if not summary.is_complete:
        yield from mend_words(summary.benched, folder)


class Progress:
    """A listener that counts events and then passes them on to its listeners."""

    def __init__(self, config: Config, clock: Callable[[], float] = signals.awake_s) -> None:
        self.config: Final = config
        self.clock: Final = clock
        self.listeners: Final[list[Listener]] = []
        self.is_drawn = False
        """True if a listener draws the run as it changes."""
        self.played = 0
        """Number of stored games."""
        self.total = 0
        self.rate = Rate(clock())
        self._budget = UNLIMITED
        self._spent = 0
        """Number of games stored in this run."""
        self.names: Sequence[str] = config.names
        self.members: Mapping[str, str] = {}
        """In a pool, the bot of each name that is a version."""
        self.scores = {name: RunningScore(name) for name in config.names}
        self._met: Final[Counter[tuple[str, str]]] = Counter()
        """Number of games of each two members."""
        self.running: dict[int, PairBegan] = {}
        """The pairs in play by slot, from 1."""
        self._slots: Final[dict[int, int]] = {}
        """Slots by pair, for pairs in play."""
        self.warnings: Final[dict[str, int]] = {}
        """The last different warnings with counts, the newest last."""
        self.warned_times = 0
        self.benched: Final[dict[str, str]] = {}
        """Bots benched in this run, with reasons."""
        self.outcome: Callable[[], EventOutcome] = partial(EventOutcome, format=config.format)
        """The outcome by the rules of the format."""
        self.cluster: ClusterSeen | None = None
        """The last state of a cluster; None without one."""
        self._listens_s: Final = clock()
        self._next_status_s = self._listens_s + STATUS_S
        self._games: Final[dict[int, list[GameEnded]]] = {}
        """Games by pair, until the pair has ended."""
        self.causes: Final[dict[str, str]] = {}
        """The last failure of each bot that was shown to the user."""

    @property
    def done(self) -> int:
        """Return how many of the `total` games are stored."""
        return min(self.played, self.total)

    @property
    def beyond(self) -> int:
        """Return the number of stored games that do not count, such as after an SPRT's verdict."""
        return self.played - self.done

    @property
    def now_s(self) -> float:
        """Return the seconds since the start, as in the stamps of events."""
        return self.clock() - self._listens_s

    def __call__(self, event: Event | Waiting) -> None:
        """Stamp an event, count it and pass it on; a status follows if it is due."""
        if not isinstance(event, Waiting):
            event = replace(event, time_s=round(self.now_s, 3))
        self._count(event)
        for listener in self.listeners:
            listener(event)
        if isinstance(event, Waiting) and self.clock() >= self._next_status_s:
            self._next_status_s = self.clock() + STATUS_S
            self(self.status())

    def _count(self, event: Event | Waiting) -> None:
        match event:
            case RunBegan():
                self._begin(event)
            case PairBegan():
                self._leave(event.pair)
                self.running[event.slot] = event
                self._slots[event.pair] = event.slot
            case GameEnded():
                self._spent += 1
                self._games.setdefault(event.pair, []).append(event)
                self._count_games(event, 1)
            case PairEnded():
                self._end_pair(event.pair)
            case Warned():
                self._warn(event.text, event.bot, event.what)
            case PairingStopped():
                self._warn_of_stop(event)
            case BotBenched():
                self.benched[event.bot] = event.why
                self._warn(event.words, event.bot, event.why)
            case ClusterSeen():
                self.cluster = event
            case Waiting():
                self.total, self.outcome = event.total, event.outcome

    def _begin(self, event: RunBegan) -> None:
        self.names = event.bots  # in a pool, the names of versions
        self.members = event.members
        self.scores = {}
        for name in event.bots:
            self._score(name)
        self.total = event.total
        self.rate = Rate(self.clock())
        self._budget = Budget(games=event.budget_games, seconds=event.budget_s)
        for tally in event.stored:
            self._count_games(tally, tally.games)
        for pair in event.stored_pairs:
            self._count_pair((pair.one, pair.other), pair.points, pair.games, pair.pairs)

    def _count_games(self, alike: GameEnded | EndingTally, games: int) -> None:
        self.played += games
        self._met[self._member(alike.first), self._member(alike.second)] += games
        for name, points in zip(
            (alike.first, alike.second), Result(alike.result).points, strict=True
        ):
            self._score(name).games[int(2 * points)] += games
            if points == 0 and alike.termination in FORFEITS:
                self._score(name).forfeits[alike.termination] += games

    def _leave(self, pair: int) -> None:
        """Note that a pair left its slot, because it ended or restarts elsewhere."""
        slot = self._slots.pop(pair, 0)
        if slot in self.running and self.running[slot].pair == pair:
            del self.running[slot]

    def _end_pair(self, pair: int) -> None:
        self._leave(pair)
        if games := self._games.pop(pair, []):
            self.rate.add(len(games), self.clock())
            one, other = games[0].first, games[0].second
            points = sum(Result(game.result).points[game.first != one] for game in games)
            self._count_pair((one, other), points, len(games), 1)

    def _count_pair(self, names: tuple[str, str], points: float, games: int, pairs: int) -> None:
        one, other = names
        self._score(one).pairs[points, games] += pairs
        self._score(other).pairs[games - points, games] += pairs

    def _score(self, name: str) -> RunningScore:
        """Return a bot's score, also of bots that have left the configuration."""
        name = self._member(name)
        return self.scores.setdefault(name, RunningScore(name))

    def _member(self, name: str) -> str:
        return self.members.get(name, name)

    def _warn(self, text: str, culprit: str, cause: str) -> None:
        if culprit:
            self.causes[culprit] = cause
        self.warned_times += 1
        self.warnings[text] = self.warnings.pop(text, 0) + 1
        if len(self.warnings) > WARNINGS_KEPT:
            del self.warnings[next(iter(self.warnings))]

    def _warn_of_stop(self, event: PairingStopped) -> None:
        """Warn of a stopped pairing, with the cause if it is new."""
        is_known = event.bot and self.causes.get(event.bot) == event.what
        why = f", because of {event.bot}" if is_known else f", {event.why}"
        self._warn(f"{' - '.join(event.bots)}: not played in this run{why}", event.bot, event.what)

    def ranking(self) -> Ranking:
        """Return the ranking of bots that have played, and its rule."""
        scores = {name: score.standing() for name, score in self.scores.items()}
        played = {
            name: ranking.RankedScore(s.points, s.games) for name, s in scores.items() if s.games
        }
        rule: ranking.Rule | None = "season" if self.config.season else None
        return ranking.ranking(played, self._met, self.outcome(), rule=rule)

    def ranked(self, found: Ranking | None = None) -> tuple[BotStanding, ...]:
        """Return the bots by rank, those without games last."""
        found = found or self.ranking()
        places, is_apart = found.places, found.rule in ranking.BY_GAMES
        rows = [
            replace(
                self.scores[one.name].standing(),
                rank=one.rank,
                group=1 + one.section if is_apart else 1,
            )
            for one in places
        ]
        placed = {one.name for one in places}
        rest = [name for name in self.scores if name not in placed]
        last = 1 + max((one.rank for one in places), default=0)
        return *rows, *(replace(self.scores[name].standing(), rank=last) for name in rest)

    @property
    def is_endless(self) -> bool:
        """Return whether games never run out: a pool with a budget ends only with that."""
        return self.config.format == "pool" and self._budget != UNLIMITED

    @property
    def has_total(self) -> bool:
        """Return True if the run plays `total` games, and a test or budget does not end it."""
        return not self.is_endless and (self.config.sprt is None or self._budget == UNLIMITED)

    @property
    def games_left(self) -> int | None:
        """Return how many games the run's budget still allows; None for no limit."""
        games = self._budget.games
        return None if games is None else max(0, games - self._spent)

    @property
    def budget_left_s(self) -> float | None:
        """Return the seconds left in the run's budget; None for no limit."""
        seconds, used_s = self._budget.seconds, self.clock() - self.rate.began_s
        return None if seconds is None else max(0.0, seconds - used_s)

    @property
    def share(self) -> float:
        """Return the share of this run that is done, from 0 to 1: of its budget or of all games."""
        used_s = self.clock() - self.rate.began_s
        budget = (self._spent, self._budget.games), (used_s, self._budget.seconds)
        shares = [used / most for used, most in budget if most is not None]
        is_over = not shares or self.done == self.total
        return min(1.0, self.done / max(self.total, 1) if is_over else max(shares))

    def left_s(self) -> float | None:
        """Return the seconds left for this run at the recent rate; None if unknown."""
        games = (None if self.is_endless else self.total - self.done), self.games_left
        left = [number for number in games if number is not None]
        rate = self.rate.recent(self.clock())
        ends = (min(left) / rate if rate and left else None), self.budget_left_s
        return min((end_s for end_s in ends if end_s is not None), default=None)

    def status(self) -> Status:
        """Return the state of the run."""
        left_s = self.left_s()
        return Status(
            done=self.done,
            total=self.total,
            running=tuple(running.pair for _, running in sorted(self.running.items())),
            rate=round(self.rate.recent(self.clock()), 3),
            left_s=None if left_s is None else round(left_s, 1),
            warnings=self.warned_times,
            format=self.outcome().data,
            standings=self.ranked(),
        )

    def ended(self, summary: RunSummary, status: int, files: Mapping[str, str]) -> RunEnded:
        """Return the event for the end of the run, with exit status and files."""
        return RunEnded(
            complete=summary.is_complete,
            interrupted=summary.interrupted,
            spent=summary.is_spent,
            status=status,
            done=summary.done,
            total=summary.total,
            stopped=tuple(
                Stop(bots=two(pairing), why=str(why)) for pairing, why in summary.stopped.items()
            ),
            benched={name: one.why for name, one in summary.benched.items()},
            notes=dict(summary.notes),
            format=summary.outcome.data,
            standings=self.ranked(),
            bots=summary.bots,
            files=dict(files),
        )
