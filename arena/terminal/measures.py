"""What designers ask of games, as tables; and in words what two games differ in.

Must not know how a number comes about.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lath.arena.terminal.layout import Column, Output
from lath.reports.measures import MEASURES, UNLIKE, Compared, Group, Measure, Measures


def print_measures(measures: Measures) -> None:
    """Print a table a game, to standard output."""
    output = Output(to_stdout=True)
    groups = [group for _, group in measures.groups]
    if not groups:
        output.words("no games")
    for group in groups:
        rows = group.rows()
        columns = [
            Column("measure", [row.measure.name for row in rows], kind="name"),
            Column("value", [shown(row.measure, row.of.value) for row in rows]),
            Column("95 %", [between(row.measure, row.of.low, row.of.high) for row in rows]),
            Column("games", [f"{row.of.games:,}" for row in rows], rank=1),
        ]
        output.table(f"{group.game}: {_games(group.games)}", columns)
        _print_notes(group, output)


def _print_notes(group: Group, output: Output) -> None:
    """Print what was left out, and what intervals are about."""
    left_out = [f"{group.left_out[why]:,} {why}" for why in UNLIKE if group.left_out[why]]
    if left_out:
        output.words(f"left out: {', '.join(left_out)}")
    if not group.games:
        return
    what = "openings" if group.by_opening else "pairs and single games"
    output.words(
        f"intervals count {group.clusters:,} {what}, and hold for these bots and {group.holds_for}"
    )
    had = {row.measure for row in group.rows()}
    if not any(measure.evaluated for measure in had):
        output.words("no evaluations: nothing is said of drama, leads and decisions")


_WORDS: Final = {True: "yes", False: "no"}


def print_compared(
    names: tuple[str, str], groups: tuple[Group, Group], compared: Sequence[Compared]
) -> None:
    """Print a table of both and a sentence of what differs, to standard output."""
    output = Output(to_stdout=True)
    one, other = names
    columns = [
        Column("measure", [each.measure.name for each in compared], kind="name"),
        Column(one, [shown(each.measure, each.one.value) for each in compared]),
        Column(other, [shown(each.measure, each.other.value) for each in compared]),
        Column("difference", [signed(each.measure, each.apart.value) for each in compared]),
        Column(
            "95 %",
            [between(each.measure, each.apart.low, each.apart.high) for each in compared],
            rank=1,
        ),
        Column("p", [_chance(each.apart.p_value) for each in compared], rank=2),
        Column("adjusted", [_chance(each.adjusted) for each in compared], rank=3),
        Column("differs", [_WORDS[each.differs] for each in compared]),
    ]
    many = " and ".join(f"{_games(group.games)} of {name}" for name, group in _each(names, groups))
    output.table(many, columns)
    for name, group in _each(names, groups):
        if left_out := [f"{group.left_out[why]:,} {why}" for why in UNLIKE if group.left_out[why]]:
            output.words(f"left out of {name}: {', '.join(left_out)}")
    output.words(in_words(one, other, compared))
    both = {each.measure for each in compared}
    if lacking := [
        measure.name
        for measure in MEASURES
        if measure not in both and any(measure == row.measure for g in groups for row in g.rows())
    ]:
        output.words(f"only one of them has: {', '.join(lacking)}")


def _each(names: tuple[str, str], groups: tuple[Group, Group]) -> list[tuple[str, Group]]:
    return list(zip(names, groups, strict=True))


def in_words(one: str, other: str, compared: Sequence[Compared]) -> str:
    """Return what is believed to differ, of which one in twenty may be chance."""
    more = [each for each in compared if each.differs and each.apart.value > 0]
    less = [each for each in compared if each.differs and each.apart.value < 0]
    if not more and not less:
        return f"no difference between {one} and {other} is shown; there may be some"
    parts = [
        f"{word} {', '.join(each.measure.name for each in which)}"
        for word, which in (("higher", more), ("lower", less))
        if which
    ]
    return (
        f"{other} against {one}: {'; '.join(parts)}. Of differences told so, one in twenty is "
        f"expected to be chance (Benjamini and Hochberg); the others are not shown"
    )


def shown(measure: Measure, value: float) -> str:
    """Return a value in its unit: a share in per cent."""
    return f"{value:.1%}" if measure.unit == "share" else f"{value:.2f}"


def signed(measure: Measure, value: float) -> str:
    """Return a difference in its unit, with its sign."""
    return f"{value:+.1%}" if measure.unit == "share" else f"{value:+.2f}"


def between(measure: Measure, low: float | None, high: float | None) -> str:
    """Return an interval; `-` where there is none."""
    if low is None or high is None:
        return "-"
    return f"{shown(measure, low)} to {shown(measure, high)}"


def _chance(p_value: float | None) -> str:
    """Return a p-value; none is 0."""
    if p_value is None:
        return "-"
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}"


def _games(number: int) -> str:
    return f"{number:,} game{'' if number == 1 else 's'}"
