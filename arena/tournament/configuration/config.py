"""The configuration of a tournament, read from TOML or flags and checked as a whole.

The models in `keys` define the keys with their values and defaults, also for error messages and
`arena schema config`. All mistakes are reported at once, with file, line, key and what is allowed.
"""

from __future__ import annotations

import dataclasses
import os
import re
import secrets
import shlex
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lath import games
from lath.arena.entrants import minimum
from lath.arena.entrants.programs import (
    bundled,
    is_there,
)
from lath.arena.entrants.sizes import DEMO_GAMES, MOST, UNGUESSABLE
from lath.arena.entrants.toml_text import lines_of, read_toml
from lath.arena.errors import ConfigError
from lath.arena.machine import system as cores
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import Limits
from lath.arena.referee.match import NO_ADJUDICATION, Adjudication
from lath.arena.schedule.budget import Budget
from lath.arena.schedule.core import Settings
from lath.arena.schedule.formats import FORMATS
from lath.arena.schedule.openings import BookChoice, digest
from lath.arena.schedule.random_openings import RandomChoice
from lath.arena.schedule.sprt import Sprt
from lath.arena.schedule.tuning.ranges import read_ranges
from lath.arena.schedule.tuning.spsa import Tuning
from lath.games.naming import lasting
from lath.notation.record.tags import number_of

if TYPE_CHECKING:  # start-up time: the models take longer to make than a command's help
    from lath.arena.tournament.configuration.keys import ConfigTable, OpeningsTable

DEFAULT_TIME: Final = {"initial": "2s", "increment": "20ms"}
"""The time control if the configuration gives none."""


_NONE: Final[Mapping[str, Any]] = {}

Noted = Mapping[str, Mapping[str, Any]]
"""Noted values by bot and key; the bot is "" for values of the whole tournament."""


Openings = BookChoice | RandomChoice | None
"""The openings of games; None for setups drawn by the seed."""


def _noted(model: ConfigTable, jobs: int, bots: Iterable[BotSpec], openings: Openings) -> Noted:
    """Return the noted values as used, with counted jobs and absolute folders; a pool has more."""
    from lath.arena.entrants.bot_table import KEYS  # start-up time
    from lath.arena.tournament.configuration.keys import FREE, REFUSED

    decisive = {name for name, key in KEYS.items() if key.decides}
    # The sandbox is noted for each bot, and the start of a season with its match days.
    left_out = {**REFUSED, **FREE, "sandbox": True, "bot": {"__all__": decisive}}
    values = model.model_dump(exclude=left_out)
    times, rows = values.pop("time"), values.pop("bot")
    values |= {f"time.{key}": value for key, value in times.items()}
    if model.format == "pool":
        rules = model.adjudication.model_dump()
        values |= {f"adjudication.{key}": value for key, value in rules.items()}
        values |= {
            "seed": model.seed,
            "openings": _words_of(openings),
            "time": str(model.time.control()),
        }
        values["games"] = ", ".join(model.games)
    return {
        "": {**values, "jobs": jobs},
        **{
            bot.name: {
                **row,
                "cwd": bot.cwd or "",
                "threads": bot.threads,
                "sandbox": bot.sandbox,
                "reads": list(bot.reads),
                "hosts": {name: shlex.join(words) for name, words in bot.hosts.items()},
            }
            for bot, row in zip(bots, rows, strict=True)
        },
    }


def _words_of(openings: Openings) -> str:
    return " ".join(f"{word}" for word in openings.identity().values()) if openings else "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonPlan:
    """The season in a configuration."""

    name: str
    legs: int = 1
    """The number of match days on which any two entries meet."""

    match_days: tuple[str, ...] = ()
    """The dates of the first match days, such as `2026-12-05`."""

    def date(self, number: int) -> str:
        """Return the planned date of a match day, from 1; empty if unknown."""
        return dict(enumerate(self.match_days, 1)).get(number, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config(Settings):
    """The configuration of a tournament, checked and ready to play."""

    event: str = "Tournament"
    format: str = "round-robin"
    openings: Openings = None

    jobs: int = 1
    pin: str = "auto"
    """With `auto` each game has cores of its own if there are enough; with `off` the system
    decides."""

    log: str = "bad"
    """The games whose log is kept: `bad` for those that ended badly, or `all`."""

    bench_after: int = field(default=5, compare=False)
    """The number of crashes in consecutive games after which a bot is benched; 0 for never."""

    unfit: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Bots that cannot be started while others can, with the reasons."""

    anchors: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Bots with a fixed Elo."""

    adjudication: Adjudication = NO_ADJUDICATION
    limits: Limits
    bots: tuple[BotSpec, ...]
    given: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The tables of file and flags, with paths unchanged."""

    as_written: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The tables to write to `tournament.toml`."""

    text: str = field(default="", compare=False)
    """The new text of `tournament.toml` if the configuration was read from it; otherwise empty, and
    the text is made of `as_written`."""

    read: str = field(default="", compare=False)
    """The text of `tournament.toml` when it was read."""

    season_plan: SeasonPlan | None = field(default=None, compare=False)
    """The season of a pool."""

    match_day: bool = field(default=False, compare=False)
    """True to play the next match day only."""

    closed: tuple[str, ...] = field(default=(), compare=False)
    """Absolute paths of files that no bot may see, such as the configuration."""

    noted: Noted = field(default_factory=dict, compare=False)
    """Values that can change when the tournament resumes; the run notes them."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the bots' names."""
        return tuple(bot.name for bot in self.bots)

    @property
    def shares(self) -> list[cores.Cores] | None:
        """Return the cores that each of `jobs` games has for itself; None without pinning."""
        if self.pin != "auto":
            return None
        return cores.shares(self.jobs, self.cores_of_a_game, cores.available())

    @property
    def cores_of_a_game(self) -> int:
        """Return the most cores that a game uses at the same time."""
        return _cores_of_a_game(self.bots, ponder=self.limits.ponder)

    def beginning(self, openings: Openings) -> Config:
        """Return this configuration with other openings."""
        noted = dict(self.noted)
        if "openings" in noted.get("", {}):
            noted[""] = {**noted[""], "openings": _words_of(openings)}
        return dataclasses.replace(self, openings=openings, noted=noted)

    def identity(self) -> dict[str, object]:
        """Return the values that must not change between a run and its resumption.

        The number of rounds can change: the games of the first rounds stay the same.
        """
        from lath.arena.entrants.bot_table import identity_of  # start-up time

        return {
            "event": self.event,
            "games": list(self.games),
            "format": self.format,
            "pairs": self.pairs,
            "challengers": self.challengers,
            "sprt": self.sprt and dataclasses.asdict(self.sprt),
            "openings": self.openings and self.openings.identity(),
            **({"tune": _tune_identity(self.tuning)} if self.tuning else {}),
            "seed": self.seed,
            "time": str(self.limits.time),
            "adjudication": dataclasses.asdict(self.adjudication),
            "bots": [identity_of(bot) for bot in self.bots],
        }


def _tune_identity(tuning: Tuning) -> dict[str, object]:
    ranges = {each.name: str(each) for each in tuning.parameters}
    return {**dataclasses.asdict(tuning), "parameters": ranges}


def base() -> dict[str, Any]:
    """Return the default configuration without bots: all against all in four game types."""
    return {
        "games": list(DEMO_GAMES),
        "format": "round-robin",
        "rounds": 3,
        "seed": 1,
        "jobs": os.cpu_count() or 1,
        "time": DEFAULT_TIME,
    }


def demo() -> dict[str, Any]:
    """Return the built-in tournament of the bundled bots, about ten seconds on two cores."""
    return {
        **base(),
        "event": "Demo of the bundled bots",
        "rounds": 1,
        "time": {"initial": "200ms", "increment": "5ms"},
        "openings": "random:0",
        "bot": [{"name": name} for name in bundled()],
    }


def load(
    path: Path,
    folder: Path,
    flags: Mapping[str, Any] = _NONE,
    *,
    played: Collection[str] = (),
    own: Path | None = None,
) -> Config:
    """Return the tournament that a file and the flags over it describe; arguments as in `build`.

    If the seed is secret and `own`, the file in the directory, exists, the seed is taken from
    there. Raises ConfigError for a mistake in the file, even if a flag replaces the key.
    """
    toml, text = read_toml(path)
    flags = _of_season(toml, flags)
    if {**toml, **flags}.get("seed") == UNGUESSABLE and own is not None and own.is_file():
        flags = {**flags, "seed": read_toml(own)[0].get("seed", UNGUESSABLE)}
    return build(toml, folder, flags, name=str(path), text=text, played=played)


def load_own(
    path: Path,
    flags: Mapping[str, Any] = _NONE,
    *,
    add: Sequence[Mapping[str, Any]] = (),
    retire: Sequence[str] = (),
    played: Collection[str] = (),
) -> Config:
    """Return the tournament that resumes by the file in its directory; arguments as in `load`.

    The new text of the file has the values of the flags. The tables in `add` join or replace the
    bots of the same names, and the bots in `retire` are left out. The rest stays unchanged,
    comments included.
    """
    toml, text = read_toml(path)
    flags = {**_of_season(toml, flags)}
    if flags.get("seed") == UNGUESSABLE:
        flags["seed"] = toml.get("seed", UNGUESSABLE)
    if (form := flags.get("format")) in FORMATS and form != toml.get("format"):
        from lath.arena.tournament.configuration.mistakes import SETTINGS  # start-up time

        lost = {*SETTINGS} - FORMATS[str(form)].settings
        toml = {key: value for key, value in toml.items() if key not in lost}
    if add or retire:
        toml = {**toml, "bot": _roster(toml.get("bot", []), add, retire, path)}
    config = build(toml, path.parent, flags, name=str(path), text=text, played=played)
    if {**toml, **flags}.get("seed") == UNGUESSABLE:  # `build` has drawn it
        flags["seed"] = config.seed
    return replace(config, text=revised(text, {**toml, **flags}), read=text)


def _of_season(toml: Mapping[str, Any], flags: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the flags, where a season keeps what the file says about it.

    The dates of match days are kept only if the name of the season is the same.
    """
    before = toml.get("season")
    if "season" not in flags or not isinstance(before, Mapping):
        return flags
    is_same = before.get("name") == flags["season"]["name"]
    kept = {key: value for key, value in before.items() if is_same or key != "match_days"}
    return {**flags, "season": {**kept, **flags["season"]}}


def _roster(
    rows: Sequence[Mapping[str, Any]],
    add: Iterable[Mapping[str, Any]],
    retire: Iterable[str],
    path: Path,
) -> list[Mapping[str, Any]]:
    """Return the tables of bots after changes, in order; raises ConfigError."""
    roster = {row.get("name", f"bot {place}"): row for place, row in enumerate(rows)}
    if len(roster) < len(rows):
        raise ConfigError(f"{path}: two bots have one name; expected different names")
    for name in retire:
        if roster.pop(name, None) is None:
            raise ConfigError(
                f"--retire: {name!r} not found in {path}; its bots: {', '.join(roster) or 'none'}"
            )
    return [*({**roster, **{row["name"]: row for row in add}}).values()]


def revised(text: str, toml: Mapping[str, Any]) -> str:
    """Return a TOML text revised to hold `toml`; unchanged values keep their formatting."""
    if tomllib.loads(text) == toml:
        return text
    import tomlkit  # start-up time

    document = tomlkit.parse(text)
    _revise(document, toml)
    written = tomlkit.dumps(document)
    if "\r\n" in text:  # also in the new lines
        written = re.sub("\r?\n", "\r\n", written)
    # However odd the file is, the text that is written must be what was checked.
    return written if tomllib.loads(written) == toml else tomlkit.dumps(toml)


def _revise(table: Any, toml: Mapping[str, Any]) -> None:
    """Set a document's table to other values: nested tables key by key, bots by name."""
    for key in [key for key in table if key not in toml]:
        del table[key]
    for key, value in toml.items():
        before = table.get(key)
        if key == "bot" and before is not None:
            names = [row.get("name") for row in value]
            for place in reversed(range(len(before))):
                if before[place].get("name") not in names:
                    del before[place]
            kept = {row.get("name"): row for row in before}
            for row in value:
                if row.get("name") in kept:
                    _revise(kept[row.get("name")], row)
                else:
                    before.append(row)
        elif isinstance(value, Mapping) and isinstance(before, Mapping):
            _revise(before, value)
        elif before != value:
            table[key] = value


def build(
    toml: Mapping[str, Any],
    folder: Path,
    flags: Mapping[str, Any] = _NONE,
    *,
    name: str = "",
    text: str = "",
    played: Collection[str] = (),
) -> Config:
    """Return the tournament that a table and the flags over it describe.

    A `sandbox` among the flags is the minimum for each bot. Relative paths are relative to
    `folder`. The `name` and `text` belong to the file that the table is from. The bots in `played`
    have played in the directory, where version 0.1.0 accepted names that differ only in case.
    Raises ConfigError with all mistakes in the order of the file.
    """
    from lath.arena.tournament.configuration.mistakes import (
        MOST_MISTAKES,
        Mistake,
        of_keys,
        together,
        unfit_ones,
    )  # start-up time

    lines = lines_of(text)
    hidden = of_keys({key: toml[key] for key in flags if key in toml})[1]
    placed = [mistake.placed(name, lines) for mistake in hidden]
    toml = {**toml, **flags}
    if isinstance(text_of := toml.get("openings"), str) and text_of:
        toml["openings"] = openings_table(text_of, folder)
    if toml.get("seed") == UNGUESSABLE:
        toml["seed"] = secrets.randbits(63)
    time = {"time": DEFAULT_TIME} if toml.get("time", {}) == {} else {}
    model, mistakes = of_keys({**toml, **time})
    asked = flags.get("sandbox")
    weaker = (
        Mistake(
            ("bot", at, "sandbox"),
            f"bot {bot.name!r}: {minimum.contradiction(bot.sandbox, str(asked))}",
        )
        for at, bot in enumerate(model.bot)
        if "sandbox" in bot.model_fields_set and minimum.is_weaker(bot.sandbox, asked)
    )
    found = [*mistakes, *together(model, mistakes, folder, played), *weaker]
    placed += [
        mistake.placed("" if mistake.place[0] in flags else name, lines) for mistake in found
    ]
    unfit = unfit_ones(found, model)
    if placed and not (unfit and len(placed) == len(found)):
        if len(mistakes) == MOST_MISTAKES:
            placed.append((MOST, f"{name}: more than {MOST_MISTAKES} mistakes; fix these first"))
        placed.sort(key=itemgetter(0))
        raise ConfigError("\n".join(dict.fromkeys(words for _, words in placed)))
    return replace(
        _made(model, toml, folder), closed=(str(Path(name).resolve()),) if name else (), unfit=unfit
    )


def _cores_of_a_game(bots: Iterable[BotSpec], *, ponder: bool) -> int:
    """Return the most cores that a game of two bots needs; if they ponder, both think at once."""
    most = sorted((bot.threads for bot in bots), reverse=True)
    return sum(most[:2]) if ponder else most[0]


def _made(model: ConfigTable, toml: Mapping[str, Any], folder: Path) -> Config:
    """Return the tournament of a table without mistakes."""
    from lath.arena.entrants.bot_table import bot_spec, located  # start-up time

    bots = tuple(bot_spec(table, folder, model.sandbox) for table in model.bot)
    tuning = None
    if (table := model.tune) is not None:
        tuning = Tuning(
            parameters=read_ranges(table.options),
            pairs=table.pairs,
            rate=table.rate,
            ahead=table.ahead,
        )
        start = dict(tuning.start)  # so the handshake asks each bot for these options
        bots = tuple(replace(bot, options={**bot.options, **start}) for bot in bots)
    most = cores.games_at_once(_cores_of_a_game(bots, ponder=model.time.ponder))
    jobs = most if model.jobs == "auto" else model.jobs
    written = {
        **toml,
        "bot": [
            {**located(row, table, folder), "command": list(bot.command)}
            for row, table, bot in zip(toml["bot"], model.bot, bots, strict=True)
        ],
    }
    if model.openings is not None and model.openings.file:
        written["openings"] = {
            **toml["openings"],
            "file": str((folder / model.openings.file).resolve()),
        }
    if model.league.about:
        about = str((folder / model.league.about).resolve())
        written["league"] = {**toml["league"], "about": about}
    if "games" in toml:
        written["games"] = [lasting(text, folder) for text in toml["games"]]
    model = model.model_copy(
        update={"games": [games.get(games.named(text, folder)).id for text in model.games]}
    )
    openings = _openings(model.openings, folder)
    names = ("event", "format", "rounds", "pairs", "challengers", "seed", "pin", "log", "anchors")
    return Config(
        **{name: getattr(model, name) for name in (*names, "bench_after")},
        games=tuple(model.games),
        jobs=jobs,
        sprt=None if model.sprt is None else Sprt(**dict(model.sprt)),
        tuning=tuning,
        openings=openings,
        adjudication=Adjudication(**dict(model.adjudication)),
        limits=Limits(
            time=model.time.control(),
            margin_s=model.time.margin,
            startup_s=model.time.startup,
            stop_s=model.time.stop,
            hard_limit_s=model.time.limit,
            ponder=model.time.ponder,
        ),
        bots=bots,
        season_plan=None
        if model.season is None
        else SeasonPlan(
            name=model.season.name,
            legs=model.season.legs,
            match_days=tuple(model.season.match_days),
        ),
        given=toml,
        as_written=written,
        noted=_noted(model, jobs, bots, openings),
    )


def _openings(table: OpeningsTable | None, folder: Path) -> Openings:
    """Return the openings. Default: random plies for game types with a single setup."""
    if table is None:
        return RandomChoice(everywhere=False)
    if table.random is not None:
        return RandomChoice(plies=table.random) if table.random else None
    path = (folder / table.file).resolve()
    return BookChoice(
        path=path, digest=digest(path), **table.model_dump(exclude={"file", "random"})
    )


def openings_table(text: str, folder: Path) -> dict[str, Any]:
    """Return the table `[openings]` of a text such as `random:4`, `book.lath` or `book.lath:6`.

    If `folder` has a file with the whole text as its name, the text means that file. Raises
    ConfigError.
    """
    if text == "random" and not is_there(folder / text, Path.is_file):
        raise ConfigError("--openings: random needs a number of plies", hint="--openings random:4")
    name, _, plies = text.rpartition(":")
    if not name or not re.fullmatch(r"[0-9]{1,9}", plies) or is_there(folder / text, Path.is_file):
        return {"file": text}
    return {"random": int(plies)} if name == "random" else {"file": name, "plies": int(plies)}


def budget_of(text: str) -> Budget:
    """Return the budget of a `--budget` flag: games such as `200`, or a time such as `90s`.

    Raises ConfigError.
    """
    try:
        if text.isascii() and text.isdigit() and 0 < int(text) <= MOST:
            return Budget(games=int(text))
        from lath.arena.entrants.bot_table import seconds  # start-up time

        if (time_s := seconds(text)) > 0:
            return Budget(seconds=time_s)
    except ValueError:
        pass
    raise ConfigError(
        f"--budget: {text!r} is neither a number of games, such as 200, nor a time, such as 90s"
    )


def sprt_table(text: str) -> dict[str, Any]:
    """Return the table `[sprt]` of a `--sprt` flag such as `0,10` or `0,10,0.05,0.1`.

    Raises ConfigError.
    """
    words = [word.strip() for word in text.split(",")]
    numbers = [None if "e" in word.lower() else number_of(word) for word in words]
    if None in numbers or len(numbers) not in (2, 4):
        raise ConfigError(f"--sprt: {text!r} is not elo0,elo1 or elo0,elo1,alpha,beta")
    return dict(zip(("elo0", "elo1", "alpha", "beta"), numbers, strict=False))
