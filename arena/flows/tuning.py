"""Find the values of options that make a bot strongest and test them, as `arena tune` does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from lath.arena.directory import CONFIG
from lath.arena.entrants import minimum
from lath.arena.entrants.bot_folders import refuse_more
from lath.arena.entrants.flag_text import time_of, time_table
from lath.arena.entrants.origins import in_words, origin_of, table_of
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
from lath.arena.flows.matches import TIME
from lath.arena.flows.requests import SPRT, Audience, TuneRequest, door, flag_of, jobs_of
from lath.arena.flows.runs import RunResult, greeting_of, heard_by, played, result_of
from lath.arena.machine import signals
from lath.arena.schedule.tuning.ranges import declared
from lath.arena.schedule.tuning.spsa import AHEAD
from lath.arena.tournament.configuration.config import (
    Config,
    build,
    load_own,
    sprt_table,
)
from lath.arena.tournament.outcome.notes import played_in
from lath.arena.tournament.run.progress import Progress, RunSummary
from lath.games.naming import lasting

FOLDER: Final = Path("tuning")
"""The default directory of a tuning."""

PAIRS: Final = 500
"""The default number of pairs for the tuning, and the maximum for the test."""

FORMAT: Final = "tune"


class TuningEnd(NamedTuple):
    """A tuning at the end of a run; a later run can resume it."""

    names: tuple[str, str]
    """The names of the bot with its initial values and with the tuned ones."""

    folder: Path
    summary: RunSummary
    progress: Progress


Word = Literal["better", "not better", "undecided"]
"""The verdict on the tuned values."""


def verdict_of(data: Mapping[str, Any]) -> tuple[int, Word]:
    """Return the exit status and the word for the verdict of a tuning."""
    if (found := data.get("sprt", {}).get("verdict")) == "H1":
        return BETTER, "better"
    if found == "H0" or data["tune"]["is_same"]:
        return NOT_BETTER, "not better"
    return UNDECIDED, "undecided"


def values_of(data: Mapping[str, Any]) -> dict[str, int | float]:
    """Return the tuned values by the names of the options."""
    return {each["name"]: each["value"] for each in data["tune"]["options"]}


def is_tuning(text: str) -> bool:
    """Return whether BOT is the directory of a tuning to resume.

    Raises ConfigError.
    """
    own = Path(text) / CONFIG
    return is_there(own, Path.is_file) and read_toml(own)[0].get("format") == FORMAT


def configured(request: TuneRequest, where: Path, note: Callable[[str], None]) -> Config:
    """Return the configuration that tunes a bot; starts the bot to read its options.

    The tuning is stored in the directory `where`. Raises ArenaError.
    """
    origin = origin_of(in_words(request.bot), "bot", request.sandbox)
    if origin.note:
        note(origin.note)
    if not request.ranges:
        raise ConfigError("--option: name an option to tune", hint="--option depth=1..9")
    if not request.games:
        raise ConfigError("--game: name the game to tune the bot for", hint="arena games")
    games = request.ids
    if origin.revision is not None:
        raise ConfigError(
            f"{origin.name!r}: a git revision cannot be tuned; check it out and name its folder"
        )
    asked = minimum.for_files(origin.asked, on_cluster=request.cluster is not None)
    table = {**table_of(origin, f"BOT, {origin.name}", asked=asked), "name": origin.name}
    try:
        greeting = greeting_of(table, "tune", where)
    except GameVoidError as error:
        raise ArenaError(error.message, hint=error.hint) from error
    if missing := [game for game in games if not greeting.plays(game)]:
        raise ConfigError(f"{origin.name}: does not play {', '.join(missing)}")
    parameters = declared(
        request.ranges, greeting.options, table.get("options", {}), f"the bot {origin.name!r}"
    )
    toml = {
        "event": f"Tuning of {origin.name}",
        "games": [lasting(one) for one in games],
        "format": FORMAT,
        "rounds": _rounds(request.sprt_pairs or PAIRS, games),
        "seed": 1 if request.seed is None else request.seed,
        "jobs": jobs_of(request),
        "time": time_table(time_of(request.tc or TIME)),
        "sprt": sprt_table(request.sprt or SPRT),
        "tune": {
            "pairs": request.pairs or PAIRS,
            "ahead": request.ahead or AHEAD,
            **({"rate": float(request.rate)} if request.rate else {}),
            "options": {each.name: str(each) for each in parameters},
        },
        **({"openings": request.openings} if request.openings else {}),
        "bot": [{**table, "name": f"{origin.name}-tuned"}, table],
    }
    return build(toml, Path.cwd())


def _rounds(pairs: int, played: Sequence[str]) -> int:
    return -(-pairs // len(played))


def _gone_on_with(folder: Path, request: TuneRequest) -> Config:
    """Return the configuration of a tuning to resume; raises ConfigError."""
    if fixed := request.of_new_ones:
        said = ", ".join(map(flag_of, fixed))
        raise ConfigError(
            f"{folder}: a tuning keeps its own settings when it is resumed, without {said}"
        )
    flags: dict[str, Any] = {} if request.jobs is None else {"jobs": jobs_of(request)}
    if request.sandbox:
        flags["sandbox"] = request.sandbox
        _refuse_more(folder / CONFIG, request.sandbox)
    config = load_own(folder / CONFIG, flags, played=played_in(folder))
    if request.sprt_pairs is not None:
        flags["rounds"] = _rounds(request.sprt_pairs, config.games)
        config = load_own(folder / CONFIG, flags, played=played_in(folder))
    return config


def _refuse_more(own: Path, asked: str) -> None:
    """Raise ConfigError if a tuning began with a weaker sandbox than `asked`.

    The tuning's configuration includes what the file in the bot's folder said at that time.
    """
    toml, text = read_toml(own)
    lines = lines_of(text)
    for at, row in enumerate(toml.get("bot", ())):
        if "cwd" in row and minimum.is_weaker(row.get("sandbox", "auto"), asked):
            of = {place[2:]: line for place, line in lines.items() if place[:2] == ("bot", at)}
            refuse_more(row, tuple(row.get("command", ())), own, asked, of, home=Path(row["cwd"]))


def held(request: TuneRequest, audience: Audience) -> TuningEnd:
    """Start or resume a tuning and return its state at the end of the run; raises ArenaError."""
    named = str(request.bot) if isinstance(request.bot, Path) else in_words(request.bot)
    if goes_on := is_tuning(named):
        where = Path(named)
        if request.folder not in (None, where):
            raise ConfigError(f"--output: cannot be combined with {where}, a tuning to resume")
    else:
        where = request.folder or FOLDER
    audience.close()
    with signals.interruptible():
        config = (
            _gone_on_with(where, request) if goes_on else configured(request, where, audience.note)
        )
    summary, progress = played(request, config, where, audience)
    tuned, start = config.names
    return TuningEnd((start, tuned), where, summary, progress)


# The Python interface


@dataclass(frozen=True, slots=True, kw_only=True)
class TuneResult(RunResult):
    """The result of a tuning."""

    @property
    def values(self) -> dict[str, int | float]:
        """The current values of the options by name; final after all pairs of the tuning."""
        return values_of(self.outcome.data)

    @property
    def verdict(self) -> Word:
        """The test's verdict on the tuned values."""
        return verdict_of(self.outcome.data)[1]


@door(TuneRequest)
def tune(request: TuneRequest) -> TuneResult:
    """Tune a bot's options for the greatest strength, as `arena tune` does.

    The arguments are the fields of `TuneRequest`.

    Ctrl-C and errors are handled as in `lath.arena.tournament`. Raises ArenaError if a bot does not
    start.
    """
    with heard_by(request.on_event) as hearing:
        ended = held(request, Audience(watched=hearing))
    return result_of(ended.summary, ended.progress, ended.folder, TuneResult)
