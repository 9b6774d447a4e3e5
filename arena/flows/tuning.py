"""Tuning: the values of its options that make a bot strongest, and a test of them.

It is what `arena tune` does, and the same from Python.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from lath import games as known_games
from lath.arena.directory import CONFIG
from lath.arena.entrants import minimum
from lath.arena.entrants.bot_spec import time_table
from lath.arena.entrants.flag_text import time_of
from lath.arena.entrants.origins import BotOrigin, in_words, origin_of, sandbox_of, table_of
from lath.arena.entrants.programs import is_there
from lath.arena.entrants.toml_text import lines_of, read_toml
from lath.arena.errors import (
    BETTER,
    NOT_BETTER,
    UNDECIDED,
    ArenaError,
    ConfigError,
    GameVoidError,
)
from lath.arena.flows.matches import SPRT, TIME, jobs_of, refuse_jobs
from lath.arena.flows.runs import RunResult, at_cluster, greeting_of, heard_by, result_of
from lath.arena.machine import signals
from lath.arena.referee import process_trees
from lath.arena.sandbox.limits import close_to_others
from lath.arena.schedule.budget import UNLIMITED
from lath.arena.schedule.tuning.ranges import declared
from lath.arena.schedule.tuning.spsa import AHEAD, TunedOption
from lath.arena.tournament.configuration.config import (
    Config,
    budget_of,
    build,
    load_own,
    sprt_table,
)
from lath.arena.tournament.outcome.notes import played_in
from lath.arena.tournament.run.events import Event
from lath.arena.tournament.run.folder import run as play
from lath.arena.tournament.run.progress import Progress, RunSummary
from lath.games.naming import lasting

FOLDER: Final = Path("tuning")
"""Where a tuning is kept that nobody names a directory for."""

PAIRS: Final = 500
"""Of tuning, and at most of the test."""

FORMAT: Final = "tune"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What somebody wants to have tuned, as `arena tune` names it; None: not said."""

    options: Sequence[str] = ()
    games: Sequence[str] = ()
    pairs: int | None = None
    sprt_pairs: int | None = None
    rate: float | None = None
    ahead: int | None = None
    tc: str | None = None
    sprt: str | None = None
    openings: str | None = None
    seed: int | None = None
    jobs: str | int | None = None
    sandbox: str | None = None

    @property
    def of_new_ones(self) -> list[str]:
        """Return what is said that a tuning which is gone on with cannot have otherwise."""
        fixed = "options", "games", "pairs", "rate", "ahead", "tc", "sprt", "openings", "seed"
        return [name for name in fixed if getattr(self, name)]


class TuningEnd(NamedTuple):
    """A tuning that has ended, for now."""

    names: tuple[str, str]
    """The bot's with its values of the start, and with the tuned ones."""

    folder: Path
    summary: RunSummary
    progress: Progress


Word = Literal["better", "not better", "undecided"]
"""What a tuning says of the tuned values."""


def verdict_of(data: Mapping[str, Any]) -> tuple[int, Word]:
    """Return the exit status that the outcome of a tuning comes to, and the word for it."""
    found = data.get("sprt", {}).get("verdict")
    if found == "H1":
        return BETTER, "better"
    if found == "H0" or data["tune"]["is_same"]:
        return NOT_BETTER, "not better"
    return UNDECIDED, "undecided"


def values_of(data: Mapping[str, Any]) -> dict[str, int | float]:
    """Return the tuned values that the outcome of a tuning has, by the options' names."""
    return {each["name"]: each["value"] for each in data["tune"]["options"]}


def is_tuning(text: str) -> bool:
    """Return whether BOT is the directory of a tuning, which is gone on with.

    Raises ConfigError.
    """
    own = Path(text) / CONFIG
    return is_there(own, Path.is_file) and read_toml(own)[0].get("format") == FORMAT


def _table_of(origin: BotOrigin, *, on_cluster: bool) -> dict[str, Any]:
    """Return the table of the bot, but for its name; raises ConfigError."""
    if origin.revision is not None:
        raise ConfigError(
            f"{origin.name!r} is a git revision: check it out and name its folder, whose files "
            "stay as they are while it is tuned"
        )
    asked = minimum.for_files(origin.asked, on_cluster=on_cluster)
    return table_of(origin, f"BOT, {origin.name}", asked=asked)


def configured(
    bot: str, wishes: Wishes, where: Path, note: Callable[[str], None], *, on_cluster: bool
) -> Config:
    """Return the tournament that tunes a bot, which is started to say its options.

    It is kept in the directory `where`.

    Raises ArenaError.
    """
    sandbox_of(wishes.sandbox)
    origin = origin_of(bot, "bot", wishes.sandbox)
    if origin.note:
        note(origin.note)
    if not wishes.options:
        raise ConfigError("nothing is to be tuned: name an option, such as --option depth=1..9")
    if not wishes.games:
        raise ConfigError("--game is missing: for which game is it tuned?")
    played = [known_games.get(known_games.named(one)).id for one in wishes.games]
    table = {**_table_of(origin, on_cluster=on_cluster), "name": origin.name}
    try:
        greeting = greeting_of(table, "tune", where)
    except GameVoidError as error:
        raise ArenaError(str(error)) from error
    if missing := [game for game in played if not greeting.plays(game)]:
        raise ConfigError(f"{origin.name} does not play {', '.join(missing)}")
    parameters = declared(
        wishes.options, greeting.options, table.get("options", {}), f"the bot {origin.name!r}"
    )
    toml = {
        "event": f"Tuning of {origin.name}",
        "games": [lasting(one) for one in played],
        "format": FORMAT,
        "rounds": _rounds(wishes.sprt_pairs or PAIRS, played),
        "seed": 1 if wishes.seed is None else wishes.seed,
        "jobs": jobs_of(wishes.jobs),
        "time": time_table(time_of(wishes.tc or TIME)),
        "sprt": sprt_table(wishes.sprt or SPRT),
        "tune": _tune_table(parameters, wishes),
        **({"openings": wishes.openings} if wishes.openings else {}),
        "bot": [{**table, "name": f"{origin.name}-tuned"}, table],
    }
    return build(toml, Path.cwd())


def _rounds(pairs: int, played: Sequence[str]) -> int:
    return -(-pairs // len(played))


def _tune_table(parameters: Sequence[TunedOption], wishes: Wishes) -> dict[str, Any]:
    return {
        "pairs": wishes.pairs or PAIRS,
        "ahead": wishes.ahead or AHEAD,
        **({"rate": float(wishes.rate)} if wishes.rate else {}),
        "options": {each.name: str(each) for each in parameters},
    }


_FLAGS: Final = {"options": "--option", "games": "--game"}


def _gone_on_with(folder: Path, wishes: Wishes) -> Config:
    """Return the tournament of a directory; raises ConfigError."""
    if fixed := wishes.of_new_ones:
        said = ", ".join(_FLAGS.get(name, f"--{name}") for name in fixed)
        raise ConfigError(f"{folder} is gone on with as it was begun: leave {said} out")
    flags: dict[str, Any] = {} if wishes.jobs is None else {"jobs": jobs_of(wishes.jobs)}
    if wishes.sandbox:
        flags["sandbox"] = wishes.sandbox
        _refuse_more(folder / CONFIG, wishes.sandbox)
    config = load_own(folder / CONFIG, flags, played=played_in(folder))
    if wishes.sprt_pairs is not None:
        flags["rounds"] = _rounds(wishes.sprt_pairs, config.games)
        config = load_own(folder / CONFIG, flags, played=played_in(folder))
    return config


def _refuse_more(own: Path, asked: str) -> None:
    """Raise ConfigError where a tuning was begun with a weaker sandbox than is asked for now.

    What the file in the folder of its bot said then is part of its configuration.
    """
    toml, text = read_toml(own)

    lines = lines_of(text)
    for at, row in enumerate(toml.get("bot", ())):
        if "cwd" in row and minimum.is_weaker(row.get("sandbox", "auto"), asked):
            of = {place[2:]: line for place, line in lines.items() if place[:2] == ("bot", at)}
            words = tuple(row.get("command", ()))
            minimum.refuse_more(row, words, own, asked, of, home=Path(row["cwd"]))


def held(
    bot: str,
    wishes: Wishes,
    *,
    budget: str | None = None,
    cluster: str | None = None,
    hosts_alike: bool = False,
    out: Path | None = None,
    is_alone: bool = False,
    note: Callable[[str], None] = lambda _: None,
    watched: Callable[[Progress], AbstractContextManager[object]] = nullcontext,
) -> TuningEnd:
    """Tune a bot, or go on with that, and return how it ended: all is named as of `arena tune`.

    `bot` may be the directory of a tuning. `note` hears what might be thought and is not so; the
    games are played in what `watched` gives. A process that `is_alone` does nothing else: it clears
    up after bots that leave orphans, and is closed to them. Raises ArenaError.
    """
    allowed = UNLIMITED if budget is None else budget_of(budget)
    refuse_jobs(wishes.jobs, cluster)
    goes_on = is_tuning(bot)
    if goes_on:
        where = Path(bot)
        if out not in (None, where):
            raise ConfigError(
                f"{where} is a directory that is gone on with: leave --output {out} out"
            )
    else:
        where = FOLDER if out is None else out
    if is_alone:
        process_trees.adopt_orphans()  # of bots; who clears up has begun before
        close_to_others()
    with signals.interruptible():
        if goes_on:
            config = _gone_on_with(where, wishes)
        else:
            config = configured(bot, wishes, where, note, on_cluster=cluster is not None)
    progress = Progress(config)
    with at_cluster(cluster, hosts_alike=hosts_alike) as elsewhere, watched(progress):
        summary = play(config, where, progress, budget=allowed, elsewhere=elsewhere)
    tuned, start = config.names
    return TuningEnd((start, tuned), where, summary, progress)


# The same from Python


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneResult(RunResult):
    """What a tuning has come to."""

    @property
    def values(self) -> dict[str, int | float]:
        """Return where the options are, by name: tuned, once all pairs of that are played."""
        return values_of(self.outcome.data)

    @property
    def verdict(self) -> Word:
        """Return what the test says of these values."""
        return verdict_of(self.outcome.data)[1]


def tune(
    bot: str | Path | Sequence[str],
    options: Mapping[str, str] | None = None,
    *,
    games: Sequence[str] = (),
    pairs: int | None = None,
    sprt_pairs: int | None = None,
    rate: float | None = None,
    ahead: int | None = None,
    tc: str | None = None,
    sprt: str | None = None,
    openings: str | None = None,
    budget: str | int | None = None,
    seed: int | None = None,
    jobs: int | Literal["auto"] | None = None,
    sandbox: str | None = None,
    cluster: str | None = None,
    hosts_alike: bool = False,
    out: str | Path | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> TuneResult:
    """Look for the values of its options with which a bot is strongest, as `arena tune` does.

    All is named as there, and means the same; `options` are ranges by name, such as
    `{"exploration": "5..200 from 40"}`. The same call goes on where it stopped, in `out`, and so
    does one that names the directory in the place of the bot, without options.

    `on_event`, Ctrl-C and errors are as of `lath.arena.tournament`; a bot that does not start is an
    ArenaError here.
    """
    wishes = Wishes(
        options=[f"{name}={text}" for name, text in (options or {}).items()],
        games=games,
        pairs=pairs,
        sprt_pairs=sprt_pairs,
        rate=rate,
        ahead=ahead,
        tc=tc,
        sprt=sprt,
        openings=openings,
        seed=seed,
        jobs=jobs,
        sandbox=sandbox,
    )
    named = str(bot) if isinstance(bot, Path) and is_tuning(str(bot)) else in_words(bot)
    with heard_by(on_event) as hearing:
        ended = held(
            named,
            wishes,
            budget=None if budget is None else str(budget),
            cluster=cluster,
            hosts_alike=hosts_alike,
            out=None if out is None else Path(out),
            watched=hearing,
        )
    result = result_of(ended.summary, ended.progress, ended.folder)
    return TuneResult(folder=result.folder, summary=result.summary, warnings=result.warnings)
