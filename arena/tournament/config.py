"""What a tournament is: the configuration, read from TOML or flags, checked whole.

Must not know how games are played. An unknown key or a wrong value names file, line, key and what
is allowed.
"""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lath import games
from lath.arena.errors import ConfigError
from lath.arena.referee.adjudication import NO_ADJUDICATION, Adjudication
from lath.arena.referee.bot import BotSpec
from lath.arena.referee.clock import HARD_LIMIT_S, MARGIN_S, Limits
from lath.arena.schedule.openings import BookTerms
from lath.arena.schedule.sprt import Sprt
from lath.arena.tournament import cores
from lath.arena.tournament.checking import Check
from lath.arena.tournament.commands import bundled, missing_script, resolve
from lath.arena.tournament.keys import (
    ADJUDICATION_KEYS,
    BOT_KEYS,
    MAX_JOBS,
    TIME_KEYS,
    TOP_KEYS,
)
from lath.arena.tournament.places import Source
from lath.arena.tournament.terms import openings_of, refuse_misfits, refuse_numbers, sprt_of
from lath.games.core import UnknownGameError
from lath.notation.timecontrol import TimeControl

DEMO_GAMES: Final = ("mammalath", "manalath", "surikata", "yavalath")
DEMO_ROUNDS: Final = 3
DEMO_TIME: Final = TimeControl(initial_ms=2000, increment_ms=20)

_FLAGS: Final = Source()
_NONE: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A tournament, ready to be played."""

    event: str = "Tournament"
    games: tuple[str, ...]
    format: str = "round-robin"
    rounds: int = 1
    """Each round: every pairing, both seats of every setup."""

    pairs: int = 1
    """Setups per game that two bots play when they meet, in swiss and knockout."""

    challengers: int = 1
    """Bots of a gauntlet that play all the others: the first ones."""

    sprt: Sprt | None = None
    """When a match is decided before its last round."""

    openings: BookTerms | None = None
    """Where games begin; None: at setups that are drawn by the seed."""

    seed: int = 1
    jobs: int = 1
    pin: str = "auto"
    """`auto`: each game has cores of its own where there are enough; `off`: the system decides."""

    log: str = "bad"
    """Of which games the exchange of lines is kept: of those that ended badly, or of `all`."""

    adjudication: Adjudication = NO_ADJUDICATION
    limits: Limits
    bots: tuple[BotSpec, ...]
    as_written: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """The same as TOML would say it, for `tournament.toml`."""

    @property
    def names(self) -> tuple[str, ...]:
        """Return the bots' names."""
        return tuple(bot.name for bot in self.bots)

    def identity(self) -> dict[str, object]:
        """Return what may not change between a run and its resumption.

        The number of rounds may: the games of the first rounds stay the same.
        """
        return {
            "event": self.event,
            "games": list(self.games),
            "format": self.format,
            "pairs": self.pairs,
            "challengers": self.challengers,
            "sprt": self.sprt and dataclasses.asdict(self.sprt),
            "openings": self.openings and self.openings.identity(),
            "seed": self.seed,
            "time": str(self.limits.time),
            "adjudication": dataclasses.asdict(self.adjudication),
            "bots": [
                {
                    "name": bot.name,
                    "command": list(bot.command),
                    "options": dict(bot.options),
                    "time": None if bot.time is None else str(bot.time),
                }
                for bot in self.bots
            ],
        }


def demo() -> dict[str, Any]:
    """Return the built-in tournament: the bundled bots over four games."""
    return {
        "event": "Demo of the bundled bots",
        "games": list(DEMO_GAMES),
        "format": "round-robin",
        "rounds": DEMO_ROUNDS,
        "seed": 1,
        "jobs": os.cpu_count() or 1,
        "time": {
            "initial": f"{DEMO_TIME.initial_ms / 1000:g}s",
            "increment": f"{DEMO_TIME.increment_ms}ms",
        },
        "bot": [{"name": name} for name in bundled()],
    }


def load(path: Path, folder: Path, flags: Mapping[str, Any] = _NONE) -> Config:
    """Return the tournament that a file says, and flags over it; raises ConfigError.

    Relative paths are taken from `folder`.
    """
    text = _text_of(path)
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error
    Check(Source(str(path), text)).all(told)
    return build({**told, **flags}, folder, source=Source(str(path), text, frozenset(flags)))


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8: byte {error.start}") from error


def build(told: Mapping[str, Any], folder: Path, *, source: Source = _FLAGS) -> Config:
    """Return the tournament that a table says; raises ConfigError.

    Relative paths are taken from `folder`. `source` is where the table comes from.
    """
    Check(source).all(told)
    values = {name: key.read(told[name]) for name, key in TOP_KEYS.items() if name in told}
    bots = tuple(_bot(row, folder, n, source) for n, row in enumerate(told.get("bot", [])))
    _refuse_few(bots, source)
    chosen = values.get("format", "round-robin")
    refuse_misfits(chosen, told, source)
    refuse_numbers(chosen, len(bots), values.get("challengers", 1), source)
    values.setdefault("games", DEMO_GAMES)
    for game_id in values["games"]:
        try:
            games.get(game_id)
        except UnknownGameError as error:
            raise ConfigError(f"{source.place('games')}: games: {error}") from error
    if values.get("jobs") == "auto":
        values["jobs"] = max(1, len(cores.available()) // max(bot.threads for bot in bots))
    openings = openings_of(told.get("openings"), folder, source)
    written = {
        **told,
        **({"openings": {**told["openings"], "file": str(openings.path)}} if openings else {}),
        "bot": [_absolute(row, bot) for row, bot in zip(told["bot"], bots, strict=True)],
    }
    return Config(
        **values,
        sprt=sprt_of(told.get("sprt"), source),
        openings=openings,
        adjudication=_adjudication(told.get("adjudication", {}), source),
        limits=_limits(told.get("time", {}), source),
        bots=bots,
        as_written=written,
    )


def _absolute(row: Mapping[str, Any], bot: BotSpec) -> dict[str, Any]:
    """Return a bot's table as any folder can read it."""
    written = {**row, "command": list(bot.command)}
    return {**written, "cwd": bot.cwd} if bot.cwd else written


def _refuse_few(bots: Sequence[BotSpec], source: Source) -> None:
    if len(bots) < 2:
        place = source.place("bot")
        raise ConfigError(f"{place}: expected at least two bots, found {len(bots)}")
    names = [bot.name for bot in bots]
    for index, name in enumerate(names):
        if name in names[:index]:
            place = source.place("name", f"bot {index}")
            raise ConfigError(f"{place}: two bots are called {name!r}, expected different names")


def _bot(row: Mapping[str, Any], folder: Path, index: int, source: Source) -> BotSpec:
    values = {name: key.read(row[name]) for name, key in BOT_KEYS.items() if name in row}
    table, called = f"bot {index}", f"bot {values['name']!r}"
    cwd = folder / values["cwd"] if "cwd" in values else None
    if cwd and not cwd.is_dir():
        place = source.place("cwd", table)
        raise ConfigError(f"{place}: {called}: cwd {str(cwd)!r} is not a folder")
    command = values.get("command") or bundled().get(values["name"])
    if command is None:
        raise ConfigError(
            f"{source.place('name', table)}: {called} has no command, and is not one of the "
            f"bundled bots: {', '.join(bundled())}"
        )
    home = (cwd or folder).resolve()
    return BotSpec(
        name=values["name"],
        command=resolve(command, home),
        cwd=str(home) if cwd else None,
        lacks=missing_script(command, home, in_scratch=cwd is None),
        env=values.get("env", {}),
        options=values.get("options", {}),
        memory_bytes=values.get("memory"),
        time=_time(values["time"], source, table, called) if "time" in values else None,
        threads=values.get("threads", _threads(values.get("options", {}))),
    )


def _threads(options: Mapping[str, object]) -> int:
    """Return how many threads a bot is told to use by the option of this name, as UCI has it."""
    told = {name.lower(): value for name, value in options.items()}.get("threads")
    return told if type(told) is int and 1 <= told <= MAX_JOBS else 1


def _adjudication(told: Mapping[str, Any], source: Source) -> Adjudication:
    """Return what ends games early; raises ConfigError for one half of what belongs together."""
    values = {name: key.read(told[name]) for name, key in ADJUDICATION_KEYS.items() if name in told}
    for one, other in (("win_eval", "win_after"), ("draw_eval", "draw_after")):
        if (one in values) != (other in values):
            place = source.place(one if one in values else other, "adjudication")
            raise ConfigError(f"{place}: adjudication: expected both {one} and {other}, or none")
    if values.get("win_eval", 1) <= values.get("draw_eval", 0):
        place = source.place("win_eval", "adjudication")
        raise ConfigError(f"{place}: adjudication: expected win_eval over draw_eval and over 0")
    return Adjudication(**values)


def _limits(told: Mapping[str, Any], source: Source) -> Limits:
    values = {name: key.read(told[name]) for name, key in TIME_KEYS.items() if name in told}
    return Limits(
        time=_time(values, source, "time") if told else DEMO_TIME,
        margin_s=values.get("margin", MARGIN_S),
        startup_s=values.get("startup", 10.0),
        hard_limit_s=values.get("limit", HARD_LIMIT_S),
    )


def _time(values: Mapping[str, Any], source: Source, table: str, called: str = "") -> TimeControl:
    """Return the time control of a table that was read; raises ConfigError for two in one.

    `called` is the bot whose own it is.
    """
    kinds = [kind for kind in ("initial", "move", "nodes") if kind in values]
    where = f"{called}: time" if called else "time"
    if len(kinds) > 1:
        place = source.place("time" if called else kinds[1], table)
        raise ConfigError(f"{place}: {where}: {' and '.join(kinds)}, expected one of them")
    if "increment" in values and "initial" not in values:
        place = source.place("time" if called else "increment", table)
        raise ConfigError(f"{place}: {where}: increment without initial")
    return TimeControl(
        initial_ms=round(values.get("initial", 0) * 1000),
        increment_ms=round(values.get("increment", 0) * 1000),
        move_ms=round(values.get("move", 0) * 1000),
        nodes=values.get("nodes", 0),
    )


def time_table(text: str) -> dict[str, Any]:
    """Return the `[time]` table of a `--tc` flag such as `10+0.1`; raises ConfigError."""
    try:
        time = TimeControl.read(text)
    except ValueError as error:
        raise ConfigError(f"--tc: {error}") from error
    if time.has_clock:
        return {"initial": f"{time.initial_ms}ms", "increment": f"{time.increment_ms}ms"}
    if time.move_ms:
        return {"move": f"{time.move_ms}ms"}
    return {"nodes": time.nodes} if time.nodes else {"limit": f"{HARD_LIMIT_S}s"}
