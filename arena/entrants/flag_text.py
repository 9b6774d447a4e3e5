"""The text of a bot: parts between semicolons, words of commands, and values."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from lath.arena.entrants.programs import is_there
from lath.arena.errors import ConfigError
from lath.arena.referee.clock import HARD_LIMIT_S
from lath.notation.protocol import TimeControl

_PART: Final = re.compile(r"""(?:[^;'"\\]|\\.|'[^']*'|"(?:\\.|[^"\\])*")*(?:;|\Z)""", re.DOTALL)
"""The pattern of a part with the unquoted `;` after it."""

_KEY: Final = re.compile(r"""(?:[^='"\\]|\\.|'[^']*'|"(?:\\.|[^"\\])*")*""", re.DOTALL)
"""The pattern of the text before the first unquoted `=` of a part."""


def split_parts(text: str) -> Iterator[str]:
    """Yield the parts of a bot's text, unchanged."""
    at = 0
    while (found := _PART.match(text, at)) and found[0].endswith(";"):
        yield found[0].removesuffix(";")
        at = found.end()
    yield text[at:]  # Its last quotation may be open; the reader of its words reports that.


def split_part(part: str) -> tuple[str, str]:
    """Return the texts before (quotes included) and after the `=` of a part.

    >>> split_part("option.'a=b'=c=d")
    ("option.'a=b'", 'c=d')
    """
    found = _KEY.match(part)
    at = found.end() if found else 0
    return (part[:at], part[at + 1 :]) if part[at : at + 1] in ("=", "") else (part, "")


def words_of(command: str, home: Path | None = None, *, of: str = "") -> tuple[str, ...]:
    """Return the words of a command, whose option is `of`; raises ConfigError.

    The command is a single word, even with spaces, if it is an existing path in `home`.
    """
    if home is not None and command.strip() and is_there(home / command, Path.exists):
        return (command,)
    words = split_words(command, of)
    if not words or not words[0]:
        raise ConfigError(f"{of or 'CMD: '}the command is empty")
    return tuple(words)


def split_words(text: str, of: str) -> list[str]:
    """Return the words of a text as a shell reads them; raises ConfigError."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"{of or 'CMD: '}{text!r} is not a command: {error}") from error


def time_of(tc: str, of: str = "--tc") -> TimeControl:
    """Return the time control of a `--tc` text; raises ConfigError."""
    try:
        return TimeControl.read(tc)
    except ValueError as error:
        raise ConfigError(f"{of}: {error}") from error


def time_table(time: TimeControl) -> dict[str, Any]:
    """Return the table `[time]` of a time control."""
    table: dict[str, Any] = {"first": f"{time.first_ms}ms"} if time.first_ms else {}
    if time.has_clock:
        table |= {"initial": f"{time.initial_ms}ms", "increment": f"{time.increment_ms}ms"}
    elif time.move_ms:
        table |= {"move": f"{time.move_ms}ms"}
    elif time.nodes:
        table |= {"nodes": time.nodes}
    return table or {"limit": f"{HARD_LIMIT_S}s"}


# Values of parts


class PartKind(NamedTuple):
    """The reader and the writer of a part's values, without the quotes around them."""

    read: Callable[[str], Any] = str
    """A function that returns the value for `[[bot]]`; raises ConfigError."""

    write: Callable[[Any], str] = str
    has_words: bool = False
    """True if quotes stay, because the value is a command that is split later."""


def _typed(value: str) -> str | int | bool:
    """Return the value of an option with its type in TOML.

    >>> _typed("2"), _typed("true"), _typed("02"), _typed("x")
    (2, True, '02', 'x')
    """
    if re.fullmatch(r"0|-?[1-9][0-9]{0,14}", value):
        return int(value)
    return {"true": True, "false": False}.get(value, value)


def _untyped(value: str | float | bool) -> str:
    """Return the text of an option's value, as the protocol sends it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _folder(text: str) -> str:
    if not text or not Path(text).is_dir():
        raise ConfigError(f"cwd={text} is not a folder")
    return str(Path(text).resolve())


def _listed(text: str) -> list[str]:
    """Return the paths of a comma-separated list; paths with a comma or a quote are quoted."""
    return next(csv.reader([text]), [""])


def _as_list(paths: Sequence[str]) -> str:
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(paths)
    return row.getvalue()


def time_from(text: str) -> dict[str, Any]:
    """Return the time table of a bot's part `tc=`; raises ConfigError."""
    if (time := time_of(text, "tc")) == TimeControl():
        raise ConfigError("tc=none is not allowed for one bot; only --tc none for all bots")
    return time_table(time)


def _amount(text: str) -> str | float:
    """Return a duration; a number without a unit is in seconds."""
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", text) else text


TEXT: Final = PartKind()

TYPED: Final = PartKind(_typed, _untyped)

AMOUNT: Final = PartKind(_amount)

PATHS: Final = PartKind(_listed, _as_list)

FOLDER: Final = PartKind(_folder)

WORDS: Final = PartKind(
    write=lambda words: words if isinstance(words, str) else shlex.join(words), has_words=True
)
