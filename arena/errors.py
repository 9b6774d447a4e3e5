"""What can go wrong above the rules and the records, and whose fault it is."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lath.games.errors import LathError, hinted
from lath.notation.record.errors import printable
from lath.notation.record.tags import Termination

FAULT, USAGE, INTERRUPTED, BUG, FULL = 1, 2, 3, 4, 5
"""Exit statuses besides 0, see `STATUSES`."""

BETTER, NOT_BETTER, UNDECIDED = 10, 11, 12
"""Exit statuses of `arena match` and `arena tune`; `arena solve` has the last one, too."""

STATUSES: Final[Mapping[int, str]] = {
    0: "Success, or the end of a budget",
    FAULT: "A fault in the input or in a bot",
    USAGE: "Wrong usage or configuration, or a file that cannot be read or written",
    INTERRUPTED: "Interrupted by Ctrl-C, SIGTERM or a closed terminal",
    BUG: "A bug in the arena; please report it",
    FULL: "Lack of disk space, memory, processes, open files or workers; stored games are safe",
    BETTER: "`match`, `tune`: the new bot is better",
    NOT_BETTER: "`match`, `tune`: the new bot is not better",
    UNDECIDED: "`match`, `tune`: undecided; `solve`: unknown",
}
"""The meaning of each exit status; the help of a command can be more precise."""

LACKS: Final = {
    errno.ENOSPC: "room on the disk",
    errno.EDQUOT: "room on the disk",
    errno.EAGAIN: "processes",
    errno.ENOMEM: "memory",
    errno.EMFILE: "open files",
    errno.ENFILE: "open files",
}
"""What the machine has too little of, by the error of who asked for it."""


TYPED: Final[ContextVar[tuple[str, ...]]] = ContextVar("TYPED", default=())
"""What stands after `arena` on the command line, for errors that say what to type in its place;
empty in a program in Python."""


class ArenaError(LathError):
    """A tournament cannot go on; the message says what, where and what was expected."""

    status = FAULT
    """What the program exits with."""

    more = ""
    """What a caller adds at the end of the message, such as how the run is resumed."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        """What to type or to do; empty: the message says it all."""

    @property
    def message(self) -> str:
        """Return the text without the hint."""
        return f"{self.args[0]}{self.more}"

    def __str__(self) -> str:
        """Return the message, and each line of the hint as a line `hint: …`."""
        return hinted(self.message, self.hint)


class ConfigError(ArenaError):
    """The configuration is wrong: the user's to mend. The message has a line for each mistake."""

    status = USAGE


_AS_IT_STANDS: Final = re.compile(r"\s|hint: |[^:]+:\d+:\d+: error\[")
"""Beginnings of lines that need no `error: `: an excerpt, a hint, a problem of a record."""


def error_lines(error: LathError | str) -> list[str]:
    """Return an error as every command prints it, line by line.

    A mistake is `error: OBJECT: what is wrong`, and what to type follows as `hint: …`. A text of
    several lines has a mistake on each.

    >>> error_lines(ConfigError("cup.toml: not found", hint="arena init"))
    ['error: cup.toml: not found', 'hint: arena init']
    """
    lines = str(error).split("\n")
    return [line if _AS_IT_STANDS.match(line) else f"error: {line}" for line in lines]


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say in our words why a file that the user named cannot be read."""
    named = printable(str(path))  # which may have a line break
    try:
        yield
    except OSError as error:
        raise ConfigError(f"{named}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{named}: not UTF-8 at byte {error.start}") from error


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why this machine cannot do something, and what to do about it; false: it can."""

    why: str = ""
    remedy: str = ""
    """What helps; empty where nobody knows."""

    joint: str = ": "
    """What stands between the two."""

    def __bool__(self) -> bool:
        """Return whether there is one."""
        return bool(self.why)

    def __str__(self) -> str:
        """Return both in a sentence."""
        return f"{self.why}{self.joint}{self.remedy}" if self.remedy else self.why


NOTHING: Final = Obstacle()
"""No obstacle."""


class SandboxError(ConfigError):
    """A sandbox that is asked for is not possible here."""

    def __init__(self, message: str, obstacles: Mapping[str, Obstacle]) -> None:
        super().__init__(message)
        self.obstacles = obstacles
        """Why not, by the bot that should have it."""


class StoreError(ArenaError):
    """The tournament's directory cannot be used: foreign, damaged, or one of those below."""

    joint = ": "
    """What stands between the path and what is wrong with it."""

    def __init__(self, wrong: str, path: Path | None = None, joint: str | None = None) -> None:
        super().__init__(wrong)
        self.wrong = wrong
        """What is wrong; of the file at `path`, where that is known."""
        self.path = path
        """Which file; None where `wrong` names it."""
        self.joint = self.joint if joint is None else joint

    @property
    def message(self) -> str:
        """Return which file it is, and what is wrong with it."""
        text = f"{self.path}{self.joint}{self.wrong}" if self.path else self.wrong
        return f"{text}{self.more}"


class DamagedError(StoreError):
    """What is stored is not what was stored, or not in a state to be read."""

    joint = ": damaged: "


class InUseError(StoreError):
    """Somebody else has the tournament open."""


class MovedError(StoreError):
    """The directory was moved, removed or replaced while its run was writing."""


class DiskError(StoreError):
    """The disk is full or failing: something could not be kept; what was kept before stays."""

    status = FULL

    def __init__(
        self, wrong: str, path: Path | None = None, joint: str | None = None, *, is_full: bool
    ) -> None:
        super().__init__(wrong, path, joint)
        self.is_full = is_full
        """Whether room would help; else the disk is failing."""


class MachineError(ArenaError):
    """The machine lacks what a bot or a worker needs: nobody's fault, and time may mend it."""

    status = FULL

    spoilt: Cause | None = None
    """What a bot did that may have met this, in a game that was begun; else None."""


SAID: Final = "; standard error: "
"""What stands before the end of what a bot wrote to standard error."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Why games of a bot are not played: who, what and what the bot wrote to standard error."""

    event: str
    """What has happened."""

    bot: str = ""
    """The bot that it has happened to; empty where `event` is about no bot."""

    said: str = ""
    """The end of what the bot wrote to standard error; it differs from time to time."""

    more: str = ""
    """What else is to be known, in words."""

    @property
    def reason(self) -> str:
        """Return the cause without the bot's name."""
        return f"{self.event}{self.said and SAID}{self.said}{self.more}"

    def __str__(self) -> str:
        """Return the cause with the bot's name before it.

        >>> str(Cause("exited with status 1 before ok", "ann", "no module torch"))
        'ann: exited with status 1 before ok; standard error: no module torch'
        """
        return f"{self.bot}{self.bot and ': '}{self.reason}"


class GameVoidError(ArenaError):
    """A game could not take place: a bot did not start, or left before its first turn."""

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
        """Whose fault it is; empty: no bot's, but the machine's."""
        self.why = why
        """What a bot loses by that does so again; None: there was none, it could not be started."""


class RulesVoidError(GameVoidError):
    """The rules of a game failed by themselves: it is nobody's loss, and fails again."""

    def __init__(self, reason: str) -> None:
        super().__init__(Cause(reason))


class ContestBotError(GameVoidError):
    """A bot does not speak our protocol, but that of a contest, which nobody has named."""

    def __init__(self, bot: str, event: str, contest: str, *, hint: str = "") -> None:
        super().__init__(Cause(event, bot), hint=hint)
        self.contest = contest
        """What `protocol` has to be."""


class UnfitBotError(ConfigError):
    """A bot does not play what is configured, or not with the options that it was given."""

    def __init__(self, bot: str, reason: str, message: str) -> None:
        super().__init__(message)
        self.bot = bot
        self.reason = reason
        """The message without the bot's name."""


BotError = GameVoidError | UnfitBotError
"""Why a bot cannot play: it does not start, or not as it is configured."""


class HeldUpError(ArenaError):
    """The arena itself was stopped, or got no time to run: what a bot took cannot be told."""

    def __init__(self, held_s: float, late: str = "") -> None:
        super().__init__(f"this machine: the arena did not run for {held_s:.1f} s")
        self.held_s = held_s
        self.late = late
        """Which bot computed, waited for a core and was late, while the arena itself ran."""
