"""The origin of a bot in `--bot`, OLD or NEW: a command, a folder or a git revision.

Includes the parts after `;` and the time of `--tc`.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from lath.arena.entrants import minimum
from lath.arena.entrants.bot_folders import started, table_in
from lath.arena.entrants.flag_text import split_parts, words_of
from lath.arena.entrants.programs import (
    bundled,
    is_there,
    resolve,
)
from lath.arena.entrants.revisions import Revision, lacks_edits, revision
from lath.arena.errors import ConfigError
from lath.arena.referee.bots import BotSpec
from lath.arena.sandbox.kinds import SANDBOXES


def time_in(table: Mapping[str, Any]) -> str:
    """Return the text of the time control in a bot's table."""
    from lath.arena.entrants.bot_table import KEYS  # start-up time

    return KEYS["time"].kind.write(table["time"])


def placed(table: Mapping[str, Any], of: str = "") -> dict[str, Any]:
    """Return a bot's table with paths that work from any folder.

    Raises ConfigError for a table that is not a valid `[[bot]]`; messages begin with `of`.
    """
    from lath.arena.entrants.bot_table import checked, located  # start-up time

    return located(table, checked(table, of or f"bot {table['name']}: "), Path.cwd())


def spec_of(table: Mapping[str, Any]) -> BotSpec:
    """Return the settings to start the bot of a table, bundled or with a command.

    Paths are relative to the current folder. Raises ConfigError.
    """
    from lath.arena.entrants.bot_table import bot_spec, checked  # start-up time

    row = checked(table, "")
    if not row.command and row.name not in bundled():
        known = ", ".join(bundled())
        raise ConfigError(
            f"{row.name}: not found; expected a command or one of the bundled bots {known}"
        )
    return bot_spec(row, Path())


def sandbox_of(sandbox: str | None) -> str:
    """Return the sandbox that `--sandbox` names; raises ConfigError."""
    if sandbox not in (None, *SANDBOXES):
        raise ConfigError(f"--sandbox: {sandbox!r} is not one of {', '.join(SANDBOXES)}")
    return sandbox or "auto"


# OLD and NEW


class BotOrigin(NamedTuple):
    """The origin of a bot, as OLD or NEW gives it."""

    name: str
    """The bot's name in the match."""

    kind: str
    """The kind of origin: `folder`, `revision` or `command`."""

    where: Path = Path()
    """The path of a folder."""

    revision: Revision | None = None
    words: tuple[str, ...] = ()
    """The words of a command."""

    parts: Mapping[str, Any] = {}
    """The parts after `;`, as `[[bot]]` has them."""

    note: str = ""
    """A note that prevents a likely misunderstanding, or an empty string."""

    asked: str | None = None
    """The sandbox that the organiser asks for; None if unstated."""

    of_git: str | None = None
    """The sandbox that git runs in."""

    @property
    def is_own(self) -> bool:
        """Return True if the bot is not a bundled one."""
        return self.kind != "command" or self.words not in bundled().values()


def in_words(bot: str | Path | Sequence[str]) -> str:
    """Return the OLD or NEW text of a path or of a command's words; a text is unchanged.

    >>> in_words(Path("my bots/one")), in_words(["node", "my bot.js"])
    ("'my bots/one'", "node 'my bot.js'")
    """
    if isinstance(bot, str):
        return bot
    return shlex.quote(str(bot)) if isinstance(bot, Path) else shlex.join(bot)


def sandbox_in(text: str) -> str | None:
    """Return the sandbox that the text of a bot asks for; None if unstated or invalid."""
    from lath.arena.entrants.bot_table import read_parts  # start-up time

    _, *rest = split_parts(text)
    with suppress(ConfigError):  # `origin_of` reports it
        said: str | None = read_parts(rest, "").get("sandbox")
        return said
    return None


def origin_of(
    text: str, role: str, sandbox: str | None = None, *, of_git: str | None = None
) -> BotOrigin:
    """Return the origin that OLD or NEW gives; raises ConfigError. `role` is `old` or `new`.

    `sandbox` is the value of a flag. Git looks for a revision in the sandbox `of_git`. Default: the
    sandbox asked for this bot.
    """
    from lath.arena.entrants.bot_table import read_parts  # start-up time

    first, *rest = split_parts(text)
    name, equals, what = first.strip().partition("=")
    if not (equals and name.replace("-", "").replace("_", "").replace(".", "").isalnum()):
        name, what = "", first.strip()
    of = f"{role.upper()} {name or role}: "
    table = placed({"name": name or role, **read_parts(rest, of)}, of)
    parts = {key: value for key, value in table.items() if key != "name"}
    asked = minimum.asked_for(sandbox, parts, f"{role.upper()} {name}".rstrip())
    of_git = of_git or asked
    words = words_of(what, Path.cwd(), of=f"{role.upper()}: ")
    path, note = Path(words[0]), ""
    if len(words) == 1 and is_there(path, Path.exists):
        with suppress(ConfigError):  # the repository is read only for this note
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
    """Return the settings to start the bot of an origin that is not a git revision.

    Raises ConfigError.
    """
    if origin.revision is not None:
        raise ConfigError(
            f"{origin.name}: this command takes no git revision; check it out and name its folder"
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

    `run` starts the bot of a folder, and `build` builds it. `asked` is the sandbox that its file
    must not weaken. Default: the origin's. Raises ConfigError, and ArenaError if a build fails.
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
    """Raise ConfigError for parts of a text that only commands can have."""
    for part in ("cwd", "files"):
        if part in parts:
            raise ConfigError(f"{called}: {part} needs a command; a folder is its own {part}")


def _program(words: tuple[str, ...], role: str, home: Path, *, is_built: bool) -> tuple[str, ...]:
    """Return the resolved command for these words, with files in `home`; raises ConfigError.

    With `is_built` the program may not exist yet.
    """
    if (command := started(words, home, role.upper())) is not None:
        return command
    if is_built and "/" in words[0]:
        return resolve(words, home)
    if shutil.which(words[0]) is None and not (len(words) == 1 and words[0] in bundled()):
        raise ConfigError(
            f"{role.upper()}: {words[0]!r} not found. Give a folder, file, command, bundled bot or "
            "git revision",
            hint="arena bot list",
        )
    return resolve(words, home)
