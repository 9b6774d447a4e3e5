"""Where a bot comes from: what `--bot`, OLD and NEW say, a command, a folder or a git revision.

What stands after `;`, and what `--tc` says, besides.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Container, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lath.arena.entrants import minimum
from lath.arena.entrants.flag_text import parts_of, split_parts, words_of
from lath.arena.entrants.programs import (
    RUN_BY,
    advice_on,
    bundled,
    is_there,
    main_of_package,
    may_be_run,
    resolve,
)
from lath.arena.entrants.revisions import Revision, lacks_edits, revision
from lath.arena.errors import ConfigError
from lath.arena.referee.bots import BotSpec
from lath.arena.sandbox.kinds import SANDBOXES

if TYPE_CHECKING:
    from lath.arena.entrants.bot_table import BotTable


def time_in(table: Mapping[str, Any]) -> str:
    """Return the text of the time that a bot's table has."""
    from lath.arena.entrants.bot_spec import time_control  # start-up time
    from lath.arena.entrants.bot_table import BotTime

    return str(time_control(BotTime.model_validate(table["time"])))


def placed(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a bot's table whose files are those of the current folder for whoever reads it.

    Raises ConfigError for a table that no `[[bot]]` may be.
    """
    row = checked(table, f"bot {table.get('name', '')}: ")
    found, home = {**table}, Path(row.cwd).absolute()
    if row.cwd:
        found["cwd"] = str(home.resolve())
    if row.files:
        found["files"] = [str(home / name) for name in row.files]
    if row.reads:
        found["reads"] = [str(Path(name).absolute()) for name in row.reads]
    if row.command:
        found["command"] = list(resolve(tuple(row.command), home))
    return found


def checked(table: Mapping[str, Any], of: str) -> BotTable:
    """Return what a table says; refuse what no `[[bot]]` may have, in the words of those."""
    from pydantic import ValidationError  # start-up time

    from lath.arena.entrants.bot_table import BotTable
    from lath.arena.entrants.toml_text import shown

    try:
        return BotTable.model_validate(table)
    except ValidationError as error:
        key = str(error.errors()[0]["loc"][0])
        if key not in BotTable.model_fields:
            known = ", ".join(BotTable.model_fields)
            raise ConfigError(f"{of}unknown key {key!r}, expected one of {known}") from error
        expected = BotTable.model_fields[key].description or "another value"
        raise ConfigError(f"{of}{key} = {shown(table[key])}, expected {expected}") from error


def spec_of(table: Mapping[str, Any]) -> BotSpec:
    """Return how the bot is started that a table says: one that is bundled, or has a command.

    Its files are those of the current folder. Raises ConfigError.
    """
    from lath.arena.entrants.bot_spec import bot_spec  # start-up time

    row = checked(table, "")
    if not row.command and row.name not in bundled():
        known = ", ".join(bundled())
        raise ConfigError(f"{row.name!r} has no command, and is no bundled bot ({known})")
    return bot_spec(row, Path())


def sandbox_of(sandbox: str | None) -> str:
    """Return the wall that `--sandbox` names; raises ConfigError."""
    if sandbox not in (None, *SANDBOXES):
        raise ConfigError(f"--sandbox {sandbox!r}, expected one of {', '.join(SANDBOXES)}")
    return sandbox or "auto"


# OLD and NEW


class BotOrigin(NamedTuple):
    """What OLD or NEW says: where a bot comes from."""

    name: str
    """What it is called in the match."""

    kind: str
    """`folder`, `revision` or `command`."""

    where: Path = Path()
    """Of a folder."""

    revision: Revision | None = None
    words: tuple[str, ...] = ()
    """Of a command."""

    parts: Mapping[str, Any] = {}
    """What stands after `;`, as `[[bot]]` has it."""

    note: str = ""
    """What might be thought of it and is not so; empty where there is nothing."""

    asked: str | None = None
    """The sandbox that the organiser asks for; None: nothing is said."""

    of_git: str | None = None
    """The sandbox that git runs in."""

    @property
    def is_own(self) -> bool:
        """Return whether it is somebody's own, and not a bundled bot."""
        return self.kind != "command" or self.words not in bundled().values()


def in_words(bot: str | Path | Sequence[str]) -> str:
    """Return what OLD or NEW says of a bot that is a path, or a command's words; a text stays.

    >>> in_words(Path("my bots/one")), in_words(["node", "my bot.js"])
    ("'my bots/one'", "node 'my bot.js'")
    """
    if isinstance(bot, str):
        return bot
    return shlex.quote(str(bot)) if isinstance(bot, Path) else shlex.join(bot)


def sandbox_in(text: str) -> str | None:
    """Return the sandbox that the text of a bot asks for; None: it says nothing, or is wrong."""
    _, *rest = split_parts(text)
    with suppress(ConfigError):  # `origin_of` says so
        said: str | None = parts_of(rest, "").get("sandbox")
        return said
    return None


def origin_of(
    text: str, role: str, sandbox: str | None = None, *, of_git: str | None = None
) -> BotOrigin:
    """Return what OLD or NEW says; raises ConfigError. `role` is `old` or `new`.

    `sandbox` is what a flag asks for. Git looks for a revision in the sandbox `of_git`. Default:
    what is asked for this bot.
    """
    first, *rest = split_parts(text)
    name, equals, what = first.strip().partition("=")
    if not (equals and name.replace("-", "").replace("_", "").replace(".", "").isalnum()):
        name, what = "", first.strip()
    of = f"{role.upper()} {name or role}: "
    table = {"name": name or role, **parts_of(rest, of)}
    checked(table, of)
    table = placed(table)
    parts = {key: value for key, value in table.items() if key != "name"}
    asked = minimum.asked_for(sandbox, parts, f"{role.upper()} {name}".rstrip())
    of_git = of_git or asked
    words = words_of(what, Path.cwd(), of=f"{role.upper()}: ")
    path, note = Path(words[0]), ""
    if len(words) == 1 and is_there(path, Path.exists):
        with suppress(ConfigError):  # of a repository that is not read: nobody has asked for it
            if revision(words[0], Path.cwd(), of_git):
                note = f"{role.upper()} is {path}, not the revision of this name"
        if path.is_dir():
            refuse_place(parts, role.upper())
            home = path.resolve()
            name = name or home.name or role
            return BotOrigin(name, "folder", where=home, parts=parts, note=note, asked=asked)
    elif (
        len(words) == 1
        and words[0] not in bundled()
        and (known := revision(words[0], Path.cwd(), of_git))
    ):
        refuse_place(parts, role.upper())
        if lacks_edits(known, Path.cwd(), of_git):
            note = f"{role.upper()} is {words[0]} as committed; what was edited since plays as `.`"
        name = name or words[0]
        return BotOrigin(
            name,
            "revision",
            revision=known,
            parts=parts,
            note=note,
            asked=asked,
            of_git=of_git,
        )
    home = Path(parts.get("cwd", "")).absolute()
    command = _program(words, role, home, is_built="build" in parts)
    name = name or path.stem
    return BotOrigin(name, "command", words=command, parts=parts, note=note, asked=asked)


def spec_in(origin: BotOrigin) -> BotSpec:
    """Return how the bot of an origin is started, of which nothing has to be built from git.

    Raises ConfigError.
    """
    if origin.revision is not None:
        raise ConfigError(
            f"{origin.name!r} is a git revision: check it out and name its folder, or use "
            "`arena match`, which does"
        )
    return spec_of({**table_of(origin, origin.name), "name": origin.name})


def table_of(
    origin: BotOrigin,
    called: str,
    *,
    run: str = "",
    build: str = "",
    asked: str | None = None,
) -> dict[str, Any]:
    """Return the table of a bot that is a command or in a folder, without its name.

    `run` starts the bot of a folder, and `build` makes it; `asked` is the sandbox that its file
    must not weaken. Default: the origin's. Raises ConfigError, and ArenaError of a build that
    fails.
    """
    own = {"sandbox": origin.asked} if origin.asked else {}
    if origin.kind == "command":
        return {**own, "command": list(origin.words), **origin.parts}
    parts = {**origin.parts, **({"build": build} if build else {})}
    table = table_in(
        origin.where,
        run,
        set(),
        called,
        asked=asked or origin.asked,
        typed=parts,
        build=parts.get("build", ""),
    )
    return {**own, **table, **parts}


def refuse_place(parts: Mapping[str, Any], called: str) -> None:
    """Raise ConfigError for parts of a text that only a command can have."""
    for part in ("cwd", "files"):
        if part in parts:
            raise ConfigError(f"{called}: {part} is for commands: a folder is both itself")


def _program(words: tuple[str, ...], role: str, home: Path, *, is_built: bool) -> tuple[str, ...]:
    """Return the command that these words are, whose files are in `home`; raises ConfigError.

    What `is_built` need not be there yet.
    """
    path = home / words[0]
    if is_there(path, Path.is_file) and ("/" in words[0] or len(words) == 1):
        return (*started_by(path, role.upper()), *resolve(words, home)[1:])
    if is_built and "/" in words[0]:
        return resolve(words, home)
    if shutil.which(words[0]) is None and not (len(words) == 1 and words[0] in bundled()):
        raise ConfigError(
            f"{role.upper()}: {words[0]!r} is no folder, file, bundled bot, git revision or program"
        )
    return resolve(words, home)


def started_by(path: Path, called: str) -> tuple[str, ...]:
    """Return the command that starts a file; raises ConfigError."""
    here = Path.cwd()
    shown = f"./{path.relative_to(here)}" if path.is_relative_to(here) else str(path)
    advice = advice_on((shown,), here)
    if advice and (advice.before or not advice.words):
        raise ConfigError(f"{called}: {advice.says(f'name {shlex.join(advice.words)}')}")
    return resolve(advice.words if advice else (shown,), here)


# How the bot of a folder is started


def executables(home: Path) -> set[Path]:
    """Return the files of a folder that may be executed, without those that are hidden."""
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

    By `command`, where that is given, else by its `tournament.toml`; else it is what was `made`,
    what its `package.json` names, the only executable, or the only script. What `build` makes in a
    copy of the folder is looked for there; raises ArenaError where it fails.

    `asked` is the sandbox that the organiser asks for: with one the file in the folder may say only
    what `minimum.TAKEN` allows, but for the keys that the organiser has `typed`.
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
        f"{called}: how is its bot started? Its folder has no {CONFIG} with one command, and not "
        f"one program (found: {names}); say it with --run CMD, taken from that folder"
    )


def _table_of_config(
    path: Path, called: str, asked: str | None, typed: Container[str]
) -> dict[str, Any]:
    """Return what the configuration in a folder says of its only bot with a command."""
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
            f"{called}: its {path.name} has not one bot with a command ({names}); say which is "
            "meant with --run CMD, taken from that folder"
        )
    ((at, row),) = rows.items()
    place = path.parent / str(row.get("cwd", ""))
    words = row["command"]
    is_text = isinstance(words, str)
    words = words_of(words, place, of=f"{called}: ") if is_text else tuple(map(str, words))
    words = resolve(words, place)
    if asked and minimum.asks(asked):
        lines = {of[2:]: line for of, line in lines_of(text).items() if of[:2] == ("bot", at)}
        minimum.refuse_more(row, words, path, asked, lines, typed=typed)
    own = {"name", "command", "cwd", "reads"}
    kept = {key: row[key] for key in row if key not in own and minimum.is_read(key, asked)}
    if isinstance(reads := row.get("reads"), list):
        kept["reads"] = [str((path.parent / str(name)).absolute()) for name in reads]
    return {**kept, "cwd": str(place.resolve()), "command": list(words)}


def _has_command(row: object) -> bool:
    command = row.get("command") if isinstance(row, dict) else None
    return isinstance(command, str | list) and bool(command)
