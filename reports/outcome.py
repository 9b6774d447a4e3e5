"""What a tournament came to by the rules of its format, as plain data for pages and terminals.

Must not know tournaments: who held one says what it came to. `outcome.json` is this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, get_args

VERSION: Final = 1
"""Of the JSON format; `lath.reports.schema.OUTCOME_SCHEMA` describes it."""

Kind = Literal["name", "number", "text"]
"""What a column holds: a name may be cut where room is short, the others may not."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet."""

    heading: str
    kind: Kind = "number"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of words; where room is short columns may be left out, the last first."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    """As many cells in each as there are columns."""

    title: str = ""
    """What it is one of, such as a round; empty where it stands alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a tournament ended, or stands, by the rules of its format."""

    format: str
    """Such as `swiss`."""

    event: str = ""
    done: int = 0
    """Games that were played and count."""

    total: int = 0
    """Games that there will be, as far as one can tell; >= done."""

    verdict: str = ""
    """What it came to, in a sentence; empty where that is open, or the sheets say it."""

    words: tuple[str, ...] = ()
    """The whole of it in lines for people."""

    sheets: tuple[Sheet, ...] = ()
    """The same as tables; none where the format says nothing that a crosstable does not."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs, as the format has it."""

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
        return f"Result so far: {self.format}, {self.done} of {self.total} games"


def to_json(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as `OUTCOME_SCHEMA` describes it, ready for `json.dumps`."""
    return {"version": VERSION, **asdict(outcome)}


def from_json(told: object) -> Outcome:
    """Return the outcome that somebody has kept; raises ValueError where it is none."""
    try:
        return _read(told)
    except (KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"it is no outcome: {error!r}") from error


def _read(told: Any) -> Outcome:
    if told["version"] != VERSION:
        raise ValueError(f"it is an outcome of version {told['version']!r}, expected {VERSION}")
    return Outcome(
        format=str(told["format"]),
        event=str(told["event"]),
        done=int(told["done"]),
        total=int(told["total"]),
        verdict=str(told["verdict"]),
        words=tuple(map(str, told["words"])),
        sheets=tuple(map(_sheet, told["sheets"])),
        data=dict(told["data"]),
    )


def _sheet(told: Any) -> Sheet:
    columns = tuple(_column(column) for column in told["columns"])
    rows = tuple(tuple(map(str, row)) for row in told["rows"])
    if not columns or any(len(row) != len(columns) for row in rows):
        raise ValueError(f"rows of a sheet need {len(columns)} cells")
    return Sheet(columns, rows, str(told["title"]))


def _column(told: Any) -> Column:
    if told["kind"] not in get_args(Kind):
        raise ValueError(f"{told['kind']!r} is no kind of column")
    return Column(str(told["heading"]), told["kind"])
