"""What happens in a run: the events, as listeners and programs get them.

A run tells each event to one `Listener`: to `Progress`, which counts it and passes it on to others,
such as the JSON lines of `arena run --json-events`.
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
"""Of the events; it changes when a program that knows the old ones would misread the new."""

STATUS_S: Final = 10.0
"""How often `Status` is told."""


TwoBots = tuple[str, str]


def two(pairing: Collection[str]) -> TwoBots:
    """Return the bots of a pairing by name."""
    one, other = sorted(pairing)
    return one, other


@dataclass(frozen=True, slots=True, kw_only=True)
class BotStanding:
    """One bot among the others; all versions of a member of a pool together are one."""

    rank: Positive = 1
    """By the rule of `reports.ranking`; in a pool that is uneven points per game stand in for
    ratings, which are made in the end. Equals share one."""

    name: str
    games: Count
    points: Amount
    wins: Count
    draws: Count
    losses: Count
    score: Share | None
    """Points per game; null before any."""

    low: Share | None
    """The lower bound of the 95% interval of the score."""

    high: Share | None
    lost_by: LostBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Two bots that play no more in this run, and why."""

    bots: TwoBots
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event:
    type: str
    time_s: Amount = 0.0
    """Seconds since the program began to listen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBegan(_Event):
    """Once, before the first pair: what is played, and what of it is stored already."""

    type: Literal["started"] = "started"
    version: Literal[1] = VERSION
    event: str
    format: str
    games: tuple[str, ...]
    bots: tuple[str, ...]
    jobs: Positive
    done: Count
    total: Count
    stored: tuple[EndingTally, ...] = ()
    """The games that are stored, those that ended alike added up."""

    stored_pairs: tuple[PairTally, ...] = ()
    """The same games as pairs."""

    seed_sha256: str = ""
    """Of the seed, which is told when all is played: `lath-arena seed N`."""

    members: Mapping[str, str] = field(default_factory=dict)
    """Of a pool: whose version each name is that is one."""

    budget_games: Count | None = None
    """Games after which this run ends though there are more; null: no such limit."""

    budget_s: Amount | None = None
    """Seconds, likewise."""

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
    """A slot begins with a pair of games."""

    type: Literal["pair"] = "pair"
    pair: Positive
    slot: Positive
    game: str
    round: Positive
    bots: TwoBots
    numbers: tuple[Positive, ...]
    """Of the games that are played now, one after the other."""

    host: str = ""
    """The machine of a cluster that plays them; empty: this one."""

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
    """A game is stored: it will not be played again."""

    type: Literal["game"] = "game"
    pair: Positive
    number: Positive
    round: Positive
    game: str
    first: str
    second: str
    result: Literal["1-0", "0-1", "1/2-1/2"]
    termination: str
    plies: Count
    used_s: tuple[Amount, Amount]
    """Time of first and of second."""

    worst_s: tuple[Amount, Amount]
    """Their longest moves."""

    @property
    def loser(self) -> str:
        """Return who lost it; empty where it is a draw."""
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
    """A slot has ended a pair; its games were told just before."""

    type: Literal["pair_ended"] = "pair_ended"
    pair: Positive
    games: Count
    """How many are stored now; fewer than were begun where the two bots play no more."""

    voided: Count = 0
    """Games that were void and played again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned(_Event):
    """People are warned."""

    type: Literal["warning"] = "warning"
    text: str
    bot: str = ""
    """The bot that cannot play as it is, where that is the warning; else empty."""

    what: str = ""
    """What happened to this bot, without its name and what it wrote to standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairingStopped(_Event):
    """Two bots play no more in this run, since one of them cannot."""

    type: Literal["stopped"] = "stopped"
    bots: TwoBots
    why: str
    bot: str = ""
    """Which of them `why` is about; empty if it is about neither."""

    what: str = ""
    """What happened, without the bot's name and what the bot wrote to standard error."""

    @classmethod
    def of(cls, pairing: Collection[str], why: Cause) -> Self:
        """Return the event of two bots and the cause."""
        return cls(bots=two(pairing), why=str(why), bot=why.bot, what=why.event)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotBenched(_Event):
    """A bot plays no more in this run: it cannot, or it crashes game after game."""

    type: Literal["benched"] = "benched"
    bot: str
    why: str

    @property
    def words(self) -> str:
        """Return it in a sentence."""
        return f"{self.bot} is benched: {self.why}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status(_Event):
    """How it stands, every `STATUS_S`."""

    type: Literal["status"] = "status"
    done: Count
    total: Count
    running: tuple[Positive, ...]
    """Pairs."""

    rate: Amount
    """Games a second in the last minute."""

    left_s: Amount | None
    """Null before the first game."""

    warnings: Count
    format: Mapping[str, Any]
    """What the tournament's format says; empty for a round robin."""

    standings: tuple[BotStanding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostSeen:
    """One machine of a cluster."""

    name: str
    slots: Count
    """Games that it plays at a time."""

    games: Count
    """Played by it in this run."""

    rate: Amount
    """Games a second in the last minute."""

    speed: Amount
    """Of one core: a fixed piece of work, in thousands of steps a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterSeen(_Event):
    """How it stands with the machines of a cluster: when one comes or goes, and now and then."""

    type: Literal["cluster"] = "cluster"
    address: str
    """Of the scheduler."""

    connected: bool
    workers: Count
    slots: Count
    hosts: tuple[HostSeen, ...]
    queued: Count
    """Pairs that are on their way, or wait on machines."""

    lost: Count
    """Pairs that were in hand when a machine was lost; they are played again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnded(_Event):
    """In the end, when all files are written."""

    type: Literal["ended"] = "ended"
    complete: bool
    interrupted: bool
    spent: bool = False
    """Whether there is more to play than this run's budget allowed."""

    status: Count
    """Exit status."""

    done: Count
    total: Count
    stopped: tuple[Stop, ...]
    benched: Mapping[str, str]
    """Bots that are benched, and why."""

    notes: Mapping[str, Positive]
    """What was noticed, and in how many pairs."""

    format: Mapping[str, Any]
    standings: tuple[BotStanding, ...]
    bots: tuple[BotTotals, ...]
    files: Mapping[str, str]
    """Paths by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed(_Event):
    """In the place of `RunEnded`, when the run cannot go on."""

    type: Literal["failed"] = "failed"
    error: str
    status: Positive


@dataclass(frozen=True, slots=True)
class Waiting:
    """Twice a second and more while that is drawn, else now and then; no program reads it."""

    total: int
    """How many games there are by now."""

    outcome: Callable[[], EventOutcome]
    """What it has come to by the rules of the format; computed when it is asked for."""

    what: str = ""
    """What takes long now, in a sentence for whoever watches; empty while games are played."""


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
"""What programs read, too: each is a line of JSON with the fields of its class."""

Listener = Callable[[Event | Waiting], None]


def warner(listener: Listener) -> Callable[[str], None]:
    """Return what tells a listener of a text that people should know."""
    return lambda text: listener(Warned(text=text))


def json_lines(stream: TextIO) -> Listener:
    """Return a listener that writes each event at once; the stream bears a reader's going away."""

    def write(event: Event | Waiting) -> None:
        if not isinstance(event, Waiting):
            stream.write(f"{json.dumps(asdict(event))}\n")
            stream.flush()

    return write


def schema() -> Schema:
    """Return the JSON Schema of an event."""
    return schema_of(Event, "One event of a running tournament", may_grow=True)
