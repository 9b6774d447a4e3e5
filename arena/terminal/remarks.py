"""What one should know of ratings before believing them, in plain sentences.

Must not know how wide the terminal is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from lath.arena.terminal.layout import Letters
from lath.reports.ratings.values import Z95
from lath.reports.standings.crosscheck import greatest_gap
from lath.reports.standings.values import Standings, Table

POOR_FIT: Final = 0.01
"""A fit that comes by chance less often than this is told of."""

MOST_NAMES: Final = 8
"""Bots of a group that are named."""

MOST_GROUPS: Final = 6
"""Groups that are named."""


def endings_words(table: Table) -> str:
    """Return how many games there were and why they ended."""
    words = ", ".join(f"{ending} {count}" for ending, count in table.endings)
    score = table.first_score or 0.0
    return f"{_games(table.games)}; endings: {words}; first scored {score:.1%}"


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"


def left_out_words(standings: Standings) -> str:
    """Return why records were left out, and who stands only there."""
    told = ", ".join(f"{why} {count}" for why, count in standings.left_out)
    only = f"; only there: {_listed(standings.unranked)}" if standings.unranked else ""
    return f"left out: {told}{only}"


def remarks(table: Table, letters: Letters) -> Iterator[str]:
    """Yield what else is to be said, in the order of its weight."""
    if len(table.ratings.groups) > 1:
        yield _groups_words(table.ratings.groups)
    if table.repeated:
        yield (
            f"repeated: {_games(table.repeated)}, move by move the same as another; counted for "
            "points, but not for ratings and intervals"
        )
    if table.self_play:
        yield f"self-play: {_games(table.self_play)} of a bot with itself, not rated"
    if table.unbalanced:
        yield (
            "unbalanced seats: some bots had one seat clearly more often than the other; rating "
            "and mu know no first-move advantage and favour who had the better one, Elo does not"
        )
    yield from _fit_words(table)
    yield from _forfeit_words(table)
    yield from _gap_words(table, letters)


def _groups_words(groups: Sequence[Sequence[str]]) -> str:
    told = "; ".join(f"({n}) {_listed(group)}" for n, group in enumerate(groups[:MOST_GROUPS], 1))
    more = f"; and {len(groups) - MOST_GROUPS} more" if len(groups) > MOST_GROUPS else ""
    return (
        f"{len(groups)} groups that no game connects are not rated against each other: {told}{more}"
    )


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMES
    return ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _fit_words(table: Table) -> Iterator[str]:
    fit = table.ratings.fit
    if fit.p_value < POOR_FIT:
        chance = "p < 0.0001" if fit.p_value < 0.0001 else f"p = {fit.p_value:.4f}"
        yield (
            f"poor fit: results are further from the Elo model than chance has it (chi square "
            f"{fit.chi_square:.1f} at {fit.degrees} degrees of freedom, {chance}); a single number "
            "a bot does not tell all, and intervals may be too narrow"
        )


def _forfeit_words(table: Table) -> Iterator[str]:
    lost = sum(row.forfeits for row in table.rows)
    if lost:
        yield (
            f"forfeits: {_games(lost)} lost by crash, time, illegal move or flood; "
            "where there is room, 'without' is the rating that the others give"
        )


def _gap_words(table: Table, letters: Letters) -> Iterator[str]:
    gap = greatest_gap(table.ratings)
    if gap is not None:
        yield (
            f"cross-check: rated game after game, mu differs by at most {abs(gap.mu):.2f} "
            f"({gap.name}, whose mu is {letters.plus_minus}{Z95 * gap.sigma:.2f})"
        )
