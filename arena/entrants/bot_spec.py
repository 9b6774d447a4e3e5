"""How a bot is started, from its table in `tournament.toml`; and time controls as tables."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lath.arena.entrants.programs import bundled, missing_file, resolve
from lath.arena.entrants.sizes import MAX_JOBS
from lath.arena.referee.bots import BotSpec
from lath.arena.referee.clock import HARD_LIMIT_S
from lath.notation.protocol import TimeControl

if TYPE_CHECKING:  # models, which take longer to make than a command's help to print
    from lath.arena.entrants.bot_table import BotTable, BotTime


def bot_spec(table: BotTable, folder: Path, sandbox: str = "auto") -> BotSpec:
    """Return how a bot is started whose table is right; `folder` is that of the file.

    `sandbox` is the wall of who names none.
    """
    command = table.command or bundled()[table.name]
    home = (folder / table.cwd).resolve()
    threads = table.threads
    if "threads" not in table.model_fields_set:  # then by its option of this name, as UCI has it
        said = {name.lower(): value for name, value in table.options.items()}.get("threads")
        threads = said if type(said) is int and 1 <= said <= MAX_JOBS else 1
    return BotSpec(
        name=table.name,
        command=resolve(command, home),
        cwd=str(home) if table.cwd else None,
        files=tuple(
            os.path.normpath(home / path) for path in table.files or ["."] * bool(table.build)
        ),
        lacks=missing_file(command, home, in_scratch=not table.cwd),
        env=table.env,
        options=table.options,
        memory_bytes=table.memory or None,
        time=None if table.time is None else time_control(table.time),
        startup_s=table.startup,
        margin_s=table.margin,
        stop_s=table.stop,
        threads=threads,
        sandbox=table.sandbox if "sandbox" in table.model_fields_set else sandbox,
        reads=tuple(os.path.normpath(folder / path) for path in table.reads),
        cache_bytes=table.cache,
        build=table.build,
        hosts=table.hosts,
        protocol=table.protocol,
        may_be_of_contest="protocol" not in table.model_fields_set and bool(table.command),
    )


def time_control(table: BotTime) -> TimeControl:
    """Return the time control of a table `[time]`, or of a bot's own."""
    return TimeControl(
        initial_ms=round(table.initial * 1000),
        increment_ms=round(table.increment * 1000),
        move_ms=round(table.move * 1000),
        nodes=table.nodes,
        first_ms=round(table.first * 1000),
    )


def time_table(time: TimeControl) -> dict[str, Any]:
    """Return the table `[time]` of what a `--tc` flag such as `10+0.1` says."""
    table: dict[str, Any] = {"first": f"{time.first_ms}ms"} if time.first_ms else {}
    if time.has_clock:
        table |= {"initial": f"{time.initial_ms}ms", "increment": f"{time.increment_ms}ms"}
    elif time.move_ms:
        table |= {"move": f"{time.move_ms}ms"}
    elif time.nodes:
        table |= {"nodes": time.nodes}
    return table or {"limit": f"{HARD_LIMIT_S}s"}
