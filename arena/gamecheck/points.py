"""The findings of a check of a game type: points, each with a task, a verdict and a remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from lath.arena.botcheck.points import Verdict

if TYPE_CHECKING:
    from lath.arena.gamecheck.lab import GameLab


@dataclass(frozen=True, slots=True)
class GameFinding:
    """One result of a step; a step can have several."""

    verdict: Verdict
    seen: str
    """The finding in words."""

    mend: str = ""
    """Change that the game's author should make; empty if nothing is wrong."""

    where: str = ""
    """The file and line that raised an exception, such as `mygame.py:42`."""

    way: str = ""
    """The setup and the moves that lead there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GamePoint:
    """One finding of a check; its JSON form has these keys."""

    id: str
    """Name of the check."""

    chapter: str
    """Part of the check, such as `contract`."""

    asks: str
    """The game's task, as a sentence without its subject."""

    verdict: Verdict
    seen: str
    mend: str = ""
    where: str = ""
    way: str = ""

    @property
    def game(self) -> None:
        """Return None, because each check has one game type."""

    @property
    def exchange(self) -> tuple[str, ...]:
        """Return the lines that say where the game failed."""
        return tuple(filter(None, (self.where, self.way)))

    @property
    def stderr(self) -> tuple[str, ...]:
        """Return no lines, because the rules have no process of their own."""
        return ()


@dataclass(frozen=True, slots=True)
class GameStep:
    """The test of one point."""

    id: str
    asks: str
    run: Callable[[GameLab], Iterator[GameFinding]]
    """Yields what it finds, at least one finding; nothing if it does not apply to the game."""

    needs: Literal["nothing", "rules", "board"] = "rules"
    """The parts that must have no fault before the step: none, the rules, or also the fast board.
    """


ok: Final = partial(GameFinding, Verdict.OK)
note: Final = partial(GameFinding, Verdict.NOTE)
warning: Final = partial(GameFinding, Verdict.WARNING)
fault: Final = partial(GameFinding, Verdict.FAULT)
untested: Final = partial(GameFinding, Verdict.UNTESTED)


def rate_words(count: float, seconds: float) -> str:
    """Return a number per second as text, to two digits.

    >>> rate_words(1234, 1), rate_words(3, 2)
    ('1,200', '1.5')
    """
    rate = count / seconds
    if rate < 10:
        return f"{rate:.1f}"
    unit = 10 ** (len(str(int(rate))) - 2)
    return f"{round(rate / unit) * unit:,}"
