"""When a game that the rules have not ended is ended all the same. Off unless it is asked for.

Must not know processes; it is told the plies as they come, with what the bots thought of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lath.games.core import SEATS, Seat
from lath.notation.record import Termination


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudication:
    """What ends a game before its rules do; all zero: nothing."""

    plies: int = 0
    """The game is a draw when so many were played, an opening's included; 0: never."""

    win_eval: float = 0.0
    """Expected score, over 0 and up to 1, that both bots must see for the same side."""

    draw_eval: float = 0.0
    """Expected score, from 0 on, that both bots must not exceed for either side."""

    win_after: int = 0
    """Plies in a row, of both sides together, after which such a game is won; 0: never."""

    draw_after: int = 0
    """The same for a draw."""

    @property
    def reads_evals(self) -> bool:
        """Return whether it matters what the bots say of their positions."""
        return bool(self.win_after or self.draw_after)


NO_ADJUDICATION: Final = Adjudication()


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a game was ended."""

    result: str
    why: Termination
    words: str
    """For the record."""


class _Row:
    """Plies in a row in which a bot has said the same."""

    def __init__(self, needed: int) -> None:
        self._needed: Final = needed
        self._seats: list[Seat] = []

    def note(self, seat: Seat, *, holds: bool) -> bool:
        """Return whether both bots have now said it for long enough."""
        if not self._needed or not holds:
            self._seats.clear()
            return False
        self._seats.append(seat)
        return len(self._seats) >= self._needed and len(set(self._seats)) == 2


class Arbiter:
    """Follows one game."""

    def __init__(self, rules: Adjudication) -> None:
        self._rules: Final = rules
        self._wins: Final = tuple(_Row(rules.win_after) for _ in SEATS)
        self._level: Final = _Row(rules.draw_after)

    def judge(self, ply: int, seat: Seat, evaluation: float | None) -> Verdict | None:
        """Return how the game ends after a ply that did not end it by the rules; else None.

        `ply` counts from 1; `evaluation` is the expected score of `seat`, who played it, in -1..1,
        None where the bot said none.
        """
        rules = self._rules
        if rules.reads_evals and (verdict := self._agreed(seat, evaluation)):
            return verdict
        return self.limit(ply)

    def limit(self, plies: int) -> Verdict | None:
        """Return how a game ends of which so many plies are played, whatever they were."""
        if self._rules.plies and plies >= self._rules.plies:
            return Verdict("1/2-1/2", Termination.PLY_LIMIT, f"no end by ply {plies}")
        return None

    def _agreed(self, seat: Seat, evaluation: float | None) -> Verdict | None:
        rules = self._rules
        known = evaluation is not None
        first = (evaluation or 0.0) * (1, -1)[seat]
        for winner, sign in zip(SEATS, (1, -1), strict=True):
            holds = known and sign * first >= rules.win_eval
            if self._wins[winner].note(seat, holds=holds):
                words = f"both bots saw at least {rules.win_eval:g} for {winner.word}"
                return _adjudicated(("1-0", "0-1")[winner], words, rules.win_after)
        if self._level.note(seat, holds=known and abs(first) <= rules.draw_eval):
            words = f"both bots saw at most {rules.draw_eval:g} for either side"
            return _adjudicated("1/2-1/2", words, rules.draw_after)
        return None


def _adjudicated(result: str, words: str, plies: int) -> Verdict:
    return Verdict(result, Termination.ADJUDICATION, f"{words} for {plies} plies")
