"""Play a tournament, for `arena run` and for Python.

The configuration is a file, a directory or a table; the fields of the request override it.
"""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar

from lath.arena.directory import CONFIG, OUTCOME, RECORDS, REPORT
from lath.arena.entrants import minimum
from lath.arena.entrants.builds import ready
from lath.arena.entrants.flag_text import time_of
from lath.arena.entrants.origins import spec_of
from lath.arena.errors import (
    FAULT,
    INTERRUPTED,
    ArenaError,
    BotError,
    ConfigError,
    ContestBotError,
    MachineError,
)
from lath.arena.flows.requests import DEFAULT_FOLDER, Audience, Request, RunRequest, door
from lath.arena.machine import signals
from lath.arena.referee.bots import Greeting
from lath.arena.referee.bridges import bot_of
from lath.arena.referee.clock import Limits
from lath.arena.referee.recognition import introduce, meet, refuse_if_broken
from lath.arena.referee.watch import Watch
from lath.arena.tournament.configuration.config import (
    Config,
    base,
    build,
    demo,
    load,
    load_own,
)
from lath.arena.tournament.configuration.typed import advised
from lath.arena.tournament.outcome.notes import played_in
from lath.arena.tournament.outcome.seasons import MATCH_DAY
from lath.arena.tournament.outcome.sources import records_of
from lath.arena.tournament.run.events import Event, RunFailed, Waiting
from lath.arena.tournament.run.folder import run as play
from lath.arena.tournament.run.progress import Progress, RunSummary, end_words
from lath.notation.record.record import Record

if TYPE_CHECKING:
    from lath.arena.tournament.store.totals import BotTotals
    from lath.reports.counting.table import Standings
    from lath.reports.notes.outcome import EventOutcome
    from lath.reports.ratings.results import Elo

FILES: Final = (
    *(CONFIG, RECORDS, OUTCOME),
    *("standings.json", "standings.csv", REPORT),
)
"""The files that a run can leave in its directory."""


def place_of(request: RunRequest) -> tuple[Path | None, Path]:
    """Return the configuration file, if one is named, and the directory; raises ConfigError.

    `config` can be a directory, also a new one; the file is None then.
    """
    out = request.folder or DEFAULT_FOLDER
    if request.config is None or isinstance(request.config, Mapping):
        return None, out
    config = Path(request.config)
    if config.is_file():
        return config, out
    if config.is_dir() or (request.add and config.suffix != ".toml"):
        if out not in (DEFAULT_FOLDER, config):
            raise ConfigError(f"--output: cannot be combined with {config}, a tournament to resume")
        if not (request.add or request.bots or (config / CONFIG).is_file()):
            raise ConfigError(
                f"{config}: has no {CONFIG} to resume",
                hint=f"arena run {shlex.quote(str(config))} --add BOT starts a pool",
            )
        return None, config
    return config, out


def settled(
    request: RunRequest, tell: Callable[[str], None] = lambda _: None
) -> tuple[Config, Path]:
    """Return the requested tournament and its directory; `tell` is called if it is the demo.

    Starts each new bot of a pool once, unless the request has `anyway`. Raises ArenaError.
    """
    config, out = place_of(request)
    keys = request.keys()
    with signals.interruptible():
        if isinstance(request.config, Mapping):
            tournament = build(request.config, Path(), keys, played=played_in(out))
        elif request.add or request.retire:
            added = request.rows(request.add, "--add")
            tournament = _other_roster(config, out, keys, added, request.retire or ())
            if not (request.anyway or request.cluster):
                refuse_newcomers(tournament, [table["name"] for table in added], out)
        else:
            tournament = _configured(config, out, keys, tell)
    if request.match_day:
        if tournament.season_plan is None:
            raise ConfigError(
                f"{MATCH_DAY}: {out} has no season and therefore no match days",
                hint=f'arena run {shlex.quote(str(out))} --season "NAME" {MATCH_DAY}',
            )
        tournament = replace(tournament, match_day=True)
    return tournament, out


def _other_roster(
    config: Path | None,
    out: Path,
    flags: dict[str, Any],
    add: Sequence[dict[str, Any]],
    retire: Sequence[str],
) -> Config:
    """Return a pool with bots added or retired, or a new pool of the added bots.

    Raises ConfigError.
    """
    if config is not None:
        raise ConfigError(f"--add and --retire: need a tournament folder instead of {config}")
    minimum.refuse_weaker(add, flags.get("sandbox"), "--add")
    if "bot" in flags:
        raise ConfigError("--bot: cannot be combined with --add or --retire")
    if (out / CONFIG).is_file():
        return load_own(out / CONFIG, flags, add=add, retire=retire, played=played_in(out))
    if retire:
        raise ConfigError(f"--retire: {out} has no {CONFIG} with {retire[0]!r}")
    made = {**base(), "event": "Pool", "format": "pool"}
    import tomlkit  # start-up time

    bots = [*{table["name"]: table for table in add}.values()]
    pool = build({**made, "bot": bots}, Path(), flags)
    # Bundled bots stay without a command in the file, so that it works after the arena moves.
    return replace(pool, text=tomlkit.dumps({**pool.as_written, "bot": bots}))


def refuse_newcomers(tournament: Config, names: Sequence[str], folder: Path) -> None:
    """Start each of the named bots once; raises ArenaError if one of them cannot play.

    Nothing is stored yet, so the pool does not get a bot that it would bench at once.
    """
    wrong = {name: why for name, why in tournament.unfit.items() if name in names}
    hints: dict[str, str] = {}
    for bot in tournament.bots:
        if bot.name not in names or bot.name in wrong:
            continue
        player = None
        try:
            spec = ready(bot, [str(folder.absolute())])
            player = bot_of(spec, Watch(), tree=f"add-{secrets.token_hex(4)}.")
            with signals.interruptible():
                introduce(player, tournament.limits, tournament.games)
        except MachineError:
            raise
        except ArenaError as error:
            found = advised(error)
            reason = found.reason if isinstance(found, BotError) else found.message
            wrong[bot.name], hints[bot.name] = reason, found.hint
        finally:
            if player is not None:
                player.quit()
    if wrong:
        lines = [f"--add {name}: {why}" for name, why in wrong.items()]
        usual = "fix the bot and add it again, or enter it with --anyway"
        raise ArenaError("\n".join(lines), hint="\n".join(filter(None, hints.values())) or usual)


def _configured(
    config: Path | None, out: Path, flags: dict[str, Any], tell: Callable[[str], None]
) -> Config:
    """Return the tournament of the file, of the directory `out`, or the demo, with `flags` applied.

    `tell` is called for the demo. Raises ConfigError if the user may have meant another file.
    """
    played = played_in(out)
    if config is not None:
        return load(config, config.parent, flags, played=played, own=out / CONFIG)
    if (own := out / CONFIG).is_file():
        tournament = load_own(own, flags, played=played)
        if tournament.format == "pool" and "bot" in flags:
            roster = load_own(own).names
            if {*roster} != {*tournament.names}:
                raise ConfigError(
                    f"--bot: {out} already contains a pool with other bots ({', '.join(roster)})",
                    hint="--add and --retire change the bots of a pool\n"
                    "--output OTHER begins a new tournament",
                )
        return tournament
    if "bot" in flags:
        return build({**base(), "event": "Tournament"}, Path(), flags, played=played)
    if Path(CONFIG).is_file():
        raise ConfigError(
            f"{CONFIG}: exists in this folder, but the command does not name it",
            hint=f"arena run {CONFIG}",
        )
    tell(f"No config or bots given: playing the built-in demo into ./{out}")
    return build(demo(), Path(), flags)


# The Python interface


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The state of a match's test (SPRT) of whether the first bot is better than the second."""

    verdict: Literal["H0", "H1"] | None
    """`H1` if the first bot is better by the requested Elo, `H0` if not, None if undecided."""

    elo: float | None
    """The Elo difference of the first bot; None without games, or if all games ended alike."""

    elo_low: float | None
    """The lower end of the 95% interval; None if it is unbounded."""

    elo_high: float | None
    llr: float
    """The log-likelihood ratio; the test accepts H0 or H1 at `bounds`."""

    bounds: tuple[float, float]
    counts: tuple[int, ...]
    """The number of game pairs in which the first bot scored 0, ½, 1, 1½ and 2 points."""

    @classmethod
    def of(cls, outcome: EventOutcome) -> Self:
        """Return the state of the test in a match's outcome."""
        found = outcome.data["sprt"]
        return cls(**{one.name: found[one.name] for one in fields(cls)})

    @property
    def score(self) -> float | None:
        """The expected score per game at this Elo difference, in 0..1."""
        from lath.arena.schedule.sprt import score_of  # start-up time

        return None if self.elo is None else score_of(self.elo)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """The result of a tournament or a match; its directory has further files."""

    folder: Path
    """The directory of the games, the standings and the report."""

    summary: RunSummary
    """How the run ended: `done` and `total` games, `is_complete`, `is_spent` (the budget), and with
    reasons the `stopped` pairings and the `benched` bots."""

    warnings: tuple[str, ...]
    """Warnings without duplicates."""

    @property
    def standings(self) -> Standings:
        """The standings overall and by game type, as in `standings.json`."""
        assert self.summary.standings is not None
        return self.summary.standings

    @property
    def bots(self) -> tuple[BotTotals, ...]:
        """Each bot's totals over all games: moves, times and forfeits."""
        return self.summary.bots

    @property
    def outcome(self) -> EventOutcome:
        """The outcome by the rules of the format: winner, verdict, score sheets."""
        return self.summary.outcome

    @property
    def games(self) -> Iterator[Record]:
        """The records of all games, including those after a verdict; raises ArenaError."""
        return (one for one in records_of([self.folder], rules=False) if isinstance(one, Record))

    @property
    def report(self) -> Path | None:
        """The path of the HTML report; None if it was not requested or could not be written."""
        path = self.folder / REPORT
        return path if self.summary.unreported is None and path.is_file() else None

    @property
    def decision(self) -> Decision | None:
        """The state of the match's test; None without a test."""
        return Decision.of(self.outcome) if "sprt" in self.outcome.data else None

    def elo(self, bot: str) -> Elo:
        """Return a bot's Elo relative to the mean of all bots, with its interval.

        Raises KeyError if the bot has no rated game.
        """
        for row in self.standings.overall.rows:
            if row.name == bot:
                return row.strength.elo
        raise KeyError(bot)


Came = TypeVar("Came", bound=RunResult)


@contextmanager
def heard_by(
    on_event: Callable[[Event], None] | None,
) -> Iterator[Callable[[Progress], AbstractContextManager[object]]]:
    """Give a function that passes the events of a run to `on_event`.

    The function takes the run's progress and returns the context manager to play in. If an
    ArenaError ends the run, `on_event` gets that as an event, too.
    """

    def hearing(progress: Progress) -> AbstractContextManager[object]:
        if on_event is not None:
            hear = on_event
            progress.listeners.append(
                lambda told: None if isinstance(told, Waiting) else hear(told)
            )
        heard.append(progress)
        return nullcontext()

    heard: list[Progress] = []
    try:
        yield hearing
    except ArenaError as error:
        for progress in heard:
            progress(RunFailed(error=str(error), status=error.status))
        raise


def greeting_of(
    table: Mapping[str, Any],
    purpose: str,
    where: Path,
    beside: Iterable[Mapping[str, Any]] = (),
    game_ids: Iterable[str] = (),
) -> Greeting:
    """Start the bot of a table and return its handshake.

    `purpose` is one word that marks the bot's processes. The bot's sandbox is that of a game in the
    directory `where` against the bots `beside` it; `game_ids` are the game types that it may play.
    Raises GameVoidError if the bot does not start, and ArenaError.
    """
    others = [spec_of(dict(one)) for one in beside]
    spec = ready(spec_of(dict(table)), [str(where.absolute())], beside=others)
    bot = bot_of(spec, Watch(), tree=f"{purpose}-{secrets.token_hex(4)}.")
    try:
        with signals.interruptible():
            limits, known = Limits(time=time_of("none")), tuple(game_ids)
            meet(bot, limits, known)
            refuse_if_broken(bot, limits, known)
    except ContestBotError as error:
        raise advised(error) from error
    else:
        return bot.greeting
    finally:
        bot.quit()


def result_of(
    summary: RunSummary,
    progress: Progress,
    folder: Path,
    kind: type[Came] = RunResult,  # type: ignore[assignment]  # where none is named
    **more: Any,
) -> Came:
    """Report the end of a run and return its result, a `kind` with the further fields `more`.

    Raises KeyboardInterrupt if the run was interrupted; its files are complete.
    """
    status = INTERRUPTED if summary.interrupted else FAULT * (not summary.is_fine)
    files = {name: str((folder / name).resolve()) for name in FILES if (folder / name).is_file()}
    progress(progress.ended(summary, status, files))
    if summary.interrupted:
        raise KeyboardInterrupt
    warned = [*progress.warnings, *end_words(summary.stopped, progress.causes)]
    if summary.unreported is not None:
        warned.append(f"no report could be made: {summary.unreported}")
    return kind(folder=folder, summary=summary, warnings=tuple(warned), **more)


def played(
    request: Request,
    config: Config,
    folder: Path,
    audience: Audience,
    progress: Progress | None = None,
    **others: Any,
) -> tuple[RunSummary, Progress]:
    """Play what is requested and return the summary; raises ArenaError.

    `progress` receives the events; `others` override the terms of the request.
    """
    progress = progress or Progress(config)
    with request.elsewhere() as elsewhere, audience.watched(progress):
        summary = play(config, folder, progress, elsewhere=elsewhere, **{**request.terms, **others})
    return summary, progress


@door(RunRequest)
def tournament(request: RunRequest) -> RunResult:
    """Start or resume a tournament as `arena run` does, and return its result.

    The arguments are the fields of `RunRequest`.

    Ctrl-C raises KeyboardInterrupt after all processes have ended and the standings are written. A
    bot that fails loses games but raises nothing: see `summary.benched` and `summary.stopped`.
    Raises ConfigError, StoreError, and after `disk_patience` seconds DiskError or MachineError.
    """
    config, folder = settled(request)
    with heard_by(request.on_event) as hearing:
        summary, progress = played(request, config, folder, Audience(watched=hearing))
    return result_of(summary, progress, folder)
