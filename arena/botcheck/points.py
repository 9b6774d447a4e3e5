"""The findings of a check: points, each with a task, a verdict, the behaviour seen and a remedy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final

from lath.arena.errors import ArenaError


class Verdict(StrEnum):
    """The verdict on one point of the protocol, from best to worst."""

    OK = "ok"
    NOTE = "note"
    """Nothing is wrong, but the bot's author may want to know."""

    UNTESTED = "untested"
    WARNING = "warning"
    """A departure from the protocol that costs no game by itself."""

    FAULT = "fault"
    """An error that costs games, or keeps the bot out of tournaments."""

    @property
    def is_bad(self) -> bool:
        """Return whether the bot should be fixed."""
        return self in (Verdict.WARNING, Verdict.FAULT)


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """The result of one step."""

    verdict: Verdict
    seen: str
    """The bot's behaviour in words."""

    mend: str = ""
    """Change that the bot's author should make; empty if nothing is wrong."""

    stderr: tuple[str, ...] = ()
    """Last lines of standard error, if they may show the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPoint:
    """One point of the protocol with the bot's result; its JSON form has these keys."""

    id: str
    """Name of the point in docs/how-to/check-a-bot.md."""

    chapter: str
    """Part of the check, such as `handshake`."""

    game: str | None = None
    """Game type that was played; None if the point does not concern a single one."""

    asks: str
    """The bot's task, as a sentence without its subject."""

    verdict: Verdict
    seen: str
    mend: str = ""
    exchange: tuple[str, ...] = ()
    """Last lines before the failure, after `> ` for the arena's and `< ` for the bot's."""

    stderr: tuple[str, ...] = ()
    """Last lines of standard error, if the bot ended."""


class FaultFoundError(ArenaError):
    """A failure of the bot that ends the session; it becomes a finding."""

    def __init__(self, finding: CheckFinding, *, is_costly: bool = False) -> None:
        super().__init__(finding.seen)
        self.finding = finding
        self.is_costly = is_costly
        """True for failures that take long, such as no answer."""


def duration(seconds: float) -> str:
    """Return a time in seconds as text.

    >>> duration(0.0123), duration(2.05)
    ('12 ms', '2.0 s')
    """
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


ok: Final = partial(CheckFinding, Verdict.OK)
note: Final = partial(CheckFinding, Verdict.NOTE)
warning: Final = partial(CheckFinding, Verdict.WARNING)
fault: Final = partial(CheckFinding, Verdict.FAULT)
untested: Final = partial(CheckFinding, Verdict.UNTESTED)
