"""The parts of a bot's text: options, variables and times after each semicolon."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from lath.arena.entrants.programs import is_there
from lath.arena.errors import ConfigError
from lath.notation.protocol import TimeControl

_PARTS: Final = re.compile(r"""(?:[^;'"\\]|\\.|'[^']*'|"(?:\\.|[^"\\])*")*(?:;|\Z)""", re.DOTALL)
"""A part and the `;` after it, which stands in no quotes."""

OF_ONE: Final = {"option": "options", "env": "env", "host": "hosts"}
"""Parts such as `option.threads=2`, and the table that each fills."""


def parts_of(parts: Iterable[str], of: str) -> dict[str, Any]:
    """Return what stands after `;`, as `[[bot]]` has it; raises ConfigError."""
    table: dict[str, Any] = {}
    for part in parts:
        key, _, value = part.strip().partition("=")
        kind, _, one = key.partition(".")
        if key not in READERS and not (kind in OF_ONE and one):
            raise ConfigError(f"{of}{_unknown(key)}")
        if kind != "host":  # a command, whose words are read later
            value = " ".join(words_of(value, of=f"{of}{key}: ")) if value else ""
        row = table.setdefault(OF_ONE[kind], {}) if one else table
        where = one or ("time" if key == "tc" else key)
        if where in row:
            raise ConfigError(f"{of}{key} is said twice")
        try:
            row[where] = _typed(value) if kind == "option" else READERS.get(key, str)(value)
        except ConfigError as error:
            raise ConfigError(f"{of}{error}") from error
    return table


def split_parts(text: str) -> Iterator[str]:
    """Yield the parts of what a flag says, as they are."""
    at = 0
    while (found := _PARTS.match(text, at)) and found[0].endswith(";"):
        yield found[0].removesuffix(";")
        at = found.end()
    yield text[at:]  # a quotation in it may not be closed: who reads its words says so


def _unknown(key: str) -> str:
    known = [*READERS, *(f"{kind}.NAME" for kind in OF_ONE)]
    alike = get_close_matches(key.partition(".")[0].lower(), [*READERS, *OF_ONE], n=1)
    meant = f"; did you mean {alike[0]!r}?" if alike else ""
    return f"unknown part {key!r}, expected one of {', '.join(known)}{meant}"


def _typed(value: str) -> str | int | bool:
    """Return the value of an option as TOML has it.

    >>> _typed("2"), _typed("true"), _typed("02"), _typed("x")
    (2, True, '02', 'x')
    """
    if re.fullmatch(r"0|-?[1-9][0-9]{0,14}", value):
        return int(value)
    return {"true": True, "false": False}.get(value, value)


def _folder(text: str) -> str:
    if not text or not Path(text).is_dir():
        raise ConfigError(f"cwd={text}, expected a folder")
    return str(Path(text).resolve())


def _own_time(text: str) -> dict[str, Any]:
    from lath.arena.entrants.bot_spec import time_table  # start-up time

    time = time_of(text, "tc")
    if time == TimeControl():
        raise ConfigError("tc=none, expected a limit: only all bots together may have none")
    return time_table(time)


def _amount(text: str) -> str | float:
    """Return a duration, which is seconds where it has no unit."""
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) else text


READERS: Final[dict[str, Callable[[str], Any]]] = {
    "cwd": _folder,
    "files": lambda text: text.split(","),
    "tc": _own_time,
    "memory": str,
    "startup": _amount,
    "margin": _amount,
    "stop": _amount,
    "threads": _typed,
    "build": str,
    "sandbox": str,
    "reads": lambda text: text.split(","),
    "cache": str,
    "protocol": str,
}
"""What a part may be besides options and variables, and what reads its value."""


def words_of(command: str, home: Path | None = None, *, of: str = "") -> tuple[str, ...]:
    """Return the words of a command, whose option is `of`; raises ConfigError.

    It is one word, blanks and all, where that is the path of something that is there, from `home`.
    """
    if home is not None and command.strip() and is_there(home / command, Path.exists):
        return (command,)
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise ConfigError(f"{of}{command!r} is not a command: {error}") from error
    if not words or not words[0]:
        raise ConfigError(f"{of}the command is empty")
    return words


def time_of(tc: str, of: str = "--tc") -> TimeControl:
    """Return the time that `--tc` says; raises ConfigError."""
    try:
        return TimeControl.read(tc)
    except ValueError as error:
        raise ConfigError(f"{of}: {error}") from error
