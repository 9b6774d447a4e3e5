"""The columns of a table of bots, shared by the terminal, CSV files and pages.

Each column has a name, a heading, a definition, and the path of its values in `standings.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from lath.games.errors import hinted
from lath.reports.counting.ranking import COLUMNS as DECIDES
from lath.reports.notes.outcome import Kind
from lath.reports.ratings.results import IN_ORDER

Values = Mapping[str, Any]
"""A row, a table or a cell of `standings.json`."""

ALL: Final = "all"
"""The name that selects all columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvField:
    """A column of a CSV."""

    name: str
    path: str = ""
    """Path of the value in a row, such as `elo.low`; empty if it equals the name."""

    def of(self, row: Values) -> Any:
        """Return the value of a row; an empty text if the row has no value."""
        value: Any = row
        for key in (self.path or self.name).split("."):
            value = None if value is None else value[key]
        return "" if value is None else value


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """A column of a table of bots."""

    name: str
    """The name in `--columns`."""

    heading: str
    says: str
    """The definition of the column, in one or two sentences."""

    cells: Callable[[Sequence[Values]], list[str]]
    """The function that returns the cells of a table's rows as texts."""

    fields: tuple[CsvField, ...]
    """The CSV fields of the column."""

    kind: Kind = "number"
    rank: int = 0
    """If there is little room, columns with the highest rank are left out first. Columns of rank 0
    stay."""

    asks: Callable[[Values], bool] | None = None
    """The condition for showing the column by default. None means only if it is among `USUAL`."""


def _each(cell: Callable[[Values], str]) -> Callable[[Sequence[Values]], list[str]]:
    return lambda rows: [cell(row) for row in rows]


def within(intervals: Sequence[tuple[str, str] | None], unit: str = "") -> list[str]:
    """Return values with the half-widths of their intervals, with the ± signs aligned.

    >>> within([("+7", "5"), ("-12", "10"), ("at least +277", ""), None])
    ['+7 ± 5', '-12 ±10', 'at least +277', '-']
    """
    wide = max((len(each[1]) for each in intervals if each), default=0)
    return [
        (f"{each[0]} ±{each[1]:>{wide}}{unit}" if each[1] else each[0]) if each else "-"
        for each in intervals
    ]


def told(elo: Values | None) -> tuple[str, str] | None:
    """Return the texts of an Elo of `standings.json`, as `Elo.told`."""
    if elo is None:
        return None
    sign = "" if elo["mean"] else "+"
    low, high = elo["low"], elo["high"]
    if low is None and high is None:
        return "unknown", ""
    if low is None:
        return f"at most {round(high):{sign}d}", ""
    if high is None:
        return f"at least {round(low):{sign}d}", ""
    return f"{round(elo['value']):{sign}d}", f"{(high - low) / 2:.0f}"


def _elos(key: str) -> Callable[[Sequence[Values]], list[str]]:
    return lambda rows: within([told(row[key]) for row in rows])


def _number(key: str, form: str) -> Callable[[Sequence[Values]], list[str]]:
    return _each(lambda row: "-" if row[key] is None else format(row[key], form))


def likelihood(share: float | None) -> str:
    """Return a likelihood in whole per cent, never rounded to 0 or 100.

    >>> likelihood(0.9999), likelihood(0.5), likelihood(None)
    ('>99%', '50%', '-')
    """
    if share is None:
        return "-"
    percent = round(100 * share)
    return "<1%" if percent < 1 else ">99%" if percent > 99 else f"{percent}%"


def _moved(key: str, form: str) -> Callable[[Sequence[Values]], list[str]]:
    return _each(lambda row: format(row["moved"][key], form) if row["moved"] else "new")


def _has_moved(table: Values) -> bool:
    return any(row["moved"] for row in table["rows"])


def _has_forfeits(table: Values) -> bool:
    return any(sum(row["lost_by"].values()) for row in table["rows"])


def _by_order(table: Values) -> bool:
    return bool(table["ranked_by"] == IN_ORDER)


def _rating(row: Values, of: Values | None) -> str:
    """Return the rating that decides ranks, of all games or of the games behind `of`."""
    if of is not None and _by_order(row["table"]):
        of = of["sequential"]
    return "-" if of is None else f"{of['exposed']:.2f}"


def _in_order(name: str) -> Callable[[Sequence[Values]], list[str]]:
    return _each(lambda row: f"{row['sequential'][name]:.2f}" if row["sequential"] else "-")


def _ranks(row: Values) -> str:
    low, high = row["rank_low"], row["rank_high"]
    return f"{low}" if low == high else f"{low}-{high}"


COLUMNS: Final = (
    TableColumn(
        name="rank",
        heading="#",
        says="The rank by the rule below the table. Bots that are equal by this rule share a rank.",
        cells=_each(lambda row: f"{row['rank']}"),
        fields=(CsvField(name="rank"),),
    ),
    TableColumn(
        name="bot",
        heading="bot",
        says="The bot’s name. All versions of a pool member are one bot with the rating of the "
        "current version.",
        cells=_each(lambda row: row["name"]),
        fields=(CsvField(name="name"),),
        kind="name",
    ),
    TableColumn(
        name="games",
        heading="games",
        says="The counted games on both sides.",
        cells=_each(lambda row: f"{row['games']}"),
        fields=(CsvField(name="games"),),
        rank=2,
    ),
    TableColumn(
        name="wdl",
        heading="W-D-L",
        says="Games won, drawn and lost.",
        cells=_each(lambda row: f"{row['wins']}-{row['draws']}-{row['losses']}"),
        fields=(CsvField(name="wins"), CsvField(name="draws"), CsvField(name="losses")),
        rank=9,
    ),
    TableColumn(
        name="points",
        heading="points",
        says="One point per win and half a point per draw.",
        cells=_each(lambda row: f"{row['points']:g}"),
        fields=(CsvField(name="points"),),
        rank=1,
    ),
    TableColumn(
        name="score",
        heading="%",
        says="Points per game.",
        cells=_each(lambda row: f"{row['score_rate']:.1%}"),
        fields=(CsvField(name="score_rate"),),
        rank=6,
    ),
    TableColumn(
        name="rating",
        heading="rating",
        says="The conservative rating (mu − 3 sigma) by TrueSkill. It decides ranks if the bots "
        "have not all met equally often.",
        cells=_each(lambda row: _rating(row, row)),
        fields=(CsvField(name="exposed"),),
    ),
    TableColumn(
        name="mu",
        heading="mu ± 95%",
        says="The mean of TrueSkill (all games at once), with its 95% interval.",
        cells=lambda rows: within(
            [
                (f"{row['mu']:.2f}", f"{max(row['mu'] - row['low'], row['high'] - row['mu']):.2f}")
                for row in rows
            ]
        ),
        fields=tuple(CsvField(name=name) for name in ("mu", "sigma", "low", "high")),
        rank=5,
        asks=lambda table: not _by_order(table),
    ),
    TableColumn(
        name="sequential",
        heading="in order",
        says="The conservative rating (mu − 3 sigma) by TrueSkill in order of play, as the "
        "trueskill package computes it.",
        cells=_in_order("exposed"),
        fields=tuple(
            CsvField(name=f"sequential_{name}", path=f"sequential.{name}")
            for name in ("mu", "sigma")
        ),
        rank=10,
        asks=lambda table: not _by_order(table) and all(row["sequential"] for row in table["rows"]),
    ),
    TableColumn(
        name="elo",
        heading="Elo ± 95%",
        says="Strength in Elo points with its 95% interval. 0 is the mean of the bots, unless "
        "anchors set the scale.",
        cells=_elos("elo"),
        fields=(
            CsvField(name="elo", path="elo.value"),
            *(CsvField(name=f"elo_{end}", path=f"elo.{end}") for end in ("low", "high")),
        ),
        rank=4,
    ),
    TableColumn(
        name="expected",
        heading="expected",
        says="The score that the Elo model expects against the average bot.",
        cells=_each(lambda row: f"{row['elo']['score']:.0%}"),
        fields=(CsvField(name="elo_score", path="elo.score"),),
        rank=8,
    ),
    TableColumn(
        name="group",
        heading="group",
        says="The number of the group of bots that games connect. Ratings of different groups are "
        "not comparable.",
        cells=_each(lambda row: f"{row['group']}"),
        fields=(CsvField(name="group"),),
        rank=2,
        asks=lambda table: len(table["groups"]) > 1,
    ),
    TableColumn(
        name="without-forfeits",
        heading="without",
        says="The conservative rating without games lost by a crash, on time, by an illegal move "
        "or by exceeding the output limit.",
        cells=_each(lambda row: _rating(row, row["without_forfeits"])),
        fields=tuple(
            CsvField(name=f"board_{name}", path=f"without_forfeits.{path}")
            for name, path in (
                *(("mu", "mu"), ("sigma", "sigma"), ("elo", "elo.value")),
                *(("elo_low", "elo.low"), ("elo_high", "elo.high")),
            )
        ),
        rank=7,
        asks=_has_forfeits,
    ),
    TableColumn(
        name="forfeits",
        heading="forfeits",
        says="Games lost by a crash, on time, by an illegal move or by exceeding the output limit.",
        cells=_each(lambda row: f"{sum(row['lost_by'].values())}"),
        fields=tuple(
            CsvField(name=way, path=f"lost_by.{way}")
            for way in ("crash", "time", "illegal move", "flood")
        ),
        rank=3,
        asks=_has_forfeits,
    ),
    TableColumn(
        name="ranks",
        heading="ranks",
        says="The possible ranks of the bot, by the 95% intervals of its Elo differences from all "
        "other bots.",
        cells=_each(_ranks),
        fields=(CsvField(name="rank_low"), CsvField(name="rank_high")),
        rank=9,
    ),
    TableColumn(
        name="next",
        heading="stronger than next",
        says="The probability that the bot is stronger than the bot on the next rank (LOS).",
        cells=_each(lambda row: likelihood(row["better_than_next"])),
        fields=(CsvField(name="better_than_next"),),
        rank=10,
    ),
    TableColumn(
        name="opponents",
        heading="opponents",
        says="The average Elo of the opponents, weighted by games.",
        cells=_number("average_opponent", ".0f"),
        fields=(CsvField(name="average_opponent"),),
        rank=10,
    ),
    TableColumn(
        name="performance",
        heading="performance",
        says="The performance rating: the Elo whose expected score against these opponents is the "
        "bot’s score. A bot that won or lost all games has none.",
        cells=_number("performance", ".0f"),
        fields=(CsvField(name="performance"),),
        rank=10,
    ),
    TableColumn(
        name="draws",
        heading="draws",
        says="The share of the bot’s games that were drawn.",
        cells=_number("draw_rate", ".1%"),
        fields=(CsvField(name="draw_rate"),),
        rank=10,
    ),
    TableColumn(
        name="draws-by-opponent",
        heading="draws by opponent",
        says="The draw rate against each opponent with at least one draw.",
        cells=_each(lambda row: row["draws_by_opponent"] or "-"),
        fields=(CsvField(name="draws_by_opponent"),),
        kind="text",
        rank=11,
    ),
    TableColumn(
        name="difference",
        heading="difference ± 95%",
        says="The lead in Elo over the bot of --relative-to, with the 95% interval of this "
        "difference.",
        cells=_elos("relative"),
        fields=(
            CsvField(name="difference", path="relative.value"),
            *(
                CsvField(name=f"difference_{end}", path=f"relative.{end}")
                for end in ("low", "high")
            ),
        ),
        rank=3,
        asks=lambda table: any(row["relative"] for row in table["rows"]),
    ),
    TableColumn(
        name="rank-change",
        heading="rank +/-",
        says="The change of the rank since the last event.",
        cells=_moved("rank", "+d"),
        fields=(CsvField(name="rank_change", path="moved.rank"),),
        rank=8,
        asks=_has_moved,
    ),
    TableColumn(
        name="rating-change",
        heading="rating +/-",
        says="The change of the conservative rating since the last event.",
        cells=_moved("rating", "+.2f"),
        fields=(CsvField(name="rating_change", path="moved.rating"),),
        rank=8,
        asks=_has_moved,
    ),
    TableColumn(
        name="elo-change",
        heading="Elo +/-",
        says="The change of the Elo since the last event. Without anchors, new bots shift the "
        "Elo of all bots.",
        cells=_moved("elo", "+.0f"),
        fields=(CsvField(name="elo_change", path="moved.elo"),),
        rank=9,
        asks=_has_moved,
    ),
    TableColumn(
        name="mu-in-order",
        heading="mu",
        says="The mean of TrueSkill (in order of play).",
        cells=_in_order("mu"),
        fields=(CsvField(name="sequential_exposed", path="sequential.exposed"),),
        rank=5,
        asks=_by_order,
    ),
    TableColumn(
        name="sigma-in-order",
        heading="sigma",
        says="The standard deviation of TrueSkill (in order of play).",
        cells=_in_order("sigma"),
        fields=(),
        rank=5,
        asks=_by_order,
    ),
    TableColumn(
        name="method",
        heading="rated by",
        says="The method of the rating.",
        cells=_each(lambda row: row["table"]["ranked_by"]),
        fields=(
            CsvField(name="ranked_by", path="table.ranked_by"),
            CsvField(name="method", path="table.method"),
            *(
                CsvField(name=f"sequential_{name}", path=f"table.in_order.{name}")
                for name in ("method", "by", "draw_rate")
            ),
        ),
        kind="text",
        rank=11,
    ),
    TableColumn(
        name="swiss-points",
        heading="swiss points",
        says="The points of a Swiss tournament, including byes and walkovers.",
        cells=_number("swiss_points", "g"),
        fields=(CsvField(name="swiss_points"),),
        asks=lambda table: bool(table["rule"] == "swiss"),
    ),
    TableColumn(
        name="rounds",
        heading="rounds",
        says="The rounds of a knockout in which the bot advanced. A bye counts.",
        cells=_number("rounds", "d"),
        fields=(CsvField(name="rounds"),),
        asks=lambda table: bool(table["rule"] == "knockout"),
    ),
    TableColumn(
        name="role",
        heading="role",
        says="The role of the bot in a gauntlet: challenger or opponent. Each role has its own "
        "ranks.",
        cells=_each(lambda row: row["role"] or "-"),
        fields=(CsvField(name="role"),),
        kind="text",
        asks=lambda table: bool(table["rule"] == "gauntlet"),
    ),
    TableColumn(
        name="rule",
        heading="ranked by",
        says="The rule of ranks (points, season, score, swiss, knockout, gauntlet, rating or "
        "method). CSV adds the number that decides.",
        cells=_each(lambda row: row["table"]["rule"]),
        fields=(CsvField(name="rule", path="table.rule"), CsvField(name="number")),
        kind="text",
        rank=11,
    ),
)
"""In the order of a CSV file. New columns come last, so that programs find the others in place."""

BY_NAME: Final = {column.name: column for column in COLUMNS}

USUAL: Final = (
    *("rank", "group", "role", "bot", "swiss-points", "rounds", "rating", "rating-change", "mu"),
    *("mu-in-order", "sigma-in-order", "elo", "difference", "expected"),
    *("games", "wdl", "points", "score", "sequential", "forfeits", "without-forfeits"),
    *("rank-change", "elo-change"),
)
"""The columns that the terminal shows by default, in this order, if their conditions hold."""

MORE: Final = (
    *("ranks", "next", "opponents", "performance", "draws", "draws-by-opponent"),
    *("difference", "rank-change", "rating-change", "elo-change"),
)
"""The columns of the page's second table."""


def named(text: str) -> tuple[TableColumn, ...]:
    """Return the columns of a text such as `rank,bot,elo`; raises ValueError.

    >>> [column.heading for column in named("rank, bot,elo")]
    ['#', 'bot', 'Elo ± 95%']
    """
    names = [name.strip() for name in text.split(",")]
    found: list[TableColumn] = []
    for name in names:
        if name == ALL:
            found += [column for column in COLUMNS if column not in found]
        elif name not in BY_NAME:
            close = get_close_matches(name, BY_NAME, 1)
            words = f"{name!r} is not a column; expected some of {', '.join(BY_NAME)}, or {ALL}"
            raise ValueError(hinted(words, f"did you mean {close[0]!r}?" if close else ""))
        elif BY_NAME[name] not in found:
            found.append(BY_NAME[name])
    return tuple(found)


def usual(table: Values) -> tuple[TableColumn, ...]:
    """Return the default columns of a table; the deciding column follows the bot's name."""
    decides = BY_NAME[DECIDES[table["rule"]]]
    columns = [BY_NAME[name] for name in USUAL]
    columns.remove(decides)
    columns.insert(columns.index(BY_NAME["bot"]) + 1, decides)
    return tuple(one for one in columns if one.asks is None or one.asks(table))


def more(table: Values) -> tuple[TableColumn, ...]:
    """Return the columns of the page's second table that apply to this table."""
    columns = [BY_NAME[name] for name in MORE]
    return tuple(one for one in columns if one.asks is None or one.asks(table))


def rows_of(table: Values) -> list[dict[str, Any]]:
    """Return the rows of a table, each with the table and the draw rates by opponent.

    The crosstable may be empty if nothing shows draws by opponent.
    """
    names = [row["name"] for row in table["rows"]]
    return [
        {
            **row,
            "table": table,
            "draws_by_opponent": ", ".join(
                f"{name} {cell['draw_rate']:.1%}"
                for name, cell in zip(names, cells, strict=False)
                if cell["draw_rate"] and name != row["name"]
            ),
        }
        for row, cells in zip(
            table["rows"], table["crosstable"] or [[] for _ in names], strict=True
        )
    ]
