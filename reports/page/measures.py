"""The page of game metrics: the longest, fairest and most dramatic games, with all figures.

It shows values with intervals on one scale per metric, lengths, the course of games ply by ply, and
the differences of two groups. Each drawing has a table of its numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

from lath.games.drawing.shapes import line, number
from lath.reports.counting.courses import CoursePoint
from lath.reports.counting.facts import of_game
from lath.reports.counting.figures import Bin, bins, median, part_of
from lath.reports.metrics.comparing import Compared
from lath.reports.metrics.definitions import (
    ADVANTAGE,
    EQUALS,
    MEASURES,
    UNLIKE,
    UNMEASURABLE,
    Measure,
)
from lath.reports.metrics.measures import GameGroup
from lath.reports.page.number_words import DASH, MINUS, THIN, count, decimals, percent
from lath.reports.page.page import Page, rendered
from lath.reports.page.views import Axis, axis

PARTS: Final = {
    "css": ("base", "sections", "tables", "plots", "measures", "narrow", "print"),
    "js": ("theme", "contents", "tables"),
}
"""The style and script files, in their order in the page."""

TOPICS: Final = {
    "Advantage": ("first_score", "first_equal", "first_stone", "stone_equal", "swapped"),
    "Outcome": ("drawn", "completion"),
    "Length and choice": ("plies", "legal_moves", "choices", "coverage"),
    "Drama": (
        *("lead_changes", "lead_changes_a_ply", "drama", "greatest_drama", "behind"),
        *("time_to_decide", "decisiveness"),
    ),
}
"""The keys of metrics that share a panel."""

Parts = Sequence[tuple[str, bool]]
"""A sentence: texts, each with a flag for names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedGroup:
    """Games that are measured together, with their name."""

    name: str
    group: GameGroup


class Dot(NamedTuple):
    """A value with its interval; shares are in per cent."""

    name: str
    value: float
    low: float | None
    high: float | None
    part: str = ""
    """The number of games with a value, if not all have one."""


class Panel(NamedTuple):
    """A metric of all groups on one scale."""

    measure: Measure
    says: str
    x: Axis
    dots: Sequence[Dot]
    is_even: bool
    """True if a line marks 50%."""


class Headline(NamedTuple):
    """One of the first answers about games."""

    title: str
    said: Parts
    rest: Parts
    panel: Panel | None
    """None if the metric is not measurable."""

    why: Parts = ()
    """The reasons for several game types that are not measurable."""


class Curve(NamedTuple):
    """The course of the games of one group."""

    name: str
    points: Sequence[CoursePoint]
    line: str
    band: str
    """The middle half of the games."""


class Chart(NamedTuple):
    """The courses of games on one pair of scales."""

    x: Axis
    y: Axis
    curves: Sequence[Curve]


class Apart(NamedTuple):
    """A difference in words, with its place in the drawing."""

    measure: Measure
    differs: bool
    """True if the difference is significant."""
    is_higher: bool
    dot: Dot | None
    """The difference in points for shares, or in per cent of the first value; None if that is 0."""
    difference: str
    interval: str
    one: str
    part_of_one: str
    """The number of games of the first group with a value, if not all have one."""
    other: str
    part_of_other: str
    chance: str


class Differences(NamedTuple):
    """The differences of two groups on one scale."""

    unit: str
    of_first: bool
    x: Axis
    rows: Sequence[Apart]


def names_of(groups: Iterable[GameGroup]) -> list[str]:
    """Return the names of groups: their titles, or their ids if two titles are equal."""
    found = [of_game(group.game) for group in groups]
    titles = [one["title"] for one in found]
    return titles if len(set(titles)) == len(titles) else [one["game"] for one in found]


def render(
    groups: Sequence[NamedGroup], command: str, out: str, compared: Sequence[Compared] | None = None
) -> Page:
    """Return the page on these games, and on the differences of two of them, `compared`.

    `command` is the command that was typed, without the output file `out`.
    """
    counted = [one for one in groups if one.group.games]
    panels = {
        measure.key: found
        for measure in MEASURES
        if (found := _panel(measure, counted)) is not None
    }
    return rendered(
        "measures.html.j2",
        PARTS,
        None,
        title=_title(counted, compared),
        groups=groups,
        counted=counted,
        answers=_answers(panels, counted, compared),
        topics=[
            (topic, some)
            for topic, keys in TOPICS.items()
            if (some := [panels[key] for key in keys if key in panels])
        ],
        lengths=_lengths(counted),
        leads=_leads(counted),
        legal=_chart(counted, lambda one: one.courses.legal()),
        covered=_chart(counted, lambda one: one.courses.changed(), share=True),
        differences=None
        if compared is None
        else _differences(compared, [one.group.games for one in groups]),
        believed=sum(each.differs for each in compared or ()),
        tests=len(compared or ()),
        command=command,
        out=out,
        shown=_shown,
        within=_within,
        UNLIKE=UNLIKE,
        card=None,
    )


def _title(counted: Sequence[NamedGroup], compared: Sequence[Compared] | None) -> str:
    names = [one.name for one in counted]
    if compared is not None:
        return f"{' and '.join(names)} compared"
    if not names or len(names) > 3:
        return f"Game metrics of {count(len(names), 'game type')}"
    return f"Game metrics of {''.join(text for text, _ in _all_of(names))}"


def _shown(measure: Measure, value: float | None) -> str:
    """Return a value in the unit of its drawing."""
    if measure.unit == "share":
        return percent(None if value is None else value / 100)
    return percent(None) if value is None else decimals(value)


def _within(measure: Measure, low: float | None, high: float | None) -> str:
    """Return the interval of a drawn value in words, without its unit."""
    if low is None or high is None:
        return "no interval"
    digits = 1 if measure.unit == "share" else 2
    return f"{decimals(low, digits)}{DASH}{decimals(high, digits)}"


# Dots


def _panel(measure: Measure, groups: Sequence[NamedGroup]) -> Panel | None:
    """Return the values of the groups that have the metric; None without any."""
    unit = 100 if measure.unit == "share" else 1
    rows = [
        (one.name, row.of, one.group.games)
        for one in groups
        for row in one.group.rows()
        if row.measure == measure
    ]
    if not rows:
        return None
    part = partial(_times, unit)
    dots = [
        Dot(name, of.value * unit, part(of.low), part(of.high), _fewer(of.games, games))
        for name, of, games in rows
    ]
    is_even = measure.key in ADVANTAGE  # 1/2 for a fair game
    ends = [*_ends(dots), *([50.0] if is_even else [])]
    if min(ends) == max(ends):
        ends = [max(0, ends[0] - 1), min(ends[0] + 1, 100 if unit == 100 else ends[0] + 1)]
    return Panel(measure, measure.says, axis(ends, 5, 95, 3), dots, is_even)


def _times(unit: float, value: float | None) -> float | None:
    return None if value is None else value * unit


def _fewer(used: int, games: int) -> str:
    """Return the number of games behind a value; empty if it covers all.

    >>> _fewer(704, 1008), _fewer(7, 7)
    ('704 games', '')
    """
    return count(used, "game") if used < games else ""


def _ends(dots: Iterable[Dot]) -> list[float]:
    """Return all values that a scale must include."""
    return [end for dot in dots for end in (dot.value, dot.low, dot.high) if end is not None]


def _answers(
    panels: dict[str, Panel], groups: Sequence[NamedGroup], compared: Sequence[Compared] | None
) -> list[Headline]:
    """Return the longest, fairest and most dramatic game, as far as the games show it."""
    found = []
    if (panel := panels.get("plies")) is not None:
        said, rest = _most(panel, "longest", "longer", "{} plies on average", compared)
        found.append(Headline("Length", said, rest, _sorted(panel)))
    others = (
        _fairer(panels.get("first_equal"), panels.get("first_score"), groups),
        _dramatic(panels.get("drama"), groups, compared),
    )
    return [*found, *filter(None, others)]


def _fairer(
    equal: Panel | None, scored: Panel | None, groups: Sequence[NamedGroup]
) -> Headline | None:
    """Return the game types that can be fair, among those with measurable sides."""
    lacking = [one for one in groups if one.group.one_sided]
    why = _of_each(lacking, [one.group.one_sided for one in lacking], groups)
    why += _words(f"To measure this, {EQUALS}.") if lacking else []
    if scored is None:
        return (
            _shorter(
                Headline("Fairness", _words(f"{UNMEASURABLE.capitalize()}."), [], None),
                lacking,
                why,
            )
            if why
            else None
        )
    has_all = equal is not None and len(equal.dots) == len(scored.dots)
    panel = equal if equal is not None and has_all else scored
    said, rest = _fair(panel)
    ordered = sorted(panel.dots, key=lambda dot: abs(dot.value - 50))
    return _shorter(Headline("Fairness", said, rest, panel._replace(dots=ordered)), lacking, why)


def _shorter(headline: Headline, lacking: Sequence[NamedGroup], why: Parts) -> Headline:
    """Return the answer with the reasons, which are apart if they are of several game types."""
    if not why:
        return headline
    if len(lacking) == 1:
        return headline._replace(rest=[*headline.rest, *_words(" "), *why])
    is_told = headline.panel is None or len(headline.panel.dots) == 1
    apart = "" if is_told else f" {len(lacking)} game types are not measurable with these bots."
    return headline._replace(rest=[*headline.rest, *_words(apart)], why=why)


def _dramatic(
    panel: Panel | None, groups: Sequence[NamedGroup], compared: Sequence[Compared] | None
) -> Headline | None:
    """Return the most dramatic game type among the judged ones; None if all are drawn."""
    lacking = [one for one in groups if one.group.reason]
    if not lacking and panel is None:
        return None
    why = _of_each(lacking, [one.group.lack for one in lacking], groups)
    for words in dict.fromkeys(one.group.help for one in lacking):
        why += _words(f"To measure this, {words}.")
    if panel is None or (lacking and len(panel.dots) == 1):
        said = _words(f"{UNMEASURABLE.capitalize()}.")
        return _shorter(Headline("Drama", said, [], panel), lacking, why)
    what = "The winner’s average deficit is {} of a point"
    said, more = _most(panel, "most dramatic", "more dramatic", what, compared)
    if lacking:
        said = [*_words("Among "), *_all_of([dot.name for dot in panel.dots]), *_words(": "), *said]
    return _shorter(Headline("Drama", said, more, _sorted(panel)), lacking, why)


def _of_each(
    some: Iterable[NamedGroup], said: Iterable[str], groups: Sequence[NamedGroup]
) -> list[tuple[str, bool]]:
    """Return a statement about each of some groups, with its name if there are several."""
    return [
        part
        for one, words in zip(some, said, strict=True)
        for part in (
            *(((one.name, True), (": ", False)) if len(groups) > 1 else ()),
            (f"{words}. ", False),
        )
    ]


def _sorted(panel: Panel) -> Panel:
    return panel._replace(dots=sorted(panel.dots, key=lambda dot: -dot.value))


def _most(
    panel: Panel, most: str, more: str, what: str, compared: Sequence[Compared] | None
) -> tuple[Parts, Parts]:
    """Return the group with the highest value, if intervals or the comparison show it."""
    top, *others = _sorted(panel).dots
    value = what.format(_shown(panel.measure, top.value))
    if not others:
        return _words(f"{value}."), ()
    lowest = top.low if top.low is not None else -math.inf
    near = [dot for dot in others if dot.high is None or dot.high >= lowest]
    if compared is not None:
        row = next((each for each in compared if each.measure == panel.measure), None)
        near = [] if row and row.differs else others
    if len(near) == len(others):
        are = "difference is" if compared else "differences are"
        return _words(f"The {are} not statistically significant."), ()
    if near:
        names = _all_of([top.name, *(dot.name for dot in near)])
        rest = _words("The differences between them are not statistically significant.")
        return [*names, *_words(f" are the {most}.")], rest
    next_one = _shown(panel.measure, others[0].value)
    rest = [*_words(f"{value}; "), (others[0].name, True), *_words(f" {next_one}.")]
    is_so = f" is {more}." if compared else f" is the {most}."
    return [(top.name, True), *_words(is_so)], rest


def _words(text: str) -> Parts:
    return [(text, False)]


def _fair(panel: Panel) -> tuple[Parts, Parts]:
    """Return the groups that can be fair, and the favoured side of the others."""
    favours: dict[str, list[str]] = {"": [], "first": [], "second": []}
    for dot in panel.dots:
        is_first = dot.low is not None and dot.low > 50
        is_second = dot.high is not None and dot.high < 50
        favours["first" if is_first else "second" if is_second else ""].append(dot.name)
    may = favours.pop("")
    said = [*_all_of(may), *_words(" may be fair.")] if may else _words("No game type is fair.")
    rest: list[tuple[str, bool]] = []
    for seat, names in favours.items():
        if names:
            rest += [*_words(f"The {seat} player has an advantage in "), *_all_of(names)]
            rest += _words(". ")
    return said, rest or _words("The first player’s score does not differ significantly from 50%.")


def _all_of(names: Sequence[str]) -> Parts:
    """Return names as the parts of a sentence.

    >>> "".join(text for text, _ in _all_of(["a", "b", "c"]))
    'a, b and c'
    """
    found: list[tuple[str, bool]] = []
    for at, name in enumerate(names):
        joint = "" if not at else " and " if at == len(names) - 1 else ", "
        found += [*([(joint, False)] if joint else []), (name, True)]
    return found


# Lengths and courses


class Bar(NamedTuple):
    """A bar for games of some lengths."""

    first: int
    last: int
    games: int
    part: float
    """The percentage of all games."""
    width: str
    """The width; this and the next values are in per cent of the drawing."""
    y: str
    height: str


class LengthsDrawn(NamedTuple):
    """The lengths of the games of one group."""

    name: str
    bars: Sequence[Bar]
    median: float
    middle: float
    """The position of the median: the middle of a ply."""
    shortest: int
    longest: int
    games: int
    all: int
    """All games of the group, including incomplete ones."""


class AllLengths(NamedTuple):
    """The lengths of all groups on one pair of scales."""

    x: Axis
    rows: Sequence[LengthsDrawn]


BARS: Final = 64
"""The most bars of a drawing, which is as wide as the page."""

ROOM: Final = 78.0
"""The height of the highest bar in per cent of the drawing; the median is above it."""


def _lengths(groups: Sequence[NamedGroup]) -> AllLengths | None:
    known = [(one, of) for one in groups if (of := one.group.courses.lengths)]
    if not known:
        return None
    ends = min(min(of) for _, of in known), max(max(of) for _, of in known)
    drawn = [(one, of, bins(of, ends, BARS)) for one, of in known]
    first, last = drawn[0][2][0]["from"], drawn[0][2][-1]["to"] + 1
    x = axis((first, last), 2, 98, 8, close=True)
    most = max(one["games"] / of.total() for _, of, parts in drawn for one in parts)
    return AllLengths(x, [_length(one, of, parts, x, most) for one, of, parts in drawn])


def _length(
    one: NamedGroup, of: Counter[int], parts: Sequence[Bin], x: Axis, most: float
) -> LengthsDrawn:
    bars = []
    for part in parts:
        share = part["games"] / of.total()
        height, width = ROOM * share / most, x.of(part["to"] + 1) - x.of(part["from"])
        places = (number(max(0.3, width - 0.3)), number(100 - height), number(height))
        bars.append(Bar(part["from"], part["to"], part["games"], 100 * share, *places))
    middle, ends = median(of), (min(of), max(of))
    return LengthsDrawn(
        one.name, bars, middle, middle + 0.5, *ends, games=of.total(), all=one.group.games
    )


BOX: Final = (38.0, 8.0, 312.0, 150.0)
"""The left, top, right and bottom edge of a chart."""


def _leads(groups: Sequence[NamedGroup]) -> Chart | None:
    """Return the winners' expected scores over the game, in per cent of a point."""
    judged = [one for one in groups if not one.group.reason]
    return _chart(judged, lambda one: one.courses.leads(), share=True, ends=(0, 100))


def _chart(
    groups: Sequence[NamedGroup],
    points_of: Callable[[GameGroup], list[CoursePoint]],
    *,
    share: bool = False,
    ends: Sequence[float] = (),
) -> Chart | None:
    """Return a chart ply by ply; `ends` are values that both scales must include."""
    known = [(one.name, points) for one in groups if (points := points_of(one.group))]
    unit = 100 if share else 1
    scaled = [(name, [_scaled(point, unit) for point in points]) for name, points in known]
    last = max((points[-1].at for _, points in known), default=1)
    return _drawn(scaled, ends or (1, last), ends or (0,))


def _scaled(point: CoursePoint, unit: float) -> CoursePoint:
    mean, low, high = (value * unit for value in (point.mean, point.low, point.high))
    return point._replace(mean=mean, low=low, high=high)


def _drawn(
    known: Sequence[tuple[str, Sequence[CoursePoint]]], across: Sequence[float], up: Sequence[float]
) -> Chart | None:
    """Return curves on scales that include all curves and these values; None without curves."""
    if not known:
        return None
    left, top, right, bottom = BOX
    x = axis(across, left, right, close=True)
    ends = [end for _, points in known for point in points for end in (point.low, point.high)]
    means = [point.mean for _, points in known for point in points]
    y = axis((*ends, *means, *up), bottom, top, 5)
    curves = []
    for name, points in known:
        at = [(x.of(point.at), y.of(point.mean)) for point in points]
        upper = [(x.of(point.at), y.of(point.high)) for point in points]
        lower = [(x.of(point.at), y.of(point.low)) for point in reversed(points)]
        curves.append(Curve(name, points, line(*at), f"{line(*upper, *lower)}z"))
    return Chart(x, y, curves)


# Differences


def _differences(compared: Sequence[Compared], games: Sequence[int]) -> list[Differences]:
    """Return the differences of shares, and those of numbers, the significant ones first.

    `games` are the numbers of games of both groups.
    """
    found = []
    for unit, words, of_first in (
        ("share", "in percentage points", False),
        ("number", "in percent of the value for", True),
    ):
        rows = [_difference(each, games) for each in compared if each.measure.unit == unit]
        rows.sort(key=lambda row: not row.differs)
        if rows:
            ends = _ends(row.dot for row in rows if row.dot is not None)
            found.append(Differences(words, of_first, axis((*ends, 0), 5, 95, 5), rows))
    return found


def _difference(each: Compared, games: Sequence[int]) -> Apart:
    measure, apart = each.measure, each.apart
    unit = 100 if measure.unit == "share" else 1
    low, high, value = (_times(unit, end) for end in (apart.low, apart.high, apart.value))
    assert value is not None
    drawn = 1 if unit == 100 else 100 / each.one.value if each.one.value else 0
    dot = Dot(measure.name, apart.value * unit * drawn, _times(drawn, low), _times(drawn, high))
    p_value = each.adjusted
    return Apart(
        measure,
        each.differs,
        apart.value > 0,
        dot if drawn else None,
        _signed(measure, value),
        DASH
        if low is None or high is None
        else f"{_signed(measure, low)} to {_signed(measure, high)}",
        _shown(measure, each.one.value * unit),
        part_of(each.one.games, games[0]),
        _shown(measure, each.other.value * unit),
        part_of(each.other.games, games[1]),
        DASH if p_value is None else f"<{THIN}0.001" if p_value < 0.001 else f"{p_value:.3f}",
    )


def _signed(measure: Measure, value: float) -> str:
    """Return a difference in the unit of its drawing, with its sign."""
    return f"{value:+.{1 if measure.unit == 'share' else 2}f}".replace("-", MINUS)
