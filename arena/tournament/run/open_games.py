"""Games that are left to play: the schedule without stored games, as jobs."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, Literal

from lath.arena.errors import Cause
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.record import GameResult
from lath.arena.schedule.budget import UNLIMITED, Budget, WhereGamesTell
from lath.arena.schedule.core import Dealer, Openings, PlayedGame, Schedule, Tags, pair_of
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import Book, BookChoice
from lath.arena.schedule.pool import PoolSchedule
from lath.arena.schedule.random_openings import RandomChoice, RandomOpenings
from lath.arena.schedule.tuning.spsa import Values
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.outcome.outcomes import outcome_of
from lath.arena.tournament.outcome.strengths import placed_among, strengths_of
from lath.arena.tournament.run.benches import Benches, Crashes
from lath.arena.tournament.run.live import LIVE
from lath.arena.tournament.store.database import SPENT, Walkover
from lath.arena.tournament.store.jobs import PairJob
from lath.arena.tournament.store.rows import moves_of
from lath.arena.tournament.store.store import Store
from lath.games.core import SIDES
from lath.notation.record.tags import Termination
from lath.reports.notes.outcome import EventOutcome

_NONE: Final[Mapping[str, str]] = {}


def book_of(config: Config, tell: Callable[[str], None]) -> Openings | None:
    """Return the openings of a tournament, read and checked, or None without.

    `tell` gets a message if there are fewer than needed. Raises ConfigError.
    """
    match config.openings:
        case BookChoice() as choice:
            return Book(choice, config.games, config.seed)
        case RandomChoice() as choice:
            return RandomOpenings(choice, config.games, config.seed, tell)
    return None


def schedule_of(
    config: Config,
    openings: Openings | None = None,
    tags: Tags = (),
    budget: Budget = UNLIMITED,
) -> Schedule:
    """Return the schedule of a tournament before its first game.

    A pool with a budget plays the most informative games. Other formats play their normal games and
    stop at the budget.
    """
    make = FORMATS[config.format].make
    if budget != UNLIMITED and make is PoolSchedule:
        known = [name for name in config.names if name in config.anchors]
        if len(known) == len(config.names) - 1:
            estimator = partial(placed_among, {name: config.anchors[name] for name in known})
            make = partial(PoolSchedule, rule=WhereGamesTell(config.names, estimator, known))
        else:
            make = partial(PoolSchedule, rule=WhereGamesTell(config.names, strengths_of))
    return make(config.names, Dealer(config, openings, tags))


def _set_to(bot: BotSpec, values: Values) -> BotSpec:
    """Return a bot with the options that a pair sets."""
    return replace(bot, options={**bot.options, **dict(values)}) if values else bot


class OpenGames:
    """The games that are left to play, and the choice of the next job."""

    def __init__(
        self,
        config: Config,
        store: Store,
        *,
        tree: str,
        openings: Openings | None = None,
        tags: Tags = (),
        budget: Budget = UNLIMITED,
        digests: Mapping[str, str] = _NONE,
    ) -> None:
        """Read what is stored; raises StoreError. `tree` marks the processes of the jobs.

        Only the games of `budget` count here. `digests` identify the bots by name.
        """
        self._config: Final = config
        self._folder: Final = store.folder
        self._digests: Final = digests
        self.benches: Final = Benches(store)
        """Bots that are benched, and why."""
        self._crashes: Final = Crashes(config.bench_after)
        self._budget: Final = budget
        self._reported = 0
        """Number of games of this run that are stored."""
        self._begun: Final[Counter[int]] = Counter()
        """By pair, the number of games in play or waiting to be played again."""
        self._tree: Final = tree
        self._live: Final = str(store.folder / LIVE)
        self._specs: Final = {bot.name: bot for bot in config.bots}
        self.again: Final[deque[PairJob]] = deque()
        """Jobs taken back without a result; they come before new ones."""
        self.stops: dict[frozenset[str], tuple[Cause, str | None]] = {}
        """Stopped pairings, each with the cause and the bot at fault, if any."""
        self.lost: Final[list[Walkover]] = []
        """Walkovers that do not count yet, because they are not stored."""
        self.spent: Final[set[str]] = set(store.note(SPENT) or ())
        """Bots for which a game was void although they can be started."""
        self._started: Final[set[str]] = set()
        """Bots that have played a game to its end."""
        self.schedule: Final = schedule_of(
            replace(config, absent=self.benches.absences()), openings, tags, budget
        )
        self.schedule.take_in(self._taking_part(store.results()))
        for name in config.names if config.bench_after else ():
            after = self.benches.counted_from(name)
            for number, is_crash in store.last_games(name, config.bench_after, after):
                self._crashes.add(name, number, is_crash=is_crash)
        if self.schedule.keeps_walkovers:
            for pair, loser in store.walkovers():
                self.schedule.walkover(pair, loser)

    def outcome(self) -> EventOutcome:
        """Return the outcome by the rules of the format."""
        done, total = self.schedule.extent
        return outcome_of(
            self.schedule.standing(),
            self._config.format,
            event=self._config.event,
            done=done,
            total=total,
        )

    @property
    def is_spent(self) -> bool:
        """Return whether no further game may begin."""
        games = self._budget.games
        return games is not None and self._reported + self._begun.total() >= games

    def next(self) -> PairJob | None:
        """Return the next job; None while it waits for results or for `lost`, and at the end.

        Pairs of a stopped pairing are lost without being played.
        """
        while True:
            if self.again:
                job = self.again.popleft()
            elif not self.is_spent and (pair := self.schedule.next()) is not None:
                one, other = pair.names
                if out := self._out(pair.names):
                    self.lose_pair(pair.number, out)
                    continue
                job = PairJob(
                    pair=pair.number,
                    games=pair.left(self.schedule.finished),
                    bots=(
                        _set_to(self._specs[one], pair.options[0]),
                        _set_to(self._specs[other], pair.options[1]),
                    ),
                    limits=self._config.limits,
                    tree=self._tree,
                    adjudication=self._config.adjudication,
                    keeps_logs=self._config.log == "all",
                    spent=frozenset(pair.names) & self.spent,
                    started=frozenset(pair.names) & self._started,
                    live=self._live,
                )
                self._begun[job.pair] += len(job.games)
            else:
                return None
            if out := self._out(bot.name for bot in job.bots):
                self.lose_pair(job.pair, out)
            elif job.pairing in self.stops:
                self.lose_pair(job.pair, self.stops[job.pairing][1])
            else:
                return job

    def _out(self, names: Iterable[str]) -> str:
        """Return the benched one of two bots, the lower seed of both; empty without any."""
        out = self.schedule.benched.intersection(names)
        return max(out, key=self._config.names.index) if out else ""

    def report(self, games: Iterable[GameResult]) -> None:
        """Count games that are now stored."""
        for game in games:
            self._started.update((game.first, game.second))
            self._count_crash(game)
            played = game.first, game.second, game.result
            moves = moves_of((*played, game.game), game.termination, game.plies, game.record)
            self.schedule.report(game.number, *played, moves)
            self._reported += 1
            pair = pair_of(game.number)
            self._begun[pair] -= 1
            if self._begun[pair] <= 0:
                del self._begun[pair]  # limits its size to the pairs that the workers have

    def _count_crash(self, game: GameResult) -> None:
        loser = game.result.loser
        for side, name in zip(SIDES, (game.first, game.second), strict=True):
            if game.number <= self.benches.counted_from(name):
                continue
            is_crash = game.termination == Termination.CRASH and side is loser
            self._crashes.add(name, game.number, is_crash=is_crash)

    def crashers(self) -> Iterator[tuple[str, str]]:
        """Yield bots that have crashed in too many games in a row, each with words for that."""
        yield from (
            (name, self._crashes.words(name, self._folder))
            for name in self._config.names
            if self._crashes.are_too_many(name) and name not in self.schedule.benched
        )

    def may_bench(self, names: Iterable[str]) -> bool:
        """Return whether games are left to play without these bots and the benched ones."""
        return self.schedule.plays_without(self.schedule.benched.union(names))

    def bench(self, name: str, why: str, kind: Literal["start", "crashes"]) -> bool:
        """Bench a bot; return whether it was not benched before. The caller stores that.

        Its remaining games are lost if the format keeps walkovers; otherwise they stay open.
        """
        stage, sha256 = self.schedule.stage(), self._digests.get(name, "")
        is_news = self.benches.bench(name, why, stage=stage, sha256=sha256, kind=kind)
        if name not in self.schedule.benched:
            self.schedule.bench(name)
        return is_news

    def unbench(self, name: str) -> None:
        """Let a bot play again, and forget its crashes."""
        self.benches.lift(name, stage=self.schedule.stage())
        self.schedule.unbench(name)
        self._crashes.forget(name)

    def _taking_part(self, played: Iterable[PlayedGame]) -> Iterator[PlayedGame]:
        """Yield games, and note that their bots can be started."""
        for game in played:
            self._started.update(game[1:3])
            yield game

    def lose(self) -> None:
        """Count the walkovers in `lost`, which are now stored."""
        for walkover in self.lost:
            self.schedule.walkover(*walkover)
        self.lost.clear()

    def stop(self, job: PairJob, why: Cause, loser: str | None) -> bool:
        """Stop a pairing for this run; return whether it was not stopped before.

        The rest of the job is lost by `loser`.
        """
        is_news = job.pairing not in self.stops
        _, loser = self.stops.setdefault(job.pairing, (why, loser))
        self.lose_pair(job.pair, loser)
        return is_news

    def lose_pair(self, pair: int, loser: str | None) -> None:
        """Count the rest of a pair as lost: at once, or once stored if the format keeps walkovers.

        A loss that is kept needs a bot at fault. Without one the pair stays open, with all that
        depends on it, and the next run tries again.
        """
        self._begun.pop(pair, None)
        if not self.schedule.keeps_walkovers:
            if loser not in self.schedule.benched:  # the pair of a benched bot stays open
                self.schedule.walkover(pair, loser)
        elif loser is not None:
            self.lost.append(Walkover(pair, loser))
