"""What a check finds: points, each with what is asked, a verdict, what was seen, how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final

from lath.arena.errors import ArenaError


class Verdict(StrEnum):
    """How a bot keeps one point of the protocol, from best to worst."""

    OK = "ok"
    NOTE = "note"
    """Nothing is wrong, but its author may want to know."""

    UNTESTED = "untested"
    WARNING = "warning"
    """It costs the bot no game by itself, but something is not as the protocol says."""

    FAULT = "fault"
    """It costs games, or keeps the bot out of tournaments."""

    @property
    def is_bad(self) -> bool:
        """Return whether there is something to mend."""
        return self in (Verdict.WARNING, Verdict.FAULT)


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """What a step has shown of one point."""

    verdict: Verdict
    seen: str
    """What the bot did, in words."""

    mend: str = ""
    """What its author has to change; empty where nothing is wrong."""

    stderr: tuple[str, ...] = ()
    """The last lines that the bot wrote to standard error, where they may tell the cause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPoint:
    """One point of the protocol and how a bot keeps it; as JSON it has these keys."""

    id: str
    """Its name in docs/how-to/check-a-bot.md."""

    chapter: str
    """Which part of the check it belongs to, such as `greeting`."""

    game: str | None = None
    """The game that was played; None where the point is about no single game."""

    asks: str
    """What a bot has to do, as a sentence without its subject."""

    verdict: Verdict
    seen: str
    mend: str = ""
    exchange: tuple[str, ...] = ()
    """The last lines before something went wrong: `> ` the arena's, `< ` the bot's."""

    stderr: tuple[str, ...] = ()
    """The last lines that the bot wrote to standard error, where it ended."""


class FaultFoundError(ArenaError):
    """The bot did what ends the session that tests it; it becomes a finding."""

    def __init__(self, finding: CheckFinding, *, is_costly: bool = False) -> None:
        super().__init__(finding.seen)
        self.finding = finding
        self.is_costly = is_costly
        """Whether it took long: silence and floods do."""


def duration(seconds: float) -> str:
    """Return a time as people read it.

    >>> duration(0.0123), duration(2.05)
    ('12 ms', '2.0 s')
    """
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


ok: Final = partial(CheckFinding, Verdict.OK)
note: Final = partial(CheckFinding, Verdict.NOTE)
warning: Final = partial(CheckFinding, Verdict.WARNING)
fault: Final = partial(CheckFinding, Verdict.FAULT)
untested: Final = partial(CheckFinding, Verdict.UNTESTED)
