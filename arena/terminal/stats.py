"""The output of `arena stats`: archives, openings, game metrics and their comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, Literal

from lath.arena.terminal.layout import (
    LEAST_NAME,
    LayoutColumn,
    Output,
    figure,
    interval,
    p_value,
)
from lath.games.core import Result
from lath.games.errors import count_of
from lath.reports.counting.estimates import Estimated
from lath.reports.counting.figures import OPENINGS, GameCounts, Survey
from lath.reports.counting.openings import OpeningCounter
from lath.reports.counting.table import counts
from lath.reports.metrics.comparing import Compared
from lath.reports.metrics.definitions import MEASURES, UNLIKE, Measure
from lath.reports.metrics.measures import GameGroup, Measures


def print_survey(survey: Survey) -> None:
    """Print the statistics of an archive on standard output."""
    output = Output(to_stdout=True)
    if not survey.games:
        output.words("no games")
        return
    together = survey.together()
    rows = [*survey.games, *([("all", together)] if len(survey.games) > 1 else [])]
    output.table("Game lengths in plies", _lengths(rows, together.games))
    results = _results(rows, lambda count, of: f"{count:,} {count / of:>6.1%}")
    if output.needed(results, least=LEAST_NAME) > output.width:
        results = _results(rows, lambda count, of: f"{count / of:.1%}")
    output.table("Results", results)
    endings = [
        (game, ending, times, counted.games)
        for game, counted in survey.games
        for ending, times in counts(counted.endings).items()
    ]
    output.table("Endings", _shares("ending", endings))
    if survey.opening_plies and any(counted.openings.games for _, counted in survey.games):
        plies = survey.opening_plies
        output.table("Openings" if plies == 1 else f"First {plies} plies", _openings(survey))
    facts = survey.facts
    dates = facts["dates"]
    words = (
        f"{count_of(facts['records'], 'game')}, {count_of(facts['plies'], 'ply')}, "
        f"{count_of(facts['bots'], 'player')}"
    )
    if dates["first"]:
        words += f"; {dates['first']} to {dates['last']}"
        words += f", {dates['undated']:,} without a date" if dates["undated"] else ""
    output.words(words)
    output.words(*_parts(survey, together))
    if missed := max(counted.openings.missed for _, counted in survey.games):
        output.words(_too_low(missed))


def _parts(survey: Survey, together: GameCounts) -> list[str]:
    """Return notes on figures that do not cover all games."""
    many = together.games
    plies = "a ply" if survey.opening_plies == 1 else f"{survey.opening_plies} plies"
    used: dict[str, Callable[[GameCounts], int]] = {
        f"lengths: {{}} of {many:,} games (with moves and a result)": lambda of: of.lengths.total(),
        f"first player's score: {{}} of {many:,} games (finished)": lambda of: (
            of.games - of.results[Result.UNFINISHED]
        ),
    }
    if survey.opening_plies:
        used[f"openings: {{}} of {many:,} games (with {plies})"] = lambda of: of.openings.games
    return [
        words.format(f"{number:,}") + _by_game(survey, of)
        for words, of in used.items()
        if (number := sum(of(counted) for _, counted in survey.games)) < many
    ]


def _by_game(survey: Survey, used: Callable[[GameCounts], int]) -> str:
    """Return the numbers of covered games per game type, for those not fully covered."""
    if len(survey.games) == 1:
        return ""
    parts = [
        f"{name} {used(of):,} of {of.games:,}" for name, of in survey.games if used(of) < of.games
    ]
    return f" ({', '.join(parts)})"


SHOWN_OPENINGS: Final = 20
"""The number of lines per game type that fit on a screen; the CSV output has all."""


def print_openings(openings: OpeningCounter) -> None:
    """Print the frequency, the balance and the draw rate of each opening on standard output."""
    output = Output(to_stdout=True)
    games = openings.by_game()
    rows = [(game, *line) for game, _, lines in games for line in lines[:SHOWN_OPENINGS]]
    if not rows:
        output.words("no games")
        return
    columns = [
        LayoutColumn("game", _said_once([game for game, *_ in rows]), kind="name"),
        LayoutColumn("from", [start for _, start, *_ in rows], kind="name", rank=4),
        LayoutColumn("moves", [each[2] or "-" for each in rows], kind="name"),
        LayoutColumn("games", [f"{line.times:,}" for *_, line in rows]),
        LayoutColumn("drawn", [figure(line.draw_rate, ".1%") for *_, line in rows], rank=2),
        LayoutColumn(
            "first player's score", [figure(line.score_rate, ".1%") for *_, line in rows], rank=1
        ),
        LayoutColumn("95%", [interval(line.interval) for *_, line in rows]),
        LayoutColumn("pairs", [f"{line.pairs:,}" for *_, line in rows], rank=3),
    ]
    if not any(start for _, start, *_ in rows):
        del columns[1]
    titles = {0: "Openings", 1: "First ply"}
    output.table(titles.get(openings.plies, f"First {openings.plies} plies"), columns)
    different = sum(len(lines) for *_, lines in games)
    words = f"{count_of(openings.games, 'game')}, {count_of(different, 'opening')}"
    if openings.repeats:
        words += f"; {openings.repeats:,} are duplicate games, so intervals are wider"
    output.words(words)
    if different > len(rows):
        output.words(
            f"only the {SHOWN_OPENINGS} most frequent of each game type are shown; --csv prints all"
        )
    if missed := max(lines.missed for _, lines, _ in games):
        output.words(_too_low(missed))


def _too_low(missed: int) -> str:
    return f"counts of openings are lower bounds and may be up to {missed:,} too low"


def _lengths(rows: Sequence[tuple[str, GameCounts]], games: int) -> list[LayoutColumn]:
    spreads = [counted.spread for _, counted in rows]

    def cells(name: Literal["shortest", "median", "mean", "longest"], form: str) -> list[str]:
        return [format(spread[name], form) if spread else "-" for spread in spreads]

    return [
        LayoutColumn("game", [game for game, _ in rows], kind="name"),
        LayoutColumn("games", [f"{counted.games:,}" for _, counted in rows]),
        LayoutColumn("%", [f"{counted.games / games:.1%}" for _, counted in rows], rank=4),
        LayoutColumn("plies", [f"{counted.plies:,}" for _, counted in rows], rank=3),
        LayoutColumn("shortest", cells("shortest", ","), rank=1),
        LayoutColumn("median", cells("median", ",g")),
        LayoutColumn("mean", cells("mean", ",.1f"), rank=2),
        LayoutColumn("longest", cells("longest", ","), rank=1),
    ]


def _results(
    rows: Sequence[tuple[str, GameCounts]], shown: Callable[[int, int], str]
) -> list[LayoutColumn]:
    headings = {
        Result.FIRST_WON: "first won",
        Result.SECOND_WON: "second won",
        Result.DRAWN: "draw",
    }
    if any(counted.results[Result.UNFINISHED] for _, counted in rows):
        headings[Result.UNFINISHED] = "unfinished"
    return [
        LayoutColumn("game", [game for game, _ in rows], kind="name"),
        *(
            LayoutColumn(
                heading, [shown(counted.results[result], counted.games) for _, counted in rows]
            )
            for result, heading in headings.items()
        ),
        LayoutColumn(
            "first player's score",
            [figure(counted.first_score, ".1%") for _, counted in rows],
            rank=1,
        ),
    ]


def _shares(heading: str, rows: Sequence[tuple[str, str, int, int]]) -> list[LayoutColumn]:
    """Return columns for game types, openings or endings, their games and their shares."""
    return [
        LayoutColumn("game", _said_once([game for game, *_ in rows]), kind="name"),
        LayoutColumn(heading, [what for _, what, *_ in rows], kind="name"),
        LayoutColumn("games", [f"{times:,}" for *_, times, _ in rows]),
        LayoutColumn("%", [f"{times / of:.1%}" for *_, times, of in rows], rank=1),
    ]


def _said_once(games: Sequence[str]) -> list[str]:
    """Return the game type of each row, empty if it is the same as in the row above."""
    return ["" if game == before else game for before, game in pairwise(["", *games])]


def _openings(survey: Survey) -> list[LayoutColumn]:
    rows = [
        (game, moves, way, counted.openings.games)
        for game, counted in survey.games
        for moves, way in counted.openings.ranked()[:OPENINGS]
    ]
    return [
        *_shares("moves", [(game, moves, way.times, of) for game, moves, way, of in rows]),
        LayoutColumn(
            "first player's score", [figure(way.score_rate, ".1%") for *_, way, _ in rows], rank=2
        ),
    ]


def print_measures(measures: Measures) -> None:
    """Print a table per game type on standard output."""
    output = Output(to_stdout=True)
    groups = [group for _, group in measures.groups]
    if not groups:
        output.words("no games")
    for group in groups:
        rows = group.rows()
        columns = [
            LayoutColumn("metric", [row.measure.name for row in rows], kind="name"),
            LayoutColumn("value", [shown(row.measure, row.of.value) for row in rows]),
            LayoutColumn("95%", [between(row.measure, row.of.low, row.of.high) for row in rows]),
            LayoutColumn("games", [f"{row.of.games:,}" for row in rows]),
        ]
        output.table(f"{group.game}: {count_of(group.games, 'game')}", columns)
        _print_notes(group, output)


def _print_notes(group: GameGroup, output: Output) -> None:
    """Print which games are left out, and the scope of the intervals."""
    left_out = [f"{group.left_out[why]:,} {why}" for why in UNLIKE if group.left_out[why]]
    if left_out:
        output.words(f"left out: {', '.join(left_out)}")
    if group.repeats:
        output.words(
            f"duplicates: {count_of(group.repeats, 'game')}. All count, but only unique games "
            "narrow the intervals"
        )
    if not group.games:
        return
    what = "openings" if group.by_opening else "pairs and single games"
    output.words(
        f"intervals use {group.clusters:,} {what}; they hold for these bots and {group.holds_for}"
    )
    _print_remarks([("", group)], output)


_EVALUATED: Final = [each.name for each in MEASURES if each.evaluated]
"""The names of the metrics that use evaluations."""


def _print_remarks(groups: Sequence[tuple[str, GameGroup]], output: Output) -> None:
    """Print which metrics cannot be computed for each group, and how to get them."""
    for name, group in groups:
        before = f"{name}: " * bool(name)
        if words := group.begun_words():
            output.words(f"{before}{words}")
        if not group.reason and (kinds := group.unjudged_words()):
            words = f"{_EVALUATED[0]} to {_EVALUATED[-1]} use {group.judged:,} evaluated games"
            words += f", without {kinds}"
            output.words(f"{before}{words}")
    whys: dict[tuple[str, str, str], list[str]] = {}
    for name, group in groups:
        for each in group.unmeasured if group.games else ():
            whys.setdefault((name, *group.why_none(each)), []).append(each.name)
    for (name, reason, _), names in whys.items():
        listed = " and ".join(", ".join(names).rsplit(", ", 1))
        output.words(f"{f'{name}: ' * bool(name)}{listed}: {reason}")
    for words in dict.fromkeys(help_ for *_, help_ in whys):
        output.words(f"hint: {words}")


def print_compared(
    names: tuple[str, str], groups: tuple[GameGroup, GameGroup], compared: Sequence[Compared]
) -> None:
    """Print a table of two groups and a sentence on their differences, on standard output."""
    output = Output(to_stdout=True)
    one, other = names
    named = list(zip(names, groups, strict=True))
    columns = [
        LayoutColumn("metric", [each.measure.name for each in compared], kind="name"),
        LayoutColumn(one, [_of_part(each.measure, each.one, groups[0]) for each in compared]),
        LayoutColumn(other, [_of_part(each.measure, each.other, groups[1]) for each in compared]),
        LayoutColumn(
            "difference", [shown(each.measure, each.apart.value, "+") for each in compared]
        ),
        LayoutColumn(
            "95%",
            [between(each.measure, each.apart.low, each.apart.high) for each in compared],
            rank=1,
        ),
        LayoutColumn("p", [p_value(each.apart.p_value) for each in compared], rank=2),
        LayoutColumn("adjusted p", [p_value(each.adjusted) for each in compared], rank=3),
        LayoutColumn("differs", ["yes" if each.differs else "no" for each in compared]),
    ]
    many = " and ".join(f"{count_of(group.games, 'game')} of {name}" for name, group in named)
    output.table(many, columns)
    for name, group in named:
        if left_out := [f"{group.left_out[why]:,} {why}" for why in UNLIKE if group.left_out[why]]:
            output.words(f"left out of {name}: {', '.join(left_out)}")
    output.words(in_words(one, other, compared))
    both = {each.measure for each in compared}
    if lacking := [
        measure.name
        for measure in MEASURES
        if measure not in both and any(measure == row.measure for g in groups for row in g.rows())
    ]:
        output.words(f"not compared because only one of them has values: {', '.join(lacking)}")
    _print_remarks(named, output)


def _of_part(measure: Measure, of: Estimated, group: GameGroup) -> str:
    """Return a value, with the number of games if it does not cover all."""
    part = f" ({of.games:,} of {group.games:,})" if of.games < group.games else ""
    return f"{shown(measure, of.value)}{part}"


def in_words(one: str, other: str, compared: Sequence[Compared]) -> str:
    """Return a sentence on the significant differences, with their false discovery rate."""
    more = [each for each in compared if each.differs and each.apart.value > 0]
    less = [each for each in compared if each.differs and each.apart.value < 0]
    if not more and not less:
        return f"no significant difference between {one} and {other} (FDR 5%)"
    parts = [
        f"{word} {', '.join(each.measure.name for each in which)}"
        for word, which in (("higher", more), ("lower", less))
        if which
    ]
    return (
        f"{other} compared with {one}: {' and '.join(parts)}. Only significant differences are "
        "listed (FDR 5%), and about 1 in 20 of them is expected to be chance"
    )


def shown(measure: Measure, value: float, sign: str = "") -> str:
    """Return a value in its unit, shares in percent; `+` as `sign` marks a difference."""
    return format(value, f"{sign}.1%" if measure.unit == "share" else f"{sign}.2f")


def between(measure: Measure, low: float | None, high: float | None) -> str:
    """Return an interval; `-` for None."""
    if low is None or high is None:
        return "-"
    return f"{shown(measure, low)} to {shown(measure, high)}"
