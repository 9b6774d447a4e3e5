"""Requests for a run, a match or a tuning: frozen values that check themselves.

Their fields are the options of `arena run`, `arena match` and `arena tune`, and the arguments of
the Python functions with the same names.
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
"""The default budget of a match."""

SPRT: Final = "0,40"
"""The default Elo bounds of a match's test, which a few hundred games can distinguish."""

Bot = str | Path | Sequence[str]
"""A folder, file, git revision, bundled bot or command, which can also be a list of words."""

BotRow = str | Mapping[str, Any]
"""The value of `--bot`, or a `[[bot]]` table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options that a run, a match and a tuning share; None and empty values keep the default.

    Raises ConfigError for a value that is never valid.
    """

    games: Sequence[str] | None = None
    """Ids of game types, or paths of game files."""

    tc: str | None = None
    """The time control of all bots, such as `10+0.1`, `move 0.5` or `nodes 1000`."""

    budget: str | int | None = None
    """The number of games or the time, such as `10m`, after which the run stops for now."""

    sprt: str | None = None
    """Elo bounds of the test, such as `0,10`: at most the first (H0), at least the second (H1)."""

    openings: str | None = None
    """The openings, such as `random:4`, `book.lath` or `book.lath:6`."""

    seed: int | str | None = None
    """The random seed."""

    jobs: int | str | None = None
    """The number of games played at the same time, or `auto`."""

    sandbox: str | None = None
    """The weakest sandbox allowed for any bot: `auto`, `none`, `user` or `bwrap`."""

    cluster: str | None = None
    """The cluster that plays the games, such as `tls://10.0.0.1:8786`. Default: this machine."""

    hosts_alike: bool = False
    """True to refuse machines that are slower or faster than the first."""

    out: str | Path | None = None
    """The directory of the results."""

    on_event: Callable[[Event], None] | None = field(default=None, compare=False, repr=False)
    """Called in this thread with each event of docs/reference/events.md, when it happens."""

    def __post_init__(self) -> None:
        """Raise ConfigError for invalid values, before anything is started."""
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
        """The budget of this run."""
        return UNLIMITED if self.budget is None else budget_of(str(self.budget))

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the requested game types; raises ConfigError."""
        return tuple(known_games.get(known_games.named(one)).id for one in self.games or ())

    @property
    def folder(self) -> Path | None:
        """The requested directory, or None."""
        return None if self.out is None else Path(self.out)

    def typed(self, **others: object) -> list[str]:
        """Return the command-line options of this request; `others` replaces fields."""
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
        """The keyword arguments for `tournament.run.folder.run`."""
        return {"budget": self.allowed}

    @contextmanager
    def elsewhere(self) -> Iterator[Elsewhere | None]:
        """Give the cluster that plays the games, or None for this machine.

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
    """A tournament to start or resume, as `arena run` takes it.

    None keeps the value of the configuration. The same request resumes a tournament in `out`.
    """

    config: str | Path | Mapping[str, Any] | None = field(default=None, kw_only=False)
    """The file, the directory or the table of the tournament's configuration."""

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
    """Bots with a fixed Elo."""

    season: str | None = None
    """The name of the season to begin, for a pool."""

    match_day: bool = False
    """True to play only the next match day of a pool's season."""

    add: Sequence[BotRow] | None = None
    """Bots or new versions of bots to add, for a pool."""

    anyway: bool = False
    """True to add bots even if they cannot play now."""

    retire: Sequence[str] | None = None
    """Bots to retire, for a pool."""

    unbench: Sequence[str] | None = None
    """Benched bots to play again."""

    force: bool = False
    """True to resume although a bot's files have changed."""

    report: bool = True
    disk_patience: float = PATIENCE_S
    """Seconds to wait for disk space, workers or another lacking resource."""

    @property
    def terms(self) -> dict[str, Any]:
        """The keyword arguments for `tournament.run.folder.run`."""
        return {
            "budget": self.allowed,
            "force": self.force,
            "with_report": self.report,
            "patience_s": self.disk_patience,
            "unbench": self.unbench or (),
        }

    def keys(self) -> dict[str, Any]:
        """Return the configuration keys that the request sets; raises ConfigError."""
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
        """Return the bots' tables; paths are relative to the current folder. Raises ConfigError."""
        return [
            bot_flag(bot, flag, self.sandbox) if isinstance(bot, str) else placed(bot)
            for bot in bots or ()
        ]


_AS_KEYS: Final = ("rounds", "format", "challengers", "pairs", "pin", "log", "bench_after")
"""Fields with the name and the values of a configuration key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRequest(Request):
    """A match of `old` against `new`, or `old` alone on the ladder, as `arena match` takes it.

    The same request resumes the match, unless a bot or the terms have changed.
    """

    old: Bot = field(kw_only=False)
    new: Bot | None = field(default=None, kw_only=False)
    build: str = ""
    """The command that builds a copy of a git revision or a folder."""

    run: str = ""
    """The command that starts the bot, run in its folder or checked-out revision."""

    sprt: str | None = SPRT
    budget: str | int | None = BUDGET
    seed: int | str | None = 1

    def __post_init__(self) -> None:
        """Raise ConfigError for invalid values."""
        Request.__post_init__(self)
        sandbox_of(self.sandbox)
        if self.new is None and self.sprt != SPRT:
            raise ConfigError("--sprt: needs OLD and NEW; one bot alone is placed by its interval")


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneRequest(Request):
    """A tuning of a bot's options, as `arena tune` takes it.

    The same request resumes the tuning in `out`. A request with the tuning's directory as `bot` and
    without options resumes it, too.
    """

    bot: Bot = field(kw_only=False)
    options: Mapping[str, str] | Sequence[str] | None = field(default=None, kw_only=False)
    """Ranges by name, such as `{"exploration": "5..200 from 40"}`, or items `NAME=RANGE`."""

    pairs: int | None = None
    """The pairs of games for the tuning."""

    sprt_pairs: int | None = None
    """The maximum of pairs for the test of the tuned values."""

    rate: float | None = None
    """How far one game moves an option at the end of the tuning."""

    ahead: int | None = None
    """Pairs started before the result of the first is used."""

    def __post_init__(self) -> None:
        """Raise ConfigError for invalid values."""
        Request.__post_init__(self)
        sandbox_of(self.sandbox)

    @property
    def ranges(self) -> list[str]:
        """The ranges as `NAME=RANGE`."""
        options = self.options or ()
        if isinstance(options, Mapping):
            return [f"{name}={text}" for name, text in options.items()]
        return list(options)

    @property
    def of_new_ones(self) -> list[str]:
        """The names of fields in use that a resumed tuning does not allow."""
        fixed = "options", "games", "pairs", "rate", "ahead", "tc", "sprt", "openings", "seed"
        return [name for name in fixed if getattr(self, name)]


def _number(text: int | str | None) -> int | str | None:
    """Return text of digits as an integer; other values are returned unchanged."""
    is_number = isinstance(text, str) and re.fullmatch("[0-9]{1,99}", text)
    return int(text) if is_number and text is not None else text


def openings_of(text: str) -> dict[str, Any]:
    """Return the `openings` table for a flag, with an absolute path of a file."""
    table = openings_table(text, Path.cwd())
    return table if "random" in table else {**table, "file": str(Path(table["file"]).resolve())}


def jobs_of(request: Request) -> int | str:
    """Return the value of the configuration key `jobs`. Default: `auto`."""
    return "auto" if request.jobs is None else _number(request.jobs) or 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """The receivers of messages during a match or a tuning."""

    tell: Callable[[str], None] = lambda _: None
    """Called with each step of the work."""

    note: Callable[[str], None] = lambda _: None
    """Called with notes that prevent misunderstandings."""

    watched: Callable[[Progress], AbstractContextManager[object]] = nullcontext
    """Returns the context manager in which the games are played."""

    is_alone: bool = False
    """True if the process has no other work."""

    def close(self) -> None:
        """Let a process without other work clean up bots' processes, and hide it from the bots."""
        if self.is_alone:
            process_trees.adopt_orphans()  # the workshop has its cleanup process already
            close_to_others()


_FLAGS: Final = {
    "games": "--game",
    "bots": "--bot",
    "options": "--option",
    "anchors": "--anchor",
    "out": "--output",
    "report": "--no-report",
}
"""The flags of fields whose flags have other names."""


def flag_of(name: str) -> str:
    """Return the command-line flag of a request's field."""
    return _FLAGS.get(name) or f"--{name.replace('_', '-')}"


def in_python(text: str) -> str:
    """Return an error's text with names of arguments instead of flags.

    Commands between backticks or after `arena` are unchanged.

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
    """Return a decorator that makes a function of a request take the request's fields instead.

    The errors of the decorated function name arguments instead of flags.
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
