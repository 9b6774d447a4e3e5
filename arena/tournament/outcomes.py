"""What a tournament has come to, in words and tables: made of the numbers that its schedule gives.

A format that has more to say than a crosstable has a row in DESCRIBED. Must not know how games are
scheduled, nor how its tables are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any, Final

from lath.arena.schedule.fixed import SprtStanding
from lath.arena.schedule.knockout import Bracket, Tie
from lath.arena.schedule.swiss import Table
from lath.reports.outcome import Column, Outcome, Sheet


def outcome_of(
    standing: object, form: str, *, event: str = "", done: int = 0, total: int = 0
) -> Outcome:
    """Return what a schedule's standing says of a tournament of this format, finished or not."""
    describe = DESCRIBED.get(type(standing))
    outcome = Outcome(format=form) if describe is None else describe(standing)
    return replace(outcome, format=form, event=event, done=done, total=max(done, total))


def points(value: float) -> str:
    """Return points as people write them.

    >>> points(2.5), points(0.5), points(2)
    ('2½', '½', '2')
    """
    whole, half = divmod(round(2 * value), 2)
    return f"{whole or '' if half else whole}{'½' if half else ''}"


def _swiss(table: Table) -> Outcome:
    """Return the table; byes have a column where there are any."""
    rows = table.rows
    headings = ["points", *(["byes"] if any(row.byes for row in rows) else [])]
    columns = map(Column, (*headings, "Buchholz", "Sonneborn-Berger"))
    cells = []
    for row in rows:
        byes = (str(row.byes),) if "byes" in headings else ()
        tie_breaks = points(row.buchholz), f"{row.sonneborn_berger:g}"
        cells.append((str(row.rank), row.name, points(row.points), *byes, *tie_breaks))
    return Outcome(
        format="swiss",
        words=tuple(
            f"{row.rank}. {row.name} {points(row.points)} "
            f"(Buchholz {points(row.buchholz)}, Sonneborn-Berger {row.sonneborn_berger:g})"
            for row in rows
        ),
        sheets=(Sheet((Column("#"), Column("bot", "name"), *columns), tuple(cells)),),
        data={"swiss": [asdict(row) for row in rows]},
    )


_TIE_COLUMNS: Final = (
    Column("bot", "name"),
    Column("score"),
    Column("opponent", "name"),
    Column("through", "name"),
    Column("after", "text"),
)


def _knockout(bracket: Bracket) -> Outcome:
    """Return the ties so far in words, and a table for each round, of those to come too."""
    known = [tie for tie in bracket.ties if tie.is_known]
    verdict = f"Winner: {bracket.winner}" if bracket.winner else ""
    rounds = [(number, list(ties)) for number, ties in groupby(bracket.ties, lambda tie: tie.round)]
    return Outcome(
        format="knockout",
        words=(*map(_tie_words, known), *filter(None, (verdict,))),
        sheets=tuple(
            Sheet(_TIE_COLUMNS, tuple(map(_tie_cells, ties)), round_title(number, len(ties)))
            for number, ties in rounds
        ),
        verdict=verdict,
        data={"knockout": [asdict(tie) for tie in known], "winner": bracket.winner},
    )


def round_title(number: int, ties: int) -> str:
    """Return what people call a round.

    >>> round_title(1, 8), round_title(2, 4), round_title(3, 2), round_title(4, 1)
    ('Round 1', 'Quarter-finals', 'Semi-finals', 'Final')
    """
    return {4: "Quarter-finals", 2: "Semi-finals", 1: "Final"}.get(ties, f"Round {number}")


def _tie_words(tie: Tie) -> str:
    winner = f"{tie.winner} goes through" if tie.winner else "not decided"
    why = " as the better seed" if tie.by_seed else ""
    one, other = tie.bots
    score = "-".join(map(points, tie.points))
    return f"Round {tie.round}: {one} - {other} {score}, {winner}{why}"


def _tie_cells(tie: Tie) -> tuple[str, ...]:
    one, other = (name or "?" for name in tie.bots)
    if tie.is_bye:
        return one, "bye", "-", one, ""
    if not tie.is_known:
        return one, "-", other, "", ""
    prolonged = f"prolonged {tie.prolonged}x" if tie.prolonged else ""
    after = "level: better seed" if tie.by_seed else prolonged
    return one, "-".join(map(points, tie.points)), other, tie.winner or "", after


def _test(test: SprtStanding) -> Outcome:
    """Return the numbers of a test, and how many pairs gave how many points."""
    now, sprt = test.state, test.sprt
    name = f"SPRT {' - '.join(test.names)}"
    accepted = f"{now.verdict} accepted" if now.verdict else "not decided"
    verdict = f"{accepted} after {now.pairs} pairs"
    low, high = now.bounds
    llr = f"{now.llr:.2f} ({low:.2f}, {high:.2f})"
    interval = f"{_elo(now.elo_low)} to {_elo(now.elo_high)}"
    hypotheses = f"H0: {sprt.elo0:g}, H1: {sprt.elo1:g} Elo, {sprt.model}"
    counts = ", ".join(map(str, now.counts))
    rows = (
        ("LLR", llr),
        ("H0", f"{sprt.elo0:g} Elo, {sprt.model}"),
        ("H1", f"{sprt.elo1:g} Elo, {sprt.model}"),
        ("Elo", _elo(now.elo)),
        ("95 %", interval),
    )
    return Outcome(
        format="match",
        words=(
            f"{name} ({hypotheses}): {verdict}, LLR {llr}",
            f"pairs of 0, ½, 1, 1½, 2 points: {counts}; Elo {_elo(now.elo)} (95 %: {interval})",
        ),
        sheets=(
            Sheet((Column("SPRT", "text"), Column("value", "text")), rows),
            Sheet(
                (Column("points", "text"), *map(Column, ("0", "½", "1", "1½", "2"))),
                (("pairs", *map(str, now.counts)),),
                f"Pairs by the points of {test.names[0]}",
            ),
        ),
        verdict=f"{name}: {verdict}",
        data={"sprt": {**asdict(sprt), **asdict(now)}},
    )


def _elo(elo: float | None) -> str:
    return "unbounded" if elo is None else f"{elo:+.1f}"


DESCRIBED: Final[Mapping[type, Callable[[Any], Outcome]]] = {
    Table: _swiss,
    Bracket: _knockout,
    SprtStanding: _test,
}
