"""The events of a run, for listeners and programs.

A run reports each event to one `Listener`: `Progress` counts it and passes it on to others, such as
the JSON lines of `arena run --json-events`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, Self, TextIO

from lath.arena.errors import Cause
from lath.arena.referee.record import GameResult
from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.schedule.core import seed_digest
from lath.arena.tournament.configuration.config import Config
from lath.arena.tournament.store.jobs import PairJob
from lath.arena.tournament.store.totals import BotTotals, EndingTally, LostBy, PairTally
from lath.games.core import Result
from lath.reports.notes.outcome import EventOutcome
from lath.reports.schema import Amount, Count, Positive, Schema, Share, schema_of

VERSION: Final = 1
"""The version of the events; it changes if programs for the old ones would misread the new."""

STATUS_S: Final = 10.0
"""Seconds between `Status` events."""


TwoBots = tuple[str, str]


def two(pairing: Collection[str]) -> TwoBots:
    """Return the bots of a pairing by name."""
    one, other = sorted(pairing)
    return one, other


@dataclass(frozen=True, slots=True, kw_only=True)
class BotStanding:
    """The standing of one bot; all versions of a pool's bot count together."""

    rank: Positive = 1
    """Rank by the rule of `reports.ranking`; equals share one. In an uneven pool, points per game
    replace ratings, which are only made at the end."""

    group: Positive = 1
    """Number of its group of bots: no games connect two groups, so each has its own ranks."""

    name: str
    """The bot."""
    games: Count
    """Games played."""
    points: Amount
    """One per win, half per draw."""
    wins: Count
    """Games won."""
    draws: Count
    """Games drawn."""
    losses: Count
    """Games lost."""
    score: Share | None
    """Points per game; null before any game."""

    low: Share | None
    """The lower end of the 95% interval of the score, from pairs, with two won and two lost pairs
    added."""

    high: Share | None
    """The upper end of the interval."""
    lost_by: LostBy
    """Games that the bot lost by failures of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Two bots that stop playing each other in this run, and the reason."""

    bots: TwoBots
    """The two bots."""
    why: str
    """The reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    type: str
    time_s: Amount = 0.0
    """Seconds since the start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBegan(_Event):
    """Once, before the first pair."""

    type: Literal["started"] = "started"
    version: Literal[1] = VERSION
    """The version of the events; it changes if a meaning changes."""
    event: str
    """The title of the tournament."""
    format: str
    """The format, such as `swiss`."""
    games: tuple[str, ...]
    """The ids of the game types."""
    bots: tuple[str, ...]
    """The names of the bots."""
    jobs: Positive
    """Games at the same time."""
    done: Count
    """Games stored already."""
    total: Count
    """Games planned; it can change."""
    stored: tuple[EndingTally, ...] = ()
    """Stored games, counted by players, result and termination."""

    stored_pairs: tuple[PairTally, ...] = ()
    """The same games, counted by pairs."""

    seed_sha256: str = ""
    """The SHA-256 of `lath-arena seed N`; the seed is published when all games are played."""

    members: Mapping[str, str] = field(default_factory=dict)
    """In a pool, the bot of each name that is a version."""

    budget_games: Count | None = None
    """Games after which this run ends; null for no limit."""

    budget_s: Amount | None = None
    """Seconds after which this run ends; null for no limit."""

    @classmethod
    def of(
        cls,
        config: Config,
        stored: Sequence[EndingTally],
        pairs: Sequence[PairTally],
        total: int,
        budget: Budget = UNLIMITED,
        *,
        members: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the event of a configuration and what its store has."""
        return cls(
            **{name: getattr(config, name) for name in ("event", "format", "games", "jobs")},
            bots=config.names,
            done=min(sum(tally.games for tally in stored), total),
            total=total,
            stored=tuple(stored),
            stored_pairs=tuple(pairs),
            seed_sha256=seed_digest(config.seed),
            members=members or {},
            budget_games=budget.games,
            budget_s=budget.seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairBegan(_Event):
    """When a slot begins a pair of games."""

    type: Literal["pair"] = "pair"
    pair: Positive
    """Number of the pair, from 1."""
    slot: Positive
    """Number of the slot that plays it, from 1."""
    game: str
    """The id of the game type."""
    round: Positive
    """Number of the round."""
    bots: TwoBots
    """The two bots."""
    numbers: tuple[Positive, ...]
    """Numbers of the games that are played now, in order."""

    host: str = ""
    """The machine of a cluster that plays them; empty on this machine."""

    @classmethod
    def of(cls, job: PairJob, slot: int, host: str = "") -> Self:
        """Return the event of a job; slots are counted from 0 here."""
        one, other = job.bots
        return cls(
            pair=job.pair,
            slot=slot + 1,
            game=job.games[0].game,
            round=job.games[0].round,
            bots=(one.name, other.name),
            numbers=tuple(plan.number for plan in job.games),
            host=host,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded(_Event):
    """When a game is stored; it will not be played again."""

    type: Literal["game"] = "game"
    pair: Positive
    """Number of the pair."""
    number: Positive
    """Number of the game in the tournament."""
    round: Positive
    """Number of the round."""
    game: str
    """The id of the game type."""
    first: str
    """The first player."""
    second: str
    """The second player."""
    result: Literal["1-0", "0-1", "1/2-1/2"]
    """The result."""
    termination: str
    """The reason, as in the tag Termination."""
    plies: Count
    """Length of the game."""
    used_s: tuple[Amount, Amount]
    """Total time of the first and of the second player."""

    worst_s: tuple[Amount, Amount]
    """The longest move of the first and of the second player."""

    @property
    def loser(self) -> str:
        """Return the loser; empty after a draw."""
        side = Result(self.result).loser
        return "" if side is None else (self.first, self.second)[side]

    @classmethod
    def of(cls, pair: int, game: GameResult) -> Self:
        """Return the event of a game of a pair."""
        same = "number", "round", "game", "first", "second", "result", "termination", "plies"
        return cls(
            pair=pair,
            **{name: getattr(game, name) for name in same},
            used_s=(round(game.first_used_s, 6), round(game.second_used_s, 6)),
            worst_s=(round(game.first_worst_s, 6), round(game.second_worst_s, 6)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairEnded(_Event):
    """After the games of a pair."""

    type: Literal["pair_ended"] = "pair_ended"
    pair: Positive
    """Number of the pair."""
    games: Count
    """Games stored; fewer than begun if the pairing stopped."""

    voided: Count = 0
    """Void games that were played again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(_Event):
    """With each warning."""

    type: Literal["warning"] = "warning"
    text: str
    """The warning."""
    bot: str = ""
    """The bot that cannot play, if the warning is about one; otherwise empty."""

    what: str = ""
    """The failure of this bot, without its name and standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingStopped(_Event):
    """When two bots play no more in this run."""

    type: Literal["stopped"] = "stopped"
    bots: TwoBots
    """The two bots."""
    why: str
    """The reason."""
    bot: str = ""
    """The bot that `why` is about; empty if it is about neither."""

    what: str = ""
    """The cause, without the bot's name and standard error."""

    @classmethod
    def of(cls, pairing: Collection[str], why: Cause) -> Self:
        """Return the event of two bots and the cause."""
        return cls(bots=two(pairing), why=str(why), bot=why.bot, what=why.event)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotBenched(_Event):
    """When a bot is benched, or once per run if it was before."""

    type: Literal["benched"] = "benched"
    bot: str
    """The bot."""
    why: str
    """The reason."""

    @property
    def words(self) -> str:
        """Return the event as a sentence."""
        return f"{self.bot} is benched: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(_Event):
    """Every ten seconds."""

    type: Literal["status"] = "status"
    done: Count
    """Games played."""
    total: Count
    """Games planned."""
    running: tuple[Positive, ...]
    """Numbers of the pairs that are being played."""

    rate: Amount
    """Games per second in the last minute."""

    left_s: Amount | None
    """Estimated seconds to the end; null before the first game."""

    warnings: Count
    """Number of warnings so far."""
    format: Mapping[str, Any]
    """The state of the format, such as an SPRT; empty for a round robin."""

    standings: tuple[BotStanding, ...]
    """One entry per bot, by rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSeen:
    """One machine of a cluster."""

    name: str
    """Its name, as in the tag Host of records."""
    slots: Count
    """Games that it plays at a time."""

    games: Count
    """Games that it played in this run."""

    rate: Amount
    """Games per second in the last minute."""

    speed: Amount
    """Speed of one core, in thousand steps per second of a fixed piece of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSeen(_Event):
    """On a cluster, every two seconds, and when a worker comes or leaves."""

    type: Literal["cluster"] = "cluster"
    address: str
    """The address of the scheduler."""

    connected: bool
    """True if the scheduler answers."""
    workers: Count
    """Number of workers."""
    slots: Count
    """Games that all workers play at a time."""
    hosts: tuple[HostSeen, ...]
    """One entry per machine."""
    queued: Count
    """Pairs on their way to the machines, or waiting there."""

    lost: Count
    """Pairs that a lost machine had; they are played again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(_Event):
    """When all files are written."""

    type: Literal["ended"] = "ended"
    complete: bool
    """True if all games are played."""
    interrupted: bool
    """True if a signal ended the run."""
    spent: bool = False
    """True if the budget ended this run."""

    status: Count
    """The exit status."""

    done: Count
    """Games played."""
    total: Count
    """Games planned."""
    stopped: tuple[Stop, ...]
    """Pairings that were stopped."""
    benched: Mapping[str, str]
    """Benched bots, with the reason."""

    notes: Mapping[str, Positive]
    """Observations, with the number of pairs."""

    format: Mapping[str, Any]
    """The state of the format; empty for a round robin."""
    standings: tuple[BotStanding, ...]
    """One entry per bot, by rank."""
    bots: tuple[BotTotals, ...]
    """Moves and times of each bot."""
    files: Mapping[str, str]
    """Paths of the written files, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed(_Event):
    """Instead of `ended`, if the run cannot continue."""

    type: Literal["failed"] = "failed"
    error: str
    """The reason why the run cannot continue."""
    status: Positive
    """The exit status."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A sign of life between events, for people only: frequent while the run is drawn."""

    total: int
    """The number of games planned by now."""

    outcome: Callable[[], EventOutcome]
    """Computes the outcome by the rules of the format, on request."""

    what: str = ""
    """The activity that takes long now, as a sentence; empty while games are played."""


Event = (
    RunBegan
    | PairBegan
    | GameEnded
    | PairEnded
    | Warned
    | PairingStopped
    | BotBenched
    | Status
    | ClusterSeen
    | RunEnded
    | RunFailed
)
"""The events that programs read too, each a line of JSON with the fields of its class."""

Listener = Callable[[Event | Waiting], None]


def warner(listener: Listener) -> Callable[[str], None]:
    """Return a function that reports a text to a listener as a warning."""
    return lambda text: listener(Warned(text=text))


def json_lines(stream: TextIO) -> Listener:
    """Return a listener that writes each event at once, to a stream whose reader may leave."""

    def write(event: Event | Waiting) -> None:
        if not isinstance(event, Waiting):
            stream.write(f"{json.dumps(asdict(event))}\n")
            stream.flush()

    return write


def schema() -> Schema:
    """Return the JSON Schema of an event."""
    return schema_of(Event, "One event of a running tournament", may_grow=True)
