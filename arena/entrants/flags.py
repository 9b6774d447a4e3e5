"""The text of `--bot`: conversion to a bot's table and back."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lath.arena.entrants import minimum
from lath.arena.entrants.bot_folders import started_by
from lath.arena.entrants.flag_text import split_parts, words_of
from lath.arena.entrants.origins import BotOrigin, placed, refuse_place, table_of
from lath.arena.entrants.programs import advice_on, bundled, is_there
from lath.arena.errors import ConfigError


def bot_flag(text: str, flag: str = "--bot", sandbox: str | None = None) -> dict[str, Any]:
    """Return a bot's table, as `[[bot]]` has it; raises ConfigError, which names the part.

    A program or a folder takes its name from its file by default. Paths are relative to the current
    folder, or to the bot's `cwd`. `sandbox` is the value of `--sandbox`, which limits the keys that
    a file in a folder can set.

    >>> bot_flag("greedy; option.depth=2; tc=move 0.5")
    {'name': 'greedy', 'options': {'depth': 2}, 'time': {'move': '500ms'}}
    """
    from lath.arena.entrants.bot_table import checked, read_parts  # start-up time

    first, *parts = split_parts(text)
    name, equals, command = first.strip().partition("=")
    of = f"{flag} {name}: "
    table = {"name": name, **read_parts(parts, of)}
    home = Path(table.get("cwd", "")).absolute()
    if _is_command(first.strip(), home) if equals else _is_place(name, home):
        words = words_of(first, home, of=f"{flag}: ")
        path = home / words[0]
        name = path.resolve().name if is_there(path, Path.is_dir) else path.stem
        table["name"] = name
        checked(table, f"{flag} {name}: ")
        if not (is_there(path, Path.exists) or "build" in table):
            raise ConfigError(
                f"{flag}: {words[0]!r} not found; expected a program, a folder, NAME=CMD or one of "
                f"{', '.join(bundled())}"
            )
        return placed(_commanded(table, words, home, f"{flag} {name}", sandbox))
    checked(table, of)
    if equals:
        words = words_of(command, home, of=of)
        if not _is_folder(words, home) and "build" not in table:
            _refuse_to_start(words, home, name, flag)
        table = _commanded(table, words, home, of.removesuffix(": "), sandbox)
    return placed(table)


def _is_place(text: str, home: Path) -> bool:
    """Return True if a text is the path of a program or folder, not a bot's name."""
    if text in bundled() or not text:
        return False
    return "/" in text.split(maxsplit=1)[0] or is_there(home / text, Path.exists)


def _is_command(text: str, home: Path) -> bool:
    """Return True if a text with a `=` is a command of an existing program, not NAME=CMD."""
    first = text.split(maxsplit=1)[0]
    return "/" in first.partition("=")[0] and is_there(home / first, Path.is_file)


def _is_folder(words: Sequence[str], home: Path) -> bool:
    is_one = len(words) == 1 and words[0] not in bundled()
    return is_one and is_there(home / words[0], Path.is_dir)


def _refuse_to_start(words: tuple[str, ...], home: Path, name: str, flag: str) -> None:
    """Raise ConfigError for a command that cannot start, with the text to use instead."""
    if advice := advice_on(words, home):
        said = shlex.quote(f"{name}={shlex.join(advice.words)}")
        raise ConfigError(f"{flag} {name}: {advice.why}", hint=advice.hint(f"{flag} {said}"))


def _commanded(
    table: dict[str, Any],
    words: tuple[str, ...],
    home: Path,
    called: str,
    sandbox: str | None,
) -> dict[str, Any]:
    """Return the table of a bot with its command, which may be that of a folder.

    Raises ConfigError.
    """
    if not _is_folder(words, home):
        is_program = len(words) == 1 and words[0] not in bundled() and "build" not in table
        if is_program and is_there(path := home / words[0], Path.is_file):
            words = started_by(path, called)
        return {**table, "command": list(words)}
    parts = {key: value for key, value in table.items() if key != "name"}
    refuse_place(parts, called)
    asked = minimum.asked_for(sandbox, parts, called)
    origin = BotOrigin("", "folder", where=(home / words[0]).resolve(), parts=parts, asked=asked)
    return {**table_of(origin, called), "name": table["name"]}


def flag_of(table: Mapping[str, Any]) -> str:
    """Return the `--bot` text of a table, from which `bot_flag` makes the same table.

    >>> flag_of({"name": "a", "command": ["./a b"], "time": {"move": "500ms"}, "threads": 2})
    "a='./a b'; tc='move 0.5'; threads=2"
    """
    from lath.arena.entrants.bot_table import checked, parts_text  # start-up time

    row = checked(table, f"bot {table.get('name', '')}: ")
    command = f"={shlex.join(row.command)}" if row.command else ""
    return "; ".join([f"{row.name}{command}", *parts_text(table)])
