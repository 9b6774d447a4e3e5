"""What a tournament has left to play: its schedule, what is stored of it, what was stopped.

Must not know workers or the screen.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from lath.arena.schedule.core import Openings, Pair, Schedule, Standing, Terms
from lath.arena.schedule.formats import make
from lath.arena.schedule.openings import Book
from lath.arena.tournament.config import Config
from lath.arena.tournament.jobs import GameResult, PairJob
from lath.arena.tournament.store import Store, Walkover

Tags = tuple[tuple[str, str], ...]


def book_of(config: Config) -> Book | None:
    """Return the openings of a tournament, read and checked; None without. Raises ConfigError."""
    return None if config.openings is None else Book(config.openings, config.games, config.seed)


def schedule_of(config: Config, openings: Openings | None = None, tags: Tags = ()) -> Schedule:
    """Return the schedule of a tournament of which nothing is played."""
    terms = Terms(
        names=config.names,
        game_ids=config.games,
        rounds=config.rounds,
        pairs=config.pairs,
        challengers=config.challengers,
        sprt=config.sprt,
        seed=config.seed,
        tags=tags,
        openings=openings,
    )
    return make(config.format, terms)


@dataclass(frozen=True, slots=True)
class _Stop:
    """Why two bots play no more in this run, and whose fault it is, if one's."""

    why: str
    loser: str | None


class Agenda:
    """Says which job comes next."""

    def __init__(
        self,
        config: Config,
        store: Store,
        *,
        tree: str,
        openings: Openings | None = None,
        tags: Tags = (),
    ) -> None:
        """Take in what is stored; raises StoreError. `tree` marks what the jobs start."""
        self._config: Final = config
        self._tree: Final = tree
        self._specs: Final = {bot.name: bot for bot in config.bots}
        self._again: deque[PairJob] = deque()
        self._stops: dict[frozenset[str], _Stop] = {}
        self._lost: list[Walkover] = []
        self._schedule: Final = schedule_of(config, openings, tags)
        for row in store.results():
            self._schedule.report(*row)
        if self._schedule.keeps_walkovers:
            for pair, loser in store.walkovers():
                self._schedule.walkover(pair, loser)

    @property
    def total(self) -> int:
        """Return how many games there will be, as far as one can tell now."""
        return self._schedule.total

    @property
    def done(self) -> int:
        """Return how many of them are stored."""
        return self._schedule.done

    @property
    def stopped(self) -> dict[frozenset[str], str]:
        """Return the pairings that were stopped, and why."""
        return {pairing: stop.why for pairing, stop in self._stops.items()}

    def standing(self) -> Standing:
        """Return how it stands by the rules of the format."""
        return self._schedule.standing()

    def next(self) -> PairJob | None:
        """Return a job to begin; None while it waits for what runs or is `lost`, and in the end."""
        while self._again:
            job = self._again.popleft()
            if not self._is_lost(job.pair, job.pairing):
                return job
        while (pair := self._schedule.next()) is not None:
            if not self._is_lost(pair.number, frozenset(pair.names)):
                return self._job(pair)
        return None

    def _job(self, pair: Pair) -> PairJob:
        one, other = pair.names
        return PairJob(
            pair=pair.number,
            games=pair.left(self._schedule.finished),
            bots=(self._specs[one], self._specs[other]),
            limits=self._config.limits,
            tree=self._tree,
            adjudication=self._config.adjudication,
            keeps_logs=self._config.log == "all",
        )

    def _is_lost(self, pair: int, pairing: frozenset[str]) -> bool:
        """Return whether the pairing was stopped; then its pair is lost without being played."""
        stop = self._stops.get(pairing)
        if stop is not None:
            self._walk_over(pair, stop.loser)
        return stop is not None

    def put_back(self, jobs: Iterable[PairJob]) -> None:
        """Take back jobs of which nothing was reported; they come before new ones."""
        self._again.extend(jobs)

    def report(self, games: Iterable[GameResult]) -> None:
        """Be told of games that are stored now."""
        for game in games:
            self._schedule.report(game.number, game.first, game.second, game.result)

    @property
    def lost(self) -> Sequence[Walkover]:
        """Return what is lost by walkover and does not count yet, since it is not stored."""
        return self._lost

    def lose(self) -> None:
        """Be told that all of `lost` is stored now."""
        for walkover in self._lost:
            self._schedule.walkover(*walkover)
        self._lost.clear()

    def stop(self, job: PairJob, why: str, loser: str | None) -> bool:
        """Play no more between two bots in this run; return whether this is news.

        What the job has left is lost by `loser`.
        """
        is_news = job.pairing not in self._stops
        stop = self._stops.setdefault(job.pairing, _Stop(why, loser))
        self._walk_over(job.pair, stop.loser)
        return is_news

    def _walk_over(self, pair: int, loser: str | None) -> None:
        """Let what a pair has left be lost: at once, or once that is stored where it is for good.

        What is lost for good is a bot's fault. What is nobody's stays open, and with it what
        depends on it: the next run tries again.
        """
        if not self._schedule.keeps_walkovers:
            self._schedule.walkover(pair, loser)
        elif loser is not None:
            self._lost.append(Walkover(pair, loser))
