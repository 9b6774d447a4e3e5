"""The errors of tournaments and bots, their exit statuses and their messages."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from lath.games.errors import LathError, hinted
from lath.notation.record.errors import printable
from lath.notation.record.tags import Termination

FAULT, USAGE, INTERRUPTED, BUG, FULL = 1, 2, 3, 4, 5
"""Exit statuses besides 0; `STATUSES` explains them."""

BETTER, NOT_BETTER, UNDECIDED = 10, 11, 12
"""Exit statuses of `arena match` and `arena tune`; `arena solve` uses `UNDECIDED`, too."""

STATUSES: Final[Mapping[int, str]] = {
    0: "Success, or the budget is used up",
    FAULT: "A fault in the input or in a bot",
    USAGE: "Wrong usage or configuration, or a file that cannot be read or written",
    INTERRUPTED: "Interrupted by Ctrl-C, SIGTERM or a closed terminal",
    BUG: "A bug in the arena; please report it",
    FULL: "Out of disk space, memory, processes, open files or workers; stored games are safe",
    BETTER: "`match`, `tune`: the new bot is better",
    NOT_BETTER: "`match`, `tune`: the new bot is not better",
    UNDECIDED: "`match`, `tune`: undecided; `solve`: not proved within the limits",
}
"""The meaning of each exit status; the help of a command can be more specific."""

LACKS: Final = {
    errno.ENOSPC: "room on the disk",
    errno.EDQUOT: "room on the disk",
    errno.EAGAIN: "processes",
    errno.ENOMEM: "memory",
    errno.EMFILE: "open files",
    errno.ENFILE: "open files",
}
"""The resource that the machine lacks, by `errno`."""


TYPED: Final[ContextVar[tuple[str, ...]]] = ContextVar("TYPED", default=())
"""The words after `arena` on the command line, for hints that repeat the command; empty in a Python
program."""


class ArenaError(LathError):
    """A tournament cannot continue; the message names the object and what is wrong with it."""

    status = FAULT
    """The exit status of the program."""

    more = ""
    """Text that a caller appends to the message, such as how to resume the run."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        """Advice on what to type or do; empty if the message suffices."""

    @property
    def message(self) -> str:
        """The text without the hint."""
        return f"{self.args[0]}{self.more}"

    def __str__(self) -> str:
        """Return the message, followed by each line of the hint as `hint: …`."""
        return hinted(self.message, self.hint)


class ConfigError(ArenaError):
    """The configuration is wrong and the user must fix it; the message has one line per mistake."""

    status = USAGE


_AS_IT_STANDS: Final = re.compile(r"\s|hint: |[^:]+:\d+:\d+: error\[")
"""Beginnings of lines that get no `error: ` prefix: excerpts, hints and problems of records."""


def error_lines(error: LathError | str) -> list[str]:
    """Return the lines that every command prints for an error.

    The first line is `error: OBJECT: what is wrong`, and a hint follows as `hint: …`. If the text
    has several lines, each is a mistake of its own.

    >>> error_lines(ConfigError("cup.toml: not found", hint="arena init"))
    ['error: cup.toml: not found', 'hint: arena init']
    """
    lines = str(error).split("\n")
    return [line if _AS_IT_STANDS.match(line) else f"error: {line}" for line in lines]


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn an error of reading a file that the user named into a ConfigError."""
    named = printable(str(path))  # the name may contain a line break
    try:
        yield
    except FileNotFoundError as error:
        raise ConfigError(f"{named}: not found", hint=_nearest(path)) from error
    except OSError as error:
        raise ConfigError(f"{named}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{named}: not UTF-8 at byte {error.start}") from error


def _nearest(path: Path) -> str:
    """Return a hint for the name of a file that does not exist; empty if none is alike."""
    if not path.parent.is_dir():
        return f"the folder {printable(str(path.parent))} does not exist"
    with suppress(OSError):
        by_stem = {each.stem: each.name for each in path.parent.iterdir()}
        if alike := get_close_matches(path.stem, by_stem, n=1):
            return f"did you mean {printable(str(path.with_name(by_stem[alike[0]])))}?"
    return ""


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why this machine cannot do something, and how to fix that; false if it can."""

    why: str = ""
    remedy: str = ""
    """How to fix it; empty if unknown."""

    joint: str = ": "
    """The text between `why` and `remedy`."""

    def __bool__(self) -> bool:
        """Return whether there is an obstacle."""
        return bool(self.why)

    def __str__(self) -> str:
        """Return the reason and the remedy as one sentence."""
        return f"{self.why}{self.joint}{self.remedy}" if self.remedy else self.why


NOTHING: Final = Obstacle()
"""No obstacle."""


class SandboxError(ConfigError):
    """A requested sandbox is not available on this machine."""

    def __init__(self, message: str, obstacles: Mapping[str, Obstacle]) -> None:
        super().__init__(message)
        self.obstacles = obstacles
        """The obstacle of each bot, by the bot's name."""


class StoreError(ArenaError):
    """The tournament's directory cannot be used: it is foreign, or as a subclass says."""

    joint = ": "
    """The text between the path and the fault."""

    def __init__(self, wrong: str, path: Path | None = None, joint: str | None = None) -> None:
        super().__init__(wrong)
        self.wrong = wrong
        """The fault, of the file at `path` if that is known."""
        self.path = path
        """The file; None if `wrong` names it."""
        self.joint = self.joint if joint is None else joint

    @property
    def message(self) -> str:
        """The path, if known, and what is wrong with it."""
        text = f"{self.path}{self.joint}{self.wrong}" if self.path else self.wrong
        return f"{text}{self.more}"


class DamagedError(StoreError):
    """The stored data is damaged or cannot be read."""

    joint = ": damaged: "


class InUseError(StoreError):
    """Another process uses the tournament."""


class MovedError(StoreError):
    """The directory was moved, removed or replaced while a run was writing to it."""


class DiskError(StoreError):
    """The disk is full or failing, so new data could not be stored; older data is unchanged."""

    status = FULL

    def __init__(
        self, wrong: str, path: Path | None = None, joint: str | None = None, *, is_full: bool
    ) -> None:
        super().__init__(wrong, path, joint)
        self.is_full = is_full
        """True if the disk is full, False if it is failing."""


class MachineError(ArenaError):
    """The machine lacks what a bot or worker needs; no bot is to blame, and waiting may help."""

    status = FULL

    spoilt: Cause | None = None
    """The act of a bot that may have hit this lack during a game; None if no game had begun."""


SAID: Final = "; standard error: "
"""The text before the end of a bot's standard error."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a bot's games are not played: the event, the bot and the end of its standard error."""

    event: str
    """The fault, such as `exited with status 1 before ok`."""

    bot: str = ""
    """The bot concerned; empty if `event` is not about a bot."""

    said: str = ""
    """The end of the bot's standard error, which can differ between runs."""

    more: str = ""
    """Further text, appended to the reason."""

    @property
    def reason(self) -> str:
        """The cause without the bot's name."""
        return f"{self.event}{self.said and SAID}{self.said}{self.more}"

    def __str__(self) -> str:
        """Return the cause after the bot's name.

        >>> str(Cause("exited with status 1 before ok", "ann", "no module torch"))
        'ann: exited with status 1 before ok; standard error: no module torch'
        """
        return f"{self.bot}{self.bot and ': '}{self.reason}"


class GameVoidError(ArenaError):
    """A game could not be played: a bot did not start, or left before its first turn."""

    def __init__(
        self,
        cause: Cause,
        why: Termination | None = None,
        *,
        is_fault: bool = True,
        hint: str = "",
    ) -> None:
        super().__init__(str(cause), hint=hint)
        self.cause = cause
        self.reason = cause.reason
        """The message without the bot's name and without the hint."""
        self.bot = cause.bot if is_fault else ""
        """The bot at fault; empty if the machine is at fault."""
        self.why = why
        """How the bot loses if it fails again; None if the bot could not be started."""


class RulesVoidError(GameVoidError):
    """The rules of a game type failed; no bot is to blame, and the game would fail again."""

    def __init__(self, reason: str) -> None:
        super().__init__(Cause(reason))


class ContestBotError(GameVoidError):
    """A bot speaks the protocol of a contest that its configuration does not name."""

    def __init__(self, bot: str, event: str, contest: str, *, hint: str = "") -> None:
        super().__init__(Cause(event, bot), hint=hint)
        self.contest = contest
        """The value that `protocol` needs."""


class UnfitBotError(ConfigError):
    """A bot does not play the configured game types, or not with its configured options."""

    def __init__(self, bot: str, reason: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.bot = bot
        self.reason = reason
        """The message without the bot's name."""


BotError = GameVoidError | UnfitBotError
"""Why a bot cannot play: it does not start, or does not fit its configuration."""


class HeldUpError(ArenaError):
    """The arena itself was suspended or got no processor time, so a bot's time is unknown."""

    def __init__(self, held_s: float, late: str = "") -> None:
        super().__init__(f"this machine: the arena did not run for {held_s:.1f} s")
        self.held_s = held_s
        self.late = late
        """The bot that was late after it computed and waited for a core, while the arena ran."""
