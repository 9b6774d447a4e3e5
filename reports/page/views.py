"""The words and drawings of the page, from the numbers of its document."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise, zip_longest
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from lath import games
from lath.games.drawing import board
from lath.games.drawing.shapes import number
from lath.reports.counting import columns, ranking
from lath.reports.counting.facts import UNKNOWN
from lath.reports.counting.figures import names_listed
from lath.reports.counting.standings import TRIALS
from lath.reports.event.background import changes_sheet, rulings_sheet
from lath.reports.event.export import invalid_words
from lath.reports.notes.notes import Change, Ruling, Snapshot
from lath.reports.page.number_words import DASH, MINUS, THIN, count, points

# Drawings


def ticks(low: float, high: float, most: int = 6) -> tuple[float, ...]:
    """Return at most `most` evenly spaced round numbers that enclose `low` and `high`.

    >>> ticks(3, 22), ticks(0.1, 0.4, 4)
    ((0, 5, 10, 15, 20, 25), (0.1, 0.2, 0.3, 0.4))
    """
    if not high > low:
        low, high = low - 1, high + 1
    unit: float = 10.0 ** math.floor(math.log10((high - low) / most))
    while True:
        for step in (unit * factor for factor in (1, 2, 5, 10)):
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            if last - first < most:
                marks = (round(at * step, 10) for at in range(first, last + 1))
                return tuple(int(mark) if mark == int(mark) else mark for mark in marks)
        unit *= 10


class Axis(NamedTuple):
    """A scale from numbers to coordinates of a drawing."""

    low: float
    high: float
    start: float
    """The coordinate of `low`."""

    end: float
    """The coordinate of `high`; less than `start` on axes that go up."""

    ticks: tuple[float, ...]

    @property
    def width(self) -> int:
        """Return the width of a drawing with equal margins on both sides."""
        return round(self.start + self.end)

    def of(self, value: float) -> float:
        """Return the coordinate of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def at(self, value: float) -> str:
        """Return the coordinate of a value as text."""
        return number(self.of(value))


def axis(
    values: Iterable[float | None], start: float, end: float, most: int = 6, *, close: bool = False
) -> Axis:
    """Return an axis that includes all known `values`; 0..1 without values.

    It ends at ticks. If `close`, it ends at the least and greatest values, provided that they
    differ.
    """
    known = [value for value in values if value is not None] or [0, 1]
    low, high = min(known), max(known)
    marks = ticks(low, high, most)
    if close and low < high:
        return Axis(low, high, start, end, tuple(mark for mark in marks if low <= mark <= high))
    return Axis(marks[0], marks[-1], start, end, marks)


def course(*points: tuple[float, float]) -> str:
    """Return a line through many points as short path data: in steps, without points on the way.

    >>> course((0, 1), (1, 2.5), (2, 2.5), (9, 2.5), (8, 2))
    'M0 1l1 1.5 8 0-1-0.5'
    """
    tenths = [(round(10 * x), round(10 * y)) for x, y in points]
    kept = tenths[:1]
    for at, after in zip_longest(tenths[1:], tenths[2:], fillvalue=tenths[0]):
        if not (kept[-1][1] == at[1] == after[1] and kept[-1][0] < at[0] < after[0]):
            kept.append(at)
    x, y = kept[0]
    steps = "".join(
        f"{'' if value < 0 else ' '}{value / 10:g}"
        for one, other in pairwise(kept)
        for value in (other[0] - one[0], other[1] - one[1])
    )
    return f"M{x / 10:g} {y / 10:g}{steps and 'l' + steps.removeprefix(' ')}"


def curves(
    history: Mapping[str, Any], names: Sequence[str], box: Sequence[float], z: float
) -> dict[str, Any]:
    """Return the rating curves of bots in a box (left, top, right, bottom), bands of ± z sigma.

    `x` and `y` are the axes. Each of the `curves` has a line, its band, and the heights of its end
    and of its label.
    """
    games = history["games"]
    shown = [bot for bot in history["bots"] if bot["name"] in set(names)]
    left, top, right, bottom = box
    values = [
        mu + side * z * sigma
        for bot in shown
        for at, (mu, sigma) in enumerate(zip(bot["mu"], bot["sigma"], strict=True))
        if mu is not None
        # The first bands are as wide as the prior, which would compress the rest of the drawing.
        for side in ((-1, 1) if at > len(games) / 10 else (0,))
    ]
    x = axis((0, games[-1]), left, right, 7, close=True)
    low, high = min(values), max(values)
    rim = (high - low) / 25 + 0.5
    y = axis((low - rim, high + rim), bottom, top, close=True)
    drawn = []
    for bot in shown:
        known = [
            (round(x.of(at)), mu, z * sigma)
            for at, mu, sigma in zip(games, bot["mu"], bot["sigma"], strict=True)
            if mu is not None
        ]
        upper = [(at, y.of(mu + half)) for at, mu, half in known]
        lower = [(at, y.of(mu - half)) for at, mu, half in reversed(known)]
        last = known[-1][1]
        drawn.append(
            {
                "name": bot["name"],
                "line": course(*((at, y.of(mu)) for at, mu, _ in known)),
                "band": f"{course(*upper, *lower)}z",
                "end_y": y.at(last),
                "last": last,
            }
        )
    # A distance of 15 units between baselines separates the labels.
    labels = spread([y.of(curve["last"]) for curve in drawn], 15, top, bottom)
    for curve, label in zip(drawn, labels, strict=True):
        curve["label_y"] = number(label)
    return {"x": x, "y": y, "curves": drawn}


def between_bounds(plot: Mapping[str, Any], box: Sequence[float]) -> dict[str, Any]:
    """Return a curve of an outcome in a box (left, top, right, bottom).

    `x` and `y` are the axes, `line` is the curve, `end` is its last point, and `bounds` are names
    and heights.
    """
    left, top, right, bottom = box
    across, up = zip(*plot["points"], strict=True)
    x = axis((0, *across), left, right, close=True)
    y = axis((0, *up, *(value for _, value in plot["bounds"])), bottom, top)
    return {
        "x": x,
        "y": y,
        "line": course(*((x.of(at), y.of(value)) for at, value in plot["points"])),
        "end": {"across": across[-1], "value": up[-1], "x": x.at(across[-1]), "y": y.at(up[-1])},
        "bounds": [(name, value, y.at(value)) for name, value in plot["bounds"]],
    }


def board_extent(game_id: str) -> str:
    """Return the extent of a game's board in its drawing."""
    return board.extent(games.get(game_id))


def few(values: Sequence[Any], most: int) -> list[int]:
    """Return the indices of at most `most` evenly spaced values, including the last one.

    >>> few("abc", 5), few("abcdefgh", 3)
    ([0, 1, 2], [2, 5, 7])
    """
    count = min(most, len(values))
    return [(len(values) * at + count - 1) // count - 1 for at in range(1, count + 1)]


def spread(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Return coordinates near the wanted ones that are at least `gap` apart, in their order.

    >>> spread([10, 11, 40], 10, 0, 50)
    [10, 20, 40]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = list(wanted)
    for before, after in pairwise(order):
        places[after] = max(places[after], places[before] + gap)
    if order and places[order[-1]] > high:
        places[order[-1]] = high
        for after, before in pairwise(reversed(order)):
            places[before] = min(places[before], places[after] - gap)
    return [max(low, at) for at in places]


# Words


def cells_of(
    shown: Sequence[columns.TableColumn], rows: Sequence[Mapping[str, Any]]
) -> list[tuple[str, ...]]:
    """Return the cells of each row, with real minus signs."""
    cells = [
        [re.sub(r"^-(?=[0-9])", MINUS, cell) if cell != "-" else DASH for cell in one.cells(rows)]
        for one in shown
    ]
    return list(zip(*cells, strict=True))


def column_says(name: str) -> str:
    """Return the definition of a column of a table of bots."""
    return columns.BY_NAME[name].says


def scale_words(standings: Mapping[str, Any]) -> str:
    """Return the scale of Elo in a sentence that begins with a space."""
    if not standings["anchors"]:
        return " 0 Elo is the mean of these bots."
    held = ", ".join(f"{name} = {value:g}" for name, value in standings["anchors"].items())
    return f" Elo is relative to the anchors: {held}."


def chosen_games(tree: Mapping[str, Any]) -> int:
    """Return the number of games of a tree in which the arena chose the first move."""
    return sum(line["chosen"] for line in tree["lines"] if " " not in line["text"])


def in_address(name: str) -> str:
    """Return a name for use in an address; characters without UTF-8 become question marks.

    >>> in_address("a b&c")
    'a%20b%26c'
    """
    return quote(name, safe="", errors="replace")


def games_of(score: Mapping[str, int]) -> int:
    """Return the number of games of a score with `wins`, `draws` and `losses`."""
    return score["wins"] + score["draws"] + score["losses"]


def rate_of(*scores: Mapping[str, int]) -> float | None:
    """Return points per game in 0..1 over all scores; None without games."""
    games = sum(map(games_of, scores))
    points = sum(score["wins"] + score["draws"] / 2 for score in scores)
    return points / games if games else None


def won_drawn_lost(score: Mapping[str, int]) -> str:
    """Return a score as three numbers.

    >>> won_drawn_lost({"wins": 3, "draws": 0, "losses": 12})
    '3–0–12'
    """
    return DASH.join(f"{score[word]:,}" for word in ("wins", "draws", "losses"))


def forfeits(lost_by: Mapping[str, int]) -> str:
    """Return the numbers of a bot's forfeits in words; a dash without any."""
    return ", ".join(f"{games}{THIN}{word}" for word, games in lost_by.items() if games) or DASH


def forfeited(rows: Iterable[Mapping[str, Any]]) -> int:
    """Return the total number of forfeits in these rows."""
    return sum(sum(row["lost_by"].values()) for row in rows)


def by(rows: Iterable[Mapping[str, Any]], key: str, value: str) -> dict[Any, Any]:
    """Return one field of each row by another, such as titles by games."""
    return {row[key]: row[value] for row in rows}


def decisive(row: Mapping[str, Any]) -> str:
    """Return the ranking number of a bot in words, with its number of games.

    >>> row = {"points": 7.5, "games": 8, "swiss_points": None, "rounds": None, "role": ""}
    >>> decisive(row), decisive({**row, "swiss_points": 8.5}), decisive({**row, "rounds": 1})
    ('7½ of 8 points', '8½ points', '1 round won, 7½ of 8 points')
    >>> decisive({**row, "role": "opponent"})
    'opponent: 7½ of 8 points'
    """
    scored = f"{points(row['points'])} of {count(row['games'], 'point')}"
    if row["swiss_points"] is not None:
        return f"{points(row['swiss_points'])} {'point' if row['swiss_points'] <= 1 else 'points'}"
    if row["rounds"] is not None:
        return f"{count(row['rounds'], 'round')} won, {scored}"
    return f"{row['role']}: {scored}" if row["role"] else scored


def real_minus(text: str) -> str:
    """Return words with a real minus sign.

    >>> real_minus("mu - 3 sigma").isascii()
    False
    """
    return text.replace(" - ", f" {MINUS} ")


SECTIONS: Final = {
    "challenger": "Challengers, by points per game",
    "opponent": "Opponents, by points per game against the challengers",
}
"""The headings of the two sides of a gauntlet."""


def sections(table: Mapping[str, Any]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """Return the rows of a table by section, each with its heading."""
    rows = table["rows"]
    if table["rule"] == "gauntlet":
        found = [
            (words, [r for r in rows if r["role"] == role]) for role, words in SECTIONS.items()
        ]
        return [each for each in found if each[1]]
    if not is_apart(table):
        return [("", rows)]
    by_group = [
        [row for row in rows if row["group"] == number]
        for number in range(1, len(table["groups"]) + 1)
    ]
    return [
        (f"Group {number}: {count(len(group), 'bot')} {connection(group)}", group)
        for number, group in enumerate(by_group, 1)
        if group
    ]


def is_apart(table: Mapping[str, Any]) -> bool:
    """Return whether a table has groups of bots that are not ranked against each other."""
    return len(table["groups"]) > 1 and table["rule"] in ranking.BY_GAMES


def connection(group: Sequence[object]) -> str:
    """Return how the bots of a group are connected."""
    if len(group) > 1:
        return "connected by games"
    return "without a game against the other groups"


def first_number(table: Mapping[str, Any]) -> columns.TableColumn:
    """Return the column that decides the ranks of a table."""
    return columns.BY_NAME[ranking.COLUMNS[table["rule"]]]


def places(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Return the row number of each bot in a table, from 1, also for shared ranks."""
    return {row["name"]: place for place, row in enumerate(rows, 1)}


def games_a_cell(crosstable: Iterable[Iterable[Mapping[str, Any]]]) -> int:
    """Return the number of games per pairing; 0 if pairings have different numbers."""
    met = {cell["games"] for row in crosstable for cell in row if cell["games"]}
    return met.pop() if len(met) == 1 else 0


EVIDENCE: Final = (0.95, 0.99, 0.999, 0.9999)
"""The least likelihood for each colour of a cell that a bot wins more often than its opponent."""


def evidence(cell: Mapping[str, Any]) -> int:
    """Return how strongly the games of two bots favour the first, from 0 (the opponent) to 8.

    It is 4 without clear evidence, as after few games.

    >>> [evidence({"head_to_head": likely}) for likely in (0.8125, 0.9688, 1.0, 0.0, 0.03, None)]
    [4, 5, 8, 0, 3, 4]
    """
    likely: float | None = cell["head_to_head"]
    if likely is None:
        return 4
    surely = sum(max(likely, 1 - likely) >= least for least in EVIDENCE)
    return 4 + surely if likely > 0.5 else 4 - surely


def evidence_words(least: float) -> str:
    """Return a likelihood in per cent, without the sign.

    >>> [evidence_words(least) for least in EVIDENCE]
    ['95', '99', '99.9', '99.99']
    """
    return f"{100 * least:.6g}"


def sheets(outcome: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the tables of a result, without columns that are empty in all their rows.

    `heads` is the index of the column that names the rows.
    """
    found = []
    for sheet in outcome["sheets"]:
        rows = sheet["rows"]
        filled = [at for at, _ in enumerate(sheet["columns"]) if any(row[at] for row in rows)]
        columns = [sheet["columns"][at] for at in filled]
        names = (at for at, column in enumerate(columns) if column["kind"] == "name")
        cells = [
            [
                # A score such as 0-2 keeps its hyphen.
                re.sub(r"^-(?=[0-9])", MINUS, row[at]) if column["kind"] == "number" else row[at]
                for at, column in zip(filled, columns, strict=True)
            ]
            for row in rows
        ]
        caption = sheet["title"] or "Result by the rules of the format."
        heads = next(names, 0)
        found.append({"caption": caption, "columns": columns, "heads": heads, "rows": cells})
    return found


def changed(changes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the table of changes during a tournament."""
    (table,) = sheets({"sheets": [asdict(changes_sheet(Change(**change) for change in changes))]})
    return {**table, "heads": 0, "caption": "Settings that changed during the tournament."}


def ruled(rulings: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the table of rulings."""
    (table,) = sheets({"sheets": [asdict(rulings_sheet(Ruling(**one) for one in rulings))]})
    return {
        **table,
        "caption": "Void games and games of disqualified bots stay in the records. "
        "They do not count unless the ruling is revoked.",
    }


def tells_versions(document: Mapping[str, Any]) -> bool:
    """Return whether versions need a section of their own, as in `versions.are_told`."""
    rows = document.get("versions", ())
    return any(row["before"] or row["retired"] or row["disqualified"] for row in rows)


def snapshot_words(snapshot: Mapping[str, Any]) -> str:
    """Return the words for the snapshot that a tournament is."""
    return Snapshot(**snapshot).words


def at_once(provenance: Mapping[str, Any]) -> str:
    """Return the number of simultaneous games, and their cores.

    >>> at_once({"jobs": 2, "cores": [[0, 1], [2, 3]]}), at_once({"jobs": 1, "cores": []})
    ('2, each on its own cores: 0+1, 2+3', '1, not pinned to cores')
    """
    own = ", ".join("+".join(map(str, cores)) for cores in provenance["cores"])
    if provenance.get("hosts"):
        return f"{provenance['jobs']}, on other machines"
    if not own:
        return f"{provenance['jobs']}, not pinned to cores"
    return f"{provenance['jobs']}, each on its own cores: {own}"


def left_out(standings: Mapping[str, Any]) -> str:
    """Return a sentence on the records that do not count; empty if all do."""
    reasons = standings["left_out"]
    if not reasons:
        return ""
    words = ", ".join(f"{number} {word}" for word, number in reasons.items())
    only = [name for name in standings["unranked"] if name not in UNKNOWN]
    named = f" No game of {names_listed(only)} counts." if only else ""
    trials = f" {TRIALS}" if "tuning" in reasons else ""
    return f"Not counted: {count(sum(reasons.values()), 'record')} ({words}).{named}{trials}"


def unsound(reasons: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the sentence on records left out as invalid, then one line for each example."""
    return [line.strip() for line in invalid_words(reasons).splitlines()]


def dates(span: Mapping[str, Any]) -> str:
    """Return the first and the last date of the records; empty if none has one."""
    return f" {DASH} ".join(dict.fromkeys(filter(None, (span["first"], span["last"]))))


def listed(words: Sequence[str], most: int = 3) -> str:
    """Return the first words and the number of further ones, unless that is one.

    >>> listed(["a", "b"]), listed(["a", "b", "c", "d"]), listed(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and d', 'a, b, c and 2 more')
    """
    rest = len(words) - most
    last = words[most] if rest == 1 else f"{rest} more"
    return ", ".join(words[:most]) + (f" and {last}" if rest > 0 else "")
