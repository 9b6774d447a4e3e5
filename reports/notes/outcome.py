"""The result of a tournament by the rules of its format, as plain data for pages and terminals.

`outcome.json` is this.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Literal

from lath.reports.checksums import in_schema
from lath.reports.schema import Count, Schema, checked, schema_of

Kind = Literal["name", "number", "text"]
"""The content of a column: names can be cut if there is little room, numbers and texts cannot."""


UNNAMED: Final = "Tournament"
"""The event of a tournament whose configuration names none; its pages have the folder's name."""

LADDER: Final = "ladder"
"""The format of a measurement of a single bot, against opponents of known strength."""


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """A column of a sheet."""

    heading: str
    """Heading of the column."""

    kind: Kind = "number"
    """How its cells are shown."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of texts. If room is short, the last columns can be left out."""

    columns: tuple[SheetColumn, ...]
    """Columns from left to right, at least one."""

    rows: tuple[tuple[str, ...], ...]
    """Rows from the top, with one cell for each column."""

    title: str = ""
    """Title of the table, such as a round; empty if it is the only one."""

    def __post_init__(self) -> None:
        """Raise ValueError if a row has too few or too many cells."""
        if not self.columns or any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError(f"rows of a sheet need {len(self.columns)} cells")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A curve between bounds."""

    title: str
    """The heading of the curve."""
    across: str
    """Label of the horizontal axis."""

    points: tuple[tuple[float, float], ...]
    """Points from left to right, from 2 to 100."""

    bounds: tuple[tuple[str, float], ...] = ()
    """Horizontal lines, each with its label and height."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventOutcome:
    """The result of a tournament by the rules of its format, final or so far."""

    version: Literal[1] = 1
    """Version of this file format."""

    format: str
    """Format of the tournament, such as `swiss`."""

    event: str = ""
    """Title of the tournament."""

    done: Count = 0
    """Games that count so far."""

    total: Count = 0
    """Games that will count in all, as far as that is known; at least `done`."""

    verdict: str = ""
    """The result in a sentence; empty if it is open, or if the tables show it."""

    words: tuple[str, ...] = ()
    """The result as lines of text."""

    sheets: tuple[Sheet, ...] = ()
    """The result as tables; none if the crosstable shows everything."""

    plots: tuple[Plot, ...] = ()
    """The way to the result as curves."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """The result for programs. `arena schema outcome` lists the keys of each format."""

    @property
    def is_complete(self) -> bool:
        """Return whether all games are played."""
        return self.done >= self.total

    @property
    def says_something(self) -> bool:
        """Return whether the outcome has tables or a verdict."""
        return bool(self.sheets or self.verdict)

    @property
    def heading(self) -> str:
        """Return the heading of the outcome.

        >>> EventOutcome(format="swiss", done=8, total=8).heading
        'Result: swiss'
        >>> EventOutcome(format="swiss", done=3, total=8).heading
        'Result so far: swiss, 3 of 8 games'
        """
        if self.is_complete:
            return f"Result: {self.format}"
        return f"Result so far: {self.format}, {self.progress}"

    @property
    def progress(self) -> str:
        """Return the progress in games; empty if all games are played."""
        return "" if self.is_complete else f"{self.done} of {self.total} games"


def to_json(outcome: EventOutcome) -> dict[str, Any]:
    """Return an outcome as JSON values, as `schema` describes them."""
    written: dict[str, Any] = json.loads(json.dumps(asdict(outcome)))  # turns tuples into lists
    return written


def from_json(value: object) -> EventOutcome:
    """Return a stored outcome; raises ValueError if it is invalid."""
    if isinstance(value, Mapping) and (unknown := value.keys() - _FIELDS):
        raise ValueError(f"it has an unknown key {min(unknown)!r}")
    return checked(value, EventOutcome)


_FIELDS: Final = frozenset(one.name for one in fields(EventOutcome))


def schema() -> Schema:
    """Return the JSON Schema of `outcome.json`."""
    title = "Result of a tournament by the rules of its format"
    return in_schema(schema_of(EventOutcome, title))
