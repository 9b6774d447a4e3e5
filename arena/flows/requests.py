"""What is asked for: a run, a match or a tuning, as a frozen value that is right or refused.

The options of `arena run`, `arena match` and `arena tune` are the fields of these requests, and so
are the arguments of the same functions in Python.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

from lath import games as known_games
from lath.arena.entrants.flag_text import time_of, time_table
from lath.arena.entrants.flags import bot_flag
from lath.arena.entrants.origins import placed, sandbox_of
from lath.arena.errors import ArenaError, ConfigError
from lath.arena.machine.system import PATIENCE_S
from lath.arena.referee import process_trees
from lath.arena.sandbox.limits import close_to_others
from lath.arena.schedule.budget import UNLIMITED, Budget
from lath.arena.tournament.configuration.config import budget_of, openings_table, sprt_table
from lath.arena.tournament.run.places import Elsewhere
from lath.arena.tournament.run.progress import Progress
from lath.arena.tournament.store.anchors import read_anchors
from lath.games.naming import lasting

if TYPE_CHECKING:
    from lath.arena.tournament.run.events import Event

DEFAULT_FOLDER: Final = Path("tournament")

BUDGET: Final = "2m"
"""Of a match."""

SPRT: Final = "0,40"
"""Elo: what some hundred games of a match can tell from nothing."""

Bot = str | Path | Sequence[str]
"""A folder, a git revision, a file, a command, a list of its words, or a bundled bot."""

BotRow = str | Mapping[str, Any]
"""What `--bot` says of a bot, or the table of a `[[bot]]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a run, a match and a tuning are all asked for; None and nothing say nothing.

    Raises ConfigError for a value that none of them can have.
    """

    games: Sequence[str] | None = None
    """Ids of games, or their files."""

    tc: str | None = None
    """The time for all bots, such as `10+0.1`, `move 0.5` or `nodes 1000`."""

    budget: str | int | None = None
    """After how many games, or which time such as `10m`, it ends for now."""

    sprt: str | None = None
    """Whether it is no better than the first Elo or better by the second, such as `0,10`."""

    openings: str | None = None
    """Where games begin, such as `random:4`, `book.lath` or `book.lath:6`."""

    seed: int | str | None = None
    """For all chance."""

    jobs: int | str | None = None
    """How many games are played at a time, or `auto`."""

    sandbox: str | None = None
    """The least that holds each bot: `auto`, `none`, `user` or `bwrap`."""

    cluster: str | None = None
    """Where games are played, such as `tls://10.0.0.1:8786`. Default: here."""

    hosts_alike: bool = False
    """Whether machines that are slower or faster than the first are refused."""

    out: str | Path | None = None
    """The directory in which everything is kept."""

    on_event: Callable[[Event], None] | None = field(default=None, compare=False, repr=False)
    """Hears what happens, as docs/reference/events.md has it, in this thread: games as they end."""

    def __post_init__(self) -> None:
        """Refuse what no request can have, before anything is started."""
        _ = self.allowed
        if self.tc:
            time_of(self.tc)
        if self.sprt is not None:
            sprt_table(self.sprt)
        if self.cluster is not None and self.jobs is not None:
            raise ConfigError(
                "--jobs: cannot be combined with --cluster, where each thread plays a game"
            )
        if self.hosts_alike and self.cluster is None:
            raise ConfigError("--hosts-alike: needs --cluster")

    @property
    def allowed(self) -> Budget:
        """Return what is played at most for now."""
        return UNLIMITED if self.budget is None else budget_of(str(self.budget))

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids of the games that are asked for; raises ConfigError."""
        return tuple(known_games.get(known_games.named(one)).id for one in self.games or ())

    @property
    def folder(self) -> Path | None:
        """Return the directory that is named, if one is."""
        return None if self.out is None else Path(self.out)

    def typed(self, **others: object) -> list[str]:
        """Return the options that ask on the command line for the same, but for `others`."""
        words = []
        for one in dataclasses.fields(self):
            value = others.get(one.name, getattr(self, one.name))
            if not one.kw_only or not one.compare or value in (None, "", False, one.default):
                continue
            for each in value if isinstance(value, (list, tuple)) else [value]:
                words += [flag_of(one.name), *([] if each is True else [str(each)])]
        return words

    @property
    def terms(self) -> dict[str, Any]:
        """Return how it is played, as `tournament.run.folder.run` takes it."""
        return {"budget": self.allowed}

    @contextmanager
    def elsewhere(self) -> Iterator[Elsewhere | None]:
        """Give the cluster on which games are played; None where none is asked for.

        Raises ArenaError.
        """
        if self.cluster is None:
            yield None
            return
        from lath.arena.cluster.opening import cluster_at  # start-up time

        patience_s = self.terms.get("patience_s", PATIENCE_S)
        with cluster_at(self.cluster, hosts_alike=self.hosts_alike, patience_s=patience_s) as found:
            yield found


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest(Request):
    """A tournament to be played, or to go on with: what `arena run` is asked for.

    What is None is as the configuration has it. The same request goes on where it stopped, in
    `out`.
    """

    config: str | Path | Mapping[str, Any] | None = field(default=None, kw_only=False)
    """The file or the directory of a tournament, or the table that such a file has."""

    out: str | Path | None = DEFAULT_FOLDER
    bots: Sequence[BotRow] | None = None
    rounds: int | None = None
    format: str | None = None
    """`round-robin`, `gauntlet`, `swiss`, `knockout`, `match`, `tune` or `pool`."""

    challengers: int | None = None
    pairs: int | None = None
    pin: str | None = None
    log: str | None = None
    bench_after: int | None = None
    anchors: Sequence[str] | Mapping[str, float] | None = None
    """Bots whose Elo is given."""

    season: str | None = None
    """Of a pool: the season that begins."""

    match_day: bool = False
    """Of a pool: whether no more than the next match day is played."""

    add: Sequence[BotRow] | None = None
    """Of a pool: bots that come, or other versions."""

    anyway: bool = False
    """Whether bots that come are entered though they cannot play as they are."""

    retire: Sequence[str] | None = None
    """Of a pool: bots that play no more."""

    unbench: Sequence[str] | None = None
    """Benched bots that shall play again."""

    force: bool = False
    """Whether a run goes on though a bot's files have changed."""

    report: bool = True
    disk_patience: float = PATIENCE_S
    """Seconds that a run waits for room on a full disk, workers, or what else is lacking."""

    @property
    def terms(self) -> dict[str, Any]:
        """Return how it is played, as `tournament.run.folder.run` takes it."""
        return {
            "budget": self.allowed,
            "force": self.force,
            "with_report": self.report,
            "patience_s": self.disk_patience,
            "unbench": self.unbench or (),
        }

    def keys(self) -> dict[str, Any]:
        """Return the keys of a configuration that are asked for; raises ConfigError."""
        anchors = self.anchors
        given = {
            "games": [lasting(text) for text in self.games or ()] or None,
            "seed": _number(self.seed),
            "jobs": _number(self.jobs),
            "time": None if self.tc is None else time_table(time_of(self.tc)),
            "sprt": None if self.sprt is None else sprt_table(self.sprt),
            "openings": None if self.openings is None else openings_of(self.openings),
            "bot": self.rows(self.bots, "--bot") or None,
            "sandbox": self.sandbox,
            "anchors": dict(anchors) if isinstance(anchors, Mapping) else read_anchors(anchors),
            "season": None if self.season is None else {"name": self.season},
            **{name: getattr(self, name) for name in _AS_KEYS},
        }
        return {name: value for name, value in given.items() if value is not None}

    def rows(self, bots: Sequence[BotRow] | None, flag: str) -> list[dict[str, Any]]:
        """Return the tables of bots, whose files are the current folder's; raises ConfigError."""
        return [
            bot_flag(bot, flag, self.sandbox) if isinstance(bot, str) else placed(bot)
            for bot in bots or ()
        ]


_AS_KEYS: Final = ("rounds", "format", "challengers", "pairs", "pin", "log", "bench_after")
"""What is asked for as a configuration has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRequest(Request):
    """A match, which says whether `new` is better than `old`; without `new` how good `old` is.

    What `arena match` is asked for. The same request goes on with the match, unless a bot or the
    terms are others by then.
    """

    old: Bot = field(kw_only=False)
    new: Bot | None = field(default=None, kw_only=False)
    build: str = ""
    """Builds a git revision or a folder, in a copy."""

    run: str = ""
    """Starts the bot of a folder or of a revision, taken from there."""

    sprt: str | None = SPRT
    budget: str | int | None = BUDGET
    seed: int | str | None = 1

    def __post_init__(self) -> None:
        """Refuse what no match can have."""
        Request.__post_init__(self)
        sandbox_of(self.sandbox)
        if self.new is None and self.sprt != SPRT:
            raise ConfigError("--sprt: needs OLD and NEW; one bot alone is placed by its interval")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest(Request):
    """A bot whose options are tuned: what `arena tune` is asked for.

    The same request goes on where it stopped, in `out`, and so does one that names that directory
    in the place of the bot, without options.
    """

    bot: Bot = field(kw_only=False)
    options: Mapping[str, str] | Sequence[str] | None = field(default=None, kw_only=False)
    """Ranges by name, such as `{"exploration": "5..200 from 40"}`, or `NAME=RANGE` each."""

    pairs: int | None = None
    """Pairs of games by which it is tuned."""

    sprt_pairs: int | None = None
    """Pairs of the test of what came of it, at most."""

    rate: float | None = None
    """How far a game moves an option in the end."""

    ahead: int | None = None
    """Pairs that wait for no result of each other."""

    def __post_init__(self) -> None:
        """Refuse what no tuning can have."""
        Request.__post_init__(self)
        sandbox_of(self.sandbox)

    @property
    def ranges(self) -> list[str]:
        """Return what is tuned, as `NAME=RANGE`."""
        options = self.options or ()
        if isinstance(options, Mapping):
            return [f"{name}={text}" for name, text in options.items()]
        return list(options)

    @property
    def of_new_ones(self) -> list[str]:
        """Return what is asked for that a tuning which is gone on with cannot have otherwise."""
        fixed = "options", "games", "pairs", "rate", "ahead", "tc", "sprt", "openings", "seed"
        return [name for name in fixed if getattr(self, name)]


def _number(text: int | str | None) -> int | str | None:
    """Return a number that is written as one; a word such as `auto` stays."""
    is_number = isinstance(text, str) and re.fullmatch("[0-9]{1,99}", text)
    return int(text) if is_number and text is not None else text


def openings_of(text: str) -> dict[str, Any]:
    """Return the table of a flag; a file is the current folder's, wherever the tournament is."""
    table = openings_table(text, Path.cwd())
    return table if "random" in table else {**table, "file": str(Path(table["file"]).resolve())}


def jobs_of(request: Request) -> int | str:
    """Return how many games are played at once, as a configuration has it. Default: `auto`."""
    return "auto" if request.jobs is None else _number(request.jobs) or 0


# Who asks


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Who hears of a match or a tuning, and in what it is played."""

    tell: Callable[[str], None] = lambda _: None
    """Hears what is done."""

    note: Callable[[str], None] = lambda _: None
    """Hears what might be thought, and is not so."""

    watched: Callable[[Progress], AbstractContextManager[object]] = nullcontext
    """Gives what the games are played in."""

    is_alone: bool = False
    """Whether the process does nothing else."""

    def close(self) -> None:
        """Have a process that does nothing else clear up after bots, and be closed to them."""
        if self.is_alone:
            process_trees.adopt_orphans()  # of bots; who clears up has begun before
            close_to_others()


_FLAGS: Final = {
    "games": "--game",
    "bots": "--bot",
    "options": "--option",
    "anchors": "--anchor",
    "out": "--output",
    "report": "--no-report",
}
"""How fields are called on the command line whose flags have other names."""


def flag_of(name: str) -> str:
    """Return how a field of a request is called on the command line."""
    return _FLAGS.get(name) or f"--{name.replace('_', '-')}"


def in_python(text: str) -> str:
    """Return the text of an error with the arguments' names in the place of flags.

    Commands between backticks or behind `arena` stay as they are typed.

    >>> in_python("choose another --output, or `arena run cup --output new`")
    'choose another out, or `arena run cup --output new`'
    """
    kinds = (RunRequest, MatchRequest, TuneRequest)
    names = {flag_of(one.name): one.name for kind in kinds for one in dataclasses.fields(kind)}
    names["--no-report"] = "report=False"
    parts = re.split(r"(`[^`]*`|\barena [^\n]*)", text)
    for at in range(0, len(parts), 2):
        parts[at] = re.sub(r"--[a-z-]+", lambda one: names.get(one[0], one[0]), parts[at])
    return "".join(parts)


Asked = ParamSpec("Asked")
Kind = TypeVar("Kind", bound=Request)
Came = TypeVar("Came")


def door(
    kind: Callable[Asked, Kind],
) -> Callable[[Callable[[Kind], Came]], Callable[Asked, Came]]:
    """Return what makes of a function of a request one that takes the request's fields.

    Its errors name arguments.
    """

    def opened(answer: Callable[[Kind], Came]) -> Callable[Asked, Came]:
        @wraps(answer)
        def asked(*given: Asked.args, **named: Asked.kwargs) -> Came:
            try:
                return answer(kind(*given, **named))
            except ArenaError as error:
                error.args = (in_python(error.args[0]), *error.args[1:])
                error.hint, error.more = in_python(error.hint), in_python(error.more)
                raise

        del asked.__wrapped__
        came = inspect.signature(answer).return_annotation
        fields = inspect.signature(kind).replace(return_annotation=came)
        asked.__signature__ = fields  # type: ignore[attr-defined]
        return asked

    return opened
