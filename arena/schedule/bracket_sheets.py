"""The bracket of a knockout for people: a line for each tie, a table for each round.

Must not know how ties come about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from lath.arena.schedule.encounter import points
from lath.reports.outcome import Column, Sheet

COLUMNS: Final = (
    Column("bot", "name"),
    Column("score"),
    Column("opponent", "name"),
    Column("through", "name"),
    Column("after", "text"),
)

Told = Mapping[str, Any]
"""A tie as the standing's data has it."""

Seen = tuple[str | None, str | None]
"""The bots of a tie, as far as they are known; the only one of a bye comes first."""


def words(told: Told) -> str:
    """Return a tie in a line."""
    one, other = told["bots"]
    winner = f"{told['winner']} goes through" if told["winner"] else "not decided"
    why = " as the better seed" if told["by_seed"] else ""
    return f"Round {told['round']}: {one} - {other} {_score(told)}, {winner}{why}"


def _score(told: Told) -> str:
    return "-".join(points(round(2 * each)) for each in told["points"])


def sheets(ties: Sequence[tuple[int, Told | None, Seen]]) -> tuple[Sheet, ...]:
    """Return a table for each round: its ties in the order of the bracket, those to come too."""
    rounds = [(number, list(group)) for number, group in groupby(ties, lambda tie: tie[0])]
    return tuple(
        Sheet(
            COLUMNS,
            tuple(_row(told, seen, number == 1) for _, told, seen in group),
            _title(number, len(group)),
        )
        for number, group in rounds
    )


def _title(number: int, ties: int) -> str:
    """Return what people call a round.

    >>> _title(1, 8), _title(2, 4), _title(3, 2), _title(4, 1)
    ('Round 1', 'Quarter-finals', 'Semi-finals', 'Final')
    """
    return {4: "Quarter-finals", 2: "Semi-finals", 1: "Final"}.get(ties, f"Round {number}")


def _row(told: Told | None, seen: Seen, is_first_round: bool) -> tuple[str, ...]:
    if told is not None:
        one, other = told["bots"]
        return one, _score(told), other, told["winner"] or "", _after(told)
    one, other = seen
    if is_first_round and one is not None:
        return one, "bye", "-", one, ""
    return one or "?", "-", other or "?", "", ""


def _after(told: Told) -> str:
    """Return what it took to decide a tie; empty where the score says it."""
    if told["by_seed"]:
        return "level: better seed"
    return f"prolonged {told['prolonged']}x" if told["prolonged"] else ""
