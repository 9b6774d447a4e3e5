"""How a bot is started, from its table in `tournament.toml`, wherever that is read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from lath.arena.entrants.bot_table import KEYS, BotTable
from lath.arena.entrants.programs import bundled, missing_file, resolve
from lath.arena.entrants.sizes import MAX_JOBS
from lath.arena.referee.bots import BotSpec
from lath.notation.protocol import TimeControl

_FROM_THE_FIRST: Final = ("name", "command", "options", "time")
"""What 0.1.0 kept of every bot, in its order; of other keys only what is said is kept."""


def bot_spec(table: BotTable, folder: Path, sandbox: str = "auto") -> BotSpec:
    """Return how a bot is started whose table is right; `folder` is that of the file.

    `sandbox` is that of a bot that names none.
    """
    command = table.command or bundled()[table.name]
    home = (folder / table.cwd).resolve()
    said = table.model_fields_set
    threads: object = table.threads
    if "threads" not in said:  # then by its option of this name, as UCI has it
        threads = {name.lower(): value for name, value in table.options.items()}.get("threads")
    has_threads = type(threads) is int and 1 <= threads <= MAX_JOBS
    values = {key.spec or name: getattr(table, name) for name, key in KEYS.items()}
    own: dict[str, Any] = {
        "command": resolve(command, home),
        "cwd": str(home) if table.cwd else None,
        "files": _below(home, table.files or ["."] * bool(table.build)),
        "lacks": missing_file(command, home, in_scratch=not table.cwd),
        "memory_bytes": table.memory or None,
        "time": table.time and table.time.control(),
        "threads": threads if has_threads else 1,
        "sandbox": table.sandbox if "sandbox" in said else sandbox,
        "reads": _below(folder, table.reads),
        "may_be_of_contest": "protocol" not in said and bool(table.command),
    }
    return BotSpec(**values | own)


def _below(folder: Path, paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(os.path.normpath(folder.absolute() / path) for path in paths)


def located(row: Mapping[str, Any], table: BotTable, folder: Path) -> dict[str, Any]:
    """Return a row that `table` has checked, with paths that any folder can read."""
    home = (folder / table.cwd).resolve()
    found = {**row}
    if table.cwd:
        found["cwd"] = str(home)
    if table.command:
        found["command"] = list(resolve(table.command, home))
    for key, place in (("files", home), ("reads", folder)):
        if key in row:
            found[key] = list(_below(place, getattr(table, key)))
    return found


def identity_of(bot: BotSpec) -> dict[str, object]:
    """Return what decides the games of a bot, as JSON has it: a directory keeps it."""
    found: dict[str, object] = {}
    for name in sorted(KEYS, key=lambda name: name not in _FROM_THE_FIRST):
        value = getattr(bot, KEYS[name].spec or name)
        is_said = value and value != BotTable.model_fields[name].default
        if KEYS[name].decides and (is_said or name in _FROM_THE_FIRST):
            value = str(value) if isinstance(value, TimeControl) else value
            found[name] = list(value) if isinstance(value, tuple) else value
    return found
