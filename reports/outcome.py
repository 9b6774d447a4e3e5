"""What a tournament came to by the rules of its format, as plain data for pages and terminals.

Must not know tournaments: who held one says what it came to. `outcome.json` is this.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from lath.reports.checksums import in_schema
from lath.reports.ranking import Score, ranking
from lath.reports.ratings.results import Elo, Scored
from lath.reports.schema import Count, Schema, checked, schema_of

if TYPE_CHECKING:
    from lath.reports.standings import Meeting, Row, Standings, Table

Kind = Literal["name", "number", "text"]
"""What a column holds: a name may be cut where room is short, the others may not."""


LADDER: Final = "ladder"
"""The format of what is about one bot alone, whose opponents have a given strength."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet."""

    heading: str
    """What stands above it."""

    kind: Kind = "number"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of words; where room is short columns may be left out, the last first."""

    columns: tuple[Column, ...]
    """From left to right; one at least."""

    rows: tuple[tuple[str, ...], ...]
    """From the top; as many cells in each as there are columns."""

    title: str = ""
    """What it is one of, such as a round; empty where it stands alone."""

    def __post_init__(self) -> None:
        """Raise ValueError where cells and columns do not agree."""
        if not self.columns or any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"rows of a sheet need {len(self.columns)} cells")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A curve between bounds."""

    title: str
    across: str
    """What is counted from left to right."""

    points: tuple[tuple[float, float], ...]
    """From left to right; two at least, at most a hundred."""

    bounds: tuple[tuple[str, float], ...] = ()
    """Heights that mean something, and what."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a tournament ended, or stands, by the rules of its format."""

    version: Literal[1] = 1
    """Of this format."""

    format: str
    """Such as `swiss`."""

    event: str = ""
    """Its title."""

    done: Count = 0
    """Games that were played and count."""

    total: Count = 0
    """Games that there will be, as far as one can tell; >= done."""

    verdict: str = ""
    """What it came to, in a sentence; empty where that is open, or the sheets say it."""

    words: tuple[str, ...] = ()
    """The whole of it in lines for people."""

    sheets: tuple[Sheet, ...] = ()
    """The same as tables; none where the format says nothing that a crosstable does not."""

    plots: tuple[Plot, ...] = ()
    """The way to it, where the format has one."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs, as the format has it: docs/tournaments.md."""

    @property
    def is_complete(self) -> bool:
        """Return whether all games are played."""
        return self.done >= self.total

    @property
    def says_something(self) -> bool:
        """Return whether there is anything to show."""
        return bool(self.sheets or self.verdict)

    @property
    def heading(self) -> str:
        """Return what stands above it.

        >>> Outcome(format="swiss", done=8, total=8).heading
        'Result: swiss'
        >>> Outcome(format="swiss", done=3, total=8).heading
        'Result so far: swiss, 3 of 8 games'
        """
        if self.is_complete:
            return f"Result: {self.format}"
        return f"Result so far: {self.format}, {self.progress}"

    @property
    def progress(self) -> str:
        """Return how far it is; empty where all games are played."""
        return "" if self.is_complete else f"{self.done} of {self.total} games"


_CHALLENGERS: Final = (
    *(Column("#"), Column("challenger", "name"), Column("score"), Column("points")),
    *(Column("games"), Column("rating"), Column("Elo ± 95%")),
)
_OPPONENTS: Final = (
    *(Column("opponent", "name"), Column("score"), Column("points")),
    *(Column("games"), Column("difference ± 95%")),
)


def completed(outcome: Outcome, standings: Standings) -> Outcome:
    """Return an outcome with what only ratings say: what came of a gauntlet.

    Challengers stand by their ranks in the table, which go by points per game. Against each stand
    its opponents: who scored most against it comes first.
    """
    table, challenge = standings.overall, outcome.data.get("gauntlet")
    if outcome.format != "gauntlet" or not challenge:
        return outcome
    scores = {row.name: Score(row.points, row.games) for row in table.rows}
    by_name = {row.name: row for row in table.rows}
    stands = [one for one in ranking(scores, {}, outcome).places if one.role == "challenger"]
    rows = [by_name[one.name] for one in stands]
    met = {row.name: _met_by(row, table, challenge["opponents"]) for row in rows}
    ranked = tuple(
        (
            *(f"{one.rank}", row.name, *_scored(row)),
            *(f"{row.strength.trueskill.exposed:.2f}", _interval(row.strength.elo)),
        )
        for one, row in zip(stands, rows, strict=True)
    )
    is_anchored = any(row.strength.elo.mean for row in rows)
    middle = (
        "Elo is on the scale of the anchors" if is_anchored else "0 Elo is the mean of the field"
    )
    title = f"By score; {middle}"
    sheets = [Sheet(_CHALLENGERS, ranked, title)] if ranked else []
    for name, opponents in met.items():
        lines = [(other, *_scored(own), _interval(ahead)) for other, own, ahead in opponents]
        title = f"{name} against each opponent; who scored most against it comes first"
        sheets.append(Sheet(_OPPONENTS, tuple(lines), title))
    found = [
        {
            "name": row.name,
            "exposed": row.strength.trueskill.exposed,
            "elo": _of_estimate(row.strength.elo),
            **_of_score(row),
            "opponents": [
                {"name": other, "elo": _of_estimate(ahead), **_of_score(own)}
                for other, own, ahead in met[row.name]
            ],
        }
        for row in rows
    ]
    data = {"gauntlet": {**challenge, "standing": found}}
    return replace(outcome, sheets=tuple(sheets), data=data)


def _met_by(row: Row, table: Table, opponents: Iterable[str]) -> list[tuple[str, Meeting, Elo]]:
    """Return what a challenger scored against its opponents, and how far it is ahead in Elo."""
    places = {one.name: place for place, one in enumerate(table.rows)}
    found = []
    for name in filter(places.__contains__, opponents):
        own = table.crosstable[places[row.name]][places[name]]
        if own.games and (ahead := table.ratings.difference(row.name, name)) is not None:
            found.append((name, own, ahead))
    return sorted(found, key=lambda each: (each[1].score_rate or 0, each[0]))


def _scored(own: Scored) -> tuple[str, str, str]:
    return f"{own.score_rate or 0:.1%}", f"{own.points:g}", f"{own.games}"


def _interval(elo: Elo) -> str:
    return " ±".join(filter(None, elo.told))


def _of_score(own: Scored) -> dict[str, Any]:
    return {"games": own.games, "points": own.points, "score": own.score_rate}


def _of_estimate(elo: Elo) -> dict[str, float | None]:
    ends = {name: getattr(elo, name) for name in ("value", "low", "high", "mean")}
    return {name: None if end is None else round(end, 6) for name, end in ends.items()}


def to_json(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as `schema` describes it, ready for `json.dumps`."""
    written: dict[str, Any] = json.loads(json.dumps(asdict(outcome)))  # lists for tuples
    return written


def from_json(value: object) -> Outcome:
    """Return the outcome that somebody has kept; raises ValueError where it is none."""
    if isinstance(value, Mapping) and (unknown := value.keys() - _FIELDS):
        raise ValueError(f"it has an unknown key {min(unknown)!r}")
    return checked(value, Outcome)


_FIELDS: Final = frozenset(one.name for one in fields(Outcome))


def schema() -> Schema:
    """Return the JSON Schema of `outcome.json`."""
    title = "What a Lath Arena tournament came to by the rules of its format"
    return in_schema(schema_of(Outcome, title))
