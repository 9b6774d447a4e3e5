"""What a tournament is: the configuration, read from TOML or flags, checked whole.

Must not know how games are played. An unknown key or a wrong value names file, line, key and what
is allowed.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import games
from arena.bot import BotSpec
from arena.clock import HARD_LIMIT_S, MARGIN_S, Limits
from arena.commands import bundled, resolve
from arena.errors import ConfigError
from arena.keys import BOT_KEYS, TIME_KEYS, TOP_KEYS, Key
from games.core import UnknownGameError
from notation.timecontrol import TimeControl

DEMO_GAMES: Final = ("mammalath", "manalath", "surikata", "yavalath")
DEMO_ROUNDS: Final = 3
DEMO_TIME: Final = TimeControl(initial_ms=2000, increment_ms=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """A tournament, ready to be played."""

    event: str = "Tournament"
    games: tuple[str, ...]
    format: str = "round-robin"
    rounds: int = 1
    """Each round: every pairing, both seats of every setup."""

    seed: int = 1
    jobs: int = 1
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
            "seed": self.seed,
            "time": str(self.limits.time),
            "bots": [
                {"name": bot.name, "command": list(bot.command), "options": dict(bot.options)}
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


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a configuration file says, checked; raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8: byte {error.start}") from error
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error
    _Check(str(path), text).all(told)
    return told


def build(told: Mapping[str, Any], folder: Path, *, source: str = "the command line") -> Config:
    """Return the tournament that the checked or flag-made table says; raises ConfigError.

    Relative paths are taken from `folder`. `source` is what errors call the table.
    """
    check = _Check(source, "")
    check.all(told)
    values = {name: key.read(told[name]) for name, key in TOP_KEYS.items() if name in told}
    bots = tuple(_bot(row, folder) for row in told.get("bot", []))
    _refuse_few(bots, source)
    values.setdefault("games", DEMO_GAMES)
    for game_id in values["games"]:
        try:
            games.get(game_id)
        except UnknownGameError as error:
            raise ConfigError(f"{source}: games: {error}") from error
    if values.get("jobs") == "auto":
        values["jobs"] = os.cpu_count() or 1
    written = {
        **told,
        "bot": [_absolute(row, bot) for row, bot in zip(told["bot"], bots, strict=True)],
    }
    return Config(
        **values, limits=_limits(told.get("time", {}), source), bots=bots, as_written=written
    )


def _absolute(row: Mapping[str, Any], bot: BotSpec) -> dict[str, Any]:
    """Return a bot's table as any folder can read it."""
    written = {**row, "command": list(bot.command)}
    return {**written, "cwd": str(bot.cwd)} if bot.cwd else written


def _refuse_few(bots: Sequence[BotSpec], source: str) -> None:
    if len(bots) < 2:
        raise ConfigError(f"{source}: expected at least two bots, found {len(bots)}")
    names = [bot.name for bot in bots]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{source}: two bots are called {name!r}, expected different names")


def _bot(row: Mapping[str, Any], folder: Path) -> BotSpec:
    values = {name: key.read(row[name]) for name, key in BOT_KEYS.items() if name in row}
    cwd = folder / values["cwd"] if "cwd" in values else None
    if cwd and not cwd.is_dir():
        raise ConfigError(f"bot {values['name']!r}: cwd {str(cwd)!r} is not a folder")
    command = values.get("command") or bundled().get(values["name"])
    if command is None:
        known = ", ".join(bundled())
        raise ConfigError(
            f"bot {values['name']!r} has no command, and is not one of the bundled bots: {known}"
        )
    return BotSpec(
        name=values["name"],
        command=resolve(command, cwd.resolve() if cwd else folder.resolve()),
        cwd=cwd.resolve() if cwd else None,
        env=values.get("env", {}),
        options=values.get("options", {}),
        memory_bytes=values.get("memory"),
    )


def _limits(told: Mapping[str, Any], source: str) -> Limits:
    values = {name: key.read(told[name]) for name, key in TIME_KEYS.items() if name in told}
    kinds = [kind for kind in ("initial", "move", "nodes") if kind in values]
    if len(kinds) > 1:
        raise ConfigError(f"{source}: time: {' and '.join(kinds)}, expected one of them")
    if "increment" in values and "initial" not in values:
        raise ConfigError(f"{source}: time: increment without initial")
    time = TimeControl(
        initial_ms=round(values.get("initial", 0) * 1000),
        increment_ms=round(values.get("increment", 0) * 1000),
        move_ms=round(values.get("move", 0) * 1000),
        nodes=values.get("nodes", 0),
    )
    return Limits(
        time=DEMO_TIME if not told else time,
        margin_s=values.get("margin", MARGIN_S),
        startup_s=values.get("startup", 10.0),
        hard_limit_s=values.get("limit", HARD_LIMIT_S),
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


@dataclass(frozen=True)
class _Check:
    """Finds unknown keys and wrong values, and where they stand."""

    source: str
    text: str

    def all(self, told: Mapping[str, Any]) -> None:
        """Raise ConfigError at the first thing that is wrong."""
        self._table(told, {**TOP_KEYS, "time": None, "bot": None}, "")
        time = told.get("time", {})
        if not isinstance(time, dict):
            self._fail("time", "", f"{time!r}", "a table [time]")
        self._table(time, TIME_KEYS, "time")
        bots = told.get("bot", [])
        if not isinstance(bots, list) or not all(isinstance(row, dict) for row in bots):
            self._fail("bot", "", f"{bots!r}", "tables [[bot]]")
        for index, row in enumerate(bots):
            self._table(row, BOT_KEYS, f"bot {index}")
            if "name" not in row:
                raise ConfigError(f"{self._place('name', f'bot {index}')}: bot: expected a name")

    def _table(self, told: Mapping[str, Any], keys: Mapping[str, Key | None], table: str) -> None:
        for name, value in told.items():
            if name not in keys:
                allowed = ", ".join(keys)
                where = f" in [{table.split(' ', maxsplit=1)[0]}]" if table else ""
                raise ConfigError(
                    f"{self._place(name, table)}: unknown key {name!r}{where}, expected one of "
                    f"{allowed}"
                )
            key = keys[name]
            if key is None:
                continue
            try:
                key.read(value)
            except (TypeError, ValueError) as error:
                self._fail(name, table, repr(value), key.allowed, error)

    def _fail(
        self, name: str, table: str, value: str, allowed: str, error: Exception | None = None
    ) -> None:
        raise ConfigError(
            f"{self._place(name, table)}: {name} = {value}, expected {allowed}"
        ) from error

    def _place(self, name: str, table: str) -> str:
        line = _line_of(self.text, name, table)
        return f"{self.source}:{line}" if line else self.source


def _line_of(text: str, name: str, table: str) -> int | None:
    """Return the line on which a key of a table (`time`, `bot 0`, ``) stands; None if unknown."""
    current = ""
    seen = -1
    header = None
    for number, line in enumerate(text.splitlines(), 1):
        if match := re.match(r"\s*\[\[?\s*([A-Za-z_.-]+)\s*\]", line):
            current = match[1]
            if current == "bot":
                seen += 1
                current = f"bot {seen}"
            elif current.startswith("bot."):
                current = f"bot {seen} {current[4:]}"
            if current == table:
                header = number
            if current in (name, f"{table} {name}"):
                return number
        elif current == table and re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*[.=]", line):
            return number
    return header
