"""The bot in a folder: its command, and the keys that its own `tournament.toml` can set."""

from __future__ import annotations

import shlex
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

from lath.arena.entrants import minimum
from lath.arena.entrants.flag_text import words_of
from lath.arena.entrants.minimum import Claim
from lath.arena.entrants.programs import (
    RUN_BY,
    advice_on,
    is_there,
    main_of_package,
    may_be_run,
    resolve,
)
from lath.arena.errors import ConfigError


def started(
    words: tuple[str, ...], home: Path, called: str, write: str = ""
) -> tuple[str, ...] | None:
    """Return the resolved command for words that begin with a file in `home`; None without one.

    Raises ConfigError, whose hint begins with `write`.
    """
    path = home / words[0]
    if not is_there(path, Path.is_file) or ("/" not in words[0] and len(words) > 1):
        return None
    return (*started_by(path, called, write), *resolve(words, home)[1:])


def started_by(path: Path, called: str, write: str = "") -> tuple[str, ...]:
    """Return the command that starts a file; raises ConfigError, whose hint begins with `write`."""
    here = Path.cwd()
    shown = f"./{path.relative_to(here)}" if path.is_relative_to(here) else str(path)
    advice = advice_on((shown,), here)
    if advice and (advice.before or not advice.words):
        raise ConfigError(
            f"{called}: {advice.why}", hint=advice.hint(f"{write}{shlex.join(advice.words)}")
        )
    return resolve(advice.words if advice else (shown,), here)


def executables(home: Path) -> set[Path]:
    """Return the executable files of a folder, without hidden ones."""
    return {
        path
        for path in home.iterdir()
        if path.is_file() and path.name[0] != "." and may_be_run(path)
    }


def table_in(
    home: Path,
    command: str,
    made: set[Path],
    called: str,
    *,
    asked: str | None = None,
    typed: Container[str] = (),
    build: str = "",
) -> dict[str, Any]:
    """Return the table of the bot in a folder, without its name; raises ConfigError.

    The bot starts by `command`. Default: the folder's `tournament.toml`. Without one it is, in this
    order, the file that was `made`, the script that `package.json` names, the only executable or
    the only script. With `build`, the arena looks in a built copy of the folder; raises ArenaError
    if the build fails.

        `asked` is the sandbox that the organiser asks for. With one, the file in the folder can set
        only what each key's rule in `BotTable` allows, except for the keys that the organiser has
        `typed`.
    """
    from lath.arena.directory import CONFIG  # start-up time

    table: dict[str, Any] = {"cwd": str(home)}
    if command:
        return table | {"command": list(resolve(words_of(command, home, of="--run: "), home))}
    if (home / CONFIG).is_file():
        return table | _table_of_config(home / CONFIG, called, asked, typed)
    place = home
    if build:
        from lath.arena.entrants.builds import copy_of  # start-up time

        place = copy_of(home, build, called, asked)
        before = {path.name for path in executables(home)}
        made = {path for path in executables(place) if path.name not in before}
    scripts = {path for path in place.iterdir() if path.suffix in RUN_BY and path.is_file()}
    for found in (made, main_of_package(place), executables(place), scripts):
        if len(found) == 1:
            program = found.pop()
            if minimum.asks(asked):
                minimum.refuse_link(program)
            words = (
                word.replace(f"{place}/", f"{home}/", 1) for word in started_by(program, called)
            )
            return table | {"command": list(words)}
        if found:
            break
    names = ", ".join(sorted(path.name for path in found)) or "none"
    raise ConfigError(
        f"{called}: cannot tell how the bot is started: its folder has neither a {CONFIG} with one "
        f"command nor exactly one program (found: {names})",
        hint="--run CMD starts it in that folder",
    )


def _table_of_config(
    path: Path, called: str, asked: str | None, typed: Container[str]
) -> dict[str, Any]:
    """Return the table of the only bot with a command in a folder's configuration."""
    from lath.arena.entrants.toml_text import lines_of, read_toml  # start-up time

    if minimum.asks(asked):
        minimum.refuse_link(path)
    toml, text = read_toml(path)
    found = toml.get("bot")
    rows = (
        {at: row for at, row in enumerate(found) if _has_command(row)}
        if isinstance(found, list)
        else {}
    )
    if len(rows) != 1:
        names = ", ".join(str(row.get("name", "?")) for row in rows.values()) or "none"
        raise ConfigError(
            f"{called}: its {path.name} must have exactly one bot with a command (found: {names})",
            hint="--run CMD starts the bot in that folder",
        )
    ((at, row),) = rows.items()
    place = path.parent / str(row.get("cwd", ""))
    words = row["command"]
    is_text = isinstance(words, str)
    words = words_of(words, place, of=f"{called}: ") if is_text else tuple(map(str, words))
    words = resolve(words, place)
    if asked and minimum.asks(asked):
        lines = {of[2:]: line for of, line in lines_of(text).items() if of[:2] == ("bot", at)}
        refuse_more(row, words, path, asked, lines, typed=typed)
    own = {"name", "command", "cwd", "reads"}
    kept = {key: row[key] for key in row if key not in own and is_read(key, asked)}
    if isinstance(reads := row.get("reads"), list):
        kept["reads"] = [str((path.parent / str(name)).absolute()) for name in reads]
    return {**kept, "cwd": str(place.resolve()), "command": list(words)}


def _has_command(row: object) -> bool:
    command = row.get("command") if isinstance(row, dict) else None
    return isinstance(command, str | list) and bool(command)


# The keys of an entrant's file, if a sandbox was asked for


def is_read(key: str, asked: str | None) -> bool:
    """Return True if the arena reads this key of an entrant's file; without a sandbox, all keys."""
    if not minimum.asks(asked):
        return True
    from lath.arena.entrants.bot_table import KEYS  # start-up time

    return key in KEYS and KEYS[key].entrant.is_read


def refuse_more(
    row: Mapping[str, Any],
    words: tuple[str, ...],
    path: Path,
    asked: str,
    lines: Mapping[tuple[Any, ...], int],
    *,
    typed: Container[str] = (),
    home: Path | None = None,
) -> None:
    """Raise ConfigError if an entrant's file asks for more than a sandbox allows.

    `row` is the bot's table in the file at `path`, `lines` are the lines of its keys, and `words`
    is the command to start. Keys that the organiser has `typed` are not checked. `home` is the
    entrant's folder. Default: the folder of the file.
    """
    from lath.arena.entrants.bot_table import KEYS  # start-up time
    from lath.arena.entrants.toml_text import shown

    wrong, parts = [], []
    for key, value in row.items():
        rule = KEYS[key].entrant if key in KEYS else None
        if rule is None or not rule.is_read or key in typed or rule.typed_as in typed:
            continue
        if not rule.holds(Claim(value, home or path.parent, asked, words)):
            place = f"{path}:{lines[key,]}" if (key,) in lines else f"{path}"
            expected = rule.expected or minimum.or_more(asked)
            wrong.append(
                f"{place}: {key} = {shown(value)} is not allowed in the sandbox {asked!r}; "
                f"expected {expected} ({rule.why})"
            )
            parts += [rule.part] if rule.part else []
    if wrong:
        typing = f", or write after the bot: '; {'; '.join(dict.fromkeys(parts))}'"
        hint = f"remove it from {path.name}{typing if parts else ''}"
        raise ConfigError("\n".join(wrong), hint=hint)
